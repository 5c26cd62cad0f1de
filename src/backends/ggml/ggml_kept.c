/* SPDX-License-Identifier: Apache-2.0 */
/* A result that an engine keeps from one run to the next, as a cache of transposed values: it is made again only when
 * data was written into the device's buffers since, which timed runs do not do. */
#include <ggml-backend.h>
#include <ggml.h>

#include "backends/ggml/ggml_graph.h"
#include "backends/ggml/ggml_suites.h"
#include "base/error.h"

#define NODES_MAX 64 /* of a graph with something kept */

typedef struct kept_graph {
    sy_ggml_device *device;
    struct ggml_cgraph *all;  /* what is kept first */
    struct ggml_cgraph *rest; /* what reads it */
    uint64_t writes;          /* to the device's buffers, when it was last made */
    bool is_made;
} kept_graph;

static sy_status run(void *state, sy_error *err)
{
    kept_graph *self = state;
    const bool is_fresh = self->is_made && self->writes == self->device->writes;
    struct ggml_cgraph *graph = is_fresh ? self->rest : self->all;
    const enum ggml_status status = ggml_backend_graph_compute_async(self->device->backend, graph);
    if (status != GGML_STATUS_SUCCESS) {
        self->is_made = false;
        return sy_fail(err, status == GGML_STATUS_ALLOC_FAILED ? SY_NO_MEMORY : SY_UNAVAILABLE,
                       "ggml could not run the graph on its device %s: %s", self->device->ggml_name,
                       ggml_status_to_string(status));
    }
    self->is_made = true;
    self->writes = self->device->writes;
    return SY_OK;
}

sy_status sy_ggml_output_keeping(sy_graph *graph, struct ggml_tensor *kept, struct ggml_tensor *output,
                                 sy_tensor **ret_tensor, sy_error *err)
{
    struct ggml_context *context = NULL;
    kept_graph *self = sy_graph_metadata(graph, sizeof *self);
    if (!self) {
        (void)sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a graph takes %zu bytes of metadata", sizeof *self);
        sy_error_hint(err, "raise the metadata capacity");
        return SY_LIMIT_EXCEEDED;
    }
    ggml_set_output(kept); /* no later result takes its place */
    sy_status status = sy_ggml_output(graph, output, ret_tensor, err);
    if (status || !*ret_tensor)
        return status;
    status = sy_ggml_context(graph, &context, err);
    if (status)
        return status;
    sy_ggml_graph_keep(graph, kept);
    self->device = sy_ggml_device_of(sy_graph_device(graph));
    self->all = ggml_new_graph_custom(context, NODES_MAX, false);
    self->rest = ggml_new_graph_custom(context, NODES_MAX, false);
    ggml_build_forward_expand(self->all, kept);
    const int first = ggml_graph_n_nodes(self->all);
    ggml_build_forward_expand(self->all, output);
    for (int i = first; i < ggml_graph_n_nodes(self->all); i++)
        ggml_graph_add_node(self->rest, ggml_graph_node(self->all, i));
    sy_graph_on_run(graph, run, NULL, self);
    return SY_OK;
}
