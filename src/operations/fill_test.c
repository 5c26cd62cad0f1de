/* SPDX-License-Identifier: Apache-2.0 */
/* The fills: bytes that a second program of its own makes too (tests/support/fill_digests.py), ranges, and that the
 * sums of the exact stage are exact in every order. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/memory.h"
#include "operations/fill.h"
#include "operations/half.h"

enum { SEED = 2026 };

static sy_tensor_desc matrix_of(sy_dtype dtype, int64_t rows, int64_t columns)
{
    return (sy_tensor_desc){.name = "t", .dtype = dtype, .rank = 2, .dims = {rows, columns}};
}

static sy_case case_of(sy_dtype dtype, uint64_t exact_length)
{
    return (sy_case){.name = "c", .dtype = dtype, .exact_stage = true, .exact_length = exact_length};
}

/* The filled bytes, to be freed. */
static void *filled(sy_fill fill, uint32_t index, const sy_case *c, const sy_tensor_desc *desc, uint64_t *ret_size)
{
    uint64_t elements = 0;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_tensor_desc_check(desc, &elements, ret_size, NULL), SY_OK);
    void *bytes = sy_allocate(1, *ret_size);
    assert_non_null(bytes);
    if (sy_fill_input(fill, SEED, index, c, desc, bytes, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return bytes;
}

static void expect_digest(sy_fill fill, uint32_t index, uint64_t exact_length, sy_tensor_desc desc, const char *wanted)
{
    uint64_t size = 0;
    sy_digest digest;
    char found[SY_DIGEST_TEXT];
    sy_case c = case_of(desc.dtype, exact_length);
    void *bytes = filled(fill, index, &c, &desc, &size);
    sy_digest_of(bytes, size, &digest);
    sy_digest_format(&digest, found);
    assert_string_equal(found, wanted);
    sy_free(bytes);
}

/* On a big-endian machine the bytes differ, and so would these digests. */
static void bytes_are_those_of_an_independent_program(void **state)
{
    (void)state;
    expect_digest(SY_FILL_REAL, 0, 5, matrix_of(SY_F32, 7, 5),
                  "2ac71712fbe4473e44bfb08acd1020558db4e6a5c3ae0d67de82fb783d1578d9");
    expect_digest(SY_FILL_REAL, 1, 5, matrix_of(SY_F32, 5, 7),
                  "f458a55e0f65ec03d307ef093e4ef7f2db9989bfcde929543c08ab2c4275cf89");
    expect_digest(SY_FILL_REAL, 0, 5, matrix_of(SY_F16, 7, 5),
                  "6ab850db83d6eb3dd7ac07f20e5b0a88b241ec74294e4a5f74108a56d60c2a2f");
    expect_digest(SY_FILL_REAL, 0, 5, matrix_of(SY_BF16, 7, 5),
                  "2527f206f52c8b1da918db875c2c7586168a685d2b4f3db92a71c96ef546eb5e");
    expect_digest(SY_FILL_REAL, 0, 5, matrix_of(SY_F64, 7, 5),
                  "b5cc3cc233bf1d28fe97cd70b674f0c1ef53c8d788913f77b3cfe0e8f31cdc31");
    expect_digest(SY_FILL_EXACT_LEFT, 0, 5, matrix_of(SY_F32, 2, 5),
                  "3ea7c6d377fcbcddc07d3b4727bb958c54922954482d4dfcf82662bd87cccd09");
    expect_digest(SY_FILL_EXACT_LEFT, 1, 5, matrix_of(SY_F32, 5, 3),
                  "c2a861ae617301d0bb6c578af86296bdb09e4c5863edc51fdf2382505192c630");
    expect_digest(SY_FILL_EXACT_RIGHT, 0, 5, matrix_of(SY_F32, 2, 5),
                  "3dad3f4a88de3b16faacccb0f9b45c4c544d2be624982fbbfa317b69486235f4");
    expect_digest(SY_FILL_EXACT_RIGHT, 1, 5, matrix_of(SY_F32, 5, 3),
                  "3fc64445bbba72757067af8f615dad47dc8333449e8c76f8b93087f0a94c2031");
    expect_digest(SY_FILL_EXACT_LEFT, 1, 10000, matrix_of(SY_F32, 10000, 3),
                  "ee0351fa15810280563992b9fdd4634dd196d4cd501fc9af0e74a993cd97afd9");
    expect_digest(SY_FILL_EXACT_RIGHT, 0, 10000, matrix_of(SY_F32, 2, 10000),
                  "cdfcbad2c50a1a2de4430d9938676f458d6b1c45f4de7229dafd0542bb626d04");
    expect_digest(SY_FILL_EXACT_LEFT, 1, 10, matrix_of(SY_F16, 10, 3),
                  "41653ee792d8c9eb971a981bf501eccb96f251b003d8327212e047434a9dd484");
    expect_digest(SY_FILL_EXACT_LEFT, 0, 10, matrix_of(SY_F16, 2, 10),
                  "351c9ea0ca24327505391531cac9ade53169c79aeadf704696ccc226142bb54b");
}

static void real_values_lie_in_their_range_and_use_24_bits(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    uint64_t size = 0;
    sy_case c = case_of(SY_F32, 1);
    sy_tensor_desc desc = matrix_of(SY_F32, 1, COUNT);
    float *values = filled(SY_FILL_REAL, 0, &c, &desc, &size);
    double sum = 0;
    double squares = 0;
    size_t odd = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double scaled = (double)values[i] * 0x1p23;
        assert_true(values[i] >= -1.0f && values[i] < 1.0f && scaled == floor(scaled));
        odd += fmod(scaled, 2) != 0;
        sum += values[i];
        squares += (double)values[i] * values[i];
    }
    /* Means of a uniform: 0, 1/3 and 1/2, each within 5 standard deviations. */
    assert_true(fabs(sum / COUNT) < 5 * sqrt(1.0 / 3 / COUNT));
    assert_true(fabs(squares / COUNT - 1.0 / 3) < 5 * sqrt(4.0 / 45 / COUNT));
    assert_true(fabs((double)odd / COUNT - 0.5) < 5 * sqrt(0.25 / COUNT));
    sy_free(values);
}

static void another_seed_input_or_fill_gives_other_numbers(void **state)
{
    (void)state;
    float a[64];
    float b[64];
    sy_case c = case_of(SY_F32, 8);
    sy_tensor_desc desc = matrix_of(SY_F32, 8, 8);
    assert_int_equal(sy_fill_input(SY_FILL_REAL, 1, 0, &c, &desc, a, NULL), SY_OK);
    assert_int_equal(sy_fill_input(SY_FILL_REAL, 2, 0, &c, &desc, b, NULL), SY_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(sy_fill_input(SY_FILL_REAL, 1, 1, &c, &desc, b, NULL), SY_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(sy_fill_input(SY_FILL_EXACT_LEFT, 1, 0, &c, &desc, a, NULL), SY_OK);
    assert_int_equal(sy_fill_input(SY_FILL_EXACT_RIGHT, 1, 1, &c, &desc, b, NULL), SY_OK);
    assert_memory_not_equal(a, b, sizeof a);
}

/* Whatever the data: the largest sum of |a||b| that the fills of a product can reach, in every row and column. */
static double largest_sum(sy_fill fill, sy_dtype dtype, int64_t k)
{
    enum { SIDE = 5 };
    double largest = 0;
    sy_case c = case_of(dtype, (uint64_t)k);
    sy_tensor_desc left = matrix_of(dtype, SIDE, k);
    sy_tensor_desc right = matrix_of(dtype, k, SIDE);
    uint64_t size = 0;
    void *a = filled(fill, 0, &c, &left, &size);
    void *b = filled(fill, 1, &c, &right, &size);
    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        double sum = 0;
        for (int64_t t = 0; t < k; t++) {
            double x;
            double y;
            sy_elements_to_double(dtype, a, (uint64_t)(i / SIDE * k + t), 1, &x);
            sy_elements_to_double(dtype, b, (uint64_t)(t * SIDE + i % SIDE), 1, &y);
            assert_true(x == floor(x) && y == floor(y));
            sum += fabs(x * y);
        }
        largest = fmax(largest, sum);
    }
    sy_free(a);
    sy_free(b);
    return largest;
}

static void every_partial_sum_of_an_exact_fill_fits(void **state)
{
    (void)state;
    const int64_t lengths[] = {1, 5, 63, 4096, 4097, 9000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (sy_fill fill = SY_FILL_EXACT_LEFT; fill <= SY_FILL_EXACT_RIGHT; fill++) {
            assert_true(largest_sum(fill, SY_F32, lengths[i]) <= 0x1p24);
            assert_true(largest_sum(fill, SY_F64, lengths[i]) <= 0x1p53);
            assert_true(largest_sum(fill, SY_F16, lengths[i]) <= 2048);
            assert_true(largest_sum(fill, SY_BF16, lengths[i]) <= 256);
            assert_true(largest_sum(fill, SY_I8, lengths[i]) < 0x1p31);
            assert_true(largest_sum(fill, SY_U8, lengths[i]) < 0x1p31);
        }
    }
}

/* Half of the odd integers need more bits than a TF32 or bf16 input keeps, or the stage would see nothing. */
static void many_bit_integers_are_odd_and_long(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    uint64_t size = 0;
    sy_case c = case_of(SY_F32, COUNT);
    sy_tensor_desc desc = matrix_of(SY_F32, 1, COUNT);
    float *values = filled(SY_FILL_EXACT_LEFT, 0, &c, &desc, &size);
    size_t beyond_tf32 = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(fmodf(fabsf(values[i]), 2) == 1 && fabsf(values[i]) <= 4095);
        beyond_tf32 += fabsf(values[i]) > 2048; /* odd, so that 12 bits are needed */
    }
    assert_true(fabs((double)beyond_tf32 / COUNT - 0.5) < 5 * sqrt(0.25 / COUNT));
    sy_free(values);
}

static void every_place_of_a_long_sum_is_met_by_some_column_and_the_last_by_the_first(void **state)
{
    (void)state;
    enum { K = 9001, N = 3 }; /* period 3 */
    uint64_t size = 0;
    sy_case c = case_of(SY_F32, K);
    sy_tensor_desc desc = matrix_of(SY_F32, K, N);
    float *values = filled(SY_FILL_EXACT_LEFT, 1, &c, &desc, &size);
    for (size_t k = 0; k < K; k++) {
        size_t kept = 0;
        for (size_t j = 0; j < N; j++) {
            assert_true(values[k * N + j] == 0 || fabsf(values[k * N + j]) == 1);
            kept += values[k * N + j] != 0;
        }
        assert_int_equal(kept, 1);
    }
    assert_true(values[(K - 1) * N] != 0);
    sy_free(values);
}

static void a_batch_has_its_sums_along_the_same_axes(void **state)
{
    (void)state;
    enum { K = 5000 };
    uint64_t size = 0;
    sy_case c = case_of(SY_F32, K);
    sy_tensor_desc desc = {.name = "b", .dtype = SY_F32, .rank = 3, .dims = {2, K, 2}};
    float *values = filled(SY_FILL_EXACT_LEFT, 1, &c, &desc, &size);
    for (size_t z = 0; z < 2; z++) {
        for (size_t j = 0; j < 2; j++) {
            size_t kept = 0;
            for (size_t k = 0; k < K; k++) {
                kept += values[(z * K + k) * 2 + j] != 0;
            }
            assert_int_equal(kept, K / 2);
        }
    }
    sy_free(values);
}

static void what_has_no_fill_is_refused_by_name(void **state)
{
    (void)state;
    float bytes[64];
    sy_error err = SY_ERROR_INIT;
    sy_case c = case_of(SY_I32, 8);
    sy_tensor_desc desc = matrix_of(SY_I32, 8, 8);
    desc.name = "ids";
    assert_int_equal(sy_fill_input(SY_FILL_REAL, 1, 0, &c, &desc, bytes, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "'ids' is of type i32"));
    assert_non_null(strstr(err.hint, "initialize"));
    c.exact_stage = false;
    assert_int_equal(sy_fill_input(SY_FILL_EXACT_LEFT, 1, 0, &c, &desc, bytes, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "no exact stage"));
    c = case_of(SY_F32, 5000);
    desc = matrix_of(SY_F32, 8, 8);
    assert_int_equal(sy_fill_input(SY_FILL_EXACT_RIGHT, 1, 0, &c, &desc, bytes, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "5000"));
    desc.rank = 0;
    assert_int_equal(sy_fill_input(SY_FILL_REAL, 1, 0, &c, &desc, bytes, &err), SY_INVALID_ARGUMENT);
}

static void fills_have_words(void **state)
{
    (void)state;
    assert_string_equal(sy_fill_word(SY_FILL_REAL), "real");
    assert_string_equal(sy_fill_word(SY_FILL_EXACT_LEFT), "exact-left");
    assert_string_equal(sy_fill_word(SY_FILL_EXACT_RIGHT), "exact-right");
    assert_string_equal(sy_fill_word((sy_fill)9), "unknown");
}

/* Rounding what was filled changes nothing, in inputs of either type; sums of the exact stage stay below 2^24. */
static void a_case_that_rounds_its_inputs_is_filled_with_what_the_narrow_type_holds(void **state)
{
    (void)state;
    const sy_fill fills[] = {SY_FILL_REAL, SY_FILL_EXACT_LEFT, SY_FILL_EXACT_RIGHT};
    for (size_t at = 0; at < 24; at++) {
        bool sums_are_narrow = at >= 12;
        sy_dtype narrow = at % 2 == 0 ? SY_F16 : SY_BF16;
        sy_tensor_desc desc = matrix_of(at % 4 < 2 ? SY_F32 : narrow, 16, 100);
        sy_case c = case_of(narrow, 100);
        uint64_t size = 0;
        c.rounds_inputs_to = narrow;
        c.tolerance.accumulator = sums_are_narrow ? narrow : SY_F32;
        sy_fill fill = fills[at / 4 % 3];
        void *bytes = filled(fill, 0, &c, &desc, &size);
        double largest = 0;
        double distinct = 0;
        for (uint64_t i = 0; i < 1600; i++) {
            double value = NAN;
            sy_elements_to_double(desc.dtype, bytes, i, 1, &value);
            assert_true(sy_fill_rounded(&c, value) == value);
            distinct += i > 0 && fabs(value) != largest;
            largest = fmax(largest, fabs(value));
        }
        double most = sums_are_narrow ? (narrow == SY_F16 ? 511 : 31) : narrow == SY_F16 ? 2047 : 255;
        assert_true(largest <= most && (fill != SY_FILL_EXACT_LEFT || largest > 0.9 * most));
        assert_true(fill == SY_FILL_EXACT_RIGHT || distinct > 300);
        sy_free(bytes);
    }
    assert_true(2047.0 * 4096 < 0x1p24);
}

/* Filters and channels in one axis, as a three-dimensional convolution has them: K is its inner part. */
static void a_long_sum_that_takes_a_part_of_its_outermost_axis_is_thinned_along_itself(void **state)
{
    (void)state;
    enum { CHANNELS = 512, TAPS = 27, FILTERS = 2, K = CHANNELS * TAPS };
    sy_tensor_desc desc = {.name = "w", .dtype = SY_F32, .rank = 4, .dims = {FILTERS * CHANNELS, 3, 3, 3}};
    sy_case c = case_of(SY_F32, K);
    uint64_t size = 0;
    c.exact_overlap = true;
    float *weights = filled(SY_FILL_EXACT_LEFT, 1, &c, &desc, &size);
    for (size_t f = 0; f < FILTERS; f++) {
        size_t kept = 0;
        for (size_t k = 0; k < K; k++)
            kept += weights[f * K + k] != 0;
        assert_true(kept <= 4096 && kept >= K / 4);
    }
    assert_true(weights[K - 1] != 0);
    sy_free(weights);
    c.exact_length = K + TAPS; /* divides nothing */
    void *none = sy_allocate(1, size);
    assert_int_equal(sy_fill_input(SY_FILL_EXACT_LEFT, SEED, 1, &c, &desc, none, NULL), SY_INVALID_ARGUMENT);
    sy_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_an_independent_program),
        cmocka_unit_test(real_values_lie_in_their_range_and_use_24_bits),
        cmocka_unit_test(another_seed_input_or_fill_gives_other_numbers),
        cmocka_unit_test(every_partial_sum_of_an_exact_fill_fits),
        cmocka_unit_test(many_bit_integers_are_odd_and_long),
        cmocka_unit_test(every_place_of_a_long_sum_is_met_by_some_column_and_the_last_by_the_first),
        cmocka_unit_test(a_batch_has_its_sums_along_the_same_axes),
        cmocka_unit_test(what_has_no_fill_is_refused_by_name),
        cmocka_unit_test(fills_have_words),
        cmocka_unit_test(a_case_that_rounds_its_inputs_is_filled_with_what_the_narrow_type_holds),
        cmocka_unit_test(a_long_sum_that_takes_a_part_of_its_outermost_axis_is_thinned_along_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
