/* SPDX-License-Identifier: Apache-2.0 */
/* A benchmark registry and, behind marks, an evidence index that it may import and the coverage document. */
#include "registry_bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"benchmarks/benchmark_registry.json", "evidence.json",
                                        "docs/_generated/benchmark_coverage.md"};
    read_bundle(paths, 3, NULL, 0, SY_REGISTRY_GATES, data, size);
    return 0;
}
