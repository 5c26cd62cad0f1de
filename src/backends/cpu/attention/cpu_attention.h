/* SPDX-License-Identifier: Apache-2.0 */
/* What the implementations of attention on cpu share: the state behind a graph's run function, and its parts. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ATTENTION_H
#define STEELYARD_BACKENDS_CPU_CPU_ATTENTION_H

#include "backends/cpu/attention/cpu_attention_kernels.h"
#include "backends/cpu/attention/cpu_flash.h"
#include "backends/cpu/cpu.h"

/* Lives in the graph's metadata. */
typedef struct sy_cpu_attention {
    const sy_case *c;
    sy_attention_shape shape;
    sy_tensor *inputs[4]; /* q, k, v, mask; the last is NULL without one */
    sy_tensor *output;
    sy_tensor *scores;  /* NULL but for plain */
    sy_tensor *widened; /* q, k, v and o as f32; NULL but for plain where they are stored otherwise */
    sy_tensor *scratch; /* NULL when none was asked for */
    uint64_t extra_at;  /* byte of the scratch where what was asked for beyond flash\'s own begins */
    sy_cpu_pool *pool;  /* the device's; NULL for the oracle */
    sy_cpu_library library;
    const sy_cpu_attention_kernels *kernels;
} sy_cpu_attention;

/* Makes the state and registers q, k, v, the mask and o. Errors: the graph's. */
sy_status sy_cpu_attention_begin(const sy_case *c, sy_graph *graph, sy_cpu_attention **ret_attention,
                                 sy_error *err) SY_NODISCARD;
/* Fills a graph with plain attention over OpenBLAS; without the library it is unavailable, with the reason. */
sy_status sy_cpu_attention_build_plain(const sy_case *c, sy_graph *graph, sy_cpu_attention **ret_attention,
                                       sy_error *err) SY_NODISCARD;
/* Fills a graph with our own attention; extra_bytes more of scratch lie behind those that it needs, at a multiple of
 * 64. */
sy_status sy_cpu_attention_build_flash(const sy_case *c, uint64_t extra_bytes, sy_graph *graph,
                                       sy_cpu_attention **ret_attention, sy_error *err) SY_NODISCARD;

/* The run functions that build sets, for those who wrap them. state is a sy_cpu_attention. */
sy_status sy_cpu_attention_run_plain(void *state, sy_error *err) SY_NODISCARD;
sy_status sy_cpu_attention_run_flash(void *state, sy_error *err) SY_NODISCARD;

/* The problem of a state that has its memory. */
sy_cpu_flash_problem sy_cpu_attention_problem(const sy_cpu_attention *attention);

#endif
