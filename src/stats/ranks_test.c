/* SPDX-License-Identifier: Apache-2.0 */
/* The rank test against closed forms, all orderings of small samples, and itself at the switch to the approximation. */
#include "stats/ranks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault_loop.h"

static double choose(size_t n, size_t k)
{
    double result = 1;

    for (size_t i = 1; i <= k; i++)
        result = result * (double)(n - k + i) / (double)i;
    return result;
}

static double greater(const double *x, size_t x_count, const double *y, size_t y_count)
{
    double p = NAN;

    assert_int_equal(sy_ranks_greater(x, x_count, y, y_count, &p, NULL), SY_OK);
    return p;
}

static double differ(const double *x, size_t x_count, const double *y, size_t y_count)
{
    double p = NAN;

    assert_int_equal(sy_ranks_differ(x, x_count, y, y_count, &p, NULL), SY_OK);
    return p;
}

static void unequal_sizes_give_the_same_exact_probability_both_ways_round(void **state)
{
    const double before[] = {1, 2, 3, 4, 5};
    const double after[] = {6, 7, 8, 9};

    (void)state;
    assert_true(fabs(differ(before, 5, after, 4) - 2. / 126) < 1e-15);
    assert_true(fabs(differ(after, 4, before, 5) - 2. / 126) < 1e-15);
    assert_true(fabs(greater(after, 4, before, 5) - 1. / 126) < 1e-15);
    assert_true(greater(before, 5, after, 4) == 1);
}

static void a_sample_that_is_not_finite_is_refused(void **state)
{
    const double bad[] = {NAN, 1, 2};
    const double good[] = {3, 4, 5};
    double p = 7;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_ranks_differ(bad, 3, good, 3, &p, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 0 is not finite");
    assert_int_equal(sy_ranks_greater(good, 3, bad, 3, &p, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 3 is not finite");
    assert_int_equal(sy_ranks_greater(good, 3, bad, 0, &p, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a rank test of 3 against 0 values: each needs 1..1000000");
    assert_int_equal(sy_ranks_upper_tail(0, 3, 1, &p, &err), SY_INVALID_ARGUMENT);
    assert_true(p == 7);
}

/* Every choice of n ranks out of n + m, by bit patterns. */
static void small_samples_agree_with_all_orderings(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 6; n++) {
        for (uint32_t m = 1; m <= 7; m++) {
            uint32_t counts[43] = {0};
            uint32_t at_least = 0;

            for (uint32_t pattern = 0; pattern < (uint32_t)1 << (n + m); pattern++) {
                uint32_t u = 0;
                uint32_t zeros = 0;
                uint32_t ones = 0;

                for (uint32_t i = 0; i < n + m; i++) {
                    if (pattern >> i & 1) {
                        ones++;
                        u += zeros;
                    } else {
                        zeros++;
                    }
                }
                if (ones == n)
                    counts[u]++;
            }
            for (size_t u = (size_t)n * m + 1; u-- > 0;) {
                double p = 0;

                at_least += counts[u];
                assert_int_equal(sy_ranks_upper_tail(n, m, u, &p, NULL), SY_OK);
                assert_true(fabs(p - at_least / choose(n + m, n)) < 1e-13);
            }
        }
    }
}

static void complete_separation_has_the_closed_form(void **state)
{
    static const struct {
        size_t old;
        size_t new;
        double p;
    } ladder[] = {{5, 1, .1667}, {5, 2, .0476}, {5, 3, .0179}, {5, 4, .0079}, {5, 5, .0040}, {8, 8, 1. / 12870}};

    (void)state;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        double p = 0;

        assert_int_equal(sy_ranks_upper_tail(ladder[i].new, ladder[i].old, ladder[i].old * ladder[i].new, &p, NULL),
                         SY_OK);
        assert_true(fabs(p * choose(ladder[i].old + ladder[i].new, ladder[i].new) - 1) < 1e-12);
        assert_true(fabs(p - ladder[i].p) < 5.1e-5);
    }
}

static void ties_count_against_the_claim(void **state)
{
    const double x[] = {2, 3, 3, 4};
    const double y[] = {1, 2, 3, 3};
    const double all_equal[] = {1, 1, 1, 1};
    double p = 0;

    (void)state;
    /* couples x > y by hand: 2 beats 1; each 3 beats 1 2; 4 beats all four: 1 + 2 + 2 + 4 */
    assert_int_equal(sy_ranks_upper_tail(4, 4, 9, &p, NULL), SY_OK);
    assert_true(greater(x, 4, y, 4) == p);
    assert_true(greater(all_equal, 4, all_equal, 4) == 1);
    assert_true(differ(all_equal, 4, all_equal, 4) == 1);
}

/* Every breaking of ties gives at most the probability of the conservative count. */
static void no_breaking_of_ties_gives_more(void **state)
{
    sy_random random;

    (void)state;
    sy_random_start(&random, 5, "ranks-test");
    for (int trial = 0; trial < 500; trial++) {
        double x[7];
        double y[6];
        double broken_x[7];
        double broken_y[6];

        for (size_t i = 0; i < 7; i++) {
            x[i] = (double)sy_random_below(&random, 4);
            broken_x[i] = x[i] + 1e-3 * sy_random_unit(&random);
        }
        for (size_t i = 0; i < 6; i++) {
            y[i] = (double)sy_random_below(&random, 4);
            broken_y[i] = y[i] + 1e-3 * sy_random_unit(&random);
        }
        assert_true(greater(broken_x, 7, broken_y, 6) <= greater(x, 7, y, 6) + 1e-15);
        assert_true(differ(broken_x, 7, broken_y, 6) <= differ(x, 7, y, 6) + 1e-15);
    }
}

static void the_tails_meet_in_the_middle(void **state)
{
    (void)state;
    for (size_t u = 0; u <= 30 * 20; u++) {
        double upper = 0;
        double mirrored = 0;

        assert_int_equal(sy_ranks_upper_tail(30, 20, u, &upper, NULL), SY_OK);
        assert_int_equal(sy_ranks_upper_tail(20, 30, 600 - u + 1, &mirrored, NULL), SY_OK);
        assert_true(fabs(upper + mirrored - 1) < 1e-12);
    }
}

/* P(U <= last) counted another way: U = u as often as u splits into at most m parts of at most n. */
static double lower_tail_by_partitions(size_t n, size_t m, size_t last)
{
    double *ways = sy_allocate((m + 1) * (last + 1), sizeof *ways);
    double sum = 0;

    assert_non_null(ways);
    ways[0] = 1;
    for (size_t part = 1; part <= n; part++) {
        for (size_t parts = 1; parts <= m; parts++) {
            for (size_t u = part; u <= last; u++)
                ways[parts * (last + 1) + u] += ways[(parts - 1) * (last + 1) + u - part];
        }
    }
    for (size_t i = 0; i < (m + 1) * (last + 1); i++)
        sum += ways[i];
    sy_free(ways);
    return sum / choose(n + m, m);
}

static void partitions_count_the_exact_and_the_approximate_tail(void **state)
{
    static const struct {
        size_t n;
        size_t m;
        double z;
        double tolerance;
    } points[] = {{12, 9, 1.5, 1e-13},   {30, 30, 2.3, 1e-13}, {100, 100, 2.3, 1e-12},
                  {101, 100, 2.3, 1e-5}, {101, 100, 3, 1e-5},  {1200, 30, 2.5, 1e-5}};

    (void)state;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double couples = (double)(points[i].n * points[i].m);
        double deviation = sqrt(couples * (double)(points[i].n + points[i].m + 1) / 12);
        size_t last = (size_t)(couples / 2 - points[i].z * deviation);
        double p = 0;

        assert_int_equal(sy_ranks_upper_tail(points[i].n, points[i].m, points[i].n * points[i].m - last, &p, NULL),
                         SY_OK);
        assert_true(fabs(p - lower_tail_by_partitions(points[i].n, points[i].m, last)) < points[i].tolerance);
    }
}

static void large_samples_are_answered(void **state)
{
    double *x = sy_allocate(2000, sizeof *x);
    double p = 0;

    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < 2000; i++)
        x[i] = (double)i;
    p = greater(x + 1000, 1000, x, 1000);
    assert_true(p >= 0 && p < 1e-12);
    assert_true(greater(x, 1000, x + 1000, 1000) == 1);
    sy_free(x);
}

static sy_status differ_once(void *user)
{
    const double x[] = {1, 2, 3};
    const double y[] = {4, 5, 6};

    return sy_ranks_differ(x, 3, y, 3, user, NULL);
}

static void memory_that_fails_is_reported(void **state)
{
    double p = 7;

    (void)state;
    assert_int_equal(fault_loop_allocations(differ_once, &p, true), 2);
    assert_true(fabs(p - .1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_sizes_give_the_same_exact_probability_both_ways_round),
        cmocka_unit_test(a_sample_that_is_not_finite_is_refused),
        cmocka_unit_test(small_samples_agree_with_all_orderings),
        cmocka_unit_test(complete_separation_has_the_closed_form),
        cmocka_unit_test(ties_count_against_the_claim),
        cmocka_unit_test(no_breaking_of_ties_gives_more),
        cmocka_unit_test(the_tails_meet_in_the_middle),
        cmocka_unit_test(partitions_count_the_exact_and_the_approximate_tail),
        cmocka_unit_test(large_samples_are_answered),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
