/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as a table of every width, as lines for programs and as JSON. */
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "text_width.h"

static const sy_gate_row rows[] = {
    {"io.cuda.bin1.cold", "I/O", "cold load", "CUDA", "Linux workstation", "pending", "\xe2\x97\x8b Pending", "load",
     "Measure it.", 1, true, true},
    {"dpc.swift.full-suite", "DPC", "suite", "Native Swift/Metal", "MacBook Pro (M5, 24 GB)", "measured",
     "\xe2\x9c\x93 Measured", "dpc-parity", "", 3, false, false},
};

static char *text_of(size_t total, uint32_t columns, bool utf8)
{
    const sy_report_style style = {.columns = columns, .utf8 = utf8};
    char *text = NULL;

    assert_int_equal(sy_report_gates(rows, 2, total, &style, &text, NULL), SY_OK);
    expect_narrow(text, columns);
    return text;
}

static void a_wide_table_has_all_columns(void **state)
{
    char *text = text_of(2, 120, true);

    (void)state;
    assert_non_null(strstr(text, "P  State       Gate                  Platform            Computer                 "
                                 "Runbook\n"));
    assert_non_null(strstr(text,
                           "1  \xe2\x97\x8b Pending   io.cuda.bin1.cold     CUDA                Linux workstation  "
                           "      load\n"));
    assert_non_null(strstr(text, "\n2 gates\n"));
    sy_text_free(text);
}

static void in_ascii_the_state_is_a_word(void **state)
{
    char *text = text_of(56, 60, false);

    (void)state;
    assert_non_null(strstr(text, "1  pending "));
    assert_null(strstr(text, "\\u"));
    assert_non_null(strstr(text, "\n2 of 56 gates; all: --limit 56\n"));
    sy_text_free(text);
}

static void every_width_is_kept_and_every_gate_is_there(void **state)
{
    (void)state;
    for (uint32_t columns = 40; columns <= 200; columns++) {
        char *text = text_of(2, columns, columns % 2 == 0);

        assert_non_null(strstr(text, "io.cuda"));
        sy_text_free(text);
    }
}

static void a_line_for_programs_has_five_fields_whatever_stands_in_them(void **state)
{
    sy_gate_row hostile = rows[0];
    char *text = NULL;

    (void)state;
    hostile.computer = "a\tb\nc\033";
    assert_int_equal(sy_report_gates_tsv(&hostile, 1, &text, NULL), SY_OK);
    assert_string_equal(text, "io.cuda.bin1.cold\t\xe2\x97\x8b Pending\tCUDA\ta b c\\x1b\tload\n");
    sy_text_free(text);
    assert_int_equal(sy_report_gates_tsv(NULL, 0, &text, NULL), SY_OK);
    assert_string_equal(text, "");
    sy_text_free(text);
}

static void lines_for_a_terminal_stay_lines_and_steer_nothing(void **state)
{
    const sy_report_style ascii = {.columns = 80};
    const sy_report_style utf8 = {.columns = 80, .utf8 = true};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_lines("State: \xe2\x97\x90 Partial\n\nx\033[2J\n", &ascii, &text, NULL), SY_OK);
    assert_string_equal(text, "State: \\u25d0 Partial\n\nx\\x1b[2J\n");
    sy_text_free(text);
    assert_int_equal(sy_report_lines("State: \xe2\x97\x90 Partial", &utf8, &text, NULL), SY_OK);
    assert_string_equal(text, "State: \xe2\x97\x90 Partial");
    sy_text_free(text);
}

static void no_gate_is_said_to_be_none(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_gates(NULL, 0, 0, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "0 gates\n");
    sy_text_free(text);
}

static void the_json_form_is_the_example_of_the_format(void **state)
{
    char *expected = NULL;
    size_t size = 0;
    char *json = NULL;

    (void)state;
    assert_int_equal(sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/registry/gates.json", 0, &expected, &size, NULL),
                     SY_OK);
    assert_int_equal(sy_report_gates_json(rows, 2, 56, &json, NULL), SY_OK);
    assert_string_equal(json, expected);
    sy_text_free(json);
    sy_free(expected);
}

static sy_status scenario(void *user)
{
    char *texts[4] = {NULL, NULL, NULL, NULL};
    sy_status status = sy_report_gates(rows, 2, 2, NULL, &texts[0], NULL);

    (void)user;
    if (status == SY_OK)
        status = sy_report_gates_tsv(rows, 2, &texts[1], NULL);
    if (status == SY_OK)
        status = sy_report_gates_json(rows, 2, 2, &texts[2], NULL);
    if (status == SY_OK)
        status = sy_report_lines("a\nb\n", NULL, &texts[3], NULL);
    for (size_t i = 0; i < 4; i++)
        sy_text_free(texts[i]);
    return status;
}

static void a_lack_of_memory_is_said(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) > 3);
    assert_true(fault_loop_allocations(scenario, NULL, false) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_table_has_all_columns),
        cmocka_unit_test(in_ascii_the_state_is_a_word),
        cmocka_unit_test(every_width_is_kept_and_every_gate_is_there),
        cmocka_unit_test(a_line_for_programs_has_five_fields_whatever_stands_in_them),
        cmocka_unit_test(lines_for_a_terminal_stay_lines_and_steer_nothing),
        cmocka_unit_test(no_gate_is_said_to_be_none),
        cmocka_unit_test(the_json_form_is_the_example_of_the_format),
        cmocka_unit_test(a_lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
