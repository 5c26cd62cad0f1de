/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the reader of results of asv, with what stands behind a 0 byte as their benchmarks.json. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = zero != NULL ? (size_t)(zero - data) : size;
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    char *units = NULL;

    options.format = SY_IMPORT_ASV;
    if (zero != NULL) {
        units = malloc(size - length);
        CHECK(units != NULL);
        memcpy(units, zero + 1, size - length - 1);
        units[size - length - 1] = '\0';
        options.units = units;
    }
    import_fuzz_with(data, length, &options);
    free(units);
    return 0;
}
