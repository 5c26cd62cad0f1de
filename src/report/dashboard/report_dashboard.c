/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard for a terminal: first whether anything is wrong and what to run next, then promoted rows, what stands
 * open, the matrix, gates. Lists of keys and histories are in report_dashboard_lists.c. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/dashboard/dashboard_parts.h"
#include "report/dashboard/dashboard_words.h"
#include "report/ledger/ledger_words.h"
#include "report/page/text_table.h"
#include "report/registry/matrix_grid.h"

enum { CAPABILITIES_MOST = 60, REASONS_MOST = 8, DAY_COLUMNS = 10 };

/* As `compare` names what a command cannot know. */
#define ACCEPTED_VARIABLE "\"$ACCEPTED\""

/* ---- the answer ---- */

static sy_tone tone_of(sy_dashboard_state state)
{
    switch (state) {
    case SY_DASHBOARD_BLOCK:
        return SY_TONE_BAD;
    case SY_DASHBOARD_INVESTIGATE:
    case SY_DASHBOARD_FINDINGS:
        return SY_TONE_DOUBT;
    case SY_DASHBOARD_PASS:
        return SY_TONE_GOOD;
    case SY_DASHBOARD_EMPTY:
        break;
    }
    return SY_TONE_STRONG;
}

static void put_answer(sy_page *page, const sy_dashboard *dashboard)
{
    sy_text line = SY_TEXT_INIT;

    sy_dashboard_words_state(&line, dashboard);
    sy_dashboard_parts_paragraph(page, 0, 2, tone_of(sy_dashboard_state_of(dashboard)), &line);
    for (size_t i = 0; i < dashboard->next_count; i++)
        sy_dashboard_parts_command(page, 2, i == 0 ? "run next: " : "then: ", dashboard->next[i]);
    if (dashboard->judged != NULL) {
        sy_text_append(&line, "Verdict of ");
        sy_dashboard_words_verdict(&line, dashboard->judged);
        sy_dashboard_parts_paragraph(page, 0, 2, SY_TONE_PLAIN, &line);
    }
    sy_page_blank(page);
    sy_dashboard_words_cut(&line, dashboard->project, SY_DASHBOARD_NAME_COLUMNS, page->style.utf8);
    sy_text_append(&line, ": ");
    sy_dashboard_words_progress(&line, dashboard);
    sy_dashboard_parts_paragraph(page, 0, 2, SY_TONE_PLAIN, &line);
    sy_dashboard_words_source(&line, dashboard);
    sy_dashboard_parts_paragraph(page, 0, 2, SY_TONE_FAINT, &line);
    sy_text_finish(&line);
}

/* ---- promoted rows ---- */

enum { P_CELL, P_FIGURES, P_VERDICT, P_GATE, P_DEVICE, P_REVISION, P_WHEN, P_RUN, P_COUNT };

static const sy_column row_columns[P_COUNT] = {
    [P_CELL] = {.title = "Cell", .least = 10, .wraps = true},
    [P_FIGURES] = {.title = "Figures", .least = 12, .wraps = true},
    [P_VERDICT] = {.title = "Verdict", .least = 8, .wraps = true},
    [P_GATE] = {.title = "Gate", .least = 12, .wraps = true, .drop = 1},
    [P_DEVICE] = {.title = "Device", .least = 6, .wraps = true, .drop = 2},
    [P_REVISION] = {.title = "Revision", .drop = 4},
    [P_WHEN] = {.title = "Promoted", .drop = 3},
    [P_RUN] = {.title = "Run", .least = 22, .drop = 5},
};

static void put_row(sy_page *page, sy_text_table *table, const sy_dashboard_row *row)
{
    const sy_tone tone = row->superseded ? SY_TONE_FAINT : row->blocked ? SY_TONE_BAD : SY_TONE_GOOD;
    sy_text figures = SY_TEXT_INIT;
    sy_cut_texts cut = {.page = page};
    char when[24];
    char revision[SY_LEDGER_DIGITS + 1];

    sy_dashboard_words_time(when, row->at_utc_s)[DAY_COLUMNS] = '\0';
    (void)snprintf(revision, sizeof(revision), "%.*s", SY_LEDGER_DIGITS, row->row.revision);
    sy_dashboard_words_figures(&figures, &row->row, SY_DASHBOARD_FIGURES);
    sy_text_table_row(table, tone,
                      (const char *const[P_COUNT]){
                          [P_CELL] = sy_cut_text(&cut, row->row.cell),
                          [P_FIGURES] = sy_cut_text(&cut, sy_text_bytes(&figures)),
                          [P_VERDICT] = row->superseded ? "superseded" : sy_dashboard_words_standing(row),
                          [P_GATE] = sy_cut_text(&cut, row->row.gate),
                          [P_DEVICE] = sy_cut_text(&cut, row->row.device),
                          [P_REVISION] = sy_cut_text(&cut, revision),
                          [P_WHEN] = when,
                          [P_RUN] = sy_cut_text(&cut, row->run),
                      });
    page->text.failed = page->text.failed || figures.failed;
    sy_text_finish(&figures);
    sy_cut_texts_finish(&cut);
}

static void put_blocked(sy_page *page, const sy_dashboard_row *row)
{
    sy_text line = SY_TEXT_INIT;

    sy_dashboard_words_cut(&line, row->row.cell, SY_DASHBOARD_NAME_COLUMNS, page->style.utf8);
    sy_text_append(&line, " is blocked by ");
    sy_dashboard_words_cut(&line, row->blocked_by, SY_DASHBOARD_NAME_COLUMNS, page->style.utf8);
    sy_text_append(&line, ": ");
    sy_dashboard_words_cut(&line, row->blocked_why, SY_DASHBOARD_SENTENCE_COLUMNS, page->style.utf8);
    sy_dashboard_parts_paragraph(page, 0, 2, SY_TONE_BAD, &line);
    sy_text_finish(&line);
}

/* Superseded rows stand behind the others, and only where all is asked for. */
static void put_rows(sy_page *page, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);
    sy_text_table *table;
    size_t put = 0;

    sy_dashboard_parts_title(page, "Promoted", counts.promoted, "row", "rows");
    if (dashboard->row_count == 0)
        return;
    table = sy_text_table_create(page, row_columns, P_COUNT);
    for (int behind = 0; table != NULL && behind <= (page->style.all ? 1 : 0); behind++) {
        for (size_t i = 0; i < dashboard->row_count; i++) {
            if (dashboard->rows[i].superseded == (behind == 1) && put++ < most)
                put_row(page, table, &dashboard->rows[i]);
        }
    }
    if (table != NULL)
        sy_text_table_print(table);
    sy_text_table_destroy(table);
    for (size_t i = 0, blocked = 0; i < dashboard->row_count; i++) {
        if (dashboard->rows[i].blocked && !dashboard->rows[i].superseded && blocked++ < most)
            put_blocked(page, &dashboard->rows[i]);
    }
    sy_dashboard_parts_more(page, put > most ? put - most : 0, SY_DASHBOARD_ALL);
    if (!page->style.all && counts.superseded > 0)
        sy_dashboard_parts_note(page, "%zu superseded by later promotions: " SY_DASHBOARD_ALL, counts.superseded);
}

/* ---- what stands open ---- */

static void put_alarm(sy_page *page, const sy_dashboard_alarm *alarm)
{
    const bool utf8 = page->style.utf8;
    sy_text line = SY_TEXT_INIT;
    char when[24];

    sy_text_append_format(&line, "%s: ", sy_judgement_word_text(alarm->verdict));
    sy_dashboard_words_cut(&line, alarm->run, SY_DASHBOARD_NAME_COLUMNS, utf8);
    sy_text_append(&line, ", ");
    sy_dashboard_words_cut(&line, alarm->gate[0] != '\0' ? alarm->gate : alarm->cell, SY_DASHBOARD_NAME_COLUMNS, utf8);
    sy_text_append(&line, " on ");
    sy_dashboard_words_cut(&line, alarm->device, SY_DASHBOARD_NAME_COLUMNS, utf8);
    sy_text_append_format(&line, ", began %s", sy_dashboard_words_time(when, alarm->began_utc_s));
    sy_dashboard_parts_paragraph(page, 0, 4, alarm->verdict == SY_JUDGEMENT_BLOCK ? SY_TONE_BAD : SY_TONE_DOUBT, &line);
    sy_dashboard_words_cut(&line, alarm->text, SY_DASHBOARD_SENTENCE_COLUMNS, utf8);
    sy_dashboard_parts_paragraph(page, 4, 4, SY_TONE_PLAIN, &line);
    sy_dashboard_parts_command(page, 4, "next: ", alarm->command);
    if (strstr(alarm->command, ACCEPTED_VARIABLE) != NULL) {
        sy_text_append(&line, "what its variable stands for: steelyard compare ");
        sy_dashboard_words_cut(&line, alarm->run, SY_DASHBOARD_NAME_COLUMNS, utf8);
        sy_dashboard_parts_paragraph(page, 4, 4, SY_TONE_FAINT, &line);
    }
    sy_text_finish(&line);
}

static void put_alarms(sy_page *page, const sy_dashboard *dashboard)
{
    const size_t most = sy_dashboard_parts_most(page, SY_DASHBOARD_ROWS);

    if (dashboard->alarm_count == 0)
        return;
    sy_dashboard_parts_title(page, "Open", dashboard->alarm_count, "block or investigation",
                             "blocks and investigations");
    for (size_t i = 0; i < dashboard->alarm_count && i < most; i++)
        put_alarm(page, &dashboard->alarms[i]);
    sy_dashboard_parts_more(page, dashboard->alarm_count > most ? dashboard->alarm_count - most : 0, SY_DASHBOARD_ALL);
}

/* ---- the matrix ---- */

static void put_picture(sy_page *page, sy_arena *arena, const sy_matrix_picture *picture)
{
    size_t left_out;

    if (picture->capability_count <= CAPABILITIES_MOST || page->style.all)
        sy_matrix_grid_put(page, arena, picture);
    sy_matrix_legend_put(page, picture);
    left_out = sy_matrix_reasons_put(page, picture, sy_dashboard_parts_most(page, REASONS_MOST));
    sy_dashboard_parts_more(page, left_out, "steelyard matrix show");
}

static sy_status put_matrix(sy_page *page, const sy_dashboard *dashboard, sy_error *err)
{
    const sy_report_matrix_view view = {.matrix = dashboard->matrix, .coverage = dashboard->coverage};
    sy_matrix_picture picture;
    sy_arena *arena;
    sy_status status;

    if (dashboard->matrix == NULL)
        return SY_OK;
    arena = sy_arena_create(0);
    status = arena != NULL ? sy_matrix_picture_make(arena, &view, &picture, err)
                           : sy_fail(err, SY_NO_MEMORY, "no memory for a picture of the matrix");
    if (status == SY_OK) {
        sy_dashboard_parts_title(page, "Matrix", dashboard->matrix->cell_count, "cell", "cells");
        put_picture(page, arena, &picture);
    }
    sy_arena_destroy(arena);
    return status;
}

/* ---- all of it ---- */

sy_status sy_report_dashboard(const sy_dashboard *dashboard, const sy_report_style *style, char **ret_text,
                              sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_answer(&page, dashboard);
    put_rows(&page, dashboard);
    put_alarms(&page, dashboard);
    status = put_matrix(&page, dashboard, err);
    if (status != SY_OK) {
        sy_text_finish(&page.text);
        return status;
    }
    sy_dashboard_parts_gates(&page, dashboard);
    sy_dashboard_parts_short_keys(&page, dashboard);
    sy_dashboard_parts_rates(&page, dashboard);
    sy_dashboard_parts_changes(&page, dashboard);
    sy_dashboard_parts_selftests(&page, dashboard);
    sy_dashboard_parts_findings(&page, dashboard);
    return sy_page_take(&page, ret_text, err);
}
