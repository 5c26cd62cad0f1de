/* SPDX-License-Identifier: Apache-2.0 */
/* Our own f32 product: blocked for the caches, with a register-blocked kernel for the vector units that the processor
 * has, on a pool of threads. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_BLOCKED_H
#define STEELYARD_BACKENDS_CPU_CPU_BLOCKED_H

#include "backends/cpu/cpu_pool.h"
#include "backends/cpu/cpu_vectors.h"
#include "operations/matmul.h"

/* Floats of scratch that a product on so many threads needs, at an address that is a multiple of 64. */
size_t sy_cpu_blocked_scratch(uint32_t thread_count);

/* c = a b for every batch element, row-major and contiguous; c does not overlap the others. vectors: at most
 * sy_cpu_vectors_here(). Each sum's order depends on shape and vectors alone, not on threads or timing. */
void sy_cpu_blocked(sy_cpu_pool *pool, sy_cpu_vectors vectors, const sy_matmul_shape *shape, const float *a,
                    const float *b, float *c, float *scratch);

#endif
