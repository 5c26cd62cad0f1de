/* SPDX-License-Identifier: Apache-2.0 */
/* Our own attention: scores are made, weighed and used up a tile at a time, so that no score matrix is ever held; on a
 * pool of threads. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_FLASH_H
#define STEELYARD_BACKENDS_CPU_CPU_FLASH_H

#include "backends/cpu/cpu_pool.h"
#include "backends/cpu/cpu_vectors.h"
#include "operations/attention.h"

/* Tensors as operations/attention.h describes them; o does not overlap the others. */
typedef struct sy_cpu_flash_problem {
    sy_attention_shape shape; /* keys at most INT32_MAX */
    sy_dtype dtype;           /* of q, k, v and o: f32, f16, bf16 */
    float scale;              /* of the scores: 1 / sqrt(head_dim) */
    const void *q;
    const void *k;
    const void *v;
    const float *mask; /* NULL without one */
    void *o;
} sy_cpu_flash_problem;

/* Floats of scratch that the shape needs on so many threads, at an address that is a multiple of 64. False: more than
 * can be counted. */
bool sy_cpu_flash_scratch(const sy_attention_shape *shape, sy_cpu_vectors vectors, uint32_t thread_count,
                          uint64_t *ret_floats) SY_NODISCARD;

/* o = attention. vectors: at most sy_cpu_vectors_here(). Each sum's order depends on shape and vectors alone, not on
 * threads or timing. */
void sy_cpu_flash(sy_cpu_pool *pool, sy_cpu_vectors vectors, const sy_cpu_flash_problem *problem, float *scratch);

#endif
