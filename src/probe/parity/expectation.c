/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs in host memory and the oracle's answers. */
#include "probe/parity/expectation.h"

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/memory.h"
#include "operations/oracle.h"

/* The probe's own memory, no contender's. */
static sy_status no_memory(sy_weighing *w, const sy_weighed_case *wc, sy_error *err)
{
    w->own_failure = true;
    return sy_fail(err, SY_NO_MEMORY, "case %s: no memory to compare outputs", wc->c->name);
}

static sy_status make_input(sy_weighing *w, sy_right_answers *answers, sy_fill fill, bool own, uint64_t seed,
                            uint64_t change, uint32_t i, sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    const sy_tensor_desc *desc = &wc->shape.inputs[i];
    uint64_t size = 0;
    sy_status status = sy_tensor_desc_check(desc, NULL, &size, err);
    if (status)
        return status;
    answers->input_sizes[i] = size;
    answers->inputs[i] = sy_allocate(1, size);
    if (!answers->inputs[i])
        return no_memory(w, wc, err);
    if (own) {
        sy_subject *reference = w->contenders[0].subject;
        status = sy_contender_wake(w, &w->contenders[0], 10, err);
        return status ? status : reference->table->read(reference, wc->index, false, i, answers->inputs[i], size, err);
    }
    status = sy_fill_input(fill, seed, i, wc->c, desc, answers->inputs[i], err);
    uint64_t element;
    uint8_t bytes[8];
    size_t element_size = sy_dtype_size(desc->dtype);
    if (!status && sy_input_change(w->seed, change, wc->index, wc->c, i, desc, &element, bytes))
        memcpy((char *)answers->inputs[i] + element * element_size, bytes, element_size);
    return status;
}

static sy_status ask(sy_weighing *w, const sy_right_answers *answers, uint32_t o, const uint64_t *indices,
                     uint64_t count, double *values, double *scales, sy_error *err)
{
    sy_output inputs[SY_SUBJECT_TENSORS_MAX];
    for (uint32_t i = 0; i < answers->input_count; i++)
        inputs[i] = (sy_output){&answers->wc->shape.inputs[i], answers->inputs[i], answers->input_sizes[i]};
    sy_oracle_request request = {inputs, answers->input_count, o, indices, count, values, scales};
    w->own_failure = true; /* for as long as it is the oracle that may fail */
    const sy_float_environment host = sy_float_environment_save();
    sy_status status = w->suite->oracle(w->suite->user, answers->wc->c, &request, err);
    (void)sy_float_environment_restore(host); /* foreign code in this process */
    w->own_failure = status != SY_OK;
    return status;
}

sy_status sy_right_answers_ask(sy_weighing *w, const sy_right_answers *answers, uint32_t o, uint64_t index,
                               double *ret_value, double *ret_scale, sy_error *err)
{
    return ask(w, answers, o, &index, 1, ret_value, ret_scale, err);
}

static sy_status ask_oracle(sy_weighing *w, sy_right_answers *answers, uint32_t o, bool sampled, uint64_t seed,
                            sy_error *err)
{
    const sy_weighed_case *wc = answers->wc;
    sy_expectation *e = &answers->expectations[o];
    uint64_t count = sy_oracle_count(wc->c, e->element_count);
    if (sampled && count > SY_ORACLE_SAMPLE)
        count = SY_ORACLE_SAMPLE;
    answers->values[o] = sy_allocate(count, sizeof(double));
    answers->scales[o] = sy_allocate(count, sizeof(double));
    if (count < e->element_count)
        answers->indices[o] = sy_allocate(count, sizeof(uint64_t));
    if (!answers->values[o] || !answers->scales[o] || (count < e->element_count && !answers->indices[o]))
        return no_memory(w, wc, err);
    sy_status status = SY_OK;
    if (answers->indices[o])
        status = sy_oracle_sample(seed, e->desc, count, answers->indices[o], err);
    if (!status)
        status = ask(w, answers, o, answers->indices[o], count, answers->values[o], answers->scales[o], err);
    e->indices = answers->indices[o];
    e->oracle_count = count;
    e->values = answers->values[o];
    e->scales = answers->scales[o];
    return status;
}

sy_status sy_right_answers_make(sy_weighing *w, sy_weighed_case *wc, sy_fill fill, bool own, uint64_t seed,
                                uint64_t change, bool sampled, sy_right_answers *answers, sy_error *err)
{
    *answers = (sy_right_answers){
        .wc = wc, .own = own, .input_count = wc->shape.input_count, .output_count = wc->shape.output_count};
    sy_status status = SY_OK;
    sy_digest_state state;
    sy_digest digest;
    sy_digest_start(&state);
    answers->input_checksum = SY_CHECKSUM_START;
    for (uint32_t i = 0; !status && i < answers->input_count; i++) {
        status = make_input(w, answers, fill, own, seed, change, i, err);
        if (status)
            break;
        answers->input_checksum = sy_checksum_tensor(answers->input_checksum, answers->inputs[i],
                                                     answers->input_sizes[i]);
        sy_digest_add(&state, answers->inputs[i], answers->input_sizes[i]);
    }
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, answers->input_digest);
    for (uint32_t o = 0; !status && o < answers->output_count; o++) {
        sy_expectation *e = &answers->expectations[o];
        e->desc = &wc->shape.outputs[o];
        status = sy_tensor_desc_check(e->desc, &e->element_count, &answers->output_sizes[o], err);
        if (!status && w->suite->oracle)
            status = ask_oracle(w, answers, o, sampled, seed, err);
    }
    return status;
}

void sy_right_answers_finish(sy_right_answers *answers)
{
    for (uint32_t i = 0; i < SY_SUBJECT_TENSORS_MAX; i++) {
        sy_free(answers->inputs[i]);
        sy_free(answers->indices[i]);
        sy_free(answers->values[i]);
        sy_free(answers->scales[i]);
        sy_free(answers->reference[i]);
    }
    *answers = (sy_right_answers){0};
}
