/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of a history as text, with a picture of its course, and as JSON. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>

#include "base/error.h"
#include "report/history_parts.h"
#include "report/page/figures.h"
#include "report/page/json_frame.h"
#include "report/page/strip.h"
#include "report/page/text_table.h"

/* Below the parts of the course that begin a new level. */
static void put_marks(sy_page *page, const sy_history *history, uint32_t parts)
{
    size_t next = 0;

    sy_page_spaces(page, 2);
    for (uint32_t part = 0; part < parts && next < history->change_count; part++) {
        size_t to = history->value_count * (part + 1) / parts;
        bool marked = false;

        for (; next < history->change_count && history->changes[next].index < to; next++)
            marked = true;
        sy_text_append(&page->text, marked ? "^" : " ");
    }
    sy_text_append(&page->text, "\n");
}

void sy_history_put_course(sy_page *page, const sy_history *history, const double *values)
{
    double low = INFINITY, high = -INFINITY;
    uint32_t cells = page->style.columns < SY_STRIP_CELLS_MAX ? page->style.columns - 2 : SY_STRIP_CELLS_MAX;

    for (size_t i = 0; i < history->value_count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    if (history->value_count == 0)
        return;
    sy_page_spaces(page, 2);
    uint32_t parts = sy_strip_course(page, values, history->value_count, low, high, cells);
    sy_text_append(&page->text, "\n");
    if (history->change_count > 0)
        put_marks(page, history, parts);
}

void sy_history_put_effect(sy_text *to, double effect)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append_format(to, "%s%s", effect > 0 ? "+" : "", sy_figure_share(figure, effect));
}

void sy_history_put_interval(sy_text *to, const sy_history_change *change)
{
    char level[SY_FIGURE_SIZE];

    sy_history_put_effect(to, change->effect_low);
    sy_text_append(to, " .. ");
    sy_history_put_effect(to, change->effect_high);
    sy_text_append_format(to, " (%s)", sy_figure_share_down(level, change->effect_level));
}

static void put_row(sy_text_table *table, const sy_history_change *change, sy_page *page)
{
    sy_text index = SY_TEXT_INIT, effect = SY_TEXT_INIT, interval = SY_TEXT_INIT, range = SY_TEXT_INIT;
    char medians[80];

    sy_text_append_format(&index, "%zu", change->index);
    sy_history_put_effect(&effect, change->effect);
    sy_history_put_interval(&interval, change);
    sy_text_append_format(&range, "%zu..%zu", change->from, change->to - 1);
    (void)snprintf(medians, sizeof medians, "%.5g -> %.5g", change->before, change->after);
    const char *cells[] = {sy_text_bytes(&index),
                           sy_text_bytes(&effect),
                           change->worse ? "worse" : "better",
                           sy_text_bytes(&interval),
                           medians,
                           sy_text_bytes(&range)};
    sy_text_table_row(table, change->worse ? SY_TONE_BAD : SY_TONE_GOOD, cells);
    page->text.failed = page->text.failed || index.failed || effect.failed || interval.failed || range.failed;
    sy_text_finish(&index);
    sy_text_finish(&effect);
    sy_text_finish(&interval);
    sy_text_finish(&range);
}

static void put_changes(sy_page *page, const sy_history *history)
{
    static const sy_column columns[] = {
        {.title = "Index", .right = true}, {.title = "Step", .right = true}, {.title = ""},
        {.title = "Interval", .drop = 1},  {.title = "Medians", .drop = 2},  {.title = "Values", .drop = 3}};
    sy_text_table *table = sy_text_table_create(page, columns, sizeof columns / sizeof columns[0]);

    if (table == NULL) {
        page->text.failed = true;
        return;
    }
    for (size_t i = 0; i < history->change_count; i++)
        put_row(table, &history->changes[i], page);
    sy_text_table_print(table);
    sy_text_table_destroy(table);
}

void sy_history_put_settings(sy_page *page, const sy_history *history)
{
    sy_text line = SY_TEXT_INIT;
    char alpha[SY_FIGURE_SIZE], least[SY_FIGURE_SIZE];

    sy_text_append_format(
        &line,
        "Steps of %s or more count, and %s of histories that never change show one. Neighbours are "
        "alike by r1 = %.2f%s.",
        sy_figure_setting(least, history->min_effect), sy_figure_setting(alpha, history->alpha), history->lag1,
        history->lag1 > 0.2 ? ": more was asked of every step, as a series that wanders needs it" : "");
    if (history->value_count < 10)
        sy_text_append(&line, " Fewer than ten values cannot show one.");
    sy_page_paragraph(page, 0, 0, SY_TONE_FAINT, sy_text_bytes(&line));
    page->text.failed = page->text.failed || line.failed;
    sy_text_finish(&line);
}

sy_status sy_report_history(const sy_history *history, const double *values, const sy_report_style *style,
                            char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text line = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_text_append_format(&line, "%zu value%s, %zu change%s", history->value_count,
                          history->value_count == 1 ? "" : "s", history->change_count,
                          history->change_count == 1 ? "" : "s");
    sy_page_paragraph(&page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&line));
    sy_history_put_course(&page, history, values);
    if (history->change_count > 0)
        put_changes(&page, history);
    sy_history_put_settings(&page, history);
    page.text.failed = page.text.failed || line.failed;
    sy_text_finish(&line);
    return sy_page_take(&page, ret_text, err);
}

void sy_history_json_settings(sy_json_writer *writer, const sy_history *history)
{
    sy_json_member_u64(writer, "n", history->value_count);
    sy_json_member_double(writer, "r1", history->lag1);
    sy_json_member_double(writer, "alpha", history->alpha);
    sy_json_member_double(writer, "min_effect", history->min_effect);
    sy_json_member_text(writer, "better", history->higher_is_better ? "higher" : "lower");
}

void sy_history_json_change(sy_json_writer *writer, const sy_history_change *change)
{
    sy_json_member_u64(writer, "index", change->index);
    sy_json_member_double(writer, "effect", change->effect);
    sy_json_member_double(writer, "effect_low", change->effect_low);
    sy_json_member_double(writer, "effect_high", change->effect_high);
    sy_json_member_double(writer, "effect_level", change->effect_level);
    sy_json_member_bool(writer, "worse", change->worse);
    sy_json_member_double(writer, "before", change->before);
    sy_json_member_double(writer, "after", change->after);
    sy_json_member_u64(writer, "from", change->from);
    sy_json_member_u64(writer, "to", change->to);
    sy_json_member_double(writer, "statistic", change->statistic);
    sy_json_member_double(writer, "critical", change->critical);
}

sy_status sy_report_history_json(const sy_history *history, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.history/1");

    sy_history_json_settings(writer, history);
    sy_json_name(writer, "changes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < history->change_count; i++) {
        sy_json_begin_object(writer);
        sy_history_json_change(writer, &history->changes[i]);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
