/* SPDX-License-Identifier: Apache-2.0 */
/* An operation's oracle as an implementation: what is right, in the type that the output has. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_ORACLE_H
#define STEELYARD_BACKENDS_CPU_CPU_ORACLE_H

#include <steelyard/suite.h>

typedef sy_status (*sy_cpu_oracle_fn)(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err);

#define SY_CPU_ORACLE_INPUTS_MAX 4

/* Asks oracle for every element of a graph's one output and writes it, rounded to the output's type (f32, f16 or bf16).
 * inputs: 1..SY_CPU_ORACLE_INPUTS_MAX, in registration order. scratch: two doubles for each element of output, values
 * and scales. Errors: the oracle's. */
sy_status sy_cpu_run_oracle(sy_cpu_oracle_fn oracle, const sy_case *c, sy_tensor *const *inputs, size_t input_count,
                            sy_tensor *output, double *scratch, sy_error *err) SY_NODISCARD;

#endif
