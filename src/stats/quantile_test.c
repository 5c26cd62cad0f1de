/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a quantile against binomial coefficients counted by addition, a published table, and themselves. */
#include "stats/quantile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/order.h"

/* C(n, k) by Pascal's triangle: whole numbers below 2^53, so exact. */
static double choose(size_t n, size_t k)
{
    double row[51] = {1};

    assert_true(n <= 50);
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = i; j > 0; j--)
            row[j] += row[j - 1];
    }
    return row[k];
}

static void the_lower_tail_is_a_sum_of_binomial_coefficients(void **state)
{
    static const double shares[] = {.5, .25, .05, .95};

    (void)state;
    for (size_t n = 1; n <= 50; n += 7) {
        for (size_t s = 0; s < 4; s++) {
            double sum = 0;

            for (size_t k = 0; k <= n; k++) {
                sum += choose(n, k) * pow(shares[s], (double)k) * pow(1 - shares[s], (double)(n - k));
                assert_true(fabs(sy_binomial_lower_tail(n, shares[s], k) - sum) < 1e-12);
            }
        }
    }
    assert_true(fabs(sy_binomial_lower_tail(1000000, .5, 499999) + .5 * .000797884 - .5) < 1e-8);
}

/* So far above the mean that the mass there is no number any more: all of the rest lies below. */
static void a_tail_far_from_the_mean_is_all_or_nothing(void **state)
{
    (void)state;
    assert_true(sy_binomial_lower_tail(2000, 1. / 6, 1500) == 1);
    assert_true(sy_binomial_lower_tail(1000000, .0625, 99999) == 1);
    assert_true(sy_binomial_lower_tail(1000000, .5, 99999) == 0);
}

/* Order statistics about the median at 95 %: the known table (Conover, Practical Nonparametric Statistics, A3 summed).
 */
static void the_median_has_the_ranks_of_the_table(void **state)
{
    static const struct {
        size_t count;
        size_t low;
        size_t high;
        double level;
    } table[] = {{5, 0, 0, 1},       {6, 1, 6, .9688},   {8, 1, 8, .9922},   {9, 2, 8, .9609},    {10, 2, 9, .9785},
                 {15, 4, 12, .9648}, {20, 6, 15, .9586}, {25, 8, 18, .9567}, {30, 10, 21, .9572}, {50, 18, 33, .9672}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sy_quantile_ranks ranks;

        assert_int_equal(sy_quantile_find_ranks(table[i].count, .5, .95, &ranks, NULL), SY_OK);
        assert_int_equal(ranks.low, table[i].low);
        assert_int_equal(ranks.high, table[i].high);
        assert_true(fabs(ranks.level - table[i].level) < 5e-5);
    }
}

static void a_far_quantile_is_open_where_samples_are_few(void **state)
{
    sy_quantile_ranks ranks;
    sy_quantile_ranks mirrored;

    (void)state;
    /* .95^72 = .0249: from 72 samples on, the largest is above the 95 % quantile often enough. */
    assert_int_equal(sy_quantile_find_ranks(71, .95, .95, &ranks, NULL), SY_OK);
    assert_int_equal(ranks.high, 0);
    assert_true(ranks.low > 0 && ranks.level >= .975);
    assert_int_equal(sy_quantile_find_ranks(72, .95, .95, &ranks, NULL), SY_OK);
    assert_int_equal(ranks.high, 72);
    assert_int_equal(sy_quantile_find_ranks(72, .05, .95, &mirrored, NULL), SY_OK);
    assert_int_equal(mirrored.low, 73 - ranks.high);
    assert_int_equal(mirrored.high, 73 - ranks.low);
    assert_true(fabs(mirrored.level - ranks.level) < 1e-12);
}

static void neither_side_is_missed_more_often_than_its_half(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 400; n += 3) {
        sy_quantile_ranks ranks;

        assert_int_equal(sy_quantile_find_ranks(n, .75, .9, &ranks, NULL), SY_OK);
        assert_true(ranks.level >= .9);
        if (ranks.low > 0) /* the next rank would miss too often: the interval is no wider than it must be */
            assert_true(sy_binomial_lower_tail(n, .75, ranks.low) > .05);
        if (ranks.high > 0)
            assert_true(1 - sy_binomial_lower_tail(n, .75, ranks.high - 2) > .05);
    }
}

/* Samples of a known distribution, heavy-tailed: the interval holds the true median as often as its level says. */
static void the_interval_holds_as_often_as_it_says(void **state)
{
    sy_random random;
    sy_quantile_ranks ranks;
    double values[25];
    int held = 0;

    (void)state;
    sy_random_start(&random, 11, "quantile-test");
    assert_int_equal(sy_quantile_find_ranks(25, .5, .95, &ranks, NULL), SY_OK);
    for (int trial = 0; trial < 20000; trial++) {
        for (size_t i = 0; i < 25; i++)
            values[i] = 1 / (1 - sy_random_unit(&random)); /* Pareto: its median is 2 */
        assert_int_equal(sy_order_sort(values, 25, NULL), SY_OK);
        held += values[ranks.low - 1] <= 2 && 2 <= values[ranks.high - 1];
    }
    /* .9567, one standard error .0014 */
    assert_true(fabs(held / 20000. - ranks.level) < .006);
}

static void wrong_arguments_are_named(void **state)
{
    sy_quantile_ranks ranks = {7, 7, 7};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_quantile_find_ranks(0, .5, .95, &ranks, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a quantile of 0 samples: needs 1..1000000");
    assert_int_equal(sy_quantile_find_ranks(5, 1, .95, &ranks, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "quantile 1: must be above 0 and below 1");
    assert_int_equal(sy_quantile_find_ranks(5, .5, NAN, &ranks, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(ranks.low, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lower_tail_is_a_sum_of_binomial_coefficients),
        cmocka_unit_test(a_tail_far_from_the_mean_is_all_or_nothing),
        cmocka_unit_test(the_median_has_the_ranks_of_the_table),
        cmocka_unit_test(a_far_quantile_is_open_where_samples_are_few),
        cmocka_unit_test(neither_side_is_missed_more_often_than_its_half),
        cmocka_unit_test(the_interval_holds_as_often_as_it_says),
        cmocka_unit_test(wrong_arguments_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
