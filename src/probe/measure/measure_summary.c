/* SPDX-License-Identifier: Apache-2.0 */
/* From runs to figures: the statistics' account of a series, copied to where it lives as long as the result. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/measure/measuring.h"
#include "stats/series.h"

/* The clock's step tells more than the times do when it is so much of their median. */
static const double coarse_step = 0.05;

static void know_nothing(sy_measure_series *series)
{
    series->minimum = series->maximum = series->mean = series->median_deviation = SY_NAN;
    series->warm_up_ratio = series->tau = series->p_falling = series->p_rising = SY_NAN;
    series->change = series->lag1 = SY_NAN;
}

static sy_status copy_quantiles(sy_arena *arena, const sy_series *from, sy_measure_series *to, sy_error *err)
{
    sy_run_quantile *quantiles = sy_arena_allocate(arena, SY_SERIES_QUANTILES, sizeof(*quantiles));
    if (!quantiles)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    for (size_t i = 0; i < SY_SERIES_QUANTILES; i++) {
        const sy_series_quantile *q = &from->quantiles[i];
        quantiles[i] = (sy_run_quantile){q->share, q->value, q->low, q->high, q->level};
    }
    to->quantiles = quantiles;
    to->quantile_count = SY_SERIES_QUANTILES;
    to->median_at = SY_SERIES_MEDIAN;
    return SY_OK;
}

static sy_status copy_modes(sy_arena *arena, const sy_series *from, sy_measure_series *to, sy_error *err)
{
    sy_run_mode *modes = sy_arena_allocate(arena, 2, sizeof(*modes));
    if (!modes)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    to->modes = modes;
    to->mode_count = from->lower_mode_count > 0 ? 2 : 1;
    to->mode_changes = from->mode_changes;
    if (to->mode_count == 2) {
        modes[0] = (sy_run_mode){from->lower_mode, from->lower_mode_count};
        modes[1] = (sy_run_mode){from->upper_mode, from->upper_mode_count};
    } else {
        modes[0] = (sy_run_mode){from->quantiles[SY_SERIES_MEDIAN].value, from->used};
    }
    return SY_OK;
}

static sy_status copy_account(sy_arena *arena, const sy_series *from, sy_measure_series *to, sy_error *err)
{
    to->steady_from = from->steady_from;
    to->steady_count = from->used;
    to->warm_up_ratio = from->warm_up_ratio;
    to->minimum = from->minimum;
    to->maximum = from->maximum;
    to->mean = from->mean;
    to->median_deviation = from->median_deviation;
    to->tau = from->tau;
    to->p_falling = from->p_falling;
    to->p_rising = from->p_rising;
    to->change = from->change;
    to->course = from->course == SY_SERIES_FALLING  ? SY_COURSE_FALLING
                 : from->course == SY_SERIES_RISING ? SY_COURSE_RISING
                                                    : SY_COURSE_LEVEL;
    to->lag1 = from->lag1;
    to->slow_outliers = from->slow_outliers;
    to->fast_outliers = from->fast_outliers;
    to->timer_step = from->step;
    to->distinct_count = from->distinct;
    sy_status status = copy_quantiles(arena, from, to, err);
    return status ? status : copy_modes(arena, from, to, err);
}

sy_status sy_measure_summarize(sy_arena *arena, const sy_series_clock *clock, sy_measure_series *series, sy_error *err)
{
    sy_series account = {0};
    size_t usable = 0;
    double *values = sy_allocate(series->run_count, sizeof(*values));
    sy_series_options options = {clock->level, clock->batch, 2 * clock->resolution_ns, series->metric.higher_is_better};
    sy_status status = values ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for %zu runs", series->run_count);
    for (size_t i = 0; !status && i < series->run_count; i++) {
        if (!series->runs[i].unusable)
            values[usable++] = series->runs[i].value;
    }
    know_nothing(series);
    if (!status && usable > 0)
        status = sy_series_describe(values, usable, &options, &account, err);
    if (!status && usable > 0)
        status = copy_account(arena, &account, series, err);
    sy_free(values);
    if (status)
        return status;
    sy_measure_doubts doubts = {0};
    if (usable > 0) {
        double median = series->quantiles[series->median_at].value;
        doubts.first_stands_out = account.first_stands_out;
        doubts.first_ratio = account.first_ratio;
        doubts.correlated = account.correlated;
        doubts.coarse = account.step / clock->batch >= coarse_step * median;
    }
    return sy_measure_put_into_words(arena, series, &doubts, err);
}

static sy_status fill_foreign(sy_arena *arena, sy_measure_series *series, const double *values, size_t count,
                              sy_error *err)
{
    sy_timed_run *runs = sy_arena_allocate(arena, count, sizeof(*runs));
    if (!runs)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu runs", count);
    for (size_t i = 0; i < count; i++)
        runs[i] = (sy_timed_run){.value = values[i], .switches = SY_SWITCHES_UNKNOWN};
    series->runs = runs;
    series->run_count = series->usable_count = count;
    return SY_OK;
}

sy_status sy_measure_keep_metric(sy_arena *arena, const sy_metric *metric, sy_metric *ret_metric, sy_error *err)
{
    sy_metric kept = {"wall", "ns", false};
    if (metric)
        kept = (sy_metric){sy_arena_copy_text(arena, metric->name), sy_arena_copy_text(arena, metric->unit),
                           metric->higher_is_better};
    if (!kept.name || !kept.unit)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    *ret_metric = kept;
    return SY_OK;
}

sy_status sy_measure_describe(const char *name, const sy_metric *metric, const double *values, size_t count,
                              double level, sy_measure_result **ret_result, sy_error *err)
{
    static const sy_machine_state unknown = {SY_NAN, SY_NAN, SY_NAN, -1};
    sy_series_clock clock = {1, 0, level};
    sy_arena *arena = sy_arena_create(0);
    sy_measure_result *result = arena ? sy_arena_allocate(arena, 1, sizeof(*result)) : NULL;
    sy_measure_series *series = arena ? sy_arena_allocate(arena, 1, sizeof(*series)) : NULL;
    sy_status status = SY_OK;
    if (!result || !series) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a series");
        goto out;
    }
    *series = (sy_measure_series){.name = sy_arena_copy_text(arena, name),
                                  .batch = 1,
                                  .before = unknown,
                                  .after = unknown,
                                  .steal_share = SY_NAN,
                                  .pressure_share = SY_NAN};
    *result = (sy_measure_result){.operation = series->name,
                                  .implementation = "",
                                  .backend = "",
                                  .reason = "",
                                  .error = "",
                                  .measured = true,
                                  .isolation = SY_ISOLATION_NONE,
                                  .timer = "",
                                  .timer_resolution_ns = SY_NAN,
                                  .level = level,
                                  .series = series,
                                  .series_count = 1,
                                  .owner = arena};
    status = series->name ? sy_measure_keep_metric(arena, metric, &series->metric, err)
                          : sy_fail(err, SY_NO_MEMORY, "no memory for a series");
    if (!status && count == 0)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a series of 0 values");
    if (!status)
        status = fill_foreign(arena, series, values, count, err);
    if (!status)
        status = sy_measure_summarize(arena, &clock, series, err);
out:
    if (status)
        sy_arena_destroy(arena);
    else
        *ret_result = result;
    return status;
}
