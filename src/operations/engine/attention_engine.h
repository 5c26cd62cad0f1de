/* SPDX-License-Identifier: Apache-2.0 */
/* Attention as inference engines store it: q and o are f32, k and v of the case's dtype, to which the operation rounds
 * what it multiplies them with. Sums are f32; where an implementation of class `tolerance` may sum in f16, it is
 * allowed sqrt(keys) times as much. What is hidden, by the causal rule too, is said by an f16 mask alone. The heads of
 * one query stand side by side in o, as the next projection takes them. Right values are attention's. */
#ifndef STEELYARD_OPERATIONS_ENGINE_ATTENTION_ENGINE_H
#define STEELYARD_OPERATIONS_ENGINE_ATTENTION_ENGINE_H

#include "operations/attention.h"

#define SY_ENGINE_ATTENTION_VERSION "1" /* of the meaning of its decisions */

/* A case's tensors, in registration order; four dimensions each. */
typedef struct sy_engine_attention_tensors {
    sy_tensor_desc inputs[4]; /* q [batch, heads, queries, head_dim], f32; k, v [batch, kv_heads, keys, head_dim], of
                                 the case's dtype; mask [1, 1, queries, keys], f16 */
    size_t input_count;       /* 3, or 4 with a mask: of a causal case too */
    sy_tensor_desc output;    /* [batch, queries, heads, head_dim], f32 */
} sy_engine_attention_tensors;

/* The case table: k and v f16, f32 and bf16, each with its source. No row of a mask is hidden whole: softmax over
 * nothing is 0 in some kernels and NaN in others, and engines cut such rows off. */
#define SY_ENGINE_ATTENTION_CASE_COUNT 35
extern const sy_case sy_engine_attention_case_table[SY_ENGINE_ATTENTION_CASE_COUNT];

/* The tensors of a case, whose properties are those of attention.h. Errors as sy_attention_tensors_of. */
sy_status sy_engine_attention_tensors_of(const sy_case *c, sy_engine_attention_tensors *ret_tensors,
                                         sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerances and inputs as of the table's cases. Errors as sy_attention_shape_of. */
sy_status sy_engine_attention_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* The data of input number input_index of a case with a mask, a pure function of seed and shape: q, k and v as the
 * default fill; the mask 0 where a query sees a key and -infinity where the causal rule hides it, and with the property
 * `mask` also the bias and the padding of sy_attention_fill, rounded to f16. bytes: of desc's size. */
sy_status sy_engine_attention_fill(const sy_case *c, uint64_t seed, uint32_t input_index, const sy_tensor_desc *desc,
                                   void *bytes, sy_error *err) SY_NODISCARD;

/* A suite's oracle: sy_attention_oracle over the same data, q rounded to the case's dtype. A mask that is 0 and
 * -infinity by the causal rule is taken as that rule. SY_INVALID_ARGUMENT: as there. SY_NO_MEMORY. */
sy_status sy_engine_attention_oracle(void *user, const sy_case *c, const sy_oracle_request *request,
                                     sy_error *err) SY_NODISCARD;

#endif
