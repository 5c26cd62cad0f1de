/* SPDX-License-Identifier: Apache-2.0 */
/* Hodges-Lehmann. Differences are never listed: an order statistic is found by bisection over the doubles themselves,
 * each step counting the differences up to a bound by two fingers. */
#include "stats/shift.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "stats/ranks.h"

enum { COUNT_MAX = 1000000 };

/* Doubles in the order of whole numbers, and back. */
static uint64_t place_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_at(uint64_t place)
{
    uint64_t bits = place >> 63 ? place & ~(UINT64_C(1) << 63) : ~place;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* How many x - y are at most bound. Rounding is monotone, so that the differences of one x fall as y grows. */
static size_t count_up_to(const double *x, size_t x_count, const double *y, size_t y_count, double bound)
{
    size_t sum = 0;
    size_t above = 0; /* so many of the smallest y give a difference above bound */

    for (size_t i = 0; i < x_count; i++) {
        while (above < y_count && x[i] - y[above] > bound)
            above++;
        sum += y_count - above;
    }
    return sum;
}

double sy_shift_difference(const double *x, size_t x_count, const double *y, size_t y_count, size_t rank)
{
    uint64_t low = place_of(x[0] - y[y_count - 1]);
    uint64_t high = place_of(x[x_count - 1] - y[0]);

    assert(rank >= 1 && rank <= x_count * y_count);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (count_up_to(x, x_count, y, y_count, value_at(middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return value_at(low) + 0.0;
}

double sy_shift_estimate(const double *x, size_t x_count, const double *y, size_t y_count)
{
    size_t couples = x_count * y_count;
    double upper = sy_shift_difference(x, x_count, y, y_count, couples / 2 + 1);

    if (couples % 2 == 1)
        return upper;
    return (sy_shift_difference(x, x_count, y, y_count, couples / 2) + upper) / 2;
}

static bool is_ascending(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (i > 0 && values[i - 1] > values[i]))
            return false;
    }
    return true;
}

sy_status sy_shift_find(const double *x, size_t x_count, const double *y, size_t y_count, double alpha,
                        sy_shift *ret_shift, sy_error *err)
{
    size_t u = 0;
    double tail = 1;

    if (x_count < 1 || y_count < 1 || x_count > COUNT_MAX || y_count > COUNT_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a shift is between samples of 1 to %d values", COUNT_MAX);
    if (!(alpha > 0 && alpha < 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "alpha %g is not between 0 and 1", alpha);
    if (!is_ascending(x, x_count) || !is_ascending(y, y_count))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the samples of a shift are finite and ascending");
    sy_status status = sy_ranks_lower_quantile(x_count, y_count, alpha / 2, &u, &tail, err);
    if (status != SY_OK)
        return status;
    /* c = u + 1; where even P(U = 0) is above alpha / 2, u is 0 and the interval is the widest. */
    *ret_shift = (sy_shift){.estimate = sy_shift_estimate(x, x_count, y, y_count),
                            .low = sy_shift_difference(x, x_count, y, y_count, u + 1),
                            .high = sy_shift_difference(x, x_count, y, y_count, x_count * y_count - u),
                            .level = fmax(0, 1 - 2 * tail)};
    return SY_OK;
}
