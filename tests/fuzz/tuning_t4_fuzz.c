/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of T4's results. */
#include "tuning_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return tuning_fuzz(data, size, SY_TUNING_T4);
}
