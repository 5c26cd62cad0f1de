/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a dashboard's page, and what they have in common: titles with counts, commands, "N more". Whatever came
 * from outside is cut, so that no name fills the page. */
#ifndef STEELYARD_REPORT_DASHBOARD_PARTS_H
#define STEELYARD_REPORT_DASHBOARD_PARTS_H

#include "report/dashboard/dashboard_words.h"

#define SY_DASHBOARD_NAME_COLUMNS 80
#define SY_DASHBOARD_SENTENCE_COLUMNS 300
#define SY_DASHBOARD_ROWS 10   /* of each part, unless the style asks for all */
#define SY_DASHBOARD_FIGURES 3 /* of a promoted row */
#define SY_DASHBOARD_ALL "steelyard report --text --all"

/* How many rows of a part are shown. */
size_t sy_dashboard_parts_most(const sy_page *page, size_t usual);
/* A blank line, then "Promoted: 3 rows". */
void sy_dashboard_parts_title(sy_page *page, const char *title, size_t count, const char *one, const char *many);
/* "... 12 more: steelyard report --text --all"; nothing for 0. */
void sy_dashboard_parts_more(sy_page *page, size_t count, const char *command);
void sy_dashboard_parts_note(sy_page *page, const char *format, ...) SY_PRINTF(2, 3);
/* A command line behind a label; nothing where it is "". */
void sy_dashboard_parts_command(sy_page *page, uint32_t indent, const char *label, const char *command);
/* The text as a paragraph; it is empty then. */
void sy_dashboard_parts_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *text);

#define SY_CUT_TEXTS_MAX 10

/* Texts of a table's row that are cut, until the row is copied. Started with page set, the rest zero. */
typedef struct sy_cut_texts {
    sy_page *page;
    sy_text texts[SY_CUT_TEXTS_MAX];
    size_t count;
} sy_cut_texts;

const char *sy_cut_text(sy_cut_texts *cut, const char *raw);
void sy_cut_texts_finish(sy_cut_texts *cut);

/* Each puts nothing where there is nothing to say. */
void sy_dashboard_parts_gates(sy_page *page, const sy_dashboard *dashboard);
void sy_dashboard_parts_short_keys(sy_page *page, const sy_dashboard *dashboard);
void sy_dashboard_parts_rates(sy_page *page, const sy_dashboard *dashboard);
void sy_dashboard_parts_changes(sy_page *page, const sy_dashboard *dashboard);
void sy_dashboard_parts_selftests(sy_page *page, const sy_dashboard *dashboard);
void sy_dashboard_parts_findings(sy_page *page, const sy_dashboard *dashboard);

#endif
