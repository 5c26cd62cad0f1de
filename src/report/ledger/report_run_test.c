/* SPDX-License-Identifier: Apache-2.0 */
/* One run as text of every width, as JSON and as Markdown, with the worst that can stand in it. */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/ledger/report_run_test_data.h"
#include "text_width.h"

static char *text_of(const sy_run *run, uint32_t columns, bool utf8)
{
    const sy_report_style style = {.columns = columns, .utf8 = utf8};
    const sy_report_run_view view = {run, run->series == series ? samples : NULL, NULL};
    char *text = NULL;

    assert_int_equal(sy_report_run(&view, &style, &text, NULL), SY_OK);
    expect_narrow(text, columns);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is missing in:\n%s", part, text);
}

/* The same, wherever lines were broken. */
static void expect_words(const char *text, const char *part)
{
    static char joined[32768];
    size_t length = 0;

    assert_true(strlen(text) < sizeof(joined));
    for (const char *at = text; *at != '\0'; at++) {
        bool space = *at == ' ' || *at == '\n';

        if (!space || (length > 0 && joined[length - 1] != ' '))
            joined[length++] = space ? ' ' : *at;
    }
    joined[length] = '\0';
    expect(joined, part);
}

static void set_zone(const char *zone)
{
    assert_int_equal(setenv("TZ", zone, 1), 0);
    tzset();
}

static void a_run_is_told_whole(void **state)
{
    char *text;

    (void)state;
    set_zone("UTC");
    text = text_of(&whole_run, 200, false);
    expect(text, "Run 20251102-053100-0a1b2c: ok, accepted\n");
    expect(text, "  question     Is blis faster than naive?\n");
    expect(text, "  conclusion   blis is faster\n");
    expect(text, "  began        2025-11-02 05:31:00 +0000, event 12\n");
    expect(text, "  accepted     by Ada: quiet\n");
    expect(text, "0123456789abcdef0123456789abcdef01234567 of main, commit 1234, changed since");
    expect(text, "in submodules too: external/ggml, 1 untracked file");
    expect(text, "difference " DIGEST_2);
    expect(text, "  device       cpu, Xeon, 2 cores, on scale\n");
    expect(text, "scan " DIGEST_1);
    expect(text, "mask of unknown content");
    expect(text, "chunk = 12, mode = unknown");
    expect(text, "  note         seen on a quiet machine\n");
    expect(text, "matmul: win of blis, 5.1 % (3.2 % to 7.0 %)");
    expect(text, "against naive; 38 wins in 40 pairs, error rate 0.05");
    expect(text, "stored in profiles as exact matmul: blis");
    expect(text, "wall    -        square  blis  8 of 9  2.00 ms  24.0 ms  24.0 ms\n");
    expect(text, "load    warm-up");
    expect_words(text, "its first sample is 24.0 ms, 12.0 times the p50, and counted; nine rounds; stddev 100 us");
    expect(text, "  course ");
    expect(text, "Parity: incomplete\n");
    expect(text, "the largest error is 0.25 of its tolerance");
    expect(text, "no reference for tall");
    expect_words(
        text, "peak 1 MiB: process-tree, constrained by cgroup, counted by the kernel, swap +4 KiB, pressure 12.5 %");
    expect(text, "payload 2 KiB: device-allocated, calculated, as it was told (pre-check)\n");
    expect(text, "Comparison key ef9b5994c92c\n");
    expect(text, "  failed free-memory: 3 GiB, expected 4 GiB or more\n");
    expect(text, "  unknown governor (not required), expected performance\n");
    expect(text, "smoke: tool --smoke 'a b'\n");
    expect(text, "exit 0 after 1.50 ms, lease 7 held throughout\n");
    expect(text, "ended by signal 9 after 2.00 s, lease 8 LOST meanwhile, 2 of 12 lines not understood");
    expect(text, "source.diff, 2 KiB, " DIGEST_2);
    expect(text, "output (not kept) " DIGEST_1);
    expect(text, "18 events; the last has the digest " DIGEST_1);
    sy_text_free(text);
}

static void every_width_is_kept_and_no_figure_is_lost(void **state)
{
    (void)state;
    for (uint32_t columns = 40; columns <= 200; columns++) {
        char *text = text_of(&whole_run, columns, columns % 2 == 0);

        expect(text, "2.00 ms");
        expect(text, "24.0 ms");
        expect(text, "Series");
        sy_text_free(text);
    }
}

static void unknown_fields_of_a_key_are_marked(void **state)
{
    sy_run run = whole_run;
    char *text;

    (void)state;
    run.begin.key = (sy_comparison_key){torn_key, COUNT(torn_key)};
    run.row.key_digest = "";
    text = text_of(&run, 80, true);
    expect(text, "Comparison key, incomplete: 2 of 3 fields are unknown, and equal nothing\n");
    expect(text, "mask_signature  (unknown)\n");
    expect(text, "precision       (unknown)\n");
    sy_text_free(text);
}

static sy_run bare_run(void)
{
    static const sy_run_source nowhere = {"", "", "", -1, -1, -1, 0, NULL, 0, ""};
    sy_run run = {.row = whole_run.row, .begin = whole_run.begin, .event_count = 1, .digest = DIGEST_1};

    run.row.status = SY_RUN_PLANNED;
    run.row.accepted = false;
    run.row.conclusion = run.row.key_digest = "";
    run.row.parity = SY_RUN_PARITY_UNKNOWN;
    run.row.ended_utc_s = 0;
    run.begin.source = nowhere;
    run.begin.key.field_count = 0;
    run.begin.input_count = run.begin.parameter_count = run.begin.planned_output_count = 0;
    run.begin.place = (sy_run_place){"", "", "", "", -1, false, {NULL, 0}};
    return run;
}

static void what_was_never_said_is_not_made_up(void **state)
{
    sy_run run = bare_run();
    char *text = text_of(&run, 80, false);

    (void)state;
    expect(text, "Run 20251102-053100-0a1b2c: planned\n");
    expect(text, "  source       unknown: no version control was found\n");
    expect(text, "  device       unknown\n");
    expect(text, "Parity: unknown\n");
    assert_null(strstr(text, "Series"));
    assert_null(strstr(text, "ended"));
    assert_null(strstr(text, "Comparison key"));
    sy_text_free(text);
}

static void an_import_says_when_it_was_measured_and_that_its_zone_is_unknown(void **state)
{
    sy_run run = bare_run();
    char *text;

    (void)state;
    run.begin.origin = "hyperfine";
    run.begin.origin_time = "2025-11-02T01:30:00";
    run.begin.origin_digest = DIGEST_1;
    text = text_of(&run, 200, false);
    expect_words(text, "imported hyperfine, measured 2025-11-02T01:30:00 in an unknown time zone, file " DIGEST_1);
    sy_text_free(text);
}

static void a_running_run_says_who_holds_the_device(void **state)
{
    sy_run run = whole_run;
    char *text;

    (void)state;
    set_zone("UTC");
    run.row.status = SY_RUN_RUNNING;
    text = text_of(&run, 120, false);
    expect(text, "Leased cpu on scale, number 8, process 4711, until 2025-11-29 23:30:00 +0000\n");
    sy_text_free(text);
}

/* ---- what files may hold ---- */

static char long_name[4097];

static sy_run hostile_run(void)
{
    static sy_run_series hostile_series;
    static sy_named_text field[1];
    sy_run run = whole_run;

    memset(long_name, 'x', sizeof(long_name) - 1);
    hostile_series = series[1];
    hostile_series.name = long_name;
    hostile_series.case_name = "\033[2Ja\xe2\x80\xae"
                               "b\n|c";
    hostile_series.implementation = "</script><img src=x onerror=alert(1)>";
    hostile_series.unit = "`code`";
    field[0] = (sy_named_text){"__proto__", "\033]0;x\007"};
    run.series = &hostile_series;
    run.series_count = 1;
    run.begin.key = (sy_comparison_key){field, 1};
    run.row.question = "a\nb\xff<b>";
    run.row.id = long_name;
    return run;
}

static void nothing_in_a_run_steers_the_terminal(void **state)
{
    (void)state;
    for (uint32_t columns = 40; columns <= 200; columns += 20) {
        sy_run run = hostile_run();
        char *text = text_of(&run, columns, true);

        assert_null(strchr(text, '\033'));
        assert_null(strchr(text, '\007'));
        assert_null(strstr(text, "\xe2\x80\xae"));
        expect(text, "\\x1b");
        expect(text, "__proto__");
        sy_text_free(text);
    }
}

static void nothing_in_a_run_is_markup(void **state)
{
    sy_run run = hostile_run();
    const sy_report_run_view view = {&run, NULL, NULL};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_run_markdown(&view, &text, NULL), SY_OK);
    assert_null(strstr(text, "<"));
    assert_null(strchr(text, '\033'));
    expect(text, "# a b\\\\xff&lt;b>\n");
    expect(text, "\\|c by &lt;/script>&lt;img src=x onerror=alert(1)> | 8 of 9 |");
    sy_text_free(text);
}

/* ---- the summary ---- */

static void a_summary_has_question_setup_numbers_and_conclusion(void **state)
{
    const sy_report_run_view view = {&whole_run, samples, NULL};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_run_markdown(&view, &text, NULL), SY_OK);
    assert_ptr_equal(strstr(text, "# Is blis faster than naive?\n\n2025-11-02T05:31:00Z, run 20251102-053100-0a1b2c, "
                                  "**ok, accepted** by Ada\n\n## Setup\n\n- gate: matmul.cpu.square.session\n"),
                     text);
    expect(text, "- checks before the work: 1 of 3 passed; not passed: free-memory: 3 GiB, governor\n");
    expect(text, "smoke (exit 0 after 1.50 ms, lease 7 held throughout):\n\n```\ntool --smoke 'a b'\n```\n");
    expect(text, "\n## Numbers\n\n| series | n | p50 | p95 | max |\n|---|---:|---:|---:|---:|\n");
    expect(text, "| wall of square by blis | 8 of 9 | 2.00 ms | 24.0 ms | 24.0 ms |\n");
    expect(text, "| rate | 0 of 1 | - | - | - |\n");
    expect(text, "- wall of square by blis: its first sample is 24.0 ms, 12.0 times the p50, and counted\n");
    expect(text, "- decision: win of blis, 5.1 % (3.2 % to 7.0 %); 38 wins in 40 pairs\n");
    expect(text, "- parity: incomplete\n- incomplete: no reference for tall\n");
    expect(text, "\n## Conclusion\n\nblis is faster\n");
    expect(text, "- ledger: event 12 and 17 more, the last with the digest " DIGEST_1 "\n");
    sy_text_free(text);
}

static void a_summary_without_a_conclusion_says_so(void **state)
{
    sy_run run = bare_run();
    const sy_report_run_view view = {&run, NULL, NULL};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_run_markdown(&view, &text, NULL), SY_OK);
    expect(text, "\n## Conclusion\n\nNone was drawn.\n");
    assert_null(strstr(text, "| series"));
    sy_text_free(text);
}

/* ---- JSON ---- */

static void json_has_the_row_and_every_event_as_its_body(void **state)
{
    const sy_report_run_view view = {&whole_run, samples, NULL};
    char *text = NULL;
    sy_json *json = NULL;
    const sy_json_value *root;
    const sy_json_value *wall;

    (void)state;
    assert_int_equal(sy_report_run_json(&view, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    root = sy_json_root(json);
    assert_string_equal(sy_json_member(root, "schema")->text, "steelyard.run/1");
    assert_string_equal(sy_json_member(root, "began")->text, "2025-11-02T05:31:00Z");
    assert_string_equal(sy_json_member(sy_json_member(root, "begin"), "cache_state")->text, "hot");
    assert_int_equal(sy_json_member(root, "commands")->count, 2);
    assert_string_equal(sy_json_member(sy_json_element(sy_json_member(root, "memories"), 0), "basis")->text,
                        "constrained");
    assert_string_equal(sy_json_member(sy_json_member(root, "decision"), "decision")->text, "win");
    assert_string_equal(sy_json_member(sy_json_member(root, "accept"), "by")->text, "Ada");
    assert_int_equal(sy_json_member(root, "notes")->count, 1);
    assert_true(sy_json_member(root, "event_count")->number == 18);
    wall = sy_json_element(sy_json_member(root, "series"), 1);
    assert_true(sy_json_member(wall, "p50")->number == 0.002);
    assert_int_equal(sy_json_member(wall, "values")->count, 9);
    assert_int_equal(sy_json_element(sy_json_member(wall, "values"), 8)->kind, SY_JSON_NULL);
    assert_null(sy_json_member(sy_json_element(sy_json_member(root, "series"), 0), "values"));
    sy_json_destroy(json);
    sy_text_free(text);
}

static sy_status all_texts(void *user)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    const sy_report_run_view view = {&whole_run, samples, NULL};
    char *text = NULL;
    sy_status status = sy_report_run(&view, &style, &text, NULL);

    (void)user;
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_report_run_json(&view, &text, NULL);
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_report_run_markdown(&view, &text, NULL);
    sy_text_free(text);
    return status;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(all_texts, NULL, true) > 10);
    assert_true(fault_loop_allocations(all_texts, NULL, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_told_whole),
        cmocka_unit_test(every_width_is_kept_and_no_figure_is_lost),
        cmocka_unit_test(unknown_fields_of_a_key_are_marked),
        cmocka_unit_test(what_was_never_said_is_not_made_up),
        cmocka_unit_test(an_import_says_when_it_was_measured_and_that_its_zone_is_unknown),
        cmocka_unit_test(a_running_run_says_who_holds_the_device),
        cmocka_unit_test(nothing_in_a_run_steers_the_terminal),
        cmocka_unit_test(nothing_in_a_run_is_markup),
        cmocka_unit_test(a_summary_has_question_setup_numbers_and_conclusion),
        cmocka_unit_test(a_summary_without_a_conclusion_says_so),
        cmocka_unit_test(json_has_the_row_and_every_event_as_its_body),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
