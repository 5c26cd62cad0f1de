/* SPDX-License-Identifier: Apache-2.0 */
/* The scan against its definition, the rates that its critical values promise, and histories with known changes. */
#include "stats/rank_scan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault_loop.h"
#include "stats/trend.h"

static const sy_rank_scan_options at_1_percent = {SY_RANK_SCAN_01, 0, 0, NULL, 0};

static sy_change_list scan(const double *values, size_t count, const sy_rank_scan_options *options)
{
    sy_change_list list;

    assert_int_equal(sy_rank_scan(values, count, options, &list, NULL), SY_OK);
    return list;
}

static void the_split_is_the_one_of_the_definition(void **state)
{
    sy_random random;

    (void)state;
    sy_random_start(&random, 3, "scan");
    for (int round = 0; round < 200; round++) {
        double values[40], ranks[40];
        size_t n = 10 + sy_random_below(&random, 31);
        double best = 0;
        size_t at = 0;

        for (size_t i = 0; i < n; i++)
            values[i] = (double)sy_random_below(&random, round % 2 == 0 ? 1000000 : 5);
        assert_int_equal(sy_trend_ranks(values, n, ranks, NULL), SY_OK);
        for (size_t k = 5; k <= n - 5; k++) {
            double sum = 0, k_ = (double)k, n_ = (double)n;
            for (size_t i = 0; i < k; i++)
                sum += ranks[i];
            double z = fabs(sum - k_ * (n_ + 1) / 2) / sqrt(k_ * (n_ - k_) * (n_ + 1) / 12);
            if (z > best * (1 + 1e-12)) {
                best = z;
                at = k;
            }
        }
        sy_rank_split split = sy_rank_scan_split(ranks, n);
        assert_true(fabs(split.statistic - best) < 1e-12);
        assert_int_equal(split.at, at);
    }
}

/* Of the 252 ways in which five of ten ranks come first, the two extreme ones alone reach 2.403, none 2.612. */
static void ten_values_alarm_in_exactly_2_of_252_orders(void **state)
{
    size_t alarms[2] = {0, 0}, orders = 0;

    (void)state;
    for (unsigned set = 0; set < 1024; set++) {
        double ranks[10];
        size_t first = 0, second = 5;

        if (__builtin_popcount(set) != 5)
            continue;
        for (unsigned i = 0; i < 10; i++)
            ranks[set >> i & 1 ? first++ : second++] = i + 1;
        double z = sy_rank_scan_split(ranks, 10).statistic;
        orders++;
        alarms[0] += z >= sy_rank_scan_critical(10, SY_RANK_SCAN_01);
        alarms[1] += z >= sy_rank_scan_critical(10, SY_RANK_SCAN_001);
    }
    assert_int_equal(orders, 252);
    assert_int_equal(alarms[0], 2);
    assert_int_equal(alarms[1], 0);
}

/* The promise is a rate, so that is what is held: 20000 histories without a change, at sizes in the table and between
 * its rows; the bounds are five standard errors wide. */
static void unchanged_histories_alarm_at_the_promised_rate(void **state)
{
    static const size_t counts[] = {14, 30, 60, 65};
    sy_random random;
    enum { ROUNDS = 20000 };

    (void)state;
    sy_random_start(&random, 11, "null");
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        size_t n = counts[c];
        size_t alarms[2] = {0, 0};
        for (int round = 0; round < ROUNDS; round++) {
            uint32_t order[65];
            double ranks[65];

            sy_random_permutation(&random, order, (uint32_t)n);
            for (size_t i = 0; i < n; i++)
                ranks[i] = order[i] + 1.0;
            double z = sy_rank_scan_split(ranks, n).statistic;
            alarms[0] += z >= sy_rank_scan_critical(n, SY_RANK_SCAN_01);
            alarms[1] += z >= sy_rank_scan_critical(n, SY_RANK_SCAN_001);
        }
        assert_true(alarms[0] < ROUNDS * 0.01 + 5 * sqrt(ROUNDS * 0.01));
        assert_true(alarms[0] > ROUNDS * 0.005);
        assert_true(alarms[1] < ROUNDS * 0.001 + 5 * sqrt(ROUNDS * 0.001));
        assert_true(alarms[1] > 0);
    }
}

static void critical_values_grow_with_the_count_and_take_the_next_larger_row(void **state)
{
    (void)state;
    for (size_t n = 11; n <= 1000; n++) {
        for (sy_rank_scan_level level = SY_RANK_SCAN_01; level <= SY_RANK_SCAN_001; level++)
            assert_true(sy_rank_scan_critical(n, level) >= sy_rank_scan_critical(n - 1, level));
    }
    assert_true(sy_rank_scan_critical(17, SY_RANK_SCAN_01) == 2.908);
    assert_true(sy_rank_scan_critical(18, SY_RANK_SCAN_01) == 2.908);
    assert_true(sy_rank_scan_critical(61, SY_RANK_SCAN_01) == 3.342);
    assert_true(sy_rank_scan_critical(1000, SY_RANK_SCAN_001) == 4.268);
}

/* Levels 0, 10, 10, 4 with an alternating wave of .5: exact places, exact steps. */
static void steps_are_found_where_they_are(void **state)
{
    double values[80];
    const sy_rank_scan_options options = {SY_RANK_SCAN_001, 0.1, 0.05, NULL, 0};

    (void)state;
    for (size_t i = 0; i < 80; i++)
        values[i] = (i < 20 ? 0 : i < 60 ? 10 : 4) + (i % 2 == 0 ? 0.5 : -0.5) + 0.001 * (double)(i * 7 % 10);
    sy_change_list list = scan(values, 80, &options);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.changes[0].at, 20);
    assert_int_equal(list.changes[1].at, 60);
    assert_true(fabs(list.changes[0].shift - 10) < 0.02 && fabs(list.changes[1].shift + 6) < 0.02);
    assert_int_equal(list.changes[0].from, 0);
    assert_int_equal(list.changes[0].to, 60);
    for (size_t i = 0; i < 2; i++) {
        assert_true(list.changes[i].low <= list.changes[i].shift && list.changes[i].shift <= list.changes[i].high);
        assert_true(list.changes[i].level >= 0.95 && list.changes[i].statistic >= list.changes[i].critical);
    }
    sy_change_list_finish(&list);
}

static void a_step_below_the_least_is_no_change(void **state)
{
    double values[40];
    sy_rank_scan_options options = {SY_RANK_SCAN_01, 1.01, 0, NULL, 0};

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = (i < 20 ? 0 : 1) + 1e-6 * (double)(i * 13 % 40);
    sy_change_list list = scan(values, 40, &options);
    assert_int_equal(list.count, 0);
    options.least_shift = 0.99;
    list = scan(values, 40, &options);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.changes[0].at, 20);
    assert_true(isnan(list.changes[0].low) && isnan(list.changes[0].level));
    sy_change_list_finish(&list);
}

static void equal_values_and_short_histories_have_no_change(void **state)
{
    double values[500];

    (void)state;
    for (size_t i = 0; i < 500; i++)
        values[i] = 3;
    sy_change_list list = scan(values, 500, &at_1_percent);
    assert_int_equal(list.count, 0);
    for (size_t i = 0; i < 9; i++)
        values[i] = (double)i;
    for (size_t n = 0; n < 10; n++) {
        list = scan(values, n, &at_1_percent);
        assert_int_equal(list.count, 0);
    }
}

/* An autoregressive series with r = .8 wanders by itself: without the widening most such histories alarm. */
static void neighbours_that_are_alike_raise_the_bar(void **state)
{
    sy_random random;
    size_t alarms = 0;
    const sy_rank_scan_options options = {SY_RANK_SCAN_001, 0, 0, NULL, 0};

    (void)state;
    sy_random_start(&random, 5, "alike");
    for (int round = 0; round < 200; round++) {
        double values[100];
        double x = 0;
        size_t bare = 0;

        for (size_t i = 0; i < 100; i++)
            values[i] = x = 0.8 * x + sy_random_normal(&random);
        sy_change_list list = scan(values, 100, &options);
        for (size_t i = 0; i < list.count; i++)
            bare += list.changes[i].critical > sy_rank_scan_critical(100, SY_RANK_SCAN_001);
        assert_int_equal(bare, list.count);
        alarms += list.count > 0;
        sy_change_list_finish(&list);
    }
    assert_true(alarms < 100);
}

static void a_long_history_is_scanned_in_windows(void **state)
{
    enum { COUNT = 5300 };
    static const size_t steps[] = {240, 700, 1000, 1251, 1750, 2499, 3333, 5280};
    double *values = sy_allocate(COUNT, sizeof *values);
    const sy_rank_scan_options options = {SY_RANK_SCAN_001, 0.5, 0, NULL, 0};

    (void)state;
    assert_non_null(values);
    for (size_t i = 0, step = 0; i < COUNT; i++) {
        step += step < 8 && i == steps[step];
        values[i] = (double)(step % 2 * 5) + 1e-3 * (double)(i * 37 % 101);
    }
    sy_change_list list = scan(values, COUNT, &options);
    assert_int_equal(list.count, 8);
    for (size_t i = 0; i < 8; i++) /* by ranks alone some would be off by one, where the sides differ in length */
        assert_int_equal(list.changes[i].at, steps[i]);
    sy_change_list_finish(&list);
    sy_free(values);
}

/* Up and down again: one split sees neither step, unless one of them is known. */
static void a_known_place_keeps_a_step_back_from_hiding_it(void **state)
{
    double values[39];
    size_t known[] = {9};
    const size_t wrong[] = {18};
    sy_rank_scan_options options = {SY_RANK_SCAN_001, .01, 0, NULL, 0};

    (void)state;
    for (size_t i = 0; i < 39; i++)
        values[i] = (i >= 9 && i < 27) + .001 * (double)(i * 7 % 10);
    sy_change_list list = scan(values, 39, &options);
    assert_int_equal(list.count, 0);
    sy_change_list_finish(&list);
    options.known = known;
    options.known_count = 1;
    list = scan(values, 39, &options);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.changes[0].at, 9);
    assert_int_equal(list.changes[1].at, 27);
    assert_true(list.changes[0].statistic >= list.changes[0].critical && list.changes[0].was_known);
    assert_true(list.changes[1].statistic >= list.changes[1].critical && !list.changes[1].was_known);
    sy_change_list_finish(&list);
    known[0] = 11; /* near it: it is found where it is */
    list = scan(values, 39, &options);
    assert_int_equal(list.changes[0].at, 9);
    sy_change_list_finish(&list);
    for (size_t i = 0; i < 39; i++)
        values[i] = .001 * (double)(i * 7 % 10);
    options.known = wrong; /* what does not hold is not kept */
    list = scan(values, 39, &options);
    assert_int_equal(list.count, 0);
    sy_change_list_finish(&list);
}

/* Place of the only change among `count` values, asked at 12; 0: there is none. */
static size_t place_of_known_12(const double *values, size_t count)
{
    const size_t known[] = {12};
    const sy_rank_scan_options options = {SY_RANK_SCAN_001, .01, 0, known, 1};
    sy_change_list list = scan(values, count, &options);
    size_t place = list.count == 0 ? 0 : list.changes[0].at;

    assert_true(list.count <= 1);
    sy_change_list_finish(&list);
    return place;
}

/* Twelve values in a wave of 0..1, then twelve about a level by which half of them lie above all of those: too little
 * to be found, enough to be kept, as the largest Z of all splits lies between 2.576 and what is asked of a new one. */
static void what_was_known_is_kept_until_its_own_place_speaks_against_it(void **state)
{
    const sy_rank_scan_options options = {SY_RANK_SCAN_001, .01, 0, NULL, 0};
    double values[24];

    (void)state;
    for (size_t i = 0; i < 24; i++)
        values[i] = (double)(i * 7 % 12) / 12 + (i >= 12 ? .5 : 0);
    sy_change_list list = scan(values, 24, &options);
    assert_int_equal(list.count, 0);
    sy_change_list_finish(&list);
    assert_int_equal(place_of_known_12(values, 24), 12);
    for (size_t i = 12; i < 24; i++)
        values[i] -= .3; /* Z is 1.8 now */
    assert_int_equal(place_of_known_12(values, 24), 0);
}

/* Levels 0 and 2 from 13 on: without noise one value speaks against the place 12; in noise as large as the step it is
 * no reason to move. */
static void a_known_place_moves_only_to_one_that_is_far_likelier(void **state)
{
    double values[40];

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = (i >= 13 ? 2 : 0) + .001 * (double)(i * 7 % 10);
    assert_int_equal(place_of_known_12(values, 40), 13);
    for (size_t i = 0; i < 40; i++)
        values[i] = (i >= 13 ? 2 : 0) + .4 * (double)(i * 7 % 10);
    assert_int_equal(place_of_known_12(values, 40), 12);
}

static void a_value_that_is_not_finite_is_refused(void **state)
{
    double values[12] = {1, 2, 3, NAN};
    sy_change_list list;
    sy_error err;

    (void)state;
    assert_int_equal(sy_rank_scan(values, 12, &at_1_percent, &list, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 3 is not finite");
}

static sy_status scenario(void *user)
{
    double values[30];
    sy_change_list list;
    const sy_rank_scan_options options = {SY_RANK_SCAN_01, 0, 0.05, NULL, 0};

    (void)user;
    for (size_t i = 0; i < 30; i++)
        values[i] = (i < 15 ? 0 : 9) + (double)(i * 7 % 5);
    sy_status status = sy_rank_scan(values, 30, &options, &list, NULL);
    if (status == SY_OK)
        sy_change_list_finish(&list);
    return status;
}

static void a_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, false) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_split_is_the_one_of_the_definition),
        cmocka_unit_test(ten_values_alarm_in_exactly_2_of_252_orders),
        cmocka_unit_test(unchanged_histories_alarm_at_the_promised_rate),
        cmocka_unit_test(critical_values_grow_with_the_count_and_take_the_next_larger_row),
        cmocka_unit_test(steps_are_found_where_they_are),
        cmocka_unit_test(a_step_below_the_least_is_no_change),
        cmocka_unit_test(equal_values_and_short_histories_have_no_change),
        cmocka_unit_test(neighbours_that_are_alike_raise_the_bar),
        cmocka_unit_test(a_long_history_is_scanned_in_windows),
        cmocka_unit_test(a_known_place_keeps_a_step_back_from_hiding_it),
        cmocka_unit_test(what_was_known_is_kept_until_its_own_place_speaks_against_it),
        cmocka_unit_test(a_known_place_moves_only_to_one_that_is_far_likelier),
        cmocka_unit_test(a_value_that_is_not_finite_is_refused),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
