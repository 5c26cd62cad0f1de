/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, median and nearest rank on samples whose answers are known. */
#include "stats/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static void a_sample_that_is_not_finite_is_refused_and_nothing_is_sorted(void **state)
{
    double first[] = {NAN, 2, 1};
    double third[] = {3, 2, INFINITY, 1};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_order_sort(first, 3, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 0 is not finite");
    assert_true(isnan(first[0]) && first[1] == 2 && first[2] == 1);
    assert_int_equal(sy_order_sort(third, 4, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 2 is not finite");
    assert_true(third[0] == 3 && third[3] == 1);
}

static void no_samples_are_sorted(void **state)
{
    (void)state;
    assert_int_equal(sy_order_sort(NULL, 0, NULL), SY_OK);
}

static void the_median_of_an_even_count_is_the_mean_of_the_middle_two(void **state)
{
    const double one[] = {7};
    const double two[] = {1, 2};
    const double three[] = {1, 2, 9};
    const double four[] = {1, 2, 5, 100};

    (void)state;
    assert_true(sy_order_median(one, 1) == 7);
    assert_true(sy_order_median(two, 2) == 1.5);
    assert_true(sy_order_median(three, 3) == 2);
    assert_true(sy_order_median(four, 4) == 3.5);
}

static void the_nearest_rank_is_counted_in_integers(void **state)
{
    double values[300];

    (void)state;
    for (int i = 0; i < 300; i++)
        values[i] = i + 1;
    assert_true(sy_order_nearest_rank(values, 1, 50) == 1);
    assert_true(sy_order_nearest_rank(values, 2, 50) == 1);
    assert_true(sy_order_nearest_rank(values, 4, 50) == 2);
    assert_true(sy_order_nearest_rank(values, 5, 50) == 3);
    assert_true(sy_order_nearest_rank(values, 20, 95) == 19);
    assert_true(sy_order_nearest_rank(values, 21, 95) == 20);
    for (size_t n = 1; n <= 300; n++) {
        size_t rank = (95 * n + 99) / 100;

        assert_true(sy_order_nearest_rank(values, n, 95) == (double)rank);
    }
    for (uint32_t percent = 1; percent <= 100; percent++) {
        for (size_t n = 1; n <= 300; n++) {
            double rank = sy_order_nearest_rank(values, n, percent);

            /* the least rank that at least percent of the samples do not exceed */
            assert_true(100 * rank >= (double)(percent * n) && 100 * (rank - 1) < (double)(percent * n));
        }
    }
    assert_true(sy_order_nearest_rank(values, 100, 100) == 100);
    assert_true(sy_order_nearest_rank(values, 100, 1) == 1);
}

static void values_inserted_one_by_one_stand_as_if_sorted(void **state)
{
    sy_random random;
    double inserted[200];
    double sorted[200];

    (void)state;
    sy_random_start(&random, 7, "order-test");
    for (size_t i = 0; i < 200; i++) {
        double value = (double)sy_random_below(&random, 50); /* with ties */

        sorted[i] = value;
        sy_order_insert(inserted, i, value);
    }
    assert_int_equal(sy_order_sort(sorted, 200, NULL), SY_OK);
    assert_memory_equal(inserted, sorted, sizeof sorted);
    for (size_t i = 1; i < 200; i++)
        assert_true(inserted[i - 1] <= inserted[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_that_is_not_finite_is_refused_and_nothing_is_sorted),
        cmocka_unit_test(no_samples_are_sorted),
        cmocka_unit_test(the_median_of_an_even_count_is_the_mean_of_the_middle_two),
        cmocka_unit_test(the_nearest_rank_is_counted_in_integers),
        cmocka_unit_test(values_inserted_one_by_one_stand_as_if_sorted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
