/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a graph of ggml's tensors: inputs and outputs lie in buffers of their own, what lies between them where
 * ggml's graph allocator puts it, as in an engine, so that its size is the compute buffer that an engine would see. */
#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#ifdef STEELYARD_GGML_PROCESSOR
#include <ggml-cpu.h>
#endif

#include "backends/ggml/ggml_graph.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* What the processor's backend takes at a run beside the compute buffer: converted rows, partial results of threads. */
static uint64_t processor_bytes(const sy_ggml_graph *self)
{
#ifdef STEELYARD_GGML_PROCESSOR
    if (ggml_backend_dev_type(self->device->dev) == GGML_BACKEND_DEVICE_TYPE_CPU)
        return ggml_graph_plan(self->work, (int)self->device->base.threads, NULL).work_size;
#endif
    (void)self;
    return 0;
}

/* Marks what has memory of its own as such, or takes the mark away. */
static void mark_bound(const sy_ggml_graph *self, struct ggml_backend_buffer *mark)
{
    for (const sy_ggml_bound *bound = self->bound; bound; bound = bound->next)
        bound->tensor->buffer = mark;
}

sy_status sy_ggml_graph_measure(sy_ggml_graph *graph, sy_error *err)
{
    size_t bytes = 0;
    sy_ggml_listener listener;
    sy_ggml_listen(&listener);
    struct ggml_backend_buffer *mark = ggml_backend_buft_alloc_buffer(graph->device->memory, 0); /* takes nothing */
    struct ggml_gallocr *allocator = mark ? ggml_gallocr_new(graph->device->memory) : NULL;
    if (allocator) {
        mark_bound(graph, mark);
        ggml_gallocr_reserve_n_size(allocator, graph->work, NULL, NULL, &bytes);
        mark_bound(graph, NULL);
    }
    ggml_gallocr_free(allocator);
    ggml_backend_buffer_free(mark);
    sy_ggml_listen_end(&listener);
    if (!allocator)
        return sy_fail(err, SY_NO_MEMORY, "no memory to lay out a graph of device ggml:%s", graph->device->ggml_name);
    graph->compute_bytes = bytes;
    graph->processor_bytes = processor_bytes(graph);
    return SY_OK;
}

static sy_status place_bound(const sy_ggml_bound *bound, sy_error *err)
{
    uint64_t offset = 0;
    struct ggml_backend_buffer *buffer = sy_ggml_buffer_of(sy_tensor_buffer(bound->registered, &offset));
    char *address = (char *)ggml_backend_buffer_get_base(buffer) + offset;
    if (ggml_backend_tensor_alloc(buffer, bound->tensor, address) != GGML_STATUS_SUCCESS)
        return sy_fail(err, SY_NO_MEMORY, "ggml refuses a place for tensor '%s'", ggml_get_name(bound->tensor));
    return SY_OK;
}

sy_status sy_ggml_graph_allocate(void *state, sy_error *err)
{
    sy_ggml_graph *self = state;
    char text[32];
    sy_status status = SY_OK;
    self->memory_size = sy_reserve_keep(self->memory, self->memory_size, ggml_used_mem(self->context));
    for (const sy_ggml_bound *bound = self->bound; bound && !status; bound = bound->next)
        status = place_bound(bound, err);
    if (status)
        return status;
    sy_ggml_listener listener;
    sy_ggml_listen(&listener);
    self->allocator = ggml_gallocr_new(self->device->memory);
    const bool is_done = ggml_gallocr_reserve(self->allocator, self->work) &&
                         ggml_gallocr_alloc_graph(self->allocator, self->work);
    sy_ggml_listen_end(&listener);
    if (!is_done) {
        sy_format_bytes(text, sizeof text, self->compute_bytes);
        (void)sy_fail(err, SY_NO_MEMORY, "no memory for a compute buffer of %s on device ggml:%s", text,
                      self->device->ggml_name);
        sy_error_hint(err, "%s", listener.error);
        return SY_NO_MEMORY;
    }
    sy_ggml_device_count(self->device, (int64_t)self->compute_bytes);
    self->is_counted = true;
    return SY_OK;
}

/* The tensors forget where they lay: the graph may be allocated again. */
void sy_ggml_graph_release(void *state)
{
    sy_ggml_graph *self = state;
    ggml_gallocr_free(self->allocator);
    self->allocator = NULL;
    if (self->is_counted)
        sy_ggml_device_count(self->device, -(int64_t)self->compute_bytes);
    self->is_counted = false;
    for (struct ggml_tensor *t = ggml_get_first_tensor(self->context); t; t = ggml_get_next_tensor(self->context, t)) {
        t->buffer = NULL;
        t->data = NULL;
        t->extra = NULL;
    }
}
