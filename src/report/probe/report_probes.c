/* SPDX-License-Identifier: Apache-2.0 */
/* Several probes in one table: what changed between them in the first column, what came out in the others. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>

#include "base/text.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "report/probe/probe_words.h"

enum { W_CASE, W_DECISION, W_USE, W_GAIN, W_LOW, W_HIGH, W_REFERENCE, W_CANDIDATE, W_COUNT };

static const sy_column columns[W_COUNT] = {
    [W_CASE] = {.title = "Weighing", .wraps = true, .least = 18},
    [W_DECISION] = {.title = "Decision"},
    [W_USE] = {.title = "Use", .least = 8},
    [W_GAIN] = {.title = "Gain", .right = true},
    [W_LOW] = {.title = "At least", .right = true, .drop = 2},
    [W_HIGH] = {.title = "At most", .right = true, .drop = 3},
    [W_REFERENCE] = {.title = "Reference", .right = true, .drop = 1},
    [W_CANDIDATE] = {.title = "Candidate", .right = true, .drop = 1},
};

static void add_row(sy_text_table *table, const sy_probe_result *result, bool *ret_failed)
{
    const sy_case_result *c = result->case_count > 0 ? &result->cases[0] : NULL;
    const bool is_commands = sy_text_equal(result->backend, "command");
    sy_text name = SY_TEXT_INIT;
    char gain[SY_FIGURE_SIZE];
    char low[SY_FIGURE_SIZE];
    char high[SY_FIGURE_SIZE];
    char reference[SY_FIGURE_SIZE];
    char candidate[SY_FIGURE_SIZE];

    /* Of commands the only case says the parameters; of operations all cases count. */
    if (is_commands)
        sy_text_append(&name, c != NULL ? c->name : "?");
    else
        sy_text_append_format(&name, "%s on %s", result->operation, result->device_info.name);
    const double reference_cost = !is_commands ? result->reference_total_ns : c != NULL ? c->reference_median_ns : NAN;
    const double candidate_cost = !is_commands ? result->candidate_total_ns : c != NULL ? c->candidate_median_ns : NAN;
    sy_text_table_row(table, sy_probe_tone(result->decision),
                      (const char *const[W_COUNT]){
                          [W_CASE] = sy_text_bytes(&name),
                          [W_DECISION] = sy_decision_word(result->decision),
                          [W_USE] = is_commands || result->winner == NULL ? "" : result->winner,
                          [W_GAIN] = sy_figure_share(gain, result->gain),
                          [W_LOW] = sy_figure_share_down(low, result->gain_low),
                          [W_HIGH] = sy_figure_share_up(high, result->gain_high),
                          [W_REFERENCE] = sy_figure_value(reference, &result->metric, reference_cost),
                          [W_CANDIDATE] = sy_figure_value(candidate, &result->metric, candidate_cost),
                      });
    *ret_failed = *ret_failed || name.failed;
    sy_text_finish(&name);
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
        add_row(table, results[i], &page.text.failed);
    if (table != NULL)
        sy_text_table_print(table);
    else
        page.text.failed = true;
    sy_text_table_destroy(table);
    return sy_page_take(&page, ret_text, err);
}
