/* SPDX-License-Identifier: Apache-2.0 */
/* A probe's answer as a page: the decision in plain words first, then the evidence, most important first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "report/probe/probe_alike.h"
#include "report/probe/probe_draws.h"
#include "report/probe/probe_samples.h"
#include "report/probe/probe_words.h"
#include "report/probe/programs_text.h"

/* Appends what a sentence function of probe_words.h says, in the form that `put` gives it. */
static void put_headline(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;

    sy_probe_words_headline(result, &text);
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, sy_probe_tone(result->decision), sy_text_bytes(&text));
    sy_page_blank(page);
    sy_text_clear(&text);
    sy_probe_words_finding(result, &text);
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 0, SY_TONE_PLAIN, sy_text_bytes(&text));
    if (result->advice != NULL && result->advice[0] != '\0') {
        sy_text_clear(&text);
        sy_text_append(&text, result->decision == SY_DECISION_INCONCLUSIVE ? "What would decide it: " : "What to do: ");
        sy_text_append(&text, result->advice);
        sy_page_paragraph(page, 0, 0, SY_TONE_PLAIN, sy_text_bytes(&text));
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_subject(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "%s on %s", result->operation != NULL ? result->operation : "?",
                          result->backend != NULL ? result->backend : "?");
    if (result->device != NULL && result->device[0] != '\0')
        sy_text_append_format(&text, ": %s", result->device);
    if (result->device_info.threads > 0)
        sy_text_append_format(&text, ", %" PRIu32 " %s for each implementation", result->device_info.threads,
                              result->device_info.threads == 1 ? "thread" : "threads");
    page->text.failed = page->text.failed || text.failed;
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&text));
    sy_page_blank(page);
    sy_text_finish(&text);
}

/* "; OpenBLAS 0.3.21" after what stands in `to`; the threads too where they are not those that it was told to use. */
static void append_info(const sy_implementation_info *info, uint32_t told_threads, sy_text *to)
{
    const char *semicolon = to->length > 0 ? "; " : "";

    if (info->version[0] != '\0') {
        sy_text_append_format(to, "%s%s", semicolon, info->version);
        semicolon = ", ";
    }
    if (info->threads > 0 && info->threads != told_threads)
        sy_text_append_format(to, "%s%" PRIu32 " %s", semicolon, info->threads,
                              info->threads == 1 ? "thread" : "threads");
}

/* "0.37 x" of what is allowed; "wrong" where no figure says how much. */
static const char *put_error(char *to, size_t size, sy_parity_outcome outcome, double error_in_tolerances)
{
    char ratio[SY_FIGURE_SIZE];

    if (outcome == SY_PARITY_FAILED && !isfinite(error_in_tolerances))
        snprintf(to, size, "wrong");
    else if (outcome == SY_PARITY_NOT_PERFORMED || isnan(error_in_tolerances))
        snprintf(to, size, "-");
    else
        snprintf(to, size, "%s x", sy_figure_ratio(ratio, error_in_tolerances));
    return to;
}

enum { I_NAME, I_DECISION, I_GAIN, I_MEMORY, I_PARITY, I_CLASS, I_REMARKS, I_COUNT };

static const sy_column implementation_columns[I_COUNT] = {
    [I_NAME] = {.title = "Implementation", .wraps = true, .least = 8},
    [I_DECISION] = {.title = "Decision"},
    [I_GAIN] = {.title = "Gain", .right = true, .drop = 1},
    [I_MEMORY] = {.title = "Memory", .right = true, .drop = 2},
    [I_PARITY] = {.title = "Error", .right = true, .drop = 3},
    [I_CLASS] = {.title = "Class", .drop = 4},
    [I_REMARKS] = {.title = "Remarks", .wraps = true, .least = 11},
};

/* The peak of the process, which holds all that a library takes; without one of its own, what the graphs take. */
static const char *put_memory(char *to, size_t size, uint64_t peak, uint64_t device_bytes)
{
    if (peak == 0 && device_bytes == 0)
        snprintf(to, size, "-");
    else
        sy_format_bytes(to, size, peak > 0 ? peak : device_bytes);
    return to;
}

/* The word for the decision column: what the implementation is where nothing was decided about it. A candidate that the
 * halving left behind, with a gain of its rounds, was not weighed to an end; one without was not weighed. Its remark
 * says why. */
static const char *standing(const sy_probe_result *result, const sy_candidate_result *row)
{
    if (row->role == SY_ROLE_CANDIDATE && row->decision == SY_DECISION_INCONCLUSIVE && row != sy_probe_finalist(result))
        return isfinite(row->gain) ? "left behind" : "not weighed";
    return row->role == SY_ROLE_CANDIDATE ? sy_decision_word(row->decision) : sy_role_word(row->role);
}

static void add_reference(sy_text_table *table, const sy_probe_result *result, sy_text *remarks)
{
    const char *cells[I_COUNT] = {NULL};
    char memory[SY_FIGURE_SIZE];

    sy_text_clear(remarks);
    append_info(&result->reference_info, result->device_info.threads, remarks);
    cells[I_NAME] = result->reference;
    cells[I_DECISION] = sy_role_word(SY_ROLE_REFERENCE);
    cells[I_MEMORY] = put_memory(memory, sizeof(memory), result->reference_memory_bytes,
                                 result->reference_device_bytes);
    cells[I_REMARKS] = sy_text_bytes(remarks);
    sy_text_table_row(table, SY_TONE_PLAIN, cells);
}

static void add_candidate(sy_text_table *table, const sy_probe_result *result, const sy_candidate_result *row,
                          sy_text *remarks)
{
    uint32_t told_threads = result->device_info.threads;
    const char *cells[I_COUNT] = {NULL};
    char gain[SY_FIGURE_SIZE];
    char error[SY_FIGURE_SIZE + 2];
    char memory[SY_FIGURE_SIZE];
    bool candidate = row->role == SY_ROLE_CANDIDATE;

    sy_text_clear(remarks);
    if (row->reason != NULL)
        sy_text_append(remarks, row->reason);
    if (row->detail != NULL && row->detail[0] != '\0')
        sy_text_append_format(remarks, "%s%s", remarks->length > 0 ? ": " : "", row->detail);
    append_info(&row->info, told_threads, remarks);
    cells[I_NAME] = row->name;
    cells[I_DECISION] = standing(result, row);
    cells[I_GAIN] = sy_figure_share(gain, row->gain);
    cells[I_MEMORY] = put_memory(memory, sizeof(memory), row->memory_bytes, row->device_bytes);
    cells[I_PARITY] = put_error(error, sizeof(error), row->parity, row->error_in_tolerances);
    cells[I_CLASS] = candidate ? sy_error_class_word(row->error_class) : "";
    cells[I_REMARKS] = sy_text_bytes(remarks);
    sy_text_table_row(table, candidate && row->decision == SY_DECISION_PARITY_FAILED ? SY_TONE_BAD : SY_TONE_PLAIN,
                      cells);
}

static void put_implementations(sy_page *page, const sy_probe_result *result)
{
    sy_column columns[I_COUNT];
    sy_text remarks = SY_TEXT_INIT;
    bool reference_listed = result->reference == NULL;
    sy_text_table *table;

    memcpy(columns, implementation_columns, sizeof(columns));
    if (page->style.columns >= 60) { /* remarks that can be read are worth more than a column that goes first */
        columns[I_REMARKS].least = 22;
        columns[I_NAME].least = 14; /* its title */
    }
    table = sy_text_table_create(page, columns, I_COUNT);
    if (table == NULL)
        return;
    for (size_t i = 0; i < result->candidate_count; i++)
        reference_listed = reference_listed || result->candidates[i].role == SY_ROLE_REFERENCE;
    if (!reference_listed)
        add_reference(table, result, &remarks);
    for (size_t i = 0; i < result->candidate_count; i++) {
        if (!sy_probe_alike(result, i))
            add_candidate(table, result, &result->candidates[i], &remarks);
    }
    page->text.failed = page->text.failed || remarks.failed;
    if (!reference_listed || result->candidate_count > 0) {
        sy_text_table_print(table);
        sy_page_blank(page);
    }
    sy_probe_alike_print(page, result);
    sy_text_finish(&remarks);
    sy_text_table_destroy(table);
}

enum { C_NAME, C_SHARE, C_REFERENCE, C_CANDIDATE, C_FLOPS, C_GAIN, C_PARITY, C_COUNT };

/* Operations a nanosecond are GFLOP/s. "33.5 35.2": reference, candidate. */
static void put_flops(char *to, size_t size, const sy_case_result *c)
{
    char reference[SY_FIGURE_SIZE];
    char candidate[SY_FIGURE_SIZE];

    if (!(c->flop_count > 0) || !(c->reference_median_ns > 0) || !(c->candidate_median_ns > 0))
        snprintf(to, size, "-");
    else
        snprintf(to, size, "%s %s", sy_figure_ratio(reference, c->flop_count / c->reference_median_ns),
                 sy_figure_ratio(candidate, c->flop_count / c->candidate_median_ns));
}

static void add_case(sy_text_table *table, const sy_case_result *c)
{
    char share[SY_FIGURE_SIZE];
    char reference[SY_FIGURE_SIZE];
    char candidate[SY_FIGURE_SIZE];
    char flops[2 * SY_FIGURE_SIZE];
    char gain[SY_FIGURE_SIZE];
    char error[SY_FIGURE_SIZE + 2];
    bool failed = c->parity.outcome == SY_PARITY_FAILED;

    put_flops(flops, sizeof(flops), c);
    sy_text_table_row(
        table, c->regression || failed ? SY_TONE_BAD : SY_TONE_PLAIN,
        (const char *const[C_COUNT]){
            [C_NAME] = c->name,
            [C_SHARE] = sy_figure_share(share, c->share),
            [C_REFERENCE] = sy_figure_time(reference, c->reference_median_ns),
            [C_CANDIDATE] = sy_figure_time(candidate, c->candidate_median_ns),
            [C_FLOPS] = flops,
            [C_GAIN] = sy_figure_share(gain, c->gain),
            [C_PARITY] = put_error(error, sizeof(error), c->parity.outcome, c->parity.error_in_tolerances),
        });
}

static void add_total(sy_text_table *table, const sy_probe_result *result)
{
    char reference[SY_FIGURE_SIZE];
    char candidate[SY_FIGURE_SIZE];
    char gain[SY_FIGURE_SIZE];

    if (sy_probe_covered_count(result) < 2 || isnan(result->reference_total_ns))
        return;
    sy_text_table_row(table, SY_TONE_STRONG,
                      (const char *const[C_COUNT]){
                          [C_NAME] = "weighted sum",
                          [C_REFERENCE] = sy_figure_time(reference, result->reference_total_ns),
                          [C_CANDIDATE] = sy_figure_time(candidate, result->candidate_total_ns),
                          [C_GAIN] = sy_figure_share(gain, result->total_gain),
                      });
}

static void put_cases(sy_page *page, const sy_probe_result *result)
{
    const sy_candidate_result *finalist = sy_probe_finalist(result);
    sy_column columns[C_COUNT] = {
        [C_NAME] = {.title = "Case", .least = 8},
        [C_SHARE] = {.title = "Share", .right = true, .drop = 2},
        [C_REFERENCE] = {.title = "Reference", .right = true, .least = 8},
        [C_CANDIDATE] = {.title = "Candidate", .right = true, .least = 8},
        [C_FLOPS] = {.title = "GFLOP/s", .right = true, .drop = 3},
        [C_GAIN] = {.title = "Gain", .right = true},
        [C_PARITY] = {.title = "Error", .right = true, .drop = 1},
    };
    sy_text_table *table;

    if (sy_probe_covered_count(result) == 0)
        return;
    if (result->reference != NULL && strlen(result->reference) <= 16)
        columns[C_REFERENCE].title = result->reference;
    if (finalist != NULL && finalist->name != NULL && strlen(finalist->name) <= 16)
        columns[C_CANDIDATE].title = finalist->name;
    table = sy_text_table_create(page, columns, C_COUNT);
    if (table == NULL)
        return;
    for (size_t i = 0; i < result->case_count; i++) {
        if (sy_probe_covers(&result->cases[i]))
            add_case(table, &result->cases[i]);
    }
    add_total(table, result);
    sy_text_table_print(table);
    sy_page_blank(page);
    sy_text_table_destroy(table);
}

/* The places where outputs were wrong: what was found and what is right. */
static void put_wrong_outputs(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; i < result->case_count; i++) {
        const sy_case_result *c = &result->cases[i];

        if (c->parity.outcome != SY_PARITY_FAILED)
            continue;
        sy_text_clear(&text);
        sy_text_append_format(&text, "%s: %s", c->name != NULL ? c->name : "?",
                              c->parity.reason[0] != '\0' ? c->parity.reason : "outside of what is allowed");
        if (c->parity.wrong_count > 0 && strstr(c->parity.reason, "worst at") == NULL)
            sy_text_append_format(&text,
                                  "; %" PRIu64 " of %" PRIu64 " elements, the worst at %" PRIu64
                                  ": found %.9g where %.9g is right",
                                  c->parity.wrong_count, c->parity.element_count, c->parity.worst_index,
                                  c->parity.worst_found, c->parity.worst_expected);
        sy_page_field(page, "wrong output", sy_text_bytes(&text));
        page->text.failed = page->text.failed || text.failed;
    }
    sy_text_finish(&text);
}

/* A log ratio as the share by which a time grew. */
static const char *growth(char to[SY_FIGURE_SIZE], double log_ratio)
{
    char share[SY_FIGURE_SIZE];

    sy_figure_share(share, expm1(log_ratio));
    snprintf(to, SY_FIGURE_SIZE, "%s%.30s", log_ratio > 0 ? "+" : "", share);
    return to;
}

/* ", flash 12.0 KiB"; nothing where it is not known. */
static void append_scratch(const char *name, uint64_t device_bytes, uint64_t scratch_bytes, sy_text *to)
{
    char size[SY_FIGURE_SIZE];

    if (device_bytes == 0 || name == NULL)
        return;
    sy_format_bytes(size, sizeof(size), scratch_bytes);
    sy_text_append_format(to, "%s%s %s", to->length > 0 ? ", " : "scratch of the largest case: ", name, size);
}

/* Nothing where nobody takes any. */
static void put_memory_line(sy_page *page, const sy_probe_result *result, sy_text *text)
{
    bool any = result->reference_scratch_bytes > 0 || result->prefer == SY_PREFER_MEMORY;

    sy_text_clear(text);
    append_scratch(result->reference, result->reference_device_bytes, result->reference_scratch_bytes, text);
    for (size_t i = 0; i < result->candidate_count; i++) {
        const sy_candidate_result *row = &result->candidates[i];

        any = any || row->scratch_bytes > 0;
        append_scratch(row->name, row->device_bytes, row->scratch_bytes, text);
    }
    sy_page_field(page, "memory", any ? sy_text_bytes(text) : "");
    sy_text_clear(text);
}

static void put_quality(sy_page *page, const sy_probe_result *result, sy_text *text)
{
    const sy_candidate_result *finalist = sy_probe_finalist(result);
    const char *reference = sy_probe_words_name(result, result->reference, "the reference");
    const char *candidate = sy_probe_words_name(result, finalist != NULL ? finalist->name : NULL, "the candidate");
    char a[SY_FIGURE_SIZE];
    char b[SY_FIGURE_SIZE];
    char p[SY_FIGURE_SIZE];

    sy_text_clear(text);
    if (result->has_carry_over)
        sy_text_append_format(text, "%s after %s %s, %s after %s %s (p = %s)", reference, candidate,
                              growth(a, result->carry_over.a), candidate, reference, growth(b, result->carry_over.b),
                              sy_figure_ratio(p, result->carry_over.p));
    sy_page_field(page, "carry-over", sy_text_bytes(text));
    sy_text_clear(text);
    if (!isnan(result->noise))
        sy_text_append_format(text, "%s against itself spreads by %s; ", reference, sy_figure_share(a, result->noise));
    if (!isnan(result->resolvable_gain))
        sy_text_append_format(text, "within these limits a true gain of %s or more is found 4 times in 5",
                              sy_figure_share_up(b, result->resolvable_gain));
    sy_page_field(page, "noise", sy_text_bytes(text));
}

static const char *isolation_text(sy_isolation isolation)
{
    switch (isolation) {
    case SY_ISOLATION_WORKER:
        return "each implementation in a process of its own, stopped while another runs";
    case SY_ISOLATION_PROCESS:
        return "each run in a process of its own";
    case SY_ISOLATION_NONE:
        return "none: all implementations in one process";
    }
    return "";
}

static void put_conduct(sy_page *page, const sy_probe_result *result, sy_text *text)
{
    char measured[SY_FIGURE_SIZE];
    char budget[SY_FIGURE_SIZE];
    char wall[SY_FIGURE_SIZE];
    char limit[SY_FIGURE_SIZE];

    sy_text_clear(text);
    sy_text_append_format(
        text, "%s inside timed runs (budget %s), %s in all (limit %s)",
        sy_figure_time(measured, (double)result->measured_ns), sy_figure_time(budget, (double)result->budget_ns),
        sy_figure_time(wall, (double)result->wall_ns), sy_figure_time(limit, (double)result->wall_limit_ns));
    if (result->timer != NULL && result->timer[0] != '\0')
        sy_text_append_format(text, ", by %s", result->timer);
    sy_page_field(page, "time", sy_text_bytes(text));
    sy_probe_cache_print(page, result);
    sy_page_field(page, "isolation", isolation_text(result->isolation));
    sy_text_clear(text);
    sy_text_append_format(text, "%" PRIu64, result->seed);
    sy_page_field(page, "seed", sy_text_bytes(text));
}

/* Notes whose figures stand in fields of their own. */
static bool is_shown(const sy_probe_result *result, const char *note)
{
    return (result->has_carry_over && sy_text_begins(note, "carry-over: ")) ||
           (result->process_count > 1 && sy_text_begins(note, "processes: "));
}

static void put_evidence(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;
    char e_value[SY_FIGURE_SIZE];
    char mean[SY_FIGURE_SIZE];

    sy_page_paragraph(page, 0, 0, SY_TONE_STRONG, "Evidence");
    if (sy_programs_are_weighed(result))
        sy_programs_words_parity(result, &text);
    else
        sy_probe_words_parity(result, &text);
    sy_page_field(page, "outputs", sy_text_bytes(&text));
    if (!sy_programs_are_weighed(result))
        put_wrong_outputs(page, result);
    sy_text_clear(&text);
    sy_probe_words_cases(result, &text);
    sy_page_field(page, "cases", sy_text_bytes(&text));
    sy_text_clear(&text);
    sy_probe_words_left_out(result, &text);
    sy_page_field(page, "coverage", sy_text_bytes(&text));
    sy_text_clear(&text);
    if (result->pairs > 0 && !isnan(result->e_value)) {
        sy_text_append_format(&text, "%" PRIu32 " won of %" PRIu32 ", cap %" PRIu32 "; e-value %s", result->wins,
                              result->pairs, result->max_pairs, sy_figure_ratio(e_value, result->e_value));
        if (sy_probe_covered_count(result) > 1 && !isnan(result->geometric_mean_gain))
            sy_text_append_format(&text, "; mean gain over the cases %s",
                                  sy_figure_share(mean, result->geometric_mean_gain));
    }
    sy_page_field(page, sy_probe_covered_count(result) > 1 ? "rounds" : "pairs", sy_text_bytes(&text));
    sy_probe_processes_print(page, result);
    put_memory_line(page, result, &text);
    put_quality(page, result, &text);
    put_conduct(page, result, &text);
    for (size_t i = 0; i < result->note_count; i++) {
        if (!is_shown(result, result->notes[i]))
            sy_page_field(page, "note", result->notes[i]);
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

sy_status sy_report_probe(const sy_probe_result *result, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_headline(&page, result);
    if (sy_programs_are_weighed(result)) {
        sy_programs_print(&page, result);
    } else {
        put_subject(&page, result);
        put_implementations(&page, result);
        put_cases(&page, result);
    }
    if (page.style.all)
        sy_probe_samples_print(&page, result);
    put_evidence(&page, result);
    return sy_page_take(&page, ret_text, err);
}
