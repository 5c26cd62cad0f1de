/* SPDX-License-Identifier: Apache-2.0 */
/* The suites that come with the ggml backend. Their code is ggml itself, which is linked, so that all of it is there;
 * whether a device supports an operation is asked case by case when a graph is built. */
#include <ggml.h>

#include "backends/ggml/ggml_device.h"

static const sy_suite *const suites[] = {NULL};

const sy_suite *sy_ggml_suite_at(sy_device *device, uint32_t index)
{
    (void)device;
    return index < sizeof suites / sizeof suites[0] ? suites[index] : NULL;
}

void sy_ggml_look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                  char *path, size_t path_size)
{
    (void)suite;
    (void)variant;
    *ret_available = true;
    if (reason_size > 0)
        reason[0] = '\0';
    if (path_size > 0)
        sy_ggml_library_of((const void *)(uintptr_t)ggml_init, path, path_size);
}
