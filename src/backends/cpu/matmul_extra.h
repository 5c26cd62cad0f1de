/* SPDX-License-Identifier: Apache-2.0 */
/* Implementations of matmul beyond the real ones. The released library has none (matmul_extra.c); the testing library
 * has wrong, crashing and equal ones, so that the command can be shown to catch them. */
#ifndef STEELYARD_BACKENDS_CPU_MATMUL_EXTRA_H
#define STEELYARD_BACKENDS_CPU_MATMUL_EXTRA_H

#include "operations/matmul.h"

typedef struct sy_cpu_matmul_extra {
    sy_implementation implementation;
    /* As sy_suite.build; index is this one's place among the extras. */
    sy_status (*build)(const sy_case *c, size_t index, sy_graph *graph, sy_error *err);
} sy_cpu_matmul_extra;

const sy_cpu_matmul_extra *sy_cpu_matmul_extras(size_t *ret_count);

#endif
