/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a series' account, each on what is left when the warm-up is set aside. */
#include "stats/series.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/modes.h"
#include "stats/order.h"
#include "stats/quantile.h"
#include "stats/steady.h"
#include "stats/steps.h"
#include "stats/trend.h"

enum { TREND_LEAST = 5 };

static const double warming_level = 0.016;
static const double worsening_level = 0.01;
static const double least_change = 0.01;
static const double least_lag1 = 0.3;
static const double fence = 3;
static const double least_outlier = 0.05;

/* Values as they came from `from` on, and sorted. */
typedef struct material {
    const double *values;
    const double *sorted;
    size_t count;
} material;

static double median_of(const double *values, size_t count, double *room)
{
    memcpy(room, values, count * sizeof *values);
    if (sy_order_sort(room, count, NULL) != SY_OK)
        return NAN; /* they were checked */
    return sy_order_median(room, count);
}

static sy_status describe_quantiles(const material *m, double level, sy_series *series, sy_error *err)
{
    static const struct {
        uint32_t percent;
        size_t least;
    } wanted[SY_SERIES_QUANTILES] = {{5, 20}, {25, 4}, {50, 1}, {75, 4}, {95, 20}, {99, 100}};

    for (size_t i = 0; i < SY_SERIES_QUANTILES; i++) {
        sy_series_quantile *q = &series->quantiles[i];
        sy_quantile_ranks ranks;
        sy_status status;

        *q = (sy_series_quantile){
            .share = wanted[i].percent / 100.0, .value = NAN, .low = NAN, .high = NAN, .level = NAN};
        if (m->count < wanted[i].least)
            continue;
        q->value = i == SY_SERIES_MEDIAN ? sy_order_median(m->sorted, m->count)
                                         : sy_order_nearest_rank(m->sorted, m->count, wanted[i].percent);
        status = sy_quantile_find_ranks(m->count, q->share, level, &ranks, err);
        if (status != SY_OK)
            return status;
        if (i == SY_SERIES_MEDIAN && ranks.low == 0 && m->count > 1)
            /* The widest interval that there is, with its own level: 1 - 2 (1/2)^n. */
            ranks = (sy_quantile_ranks){1, m->count, 1 - ldexp(2, -(int)m->count)};
        if (ranks.low > 0)
            q->low = m->sorted[ranks.low - 1];
        if (ranks.high > 0)
            q->high = m->sorted[ranks.high - 1];
        if (ranks.low > 0 || ranks.high > 0)
            q->level = ranks.level;
    }
    return SY_OK;
}

static sy_status describe_course(const material *m, bool more_is_better, double *room, sy_series *series, sy_error *err)
{
    size_t third = m->count / 3;
    double falling_level = more_is_better ? worsening_level : warming_level;
    double rising_level = more_is_better ? warming_level : worsening_level;
    sy_trend trend;
    sy_status status;

    series->tau = series->p_falling = series->p_rising = series->change = series->lag1 = NAN;
    if (m->count < TREND_LEAST)
        return SY_OK;
    status = sy_trend_test(m->values, m->count, &trend, err);
    if (status != SY_OK)
        return status;
    series->tau = trend.tau;
    series->p_falling = trend.p_falling;
    series->p_rising = trend.p_rising;
    series->lag1 = trend.lag1;
    series->change = median_of(m->values + m->count - third, third, room) / median_of(m->values, third, room) - 1;
    if (trend.p_falling <= falling_level && series->change <= -least_change)
        series->course = SY_SERIES_FALLING;
    else if (trend.p_rising <= rising_level && series->change >= least_change)
        series->course = SY_SERIES_RISING;
    series->correlated = trend.lag1 >= fmax(least_lag1, 2.6 / sqrt((double)m->count));
    return SY_OK;
}

static void describe_outliers(const material *m, sy_series *series)
{
    double lower = sy_order_nearest_rank(m->sorted, m->count, 25);
    double upper = sy_order_nearest_rank(m->sorted, m->count, 75);
    double reach = fmax(fence * (upper - lower), least_outlier * series->quantiles[SY_SERIES_MEDIAN].value);

    for (size_t i = 0; i < m->count; i++) {
        series->slow_outliers += m->sorted[i] > upper + reach;
        series->fast_outliers += m->sorted[i] < lower - reach;
    }
}

static sy_status describe_modes(const material *m, double batch, sy_series *series, sy_error *err)
{
    size_t split = 0;
    double boundary;
    sy_status status = sy_modes_find(m->sorted, m->count, &split, err);

    series->lower_mode = series->upper_mode = NAN;
    /* Neighbouring ticks of a coarse clock are no modes of what it times. */
    if (status != SY_OK || split == 0 || m->sorted[split] - m->sorted[split - 1] < 1.5 * series->step / batch)
        return status;
    boundary = m->sorted[split];
    series->lower_mode_count = split;
    series->upper_mode_count = m->count - split;
    series->lower_mode = sy_order_median(m->sorted, split);
    series->upper_mode = sy_order_median(m->sorted + split, m->count - split);
    for (size_t i = 1; i < m->count; i++)
        series->mode_changes += (m->values[i] >= boundary) != (m->values[i - 1] >= boundary);
    /* Whoever lies far from both is an outlier; the quartiles of two groups say nothing of that. */
    series->slow_outliers = series->fast_outliers = 0;
    return SY_OK;
}

static void describe_spread(const material *m, double *room, sy_series *series)
{
    double median = series->quantiles[SY_SERIES_MEDIAN].value;
    double sum = 0;

    for (size_t i = 0; i < m->count; i++)
        sum += m->sorted[i];
    series->minimum = m->sorted[0];
    series->maximum = m->sorted[m->count - 1];
    series->mean = sum / (double)m->count;
    for (size_t i = 0; i < m->count; i++)
        room[i] = fabs(m->sorted[i] - median);
    series->median_deviation = sy_order_sort(room, m->count, NULL) == SY_OK ? sy_order_median(room, m->count) : NAN;
}

/* The clock's step, from what it told. */
static sy_status describe_step(const double *values, const sy_series_options *options, double *room, sy_series *series,
                               sy_error *err)
{
    sy_status status;

    for (size_t i = 0; i < series->count; i++)
        room[i] = values[i] * options->batch;
    status = sy_order_sort(room, series->count, err);
    if (status != SY_OK)
        return status;
    series->step = sy_steps_find(room, series->count, &series->distinct);
    if (options->most_step > 0 && series->step > options->most_step)
        series->step = 0;
    return SY_OK;
}

/* Whether the first value stands out, and where the warm-up ends. costs: the values, or what is worse the larger. */
static sy_status find_beginning(const double *costs, double *sorted, sy_series *series, sy_error *err)
{
    size_t count = series->count;
    sy_status status;

    memcpy(sorted, costs, count * sizeof *sorted);
    status = sy_order_sort(sorted, count, err);
    if (status != SY_OK)
        return status;
    series->first_stands_out = count >= 3 && sy_steady_first_stands_out(costs, sorted, count);
    return sy_steady_find(costs, count, &series->steady_from, err);
}

/* First value and warm-up, from all values; leaves the steady part in `sorted`. */
static sy_status describe_beginning(const double *values, bool more_is_better, double *sorted, double *room,
                                    sy_series *series, sy_error *err)
{
    size_t count = series->count;
    sy_status status;

    memcpy(sorted, values, count * sizeof *sorted);
    status = sy_order_sort(sorted, count, err);
    if (status != SY_OK)
        return status;
    if (sorted[0] <= 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a series with a value of %.6g: all must be above 0", sorted[0]);
    series->first_ratio = values[0] / sy_order_median(sorted, count);
    for (size_t i = 0; more_is_better && i < count; i++)
        room[i] = 1 / values[i];
    status = find_beginning(more_is_better ? room : values, sorted, series, err);
    if (status != SY_OK)
        return status;
    series->used = count - series->steady_from;
    series->warm_up_ratio = NAN;
    if (series->steady_from > 0)
        series->warm_up_ratio = median_of(values, series->steady_from, room) /
                                median_of(values + series->steady_from, series->used, room);
    memcpy(sorted, values + series->steady_from, series->used * sizeof *sorted);
    return sy_order_sort(sorted, series->used, err);
}

sy_status sy_series_describe(const double *values, size_t count, const sy_series_options *options,
                             sy_series *ret_series, sy_error *err)
{
    sy_series series = {.count = count};
    double *sorted = NULL;
    double *room = NULL;
    sy_status status = sy_order_check(values, count, err);

    if (status == SY_OK && count < 1)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a series of 0 values");
    if (status != SY_OK)
        return status;
    sorted = sy_allocate(count, sizeof *sorted);
    room = sy_allocate(count, sizeof *room);
    if (sorted == NULL || room == NULL)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a series of %zu values", count);
    if (status == SY_OK)
        status = describe_step(values, options, room, &series, err);
    if (status == SY_OK)
        status = describe_beginning(values, options->more_is_better, sorted, room, &series, err);
    material m = {values + series.steady_from, sorted, series.used};
    if (status == SY_OK)
        status = describe_quantiles(&m, options->level, &series, err);
    if (status == SY_OK) {
        describe_spread(&m, room, &series);
        describe_outliers(&m, &series);
        status = describe_modes(&m, options->batch, &series, err);
    }
    if (status == SY_OK)
        status = describe_course(&m, options->more_is_better, room, &series, err);
    sy_free(sorted);
    sy_free(room);
    if (status == SY_OK)
        *ret_series = series;
    return status;
}
