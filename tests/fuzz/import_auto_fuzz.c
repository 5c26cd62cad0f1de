/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing all readers of benchmark results: the format is found by content. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size, SY_IMPORT_AUTO);
    return 0;
}
