/* SPDX-License-Identifier: Apache-2.0 */
/* Runs judged in a ledger: from no baseline to a block, what is recorded and stays so, what cannot be compared. */
#include "compare_support.h"

#define SLOW 1.31e-3
#define FAST 0.80e-3
#define USUAL 1.00e-3

static void without_five_sessions_there_is_no_baseline(void **state)
{
    life *l = *state;
    char id[64];
    compare_run_p50(l, USUAL, 0, id);
    sy_compared *compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_int_equal(compared->verdict.metrics[0].judgement.sessions_to_baseline, 5);
    assert_true(compare_says(compared->next, compared->next_count, "# a baseline takes 5 more accepted sessions"));
    assert_true(compare_says(compared->next, compared->next_count, "run accept"));
    assert_true(compare_says(compared->next, compared->next_count, "run exec --gate matmul.cpu.square-512.session"));
    assert_true(isnan(compared->alarm_promised));
    assert_int_equal(compared->judged_count, 0);
    assert_int_equal(compared->verdict_number, compared->head.number);
    sy_compared_destroy(compared);
    /* Once again, with nothing changed: shown as it was recorded. */
    compared = compare(l, id);
    assert_true(compared->already_recorded);
    sy_compared_destroy(compared);
}

static void a_no_baseline_is_judged_anew_once_there_is_one(void **state)
{
    life *l = *state;
    char ids[6][64];
    for (size_t i = 0; i < 6; i++) {
        compare_run_p50(l, USUAL + 1e-6 * (double)i, 0, ids[i]);
    }
    compare_wants(l, ids[5], SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    for (size_t i = 0; i < 5; i++) {
        compare_accept(l, ids[i], false);
    }
    sy_compared *compared = compare(l, ids[5]);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_int_not_equal(compared->verdict.replaces, 0);
    assert_int_equal(compared->verdict.baseline_count, 5);
    sy_compared_destroy(compared);
}

static void a_regression_goes_from_alarm_to_block(void **state)
{
    life *l = *state;
    char ids[3][64];
    compare_baseline(l, USUAL);
    compare_run_p50(l, SLOW, 0, ids[0]);
    sy_compared *compared = compare(l, ids[0]);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_true(compared->verdict.raised);
    assert_true(compare_says(compared->next, compared->next_count, "# 2 more sessions"));
    assert_true(compare_says(compared->next, compared->next_count, "--control-directory \"$ACCEPTED\" --judge"));
    assert_true(fabs(compared->alarm_promised - 1. / 6) < 1e-12);
    assert_int_equal(compared->raised_count, 1);
    sy_compared_destroy(compared);
    compare_run_p50(l, SLOW, USUAL, ids[1]);
    compared = compare(l, ids[1]);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(compared->verdict.session_count, 2);
    assert_string_equal(compared->verdict.sessions[0], ids[0]);
    assert_true(compare_says(compared->next, compared->next_count, "--control-directory \"$ACCEPTED\" --judge"));
    sy_compared_destroy(compared);
    compare_run_p50(l, 1.02 * SLOW, USUAL, ids[2]);
    compared = compare(l, ids[2]);
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_int_equal(compared->verdict.session_count, 3);
    assert_int_equal(compared->verdict.judged_count, 0); /* before the alarm */
    assert_true(compare_says(compared->next, compared->next_count, "steelyard history"));
    sy_compared_destroy(compared);
    /* The alarm and its first confirm are blocked by it as well. */
    for (size_t i = 0; i < 3; i++) {
        sy_run *run = life_run(l, ids[i]);
        assert_int_equal(run->row.verdict, SY_JUDGEMENT_BLOCK);
        assert_true(run->row.raised);
        assert_int_equal(run->verdict_count, i == 2 ? 1 : 2);
        sy_run_destroy(run);
    }
    /* What comes later is a question of its own. */
    compare_run_p50(l, USUAL, 0, ids[0]);
    compare_wants(l, ids[0], SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

/* A session with a peak of memory, and a control command that had one of 7 MiB; is_void: whose arm has no series. */
static void run_with_control_peak(life *l, bool is_void, char id[64])
{
    static const char *const argv[] = {"work"};
    const compare_session session = {.p50 = USUAL};
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    compare_start(l, &session, id);
    life_lease_on(l, id, host, "", LIFE_BEGAN + 3600);
    life_command(l, id, "measure", 0, true);
    compare_series(l, id, &session, SY_SERIES_SAMPLE, USUAL);
    if (!is_void) {
        compare_series(l, id, &session, SY_SERIES_CONTROL, USUAL);
    }
    sy_event_list events = life_events(id);
    const sy_run_command control = {.phase = "control",
                                    .argv = argv,
                                    .argc = 1,
                                    .fence = l->fence,
                                    .lease_held = true,
                                    .peak_memory_bytes = 7 << 20};
    const sy_run_memory peak = {.name = "peak",
                                .bytes = 6 << 20,
                                .basis = SY_MEMORY_PHYSICAL,
                                .scope = SY_MEMORY_PROCESS,
                                .how = "",
                                .swap_bytes = SY_NAN,
                                .pressure_share = SY_NAN};
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", SY_NAN};
    assert_int_equal(sy_event_list_command(&events, &control, NULL), SY_OK);
    assert_int_equal(sy_event_list_memory(&events, &peak, NULL), SY_OK);
    assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
}

/* The arm ran, and what it said was not kept: its memory counts as little as its times. */
static void a_void_control_arm_says_nothing_of_memory(void **state)
{
    life *l = *state;
    compare_baseline(l, USUAL);
    for (int is_void = 0; is_void < 2; is_void++) {
        char id[64];
        bool found = false;
        run_with_control_peak(l, is_void, id);
        sy_compared *compared = compare(l, id);
        for (size_t i = 0; i < compared->verdict.metric_count; i++) {
            const sy_metric_verdict *metric = &compared->verdict.metrics[i];
            if (metric->metric.statistic == SY_STATISTIC_MEMORY) {
                found = true;
                assert_true(is_void ? isnan(metric->control) : metric->control == 7 << 20);
            }
        }
        assert_true(found);
        sy_compared_destroy(compared);
    }
}

static void an_alarm_that_does_not_repeat_is_refuted_for_both(void **state)
{
    life *l = *state;
    char ids[2][64];
    compare_baseline(l, USUAL);
    compare_run_p50(l, SLOW, 0, ids[0]);
    compare_wants(l, ids[0], SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    compare_run_p50(l, USUAL, 0, ids[1]);
    compare_wants(l, ids[1], SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    sy_compared *compared = compare(l, ids[0]);
    assert_true(compared->already_recorded);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    assert_int_equal(compared->judged_count, 2);
    assert_int_equal(compared->raised_count, 1);
    sy_compared_destroy(compared);
}

/* Nobody asked for the sessions in between: they count all the same, in the order in which they began. */
static void sessions_between_an_alarm_and_the_judged_one_count(void **state)
{
    life *l = *state;
    char ids[3][64];
    compare_baseline(l, USUAL);
    compare_run_p50(l, SLOW, USUAL, ids[0]);
    compare_wants(l, ids[0], SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    compare_run_p50(l, SLOW, USUAL, ids[1]);
    compare_run_p50(l, SLOW, USUAL, ids[2]);
    sy_compared *compared = compare(l, ids[2]);
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_int_equal(compared->verdict.session_count, 3);
    sy_compared_destroy(compared);
    sy_run *run = life_run(l, ids[1]);
    assert_int_equal(run->row.verdict, SY_JUDGEMENT_BLOCK);
    assert_int_equal(run->verdict_count, 1);
    sy_run_destroy(run);
}

/* An alarm that a session in between refutes is closed there. */
static void a_closed_alarm_takes_no_more_confirms(void **state)
{
    life *l = *state;
    char ids[3][64];
    compare_baseline(l, USUAL);
    compare_run_p50(l, SLOW, USUAL, ids[0]);
    compare_wants(l, ids[0], SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    compare_run_p50(l, USUAL, USUAL, ids[1]);
    compare_run_p50(l, SLOW, USUAL, ids[2]);
    sy_compared *compared = compare(l, ids[2]);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(compared->verdict.session_count, 1);
    sy_compared_destroy(compared);
    sy_run *run = life_run(l, ids[0]);
    assert_int_equal(run->row.verdict_reason, SY_JUDGEMENT_REASON_REFUTED);
    sy_run_destroy(run);
}

static void two_sessions_of_one_lease_count_as_one(void **state)
{
    life *l = *state;
    char ids[3][64];
    compare_baseline(l, USUAL);
    compare_run_p50(l, SLOW, USUAL, ids[0]);
    compare_wants(l, ids[0], SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    for (size_t i = 1; i < 3; i++) {
        compare_run(l, &(compare_session){.p50 = SLOW, .control = USUAL, .same_lease = true}, ids[i]);
    }
    sy_compared *compared = compare(l, ids[2]);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(compared->verdict.session_count, 1);
    assert_true(compare_says(compared->remarks, compared->remark_count, "same lease"));
    sy_compared_destroy(compared);
}

static void an_improvement_is_proposed_and_begins_a_new_baseline(void **state)
{
    life *l = *state;
    char ids[3][64], later[64];
    compare_baseline(l, USUAL);
    for (size_t i = 0; i < 3; i++) {
        compare_run_p50(l, FAST, USUAL, ids[i]);
        compare_wants(l, ids[i], i < 2 ? SY_JUDGEMENT_INVESTIGATE : SY_JUDGEMENT_PASS,
                      i < 2 ? SY_JUDGEMENT_REASON_UNCONFIRMED : SY_JUDGEMENT_REASON_IMPROVED);
    }
    sy_compared *compared = compare(l, ids[2]);
    assert_true(compared->already_recorded);
    assert_true(compare_says(compared->next, compared->next_count, "--new-baseline"));
    sy_compared_destroy(compared);
    /* The old one stays until the new one is accepted. */
    sy_run_acceptance *refused = compare_accept_as(l, ids[0], false);
    assert_false(refused->accepted);
    sy_run_acceptance_destroy(refused);
    compare_accept(l, ids[0], true);
    compare_accept(l, ids[1], false);
    compare_run_p50(l, FAST, 0, later);
    compared = compare(l, later);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_int_equal(compared->verdict.baseline_count, 2);
    assert_true(compare_says(compared->remarks, compared->remark_count, "5 earlier sessions are left out"));
    sy_compared_destroy(compared);
    /* What was said of an accepted run stays as it was said. */
    compared = compare(l, ids[0]);
    assert_true(compared->already_recorded);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_IMPROVED);
    sy_compared_destroy(compared);
}

static void evidence_comes_before_every_time(void **state)
{
    life *l = *state;
    char id[64];
    compare_baseline(l, USUAL);
    compare_run(l, &(compare_session){.p50 = USUAL, .parity = SY_RUN_PARITY_FAILED}, id);
    sy_compared *compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
    assert_string_equal(compared->verdict.evidence, "parity failed");
    assert_string_equal(compared->verdict.reasons[0], "parity failed");
    sy_compared_destroy(compared);
    compare_run(l, &(compare_session){.p50 = USUAL, .without_parity = true}, id);
    compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
    assert_string_equal(compared->verdict.evidence, "parity is absent");
    sy_compared_destroy(compared);
    /* Neither is an alarm, nor a confirm of one. */
    compare_run_p50(l, SLOW, USUAL, id);
    compared = compare(l, id);
    assert_int_equal(compared->verdict.judged_count, 0);
    assert_int_equal(compared->judged_count, 1);
    sy_compared_destroy(compared);
}

static void runs_that_are_no_session_are_refused(void **state)
{
    life *l = *state;
    char id[64];
    sy_compared *compared = NULL;
    sy_error error = SY_ERROR_INIT;
    life_start(l, LIFE_GATE, id);
    sy_compare_options options = compare_options(id);
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "planned"));
    assert_int_equal(life_finish(l, id, SY_RUN_FAILED, NULL, "preflight: load", &error), SY_OK);
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "never ran: preflight: load"));
    options.run = "20010101-000000-abcdef";
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_NOT_FOUND);
    options.run = NULL;
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_INVALID_ARGUMENT);
    compare_run_p50(l, USUAL, 0, id);
    options = compare_options(id);
    options.alpha = 0.7;
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_INVALID_ARGUMENT);
    assert_null(compared);
}

static void of_tier(life *l, const char *before, const char *tier)
{
    char from[256], to[256];
    snprintf(from, sizeof from,
             "\"tier\": \"%s\",\n      \"evidence_level\": \"physical performance\",\n      "
             "\"command\": \"steelyard measure",
             before);
    snprintf(to, sizeof to,
             "\"tier\": \"%s\",\n      \"evidence_level\": \"physical performance\",\n      \"command\": "
             "\"steelyard measure",
             tier);
    set_edit(l->root, LIFE_GATES, from, to);
    compare_commit(l, tier);
    sy_project_close(l->project);
    life_open(l, false);
}

static void a_smoke_run_is_held_against_no_time(void **state)
{
    life *l = *state;
    char id[64];
    of_tier(l, "release-signoff", "pr-smoke");
    compare_run_p50(l, SLOW, 0, id);
    sy_compared *compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_true(compare_says(compared->remarks, compared->remark_count, "shows parity, no speed"));
    sy_compared_destroy(compared);
    compare_run(l, &(compare_session){.p50 = SLOW, .parity = SY_RUN_PARITY_FAILED}, id);
    compare_wants(l, id, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
}

static void a_diagnostic_run_is_not_judged(void **state)
{
    life *l = *state;
    char id[64];
    sy_compared *compared = NULL;
    sy_error error = SY_ERROR_INIT;
    of_tier(l, "release-signoff", "diagnostic");
    compare_run_p50(l, USUAL, 0, id);
    sy_compare_options options = compare_options(id);
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "diagnostic runs are no baseline and are not judged"));
}

static void a_dry_run_says_the_verdict_and_writes_nothing(void **state)
{
    life *l = *state;
    char id[64];
    sy_ledger_head before, after;
    compare_baseline(l, USUAL);
    compare_run_p50(l, 1.013e-3, 0, id);
    sy_compare_options options = compare_options(id);
    options.dry_run = true;
    options.delta = 0;
    assert_int_equal(sy_ledger_read_head(sy_project_ledger(l->project), &before, NULL), SY_OK);
    sy_compared *compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(compared->verdict_number, 0);
    sy_compared_destroy(compared);
    assert_int_equal(sy_ledger_read_head(sy_project_ledger(l->project), &after, NULL), SY_OK);
    assert_int_equal(after.number, before.number);
    /* Recorded with another effect, it is tried again only so. */
    compare_wants(l, id, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    options.dry_run = false;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_project_compare(l->project, &options, &compared, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.hint, "--dry-run"));
    options.dry_run = true;
    compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    sy_compared_destroy(compared);
}

static void order_is_that_of_their_beginnings(void **state)
{
    life *l = *state;
    char early[64], id[64];
    compare_start(l, &(compare_session){.p50 = SLOW}, early);
    compare_baseline(l, USUAL);
    compare_work(l, &(compare_session){.p50 = SLOW}, early);
    /* It ended last and began first: nothing was accepted before it. */
    compare_wants(l, early, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    compare_run_p50(l, USUAL, 0, id);
    compare_wants(l, id, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

static void another_key_is_no_baseline_and_says_why(void **state)
{
    life *l = *state;
    char id[64], first[64];
    sy_compared *other = NULL;
    sy_error error = SY_ERROR_INIT;
    compare_baseline(l, USUAL);
    compare_run_p50(l, USUAL, 0, first);
    compare_run(l, &(compare_session){.p50 = USUAL, .device_id = "another processor"}, id);
    sy_compared *compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_int_equal(compared->neighbour_count, 1);
    assert_int_equal(compared->neighbours[0].accepted_count, 5);
    assert_int_equal(compared->neighbours[0].field_count, 1);
    assert_string_equal(compared->neighbours[0].fields[0].name, "device_id");
    assert_string_equal(compared->neighbours[0].fields[0].a, "another processor");
    assert_false(compare_says(compared->next, compared->next_count, "--revision-comparison"));
    sy_compared_destroy(compared);
    sy_compare_options options = compare_options(id);
    options.against = first;
    assert_int_equal(sy_project_compare(l->project, &options, &other, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "device_id 'another processor' and 'a processor'"));
    assert_non_null(strstr(error.hint, "key diff"));
    options.revision_comparison = true;
    assert_int_equal(sy_project_compare(l->project, &options, &other, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "device_id"));
}

static void a_series_that_came_or_went_is_not_judged(void **state)
{
    life *l = *state;
    char id[64];
    compare_baseline(l, USUAL);
    compare_run(l, &(compare_session){.p50 = USUAL, .name = "gpu"}, id);
    sy_compared *compared = compare(l, id);
    compare_expect(compared, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    assert_int_equal(compared->verdict.metric_count, 2);
    assert_true(compare_says(compared->next, compared->next_count, "--new-baseline"));
    sy_compared_destroy(compared);
    compare_accept(l, id, true);
}

static void expected_blocks_a_year_follow_from_rate_and_ladder(void **state)
{
    life *l = *state;
    char id[64];
    for (size_t i = 0; i < 5; i++) {
        compare_run_p50(l, USUAL + 1e-6 * (double)i, 0, id);
        compare_accept(l, id, false);
        sy_clock_manual_advance(&l->clock, UINT64_C(86400000000000));
    }
    compare_run_p50(l, USUAL, 0, id);
    sy_compared *compared = compare(l, id);
    assert_true(fabs(compared->sessions_a_year - 365.25) < 0.5);
    /* 1 / C(8, 3) of each session. */
    assert_true(fabs(compared->false_blocks_a_year - 365.25 / 56) < 0.05);
    sy_compared_destroy(compared);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_five_sessions_there_is_no_baseline),
        TEST(a_no_baseline_is_judged_anew_once_there_is_one),
        TEST(a_regression_goes_from_alarm_to_block),
        TEST(a_void_control_arm_says_nothing_of_memory),
        TEST(an_alarm_that_does_not_repeat_is_refuted_for_both),
        TEST(sessions_between_an_alarm_and_the_judged_one_count),
        TEST(a_closed_alarm_takes_no_more_confirms),
        TEST(two_sessions_of_one_lease_count_as_one),
        TEST(an_improvement_is_proposed_and_begins_a_new_baseline),
        TEST(evidence_comes_before_every_time),
        TEST(runs_that_are_no_session_are_refused),
        TEST(a_smoke_run_is_held_against_no_time),
        TEST(a_diagnostic_run_is_not_judged),
        TEST(a_dry_run_says_the_verdict_and_writes_nothing),
        TEST(order_is_that_of_their_beginnings),
        TEST(another_key_is_no_baseline_and_says_why),
        TEST(a_series_that_came_or_went_is_not_judged),
        TEST(expected_blocks_a_year_follow_from_rate_and_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
