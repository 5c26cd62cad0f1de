/* SPDX-License-Identifier: Apache-2.0 */
/* Parity in its stages, before any time is taken. Per case and stage: what is right is made once, the reference is held
 * against it, then each candidate. The check of the last timed outputs is verify_again.c. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/suite.h"
#include "probe/coverage.h"
#include "probe/parity/hold.h"

#define POISON 0xff /* NaN in every floating-point type */
#define OTHER_POISON 0xa5
#define REAL_RUNS 3

/* Other inputs drawn for the test of the test. The sums of a hundred other vectors hold one that lies within the
 * tolerance of the right sum by chance; an output of few elements proves nothing only if each of several draws passes.
 */
#define FEW_ELEMENTS 16
#define OTHERS_OF_FEW 4

typedef struct other_outputs {
    uint32_t count;
    void *of[OTHERS_OF_FEW][SY_SUBJECT_TENSORS_MAX];
} other_outputs;

typedef struct stage {
    const char *name;
    sy_fill fill;
    bool own;
    bool exact;
} stage;

enum { STAGE_LEFT, STAGE_RIGHT, STAGE_REAL, STAGE_OWN, STAGES };

static const stage stages[STAGES] = {
    [STAGE_LEFT] = {"exact stage", SY_FILL_EXACT_LEFT, false, true},
    [STAGE_RIGHT] = {"exact stage, roles exchanged", SY_FILL_EXACT_RIGHT, false, true},
    [STAGE_REAL] = {"real stage", SY_FILL_REAL, false, false},
    [STAGE_OWN] = {"the case's own inputs", SY_FILL_REAL, true, false},
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

/* The stage on which the test is tested: the first that is not exact. */
static bool tests_the_test(const sy_weighing *w, const sy_weighed_case *wc, const stage *s)
{
    return !s->exact && (!s->own || !stage_applies(w, wc, &stages[STAGE_REAL]));
}

/* Seconds after which a call is called hung. */
static double hang_s(const sy_weighed_case *wc)
{
    return 5 + 5e-9 * wc->c->flop_count + 5e-9 * (double)wc->shape.memory_bytes;
}

/* Before each call: a hung implementation is found, whatever the wall limit leaves. */
static sy_status wake(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, sy_error *err)
{
    return sy_contender_wake(w, contender, hang_s(wc), err);
}

static sy_status fill(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, const stage *s, uint64_t seed,
                      uint64_t *ret_checksum, sy_error *err)
{
    sy_status status = wake(w, contender, wc, err);
    return status ? status
                  : contender->subject->table->fill(contender->subject, wc->index, s->fill, s->own, seed, ret_checksum,
                                                    err);
}

/* One run, whose time is kept. A reference that shows no sign of fitting the wall limit is not waited for. */
static sy_status run(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, uint8_t poison,
                     sy_subject_run *ret_run, sy_error *err)
{
    double patience = contender == &w->contenders[0] ? sy_coverage_patience(w) : INFINITY;
    double *quickest = &contender->checked_ns[wc - w->cases];
    sy_status status = sy_contender_wake(w, contender, fmin(hang_s(wc), patience), err);
    if (!status)
        status = contender->subject->table->run(contender->subject, wc->index, poison, ret_run, err);
    if (!status && ret_run->elapsed_ns > 0)
        *quickest = fmin(*quickest, (double)ret_run->elapsed_ns);
    else if (status == SY_TIMED_OUT && patience < hang_s(wc))
        *quickest = patience * 1e9; /* at least */
    return status;
}

/* One output into fresh memory, which the caller frees. */
static sy_status read_output(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, uint32_t o,
                             void **ret_bytes, sy_error *err)
{
    void *bytes = sy_allocate(1, answers->output_sizes[o]);
    if (!bytes) {
        w->own_failure = true;
        return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to compare an output", answers->wc->c->name);
    }
    sy_status status = wake(w, contender, answers->wc, err);
    if (!status)
        status = contender->subject->table->read(contender->subject, answers->wc->index, true, o, bytes,
                                                 answers->output_sizes[o], err);
    if (status)
        sy_free(bytes);
    else
        *ret_bytes = bytes;
    return status;
}

/* One checked run of a stage: run on poison, canaries, inputs, each output. first: the outputs of run 0, kept for the
 * comparison of runs; filled by run 0. */
static sy_status checked_run(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                             uint32_t run_index, void *first[], sy_held *ret_held, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    uint8_t poison = run_index == 1 ? OTHER_POISON : POISON;
    sy_parity_model model = sy_model_of(w, contender, wc, s->exact, s->own, poison);
    sy_subject_run seen;
    sy_held worst = {.parity = {.deterministic = true}};
    sy_status status = run(w, contender, wc, poison, &seen, err);
    for (uint32_t o = 0; !status && o < answers->output_count; o++) {
        void *found = NULL;
        sy_held held;
        status = read_output(w, contender, answers, o, &found, err);
        if (!status)
            status = sy_hold_output(w, answers, &model, contender == &w->contenders[0], o, found, &held, err);
        if (!status) {
            held.parity.deterministic = run_index == 0 || memcmp(first[o], found, answers->output_sizes[o]) == 0;
            sy_held_keep_worse(&worst, &held);
        }
        if (!status && run_index == 0 && !s->exact && contender == &w->contenders[0])
            sy_weighing_note_subnormal_output(w, wc, o, found);
        if (!status && run_index == 0)
            first[o] = found;
        else
            sy_free(found);
    }
    if (status)
        return status;
    contender->float_changed |= seen.float_changed;
    contender->float_loaded |= seen.float_loaded;
    if (seen.has_account && seen.account.void_reason[0])
        return sy_fail(err, SY_UNAVAILABLE, "%s", seen.account.void_reason);
    if (seen.has_account)
        contender->run_ns[wc - w->cases] = (double)seen.account.elapsed_ns;
    if (seen.has_account && seen.account.wrong[0])
        sy_held_fail(&worst, seen.account.wrong);
    else if (!seen.canaries_intact)
        sy_held_fail(&worst, seen.canary_reason);
    else if (seen.input_checksum != answers->input_checksum && !wc->c->inputs_declared_equivalent)
        sy_held_fail(&worst, "an input was changed by the run");
    *ret_held = worst;
    return SY_OK;
}

/* All runs of one stage on one contender; first[] receives the outputs of the first run (to be freed). */
static sy_status run_stage(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                           void *first[], sy_held *ret_held, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    assert(wc != NULL);
    uint64_t checksum = 0;
    sy_held worst = {.parity = {.deterministic = true}};
    sy_status status = fill(w, contender, wc, s, w->seed, &checksum, err);
    if (status)
        return status;
    if (checksum != answers->input_checksum && !wc->c->inputs_declared_equivalent) {
        sy_held_fail(&worst, "its inputs differ from the reference's");
        *ret_held = worst;
        return SY_OK;
    }
    uint32_t runs = s->exact || w->device->backend->whole_programs ? 1 : REAL_RUNS;
    for (uint32_t n = 0; !status && n < runs && worst.parity.outcome != SY_PARITY_FAILED; n++) {
        sy_held held;
        status = checked_run(w, contender, answers, s, n, first, &held, err);
        if (!status)
            sy_held_keep_worse(&worst, &held);
    }
    if (!status && !worst.parity.deterministic && wc->c->promises_determinism &&
        worst.parity.outcome == SY_PARITY_PASSED)
        sy_held_fail(&worst, "runs differ, and the case promises that they do not");
    if (!status)
        *ret_held = worst;
    return status;
}

static void digest_text(const void *bytes, uint64_t size, char *to)
{
    sy_digest digest;
    sy_digest_of(bytes, size, &digest);
    sy_digest_format(&digest, to);
}

/* Books a stage that is not exact: the worse of all, with the digests of the first. */
static void book_figures(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const sy_held *held,
                         void *first[])
{
    size_t k = (size_t)(answers->wc - w->cases);
    sy_held kept = {.parity = contender->parity[k]};
    bool is_first = kept.parity.outcome == SY_PARITY_NOT_PERFORMED;
    sy_parity before = kept.parity;
    if (is_first)
        kept = *held;
    else
        sy_held_keep_worse(&kept, held);
    contender->parity[k] = kept.parity;
    sy_parity *now = &contender->parity[k];
    if (is_first && first[0] && !now->digest[0]) { /* else the suite has told both */
        digest_text(first[0], answers->output_sizes[0], now->digest);
        (void)sy_text_copy(now->reference_digest, sizeof(now->reference_digest), w->contenders[0].parity[k].digest);
        (void)sy_text_copy(now->input_digest, sizeof(now->input_digest), answers->input_digest);
    } else if (!is_first) {
        memcpy(now->digest, before.digest, sizeof(now->digest));
        memcpy(now->reference_digest, before.reference_digest, sizeof(now->reference_digest));
        memcpy(now->input_digest, before.input_digest, sizeof(now->input_digest));
    }
    if (contender->exact_failure[k] && now->outcome == SY_PARITY_PASSED) {
        now->outcome = SY_PARITY_QUALIFIED;
        (void)sy_text_copy(now->reason, sizeof(now->reason), contender->exact_failure[k]);
    }
    if (!held->parity.deterministic && contender->error_class < SY_CLASS_APPROXIMATE)
        contender->error_class = SY_CLASS_NONDETERMINISTIC;
}

/* What a stage gave: a failed exact stage qualifies if it is a matter of tolerance; everything else that fails is out.
 * Where the oracle sides with the candidate, the reference is. */
static sy_status book(sy_weighing *w, sy_contender *contender, const sy_right_answers *answers, const stage *s,
                      const sy_held *held, void *first[], sy_error *err)
{
    size_t k = (size_t)(answers->wc - w->cases);
    const char *case_name = answers->wc->c->name;
    if (held->reference_is_wrong) {
        sy_weighing_drop(w, &w->contenders[0], SY_DECISION_PARITY_FAILED, "parity",
                         "%s, %s: the oracle sides with %s at element %llu", case_name, s->name, contender->name,
                         (unsigned long long)held->parity.worst_index);
        return SY_OK;
    }
    if (s->exact && held->parity.outcome == SY_PARITY_FAILED && !held->absolute) {
        contender->exact_failure[k] = sy_arena_format(w->arena, "%s: %s", s->name, held->parity.reason);
        w->own_failure = !contender->exact_failure[k];
        if (contender->error_class == SY_CLASS_EXACT)
            contender->error_class = SY_CLASS_TOLERANCE;
        return w->own_failure ? sy_fail(err, SY_NO_MEMORY, "no memory for the result") : SY_OK;
    }
    if (!s->exact)
        book_figures(w, contender, answers, held, first);
    else if (held->absolute)
        contender->parity[k] = held->parity;
    if (held->parity.outcome == SY_PARITY_FAILED) {
        contender->parity[k].outcome = SY_PARITY_FAILED;
        (void)sy_text_copy(contender->parity[k].reason, sizeof(contender->parity[k].reason), held->parity.reason);
        bool programs = w->device->backend->whole_programs; /* one case, one stage: nothing to tell apart */
        sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s%s%s%s%s", programs ? "" : case_name,
                         programs ? "" : ", ", programs ? "" : s->name, programs ? "" : ": ", held->parity.reason);
    }
    return SY_OK;
}

/* The outputs of other seeds' inputs, for the test of the test; the caller frees them. */
static sy_status run_others(sy_weighing *w, const sy_right_answers *answers, const stage *s, other_outputs *others,
                            sy_error *err)
{
    sy_contender *reference = &w->contenders[0];
    uint64_t checksum;
    sy_subject_run seen;
    uint32_t draws = 1;
    sy_status status = SY_OK;
    for (uint32_t o = 0; o < answers->output_count; o++)
        if (answers->expectations[o].element_count < FEW_ELEMENTS)
            draws = OTHERS_OF_FEW;
    for (; !status && others->count < draws; others->count += !status) {
        status = fill(w, reference, answers->wc, s, w->seed + 1 + others->count, &checksum, err);
        if (!status)
            status = run(w, reference, answers->wc, POISON, &seen, err);
        for (uint32_t o = 0; !status && o < answers->output_count; o++)
            status = read_output(w, reference, answers, o, &others->of[others->count][o], err);
    }
    return status;
}

/* Whether a case allows a contender more than the reference. */
static bool is_relaxed(const sy_weighing *w, const sy_contender *contender, const sy_weighed_case *wc)
{
    const sy_implementation *all = w->suite->implementations;
    return sy_case_tolerance(wc->c, all[contender->variant].error_class) !=
           sy_case_tolerance(wc->c, all[w->contenders[0].variant].error_class);
}

/* The suite's own comparison as the test of the test asks it. */
typedef struct suite_test {
    sy_weighing *w;
    const sy_right_answers *answers;
    const sy_parity_model *model;
    uint32_t output;
    sy_status status;
    sy_error *err;
} suite_test;

static bool suite_passes(void *user, const void *output)
{
    suite_test *test = user;
    sy_held held = {.parity = {.outcome = SY_PARITY_FAILED}};
    if (!test->status)
        test->status = sy_hold_output(test->w, test->answers, test->model, false, test->output, output, &held,
                                      test->err);
    return held.parity.outcome == SY_PARITY_PASSED;
}

/* Stage 8 for the tolerance that a contender is held to, with the reference's outputs as the right ones. *ret_why stays
 * NULL when the comparison notices. */
static sy_status test_the_test(sy_weighing *w, const sy_contender *contender, const sy_right_answers *answers,
                               const stage *s, const other_outputs *others, const char **ret_why, sy_error *err)
{
    sy_parity_model model = sy_model_of(w, contender, answers->wc, false, s->own, POISON);
    const char *why = NULL;
    for (uint32_t o = 0; o < answers->output_count && !why; o++) {
        suite_test test = {w, answers, &model, o, SY_OK, err};
        sy_passing passing = {suite_passes, &test};
        sy_expectation e = answers->expectations[o];
        e.reference = answers->reference[o];
        if (sy_model_is_own(&model))
            e.oracle_count = 0;
        const void *other[OTHERS_OF_FEW];
        for (uint32_t draw = 0; draw < others->count; draw++)
            other[draw] = others->of[draw][o];
        why = sy_parity_vacuous(&model, &e, answers->reference[o], other, others->count, answers->wc->c->allows_zeros,
                                w->suite->compare ? &passing : NULL);
        if (test.status)
            return test.status;
        w->own_failure = why && sy_text_equal(why, "out of memory");
        if (w->own_failure)
            return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to test the test", answers->wc->c->name);
    }
    *ret_why = why;
    return SY_OK;
}

/* The case proves nothing, or only nothing of those that it allows more. */
static sy_status test_all_tests(sy_weighing *w, const sy_right_answers *answers, const stage *s,
                                const other_outputs *others, sy_error *err)
{
    const char *case_name = answers->wc->c->name;
    const sy_contender *relaxed = NULL;
    const char *why = NULL;
    sy_status status = test_the_test(w, &w->contenders[0], answers, s, others, &why, err);
    if (!status && why)
        sy_weighing_end(w, SY_DECISION_VACUOUS, "vacuous", "case %s proves nothing: %s", case_name, why);
    for (uint32_t i = 1; !status && !w->ended && i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        if (!contender->live || !is_relaxed(w, contender, answers->wc))
            continue;
        if (!relaxed)
            status = test_the_test(w, contender, answers, s, others, &why, err);
        relaxed = contender;
        if (!status && why)
            sy_weighing_drop(w, contender, SY_DECISION_VACUOUS, "vacuous",
                             "case %s proves nothing at its wider tolerance: %s", case_name, why);
    }
    return status;
}

static void free_outputs(void *outputs[])
{
    for (uint32_t o = 0; o < SY_SUBJECT_TENSORS_MAX; o++)
        sy_free(outputs[o]);
}

/* Whether the reference was not hung, but only too slow for a case to fit: then it is started anew. */
static bool was_too_slow(const sy_weighing *w, const sy_contender *contender, const sy_weighed_case *wc,
                         sy_status status)
{
    return status == SY_TIMED_OUT && contender == &w->contenders[0] && sy_coverage_patience(w) < hang_s(wc);
}

static sy_status verify_contender(sy_weighing *w, sy_contender *contender, sy_right_answers *answers, const stage *s,
                                  bool *ret_fits, sy_error *err)
{
    void *first[SY_SUBJECT_TENSORS_MAX] = {0};
    other_outputs others = {0};
    sy_held held;
    sy_error own = SY_ERROR_INIT;
    bool is_reference = contender == &w->contenders[0];
    bool testing = is_reference && !w->device->backend->whole_programs && tests_the_test(w, answers->wc, s);
    sy_status status = testing ? run_others(w, answers, s, &others, &own) : SY_OK;
    if (!status)
        status = run_stage(w, contender, answers, s, first, &held, &own);
    if (!status)
        status = book(w, contender, answers, s, &held, first, &own);
    if (!status && contender->live)
        status = sy_contender_rest(w, contender, &own);
    if (!status && is_reference) {
        memcpy(answers->reference, first, sizeof(first)); /* handed over */
        memset(first, 0, sizeof(first));
        if (testing && contender->live)
            status = test_all_tests(w, answers, s, &others, &own);
    }
    free_outputs(first);
    for (uint32_t draw = 0; draw < OTHERS_OF_FEW; draw++)
        free_outputs(others.of[draw]);
    if (was_too_slow(w, contender, answers->wc, status)) {
        *ret_fits = false;
        status = sy_contender_revive(w, contender, &own);
    }
    if (status)
        status = sy_weighing_blame(w, contender, status, &own);
    if (status && err)
        *err = own;
    return status;
}

/* *ret_fits is false when it has become clear that the case does not fit the wall limit. */
static sy_status verify_stage(sy_weighing *w, sy_weighed_case *wc, const stage *s, bool *ret_fits, sy_error *err)
{
    sy_right_answers answers = {0};
    sy_error own = SY_ERROR_INIT;
    uint64_t checksum;
    uint64_t start_ns = sy_weighing_wall(w);
    double before_ns = wc->parity_wall_ns;
    sy_status status = SY_OK;
    if (s->own) /* the reference's inputs are the case's: they must be there before they are read */
        status = fill(w, &w->contenders[0], wc, s, w->seed, &checksum, &own);
    if (!status)
        status = sy_right_answers_make(w, wc, s->fill, s->own, w->seed, SY_SUBJECT_NO_CHANGE, false, &answers, &own);
    if (!status && !s->exact)
        sy_weighing_note_subnormal_inputs(w, wc, answers.inputs);
    if (status && s->own)
        status = sy_weighing_blame(w, &w->contenders[0], status, &own);
    if (status && err)
        *err = own;
    for (uint32_t i = 0; !status && *ret_fits && i < w->contender_count && !sy_weighing_stops(w); i++) {
        if (!w->contenders[i].live)
            continue;
        status = verify_contender(w, &w->contenders[i], &answers, s, ret_fits, err);
        wc->parity_wall_ns = (double)(sy_weighing_wall(w) - start_ns) + before_ns;
        if (!status && *ret_fits && !w->ended)
            *ret_fits = sy_coverage_still_admits(w, (uint32_t)(wc - w->cases), &w->contenders[i]);
    }
    sy_right_answers_finish(&answers);
    return status;
}

static sy_status verify_case(sy_weighing *w, uint32_t k, sy_error *err)
{
    sy_weighed_case *wc = &w->cases[k];
    bool fits = true;
    sy_status status = SY_OK;
    for (size_t s = 0; !status && s < STAGES && fits && !w->ended; s++) {
        if (stage_applies(w, wc, &stages[s]))
            status = verify_stage(w, wc, &stages[s], &fits, err);
    }
    if (status || w->ended)
        return status;
    wc->verified = fits;
    if (!fits)
        sy_coverage_leave_out(w, k, "wall-limit", sy_coverage_predict(w, k));
    return SY_OK;
}

sy_status sy_weighing_verify(sy_weighing *w, sy_error *err)
{
    sy_status status = SY_OK;
    uint32_t k;
    uint32_t all = w->case_count;
    for (uint32_t done = 0; !status && sy_coverage_next(w, &k) && !sy_weighing_stops(w); done++) {
        sy_weighing_progress(w, SY_PHASE_PARITY, NULL, w->cases[k].c->name, done, all);
        if (sy_coverage_admits(w, k))
            status = verify_case(w, k, err);
    }
    if (!status)
        sy_coverage_end_if_empty(w);
    return status;
}
