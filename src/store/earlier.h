/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of measurements that others have replaced: made, put in order, united, bounded. Pure: no I/O, no clock,
 * no memory. */
#ifndef STEELYARD_STORE_EARLIER_H
#define STEELYARD_STORE_EARLIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

/* A history on its way into an entry; what its lines point to is borrowed. */
typedef struct sy_earlier_list {
    sy_profile_earlier lines[SY_EARLIER_MAX];
    size_t count;
    uint32_t dropped;
    sy_profile_cost dropped_cost;
} sy_earlier_list;

/* Two lines of one measurement. */
bool sy_earlier_is_same(const sy_profile_earlier *a, const sy_profile_earlier *b);
/* All of them, doubles by their bits. */
bool sy_earlier_equal(const sy_profile_earlier *a, const sy_profile_earlier *b);

/* What `next` becomes as it takes the place of `former` (NULL = none), both calibrated and of one key: it inherits the
 * history, and the former as its newest line, or only the former's cost and use when that says nothing which next does
 * not. *profile is a copy of next whose history lies in *history. */
void sy_earlier_succeed(const sy_profile *next, const sy_profile *former, sy_profile *profile,
                        sy_earlier_list *history);

/* What `kept` becomes when the same key's `other` is merged into it: the lines of both and other itself, each
 * measurement once. The order in which files are merged does not matter. */
void sy_earlier_unite(const sy_profile *kept, const sy_profile *other, sy_profile *profile, sy_earlier_list *history);

/* Whether both have the same history, cost and use. */
bool sy_profile_counts_equal(const sy_profile *a, const sy_profile *b);

void sy_profile_cost_add(sy_profile_cost *to, const sy_profile_cost *more);
/* Saturates. last_utc_s becomes the later one. */
void sy_profile_use_add(sy_profile_use *to, const sy_profile_use *more);
bool sy_profile_cost_equal(const sy_profile_cost *a, const sy_profile_cost *b);
bool sy_profile_use_equal(const sy_profile_use *a, const sy_profile_use *b);

/* The seconds that a call of the reference took, as its probe measured it; NaN = unknown. */
double sy_profile_reference_s(const sy_profile *profile);

#endif
