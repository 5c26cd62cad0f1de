/* SPDX-License-Identifier: Apache-2.0 */
/* The sign test against printed tables, integer arithmetic, an independent recursion and all 2^N paths. */
#include "stats/sign.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void init(sy_sign_table *table, uint32_t pairs_max, double alpha)
{
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(sy_sign_table_init(table, pairs_max, alpha, &err), SY_OK);
    assert_int_equal(table->pairs_max, pairs_max);
}

/* E(n, S) from Pascal's triangle in integers, exact up to n = 60. */
static double evidence_in_integers(uint32_t n, uint32_t wins)
{
    uint64_t row[64] = {1};
    uint64_t sum = 0;
    uint64_t choose = 0;

    for (uint32_t i = 1; i <= n + 1; i++) {
        if (i == n + 1)
            choose = row[wins];
        for (uint32_t j = i; j > 0; j--)
            row[j] += row[j - 1];
    }
    for (uint32_t j = 0; j <= wins; j++)
        sum += row[j];
    return (double)sum / ((double)(n + 1) * (double)choose);
}

static void the_evidence_is_the_binomial_formula(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 60; n++) {
        for (uint32_t s = 0; s <= n; s++) {
            double right = evidence_in_integers(n, s);

            assert_true(fabs(exp(sy_sign_log_evidence(n, s)) / right - 1) < 1e-12);
        }
    }
    assert_true(sy_sign_log_evidence(0, 0) == 0);
}

/* The definition: 2^n times the mean of p^S (1 - p)^(n - S) over p uniform on (1/2, 1], by Simpson's rule in logs. */
static void the_evidence_is_the_mixture_that_it_is_said_to_be(void **state)
{
    const uint32_t n = 1500;
    const uint32_t wins[] = {700, 750, 800, 900, 1100};

    (void)state;
    for (size_t i = 0; i < sizeof wins / sizeof *wins; i++) {
        const int steps = 200000;
        double s = wins[i];
        double peak = s / n > 0.5 ? s / n : 0.5;
        double log_peak = s * log(2 * peak) + (n - s) * log(2 * (1 - peak));
        double sum = 0;

        for (int k = 0; k < steps; k++) { /* p = 1 has no weight */
            double p = 0.5 + 0.5 * k / steps;
            double weight = k == 0 ? 1 : k % 2 == 1 ? 4 : 2;

            sum += weight * exp(s * log(2 * p) + (n - s) * log(2 * (1 - p)) - log_peak);
        }
        assert_true(fabs(sy_sign_log_evidence(n, wins[i]) - (log(sum / 3 / steps) + log_peak)) < 1e-8);
    }
}

static void the_mixture_bets_on_all_won(void **state)
{
    (void)state;
    assert_true(fabs(exp(sy_sign_log_mixture(1, 1)) - 1.65) < 1e-12);
    assert_true(fabs(exp(sy_sign_log_mixture(4, 4)) - 9.14) < 1e-12);
    assert_true(fabs(exp(sy_sign_log_mixture(4, 3)) - 0.7 * (1 + 5 + 10 + 10) / (5 * 4)) < 1e-12);
    /* 2^n and E leave the doubles, their logarithms do not */
    assert_true(fabs(sy_sign_log_mixture(2000, 2000) - (2000 * log(2) + log(0.7 * 2 / 2001 + 0.3))) < 1e-9);
}

static void the_mixture_is_a_martingale_under_a_fair_coin(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 300; n++) {
        for (uint32_t s = 0; s <= n; s += n < 20 ? 1 : 7) {
            double now = sy_sign_log_mixture(n, s);
            double won = exp(sy_sign_log_mixture(n + 1, s + 1) - now);
            double lost = exp(sy_sign_log_mixture(n + 1, s) - now);

            assert_true(fabs((won + lost) / 2 - 1) < 1e-11);
        }
    }
}

static void the_boundary_has_the_printed_values(void **state)
{
    static const uint32_t caps[] = {8, 16, 30, 60, 100, 200};
    static const struct {
        double alpha;
        double half_digit;
        double boundary[6];
    } rows[] = {{.05, .0005, {9.140, 9.140, 9.413, 11.868, 13.168, 15.069}},
                {.01, .005, {31.90, 36.70, 60.71, 60.71, 60.71, 60.71}},
                {.2, .0005, {2.833, 2.833, 2.833, 2.833, 3.088, 3.091}}};

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 6; c++) {
            sy_sign_table table = SY_SIGN_TABLE_INIT;

            init(&table, caps[c], rows[r].alpha);
            if (fabs(exp(table.log_boundary) - rows[r].boundary[c]) > rows[r].half_digit * 1.0001)
                fail_msg("h(%u, %g) = %.6f", caps[c], rows[r].alpha, exp(table.log_boundary));
            sy_sign_table_finish(&table);
        }
    }
}

static void check_needed(double alpha, const uint32_t (*pairs_and_wins)[2], size_t count)
{
    sy_sign_table table = SY_SIGN_TABLE_INIT;

    init(&table, 60, alpha);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(table.needed[pairs_and_wins[i][0]], pairs_and_wins[i][1]);
    for (uint32_t n = 1; n < pairs_and_wins[0][0]; n++)
        assert_int_equal(table.needed[n], n + 1);
    sy_sign_table_finish(&table);
}

static void the_wins_needed_are_the_printed_ones(void **state)
{
    static const uint32_t at_5[][2] = {{5, 5},   {6, 6},   {7, 7},   {8, 8},   {9, 9},   {10, 9},  {11, 10},
                                       {12, 11}, {13, 12}, {14, 12}, {15, 13}, {16, 14}, {17, 14}, {18, 15},
                                       {19, 16}, {20, 16}, {25, 20}, {30, 23}, {40, 29}, {50, 35}, {60, 41}};
    static const uint32_t at_1[][2] = {{8, 8},   {9, 9},   {10, 10}, {11, 11}, {12, 12}, {13, 12}, {15, 14},
                                       {20, 17}, {25, 21}, {30, 24}, {40, 31}, {50, 37}, {60, 43}};
    static const uint32_t at_20[][2] = {{3, 3},  {4, 4},   {5, 5},   {6, 6},   {7, 6},   {8, 7},  {9, 8},
                                        {10, 9}, {12, 10}, {15, 12}, {20, 15}, {30, 21}, {60, 39}};

    (void)state;
    check_needed(.05, at_5, sizeof at_5 / sizeof *at_5);
    check_needed(.01, at_1, sizeof at_1 / sizeof *at_1);
    check_needed(.2, at_20, sizeof at_20 / sizeof *at_20);
}

/* P(M > h (1 + 1e-9) for some n <= N) from the mixture alone: no table of wins is believed. */
static double crossing_from_the_mixture(uint32_t pairs_max, double log_boundary)
{
    static double mass[SY_SIGN_PAIRS_MAX + 2];
    double guarded = log_boundary + log1p(1e-9);
    double crossed = 0;

    memset(mass, 0, sizeof mass);
    mass[0] = 1;
    for (uint32_t n = 1; n <= pairs_max; n++) {
        for (uint32_t s = n; s > 0; s--)
            mass[s] = (mass[s] + mass[s - 1]) / 2;
        mass[0] /= 2;
        for (uint32_t s = n; s > 0 && sy_sign_log_mixture(n, s) > guarded; s--) {
            crossed += mass[s];
            mass[s] = 0;
        }
    }
    return crossed;
}

static void the_crossing_probability_is_at_most_alpha_and_the_boundary_is_the_least(void **state)
{
    static const uint32_t caps[] = {1, 2, 5, 7, 8, 13, 16, 30, 60, 100, 200};
    static const double alphas[] = {.5, .2, .05, .03125, .025, .01, .001, 1e-6};

    (void)state;
    for (size_t c = 0; c < sizeof caps / sizeof *caps; c++) {
        for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
            sy_sign_table table = SY_SIGN_TABLE_INIT;
            double below = -INFINITY;

            init(&table, caps[c], alphas[a]);
            assert_true(crossing_from_the_mixture(caps[c], table.log_boundary) <= alphas[a]);
            assert_true(sy_sign_crossing_probability(&table, NULL, 0.5) <= alphas[a]);
            for (uint32_t n = 1; n <= caps[c]; n++) {
                for (uint32_t s = 0; s <= n; s++) {
                    double value = sy_sign_log_mixture(n, s);

                    if (value < table.log_boundary - 1e-6 && value > below)
                        below = value;
                }
            }
            if (below > -INFINITY)
                assert_true(crossing_from_the_mixture(caps[c], below) > alphas[a]);
            sy_sign_table_finish(&table);
        }
    }
}

static void all_paths_of_small_caps_agree_with_the_recursion(void **state)
{
    (void)state;
    for (uint32_t cap = 1; cap <= 16; cap++) {
        static const double alphas[] = {.2, .05, .01};

        for (size_t a = 0; a < 3; a++) {
            sy_sign_table table = SY_SIGN_TABLE_INIT;
            uint32_t crossed = 0;

            init(&table, cap, alphas[a]);
            for (uint32_t path = 0; path < (uint32_t)1 << cap; path++) {
                uint32_t wins = 0;

                for (uint32_t n = 1; n <= cap; n++) {
                    wins += path >> (n - 1) & 1;
                    if (wins >= table.needed[n]) {
                        crossed++;
                        break;
                    }
                }
            }
            assert_true(crossed / ldexp(1, (int)cap) <= alphas[a]);
            assert_true(fabs(crossed / ldexp(1, (int)cap) - sy_sign_crossing_probability(&table, NULL, 0.5)) < 1e-14);
            sy_sign_table_finish(&table);
        }
    }
}

static void a_stop_at_no_gain_takes_its_paths_away(void **state)
{
    const uint32_t cap = 18;
    const double p = 0.7;
    sy_sign_table win = SY_SIGN_TABLE_INIT;
    sy_sign_table stop = SY_SIGN_TABLE_INIT;
    double crossed = 0;

    (void)state;
    init(&win, cap, .2);
    init(&stop, cap, .2);
    for (uint32_t path = 0; path < (uint32_t)1 << cap; path++) {
        uint32_t wins = 0;
        double probability = 1;
        bool won = false;
        bool stopped = false;

        for (uint32_t n = 1; n <= cap; n++) {
            uint32_t bit = path >> (n - 1) & 1;

            wins += bit;
            probability *= bit ? p : 1 - p;
            won = won || (!stopped && wins >= win.needed[n]);
            stopped = stopped || n - wins >= stop.needed[n];
        }
        crossed += won ? probability : 0;
    }
    assert_true(fabs(crossed - sy_sign_crossing_probability(&win, &stop, p)) < 1e-13);
    assert_true(sy_sign_crossing_probability(&win, NULL, p) > crossed + 1e-3);
    sy_sign_table_finish(&win);
    sy_sign_table_finish(&stop);
}

static void the_least_cap_is_where_a_table_can_first_be_crossed(void **state)
{
    static const double alphas[] = {.5, .2, .05, .03125, .01, .001};

    (void)state;
    assert_int_equal(sy_sign_least_cap(.05), 5);
    assert_int_equal(sy_sign_least_cap(.01), 7);
    for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
        uint32_t least = sy_sign_least_cap(alphas[a]);
        sy_sign_table table = SY_SIGN_TABLE_INIT;

        init(&table, least, alphas[a]);
        assert_int_equal(table.needed[least], least);
        sy_sign_table_finish(&table);
        if (least == 1)
            continue;
        init(&table, least - 1, alphas[a]);
        for (uint32_t n = 1; n < least; n++)
            assert_int_equal(table.needed[n], n + 1);
        sy_sign_table_finish(&table);
    }
}

static void the_largest_cap_keeps_its_promise(void **state)
{
    sy_sign_table table = SY_SIGN_TABLE_INIT;

    (void)state;
    init(&table, SY_SIGN_PAIRS_MAX, .05);
    assert_true(sy_sign_crossing_probability(&table, NULL, 0.5) <= .05);
    /* what five wins at once would add, 1/32, does not fit any more */
    assert_true(sy_sign_crossing_probability(&table, NULL, 0.5) > .05 - 1. / 32);
    assert_int_equal(table.needed[5], 6);
    for (uint32_t n = 1000; n <= SY_SIGN_PAIRS_MAX; n += 250) {
        uint32_t k = table.needed[n];

        assert_true(sy_sign_log_mixture(n, k) > table.log_boundary);
        assert_true(sy_sign_log_mixture(n, k - 1) <= table.log_boundary + 2e-9);
    }
    sy_sign_table_finish(&table);
    init(&table, SY_SIGN_PAIRS_MAX, SY_SIGN_ALPHA_MIN);
    assert_int_equal(table.needed[332], 333);
    assert_true(table.needed[2000] < 2000);
    sy_sign_table_finish(&table);
}

static void a_cap_or_level_out_of_range_is_refused(void **state)
{
    static const struct {
        uint32_t cap;
        double alpha;
        const char *what;
    } bad[] = {{0, .05, "a cap of 0 pairs is outside 1..2000"},
               {2001, .05, "a cap of 2001 pairs is outside 1..2000"},
               {60, 0, "an error rate of 0 is outside 1e-100..0.5"},
               {60, .51, "an error rate of 0.51 is outside 1e-100..0.5"},
               {60, NAN, "an error rate of nan is outside 1e-100..0.5"}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sy_sign_table table = SY_SIGN_TABLE_INIT;
        sy_error err = SY_ERROR_INIT;

        assert_int_equal(sy_sign_table_init(&table, bad[i].cap, bad[i].alpha, &err), SY_INVALID_ARGUMENT);
        assert_string_equal(err.what, bad[i].what);
        assert_null(table.needed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_evidence_is_the_binomial_formula),
        cmocka_unit_test(the_evidence_is_the_mixture_that_it_is_said_to_be),
        cmocka_unit_test(the_mixture_bets_on_all_won),
        cmocka_unit_test(the_mixture_is_a_martingale_under_a_fair_coin),
        cmocka_unit_test(the_boundary_has_the_printed_values),
        cmocka_unit_test(the_wins_needed_are_the_printed_ones),
        cmocka_unit_test(the_crossing_probability_is_at_most_alpha_and_the_boundary_is_the_least),
        cmocka_unit_test(all_paths_of_small_caps_agree_with_the_recursion),
        cmocka_unit_test(a_stop_at_no_gain_takes_its_paths_away),
        cmocka_unit_test(the_least_cap_is_where_a_table_can_first_be_crossed),
        cmocka_unit_test(the_largest_cap_keeps_its_promise),
        cmocka_unit_test(a_cap_or_level_out_of_range_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
