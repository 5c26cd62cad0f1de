/* SPDX-License-Identifier: Apache-2.0 */
/* How far a share that was counted may be from the true one. Exact for every share; pure functions. */
#ifndef STEELYARD_STATS_PROPORTION_H
#define STEELYARD_STATS_PROPORTION_H

#include <stdint.h>

/* The interval of Clopper and Pearson (Biometrika 26, 1934): each end is the share at which as many successes, or as
 * few, would be seen with (1 - level) / 2. It holds the true share with `level` or more, whatever the share is. trials
 * 1..1000000, successes <= trials, level in (0, 1); to 1e-12. *ret_low is 0 without a success, *ret_high 1 without a
 * failure. */
void sy_proportion_interval(uint64_t trials, uint64_t successes, double level, double *ret_low, double *ret_high);

#endif
