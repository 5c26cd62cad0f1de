/* SPDX-License-Identifier: Apache-2.0 */
/* Our own product on every kind of vector that this machine has, at shapes around each of its borders. It runs on
 * threads that the pool makes with pthread_create. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/matmul/cpu_blocked.h"
#include "base/memory.h"
#include "base/random.h"

/* Rows around 8 (streaming) and 96 (a block), columns around every kernel and 256 and 512, terms around 16 and 256. */
static const sy_matmul_shape shapes[] = {
    {1, 1, 1, 1},      {1, 1, 300, 1},    {1, 513, 17, 1},   {8, 512, 16, 1},  {8, 1030, 19, 2},  {9, 7, 5, 1},
    {9, 33, 257, 1},   {12, 32, 256, 1},  {13, 31, 255, 1},  {96, 256, 64, 1}, {97, 257, 260, 1}, {31, 270, 513, 1},
    {100, 65, 300, 3}, {200, 515, 33, 1}, {16, 16, 2000, 1}, {5, 3, 2, 40},    {64, 64, 64, 8},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

typedef struct operands {
    size_t counts[3];
    float *a;
    float *b;
    float *c;
    float *guarded; /* c and a border before and behind it */
} operands;

enum { BORDER = 64 };
static const float border_value = 12345.0f;

/* Odd integers and +-1, so that every sum is exact in every order. */
static void start_operands(operands *o, const sy_matmul_shape *s)
{
    sy_random random;
    sy_random_start(&random, 5, "blocked test");
    o->counts[0] = (size_t)(s->batch * s->m * s->k);
    o->counts[1] = (size_t)(s->batch * s->k * s->n);
    o->counts[2] = (size_t)(s->batch * s->m * s->n);
    o->a = sy_allocate(o->counts[0], sizeof(float));
    o->b = sy_allocate(o->counts[1], sizeof(float));
    o->guarded = sy_allocate(o->counts[2] + 2 * BORDER, sizeof(float));
    assert_true(o->a != NULL && o->b != NULL && o->guarded != NULL);
    o->c = o->guarded + BORDER;
    for (size_t i = 0; i < o->counts[0]; i++) {
        o->a[i] = (float)(2 * (int)sy_random_below(&random, 4096) - 4095);
    }
    for (size_t i = 0; i < o->counts[1]; i++) {
        o->b[i] = sy_random_coin(&random) ? 1.0f : -1.0f;
    }
    for (size_t i = 0; i < o->counts[2] + 2 * BORDER; i++) {
        o->guarded[i] = border_value;
    }
}

static void finish_operands(operands *o)
{
    sy_free(o->a);
    sy_free(o->b);
    sy_free(o->guarded);
}

static void expect_exact(const operands *o, const sy_matmul_shape *s, sy_cpu_vectors vectors)
{
    for (int64_t at = 0; at < (int64_t)o->counts[2]; at++) {
        int64_t row = at / s->n; /* counts through the batch */
        int64_t sum = 0;
        for (int64_t k = 0; k < s->k; k++) {
            sum += (int64_t)o->a[row * s->k + k] * (int64_t)o->b[(row / s->m * s->k + k) * s->n + at % s->n];
        }
        if (!((double)o->c[at] == (double)sum)) {
            fail_msg("%s %lld x %lld x %lld, element %lld: %g, not %lld", sy_cpu_vectors_word(vectors), (long long)s->m,
                     (long long)s->n, (long long)s->k, (long long)at, (double)o->c[at], (long long)sum);
        }
    }
    for (size_t i = 0; i < BORDER; i++) {
        assert_true(o->guarded[i] == border_value && o->c[o->counts[2] + i] == border_value);
    }
}

static void multiply(const operands *o, const sy_matmul_shape *s, sy_cpu_vectors vectors, uint32_t threads)
{
    sy_cpu_pool *pool = NULL;
    assert_int_equal(sy_cpu_pool_create(threads, &pool, NULL), SY_OK);
    float *scratch = sy_allocate_aligned(64, sy_cpu_blocked_scratch(threads), sizeof(float));
    assert_non_null(scratch);
    sy_cpu_blocked(pool, vectors, s, o->a, o->b, o->c, scratch);
    sy_free_aligned(scratch);
    sy_cpu_pool_destroy(pool);
}

static void every_shape_is_exact_on_every_vector(void **state)
{
    (void)state;
    for (int vectors = SY_CPU_BASELINE; vectors <= (int)sy_cpu_vectors_here(); vectors++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            operands o;
            start_operands(&o, &shapes[i]);
            multiply(&o, &shapes[i], (sy_cpu_vectors)vectors, 2);
            expect_exact(&o, &shapes[i], (sy_cpu_vectors)vectors);
            finish_operands(&o);
        }
    }
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    const sy_matmul_shape s = {200, 600, 700, 1};
    operands o;
    sy_random random;
    start_operands(&o, &s);
    sy_random_start(&random, 6, "blocked test");
    for (size_t i = 0; i < o.counts[0]; i++) {
        o.a[i] = (float)(sy_random_unit(&random) - 0.5);
    }
    multiply(&o, &s, sy_cpu_vectors_here(), 1);
    float *first = sy_allocate(o.counts[2], sizeof(float));
    assert_non_null(first);
    memcpy(first, o.c, o.counts[2] * sizeof(float));
    for (uint32_t threads = 2; threads <= 5; threads++) {
        memset(o.c, 0xff, o.counts[2] * sizeof(float));
        multiply(&o, &s, sy_cpu_vectors_here(), threads);
        assert_memory_equal(first, o.c, o.counts[2] * sizeof(float));
    }
    sy_free(first);
    finish_operands(&o);
}

/* What lies beyond a packed panel's matrix are zeros, which must not meet an infinity and become NaN in the output. */
static void infinities_stay_where_they_belong(void **state)
{
    (void)state;
    const sy_matmul_shape s = {10, 35, 40, 1};
    operands o;
    start_operands(&o, &s);
    o.a[3 * 40 + 7] = INFINITY;
    o.b[7 * 35 + 34] = 1;
    multiply(&o, &s, sy_cpu_vectors_here(), 1);
    for (size_t i = 0; i < o.counts[2]; i++) {
        assert_int_equal(isinf(o.c[i]) != 0, i / 35 == 3);
        assert_false(isnan(o.c[i]));
    }
    finish_operands(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_exact_on_every_vector),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(infinities_stay_where_they_belong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
