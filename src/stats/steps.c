/* SPDX-License-Identifier: Apache-2.0 */
/* The common divisor of times. */
#include "stats/steps.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The nearest whole number, when the value is one but for rounding; else 0. */
static uint64_t whole(double value)
{
    double nearest = round(value);
    double allowed = fmin(1e-7 * value + 1e-6, 0.25);

    return value < 9e15 && fabs(value - nearest) <= allowed ? (uint64_t)nearest : 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

double sy_steps_find(const double *sorted, size_t count, size_t *ret_distinct)
{
    uint64_t divisor = 0;
    uint64_t last = 0;
    size_t distinct = 0;
    bool is_whole = true;

    for (size_t i = 0; i < count; i++) {
        uint64_t value = whole(sorted[i]);

        if (i == 0 || sorted[i] > sorted[i - 1])
            distinct += value == 0 || value != last;
        is_whole = is_whole && value > 0;
        divisor = value > 0 ? common_divisor(divisor, value) : divisor;
        last = value;
    }
    *ret_distinct = distinct;
    /* All of m unrelated whole numbers are multiples of some d' >= d with probability below about d^(1 - m). */
    if (!is_whole || divisor < 2 || distinct < 2 || ((double)distinct - 1) * log((double)divisor) < log(64) - 1e-9)
        return 0;
    return (double)divisor;
}
