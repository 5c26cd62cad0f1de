/* SPDX-License-Identifier: Apache-2.0 */
/* The gap rule for two groups of times. */
#include "stats/modes.h"

#include <math.h>

size_t sy_modes_split(const double *sorted, size_t count)
{
    const double least_gap = 0.03;
    size_t split = 0;
    double widest = 0;
    double spread;

    if (count < 8)
        return 0;
    for (size_t i = 2; i + 2 <= count; i++) {
        double gap = log(sorted[i] / sorted[i - 1]);

        if (gap > widest) {
            widest = gap;
            split = i;
        }
    }
    if (widest < least_gap)
        return 0;
    spread = fmax(log(sorted[split - 1] / sorted[0]), log(sorted[count - 1] / sorted[split]));
    return widest >= 2 * spread ? split : 0;
}
