/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle against sums in long double and against whole numbers, all of an output and a sample of it. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fault_loop.h"
#include "operations/fill.h"
#include "operations/half.h"
#include "operations/matmul.h"
#include "operations/oracle.h"

enum { SEED = 11 };

/* One product of any shape, filled, with room for its right values. */
typedef struct job {
    sy_case_property properties[4];
    sy_case c;
    sy_tensor_desc tensors[3];
    sy_output inputs[2];
    void *bytes[2];
    uint64_t count;
    double *values;
    double *scales;
} job;

static void start_job(job *j, sy_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t batch, sy_fill fill)
{
    memset(j, 0, sizeof *j);
    const sy_case_property properties[] = {{"m", m}, {"n", n}, {"k", k}, {"batch", batch}};
    memcpy(j->properties, properties, sizeof properties);
    j->c = (sy_case){.name = "job", .dtype = dtype, .exact_stage = true, .exact_length = (uint64_t)k};
    j->c.properties = j->properties;
    j->c.property_count = 4;
    assert_int_equal(sy_matmul_tensors(&j->c, &j->tensors[0], &j->tensors[1], &j->tensors[2], NULL), SY_OK);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t elements = 0;
        j->inputs[i].desc = &j->tensors[i];
        assert_int_equal(sy_tensor_desc_check(&j->tensors[i], &elements, &j->inputs[i].size, NULL), SY_OK);
        j->bytes[i] = sy_allocate(1, j->inputs[i].size);
        assert_non_null(j->bytes[i]);
        assert_int_equal(sy_fill_input(fill, SEED, i, &j->c, &j->tensors[i], j->bytes[i], NULL), SY_OK);
        j->inputs[i].bytes = j->bytes[i];
    }
    j->count = (uint64_t)(m * n * batch);
    j->values = sy_allocate(j->count, sizeof(double));
    j->scales = sy_allocate(j->count, sizeof(double));
    assert_true(j->values != NULL && j->scales != NULL);
}

static void finish_job(job *j)
{
    sy_free(j->bytes[0]);
    sy_free(j->bytes[1]);
    sy_free(j->values);
    sy_free(j->scales);
}

static sy_oracle_request request_of(const job *j)
{
    return (sy_oracle_request){
        .inputs = j->inputs, .input_count = 2, .count = j->count, .values = j->values, .scales = j->scales};
}

static double element(const job *j, size_t input, int64_t index)
{
    double value = NAN;
    sy_elements_to_double(j->c.dtype, j->bytes[input], (uint64_t)index, 1, &value);
    return value;
}

/* The same sums written down once more, in the wider type and the plainest loops. */
static void expect_right(const job *j)
{
    int64_t m = j->properties[0].value;
    int64_t n = j->properties[1].value;
    int64_t k = j->properties[2].value;
    for (int64_t at = 0; at < (int64_t)j->count; at++) {
        int64_t z = at / (m * n);
        int64_t row = at / n % m;
        int64_t column = at % n;
        long double value = 0;
        long double scale = 0;
        for (int64_t t = 0; t < k; t++) {
            long double product = (long double)element(j, 0, (z * m + row) * k + t) *
                                  (long double)element(j, 1, (z * k + t) * n + column);
            value += product;
            scale += fabsl(product);
        }
        assert_true(fabsl(j->values[at] - value) <= (long double)k * 0x1p-52L * scale);
        assert_true(fabsl(j->scales[at] - scale) <= (long double)k * 0x1p-52L * scale);
    }
}

static const int64_t shapes[][4] = {{1, 1, 1, 1},    {1, 7, 5, 1},     {5, 1, 3, 1},    {3, 2, 129, 1},
                                    {17, 65, 33, 1}, {2, 130, 128, 1}, {4, 66, 260, 1}, {3, 5, 7, 4}};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static void every_shape_gives_the_sums_of_plain_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        job j;
        start_job(&j, SY_F32, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], SY_FILL_REAL);
        sy_oracle_request request = request_of(&j);
        assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, NULL), SY_OK);
        expect_right(&j);
        finish_job(&j);
    }
}

static void every_floating_dtype_is_read(void **state)
{
    (void)state;
    const sy_dtype dtypes[] = {SY_F64, SY_F16, SY_BF16};
    for (size_t i = 0; i < 3; i++) {
        job j;
        start_job(&j, dtypes[i], 5, 67, 130, 1, SY_FILL_REAL);
        sy_oracle_request request = request_of(&j);
        assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, NULL), SY_OK);
        expect_right(&j);
        finish_job(&j);
    }
}

static void whole_numbers_come_out_whole_and_equal(void **state)
{
    (void)state;
    job j;
    start_job(&j, SY_F32, 9, 70, 300, 2, SY_FILL_EXACT_RIGHT);
    sy_oracle_request request = request_of(&j);
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, NULL), SY_OK);
    for (int64_t at = 0; at < (int64_t)j.count; at++) {
        int64_t sum = 0;
        for (int64_t t = 0; t < 300; t++) {
            sum += (int64_t)element(&j, 0, at / 70 * 300 + t) *
                   (int64_t)element(&j, 1, (at / (9 * 70) * 300 + t) * 70 + at % 70);
        }
        assert_true(j.values[at] == (double)sum);
    }
    finish_job(&j);
}

static void a_sample_has_the_bits_of_the_whole(void **state)
{
    (void)state;
    enum { SAMPLE = 500 };
    job j;
    uint64_t indices[SAMPLE];
    double values[SAMPLE];
    double scales[SAMPLE];
    start_job(&j, SY_F32, 33, 70, 300, 2, SY_FILL_REAL);
    sy_oracle_request whole = request_of(&j);
    sy_oracle_request some = whole;
    some.indices = indices;
    some.count = SAMPLE;
    some.values = values;
    some.scales = scales;
    assert_int_equal(sy_oracle_sample(SEED, &j.tensors[2], SAMPLE, indices, NULL), SY_OK);
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &whole, NULL), SY_OK);
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &some, NULL), SY_OK);
    for (size_t i = 0; i < SAMPLE; i++) {
        assert_true(values[i] == j.values[indices[i]] && scales[i] == j.scales[indices[i]]);
    }
    some.indices = NULL; /* the first elements */
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &some, NULL), SY_OK);
    assert_memory_equal(values, j.values, sizeof values);
    finish_job(&j);
}

static void a_wrong_request_is_refused_by_name(void **state)
{
    (void)state;
    job j;
    sy_error err = SY_ERROR_INIT;
    start_job(&j, SY_F32, 3, 5, 7, 1, SY_FILL_REAL);
    sy_oracle_request request = request_of(&j);
    const uint64_t outside = 15;
    request.indices = &outside;
    request.count = 1;
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "element 15 of 15"));
    request = request_of(&j);
    request.input_count = 1;
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    request = request_of(&j);
    j.inputs[1].size--;
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "matrix 'b'"));
    j.inputs[1].size++;
    j.tensors[0].dims[0] = 4;
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "matrix 'a'"));
    j.c.dtype = SY_I32;
    assert_int_equal(sy_matmul_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "integers"));
    finish_job(&j);
}

static sy_status run_both(void *user)
{
    job *j = user;
    uint64_t index = 2;
    sy_oracle_request request = request_of(j);
    sy_status status = sy_matmul_oracle(NULL, &j->c, &request, NULL);
    request.indices = &index;
    request.count = 1;
    return status == SY_OK ? sy_matmul_oracle(NULL, &j->c, &request, NULL) : status;
}

static void a_lack_of_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    job j;
    start_job(&j, SY_F32, 3, 5, 7, 1, SY_FILL_REAL);
    assert_int_equal(fault_loop_allocations(run_both, &j, true), 2);
    finish_job(&j);
}

/* ---- the sample ---- */

static bool has(const uint64_t *indices, size_t count, uint64_t wanted)
{
    for (size_t i = 0; i < count; i++) {
        if (indices[i] == wanted) {
            return true;
        }
    }
    return false;
}

static void a_sample_is_ascending_and_holds_tails_corners_and_borders(void **state)
{
    (void)state;
    static uint64_t indices[SY_ORACLE_SAMPLE];
    enum { ROWS = 1000, COLUMNS = 1001 };
    const sy_tensor_desc desc = {.name = "c", .dtype = SY_F32, .rank = 3, .dims = {2, ROWS, COLUMNS}};
    const uint64_t matrix = ROWS * COLUMNS;
    assert_int_equal(sy_oracle_sample(SEED, &desc, SY_ORACLE_SAMPLE, indices, NULL), SY_OK);
    size_t last_row = 0;
    size_t last_column = 0;
    size_t block_edges = 0;
    for (size_t i = 0; i < SY_ORACLE_SAMPLE; i++) {
        assert_true(indices[i] < 2 * matrix && (i == 0 || indices[i] > indices[i - 1]));
        last_row += indices[i] / COLUMNS % ROWS == ROWS - 1;
        last_column += indices[i] % COLUMNS == COLUMNS - 1;
        block_edges += indices[i] / COLUMNS % ROWS % 16 == 15 || indices[i] % COLUMNS % 16 == 15;
    }
    for (uint64_t i = 1; i <= 64; i++) {
        assert_true(has(indices, SY_ORACLE_SAMPLE, 2 * matrix - i));
    }
    const uint64_t corners[] = {0, COLUMNS - 1, matrix - COLUMNS, matrix - 1};
    for (size_t i = 0; i < 4; i++) {
        assert_true(has(indices, SY_ORACLE_SAMPLE, corners[i]));
        assert_true(has(indices, SY_ORACLE_SAMPLE, matrix + corners[i]));
    }
    assert_true(last_row > 200 && last_column > 200 && block_edges > 1500);
}

static void a_sample_is_the_same_for_a_seed_and_another_for_another(void **state)
{
    (void)state;
    uint64_t first[64];
    uint64_t again[64];
    const sy_tensor_desc desc = {.name = "c", .dtype = SY_F32, .rank = 2, .dims = {700, 300}};
    assert_int_equal(sy_oracle_sample(1, &desc, 64, first, NULL), SY_OK);
    assert_int_equal(sy_oracle_sample(1, &desc, 64, again, NULL), SY_OK);
    assert_memory_equal(first, again, sizeof first);
    uint64_t more[200];
    uint64_t others[200];
    assert_int_equal(sy_oracle_sample(1, &desc, 200, more, NULL), SY_OK);
    assert_int_equal(sy_oracle_sample(2, &desc, 200, others, NULL), SY_OK);
    assert_memory_not_equal(more, others, sizeof more);
}

static void a_sample_of_all_is_all_and_of_nearly_all_is_different(void **state)
{
    (void)state;
    uint64_t indices[12];
    const sy_tensor_desc desc = {.name = "c", .dtype = SY_F32, .rank = 1, .dims = {12}};
    for (uint64_t count = 1; count <= 12; count++) {
        assert_int_equal(sy_oracle_sample(SEED, &desc, count, indices, NULL), SY_OK);
        for (uint64_t i = 1; i < count; i++) {
            assert_true(indices[i] > indices[i - 1] && indices[i] < 12);
        }
    }
    assert_int_equal(sy_oracle_sample(SEED, &desc, 0, indices, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_oracle_sample(SEED, &desc, 13, indices, NULL), SY_INVALID_ARGUMENT);
}

static void work_above_two_gflop_is_sampled(void **state)
{
    (void)state;
    sy_case c = {.flop_count = 2.0e9};
    assert_int_equal(sy_oracle_count(&c, 1000000), 1000000);
    c.flop_count = 2.1e9;
    assert_int_equal(sy_oracle_count(&c, 1000000), 4096);
    assert_int_equal(sy_oracle_count(&c, 100), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_gives_the_sums_of_plain_loops),
        cmocka_unit_test(every_floating_dtype_is_read),
        cmocka_unit_test(whole_numbers_come_out_whole_and_equal),
        cmocka_unit_test(a_sample_has_the_bits_of_the_whole),
        cmocka_unit_test(a_wrong_request_is_refused_by_name),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_nothing_leaks),
        cmocka_unit_test(a_sample_is_ascending_and_holds_tails_corners_and_borders),
        cmocka_unit_test(a_sample_is_the_same_for_a_seed_and_another_for_another),
        cmocka_unit_test(a_sample_of_all_is_all_and_of_nearly_all_is_different),
        cmocka_unit_test(work_above_two_gflop_is_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
