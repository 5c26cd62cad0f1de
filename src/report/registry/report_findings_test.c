/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as lines and as JSON, against texts written by hand; hostile texts; a lack of memory. */
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"

static const sy_finding findings[] = {
    {.rule = "field-type",
     .file = "benchmarks/profile_matrix.json",
     .position = {40, 3, 21},
     .pointer = "/schema_version",
     .message = "'schema_version' must be a whole number",
     .found = "true",
     .expected = "1"},
    {.rule = "file-missing", .file = "experiments/RUNS.md", .message = "there is no such file"},
    {.rule = "gate-id-unique",
     .file = "benchmarks/benchmark_registry.json",
     .position = {9000, 212, 7},
     .pointer = "/gates/3/id",
     .message = "an earlier gate has this id",
     .found = "\"a.b\""},
};

static const sy_finding notes[] = {
    {.rule = "ready-with-open-gates",
     .file = "benchmarks/profile_matrix.json",
     .position = {700, 80, 5},
     .pointer = "/cells/0",
     .message = "the cell is called ready, and 2 of its gates are open",
     .expected = "evidence-gap"},
};

static const sy_finding_list both = {findings, 3, notes, 1};

static char *text_of(const sy_finding_list *list, bool color, bool utf8)
{
    const sy_report_style style = {.columns = 60, .color = color, .utf8 = utf8};
    char *text = NULL;

    assert_int_equal(sy_report_findings(list, &style, &text, NULL), SY_OK);
    return text;
}

static void a_finding_is_one_line_however_long_and_notes_come_last(void **state)
{
    char *text = text_of(&both, false, true);

    (void)state;
    assert_string_equal(text,
                        "benchmarks/profile_matrix.json:3:21: field-type: 'schema_version' must be a whole number "
                        "(found true, expected 1)\n"
                        "experiments/RUNS.md:0:0: file-missing: there is no such file\n"
                        "benchmarks/benchmark_registry.json:212:7: gate-id-unique: an earlier gate has this id "
                        "(found \"a.b\")\n"
                        "benchmarks/profile_matrix.json:80:5: note: ready-with-open-gates: the cell is called ready, "
                        "and 2 of its gates are open (expected evidence-gap)\n"
                        "3 findings, 1 note\n");
    sy_text_free(text);
}

static void nothing_found_is_said(void **state)
{
    const sy_finding_list none = {NULL, 0, NULL, 0};
    const sy_finding_list one = {findings, 1, notes, 0};
    char *text = text_of(&none, false, true);

    (void)state;
    assert_string_equal(text, "no findings, no notes\n");
    sy_text_free(text);
    text = text_of(&one, false, true);
    assert_non_null(strstr(text, "\n1 finding, no notes\n"));
    sy_text_free(text);
}

static void colour_only_decorates(void **state)
{
    char *plain = text_of(&both, false, true);
    char *colored = text_of(&both, true, true);
    char *to = colored;

    (void)state;
    assert_non_null(strstr(colored, "\033["));
    for (const char *at = colored; *at != '\0';) {
        if (*at == '\033') {
            at += strcspn(at, "m") + 1;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    assert_string_equal(colored, plain);
    sy_text_free(plain);
    sy_text_free(colored);
}

static void what_files_say_steers_no_terminal_and_adds_no_line(void **state)
{
    const sy_finding hostile = {.rule = "field-blank", .file = "a\nb", .message = "\033[2Jx", .found = "\xc3\xa9\t"};
    const sy_finding_list list = {&hostile, 1, NULL, 0};
    char *text = text_of(&list, false, false);

    (void)state;
    assert_string_equal(text, "a b:0:0: field-blank: \\x1b[2Jx (found \\u00e9 )\n1 finding, no notes\n");
    sy_text_free(text);
}

static void the_json_form_is_the_example_of_the_format(void **state)
{
    char *expected = NULL;
    size_t size = 0;
    char *json = NULL;

    (void)state;
    assert_int_equal(sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/registry/findings.json", 0, &expected, &size, NULL),
                     SY_OK);
    assert_int_equal(sy_report_findings_json(&both, "/home/me/project", &json, NULL), SY_OK);
    assert_string_equal(json, expected);
    sy_text_free(json);
    sy_free(expected);
}

static sy_status scenario(void *user)
{
    sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    char *json = NULL;
    sy_status status = sy_report_findings(&both, &style, &text, NULL);

    (void)user;
    if (status == SY_OK)
        status = sy_report_findings_json(&both, "/r", &json, NULL);
    sy_text_free(text);
    sy_text_free(json);
    return status;
}

static void a_lack_of_memory_is_said(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) > 2);
    assert_true(fault_loop_allocations(scenario, NULL, false) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_is_one_line_however_long_and_notes_come_last),
        cmocka_unit_test(nothing_found_is_said),
        cmocka_unit_test(colour_only_decorates),
        cmocka_unit_test(what_files_say_steers_no_terminal_and_adds_no_line),
        cmocka_unit_test(the_json_form_is_the_example_of_the_format),
        cmocka_unit_test(a_lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
