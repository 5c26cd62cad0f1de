/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a run's commands as text, JSON and Markdown, and leases of devices: nothing from outside can steer a
 * terminal or a page. */
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "temporary_folder.h"

static const char *const argv[] = {"sh", "-c", "echo <b>"};
static const char *const remarks[] = {"line 1: unknown statement 'sm|aple'", "two *lines*"};

static sy_run_executed executed(void)
{
    return (sy_run_executed){
        .run = "20261129-120000-abcdef",
        .status = SY_RUN_RUNNING,
        .reason = "",
        .fence = 17,
        .lease_held = true,
        .command =
            {.phase = "measure", .argv = argv, .argc = 3, .wall_ns = 1500000000, .fence = 17, .lease_held = true},
        .parity = SY_RUN_PARITY_PASSED,
        .series_count = 1,
        .sample_count = 5,
        .remarks = remarks,
        .remark_count = 2,
        .head = {.number = 9, .digest = "d1gest", .ledger = "1edger"},
    };
}

static const sy_run_series series[] = {{.name = "wa|ll",
                                        .unit = "s",
                                        .case_name = "<script>",
                                        .implementation = "mine",
                                        .count = 5,
                                        .p50 = 0.25,
                                        .p95 = (double)NAN,
                                        .maximum = 0.5}};
static const sy_run_memory memories[] = {
    {.name = "peak", .bytes = 3 << 20, .basis = SY_MEMORY_PHYSICAL, .scope = SY_MEMORY_PROCESS}};
static const sy_run run = {.row = {.id = "20261129-120000-abcdef",
                                   .question = "Is *it* so?",
                                   .gate = "g",
                                   .revision = "",
                                   .device = "cpu",
                                   .parity = SY_RUN_PARITY_PASSED},
                           .series = series,
                           .series_count = 1,
                           .memories = memories,
                           .memory_count = 1};

static void expect_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void text_says_how_it_ended_and_what_to_do_next(void **state)
{
    (void)state;
    static const sy_report_style style = {.columns = 80, .utf8 = true};
    sy_run_executed is = executed();
    sy_report_executed_view view = {&is, &run, "", "", "", NULL};
    char *text = NULL;
    assert_int_equal(sy_report_executed(&view, &style, &text, NULL), SY_OK);
    expect_in(text, "exited with 0 after 1.50 s");
    expect_in(text, "number 17, held throughout");
    expect_in(text, "5 samples in 1 series, parity passed");
    expect_in(text, "running: steelyard run finish 20261129-120000-abcdef --status ok");
    assert_null(strstr(text, "smoke"));
    sy_text_free(text);
    is.status = SY_RUN_FAILED;
    is.reason = "smoke: bad\x1b[31m";
    is.lease_held = false;
    is.smoke = is.command;
    is.smoke.signal = 11;
    assert_int_equal(sy_report_executed(&view, &style, &text, NULL), SY_OK);
    expect_in(text, "ended by signal 11 after 1.50 s");
    expect_in(text, "LOST: the run is never accepted");
    expect_in(text, "failed: smoke: bad\\x1b[31m");
    sy_text_free(text);
    is.status = SY_RUN_RUNNING;
    view = (sy_report_executed_view){&is, &run, "ok", "no-baseline", "2 accepted sessions", NULL};
    assert_int_equal(sy_report_executed(&view, &style, &text, NULL), SY_OK);
    expect_in(text, "finished: ok");
    expect_in(text, "no-baseline: 2 accepted sessions");
    sy_text_free(text);
}

static void a_control_is_told_apart_and_why_it_does_not_count(void **state)
{
    (void)state;
    static const sy_report_style style = {.columns = 120, .utf8 = true};
    static const sy_run_series two[] = {
        {.name = "wall", .unit = "s", .case_name = "", .implementation = "", .count = 5, .p50 = 2},
        {.name = "wall",
         .unit = "s",
         .role = SY_SERIES_CONTROL,
         .case_name = "",
         .implementation = "",
         .count = 4,
         .p50 = 3}};
    sy_run whole = run;
    sy_run_executed is = executed();
    sy_report_executed_view view = {&is, &whole, "ok", "", "", NULL};
    char *text = NULL;
    whole.series = two;
    whole.series_count = 2;
    is.has_control = true;
    is.control_first = true;
    is.no_control = "";
    is.control = is.command;
    is.control.wall_ns = 2000000000;
    is.control_parity = SY_RUN_PARITY_PASSED;
    is.control_sample_count = 4;
    assert_int_equal(sy_report_executed(&view, &style, &text, NULL), SY_OK);
    expect_in(text, "exited with 0 after 2.00 s; before the command, 4 samples\n");
    sy_text_free(text);
    assert_int_equal(sy_report_executed_json(&view, &text, NULL), SY_OK);
    expect_in(text, "\"counts\": true");
    expect_in(text, "\"first\": true");
    sy_text_free(text);
    assert_int_equal(sy_report_executed_markdown(&view, &text, NULL), SY_OK);
    expect_in(text, "| wall (control) |  |  | s | 4 | 3 |");
    expect_in(text, "| wall |  |  | s | 5 | 2 |");
    expect_in(text, "\nControl: before the command, 4 samples.\n");
    sy_text_free(text);
    is.control.argc = 0;
    is.control_first = false;
    is.no_control = "cannot start '*x'";
    assert_int_equal(sy_report_executed(&view, &style, &text, NULL), SY_OK);
    expect_in(text, "behind the command, does not count: cannot start '*x'\n");
    sy_text_free(text);
    assert_int_equal(sy_report_executed_json(&view, &text, NULL), SY_OK);
    expect_in(text, "\"counts\": false");
    expect_in(text, "\"control\": null");
    sy_text_free(text);
    assert_int_equal(sy_report_executed_markdown(&view, &text, NULL), SY_OK);
    expect_in(text, "cannot start '\\*x'.\n");
    sy_text_free(text);
}

static void json_has_nulls_for_what_is_not_there(void **state)
{
    (void)state;
    sy_run_executed is = executed();
    sy_report_executed_view view = {&is, &run, "ok", "", "", NULL};
    char *text = NULL;
    sy_json *json = NULL;
    assert_int_equal(sy_report_executed_json(&view, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    const sy_json_value *root = sy_json_root(json);
    assert_string_equal(sy_json_member(root, "status")->text, "ok");
    assert_int_equal(sy_json_member(root, "smoke")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "judgement")->kind, SY_JSON_NULL);
    assert_true(sy_json_member(sy_json_member(root, "command"), "wall_s")->number == 1.5);
    assert_int_equal(sy_json_member(root, "remarks")->count, 2);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void markdown_lets_nothing_be_markup(void **state)
{
    (void)state;
    sy_run_executed is = executed();
    sy_report_executed_view view = {&is, &run, "ok", "no-baseline", "none yet", NULL};
    char *text = NULL;
    char *bytes = NULL;
    size_t size = 0;
    char path[600];
    assert_int_equal(sy_report_executed_markdown(&view, &text, NULL), SY_OK);
    expect_in(text, "### Run 20261129-120000-abcdef: ok, no-baseline\n");
    expect_in(text, "Is \\*it\\* so?");
    expect_in(text, " | 5 | 0.25 | - | 0.5 |\n");
    expect_in(text, "Memory: peak 3 MiB (physical, process, as it was told).\n");
    assert_null(strstr(text, "<script>"));
    assert_null(strstr(text, "sm|aple"));
    snprintf(path, sizeof(path), "%s/run.md", (const char *)*state);
    assert_int_equal(sy_report_save(text, path, NULL), SY_OK);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, text);
    sy_free(bytes);
    sy_text_free(text);
}

static void leases_say_who_and_since_when(void **state)
{
    (void)state;
    static const sy_report_style style = {.columns = 120, .utf8 = true};
    static const sy_device_lease leases[] = {
        {"cpu", true, 5, 4711, 1000, "host", "20261129-120000-abcdef", "", 1764417600, 1764421200, false},
        {"fake", false, 6, 0, 0, "", "", "", 1764417600, 1764421200, false},
        {"gpu", false, 7, 99, 0, "", "x", "", 1764417600, 1764421200, true},
    };
    sy_device_lease_list list = {leases, 3, "/folder", NULL, 1764417600 + 150};
    char *text = NULL;
    assert_int_equal(sy_report_device_leases(&list, &style, &text, NULL), SY_OK);
    expect_in(text, "20261129-120000-abcdef");
    expect_in(text, "process 4711,");
    expect_in(text, " 150 s\n");
    expect_in(text, " -\n");
    expect_in(text, "lost");
    sy_text_free(text);
    assert_int_equal(sy_report_device_leases_json(&list, &text, NULL), SY_OK);
    expect_in(text, "\"since\": \"2025-11-29T12:00:00Z\"");
    expect_in(text, "\"now\": \"2025-11-29T12:02:30Z\"");
    expect_in(text, "\"process\": null");
    sy_text_free(text);
    list = (sy_device_lease_list){NULL, 0, "", NULL, 0};
    assert_int_equal(sy_report_device_leases(&list, &style, &text, NULL), SY_OK);
    assert_string_equal(text, "No device of this host is leased.\n");
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_how_it_ended_and_what_to_do_next),
        cmocka_unit_test(a_control_is_told_apart_and_why_it_does_not_count),
        cmocka_unit_test(json_has_nulls_for_what_is_not_there),
        cmocka_unit_test_setup_teardown(markdown_lets_nothing_be_markup, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test(leases_say_who_and_since_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
