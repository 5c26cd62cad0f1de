/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution as inference engines store it: image and output f32, weights of the case's dtype. Image and weights are
 * rounded to f16 before they meet, whatever the weights are stored in: ggml's columns are f16 (docs/ggml.md). Dense
 * ones and depthwise ones are operations of their own, since engines choose for them apart. Right values are
 * convolution's. */
#ifndef STEELYARD_OPERATIONS_ENGINE_CONVOLUTION_ENGINE_H
#define STEELYARD_OPERATIONS_ENGINE_CONVOLUTION_ENGINE_H

#include "operations/convolution.h"

#define SY_ENGINE_CONVOLUTION_VERSION "1" /* of the meaning of the decisions of both */

/* The case tables, each case with its source: dense ones, of one group; and those whose groups are the channels. */
#define SY_ENGINE_CONVOLUTION_CASE_COUNT 27
#define SY_ENGINE_DEPTHWISE_CASE_COUNT 9
extern const sy_case sy_engine_convolution_case_table[SY_ENGINE_CONVOLUTION_CASE_COUNT];
extern const sy_case sy_engine_depthwise_case_table[SY_ENGINE_DEPTHWISE_CASE_COUNT];

/* Descriptions of source (N, C, H, W; f32), weights (F, C / groups, kernel_h, kernel_w; of the case's dtype) and output
 * (N, F, out_height, out_width; f32) of a case, whose properties are those of convolution.h. Errors as
 * sy_convolution_tensors, and SY_INVALID_ARGUMENT for a dtype other than f32 and f16. */
sy_status sy_engine_convolution_tensors(const sy_case *c, sy_tensor_desc *ret_source, sy_tensor_desc *ret_weights,
                                        sy_tensor_desc *ret_output, sy_error *err) SY_NODISCARD;

/* A suite's complete: work, tolerance and stages as of the tables' cases. Errors as sy_convolution_shape_of. */
sy_status sy_engine_convolution_complete(void *user, sy_case *c, sy_error *err) SY_NODISCARD;

/* A suite's oracle: sy_convolution_oracle over the same data. SY_INVALID_ARGUMENT: inputs that are not the case's
 * tensors, or an index outside. SY_NO_MEMORY. */
sy_status sy_engine_convolution_oracle(void *user, const sy_case *c, const sy_oracle_request *request,
                                       sy_error *err) SY_NODISCARD;

#endif
