/* SPDX-License-Identifier: Apache-2.0 */
/* What the implementations of convolution on cpu share: the state behind a graph's run function, and its parts. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_CONVOLUTION_H
#define STEELYARD_BACKENDS_CPU_CPU_CONVOLUTION_H

#include "backends/cpu/convolution/cpu_direct.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/cpu_pool.h"
#include "operations/convolution.h"

/* Lives in the graph's metadata. */
typedef struct sy_cpu_convolution {
    const sy_case *c;
    sy_convolution_shape shape;
    sy_tensor *inputs[2]; /* source, weights */
    sy_tensor *output;
    sy_tensor *scratch; /* NULL when none was asked for */
    sy_cpu_pool *pool;  /* the device's; NULL where a library brings its own threads */
    sy_cpu_library library;
    sy_cpu_direct direct;
} sy_cpu_convolution;

/* Makes the state and registers source, weights, output and `scratch_count` elements of scratch (0 = none). Errors: the
 * graph's, and those of sy_convolution_tensors. */
sy_status sy_cpu_convolution_begin(const sy_case *c, sy_graph *graph, sy_dtype scratch_dtype, uint64_t scratch_count,
                                   sy_cpu_convolution **ret_convolution, sy_error *err) SY_NODISCARD;
/* Fills a graph with our own convolution; extra_count more floats of scratch lie behind those that it needs. Leaves
 * *ret_convolution alone where the graph was made unavailable. */
sy_status sy_cpu_convolution_build_direct(const sy_case *c, uint64_t extra_count, sy_graph *graph,
                                          sy_cpu_convolution **ret_convolution, sy_error *err) SY_NODISCARD;

#endif
