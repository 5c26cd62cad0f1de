/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t distribution for whole degrees of freedom, and the quantiles of the normal one. Finite sums, so that the
 * same arguments give the same bits everywhere. Formulas: docs/statistics.md, "Prediction bound". */
#ifndef STEELYARD_STATS_STUDENT_H
#define STEELYARD_STATS_STUDENT_H

#include <stddef.h>

/* The most degrees of freedom that are told apart from infinitely many. */
#define SY_STUDENT_FREEDOM_MAX 10000

/* P(T <= t), T of Student's distribution with freedom >= 1 degrees (above SY_STUDENT_FREEDOM_MAX: of the normal one).
 * t finite. To 1e-14. The sums are Abramowitz and Stegun 26.7.3 and 26.7.4. */
double sy_student_cdf(double t, size_t freedom);

/* The t with P(T <= t) = p; p in (0, 1). To 1e-12 of its size, for p in [1e-9, 1 - 1e-9]. */
double sy_student_quantile(double p, size_t freedom);

/* The z with Phi(z) = p; p in (0, 1); infinite at 0 and 1. */
double sy_normal_quantile(double p);

/* The square root of 1 + 1/n times the quantile: how many standard deviations of n values above their mean a further
 * one of the same normal distribution lies at most, with probability p. n >= 2. */
double sy_student_prediction(double p, size_t n);

#endif
