/* SPDX-License-Identifier: Apache-2.0 */
/* Our own attention on every kind of vector that this machine has: exponentials, storage types, whole problems. It runs
 * on threads that the pool makes with pthread_create. */
#include "attention_data.h"

#include "backends/cpu/attention/cpu_attention_kernels.h"
#include "backends/cpu/attention/cpu_flash.h"
#include "base/random.h"

static const sy_cpu_vectors kinds[] = {SY_CPU_BASELINE, SY_CPU_AVX2, SY_CPU_AVX512};

/* Kinds 0..here. */
static size_t kind_count(void)
{
    return (size_t)sy_cpu_vectors_here() + 1;
}

/* ---- exponentials ---- */

/* Weights of a row whose largest score is 0 are powers of two themselves. */
static void powers_of_two_are_within_two_units(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    for (size_t kind = 0; kind < kind_count(); kind++) {
        const sy_cpu_attention_kernels *k = sy_cpu_attention_kernels_of(kinds[kind]);
        sy_random random;
        sy_random_start(&random, 3, "powers");
        double worst = 0;
        for (int round = 0; round < 200; round++) {
            static float x[COUNT];
            static float weights[COUNT];
            float most = -INFINITY;
            float total = 0;
            float correction = 0;
            for (size_t i = 0; i < COUNT; i++) {
                x[i] = (float)(-125 * pow(sy_random_unit(&random), round % 4 + 1));
            }
            x[0] = 0;
            memcpy(weights, x, sizeof x);
            k->weigh_row(COUNT, weights, &most, &total, &correction);
            assert_true(most == 0 && correction == 0);
            for (size_t i = 0; i < COUNT; i++) {
                double right = exp2((double)x[i]);
                double unit = ldexp(1, (int)floor((double)x[i]) - 23);
                worst = fmax(worst, fabs((double)weights[i] - right) / unit);
            }
        }
        if (!(worst <= 2)) {
            fail_msg("%s: %.3f units", sy_cpu_vectors_word(kinds[kind]), worst);
        }
        print_message("%s: %.3f units at most\n", sy_cpu_vectors_word(kinds[kind]), worst);
    }
}

static void weights_beyond_the_range_are_zero_and_nan_is_nan(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < kind_count(); kind++) {
        const sy_cpu_attention_kernels *k = sy_cpu_attention_kernels_of(kinds[kind]);
        uint32_t strange = 0xffffffff; /* a NaN with every bit of its payload set, as poison has */
        float row[] = {0, -125.5f, -INFINITY, -1000, NAN, -125, 0, -1, -2};
        float most = -INFINITY;
        float total = 0;
        float correction = 0;
        memcpy(&row[6], &strange, sizeof strange);
        k->weigh_row(9, row, &most, &total, &correction);
        assert_true(row[0] == 1 && row[1] == 0 && row[2] == 0 && row[3] == 0);
        assert_true(isnan(row[4]) && isnan(row[6]) && isnan(total));
        assert_true(row[5] == 0x1p-125f && row[7] == 0.5f && row[8] == 0.25f);
    }
}

static void a_row_without_scores_weighs_nothing_and_leaves_what_comes_after_alone(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < kind_count(); kind++) {
        const sy_cpu_attention_kernels *k = sy_cpu_attention_kernels_of(kinds[kind]);
        float row[] = {-INFINITY, -INFINITY, -INFINITY};
        float most = -INFINITY;
        float total = 0;
        float correction = 5;
        k->weigh_row(3, row, &most, &total, &correction);
        assert_true(most == -INFINITY && total == 0 && correction == 0 && row[0] == 0 && row[2] == 0);
        row[0] = 3;
        row[1] = 2;
        k->weigh_row(2, row, &most, &total, &correction);
        assert_true(most == 3 && total == 1.5f && correction == 0);
        row[0] = 4;
        k->weigh_row(1, row, &most, &total, &correction);
        assert_true(most == 4 && total == 1.75f && correction == 0.5f);
    }
}

/* ---- storage ---- */

static void storage_types_are_read_and_written_bit_by_bit(void **state)
{
    (void)state;
    static uint16_t halves[65536 + 5];
    static uint16_t again[65536 + 5];
    static float wide[65536 + 5];
    for (size_t i = 0; i < 65536 + 5; i++) {
        halves[i] = (uint16_t)i;
    }
    for (size_t at = 0; at < 2 * kind_count(); at++) {
        const sy_cpu_attention_kernels *k = sy_cpu_attention_kernels_of(kinds[at / 2]);
        sy_dtype dtype = at % 2 == 0 ? SY_F16 : SY_BF16;
        k->widen(dtype, 65536 + 5, halves, 1, wide);
        k->narrow(dtype, 65536 + 5, wide, again);
        for (size_t i = 0; i < 65536 + 5; i++) {
            double right = NAN;
            sy_elements_to_double(dtype, halves, i, 1, &right);
            assert_true(isnan(right) ? isnan(wide[i]) : (double)wide[i] == right);
            assert_true(again[i] == halves[i] || (isnan(right) && (again[i] | 0x200) == (halves[i] | 0x200)) ||
                        (isnan(right) && (again[i] | 0x40) == (halves[i] | 0x40)));
        }
    }
}

static void what_is_written_is_rounded_to_nearest(void **state)
{
    (void)state;
    enum { COUNT = 4097 };
    static float wide[COUNT];
    static uint16_t found[COUNT];
    sy_random random;
    sy_random_start(&random, 4, "narrow");
    for (size_t i = 0; i < COUNT; i++) {
        wide[i] = (float)ldexp(2 * sy_random_unit(&random) - 1, (int)sy_random_below(&random, 45) - 28);
    }
    wide[7] = 1 + 0x1p-11f; /* ties: to even */
    wide[8] = 1 + 0x1p-8f;
    for (size_t kind = 0; kind < kind_count(); kind++) {
        const sy_cpu_attention_kernels *k = sy_cpu_attention_kernels_of(kinds[kind]);
        k->narrow(SY_F16, COUNT, wide, found);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(found[i], sy_f16_from_f32(wide[i]));
        }
        k->narrow(SY_BF16, COUNT, wide, found);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(found[i], sy_bf16_from_f32(wide[i]));
        }
    }
}

static void a_transposition_moves_every_element_and_no_other(void **state)
{
    (void)state;
    float from[9 * 11];
    float to[11 * 13];
    for (size_t i = 0; i < 9 * 11; i++) {
        from[i] = (float)i;
    }
    for (int64_t rows = 1; rows <= 9; rows++) {
        for (int64_t columns = 1; columns <= 11; columns++) {
            memset(to, 0xff, sizeof to);
            sy_cpu_transpose(rows, columns, from, 11, to, 13);
            for (int64_t i = 0; i < 11 * 13; i++) {
                bool is_inside = i / 13 < columns && i % 13 < rows;
                assert_true(is_inside ? to[i] == from[i % 13 * 11 + i / 13] : isnan(to[i]));
            }
        }
    }
}

/* ---- whole problems ---- */

static void attend(const attention_data *d, sy_cpu_vectors vectors, uint32_t threads, void *to)
{
    sy_cpu_pool *pool = NULL;
    uint64_t floats = 0;
    enum { BORDER = 64 };
    assert_int_equal(sy_cpu_pool_create(threads, &pool, NULL), SY_OK);
    assert_true(sy_cpu_flash_scratch(&d->shape, vectors, threads, &floats));
    float *scratch = sy_allocate_aligned(64, floats + BORDER, sizeof(float));
    assert_non_null(scratch);
    memset(scratch, 0xff, (floats + BORDER) * sizeof(float)); /* what is left over there is NaN */
    const sy_cpu_flash_problem problem = {.shape = d->shape,
                                          .dtype = d->c.dtype,
                                          .scale = (float)(1 / sqrt((double)d->shape.head_dim)),
                                          .q = d->bytes[0],
                                          .k = d->bytes[1],
                                          .v = d->bytes[2],
                                          .mask = d->bytes[3],
                                          .o = to};
    sy_cpu_flash(pool, vectors, &problem, scratch);
    for (size_t i = 0; i < BORDER; i++) {
        assert_true(isnan(scratch[floats + i]));
    }
    sy_free_aligned(scratch);
    sy_cpu_pool_destroy(pool);
}

/* Rows around one to five vectors of 4, 8 and 16 lanes, panels of three, tasks of four panels; keys around tiles of 64
 * and stretches of 256; head dims around blocks of 8, 4, 2, 1. */
static void every_cut_is_right_on_every_kind_of_vector(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 2, 3, 5, 8, 9, 16, 17, 33, 47, 49, 65, 81, 193, 197};
    static const int64_t keys[] = {1, 63, 64, 65, 257, 600};
    static const int64_t dims[] = {1, 3, 8, 15, 20, 40};
    for (size_t kind = 0; kind < kind_count(); kind++) {
        for (size_t at = 0; at < 15 * 6; at++) {
            int64_t queries = rows[at / 6];
            int64_t key_count = keys[at % 6];
            const attention_size size = {.batch = 1,
                                         .heads = 2,
                                         .kv_heads = 1 + (int64_t)(at % 2),
                                         .queries = queries,
                                         .keys = key_count,
                                         .head_dim = dims[(at % 6 + at / 6) % 6],
                                         .causal = queries <= key_count && at % 3 == 0,
                                         .mask = at % 4 == 0,
                                         .masked_rows = at % 8 == 0};
            attention_data d;
            start_attention(&d, &size, SY_F32);
            float *found = sy_allocate(d.count, sizeof *found);
            assert_non_null(found);
            attend(&d, kinds[kind], 2, found);
            ask_attention(&d);
            for (uint64_t i = 0; i < d.count; i++) {
                if (!(fabs((double)found[i] - d.values[i]) <= 1e-6)) {
                    fail_msg("%s, rows %lld, keys %lld, size %lld: element %llu is %g, not %g",
                             sy_cpu_vectors_word(kinds[kind]), (long long)size.queries, (long long)size.keys,
                             (long long)size.head_dim, (unsigned long long)i, (double)found[i], d.values[i]);
                }
            }
            sy_free(found);
            finish_attention(&d);
        }
    }
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    static const attention_size sizes[] = {{1, 3, 3, 150, 140, 24, 0, 0, 0}, {1, 8, 2, 1, 900, 64, 0, 0, 0}};
    for (size_t i = 0; i < 2; i++) {
        attention_data d;
        start_attention(&d, &sizes[i], SY_F16);
        uint16_t *first = sy_allocate(d.count, sizeof *first);
        uint16_t *found = sy_allocate(d.count, sizeof *found);
        assert_true(first != NULL && found != NULL);
        attend(&d, sy_cpu_vectors_here(), 1, first);
        for (uint32_t threads = 2; threads <= 5; threads++) {
            memset(found, 0xff, d.count * sizeof *found);
            attend(&d, sy_cpu_vectors_here(), threads, found);
            assert_memory_equal(first, found, d.count * sizeof *found);
        }
        sy_free(first);
        sy_free(found);
        finish_attention(&d);
    }
}

static void scratch_that_cannot_be_counted_is_refused(void **state)
{
    (void)state;
    uint64_t floats = 7;
    sy_attention_shape shape = {.batch = 1, .heads = 1, .kv_heads = 1, .queries = 1, .keys = 1};
    shape.head_dim = INT64_C(1) << 40;
    assert_false(sy_cpu_flash_scratch(&shape, SY_CPU_BASELINE, 1, &floats));
    shape.head_dim = INT32_MAX;
    shape.batch = INT64_C(1) << 40;
    assert_false(sy_cpu_flash_scratch(&shape, SY_CPU_AVX512, 1, &floats));
    assert_int_equal(floats, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two_are_within_two_units),
        cmocka_unit_test(weights_beyond_the_range_are_zero_and_nan_is_nan),
        cmocka_unit_test(a_row_without_scores_weighs_nothing_and_leaves_what_comes_after_alone),
        cmocka_unit_test(storage_types_are_read_and_written_bit_by_bit),
        cmocka_unit_test(what_is_written_is_rounded_to_nearest),
        cmocka_unit_test(a_transposition_moves_every_element_and_no_other),
        cmocka_unit_test(every_cut_is_right_on_every_kind_of_vector),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(scratch_that_cannot_be_counted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
