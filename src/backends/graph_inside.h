/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of a graph, for the two files that are its inside. */
#ifndef STEELYARD_BACKENDS_GRAPH_INSIDE_H
#define STEELYARD_BACKENDS_GRAPH_INSIDE_H

#include "backends/graph.h"
#include "base/arena.h"

/* What a tensor of a graph is. */
typedef enum sy_tensor_use { USE_INPUT, USE_OUTPUT, USE_SCRATCH, USE_COUNT } sy_tensor_use;

struct sy_tensor {
    sy_tensor_desc desc; /* strides filled in */
    sy_tensor_use use;
    uint32_t index;    /* among its kind */
    uint64_t bytes;    /* from the first element to the end of the last */
    uint64_t lead;     /* before the first element: the canary of an output, right before it */
    uint64_t room;     /* that belongs to it from there: bytes, or more */
    uint64_t trail;    /* behind its room: the canary of an output */
    sy_buffer *buffer; /* NULL before allocation */
    const sy_graph *graph;
    sy_tensor *next; /* of the same use */
};

typedef struct sy_tensor_list {
    sy_tensor *first;
    sy_tensor *last;
    uint32_t count;
} sy_tensor_list;

struct sy_graph {
    sy_device *device;
    sy_arena *arena;
    uint64_t capacity_bytes;
    sy_tensor_list lists[USE_COUNT];
    sy_run_fn run;
    sy_release_fn release;
    void *state;
    const sy_graph_extension *extension; /* NULL */
    void *extension_state;
    bool is_unavailable;
    bool is_allocated;
    char reason[256];
};

extern const char *const sy_tensor_use_words[USE_COUNT];

/* Of its buffer: canaries and padding included. */
uint64_t sy_tensor_buffer_bytes(const sy_tensor *tensor);
void sy_graph_release_buffers(sy_graph *graph);

#endif
