/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups are seen where people met them, and not in one group of noise. */
#include "stats/modes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"
#include "stats/order.h"

static size_t split(double *values, size_t count)
{
    assert_int_equal(sy_order_sort(values, count, NULL), SY_OK);
    return sy_modes_split(values, count);
}

static void two_groups_are_parted(void **state)
{
    double base[] = {114.97, 100, 100, 114.97, 100, 100, 100, 114.97, 100, 114.97};
    double head[] = {115.108, 100.12, 115.2, 115.108, 100.12, 100.12, 115.2, 115.108, 100.12, 115.108};
    double build[24];

    (void)state;
    assert_int_equal(split(base, 10), 6);
    assert_int_equal(split(head, 10), 4);
    for (size_t i = 0; i < 24; i++)
        build[i] = i % 5 == 0 ? 11 + .01 * (double)i : 743 - .3 * (double)i;
    assert_int_equal(split(build, 24), 5);
}

static void one_group_with_outliers_is_not_parted(void **state)
{
    double one_slow[] = {413, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3};
    double few[] = {1, 1, 1, 1, 2, 2, 2};
    double equal[] = {1, 1, 1, 1, 1, 1, 1, 1};
    double near[] = {100, 100, 100, 100, 102, 102, 102, 102};

    (void)state;
    assert_int_equal(split(one_slow, 14), 0);
    assert_int_equal(split(few, 7), 0);
    assert_int_equal(split(equal, 8), 0);
    assert_int_equal(split(near, 8), 0);
}

static void noise_of_one_mode_is_hardly_ever_parted(void **state)
{
    sy_random random;
    int parted = 0;

    (void)state;
    sy_random_start(&random, 4, "modes-test");
    for (int trial = 0; trial < 4000; trial++) {
        double values[60];
        size_t count = 8 + (size_t)sy_random_below(&random, 53);

        for (size_t i = 0; i < count; i++)
            values[i] = exp(.1 * sy_random_normal(&random));
        parted += split(values, count) > 0;
    }
    assert_true(parted <= 40);
}

static size_t find(double *values, size_t count)
{
    size_t lower = 99;

    assert_int_equal(sy_order_sort(values, count, NULL), SY_OK);
    assert_int_equal(sy_modes_find(values, count, &lower, NULL), SY_OK);
    return lower;
}

static void two_levels_are_found_through_spikes(void **state)
{
    sy_random random;
    double base[] = {114.97, 100, 100, 114.97, 100, 100, 100, 114.97, 100, 114.97};
    int found = 0;

    (void)state;
    assert_int_equal(find(base, 10), 6);
    sy_random_start(&random, 6, "modes-test");
    for (int trial = 0; trial < 500; trial++) {
        double values[60];
        size_t lower = 0;

        for (size_t i = 0; i < 60; i++) {
            bool upper = i % 3 == 0;

            lower += !upper;
            values[i] = (upper ? 115 : 100) * exp(.01 * sy_random_normal(&random));
        }
        values[1] = 180; /* spikes from the lower level */
        values[2] = 400;
        found += find(values, 60) == lower - 2;
    }
    assert_true(found >= 490);
}

static void a_few_spikes_are_no_mode(void **state)
{
    double values[60];

    (void)state;
    for (size_t i = 0; i < 60; i++)
        values[i] = i < 5 ? 150 : 100 + .01 * (double)i;
    assert_int_equal(find(values, 60), 0); /* 5 of 60 are less than a tenth */
    for (size_t i = 0; i < 60; i++)
        values[i] = i < 6 ? 150 : 100 + .01 * (double)i;
    assert_int_equal(find(values, 60), 54);
}

static void what_lies_between_speaks_against_two(void **state)
{
    double values[60];

    (void)state;
    for (size_t i = 0; i < 60; i++)
        values[i] = i < 30 ? 100 + .02 * (double)i : 120 + .02 * (double)i;
    assert_int_equal(find(values, 60), 30);
    for (size_t i = 0; i < 4; i++)
        values[i] = 110;
    assert_int_equal(find(values, 60), 0); /* 4 between, of 28 */
    for (size_t i = 0; i < 60; i++)
        values[i] = 100 + (double)i;
    assert_int_equal(find(values, 60), 0);
}

static void one_level_is_hardly_ever_called_two(void **state)
{
    static const size_t counts[] = {10, 20, 60, 200};
    sy_random random;

    (void)state;
    sy_random_start(&random, 7, "modes-test");
    for (size_t c = 0; c < 4; c++) {
        int found = 0;

        for (int trial = 0; trial < 2000; trial++) {
            double values[200];

            for (size_t i = 0; i < counts[c]; i++)
                values[i] = exp(.05 * sy_random_normal(&random)) * (sy_random_unit(&random) < .05 ? 1.3 : 1);
            found += find(values, counts[c]) > 0;
        }
        assert_true(found <= 30);
    }
}

static sy_status find_once(void *user)
{
    double values[10] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2};

    return sy_modes_find(values, 10, user, NULL);
}

static void memory_that_fails_is_reported(void **state)
{
    size_t lower = 0;

    (void)state;
    assert_int_equal(fault_loop_allocations(find_once, &lower, true), 1);
    assert_int_equal(lower, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_are_parted),
        cmocka_unit_test(one_group_with_outliers_is_not_parted),
        cmocka_unit_test(noise_of_one_mode_is_hardly_ever_parted),
        cmocka_unit_test(two_levels_are_found_through_spikes),
        cmocka_unit_test(a_few_spikes_are_no_mode),
        cmocka_unit_test(what_lies_between_speaks_against_two),
        cmocka_unit_test(one_level_is_hardly_ever_called_two),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
