/* SPDX-License-Identifier: Apache-2.0 */
/* What the mutants share. Each is a right product with one fault, on our own blocked code or on OpenBLAS. */
#ifndef STEELYARD_TESTS_SUPPORT_MUTANTS_H
#define STEELYARD_TESTS_SUPPORT_MUTANTS_H

#include "backends/cpu/matmul/cpu_matmul.h"

typedef struct mutant {
    sy_cpu_matmul *matmul;
    uint64_t runs; /* so far */
} mutant;

/* Matrices of extra scratch that a mutant needs. */
typedef enum mutant_extra { EXTRA_NONE, EXTRA_INPUTS, EXTRA_OUTPUT } mutant_extra;

const float *mutant_a(const mutant *m);
const float *mutant_b(const mutant *m);
float *mutant_c(const mutant *m);
uint64_t mutant_a_count(const mutant *m);
uint64_t mutant_b_count(const mutant *m);
uint64_t mutant_c_count(const mutant *m);
/* The mutant's own scratch, behind that of the product it stands on. */
float *mutant_extra_scratch(const mutant *m);
/* c = a b with our own code. */
void mutant_multiply(const mutant *m, const float *a, const float *b, float *c);

/* A finite float with all but `kept` bits of its significand rounded away, to nearest even. */
float mutant_shorten(float value, unsigned kept);

/* convolution_mutants.c: the extra implementations of convolution. */
const sy_cpu_extra *mutants_of_convolution(size_t *ret_count);

/* mutants_output.c: wrong in what they write. state is a mutant. */
sy_status mutant_run_tf32(void *state, sy_error *err);
sy_status mutant_run_bf16(void *state, sy_error *err);
sy_status mutant_run_k_tail(void *state, sy_error *err);
sy_status mutant_run_shifted_row(void *state, sy_error *err);
sy_status mutant_run_transposed(void *state, sy_error *err);
sy_status mutant_run_stale(void *state, sy_error *err);
sy_status mutant_run_half_written(void *state, sy_error *err);
sy_status mutant_run_nan_last(void *state, sy_error *err);
sy_status mutant_run_input_changed(void *state, sy_error *err);
sy_status mutant_run_memoised(void *state, sy_error *err);
sy_status mutant_run_f16_accumulation(void *state, sy_error *err);
sy_status mutant_run_zeros(void *state, sy_error *err);
sy_status mutant_run_nondeterministic(void *state, sy_error *err);
sy_status mutant_run_writes_past(void *state, sy_error *err);

/* mutants_behaviour.c: wrong in what they do to their process; and the honest twins. */
sy_status mutant_run_segfault(void *state, sy_error *err);
sy_status mutant_run_abort(void *state, sy_error *err);
sy_status mutant_run_hang(void *state, sy_error *err);
sy_status mutant_run_exit(void *state, sy_error *err);
sy_status mutant_run_garbage(void *state, sy_error *err);
sy_status mutant_run_ftz(void *state, sy_error *err);
sy_status mutant_run_crash_later(void *state, sy_error *err);
sy_status mutant_run_twin(void *state, sy_error *err);
sy_status mutant_run_slow_twin(void *state, sy_error *err);

/* attention_mutants.c: the extra implementations of attention. */
const sy_cpu_extra *mutants_of_attention(size_t *ret_count);

#endif
