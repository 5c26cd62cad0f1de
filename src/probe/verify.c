/* SPDX-License-Identifier: Apache-2.0 */
/* Parity in its stages, before any time is taken and again on the last timed outputs. Per case and stage: what is right
 * is made once, the reference is held against it, then each candidate. */
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "probe/expectation.h"
#include "probe/float_environment.h"

#define POISON 0xff /* NaN in every floating-point type */
#define OTHER_POISON 0xa5
#define REAL_RUNS 3

typedef struct stage {
    const char *name;
    sy_fill fill;
    bool own;
    bool exact;
} stage;

static const stage stages[] = {
    {"exact stage", SY_FILL_EXACT_LEFT, false, true},
    {"exact stage, roles exchanged", SY_FILL_EXACT_RIGHT, false, true},
    {"real stage", SY_FILL_REAL, false, false},
    {"the case's own inputs", SY_FILL_REAL, true, false},
};

static bool stage_applies(const sy_weighing *w, const sy_weighed_case *wc, const stage *s)
{
    bool integers = false;
    for (uint32_t i = 0; i < wc->shape.input_count; i++)
        integers |= sy_dtype_is_integer(wc->shape.inputs[i].dtype);
    if (s->own)
        return wc->c->own_inputs;
    if (s->exact)
        return wc->c->exact_stage;
    return !(integers && w->suite->initialize &&
             wc->c->own_inputs); /* integers without initialize are refused by the fill */
}

static sy_parity_model model_of(const sy_weighing *w, const sy_weighed_case *wc, const stage *s, uint8_t poison)
{
    sy_parity_model model = {.tolerance = wc->c->tolerance,
                             .exact = s->exact,
                             .allows_nonfinite = wc->c->allows_nonfinite,
                             .poison = poison};
    if (!isnan(w->options->absolute_tolerance) || !isnan(w->options->relative_tolerance)) {
        model.tolerance.absolute = w->options->absolute_tolerance;
        model.tolerance.relative = w->options->relative_tolerance;
    }
    if (s->own) { /* parity.md: c sqrt(K) u scale, c = 4, on data that is not uniform */
        model.tolerance.c = 4 * sqrt((double)(wc->c->exact_length ? wc->c->exact_length : 1));
        model.tolerance.c_rms = model.tolerance.c;
    }
    return model;
}

/* A hung implementation is found within this time, whatever the wall limit leaves. */
static double patience_s(const sy_weighed_case *wc)
{
    return 5 + 5e-9 * wc->c->flop_count;
}

/* The worse of two figures: a failure before anything, then the larger error. */
static void keep_worse(sy_parity *kept, const sy_parity *now)
{
    bool worse = kept->outcome == SY_PARITY_NOT_PERFORMED ||
                 (now->outcome == SY_PARITY_FAILED && kept->outcome != SY_PARITY_FAILED) ||
                 (now->outcome == kept->outcome && !(now->error_in_tolerances <= kept->error_in_tolerances));
    double rms = fmax(kept->rms_in_tolerances, now->rms_in_tolerances);
    double max_abs = fmax(kept->max_abs, now->max_abs);
    bool deterministic = kept->deterministic && now->deterministic;
    if (worse)
        *kept = *now;
    kept->deterministic = deterministic;
    kept->rms_in_tolerances = rms;
    kept->max_abs = max_abs;
}

static void fail_with(sy_parity *figures, const char *reason)
{
    figures->outcome = SY_PARITY_FAILED;
    (void)sy_text_copy(figures->reason, sizeof(figures->reason), reason);
}

static sy_status compare_output(sy_weighing *w, const sy_right_answers *answers, const sy_parity_model *model,
                                bool is_reference, uint32_t o, const void *found, sy_parity *ret_parity, sy_error *err)
{
    sy_expectation e = answers->expectations[o];
    e.reference = is_reference ? NULL : answers->reference[o];
    if (!w->suite->compare || model->exact || is_reference) {
        sy_parity_compare(model, &e, found, ret_parity);
        return SY_OK;
    }
    sy_output reference = {e.desc, answers->reference[o], answers->output_sizes[o]};
    sy_output candidate = {e.desc, found, answers->output_sizes[o]};
    *ret_parity = (sy_parity){.element_count = e.element_count, .nmse = SY_NAN};
    return w->suite->compare(w->suite->user, &reference, &candidate, ret_parity, err);
}

/* One checked run of a stage: run on poison, canaries, inputs, each output. first: the outputs of run 0, kept for the
 * comparison of runs; filled by run 0. */
static sy_status checked_run(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                             uint32_t run_index, void *first[], sy_parity *ret_parity, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    uint8_t poison = run_index == 1 ? OTHER_POISON : POISON;
    sy_parity_model model = model_of(w, wc, s, poison);
    sy_subject_run run;
    sy_parity worst = {.outcome = SY_PARITY_NOT_PERFORMED, .deterministic = true};
    sy_status status = contender->subject->table->run(contender->subject, wc->index, poison, &run, err);
    for (uint32_t o = 0; !status && o < answers->output_count; o++) {
        void *found = sy_allocate(1, answers->output_sizes[o]);
        sy_parity parity;
        if (!found)
            return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to compare an output", wc->c->name);
        status = contender->subject->table->read(contender->subject, wc->index, true, o, found,
                                                 answers->output_sizes[o], err);
        if (!status)
            status = compare_output(w, answers, &model, contender == &w->contenders[0], o, found, &parity, err);
        if (!status) {
            parity.deterministic = run_index == 0 || memcmp(first[o], found, answers->output_sizes[o]) == 0;
            keep_worse(&worst, &parity);
        }
        if (!status && run_index == 0) {
            first[o] = found;
            continue;
        }
        sy_free(found);
    }
    if (status)
        return status;
    contender->float_changed |= run.float_changed;
    if (!run.canaries_intact)
        fail_with(&worst, run.canary_reason);
    else if (run.input_checksum != answers->input_checksum && !wc->c->inputs_declared_equivalent)
        fail_with(&worst, "an input was changed by the run");
    *ret_parity = worst;
    return SY_OK;
}

/* All runs of one stage on one contender; first[] receives the outputs of the first run (to be freed). */
static sy_status run_stage(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                           uint64_t seed, void *first[], sy_parity *ret_parity, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    uint64_t checksum = 0;
    sy_parity worst = {.outcome = SY_PARITY_NOT_PERFORMED, .deterministic = true, .rms_in_tolerances = 0};
    sy_status status = contender->subject->table->fill(contender->subject, wc->index, s->fill, s->own, seed, &checksum,
                                                       err);
    if (status)
        return status;
    if (checksum != answers->input_checksum && !wc->c->inputs_declared_equivalent) {
        fail_with(&worst, "its inputs differ from the reference's");
        *ret_parity = worst;
        return SY_OK;
    }
    uint32_t runs = s->exact ? 1 : REAL_RUNS;
    for (uint32_t run = 0; !status && run < runs && worst.outcome != SY_PARITY_FAILED; run++) {
        sy_parity parity;
        status = checked_run(w, contender, answers, s, run, first, &parity, err);
        if (!status)
            keep_worse(&worst, &parity);
    }
    if (!status && !worst.deterministic && wc->c->promises_determinism && worst.outcome == SY_PARITY_PASSED)
        fail_with(&worst, "runs differ, and the case promises that they do not");
    if (!status)
        *ret_parity = worst;
    return status;
}

static void digest_text(const void *bytes, uint64_t size, char *to)
{
    sy_digest digest;
    sy_digest_of(bytes, size, &digest);
    sy_digest_format(&digest, to);
}

/* Books what a stage gave. A failed exact stage qualifies, the real one fails. */
static void book(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                 const sy_parity *parity, void *first[])
{
    uint32_t k = (uint32_t)(answers->wc - w->cases);
    sy_parity *kept = &contender->parity[k];
    bool qualified = kept->outcome == SY_PARITY_QUALIFIED;
    char exact_reason[sizeof(kept->reason)];
    (void)sy_text_copy(exact_reason, sizeof(exact_reason), kept->reason);
    if (s->exact) {
        if (parity->outcome == SY_PARITY_FAILED) {
            *kept = *parity;
            kept->outcome = SY_PARITY_QUALIFIED;
            if (contender->error_class == SY_CLASS_EXACT)
                contender->error_class = SY_CLASS_TOLERANCE;
        }
        return;
    }
    if (!s->own || parity->outcome == SY_PARITY_FAILED || kept->outcome == SY_PARITY_NOT_PERFORMED)
        *kept = *parity;
    if (qualified && kept->outcome == SY_PARITY_PASSED) {
        kept->outcome = SY_PARITY_QUALIFIED;
        (void)sy_text_copy(kept->reason, sizeof(kept->reason), exact_reason); /* what the exact stage said */
    }
    if (first[0] && !s->own) {
        digest_text(first[0], answers->output_sizes[0], kept->digest);
        (void)sy_text_copy(kept->reference_digest, sizeof(kept->reference_digest), w->contenders[0].parity[k].digest);
        (void)sy_text_copy(kept->input_digest, sizeof(kept->input_digest), answers->input_digest);
    }
    if (!parity->deterministic && contender->error_class < SY_CLASS_APPROXIMATE)
        contender->error_class = SY_CLASS_NONDETERMINISTIC;
    if (kept->outcome == SY_PARITY_FAILED)
        sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s, %s: %s", answers->wc->c->name, s->name,
                         kept->reason);
}

/* The outputs of another seed's inputs, for the test of the test. */
static sy_status run_other(sy_weighing *w, const sy_right_answers *answers, const stage *s, uint64_t seed,
                           void **ret_other, sy_error *err)
{
    sy_subject *reference = w->contenders[0].subject;
    uint64_t checksum;
    sy_subject_run run;
    void *other = sy_allocate(1, answers->output_sizes[0]);
    if (!other)
        return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to test the test", answers->wc->c->name);
    sy_status status = reference->table->fill(reference, answers->wc->index, s->fill, s->own, seed + 1, &checksum, err);
    if (!status)
        status = reference->table->run(reference, answers->wc->index, POISON, &run, err);
    if (!status)
        status = reference->table->read(reference, answers->wc->index, true, 0, other, answers->output_sizes[0], err);
    if (status)
        sy_free(other);
    else
        *ret_other = other;
    return status;
}

/* Stage 8, with the reference's output as the right one. */
static sy_status test_the_test(sy_weighing *w, sy_right_answers *answers, const stage *s, void *other, sy_error *err)
{
    sy_parity_model model = model_of(w, answers->wc, s, POISON);
    sy_expectation e = answers->expectations[0];
    e.reference = answers->reference[0];
    const char *why = sy_parity_vacuous(&model, &e, answers->reference[0], other, answers->wc->c->allows_zeros);
    if (why && sy_text_equal(why, "out of memory"))
        return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to test the test", answers->wc->c->name);
    if (why)
        sy_weighing_end(w, SY_DECISION_VACUOUS, "vacuous", "case %s proves nothing: %s", answers->wc->c->name, why);
    return SY_OK;
}

static sy_status verify_contender(sy_weighing *w, sy_contender *contender, sy_right_answers *answers, const stage *s,
                                  sy_error *err)
{
    void *first[SY_SUBJECT_TENSORS_MAX] = {0};
    void *other = NULL;
    sy_parity parity;
    sy_error own = SY_ERROR_INIT;
    bool is_reference = contender == &w->contenders[0];
    bool testing = is_reference && !s->exact && !s->own && answers->output_count > 0;
    sy_status status = sy_contender_wake(w, contender, patience_s(answers->wc), &own);
    if (!status && testing)
        status = run_other(w, answers, s, w->seed, &other, &own);
    if (!status)
        status = run_stage(w, contender, answers, s, w->seed, first, &parity, &own);
    if (!status)
        book(w, contender, answers, s, &parity, first);
    if (!status && contender->live)
        status = sy_contender_rest(w, contender, &own);
    if (!status && is_reference) {
        memcpy(answers->reference, first, sizeof(first)); /* handed over */
        memset(first, 0, sizeof(first));
        if (testing && contender->live)
            status = test_the_test(w, answers, s, other, &own);
    }
    for (uint32_t o = 0; o < SY_SUBJECT_TENSORS_MAX; o++)
        sy_free(first[o]);
    sy_free(other);
    if (status && err)
        *err = own;
    return status ? sy_weighing_blame(w, contender, status, err) : SY_OK;
}

static sy_status verify_stage(sy_weighing *w, sy_weighed_case *wc, const stage *s, sy_error *err)
{
    sy_right_answers answers = {0};
    sy_status status = SY_OK;
    if (s->own) { /* the reference's inputs are the case's: they must be there before they are read */
        uint64_t checksum;
        status = sy_contender_wake(w, &w->contenders[0], patience_s(wc), err);
        if (!status)
            status = w->contenders[0].subject->table->fill(w->contenders[0].subject, wc->index, s->fill, true, w->seed,
                                                           &checksum, err);
    }
    if (!status)
        status = sy_right_answers_make(w, wc, s->fill, s->own, w->seed, SY_SUBJECT_NO_CHANGE, false, &answers, err);
    for (uint32_t i = 0; !status && i < w->contender_count && !sy_weighing_stops(w); i++) {
        if (w->contenders[i].live)
            status = verify_contender(w, &w->contenders[i], &answers, s, err);
    }
    sy_right_answers_finish(&answers);
    return status;
}

sy_status sy_weighing_verify(sy_weighing *w, sy_error *err)
{
    sy_status status = SY_OK;
    for (uint32_t k = 0; !status && k < w->case_count && !sy_weighing_stops(w); k++) {
        sy_weighed_case *wc = &w->cases[k];
        sy_weighing_progress(w, SY_PHASE_PARITY, NULL, wc->c->name, k, w->case_count);
        for (size_t s = 0; !status && s < sizeof(stages) / sizeof(stages[0]) && !w->ended; s++) {
            if (stage_applies(w, wc, &stages[s]))
                status = verify_stage(w, wc, &stages[s], err);
        }
    }
    return status;
}

/* ---- again, on the last timed outputs ---- */

/* As in a slot, without poison: what is in the output buffers is what was timed last. */
static sy_status look_again(sy_weighing *w, sy_contender *contender, sy_right_answers *answers, const stage *s,
                            sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    sy_subject *subject = contender->subject;
    sy_subject_run state = {0};
    bool is_reference = contender == &w->contenders[0];
    sy_parity_model model = model_of(w, wc, s, POISON);
    sy_parity worst = {.outcome = SY_PARITY_NOT_PERFORMED, .deterministic = true};
    sy_status status = sy_contender_wake(w, contender, patience_s(wc), err);
    if (!status)
        status = subject->table->inspect(subject, wc->index, &state, err);
    for (uint32_t o = 0; !status && o < answers->output_count; o++) {
        sy_parity parity;
        void *found = sy_allocate(1, answers->output_sizes[o]);
        if (!found)
            return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to compare an output", wc->c->name);
        status = subject->table->read(subject, wc->index, true, o, found, answers->output_sizes[o], err);
        if (!status)
            status = compare_output(w, answers, &model, is_reference, o, found, &parity, err);
        if (!status)
            keep_worse(&worst, &parity);
        if (!status && is_reference) {
            answers->reference[o] = found;
            continue;
        }
        sy_free(found);
    }
    if (!status)
        status = sy_contender_rest(w, contender, err);
    if (status)
        return status;
    if (!state.canaries_intact)
        fail_with(&worst, state.canary_reason);
    else if (state.input_checksum != answers->input_checksum && !wc->c->inputs_declared_equivalent)
        fail_with(&worst, "an input was changed by a timed run");
    if (worst.outcome == SY_PARITY_FAILED) {
        sy_parity *kept = &contender->parity[wc - w->cases];
        kept->outcome = SY_PARITY_FAILED;
        kept->error_in_tolerances = worst.error_in_tolerances;
        (void)sy_text_copy(kept->reason, sizeof(kept->reason), worst.reason);
        sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s, the last timed output: %s",
                         wc->c->name, worst.reason);
        sy_weighing_end(w, SY_DECISION_PARITY_FAILED, "parity", "%s: %s", contender->name, contender->detail);
    }
    return SY_OK;
}

static sy_status verify_case_again(sy_weighing *w, sy_weighed_case *wc, sy_contender *sides[2], sy_error *err)
{
    sy_right_answers answers = {0};
    const stage *s = &stages[wc->c->own_inputs ? 3 : 2];
    sy_status status = sy_right_answers_make(w, wc, SY_FILL_REAL, wc->c->own_inputs, w->seed, wc->change, true,
                                             &answers, err);
    for (int side = 0; !status && side < 2 && !w->ended; side++)
        status = look_again(w, sides[side], &answers, s, err);
    sy_right_answers_finish(&answers);
    return status;
}

sy_status sy_weighing_verify_again(sy_weighing *w, sy_error *err)
{
    sy_contender *sides[2] = {&w->contenders[0], &w->contenders[w->finalist]};
    sy_status status = SY_OK;
    for (uint32_t k = 0; !status && k < w->case_count && !w->ended; k++) {
        sy_weighed_case *wc = &w->cases[k];
        bool died = false;
        sy_weighing_progress(w, SY_PHASE_CHECK, NULL, wc->c->name, k, w->case_count);
        if (wc->change == SY_SUBJECT_NO_CHANGE)
            continue;                 /* no pair was taken */
        if (wc->last_pair_unusable) { /* a worker was started anew: its output is not there */
            sy_measured measured;
            for (int side = 0; !status && side < 2; side++)
                status = sy_weighing_slot(w, sides[side], wc, 0, 1, wc->change, &measured, &died, err);
        }
        if (!status && died)
            status = sy_fail(err, SY_DIED, "a worker died while its last output was made again");
        if (!status)
            status = verify_case_again(w, wc, sides, err);
    }
    w->verified_twice = !status && !w->ended;
    return status ? sy_weighing_blame(w, sides[1], status, err) : SY_OK;
}
