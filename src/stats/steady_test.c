/* SPDX-License-Identifier: Apache-2.0 */
/* A slow beginning is found where it ends; a series without one is left whole, as often as is stated. */
#include "stats/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"

static size_t steady(const double *values, size_t count)
{
    size_t from = 99999;

    assert_int_equal(sy_steady_find(values, count, &from, NULL), SY_OK);
    return from;
}

static void noise(sy_random *random, double *values, size_t count, double spread)
{
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * exp(spread * sy_random_normal(random));
}

static void a_slow_beginning_ends_where_it_ends(void **state)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 8, 20};
    sy_random random;

    (void)state;
    sy_random_start(&random, 1, "steady-test");
    for (size_t l = 0; l < 7; l++) {
        double values[60];

        noise(&random, values, 60, .005);
        for (size_t i = 0; i < lengths[l]; i++)
            values[i] *= 2.2;
        assert_int_equal(steady(values, 60), lengths[l]);
    }
}

static void a_beginning_that_falls_in_steps_is_taken_off_in_steps(void **state)
{
    sy_random random;
    double values[60];

    (void)state;
    sy_random_start(&random, 2, "steady-test");
    noise(&random, values, 60, .005);
    for (size_t i = 0; i < 12; i++)
        values[i] *= i < 6 ? 3 : 1.5;
    assert_int_equal(steady(values, 60), 12);
}

static void a_fast_beginning_is_no_warm_up(void **state)
{
    sy_random random;
    double values[60];

    (void)state;
    sy_random_start(&random, 3, "steady-test");
    noise(&random, values, 60, .005);
    for (size_t i = 0; i < 12; i++)
        values[i] /= 2;
    assert_int_equal(steady(values, 60), 0);
}

static void a_spike_that_is_not_first_is_no_warm_up(void **state)
{
    sy_random random;
    double values[60];

    (void)state;
    sy_random_start(&random, 4, "steady-test");
    noise(&random, values, 60, .005);
    values[1] *= 5;
    values[7] *= 5;
    assert_int_equal(steady(values, 60), 0);
}

static void a_difference_below_one_per_cent_is_left(void **state)
{
    sy_random random;
    double values[60];

    (void)state;
    sy_random_start(&random, 5, "steady-test");
    noise(&random, values, 60, .0005);
    for (size_t i = 0; i < 10; i++)
        values[i] *= 1.007;
    assert_int_equal(steady(values, 60), 0);
    for (size_t i = 0; i < 10; i++)
        values[i] *= 1.01;
    assert_int_equal(steady(values, 60), 10);
}

static void at_most_half_is_taken_off_and_nothing_of_few(void **state)
{
    const double few[] = {9, 8, 1, 1.1, 1.2, 1, 1.1, 1.3, 1};
    double falling[60];

    (void)state;
    for (size_t i = 0; i < 60; i++)
        falling[i] = 1000 * pow(.9, (double)i);
    assert_true(steady(falling, 60) <= 30 && steady(falling, 60) > 0);
    assert_int_equal(steady(few, 9), 0);
}

/* Of 252 ways to part ten values into two fives, only the one with the slow ones in front has a statistic above 2.403:
 * 12.5 / sqrt(5 * 5 * 11 / 12) = 2.611; the next is 11.5 / 4.787 = 2.402. */
static void ten_runs_need_complete_separation(void **state)
{
    const double parted[] = {11, 12, 11.5, 12.5, 11.7, 10, 10.1, 10.2, 10.3, 10.4};
    const double nearly[] = {11, 12, 11.5, 12.5, 10.4, 10, 10.1, 10.2, 10.3, 11.7};

    (void)state;
    assert_int_equal(steady(parted, 10), 5);
    assert_int_equal(steady(nearly, 10), 0);
}

static void a_series_without_a_warm_up_is_left_whole(void **state)
{
    static const size_t counts[] = {10, 20, 60, 200};
    sy_random random;

    (void)state;
    sy_random_start(&random, 6, "steady-test");
    for (size_t c = 0; c < 4; c++) {
        int cut = 0;

        for (int trial = 0; trial < 3000; trial++) {
            double values[200];

            noise(&random, values, counts[c], .05);
            cut += steady(values, counts[c]) > 0;
        }
        /* The scan .5 %, the short prefixes .75 %: 38 expected at most, standard deviation 6. */
        assert_true(cut <= 60);
    }
}

static void a_first_run_alone_must_take_twice_as_long(void **state)
{
    double sorted[] = {10, 10, 10, 10, 20};
    double values[] = {20, 10, 10, 10, 10};
    double less[] = {19.9, 10, 10, 10, 10};
    double less_sorted[] = {10, 10, 10, 10, 19.9};
    double twice[] = {20, 20, 10, 10, 10};
    double twice_sorted[] = {10, 10, 10, 20, 20};

    (void)state;
    assert_true(sy_steady_first_stands_out(values, sorted, 5));
    assert_false(sy_steady_first_stands_out(less, less_sorted, 5));
    assert_false(sy_steady_first_stands_out(twice, twice_sorted, 5));
}

static void what_is_not_finite_is_refused(void **state)
{
    const double bad[] = {1, 2, INFINITY};
    size_t from = 7;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_steady_find(bad, 3, &from, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 2 is not finite");
    assert_int_equal(from, 7);
}

static sy_status find_once(void *user)
{
    double values[20];

    for (size_t i = 0; i < 20; i++)
        values[i] = i < 6 ? 20 + (double)i : 10 + .01 * (double)(i * 7 % 11);
    return sy_steady_find(values, 20, user, NULL);
}

static void memory_that_fails_is_reported(void **state)
{
    size_t from = 0;

    (void)state;
    assert_true(fault_loop_allocations(find_once, &from, true) >= 3);
    assert_int_equal(from, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_beginning_ends_where_it_ends),
        cmocka_unit_test(a_beginning_that_falls_in_steps_is_taken_off_in_steps),
        cmocka_unit_test(a_fast_beginning_is_no_warm_up),
        cmocka_unit_test(a_spike_that_is_not_first_is_no_warm_up),
        cmocka_unit_test(a_difference_below_one_per_cent_is_left),
        cmocka_unit_test(at_most_half_is_taken_off_and_nothing_of_few),
        cmocka_unit_test(ten_runs_need_complete_separation),
        cmocka_unit_test(a_series_without_a_warm_up_is_left_whole),
        cmocka_unit_test(a_first_run_alone_must_take_twice_as_long),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
