/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the decision rule: why an open answer stays open, which guard overturns a claim, and the notes. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/rule/rule_parts.h"

void rule_note(sy_rule *rule, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    sy_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    assert(rule->note_count < RULE_NOTES_MAX);
    rule->notes[rule->note_count] = sy_duplicate_text(text);
    if (rule->notes[rule->note_count] == NULL)
        rule->note_lost = true;
    else
        rule->note_count++;
}

void rule_forget_notes(sy_rule *rule)
{
    while (rule->note_count > 0)
        sy_free(rule->notes[--rule->note_count]);
    rule->note_lost = false;
}

static bool all_resolved(const sy_rule *rule)
{
    for (uint32_t c = 0; c < rule->options.case_count; c++) {
        if (!rule->case_states[c].resolved)
            return false;
    }
    return true;
}

/* What the guards found. */
typedef struct findings {
    const char *overturned_by; /* the first that overturns a claim; NULL = none */
    bool processes_differ;
} findings;

static bool is_too_noisy(const sy_rule *rule, const sy_rule_evidence *evidence)
{
    return rule->options.kind == SY_RULE_CAPPED && evidence->resolvable_gain > rule_target(rule) &&
           evidence->resolvable_gain < 1;
}

/* Why the answer stays open. A case not shown counts before the time that ran out; noise only explains a full cap. */
static const char *open_reason(const sy_rule *rule, const sy_rule_evidence *evidence, bool processes_differ)
{
    bool ended_by_rule = rule->answer == SY_RULE_INCONCLUSIVE;
    uint32_t unusable = rule->round_count - rule->usable;

    if (ended_by_rule && unusable * 5 > rule->round_count)
        return rule_unusable_reason(rule);
    if (!ended_by_rule && evidence->end == SY_RULE_END_INTERRUPTED)
        return "interrupted";
    if (!ended_by_rule && evidence->end == SY_RULE_END_CRASHED)
        return "crashed";
    if (processes_differ)
        return "processes";
    if (rule_bounds_contradict(rule))
        return "drift";
    if (rule->crossed && !all_resolved(rule))
        return "case-unresolved";
    if (!ended_by_rule)
        return evidence->end == SY_RULE_END_BUDGET ? "budget" : "wall-limit";
    if (!rule->crossed && is_too_noisy(rule, evidence))
        return "noise";
    return rule->reason;
}

static void note_samples(sy_rule *rule)
{
    const uint32_t *pairs = rule->unusable_pairs;
    sy_rule_state state;

    if (rule->options.kind == SY_RULE_MEDIANS)
        rule_note(rule,
                  "medians: a point estimate without an error rate; it takes about half of the candidates that sit "
                  "exactly at the threshold");
    if (rule->usable < rule->round_count)
        rule_note(rule, "unusable: %u of %u pairs; runs: %u timer, %u crashed, %u void",
                  rule->round_count - rule->usable, rule->round_count, pairs[SY_UNUSABLE_TIMER],
                  pairs[SY_UNUSABLE_CRASHED], pairs[SY_UNUSABLE_VOID]);
    rule_describe(rule, &state);
    if (rule->answer == SY_RULE_WIN && state.total_gain < rule->options.min_improvement)
        rule_note(rule, "total: the medians taken apart show a gain of %.1f %%; the pairs decide",
                  100 * state.total_gain);
    if (rule->options.question == SY_QUESTION_NOT_SLOWER && rule->options.kind == SY_RULE_CAPPED) {
        uint32_t slower = 0;

        for (uint32_t c = 0; c < rule->options.case_count; c++)
            slower += rule->case_states[c].regression;
        if (slower > 0)
            rule_note(rule, "cases: %u of %u are slower by more than %g %%", slower, rule->options.case_count,
                      100 * rule->options.veto);
    }
    rule_note_modes(rule);
}

/* Every guard is asked, for its note. */
static sy_status ask_guards(sy_rule *rule, const sy_rule_evidence *evidence, findings *ret_findings, sy_error *err)
{
    bool carry_over = evidence->carry_over_unknown;
    bool order = false;
    bool drift = false;
    bool preempted = false;
    bool processes = false;
    bool bounds = rule_guard_bounds(rule);
    sy_status status;

    if (evidence->has_carry_over)
        carry_over = rule_guard_carry_over(rule, &evidence->carry_over);
    status = rule_guard_processes(rule, &processes, err);
    if (status == SY_OK)
        status = rule_guard_order(rule, &order, err);
    if (status == SY_OK)
        status = rule_guard_drift(rule, &drift, err);
    if (status == SY_OK)
        status = rule_guard_preempted(rule, &preempted, err);
    if (status != SY_OK)
        return status;
    ret_findings->processes_differ = processes;
    ret_findings->overturned_by = carry_over        ? "carry-over"
                                  : processes       ? "processes"
                                  : order           ? "order"
                                  : drift || bounds ? "drift"
                                  : preempted       ? "preempted"
                                                    : NULL;
    return SY_OK;
}

sy_status sy_rule_finish(sy_rule *rule, const sy_rule_evidence *evidence, sy_rule_state *ret_state, sy_error *err)
{
    bool is_open = rule->answer == SY_RULE_CONTINUE || rule->answer == SY_RULE_INCONCLUSIVE;
    bool claims = rule->answer == SY_RULE_WIN || rule->answer == SY_RULE_NOT_SLOWER;
    findings found = {NULL, false};
    sy_status status;

    if (rule->finished)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the rule has already ended");
    if (rule->answer == SY_RULE_CONTINUE && evidence->end == SY_RULE_END_RULE)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the rule has not answered after %u rounds: say what ended it",
                       rule->round_count);
    note_samples(rule);
    status = ask_guards(rule, evidence, &found, err);
    if (status == SY_OK && rule->note_lost)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the notes of %u rounds", rule->round_count);
    if (status != SY_OK) {
        rule_forget_notes(rule);
        return status;
    }
    if (is_open) {
        rule->reason = open_reason(rule, evidence, found.processes_differ);
        rule->answer = SY_RULE_INCONCLUSIVE;
    } else if (claims && found.overturned_by != NULL && rule->options.kind == SY_RULE_CAPPED) {
        rule->answer = SY_RULE_INCONCLUSIVE;
        rule->reason = found.overturned_by;
    }
    rule->finished = true;
    rule_describe(rule, ret_state);
    return SY_OK;
}

const char *const *sy_rule_notes(const sy_rule *rule, size_t *ret_count)
{
    *ret_count = rule->note_count;
    return (const char *const *)rule->notes;
}
