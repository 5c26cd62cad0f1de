/* SPDX-License-Identifier: Apache-2.0 */
/* The 16-bit floating-point types as bits, and any tensor's elements as doubles. No hardware support is needed. */
#ifndef STEELYARD_OPERATIONS_HALF_H
#define STEELYARD_OPERATIONS_HALF_H

#include <steelyard/record.h>

/* IEEE 754 binary16 and bfloat16. Rounding is to nearest, ties to even; too large becomes infinity; subnormals are
 * kept; a NaN becomes a quiet NaN of its sign. */
uint16_t sy_f16_from_f32(float value);
float sy_f16_to_f32(uint16_t bits);
uint16_t sy_bf16_from_f32(float value);
float sy_bf16_to_f32(uint16_t bits);

/* Elements first..first+count-1 of a contiguous tensor as doubles; 64-bit integers beyond 2^53 are rounded. */
void sy_elements_to_double(sy_dtype dtype, const void *bytes, uint64_t first, uint64_t count, double *to);

#endif
