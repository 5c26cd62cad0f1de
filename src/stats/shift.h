/* SPDX-License-Identifier: Apache-2.0 */
/* By how much one sample lies above another: the Hodges-Lehmann estimate with an interval whose level is exact for
 * continuous values of any distribution. Formulas and sources: docs/statistics.md, "Shift". */
#ifndef STEELYARD_STATS_SHIFT_H
#define STEELYARD_STATS_SHIFT_H

#include <stddef.h>
#include <steelyard/base.h>

typedef struct sy_shift {
    double estimate; /* the median of all x - y; even: the mean of the middle two */
    double low;      /* D_(c) and D_(nm-c+1) of the ascending differences */
    double high;
    double level; /* 1 - 2 P(U <= c - 1): at least 1 - alpha, or what the widest interval has where none has that */
} sy_shift;

/* Samples ascending, finite, each of 1..1000000. alpha in (0, 1): c is the largest u with P(U <= u) <= alpha / 2, plus
 * 1; where even P(U = 0) is above alpha / 2 the interval is the widest (c = 1) with its own level. Time grows with the
 * sum of the counts, not their product. SY_INVALID_ARGUMENT, SY_NO_MEMORY. Hodges and Lehmann 1963. */
sy_status sy_shift_find(const double *x, size_t x_count, const double *y, size_t y_count, double alpha,
                        sy_shift *ret_shift, sy_error *err) SY_NODISCARD;

/* The estimate alone. Samples ascending, counts >= 1. */
double sy_shift_estimate(const double *x, size_t x_count, const double *y, size_t y_count);

/* The rank-th smallest (from 1) of all x - y. Samples ascending. */
double sy_shift_difference(const double *x, size_t x_count, const double *y, size_t y_count, size_t rank);

#endif
