/* SPDX-License-Identifier: Apache-2.0 */
/* Commands in one table, from all runs that can be used. */
#include "report/probe/programs_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "report/probe/probe_words.h"
#include "stats/order.h"

enum { P_NAME, P_DECISION, P_GAIN, P_MEDIAN, P_LEAST, P_MOST, P_MEMORY, P_REMARKS, P_COUNT };

static const sy_column columns[P_COUNT] = {
    [P_NAME] = {.title = "Command", .least = 20},
    [P_DECISION] = {.title = "Decision"},
    [P_GAIN] = {.title = "Gain", .right = true, .drop = 1},
    [P_MEDIAN] = {.title = "Median", .right = true},
    [P_LEAST] = {.title = "Least", .right = true, .drop = 3},
    [P_MOST] = {.title = "Most", .right = true, .drop = 4},
    [P_MEMORY] = {.title = "Memory", .right = true, .drop = 2},
    [P_REMARKS] = {.title = "Remarks", .wraps = true, .least = 16},
};

bool sy_programs_are_weighed(const sy_probe_result *result)
{
    return result->isolation == SY_ISOLATION_PROCESS;
}

static void put_heading(sy_page *page, const sy_probe_result *result)
{
    const char *name = result->metric.name != NULL ? result->metric.name : "wall";
    sy_text text = SY_TEXT_INIT;

    if (sy_text_equal(name, "wall"))
        sy_text_append(&text, "Wall time");
    else if (sy_text_equal(name, "user"))
        sy_text_append(&text, "User time");
    else if (sy_text_equal(name, "cpu"))
        sy_text_append(&text, "Processor time, user and system");
    else if (sy_text_equal(name, "memory"))
        sy_text_append(&text, "Peak memory: the largest resident set of one of its processes");
    else
        sy_text_append_format(&text, "%s, as printed; %s is better", name,
                              result->metric.higher_is_better ? "higher" : "lower");
    page->text.failed = page->text.failed || text.failed;
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&text));
    sy_page_blank(page);
    sy_text_finish(&text);
}

/* The usable values of one side: candidate SIZE_MAX = the reference, which ran once a round with each candidate of it.
 */
static size_t collect(const sy_probe_result *result, size_t candidate, double *to)
{
    size_t count = 0;

    for (size_t i = 0; i < result->sample_count; i++) {
        const sy_sample *sample = &result->samples[i];
        double value = candidate == SIZE_MAX ? sample->reference_ns : sample->candidate_ns;
        bool again = candidate == SIZE_MAX && i > 0 && !sample->final && !result->samples[i - 1].final &&
                     result->samples[i - 1].round == sample->round;

        if ((candidate == SIZE_MAX || sample->candidate == candidate) && !again && isfinite(value))
            to[count++] = value;
    }
    return count;
}

static void add_row(sy_text_table *table, const sy_probe_result *result, size_t candidate, double *values)
{
    const sy_candidate_result *row = candidate == SIZE_MAX ? NULL : &result->candidates[candidate];
    uint64_t bytes = row != NULL ? row->memory_bytes : result->reference_memory_bytes;
    size_t count = collect(result, candidate, values);
    bool sorted = count > 0 && sy_order_sort(values, count, NULL) == SY_OK;
    char gain[SY_FIGURE_SIZE] = "";
    char figures[3][SY_FIGURE_SIZE] = {"-", "-", "-"};
    char memory[SY_FIGURE_SIZE] = "-";
    sy_text remarks = SY_TEXT_INIT;

    if (sorted) {
        sy_figure_value(figures[0], &result->metric, sy_order_median(values, count));
        sy_figure_value(figures[1], &result->metric, values[0]);
        sy_figure_value(figures[2], &result->metric, values[count - 1]);
    }
    if (bytes > 0)
        sy_format_bytes(memory, sizeof(memory), bytes);
    if (row != NULL) {
        sy_figure_share(gain, row->gain);
        sy_text_append(&remarks, row->detail != NULL && row->detail[0] != '\0' ? row->detail
                                 : row->reason != NULL                         ? row->reason
                                                                               : "");
    }
    sy_text_table_row(
        table, row != NULL && row->parity == SY_PARITY_FAILED ? SY_TONE_BAD : SY_TONE_PLAIN,
        (const char *const[P_COUNT]){
            [P_NAME] = row != NULL ? row->name : result->reference,
            [P_DECISION] = row != NULL ? sy_decision_word(row->decision) : sy_role_word(SY_ROLE_REFERENCE),
            [P_GAIN] = gain,
            [P_MEDIAN] = figures[0],
            [P_LEAST] = figures[1],
            [P_MOST] = figures[2],
            [P_MEMORY] = memory,
            [P_REMARKS] = sy_text_bytes(&remarks),
        });
    sy_text_finish(&remarks);
}

void sy_programs_print(sy_page *page, const sy_probe_result *result)
{
    sy_text_table *table = sy_text_table_create(page, columns, P_COUNT);
    double *values = sy_allocate(result->sample_count, sizeof(double));

    if (table == NULL || values == NULL) {
        page->text.failed = true;
    } else {
        put_heading(page, result);
        add_row(table, result, SIZE_MAX, values);
        for (size_t i = 0; i < result->candidate_count; i++)
            add_row(table, result, i, values);
        sy_text_table_print(table);
        sy_page_blank(page);
    }
    sy_free(values);
    sy_text_table_destroy(table);
}

void sy_programs_words_parity(const sy_probe_result *result, sy_text *to)
{
    const sy_parity *parity = result->case_count > 0 ? &result->cases[0].parity : NULL;
    char figure[SY_FIGURE_SIZE];

    if (parity == NULL || parity->outcome == SY_PARITY_NOT_PERFORMED)
        return;
    if (parity->outcome == SY_PARITY_FAILED)
        sy_text_append(to, parity->reason);
    else if (parity->error_in_tolerances > 0)
        sy_text_append_format(
            to, "%" PRIu64 " numbers alike, the largest difference %s x allowed; looked at again after every run",
            parity->element_count, sy_figure_ratio(figure, parity->error_in_tolerances));
    else
        sy_text_append(to, "the same as the reference's; looked at again after every run");
}
