/* SPDX-License-Identifier: Apache-2.0 */
/* Our own f32 convolution: plain tensors in and out, no matrix of copies between them, every stride, dilation and
 * number of groups, with kernels for the vector units that the processor has, on a pool of threads. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_DIRECT_H
#define STEELYARD_BACKENDS_CPU_CPU_DIRECT_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/cpu_pool.h"
#include "backends/cpu/cpu_vectors.h"
#include "operations/convolution.h"

/* How a shape is cut for so many threads; made once, plain data. */
typedef struct sy_cpu_direct {
    sy_convolution_shape shape;
    sy_cpu_vectors vectors;
    int64_t terms;        /* of one sum */
    int64_t band_rows;    /* of the output in a task */
    int64_t band_columns; /* of the output in a task */
    int64_t row_bands;
    int64_t column_bands;
    int64_t chunk; /* filters of a task */
    int64_t chunks;
    int64_t slots_y; /* planes that a channel is dealt to, so that a stride becomes a step of one */
    int64_t slots_x;
    int64_t pitch;        /* floats from row to row of such a plane */
    int64_t plane_rows;   /* of such a plane */
    int64_t block;        /* channels packed at a time */
    int64_t sums_pitch;   /* floats from filter to filter of a task's sums */
    int64_t packed_count; /* floats of packed source a thread */
    size_t scratch_count; /* floats of scratch in all, at an address that is a multiple of 64 */
} sy_cpu_direct;

/* False where the working memory would be beyond all reason: a kernel spread over more than a few million elements. */
bool sy_cpu_direct_plan(const sy_convolution_shape *shape, sy_cpu_vectors vectors, uint32_t thread_count,
                        sy_cpu_direct *ret_direct);

/* output = source * weights, contiguous; output does not overlap the others. pool has at most the plan's threads. Each
 * sum's order depends on shape and vectors alone, not on threads or timing. */
void sy_cpu_direct_run(const sy_cpu_direct *direct, sy_cpu_pool *pool, const float *source, const float *weights,
                       float *output, float *scratch);

/* Copies `count` elements of a source's row, every stride-th, from column `first` on, which may lie before it; zeros
 * where the row has none. */
void sy_cpu_direct_row(const float *row, int64_t width, int64_t first, int64_t stride, int64_t count, float *to);

#endif
