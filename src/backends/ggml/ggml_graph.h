/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside a graph that is made of ggml's tensors; its two files share it. */
#ifndef STEELYARD_BACKENDS_GGML_GGML_GRAPH_H
#define STEELYARD_BACKENDS_GGML_GGML_GRAPH_H

#include "backends/ggml/ggml_device.h"

struct ggml_cgraph;
struct ggml_gallocr;

#define SY_GGML_OUTPUTS_MAX 8 /* what a probe takes of one graph */

/* A tensor of ggml that lies in the buffer of a registered one. */
typedef struct sy_ggml_bound {
    struct ggml_tensor *tensor;
    const sy_tensor *registered;
    struct sy_ggml_bound *next;
} sy_ggml_bound;

typedef struct sy_ggml_graph {
    sy_ggml_device *device;
    void *memory; /* of the context; nothing in it moves */
    size_t memory_size;
    struct ggml_context *context;
    sy_ggml_bound *bound;
    struct ggml_tensor *outputs[SY_GGML_OUTPUTS_MAX];
    size_t output_count;
    /* The operations in their order, made anew with each output. */
    void *work_memory;
    size_t work_size;
    struct ggml_context *work_context;
    struct ggml_cgraph *work;
    /* Memory of what lies between inputs and outputs. */
    uint64_t compute_bytes;   /* ggml's compute buffer */
    uint64_t processor_bytes; /* what the processor's backend takes beside it for a run */
    uint64_t kept_bytes;      /* of compute_bytes, a result that an engine has in place of an input */
    struct ggml_gallocr *allocator;
    bool is_counted; /* compute_bytes stand in the device's count */
} sy_ggml_graph;

/* Says that a result of a registered output's operations is what an engine has in place of an input: no scratch. */
void sy_ggml_graph_keep(sy_graph *graph, const struct ggml_tensor *kept);

/* Finds out what memory lies between inputs and outputs, without taking device memory. SY_NO_MEMORY. */
sy_status sy_ggml_graph_measure(sy_ggml_graph *graph, sy_error *err) SY_NODISCARD;
/* sy_graph_extension's allocate and release. */
sy_status sy_ggml_graph_allocate(void *state, sy_error *err) SY_NODISCARD;
void sy_ggml_graph_release(void *state);

#endif
