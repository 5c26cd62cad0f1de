/* SPDX-License-Identifier: Apache-2.0 */
/* The final: rounds of coin-flipped pairs, fed to the rule until it answers or something ends the sampling. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/memory.h"
#include "probe/weighing.h"

sy_rule_options sy_rule_options_of(const sy_probe_options *options, uint32_t case_count, const double *weights)
{
    return (sy_rule_options){
        .question = options->question,
        .kind = options->rule,
        .max_pairs = options->max_pairs,
        .alpha = options->alpha,
        .beta = options->beta,
        .min_improvement = options->min_improvement,
        .margin = options->margin,
        .veto = options->veto,
        .case_count = case_count,
        .weights = weights,
        .processes = options->processes,
    };
}

sy_status sy_weighing_make_rule(sy_weighing *w, sy_error *err)
{
    sy_rule_options options = sy_rule_options_of(w->options, w->case_count, w->weights);
    return sy_rule_create(&options, &w->rule, err);
}

/* One round. *ret_complete: every case has its pair; otherwise *ret_end says what cut it. *ret_preempted: a timed run
 * was switched away. */
static sy_status run_round(sy_weighing *w, uint32_t round, uint32_t *order, sy_rule_pair *pairs, bool *ret_complete,
                           bool *ret_preempted, sy_rule_end *ret_end, sy_error *err)
{
    sy_contender *finalist = &w->contenders[w->finalist];
    size_t first_sample = w->sample_count;
    *ret_complete = *ret_preempted = false;
    sy_random_permutation(&w->order, order, w->case_count);
    for (uint32_t n = 0; n < w->case_count; n++) {
        uint32_t k = order[n];
        bool reference_first = w->options->rule == SY_RULE_MEDIANS ? round % 2 == 0 : sy_random_coin(&w->coins);
        if (w->options->cancelled && w->options->cancelled(w->options->user)) {
            *ret_end = SY_RULE_END_INTERRUPTED;
            return SY_OK;
        }
        sy_cost cost = {0, 0};
        sy_cost_add(&cost, &w->contenders[0], w, &w->cases[k], 1);
        sy_cost_add(&cost, finalist, w, &w->cases[k], 1);
        if (!sy_weighing_affords(w, &cost, ret_end))
            return SY_OK;
        sy_error own = SY_ERROR_INIT;
        sy_status status = sy_weighing_pair(w, finalist, &w->cases[k], reference_first, &pairs[k], &own);
        if (!status && w->ended) /* a side's outputs were not those verified: it is out */
            return SY_OK;
        if (status == SY_INTERRUPTED) {
            *ret_end = SY_RULE_END_INTERRUPTED;
            return SY_OK;
        }
        if (sy_weighing_is_blamable(w, status)) { /* it cannot run, or be started, any more: the pairs so far stand */
            sy_weighing_note(w, "the pairs ended: %s", own.what);
            *ret_end = SY_RULE_END_CRASHED;
            return SY_OK;
        }
        if (status) {
            if (err)
                *err = own;
            return status;
        }
        sy_sample sample = {.round = round,
                            .case_index = k,
                            .candidate = w->finalist - 1,
                            .reference_first = reference_first,
                            .final = true,
                            .reference_ns = pairs[k].reference_ns,
                            .candidate_ns = pairs[k].candidate_ns,
                            .unusable = sy_rule_unusable_word(&pairs[k]),
                            .process = w->process};
        *ret_preempted |= sy_weighing_condition_pair(w, &sample);
        status = sy_weighing_keep_sample(w, &sample, err);
        if (status)
            return status;
    }
    for (size_t i = first_sample; i < w->sample_count; i++)
        w->samples[i].fed = true;
    *ret_complete = true;
    return SY_OK;
}

static sy_status finish_rule(sy_weighing *w, sy_rule_end end, sy_error *err)
{
    sy_status status = sy_weighing_join_processes(w, err);
    if (status)
        return status;
    sy_rule_evidence evidence = {.end = end,
                                 .has_carry_over = w->has_carry_over,
                                 .carry_over = w->carry_over,
                                 .carry_over_unknown = !w->has_carry_over && !w->device->backend->whole_programs,
                                 .resolvable_gain = w->resolvable_gain};
    status = sy_rule_finish(w->rule, &evidence, &w->state, err);
    if (status)
        return status;
    w->has_state = true;
    w->interrupted |= end == SY_RULE_END_INTERRUPTED;
    size_t count;
    const char *const *notes = sy_rule_notes(w->rule, &count);
    for (size_t i = 0; i < count; i++)
        sy_weighing_note(w, "%s", notes[i]);
    return SY_OK;
}

/* The next round's process: the present one as long as it has to give and time suffices for the others. */
static sy_status take_process(sy_weighing *w, bool *ret_goes_on, sy_rule_end *ret_end, sy_error *err)
{
    *ret_goes_on = true;
    if (!w->state.process_ends && !sy_weighing_process_spares(w))
        return SY_OK;
    return sy_weighing_next_process(w, ret_goes_on, ret_end, err);
}

sy_status sy_weighing_rounds(sy_weighing *w, sy_error *err)
{
    uint32_t *order = sy_allocate(w->case_count, sizeof(*order));
    sy_rule_pair *pairs = sy_allocate(w->case_count, sizeof(*pairs));
    sy_rule_end end = SY_RULE_END_RULE;
    bool complete = true;
    bool preempted = false;
    sy_contender *finalist = &w->contenders[w->finalist];
    sy_status status = order && pairs ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for a round");
    sy_weighing_condition_before(w);
    if (!status)
        w->state = (sy_rule_state){.answer = SY_RULE_CONTINUE, .gain = SY_NAN};
    while (!status && complete && w->state.answer == SY_RULE_CONTINUE) {
        uint32_t round = w->state.rounds;
        status = take_process(w, &complete, &end, err);
        if (status || !complete)
            break;
        sy_weighing_progress(w, SY_PHASE_ROUNDS, finalist, "", round, w->options->max_pairs);
        status = run_round(w, round, order, pairs, &complete, &preempted, &end, err);
        if (!status && complete) {
            if (preempted)
                sy_rule_mark_preempted(w->rule);
            status = sy_rule_step(w->rule, pairs, &w->state, err);
            w->has_state = !status;
            finalist->rounds++;
        }
    }
    sy_weighing_condition_after(w);
    if (!status)
        status = finish_rule(w, w->state.answer == SY_RULE_CONTINUE ? end : SY_RULE_END_RULE, err);
    sy_free(order);
    sy_free(pairs);
    return status;
}
