/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: what a build function fills. It owns its tensors, their device memory and the run function's state, and
 * gives all of it back in sy_graph_destroy, however far it came. Filling inputs and judging outputs is the probe's
 * business. */
#include "backends/graph_inside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

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

void sy_graph_destroy(sy_graph *graph)
{
    if (!graph)
        return;
    /* The state goes first: it may hold what reads the buffers. */
    release_state(graph);
    sy_graph_release_buffers(graph);
    if (graph->extension)
        graph->extension->destroy(graph->extension_state);
    sy_arena_destroy(graph->arena);
    sy_free(graph);
    atomic_fetch_sub(&live_count, 1);
}

int64_t sy_graph_live_count(void)
{
    return atomic_load(&live_count);
}

void sy_graph_extend(sy_graph *graph, const sy_graph_extension *extension, void *state)
{
    graph->extension = extension;
    graph->extension_state = state;
}

void *sy_graph_extension_state(const sy_graph *graph, const sy_graph_extension *extension)
{
    return graph->extension == extension ? graph->extension_state : NULL;
}

/* ---- what build calls ---- */

/* What an extended graph needs is known when its build has ended: sy_graph_check. */
static bool fits_capacity(const sy_graph *graph, uint64_t size)
{
    if (graph->extension)
        return true;
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

/* The smallest multiple of alignment, a power of two, that is not below size. */
static uint64_t align_up(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

static sy_status add_tensor(sy_graph *graph, sy_tensor_use use, const sy_tensor_desc *desc, const sy_tensor_room *room,
                            sy_tensor **ret_tensor, sy_error *err)
{
    const char *name = desc->name ? desc->name : "";
    if (graph->is_allocated)
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s '%s' is registered after allocation", sy_tensor_use_words[use],
                       name);
    sy_tensor_desc laid = *desc;
    uint64_t bytes = 0;
    sy_status status = lay_out(&laid, &bytes, err);
    if (status) {
        sy_error_prefix(err, "%s", sy_tensor_use_words[use]); /* the tensor's name follows */
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
        return sy_fail(err, SY_NO_MEMORY, "no memory for the metadata of %s '%s'", sy_tensor_use_words[use], name);
    sy_tensor_list *list = &graph->lists[use];
    tensor->desc = laid;
    tensor->use = use;
    tensor->index = list->count++;
    tensor->bytes = bytes;
    tensor->lead = use == USE_OUTPUT ? align_up(SY_GRAPH_CANARY_BYTES, room->alignment) : 0;
    tensor->room = room->bytes > bytes ? room->bytes : bytes;
    tensor->trail = use == USE_OUTPUT ? SY_GRAPH_CANARY_BYTES : 0;
    tensor->graph = graph;
    if (list->last)
        list->last->next = tensor;
    else
        list->first = tensor;
    list->last = tensor;
    *ret_tensor = tensor;
    return SY_OK;
}

static const sy_tensor_room no_wish = {1, 0};

sy_status sy_graph_input(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_INPUT, desc, &no_wish, ret_tensor, err);
}

sy_status sy_graph_output(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_OUTPUT, desc, &no_wish, ret_tensor, err);
}

sy_status sy_graph_scratch(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_SCRATCH, desc, &no_wish, ret_tensor, err);
}

sy_status sy_graph_input_in(sy_graph *graph, const sy_tensor_desc *desc, const sy_tensor_room *room,
                            sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_INPUT, desc, room, ret_tensor, err);
}

sy_status sy_graph_output_in(sy_graph *graph, const sy_tensor_desc *desc, const sy_tensor_room *room,
                             sy_tensor **ret_tensor, sy_error *err)
{
    return add_tensor(graph, USE_OUTPUT, desc, room, ret_tensor, err);
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

/* The whole of an extended graph's metadata against the capacity: build could not be stopped where it went beyond. */
static sy_status check_capacity(const sy_graph *graph, sy_error *err)
{
    const uint64_t needed = sy_graph_metadata_bytes(graph);
    char text[32], capacity[32];
    if (!graph->extension || needed <= graph->capacity_bytes)
        return SY_OK;
    sy_format_bytes(text, sizeof text, needed);
    sy_format_bytes(capacity, sizeof capacity, graph->capacity_bytes);
    (void)sy_fail(err, SY_LIMIT_EXCEEDED, "metadata of %s does not fit the graph's metadata capacity of %s", text,
                  capacity);
    sy_error_hint(err, "raise the metadata capacity to %llu bytes", (unsigned long long)needed);
    return SY_LIMIT_EXCEEDED;
}

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
    sy_status status = check_capacity(graph, err);
    if (status)
        return status;
    *ret_available = true;
    *ret_reason = "";
    return SY_OK;
}

static sy_tensor *tensor_at(const sy_tensor_list *list, size_t index)
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

static uint64_t bytes_of(const sy_graph *graph, sy_tensor_use from)
{
    uint64_t sum = graph->extension ? graph->extension->scratch_bytes(graph->extension_state) : 0;
    for (sy_tensor_use use = from; use < USE_COUNT; use++)
        for (const sy_tensor *tensor = graph->lists[use].first; tensor; tensor = tensor->next)
            if (__builtin_add_overflow(sum, sy_tensor_buffer_bytes(tensor), &sum))
                return UINT64_MAX;
    return sum;
}

uint64_t sy_graph_memory_bytes(const sy_graph *graph)
{
    return bytes_of(graph, USE_INPUT);
}

uint64_t sy_graph_scratch_bytes(const sy_graph *graph)
{
    const uint64_t bytes = bytes_of(graph, USE_SCRATCH); /* the last use */
    const sy_graph_extension *extension = graph->extension;
    const uint64_t kept = extension && extension->kept_bytes ? extension->kept_bytes(graph->extension_state) : 0;
    return bytes > kept ? bytes - kept : 0;
}

uint64_t sy_graph_capacity_bytes(const sy_graph *graph)
{
    return graph->capacity_bytes;
}

uint64_t sy_graph_metadata_bytes(const sy_graph *graph)
{
    const uint64_t more = graph->extension ? graph->extension->metadata_bytes(graph->extension_state) : 0;
    return sy_arena_used(graph->arena) + more;
}
