/* SPDX-License-Identifier: Apache-2.0 */
/* The trend test against all orderings of small series, closed forms, and its error rate on series that do not move. */
#include "stats/trend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"

static sy_trend trend_of(const double *values, size_t count)
{
    sy_trend trend;

    assert_int_equal(sy_trend_test(values, count, &trend, NULL), SY_OK);
    return trend;
}

/* Counts falling couples over all orders of 1..n, by Heap's method. */
static void count_orders(double *values, size_t n, size_t k, size_t whole, double counts[])
{
    if (k == 1) {
        size_t falling = 0;

        for (size_t i = 0; i < whole; i++) {
            for (size_t j = i + 1; j < whole; j++)
                falling += values[i] > values[j];
        }
        counts[falling]++;
        return;
    }
    for (size_t i = 0; i < k; i++) {
        double kept;

        count_orders(values, n, k - 1, whole, counts);
        kept = values[k % 2 == 0 ? i : 0];
        values[k % 2 == 0 ? i : 0] = values[k - 1];
        values[k - 1] = kept;
    }
}

static void the_exact_tail_agrees_with_all_orders(void **state)
{
    (void)state;
    for (size_t n = 3; n <= 8; n++) {
        double values[8];
        double counts[29] = {0};
        double orders = 0;
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            values[i] = (double)i;
        count_orders(values, n, n, n, counts);
        for (size_t k = 0; k <= n * (n - 1) / 2; k++)
            orders += counts[k];
        for (size_t k = 0; k <= n * (n - 1) / 2; k++) {
            sum += counts[k];
            assert_true(fabs(sy_trend_lower_tail(n, k) - sum / orders) < 1e-13);
        }
    }
}

static void a_series_that_only_falls_has_the_closed_form(void **state)
{
    const double values[] = {9, 8, 7, 6, 5, 4, 3};
    sy_trend trend = trend_of(values, 7);

    (void)state;
    assert_true(fabs(trend.p_falling - 1. / 5040) < 1e-15);
    assert_true(fabs(trend.p_rising - 1) < 1e-14);
    assert_true(trend.tau == -1);
}

static void the_two_directions_mirror_each_other(void **state)
{
    const double up[] = {1, 3, 2, 5, 4, 6, 8, 7, 9, 12, 10, 11};
    double down[12];
    sy_trend rising = trend_of(up, 12);
    sy_trend falling;

    (void)state;
    for (size_t i = 0; i < 12; i++)
        down[i] = -up[i];
    falling = trend_of(down, 12);
    assert_true(fabs(rising.p_rising - falling.p_falling) < 1e-15);
    assert_true(fabs(rising.p_falling - falling.p_rising) < 1e-15);
    assert_true(rising.tau == -falling.tau && rising.tau > 0);
    /* 5 couples fall: 3-2, 5-4, 8-7, 12-10, 12-11 */
    assert_true(fabs(rising.tau - (61. - 5) / 66) < 1e-15);
}

/* Five values of one kind and five of another, every order of them: the normal tail with ties is near the exact one. */
static void ties_are_in_the_variance(void **state)
{
    double exact_at_least[26] = {0};
    double orders = 0;

    (void)state;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t pattern = 0; pattern < 1024; pattern++) {
            double values[10];
            int ones = 0;
            int excess = 0;

            for (int i = 0; i < 10; i++) {
                values[i] = pattern >> i & 1;
                ones += pattern >> i & 1;
                for (int j = 0; j < i; j++)
                    excess += (values[i] > values[j]) - (values[i] < values[j]);
            }
            if (ones != 5)
                continue;
            if (pass == 0) {
                orders++;
                for (int s = 0; s <= excess; s++)
                    exact_at_least[s]++;
            } else if (excess > 0) {
                sy_trend trend = trend_of(values, 10);

                if (sy_trend_inflation(trend.lag1) == 1)
                    assert_true(fabs(trend.p_rising - exact_at_least[excess] / orders) < .012);
            }
        }
    }
    assert_true(orders == 252);
}

static void short_series_count_ties_against_the_claim(void **state)
{
    const double values[] = {5, 4, 4, 3, 2};

    (void)state;
    /* 9 of 10 couples fall, one is tied: as if it rose. P(at most 1 couple out of order) = (1 + 4) / 120 */
    assert_true(fabs(trend_of(values, 5).p_falling - 5. / 120) < 1e-15);
}

static void equal_values_have_no_trend(void **state)
{
    const double values[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    sy_trend trend = trend_of(values, 12);

    (void)state;
    assert_true(trend.p_falling == 1 && trend.p_rising == 1 && trend.tau == 0 && trend.lag1 == 0);
}

static void noise_without_a_trend_is_called_one_as_often_as_stated(void **state)
{
    sy_random random;
    int below[2] = {0, 0};

    (void)state;
    sy_random_start(&random, 3, "trend-test");
    for (int trial = 0; trial < 8000; trial++) {
        double values[80];
        size_t count = trial % 2 == 0 ? 30 : 80;

        for (size_t i = 0; i < count; i++)
            values[i] = exp(sy_random_normal(&random));
        below[trial % 2] += trend_of(values, count).p_falling <= .05;
    }
    /* 200 expected of each, standard deviation 14 */
    assert_true(below[0] > 130 && below[0] <= 250);
    assert_true(below[1] > 130 && below[1] <= 250);
}

static void a_wandering_series_is_not_called_a_trend_by_ranks_alone(void **state)
{
    sy_random random;
    int below = 0;

    (void)state;
    sy_random_start(&random, 4, "trend-test");
    for (int trial = 0; trial < 2000; trial++) {
        double values[80];
        double at = 0;

        for (size_t i = 0; i < 80; i++) {
            at = .7 * at + sy_random_normal(&random);
            values[i] = at;
        }
        below += trend_of(values, 80).p_falling <= .05;
    }
    /* Without the correction some 24 % are called so; 5 % are meant to be. */
    assert_true(below <= 200);
}

static void neighbours_that_resemble_each_other_show(void **state)
{
    double slow[40];
    double alternating[40];

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        slow[i] = sin((double)i / 4);
        alternating[i] = i % 2 == 0 ? 1 + (double)i * 1e-3 : 2 - (double)i * 1e-3;
    }
    assert_true(trend_of(slow, 40).lag1 > .8);
    assert_true(trend_of(alternating, 40).lag1 < -.8);
}

static void what_is_not_finite_or_too_short_is_refused(void **state)
{
    const double bad[] = {1, NAN, 3};
    sy_trend trend = {.tau = 7};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_trend_test(bad, 3, &trend, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 1 is not finite");
    assert_int_equal(sy_trend_test(bad, 2, &trend, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a trend of 2 samples: needs 3");
    assert_true(trend.tau == 7);
}

static sy_status test_once(void *user)
{
    const double values[] = {1, 2, 3, 4, 5, 6};

    return sy_trend_test(values, 6, user, NULL);
}

static void memory_that_fails_is_reported(void **state)
{
    sy_trend trend;

    (void)state;
    assert_int_equal(fault_loop_allocations(test_once, &trend, true), 3);
    assert_true(trend.tau == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_tail_agrees_with_all_orders),
        cmocka_unit_test(a_series_that_only_falls_has_the_closed_form),
        cmocka_unit_test(the_two_directions_mirror_each_other),
        cmocka_unit_test(ties_are_in_the_variance),
        cmocka_unit_test(short_series_count_ties_against_the_claim),
        cmocka_unit_test(equal_values_have_no_trend),
        cmocka_unit_test(noise_without_a_trend_is_called_one_as_often_as_stated),
        cmocka_unit_test(a_wandering_series_is_not_called_a_trend_by_ranks_alone),
        cmocka_unit_test(neighbours_that_resemble_each_other_show),
        cmocka_unit_test(what_is_not_finite_or_too_short_is_refused),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
