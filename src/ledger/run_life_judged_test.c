/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of what may be said of a run afterwards: verdicts, changes, sign-offs, promotions, new baselines; each rule is
 * broken once. */
#include "cmocka_headers.h"

#include <string.h>

#include "ledger_life.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define LINE "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define OTHER "20261129-120000-000001"

static sy_run_row judged_row(sy_judgement_word word, sy_judgement_reason reason)
{
    sy_run_row row = row_of(SY_RUN_OK);
    row.judged = true;
    row.verdict = word;
    row.verdict_reason = reason;
    row.verdict_number = 40;
    return row;
}

/* Folds the one event of the batch; what it says when it is refused. */
static void expect(const sy_run_row *before, batch *b, sy_status expected, const char *what, sy_run_row *after)
{
    sy_error err = SY_ERROR_INIT;
    sy_arena *arena = sy_arena_create(0);
    sy_run_row kept = *before;
    sy_status status = fold(before, b, false, arena, &kept, &err);
    if (status != expected) {
        print_message("%s, not %s: %s\n", sy_status_word(status), sy_status_word(expected), err.what);
    }
    assert_int_equal(status, expected);
    if (what != NULL && strstr(err.what, what) == NULL) {
        fail_msg("'%s' does not say '%s'", err.what, what);
    }
    if (after != NULL) {
        *after = kept;
        after->reason = after->conclusion = ""; /* texts of the arena */
    }
    sy_arena_destroy(arena);
}

/* ---- statuses ---- */

static void only_ended_sessions_are_judged_and_only_ok_ones_changed_and_signed(void **state)
{
    static const sy_run_status all[] = {SY_RUN_PLANNED, SY_RUN_RUNNING,    SY_RUN_OK,      SY_RUN_FAILED,
                                        SY_RUN_REFUTED, SY_RUN_SUPERSEDED, SY_RUN_IMPORTED};
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        batch b = {.count = 0};
        const sy_run_row row = row_of(all[i]);
        bool ended = all[i] == SY_RUN_OK || all[i] == SY_RUN_FAILED || all[i] == SY_RUN_REFUTED;
        sy_status on_ok = all[i] == SY_RUN_OK ? SY_OK : SY_REFUSED;
        batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 0);
        expect(&row, &b, ended ? SY_OK : SY_REFUSED, NULL, NULL);
        batch_change(&b, ID, LINE, OTHER);
        expect(&row, &b, on_ok, NULL, NULL);
        batch_signoff(&b, ID, 0);
        expect(&row, &b, on_ok, NULL, NULL);
        batch_promote(&b, ID, SY_JUDGEMENT_PASS, 0, 0);
        expect(&row, &b, SY_REFUSED, NULL, NULL);
    }
}

static void a_decision_is_never_judged_signed_off_or_promoted(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    row.kind = SY_RUN_KIND_DECISION;
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 0);
    expect(&row, &b, SY_REFUSED, "is no session: it takes no verdict", NULL);
    batch_signoff(&b, ID, 0);
    expect(&row, &b, SY_REFUSED, "is no session: it takes no signoff", NULL);
    batch_promote(&b, ID, SY_JUDGEMENT_PASS, 0, 0);
    expect(&row, &b, SY_REFUSED, "is no session: it takes no promote", NULL);
}

static void a_selftest_is_of_no_run(void **state)
{
    batch b = {.count = 0};
    const sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    assert_true(sy_run_life_needs_no_run(SY_EVENT_SELFTEST));
    assert_false(sy_run_life_needs_no_run(SY_EVENT_VERDICT));
    batch_selftest(&b, "g", true);
    b.entries[0].run = ID;
    expect(&row, &b, SY_REFUSED, "an event of kind selftest names no run", NULL);
}

/* ---- verdicts ---- */

static void the_last_verdict_counts_and_the_first_alarm_is_remembered(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    batch_verdict(&b, ID, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED, 0);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_true(row.judged && row.raised);
    assert_int_equal(row.verdict, SY_JUDGEMENT_INVESTIGATE);
    assert_int_equal(row.verdict_reason, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(row.verdict_number, 6); /* ledger_life.h: behind the begin */
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED, 6);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_int_equal(row.verdict, SY_JUDGEMENT_PASS);
    assert_true(row.raised);
    row = row_of(SY_RUN_OK);
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 0);
    expect(&row, &b, SY_OK, NULL, &row);
    batch_verdict(&b, ID, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED, 6);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_false(row.raised);
    row = row_of(SY_RUN_OK);
    batch_verdict(&b, ID, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS, 0);
    expect(&row, &b, SY_OK, NULL, &row);
    batch_verdict(&b, ID, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED, 6);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_true(row.raised); /* no baseline was there before */
}

/* A verdict on the run that the row stands for, which answers another question than event 40 did. */
static void batch_other_verdict(batch *b, sy_judgement_word word, uint64_t leaves_open)
{
    static const char *const sessions[] = {ID};
    const sy_run_verdict verdict = {.rule = "r",
                                    .mode = SY_COMPARISON_REVISION,
                                    .word = word,
                                    .sessions = sessions,
                                    .session_count = 1,
                                    .replaces = 40,
                                    .leaves_open = leaves_open};
    BATCH_ADD(b, SY_EVENT_VERDICT, ID, sy_run_verdict_write, &verdict);
}

static void a_pass_against_something_else_leaves_a_block_where_it_is(void **state)
{
    batch b = {.count = 0};
    (void)state;
    sy_run_row row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    batch_other_verdict(&b, SY_JUDGEMENT_PASS, 40);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_int_equal(row.verdict, SY_JUDGEMENT_BLOCK);
    assert_int_equal(row.verdict_reason, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_int_not_equal(row.verdict_number, 40);
    row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    batch_other_verdict(&b, SY_JUDGEMENT_INVESTIGATE, 40);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_int_equal(row.verdict, SY_JUDGEMENT_INVESTIGATE);
    row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    batch_other_verdict(&b, SY_JUDGEMENT_PASS, 0); /* it answers the same one */
    expect(&row, &b, SY_OK, NULL, &row);
    assert_int_equal(row.verdict, SY_JUDGEMENT_PASS);
    row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    batch_other_verdict(&b, SY_JUDGEMENT_PASS, 41);
    expect(&row, &b, SY_REFUSED, "leaves event 41 open", NULL);
}

static void a_verdict_follows_the_last_one_and_was_reached_with_its_run(void **state)
{
    batch b = {.count = 0};
    const char *const others[] = {OTHER, "another"};
    const sy_run_verdict without = {.rule = "r", .sessions = others, .session_count = 2};
    sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 7);
    expect(&row, &b, SY_REFUSED, "follows event 7, and its last one is event 0", NULL);
    BATCH_ADD(&b, SY_EVENT_VERDICT, ID, sy_run_verdict_write, &without);
    expect(&row, &b, SY_REFUSED, "was reached without it", NULL);
    row = judged_row(SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 0);
    expect(&row, &b, SY_REFUSED, "follows event 0, and its last one is event 40", NULL);
    batch_raw(&b, SY_EVENT_VERDICT, ID, "{\"mode\":\"same-key\",\"word\":\"pass\",\"reason\":\"inside\"}");
    expect(&row, &b, SY_CORRUPT, "'rule' is missing", NULL);
}

static void an_alarm_takes_the_sign_off_back_and_a_pass_does_not(void **state)
{
    static const sy_judgement_word alarms[] = {SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_BLOCK};
    batch b = {.count = 0};
    sy_run_row signed_row = judged_row(SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    sy_run_row row;
    (void)state;
    signed_row.signed_off = true;
    signed_row.signoff_number = 41;
    for (size_t i = 0; i < COUNT(alarms); i++) {
        batch_verdict(&b, ID, alarms[i], SY_JUDGEMENT_REASON_CONFIRMED, 40);
        expect(&signed_row, &b, SY_OK, NULL, &row);
        assert_false(row.signed_off);
        assert_int_equal(row.signoff_number, 0);
    }
    batch_verdict(&b, ID, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 40);
    expect(&signed_row, &b, SY_OK, NULL, &row);
    assert_true(row.signed_off);
    assert_int_equal(row.signoff_number, 41);
}

static void a_change_refers_to_what_was_said_before_it(void **state)
{
    batch b = {.count = 0};
    const sy_run_row row = row_of(SY_RUN_OK);
    sy_run_change change = {
        .state = SY_CHANGE_CONFIRMED, .line = LINE, .metric = {.series = "wall"}, .before = OTHER, .refers = 5};
    (void)state;
    BATCH_ADD(&b, SY_EVENT_CHANGE, ID, sy_run_change_write, &change);
    expect(&row, &b, SY_OK, NULL, NULL);
    change.refers = 6; /* itself */
    BATCH_ADD(&b, SY_EVENT_CHANGE, ID, sy_run_change_write, &change);
    expect(&row, &b, SY_REFUSED, "refers to an event that is not there yet", NULL);
}

/* ---- sign-offs ---- */

static void a_sign_off_has_seen_the_last_verdict_and_stands_against_no_alarm(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    batch_signoff(&b, ID, 0);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_true(row.signed_off);
    assert_int_equal(row.signoff_number, 6);
    batch_signoff(&b, ID, 40);
    expect(&row, &b, SY_REFUSED, "has seen event 40, and its last verdict is event 0", NULL);
    row = judged_row(SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    batch_signoff(&b, ID, 0);
    expect(&row, &b, SY_REFUSED, "has seen event 0, and its last verdict is event 40", NULL);
    batch_signoff(&b, ID, 40);
    expect(&row, &b, SY_OK, NULL, NULL);
    row = judged_row(SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    batch_signoff(&b, ID, 40);
    expect(&row, &b, SY_REFUSED, "is not signed off while its verdict is investigate", NULL);
    row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    batch_signoff(&b, ID, 40);
    expect(&row, &b, SY_REFUSED, "is not signed off while its verdict is block", NULL);
    batch_raw(&b, SY_EVENT_SIGNOFF, ID, "{\"by\":\"\",\"statement\":\"x\",\"verdict\":40}");
    expect(&row, &b, SY_CORRUPT, "'by' is missing", NULL);
}

/* ---- promotions ---- */

static sy_run_row promotable(void)
{
    sy_run_row row = judged_row(SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    row.tier = "release-signoff";
    row.signed_off = true;
    row.signoff_number = 41;
    return row;
}

static void spoil_parity(sy_run_row *row)
{
    row->parity = SY_RUN_PARITY_INCOMPLETE;
}
static void spoil_tier(sy_run_row *row)
{
    row->tier = "scheduled-profile";
}
static void spoil_verdict(sy_run_row *row)
{
    row->verdict = SY_JUDGEMENT_NOT_JUDGED;
}
static void spoil_to_alarm(sy_run_row *row)
{
    row->verdict = SY_JUDGEMENT_INVESTIGATE;
}
static void lack_baseline(sy_run_row *row)
{
    row->verdict = SY_JUDGEMENT_NO_BASELINE;
}
static void lack_signoff(sy_run_row *row)
{
    row->signed_off = false;
    row->signoff_number = 0;
}
static void judge_again(sy_run_row *row)
{
    row->verdict_number = 42;
}
static void sign_again(sy_run_row *row)
{
    row->signoff_number = 43;
}

static const struct {
    void (*spoil)(sy_run_row *row);
    const char *reason;
} spoilers[] = {
    {spoil_parity, "its parity did not pass"},
    {spoil_tier, "its tier is not release-signoff"},
    {spoil_verdict, "it has no verdict of pass"},
    {spoil_to_alarm, "it has no verdict of pass"},
    {lack_baseline, "it has no verdict of pass"},
    {lack_signoff, "nobody signed it off behind its last verdict"},
    {judge_again, "nobody signed it off behind its last verdict"},
    {sign_again, "rests on another verdict or sign-off"},
};

static void each_debt_alone_keeps_a_run_from_being_promoted(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = promotable();
    (void)state;
    batch_promote(&b, ID, SY_JUDGEMENT_PASS, 40, 41);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_int_equal(row.promoted, 6);
    for (size_t i = 0; i < COUNT(spoilers); i++) {
        row = promotable();
        spoilers[i].spoil(&row);
        batch_promote(&b, ID, SY_JUDGEMENT_PASS, 40, 41);
        expect(&row, &b, SY_REFUSED, spoilers[i].reason, NULL);
    }
    row = promotable();
    batch_promote(&b, ID, SY_JUDGEMENT_PASS, 39, 41);
    expect(&row, &b, SY_REFUSED, "rests on another verdict or sign-off", NULL);
    batch_promote(&b, ID, SY_JUDGEMENT_BLOCK, 40, 41);
    expect(&row, &b, SY_REFUSED, "tells another verdict than its last one", NULL);
}

static void a_first_baseline_is_promoted_where_it_was_accepted(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = promotable();
    (void)state;
    row.verdict = SY_JUDGEMENT_NO_BASELINE;
    row.accepted = true;
    batch_promote(&b, ID, SY_JUDGEMENT_NO_BASELINE, 40, 41);
    expect(&row, &b, SY_OK, NULL, NULL);
    row.judged = false; /* without any verdict */
    row.verdict = SY_JUDGEMENT_PASS;
    row.verdict_number = 0;
    batch_promote(&b, ID, SY_JUDGEMENT_NO_BASELINE, 0, 41);
    expect(&row, &b, SY_OK, NULL, NULL);
    row.accepted = false;
    batch_promote(&b, ID, SY_JUDGEMENT_NO_BASELINE, 0, 41);
    expect(&row, &b, SY_REFUSED, "is not accepted as one of a first baseline", NULL);
}

/* ---- baselines ---- */

static void batch_new_baseline(batch *b, const char *reason)
{
    sy_run_accept accept = {"somebody", reason, true};
    BATCH_ADD(b, SY_EVENT_ACCEPT, ID, sy_run_accept_write, &accept);
}

static void what_alarms_is_no_part_of_a_baseline_and_may_begin_one_once_it_is_certain(void **state)
{
    static const struct {
        sy_judgement_word word;
        sy_judgement_reason reason;
        bool joins;
        bool begins;
    } cases[] = {
        {SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, true, false},
        {SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED, true, false},
        {SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_IMPROVED, true, true},
        {SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS, true, false},
        {SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE, true, true},
        {SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED, false, false},
        {SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_MACHINE_CHANGED, false, false},
        {SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED, false, true},
        {SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_DRIFT, true, false},
        {SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED, false, true},
        {SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE, false, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        batch b = {.count = 0};
        sy_run_row after;
        const sy_run_row row = judged_row(cases[i].word, cases[i].reason);
        batch_accept(&b, ID);
        expect(&row, &b, cases[i].joins ? SY_OK : SY_REFUSED, cases[i].joins ? NULL : "its verdict is ", &after);
        assert_int_equal(after.accepted, cases[i].joins);
        assert_false(after.begins_baseline);
        batch_new_baseline(&b, "another compiler");
        expect(&row, &b, cases[i].begins ? SY_OK : SY_REFUSED, cases[i].begins ? NULL : "no verdict confirms a change",
               &after);
        assert_int_equal(after.begins_baseline, cases[i].begins);
        batch_new_baseline(&b, "");
        expect(&row, &b, SY_REFUSED, "a new baseline needs a reason", NULL);
    }
}

static void a_session_without_a_verdict_begins_no_new_baseline(void **state)
{
    batch b = {.count = 0};
    const sy_run_row row = row_of(SY_RUN_OK);
    (void)state;
    batch_new_baseline(&b, "as I say");
    expect(&row, &b, SY_REFUSED, "no verdict confirms a change", NULL);
}

static void a_superseded_session_still_says_that_a_baseline_began_there(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = judged_row(SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    (void)state;
    batch_new_baseline(&b, "another compiler");
    expect(&row, &b, SY_OK, NULL, &row);
    batch_end(&b, ID, SY_RUN_SUPERSEDED);
    expect(&row, &b, SY_OK, NULL, &row);
    assert_false(row.accepted);
    assert_true(row.begins_baseline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_ended_sessions_are_judged_and_only_ok_ones_changed_and_signed),
        cmocka_unit_test(a_decision_is_never_judged_signed_off_or_promoted),
        cmocka_unit_test(a_selftest_is_of_no_run),
        cmocka_unit_test(the_last_verdict_counts_and_the_first_alarm_is_remembered),
        cmocka_unit_test(a_pass_against_something_else_leaves_a_block_where_it_is),
        cmocka_unit_test(a_verdict_follows_the_last_one_and_was_reached_with_its_run),
        cmocka_unit_test(an_alarm_takes_the_sign_off_back_and_a_pass_does_not),
        cmocka_unit_test(a_change_refers_to_what_was_said_before_it),
        cmocka_unit_test(a_sign_off_has_seen_the_last_verdict_and_stands_against_no_alarm),
        cmocka_unit_test(each_debt_alone_keeps_a_run_from_being_promoted),
        cmocka_unit_test(a_first_baseline_is_promoted_where_it_was_accepted),
        cmocka_unit_test(what_alarms_is_no_part_of_a_baseline_and_may_begin_one_once_it_is_certain),
        cmocka_unit_test(a_session_without_a_verdict_begins_no_new_baseline),
        cmocka_unit_test(a_superseded_session_still_says_that_a_baseline_began_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
