/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a graph, for whoever runs it: build, allocate, fill, run, read, destroy. It owns tensors, device
 * buffers and the state of the run function; sy_graph_destroy releases all of it, whatever failed before. */
#ifndef STEELYARD_BACKENDS_GRAPH_H
#define STEELYARD_BACKENDS_GRAPH_H

#include <steelyard/graph.h>

#include "backends/backend.h"

#define SY_GRAPH_CANARY_BYTES 64 /* before and after each output */

/* capacity_bytes: the metadata's limit. Takes no device memory. */
sy_status sy_graph_create(sy_device *device, uint64_t capacity_bytes, sy_graph **ret_graph, sy_error *err) SY_NODISCARD;
void sy_graph_destroy(sy_graph *graph); /* NULL is allowed */

/* How a device wants a tensor's bytes to lie in its buffer. */
typedef struct sy_tensor_room {
    uint64_t alignment; /* of the first byte behind the buffer's; a power of two */
    uint64_t bytes;     /* that must belong to it; 0 = those of its description */
} sy_tensor_room;

/* sy_graph_input and sy_graph_output with a wish. */
sy_status sy_graph_input_in(sy_graph *graph, const sy_tensor_desc *desc, const sy_tensor_room *room,
                            sy_tensor **ret_tensor, sy_error *err) SY_NODISCARD;
sy_status sy_graph_output_in(sy_graph *graph, const sy_tensor_desc *desc, const sy_tensor_room *room,
                             sy_tensor **ret_tensor, sy_error *err) SY_NODISCARD;

/* What a backend keeps beside a graph that is made of objects of its own (ggml's context and tensors). */
typedef struct sy_graph_extension {
    uint64_t (*metadata_bytes)(const void *state); /* beyond the graph's own */
    uint64_t (*scratch_bytes)(const void *state);  /* device memory that allocate takes */
    uint64_t (*kept_bytes)(const void *state);     /* NULL, or of it what takes the place of an input: no scratch */
    /* Behind the tensors' buffers: puts its objects into them and takes the rest. SY_NO_MEMORY, SY_UNAVAILABLE; release
     * follows on failure, too. */
    sy_status (*allocate)(void *state, sy_error *err);
    void (*release)(void *state); /* before the tensors' buffers go; also when nothing was allocated */
    void (*destroy)(void *state);
} sy_graph_extension;

/* Once a graph; state is the graph's from now on. Its metadata is then held against the capacity when build has ended,
 * in sy_graph_check, which names the number that would do. */
void sy_graph_extend(sy_graph *graph, const sy_graph_extension *extension, void *state);
/* The state, or NULL where the graph has no such extension. */
void *sy_graph_extension_state(const sy_graph *graph, const sy_graph_extension *extension);

/* After build: no output = unavailable, with the reason given or "build set no output". An output without a run
 * function is SY_INVALID_ARGUMENT; an extended graph whose metadata exceeds the capacity is SY_LIMIT_EXCEEDED. */
sy_status sy_graph_check(const sy_graph *graph, bool *ret_available, const char **ret_reason,
                         sy_error *err) SY_NODISCARD;

size_t sy_graph_input_count(const sy_graph *graph);
size_t sy_graph_output_count(const sy_graph *graph);
sy_tensor *sy_graph_input_at(const sy_graph *graph, size_t index);
sy_tensor *sy_graph_output_at(const sy_graph *graph, size_t index);
uint64_t sy_graph_memory_bytes(const sy_graph *graph);  /* device memory that allocation takes, canaries included */
uint64_t sy_graph_scratch_bytes(const sy_graph *graph); /* of it, the scratch, without what an extension keeps */
uint64_t sy_graph_metadata_bytes(const sy_graph *graph);
uint64_t sy_graph_capacity_bytes(const sy_graph *graph);
uint64_t sy_tensor_bytes(const sy_tensor *tensor);
/* The buffer it lies in, at *ret_offset; NULL before allocation. */
sy_buffer *sy_tensor_buffer(const sy_tensor *tensor, uint64_t *ret_offset);

/* Takes the device memory of inputs, outputs and scratch. SY_NO_MEMORY names size and tensor; nothing is kept on
 * failure. */
sy_status sy_graph_allocate(sy_graph *graph, sy_error *err) SY_NODISCARD;
/* Writes the canaries and fills every output with `poison` bytes. */
sy_status sy_graph_poison(sy_graph *graph, uint8_t poison, sy_error *err) SY_NODISCARD;
/* Whether all canaries are as they were written; names the output and the side otherwise. */
sy_status sy_graph_canaries(sy_graph *graph, bool *ret_intact, char *reason, size_t reason_size,
                            sy_error *err) SY_NODISCARD;
sy_status sy_tensor_read(const sy_tensor *tensor, uint64_t offset, void *bytes, uint64_t size,
                         sy_error *err) SY_NODISCARD;
/* Writes every input: fill makes the bytes of one, contiguous, for its registration number. For suites that bring their
 * own data. SY_NO_MEMORY, what fill and sy_tensor_write return. */
typedef sy_status (*sy_fill_fn)(const sy_case *c, uint64_t seed, uint32_t input, const sy_tensor_desc *desc,
                                void *bytes, sy_error *err);
sy_status sy_graph_fill_inputs(sy_graph *graph, const sy_case *c, uint64_t seed, sy_fill_fn fill,
                               sy_error *err) SY_NODISCARD;
/* Enqueues one run; sy_device_synchronize waits for it. */
sy_status sy_graph_run(sy_graph *graph, sy_error *err) SY_NODISCARD;
sy_status sy_device_synchronize(sy_device *device, sy_error *err) SY_NODISCARD;
/* Graphs alive in this process: tests count them. */
int64_t sy_graph_live_count(void);

#endif
