/* SPDX-License-Identifier: Apache-2.0 */
/* Mann-Kendall: the count of couples, its exact null distribution, its variance under ties and autocorrelation. */
#include "stats/trend.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/gain.h"
#include "stats/order.h"

enum { EXACT_MAX = 60, EXACT_COUPLES = EXACT_MAX * (EXACT_MAX - 1) / 2, TIES_EXACT_BELOW = 10 };

#define LAG1_IGNORED 0.2
#define LAG1_MOST 0.95

typedef struct place {
    double value;
    size_t index;
} place;

static int compare_places(const void *a, const void *b)
{
    double x = ((const place *)a)->value;
    double y = ((const place *)b)->value;

    return (x > y) - (x < y);
}

sy_status sy_trend_ranks(const double *values, size_t count, double *ranks, sy_error *err)
{
    place *places;
    sy_status status = sy_order_check(values, count, err);

    if (status != SY_OK)
        return status;
    places = sy_allocate(count, sizeof *places);
    if (places == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the ranks of %zu samples", count);
    for (size_t i = 0; i < count; i++)
        places[i] = (place){values[i], i};
    qsort(places, count, sizeof *places, compare_places);
    for (size_t from = 0; from < count;) {
        size_t to = from + 1;

        while (to < count && places[to].value == places[from].value)
            to++;
        for (size_t i = from; i < to; i++)
            ranks[places[i].index] = (double)(from + 1 + to) / 2;
        from = to;
    }
    sy_free(places);
    return SY_OK;
}

static double lag1_of(const double *residuals, size_t count)
{
    double products = 0;
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        squares += residuals[i] * residuals[i];
        if (i > 0)
            products += residuals[i] * residuals[i - 1];
    }
    return squares > 0 ? products / squares : 0;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / (double)count : 0;
}

double sy_trend_lag1(const double *ranks, size_t count, size_t split)
{
    double before = mean_of(ranks, split);
    double after = mean_of(ranks + split, count - split);
    double products = 0;
    double squares = 0;
    double last = 0;

    for (size_t i = 0; i < count; i++) {
        double residual = ranks[i] - (i < split ? before : after);

        squares += residual * residual;
        products += residual * last;
        last = residual;
    }
    return squares > 0 ? products / squares : 0;
}

double sy_trend_inflation(double lag1)
{
    double r = fmin(lag1, LAG1_MOST);

    return r > LAG1_IGNORED ? sqrt((1 + r) / (1 - r)) : 1;
}

/* Replaces ranks by what is left of them about their least-squares line over time. */
static void take_line_out(double *ranks, size_t count)
{
    double middle = ((double)count - 1) / 2;
    double mean = mean_of(ranks, count);
    double slope = 0;
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        double at = (double)i - middle;

        slope += at * (ranks[i] - mean);
        squares += at * at;
    }
    slope /= squares;
    for (size_t i = 0; i < count; i++)
        ranks[i] -= mean + slope * ((double)i - middle);
}

double sy_trend_lower_tail(size_t count, size_t falling)
{
    double p[EXACT_COUPLES + 1] = {1};
    double sum = 0;
    size_t couples = 0;

    assert(count >= 2 && count <= EXACT_MAX);
    /* A permutation of n is one of n - 1 with n put in: behind all it adds no falling couple, before all n - 1. */
    for (size_t n = 2; n <= count; n++) {
        double window = 0;
        double before[EXACT_COUPLES + 1];

        memcpy(before, p, sizeof before);
        couples += n - 1;
        for (size_t k = 0; k <= couples; k++) {
            window += before[k];
            if (k >= n)
                window -= before[k - n];
            p[k] = fmax(0, window) / (double)n;
        }
    }
    for (size_t k = 0; k <= falling && k <= couples; k++)
        sum += p[k];
    return fmin(1, sum);
}

/* Couples in which the later value is larger, and smaller; ties are in neither. */
static void count_couples(const double *values, size_t count, size_t *ret_rising, size_t *ret_falling)
{
    size_t rising = 0;
    size_t falling = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            rising += values[j] > values[i];
            falling += values[j] < values[i];
        }
    }
    *ret_rising = rising;
    *ret_falling = falling;
}

/* Sum of t (t - 1) (2 t + 5) over the groups of equal values, from their mid-ranks' multiplicities. */
static double ties_of(double *ranks, size_t count)
{
    double sum = 0;

    if (sy_order_sort(ranks, count, NULL) != SY_OK)
        return 0; /* ranks are finite */
    for (size_t from = 0; from < count;) {
        size_t to = from + 1;
        double t;

        while (to < count && ranks[to] == ranks[from])
            to++;
        t = (double)(to - from);
        sum += t * (t - 1) * (2 * t + 5);
        from = to;
    }
    return sum;
}

/* One-sided, with continuity correction: how probable couples - excess at least as large is. */
static double normal_tail(double excess, double deviation)
{
    return deviation > 0 ? sy_gain_normal_cdf(-(excess - 1) / deviation) : 1;
}

sy_status sy_trend_test(const double *values, size_t count, sy_trend *ret_trend, sy_error *err)
{
    double n = (double)count;
    double couples = n * (n - 1) / 2;
    size_t rising;
    size_t falling;
    double *ranks;
    sy_trend trend;

    if (count < 3)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a trend of %zu samples: needs 3", count);
    ranks = sy_allocate(count, sizeof *ranks);
    if (ranks == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a trend of %zu samples", count);
    sy_status status = sy_trend_ranks(values, count, ranks, err);
    if (status == SY_OK) {
        double ties;

        take_line_out(ranks, count);
        trend.lag1 = lag1_of(ranks, count);
        count_couples(values, count, &rising, &falling);
        trend.tau = ((double)rising - (double)falling) / couples;
        status = sy_trend_ranks(values, count, ranks, err);
        ties = ties_of(ranks, count);
        double inflation = sy_trend_inflation(trend.lag1);
        if (count < TIES_EXACT_BELOW || (ties == 0 && inflation == 1 && count <= EXACT_MAX)) {
            trend.p_rising = sy_trend_lower_tail(count, (size_t)couples - rising);
            trend.p_falling = sy_trend_lower_tail(count, (size_t)couples - falling);
        } else {
            double deviation = sqrt((n * (n - 1) * (2 * n + 5) - ties) / 18) * inflation;

            trend.p_rising = normal_tail((double)rising - (double)falling, deviation);
            trend.p_falling = normal_tail((double)falling - (double)rising, deviation);
        }
    }
    sy_free(ranks);
    if (status == SY_OK)
        *ret_trend = trend;
    return status;
}
