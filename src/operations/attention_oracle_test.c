/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle against values worked out by hand and against sums in long double; its scales against errors that are
 * known; a sample against the whole. */
#include "attention_data.h"

#include "fault_loop.h"

static void put(attention_data *d, size_t input, const float *values, size_t count)
{
    assert_int_equal(d->inputs[input].size, count * sizeof *values);
    memcpy(d->bytes[input], values, count * sizeof *values);
}

/* Scores ln 3 and 0 give weights 3/4 and 1/4. */
static void two_keys_are_weighed_as_by_hand(void **state)
{
    (void)state;
    const attention_size size = {1, 1, 1, 1, 2, 4, 0, 0, 0};
    const float q[] = {2, 0, 0, 0};
    const float k[] = {1.0986122886681098f, 5, -7, 2, 0, 1, 1, 1};
    const float v[] = {4, 0, 1, -8, 0, 4, 1, 8};
    const double o[] = {3, 1, 1, -4};
    attention_data d;
    start_attention(&d, &size, SY_F32);
    put(&d, 0, q, 4); /* 1/sqrt(4) halves it */
    put(&d, 1, k, 8);
    put(&d, 2, v, 8);
    ask_attention(&d);
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(d.values[i] - o[i]) < 1e-6);
    }
    finish_attention(&d);
}

static void a_causal_query_sees_the_keys_that_end_with_its_own(void **state)
{
    (void)state;
    const attention_size size = {1, 1, 1, 2, 4, 1, 1, 0, 0};
    const float q[] = {0, 0};
    const float k[] = {1, 2, 3, 4};
    const float v[] = {3, 6, 12, 100};
    attention_data d;
    start_attention(&d, &size, SY_F32);
    put(&d, 0, q, 2);
    put(&d, 1, k, 4);
    put(&d, 2, v, 4);
    ask_attention(&d);
    assert_true(fabs(d.values[0] - 7) < 1e-12);     /* keys 0, 1, 2 alike */
    assert_true(fabs(d.values[1] - 30.25) < 1e-12); /* and 3 */
    finish_attention(&d);
}

/* With one key an output is that key's value: heads 0 and 1 share the first, 2 and 3 the second, in each batch. */
static void grouped_query_heads_share_a_key_head(void **state)
{
    (void)state;
    const attention_size size = {2, 4, 2, 1, 1, 1, 0, 0, 0};
    const float v[] = {1, 2, 3, 4};
    const double o[] = {1, 1, 2, 2, 3, 3, 4, 4};
    attention_data d;
    start_attention(&d, &size, SY_F32);
    put(&d, 2, v, 4);
    ask_attention(&d);
    for (size_t i = 0; i < 8; i++) {
        assert_true(d.values[i] == o[i]);
    }
    finish_attention(&d);
}

static void a_mask_adds_to_the_scores_and_a_row_without_keys_is_zero(void **state)
{
    (void)state;
    const attention_size size = {1, 2, 1, 3, 2, 1, 0, 1, 0};
    const float k[] = {0, 0};
    const float v[] = {8, 4};
    const float mask[] = {-INFINITY, -INFINITY, -INFINITY, 0.5f, 0, 1.0986122886681098f};
    const double o[] = {0, 4, 5};
    attention_data d;
    start_attention(&d, &size, SY_F32);
    put(&d, 1, k, 2);
    put(&d, 2, v, 2);
    put(&d, 3, mask, 6);
    ask_attention(&d);
    for (size_t i = 0; i < 6; i++) {
        assert_true(fabs(d.values[i] - o[i % 3]) < 1e-6);
        assert_true(isfinite(d.scales[i]));
    }
    finish_attention(&d);
}

/* Values of 1 give sums of weights: 1, whatever the scores. */
static void weights_sum_to_one(void **state)
{
    (void)state;
    const attention_size size = {1, 2, 1, 9, 300, 24, 1, 1, 0};
    attention_data d;
    start_attention(&d, &size, SY_F32);
    float *v = d.bytes[2];
    for (size_t i = 0; i < d.inputs[2].size / sizeof *v; i++) {
        v[i] = 1;
    }
    ask_attention(&d);
    for (uint64_t i = 0; i < d.count; i++) {
        assert_true(fabs(d.values[i] - 1) < 1e-13);
    }
    finish_attention(&d);
}

static const attention_size sizes[] = {
    {1, 1, 1, 1, 1, 1, 0, 0, 0},   {1, 1, 1, 3, 64, 40, 0, 0, 0}, {2, 6, 2, 5, 77, 8, 0, 0, 0},
    {1, 2, 2, 17, 65, 3, 1, 0, 0}, {1, 4, 1, 9, 130, 7, 1, 1, 2}, {1, 3, 3, 20, 31, 16, 0, 1, 5},
};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0] };

/* The definition written down once more, in the wider type and the plainest loops. */
static void expect_right(const attention_data *d)
{
    const sy_attention_shape *s = &d->shape;
    long double weights[256];
    for (int64_t row = 0; row < s->batch * s->heads * s->queries; row++) {
        int64_t i = row % s->queries;
        int64_t key_head = row / s->queries / s->heads * s->kv_heads +
                           row / s->queries % s->heads * s->kv_heads / s->heads;
        long double total = 0;
        for (int64_t j = 0; j < s->keys; j++) {
            long double score = 0;
            for (int64_t c = 0; c < s->head_dim; c++) {
                score += (long double)attention_element(d, 0, row * s->head_dim + c) *
                         (long double)attention_element(d, 1, (key_head * s->keys + j) * s->head_dim + c);
            }
            score /= sqrtl((long double)s->head_dim);
            score += s->masked ? (long double)attention_element(d, 3, i * s->keys + j) : 0;
            bool is_seen = !s->causal || j <= s->keys - s->queries + i;
            weights[j] = is_seen ? expl(score) : 0;
            total += weights[j];
        }
        for (int64_t c = 0; c < s->head_dim; c++) {
            long double sum = 0;
            for (int64_t j = 0; j < s->keys; j++) {
                sum += weights[j] * (long double)attention_element(d, 2, (key_head * s->keys + j) * s->head_dim + c);
            }
            long double right = total == 0 ? 0 : sum / total;
            assert_true(fabsl((long double)d->values[row * s->head_dim + c] - right) <= 1e-13L);
        }
    }
}

static void every_size_and_dtype_gives_the_definition(void **state)
{
    (void)state;
    const sy_dtype dtypes[] = {SY_F32, SY_F16, SY_BF16};
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        for (size_t t = 0; t < 3; t++) {
            attention_data d;
            start_attention(&d, &sizes[i], dtypes[t]);
            ask_attention(&d);
            expect_right(&d);
            finish_attention(&d);
        }
    }
}

/* ---- the scale ---- */

/* What the model allows, c = 1, beside the output's own rounding. */
static double allowed_for(sy_dtype dtype, const attention_size *size)
{
    attention_data d;
    start_attention(&d, size, dtype);
    ask_attention(&d);
    double allowed = 0x1p-24 * d.scales[0];
    for (uint64_t i = 1; i < d.count; i++) {
        assert_true(d.scales[i] == d.scales[0]);
    }
    finish_attention(&d);
    return allowed;
}

/* Weights near 1/64 of values up to 1: an error of one unit in each weight adds up to a few units of sqrt(64)/64. */
static void what_is_allowed_follows_the_storage(void **state)
{
    (void)state;
    const attention_size size = {1, 8, 8, 16, 64, 64, 0, 0, 0};
    double f32 = allowed_for(SY_F32, &size);
    double f16 = allowed_for(SY_F16, &size);
    double bf16 = allowed_for(SY_BF16, &size);
    assert_true(f32 > 0x1p-24 / 8 && f32 < 8 * 0x1p-24);
    assert_true(f16 > 0x1p-11 / 8 && f16 < 8 * 0x1p-11);
    assert_true(bf16 > 5 * f16 && bf16 < 12 * f16);
}

/* One key: the yardstick has no error. What is left is a unit of the largest value in f32, a quarter in others. */
static void without_an_error_of_the_yardstick_a_share_of_a_unit_is_left(void **state)
{
    (void)state;
    const attention_size size = {1, 1, 1, 1, 1, 2, 0, 0, 0};
    const float v[] = {0.5f, -2};
    const uint16_t half_v[] = {0x3800, 0xc000}; /* the same in f16 */
    attention_data d;
    start_attention(&d, &size, SY_F32);
    put(&d, 2, v, 2);
    ask_attention(&d);
    assert_true(d.scales[0] == 2 && d.scales[1] == 2);
    finish_attention(&d);
    start_attention(&d, &size, SY_F16);
    memcpy(d.bytes[2], half_v, sizeof half_v);
    ask_attention(&d);
    assert_true(d.scales[0] == 0.5 * 0x1p-11 / 0x1p-24 && d.values[1] == -2);
    finish_attention(&d);
}

static const attention_size long_causal = {1, 8, 2, 200, 200, 32, 1, 0, 0};

/* Weights near 1/200 have errors of that size, those of the second row near 1/2. */
static void what_is_allowed_falls_with_the_keys_that_a_row_sees(void **state)
{
    (void)state;
    attention_data d;
    start_attention(&d, &long_causal, SY_BF16);
    ask_attention(&d);
    const double *of_row_2 = d.scales + 2 * 32;
    const double *of_row_140 = d.scales + 140 * 32;
    assert_true(of_row_140[0] < of_row_2[0] / 3);
    for (uint64_t i = 0; i < d.count; i++) { /* 101 to 200 keys make one band, all heads together */
        assert_int_equal(d.scales[i] == of_row_140[0], i / 32 % 200 >= 100);
    }
    finish_attention(&d);
}

static void one_element_alone_is_allowed_about_what_it_is_among_all(void **state)
{
    (void)state;
    for (size_t causal = 0; causal < 2; causal++) {
        attention_size size = long_causal;
        attention_data d;
        size.causal = (int64_t)causal;
        start_attention(&d, &size, SY_F32);
        ask_attention(&d);
        for (uint64_t index = 5; index < d.count; index += 3301) {
            double value;
            double scale;
            sy_oracle_request request = attention_request(&d);
            request.indices = &index;
            request.count = 1;
            request.values = &value;
            request.scales = &scale;
            assert_int_equal(sy_attention_oracle(NULL, &d.c, &request, NULL), SY_OK);
            assert_true(value == d.values[index]);
            assert_true(scale > d.scales[index] / 3 && scale <= d.scales[index]);
        }
        finish_attention(&d);
    }
}

/* ---- requests ---- */

static void a_sample_has_the_bits_of_the_whole(void **state)
{
    (void)state;
    const attention_size size = {2, 6, 2, 19, 130, 24, 1, 1, 2};
    attention_data d;
    start_attention(&d, &size, SY_F16);
    ask_attention(&d);
    enum { STEP = 5 };
    uint64_t count = d.count / STEP;
    uint64_t *indices = sy_allocate(count, sizeof *indices);
    double *values = sy_allocate(2 * count, sizeof *values);
    assert_true(indices != NULL && values != NULL);
    for (uint64_t i = 0; i < count; i++) {
        indices[i] = i * STEP + i % STEP;
    }
    indices[1] = indices[0]; /* the same twice, and one that is out of order */
    indices[2] = d.count - 1;
    sy_oracle_request request = attention_request(&d);
    request.indices = indices;
    request.count = count;
    request.values = values;
    request.scales = values + count;
    assert_int_equal(sy_attention_oracle(NULL, &d.c, &request, NULL), SY_OK);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(values[i] == d.values[indices[i]]);
        assert_true(values[count + i] > 0);
    }
    sy_free(indices);
    sy_free(values);
    finish_attention(&d);
}

static void a_wrong_request_is_refused_by_name(void **state)
{
    (void)state;
    const attention_size size = {1, 2, 1, 3, 4, 8, 0, 0, 0};
    attention_data d;
    sy_error err = SY_ERROR_INIT;
    uint64_t index = 48;
    start_attention(&d, &size, SY_F32);
    sy_oracle_request request = attention_request(&d);
    request.input_count = 4;
    assert_int_equal(sy_attention_oracle(NULL, &d.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "3 inputs"));
    request = attention_request(&d);
    request.indices = &index;
    request.count = 1;
    assert_int_equal(sy_attention_oracle(NULL, &d.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "element 48 of 48"));
    d.inputs[2].size--;
    request = attention_request(&d);
    assert_int_equal(sy_attention_oracle(NULL, &d.c, &request, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "tensor 'v'"));
    finish_attention(&d);
}

static sy_status ask(void *user)
{
    const attention_data *d = user;
    sy_oracle_request request = attention_request(d);
    return sy_attention_oracle(NULL, &d->c, &request, NULL);
}

static void a_lack_of_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    attention_data d;
    start_attention(&d, &sizes[1], SY_F32);
    assert_int_equal(fault_loop_allocations(ask, &d, true), 1);
    finish_attention(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_keys_are_weighed_as_by_hand),
        cmocka_unit_test(a_causal_query_sees_the_keys_that_end_with_its_own),
        cmocka_unit_test(grouped_query_heads_share_a_key_head),
        cmocka_unit_test(a_mask_adds_to_the_scores_and_a_row_without_keys_is_zero),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(every_size_and_dtype_gives_the_definition),
        cmocka_unit_test(what_is_allowed_follows_the_storage),
        cmocka_unit_test(without_an_error_of_the_yardstick_a_share_of_a_unit_is_left),
        cmocka_unit_test(what_is_allowed_falls_with_the_keys_that_a_row_sees),
        cmocka_unit_test(one_element_alone_is_allowed_about_what_it_is_among_all),
        cmocka_unit_test(a_sample_has_the_bits_of_the_whole),
        cmocka_unit_test(a_wrong_request_is_refused_by_name),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
