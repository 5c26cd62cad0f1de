/* SPDX-License-Identifier: Apache-2.0 */
/* The gap rule for two groups of times, and the fit of two levels. */
#include "stats/modes.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"

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

/* Sum of the distances to the median of the values [from, to), from the sums of all before each. */
static double distances(const double *sorted, const double *sums, size_t from, size_t to)
{
    size_t half = from + (to - from) / 2;
    double median = sy_order_median(sorted + from, to - from);

    return median * (double)(half - from) - (sums[half] - sums[from]) + (sums[to] - sums[half]) -
           median * (double)(to - half);
}

/* The split at which two levels fit best, at least `least` values on each side; sums has count + 1 entries of room. */
static size_t fit_two(const double *sorted, size_t count, size_t least, double *sums)
{
    double fewest = INFINITY;
    size_t found = 0;

    sums[0] = 0;
    for (size_t i = 0; i < count; i++)
        sums[i + 1] = sums[i] + sorted[i];
    for (size_t split = least; split + least <= count; split++) {
        double sum = distances(sorted, sums, 0, split) + distances(sorted, sums, split, count);

        if (sum < fewest) {
            fewest = sum;
            found = split;
        }
    }
    return found;
}

/* The standard deviation of a normal group that has four fifths of its values as near to its median: a fifth may be
 * spikes, and no few equal values make a group look tight. */
static double deviation(const double *sorted, size_t count, double *room)
{
    const double four_fifths_of_a_normal = 1.2816;
    double median = sy_order_median(sorted, count);

    for (size_t i = 0; i < count; i++)
        room[i] = fabs(sorted[i] - median);
    return sy_order_sort(room, count, NULL) == SY_OK ? sy_order_nearest_rank(room, count, 80) / four_fifths_of_a_normal
                                                     : INFINITY;
}

static bool are_apart(const double *sorted, size_t count, size_t split, size_t least, double *room)
{
    double lower = sy_order_median(sorted, split);
    double upper = sy_order_median(sorted + split, count - split);
    double distance = upper - lower;
    double spread = deviation(sorted, split, room) + deviation(sorted + split, count - split, room);
    size_t below = 0;
    size_t above = 0;
    size_t smaller;

    for (size_t i = 0; i < count; i++) {
        below += sorted[i] <= lower + distance / 3;
        above += sorted[i] >= upper - distance / 3;
    }
    smaller = below < above ? below : above;
    return distance >= 0.03 && distance >= (3 + 40 / (double)count) * spread && smaller >= least &&
           10 * (count - below - above) <= smaller;
}

sy_status sy_modes_find(const double *sorted, size_t count, size_t *ret_lower, sy_error *err)
{
    size_t least = count < 16 ? 3 : 4;
    double *logs;
    size_t split;

    if (count < 8) {
        *ret_lower = 0;
        return SY_OK;
    }
    logs = sy_allocate(2 * count + 1, sizeof *logs);
    if (logs == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the modes of %zu samples", count);
    for (size_t i = 0; i < count; i++)
        logs[i] = log(sorted[i]);
    if (least < (count + 9) / 10)
        least = (count + 9) / 10;
    split = fit_two(logs, count, least, logs + count);
    if (split > 0 && !are_apart(logs, count, split, least, logs + count))
        split = 0;
    sy_free(logs);
    *ret_lower = split;
    return SY_OK;
}
