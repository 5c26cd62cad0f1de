/* SPDX-License-Identifier: Apache-2.0 */
/* The 16-bit types against the definition of rounding to nearest, and elements of every dtype as doubles. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "operations/half.h"

typedef struct format {
    uint16_t (*from)(float value);
    float (*to)(uint16_t bits);
    uint16_t infinity; /* its bits; all magnitudes above are NaN */
    double overflow;   /* what would come after the largest finite value */
} format;

static const format f16 = {sy_f16_from_f32, sy_f16_to_f32, 0x7c00, 65536.0};
static const format bf16 = {sy_bf16_from_f32, sy_bf16_to_f32, 0x7f80, 0x1p128};

/* The value of a magnitude's bits, with the overflow in place of infinity, so that distances can be compared. */
static double magnitude_value(const format *f, uint16_t bits)
{
    return bits == f->infinity ? f->overflow : (double)f->to(bits);
}

static void expect_nearest(const format *f, float value)
{
    uint16_t bits = f->from(value);
    uint16_t magnitude = bits & 0x7fff;
    double wanted = fabs((double)value);
    assert_int_equal(bits >> 15, signbit(value) != 0);
    assert_true(magnitude <= f->infinity);
    double distance = fabs(magnitude_value(f, magnitude) - wanted);
    if (magnitude > 0) {
        double below = fabs(magnitude_value(f, (uint16_t)(magnitude - 1)) - wanted);
        assert_true(distance < below || (distance == below && magnitude % 2 == 0));
    }
    if (magnitude < f->infinity) {
        double above = fabs(magnitude_value(f, (uint16_t)(magnitude + 1)) - wanted);
        assert_true(distance < above || (distance == above && magnitude % 2 == 0));
    }
}

static void every_pattern_survives_the_way_there_and_back(void **state)
{
    (void)state;
    for (const format *f = &f16;; f = &bf16) {
        for (uint32_t bits = 0; bits <= 0xffff; bits++) {
            float value = f->to((uint16_t)bits);
            if ((bits & 0x7fff) > f->infinity) {
                assert_true(isnan(value) && isnan(f->to(f->from(value))));
            } else {
                assert_int_equal(f->from(value), bits);
            }
        }
        if (f == &bf16) {
            break;
        }
    }
}

static void known_values_have_their_bits(void **state)
{
    (void)state;
    assert_int_equal(sy_f16_from_f32(1.0f), 0x3c00);
    assert_int_equal(sy_f16_from_f32(-2.0f), 0xc000);
    assert_int_equal(sy_f16_from_f32(65504.0f), 0x7bff);
    assert_int_equal(sy_f16_from_f32(65519.996f), 0x7bff);
    assert_int_equal(sy_f16_from_f32(65520.0f), 0x7c00);
    assert_int_equal(sy_f16_from_f32(0x1p-24f), 0x0001);
    assert_int_equal(sy_f16_from_f32(0x1p-25f), 0x0000);
    assert_int_equal(sy_f16_from_f32(0x1.000002p-25f), 0x0001);
    assert_int_equal(sy_f16_from_f32(-0.0f), 0x8000);
    assert_int_equal(sy_f16_from_f32(INFINITY), 0x7c00);
    assert_int_equal(sy_bf16_from_f32(1.0f), 0x3f80);
    assert_int_equal(sy_bf16_from_f32(0x1.fffffep127f), 0x7f80);
    assert_int_equal(sy_bf16_from_f32(0x1.01p0f), 0x3f80); /* a tie goes to even */
    assert_int_equal(sy_bf16_from_f32(0x1.03p0f), 0x3f82); /* upwards too */
    assert_int_equal(sy_bf16_from_f32(-INFINITY), 0xff80);
    assert_true(sy_f16_to_f32(0x0001) == 0x1p-24f);
    assert_true(sy_bf16_to_f32(0x4049) == 3.140625f);
}

static void any_float_goes_to_its_nearest(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 16, "half test");
    for (int i = 0; i < 400000; i++) {
        uint32_t bits = (uint32_t)sy_random_next(&random);
        float value;
        /* A third near ties of f16, a third of bf16, a third anywhere. */
        bits = i % 3 == 0 ? (bits & ~0x1fffu) | 0x1000 : bits;
        bits = i % 3 == 1 ? (bits & ~0xffffu) | 0x8000 : bits;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            expect_nearest(&f16, value);
            expect_nearest(&bf16, value);
        }
    }
}

static void a_quiet_or_signalling_nan_stays_a_quiet_nan_with_its_sign(void **state)
{
    (void)state;
    const uint32_t patterns[] = {0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff};
    for (size_t i = 0; i < 4; i++) {
        float value;
        memcpy(&value, &patterns[i], sizeof value);
        assert_int_equal(sy_f16_from_f32(value) & 0x7e00, 0x7e00);
        assert_int_equal(sy_f16_from_f32(value) >> 15, patterns[i] >> 31);
        assert_int_equal(sy_bf16_from_f32(value) & 0x7fc0, 0x7fc0);
        assert_int_equal(sy_bf16_from_f32(value) >> 15, patterns[i] >> 31);
    }
}

#define EXPECT_ELEMENTS(dtype, ...)                               \
    do {                                                          \
        double to_[2] = {NAN, NAN};                               \
        sy_elements_to_double((dtype), (__VA_ARGS__), 1, 2, to_); \
        assert_true(to_[0] == -2.0 || to_[0] == 200.0);           \
        assert_true(to_[1] == 3.0);                               \
    } while (0)

static void elements_of_every_dtype_become_doubles(void **state)
{
    (void)state;
    EXPECT_ELEMENTS(SY_F32, (const float[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_F64, (const double[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_F16, (const uint16_t[]){0, 0xc000, 0x4200});
    EXPECT_ELEMENTS(SY_BF16, (const uint16_t[]){0, 0xc000, 0x4040});
    EXPECT_ELEMENTS(SY_I8, (const int8_t[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_U8, (const uint8_t[]){9, 200, 3});
    EXPECT_ELEMENTS(SY_I16, (const int16_t[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_U16, (const uint16_t[]){9, 200, 3});
    EXPECT_ELEMENTS(SY_I32, (const int32_t[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_U32, (const uint32_t[]){9, 200, 3});
    EXPECT_ELEMENTS(SY_I64, (const int64_t[]){9, -2, 3});
    EXPECT_ELEMENTS(SY_U64, (const uint64_t[]){9, 200, 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_survives_the_way_there_and_back),
        cmocka_unit_test(known_values_have_their_bits),
        cmocka_unit_test(any_float_goes_to_its_nearest),
        cmocka_unit_test(a_quiet_or_signalling_nan_stays_a_quiet_nan_with_its_sign),
        cmocka_unit_test(elements_of_every_dtype_become_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
