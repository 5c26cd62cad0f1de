/* SPDX-License-Identifier: Apache-2.0 */
/* What a series says of itself, on series that people met and on made-up ones: the headline never hides what stands in
 * the median's way. */
#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include <steelyard/measure.h>

#include "fault_loop.h"
#include "probe/measure/measuring.h"

static sy_measure_result *describe(const sy_metric *metric, const double *values, size_t count)
{
    sy_measure_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_measure_describe("x", metric, values, count, .95, &result, &err))
        fail_msg("%s", err.what);
    return result;
}

static void expect_finding(const sy_measure_result *result, const char *word, const char *text)
{
    const sy_measure_series *series = &result->series[0];
    for (size_t i = 0; i < series->finding_count; i++) {
        if (strcmp(series->findings[i].word, word) != 0)
            continue;
        if (strcmp(series->findings[i].text, text) != 0)
            fail_msg("%s: %s; expected: %s", word, series->findings[i].text, text);
        return;
    }
    fail_msg("no finding %s", word);
}

static void expect_no_finding(const sy_measure_result *result, const char *word)
{
    for (size_t i = 0; i < result->series[0].finding_count; i++)
        assert_string_not_equal(result->series[0].findings[i].word, word);
}

static void expect_headline(const sy_measure_result *result, const char *headline)
{
    assert_string_equal(result->series[0].headline, headline);
}

/* STA-1, configuration 896 of the public tuning file, which led by the median and lost by the mean. */
static void sta_1_seven_runs_that_warm_up_say_so(void **state)
{
    (void)state;
    const double values[] = {129312, 37312, 28128, 25024, 24128, 24768, 23744};
    sy_measure_result *result = describe(NULL, values, 7);
    /* Thirds of two: (129312 + 37312) / 2 = 83312, (24768 + 23744) / 2 = 24256: 70.9 % less. Interval: least to most,
     * 1 - 2 / 2^7 = 98.4 %. One couple of 21 rises: (1 + 6) / 5040. */
    expect_headline(result, "still warming up: the last third is 71 % faster than the first; median 25.0 us "
                            "(98 %: 23.7..129.3), n = 7");
    expect_finding(result, "warming-up",
                   "still warming up: the last third is 71 % faster than the first (Mann-Kendall, p = 0.001)");
    expect_finding(result, "first-run", "the first run took 5.17 times the median");
    expect_finding(result, "timer-step", "timer step 32.0 ns: the times take 7 different values");
    expect_finding(result, "few-runs", "few: modes or a warm-up do not show in 7 runs");
    assert_int_equal(result->series[0].steady_from, 0);
    sy_measure_result_destroy(result);
}

static void cmd_3_skipped_work_is_two_groups_and_no_mean(void **state)
{
    (void)state;
    double values[24];
    for (size_t i = 0; i < 24; i++)
        values[i] = 1e6 * (i % 5 == 1 ? 11 + .013 * (double)i : 743 + .37 * (double)(i * 5 % 7));
    sy_measure_result *result = describe(NULL, values, 24);
    expect_headline(result, "two modes: 11.1 ms in 5 of 24 runs, 744 ms in 19, changed 10 times");
    assert_true(strstr(result->series[0].headline, "590") == NULL);
    sy_measure_result_destroy(result);
}

static void cmd_3_one_build_before_skipped_ones_is_a_warm_up(void **state)
{
    (void)state;
    double values[14] = {413, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3};
    for (size_t i = 0; i < 14; i++)
        values[i] = values[i] * 1e6 + (double)(i * 37 % 11);
    sy_measure_result *result = describe(NULL, values, 14);
    expect_headline(result, "median 4.0000 ms (97 %: 4.0000..4.0000), n = 13 after a warm-up of 1");
    expect_finding(result, "warm-up",
                   "warm-up: the first of 14 runs took 103 times as long as the rest; no figure counts it");
    sy_measure_result_destroy(result);
}

static void sta_5_two_modes_are_named_with_both_figures(void **state)
{
    (void)state;
    const double base[] = {114.97, 100, 100, 114.97, 100, 100, 100, 114.97, 100, 114.97};
    static const sy_metric metric = {"score", "", false};
    sy_measure_result *result = describe(&metric, base, 10);
    expect_finding(result, "two-modes",
                   "two modes: 100 in 6 of 10 runs, 115 in 4, changed 6 times; no one figure stands "
                   "for both");
    sy_measure_result_destroy(result);
}

static void a_coarse_clock_stands_before_the_median(void **state)
{
    (void)state;
    double values[20];
    for (size_t i = 0; i < 20; i++)
        values[i] = 32 * (double)(10 + i * 3 % 7);
    sy_measure_result *result = describe(NULL, values, 20);
    expect_headline(result,
                    "timer step 32.0 ns: the times take 7 different values; median 416 ns (95 %: 352..480), n = "
                    "20");
    assert_string_equal(result->series[0].findings[0].word, "timer-step");
    assert_int_equal(result->series[0].mode_count, 1);
    sy_measure_result_destroy(result);
}

static void where_more_is_better_the_words_turn_round(void **state)
{
    (void)state;
    static const sy_metric tokens = {"json:/speed", "tokens/s", true};
    double values[30];
    for (size_t i = 0; i < 30; i++)
        values[i] = 50 + .5 * (double)i + .1 * (double)(i * 7 % 11);
    sy_measure_result *result = describe(&tokens, values, 30);
    assert_string_equal(result->series[0].findings[0].word, "warming-up");
    assert_true(strstr(result->series[0].headline, "higher than the first") != NULL);
    assert_true(strstr(result->series[0].headline, "tokens/s") != NULL);
    sy_measure_result_destroy(result);
    for (size_t i = 0; i < 30; i++)
        values[i] = 100 - .5 * (double)i + .1 * (double)(i * 7 % 11);
    result = describe(&tokens, values, 30);
    assert_string_equal(result->series[0].findings[0].word, "slowing-down");
    assert_true(strstr(result->series[0].headline, "lower than the first") != NULL);
    sy_measure_result_destroy(result);
}

static void outliers_are_counted_in_words(void **state)
{
    (void)state;
    double values[40];
    for (size_t i = 0; i < 40; i++)
        values[i] = 1e6 + 1e3 * (double)(i * 17 % 41);
    values[20] = 2.5e6;
    values[30] = .5e6;
    sy_measure_result *result = describe(NULL, values, 40);
    const sy_measure_series *series = &result->series[0];
    assert_string_equal(series->findings[series->finding_count - 2].text,
                        "outliers: 1 of 40 runs are far slower than the others, up to 2.50 ms");
    assert_string_equal(series->findings[series->finding_count - 1].text,
                        "outliers: 1 of 40 runs are far faster than the others, down to 500 us");
    sy_measure_result_destroy(result);
}

static void one_run_and_equal_runs_promise_nothing(void **state)
{
    (void)state;
    const double one[] = {16.2e6};
    double equal[12];
    sy_measure_result *result = describe(NULL, one, 1);
    expect_headline(result, "median 16.2 ms, n = 1");
    expect_finding(result, "few-runs", "few: modes or a warm-up do not show in 1 run");
    sy_measure_result_destroy(result);
    for (size_t i = 0; i < 12; i++)
        equal[i] = 5e3;
    result = describe(NULL, equal, 12);
    expect_headline(result, "median 5.00 us (96 %: 5.00..5.00), n = 12");
    expect_no_finding(result, "timer-step");
    assert_int_equal(result->series[0].finding_count, 0);
    sy_measure_result_destroy(result);
}

static void values_are_written_in_their_unit(void **state)
{
    static const struct {
        double value;
        const char *unit;
        const char *text;
    } values[] = {
        {831, "ns", "831 ns"},     {999.6, "ns", "1.00 us"},      {16.24e6, "ns", "16.2 ms"}, {2.5e9, "ns", "2.50 s"},
        {5.43e12, "ns", "5430 s"}, {1572864, "bytes", "1.5 MiB"}, {33.14, "", "33.1"},        {1e9, "", "1e+09"},
        {.5, "GB/s", "0.50 GB/s"}, {0, "ns", "0.00 ns"},          {NAN, "ns", "-"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char to[SY_MEASURE_VALUE_SIZE];
        assert_string_equal(sy_measure_value(to, values[i].value, values[i].unit), values[i].text);
    }
}

static void what_cannot_be_a_series_is_refused(void **state)
{
    (void)state;
    const double bad[] = {1, NAN};
    const double negative[] = {1, -2, 3};
    sy_measure_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_measure_describe("x", NULL, bad, 2, .95, &result, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "sample 1 is not finite");
    assert_int_equal(sy_measure_describe("x", NULL, negative, 3, .95, &result, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a series with a value of -2: all must be above 0");
    assert_int_equal(sy_measure_describe("x", NULL, bad, 0, .95, &result, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a series of 0 values");
    assert_null(result);
}

static void memory_is_told_in_units_that_people_read(void **state)
{
    static const sy_metric memory = {"memory", "bytes", false};
    const double values[] = {1769472, 1966080, 1638400, 1900544, 1572864, 1703936, 1835008};
    sy_measure_result *result = describe(&memory, values, 7);
    (void)state;
    expect_headline(result, "median 1.69 MiB (98 %: 1.50..1.88), n = 7");
    sy_measure_result_destroy(result);
}

static sy_status describe_once(void *user)
{
    (void)user;
    double values[20];
    sy_measure_result *result = NULL;
    for (size_t i = 0; i < 20; i++)
        values[i] = i < 6 ? 20 + (double)i : 10 + .01 * (double)(i * 7 % 11);
    sy_status status = sy_measure_describe("x", NULL, values, 20, .95, &result, NULL);
    sy_measure_result_destroy(result);
    return status;
}

static void memory_that_fails_is_reported(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(describe_once, NULL, true) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sta_1_seven_runs_that_warm_up_say_so),
        cmocka_unit_test(cmd_3_skipped_work_is_two_groups_and_no_mean),
        cmocka_unit_test(cmd_3_one_build_before_skipped_ones_is_a_warm_up),
        cmocka_unit_test(sta_5_two_modes_are_named_with_both_figures),
        cmocka_unit_test(a_coarse_clock_stands_before_the_median),
        cmocka_unit_test(where_more_is_better_the_words_turn_round),
        cmocka_unit_test(outliers_are_counted_in_words),
        cmocka_unit_test(one_run_and_equal_runs_promise_nothing),
        cmocka_unit_test(values_are_written_in_their_unit),
        cmocka_unit_test(what_cannot_be_a_series_is_refused),
        cmocka_unit_test(memory_is_told_in_units_that_people_read),
        cmocka_unit_test(memory_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
