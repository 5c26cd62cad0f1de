/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a key over a real ledger: changes that are reported once, confirmed, refuted, moved; sessions and
 * figures that do not count; keys that are not there. */
#include "compare_support.h"

#include "fault_loop.h"

enum { SESSIONS_MAX = 64 };

typedef struct told {
    char runs[SESSIONS_MAX][64];
} told;

static sy_key_history *look(const life *l, const char *key, bool dry_run)
{
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;
    sy_key_history *history = NULL;
    sy_error error = SY_ERROR_INIT;
    options.key = key;
    options.dry_run = dry_run;
    if (sy_project_history(l->project, &options, &history, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return history;
}

/* Sessions about a level, in a wave that no step hides in; ids from `at` on. */
static size_t sessions(life *l, told *t, size_t at, size_t count, double level)
{
    for (size_t i = 0; i < count; i++) {
        compare_run_p50(l, level + .001 * (double)(i * 7 % 10), 0, t->runs[at + i]);
    }
    return at + count;
}

/* A report by hand, as if an earlier look had found it. */
static void report_at(life *l, const told *t, const sy_key_history *history, size_t place, double effect)
{
    sy_event_list events = life_events(t->runs[place]);
    const sy_run_change change = {.state = SY_CHANGE_REPORTED,
                                  .line = history->line,
                                  .key_digest = "",
                                  .metric = history->metric,
                                  .before = t->runs[place - 1],
                                  .revision = "",
                                  .revision_before = "",
                                  .effect = effect,
                                  .effect_low = effect,
                                  .effect_high = effect,
                                  .effect_level = .95,
                                  .statistic = 4,
                                  .critical = 3,
                                  .alpha = .001,
                                  .min_effect = .02,
                                  .worse = effect > 0,
                                  .point_count = place + 5,
                                  .points_after = 5,
                                  .reason = ""};
    assert_int_equal(sy_event_list_change(&events, &change, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
}

static void a_change_is_reported_once_it_was_there_five_sessions_before(void **state)
{
    life *l = *state;
    told t;
    size_t count = sessions(l, &t, 0, 11, 1);
    count = sessions(l, &t, count, 9, 1.2);
    sy_key_history *history = look(l, "last", false);
    assert_int_equal(history->history->change_count, 1);
    assert_int_equal(history->written_count, 0);
    assert_int_equal(history->change_count, 0);
    assert_true(compare_says(history->remarks, history->remark_count, "1 change is not reported yet"));
    sy_key_history_destroy(history);
    (void)sessions(l, &t, count, 2, 1.2);
    history = look(l, "last", false);
    assert_int_equal(history->written_count, 1);
    assert_string_equal(history->changes[0].run, t.runs[11]);
    assert_false(compare_says(history->remarks, history->remark_count, "not reported yet"));
    sy_key_history_destroy(history);
}

static void a_change_is_reported_once_and_confirmed(void **state)
{
    life *l = *state;
    told t;
    size_t count = sessions(l, &t, 0, 11, 1);
    compare_commit(l, "slower");
    count = sessions(l, &t, count, 12, 1.2);
    sy_key_history *dry = look(l, "last", true);
    assert_int_equal(dry->written_count, 0);
    assert_int_equal(dry->change_count, 0);
    assert_int_equal(dry->record_of[0], 0); /* as many as there are: none */
    sy_key_history_destroy(dry);
    sy_key_history *first = look(l, "last", false);
    assert_int_equal(first->written_count, 1);
    assert_int_equal(first->history->change_count, 1);
    assert_int_equal(first->history->changes[0].index, 11);
    assert_int_equal(first->change_count, 1);
    assert_string_equal(first->changes[0].run, t.runs[11]);
    assert_string_equal(first->changes[0].change.before, t.runs[10]);
    assert_int_equal(first->changes[0].change.points_after, 12);
    assert_int_equal(first->changes[0].number, first->head.number);
    assert_true(first->changes[0].change.worse);
    assert_non_null(strstr(first->bisect[0], "git show "));
    sy_key_history *second = look(l, first->line, false);
    assert_int_equal(second->written_count, 0);
    assert_int_equal(second->head.number, first->head.number);
    assert_int_equal(second->record_of[0], 0);
    sy_key_history_destroy(second);
    sy_key_history_destroy(first);
    (void)sessions(l, &t, count, 10, 1.2);
    sy_key_history *third = look(l, "last", false);
    assert_int_equal(third->written_count, 1);
    assert_int_equal(third->changes[0].change.state, SY_CHANGE_CONFIRMED);
    assert_int_equal(third->reported_count, 1);
    assert_int_equal(third->refuted_count, 0);
    sy_key_history_destroy(third);
}

static void what_is_not_found_is_refuted_and_stays_in_the_record(void **state)
{
    life *l = *state;
    told t;
    (void)sessions(l, &t, 0, 14, 1);
    sy_key_history *history = look(l, "last", false);
    assert_int_equal(history->written_count, 0);
    report_at(l, &t, history, 7, .05);
    report_at(l, &t, history, 12, -.05); /* two values behind it: nothing can be said of it */
    sy_key_history_destroy(history);
    history = look(l, "last", false);
    assert_int_equal(history->written_count, 1);
    assert_int_equal(history->change_count, 2);
    assert_int_equal(history->changes[0].change.state, SY_CHANGE_REFUTED);
    assert_int_equal(history->changes[1].change.state, SY_CHANGE_REPORTED);
    assert_int_equal(history->reported_count, 2);
    assert_int_equal(history->refuted_count, 1);
    assert_true(compare_says(history->remarks, history->remark_count, "1 recorded change has too few"));
    sy_key_history_destroy(history);
    history = look(l, "last", false);
    assert_int_equal(history->written_count, 0);
    assert_int_equal(history->change_count, 2);
    sy_key_history_destroy(history);
}

static void a_change_found_elsewhere_is_reported_anew(void **state)
{
    life *l = *state;
    told t;
    size_t count = sessions(l, &t, 0, 10, 1);
    (void)sessions(l, &t, count, 10, 1.2);
    sy_key_history *history = look(l, "last", true);
    report_at(l, &t, history, 13, .2);
    sy_key_history_destroy(history);
    history = look(l, "last", false);
    assert_int_equal(history->written_count, 2);
    assert_int_equal(history->change_count, 2);
    assert_int_equal(history->changes[0].change.state, SY_CHANGE_SUPERSEDED);
    assert_string_equal(history->changes[0].run, t.runs[13]);
    assert_non_null(strstr(history->changes[0].change.reason, t.runs[10]));
    assert_int_equal(history->changes[1].change.state, SY_CHANGE_REPORTED);
    assert_string_equal(history->changes[1].run, t.runs[10]);
    assert_int_equal(history->changes[1].change.moved_from, history->changes[0].change.refers);
    assert_int_equal(history->record_of[0], 1);
    assert_int_equal(history->reported_count, 1); /* one that moved counts once ... */
    assert_int_equal(history->refuted_count, 1);  /* ... and three values are more than two */
    sy_key_history_destroy(history);
    history = look(l, "last", false);
    assert_int_equal(history->written_count, 0);
    sy_key_history_destroy(history);
}

/* Up, and down again: what was reported before is not hidden by the step back. */
static void a_step_back_refutes_nothing(void **state)
{
    life *l = *state;
    told t;
    size_t count = sessions(l, &t, 0, 10, 1);
    count = sessions(l, &t, count, 14, 1.2);
    sy_key_history *history = look(l, "last", false);
    assert_int_equal(history->written_count, 1);
    sy_key_history_destroy(history);
    (void)sessions(l, &t, count, 14, 1);
    history = look(l, "last", false);
    assert_int_equal(history->history->change_count, 2);
    assert_int_equal(history->reported_count, 2);
    assert_int_equal(history->refuted_count, 0);
    assert_string_equal(history->changes[0].run, t.runs[10]);
    assert_string_equal(history->changes[1].run, t.runs[24]);
    sy_key_history_destroy(history);
}

static void other_settings_have_reports_of_their_own(void **state)
{
    life *l = *state;
    told t;
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;
    sy_key_history *history = NULL;
    size_t count = sessions(l, &t, 0, 10, 1);
    (void)sessions(l, &t, count, 14, 1.2);
    sy_key_history_destroy(look(l, "last", false));
    options.key = "last";
    options.min_effect = .5; /* finds nothing, and refutes nothing */
    assert_int_equal(sy_project_history(l->project, &options, &history, NULL), SY_OK);
    assert_int_equal(history->written_count, 0);
    assert_int_equal(history->change_count, 0);
    assert_true(compare_says(history->remarks, history->remark_count, "1 more was reported with other settings"));
    sy_key_history_destroy(history);
    options.min_effect = .02;
    options.alpha = .01;
    assert_int_equal(sy_project_history(l->project, &options, &history, NULL), SY_OK);
    assert_int_equal(history->written_count, 1);
    assert_int_equal(history->change_count, 1);
    sy_key_history_destroy(history);
    options.alpha = .001;
    options.same_revision = true; /* another line: that of the key */
    assert_int_equal(sy_project_history(l->project, &options, &history, NULL), SY_OK);
    assert_string_equal(history->line, history->key_digest);
    assert_string_equal(history->changes[0].change.key_digest, history->key_digest);
    assert_int_equal(history->written_count, 1);
    sy_key_history_destroy(history);
}

/* Said after it had ended well, as far as that is let by. */
static void a_session_whose_parity_failed_has_no_time(void **state)
{
    life *l = *state;
    told t;
    char host[256] = "";
    const compare_session session = {.p50 = 9};
    char id[64];
    (void)sessions(l, &t, 0, 2, 1);
    compare_start(l, &session, id);
    sy_event_list events = life_events(id);
    const sy_run_parity_event parity = {SY_RUN_PARITY_FAILED, "", "", "", SY_NAN};
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    life_lease_on(l, id, host, "", LIFE_BEGAN + 3600);
    life_command(l, id, "measure", 0, true);
    compare_series(l, id, &session, SY_SERIES_SAMPLE, session.p50);
    assert_int_equal(sy_event_list_parity(&events, &parity, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, NULL), SY_OK);
    sy_key_history *history = look(l, "last", true);
    assert_int_equal(history->point_count, 2);
    assert_true(compare_says(history->remarks, history->remark_count, "1 run is left out: parity failed"));
    sy_key_history_destroy(history);
}

static void what_does_not_count_is_left_out_and_said(void **state)
{
    life *l = *state;
    told t;
    char id[64];
    (void)sessions(l, &t, 0, 3, 1);
    compare_run(l, &(compare_session){.p50 = 9, .parity = SY_RUN_PARITY_FAILED}, id);
    compare_run(l, &(compare_session){.p50 = 9, .name = "other"}, id);
    compare_run(l, &(compare_session){.p50 = -1}, id);
    compare_start(l, &(compare_session){.p50 = 1}, id); /* planned, and never run */
    sy_key_history *history = look(l, t.runs[0], true);
    assert_int_equal(history->point_count, 5);
    assert_int_equal(history->history->value_count, 3);
    assert_true(isnan(history->points[3].value) && isnan(history->points[4].value));
    assert_true(compare_says(history->remarks, history->remark_count, "1 run is left out: failed"));
    assert_true(compare_says(history->remarks, history->remark_count, "1 run is left out: not ended"));
    assert_true(compare_says(history->remarks, history->remark_count, "1 session has no such figure"));
    assert_true(compare_says(history->remarks, history->remark_count, "1 session has no positive number"));
    sy_key_history_destroy(history);
}

static void equal_values_and_one_device_alone_have_no_change(void **state)
{
    life *l = *state;
    char id[64];
    for (size_t i = 0; i < 10; i++) {
        compare_run_p50(l, 1, 0, id);
        compare_run(l, &(compare_session){.p50 = i < 5 ? 1 : 2, .device_id = "another"}, id);
    }
    sy_key_history *history = look(l, "last", true);
    assert_int_equal(history->point_count, 10); /* of the other device: too few for .1 % */
    assert_int_equal(history->history->change_count, 0);
    sy_key_history_destroy(history);
}

static void expect_refusal(const life *l, const sy_key_history_options *options, sy_status status, const char *words)
{
    sy_key_history *history = NULL;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_project_history(l->project, options, &history, &error), status);
    if (strstr(error.what, words) == NULL) {
        fail_msg("not '%s' but '%s'", words, error.what);
    }
}

static void what_is_not_there_is_refused(void **state)
{
    life *l = *state;
    told t;
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;
    (void)sessions(l, &t, 0, 1, 1);
    expect_refusal(l, &options, SY_INVALID_ARGUMENT, "which key?");
    options.key = "0123456789abcdef";
    expect_refusal(l, &options, SY_NOT_FOUND, "no comparison key, line or run begins with");
    options.key = "last";
    options.series = "nope";
    expect_refusal(l, &options, SY_NOT_FOUND, "none of the 1 sessions has nope p50");
    options.series = NULL;
    options.alpha = .05;
    expect_refusal(l, &options, SY_INVALID_ARGUMENT, "no critical values");
    options.alpha = .001;
    options.struct_size = 3;
    expect_refusal(l, &options, SY_INVALID_ARGUMENT, "struct_size");
}

static void a_run_without_a_whole_key_has_no_history(void **state)
{
    life *l = *state; /* under no git: nobody knows its revision */
    char id[64];
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;
    compare_run_p50(l, 1, 0, id);
    options.key = id;
    expect_refusal(l, &options, SY_NOT_FOUND, "has no whole comparison key");
}

static sy_status look_once(void *user)
{
    const life *l = user;
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;
    sy_key_history *history = NULL;
    options.key = "last";
    options.dry_run = true;
    sy_status status = sy_project_history(l->project, &options, &history, NULL);
    sy_key_history_destroy(history);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    life *l = *state;
    told t;
    (void)sessions(l, &t, 0, 2, 1);
    assert_int_equal(look_once(l), SY_OK); /* the registry is read once, and kept */
    assert_true(fault_loop_allocations(look_once, l, true) > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_change_is_reported_once_it_was_there_five_sessions_before),
        TEST(a_change_is_reported_once_and_confirmed),
        TEST(what_is_not_found_is_refuted_and_stays_in_the_record),
        TEST(a_change_found_elsewhere_is_reported_anew),
        TEST(a_step_back_refutes_nothing),
        TEST(other_settings_have_reports_of_their_own),
        TEST(a_session_whose_parity_failed_has_no_time),
        TEST(what_does_not_count_is_left_out_and_said),
        TEST(equal_values_and_one_device_alone_have_no_change),
        TEST(what_is_not_there_is_refused),
        cmocka_unit_test_setup_teardown(a_run_without_a_whole_key_has_no_history, life_set_up, life_tear_down),
        TEST(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
