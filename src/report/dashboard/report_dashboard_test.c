/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard's page: all of its parts, every width, what is cut and counted, hostile names, nothing there. */
#include "report/dashboard/dashboard_test_data.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "text_width.h"

static char *draw(const dashboard_data *d, uint32_t columns, bool utf8, bool all)
{
    const sy_report_style style = {.columns = columns, .utf8 = utf8, .all = all};
    char *text = NULL;
    sy_error error = SY_ERROR_INIT;

    if (sy_report_dashboard(&d->dashboard, &style, &text, &error) != SY_OK)
        fail_msg("%s", error.what);
    return text;
}

static void expect_says(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in\n%s", words, text);
}

static void expect_not_says(const char *text, const char *words)
{
    if (strstr(text, words) != NULL)
        fail_msg("'%s' is in\n%s", words, text);
}

/* Wherever lines are broken. */
static void expect_begins(const char *text, const char *words)
{
    const char *at = text;

    for (const char *want = words; *want != '\0'; want++) {
        const bool is_blank = *at == ' ' || *at == '\n';

        if (*want == ' ' ? !is_blank : *at != *want)
            fail_msg("not '%s': %s", words, text);
        at += *want == ' ' ? strspn(at, " \n") : 1;
    }
}

static size_t lines_of(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static const char page[] = "BLOCK: 1 block and 1 investigation are open, 1 promoted row is blocked, 1 gate\n"
                           "  cannot fail, 1 finding in the registry\n"
                           "  run next: steelyard history bbbbbbbbbbbb\n"
                           "  then: steelyard run exec --gate matmul.cpu.square-512.session --judge\n"
                           "Verdict of 20261130-140000-eeeeee: investigate (unconfirmed)\n"
                           "\n"
                           "demo: 2 rows promoted, 2 of 3 gates open, 1 of 2 keys short of five sessions, 1\n"
                           "  change of a history stands\n"
                           "Event 120 (0123456789ab) of ledger 89abcdef0123; all times are UTC\n"
                           "\n"
                           "Promoted: 2 rows\n"
                           "Cell            Figures           Verdict  Gate               Device  Promoted\n"
                           "--------------------------------------------------------------------------------\n"
                           "matmul::cpu     wall p50 12.4     pass     matmul.cpu.        cpu     2026-11-30\n"
                           "                ms, wall p95               square-512.\n"
                           "                13.1 ms, peak              session\n"
                           "                memory 1.5 MiB,\n"
                           "                1 more\n"
                           "attention::cpu  wall p50 12.4 ms  BLOCKED  attention.cpu.     cpu     2026-11-29\n"
                           "                                           session\n"
                           "attention::cpu is blocked by 20261130-130000-dddddd: p50 of wall is 5.1 % above\n"
                           "  its baseline\n"
                           "1 superseded by later promotions: steelyard report --text --all\n"
                           "\n"
                           "Open: 2 blocks and investigations\n"
                           "block: 20261130-130000-dddddd, attention.cpu.session on cpu, began\n"
                           "    2026-11-30 23:30\n"
                           "    p50 of wall is 5.1 % above its baseline\n"
                           "    next: steelyard history bbbbbbbbbbbb\n"
                           "investigate: 20261130-140000-eeeeee, matmul.cpu.square-512.session on cpu, began\n"
                           "    2026-12-01 00:30\n"
                           "    p95 of wall is 8 % above its baseline, 2 confirms to come\n"
                           "    next: steelyard run exec --gate matmul.cpu.square-512.session --judge\n"
                           "\n"
                           "Matrix: 4 cells\n"
                           "Capability  cpu  gpu\n"
                           "--------------------\n"
                           "matmul      +    o 1\n"
                           "attention   o 1  -\n"
                           "\n"
                           "+ measured        1  evidence, no gate open\n"
                           "o gap             2  no evidence, so many gates open\n"
                           "- unsupported     1  not there, and says so\n"
                           "\n"
                           "o matmul::gpu: evidence-gap, 1 of 1 gate open, 0 measured\n"
                           "    next: matmul.gpu.session\n"
                           "o attention::cpu: evidence-gap, 1 of 1 gate open, 0 measured\n"
                           "    next: attention.cpu.session\n"
                           "\n"
                           "- attention::gpu: unsupported\n"
                           "    nobody wrote it\n"
                           "\n"
                           "Gates: 2 open\n"
                           "P  State    Gate                Run next                  Newest run\n"
                           "--------------------------------------------------------------------------------\n"
                           "2  pending  matmul.gpu.session  steelyard gate command\n"
                           "                                matmul.gpu.session\n"
                           "3  pending  attention.cpu.      steelyard run exec        20261130-130000-dddddd\n"
                           "            session             --gate\n"
                           "                                attention.cpu.session\n"
                           "                                --judge\n"
                           "\n"
                           "Baselines: 1 key is short of five accepted sessions\n"
                           "Missing  Accepted  Key           Cell            Run next\n"
                           "--------------------------------------------------------------------------------\n"
                           "      3         2  bbbbbbbbbbbb  attention::cpu  steelyard run exec --gate\n"
                           "                                                 attention.cpu.session --judge\n"
                           "\n"
                           "Alarm rates: 1 key was judged\n"
                           "Key           Cell         Judged  Alarms  Observed  Promised a side\n"
                           "--------------------------------------------------------------------\n"
                           "aaaaaaaaaaaa  matmul::cpu      20       9    45.0 %           16.7 %\n"
                           "All together: 9 of 20 judged sessions raised one, 45.0 %.\n"
                           "1 key raised more than chance explains: see if its sessions drift.\n"
                           "\n"
                           "Histories: 1 change stands\n"
                           "matmul::cpu: wall p50 of square-512 by blis: +5.1 % (+3.0 % to +7.0 %), worse,\n"
                           "    since 0123456789ab (run 20261129-130000-ffffff), reported\n"
                           "    steelyard history aaaaaaaaaaaa\n"
                           "\n"
                           "Self-tests: 1 gate cannot fail\n"
                           "matmul.cpu.square-512.session: 1.10 fails 3 % of the time\n"
                           "\n"
                           "Registry: 1 finding\n"
                           "evidence/gates.json:3:4: json-syntax: a comma is missing\n";

static void what_is_wrong_comes_first_and_every_part_is_there(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    text = draw(&d, 80, false, false);
    assert_string_equal(text, page);
    sy_text_free(text);
}

static void no_line_is_longer_than_the_terminal(void **state)
{
    dashboard_data d;

    (void)state;
    fill_dashboard(&d);
    for (uint32_t columns = 40; columns <= 200; columns++) {
        for (int way = 0; way < 4; way++) {
            char *text = draw(&d, columns, (way & 1) != 0, (way & 2) != 0);

            expect_narrow(text, columns);
            sy_text_free(text);
        }
    }
}

static void narrower_than_forty_columns_is_refused(void **state)
{
    const sy_report_style style = {.columns = 39};
    dashboard_data d;
    char *text = NULL;

    (void)state;
    fill_dashboard(&d);
    assert_int_equal(sy_report_dashboard(&d.dashboard, &style, &text, NULL), SY_INVALID_ARGUMENT);
    assert_null(text);
}

static void superseded_rows_are_counted_and_shown_where_all_is_asked_for(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    text = draw(&d, 200, false, false);
    expect_not_says(text, "20261128-120000-cccccc");
    expect_says(text, "1 superseded by later promotions: steelyard report --text --all\n");
    sy_text_free(text);
    text = draw(&d, 200, false, true);
    expect_says(text, "20261128-120000-cccccc");
    expect_says(text, "superseded");
    expect_not_says(text, "superseded by later promotions");
    sy_text_free(text);
}

/* A project that has nothing says what to do first. */
static void an_empty_dashboard_says_what_to_run_first(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    d.dashboard = (sy_dashboard){.project = "demo",
                                 .gates = d.gates + 1,
                                 .gate_count = 2,
                                 .open_gate_count = 2,
                                 .matrix = &d.matrix,
                                 .next = d.next + 1,
                                 .next_count = 1};
    text = draw(&d, 80, false, false);
    expect_begins(text, "Nothing is recorded yet run next: steelyard run exec --gate matmul.cpu.square-512.session "
                        "--judge demo: 0 rows promoted, 2 of 2 gates open There is no ledger yet: the first run that "
                        "is recorded makes it Promoted: 0 rows Matrix: 4 cells ");
    expect_not_says(text, "Open:");
    expect_not_says(text, "Alarm rates");
    sy_text_free(text);
    d.dashboard = (sy_dashboard){.project = "demo"};
    text = draw(&d, 40, false, false);
    expect_says(text, "Nothing is recorded yet\n");
    sy_text_free(text);
}

static void the_worst_that_stands_open_is_the_headline(void **state)
{
    static const char *const headlines[] = {
        "BLOCK: 1 block and 1 investigation are open, 1 promoted row is blocked, 1 gate cannot fail, 1 finding in ",
        "BLOCK: 1 investigation is open, 1 promoted row is blocked, 1 gate cannot fail, 1 finding in the registry run ",
        "INVESTIGATE: 1 investigation is open, 1 gate cannot fail, 1 finding in the registry run ",
        "FINDINGS: 1 gate cannot fail, 1 finding in the registry run ",
        "FINDINGS: 1 finding in the registry run ",
        "Nothing is wrong: no block and no investigation is open run ",
    };
    dashboard_data d;

    (void)state;
    fill_dashboard(&d);
    for (size_t i = 0; i < sizeof(headlines) / sizeof(headlines[0]); i++) {
        char *text;

        if (i == 1) {
            d.dashboard.alarms = d.alarms + 1;
            d.dashboard.alarm_count = 1;
            d.dashboard.block_count = 0;
        } else if (i == 2) {
            d.rows[1].blocked = false;
        } else if (i == 3) {
            d.dashboard.alarm_count = 0;
        } else if (i == 4) {
            d.gates[0].selftest_failed = false;
        } else if (i == 5) {
            d.dashboard.finding_count = d.dashboard.finding_total = 0;
        }
        text = draw(&d, 200, false, false);
        expect_begins(text, headlines[i]);
        sy_text_free(text);
    }
}

/* A row that a later verdict blocks and that a later promotion has replaced is not wrong any more. */
static void what_blocks_a_superseded_row_is_not_the_headline(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    d.dashboard.alarm_count = d.dashboard.block_count = 0;
    d.dashboard.finding_count = d.dashboard.finding_total = 0;
    d.gates[0].selftest_failed = false;
    d.rows[1].superseded = true;
    text = draw(&d, 80, false, false);
    expect_says(text, "Nothing is wrong");
    expect_not_says(text, "is blocked by");
    sy_text_free(text);
}

static void what_a_command_cannot_know_is_explained(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    d.alarms[1].command = "steelyard run exec --gate g --control-directory \"$ACCEPTED\" --judge";
    text = draw(&d, 80, false, false);
    expect_says(text, "    next: steelyard run exec --gate g --control-directory \"$ACCEPTED\" --judge\n"
                      "    what its variable stands for: steelyard compare 20261130-140000-eeeeee\n");
    sy_text_free(text);
}

/* ---- how much is shown ---- */

enum { MANY = 10000 };

static void of_very_many_the_first_are_shown_and_all_are_counted(void **state)
{
    dashboard_data d;
    sy_dashboard_key *keys = calloc(MANY, sizeof(*keys));
    sy_dashboard_alarm *alarms = calloc(MANY, sizeof(*alarms));
    sy_dashboard_gate *gates = calloc(MANY, sizeof(*gates));
    char *text;

    (void)state;
    assert_true(keys != NULL && alarms != NULL && gates != NULL);
    fill_dashboard(&d);
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = d.keys[i % 2];
        alarms[i] = d.alarms[1];
        gates[i] = d.gates[1];
    }
    d.dashboard.keys = keys;
    d.dashboard.key_count = MANY;
    d.dashboard.alarms = alarms;
    d.dashboard.alarm_count = MANY;
    d.dashboard.block_count = 0;
    d.dashboard.gates = gates;
    d.dashboard.gate_count = d.dashboard.open_gate_count = MANY;
    text = draw(&d, 80, false, false);
    assert_in_range(lines_of(text), 50, 250);
    expect_says(text, "10000 investigations are open");
    expect_says(text, "9990 more: steelyard report --text --all\n");
    expect_says(text, "9990 more: steelyard gate next\n");
    expect_says(text, "Baselines: 5000 keys are short of five accepted sessions\n");
    expect_says(text, "4990 more: steelyard key list\n");
    expect_says(text, "5000 keys raised more than chance explains: see if their sessions drift.\n");
    sy_text_free(text);
    free(keys);
    free(alarms);
    free(gates);
}

/* Text from files: it ends nothing, steers nothing, and fills no page. */
static void hostile_names_are_cut_and_steer_nothing(void **state)
{
    static const char beginning[] = "\033[2J</script>\n\xe2\x80\xae\"b'c&d|";
    char name[4096 + 1];
    dashboard_data d;

    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    memcpy(name, beginning, sizeof(beginning) - 1);
    name[sizeof(name) - 1] = '\0';
    fill_dashboard(&d);
    d.rows[0].row.cell = d.rows[1].row.gate = d.rows[0].row.device = name;
    d.rows[1].blocked_why = d.rows[1].blocked_by = name;
    d.alarms[0].text = d.alarms[0].gate = d.alarms[1].command = name;
    d.gates[1].id = d.gates[1].command = d.gates[0].selftest = name;
    d.keys[1].cell = d.keys[1].command = name;
    d.changes[0].cell = d.changes[0].row.change.metric.case_name = name;
    d.findings[0] = d.dashboard.project = name;
    d.figures[0].name = name;
    for (uint32_t columns = 40; columns <= 160; columns += 40) {
        char *text = draw(&d, columns, columns > 80, true);

        expect_narrow(text, columns);
        assert_in_range(lines_of(text), 60, 400);
        expect_not_says(text, "\033");
        expect_not_says(text, "\xe2\x80\xae");
        expect_says(text, "\\u202e");
        sy_text_free(text);
    }
}

static void without_utf8_every_byte_is_ascii(void **state)
{
    dashboard_data d;
    char *text;

    (void)state;
    fill_dashboard(&d);
    d.rows[0].row.cell = "Faltung \xc3\xbc::cpu";
    text = draw(&d, 80, false, true);
    for (const char *at = text; *at != '\0'; at++)
        assert_true((unsigned char)*at < 0x80);
    expect_says(text, "\\u00fc");
    sy_text_free(text);
}

static sy_status scenario(void *user)
{
    const sy_report_style style = {.columns = 60, .all = true};
    char *text = NULL;
    char *markdown = NULL;
    char *json = NULL;
    sy_status status = sy_report_dashboard(user, &style, &text, NULL);

    if (status == SY_OK)
        status = sy_report_dashboard_markdown(user, &markdown, NULL);
    if (status == SY_OK)
        status = sy_report_dashboard_json(user, &json, NULL);
    sy_text_free(text);
    sy_text_free(markdown);
    sy_text_free(json);
    return status;
}

static void a_lack_of_memory_is_said(void **state)
{
    dashboard_data d;

    (void)state;
    fill_dashboard(&d);
    assert_true(fault_loop_allocations(scenario, &d.dashboard, true) > 50);
    assert_true(fault_loop_allocations(scenario, &d.dashboard, false) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_comes_first_and_every_part_is_there),
        cmocka_unit_test(no_line_is_longer_than_the_terminal),
        cmocka_unit_test(narrower_than_forty_columns_is_refused),
        cmocka_unit_test(superseded_rows_are_counted_and_shown_where_all_is_asked_for),
        cmocka_unit_test(an_empty_dashboard_says_what_to_run_first),
        cmocka_unit_test(the_worst_that_stands_open_is_the_headline),
        cmocka_unit_test(what_blocks_a_superseded_row_is_not_the_headline),
        cmocka_unit_test(what_a_command_cannot_know_is_explained),
        cmocka_unit_test(of_very_many_the_first_are_shown_and_all_are_counted),
        cmocka_unit_test(hostile_names_are_cut_and_steer_nothing),
        cmocka_unit_test(without_utf8_every_byte_is_ascii),
        cmocka_unit_test(a_lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
