/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of Go's benchmark text. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size, SY_IMPORT_GO);
    return 0;
}
