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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_are_parted),
        cmocka_unit_test(one_group_with_outliers_is_not_parted),
        cmocka_unit_test(noise_of_one_mode_is_hardly_ever_parted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
