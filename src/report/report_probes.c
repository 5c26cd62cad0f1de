/* SPDX-License-Identifier: Apache-2.0 */
/* Several probes in one table: what changed between them in the first column, what came out in the others. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>

#include "report/figures.h"
#include "report/probe_words.h"
#include "report/text_table.h"

enum { W_CASE, W_DECISION, W_GAIN, W_LOW, W_HIGH, W_REFERENCE, W_CANDIDATE, W_COUNT };

static const sy_column columns[W_COUNT] = {
    [W_CASE] = {.title = "Weighing", .least = 8},
    [W_DECISION] = {.title = "Decision"},
    [W_GAIN] = {.title = "Gain", .right = true},
    [W_LOW] = {.title = "At least", .right = true, .drop = 2},
    [W_HIGH] = {.title = "At most", .right = true, .drop = 3},
    [W_REFERENCE] = {.title = "Reference", .right = true, .drop = 1},
    [W_CANDIDATE] = {.title = "Candidate", .right = true, .drop = 1},
};

static void add_row(sy_text_table *table, const sy_probe_result *result)
{
    const sy_case_result *c = result->case_count > 0 ? &result->cases[0] : NULL;
    char gain[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char reference[SY_FIGURE_SIZE];
    char candidate[SY_FIGURE_SIZE];

    sy_text_table_row(
        table, sy_probe_tone(result->decision),
        (const char *const[W_COUNT]){
            [W_CASE] = c != NULL ? c->name : "?",
            [W_DECISION] = sy_decision_word(result->decision),
            [W_GAIN] = sy_figure_share(gain, result->gain),
            [W_LOW] = sy_figure_share_down(low, result->gain_low),
            [W_HIGH] = sy_figure_share_up(high, result->gain_high),
            [W_REFERENCE] = sy_figure_value(reference, &result->metric, c != NULL ? c->reference_median_ns : NAN),
            [W_CANDIDATE] = sy_figure_value(candidate, &result->metric, c != NULL ? c->candidate_median_ns : NAN),
        });
}

sy_status sy_report_probes(const sy_probe_result *const *results, size_t count, const sy_report_style *style,
                           char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_text_table *table = sy_text_table_create(&page, columns, W_COUNT);
    sy_page_blank(&page);
    sy_page_paragraph(&page, 0, 0, SY_TONE_STRONG, "All weighings");
    sy_page_blank(&page);
    for (size_t i = 0; table != NULL && i < count; i++)
        add_row(table, results[i]);
    if (table != NULL)
        sy_text_table_print(table);
    else
        page.text.failed = true;
    sy_text_table_destroy(table);
    return sy_page_take(&page, ret_text, err);
}
