/* SPDX-License-Identifier: Apache-2.0 */
/* A profile matrix and, behind the mark, its parity matrix. */
#include "registry_bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"benchmarks/profile_matrix.json", "tests/parity/backend_matrix.json"};
    read_bundle(paths, 2, NULL, 0, SY_REGISTRY_MATRIX, data, size);
    return 0;
}
