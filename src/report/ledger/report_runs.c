/* SPDX-License-Identifier: Apache-2.0 */
/* A list of runs as a table for people and as JSON. The order is the caller's: times order nothing here. */
#include <inttypes.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/ledger/ledger_words.h"
#include "report/ledger/run_json.h"
#include "report/page/json_frame.h"
#include "report/page/text_table.h"

enum { R_ID, R_STATUS, R_WHAT, R_WHEN, R_PARITY, R_RESULT, R_VERDICT, R_COUNT };

static const sy_column columns[R_COUNT] = {
    [R_ID] = {.title = "Run", .least = 23},
    [R_STATUS] = {.title = "Status", .least = 8, .wraps = true},
    [R_WHAT] = {.title = "Gate or cell", .least = 12, .wraps = true, .drop = 2},
    [R_WHEN] = {.title = "Began", .least = 16, .wraps = true, .drop = 4},
    [R_PARITY] = {.title = "Parity", .drop = 5},
    [R_RESULT] = {.title = "Result", .least = 10, .wraps = true, .drop = 3},
    /* the last: not there where nothing was judged */
    [R_VERDICT] = {.title = "Verdict", .least = 11, .wraps = true, .drop = 1},
};

/* Why a row of another tool's file failed there; NULL: it did not. */
static const char *imported_failure(const sy_report_run_line *line)
{
    const sy_run *run = line->run;

    for (size_t i = 0; line->row->status == SY_RUN_IMPORTED && run != NULL && i < run->check_count; i++) {
        if (strcmp(run->checks[i].name, "outcome") == 0 && run->checks[i].passed == 0)
            return run->checks[i].found;
    }
    return NULL;
}

static void append_result(sy_text *to, const sy_report_run_line *line)
{
    const sy_run_series *series;

    if (line->row->status == SY_RUN_FAILED && line->row->reason[0] != '\0') {
        sy_text_append(to, line->row->reason);
        return;
    }
    if (imported_failure(line) != NULL) {
        sy_text_append_format(to, "failed: %s", imported_failure(line));
        return;
    }
    if (line->run == NULL)
        return;
    if (line->run->decision != NULL) {
        sy_ledger_words_decision(to, line->run->decision);
        return;
    }
    series = sy_ledger_main_series(line->run);
    if (series == NULL)
        return;
    sy_text_append(to, "p50 ");
    sy_ledger_words_value(to, series->unit, series->p50);
    sy_text_append(to, ", n ");
    sy_ledger_words_count(to, series);
}

static bool is_said_of(const sy_run_row *row)
{
    return row->judged || row->signed_off || row->promoted != 0;
}

static void append_verdict(sy_text *to, const sy_run_row *row)
{
    sy_text_append(to, row->judged ? sy_judgement_word_text(row->verdict) : "-");
    if (row->begins_baseline)
        sy_text_append(to, ", new baseline");
    if (row->promoted != 0)
        sy_text_append(to, ", promoted");
    else if (row->signed_off)
        sy_text_append(to, ", signed off");
}

static sy_tone tone_of(const sy_run_row *row)
{
    return row->judged && row->verdict == SY_JUDGEMENT_BLOCK         ? SY_TONE_BAD
           : row->judged && row->verdict == SY_JUDGEMENT_INVESTIGATE ? SY_TONE_DOUBT
                                                                     : sy_ledger_tone(row);
}

static void put_row(sy_page *page, sy_text_table *table, const sy_report_run_line *line)
{
    const sy_run_row *row = line->row;
    sy_text status = SY_TEXT_INIT;
    sy_text result = SY_TEXT_INIT;
    sy_text verdict = SY_TEXT_INIT;
    char when[SY_LEDGER_TIME_SIZE];

    sy_ledger_words_status(&status, row, false);
    append_result(&result, line);
    append_verdict(&verdict, row);
    sy_text_table_row(table, tone_of(row),
                      (const char *const[R_COUNT]){
                          [R_ID] = row->id,
                          [R_STATUS] = sy_text_bytes(&status),
                          [R_WHAT] = row->gate[0] != '\0' ? row->gate : row->cell,
                          [R_WHEN] = sy_ledger_words_time(when, row->began_utc_s, false),
                          [R_PARITY] = row->parity == SY_RUN_PARITY_UNKNOWN ? "-" : sy_run_parity_word(row->parity),
                          [R_RESULT] = sy_text_bytes(&result),
                          [R_VERDICT] = sy_text_bytes(&verdict),
                      });
    page->text.failed = page->text.failed || status.failed || result.failed || verdict.failed;
    sy_text_finish(&status);
    sy_text_finish(&result);
    sy_text_finish(&verdict);
}

static void put_total(sy_page *page, const sy_report_run_line *lines, size_t count, uint64_t total)
{
    sy_text line = SY_TEXT_INIT;

    if (count == total)
        sy_text_append_format(&line, "%zu %s", count, count == 1 ? "run" : "runs");
    else
        sy_text_append_format(&line, "%zu of %" PRIu64 " runs", count, total);
    if (count > 0 && count < total)
        sy_text_append_format(&line, "; older ones: --before %s", lines[count - 1].row->id);
    page->text.failed = page->text.failed || line.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&line));
    sy_text_finish(&line);
}

sy_status sy_report_runs(const sy_report_run_line *lines, size_t count, uint64_t total, const sy_report_style *style,
                         char **ret_text, sy_error *err)
{
    sy_page page;
    sy_text_table *table;
    bool something_is_said = false;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        something_is_said = something_is_said || is_said_of(lines[i].row);
    table = count > 0 ? sy_text_table_create(&page, columns, something_is_said ? R_COUNT : R_VERDICT) : NULL;
    for (size_t i = 0; table != NULL && i < count; i++)
        put_row(&page, table, &lines[i]);
    if (table != NULL) {
        sy_text_table_print(table);
        sy_page_blank(&page);
    }
    sy_text_table_destroy(table);
    put_total(&page, lines, count, total);
    return sy_page_take(&page, ret_text, err);
}

static void write_main(sy_json_writer *writer, const sy_run *run)
{
    const sy_run_series *series = run != NULL ? sy_ledger_main_series(run) : NULL;

    if (series == NULL) {
        sy_json_member_null(writer, "main_series");
    } else {
        sy_json_name(writer, "main_series");
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", series->name);
        sy_json_member_text(writer, "unit", series->unit);
        sy_json_member_u64(writer, "usable_count", series->usable_count);
        sy_json_member_double(writer, "p50", series->p50);
        sy_json_member_double(writer, "p95", series->p95);
        sy_json_member_double(writer, "maximum", series->maximum);
        sy_json_end_object(writer);
    }
    if (run == NULL || run->decision == NULL)
        sy_json_member_null(writer, "decision");
    else
        sy_json_member_text(writer, "decision", sy_decision_word(run->decision->decision));
}

sy_status sy_report_runs_json(const sy_report_run_line *lines, size_t count, uint64_t total, char **ret_json,
                              sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.runs/1");

    sy_json_member_u64(writer, "total", total);
    sy_json_name(writer, "runs");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        sy_json_begin_object(writer);
        sy_run_row_write_json(writer, lines[i].row);
        sy_json_member_text(writer, "imported_failure", imported_failure(&lines[i]));
        write_main(writer, lines[i].run);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
