/* SPDX-License-Identifier: Apache-2.0 */
/* The control words: what is changed is seen, named and set back, and results follow them. */
#include <fenv.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/float_environment.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>

static void set_bits(unsigned bits)
{
    _mm_setcsr(_mm_getcsr() | bits);
}

static void unmask_division(void)
{
    _mm_setcsr(_mm_getcsr() & ~0x200u);
}
#define FLUSH 0x8000u
#define DENORMALS 0x0040u
#elif defined(__aarch64__)
static void set_bits(unsigned bits)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | bits));
}
#define FLUSH (1u << 24)
#endif

/* Operands and results go through memory, in order: no compiler knows that control words matter here. */
static double third(void)
{
    volatile double one = 1.0;
    volatile double three = 3.0;
    volatile double result = one / three;
    return result;
}

#ifdef FLUSH
static float half_of_the_least(void)
{
    volatile float least = FLT_MIN;
    volatile float half = 0.5f;
    volatile float result = least * half;
    return result;
}
#endif

#if defined(__x86_64__) || defined(__i386__)
static long double one_and_a_little(void)
{
    volatile long double one = 1.0L;
    volatile long double little = LDBL_EPSILON;
    volatile long double result = one + little;
    return result;
}
#endif

static uint32_t changed_by(sy_float_environment host)
{
    sy_float_environment own = sy_float_environment_save();
    uint32_t bits = sy_float_environment_diff(own, host);
    assert_int_equal(sy_float_environment_restore(host), bits);
    assert_int_equal(sy_float_environment_restore(host), 0);
    return bits;
}

static void what_nobody_changed_is_the_same(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    volatile double inexact = 1.0;
    inexact = inexact / 3.0; /* raises a flag, which is a result and no setting */
    assert_true(inexact < 0.34);
    assert_int_equal(changed_by(host), 0);
}

static void a_rounding_mode_is_seen_and_set_back(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    double before = third();
    assert_int_equal(fesetround(FE_UPWARD), 0);
    assert_true(third() > before);
    uint32_t bits = changed_by(host);
    assert_true((bits & SY_FLOAT_ROUNDING) != 0);
    assert_int_equal(bits & (SY_FLOAT_FLUSH_TO_ZERO | SY_FLOAT_DENORMALS_ARE_ZERO | SY_FLOAT_EXCEPTIONS), 0);
    assert_true(third() == before);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

#ifdef FLUSH
static void subnormals_that_are_flushed_come_back(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    assert_true(half_of_the_least() > 0);
    set_bits(FLUSH);
    assert_true(half_of_the_least() == 0);
    assert_int_equal(changed_by(host), SY_FLOAT_FLUSH_TO_ZERO);
    assert_true(half_of_the_least() > 0);
}
#endif

#if defined(__x86_64__) || defined(__i386__)
static void inputs_that_are_taken_for_zero_and_unmasked_exceptions_are_told_apart(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    set_bits(DENORMALS);
    assert_int_equal(changed_by(host), SY_FLOAT_DENORMALS_ARE_ZERO);
    unmask_division();
    assert_int_equal(changed_by(host), SY_FLOAT_EXCEPTIONS);
    set_bits(FLUSH | DENORMALS);
    unmask_division();
    assert_int_equal(changed_by(host), SY_FLOAT_FLUSH_TO_ZERO | SY_FLOAT_DENORMALS_ARE_ZERO | SY_FLOAT_EXCEPTIONS);
}

/* Single precision in the x87 unit, as a library that computes in long double may leave it. */
static void the_precision_of_the_x87_unit_is_seen_and_set_back(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    assert_true(one_and_a_little() > 1.0L);
    control = (uint16_t)(control & ~0x0300u);
    __asm__ volatile("fldcw %0" : : "m"(control));
    assert_true(one_and_a_little() == 1.0L);
    assert_int_equal(changed_by(host), SY_FLOAT_X87);
    assert_true(one_and_a_little() > 1.0L);
}

/* An exception was raised in the x87 unit while all were masked: setting back masks that leave it out must not trap. */
static void a_pending_exception_does_not_end_the_program(void **state)
{
    (void)state;
    sy_float_environment host = sy_float_environment_save();
    volatile long double one = 1.0L;
    volatile long double zero = 0.0L;
    sy_float_environment unmasked = host;
    unmasked.control &= ~(UINT64_C(4) << 32); /* the x87 unit's mask of divisions by zero */
    assert_true(one / zero > LDBL_MAX);
    sy_float_environment_set(unmasked);
    assert_true(one + one == 2.0L);
    assert_int_equal(changed_by(host), SY_FLOAT_X87);
}
#endif

static void the_words_name_each_bit(void **state)
{
    (void)state;
    char words[SY_FLOAT_WORDS_SIZE];
    sy_float_environment_words(0, words, sizeof words);
    assert_string_equal(words, "");
    sy_float_environment_words(SY_FLOAT_FLUSH_TO_ZERO | SY_FLOAT_DENORMALS_ARE_ZERO, words, sizeof words);
    assert_string_equal(words, "FTZ, DAZ");
    sy_float_environment_words(0x7f, words, sizeof words);
    assert_string_equal(words, "FTZ, DAZ, rounding, exception masks, x87 control word, default NaN, control bits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_changed_is_the_same),
        cmocka_unit_test(a_rounding_mode_is_seen_and_set_back),
#ifdef FLUSH
        cmocka_unit_test(subnormals_that_are_flushed_come_back),
#endif
#if defined(__x86_64__) || defined(__i386__)
        cmocka_unit_test(inputs_that_are_taken_for_zero_and_unmasked_exceptions_are_told_apart),
        cmocka_unit_test(the_precision_of_the_x87_unit_is_seen_and_set_back),
        cmocka_unit_test(a_pending_exception_does_not_end_the_program),
#endif
        cmocka_unit_test(the_words_name_each_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
