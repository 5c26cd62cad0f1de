/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional convolution as networks mean it (a cross-correlation, no bias), forward, f32: shapes that stand for
 * real use, the tensors of a case, and the right values in double. Backends bring the implementations. */
#ifndef STEELYARD_OPERATIONS_CONVOLUTION_H
#define STEELYARD_OPERATIONS_CONVOLUTION_H

#include <steelyard/suite.h>

#define SY_CONVOLUTION_VERSION "1" /* of the meaning of its decisions */

/* out[n][f][y][x] = sum over c, i, j of source[n][g C/G + c][y s + i d - p][x s + j d - p] weights[f][c][i][j], where
 * filter f lies in group g of G, and what lies outside of the source is 0. */
typedef struct sy_convolution_shape {
    int64_t batch;
    int64_t channels; /* of the source, all groups */
    int64_t height;
    int64_t width;
    int64_t filters; /* channels of the output, all groups */
    int64_t kernel_h;
    int64_t kernel_w;
    int64_t stride;   /* both ways */
    int64_t padding;  /* zeros on each of the four sides */
    int64_t dilation; /* distance of two neighbouring elements of the kernel; 1 = dense */
    int64_t groups;
    int64_t out_height; /* follow from the others */
    int64_t out_width;
} sy_convolution_shape;

/* The case table: f32, each with its source. */
#define SY_CONVOLUTION_CASE_COUNT 36
extern const sy_case sy_convolution_case_table[SY_CONVOLUTION_CASE_COUNT];

/* The shape that a case's properties (the first eleven fields above, by these names) give. SY_INVALID_ARGUMENT: one is
 * missing, below 1 (padding: below 0) or above 2^31 - 1, the groups do not divide channels and filters, the kernel does
 * not fit into the padded source. */
sy_status sy_convolution_shape_of(const sy_case *c, sy_convolution_shape *ret_shape, sy_error *err) SY_NODISCARD;

/* Terms of one sum: channels of a group times the kernel's elements. */
int64_t sy_convolution_terms(const sy_convolution_shape *shape);

/* Descriptions of source (N, C, H, W), weights (F, C / groups, kernel_h, kernel_w) and output (N, F, out_height,
 * out_width) of a case. Errors as above, and SY_INVALID_ARGUMENT for a tensor too large to be counted. */
sy_status sy_convolution_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                 sy_tensor_desc *ret_output, sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerances and stages as of the table's cases. Errors as sy_convolution_shape_of. */
sy_status sy_convolution_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* A suite's oracle: plain sums in double, channels outermost, then the kernel's rows; scale = sum of |a||b|. Inputs
 * f32, f64, f16 or bf16. SY_INVALID_ARGUMENT: inputs that are not the case's tensors, or an index outside.
 * SY_NO_MEMORY. */
sy_status sy_convolution_oracle(void *user, const sy_case *c, const sy_oracle_request *request,
                                sy_error *err) SY_NODISCARD;

#endif
