/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's findings as JSON, against an example written by hand from docs/formats.md, and as text that fits. */
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "text_width.h"

static const sy_doctor_check checks[] = {
    {"timer", "steps of 1 ns, a look takes 25 ns, from tsc", 1, "ns", SY_DOCTOR_GOOD,
     "Runs of 100 ns and more are timed to 1 %.", ""},
    {"load", "others keep 0.83 of 2 processors busy", 0.83, "processors", SY_DOCTOR_BAD, "What runs beside takes time.",
     "python3 (4711) takes 83 % of a processor: stop it, or pin with taskset -c 1"},
    {"smt", "on", NAN, "", SY_DOCTOR_LOOK, "Two processors are one core.", ""},
    {"heat", "", NAN, "", SY_DOCTOR_UNKNOWN, "The system does not tell.", ""},
};

static sy_doctor_result example(void)
{
    return (sy_doctor_result){
        .checks = checks,
        .check_count = 4,
        .verdict = SY_DOCTOR_BAD,
        .first = 1,
        .advice = "load: python3 (4711) takes 83 % of a processor: stop it, or pin with taskset -c 1",
        .timer_step_ns = 1,
        .timer_look_ns = 25,
        .noise = 0.0078125,
        .resolvable_gain = 0.0341,
        .target_gain = 0.05,
        .max_pairs = 60,
        .min_improvement = 0.03,
        .alpha = 0.05,
        .beta = 0.2,
        .observed_ns = 1e9,
    };
}

static void the_json_form_is_the_example_of_the_format(void **state)
{
    (void)state;
    const sy_doctor_result result = example();
    char *expected = NULL;
    size_t size = 0;
    char *json = NULL;
    assert_int_equal(sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/doctor/doctor.json", 0, &expected, &size, NULL),
                     SY_OK);
    assert_int_equal(sy_report_doctor_json(&result, &json, NULL), SY_OK);
    assert_string_equal(json, expected);
    sy_text_free(json);
    sy_free(expected);
}

static char *text_of(const sy_doctor_result *result, uint32_t columns)
{
    sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    style.columns = columns;
    assert_int_equal(sy_report_doctor(result, &style, &text, NULL), SY_OK);
    expect_narrow(text, columns);
    return text;
}

static void a_wide_page_has_a_row_a_check(void **state)
{
    (void)state;
    const sy_doctor_result result = example();
    char *text = text_of(&result, 80);
    assert_string_equal(text, "This machine shows a gain of 3.5 % or more now: 4 times in 5, with 60 pairs,\n"
                              "where at least 3 % is asked for.\n"
                              "\n"
                              "Check  Verdict  What was found, and what it means\n"
                              "--------------------------------------------------------------------------------\n"
                              "timer  good     steps of 1 ns, a look takes 25 ns, from tsc. Runs of 100 ns and\n"
                              "                more are timed to 1 %.\n"
                              "load   bad      others keep 0.83 of 2 processors busy. What runs beside takes\n"
                              "                time. To do: python3 (4711) takes 83 % of a processor: stop it,\n"
                              "                or pin with taskset -c 1.\n"
                              "smt    look     on. Two processors are one core.\n"
                              "heat   unknown  The system does not tell.\n"
                              "\n"
                              "Mend first: load: python3 (4711) takes 83 % of a processor: stop it, or pin with\n"
                              "  taskset -c 1.\n");
    sy_text_free(text);
}

static void a_narrow_page_has_a_paragraph_a_check(void **state)
{
    (void)state;
    sy_doctor_result result = example();
    char *text = text_of(&result, 40);
    assert_non_null(strstr(text, "\nsmt: look\n  on. Two processors are one core.\n"));
    assert_non_null(strstr(text, "\nheat: unknown\n  The system does not tell.\n"));
    assert_non_null(strstr(text, "Mend first: load: python3 (4711)"));
    sy_text_free(text);
    for (uint32_t columns = 40; columns <= 200; columns++)
        sy_text_free(text_of(&result, columns));
}

static void what_was_not_measured_and_need_not_be_mended_is_said_so(void **state)
{
    (void)state;
    sy_doctor_result result = example();
    result.resolvable_gain = NAN;
    result.first = result.check_count;
    result.advice = "";
    char *text = text_of(&result, 80);
    assert_non_null(strstr(text, "nothing was measured"));
    assert_non_null(strstr(text, "\nNothing is to be mended.\n"));
    sy_text_free(text);
    result = example();
    result.first = 2;
    result.advice = "smt: pin";
    text = text_of(&result, 80);
    assert_non_null(strstr(text, "\nCould be mended: smt: pin.\n"));
    sy_text_free(text);
}

static sy_status json_scenario(void *user)
{
    char *json = NULL;
    sy_status status = sy_report_doctor_json(user, &json, NULL);
    sy_text_free(json);
    return status;
}

static sy_status text_scenario(void *user)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    sy_status status = sy_report_doctor(user, &style, &text, NULL);
    sy_text_free(text);
    return status;
}

static void short_memory_gives_no_text(void **state)
{
    (void)state;
    sy_doctor_result result = example();
    assert_true(fault_loop_allocations(json_scenario, &result, true) > 2);
    assert_true(fault_loop_allocations(text_scenario, &result, true) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_json_form_is_the_example_of_the_format),
        cmocka_unit_test(a_wide_page_has_a_row_a_check),
        cmocka_unit_test(a_narrow_page_has_a_paragraph_a_check),
        cmocka_unit_test(what_was_not_measured_and_need_not_be_mended_is_said_so),
        cmocka_unit_test(short_memory_gives_no_text),
    };
    return cmocka_run_group_tests_name("report_doctor", tests, NULL, NULL);
}
