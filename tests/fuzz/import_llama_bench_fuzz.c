/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of llama-bench's JSON, a list or a result a line, asked for by name. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_fuzz(data, size, SY_IMPORT_LLAMA_BENCH);
    return 0;
}
