/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of runs of every width and as JSON; their order is that of the ledger, whatever clocks say. */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/ledger/report_run_test_data.h"
#include "text_width.h"

/* Two sessions in the hour that New York has twice, the newer first; one that failed; one that nothing is known of. */
typedef struct list_of_runs {
    sy_run_row rows[4];
    sy_report_run_line lines[4];
} list_of_runs;

static void make_list(list_of_runs *list)
{
    for (size_t i = 0; i < 4; i++) {
        list->rows[i] = whole_run.row;
        list->lines[i] = (sy_report_run_line){&list->rows[i], NULL};
    }
    list->rows[0].id = "20251102-063000-000002";
    list->rows[0].number = 20;
    list->rows[0].began_utc_s = 1762065000; /* 06:30Z: 01:30 standard time */
    list->rows[1].id = "20251102-053100-000001";
    list->rows[1].began_utc_s = 1762061460; /* 05:31Z: 01:31 daylight time */
    list->rows[1].accepted = false;
    list->rows[2].id = "20251102-053000-000000";
    list->rows[2].status = SY_RUN_FAILED;
    list->rows[2].reason = "smoke: parity";
    list->rows[2].gate = "";
    list->rows[2].accepted = false;
    list->rows[3].id = "import-1";
    list->rows[3].status = SY_RUN_IMPORTED;
    list->rows[3].began_utc_s = 0;
    list->rows[3].parity = SY_RUN_PARITY_UNKNOWN;
    list->rows[3].accepted = false;
}

static char *text_of(const sy_report_run_line *lines, size_t count, uint64_t total, uint32_t columns, bool utf8)
{
    const sy_report_style style = {.columns = columns, .utf8 = utf8};
    char *text = NULL;

    assert_int_equal(sy_report_runs(lines, count, total, &style, &text, NULL), SY_OK);
    expect_narrow(text, columns);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void the_hour_that_comes_twice_has_two_offsets_and_one_order(void **state)
{
    list_of_runs list;
    char *text;

    (void)state;
    assert_int_equal(setenv("TZ", "America/New_York", 1), 0);
    tzset();
    make_list(&list);
    text = text_of(list.lines, 4, 4, 160, false);
    if (strstr(text, "+0000") != NULL) {
        sy_text_free(text);
        print_message("skipped: the zone America/New_York is not installed\n");
        skip();
    }
    expect(text, "2025-11-02 01:30 -0500");
    expect(text, "2025-11-02 01:31 -0400");
    assert_true(strstr(text, "20251102-063000") < strstr(text, "20251102-053100"));
    sy_text_free(text);
}

static void a_row_says_what_became_of_its_run(void **state)
{
    list_of_runs list;
    char *text;

    (void)state;
    make_list(&list);
    list.lines[0].run = &whole_run; /* has a decision */
    text = text_of(list.lines, 4, 4, 200, false);
    expect(text, "ok, accepted  matmul.cpu.square.session");
    expect(text, "win of blis, 5.1 % (3.2 % to 7.0 %)");
    expect(text, "failed        matmul::cpu");
    expect(text, "smoke: parity");
    expect(text, "\n4 runs\n");
    sy_text_free(text);
}

static void a_session_shows_the_p50_of_its_wall_time(void **state)
{
    list_of_runs list;
    sy_run session = whole_run;
    char *text;

    (void)state;
    make_list(&list);
    session.decision = NULL;
    list.lines[0].run = &session;
    text = text_of(list.lines, 1, 1, 200, false);
    expect(text, "p50 2.00 ms, n 8 of 9");
    expect(text, "\n1 run\n");
    sy_text_free(text);
}

static void an_imported_row_that_failed_says_why(void **state)
{
    list_of_runs list;
    sy_run_check outcomes[] = {{"outcome", 1, false, "well", ""}, {"outcome", 0, false, "real_time: NaN", ""}};
    sy_run run = {.checks = outcomes, .check_count = 1};

    (void)state;
    make_list(&list);
    list.lines[3].run = &run;
    char *text = text_of(&list.lines[3], 1, 1, 120, true);
    assert_null(strstr(text, "failed"));
    sy_text_free(text);
    run.check_count = 2;
    text = text_of(&list.lines[3], 1, 1, 120, true);
    expect(text, "failed: real_time: NaN");
    sy_text_free(text);
    assert_int_equal(sy_report_runs_json(&list.lines[3], 1, 1, &text, NULL), SY_OK);
    expect(text, "\"imported_failure\": \"real_time: NaN\"");
    sy_text_free(text);
    assert_int_equal(sy_report_runs_json(&list.lines[2], 1, 1, &text, NULL), SY_OK);
    expect(text, "\"imported_failure\": null");
    sy_text_free(text);
}

static void what_is_left_out_is_said_with_the_way_to_it(void **state)
{
    list_of_runs list;
    char *text;

    (void)state;
    make_list(&list);
    text = text_of(list.lines, 2, 157, 80, false);
    expect(text, "\n2 of 157 runs; older ones: --before 20251102-053100-000001\n");
    sy_text_free(text);
    text = text_of(NULL, 0, 0, 80, false);
    assert_string_equal(text, "0 runs\n");
    sy_text_free(text);
}

static void every_width_is_kept_and_no_id_is_cut(void **state)
{
    list_of_runs list;
    static char long_id[129];

    (void)state;
    make_list(&list);
    memset(long_id, 'a', 128);
    list.rows[3].gate = "\033[31m\xe2\x80\xae"
                        "gate";
    for (uint32_t columns = 40; columns <= 200; columns++) {
        char *text = text_of(list.lines, 4, 4, columns, columns % 2 == 0);

        expect(text, "20251102-063000-000002");
        expect(text, "import-1");
        assert_null(strchr(text, '\033'));
        sy_text_free(text);
    }
    list.rows[0].id = long_id;
    for (uint32_t columns = 40; columns <= 200; columns += 7)
        sy_text_free(text_of(list.lines, 4, 4, columns, true));
}

static void json_has_every_row_in_its_order(void **state)
{
    list_of_runs list;
    char *text = NULL;
    sy_json *json = NULL;
    const sy_json_value *runs;

    (void)state;
    make_list(&list);
    list.lines[0].run = &whole_run;
    assert_int_equal(sy_report_runs_json(list.lines, 4, 157, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    assert_string_equal(sy_json_member(sy_json_root(json), "schema")->text, "steelyard.runs/1");
    assert_true(sy_json_member(sy_json_root(json), "total")->number == 157);
    runs = sy_json_member(sy_json_root(json), "runs");
    assert_int_equal(runs->count, 4);
    assert_string_equal(sy_json_member(runs->first, "began")->text, "2025-11-02T06:30:00Z");
    assert_string_equal(sy_json_member(runs->first, "decision")->text, "win");
    assert_true(sy_json_member(sy_json_member(runs->first, "main_series"), "p50")->number == 0.002);
    assert_int_equal(sy_json_member(sy_json_element(runs, 1), "main_series")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(sy_json_element(runs, 3), "began")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
    sy_text_free(text);
}

static sy_status both_texts(void *user)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    list_of_runs list;
    char *text = NULL;
    sy_status status;

    (void)user;
    make_list(&list);
    list.lines[0].run = &whole_run;
    status = sy_report_runs(list.lines, 4, 4, &style, &text, NULL);
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_report_runs_json(list.lines, 4, 4, &text, NULL);
    sy_text_free(text);
    return status;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(both_texts, NULL, true) > 10);
    assert_true(fault_loop_allocations(both_texts, NULL, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hour_that_comes_twice_has_two_offsets_and_one_order),
        cmocka_unit_test(a_row_says_what_became_of_its_run),
        cmocka_unit_test(a_session_shows_the_p50_of_its_wall_time),
        cmocka_unit_test(an_imported_row_that_failed_says_why),
        cmocka_unit_test(what_is_left_out_is_said_with_the_way_to_it),
        cmocka_unit_test(every_width_is_kept_and_no_id_is_cut),
        cmocka_unit_test(json_has_every_row_in_its_order),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
