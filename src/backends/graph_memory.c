/* SPDX-License-Identifier: Apache-2.0 */
/* A graph's device memory: taken, given back, poisoned, guarded by canaries, written and read; and the run on it. */
#include <stdio.h>
#include <string.h>

#include "backends/graph_inside.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

const char *const sy_tensor_use_words[USE_COUNT] = {"input", "output", "scratch"};

uint64_t sy_tensor_buffer_bytes(const sy_tensor *tensor)
{
    return tensor->lead + tensor->room + tensor->trail;
}

void sy_graph_release_buffers(sy_graph *graph)
{
    if (graph->extension)
        graph->extension->release(graph->extension_state);
    for (sy_tensor_use use = 0; use < USE_COUNT; use++)
        for (sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next) {
            if (tensor->buffer)
                graph->device->backend->release(tensor->buffer);
            tensor->buffer = NULL;
        }
    graph->is_allocated = false;
}

sy_status sy_graph_allocate(sy_graph *graph, sy_error *err)
{
    if (graph->is_allocated)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the graph is allocated already");
    for (sy_tensor_use use = 0; use < USE_COUNT; use++)
        for (sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next) {
            const uint64_t size = sy_tensor_buffer_bytes(tensor);
            sy_status status = graph->device->backend->allocate(graph->device, size, &tensor->buffer, err);
            if (status) {
                char text[32];
                sy_format_bytes(text, sizeof text, size);
                sy_error_prefix(err, "%s for %s '%s'", text, sy_tensor_use_words[use], tensor->desc.name);
                sy_graph_release_buffers(graph);
                return status;
            }
        }
    sy_status status = graph->extension ? graph->extension->allocate(graph->extension_state, err) : SY_OK;
    if (status)
        sy_graph_release_buffers(graph);
    else
        graph->is_allocated = true;
    return status;
}

/* A byte that differs between neighbours, sides and outputs, so that bytes copied from beside it are noticed. */
static uint8_t canary_byte(uint32_t output, uint32_t position)
{
    const uint64_t place = (uint64_t)output * (2 * SY_GRAPH_CANARY_BYTES) + position + 1;
    return (uint8_t)((place * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
}

/* side 0 stands before the output, side 1 behind it. */
static void fill_canary(const sy_tensor *tensor, uint32_t side, uint8_t canary[SY_GRAPH_CANARY_BYTES])
{
    for (uint32_t i = 0; i < SY_GRAPH_CANARY_BYTES; i++)
        canary[i] = canary_byte(tensor->index, side * SY_GRAPH_CANARY_BYTES + i);
}

static uint64_t canary_offset(const sy_tensor *tensor, uint32_t side)
{
    return side == 0 ? tensor->lead - SY_GRAPH_CANARY_BYTES : tensor->lead + tensor->room;
}

static sy_status need_memory(const sy_graph *graph, sy_error *err)
{
    return graph->is_allocated ? SY_OK : sy_fail(err, SY_INVALID_ARGUMENT, "the graph has no device memory yet");
}

sy_status sy_graph_poison(sy_graph *graph, uint8_t poison, sy_error *err)
{
    const sy_backend *backend = graph->device->backend;
    sy_status status = need_memory(graph, err);
    for (sy_tensor *tensor = graph->lists[USE_OUTPUT].first; tensor && !status; tensor = tensor->next) {
        status = backend->fill(tensor->buffer, tensor->lead, poison, tensor->bytes, err);
        for (uint32_t side = 0; side < 2 && !status; side++) {
            uint8_t canary[SY_GRAPH_CANARY_BYTES];
            fill_canary(tensor, side, canary);
            status = backend->upload(tensor->buffer, canary_offset(tensor, side), canary, sizeof canary, err);
        }
    }
    return status;
}

sy_status sy_graph_canaries(sy_graph *graph, bool *ret_intact, char *reason, size_t reason_size, sy_error *err)
{
    sy_status status = need_memory(graph, err);
    if (status)
        return status;
    for (sy_tensor *tensor = graph->lists[USE_OUTPUT].first; tensor; tensor = tensor->next)
        for (uint32_t side = 0; side < 2; side++) {
            uint8_t wanted[SY_GRAPH_CANARY_BYTES], found[SY_GRAPH_CANARY_BYTES];
            fill_canary(tensor, side, wanted);
            status = graph->device->backend->download(tensor->buffer, canary_offset(tensor, side), found, sizeof found,
                                                      err);
            if (status)
                return status;
            if (memcmp(wanted, found, sizeof found) != 0) {
                char name[96];
                sy_text_copy(name, sizeof name, tensor->desc.name);
                (void)snprintf(reason, reason_size, "wrote %s output '%s'", side == 0 ? "before" : "past the end of",
                               name);
                *ret_intact = false;
                return SY_OK;
            }
        }
    *ret_intact = true;
    return SY_OK;
}

static sy_status check_range(const sy_tensor *tensor, uint64_t offset, uint64_t size, const char *verb, sy_error *err)
{
    if (!tensor->buffer)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' has no device memory yet", sy_tensor_use_words[tensor->use],
                       tensor->desc.name);
    if (offset > tensor->bytes || size > tensor->bytes - offset)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s %llu bytes at %llu of %s '%s', which has %llu", verb,
                       (unsigned long long)size, (unsigned long long)offset, sy_tensor_use_words[tensor->use],
                       tensor->desc.name, (unsigned long long)tensor->bytes);
    return SY_OK;
}

sy_status sy_tensor_write(sy_tensor *tensor, uint64_t offset, const void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(tensor, offset, size, "writes", err);
    if (status)
        return status;
    return tensor->graph->device->backend->upload(tensor->buffer, tensor->lead + offset, bytes, size, err);
}

sy_status sy_tensor_read(const sy_tensor *tensor, uint64_t offset, void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(tensor, offset, size, "reads", err);
    if (status)
        return status;
    return tensor->graph->device->backend->download(tensor->buffer, tensor->lead + offset, bytes, size, err);
}

sy_buffer *sy_tensor_buffer(const sy_tensor *tensor, uint64_t *ret_offset)
{
    *ret_offset = tensor->lead;
    return tensor->buffer;
}

uint64_t sy_tensor_bytes(const sy_tensor *tensor)
{
    return tensor->bytes;
}

const sy_tensor_desc *sy_tensor_description(const sy_tensor *tensor)
{
    return &tensor->desc;
}

void *sy_tensor_address(const sy_tensor *tensor)
{
    if (!tensor->buffer || !tensor->buffer->address)
        return NULL;
    return (char *)tensor->buffer->address + tensor->lead;
}

sy_status sy_graph_run(sy_graph *graph, sy_error *err)
{
    if (!graph->is_allocated || !graph->run)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the graph cannot run: it has no %s",
                       graph->run ? "device memory" : "run function");
    return graph->device->backend->submit(graph->device, graph->run, graph->state, err);
}

sy_status sy_graph_fill_inputs(sy_graph *graph, const sy_case *c, uint64_t seed, sy_fill_fn fill, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; i < sy_graph_input_count(graph) && status == SY_OK; i++) {
        sy_tensor *input = sy_graph_input_at(graph, i);
        void *bytes = sy_allocate(1, sy_tensor_bytes(input));
        if (bytes == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "case '%s': no memory for the data of input %zu", c->name, i);
        }
        status = fill(c, seed, (uint32_t)i, sy_tensor_description(input), bytes, err);
        if (status == SY_OK) {
            status = sy_tensor_write(input, 0, bytes, sy_tensor_bytes(input), err);
        }
        sy_free(bytes);
    }
    return status;
}
