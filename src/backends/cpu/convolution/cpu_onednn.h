/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution by oneDNN: its first choice, and each implementation that it lists, by name. Tensors come and go plain;
 * where an implementation wants layouts of its own, the copies into and out of them are part of each run, weights
 * included, since what a caller with plain tensors pays is what is weighed. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ONEDNN_H
#define STEELYARD_BACKENDS_CPU_CPU_ONEDNN_H

#include "backends/cpu/cpu.h"
#include "base/arena.h"
#include "operations/convolution.h"

#define SY_CPU_ONEDNN_FIRST "onednn"   /* the implementation that the library lists first */
#define SY_CPU_ONEDNN_PREFIX "onednn:" /* of the others: "onednn:jit:avx512_core" */

typedef struct sy_cpu_onednn sy_cpu_onednn;

/* Every implementation that the library lists for any of the cases, each once, in the order it lists them; nothing and
 * SY_OK where there is no library that could be asked. Only descriptions are made: no code is generated, no thread
 * started, no number of threads set. The list lives in arena. SY_NO_MEMORY. */
sy_status sy_cpu_onednn_list(const char *root, const sy_case *cases, size_t case_count, sy_arena *arena,
                             const sy_implementation **ret_list, size_t *ret_count, sy_error *err) SY_NODISCARD;

/* Fills a graph with the implementation of that name; unavailable with the reason where the library is missing, has
 * another interface or does not list it for the shape. The code is generated in the first run. ret_onednn: NULL, or
 * gets the graph's own state; it is left alone where the graph was made unavailable. */
sy_status sy_cpu_onednn_build(const sy_case *c, const char *name, sy_graph *graph, sy_cpu_onednn **ret_onednn,
                              sy_error *err) SY_NODISCARD;

/* What the graph runs. */
sy_status sy_cpu_onednn_run(void *state, sy_error *err) SY_NODISCARD;
/* The convolution without the copies around it, on what the last whole run left in its own layouts. */
sy_status sy_cpu_onednn_run_alone(void *state, sy_error *err) SY_NODISCARD;
/* Copies between layouts in a run: 0 where it takes the tensors as they lie, at most 3. */
size_t sy_cpu_onednn_copies(const sy_cpu_onednn *onednn);
/* The implementation's name by the library, "brgconv:avx512_core". */
const char *sy_cpu_onednn_name(const sy_cpu_onednn *onednn);

#endif
