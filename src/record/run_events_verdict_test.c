/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the bodies of verdicts, changes, sign-offs, promotions and self-tests: what is written is read back the
 * same, and what cannot be is refused by its member's name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault_loop.h"
#include "record/run_events_test_data.h"

#define METRIC                                                                              \
    {                                                                                       \
        .series = "wall", .case_name = "square-512", .implementation = "blis", .unit = "s", \
        .statistic = SY_STATISTIC_P95                                                       \
    }
#define METRIC_TEXT                                                                    \
    "{\"case\":\"square-512\",\"higher_is_better\":false,\"implementation\":\"blis\"," \
    "\"series\":\"wall\",\"statistic\":\"p95\",\"unit\":\"s\"}"

static const char *const baseline[] = {"b1", "b2", "b3", "b4", "b5"};
static const char *const sessions[] = {"s1", "s2"};
static const char *const reasons[] = {"parity passed", "wall p95: 12 % slower\nconfirmed"};
static const sy_metric_verdict metrics[] = {
    {.metric = METRIC,
     .primary = true,
     .sample_count = 31,
     .control = NAN,
     .judgement = {.word = SY_JUDGEMENT_INVESTIGATE,
                   .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                   .raised = true,
                   .baseline_count = 5,
                   .session_count = 2,
                   .sessions_needed = 3,
                   .confirms_to_come = 1,
                   .control_missing = true,
                   .hard = true,
                   .alpha = 0.02,
                   .p = NAN,
                   .p_achievable = 0.017857142857142856,
                   .delta = 0.05,
                   .threshold = 1.5,
                   .prediction = 1.625,
                   .median = 1.25,
                   .value = 1.75,
                   .ratio = 1.4,
                   .effect = 0.375,
                   .effect_low = 0.125,
                   .effect_high = 0.5,
                   .effect_level = 0.9375,
                   .control_effect = NAN,
                   .visible_effect = 0.25},
     .reason = "1 confirm to come"},
    {.metric = {.series = "peak", .statistic = SY_STATISTIC_MEMORY, .unit = "bytes"},
     .control = 4096,
     .judgement = {.word = SY_JUDGEMENT_NO_BASELINE,
                   .reason = SY_JUDGEMENT_REASON_FEW_SESSIONS,
                   .sessions_to_baseline = 5,
                   .alpha = 0.02,
                   .p = NAN,
                   .p_achievable = NAN,
                   .delta = NAN,
                   .threshold = NAN,
                   .prediction = NAN,
                   .median = NAN,
                   .value = NAN,
                   .ratio = NAN,
                   .effect = NAN,
                   .effect_low = NAN,
                   .effect_high = NAN,
                   .effect_level = NAN,
                   .control_effect = NAN,
                   .visible_effect = NAN}},
};
static const sy_run_verdict whole_verdict = {
    .rule = SY_VERDICT_RULE,
    .mode = SY_COMPARISON_REVISION,
    .word = SY_JUDGEMENT_INVESTIGATE,
    .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
    .key_digest = DIGEST_A,
    .baseline_key = DIGEST_B,
    .baseline_revision = "0123456",
    .baseline = baseline,
    .baseline_count = COUNT(baseline),
    .sessions = sessions,
    .session_count = COUNT(sessions),
    .metrics = metrics,
    .metric_count = COUNT(metrics),
    .alpha = 0.02,
    .raised = true,
    .judged_count = 7,
    .raised_count = 1,
    .replaces = 41,
    .leaves_open = 39,
    .reasons = reasons,
    .reason_count = COUNT(reasons),
    .recalibrate = "exact matmul",
    .recalibrate_run = "d1",
};

static void a_whole_verdict_comes_back_the_same(void **state)
{
    (void)state;
    ROUND_TRIP(
        sy_run_verdict, sy_run_verdict_write, sy_run_verdict_read, &whole_verdict,
        "{\"alpha\":0.02,\"baseline\":[\"b1\",\"b2\",\"b3\",\"b4\",\"b5\"],\"baseline_key\":\"" DIGEST_B "\","
        "\"baseline_revision\":\"0123456\",\"judged_count\":7,\"key_digest\":\"" DIGEST_A
        "\",\"leaves_open\":39,\"metrics\":["
        "{\"judgement\":{\"alpha\":0.02,\"baseline_count\":5,\"confirms_to_come\":1,\"control_missing\":true,"
        "\"delta\":0.050000000000000003,\"effect\":0.375,\"effect_high\":0.5,\"effect_level\":0.9375,"
        "\"effect_low\":0.125,\"hard\":true,\"lowered\":false,\"median\":1.25,\"p_achievable\":0.017857142857142856,"
        "\"prediction\":1.625,\"raised\":true,\"ratio\":1.3999999999999999,\"reason\":\"unconfirmed\","
        "\"session_count\":2,\"sessions_needed\":3,\"sessions_to_baseline\":0,\"threshold\":1.5,\"value\":1.75,"
        "\"visible_effect\":0.25,\"word\":\"investigate\"},\"metric\":" METRIC_TEXT ",\"primary\":true,"
        "\"reason\":\"1 confirm to come\",\"sample_count\":31},"
        "{\"control\":4096,\"judgement\":{\"alpha\":0.02,\"baseline_count\":0,\"confirms_to_come\":0,"
        "\"control_missing\":false,\"hard\":false,\"lowered\":false,\"raised\":false,\"reason\":\"few-sessions\","
        "\"session_count\":0,\"sessions_needed\":0,\"sessions_to_baseline\":5,\"word\":\"no-baseline\"},"
        "\"metric\":{\"higher_is_better\":false,\"series\":\"peak\",\"statistic\":\"memory\",\"unit\":\"bytes\"},"
        "\"primary\":false,\"sample_count\":0}],\"mode\":\"revision\",\"raised\":true,\"raised_count\":1,"
        "\"reason\":\"unconfirmed\",\"reasons\":[\"parity passed\",\"wall p95: 12 % slower\\nconfirmed\"],"
        "\"recalibrate\":\"exact matmul\",\"recalibrate_run\":\"d1\",\"replaces\":41,\"rule\":\"steelyard-verdict/1\","
        "\"sessions\":[\"s1\",\"s2\"],\"word\":\"investigate\"}");
}

static void what_a_verdict_does_not_say_is_empty_when_it_is_read(void **state)
{
    (void)state;
    body b = BODY_INIT;
    sy_run_verdict verdict;
    sy_text_append(
        &b.text, "{\"rule\":\"r/9\",\"mode\":\"same-key\",\"word\":\"pass\",\"reason\":\"inside\",\"sessions\":[\"a\"],"
                 "\"metrics\":[{\"metric\":{\"series\":\"wall\",\"statistic\":\"p50\"},"
                 "\"judgement\":{\"word\":\"pass\",\"reason\":\"inside\",\"later\":[]}}],\"later\":{}}");
    const sy_json_value *root = body_parse(&b);
    assert_int_equal(sy_run_verdict_read(b.json, root, b.arena, &verdict, NULL), SY_OK);
    assert_string_equal(verdict.key_digest, "");
    assert_string_equal(verdict.evidence, "");
    assert_true(isnan(verdict.alpha));
    assert_int_equal(verdict.baseline_count, 0);
    assert_int_equal(verdict.metric_count, 1);
    assert_string_equal(verdict.metrics[0].metric.case_name, "");
    assert_true(isnan(verdict.metrics[0].control));
    assert_true(isnan(verdict.metrics[0].judgement.p));
    assert_true(isnan(verdict.metrics[0].judgement.visible_effect));
    assert_string_equal(verdict.metrics[0].reason, "");
    body_finish(&b);
}

static const sy_run_change whole_change = {
    .state = SY_CHANGE_SUPERSEDED,
    .line = DIGEST_A,
    .key_digest = DIGEST_B,
    .metric = METRIC,
    .before = "s0",
    .revision = "rev2",
    .revision_before = "rev1",
    .effect = 0.25,
    .effect_low = 0.125,
    .effect_high = 0.375,
    .effect_level = 0.96875,
    .statistic = 4.5,
    .critical = 3.25,
    .alpha = 0.01,
    .min_effect = 0.02,
    .worse = true,
    .point_count = 40,
    .points_after = 12,
    .refers = 17,
    .moved_from = 9,
    .reason = "found one session later",
};

static void every_other_event_of_a_judgement_comes_back_the_same(void **state)
{
    (void)state;
    const sy_run_signoff signoff = {"Ada", "looked at\nthe traces", 12};
    const sy_promotion_proof proofs[] = {{"parity", "", "passed in 3 cases"}, {"gate:io.cpu.cold", "s9", ""}};
    const sy_named_number figures[] = {{"wall square-512 blis p50", "s", 0.5}, {"peak", "bytes", NAN}};
    const sy_run_promotion promotion = {.by = "Ada",
                                        .claim = "io loads in half a second",
                                        .cell = "io::cpu",
                                        .gate = "io.cpu.warm",
                                        .tier = "release-signoff",
                                        .key_digest = DIGEST_A,
                                        .revision = "rev1",
                                        .host = "scale",
                                        .device = "cpu",
                                        .word = SY_JUDGEMENT_PASS,
                                        .verdict = 40,
                                        .signoff = 41,
                                        .proofs = proofs,
                                        .proof_count = COUNT(proofs),
                                        .figures = figures,
                                        .figure_count = COUNT(figures),
                                        .synthetic = true};
    const sy_selftest_effect effects[] = {{1, 200, 4, 0}, {1.5, 200, 200, 199}};
    const sy_gate_selftest selftest = {.gate = "io.cpu.warm",
                                       .key_digest = DIGEST_A,
                                       .metric = METRIC,
                                       .session_count = 12,
                                       .seed = UINT64_MAX,
                                       .alpha = 0.02,
                                       .delta = NAN,
                                       .visible_effect = 0.125,
                                       .effects = effects,
                                       .effect_count = COUNT(effects),
                                       .can_fail = true};
    ROUND_TRIP(sy_run_change, sy_run_change_write, sy_run_change_read, &whole_change,
               "{\"alpha\":0.01,\"before\":\"s0\",\"critical\":3.25,\"effect\":0.25,\"effect_high\":0.375,"
               "\"effect_level\":0.96875,\"effect_low\":0.125,\"key_digest\":\"" DIGEST_B "\",\"line\":\"" DIGEST_A
               "\",\"metric\":" METRIC_TEXT ",\"min_effect\":0.02,\"moved_from\":9,\"point_count\":40,\"points_after\":"
               "12,\"reason\":\"found one session later\",\"refers\":17,"
               "\"revision\":\"rev2\",\"revision_before\":\"rev1\",\"state\":\"superseded\",\"statistic\":4.5,"
               "\"worse\":true}");
    ROUND_TRIP(sy_run_signoff, sy_run_signoff_write, sy_run_signoff_read, &signoff,
               "{\"by\":\"Ada\",\"statement\":\"looked at\\nthe traces\",\"verdict\":12}");
    ROUND_TRIP(sy_run_promotion, sy_run_promotion_write, sy_run_promotion_read, &promotion,
               "{\"by\":\"Ada\",\"cell\":\"io::cpu\",\"claim\":\"io loads in half a second\",\"device\":\"cpu\","
               "\"figures\":[[\"wall square-512 blis p50\",0.5,\"s\"],[\"peak\",null,\"bytes\"]],"
               "\"gate\":\"io.cpu.warm\",\"host\":\"scale\",\"key_digest\":\"" DIGEST_A
               "\",\"proofs\":[{\"detail\":\"passed in 3 cases\",\"name\":\"parity\"},"
               "{\"name\":\"gate:io.cpu.cold\",\"run\":\"s9\"}],\"revision\":\"rev1\",\"signoff\":41,"
               "\"synthetic\":true,\"tier\":\"release-signoff\",\"verdict\":40,\"word\":\"pass\"}");
    ROUND_TRIP(sy_gate_selftest, sy_gate_selftest_write, sy_gate_selftest_read, &selftest,
               "{\"alpha\":0.02,\"can_fail\":true,\"effects\":[{\"alarm_count\":4,\"block_count\":0,\"ratio\":1,"
               "\"trial_count\":200},{\"alarm_count\":200,\"block_count\":199,\"ratio\":1.5,\"trial_count\":200}],"
               "\"gate\":\"io.cpu.warm\",\"key_digest\":\"" DIGEST_A "\",\"metric\":" METRIC_TEXT
               ",\"seed\":\"18446744073709551615\",\"session_count\":12,\"visible_effect\":0.125}");
}

static void a_new_baseline_is_written_only_where_it_is_one(void **state)
{
    (void)state;
    const sy_run_accept usual = {"Ada", "", false};
    const sy_run_accept anew = {"Ada", "the format changed", true};
    ROUND_TRIP(sy_run_accept, sy_run_accept_write, sy_run_accept_read, &usual, "{\"by\":\"Ada\"}");
    ROUND_TRIP(sy_run_accept, sy_run_accept_write, sy_run_accept_read, &anew,
               "{\"by\":\"Ada\",\"new_baseline\":true,\"reason\":\"the format changed\"}");
}

/* ---- into a writer ---- */

static void expect_put(sy_event_kind kind, const void *event, sy_status written, const sy_text *text)
{
    sy_text put = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&put, SY_JSON_CANONICAL);
    assert_int_equal(written, SY_OK);
    sy_json_begin_object(writer);
    assert_int_equal(sy_event_put(writer, kind, event, NULL), SY_OK);
    sy_json_end_object(writer);
    assert_int_equal(sy_json_writer_finish(writer, NULL), SY_OK);
    assert_string_equal(put.bytes, text->bytes);
    sy_text_finish(&put);
}

static void the_members_of_each_are_put_into_a_writer(void **state)
{
    (void)state;
    const sy_run_signoff signoff = {"Ada", "all", 0};
    const sy_run_promotion promotion = {.by = "Ada", .signoff = 3};
    const sy_gate_selftest selftest = {.gate = "g", .metric = METRIC};
    sy_text text = SY_TEXT_INIT;
    expect_put(SY_EVENT_VERDICT, &whole_verdict, sy_run_verdict_write(&whole_verdict, &text, NULL), &text);
    sy_text_clear(&text);
    expect_put(SY_EVENT_CHANGE, &whole_change, sy_run_change_write(&whole_change, &text, NULL), &text);
    sy_text_clear(&text);
    expect_put(SY_EVENT_SIGNOFF, &signoff, sy_run_signoff_write(&signoff, &text, NULL), &text);
    sy_text_clear(&text);
    expect_put(SY_EVENT_PROMOTE, &promotion, sy_run_promotion_write(&promotion, &text, NULL), &text);
    sy_text_clear(&text);
    expect_put(SY_EVENT_SELFTEST, &selftest, sy_gate_selftest_write(&selftest, &text, NULL), &text);
    sy_text_finish(&text);
}

/* ---- what cannot be ---- */

static void a_verdict_that_cannot_be_is_refused_by_name(void **state)
{
    (void)state;
    const char *const nameless[] = {"a", ""};
    sy_run_verdict v = whole_verdict;
    v.rule = "";
    REFUSED(sy_run_verdict_write, &v, "rule: is missing");
    v = whole_verdict;
    v.session_count = 0;
    REFUSED(sy_run_verdict_write, &v, "sessions: is missing");
    v = whole_verdict;
    v.baseline = nameless;
    v.baseline_count = 2;
    REFUSED(sy_run_verdict_write, &v, "baseline: 1: is missing");
    v = whole_verdict;
    v.word = (sy_judgement_word)5;
    REFUSED(sy_run_verdict_write, &v, "word: 5 stands for no word");
    v = whole_verdict;
    v.raised_count = 8;
    REFUSED(sy_run_verdict_write, &v, "raised_count: 8 of 7 sessions");
    sy_metric_verdict metric = metrics[0];
    v = whole_verdict;
    v.metrics = &metric;
    v.metric_count = 1;
    metric.judgement.effect_high = INFINITY;
    REFUSED(sy_run_verdict_write, &v, "metrics: 0: judgement: effect_high: is infinite");
    metric = metrics[0];
    metric.metric.series = "";
    REFUSED(sy_run_verdict_write, &v, "metrics: 0: metric: series: is missing");
    v = whole_verdict;
    v.recalibrate_run = "a b";
    REFUSED(sy_run_verdict_write, &v,
            "recalibrate_run: 'a b' is no run's id: letters, digits and . _ - behind a letter or digit");
}

static void the_others_that_cannot_be_are_refused_by_name(void **state)
{
    (void)state;
    const sy_promotion_proof nameless = {"", "", "x"};
    const sy_selftest_effect effects[] = {{1, 10, 10, 10}, {2, 10, 11, 0}};
    sy_run_change change = whole_change;
    change.refers = 0;
    REFUSED(sy_run_change_write, &change, "refers: is missing: a change is reported before it is anything else");
    change.state = SY_CHANGE_REPORTED;
    change.refers = 4;
    REFUSED(sy_run_change_write, &change, "refers: a change that is reported refers to no other");
    change = whole_change;
    change.line = "";
    REFUSED(sy_run_change_write, &change, "line: is missing");
    REFUSED(sy_run_signoff_write, (&(sy_run_signoff){"", "all", 0}), "by: is missing");
    REFUSED(sy_run_signoff_write, (&(sy_run_signoff){"Ada", NULL, 0}), "statement: is missing");
    REFUSED(sy_run_promotion_write, (&(sy_run_promotion){.by = "Ada", .proofs = &nameless, .proof_count = 1}),
            "proofs: 0: name: is missing");
    REFUSED(sy_gate_selftest_write,
            (&(sy_gate_selftest){.gate = "g", .metric = METRIC, .effects = effects, .effect_count = 2}),
            "effects: 1: more was found than the 10 trials");
}

#define CORRUPT(type, read, text_of_body, expected)                              \
    do {                                                                         \
        body b = BODY_INIT;                                                      \
        sy_error err = SY_ERROR_INIT;                                            \
        type event;                                                              \
        sy_text_append(&b.text, (text_of_body));                                 \
        const sy_json_value *root = body_parse(&b);                              \
        assert_int_equal(read(b.json, root, b.arena, &event, &err), SY_CORRUPT); \
        assert_string_equal(err.what, (expected));                               \
        body_finish(&b);                                                         \
    } while (0)

#define VERDICT_HEAD \
    "{\"rule\":\"r\",\"mode\":\"same-key\",\"word\":\"pass\",\"reason\":\"inside\",\"sessions\":[\"a\"],"
#define JUDGED "\"judgement\":{\"word\":\"pass\",\"reason\":\"inside\"}"
#define CHANGE_HEAD "{\"state\":\"reported\",\"line\":\"" DIGEST_A "\",\"before\":\"s\",\"metric\":" METRIC_TEXT ","

static void a_damaged_verdict_is_refused_with_its_pointer(void **state)
{
    (void)state;
    CORRUPT(sy_run_verdict, sy_run_verdict_read, "[]", "the whole: expected object, found array");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, "{}", "the whole: 'rule' is missing");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, "{\"rule\":\"r\",\"mode\":\"none\"}",
            "/mode: 'none' is no word that is known here");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"baseline\":[\"\"]}",
            "/baseline/0: expected a run's id");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"baseline\":[\"../a\"]}",
            "/baseline/0: '../a' is no run's id: letters, digits and . _ - behind a letter or digit");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"alpha\":null}", "/alpha: expected number, found null");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"metrics\":{}}",
            "/metrics: expected array, found object");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"metrics\":[1]}",
            "/metrics/0: expected object, found number");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"metrics\":[{" JUDGED "}]}",
            "/metrics/0: 'metric' is missing");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"metrics\":[{\"metric\":" METRIC_TEXT "}]}",
            "/metrics/0: 'judgement' is missing");
    CORRUPT(sy_run_verdict, sy_run_verdict_read,
            VERDICT_HEAD "\"metrics\":[{" JUDGED ",\"metric\":{\"series\":\"wall\",\"statistic\":\"p99\"}}]}",
            "/metrics/0/metric/statistic: 'p99' is no word that is known here");
    CORRUPT(sy_run_verdict, sy_run_verdict_read, VERDICT_HEAD "\"judged_count\":1,\"raised_count\":2}",
            "/raised_count: 2 of 1 sessions raised an alarm");
}

static void the_others_damaged_are_refused_with_their_pointers(void **state)
{
    (void)state;
    CORRUPT(sy_run_change, sy_run_change_read, CHANGE_HEAD "\"refers\":3}",
            "the whole: refers: a change that is reported refers to no other");
    CORRUPT(sy_run_change, sy_run_change_read, "{\"state\":\"gone\"}", "/state: 'gone' is no word that is known here");
    CORRUPT(sy_run_change, sy_run_change_read, "{\"state\":\"reported\",\"line\":\"" DIGEST_A "\"}",
            "the whole: 'metric' is missing");
    CORRUPT(sy_run_signoff, sy_run_signoff_read, "{\"by\":\"Ada\"}", "the whole: 'statement' is missing");
    CORRUPT(sy_run_promotion, sy_run_promotion_read, "{\"by\":\"Ada\",\"word\":\"pass\",\"proofs\":[{\"run\":\"a\"}]}",
            "/proofs/0: 'name' is missing");
    CORRUPT(sy_run_promotion, sy_run_promotion_read, "{\"by\":\"Ada\",\"word\":\"won\"}",
            "/word: 'won' is no word that is known here");
    CORRUPT(sy_gate_selftest, sy_gate_selftest_read,
            "{\"gate\":\"g\",\"metric\":" METRIC_TEXT ",\"effects\":[{\"trial_count\":1,\"block_count\":2}]}",
            "/effects: of effect 0 more was found than the 1 trials");
    CORRUPT(sy_gate_selftest, sy_gate_selftest_read, "{\"gate\":\"g\",\"metric\":" METRIC_TEXT ",\"seed\":\"-1\"}",
            "/seed: '-1' is no number from 0 to 18446744073709551615");
    CORRUPT(sy_run_accept, sy_run_accept_read, "{\"by\":\"Ada\",\"new_baseline\":1}",
            "/new_baseline: expected true or false, found number");
}

static void words_come_back_as_what_they_stand_for(void **state)
{
    (void)state;
    sy_statistic statistic = SY_STATISTIC_P50;
    assert_true(sy_statistic_read("maximum", &statistic));
    assert_int_equal(statistic, SY_STATISTIC_MAXIMUM);
    assert_false(sy_statistic_read("p99", &statistic));
    assert_false(sy_statistic_read(NULL, &statistic));
    assert_int_equal(statistic, SY_STATISTIC_MAXIMUM);
    assert_string_equal(sy_statistic_word(SY_STATISTIC_MEMORY), "memory");
    assert_string_equal(sy_statistic_word((sy_statistic)4), "unknown");
    assert_string_equal(sy_comparison_mode_word(SY_COMPARISON_REVISIONS), "several-revisions");
    assert_string_equal(sy_comparison_mode_word((sy_comparison_mode)3), "unknown");
    assert_string_equal(sy_change_state_word(SY_CHANGE_CONFIRMED), "confirmed");
    assert_string_equal(sy_change_state_word((sy_change_state)-1), "unknown");
    assert_string_equal(sy_series_role_word(SY_SERIES_CONTROL), "control");
}

/* ---- memory ---- */

static sy_status write_and_read(void *user)
{
    (void)user;
    sy_text text = SY_TEXT_INIT;
    sy_json *json = NULL;
    sy_arena *arena = NULL;
    sy_run_verdict back;
    sy_status status = sy_run_verdict_write(&whole_verdict, &text, NULL);
    if (status == SY_OK) {
        status = sy_json_parse(text.bytes, text.length, NULL, &json, NULL);
    }
    if (status == SY_OK) {
        arena = sy_arena_create(0);
        status = arena == NULL ? SY_NO_MEMORY : sy_run_verdict_read(json, sy_json_root(json), arena, &back, NULL);
    }
    sy_arena_destroy(arena);
    sy_json_destroy(json);
    sy_text_finish(&text);
    return status;
}

static void every_failed_allocation_of_a_round_trip_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(write_and_read, NULL, true) > 5);
    assert_true(fault_loop_allocations(write_and_read, NULL, false) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_verdict_comes_back_the_same),
        cmocka_unit_test(what_a_verdict_does_not_say_is_empty_when_it_is_read),
        cmocka_unit_test(every_other_event_of_a_judgement_comes_back_the_same),
        cmocka_unit_test(a_new_baseline_is_written_only_where_it_is_one),
        cmocka_unit_test(the_members_of_each_are_put_into_a_writer),
        cmocka_unit_test(a_verdict_that_cannot_be_is_refused_by_name),
        cmocka_unit_test(the_others_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(a_damaged_verdict_is_refused_with_its_pointer),
        cmocka_unit_test(the_others_damaged_are_refused_with_their_pointers),
        cmocka_unit_test(words_come_back_as_what_they_stand_for),
        cmocka_unit_test(every_failed_allocation_of_a_round_trip_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
