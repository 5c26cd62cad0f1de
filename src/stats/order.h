/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted samples: the median of a probe, the nearest rank of a session, and a sort that refuses what has no order. */
#ifndef STEELYARD_STATS_ORDER_H
#define STEELYARD_STATS_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

/* SY_INVALID_ARGUMENT, "sample 3 is not finite" (index from 0), at the first NaN or infinity. Any count. */
sy_status sy_order_check(const double *values, size_t count, sy_error *err) SY_NODISCARD;

/* Sorts ascending in place, after sy_order_check; values are untouched when it fails. */
sy_status sy_order_sort(double *values, size_t count, sy_error *err) SY_NODISCARD;

/* Puts value into the ascending sorted[0..count-1], which has room for one more; equal values keep their order. value
 * is not NaN. */
void sy_order_insert(double *sorted, size_t count, double value);

/* The median of ascending samples: the middle one, or the mean of the middle two. count >= 1. */
double sy_order_median(const double *sorted, size_t count);

/* The nearest-rank percentile of ascending samples, in integers: element ceil(percent * count / 100), counted from 1.
 * percent in 1..100, count >= 1. A session's p50 is this, not sy_order_median. */
double sy_order_nearest_rank(const double *sorted, size_t count, uint32_t percent);

#endif
