/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: what a build function fills. It owns its tensors, their device memory and the run function's state, and
 * gives all of it back in sy_graph_destroy, however far it came. Filling inputs and judging outputs is the probe's
 * business. */
#include "backends/graph.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef enum tensor_use { USE_INPUT, USE_OUTPUT, USE_SCRATCH, USE_COUNT } tensor_use;

static const char *const use_words[USE_COUNT] = {"input", "output", "scratch"};

struct sy_tensor {
    sy_tensor_desc desc; /* strides filled in */
    tensor_use use;
    uint32_t index;    /* among its kind */
    uint64_t bytes;    /* from the first element to the end of the last */
    uint64_t margin;   /* canary bytes before and after */
    sy_buffer *buffer; /* NULL before allocation */
    const sy_graph *graph;
    sy_tensor *next; /* of the same use */
};

typedef struct tensor_list {
    sy_tensor *first;
    sy_tensor *last;
    uint32_t count;
} tensor_list;

struct sy_graph {
    sy_device *device;
    sy_arena *arena;
    uint64_t capacity_bytes;
    tensor_list lists[USE_COUNT];
    sy_run_fn run;
    sy_release_fn release;
    void *state;
    bool is_unavailable;
    bool is_allocated;
    char reason[256];
};

/* Tests compare it before and after: no path may lose a graph. */
static _Atomic int64_t live_count;

sy_status sy_graph_create(sy_device *device, uint64_t capacity_bytes, sy_graph **ret_graph, sy_error *err)
{
    sy_graph *graph = sy_allocate(1, sizeof *graph);
    sy_arena *arena = sy_arena_create(0);
    if (!graph || !arena) {
        sy_free(graph);
        sy_arena_destroy(arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a graph's metadata");
    }
    graph->device = device;
    graph->arena = arena;
    graph->capacity_bytes = capacity_bytes;
    atomic_fetch_add(&live_count, 1);
    *ret_graph = graph;
    return SY_OK;
}

static void release_state(sy_graph *graph)
{
    sy_release_fn release = graph->release;
    void *state = graph->state;
    graph->run = NULL;
    graph->release = NULL;
    graph->state = NULL;
    if (release)
        release(state);
}

static void release_buffers(sy_graph *graph)
{
    for (tensor_use use = 0; use < USE_COUNT; use++)
        for (sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next) {
            if (tensor->buffer)
                graph->device->backend->release(tensor->buffer);
            tensor->buffer = NULL;
        }
    graph->is_allocated = false;
}

void sy_graph_destroy(sy_graph *graph)
{
    if (!graph)
        return;
    /* The state goes first: it may hold what reads the buffers. */
    release_state(graph);
    release_buffers(graph);
    sy_arena_destroy(graph->arena);
    sy_free(graph);
    atomic_fetch_sub(&live_count, 1);
}

int64_t sy_graph_live_count(void)
{
    return atomic_load(&live_count);
}

/* ---- what build calls ---- */

static bool fits_capacity(const sy_graph *graph, uint64_t size)
{
    const uint64_t used = sy_arena_used(graph->arena);
    return used <= graph->capacity_bytes && size <= graph->capacity_bytes - used;
}

void *sy_graph_metadata(sy_graph *graph, size_t size)
{
    return fits_capacity(graph, size) ? sy_arena_allocate(graph->arena, 1, size) : NULL;
}

/* Fills strides in and finds the bytes from the first element to the end of the last. */
static sy_status lay_out(sy_tensor_desc *desc, uint64_t *ret_bytes, sy_error *err)
{
    uint64_t elements, contiguous_bytes;
    sy_status status = sy_tensor_desc_check(desc, &elements, &contiguous_bytes, err);
    if (status)
        return status;
    bool is_given = false;
    for (uint32_t i = 0; i < desc->rank; i++)
        is_given = is_given || desc->strides[i] != 0;
    if (!is_given) {
        int64_t stride = 1;
        for (uint32_t i = desc->rank; i-- > 0;) {
            desc->strides[i] = stride;
            stride *= desc->dims[i];
        }
        *ret_bytes = contiguous_bytes;
        return SY_OK;
    }
    uint64_t extent = 1;
    for (uint32_t i = 0; i < desc->rank; i++)
        extent += (uint64_t)desc->strides[i] * (uint64_t)(desc->dims[i] - 1); /* bounded by the check */
    *ret_bytes = extent * sy_dtype_size(desc->dtype);
    return SY_OK;
}

static sy_status refuse_capacity(const sy_graph *graph, const char *what, sy_error *err)
{
    char capacity[32];
    sy_format_bytes(capacity, sizeof capacity, graph->capacity_bytes);
    (void)sy_fail(err, SY_LIMIT_EXCEEDED, "%s does not fit the graph's metadata capacity of %s", what, capacity);
    sy_error_hint(err, "raise the metadata capacity");
    return SY_LIMIT_EXCEEDED;
}

static sy_status add_tensor(sy_graph *graph, tensor_use use, const sy_tensor_desc *desc, sy_tensor **ret_tensor,
                            sy_error *err)
{
    const char *name = desc->name ? desc->name : "";
    if (graph->is_allocated)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' is registered after allocation", use_words[use], name);
    sy_tensor_desc laid = *desc;
    uint64_t bytes = 0;
    sy_status status = lay_out(&laid, &bytes, err);
    if (status) {
        sy_error_prefix(err, "%s", use_words[use]); /* the tensor's name follows */
        return status;
    }
    const size_t name_size = strlen(name) + 1;
    if (!fits_capacity(graph, sizeof(sy_tensor) + name_size)) {
        char what[160];
        sy_text_copy(what, sizeof what, name);
        return refuse_capacity(graph, what, err);
    }
    sy_tensor *tensor = sy_arena_allocate(graph->arena, 1, sizeof *tensor);
    laid.name = sy_arena_copy_text(graph->arena, name);
    if (!tensor || !laid.name)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the metadata of %s '%s'", use_words[use], name);
    tensor_list *list = &graph->lists[use];
    tensor->desc = laid;
    tensor->use = use;
    tensor->index = list->count++;
    tensor->bytes = bytes;
    tensor->margin = use == USE_OUTPUT ? SY_GRAPH_CANARY_BYTES : 0;
    tensor->graph = graph;
    if (list->last)
        list->last->next = tensor;
    else
        list->first = tensor;
    list->last = tensor;
    *ret_tensor = tensor;
    return SY_OK;
}

sy_status sy_graph_input(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_INPUT, desc, ret_tensor, err);
}

sy_status sy_graph_output(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_OUTPUT, desc, ret_tensor, err);
}

sy_status sy_graph_scratch(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_SCRATCH, desc, ret_tensor, err);
}

void sy_graph_unavailable(sy_graph *graph, const char *reason)
{
    graph->is_unavailable = true;
    sy_text_copy(graph->reason, sizeof graph->reason, reason && reason[0] ? reason : "no reason was given");
}

void sy_graph_on_run(sy_graph *graph, sy_run_fn run, sy_release_fn release, void *state)
{
    release_state(graph);
    graph->run = run;
    graph->release = release;
    graph->state = state;
}

sy_device *sy_graph_device(const sy_graph *graph)
{
    return graph->device;
}

/* ---- what the runner asks ---- */

sy_status sy_graph_check(const sy_graph *graph, bool *ret_available, const char **ret_reason, sy_error *err)
{
    /* A reason counts even beside an output: a fallback is never timed as the candidate. */
    if (graph->is_unavailable || graph->lists[USE_OUTPUT].count == 0) {
        *ret_available = false;
        *ret_reason = graph->is_unavailable ? graph->reason : "build set no output";
        return SY_OK;
    }
    if (!graph->run)
        return sy_fail(err, SY_INVALID_ARGUMENT, "build set output '%s' but no run function",
                       graph->lists[USE_OUTPUT].first->desc.name);
    *ret_available = true;
    *ret_reason = "";
    return SY_OK;
}

static sy_tensor *tensor_at(const tensor_list *list, size_t index)
{
    sy_tensor *tensor = list->first;
    while (tensor && index-- > 0)
        tensor = tensor->next;
    return tensor;
}

size_t sy_graph_input_count(const sy_graph *graph)
{
    return graph->lists[USE_INPUT].count;
}

size_t sy_graph_output_count(const sy_graph *graph)
{
    return graph->lists[USE_OUTPUT].count;
}

sy_tensor *sy_graph_input_at(const sy_graph *graph, size_t index)
{
    return tensor_at(&graph->lists[USE_INPUT], index);
}

sy_tensor *sy_graph_output_at(const sy_graph *graph, size_t index)
{
    return tensor_at(&graph->lists[USE_OUTPUT], index);
}

static uint64_t bytes_of(const sy_graph *graph, tensor_use from)
{
    uint64_t sum = 0;
    for (tensor_use use = from; use < USE_COUNT; use++)
        for (const sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next)
            if (__builtin_add_overflow(sum, tensor->bytes + 2 * tensor->margin, &sum))
                return UINT64_MAX;
    return sum;
}

uint64_t sy_graph_memory_bytes(const sy_graph *graph)
{
    return bytes_of(graph, USE_INPUT);
}

uint64_t sy_graph_scratch_bytes(const sy_graph *graph)
{
    return bytes_of(graph, USE_SCRATCH); /* the last use */
}

uint64_t sy_graph_metadata_bytes(const sy_graph *graph)
{
    return sy_arena_used(graph->arena);
}

/* ---- device memory ---- */

sy_status sy_graph_allocate(sy_graph *graph, sy_error *err)
{
    if (graph->is_allocated)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the graph is allocated already");
    for (tensor_use use = 0; use < USE_COUNT; use++)
        for (sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next) {
            const uint64_t size = tensor->bytes + 2 * tensor->margin;
            sy_status status = graph->device->backend->allocate(graph->device, size, &tensor->buffer, err);
            if (status) {
                char text[32];
                sy_format_bytes(text, sizeof text, size);
                sy_error_prefix(err, "%s for %s '%s'", text, use_words[use], tensor->desc.name);
                release_buffers(graph);
                return status;
            }
        }
    graph->is_allocated = true;
    return SY_OK;
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
    return side == 0 ? 0 : tensor->margin + tensor->bytes;
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
        status = backend->fill(tensor->buffer, tensor->margin, poison, tensor->bytes, err);
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
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' has no device memory yet", use_words[tensor->use],
                       tensor->desc.name);
    if (offset > tensor->bytes || size > tensor->bytes - offset)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s %llu bytes at %llu of %s '%s', which has %llu", verb,
                       (unsigned long long)size, (unsigned long long)offset, use_words[tensor->use], tensor->desc.name,
                       (unsigned long long)tensor->bytes);
    return SY_OK;
}

sy_status sy_tensor_write(sy_tensor *tensor, uint64_t offset, const void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(tensor, offset, size, "writes", err);
    if (status)
        return status;
    return tensor->graph->device->backend->upload(tensor->buffer, tensor->margin + offset, bytes, size, err);
}

sy_status sy_tensor_read(const sy_tensor *tensor, uint64_t offset, void *bytes, uint64_t size, sy_error *err)
{
    sy_status status = check_range(tensor, offset, size, "reads", err);
    if (status)
        return status;
    return tensor->graph->device->backend->download(tensor->buffer, tensor->margin + offset, bytes, size, err);
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
    return (char *)tensor->buffer->address + tensor->margin;
}

sy_status sy_graph_run(sy_graph *graph, sy_error *err)
{
    if (!graph->is_allocated || !graph->run)
        return sy_fail(err, SY_INVALID_ARGUMENT, "the graph cannot run: it has no %s",
                       graph->run ? "device memory" : "run function");
    return graph->device->backend->submit(graph->device, graph->run, graph->state, err);
}
