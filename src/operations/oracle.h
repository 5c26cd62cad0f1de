/* SPDX-License-Identifier: Apache-2.0 */
/* How much of an output the oracle computes: all of it, or above 2 GFLOP a seeded sample that never leaves out the
 * places where kernels go wrong. */
#ifndef STEELYARD_OPERATIONS_ORACLE_H
#define STEELYARD_OPERATIONS_ORACLE_H

#include <steelyard/suite.h>

#define SY_ORACLE_FULL_FLOP 2.0e9 /* a case of more work is sampled */
#define SY_ORACLE_SAMPLE 4096     /* elements */

/* Elements of an output that the oracle is asked for: all of `elements`, or SY_ORACLE_SAMPLE of them. */
uint64_t sy_oracle_count(const sy_case *c, uint64_t elements);

/* Chooses `count` different elements of an output, ascending, the same on every machine. In it, as far as count
 * allows: the last 64 elements, the four corners of the first and last matrix (last two axes), elements of the last
 * rows and last columns of every 16-block; the rest uniformly. desc: contiguous. count >= 1.
 * SY_INVALID_ARGUMENT: desc refused, count above its elements or 0. SY_NO_MEMORY. */
sy_status sy_oracle_sample(uint64_t seed, const sy_tensor_desc *desc, uint64_t count, uint64_t *ret_indices,
                           sy_error *err) SY_NODISCARD;

#endif
