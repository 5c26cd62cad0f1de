/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracles of operations as engines store them share: telling whether inputs are the case's, and widening those
 * that are stored narrowly. */
#ifndef STEELYARD_OPERATIONS_ENGINE_ENGINE_WEIGHTS_H
#define STEELYARD_OPERATIONS_ENGINE_ENGINE_WEIGHTS_H

#include <steelyard/suite.h>

/* SY_INVALID_ARGUMENT unless the request has exactly these inputs and asks for output 0. */
sy_status sy_engine_check_inputs(const sy_case *c, const sy_tensor_desc *inputs, size_t input_count,
                                 const sy_oracle_request *request, sy_error *err) SY_NODISCARD;

/* An input as f32: *ret_output lends input's own bytes where it is f32 already, and *ret_owned is NULL; else it lends
 * *ret_owned, which the caller frees. desc becomes f32 and is lent too. SY_NO_MEMORY. */
sy_status sy_engine_widen(const sy_case *c, const sy_output *input, sy_tensor_desc *desc, sy_output *ret_output,
                          float **ret_owned, sy_error *err) SY_NODISCARD;

#endif
