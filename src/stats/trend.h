/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a series gets larger or smaller as it goes on, and how much neighbours resemble each other: rank methods, so
 * that spikes and heavy tails do not matter. Formulas and sources: docs/statistics.md, "A series". */
#ifndef STEELYARD_STATS_TREND_H
#define STEELYARD_STATS_TREND_H

#include <stddef.h>
#include <steelyard/base.h>

typedef struct sy_trend {
    double tau;       /* (couples that rise - couples that fall) / all couples; -1..1 */
    double p_rising;  /* one-sided: the smaller, the less it is believable that nothing rises */
    double p_falling; /* the same for falling */
    double lag1;      /* of the ranks about their straight line: how alike neighbours are; -1..1 */
} sy_trend;

/* Mann-Kendall. count >= 3, all finite: else SY_INVALID_ARGUMENT. Without ties exact up to 60 values; below 10 values
 * exact, tied couples counting against the claim. Otherwise normal, with the variance corrected for ties and, where
 * lag1 is above .2, multiplied by (1 + lag1) / (1 - lag1), as for an autoregressive series. SY_NO_MEMORY. */
sy_status sy_trend_test(const double *values, size_t count, sy_trend *ret_trend, sy_error *err) SY_NODISCARD;

/* P(at most `falling` of the couples fall) when all count! orders are equally probable, no ties; count in 2..60. To
 * 1e-14. */
double sy_trend_lower_tail(size_t count, size_t falling);

/* Mid-ranks, from 1: ties share their mean. ranks has room for count. SY_INVALID_ARGUMENT (not finite),
 * SY_NO_MEMORY. */
sy_status sy_trend_ranks(const double *values, size_t count, double *ranks, sy_error *err) SY_NODISCARD;

/* The lag-1 autocorrelation of ranks about a level that may differ on both sides of `split` (0 = one level); 0 for a
 * series that never changes. */
double sy_trend_lag1(const double *ranks, size_t count, size_t split);

/* What the standard deviation of a rank statistic is multiplied by: sqrt((1 + lag1) / (1 - lag1)), 1 up to .2. */
double sy_trend_inflation(double lag1);

#endif
