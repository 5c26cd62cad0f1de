/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of attention on ggml, for those who build others of them. */
#ifndef STEELYARD_BACKENDS_GGML_GGML_ATTENTION_H
#define STEELYARD_BACKENDS_GGML_GGML_ATTENTION_H

#include "backends/ggml/ggml_suites.h"

struct ggml_context;

/* The tensors of a case in a graph's context: all of four dimensions. mask is NULL without one. */
typedef struct sy_ggml_attention {
    struct ggml_context *context;
    struct ggml_tensor *q;
    struct ggml_tensor *k;
    struct ggml_tensor *v;
    struct ggml_tensor *mask;
    float scale;
} sy_ggml_attention;

/* Lends the context and registers the inputs. Errors: those of sy_engine_attention_tensors_of and sy_ggml_input. */
sy_status sy_ggml_attention_begin(const sy_case *c, sy_graph *graph, sy_ggml_attention *ret_attention,
                                  sy_error *err) SY_NODISCARD;

/* o as [head_dim, heads, queries, batch], contiguous: as engines build it, and as ggml's flash leaves it. *ret_values:
 * v transposed, which the sums read. */
struct ggml_tensor *sy_ggml_attention_plain(const sy_ggml_attention *attention, struct ggml_tensor **ret_values);
struct ggml_tensor *sy_ggml_attention_flash(const sy_ggml_attention *attention, bool is_f32_precision);

#endif
