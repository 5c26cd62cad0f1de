/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product C = A B, row-major, batched: A is M x K, B is K x N. Shapes that stand for real use, the tensors of a
 * case, and the right values in double. Backends bring the implementations. */
#ifndef STEELYARD_OPERATIONS_MATMUL_H
#define STEELYARD_OPERATIONS_MATMUL_H

#include <steelyard/suite.h>

#define SY_MATMUL_VERSION "1" /* of the meaning of its decisions */

typedef struct sy_matmul_shape {
    int64_t m;
    int64_t n;
    int64_t k;
    int64_t batch; /* independent products; 1 = matrices of rank 2 */
} sy_matmul_shape;

/* The case table: f32, each with its source. */
#define SY_MATMUL_CASE_COUNT 37
extern const sy_case sy_matmul_case_table[SY_MATMUL_CASE_COUNT];

/* The shape that a case's properties m, n, k, batch give; SY_INVALID_ARGUMENT when one is missing or below 1. */
sy_status sy_matmul_shape_of(const sy_case *c, sy_matmul_shape *ret_shape, sy_error *err) SY_NODISCARD;

/* Descriptions of A, B and C of a case: rank 2, or 3 with the batch outermost. Errors as above. */
sy_status sy_matmul_tensors(const sy_case *c, sy_tensor_desc *ret_a, sy_tensor_desc *ret_b, sy_tensor_desc *ret_c,
                            sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerance and stages as of the table's cases. Errors as above. */
sy_status sy_matmul_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* A suite's oracle: plain sums in double, k ascending; scale = sum of |a||b|. Inputs f32, f64, f16 or bf16.
 * SY_INVALID_ARGUMENT: inputs that are not the case's tensors, or an index outside. SY_NO_MEMORY. */
sy_status sy_matmul_oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err) SY_NODISCARD;

#endif
