/* SPDX-License-Identifier: Apache-2.0 */
/* The ggml backend of a steelyard that was built without ggml: a state with its reason and how to get it, and a
 * contract that links all the same. */
#include <steelyard/ggml.h>

#include "backends/backend.h"
#include "backends/graph.h"
#include "base/error.h"

static sy_status refuse(sy_error *err)
{
    (void)sy_fail(err, SY_UNAVAILABLE, "this steelyard was built without ggml");
    sy_error_hint(err, "./dev ggml in its source tree builds both; or build it where ggml is installed");
    return SY_UNAVAILABLE;
}

static sy_status absent_count(uint32_t *ret_count, sy_error *err)
{
    (void)ret_count;
    return refuse(err);
}

static const sy_suite *absent_suite_at(sy_device *device, uint32_t index)
{
    (void)device;
    (void)index;
    return NULL;
}

/* A device of it cannot be opened: count comes before all else. */
const sy_backend sy_backend_ggml = {
    .struct_size = sizeof(sy_backend),
    .name = "ggml",
    .summary = "any device of ggml, as inference engines use it: attention and convolution",
    .timer = "CLOCK_MONOTONIC_RAW",
    .isolates = true,
    .count = absent_count,
    .suite_at = absent_suite_at,
};

sy_status sy_ggml_context(sy_graph *graph, struct ggml_context **ret_context, sy_error *err)
{
    (void)graph;
    (void)ret_context;
    return refuse(err);
}

sy_status sy_ggml_input(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor, sy_error *err)
{
    (void)graph;
    (void)tensor;
    (void)ret_tensor;
    return refuse(err);
}

sy_status sy_ggml_output(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor, sy_error *err)
{
    (void)graph;
    (void)tensor;
    (void)ret_tensor;
    return refuse(err);
}

struct ggml_backend *sy_ggml_backend(sy_device *device)
{
    (void)device;
    return NULL;
}
