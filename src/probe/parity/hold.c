/* SPDX-License-Identifier: Apache-2.0 */
/* One output, all who have a say. */
#include "probe/parity/hold.h"

#include <math.h>

#include "base/error.h"
#include "base/float_environment.h"
#include "base/text.h"
#include "operations/suite.h"

void sy_held_keep_worse(sy_held *kept, const sy_held *now)
{
    const sy_parity *a = &kept->parity;
    const sy_parity *b = &now->parity;
    bool worse = a->outcome == SY_PARITY_NOT_PERFORMED ||
                 (b->outcome == SY_PARITY_FAILED && a->outcome != SY_PARITY_FAILED) ||
                 (b->outcome == a->outcome && !(b->error_in_tolerances <= a->error_in_tolerances));
    double rms = fmax(a->rms_in_tolerances, b->rms_in_tolerances);
    double max_abs = fmax(a->max_abs, b->max_abs);
    bool deterministic = a->deterministic && b->deterministic;
    if (worse)
        *kept = *now;
    kept->parity.rms_in_tolerances = rms;
    kept->parity.max_abs = max_abs;
    kept->parity.deterministic = deterministic;
}

void sy_held_fail(sy_held *held, const char *reason)
{
    held->parity.outcome = SY_PARITY_FAILED;
    held->absolute = true;
    (void)sy_text_copy(held->parity.reason, sizeof(held->parity.reason), reason);
}

sy_parity_model sy_model_of(const sy_weighing *w, const sy_contender *contender, const sy_weighed_case *wc, bool exact,
                            bool own, uint8_t poison)
{
    const sy_tolerance *usual = &wc->c->tolerance;
    const sy_tolerance *asked = sy_case_tolerance(wc->c, w->suite->implementations[contender->variant].error_class);
    sy_parity_model model = {
        .tolerance = *asked, .exact = exact, .allows_nonfinite = wc->c->allows_nonfinite, .poison = poison};
    if (!isnan(w->options->absolute_tolerance) || !isnan(w->options->relative_tolerance)) {
        model.tolerance.absolute = w->options->absolute_tolerance;
        model.tolerance.relative = w->options->relative_tolerance;
    }
    const sy_implementation *reference = &w->suite->implementations[w->contenders[0].variant];
    double allowed_there = sy_case_tolerance(wc->c, reference->error_class)->c;
    if (own) { /* c sqrt(K) u scale, c = 4, on data that is not uniform */
        double wider = asked != usual && usual->c > 0 ? asked->c / usual->c : 1;
        model.tolerance.c = wider * 4 * sqrt((double)(wc->c->exact_length ? wc->c->exact_length : 1));
        model.tolerance.c_rms = model.tolerance.c;
    }
    if (asked->c > 0)
        model.reference_c = model.tolerance.c * fmax(1, allowed_there / asked->c);
    return model;
}

bool sy_model_is_own(const sy_parity_model *model)
{
    return !model->exact && (!isnan(model->tolerance.absolute) || !isnan(model->tolerance.relative));
}

/* The suite's comparison: any word but `passed` is a failure, silence too. */
static sy_status ask_suite(sy_weighing *w, const sy_right_answers *answers, uint32_t o, const void *found,
                           sy_held *held, sy_error *err)
{
    const sy_expectation *e = &answers->expectations[o];
    sy_output reference = {e->desc, answers->reference[o], answers->output_sizes[o]};
    sy_output candidate = {e->desc, found, answers->output_sizes[o]};
    sy_parity parity = {.element_count = e->element_count, .nmse = SY_NAN};
    const sy_float_environment host = sy_float_environment_save();
    sy_status status = w->suite->compare(w->suite->user, &reference, &candidate, &parity, err);
    (void)sy_float_environment_restore(host); /* foreign code in this process */
    if (status)
        return status;
    parity.reason[sizeof(parity.reason) - 1] = '\0';
    if (parity.outcome != SY_PARITY_PASSED) {
        parity.outcome = SY_PARITY_FAILED;
        if (parity.reason[0] == '\0')
            (void)sy_text_copy(parity.reason, sizeof(parity.reason), "outside of what the suite's comparison allows");
    }
    held->parity = parity;
    return SY_OK;
}

/* Tolerances of one's own are between candidate and reference; the reference answers to the oracle by the model. */
static void answer_to_oracle(sy_parity_model *model)
{
    if (sy_model_is_own(model) && model->tolerance.c > 0)
        model->tolerance.absolute = model->tolerance.relative = SY_NAN;
}

/* Between its samples the oracle has not looked: it does where the two disagree most. The reference answers by its own
 * tolerance. */
static sy_status ask_oracle_again(sy_weighing *w, const sy_right_answers *answers, const sy_parity_model *given,
                                  uint32_t o, sy_held *held, sy_error *err)
{
    sy_parity_model model = sy_model_of(w, &w->contenders[0], answers->wc, given->exact, answers->own, given->poison);
    sy_expectation e = answers->expectations[o];
    uint64_t index = held->parity.worst_index;
    double value;
    double scale;
    sy_parity reference;
    if (!e.indices || index >= e.element_count)
        return SY_OK;
    sy_status status = sy_right_answers_ask(w, answers, o, index, &value, &scale, err);
    if (status)
        return status;
    e.indices = &index;
    e.oracle_count = 1;
    e.values = &value;
    e.scales = &scale;
    e.reference = NULL;
    answer_to_oracle(&model);
    sy_parity_compare(&model, &e, answers->reference[o], &reference);
    held->reference_is_wrong = reference.outcome == SY_PARITY_FAILED;
    return SY_OK;
}

sy_status sy_hold_output(sy_weighing *w, const sy_right_answers *answers, const sy_parity_model *given,
                         bool is_reference, uint32_t o, const void *found, sy_held *ret_held, sy_error *err)
{
    sy_expectation e = answers->expectations[o];
    sy_held held = {.parity = {.deterministic = true}};
    sy_parity_model own = *given;
    const sy_parity_model *model = &own;
    sy_status status = SY_OK;
    if (w->suite->outputs_not_compared) {
        *ret_held = held;
        return SY_OK;
    }
    bool by_suite = w->suite->compare && !model->exact && !is_reference;
    e.reference = is_reference ? NULL : answers->reference[o];
    if (sy_model_is_own(given) && !is_reference)
        e.oracle_count = 0;
    else if (e.oracle_count > 0)
        answer_to_oracle(&own);
    if (by_suite) { /* nothing but the scan: it is not the suite's business to look for poison */
        sy_expectation scan = {.desc = e.desc, .element_count = e.element_count};
        sy_parity_compare(model, &scan, found, &held.parity);
    } else {
        sy_parity_compare(model, &e, found, &held.parity);
    }
    held.absolute = sy_parity_failure_is_absolute(&held.parity);
    if (by_suite && held.parity.outcome == SY_PARITY_PASSED)
        status = ask_suite(w, answers, o, found, &held, err);
    else if (!by_suite && held.parity.outcome == SY_PARITY_FAILED && !held.absolute && e.reference)
        status = ask_oracle_again(w, answers, model, o, &held, err);
    held.parity.deterministic = true;
    if (!status)
        *ret_held = held;
    return status;
}
