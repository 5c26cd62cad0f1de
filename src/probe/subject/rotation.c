/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in turn: made, filled alike, changed alike, checked together. */
#include "probe/subject/rotation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

struct sy_rotation {
    sy_graph **graphs;
    uint32_t count;
    uint32_t next;
};

/* What a run reads and writes; scratch may be touched in part only and is not counted on. */
static uint64_t touched_bytes(const sy_graph *graph)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < sy_graph_input_count(graph); i++)
        bytes += sy_tensor_bytes(sy_graph_input_at(graph, i)); /* each below 2^62, and at most 8 of them are let in */
    for (size_t i = 0; i < sy_graph_output_count(graph); i++)
        bytes += sy_tensor_bytes(sy_graph_output_at(graph, i));
    return bytes;
}

sy_status sy_rotation_count(const sy_graph *graph, uint64_t working_set_bytes, uint32_t *ret_copies, sy_error *err)
{
    uint64_t bytes = touched_bytes(graph);
    uint64_t copies = working_set_bytes == 0 ? 1 : working_set_bytes / (bytes > 0 ? bytes : 1) + 1;
    char each[32];
    char all[32];
    if (copies > SY_ROTATION_COPIES_MAX) {
        sy_format_bytes(each, sizeof each, bytes);
        sy_format_bytes(all, sizeof all, working_set_bytes);
        return sy_fail(err, SY_LIMIT_EXCEEDED, "cold buffers: %llu copies of %s would exceed %s, at most %d are made",
                       (unsigned long long)copies, each, all, SY_ROTATION_COPIES_MAX);
    }
    *ret_copies = (uint32_t)copies;
    return SY_OK;
}

static sy_status make_copy(const sy_suite *suite, const sy_case *c, uint32_t variant, sy_device *device,
                           uint64_t metadata_capacity_bytes, sy_graph **ret_graph, sy_error *err)
{
    bool available = false;
    const char *reason = "";
    sy_status status = sy_graph_create(device, metadata_capacity_bytes, ret_graph, err);
    if (!status)
        status = suite->build(suite->user, c, variant, *ret_graph, err);
    if (!status)
        status = sy_graph_check(*ret_graph, &available, &reason, err);
    if (!status && !available)
        status = sy_fail(err, SY_UNAVAILABLE, "a copy of case %s could not be built: %s", c->name, reason);
    if (!status)
        status = sy_graph_allocate(*ret_graph, err);
    return status ? status : sy_graph_poison(*ret_graph, 0xff, err);
}

sy_status sy_rotation_create(const sy_suite *suite, uint32_t case_index, uint32_t variant, sy_graph *first,
                             uint32_t copies, uint64_t metadata_capacity_bytes, sy_rotation **ret_rotation,
                             sy_error *err)
{
    sy_rotation *rotation = sy_allocate(1, sizeof *rotation);
    sy_status status = SY_OK;
    if (rotation)
        rotation->graphs = sy_allocate(copies, sizeof *rotation->graphs);
    if (!rotation || !rotation->graphs) {
        sy_free(rotation);
        return sy_fail(err, SY_NO_MEMORY, "no memory for copies of a case's buffers");
    }
    rotation->graphs[0] = first;
    rotation->count = copies;
    for (uint32_t i = 1; !status && i < copies; i++)
        status = make_copy(suite, &suite->cases[case_index], variant, sy_graph_device(first), metadata_capacity_bytes,
                           &rotation->graphs[i], err);
    if (status)
        sy_rotation_destroy(rotation);
    else
        *ret_rotation = rotation;
    return status;
}

void sy_rotation_destroy(sy_rotation *rotation)
{
    if (!rotation)
        return;
    for (uint32_t i = 1; i < rotation->count; i++)
        sy_graph_destroy(rotation->graphs[i]);
    sy_free(rotation->graphs);
    sy_free(rotation);
}

sy_status sy_rotation_fill(sy_rotation *rotation, void *scratch, uint64_t size, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t input = 0; input < sy_graph_input_count(rotation->graphs[0]); input++) {
        const sy_tensor *from = sy_graph_input_at(rotation->graphs[0], input);
        uint64_t bytes = sy_tensor_bytes(from);
        for (uint64_t at = 0; !status && at < bytes; at += size) {
            uint64_t piece = bytes - at < size ? bytes - at : size;
            status = sy_tensor_read(from, at, scratch, piece, err);
            for (uint32_t i = 1; !status && i < rotation->count; i++)
                status = sy_tensor_write(sy_graph_input_at(rotation->graphs[i], input), at, scratch, piece, err);
        }
    }
    rotation->next = 0;
    return status;
}

sy_graph *sy_rotation_next(sy_rotation *rotation)
{
    sy_graph *graph = rotation->graphs[rotation->next];
    rotation->next = rotation->next + 1 == rotation->count ? 0 : rotation->next + 1;
    return graph;
}

sy_status sy_rotation_write(sy_rotation *rotation, size_t input, uint64_t offset, const void *bytes, uint64_t size,
                            sy_error *err)
{
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && i < rotation->count; i++)
        status = sy_tensor_write(sy_graph_input_at(rotation->graphs[i], input), offset, bytes, size, err);
    return status;
}

sy_status sy_rotation_canaries(sy_rotation *rotation, bool *ret_intact, char *reason, size_t reason_size, sy_error *err)
{
    bool intact = true;
    sy_status status = SY_OK;
    for (uint32_t i = 0; !status && intact && i < rotation->count; i++)
        status = sy_graph_canaries(rotation->graphs[i], &intact, reason, reason_size, err);
    if (!status)
        *ret_intact = intact;
    return status;
}
