/* SPDX-License-Identifier: Apache-2.0 */
/* What the implementations of matmul on cpu share: the state behind a graph's run function, and its parts. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_MATMUL_H
#define STEELYARD_BACKENDS_CPU_CPU_MATMUL_H

#include "backends/cpu/cpu.h"
#include "backends/cpu/cpu_pool.h"
#include "operations/matmul.h"

/* Lives in the graph's metadata. */
typedef struct sy_cpu_matmul {
    const sy_case *c;
    sy_matmul_shape shape;
    sy_tensor *inputs[2]; /* A, B */
    sy_tensor *output;    /* C */
    sy_tensor *scratch;   /* NULL when none was asked for */
    sy_cpu_pool *pool;    /* the device's; NULL but for our own product */
    sy_cpu_library library;
} sy_cpu_matmul;

/* Makes the state and registers A, B, C and `scratch_count` elements of scratch (0 = none). Errors: the graph's. */
sy_status sy_cpu_matmul_begin(const sy_case *c, sy_graph *graph, sy_dtype scratch_dtype, uint64_t scratch_count,
                              sy_cpu_matmul **ret_matmul, sy_error *err) SY_NODISCARD;
/* Fills a graph with a library's product; a library that is missing makes it unavailable, with the reason. */
sy_status sy_cpu_matmul_build_library(const sy_case *c, sy_cpu_library_id id, sy_graph *graph,
                                      sy_cpu_matmul **ret_matmul, sy_error *err) SY_NODISCARD;
/* Fills a graph with our own product; extra_count more floats of scratch lie behind those that it needs. */
sy_status sy_cpu_matmul_build_blocked(const sy_case *c, uint64_t extra_count, sy_graph *graph,
                                      sy_cpu_matmul **ret_matmul, sy_error *err) SY_NODISCARD;

/* The run functions that build sets, for those who wrap them. state is a sy_cpu_matmul. */
sy_status sy_cpu_matmul_run_cblas(void *state, sy_error *err) SY_NODISCARD;
sy_status sy_cpu_matmul_run_blocked(void *state, sy_error *err) SY_NODISCARD;

#endif
