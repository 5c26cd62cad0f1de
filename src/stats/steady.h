/* SPDX-License-Identifier: Apache-2.0 */
/* Where a series becomes steady: how many first runs are slower than what follows. Ranks decide, so one spike is no
 * warm-up. Rules, levels and sources: docs/statistics.md, "A series". */
#ifndef STEELYARD_STATS_STEADY_H
#define STEELYARD_STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <steelyard/base.h>

/* A series shorter than this has no part that could be set aside. */
#define SY_STEADY_LEAST 10

/* How many first runs of the series are a warm-up: 0 = steady from the first, at most half of them. A prefix is one
 * when it is slower than the rest, by 1 % of the medians or more, and
 * - the rank scan crosses within the first half (prefixes of 5 and more), its critical value at 1 % multiplied by
 *   sy_trend_inflation of what is left about both levels;
 * - or the exact one-sided Mann-Whitney probability of the first 2 to 4 runs is at most .0025 each;
 * - or the first run alone takes twice the median and more than any other.
 * Where it ends two levels say, fitted to the logarithms by least distances. What follows is asked again, until nothing
 * crosses. Only the first 1000 runs are looked at. Fewer than SY_STEADY_LEAST runs: 0. Values finite and > 0.
 * SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
sy_status sy_steady_find(const double *values, size_t count, size_t *ret_from, sy_error *err) SY_NODISCARD;

/* The rule for a first run alone, which short series can be asked too: at least twice the median of all, and more
 * than any other. sorted: the same values, ascending. count >= 3. */
bool sy_steady_first_stands_out(const double *values, const double *sorted, size_t count);

#endif
