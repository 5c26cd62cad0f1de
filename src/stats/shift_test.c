/* SPDX-License-Identifier: Apache-2.0 */
/* The shift against a list of all differences, and the levels of small samples against counting. */
#include "stats/shift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault_loop.h"
#include "stats/order.h"

static void a_difference_is_the_one_of_its_rank_in_the_list_of_all(void **state)
{
    sy_random random;

    (void)state;
    sy_random_start(&random, 7, "shift");
    for (int round = 0; round < 300; round++) {
        double x[12], y[12], all[144];
        size_t n = 1 + sy_random_below(&random, 12);
        size_t m = 1 + sy_random_below(&random, 12);
        bool ties = round % 3 == 0;

        for (size_t i = 0; i < n; i++)
            x[i] = ties ? (double)sy_random_below(&random, 4) : sy_random_normal(&random) * 1e3;
        for (size_t i = 0; i < m; i++)
            y[i] = ties ? (double)sy_random_below(&random, 4) : sy_random_normal(&random) * 1e-3;
        assert_int_equal(sy_order_sort(x, n, NULL), SY_OK);
        assert_int_equal(sy_order_sort(y, m, NULL), SY_OK);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < m; k++)
                all[i * m + k] = x[i] - y[k];
        }
        assert_int_equal(sy_order_sort(all, n * m, NULL), SY_OK);
        for (size_t rank = 1; rank <= n * m; rank++)
            assert_true(sy_shift_difference(x, n, y, m, rank) == all[rank - 1]);
        assert_true(sy_shift_estimate(x, n, y, m) == sy_order_median(all, n * m));
    }
}

/* 1 - 2 / C(5 + m, m): docs/statistics.md, "Shift". */
static void few_values_give_the_widest_interval_with_its_own_level(void **state)
{
    static const double y[] = {1, 2, 3, 4, 5};
    static const double x[] = {11, 12, 13};
    static const double levels[] = {1 - 2. / 6, 1 - 2. / 21, 1 - 2. / 56};
    sy_shift shift;

    (void)state;
    for (size_t m = 1; m <= 3; m++) {
        assert_int_equal(sy_shift_find(x, m, y, 5, m == 3 ? .035 : .01, &shift, NULL), SY_OK);
        assert_true(fabs(shift.level - levels[m - 1]) < 1e-14);
        assert_true(shift.low == 6 && shift.high == 9 + (double)m);
    }
}

/* Of the 462 orders of 6 and 5 values, 19 have U <= 5 and 29 have U <= 6: 10 % leaves out five on either side. */
static void the_interval_is_between_the_ranks_that_the_table_names(void **state)
{
    static const double x[] = {10, 20, 30, 40, 50, 60};
    static const double y[] = {1, 2.5, 4.25, 6.125, 8.0625};
    sy_shift shift;

    (void)state;
    assert_int_equal(sy_shift_find(x, 6, y, 5, .1, &shift, NULL), SY_OK);
    assert_true(shift.low == sy_shift_difference(x, 6, y, 5, 6));
    assert_true(shift.high == sy_shift_difference(x, 6, y, 5, 25));
    assert_true(fabs(shift.level - (1 - 2 * 19. / 462)) < 1e-14);
}

static void what_has_no_order_is_refused(void **state)
{
    static const double good[] = {1, 2, 3};
    static const double bad[] = {1, NAN, 3};
    static const double falling[] = {3, 2, 1};
    sy_shift shift = {.estimate = 7};

    (void)state;
    assert_int_equal(sy_shift_find(bad, 3, good, 3, .05, &shift, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_shift_find(good, 3, falling, 3, .05, &shift, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_shift_find(good, 0, good, 3, .05, &shift, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_shift_find(good, 3, good, 3, 1, &shift, NULL), SY_INVALID_ARGUMENT);
    assert_true(shift.estimate == 7);
}

static sy_status scenario(void *user)
{
    static const double x[] = {4, 5, 6, 7, 8, 9};
    static const double y[] = {1, 2, 3, 4, 5, 6};
    sy_shift shift;

    (void)user;
    return sy_shift_find(x, 6, y, 6, .05, &shift, NULL);
}

static void a_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, false) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_is_the_one_of_its_rank_in_the_list_of_all),
        cmocka_unit_test(few_values_give_the_widest_interval_with_its_own_level),
        cmocka_unit_test(the_interval_is_between_the_ranks_that_the_table_names),
        cmocka_unit_test(what_has_no_order_is_refused),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
