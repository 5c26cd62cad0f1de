/* SPDX-License-Identifier: Apache-2.0 */
/* From names to contenders that stand ready: subjects, builds, the shapes compared, admission of their memory,
 * allocation. */
#include "backends/backend.h"
#include "base/error.h"
#include "base/text.h"
#include "probe/coverage.h"

static sy_status create_subject(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    const sy_probe_options *options = w->options;
    sy_status status;
    if (w->isolated) {
        /* What is free on a device of its own says nothing of what its driver takes of the machine. */
        const uint64_t limit = w->device->own_memory ? 0 : options->worker_memory_limit_bytes;
        sy_worker_options worker = {options->worker_path, options->metadata_capacity_bytes, limit};
        status = sy_subject_create_worker(w->device, w->suite, contender->variant, &worker, &contender->subject, err);
    } else {
        status = sy_subject_create_local(w->device, w->suite, contender->variant, options->metadata_capacity_bytes,
                                         &contender->subject, err);
    }
    if (!status) {
        contender->subject->working_set_bytes = w->working_set_bytes;
        contender->subject->cancelled = options->cancelled;
        contender->subject->user = options->user;
    }
    return status;
}

/* NULL, or which of the two tensors lists differ and how. */
static const char *shapes_differ(const sy_subject_shape *a, const sy_subject_shape *b)
{
    if (a->input_count != b->input_count)
        return "shape: another number of inputs";
    if (a->output_count != b->output_count)
        return "shape: another number of outputs";
    for (uint32_t i = 0; i < a->input_count; i++) {
        if (!sy_tensor_desc_equal(&a->inputs[i], &b->inputs[i]))
            return "shape: an input differs in type, dimensions or layout";
    }
    for (uint32_t i = 0; i < a->output_count; i++) {
        if (a->outputs[i].dtype != b->outputs[i].dtype)
            return "shape: an output has another type";
        if (!sy_tensor_desc_equal(&a->outputs[i], &b->outputs[i]))
            return "shape: an output differs in dimensions or layout";
    }
    return NULL;
}

/* "input" or "output": the first kind that has a tensor with gaps; NULL = none. */
static const char *strided_tensor(const sy_subject_shape *shape)
{
    for (uint32_t i = 0; i < shape->input_count; i++) {
        if (!sy_tensor_desc_is_contiguous(&shape->inputs[i]))
            return "input";
    }
    for (uint32_t i = 0; i < shape->output_count; i++) {
        if (!sy_tensor_desc_is_contiguous(&shape->outputs[i]))
            return "output";
    }
    return NULL;
}

static sy_status build_case(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err)
{
    sy_subject_shape shape;
    bool is_reference = contender == &w->contenders[0];
    sy_status status = contender->subject->table->build(contender->subject, wc->index, &shape, err);
    if (status)
        return status;
    if (!shape.available) {
        sy_weighing_drop(w, contender, SY_DECISION_UNAVAILABLE, "unsupported", "%s: %s", wc->c->name, shape.reason);
        return SY_OK;
    }
    size_t k = (size_t)(wc - w->cases);
    uint64_t turns = shape.copies > 1 ? shape.copies - 1 : 0;
    contender->case_bytes[k] = shape.memory_bytes;
    contender->case_scratch_bytes[k] = shape.scratch_bytes;
    if (__builtin_mul_overflow(turns, shape.memory_bytes, &contender->case_copies_bytes[k]))
        contender->case_copies_bytes[k] = UINT64_MAX;
    if (is_reference) {
        const char *strided = strided_tensor(&shape);
        wc->shape = shape;
        if (strided)
            sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s: shape: an %s is not contiguous",
                             wc->c->name, strided);
        return SY_OK;
    }
    const char *difference = shapes_differ(&wc->shape, &shape);
    if (difference) {
        contender->parity[wc - w->cases].outcome = SY_PARITY_FAILED;
        (void)sy_text_copy(contender->parity[wc - w->cases].reason, sizeof(contender->parity[0].reason), difference);
        sy_weighing_drop(w, contender, SY_DECISION_PARITY_FAILED, "parity", "%s: %s", wc->c->name, difference);
    }
    return SY_OK;
}

/* Builds all cases and asks what the implementation is. */
static sy_status start_contender(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    uint64_t peak;
    sy_status status = create_subject(w, contender, err);
    if (!status)
        status = sy_contender_wake(w, contender, 15, err);
    for (uint32_t k = 0; !status && k < w->case_count && contender->live; k++)
        status = build_case(w, contender, &w->cases[k], err);
    if (!status && contender->live)
        status = contender->subject->table->describe(contender->subject, &contender->info, &peak, err);
    if (!status && contender->live)
        status = sy_contender_rest(w, contender, err);
    return status;
}

/* What the reference and the least needy candidate take together: with less nothing can be weighed. */
static uint64_t memory_of_a_pair(const sy_weighing *w)
{
    uint64_t least = UINT64_MAX;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < w->contender_count; i++) {
        uint64_t needed = w->contenders[i].live ? sy_contender_memory_of_all(w, &w->contenders[i]) : UINT64_MAX;
        least = needed < least ? needed : least;
    }
    return __builtin_add_overflow(sy_contender_memory_of_all(w, &w->contenders[0]), least, &sum) ? UINT64_MAX : sum;
}

static uint64_t memory_of_case(const sy_contender *contender, uint32_t k)
{
    uint64_t sum = 0;
    return __builtin_add_overflow(contender->case_bytes[k], contender->case_copies_bytes[k], &sum) ? UINT64_MAX : sum;
}

/* Cases for which there is not even memory for the reference and one candidate are left out, those of which the
 * reference needs most first; all of them never are: then who does not fit is unavailable. */
static void leave_out_what_no_pair_can_hold(sy_weighing *w, uint64_t available, uint64_t taken)
{
    const sy_contender *reference = &w->contenders[0];
    while (w->covers && w->case_count > 1 && (taken > available || memory_of_a_pair(w) > available - taken)) {
        uint32_t largest = 0;
        for (uint32_t k = 1; k < w->case_count; k++) {
            if (memory_of_case(reference, k) >= memory_of_case(reference, largest))
                largest = k;
        }
        sy_coverage_leave_out(w, largest, "memory", SY_NAN);
    }
}

/* Device memory: the reference first, then each candidate as far as it goes, with what the caller wants left free. */
static void admit(sy_weighing *w)
{
    uint64_t available;
    uint64_t taken = w->options->min_free_memory_bytes;
    sy_error unknown = SY_ERROR_INIT;
    if (w->device->backend->whole_programs)
        return; /* they take what they take */
    if (sy_device_free_memory(w->device, &available, &unknown) != SY_OK) {
        sy_weighing_note(w, "the device does not tell its free memory: not checked");
        return;
    }
    leave_out_what_no_pair_can_hold(w, available, taken);
    for (uint32_t i = 0; i < w->contender_count; i++) {
        sy_contender *contender = &w->contenders[i];
        uint64_t needed = sy_contender_memory_of_all(w, contender);
        char need[16];
        char free_text[16];
        char keep[16];
        if (!contender->live)
            continue;
        if (taken > available || needed > available - taken) {
            sy_format_bytes(need, sizeof(need), needed);
            sy_format_bytes(free_text, sizeof(free_text), available);
            sy_format_bytes(keep, sizeof(keep), taken);
            sy_weighing_drop(w, contender, SY_DECISION_UNAVAILABLE, "memory",
                             "needs %s%s; %s free, %s of it kept free or taken", need,
                             sy_contender_has_copies(w, contender) ? ", copies of cold buffers included" : "",
                             free_text, keep);
        } else {
            taken += needed;
        }
    }
}

/* Cold: the copies that the timed runs take in turn are made here, where their time is nobody's. */
static sy_status make_copies(sy_weighing *w, sy_contender *contender, const sy_weighed_case *wc, sy_error *err)
{
    const sy_slot none = {.case_index = wc->index, .change = SY_SUBJECT_NO_CHANGE, .seed = w->seed};
    sy_subject_run run;
    sy_status status = sy_contender_wake(w, contender, 15 + 5e-9 * (double)sy_contender_memory_of_all(w, contender),
                                         err);
    return status ? status : contender->subject->table->slot(contender->subject, &none, &run, err);
}

/* The reference's first fill says what the inputs are; a case's own initialize could write others for another variant.
 */
sy_status sy_contender_fill_for_timing(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err)
{
    uint64_t checksum;
    sy_status status = contender->subject->table->fill(contender->subject, wc->index, SY_FILL_REAL, wc->c->own_inputs,
                                                       w->seed, &checksum, err);
    if (status)
        return status;
    if (!wc->has_timing_checksum && contender == &w->contenders[0]) {
        wc->has_timing_checksum = true;
        wc->timing_checksum = checksum;
    }
    if (wc->has_timing_checksum && checksum != wc->timing_checksum && !wc->c->inputs_declared_equivalent)
        return sy_fail(err, SY_UNAVAILABLE, "case %s: its inputs for timing differ from the reference's", wc->c->name);
    return w->working_set_bytes > 0 ? make_copies(w, contender, wc, err) : SY_OK;
}

sy_status sy_contender_ready(sy_weighing *w, sy_contender *contender, sy_weighed_case *wc, sy_error *err)
{
    sy_subject_shape shape;
    sy_status status = contender->subject->table->build(contender->subject, wc->index, &shape, err);
    if (!status && !shape.available)
        status = sy_fail(err, SY_UNAVAILABLE, "%s is no longer available: %s", contender->name, shape.reason);
    if (!status)
        status = contender->subject->table->allocate(contender->subject, wc->index, err);
    if (!status)
        status = sy_contender_fill_for_timing(w, contender, wc, err);
    return status;
}

static sy_status allocate_contender(sy_weighing *w, sy_contender *contender, sy_error *err)
{
    sy_status status = sy_contender_wake(w, contender, 15, err);
    for (uint32_t k = 0; !status && k < w->case_count; k++)
        status = contender->subject->table->allocate(contender->subject, w->cases[k].index, err);
    if (!status)
        status = sy_contender_rest(w, contender, err);
    return status;
}

sy_status sy_weighing_prepare(sy_weighing *w, sy_error *err)
{
    sy_error own = SY_ERROR_INIT;
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && i < w->contender_count && !sy_weighing_stops(w); i++) {
        sy_weighing_progress(w, SY_PHASE_START, &w->contenders[i], "", i, w->contender_count);
        status = start_contender(w, &w->contenders[i], &own);
        if (status)
            status = sy_weighing_blame(w, &w->contenders[i], status, &own);
    }
    if (!status && !w->ended)
        admit(w);
    w->allocated = true;
    for (uint32_t i = 0; !status && i < w->contender_count && !sy_weighing_stops(w); i++) {
        if (!w->contenders[i].live)
            continue;
        status = allocate_contender(w, &w->contenders[i], &own);
        if (status)
            status = sy_weighing_blame(w, &w->contenders[i], status, &own);
    }
    if (status && err)
        *err = own;
    return status;
}
