/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of convolution against values worked out by hand, against plain loops in long double, and all of an output
 * against a sample of it. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "convolution_shapes.h"
#include "fault_loop.h"
#include "operations/fill.h"
#include "operations/half.h"
#include "operations/oracle.h"

enum { SEED = 13 };

typedef struct job {
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c;
    sy_convolution_shape shape;
    sy_tensor_desc tensors[3];
    sy_output inputs[2];
    void *bytes[2];
    uint64_t count;
    double *values;
    double *scales;
} job;

static void start_job(job *j, sy_dtype dtype, const int64_t shape[CONVOLUTION_PROPERTIES], sy_fill fill)
{
    memset(j, 0, sizeof *j);
    j->c = convolution_case_of(shape, j->properties);
    j->c.dtype = dtype;
    assert_int_equal(sy_convolution_shape_of(&j->c, &j->shape, NULL), SY_OK);
    assert_int_equal(sy_convolution_tensors(&j->c, &j->tensors[0], &j->tensors[1], &j->tensors[2], NULL), SY_OK);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t elements = 0;
        j->inputs[i].desc = &j->tensors[i];
        assert_int_equal(sy_tensor_desc_check(&j->tensors[i], &elements, &j->inputs[i].size, NULL), SY_OK);
        j->bytes[i] = sy_allocate(1, j->inputs[i].size);
        assert_non_null(j->bytes[i]);
        assert_int_equal(sy_fill_input(fill, SEED, i, &j->c, &j->tensors[i], j->bytes[i], NULL), SY_OK);
        j->inputs[i].bytes = j->bytes[i];
    }
    j->count = (uint64_t)(j->shape.batch * j->shape.filters * j->shape.out_height * j->shape.out_width);
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

static void compute(job *j)
{
    sy_error err = SY_ERROR_INIT;
    sy_oracle_request request = request_of(j);
    if (sy_convolution_oracle(NULL, &j->c, &request, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
}

static long double element(const job *j, size_t input, int64_t index)
{
    double value = NAN;
    sy_elements_to_double(j->c.dtype, j->bytes[input], (uint64_t)index, 1, &value);
    return value;
}

/* The same sums the other way round: each product is carried to the output that it belongs to. */
static void expect_right(const job *j)
{
    const sy_convolution_shape *s = &j->shape;
    int64_t channels = s->channels / s->groups;
    int64_t filters = s->filters / s->groups;
    long double *sums = sy_allocate(2 * j->count, sizeof *sums);
    assert_non_null(sums);
    for (int64_t at = 0; at < s->batch * s->channels * s->height * s->width; at++) {
        int64_t x = at % s->width;
        int64_t y = at / s->width % s->height;
        int64_t channel = at / (s->width * s->height) % s->channels;
        int64_t image = at / (s->width * s->height * s->channels);
        for (int64_t k = 0; k < filters * s->kernel_h * s->kernel_w; k++) {
            int64_t filter = channel / channels * filters + k / (s->kernel_h * s->kernel_w);
            int64_t i = k / s->kernel_w % s->kernel_h;
            int64_t l = k % s->kernel_w;
            int64_t row = y + s->padding - i * s->dilation;
            int64_t column = x + s->padding - l * s->dilation;
            if (row < 0 || column < 0 || row % s->stride != 0 || column % s->stride != 0 ||
                row / s->stride >= s->out_height || column / s->stride >= s->out_width) {
                continue;
            }
            int64_t to = ((image * s->filters + filter) * s->out_height + row / s->stride) * s->out_width +
                         column / s->stride;
            int64_t from = ((filter * channels + channel % channels) * s->kernel_h + i) * s->kernel_w + l;
            long double product = element(j, 0, at) * element(j, 1, from);
            sums[to] += product;
            sums[j->count + (uint64_t)to] += fabsl(product);
        }
    }
    long double allowed = (long double)sy_convolution_terms(s) * 0x1p-52L;
    for (uint64_t at = 0; at < j->count; at++) {
        assert_true(fabsl(j->values[at] - sums[at]) <= allowed * sums[j->count + at]);
        assert_true(fabsl(j->scales[at] - sums[j->count + at]) <= allowed * sums[j->count + at]);
    }
    sy_free(sums);
}

static void every_shape_gives_the_sums_of_plain_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODD_CONVOLUTION_COUNT; i++) {
        job j;
        start_job(&j, SY_F32, odd_convolutions[i], SY_FILL_REAL);
        compute(&j);
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
        start_job(&j, dtypes[i], odd_convolutions[2], SY_FILL_REAL);
        compute(&j);
        expect_right(&j);
        finish_job(&j);
    }
}

/* A source of 1..9 and two kernels of 2 x 2, worked out on paper. */
static void small_numbers_come_out_as_on_paper(void **state)
{
    (void)state;
    static const float source[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const float kernels[4] = {1, 0, 0, -2}; /* the top left, less twice the bottom right */
    static const struct {
        int64_t stride, padding, dilation;
        size_t count;
        double values[16];
    } wanted[] = {{1, 0, 1, 4, {1 - 10, 2 - 12, 4 - 16, 5 - 18}},
                  {2, 0, 1, 1, {1 - 10}},
                  {1, 0, 2, 1, {1 - 18}},
                  {2, 1, 1, 4, {-2, -6, -14, 5 - 18}},
                  {1, 1, 1, 16, {-2, -4, -6, 0, -8, 1 - 10, 2 - 12, 3, -14, 4 - 16, 5 - 18, 6, 0, 7, 8, 9}},
                  {1, 1, 2, 9, {-10, -12, 0, -16, 1 - 18, 2, 0, 4, 5}}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const int64_t shape[] = {1, 1, 3, 3, 1, 2, 2, wanted[i].stride, wanted[i].padding, wanted[i].dilation, 1};
        job j;
        start_job(&j, SY_F32, shape, SY_FILL_REAL);
        memcpy(j.bytes[0], source, sizeof source);
        memcpy(j.bytes[1], kernels, sizeof kernels);
        compute(&j);
        assert_int_equal(j.count, wanted[i].count);
        for (size_t at = 0; at < j.count; at++) {
            assert_true(j.values[at] == wanted[i].values[at]);
        }
        finish_job(&j);
    }
}

/* Two channels, two groups, a filter each: a filter sees its own channel and nothing of the other. */
static void groups_do_not_see_each_other(void **state)
{
    (void)state;
    static const float source[8] = {1, 2, 3, 4, 50, 60, 70, 80};
    static const float kernels[2] = {3, -1};
    const int64_t shape[] = {1, 2, 2, 2, 2, 1, 1, 1, 0, 1, 2};
    static const double wanted[8] = {3, 6, 9, 12, -50, -60, -70, -80};
    job j;
    start_job(&j, SY_F32, shape, SY_FILL_REAL);
    memcpy(j.bytes[0], source, sizeof source);
    memcpy(j.bytes[1], kernels, sizeof kernels);
    compute(&j);
    for (size_t at = 0; at < 8; at++) {
        assert_true(j.values[at] == wanted[at] && j.scales[at] == fabs(wanted[at]));
    }
    finish_job(&j);
}

/* Also where K is longer than 4096 and an element of the source stands in many sums. */
static void every_partial_sum_of_an_exact_fill_fits_and_most_are_not_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < ODD_CONVOLUTION_COUNT; i++) {
        for (sy_fill fill = SY_FILL_EXACT_LEFT; fill <= SY_FILL_EXACT_RIGHT; fill++) {
            job j;
            uint64_t zeros = 0;
            start_job(&j, SY_F32, odd_convolutions[i], fill);
            compute(&j);
            for (uint64_t at = 0; at < j.count; at++) {
                assert_true(j.scales[at] <= 0x1p24 && j.values[at] == floor(j.values[at]));
                zeros += j.values[at] == 0;
            }
            assert_true(zeros * 4 <= j.count);
            finish_job(&j);
        }
    }
}

static void a_sample_has_the_bits_of_the_whole(void **state)
{
    (void)state;
    static uint64_t indices[SY_ORACLE_SAMPLE];
    static double values[SY_ORACLE_SAMPLE];
    static double scales[SY_ORACLE_SAMPLE];
    for (size_t i = 0; i < ODD_CONVOLUTION_COUNT; i++) {
        job j;
        start_job(&j, SY_F32, odd_convolutions[i], SY_FILL_REAL);
        uint64_t count = (j.count + 1) / 2;
        assert_true(count <= SY_ORACLE_SAMPLE);
        sy_oracle_request some = request_of(&j);
        compute(&j);
        some.indices = indices;
        some.count = count;
        some.values = values;
        some.scales = scales;
        assert_int_equal(sy_oracle_sample(SEED, &j.tensors[2], count, indices, NULL), SY_OK);
        assert_int_equal(sy_convolution_oracle(NULL, &j.c, &some, NULL), SY_OK);
        for (size_t at = 0; at < count; at++) {
            assert_true(values[at] == j.values[indices[at]] && scales[at] == j.scales[indices[at]]);
        }
        finish_job(&j);
    }
}

static void a_wrong_request_is_refused_by_name(void **state)
{
    (void)state;
    job j;
    sy_error err = SY_ERROR_INIT;
    start_job(&j, SY_F32, odd_convolutions[1], SY_FILL_REAL); /* 2 filters of 3 x 4 */
    sy_oracle_request request = request_of(&j);
    const uint64_t outside = 24;
    request.indices = &outside;
    request.count = 1;
    assert_int_equal(sy_convolution_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "element 24 of 24"));
    request = request_of(&j);
    request.input_count = 1;
    assert_int_equal(sy_convolution_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    request = request_of(&j);
    j.inputs[1].size--;
    assert_int_equal(sy_convolution_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "tensor 'weights'"));
    j.inputs[1].size++;
    j.tensors[0].dims[0] = 4;
    assert_int_equal(sy_convolution_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "tensor 'source'"));
    j.c.dtype = SY_I32;
    assert_int_equal(sy_convolution_oracle(NULL, &j.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "integers"));
    finish_job(&j);
}

static sy_status run_both(void *user)
{
    job *j = user;
    uint64_t index = 2;
    sy_oracle_request request = request_of(j);
    sy_status status = sy_convolution_oracle(NULL, &j->c, &request, NULL);
    request.indices = &index;
    request.count = 1;
    return status == SY_OK ? sy_convolution_oracle(NULL, &j->c, &request, NULL) : status;
}

static void a_lack_of_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    job j;
    start_job(&j, SY_F32, odd_convolutions[1], SY_FILL_REAL);
    assert_int_equal(fault_loop_allocations(run_both, &j, true), 2);
    finish_job(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_gives_the_sums_of_plain_loops),
        cmocka_unit_test(every_floating_dtype_is_read),
        cmocka_unit_test(small_numbers_come_out_as_on_paper),
        cmocka_unit_test(groups_do_not_see_each_other),
        cmocka_unit_test(every_partial_sum_of_an_exact_fill_fits_and_most_are_not_zero),
        cmocka_unit_test(a_sample_has_the_bits_of_the_whole),
        cmocka_unit_test(a_wrong_request_is_refused_by_name),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
