/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of Kernel Tuner's caches. */
#include "tuning_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return tuning_fuzz(data, size, SY_TUNING_KERNEL_TUNER);
}
