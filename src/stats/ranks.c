/* SPDX-License-Identifier: Apache-2.0 */
/* Mann-Whitney: the count of couples, its exact null distribution, its approximation for large samples. */
#include "stats/ranks.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/gain.h"
#include "stats/order.h"

#define RANKS_COUNT_MAX 1000000

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* P(U = 0..last) for n against m, m <= n, last <= n m / 2: the last row of the block *ret_block, which the caller
 * frees. p[b] holds them for a against b; a grows in place:
 * P(u; a, b) = a / (a + b) P(u - b; a - 1, b) + b / (a + b) P(u; a, b - 1). */
static sy_status exact_distribution(size_t n, size_t m, size_t last, double **ret_block, const double **ret_row,
                                    sy_error *err)
{
    size_t width = last + 1;
    double *p = sy_allocate((m + 1) * width, sizeof *p);

    if (p == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the rank test of %zu against %zu", n, m);
    for (size_t b = 0; b <= m; b++)
        p[b * width] = 1;
    for (size_t a = 1; a <= n; a++) {
        for (size_t b = 1; b <= m; b++) {
            double *row = p + b * width;
            const double *fewer = row - width;
            double from_x = (double)a / (double)(a + b);
            double from_y = (double)b / (double)(a + b);
            size_t end = smaller(width - 1, a * b);

            for (size_t u = end + 1; u-- > b;)
                row[u] = from_x * row[u - b] + from_y * fewer[u];
            for (size_t u = smaller(b, width); u-- > 0;)
                row[u] = from_y * fewer[u];
        }
    }
    *ret_block = p;
    *ret_row = p + m * width;
    return SY_OK;
}

static sy_status exact_lower_tail(size_t n, size_t m, size_t last, double *ret_p, sy_error *err)
{
    double *block = NULL;
    const double *row = NULL;
    double sum = 0;
    sy_status status = exact_distribution(n, m, last, &block, &row, err);

    if (status != SY_OK)
        return status;
    for (size_t u = 0; u <= last; u++)
        sum += row[u];
    sy_free(block);
    *ret_p = sum;
    return SY_OK;
}

/* Normal with continuity correction and the term of the fourth cumulant; the third is 0 by symmetry. */
static double approximate_lower_tail(double n, double m, double last)
{
    const double inverse_root_of_two_pi = 0.39894228040143267794;
    double mean = n * m / 2;
    double deviation = sqrt(n * m * (n + m + 1) / 12);
    double x = (last + 0.5 - mean) / deviation;
    double fourth = (n * n + m * m + n * m + n + m) / (20 * n * m * (n + m + 1));
    double p = sy_gain_normal_cdf(x) + fourth * (x * x * x - 3 * x) * inverse_root_of_two_pi * exp(-x * x / 2);

    return fmin(1, fmax(0, p));
}

static bool is_counted(size_t n, size_t m)
{
    return n * m * smaller(n, m) <= SY_RANKS_EXACT_MAX;
}

static sy_status lower_tail(size_t n, size_t m, size_t last, double *ret_p, sy_error *err)
{
    if (!is_counted(n, m)) {
        *ret_p = approximate_lower_tail((double)n, (double)m, (double)last);
        return SY_OK;
    }
    return n >= m ? exact_lower_tail(n, m, last, ret_p, err) : exact_lower_tail(m, n, last, ret_p, err);
}

sy_status sy_ranks_upper_tail(size_t x_count, size_t y_count, size_t u, double *ret_p, sy_error *err)
{
    size_t couples;
    double p = 0;
    sy_status status = SY_OK;

    if (x_count < 1 || y_count < 1 || x_count > RANKS_COUNT_MAX || y_count > RANKS_COUNT_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a rank test of %zu against %zu values: each needs 1..%d", x_count,
                       y_count, RANKS_COUNT_MAX);
    couples = x_count * y_count;
    if (u == 0)
        p = 1;
    else if (u <= couples && u > couples / 2) /* P(U >= u) = P(U <= couples - u) */
        status = lower_tail(x_count, y_count, couples - u, &p, err);
    else if (u <= couples / 2) {
        status = lower_tail(x_count, y_count, u - 1, &p, err);
        p = 1 - p;
    }
    if (status == SY_OK)
        *ret_p = p;
    return status;
}

/* The quantile where the distribution is approximated, whose tail grows with u up to the middle. */
static void approximate_quantile(size_t n, size_t m, double p, size_t *ret_u, double *ret_tail)
{
    size_t low = 0;
    size_t high = n * m / 2;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (approximate_lower_tail((double)n, (double)m, (double)middle) <= p)
            low = middle;
        else
            high = middle - 1;
    }
    *ret_u = low;
    *ret_tail = approximate_lower_tail((double)n, (double)m, (double)low);
}

sy_status sy_ranks_lower_quantile(size_t x_count, size_t y_count, double p, size_t *ret_u, double *ret_tail,
                                  sy_error *err)
{
    double *block = NULL;
    const double *row = NULL;
    size_t middle, u = 0;
    double tail;

    if (x_count < 1 || y_count < 1 || x_count > RANKS_COUNT_MAX || y_count > RANKS_COUNT_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a rank test of %zu against %zu values: each needs 1..%d", x_count,
                       y_count, RANKS_COUNT_MAX);
    if (!is_counted(x_count, y_count)) {
        approximate_quantile(x_count, y_count, p, ret_u, ret_tail);
        return SY_OK;
    }
    middle = x_count * y_count / 2;
    sy_status status = exact_distribution(x_count > y_count ? x_count : y_count, smaller(x_count, y_count), middle,
                                          &block, &row, err);
    if (status != SY_OK)
        return status;
    tail = row[0];
    while (u < middle && tail + row[u + 1] <= p)
        tail += row[++u];
    sy_free(block);
    *ret_u = u;
    *ret_tail = tail;
    return SY_OK;
}

/* Couples with x > y and with x < y, ties in neither: two walks over the sorted samples. */
static void count_couples(const double *x, size_t x_count, const double *y, size_t y_count, size_t *ret_above,
                          size_t *ret_below)
{
    size_t above = 0;
    size_t below = 0;
    size_t smaller_y = 0;
    size_t not_larger_y = 0;

    for (size_t i = 0; i < x_count; i++) {
        while (smaller_y < y_count && y[smaller_y] < x[i])
            smaller_y++;
        while (not_larger_y < y_count && y[not_larger_y] <= x[i])
            not_larger_y++;
        above += smaller_y;
        below += y_count - not_larger_y;
    }
    *ret_above = above;
    *ret_below = below;
}

static sy_status compare(const double *x, size_t x_count, const double *y, size_t y_count, size_t *ret_above,
                         size_t *ret_below, sy_error *err)
{
    double *sorted;
    sy_status status;

    if (x_count < 1 || y_count < 1 || x_count > RANKS_COUNT_MAX || y_count > RANKS_COUNT_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a rank test of %zu against %zu values: each needs 1..%d", x_count,
                       y_count, RANKS_COUNT_MAX);
    sorted = sy_allocate(x_count + y_count, sizeof *sorted);
    if (sorted == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the rank test of %zu against %zu", x_count, y_count);
    memcpy(sorted, x, x_count * sizeof *sorted);
    memcpy(sorted + x_count, y, y_count * sizeof *sorted);
    status = sy_order_check(sorted, x_count + y_count, err);
    if (status == SY_OK)
        status = sy_order_sort(sorted, x_count, err);
    if (status == SY_OK)
        status = sy_order_sort(sorted + x_count, y_count, err);
    if (status == SY_OK)
        count_couples(sorted, x_count, sorted + x_count, y_count, ret_above, ret_below);
    sy_free(sorted);
    return status;
}

sy_status sy_ranks_greater(const double *x, size_t x_count, const double *y, size_t y_count, double *ret_p,
                           sy_error *err)
{
    size_t above = 0;
    size_t below = 0;
    sy_status status = compare(x, x_count, y, y_count, &above, &below, err);

    return status == SY_OK ? sy_ranks_upper_tail(x_count, y_count, above, ret_p, err) : status;
}

sy_status sy_ranks_differ(const double *x, size_t x_count, const double *y, size_t y_count, double *ret_p,
                          sy_error *err)
{
    size_t above = 0;
    size_t below = 0;
    double p = 1;
    sy_status status = compare(x, x_count, y, y_count, &above, &below, err);

    /* the larger count has the smaller tail */
    if (status == SY_OK)
        status = sy_ranks_upper_tail(x_count, y_count, above > below ? above : below, &p, err);
    if (status == SY_OK)
        *ret_p = fmin(1, 2 * p);
    return status;
}
