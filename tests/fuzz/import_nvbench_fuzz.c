/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of results of nvbench, whose files of samples are not there. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;

    options.format = SY_IMPORT_NVBENCH;
    options.samples_folder = "/nonexistent";
    import_fuzz_with(data, size, &options);
    return 0;
}
