/* SPDX-License-Identifier: Apache-2.0 */
/* Mutants whose output is wrong, each in one way that real libraries were seen to be wrong, at every size. */
#include <math.h>
#include <string.h>

#include "mutants.h"
#include "operations/half.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float mutant_shorten(float value, unsigned kept)
{
    uint32_t bits = bits_of(value);
    unsigned lost = 24 - kept;
    uint32_t mask = ((uint32_t)1 << lost) - 1;
    uint32_t odd = bits >> lost & 1;
    return float_of((bits + (mask >> 1) + odd) & ~mask);
}

static void multiply_shortened(const mutant *m, unsigned kept)
{
    float *a = mutant_extra_scratch(m);
    float *b = a + mutant_a_count(m);
    for (uint64_t i = 0; i < mutant_a_count(m); i++) {
        a[i] = mutant_shorten(mutant_a(m)[i], kept);
    }
    for (uint64_t i = 0; i < mutant_b_count(m); i++) {
        b[i] = mutant_shorten(mutant_b(m)[i], kept);
    }
    mutant_multiply(m, a, b, mutant_c(m));
}

sy_status mutant_run_tf32(void *state, sy_error *err)
{
    (void)err;
    multiply_shortened(state, 11);
    return SY_OK;
}

sy_status mutant_run_bf16(void *state, sy_error *err)
{
    (void)err;
    multiply_shortened(state, 8);
    return SY_OK;
}

/* What is left of K when it is cut to a multiple of 8; a multiple loses one term. */
sy_status mutant_run_k_tail(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    int64_t k = m->matmul->shape.k;
    int64_t dropped = k % 8 != 0 ? k % 8 : 1;
    float *a = mutant_extra_scratch(m);
    memcpy(a, mutant_a(m), mutant_a_count(m) * sizeof *a);
    for (uint64_t row = 0; row < mutant_a_count(m) / (uint64_t)k; row++) {
        memset(a + row * (uint64_t)k + (k - dropped), 0, (size_t)dropped * sizeof *a);
    }
    mutant_multiply(m, a, mutant_b(m), mutant_c(m));
    return SY_OK;
}

/* A matrix of one row has its elements shifted instead. */
sy_status mutant_run_shifted_row(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    const sy_matmul_shape *s = &m->matmul->shape;
    float *right = mutant_extra_scratch(m);
    uint64_t matrix = (uint64_t)(s->m * s->n);
    uint64_t shift = s->m > 1 ? (uint64_t)s->n : 1;
    mutant_multiply(m, mutant_a(m), mutant_b(m), right);
    for (uint64_t i = 0; i < mutant_c_count(m); i++) {
        uint64_t first = i / matrix * matrix;
        mutant_c(m)[first + (i - first + shift) % matrix] = right[i];
    }
    return SY_OK;
}

/* Copies `count` matrices of rows x columns as if each lay column by column. */
static void read_transposed(const float *from, uint64_t count, int64_t rows, int64_t columns, float *to)
{
    for (uint64_t z = 0; z < count; z++, from += rows * columns, to += rows * columns) {
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
                to[i * columns + j] = from[j * rows + i];
            }
        }
    }
}

/* B is misread; where B is a single row or column, which transposition leaves as it is, A is. */
sy_status mutant_run_transposed(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    const sy_matmul_shape *s = &m->matmul->shape;
    float *misread = mutant_extra_scratch(m);
    if (s->k > 1 && s->n > 1) {
        read_transposed(mutant_b(m), (uint64_t)s->batch, s->k, s->n, misread);
        mutant_multiply(m, mutant_a(m), misread, mutant_c(m));
    } else {
        read_transposed(mutant_a(m), (uint64_t)s->batch, s->m, s->k, misread);
        mutant_multiply(m, misread, mutant_b(m), mutant_c(m));
    }
    return SY_OK;
}

sy_status mutant_run_stale(void *state, sy_error *err)
{
    (void)err;
    mutant *m = state;
    if (m->runs++ == 0) {
        mutant_multiply(m, mutant_a(m), mutant_b(m), mutant_c(m));
    }
    return SY_OK;
}

sy_status mutant_run_half_written(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    float *right = mutant_extra_scratch(m);
    mutant_multiply(m, mutant_a(m), mutant_b(m), right);
    memcpy(mutant_c(m), right, mutant_c_count(m) / 2 * sizeof *right);
    return SY_OK;
}

sy_status mutant_run_nan_last(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    mutant_multiply(m, mutant_a(m), mutant_b(m), mutant_c(m));
    mutant_c(m)[mutant_c_count(m) - 1] = NAN;
    return SY_OK;
}

/* One unit in the last place of one element, too little for any tolerance to see. */
sy_status mutant_run_input_changed(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    float *a = sy_tensor_address(m->matmul->inputs[0]);
    mutant_multiply(m, a, mutant_b(m), mutant_c(m));
    uint64_t last = mutant_a_count(m) - 1;
    a[last] = float_of(bits_of(a[last]) + 1);
    return SY_OK;
}

sy_status mutant_run_memoised(void *state, sy_error *err)
{
    (void)err;
    mutant *m = state;
    float *kept = mutant_extra_scratch(m);
    if (m->runs++ == 0) {
        mutant_multiply(m, mutant_a(m), mutant_b(m), kept);
    }
    memcpy(mutant_c(m), kept, mutant_c_count(m) * sizeof *kept);
    return SY_OK;
}

/* Sums of 16 terms in f32, which are added up in f16, as units that multiply small matrices do. */
static void f16_row(void *job, uint64_t row, uint32_t thread)
{
    (void)thread;
    enum { TERMS = 16, COLUMNS = 256 };
    const mutant *m = job;
    const sy_matmul_shape *s = &m->matmul->shape;
    const float *a = mutant_a(m) + row * (uint64_t)s->k;
    const float *b = mutant_b(m) + row / (uint64_t)s->m * (uint64_t)(s->k * s->n);
    float *c = mutant_c(m) + row * (uint64_t)s->n;
    for (int64_t first = 0; first < s->n; first += COLUMNS) {
        int64_t columns = s->n - first < COLUMNS ? s->n - first : COLUMNS;
        memset(c + first, 0, (size_t)columns * sizeof *c);
        for (int64_t term = 0; term < s->k; term += TERMS) {
            float part[COLUMNS] = {0};
            for (int64_t k = term; k < s->k && k < term + TERMS; k++) {
                const float *restrict from = b + k * s->n + first;
                for (int64_t j = 0; j < columns; j++) {
                    part[j] += a[k] * from[j];
                }
            }
            for (int64_t j = 0; j < columns; j++) {
                float sum = mutant_shorten(c[first + j] + part[j], 11);
                c[first + j] = fabsf(sum) > 65504.0f ? copysignf(INFINITY, sum) : sum;
            }
        }
    }
}

sy_status mutant_run_f16_accumulation(void *state, sy_error *err)
{
    (void)err;
    mutant *m = state;
    sy_cpu_pool_run(m->matmul->pool, (uint64_t)(m->matmul->shape.batch * m->matmul->shape.m), f16_row, m);
    return SY_OK;
}

sy_status mutant_run_zeros(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    memset(mutant_c(m), 0, mutant_c_count(m) * sizeof(float));
    return SY_OK;
}

/* Every second run adds its terms from the last to the first. Both orders are right, their roundings differ. */
sy_status mutant_run_nondeterministic(void *state, sy_error *err)
{
    (void)err;
    mutant *m = state;
    const sy_matmul_shape *s = &m->matmul->shape;
    float *a = mutant_extra_scratch(m);
    float *b = a + mutant_a_count(m);
    if (m->runs++ % 2 == 0) {
        mutant_multiply(m, mutant_a(m), mutant_b(m), mutant_c(m));
        return SY_OK;
    }
    uint64_t k = (uint64_t)s->k;
    uint64_t n = (uint64_t)s->n;
    for (uint64_t i = 0; i < mutant_a_count(m); i++) {
        a[i] = mutant_a(m)[i / k * k + (k - 1 - i % k)];
    }
    for (uint64_t row = 0; row < mutant_b_count(m) / n; row++) {
        uint64_t from = row / k * k + (k - 1 - row % k);
        memcpy(b + row * n, mutant_b(m) + from * n, n * sizeof *b);
    }
    mutant_multiply(m, a, b, mutant_c(m));
    return SY_OK;
}

/* The byte behind an output belongs to the graph's canary, so that nothing else is hurt. */
sy_status mutant_run_writes_past(void *state, sy_error *err)
{
    (void)err;
    const mutant *m = state;
    mutant_multiply(m, mutant_a(m), mutant_b(m), mutant_c(m));
    mutant_c(m)[mutant_c_count(m)] = 1.0f;
    return SY_OK;
}
