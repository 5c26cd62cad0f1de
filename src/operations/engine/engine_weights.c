/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of the oracles of operations as engines store them: checked and widened. */
#include "operations/engine/engine_weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "operations/half.h"

sy_status sy_engine_check_inputs(const sy_case *c, const sy_tensor_desc *inputs, size_t input_count,
                                 const sy_oracle_request *request, sy_error *err)
{
    if (request->input_count != input_count || request->output != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': there are %zu inputs and 1 output, not %zu and %zu",
                       c->name, input_count, request->input_count, request->output + 1);
    }
    for (size_t i = 0; i < input_count; i++) {
        uint64_t bytes = 0;
        sy_status status = sy_tensor_desc_check(&inputs[i], NULL, &bytes, err);
        if (status != SY_OK) {
            return status;
        }
        if (!sy_tensor_desc_equal(&inputs[i], request->inputs[i].desc) || request->inputs[i].size != bytes) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "case '%s': input %zu is not the case's tensor '%s'", c->name, i,
                           inputs[i].name);
        }
    }
    return SY_OK;
}

sy_status sy_engine_widen(const sy_case *c, const sy_output *input, sy_tensor_desc *desc, sy_output *ret_output,
                          float **ret_owned, sy_error *err)
{
    if (desc->dtype == SY_F32) {
        *ret_owned = NULL;
        *ret_output = (sy_output){desc, input->bytes, input->size};
        return SY_OK;
    }
    const uint16_t *narrow = input->bytes;
    uint64_t count = input->size / sizeof *narrow;
    float *wide = sy_allocate((size_t)count, sizeof *wide);
    if (wide == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "case '%s': no memory for %llu widened elements", c->name,
                       (unsigned long long)count);
    }
    for (uint64_t i = 0; i < count; i++) {
        wide[i] = desc->dtype == SY_F16 ? sy_f16_to_f32(narrow[i]) : sy_bf16_to_f32(narrow[i]);
    }
    desc->dtype = SY_F32;
    *ret_owned = wide;
    *ret_output = (sy_output){desc, wide, count * sizeof *wide};
    return SY_OK;
}
