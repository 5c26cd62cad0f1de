/* SPDX-License-Identifier: Apache-2.0 */
/* Between which order statistics a quantile lies: exact for every continuous distribution, since the number of samples
 * below the quantile is binomial. Formula and sources: docs/statistics.md, "A series". */
#ifndef STEELYARD_STATS_QUANTILE_H
#define STEELYARD_STATS_QUANTILE_H

#include <stddef.h>
#include <steelyard/base.h>

/* P(B <= successes) for B binomial (trials, p). trials up to a million, p in (0, 1). successes >= trials gives 1. */
double sy_binomial_lower_tail(size_t trials, double p, size_t successes);

/* The quantile lies between the samples of these ranks, counted from 1 in ascending order, with `level`. */
typedef struct sy_quantile_ranks {
    size_t low;   /* 0 = no sample is surely below it: the interval is open there */
    size_t high;  /* 0 = no sample is surely above it */
    double level; /* 1 - P(missed below) - P(missed above): at least the level asked for */
} sy_quantile_ranks;

/* share in (0, 1): .5 is the median. level in (0, 1): each side is missed with at most half of 1 - level. count >= 1.
 * Samples are taken to be independent. With ties the level holds all the same. SY_INVALID_ARGUMENT. */
sy_status sy_quantile_find_ranks(size_t count, double share, double level, sy_quantile_ranks *ret_ranks,
                                 sy_error *err) SY_NODISCARD;

#endif
