/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: O = softmax(Q K^T / sqrt(head_dim) + mask) V, row-major. Shapes that stand for real use, the tensors of a
 * case, its mask's data, and the right values in double. Backends bring the implementations.
 *
 * A causal query sees the keys that end with its own: queries are the last of the keys, so that query i sees keys
 * 0..keys - queries + i. A row that sees no key at all, because its mask is -infinity everywhere, is 0: it attends to
 * nothing. Consecutive query heads share a key head where there are fewer of those (grouped-query attention). */
#ifndef STEELYARD_OPERATIONS_ATTENTION_H
#define STEELYARD_OPERATIONS_ATTENTION_H

#include <steelyard/suite.h>

#define SY_ATTENTION_VERSION "1" /* of the meaning of its decisions */

typedef struct sy_attention_shape {
    int64_t batch;
    int64_t heads;
    int64_t kv_heads; /* divides heads */
    int64_t queries;
    int64_t keys;
    int64_t head_dim;
    int64_t masked_rows; /* leading rows of the mask's own data that see no key, as padding on the left gives */
    bool causal;
    bool masked; /* there is an additive mask, the same for every head */
} sy_attention_shape;

/* A case's tensors, in registration order. */
typedef struct sy_attention_tensors {
    sy_tensor_desc inputs[4]; /* q [batch, heads, queries, head_dim]; k, v [batch, kv_heads, keys, head_dim], all of the
                                 case's dtype; mask [queries, keys], f32 */
    size_t input_count;       /* 3, or 4 with a mask */
    sy_tensor_desc output;    /* as q */
    sy_tensor_desc scores;    /* [batch, heads, queries, keys], f32: what is held by who holds all of them */
} sy_attention_tensors;

/* The case table: f32, f16 and bf16 storage with f32 accumulation, each with its source. */
#define SY_ATTENTION_CASE_COUNT 32
extern const sy_case sy_attention_case_table[SY_ATTENTION_CASE_COUNT];

/* The shape that a case's properties give. SY_INVALID_ARGUMENT names case and property: one that is missing, a size
 * below 1, heads that kv_heads does not divide, causal or mask other than 0 and 1, causal with more queries than keys
 * (the first of them would see none), masked_rows without a mask or beyond the queries. */
sy_status sy_attention_shape_of(const sy_case *c, sy_attention_shape *ret_shape, sy_error *err) SY_NODISCARD;

/* The tensors of a case. SY_INVALID_ARGUMENT: as above, a dtype other than f32, f16 and bf16, a tensor that is too
 * large to be described (more than 2^62 bytes). */
sy_status sy_attention_tensors_of(const sy_case *c, sy_attention_tensors *ret_tensors, sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerance and inputs as of the table's cases. Errors as sy_attention_shape_of. */
sy_status sy_attention_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* The data of input number input_index of a case with a mask, a pure function of seed and shape: q, k and v as the
 * default fill; the mask a bias uniform in [-1, 1), the last eighth of the keys hidden by -infinity as padding hides
 * them, one in sixteen of the others too, but never key 0; and masked_rows rows of -infinity. bytes: of desc's size. */
sy_status sy_attention_fill(const sy_case *c, uint64_t seed, uint32_t input_index, const sy_tensor_desc *desc,
                            void *bytes, sy_error *err) SY_NODISCARD;

/* A suite's oracle: scores, exponentials and sums in double, keys ascending.
 *
 * scale holds what the tolerance 2 E + u_out max|r| / 4 leaves when it is multiplied by u_acc, with E the largest error
 * that a yardstick makes: plain sequential code, dot products and sums in f32, scores and probabilities rounded to the
 * case's dtype. The error of a right implementation depends on data, shape and storage in ways that no formula in the
 * number of terms follows; that of another right one does not stray far from it (the idea is that of FlashAttention's
 * tests, Dao et al. 2022). E and max|r| are taken over the rows of the elements asked for, and under the causal rule
 * over those of them that see about as many keys (from a half of all to all, from a quarter to a half, and so on): the
 * first rows' few large weights have errors that would cover a fault of the last rows. A small request looks at the
 * same query of other heads besides. For f32, whose outputs the model grants no rounding of their own, the last term is
 * u max|r|.
 *
 * SY_INVALID_ARGUMENT: inputs that are not the case's tensors, or an index outside. SY_NO_MEMORY. */
sy_status sy_attention_oracle(void *user, const sy_case *c, const sy_oracle_request *request,
                              sy_error *err) SY_NODISCARD;

#endif
