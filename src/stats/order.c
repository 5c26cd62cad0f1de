/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, median, nearest rank. */
#include "stats/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sy_status sy_order_check(const double *values, size_t count, sy_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return sy_fail(err, SY_INVALID_ARGUMENT, "sample %zu is not finite", i);
    }
    return SY_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

sy_status sy_order_sort(double *values, size_t count, sy_error *err)
{
    sy_status status = sy_order_check(values, count, err);

    if (status == SY_OK && count > 1)
        qsort(values, count, sizeof *values, compare_doubles);
    return status;
}

void sy_order_insert(double *sorted, size_t count, double value)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sorted[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(sorted + low + 1, sorted + low, (count - low) * sizeof *sorted);
    sorted[low] = value;
}

double sy_order_median(const double *sorted, size_t count)
{
    assert(count >= 1);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double sy_order_nearest_rank(const double *sorted, size_t count, uint32_t percent)
{
    size_t rank;

    assert(count >= 1 && percent >= 1 && percent <= 100);
    /* ceil(percent * count / 100), taken apart so that the product cannot overflow */
    rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    return sorted[rank - 1];
}
