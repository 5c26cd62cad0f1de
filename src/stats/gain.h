/* SPDX-License-Identifier: Apache-2.0 */
/* What a number of pairs can show: the power of the probe's rule, the smallest gain that it resolves, the pairs that a
 * gain needs. Exact recursion, no approximation of the rule. Formulas: docs/statistics.md, "Resolvable gain". */
#ifndef STEELYARD_STATS_GAIN_H
#define STEELYARD_STATS_GAIN_H

#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

/* The power at which gains are called resolvable. */
#define SY_GAIN_POWER 0.8

/* Phi(x), the standard normal distribution function. */
double sy_gain_normal_cdf(double x);

/* s = median |d| / .6745 of pair differences d = ln(t1 / t2) of one implementation against itself: the standard
 * deviation that a normal d of that median would have. count >= 1, all finite: else SY_INVALID_ARGUMENT. SY_NO_MEMORY.
 */
sy_status sy_gain_noise(const double *differences, size_t count, double *ret_noise, sy_error *err) SY_NODISCARD;

/* z(N): the least (g - theta) / s at which P(WIN within N pairs) = SY_GAIN_POWER, for d normal with mean g and standard
 * deviation s, so that a pair is won with probability Phi((g - theta) / s). pairs_max, alpha, beta as for
 * sy_sign_table_init; a NO GAIN at level beta ends the sampling. Infinity where no win is possible (pairs_max below
 * sy_sign_least_cap(alpha)). SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
sy_status sy_gain_resolution(uint32_t pairs_max, double alpha, double beta, double *ret_z, sy_error *err) SY_NODISCARD;

/* The least cap with which the rule wins with SY_GAIN_POWER when a pair is won with win_probability; 0 = more than
 * SY_SIGN_PAIRS_MAX. Found by doubling and bisection. Errors as sy_gain_resolution. */
sy_status sy_gain_pairs_needed(double win_probability, double alpha, double beta, uint32_t *ret_pairs,
                               sy_error *err) SY_NODISCARD;

#endif
