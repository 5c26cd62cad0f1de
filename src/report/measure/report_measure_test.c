/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a measurement's report: widths, both character sets, JSON that reads back, CSV and Markdown that hostile
 * names cannot break, no memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"
#include "report/measure/report_measure.h"
#include "report/page/strip.h"
#include "text_width.h"

static sy_measure_result *example(const char *name)
{
    double values[40];
    sy_measure_result *result = NULL;

    for (size_t i = 0; i < 40; i++)
        values[i] = (i < 5 ? 2.1 : 1) * (16e6 + 1e4 * (double)(i * 17 % 41) + (double)(i * 5 % 7));
    values[20] = 45e6;
    assert_int_equal(sy_measure_describe(name, NULL, values, 40, .95, &result, NULL), SY_OK);
    result->implementation = "onednn";
    result->backend = "cpu";
    result->parity = SY_PARITY_PASSED;
    result->wall_ns = UINT64_C(1200000000);
    result->timer = "CLOCK_MONOTONIC_RAW";
    result->timer_resolution_ns = 20;
    result->memory_bytes = 1572864;
    return result;
}

static char *text_of(const sy_measure_result *result, uint32_t columns, bool utf8)
{
    sy_report_style style = {columns, false, utf8, false};
    char *text = NULL;

    assert_int_equal(sy_report_measure(result, &style, &text, NULL), SY_OK);
    return text;
}

static void expect_part(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void the_headline_stands_first_and_the_figures_behind(void **state)
{
    sy_measure_result *result = example("square-512");
    char *text = text_of(result, 100, false);

    (void)state;
    expect_part(text, "square-512, onednn on cpu\n\nmedian 16.2 ms (95 %: 16.1..16.3), n = 35 after a warm-up of 5\n");
    expect_part(text, "  warm-up: the first 5 of 40 runs took 2.09 times as long as the rest; no figure counts them\n");
    expect_part(text, "  outliers: 1 of 35 runs are far slower than the others, up to 45.0 ms\n");
    expect_part(text, "median    16.2 ms  16.1 ms  16.3 ms  95.9 %\n");
    expect_part(text, "\nmost      45.0 ms\n");
    expect_part(text, "spread       16.0 ms "); /* the outlier does not squeeze the others */
    expect_part(text, " 16.4 ms\n");
    assert_null(strstr(text, "99 %"));
    expect_part(text, "runs         40; correlation with the run before");
    expect_part(text, "time         1.20 s in all, by CLOCK_MONOTONIC_RAW, whose step is 20.0 ns or less\n");
    expect_part(text, "memory       1.5 MiB at its peak\n");
    free(text);
    sy_measure_result_destroy(result);
}

static void every_width_is_kept(void **state)
{
    static const uint32_t widths[] = {40, 57, 60, 80, 120, 200};
    sy_measure_result *result = example("square-512-with-quite-a-long-name-of-a-case-that-goes-on-and-on");

    (void)state;
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        for (int utf8 = 0; utf8 < 2; utf8++) {
            char *text = text_of(result, widths[i], utf8 != 0);

            expect_narrow(text, widths[i]);
            expect_part(text, "spread");
            free(text);
        }
    }
    sy_measure_result_destroy(result);
}

static void without_utf8_all_is_ascii(void **state)
{
    sy_measure_result *result = example("caf\xc3\xa9");
    char *text = text_of(result, 80, false);
    sy_report_style colored = {80, true, true, true};

    (void)state;
    for (const char *at = text; *at != '\0'; at++)
        assert_true(*at == '\n' || (*at >= ' ' && *at < 127));
    free(text);
    assert_int_equal(sy_report_measure(result, &colored, &text, NULL), SY_OK);
    expect_part(text, "\033[1;32m");
    expect_part(text, "\xe2\x96\x88");
    free(text);
    sy_measure_result_destroy(result);
}

static void what_was_not_measured_says_why(void **state)
{
    sy_measure_result *result = example("c");
    sy_measure_series *series = (sy_measure_series *)result->series;
    char *text;

    (void)state;
    result->measured = false;
    result->reason = "parity";
    result->error = "f: c, real stage: 3 of 64 elements are wrong";
    result->parity = SY_PARITY_FAILED;
    series->run_count = series->usable_count = series->steady_count = 0;
    series->finding_count = 0;
    text = text_of(result, 80, false);
    assert_true(strncmp(text, "not measured: f: c, real stage: 3 of 64 elements are wrong\n", 59) == 0);
    expect_part(text, "outputs      failed");
    assert_null(strstr(text, "median"));
    free(text);
    assert_int_equal(sy_report_measure_csv(result, &text, NULL), SY_OK);
    assert_string_equal(text, "case,run,begin_ns,metric,unit,value,steady,switches,unusable\n");
    free(text);
    assert_int_equal(sy_report_measure_markdown(result, &text, NULL), SY_OK);
    expect_part(text, "| c | 0 | - | - | - | - | - | f: c, real stage: 3 of 64 elements are wrong |\n");
    free(text);
    sy_measure_result_destroy(result);
}

static double number_at(const sy_json *json, const sy_json_value *object, const char *name)
{
    double value = NAN;

    assert_int_equal(sy_json_get_double(json, sy_json_member(object, name), &value, NULL), SY_OK);
    return value;
}

static void json_holds_every_run_and_figure(void **state)
{
    sy_measure_result *result = example("square-512");
    const sy_json_value *series;
    const sy_json_value *runs;
    sy_json *json = NULL;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_measure_json(result, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    assert_string_equal(sy_json_member(sy_json_root(json), "schema")->text, "steelyard.measure/1");
    series = sy_json_element(sy_json_member(sy_json_root(json), "series"), 0);
    runs = sy_json_member(series, "runs");
    assert_true(number_at(json, series, "median") == result->series[0].quantiles[2].value);
    assert_true(number_at(json, series, "steady_from") == 5);
    assert_true(number_at(json, series, "maximum") == 45e6);
    for (size_t i = 0; i < 40; i++)
        assert_true(number_at(json, sy_json_element(runs, i), "value") == result->series[0].runs[i].value);
    assert_null(sy_json_element(runs, 40));
    /* What is not known is null, never 0. */
    assert_int_equal(sy_json_member(series, "timer_step")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(sy_json_element(runs, 0), "switches")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(sy_json_element(sy_json_member(series, "quantiles"), 5), "value")->kind,
                     SY_JSON_NULL);
    sy_json_destroy(json);
    free(text);
    sy_measure_result_destroy(result);
}

static void csv_has_a_line_a_run(void **state)
{
    sy_measure_result *result = example("a,\"b\"");
    sy_timed_run *runs = (sy_timed_run *)result->series[0].runs;
    char *text = NULL;
    size_t lines = 0;

    (void)state;
    runs[2].unusable = "crashed";
    runs[2].value = NAN;
    runs[3].switches = 4;
    runs[3].begin_ns = 77;
    assert_int_equal(sy_report_measure_csv(result, &text, NULL), SY_OK);
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 41);
    expect_part(text, "\n\"a,\"\"b\"\"\",0,0,wall,ns,33600000,0,,\n");
    expect_part(text, "\n\"a,\"\"b\"\"\",2,0,wall,ns,,0,,crashed\n");
    expect_part(text, "\n\"a,\"\"b\"\"\",3,77,wall,ns,3381");
    expect_part(text, ",0,4,\n");
    expect_part(text, ",39,0,wall,ns,16070006,1,,\n");
    free(text);
    sy_measure_result_destroy(result);
}

static void markdown_is_not_broken_by_names(void **state)
{
    sy_measure_result *result = example("a|b`c<img src=x>\nd");
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_measure_markdown(result, &text, NULL), SY_OK);
    expect_part(text, "| a\\|b\\`c&lt;img src=x> d | 35 |");
    assert_null(strstr(text, "<img"));
    expect_part(text, " | 16.2 ms | 16.1 ms .. 16.3 ms (95 %) | ");
    expect_part(text, "- a\\|b\\`c&lt;img src=x> d: outliers: ");
    free(text);
    sy_measure_result_destroy(result);
}

static void a_strip_shows_where_values_lie_and_how_they_went_on(void **state)
{
    const double values[] = {0, 1, 1, 1, 1, 10};
    const double rising[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    sy_report_style style = {80, false, false, false};
    sy_page page;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_page_start(&page, &style, NULL), SY_OK);
    sy_strip_spread(&page, values, 6, 0, 10, 10);
    sy_text_append(&page.text, "|");
    assert_int_equal(sy_strip_course(&page, rising, 10, 0, 9, 5), 5);
    sy_text_append(&page.text, "|");
    assert_int_equal(sy_strip_course(&page, values, 2, 3, 3, 5), 2); /* no range at all */
    assert_int_equal(sy_page_take(&page, &text, NULL), SY_OK);
    assert_string_equal(text, ":@       :|.-+*@|..");
    free(text);
}

static void a_page_too_narrow_is_refused(void **state)
{
    sy_measure_result *result = example("c");
    sy_report_style style = {39, false, false, false};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_measure(result, &style, &text, NULL), SY_INVALID_ARGUMENT);
    assert_null(text);
    sy_measure_result_destroy(result);
}

typedef struct report_call {
    const sy_measure_result *result;
    int form;
} report_call;

static sy_status report_once(void *user)
{
    const report_call *call = user;
    sy_report_style style = {80, true, true, true};
    char *text = NULL;
    sy_status status = call->form == 0   ? sy_report_measure(call->result, &style, &text, NULL)
                       : call->form == 1 ? sy_report_measure_json(call->result, &text, NULL)
                       : call->form == 2 ? sy_report_measure_csv(call->result, &text, NULL)
                                         : sy_report_measure_markdown(call->result, &text, NULL);

    sy_text_free(text);
    return status;
}

static void memory_that_fails_is_reported(void **state)
{
    sy_measure_result *result = example("c");

    (void)state;
    for (int form = 0; form < 4; form++) {
        report_call call = {result, form};

        assert_true(fault_loop_allocations(report_once, &call, true) > 1);
    }
    sy_measure_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_headline_stands_first_and_the_figures_behind),
        cmocka_unit_test(every_width_is_kept),
        cmocka_unit_test(without_utf8_all_is_ascii),
        cmocka_unit_test(what_was_not_measured_says_why),
        cmocka_unit_test(json_holds_every_run_and_figure),
        cmocka_unit_test(csv_has_a_line_a_run),
        cmocka_unit_test(markdown_is_not_broken_by_names),
        cmocka_unit_test(a_strip_shows_where_values_lie_and_how_they_went_on),
        cmocka_unit_test(a_page_too_narrow_is_refused),
        cmocka_unit_test(memory_that_fails_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
