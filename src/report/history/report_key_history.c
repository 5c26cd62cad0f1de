/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a key's sessions for people. */
#include <inttypes.h>
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/history_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/page/characters.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"

/* Writes a line of words, and empties it for the next. */
static void put_field(sy_page *page, const char *label, sy_text *line)
{
    page->text.failed = page->text.failed || line->failed;
    sy_page_field(page, label, sy_text_bytes(line));
    sy_text_clear(line);
}

static void put_paragraph(sy_page *page, sy_tone tone, sy_text *line)
{
    page->text.failed = page->text.failed || line->failed;
    sy_page_paragraph(page, 0, 0, tone, sy_text_bytes(line));
    sy_text_clear(line);
}

/* ---- what it is about ---- */

/* "wall of square-512 by blis, p50" */
static void append_metric(sy_text *to, const sy_judged_metric *metric)
{
    sy_text_append(to, metric->series);
    if (metric->case_name[0] != '\0')
        sy_text_append_format(to, " of %s", metric->case_name);
    if (metric->implementation[0] != '\0')
        sy_text_append_format(to, " by %s", metric->implementation);
    sy_text_append_format(to, ", %s", sy_statistic_word(metric->statistic));
}

static size_t revisions_of(const sy_key_history *history)
{
    size_t count = 0;

    for (size_t i = 0; i < history->point_count; i++) {
        bool seen = false;

        for (size_t k = i; k > 0 && !seen; k--)
            seen = strcmp(history->points[k - 1].revision, history->points[i].revision) == 0;
        count += !seen;
    }
    return count;
}

static void put_subject(sy_page *page, const sy_key_history *history, sy_text *line)
{
    size_t revisions = revisions_of(history);

    append_metric(line, &history->metric);
    put_paragraph(page, SY_TONE_STRONG, line);
    sy_page_field(page, "cell", history->cell);
    sy_text_append_format(line, "%.16s", history->line);
    put_field(page, strcmp(history->line, history->key_digest) == 0 ? "key" : "line", line);
    sy_text_append_format(line, "%zu of %zu revision%s, %zu change%s", history->point_count, revisions,
                          revisions == 1 ? "" : "s", history->history->change_count,
                          history->history->change_count == 1 ? "" : "s");
    put_field(page, "sessions", line);
}

static sy_status put_course(sy_page *page, const sy_key_history *history, sy_error *err)
{
    size_t count = history->history->value_count;
    double *values = sy_allocate(count + 1, sizeof *values);

    if (values == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the course of %zu values", count);
    for (size_t i = 0; i < count; i++)
        values[i] = history->points[history->place_of[i]].value;
    sy_page_blank(page);
    sy_history_put_course(page, history->history, values);
    sy_free(values);
    return SY_OK;
}

/* ---- a change ---- */

/* "20261130-014500-ab12cd at 0123456789ab, 2026-11-30 01:45 +0000" */
static void append_session(sy_text *to, const sy_key_point *point)
{
    char time[SY_LEDGER_TIME_SIZE];

    sy_text_append(to, point->run);
    if (point->revision[0] != '\0')
        sy_text_append_format(to, " at %.*s%s", SY_LEDGER_DIGITS, point->revision,
                              strchr(point->revision, '+') != NULL ? " and changes" : "");
    sy_text_append_format(to, ", %s", sy_ledger_words_time(time, point->began_utc_s, false));
}

static void append_sessions(sy_text *to, size_t count, const char *which)
{
    sy_text_append_format(to, "; %zu session%s %s", count, count == 1 ? "" : "s", which);
}

/* A command is copied whole: it is never broken into lines. */
static void put_command(sy_page *page, const char *command)
{
    sy_text clean = SY_TEXT_INIT;

    sy_characters_clean(&clean, command, page->style.utf8);
    sy_text_append_format(&page->text, "    %s\n", sy_text_bytes(&clean));
    page->text.failed = page->text.failed || clean.failed;
    sy_text_finish(&clean);
}

static const char *state_of(const sy_key_history *history, size_t which)
{
    size_t record = history->record_of[which];

    return record < history->change_count ? sy_change_state_word(history->changes[record].change.state)
                                          : "not recorded";
}

static void put_change(sy_page *page, const sy_key_history *history, size_t which, sy_text *line)
{
    const sy_history_change *change = &history->history->changes[which];
    const size_t *places = history->place_of;

    sy_page_blank(page);
    sy_history_put_effect(line, change->effect);
    sy_text_append_format(line, " %s, %s", change->worse ? "worse" : "better", state_of(history, which));
    put_paragraph(page, change->worse ? SY_TONE_BAD : SY_TONE_GOOD, line);
    sy_history_put_interval(line, change);
    put_field(page, "interval", line);
    sy_ledger_words_value(line, history->metric.unit, change->before);
    sy_text_append(line, " -> ");
    sy_ledger_words_value(line, history->metric.unit, change->after);
    put_field(page, "medians", line);
    append_session(line, &history->points[places[change->index - 1]]);
    append_sessions(line, change->index - change->from, "up to it");
    put_field(page, "before", line);
    append_session(line, &history->points[places[change->index]]);
    append_sessions(line, change->to - change->index, "from it on");
    put_field(page, "after", line);
    sy_page_field(page, "commit", history->bisect_notes[which]);
    if (history->bisect[which][0] != '\0')
        put_command(page, history->bisect[which]);
}

/* ---- what was reported before ---- */

static bool is_over(const sy_change_row *row)
{
    return row->change.state == SY_CHANGE_REFUTED || row->change.state == SY_CHANGE_SUPERSEDED;
}

static void put_over(sy_page *page, const sy_key_history *history)
{
    static const sy_column columns[] = {{.title = "Reported before"},
                                        {.title = "Step", .right = true},
                                        {.title = ""},
                                        {.title = "Why", .wraps = true, .least = 12, .drop = 1}};
    sy_text_table *table = sy_text_table_create(page, columns, sizeof columns / sizeof columns[0]);
    sy_text effect = SY_TEXT_INIT;

    for (size_t i = 0; table != NULL && i < history->change_count; i++) {
        const sy_change_row *row = &history->changes[i];

        if (!is_over(row))
            continue;
        sy_text_clear(&effect);
        sy_history_put_effect(&effect, row->change.effect);
        sy_text_table_row(table, SY_TONE_PLAIN,
                          (const char *const[]){row->run, sy_text_bytes(&effect),
                                                sy_change_state_word(row->change.state), row->change.reason});
    }
    if (table != NULL)
        sy_text_table_print(table);
    page->text.failed = page->text.failed || table == NULL || effect.failed;
    sy_text_table_destroy(table);
    sy_text_finish(&effect);
}

static void put_reports(sy_page *page, const sy_key_history *history, sy_text *line)
{
    char share[SY_FIGURE_SIZE];
    bool any_over = false;

    for (size_t i = 0; i < history->change_count; i++)
        any_over = any_over || is_over(&history->changes[i]);
    if (any_over) {
        sy_page_blank(page);
        put_over(page, history);
    }
    sy_page_blank(page);
    if (history->reported_count > 0) {
        sy_text_append_format(line,
                              "Of %" PRIu64 " change%s reported here so far, %" PRIu64
                              " %s refuted later or moved by more than two values: %s.",
                              history->reported_count, history->reported_count == 1 ? "" : "s", history->refuted_count,
                              history->refuted_count == 1 ? "was" : "were",
                              sy_figure_share(share, (double)history->refuted_count / (double)history->reported_count));
        put_paragraph(page, SY_TONE_PLAIN, line);
    }
}

static void put_rest(sy_page *page, const sy_key_history *history, sy_text *line)
{
    for (size_t i = 0; i < history->remark_count; i++) {
        sy_text_append_format(line, "%s.", history->remarks[i]);
        put_paragraph(page, SY_TONE_DOUBT, line);
    }
    sy_history_put_settings(page, history->history);
    for (size_t i = 0; i < history->other_metric_count; i++)
        sy_text_append_format(line, "%s%s", i == 0 ? "Besides: " : ", ", history->other_metrics[i]);
    if (line->length > 0)
        put_paragraph(page, SY_TONE_FAINT, line);
}

sy_status sy_report_key_history(const sy_key_history *history, const sy_report_style *style, char **ret_text,
                                sy_error *err)
{
    sy_page page;
    sy_text line = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_subject(&page, history, &line);
    status = put_course(&page, history, err);
    for (size_t i = 0; i < history->history->change_count; i++)
        put_change(&page, history, i, &line);
    put_reports(&page, history, &line);
    put_rest(&page, history, &line);
    sy_text_finish(&line);
    if (status != SY_OK) {
        sy_text_finish(&page.text);
        return status;
    }
    return sy_page_take(&page, ret_text, err);
}
