/* SPDX-License-Identifier: Apache-2.0 */
/* What a suite's build function fills: inputs, outputs, scratch and the function that runs the work once. Metadata
 * only: device memory comes later, and the runner frees all of it on every path. For one thread. */
#ifndef STEELYARD_GRAPH_H
#define STEELYARD_GRAPH_H

#include <steelyard/backend.h>
#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_graph sy_graph;
typedef struct sy_tensor sy_tensor;

/* Enqueues the work once; it may be run again and must not change its inputs. state is that of sy_graph_on_run. */
typedef sy_status (*sy_run_fn)(void *state, sy_error *err);
/* Frees what state holds; called once, also when the graph was never run. */
typedef void (*sy_release_fn)(void *state);

/* Registers an input. desc is copied; the tensor is the graph's. Errors: SY_INVALID_ARGUMENT (desc), SY_LIMIT_EXCEEDED
 * (metadata capacity), SY_NO_MEMORY. */
SY_API sy_status sy_graph_input(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor,
                                sy_error *err) SY_NODISCARD;
/* Registers an output; may be called several times. Never called: the implementation is unavailable here. Errors as
 * above. */
SY_API sy_status sy_graph_output(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor,
                                 sy_error *err) SY_NODISCARD;
/* Registers memory that a run may use as it likes; it counts as the implementation's. Errors as above. */
SY_API sy_status sy_graph_scratch(sy_graph *graph, const sy_tensor_desc *desc, sy_tensor **ret_tensor,
                                  sy_error *err) SY_NODISCARD;
/* Says why this implementation cannot run here ("libblis.so.4 not found"); copied, cut at 255 bytes. build then returns
 * SY_OK. */
SY_API void sy_graph_unavailable(sy_graph *graph, const char *reason);
/* Sets what a run does. release may be NULL. A second call replaces the first, whose release is called at once. */
SY_API void sy_graph_on_run(sy_graph *graph, sy_run_fn run, sy_release_fn release, void *state);
/* Zeroed memory that lives as long as the graph, counted as metadata; NULL when the capacity or the memory is short. */
SY_API void *sy_graph_metadata(sy_graph *graph, size_t size);
/* The device it is built for. */
SY_API sy_device *sy_graph_device(const sy_graph *graph);
/* The tensor's description, with strides filled in. */
SY_API const sy_tensor_desc *sy_tensor_description(const sy_tensor *tensor);
/* Address in the device's memory: a host pointer on cpu and fake. NULL before allocation, that is, inside build. */
SY_API void *sy_tensor_address(const sy_tensor *tensor);
/* Copies size bytes from host memory into the tensor at offset; for initialize. SY_INVALID_ARGUMENT outside of the
 * tensor. */
SY_API sy_status sy_tensor_write(sy_tensor *tensor, uint64_t offset, const void *bytes, uint64_t size,
                                 sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
