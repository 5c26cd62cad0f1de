/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard.json and, behind marks, a protocol description of the project, a matrix and a registry that may name it. */
#include "registry_bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"steelyard.json", "protocols/own.json", "benchmarks/profile_matrix.json",
                                        "benchmarks/benchmark_registry.json"};
    static const char parity[] = "{\"schema_version\": 1, \"backends\": [\"b\"], \"contract\": {}, \"capabilities\": "
                                 "[{\"id\": \"c\", \"parity\": "
                                 "\"p\", \"coverage\": {\"b\": {\"level\": \"required\", \"gates\": [\"g\"]}}}]}";
    const sy_document_bytes fixed = {"tests/parity/backend_matrix.json", parity, sizeof parity - 1};
    read_bundle(paths, 4, &fixed, 1, SY_REGISTRY_ALL, data, size);
    return 0;
}
