/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an oracle over a graph's tensors. What is right is the operation's business. */
#include "backends/cpu/cpu_oracle.h"

#include "operations/half.h"

static void store(sy_dtype dtype, void *to, uint64_t index, double value)
{
    if (dtype == SY_F16) {
        ((uint16_t *)to)[index] = sy_f16_from_f32((float)value);
    } else if (dtype == SY_BF16) {
        ((uint16_t *)to)[index] = sy_bf16_from_f32((float)value);
    } else {
        ((float *)to)[index] = (float)value;
    }
}

sy_status sy_cpu_run_oracle(sy_cpu_oracle_fn oracle, const sy_case *c, sy_tensor *const *inputs, size_t input_count,
                            sy_tensor *output, double *scratch, sy_error *err)
{
    sy_output lent[SY_CPU_ORACLE_INPUTS_MAX];
    uint64_t count = 0;
    sy_status status = sy_tensor_desc_check(sy_tensor_description(output), &count, NULL, err);
    for (size_t i = 0; i < input_count && status == SY_OK; i++) {
        lent[i].desc = sy_tensor_description(inputs[i]);
        lent[i].bytes = sy_tensor_address(inputs[i]);
        status = sy_tensor_desc_check(lent[i].desc, NULL, &lent[i].size, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_oracle_request request = {.inputs = lent, .input_count = input_count, .count = count, .values = scratch};
    request.scales = scratch + count;
    status = oracle(NULL, c, &request, err);
    for (uint64_t i = 0; status == SY_OK && i < count; i++) {
        store(sy_tensor_description(output)->dtype, sy_tensor_address(output), i, scratch[i]);
    }
    return status;
}
