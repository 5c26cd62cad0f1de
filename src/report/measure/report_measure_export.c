/* SPDX-License-Identifier: Apache-2.0 */
/* A measurement for programs: JSON with everything, CSV with every run, Markdown for a comment. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "record/record_json.h"
#include "report/measure/report_measure.h"
#include "report/page/markdown_text.h"

static void write_state(sy_json_writer *writer, const char *name, const sy_machine_state *state)
{
    sy_json_name(writer, name);
    sy_json_begin_object(writer);
    sy_json_member_double(writer, "clock_hz", state->clock_hz);
    sy_json_member_double(writer, "temperature_celsius", state->temperature_celsius);
    sy_json_member_double(writer, "load_average", state->load_average);
    if (state->throttled < 0)
        sy_json_member_null(writer, "throttled");
    else
        sy_json_member_bool(writer, "throttled", state->throttled > 0);
    sy_json_end_object(writer);
}

static void write_quantiles(sy_json_writer *writer, const sy_measure_series *series)
{
    sy_json_name(writer, "quantiles");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->quantile_count; i++) {
        const sy_run_quantile *q = &series->quantiles[i];

        sy_json_begin_object(writer);
        sy_json_member_double(writer, "share", q->share);
        sy_json_member_double(writer, "value", q->value);
        sy_json_member_double(writer, "low", q->low);
        sy_json_member_double(writer, "high", q->high);
        sy_json_member_double(writer, "level", q->level);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_modes(sy_json_writer *writer, const sy_measure_series *series)
{
    sy_json_name(writer, "modes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->mode_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_double(writer, "value", series->modes[i].value);
        sy_json_member_u64(writer, "count", series->modes[i].count);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    sy_json_member_u64(writer, "mode_changes", series->mode_changes);
}

static void write_findings(sy_json_writer *writer, const sy_measure_series *series)
{
    sy_json_name(writer, "findings");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->finding_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "finding", series->findings[i].word);
        sy_json_member_double(writer, "figure", series->findings[i].figure);
        sy_json_member_text(writer, "text", series->findings[i].text);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_runs(sy_json_writer *writer, const sy_measure_series *series)
{
    sy_json_name(writer, "runs");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->run_count; i++) {
        const sy_timed_run *run = &series->runs[i];

        sy_json_begin_object(writer);
        sy_json_member_double(writer, "value", run->value);
        sy_json_member_u64(writer, "begin_ns", run->begin_ns);
        if (run->switches == SY_SWITCHES_UNKNOWN)
            sy_json_member_null(writer, "switches");
        else
            sy_json_member_u64(writer, "switches", run->switches);
        sy_json_member_text(writer, "unusable", run->unusable);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_figures(sy_json_writer *writer, const sy_measure_series *series)
{
    const bool any = series->usable_count > 0;

    sy_json_member_double(writer, "median", any ? series->quantiles[series->median_at].value : NAN);
    sy_json_member_double(writer, "median_low", any ? series->quantiles[series->median_at].low : NAN);
    sy_json_member_double(writer, "median_high", any ? series->quantiles[series->median_at].high : NAN);
    sy_json_member_double(writer, "median_level", any ? series->quantiles[series->median_at].level : NAN);
    sy_json_member_double(writer, "minimum", series->minimum);
    sy_json_member_double(writer, "maximum", series->maximum);
    sy_json_member_double(writer, "mean", series->mean);
    sy_json_member_double(writer, "median_deviation", series->median_deviation);
    write_quantiles(writer, series);
    sy_json_member_text(writer, "course", any ? sy_run_course_word(series->course) : NULL);
    sy_json_member_double(writer, "tau", series->tau);
    sy_json_member_double(writer, "p_falling", series->p_falling);
    sy_json_member_double(writer, "p_rising", series->p_rising);
    sy_json_member_double(writer, "change", series->change);
    sy_json_member_double(writer, "lag1", series->lag1);
    write_modes(writer, series);
    sy_json_member_u64(writer, "slow_outliers", series->slow_outliers);
    sy_json_member_u64(writer, "fast_outliers", series->fast_outliers);
    sy_json_member_double(writer, "timer_step", series->timer_step > 0 ? series->timer_step : NAN);
    sy_json_member_u64(writer, "distinct_values", series->distinct_count);
}

static void write_series(sy_json_writer *writer, const sy_measure_series *series)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "case", series->name);
    sy_json_member_text(writer, "metric", series->metric.name);
    sy_json_member_text(writer, "unit", series->metric.unit);
    sy_json_member_bool(writer, "higher_is_better", series->metric.higher_is_better);
    sy_json_member_text(writer, "headline", series->headline);
    write_findings(writer, series);
    sy_json_member_u64(writer, "batch", series->batch);
    sy_json_member_double(writer, "flop_count", series->flop_count > 0 ? series->flop_count : NAN);
    sy_json_member_u64(writer, "run_count", series->run_count);
    sy_json_member_u64(writer, "usable_runs", series->usable_count);
    sy_json_member_u64(writer, "steady_from", series->steady_from);
    sy_json_member_u64(writer, "steady_runs", series->steady_count);
    sy_json_member_double(writer, "warm_up_ratio", series->warm_up_ratio);
    write_figures(writer, series);
    write_state(writer, "before", &series->before);
    write_state(writer, "after", &series->after);
    sy_json_member_double(writer, "steal_share", series->steal_share);
    sy_json_member_double(writer, "pressure_share", series->pressure_share);
    sy_json_name(writer, "parity");
    sy_parity_write_json(writer, &series->parity);
    write_runs(writer, series);
    sy_json_end_object(writer);
}

static void write_subject(sy_json_writer *writer, const sy_measure_result *result)
{
    sy_json_member_text(writer, "operation", result->operation);
    sy_json_member_text(writer, "implementation", result->implementation);
    sy_json_member_text(writer, "backend", result->backend);
    sy_json_member_text(writer, "device", result->device_info.description);
    if (result->device_info.threads > 0)
        sy_json_member_u64(writer, "threads", result->device_info.threads);
    else
        sy_json_member_null(writer, "threads");
    sy_json_member_text(writer, "version", result->info.version[0] != '\0' ? result->info.version : NULL);
    sy_json_member_text(writer, "path", result->info.path[0] != '\0' ? result->info.path : NULL);
}

static void write_conduct(sy_json_writer *writer, const sy_measure_result *result)
{
    sy_json_member_bool(writer, "measured", result->measured);
    sy_json_member_text(writer, "reason", result->reason);
    sy_json_member_text(writer, "error", result->error);
    sy_json_member_bool(writer, "interrupted", result->interrupted);
    sy_json_member_text(writer, "parity", sy_parity_outcome_word(result->parity));
    sy_json_member_double(writer, "level", result->level);
    sy_json_member_text(writer, "isolation", sy_isolation_word(result->isolation));
    sy_json_member_text(writer, "timer", result->timer);
    sy_json_member_double(writer, "timer_resolution_ns", result->timer_resolution_ns);
    sy_json_member_double(writer, "memory_bytes", result->memory_bytes > 0 ? (double)result->memory_bytes : NAN);
    sy_json_member_u64(writer, "wall_ns", result->wall_ns);
    sy_json_member_u64(writer, "seed", result->seed);
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->note_count; i++)
        sy_json_text(writer, result->notes[i]);
    sy_json_end_array(writer);
}

/* Hands a text over; it is finished either way. */
static sy_status take(sy_text *text, sy_status status, char **ret_text, sy_error *err)
{
    char *taken = NULL;

    sy_text_append(text, "");
    if (status == SY_OK) {
        taken = sy_text_take(text);
        if (taken == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for the text of a report");
    }
    sy_text_finish(text);
    if (status == SY_OK)
        *ret_text = taken;
    return status;
}

sy_status sy_report_measure_json(const sy_measure_result *result, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    sy_status status;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "schema", "steelyard.measure/1");
    sy_json_member_text(writer, "tool", sy_version());
    write_subject(writer, result);
    write_conduct(writer, result);
    sy_json_name(writer, "series");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->series_count; i++)
        write_series(writer, &result->series[i]);
    sy_json_end_array(writer);
    sy_identity_write_json(writer, &result->identity);
    sy_json_end_object(writer);
    status = sy_json_writer_finish(writer, err);
    sy_text_append(&text, "\n");
    return take(&text, status, ret_json, err);
}

/* A field of CSV: quoted where RFC 4180 asks for it. */
static void append_field(sy_text *text, const char *field)
{
    if (field[strcspn(field, ",\"\r\n")] == '\0') {
        sy_text_append(text, field);
        return;
    }
    sy_text_append(text, "\"");
    for (const char *at = field; *at != '\0'; at++)
        sy_text_append_bytes(text, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    sy_text_append(text, "\"");
}

sy_status sy_report_measure_csv(const sy_measure_result *result, char **ret_csv, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;

    sy_text_append(&text, "case,run,begin_ns,metric,unit,value,steady,switches,unusable\n");
    for (size_t i = 0; i < result->series_count; i++) {
        const sy_measure_series *series = &result->series[i];
        size_t usable = 0;

        for (size_t k = 0; k < series->run_count; k++) {
            const sy_timed_run *run = &series->runs[k];
            const bool counts = run->unusable == NULL;

            append_field(&text, series->name);
            sy_text_append_format(&text, ",%zu,%" PRIu64 ",", k, run->begin_ns);
            append_field(&text, series->metric.name);
            sy_text_append(&text, ",");
            append_field(&text, series->metric.unit);
            sy_text_append(&text, ",");
            if (counts)
                sy_text_append_double(&text, run->value);
            sy_text_append_format(&text, ",%d,", counts && usable >= series->steady_from);
            if (run->switches != SY_SWITCHES_UNKNOWN)
                sy_text_append_format(&text, "%" PRIu32, run->switches);
            sy_text_append_format(&text, ",%s\n", counts ? "" : run->unusable);
            usable += counts;
        }
    }
    return take(&text, SY_OK, ret_csv, err);
}

static void append_row(sy_text *text, const sy_measure_result *result, const sy_measure_series *series)
{
    static const size_t shown[] = {1, 2, 3, 4}; /* 25 %, median, 75 %, 95 % */
    char figure[SY_FIGURE_SIZE];

    sy_text_append(text, "| ");
    sy_markdown_text(text, series->name);
    sy_text_append_format(text, " | %zu |", series->steady_count);
    if (series->usable_count == 0) {
        sy_text_append(text, " - | - | - | - | - | ");
        sy_markdown_text(text, result->error[0] != '\0' ? result->error : series->headline);
        sy_text_append(text, " |\n");
        return;
    }
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        const sy_run_quantile *q = &series->quantiles[shown[i]];

        sy_text_append_format(text, " %s |", sy_report_value(figure, q->value, &series->metric));
        if (shown[i] != series->median_at)
            continue;
        if (isnan(q->level)) {
            sy_text_append(text, " - |");
            continue;
        }
        sy_text_append_format(text, " %s", sy_report_value(figure, q->low, &series->metric));
        sy_text_append_format(text, " .. %s (%.0f %%) |", sy_report_value(figure, q->high, &series->metric),
                              floor(100 * q->level + 1e-9));
    }
    sy_text_append(text, " ");
    sy_markdown_text(text, series->headline);
    sy_text_append(text, " |\n");
}

sy_status sy_report_measure_markdown(const sy_measure_result *result, char **ret_markdown, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;

    sy_text_append(&text, "| case | runs | 25 % | median | interval | 75 % | 95 % | says |\n"
                          "|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < result->series_count; i++)
        append_row(&text, result, &result->series[i]);
    sy_text_append(&text, "\n");
    for (size_t i = 0; i < result->series_count; i++) {
        const sy_measure_series *series = &result->series[i];

        for (size_t k = 0; k < series->finding_count; k++) {
            sy_text_append(&text, "- ");
            sy_markdown_text(&text, series->name);
            sy_text_append(&text, ": ");
            sy_markdown_text(&text, series->findings[k].text);
            sy_text_append(&text, "\n");
        }
    }
    sy_text_append(&text, result->series_count > 0 ? "\n" : "");
    sy_markdown_text(&text, result->operation);
    sy_text_append(&text, ", ");
    sy_markdown_text(&text, result->implementation);
    sy_text_append(&text, " on ");
    sy_markdown_text(&text, result->device_info.description);
    sy_text_append(&text, "; outputs ");
    sy_text_append(&text, sy_parity_outcome_word(result->parity));
    sy_text_append_format(&text, "; steelyard %s\n", sy_version());
    return take(&text, SY_OK, ret_markdown, err);
}
