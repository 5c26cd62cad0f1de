/* SPDX-License-Identifier: Apache-2.0 */
/* The lower and upper bound of a gain that belong to the capped sign test: L exceeds a threshold exactly when the test
 * of that threshold crosses, so a decision and its printed bound never disagree. docs/statistics.md, "Bounds". */
#ifndef STEELYARD_STATS_BOUNDS_H
#define STEELYARD_STATS_BOUNDS_H

#include <stdint.h>

#include "stats/sign.h"

/* In the units of the differences (log ratios). low -INFINITY and high INFINITY: too few pairs for a bound. Each holds
 * with 1 - alpha of the table, at all n together; both hold together with 1 - 2 alpha. low > high says that the gain
 * changed while it was measured. */
typedef struct sy_bounds {
    double low;  /* running maximum of L_n */
    double high; /* running minimum of U_n */
} sy_bounds;

void sy_bounds_start(sy_bounds *bounds);

/* After pair number `pairs` (1..table->pairs_max), in order, none left out. sorted: the usable differences so far,
 * ascending, usable <= pairs of them; the others count against both bounds. With k = table->needed[pairs]:
 * L_n = the k-th largest, U_n = the k-th smallest, where there are k. */
void sy_bounds_add(sy_bounds *bounds, const sy_sign_table *table, uint32_t pairs, const double *sorted,
                   uint32_t usable);

#endif
