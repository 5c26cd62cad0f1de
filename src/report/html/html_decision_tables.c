/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: cases, implementations and conditions of one probe. */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/html/html_decision.h"
#include "report/page/figures.h"

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* 0 stands for unknown. */
static void put_known(sy_json_writer *json, uint64_t bytes)
{
    if (bytes == 0)
        sy_json_null(json);
    else
        sy_json_u64(json, bytes);
}

/* ---- cases ---- */

static void put_case(sy_json_writer *json, const sy_case_result *c)
{
    bool covered = or_empty(c->left_out)[0] == '\0';
    sy_json_begin_array(json);
    sy_json_text(json, c->name);
    sy_json_text(json, !covered ? "left out" : c->regression ? "slower" : c->resolved ? "not slower" : "not shown");
    sy_json_double(json, c->gain);
    sy_json_double(json, c->reference_median_ns);
    sy_json_double(json, c->candidate_median_ns);
    sy_json_double(json, c->weight);
    sy_json_double(json, c->share);
    sy_json_text(json, sy_parity_outcome_word(c->parity.outcome));
    sy_json_double(json, c->parity.outcome != SY_PARITY_NOT_PERFORMED ? c->parity.error_in_tolerances : NAN);
    sy_json_text(json, covered ? c->parity.reason : c->left_out);
    sy_json_end_array(json);
}

static void put_cases(sy_json_writer *json, const sy_probe_result *result)
{
    const char *unit = result->metric.unit != NULL ? result->metric.unit : "ns";
    const sy_html_column columns[] = {
        {"case", "Case", SY_HTML_TEXT, NULL},
        {"shown", "Shown to be", SY_HTML_WORD, NULL},
        {"gain", "Saved", SY_HTML_NUMBER, "share"},
        {"reference", "Reference, median", SY_HTML_NUMBER, unit},
        {"candidate", "Candidate, median", SY_HTML_NUMBER, unit},
        {"weight", "Weight", SY_HTML_NUMBER, ""},
        {"share", "Share of the reference's total", SY_HTML_NUMBER, "share"},
        {"parity", "Parity", SY_HTML_WORD, NULL},
        {"error", "Error in tolerances", SY_HTML_NUMBER, ""},
        {"why", "Remark", SY_HTML_TEXT, NULL},
    };
    const sy_html_table table = {.name = "cases",
                                 .title = "Cases",
                                 .note = "An error of 1 tolerance or less passes. Medians are over the usable pairs of "
                                         "the final.",
                                 COLUMNS(columns)};
    sy_html_table_begin(json, &table);
    for (size_t i = 0; i < result->case_count; i++)
        put_case(json, &result->cases[i]);
    sy_html_table_end(json);
}

/* ---- implementations ---- */

static void put_reference(sy_json_writer *json, const sy_probe_result *result)
{
    sy_json_begin_array(json);
    sy_json_text(json, result->reference);
    sy_json_text(json, "reference");
    sy_json_text(json, "");
    sy_json_null(json);
    sy_json_text(json, "");
    sy_json_null(json);
    put_known(json, result->reference_memory_bytes);
    put_known(json, result->reference_device_bytes);
    sy_json_null(json);
    sy_json_text(json, result->reference_info.version);
    sy_json_text(json, "");
    sy_json_end_array(json);
}

static void put_candidate(sy_json_writer *json, const sy_candidate_result *candidate)
{
    bool compared = candidate->parity != SY_PARITY_NOT_PERFORMED;
    sy_json_begin_array(json);
    sy_json_text(json, candidate->name);
    sy_json_text(json, sy_decision_word(candidate->decision));
    sy_json_text(json, or_empty(candidate->reason));
    sy_json_double(json, candidate->gain);
    sy_json_text(json, compared ? sy_parity_outcome_word(candidate->parity) : "");
    sy_json_double(json, compared ? candidate->error_in_tolerances : NAN);
    put_known(json, candidate->memory_bytes);
    put_known(json, candidate->device_bytes);
    sy_json_u64(json, candidate->rounds);
    sy_json_text(json, candidate->info.version);
    sy_json_text(json, or_empty(candidate->detail));
    sy_json_end_array(json);
}

static void put_candidates(sy_json_writer *json, const sy_probe_result *result)
{
    static const sy_html_column columns[] = {
        {"name", "Implementation", SY_HTML_TEXT, NULL},
        {"decision", "Decision", SY_HTML_WORD, NULL},
        {"reason", "Reason", SY_HTML_WORD, NULL},
        {"gain", "Saved", SY_HTML_NUMBER, "share"},
        {"parity", "Parity", SY_HTML_WORD, NULL},
        {"error", "Error in tolerances", SY_HTML_NUMBER, ""},
        {"memory", "Peak memory of its process", SY_HTML_NUMBER, "bytes"},
        {"buffers", "Its buffers, calculated", SY_HTML_NUMBER, "bytes"},
        {"rounds", "Rounds", SY_HTML_NUMBER, ""},
        {"version", "What it is here", SY_HTML_TEXT, NULL},
        {"detail", "Why", SY_HTML_TEXT, NULL},
    };
    static const sy_html_table table = {.name = "candidates",
                                        .title = "Implementations",
                                        .note = "Saved is the share of the reference's cost; below zero it costs more.",
                                        COLUMNS(columns)};
    sy_html_table_begin(json, &table);
    put_reference(json, result);
    for (size_t i = 0; i < result->candidate_count; i++)
        put_candidate(json, &result->candidates[i]);
    sy_html_table_end(json);
}

void sy_html_put_decision_tables(sy_json_writer *json, const sy_probe_result *result)
{
    put_cases(json, result);
    put_candidates(json, result);
}

/* ---- conditions ---- */

static void put_fact(sy_json_writer *json, const char *label, sy_text *text)
{
    if (text->length > 0) {
        sy_json_begin_array(json);
        sy_json_text(json, label);
        sy_html_put_text(json, text);
        sy_json_end_array(json);
    }
    sy_text_clear(text);
}

static void put_rule(sy_json_writer *json, const sy_probe_result *result, sy_text *text)
{
    char a[SY_FIGURE_SIZE], b[SY_FIGURE_SIZE];
    bool faster = result->question == SY_QUESTION_FASTER;
    if (faster)
        sy_text_append_format(text, "faster by at least %s?", sy_figure_setting(a, result->min_improvement));
    else
        sy_text_append_format(text, "not slower by more than %s?", sy_figure_setting(a, result->margin));
    put_fact(json, "question", text);
    sy_text_append_format(text, "%s: a wrong yes in at most %s of probes, a wrong no in at most %s",
                          sy_rule_kind_word(result->rule), sy_figure_setting(a, result->alpha),
                          sy_figure_setting(b, result->beta));
    put_fact(json, "rule", text);
    sy_text_append_format(text, "%" PRIu32 " of at most %" PRIu32 " pairs, %" PRIu32 " won", result->pairs,
                          result->max_pairs, result->wins);
    put_fact(json, "sampling", text);
    if (isfinite(result->e_value))
        sy_text_append_format(text, "%.3g to 1 against a fair coin", result->e_value);
    put_fact(json, "evidence", text);
    sy_text_append_format(text, "a case may be slower by %s at most", sy_figure_setting(a, result->veto));
    put_fact(json, "veto", text);
}

static void put_noise(sy_json_writer *json, const sy_probe_result *result, sy_text *text)
{
    char a[SY_FIGURE_SIZE], b[SY_FIGURE_SIZE];
    if (isfinite(result->noise))
        sy_text_append_format(text, "%s of the reference against itself", sy_figure_share(a, result->noise));
    put_fact(json, "noise", text);
    if (isfinite(result->resolvable_gain))
        sy_text_append_format(text, "%s is found four times in five", sy_figure_share(a, result->resolvable_gain));
    put_fact(json, "resolution", text);
    if (result->has_carry_over)
        sy_text_append_format(text, "%s on the reference, %s on the candidate, p %.3g",
                              sy_figure_share(a, result->carry_over.a), sy_figure_share(b, result->carry_over.b),
                              result->carry_over.p);
    put_fact(json, "carry-over", text);
    if (result->process_count > 1)
        sy_text_append_format(text, "%zu fresh ones, gains deviate by %s", result->process_count,
                              sy_figure_share(a, result->process_spread.deviation));
    put_fact(json, "processes", text);
}

static void put_clock(const sy_probe_condition *condition, sy_text *text)
{
    if (isfinite(condition->before.clock_hz) && isfinite(condition->after.clock_hz))
        sy_text_append_format(text, "clock %.2f to %.2f GHz", condition->before.clock_hz / 1e9,
                              condition->after.clock_hz / 1e9);
    if (condition->after.throttled >= 0)
        sy_text_append_format(text, "%s%s", text->length > 0 ? ", " : "",
                              condition->after.throttled > 0 ? "throttled" : "not throttled");
}

static void put_condition(sy_json_writer *json, const sy_probe_result *result, sy_text *text)
{
    char a[SY_FIGURE_SIZE];
    const sy_probe_condition *condition = &result->condition;
    if (!result->has_condition)
        return;
    put_clock(condition, text);
    put_fact(json, "processor", text);
    if (isfinite(condition->steal_share))
        sy_text_append_format(text, "%s taken by the hypervisor", sy_figure_share(a, condition->steal_share));
    if (isfinite(condition->pressure_share))
        sy_text_append_format(text, "%s%s of the time a task waited", text->length > 0 ? ", " : "",
                              sy_figure_share(a, condition->pressure_share));
    put_fact(json, "others", text);
    if (condition->switches_known)
        sy_text_append_format(text, "%" PRIu32 " pairs", condition->preempted_pairs);
    put_fact(json, "switched away", text);
}

static void put_measuring(sy_json_writer *json, const sy_probe_result *result, sy_text *text)
{
    char a[SY_FIGURE_SIZE], b[SY_FIGURE_SIZE];
    sy_text_append_format(text, "%s, %s measured", sy_figure_time(a, (double)result->wall_ns),
                          sy_figure_time(b, (double)result->measured_ns));
    put_fact(json, "took", text);
    if (result->timer != NULL)
        sy_text_append_format(text, "%s, steps of %s", result->timer, sy_figure_time(a, result->timer_resolution_ns));
    put_fact(json, "timer", text);
    sy_text_append_format(text, "%s; caches %s", sy_isolation_word(result->isolation),
                          sy_cache_state_word(result->cache));
    put_fact(json, "isolation", text);
    sy_text_append_format(text, "%" PRIu64 "%s", result->seed, result->seed_fixed ? ", given by the caller" : "");
    put_fact(json, "seed", text);
}

void sy_html_put_decision_facts(sy_json_writer *json, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_name(json, "facts");
    sy_json_begin_array(json);
    put_rule(json, result, &text);
    put_noise(json, result, &text);
    put_condition(json, result, &text);
    put_measuring(json, result, &text);
    sy_json_end_array(json);
    sy_text_finish(&text);
}
