/* SPDX-License-Identifier: Apache-2.0 */
/* The account of a series on what people met, on made-up series of every kind, and on series that have nothing. */
#include "stats/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"
#include "stats/order.h"

static const sy_series_options usual = SY_SERIES_OPTIONS_INIT;

static sy_series describe(const double *values, size_t count)
{
    sy_series series;
    sy_error err = SY_ERROR_INIT;

    if (sy_series_describe(values, count, &usual, &series, &err))
        fail_msg("%s", err.what);
    return series;
}

/* STA-1: a public tuning file of a vector addition on an RTX A4000 (Kernel Tuner, test/test_cache_file.json): 15
 * configurations (128, 192, ... 1024) of 7 runs, in nanoseconds. The file holds milliseconds in single precision. */
enum { ROWS = 15, ROW_RUNS = 7, ROW_448 = 5, ROW_896 = 12 };
static const int vector_add_ns[ROWS][ROW_RUNS] = {
    {126880, 31072, 27296, 25472, 25120, 25248, 24064}, {129088, 30464, 27744, 25152, 24960, 24992, 24256},
    {131808, 31136, 28096, 27008, 25088, 25056, 25056}, {135872, 30688, 27680, 25824, 25088, 25312, 24160},
    {132512, 31680, 27872, 25312, 24672, 25056, 25088}, {64768, 31680, 28256, 25280, 27104, 25504, 24896},
    {130240, 31136, 28320, 25952, 24608, 25152, 24384}, {129952, 32000, 28512, 26624, 25760, 25376, 25024},
    {127968, 30816, 29696, 25440, 24096, 25824, 24352}, {134304, 30944, 29088, 25152, 24864, 24448, 24096},
    {62304, 31584, 28320, 26720, 23680, 23904, 25792},  {129984, 30944, 27104, 24768, 25440, 23904, 24448},
    {129312, 37312, 28128, 25024, 24128, 24768, 23744}, {133504, 31040, 28768, 25792, 25120, 25664, 25440},
    {130880, 30496, 27936, 24864, 24416, 24320, 25120},
};

static void fill_row(size_t row, double *values)
{
    for (size_t i = 0; i < ROW_RUNS; i++)
        values[i] = (double)(float)(vector_add_ns[row][i] / 1e6) * 1e6;
}

static void sta_1_the_first_sample_is_flagged_in_every_row_and_every_row_still_warms_up(void **state)
{
    double medians[ROWS];

    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        double values[ROW_RUNS];
        sy_series series;

        fill_row(row, values);
        series = describe(values, ROW_RUNS);
        assert_true(series.first_stands_out);
        assert_true(series.first_ratio >= 2.33);
        assert_int_equal(series.course, SY_SERIES_FALLING);
        assert_true(series.change < -.4);
        medians[row] = series.quantiles[SY_SERIES_MEDIAN].value;
    }
    /* By median 896 leads and 448 is the last of all: the means said otherwise. */
    assert_true(fabs(medians[ROW_896] - 25024) < 1e-2);
    assert_true(fabs(medians[ROW_448] - 27104) < 1e-2);
    for (size_t row = 0; row < ROWS; row++)
        assert_true(medians[row] >= medians[ROW_896] && medians[row] <= medians[ROW_448]);
    assert_true(medians[ROW_448] / medians[ROW_896] < 1.09);
}

static void sta_1_the_clock_ticks_in_32_ns(void **state)
{
    double values[ROWS * ROW_RUNS];
    sy_series series;

    (void)state;
    for (size_t row = 0; row < ROWS; row++)
        fill_row(row, values + row * ROW_RUNS);
    series = describe(values, ROWS * ROW_RUNS);
    assert_true(series.step == 32);
    assert_int_equal(series.distinct, 81);
    fill_row(ROW_896, values);
    series = describe(values, ROW_RUNS);
    assert_true(series.step == 32);
    assert_int_equal(series.distinct, 7);
}

static void sta_5_two_modes_of_either_side_are_seen(void **state)
{
    const double base[] = {114.97, 100, 100, 114.97, 100, 100, 100, 114.97, 100, 114.97};
    const double head[] = {115.108, 100.12, 115.2, 115.108, 100.12, 100.12, 115.2, 115.108, 100.12, 115.108};
    sy_series series = describe(base, 10);

    (void)state;
    assert_int_equal(series.lower_mode_count, 6);
    assert_true(series.lower_mode == 100 && series.upper_mode == 114.97);
    series = describe(head, 10);
    assert_int_equal(series.lower_mode_count, 4);
    assert_int_equal(series.upper_mode_count, 6);
}

static void cmd_3_work_that_is_skipped_makes_two_modes(void **state)
{
    double values[24];
    sy_series series;

    (void)state;
    /* 5 of 24 at 11 ms, 19 at 743 ms: mean 590.5, deviation 303.7 */
    for (size_t i = 0; i < 24; i++)
        values[i] = i % 5 == 1 ? 11 + .01 * (double)i : 743 - .3 * (double)i;
    series = describe(values, 24);
    assert_int_equal(series.lower_mode_count, 5);
    assert_int_equal(series.upper_mode_count, 19);
    assert_true(fabs(series.lower_mode - 11.1) < .1 && fabs(series.upper_mode - 740) < 4);
    assert_int_equal(series.mode_changes, 10);
}

static void cmd_3_one_slow_first_run_is_set_aside(void **state)
{
    const double values[] = {413, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3};
    sy_series series = describe(values, 14);

    (void)state;
    assert_int_equal(series.steady_from, 1);
    assert_true(series.first_stands_out && series.first_ratio > 100);
    assert_true(series.quantiles[SY_SERIES_MEDIAN].value == 4);
    assert_true(series.maximum == 5);
}

static void two_modes_are_seen_past_a_spike(void **state)
{
    double values[40];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = (i * 7 % 3 == 0 ? 115 : 100) + .02 * (double)(i % 5);
    values[21] = 700;
    series = describe(values, 40);
    assert_int_equal(series.lower_mode_count, 26);
    assert_int_equal(series.upper_mode_count, 14);
}

static void neighbouring_ticks_are_no_modes(void **state)
{
    double values[20];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 20; i++)
        values[i] = i * 7 % 3 == 0 ? 8e6 : 4e6;
    series = describe(values, 20);
    assert_true(series.step == 4e6);
    assert_int_equal(series.distinct, 2);
    assert_int_equal(series.lower_mode_count, 0);
    /* Where the clock is known to be finer, they are. */
    assert_int_equal(sy_series_describe(values, 20, &(sy_series_options){.95, 1, 100, false}, &series, NULL), SY_OK);
    assert_int_equal(series.lower_mode_count, 13);
}

static void a_ramp_is_a_course_and_a_quiet_series_is_none(void **state)
{
    sy_random random;
    double values[60];

    (void)state;
    sy_random_start(&random, 1, "series-test");
    for (size_t i = 0; i < 60; i++)
        values[i] = 1000 * exp(.3 * exp(-(double)i / 40) + .005 * sy_random_normal(&random));
    assert_int_equal(describe(values, 60).course, SY_SERIES_FALLING);
    for (size_t i = 0; i < 60; i++)
        values[i] = 1000 * exp(.002 * (double)i + .005 * sy_random_normal(&random));
    assert_int_equal(describe(values, 60).course, SY_SERIES_RISING);
    for (size_t i = 0; i < 60; i++)
        values[i] = 1000 * exp(.00002 * (double)i + .0005 * sy_random_normal(&random));
    assert_int_equal(describe(values, 60).course, SY_SERIES_LEVEL); /* sure, but .1 % in all */
}

static void a_warm_up_is_in_no_figure_of_what_follows(void **state)
{
    double values[30];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 30; i++)
        values[i] = i < 6 ? 200 + (double)i : 100 + (double)(i * 7 % 11) / 10;
    series = describe(values, 30);
    assert_int_equal(series.steady_from, 6);
    assert_int_equal(series.used, 24);
    assert_true(series.maximum < 102 && series.minimum >= 100);
    assert_true(fabs(series.warm_up_ratio - 2) < .03);
    assert_int_equal(series.course, SY_SERIES_LEVEL);
}

static void where_more_is_better_a_warm_up_begins_with_less(void **state)
{
    static const sy_series_options more = {.95, 1, 0, true};
    double values[30];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 30; i++)
        values[i] = i < 6 ? 50 + (double)i : 100 + (double)(i * 7 % 11) / 10;
    assert_int_equal(sy_series_describe(values, 30, &more, &series, NULL), SY_OK);
    assert_int_equal(series.steady_from, 6);
    assert_int_equal(describe(values, 30).steady_from, 0);
    assert_true(series.warm_up_ratio < .53);
    values[0] = 20;
    assert_int_equal(sy_series_describe(values, 5, &more, &series, NULL), SY_OK);
    assert_true(series.first_stands_out);
    assert_true(fabs(series.first_ratio - 20. / 52) < 1e-12);
}

static void quantiles_are_left_open_where_runs_are_few(void **state)
{
    double values[100];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        values[i] = 1 + (double)(i * 37 % 100);
    series = describe(values, 5);
    assert_true(series.quantiles[SY_SERIES_MEDIAN].value == 38);
    assert_true(fabs(series.quantiles[SY_SERIES_MEDIAN].level - .9375) < 1e-12);
    assert_true(series.quantiles[SY_SERIES_MEDIAN].low == series.minimum);
    assert_true(isnan(series.quantiles[0].value) && isnan(series.quantiles[4].value));
    series = describe(values, 19);
    assert_true(isnan(series.quantiles[4].value));
    series = describe(values, 20);
    assert_true(isfinite(series.quantiles[4].value) && isnan(series.quantiles[5].value));
    series = describe(values, 100);
    assert_true(series.quantiles[5].value == 99 && isnan(series.quantiles[5].high));
    assert_true(series.quantiles[1].value == 25 && series.quantiles[3].value == 75);
    assert_true(series.quantiles[SY_SERIES_MEDIAN].value == 50.5);
    /* Ranks 40 and 61 of 100 (P(B <= 39) = .0176, P(B <= 40) = .0284) */
    assert_true(series.quantiles[SY_SERIES_MEDIAN].low == 40 && series.quantiles[SY_SERIES_MEDIAN].high == 61);
    assert_true(series.median_deviation == 25);
    assert_true(series.mean == 50.5);
}

static void one_value_and_equal_values_are_described(void **state)
{
    const double values[] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    sy_series series = describe(values, 1);

    (void)state;
    assert_true(series.quantiles[SY_SERIES_MEDIAN].value == 7);
    assert_true(isnan(series.quantiles[SY_SERIES_MEDIAN].low) && isnan(series.quantiles[SY_SERIES_MEDIAN].level));
    assert_true(isnan(series.lag1) && isnan(series.change));
    series = describe(values, 12);
    assert_int_equal(series.distinct, 1);
    assert_int_equal(series.course, SY_SERIES_LEVEL);
    assert_int_equal(series.slow_outliers + series.fast_outliers + series.lower_mode_count, 0);
    assert_false(series.correlated);
}

static void outliers_are_counted_and_stay(void **state)
{
    double values[40];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        values[i] = 100 + (double)(i * 17 % 40) / 40;
    values[20] = 140;
    values[30] = 60;
    values[33] = 104; /* far for the quartiles, but less than 5 % */
    series = describe(values, 40);
    assert_int_equal(series.slow_outliers, 1);
    assert_int_equal(series.fast_outliers, 1);
    assert_true(series.maximum == 140 && series.used == 40);
}

static void runs_that_resemble_their_neighbours_are_said_to(void **state)
{
    sy_random random;
    double values[100];
    double at = 0;

    (void)state;
    sy_random_start(&random, 5, "series-test");
    for (size_t i = 0; i < 100; i++) {
        at = .8 * at + sy_random_normal(&random);
        values[i] = 1000 * exp(.01 * at);
    }
    assert_true(describe(values, 100).correlated);
    for (size_t i = 0; i < 100; i++)
        values[i] = 1000 * exp(.01 * sy_random_normal(&random));
    assert_false(describe(values, 100).correlated);
}

static void a_step_is_looked_for_in_what_the_clock_told(void **state)
{
    double values[20];
    sy_series series;

    (void)state;
    for (size_t i = 0; i < 20; i++)
        values[i] = (100000 + 1000 * (double)(i * 3 % 7)) / 3;
    assert_int_equal(sy_series_describe(values, 20, &(sy_series_options){.95, 3, 0, false}, &series, NULL), SY_OK);
    assert_true(series.step == 1000);
    assert_int_equal(series.distinct, 7);
    assert_int_equal(sy_series_describe(values, 20, &(sy_series_options){.95, 3, 999, false}, &series, NULL), SY_OK);
    assert_true(series.step == 0);
    assert_true(describe(values, 20).step == 0);
}

static void a_series_that_cannot_be_one_is_refused(void **state)
{
    const double bad[] = {1, 2, NAN};
    const double zero[] = {1, 0, 2};
    sy_series series = {.count = 99};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_series_describe(bad, 3, &usual, &series, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 2 is not finite");
    assert_int_equal(sy_series_describe(bad, 0, &usual, &series, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_series_describe(zero, 3, &usual, &series, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a series with a value of 0: all must be above 0");
    assert_int_equal(sy_series_describe(bad, 2, &(sy_series_options){1, 1, 0, false}, &series, &err),
                     SY_INVALID_ARGUMENT);
    assert_int_equal(series.count, 99);
}

static sy_status describe_once(void *user)
{
    double values[20];

    for (size_t i = 0; i < 20; i++)
        values[i] = i < 6 ? 20 + (double)i : 10 + .01 * (double)(i * 7 % 11);
    return sy_series_describe(values, 20, &usual, user, NULL);
}

static void memory_that_fails_is_reported(void **state)
{
    sy_series series;

    (void)state;
    assert_true(fault_loop_allocations(describe_once, &series, true) > 5);
    assert_int_equal(series.steady_from, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sta_1_the_first_sample_is_flagged_in_every_row_and_every_row_still_warms_up),
        cmocka_unit_test(sta_1_the_clock_ticks_in_32_ns),
        cmocka_unit_test(sta_5_two_modes_of_either_side_are_seen),
        cmocka_unit_test(cmd_3_work_that_is_skipped_makes_two_modes),
        cmocka_unit_test(cmd_3_one_slow_first_run_is_set_aside),
        cmocka_unit_test(two_modes_are_seen_past_a_spike),
        cmocka_unit_test(neighbouring_ticks_are_no_modes),
        cmocka_unit_test(a_ramp_is_a_course_and_a_quiet_series_is_none),
        cmocka_unit_test(a_warm_up_is_in_no_figure_of_what_follows),
        cmocka_unit_test(where_more_is_better_a_warm_up_begins_with_less),
        cmocka_unit_test(quantiles_are_left_open_where_runs_are_few),
        cmocka_unit_test(one_value_and_equal_values_are_described),
        cmocka_unit_test(outliers_are_counted_and_stay),
        cmocka_unit_test(runs_that_resemble_their_neighbours_are_said_to),
        cmocka_unit_test(a_step_is_looked_for_in_what_the_clock_told),
        cmocka_unit_test(a_series_that_cannot_be_one_is_refused),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
