/* SPDX-License-Identifier: Apache-2.0 */
/* Every candidate on every case, from the pairs themselves. */
#include "report/probe/probe_samples.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "stats/order.h"

enum { S_CANDIDATE, S_CASE, S_REFERENCE, S_TIME, S_GAIN, S_PAIRS, S_COUNT };

static const sy_column columns[S_COUNT] = {
    [S_CANDIDATE] = {.title = "Candidate", .least = 8},
    [S_CASE] = {.title = "Case", .least = 8},
    [S_REFERENCE] = {.title = "Reference", .right = true, .drop = 1},
    [S_TIME] = {.title = "Candidate", .right = true},
    [S_GAIN] = {.title = "Gain", .right = true},
    [S_PAIRS] = {.title = "Pairs", .right = true, .drop = 2},
};

/* Room for the pairs of one candidate on one case. */
typedef struct pair_list {
    double *reference_ns;
    double *candidate_ns;
    double *log_ratios;
    size_t count;
} pair_list;

static bool is_time(double time_ns)
{
    return isfinite(time_ns) && time_ns > 0;
}

static void collect(const sy_probe_result *result, size_t candidate, size_t case_index, pair_list *to)
{
    to->count = 0;
    for (size_t i = 0; i < result->sample_count; i++) {
        const sy_sample *sample = &result->samples[i];

        if (sample->candidate != candidate || sample->case_index != case_index || !is_time(sample->reference_ns) ||
            !is_time(sample->candidate_ns))
            continue;
        to->reference_ns[to->count] = sample->reference_ns;
        to->candidate_ns[to->count] = sample->candidate_ns;
        to->log_ratios[to->count] = (result->metric.higher_is_better ? -1 : 1) *
                                    (log(sample->reference_ns) - log(sample->candidate_ns));
        to->count++;
    }
}

/* NaN where the sort refuses, which finite samples never make it do. */
static double median(double *samples, size_t count)
{
    if (sy_order_sort(samples, count, NULL) != SY_OK)
        return NAN;
    return sy_order_median(samples, count);
}

/* Returns whether there was a pair to show. */
static bool add_row(sy_text_table *table, const sy_probe_result *result, size_t candidate, size_t case_index,
                    pair_list *pairs)
{
    char reference[SY_FIGURE_SIZE];
    char time[SY_FIGURE_SIZE];
    char gain[SY_FIGURE_SIZE];
    char count[SY_FIGURE_SIZE];

    collect(result, candidate, case_index, pairs);
    if (pairs->count == 0)
        return false;
    snprintf(count, sizeof(count), "%zu", pairs->count);
    sy_text_table_row(
        table, SY_TONE_PLAIN,
        (const char *const[S_COUNT]){
            [S_CANDIDATE] = result->candidates[candidate].name,
            [S_CASE] = result->cases[case_index].name,
            [S_REFERENCE] = sy_figure_value(reference, &result->metric, median(pairs->reference_ns, pairs->count)),
            [S_TIME] = sy_figure_value(time, &result->metric, median(pairs->candidate_ns, pairs->count)),
            [S_GAIN] = sy_figure_share(gain, -expm1(-median(pairs->log_ratios, pairs->count))),
            [S_PAIRS] = count,
        });
    return true;
}

void sy_probe_samples_print(sy_page *page, const sy_probe_result *result)
{
    pair_list pairs = {0};
    sy_text_table *table = NULL;
    bool any = false;

    if (result->sample_count == 0)
        return;
    pairs.reference_ns = sy_allocate(result->sample_count, sizeof(double));
    pairs.candidate_ns = sy_allocate(result->sample_count, sizeof(double));
    pairs.log_ratios = sy_allocate(result->sample_count, sizeof(double));
    table = sy_text_table_create(page, columns, S_COUNT);
    if (pairs.reference_ns == NULL || pairs.candidate_ns == NULL || pairs.log_ratios == NULL || table == NULL) {
        page->text.failed = true;
        goto out;
    }
    for (size_t i = 0; i < result->candidate_count; i++) {
        for (size_t c = 0; c < result->case_count; c++)
            any |= add_row(table, result, i, c, &pairs);
    }
    if (any) {
        sy_page_paragraph(page, 0, 0, SY_TONE_STRONG, "Every candidate, medians over its usable pairs");
        sy_page_blank(page);
        sy_text_table_print(table);
        sy_page_blank(page);
    }
out:
    sy_text_table_destroy(table);
    sy_free(pairs.reference_ns);
    sy_free(pairs.candidate_ns);
    sy_free(pairs.log_ratios);
}
