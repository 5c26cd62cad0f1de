/* SPDX-License-Identifier: Apache-2.0 */
/* Parity again, on the last timed outputs as they lie in their buffers, with the inputs that the last pair of each case
 * had. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "probe/parity/hold.h"

#define POISON 0xff

/* After pairs nobody is dropped for dying: the probe is then undecided. Hands back what is the caller's machine's
 * fault. */
static sy_status end_by(sy_weighing *w, const sy_contender *contender, sy_status status, sy_error *why, sy_error *err)
{
    if (status == SY_INTERRUPTED) {
        w->interrupted = true;
        sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "interrupted", "stopped by request");
        return SY_OK;
    }
    if (sy_weighing_is_blamable(w, status)) {
        sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "crashed", "%s, whose last output was to be checked: %s",
                        contender->name, why->what);
        return SY_OK;
    }
    if (err)
        *err = *why;
    return status;
}

static sy_status hold_outputs(sy_weighing *w, sy_contender *contender, sy_right_answers *answers, sy_held *worst,
                              sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    bool is_reference = contender == &w->contenders[0];
    sy_parity_model model = sy_model_of(w, contender, wc, false, wc->c->own_inputs, POISON);
    for (uint32_t o = 0; o < answers->output_count; o++) {
        sy_held held;
        void *found = sy_allocate(1, answers->output_sizes[o]);
        if (!found) {
            w->own_failure = true;
            return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to compare an output", wc->c->name);
        }
        sy_status status = sy_contender_wake(w, contender, 15, err);
        if (!status)
            status = contender->subject->table->read(contender->subject, wc->index, true, o, found,
                                                     answers->output_sizes[o], err);
        if (!status)
            status = sy_hold_output(w, answers, &model, is_reference, o, found, &held, err);
        if (!status)
            sy_held_keep_worse(worst, &held);
        if (!status && is_reference)
            answers->reference[o] = found;
        else
            sy_free(found);
        if (status)
            return status;
    }
    return SY_OK;
}

static void blame_output(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, const sy_held *held)
{
    sy_parity *kept = &contender->parity[wc - w->cases];
    kept->outcome = SY_PARITY_FAILED;
    kept->error_in_tolerances = held->parity.error_in_tolerances;
    (void)sy_text_copy(kept->reason, sizeof(kept->reason), held->parity.reason);
    sy_weighing_end(w, SY_DECISION_PARITY_FAILED, "parity", "%s%s: %s, the last timed output: %s",
                    contender == &w->contenders[0] ? "the reference " : "", contender->name, wc->c->name,
                    held->parity.reason);
    sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s, the last timed output: %s", wc->c->name,
                     held->parity.reason);
}

/* As in a slot, without poison: what is in the output buffers is what was timed last. */
static sy_status look_again(sy_weighing *w, sy_contender *contender, sy_right_answers *answers, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    sy_subject_run state = {0};
    sy_held worst = {.parity = {.deterministic = true}};
    uint64_t expected = wc->c->own_inputs && wc->has_timing_checksum ? wc->timing_checksum : answers->input_checksum;
    sy_status status = sy_contender_wake(w, contender, 15, err);
    if (!status)
        status = contender->subject->table->inspect(contender->subject, wc->index, &state, err);
    if (!status)
        status = hold_outputs(w, contender, answers, &worst, err);
    if (!status)
        status = sy_contender_rest(w, contender, err);
    if (status)
        return status;
    if (!state.canaries_intact)
        sy_held_fail(&worst, state.canary_reason);
    else if (state.input_checksum != expected && !wc->c->inputs_declared_equivalent)
        sy_held_fail(&worst, "an input was changed by a timed run");
    if (worst.reference_is_wrong) {
        sy_held_fail(&worst, "the oracle sides with the candidate");
        contender = &w->contenders[0];
    }
    if (worst.parity.outcome == SY_PARITY_FAILED)
        blame_output(w, contender, wc, &worst);
    return SY_OK;
}

/* The outputs of a worker that was started anew are not there: one run more, on the same inputs. */
static sy_status make_again(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err)
{
    sy_measured measured;
    sy_status status = sy_weighing_slot(w, contender, wc, 0, 1, wc->change, &measured, err);
    return status ? status : measured.failure;
}

static sy_status check_case(sy_weighing *w, sy_weighed_case *wc, sy_error *err)
{
    sy_contender *sides[2] = {&w->contenders[0], &w->contenders[w->finalist]};
    const int side_count = w->finalist > 0 ? 2 : 1; /* one implementation alone has nobody beside it */
    sy_right_answers answers = {0};
    sy_error own = SY_ERROR_INIT;
    sy_status status = SY_OK;
    bool lost = wc->output_lost;
    for (int side = 0; lost && side < side_count && !status && !w->ended; side++) {
        status = make_again(w, sides[side], wc, &own);
        if (status)
            status = end_by(w, sides[side], status, &own, err);
    }
    if (status || w->ended)
        return status;
    status = sy_right_answers_make(w, wc, SY_FILL_REAL, wc->c->own_inputs, w->seed, wc->change, true, &answers, &own);
    if (status)
        status = end_by(w, sides[0], status, &own, err);
    for (int side = 0; side < side_count && !status && !w->ended; side++) {
        status = look_again(w, sides[side], &answers, &own);
        if (status)
            status = end_by(w, sides[side], status, &own, err);
    }
    sy_right_answers_finish(&answers);
    return status;
}

sy_status sy_weighing_verify_again(sy_weighing *w, sy_error *err)
{
    sy_status status = SY_OK;
    for (uint32_t k = 0; !status && k < w->case_count && !w->ended; k++) {
        sy_weighed_case *wc = &w->cases[k];
        sy_weighing_progress(w, SY_PHASE_CHECK, NULL, wc->c->name, k, w->case_count);
        if (wc->change != SY_SUBJECT_NO_CHANGE) /* else no pair was taken */
            status = check_case(w, wc, err);
    }
    return status;
}
