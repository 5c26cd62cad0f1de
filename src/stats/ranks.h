/* SPDX-License-Identifier: Apache-2.0 */
/* The Mann-Whitney test of two samples of any sizes. Ties are handled conservatively: a tied couple counts against the
 * claim, so the probability returned is never below the one that any breaking of the ties would give. */
#ifndef STEELYARD_STATS_RANKS_H
#define STEELYARD_STATS_RANKS_H

#include <stddef.h>
#include <steelyard/base.h>

/* Where the product of both sizes times the smaller is at most this, the null distribution is counted exactly (100
 * against 100 is the largest square). Above, a normal approximation with the fourth cumulant (Fix and Hodges 1955),
 * whose error there is below 1e-5. */
#define SY_RANKS_EXACT_MAX 1000000

/* P(U >= u) under exchangeability, continuous values: U counts the couples in which the value of the sample of x_count
 * exceeds the one of the sample of y_count. u = 0 gives 1; u above the product gives 0. Both counts in 1..1000000.
 * Counts by c(u; n, m) = c(u - m; n - 1, m) + c(u; n, m - 1) (Mann and Whitney 1947). SY_INVALID_ARGUMENT,
 * SY_NO_MEMORY. */
sy_status sy_ranks_upper_tail(size_t x_count, size_t y_count, size_t u, double *ret_p, sy_error *err) SY_NODISCARD;

/* The largest u, at most half of the product, with P(U <= u) <= p, and that probability; u = 0 with P(U = 0) also where
 * that alone is above p. Counts as above, p in (0, 1/2). SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
sy_status sy_ranks_lower_quantile(size_t x_count, size_t y_count, double p, size_t *ret_u, double *ret_tail,
                                  sy_error *err) SY_NODISCARD;

/* One-sided: the smaller *ret_p, the less it is believable that x is not larger than y. Samples in any order; a value
 * that is not finite is SY_INVALID_ARGUMENT ("sample 0 is not finite"; y's are counted on from x's last), as is an
 * empty sample. SY_NO_MEMORY. */
sy_status sy_ranks_greater(const double *x, size_t x_count, const double *y, size_t y_count, double *ret_p,
                           sy_error *err) SY_NODISCARD;

/* Two-sided: twice the smaller of the two one-sided probabilities, at most 1. Errors as above. */
sy_status sy_ranks_differ(const double *x, size_t x_count, const double *y, size_t y_count, double *ret_p,
                          sy_error *err) SY_NODISCARD;

#endif
