/* SPDX-License-Identifier: Apache-2.0 */
/* The clock's step is found where there is one, and not where there is none. */
#include "stats/steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/order.h"

static double step_of(double *values, size_t count, size_t *ret_distinct)
{
    assert_int_equal(sy_order_sort(values, count, NULL), SY_OK);
    return sy_steps_find(values, count, ret_distinct);
}

static void times_of_a_coarse_clock_show_its_step(void **state)
{
    double values[] = {352, 384, 352, 416, 352, 384, 448, 480, 320, 352, 512, 544, 576};
    double ticks[] = {8e6, 4e6, 8e6, 4e6, 4e6, 12e6, 4e6};
    size_t distinct;

    (void)state;
    assert_true(step_of(values, 13, &distinct) == 32);
    assert_int_equal(distinct, 9);
    assert_true(step_of(ticks, 7, &distinct) == 4e6);
    assert_int_equal(distinct, 3);
}

static void single_precision_and_units_do_not_hide_it(void **state)
{
    double values[9];
    size_t distinct;

    (void)state;
    for (int i = 0; i < 9; i++)
        values[i] = (double)(float)((24000 + 32 * i * i) / 1e6) * 1e6; /* stored as milliseconds in 24 bits */
    assert_true(step_of(values, 9, &distinct) == 32);
    assert_int_equal(distinct, 9);
}

static void a_common_divisor_of_few_values_is_chance(void **state)
{
    double two[] = {100, 100, 102, 102, 100, 102};
    double six[] = {100, 102, 104, 110, 116, 118};
    double equal[] = {4096, 4096, 4096, 4096, 4096, 4096, 4096};
    double fraction[] = {10.5, 11, 12, 13.25, 14, 15, 16};
    size_t distinct;

    (void)state;
    assert_true(step_of(two, 6, &distinct) == 0);
    assert_int_equal(distinct, 2);
    assert_true(step_of(six, 6, &distinct) == 0);
    assert_true(step_of(equal, 7, &distinct) == 0);
    assert_int_equal(distinct, 1);
    assert_true(step_of(fraction, 7, &distinct) == 0);
    assert_int_equal(distinct, 7);
}

static void times_without_a_step_hardly_ever_show_one(void **state)
{
    sy_random random;
    int found = 0;

    (void)state;
    sy_random_start(&random, 9, "steps-test");
    for (int trial = 0; trial < 10000; trial++) {
        double values[12];
        size_t distinct;
        size_t count = 2 + (size_t)sy_random_below(&random, 11);

        for (size_t i = 0; i < count; i++)
            values[i] = 1 + (double)sy_random_below(&random, 1000000);
        found += step_of(values, count, &distinct) > 0;
    }
    assert_true(found <= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_a_coarse_clock_show_its_step),
        cmocka_unit_test(single_precision_and_units_do_not_hide_it),
        cmocka_unit_test(a_common_divisor_of_few_values_is_chance),
        cmocka_unit_test(times_without_a_step_hardly_ever_show_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
