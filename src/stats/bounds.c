/* SPDX-License-Identifier: Apache-2.0 */
/* Running bounds from order statistics. */
#include "stats/bounds.h"

#include <assert.h>
#include <math.h>

void sy_bounds_start(sy_bounds *bounds)
{
    bounds->low = -INFINITY;
    bounds->high = INFINITY;
}

void sy_bounds_add(sy_bounds *bounds, const sy_sign_table *table, uint32_t pairs, const double *sorted, uint32_t usable)
{
    uint32_t needed;

    assert(pairs >= 1 && pairs <= table->pairs_max && usable <= pairs);
    needed = table->needed[pairs];
    if (usable < needed)
        return;
    bounds->low = fmax(bounds->low, sorted[usable - needed]);
    bounds->high = fmin(bounds->high, sorted[needed - 1]);
}
