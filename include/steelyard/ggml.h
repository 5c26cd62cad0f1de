/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of ggml: what a suite's build function uses on a device of backend ggml ("ggml", "ggml0", "ggml:CPU") in place
 * of the functions of graph.h. It creates tensors in the context that it is lent, names the inputs and, last, the
 * outputs; what lies between them is found from these, and runs as an engine runs it. ggml's own headers are not
 * needed to read this one. For one thread. */
#ifndef STEELYARD_GGML_H
#define STEELYARD_GGML_H

#include <steelyard/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ggml_backend;
struct ggml_context;
struct ggml_tensor;

/* Lends the graph's context: metadata alone (no_alloc), the same one at each call, freed with the graph. Tensors are
 * created in it inside build only. It has room for at least 8 MiB whatever the metadata capacity is, so that one too
 * small is an error of sy_ggml_output, which names the number that would do, and not the end of the process. Errors,
 * which build passes on: SY_UNAVAILABLE (not a device of ggml, or this steelyard was built without it), SY_NO_MEMORY.
 */
SY_API sy_status sy_ggml_context(sy_graph *graph, struct ggml_context **ret_context, sy_error *err) SY_NODISCARD;

/* Registers a tensor of the context as an input: contiguous, no view, not the result of an operation, of type F32, F64,
 * F16, BF16, I8, I16, I32 or I64. Its description has all four of ggml's dimensions, outermost first: ne[3] to ne[0].
 * Its memory is its own: no result is ever put in its place. Its name is ggml's (ggml_set_name), else "input 0",
 * "input 1", ... Errors: SY_INVALID_ARGUMENT (named), SY_NO_MEMORY. */
SY_API sy_status sy_ggml_input(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor,
                               sy_error *err) SY_NODISCARD;

/* Registers a tensor as an output, once all that it depends on was created and all inputs are registered; it may be
 * called for several. Contiguous, of a type as above; a view only if it is the whole of what it views. Every operation
 * that it depends on is put to the device: one that it does not support makes the implementation unavailable here
 * ("FLASH_ATTN_EXT is not supported by Vulkan0 (f16 40x4096x8x1)"): *ret_tensor is then NULL, no output is registered,
 * and the status is SY_OK, with which build returns. Nothing stands in for what is not supported. Errors:
 * SY_LIMIT_EXCEEDED (metadata capacity; the hint has the number that would do), SY_INVALID_ARGUMENT (the tensor itself;
 * one that it depends on and that is neither an input nor the result of an operation), SY_NO_MEMORY. */
SY_API sy_status sy_ggml_output(sy_graph *graph, struct ggml_tensor *tensor, sy_tensor **ret_tensor,
                                sy_error *err) SY_NODISCARD;

/* The device's ggml backend, for what this header does not offer; it is the device's and lives as long as it. It is
 * initialised at the first call, which takes device memory: not for build. NULL: not a device of ggml, or ggml could
 * not initialise it. */
SY_API struct ggml_backend *sy_ggml_backend(sy_device *device);

#ifdef __cplusplus
}
#endif
#endif
