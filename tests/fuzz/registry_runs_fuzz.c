/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest and, behind the mark, the index of runs. */
#include "registry_bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"experiments/run-a/manifest.json", "experiments/RUNS.md"};
    read_bundle(paths, 2, NULL, 0, SY_REGISTRY_EXPERIMENTS, data, size);
    return 0;
}
