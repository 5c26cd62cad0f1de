/* SPDX-License-Identifier: Apache-2.0 */
/* A measurement as a page: what each series says first, then how its runs lie, its quantiles, and how it was made. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/memory.h"
#include "report/measure/report_measure.h"
#include "report/page/figures.h"
#include "report/page/strip.h"
#include "report/page/text_table.h"

enum { STRIP_LEAST = 8, STRIP_MOST = 60, LABEL_COLUMNS = 15 };

const char *sy_report_value(char to[SY_FIGURE_SIZE], double value, const sy_metric *metric)
{
    char bytes[SY_FIGURE_SIZE];

    if (!isfinite(value) || strcmp(metric->unit, "ns") == 0)
        return sy_figure_time(to, value);
    if (strcmp(metric->unit, "bytes") == 0 && value >= 0 && value < 1.8e19) {
        sy_format_bytes(bytes, sizeof(bytes), (uint64_t)value);
        snprintf(to, SY_FIGURE_SIZE, "%s", bytes);
    } else {
        char figure[SY_FIGURE_SIZE];

        snprintf(to, SY_FIGURE_SIZE, "%.16s%s%.12s", sy_figure_ratio(figure, value), metric->unit[0] ? " " : "",
                 metric->unit);
    }
    return to;
}

double *sy_report_run_values(const sy_measure_series *series)
{
    double *values = sy_allocate(series->usable_count, sizeof(*values));
    size_t count = 0;

    for (size_t i = 0; values != NULL && i < series->run_count; i++) {
        if (series->runs[i].unusable == NULL && count < series->usable_count)
            values[count++] = series->runs[i].value;
    }
    return values;
}

/* A label of a line that is not made of words. */
static void put_label(sy_page *page, const char *label)
{
    sy_page_spaces(page, 2);
    sy_text_append(&page->text, label);
    for (size_t width = 2 + strlen(label); width < LABEL_COLUMNS; width++)
        sy_page_spaces(page, 1);
}

/* The range that is drawn: all of it, unless outliers would squeeze the rest. */
static void find_range(const sy_measure_series *series, const double *steady, double *ret_low, double *ret_high)
{
    const sy_run_quantile *q = series->quantiles;
    double reach = INFINITY;

    *ret_low = series->maximum;
    *ret_high = series->minimum;
    if (series->slow_outliers + series->fast_outliers > 0 && !isnan(q[1].value) && !isnan(q[3].value))
        reach = fmax(3 * (q[3].value - q[1].value), 0.05 * q[series->median_at].value);
    for (size_t i = 0; i < series->steady_count; i++) {
        if (steady[i] < q[1].value - reach || steady[i] > q[3].value + reach)
            continue;
        *ret_low = fmin(*ret_low, steady[i]);
        *ret_high = fmax(*ret_high, steady[i]);
    }
}

static void put_strips(sy_page *page, const sy_measure_series *series)
{
    char low_text[SY_FIGURE_SIZE];
    char high_text[SY_FIGURE_SIZE];
    double low;
    double high;
    size_t taken;
    uint32_t cells;
    double *values = series->steady_count >= 2 ? sy_report_run_values(series) : NULL;

    if (values == NULL) {
        page->text.failed = page->text.failed || series->steady_count >= 2;
        return;
    }
    find_range(series, values + series->steady_from, &low, &high);
    (void)sy_report_value(low_text, low, &series->metric);
    (void)sy_report_value(high_text, high, &series->metric);
    taken = LABEL_COLUMNS + strlen(low_text) + strlen(high_text) + 2;
    cells = page->style.columns > taken ? (uint32_t)(page->style.columns - taken) : 0;
    cells = cells < STRIP_MOST ? cells : STRIP_MOST;
    if (cells >= STRIP_LEAST) {
        put_label(page, "spread");
        sy_text_append_format(&page->text, "%s ", low_text);
        sy_strip_spread(page, values + series->steady_from, series->steady_count, low, high, cells);
        sy_text_append_format(&page->text, " %s\n", high_text);
        put_label(page, "in order");
        sy_page_spaces(page, (uint32_t)strlen(low_text) + 1);
        (void)sy_strip_course(page, values, series->usable_count, low, high, cells);
        sy_page_blank(page);
        sy_page_blank(page);
    }
    sy_free(values);
}

enum { Q_NAME, Q_VALUE, Q_LOW, Q_HIGH, Q_LEVEL, Q_COUNT };

static void add_quantile(sy_text_table *table, const sy_measure_series *series, const sy_run_quantile *q,
                         bool is_median)
{
    char name[SY_FIGURE_SIZE];
    char value[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char level[SY_FIGURE_SIZE] = "";

    if (isnan(q->value))
        return;
    snprintf(name, sizeof(name), "%s", "median");
    if (!is_median)
        snprintf(name, sizeof(name), "%.0f %%", 100 * q->share);
    if (!isnan(q->level)) /* rounded down: a promise */
        snprintf(level, sizeof(level), "%.1f %%", floor(1000 * q->level + 1e-9) / 10);
    sy_text_table_row(table, is_median ? SY_TONE_STRONG : SY_TONE_PLAIN,
                      (const char *const[Q_COUNT]){
                          [Q_NAME] = name,
                          [Q_VALUE] = sy_report_value(value, q->value, &series->metric),
                          [Q_LOW] = sy_report_value(low, q->low, &series->metric),
                          [Q_HIGH] = sy_report_value(high, q->high, &series->metric),
                          [Q_LEVEL] = level,
                      });
}

static void add_figure(sy_text_table *table, const sy_measure_series *series, const char *name, double value)
{
    char text[SY_FIGURE_SIZE];

    sy_text_table_row(
        table, SY_TONE_PLAIN,
        (const char *const[Q_COUNT]){[Q_NAME] = name, [Q_VALUE] = sy_report_value(text, value, &series->metric)});
}

static void put_quantiles(sy_page *page, const sy_measure_series *series)
{
    const sy_column columns[Q_COUNT] = {
        [Q_NAME] = {.title = "Quantile", .least = 8},
        [Q_VALUE] = {.title = series->metric.name, .right = true},
        [Q_LOW] = {.title = "Low", .right = true, .drop = 1},
        [Q_HIGH] = {.title = "High", .right = true, .drop = 1},
        [Q_LEVEL] = {.title = "Level", .right = true, .drop = 2},
    };
    sy_text_table *table = sy_text_table_create(page, columns, Q_COUNT);

    if (table == NULL)
        return;
    add_figure(table, series, "least", series->minimum);
    for (size_t i = 0; i < series->quantile_count; i++)
        add_quantile(table, series, &series->quantiles[i], i == series->median_at);
    add_figure(table, series, "most", series->maximum);
    add_figure(table, series, "mean", series->mean);
    sy_text_table_print(table);
    sy_page_blank(page);
    sy_text_table_destroy(table);
}

static bool is_doubtful(const sy_measure_series *series)
{
    return strncmp(series->headline, "median", 6) != 0;
}

/* Whether the headline begins with this finding, so that it need not be said again. */
static bool is_said(const sy_measure_series *series, const sy_run_finding *finding)
{
    size_t clause = strcspn(finding->text, "(;");

    while (clause > 0 && finding->text[clause - 1] == ' ')
        clause--;
    return strncmp(series->headline, finding->text, clause) == 0;
}

static void put_series(sy_page *page, const sy_measure_series *series, bool named)
{
    sy_text text = SY_TEXT_INIT;
    char figure[SY_FIGURE_SIZE];

    if (named)
        sy_text_append_format(&text, "%s: ", series->name);
    sy_text_append(&text, series->headline);
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, is_doubtful(series) ? SY_TONE_DOUBT : SY_TONE_GOOD, sy_text_bytes(&text));
    for (size_t i = 0; i < series->finding_count; i++) {
        if (!is_said(series, &series->findings[i]))
            sy_page_paragraph(page, 2, 4, SY_TONE_PLAIN, series->findings[i].text);
    }
    sy_page_blank(page);
    if (series->usable_count > 0) {
        put_strips(page, series);
        put_quantiles(page, series);
        sy_text_clear(&text);
        sy_text_append_format(&text, "%zu", series->run_count);
        if (series->batch > 1)
            sy_text_append_format(&text, ", each the mean of %" PRIu32 " back to back", series->batch);
        if (!isnan(series->lag1))
            sy_text_append_format(&text, "; correlation with the run before %.2f", series->lag1);
        if (!isnan(series->change))
            sy_text_append_format(&text, "; last third against the first %s%s", series->change > 0 ? "+" : "",
                                  sy_figure_share(figure, series->change));
        sy_page_field(page, "runs", sy_text_bytes(&text));
        if (series->flop_count > 0 && strcmp(series->metric.unit, "ns") == 0) {
            sy_text_clear(&text);
            sy_text_append_format(
                &text, "%s GFLOP/s at the median",
                sy_figure_ratio(figure, series->flop_count / series->quantiles[series->median_at].value));
            sy_page_field(page, "speed", sy_text_bytes(&text));
        }
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_subject(sy_page *page, const sy_measure_result *result)
{
    sy_text text = SY_TEXT_INIT;
    const bool is_program = result->isolation == SY_ISOLATION_PROCESS;

    sy_text_append(&text, is_program ? result->implementation : result->operation);
    if (!is_program && result->implementation[0] != '\0')
        sy_text_append_format(&text, ", %s", result->implementation);
    if (!is_program && result->backend[0] != '\0')
        sy_text_append_format(&text, " on %s", result->backend);
    if (!is_program && result->device_info.description[0] != '\0')
        sy_text_append_format(&text, ": %s", result->device_info.description);
    if (!is_program && result->device_info.threads > 0)
        sy_text_append_format(&text, ", %" PRIu32 " %s", result->device_info.threads,
                              result->device_info.threads == 1 ? "thread" : "threads");
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&text));
    sy_page_blank(page);
    sy_text_finish(&text);
}

static const char *isolation_text(sy_isolation isolation)
{
    switch (isolation) {
    case SY_ISOLATION_WORKER:
        return "in a process of its own";
    case SY_ISOLATION_PROCESS:
        return "each run in a process of its own";
    case SY_ISOLATION_NONE:
        return "none: in this process";
    }
    return "";
}

static void put_outputs(sy_page *page, const sy_measure_result *result, sy_text *text)
{
    char error[SY_FIGURE_SIZE];
    double worst = NAN;

    if (result->isolation == SY_ISOLATION_PROCESS)
        return; /* a program alone: a note says that nothing was compared */
    sy_text_clear(text);
    for (size_t i = 0; i < result->series_count; i++) {
        const sy_parity *parity = &result->series[i].parity;

        if (parity->outcome != SY_PARITY_NOT_PERFORMED && !(parity->error_in_tolerances <= worst))
            worst = parity->error_in_tolerances;
    }
    sy_text_append(text, sy_parity_outcome_word(result->parity));
    if (isfinite(worst) && result->parity != SY_PARITY_NOT_PERFORMED) /* of some cases only, when it was interrupted */
        sy_text_append_format(text, ": the largest error is %s of what is allowed", sy_figure_ratio(error, worst));
    sy_page_field(page, "outputs", sy_text_bytes(text));
}

static void put_conduct(sy_page *page, const sy_measure_result *result)
{
    sy_text text = SY_TEXT_INIT;
    char figure[SY_FIGURE_SIZE];
    char step[SY_FIGURE_SIZE];

    put_outputs(page, result, &text);
    sy_text_clear(&text);
    sy_text_append(&text, result->info.version);
    if (result->info.path[0] != '\0')
        sy_text_append_format(&text, "%s%s", text.length > 0 ? ", " : "", result->info.path);
    sy_page_field(page, "version", sy_text_bytes(&text));
    sy_text_clear(&text);
    if (result->wall_ns > 0)
        sy_text_append_format(&text, "%s in all", sy_figure_time(figure, (double)result->wall_ns));
    if (result->timer[0] != '\0')
        sy_text_append_format(&text, "%sby %s", text.length > 0 ? ", " : "", result->timer);
    if (result->timer_resolution_ns > 0)
        sy_text_append_format(&text, ", whose step is %s or less", sy_figure_time(step, result->timer_resolution_ns));
    sy_page_field(page, "time", sy_text_bytes(&text));
    sy_page_field(page, "isolation", isolation_text(result->isolation));
    sy_text_clear(&text);
    if (result->memory_bytes > 0) {
        sy_format_bytes(figure, sizeof(figure), result->memory_bytes);
        sy_text_append_format(&text, "%s at its peak", figure);
    }
    sy_page_field(page, "memory", sy_text_bytes(&text));
    for (size_t i = 0; i < result->note_count; i++)
        sy_page_field(page, "note", result->notes[i]);
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_obstacle(sy_page *page, const sy_measure_result *result)
{
    sy_text text = SY_TEXT_INIT;

    if (result->error[0] == '\0')
        return;
    sy_text_append_format(&text, "%s: %s",
                          result->interrupted ? "interrupted"
                          : result->measured  ? "cut short"
                                              : "not measured",
                          result->error);
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, result->measured || result->interrupted ? SY_TONE_DOUBT : SY_TONE_BAD,
                      sy_text_bytes(&text));
    sy_page_blank(page);
    sy_text_finish(&text);
}

sy_status sy_report_measure(const sy_measure_result *result, const sy_report_style *style, char **ret_text,
                            sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_obstacle(&page, result);
    put_subject(&page, result);
    for (size_t i = 0; i < result->series_count; i++) {
        if (result->series[i].run_count > 0 || result->error[0] == '\0')
            put_series(&page, &result->series[i], result->series_count > 1 || page.style.all);
    }
    put_conduct(&page, result);
    return sy_page_take(&page, ret_text, err);
}
