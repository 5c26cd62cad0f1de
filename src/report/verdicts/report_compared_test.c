/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as people and programs read it. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "fault_loop.h"

static const sy_metric_verdict metrics[] = {
    {.metric = {"wall", "big", "blis", SY_STATISTIC_P50, "s", false},
     .primary = true,
     .sample_count = 120,
     .control = SY_NAN,
     .judgement = {.word = SY_JUDGEMENT_INVESTIGATE,
                   .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                   .raised = true,
                   .baseline_count = 5,
                   .session_count = 1,
                   .sessions_needed = 3,
                   .confirms_to_come = 2,
                   .alpha = .02,
                   .threshold = 1.02e-3,
                   .median = 1e-3,
                   .value = 1.31e-3},
     .reason = "1.31 ms is 31.0 % worse"},
    {.metric = {"peak", "process", "", SY_STATISTIC_MEMORY, "bytes", false},
     .sample_count = 1,
     .control = SY_NAN,
     .judgement = {.word = SY_JUDGEMENT_PASS,
                   .reason = SY_JUDGEMENT_REASON_INSIDE,
                   .threshold = 1052672,
                   .median = 1048576,
                   .value = 1048576},
     .reason = "as it was"},
};

static const char *const baseline[] = {"a", "b", "c", "d", "e"};
static const char *const sessions[] = {"20261130-010203-abcdef"};
static const char *const reasons[] = {"wall p50 of big by blis: 1.31 ms is 31.0 % worse", "parity passed"};
static const char *const next[] = {
    "# 2 more sessions, each under a lease of its own",
    "steelyard run exec --gate matmul.cpu.big --control \"$CONTROL\" --judge -- ./a-very-"
    "long-command --with-an-option=that-does-not-fit-into-eighty-columns"};
static const char *const remarks[] = {"the p95 of 1 series is coarse"};
static const sy_key_difference fields[] = {{"source_revision", "aaaaaaa", "bbbbbbb", true, true, false}};
static const sy_compare_neighbour neighbours[] = {
    {"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210", "near", 7, fields, 1}};

static sy_compared compared(void)
{
    return (sy_compared){
        .run = "20261130-010203-abcdef",
        .verdict_number = 77,
        .verdict = {.rule = SY_VERDICT_RULE,
                    .word = SY_JUDGEMENT_INVESTIGATE,
                    .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                    .evidence = "",
                    .key_digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                    .baseline_key = "",
                    .baseline_revision = "",
                    .baseline = baseline,
                    .baseline_count = 5,
                    .sessions = sessions,
                    .session_count = 1,
                    .metrics = metrics,
                    .metric_count = 2,
                    .alpha = .02,
                    .raised = true,
                    .reasons = reasons,
                    .reason_count = 2,
                    .recalibrate = "",
                    .recalibrate_run = ""},
        .next = next,
        .next_count = 2,
        .neighbours = neighbours,
        .neighbour_count = 1,
        .alarm_promised = 1. / 6,
        .alarm_observed = .1,
        .alarm_observed_low = .0028,
        .alarm_observed_high = .445,
        .judged_count = 10,
        .raised_count = 1,
        .sessions_a_year = 52,
        .false_blocks_a_year = .9,
        .remarks = remarks,
        .remark_count = 1,
        .head = {.number = 77, .digest = "beef", .ledger = "cafe"},
    };
}

static void expect(const char *text, const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in:\n%s", words, text);
}

static void the_word_comes_first_and_commands_stay_whole(void **state)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    sy_compared c = compared();
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_compared(&c, &style, &text, NULL), SY_OK);
    assert_memory_equal(text, "INVESTIGATE: unconfirmed\n", 25);
    expect(text, "wall p50 of big");
    expect(text, "+31.0 %");
    expect(text, "1.02 ms");
    expect(text, "raises one with at most 16.7 % a side");
    expect(text, "10 judged sessions raised one, 10.0 %");
    expect(text, "at most 0.9 a year");
    expect(text, "that-does-not-fit-into-eighty-columns\n");
    expect(text, "source_revision: aaaaaaa here, bbbbbbb there");
    sy_text_free(text);
    c.verdict.mode = SY_COMPARISON_REVISION;
    c.verdict_number = 0;
    c.judged_count = 0;
    assert_int_equal(sy_report_compared(&c, &style, &text, NULL), SY_OK);
    expect(text, "a comparison of revisions");
    expect(text, "a dry run: nothing was written");
    expect(text, "was held against a baseline yet");
    sy_text_free(text);
}

static void programs_find_every_figure(void **state)
{
    sy_compared c = compared();
    sy_json *json = NULL;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_compared_json(&c, &text, NULL), SY_OK);
    expect(text, "\"schema\": \"steelyard.compared/1\"");
    expect(text, "\"word\": \"investigate\"");
    expect(text, "\"confirms_to_come\": 2");
    expect(text, "\"already_recorded\": false");
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    const sy_json_value *verdict = sy_json_member(sy_json_root(json), "verdict");
    assert_int_equal(sy_json_member(verdict, "metrics")->count, 2);
    assert_int_equal(sy_json_member(verdict, "baseline")->count, 5);
    assert_int_equal(sy_json_member(sy_json_root(json), "next")->count, 2);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void a_comment_says_the_verdict_first(void **state)
{
    sy_compared c = compared();
    char *text = NULL;

    (void)state;
    c.remarks = NULL;
    c.remark_count = 0;
    assert_int_equal(sy_report_compared_markdown(&c, &text, NULL), SY_OK);
    assert_memory_equal(text, "### INVESTIGATE: unconfirmed\n", 29);
    expect(text, "(primary)");
    expect(text, "--control \"$CONTROL\" --judge");
    sy_text_free(text);
}

static sy_status report_all(void *user)
{
    const sy_report_style style = SY_REPORT_STYLE_INIT;
    char *text = NULL;
    sy_status status = sy_report_compared(user, &style, &text, NULL);

    if (status == SY_OK) {
        sy_text_free(text);
        status = sy_report_compared_json(user, &text, NULL);
    }
    if (status == SY_OK) {
        sy_text_free(text);
        status = sy_report_compared_markdown(user, &text, NULL);
    }
    if (status == SY_OK)
        sy_text_free(text);
    return status;
}

static void memory_may_be_short_anywhere(void **state)
{
    sy_compared c = compared();

    (void)state;
    assert_true(fault_loop_allocations(report_all, &c, true) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_word_comes_first_and_commands_stay_whole),
        cmocka_unit_test(programs_find_every_figure),
        cmocka_unit_test(a_comment_says_the_verdict_first),
        cmocka_unit_test(memory_may_be_short_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
