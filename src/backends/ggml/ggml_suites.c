/* SPDX-License-Identifier: Apache-2.0 */
/* The suites that come with the ggml backend, and what they share. Their code is ggml itself, which is linked, so that
 * all of it is there; whether a device supports an operation is asked case by case when a graph is built. */
#include <ggml.h>
#include <stdio.h>
#include <string.h>

#include "backends/ggml/ggml_device.h"
#include "backends/ggml/ggml_suites.h"
#include "base/error.h"

const sy_suite *sy_ggml_suite_at(sy_device *device, uint32_t index)
{
    (void)device;
    size_t count = 0;
    const sy_suite *const *suites = sy_ggml_suite_table(&count);
    return index < count ? suites[index] : NULL;
}

void sy_ggml_look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                  char *path, size_t path_size)
{
    (void)suite;
    (void)variant;
    *ret_available = true;
    if (reason_size > 0)
        reason[0] = '\0';
    if (path_size > 0) /* ggml's own files are the device's, not an implementation's: sy_ggml_versions */
        path[0] = '\0';
}

bool sy_ggml_is_left_out(sy_graph *graph, const char *implementation)
{
    const char *only = sy_graph_device(graph)->only;
    if (!only || strcmp(only, implementation) == 0)
        return false;
    char reason[128];
    (void)snprintf(reason, sizeof reason, "this process runs %s alone", only);
    sy_graph_unavailable(graph, reason);
    return true;
}

sy_status sy_ggml_input_of(sy_graph *graph, const sy_tensor_desc *desc, struct ggml_tensor **ret_tensor, sy_error *err)
{
    struct ggml_context *context = NULL;
    sy_tensor *registered = NULL;
    enum ggml_type type;
    switch (desc->dtype) {
    case SY_F32:
        type = GGML_TYPE_F32;
        break;
    case SY_F16:
        type = GGML_TYPE_F16;
        break;
    case SY_BF16:
        type = GGML_TYPE_BF16;
        break;
    default:
        return sy_fail(err, SY_INVALID_ARGUMENT, "input '%s': no tensors of ggml are made of %s here", desc->name,
                       sy_dtype_word(desc->dtype));
    }
    if (desc->rank != GGML_MAX_DIMS)
        return sy_fail(err, SY_INVALID_ARGUMENT, "input '%s' has %u dimensions, ggml's tensors have four", desc->name,
                       desc->rank);
    sy_status status = sy_ggml_context(graph, &context, err);
    if (status)
        return status;
    struct ggml_tensor *tensor = ggml_new_tensor_4d(context, type, desc->dims[3], desc->dims[2], desc->dims[1],
                                                    desc->dims[0]);
    ggml_set_name(tensor, desc->name);
    status = sy_ggml_input(graph, tensor, &registered, err);
    if (!status)
        *ret_tensor = tensor;
    return status;
}
