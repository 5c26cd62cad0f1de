/* SPDX-License-Identifier: Apache-2.0 */
/* Three-dimensional convolution (a cross-correlation, no bias), as inference engines store it: source and output f32,
 * weights of the case's dtype; both are rounded to f16 before they meet and sums may be f16, as in
 * convolution_engine.h. Shapes that stand for real use, the tensors of a case, and the right values in double. */
#ifndef STEELYARD_OPERATIONS_ENGINE_CONVOLUTION_3D_H
#define STEELYARD_OPERATIONS_ENGINE_CONVOLUTION_3D_H

#include <steelyard/suite.h>

#define SY_CONVOLUTION_3D_VERSION "1" /* of the meaning of its decisions */

/* out[n][f][z][y][x] = sum over c, h, i, j of source[n][c][z sd + h dd - pd][y s + i d - p][x s + j d - p]
 * weights[f][c][h][i][j]; what lies outside of the source is 0. */
typedef struct sy_convolution_3d_shape {
    int64_t batch;
    int64_t channels;
    int64_t depth; /* frames, of a video */
    int64_t height;
    int64_t width;
    int64_t filters;
    int64_t kernel_d;
    int64_t kernel_h;
    int64_t kernel_w;
    int64_t stride_d;
    int64_t stride; /* of rows and columns */
    int64_t padding_d;
    int64_t padding; /* zeros on each of the four sides of a frame */
    int64_t dilation_d;
    int64_t dilation;
    int64_t out_depth; /* follow from the others */
    int64_t out_height;
    int64_t out_width;
} sy_convolution_3d_shape;

/* The case table, each case with its source. */
#define SY_CONVOLUTION_3D_CASE_COUNT 10
extern const sy_case sy_convolution_3d_case_table[SY_CONVOLUTION_3D_CASE_COUNT];

/* The shape that a case's properties (the first fifteen fields above, by these names) give. SY_INVALID_ARGUMENT: one is
 * missing, below 1 (padding: below 0) or above 2^31 - 1, or the kernel does not fit into the padded source. */
sy_status sy_convolution_3d_shape_of(const sy_case *c, sy_convolution_3d_shape *ret_shape, sy_error *err) SY_NODISCARD;

/* Descriptions of source (N C, D, H, W; f32), weights (F C, kernel_d, kernel_h, kernel_w; of the case's dtype, f32 or
 * f16) and output (N F, out_depth, out_height, out_width; f32) of a case: four dimensions, the two outermost of five in
 * one. Errors as above, and SY_INVALID_ARGUMENT for another dtype and for a tensor too large to be counted. */
sy_status sy_convolution_3d_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                    sy_tensor_desc *ret_output, sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerance and stages as of the table's cases. Errors as sy_convolution_3d_shape_of. */
sy_status sy_convolution_3d_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* A suite's oracle: each plane of the output is a two-dimensional convolution over the frames that it sees, whose
 * oracle is asked; scale = sum of |a||b|. SY_INVALID_ARGUMENT: inputs that are not the case's tensors, or an index
 * outside. SY_NO_MEMORY. */
sy_status sy_convolution_3d_oracle(void *user, const sy_case *c, const sy_oracle_request *request,
                                   sy_error *err) SY_NODISCARD;

#endif
