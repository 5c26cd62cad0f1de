/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded final fed to the rule again: what was decided must come out once more. */
#include <steelyard/replay.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "probe/rule/rule.h"

static sy_unusable unusable_of(const char *word)
{
    if (word == NULL)
        return SY_USABLE;
    if (strcmp(word, "crashed") == 0)
        return SY_UNUSABLE_CRASHED;
    return strcmp(word, "void") == 0 ? SY_UNUSABLE_VOID : SY_UNUSABLE_TIMER;
}

static bool was_switched_away(const sy_sample *sample)
{
    return (sample->reference_switches != SY_SWITCHES_UNKNOWN && sample->reference_switches > 0) ||
           (sample->candidate_switches != SY_SWITCHES_UNKNOWN && sample->candidate_switches > 0);
}

static sy_status feed(sy_rule *rule, const sy_recorded_final *final, sy_rule_state *ret_state, sy_error *err)
{
    sy_rule_pair *pairs = sy_allocate(final->case_count, sizeof *pairs);
    size_t rounds = final->sample_count / final->case_count;
    sy_status status = pairs != NULL ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a round");

    ret_state->answer = SY_RULE_CONTINUE;
    for (size_t round = 0; status == SY_OK && round < rounds; round++) {
        const sy_sample *first = &final->samples[round * final->case_count];
        bool preempted = false;

        if (ret_state->answer != SY_RULE_CONTINUE) {
            status = sy_fail(err, SY_CORRUPT, "the rule has its answer after %zu of the %zu recorded rounds", round,
                             rounds);
            break;
        }
        if (round > 0 && first->process != (first - 1)->process)
            sy_rule_next_process(rule);
        for (size_t c = 0; c < final->case_count; c++) {
            const sy_sample *sample = &first[c];

            pairs[c] = (sy_rule_pair){sample->reference_ns, sample->candidate_ns, sample->reference_first,
                                      unusable_of(sample->unusable)};
            preempted = preempted || was_switched_away(sample);
        }
        if (preempted)
            sy_rule_mark_preempted(rule);
        status = sy_rule_step(rule, pairs, ret_state, err);
    }
    sy_free(pairs);
    return status;
}

/* What ended the sampling, as far as the reason tells; where it tells of a guard, time had run out. */
static sy_rule_end end_of(const sy_recorded_final *final)
{
    if (strcmp(final->reason, "wall-limit") == 0)
        return SY_RULE_END_WALL_LIMIT;
    if (strcmp(final->reason, "interrupted") == 0)
        return SY_RULE_END_INTERRUPTED;
    return strcmp(final->reason, "crashed") == 0 ? SY_RULE_END_CRASHED : SY_RULE_END_BUDGET;
}

static sy_decision decision_of(const sy_recorded_final *final, sy_rule_answer answer)
{
    switch (answer) {
    case SY_RULE_WIN: /* of a tie set, which was chosen before the final */
        return final->decision == SY_DECISION_TIE ? SY_DECISION_TIE : SY_DECISION_WIN;
    case SY_RULE_NO_GAIN:
        return SY_DECISION_NO_GAIN;
    case SY_RULE_NOT_SLOWER:
        return SY_DECISION_NOT_SLOWER;
    case SY_RULE_SLOWER:
        return SY_DECISION_SLOWER;
    default:
        return SY_DECISION_INCONCLUSIVE;
    }
}

/* To the last bit, but for the reciprocals of what was recorded, which were rounded on their way. */
static bool is_same(const sy_recorded_final *final, double a, double b)
{
    double allowed = final->rates ? 1e-12 : 0;

    return a == b || fabs(a - b) <= allowed || (isnan(a) && isnan(b));
}

/* Whether the decision is the rule's at all: the last outputs, for instance, may have been wrong. */
static bool rule_decides(sy_decision decision)
{
    return decision != SY_DECISION_PARITY_FAILED && decision != SY_DECISION_UNAVAILABLE &&
           decision != SY_DECISION_VACUOUS;
}

static void compare(const sy_recorded_final *final, sy_replay_judgement *judgement)
{
    bool decided = rule_decides(final->decision);
    const struct {
        const char *name;
        bool same;
    } parts[] = {
        {"decision", !decided || judgement->decision == final->decision},
        {"reason", !decided || strcmp(judgement->reason, final->reason) == 0},
        {"pairs", judgement->pairs == final->pairs},
        {"wins", judgement->wins == final->wins},
        {"gain", is_same(final, judgement->gain, final->gain)},
        {"gain_low", is_same(final, judgement->gain_low, final->gain_low)},
        {"gain_high", is_same(final, judgement->gain_high, final->gain_high)},
    };
    sy_text differs = SY_TEXT_INIT;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].same)
            sy_text_append_format(&differs, "%s%s", differs.length > 0 ? ", " : "", parts[i].name);
    }
    (void)sy_text_copy(judgement->differs, sizeof judgement->differs,
                       differs.failed ? "something" : sy_text_bytes(&differs));
    sy_text_finish(&differs);
}

static sy_status judge(sy_rule *rule, const sy_recorded_final *final, sy_replay_judgement *ret_judgement, sy_error *err)
{
    sy_rule_evidence evidence = {.has_carry_over = final->has_carry_over,
                                 .carry_over = final->carry_over,
                                 /* between processes of one run each there is nothing to control */
                                 .carry_over_unknown = !final->has_carry_over &&
                                                       final->isolation != SY_ISOLATION_PROCESS,
                                 .resolvable_gain = final->resolvable_gain};
    sy_rule_state state;
    sy_status status = feed(rule, final, &state, err);

    if (status != SY_OK)
        return status;
    evidence.end = state.answer == SY_RULE_CONTINUE ? end_of(final) : SY_RULE_END_RULE;
    status = sy_rule_finish(rule, &evidence, &state, err);
    if (status != SY_OK)
        return status;
    *ret_judgement = (sy_replay_judgement){
        .decision = decision_of(final, state.answer),
        .reason = state.reason,
        .pairs = state.rounds,
        .wins = state.wins,
        .gain = state.gain,
        .gain_low = state.gain_low,
        .gain_high = state.gain_high,
    };
    compare(final, ret_judgement);
    return SY_OK;
}

sy_status sy_replay_final(const sy_recorded_final *final, sy_replay_judgement *ret_judgement, sy_error *err)
{
    const sy_rule_options options = {.question = final->question,
                                     .kind = final->rule,
                                     .max_pairs = final->max_pairs,
                                     .processes = final->processes,
                                     .alpha = final->alpha,
                                     .beta = final->beta,
                                     .min_improvement = final->min_improvement,
                                     .margin = final->margin,
                                     .veto = final->veto,
                                     .case_count = final->case_count <= UINT32_MAX ? (uint32_t) final->case_count : 0,
                                     .weights = final->weights};
    sy_rule *rule = NULL;
    sy_status status = sy_rule_create(&options, &rule, err);

    if (status == SY_OK)
        status = judge(rule, final, ret_judgement, err);
    sy_rule_destroy(rule);
    return status;
}
