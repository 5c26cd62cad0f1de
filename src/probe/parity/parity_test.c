/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison on outputs whose right answers are known by hand. */
#include "cmocka_headers.h"

#include "probe/parity/parity.h"

#include <math.h>
#include <string.h>

static sy_tensor_desc vector_of(sy_dtype dtype, int64_t count)
{
    return (sy_tensor_desc){.dtype = dtype, .rank = 1, .dims = {count}};
}

static sy_parity_model model_with(double absolute, double relative)
{
    return (sy_parity_model){
        .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = absolute, .relative = relative},
        .poison = 0xff};
}

static sy_parity against_reference(sy_dtype dtype, int64_t count, const void *reference, const void *found,
                                   sy_parity_model model)
{
    sy_tensor_desc desc = vector_of(dtype, count);
    sy_expectation e = {.desc = &desc, .element_count = (uint64_t)count, .reference = reference};
    sy_parity parity;
    sy_parity_compare(&model, &e, found, &parity);
    return parity;
}

/* The unsigned difference of 2 and 3 is 1, not 4294967295 (DirectXShaderCompiler issue 5498). */
static void unsigned_differences_do_not_wrap(void **state)
{
    (void)state;
    uint32_t reference = 3;
    uint32_t found = 2;
    sy_parity parity = against_reference(SY_U32, 1, &reference, &found, model_with(4, NAN));
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
    assert_true(parity.max_abs == 1);
    uint8_t low = 0;
    uint8_t high = 255;
    assert_true(sy_element_difference(SY_U8, &low, &high, 0) == 255);
    int8_t least = -128;
    int8_t most = 127;
    assert_true(sy_element_difference(SY_I8, &least, &most, 0) == 255);
    int64_t far_left = INT64_MIN;
    int64_t far_right = INT64_MAX;
    assert_true(sy_element_difference(SY_I64, &far_left, &far_right, 0) == 18446744073709551615.0);
}

/* Every integer type from its least to its largest value: the distance is exact, at its allowance and just below it. */
static void the_ends_of_every_integer_type_are_their_distance_apart(void **state)
{
    (void)state;
    const struct {
        sy_dtype dtype;
        const void *least;
        const void *most;
        double distance;
    } types[] = {
        {SY_I8, &(const int8_t){INT8_MIN}, &(const int8_t){INT8_MAX}, 255},
        {SY_U8, &(const uint8_t){0}, &(const uint8_t){UINT8_MAX}, 255},
        {SY_I16, &(const int16_t){INT16_MIN}, &(const int16_t){INT16_MAX}, 65535},
        {SY_U16, &(const uint16_t){0}, &(const uint16_t){UINT16_MAX}, 65535},
        {SY_I32, &(const int32_t){INT32_MIN}, &(const int32_t){INT32_MAX}, 4294967295},
        {SY_U32, &(const uint32_t){0}, &(const uint32_t){UINT32_MAX}, 4294967295},
        {SY_I64, &(const int64_t){INT64_MIN}, &(const int64_t){INT64_MAX}, 18446744073709551615.0},
        {SY_U64, &(const uint64_t){0}, &(const uint64_t){UINT64_MAX}, 18446744073709551615.0},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        for (int swapped = 0; swapped < 2; swapped++) {
            const void *right = swapped ? types[i].most : types[i].least;
            const void *found = swapped ? types[i].least : types[i].most;
            sy_parity_model model = model_with(types[i].distance, NAN);
            model.poison = 0xa5;
            sy_parity parity = against_reference(types[i].dtype, 1, right, found, model);
            assert_int_equal(parity.outcome, SY_PARITY_PASSED);
            assert_true(parity.max_abs == types[i].distance);
            model.tolerance.absolute = types[i].distance / 2;
            parity = against_reference(types[i].dtype, 1, right, found, model);
            assert_int_equal(parity.outcome, SY_PARITY_FAILED);
            assert_true(parity.error_in_tolerances == 2);
            assert_int_equal(parity.wrong_count, 1);
            parity = against_reference(types[i].dtype, 1, right, right, model);
            assert_true(parity.outcome == SY_PARITY_PASSED && parity.max_abs == 0);
        }
    }
}

/* Neighbours beyond 2^53 are one double: the oracle cannot tell them apart, the reference can. */
static void whole_numbers_that_a_double_does_not_hold_are_told_apart_by_the_reference(void **state)
{
    (void)state;
    const int64_t right[] = {INT64_MAX - 1, (INT64_C(1) << 53) + 1, -7};
    int64_t found[] = {INT64_MAX - 1, (INT64_C(1) << 53) + 1, -7};
    const double values[] = {0x1p63, 0x1p53, -7};
    const double scales[] = {1, 1, 1};
    sy_tensor_desc desc = vector_of(SY_I64, 3);
    sy_expectation e = {
        .desc = &desc, .element_count = 3, .oracle_count = 3, .values = values, .scales = scales, .reference = right};
    sy_parity_model model = model_with(NAN, NAN);
    sy_parity parity;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
    for (size_t i = 0; i < 2; i++) {
        found[i]--;
        sy_parity_compare(&model, &e, found, &parity);
        assert_int_equal(parity.outcome, SY_PARITY_FAILED);
        assert_int_equal(parity.wrong_count, 1);
        assert_int_equal(parity.worst_index, i);
        found[i]++;
    }
}

/* numpy issues 12874 and 2912: 1 of 2 and 1 of 3, not 100 %. */
static void wrong_elements_are_counted_and_the_first_worst_is_named(void **state)
{
    (void)state;
    float reference[] = {1, 2, 3};
    float found[] = {1, 2.01f, 3};
    sy_parity parity = against_reference(SY_F32, 3, reference, found, model_with(1e-6, NAN));
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_int_equal(parity.wrong_count, 1);
    assert_int_equal(parity.element_count, 3);
    assert_int_equal(parity.worst_index, 1);
    float with_nan[] = {1, NAN};
    float other_nan[] = {2, NAN};
    parity = against_reference(SY_F32, 2, with_nan, other_nan, model_with(0, NAN));
    assert_int_equal(parity.wrong_count, 2);
    sy_parity_model allowing = model_with(0, NAN);
    allowing.allows_nonfinite = true;
    parity = against_reference(SY_F32, 2, with_nan, other_nan, allowing);
    assert_int_equal(parity.wrong_count, 1);
    assert_int_equal(parity.worst_index, 0);
}

static void a_nan_fails_and_the_side_is_named(void **state)
{
    (void)state;
    float right[] = {1, 2};
    float nan_last[] = {1, NAN};
    sy_parity parity = against_reference(SY_F32, 2, right, nan_last, model_with(1, NAN));
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_string_equal(parity.reason, "nonfinite: candidate");
    parity = against_reference(SY_F32, 2, nan_last, right, model_with(1, NAN));
    assert_string_equal(parity.reason, "nonfinite: reference");
    parity = against_reference(SY_F32, 2, nan_last, nan_last, model_with(1, NAN));
    assert_string_equal(parity.reason, "nonfinite: both");
}

static void infinities_of_opposite_sign_are_not_the_same(void **state)
{
    (void)state;
    float right[] = {1, INFINITY};
    float same[] = {1, INFINITY};
    float other[] = {1, -INFINITY};
    sy_parity_model model = model_with(1e-3, NAN);
    model.allows_nonfinite = true;
    assert_int_equal(against_reference(SY_F32, 2, right, same, model).outcome, SY_PARITY_PASSED);
    assert_int_equal(against_reference(SY_F32, 2, right, other, model).outcome, SY_PARITY_FAILED);
}

static void unwritten_elements_are_told_from_wrong_ones(void **state)
{
    (void)state;
    float right[] = {1, 2, 3, 4};
    float found[] = {1, 2, 0, 0};
    memset(&found[2], 0xff, 2 * sizeof(float));
    sy_parity parity = against_reference(SY_F32, 4, right, found, model_with(1e-3, NAN));
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_string_equal(parity.reason, "2 of 4 elements were not written");
    uint8_t bytes[] = {5, 0xff, 7, 9};
    uint8_t whole[] = {5, 0xff, 7, 8};
    parity = against_reference(SY_U8, 4, whole, bytes, model_with(1, NAN));
    assert_int_equal(parity.outcome, SY_PARITY_PASSED); /* 0xff is a right value there: nothing else is wrong */
}

static void a_lost_subnormal_is_named(void **state)
{
    (void)state;
    float right = 1.4012984643248171e-45f;
    float found = 0;
    sy_parity_model exact = model_with(NAN, NAN);
    exact.exact = true;
    sy_parity parity = against_reference(SY_F32, 1, &right, &found, exact);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_non_null(strstr(parity.reason, "subnormal"));
    assert_non_null(strstr(parity.reason, "1.40129846e-45"));
}

/* |x - r| <= 16 * 2^-24 * scale + 2^-126, and the rms figure: with scale 1 the allowance is 2^-20. */
static void the_oracle_model_is_sharp_at_its_bound(void **state)
{
    (void)state;
    sy_tensor_desc desc = vector_of(SY_F32, 64);
    double values[64];
    double scales[64];
    float found[64];
    for (int i = 0; i < 64; i++) {
        values[i] = found[i] = 1.0f / 1024 * (float)(i + 1);
        scales[i] = 1;
    }
    sy_expectation e = {.desc = &desc, .element_count = 64, .oracle_count = 64, .values = values, .scales = scales};
    sy_parity_model model = model_with(NAN, NAN);
    sy_parity parity;
    values[7] = found[7] - 0x1p-20 * 0.999;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
    assert_true(fabs(parity.error_in_tolerances - 0.999) < 1e-6);
    values[7] = found[7] - 0x1p-20 * 1.001;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_int_equal(parity.worst_index, 7);
    for (int i = 0; i < 64; i++)
        values[i] = found[i] - 0x1p-24 * 2.1; /* each within 16, the rms figure above 2 */
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_non_null(strstr(parity.reason, "rms"));
}

static void an_output_in_f16_may_round_once(void **state)
{
    (void)state;
    sy_tensor_desc desc = vector_of(SY_F16, 2);
    uint16_t found[] = {0x3c00, 0x4000}; /* 1, 2 */
    double scales[] = {1, 1};
    double values[] = {1 + 0x1p-12, 2}; /* half of a spacing beside 1: round to nearest gives 1 */
    sy_expectation e = {.desc = &desc, .element_count = 2, .oracle_count = 2, .values = values, .scales = scales};
    sy_parity_model model = model_with(NAN, NAN);
    sy_parity parity;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
    values[0] = 1 + 0x1p-10; /* a whole spacing off */
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
}

static void between_samples_the_reference_is_the_measure(void **state)
{
    (void)state;
    sy_tensor_desc desc = vector_of(SY_F32, 4);
    float reference[] = {1, 2, 3, 4};
    float found[] = {1, 2, 3.5f, 4};
    uint64_t indices[] = {0, 3};
    double values[] = {1, 4};
    double scales[] = {1, 4};
    sy_expectation e = {.desc = &desc,
                        .element_count = 4,
                        .indices = indices,
                        .oracle_count = 2,
                        .values = values,
                        .scales = scales,
                        .reference = reference};
    sy_parity_model model = model_with(NAN, NAN);
    sy_parity parity;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
    assert_int_equal(parity.worst_index, 2);
    found[2] = 3;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
}

static const char *vacuous(const float *right, const float *other, int64_t count, double absolute)
{
    sy_tensor_desc desc = vector_of(SY_F32, count);
    sy_expectation e = {.desc = &desc, .element_count = (uint64_t)count, .reference = right};
    sy_parity_model model = model_with(absolute, NAN);
    const void *others[] = {other};
    return sy_parity_vacuous(&model, &e, right, others, 1, false, NULL);
}

static void a_test_that_cannot_fail_is_vacuous(void **state)
{
    (void)state;
    float right[] = {1, -2, 3, -4};
    float other[] = {2, 1, -1, 3};
    assert_null(vacuous(right, other, 4, 1e-5));
    assert_non_null(vacuous(right, other, 4, 10));   /* tolerance above the signal */
    assert_non_null(vacuous(right, right, 4, 1e-5)); /* another seed gives the same */
    float constant[] = {5, 5, 5, 5};
    assert_string_equal(vacuous(constant, other, 4, 1e-5), "an output moved by one element passes");
    float zeros[] = {0, 0, 3, -4};
    assert_string_equal(vacuous(zeros, other, 4, 1e-5), "more than 30 % of the right values are 0");
}

static void one_other_output_that_passes_by_chance_makes_nothing_vacuous(void **state)
{
    (void)state;
    float right = 7;
    float near = 7.000001F;
    float far = 8;
    const void *others[] = {&near, &far, &near};
    const void *alike[] = {&near, &right, &near};
    sy_tensor_desc desc = vector_of(SY_F32, 1);
    sy_expectation e = {.desc = &desc, .element_count = 1, .reference = &right};
    sy_parity_model model = model_with(1e-5, NAN);
    assert_null(sy_parity_vacuous(&model, &e, &right, others, 3, false, NULL));
    assert_string_equal(sy_parity_vacuous(&model, &e, &right, alike, 3, false, NULL),
                        "the output of other inputs passes");
}

/* A reference that may err more than the candidate does not make the candidate wrong where the oracle did not look. */
static void between_the_oracles_samples_the_wider_of_both_tolerances_counts(void **state)
{
    (void)state;
    const uint64_t indices[] = {0};
    const double values[] = {1};
    const double scales[] = {1};
    const float reference[] = {1, 1 + 0x1p-17f};
    const float found[] = {1, 1};
    sy_tensor_desc desc = vector_of(SY_F32, 2);
    sy_expectation e = {&desc, 2, indices, 1, values, scales, reference};
    sy_parity_model model = model_with(NAN, NAN);
    sy_parity parity;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED); /* 128 u against 2 c u = 32 u */
    model.reference_c = 64;
    sy_parity_compare(&model, &e, found, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_PASSED);
    const float off[] = {1 + 0x1p-17f, 1}; /* what the oracle saw is held to its own tolerance */
    sy_parity_compare(&model, &e, off, &parity);
    assert_int_equal(parity.outcome, SY_PARITY_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_differences_do_not_wrap),
        cmocka_unit_test(the_ends_of_every_integer_type_are_their_distance_apart),
        cmocka_unit_test(whole_numbers_that_a_double_does_not_hold_are_told_apart_by_the_reference),
        cmocka_unit_test(wrong_elements_are_counted_and_the_first_worst_is_named),
        cmocka_unit_test(a_nan_fails_and_the_side_is_named),
        cmocka_unit_test(infinities_of_opposite_sign_are_not_the_same),
        cmocka_unit_test(unwritten_elements_are_told_from_wrong_ones),
        cmocka_unit_test(a_lost_subnormal_is_named),
        cmocka_unit_test(the_oracle_model_is_sharp_at_its_bound),
        cmocka_unit_test(an_output_in_f16_may_round_once),
        cmocka_unit_test(between_samples_the_reference_is_the_measure),
        cmocka_unit_test(a_test_that_cannot_fail_is_vacuous),
        cmocka_unit_test(one_other_output_that_passes_by_chance_makes_nothing_vacuous),
        cmocka_unit_test(between_the_oracles_samples_the_wider_of_both_tolerances_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
