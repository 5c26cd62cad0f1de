/* SPDX-License-Identifier: Apache-2.0 */
/* The step in which a clock ticks, as far as its times show it. */
#ifndef STEELYARD_STATS_STEPS_H
#define STEELYARD_STATS_STEPS_H

#include <stddef.h>

/* The largest whole number of which all values are multiples, when that is no chance: of times without a step the
 * probability of such a step is below 1 %. 0: none. Values that single precision or a unit's conversion has moved by a
 * ten-millionth still count. sorted: ascending, finite, > 0, in units of which a step is a whole number (nanoseconds).
 * *ret_distinct: how many different values there are. */
double sy_steps_find(const double *sorted, size_t count, size_t *ret_distinct);

#endif
