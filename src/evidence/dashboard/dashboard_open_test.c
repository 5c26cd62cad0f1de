/* SPDX-License-Identifier: Apache-2.0 */
/* What stands open on a dashboard and what settles it: verdicts, newer revisions, smokes; promoted rows. */
#include "dashboard_support.h"

/* ---- what stands open ---- */

static void the_newest_verdict_of_a_key_is_what_stands(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 5, NULL);
    add_session(l, &(spec){.id = "b",
                           .judged = true,
                           .word = SY_JUDGEMENT_INVESTIGATE,
                           .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                           .raised = true});
    sy_dashboard *d = collect(l);
    assert_int_equal(d->alarm_count, 1);
    assert_int_equal(d->block_count, 0);
    assert_string_equal(d->alarms[0].run, "b");
    assert_string_equal(d->alarms[0].text, "it is slower");
    assert_string_equal(d->alarms[0].gate, LIFE_GATE);
    assert_string_equal(d->alarms[0].device, "cpu");
    /* as `compare` says it of the verdict that is recorded */
    assert_non_null(strstr(d->alarms[0].command, "steelyard run exec --gate " LIFE_GATE " --control"));
    assert_non_null(strstr(d->alarms[0].command, " --judge -- ./bench --fast"));
    assert_string_equal(d->next[0], d->alarms[0].command);
    assert_string_equal(d->judged->row.id, "b");
    sy_dashboard_destroy(d);
    /* A session that nobody judged, or that had no baseline, says nothing of it. */
    add_session(l, &(spec){.id = "c"});
    add_session(l, &(spec){.id = "d",
                           .judged = true,
                           .word = SY_JUDGEMENT_NO_BASELINE,
                           .reason = SY_JUDGEMENT_REASON_FEW_SESSIONS});
    d = collect(l);
    assert_int_equal(d->alarm_count, 1);
    assert_string_equal(d->judged->row.id, "d");
    sy_dashboard_destroy(d);
    add_session(l, &(spec){.id = "e",
                           .judged = true,
                           .word = SY_JUDGEMENT_BLOCK,
                           .reason = SY_JUDGEMENT_REASON_CONFIRMED,
                           .raised = true});
    d = collect(l);
    assert_int_equal(d->alarm_count, 1);
    assert_int_equal(d->block_count, 1);
    assert_string_equal(d->alarms[0].run, "e");
    assert_string_equal(d->alarms[0].command, "steelyard history e");
    sy_dashboard_destroy(d);
    add_session(l, &(spec){.id = "f", .judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE});
    d = collect(l);
    assert_int_equal(d->alarm_count, 0);
    sy_dashboard_destroy(d);
}

static void a_block_is_settled_by_a_newer_revision_that_was_held_against_another(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 5, NULL);
    add_session(l, &(spec){.id = "b",
                           .revision = SECOND_REVISION,
                           .judged = true,
                           .word = SY_JUDGEMENT_BLOCK,
                           .reason = SY_JUDGEMENT_REASON_CONFIRMED,
                           .mode = SY_COMPARISON_REVISION,
                           .raised = true});
    spec pass = {.judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE};
    pass.id = "c"; /* the old revision again: it says nothing of the new one */
    pass.mode = SY_COMPARISON_REVISION;
    add_session(l, &pass);
    pass.id = "d"; /* a newer one, against its own sessions: those may be as slow */
    pass.revision = THIRD_REVISION;
    pass.mode = SY_COMPARISON_SAME_KEY;
    add_session(l, &pass);
    sy_dashboard *d = collect(l);
    assert_int_equal(d->block_count, 1);
    assert_string_equal(d->alarms[0].run, "b");
    sy_dashboard_destroy(d);
    pass.id = "e"; /* against what is as slow: nobody asked that */
    pass.mode = SY_COMPARISON_REVISION;
    pass.against = SECOND_REVISION;
    add_session(l, &pass);
    d = collect(l);
    assert_int_equal(d->block_count, 1);
    sy_dashboard_destroy(d);
    pass.id = "f"; /* against what the block was held against */
    pass.against = FIRST_REVISION;
    add_session(l, &pass);
    d = collect(l);
    assert_int_equal(d->alarm_count, 0);
    sy_dashboard_destroy(d);
}

static void an_accepted_change_and_a_replaced_run_are_settled(void **state)
{
    life *l = *state;
    batch b = {.count = 0};
    const sy_run_end replaced = {SY_RUN_SUPERSEDED, "", "", "a0"};
    spec alarm = {
        .judged = true, .word = SY_JUDGEMENT_INVESTIGATE, .reason = SY_JUDGEMENT_REASON_CONFIRMED, .raised = true};
    add_accepted(l, "a", 5, NULL);
    alarm.id = "b";
    add_session(l, &alarm);
    BATCH_ADD(&b, SY_EVENT_END, "b", sy_run_end_write, &replaced);
    append(l, &b);
    sy_dashboard *d = collect(l);
    assert_int_equal(d->alarm_count, 0);
    sy_dashboard_destroy(d);
    alarm.id = "c";
    alarm.accept = alarm.new_baseline = true;
    add_session(l, &alarm);
    d = collect(l);
    assert_int_equal(d->alarm_count, 0);
    assert_int_equal(d->keys[0].accepted_count, 1);
    sy_dashboard_destroy(d);
}

static void blocks_come_before_investigations_and_the_newest_first(void **state)
{
    static const char *const order[] = {"c", "b", "d", "a"};
    life *l = *state;
    for (int i = 0; i < 4; i++) {
        char id[2] = {(char)('a' + i), '\0'};
        char revision[41];
        bool blocks = i == 1 || i == 2;
        snprintf(revision, sizeof revision, "%040d", i);
        add_session(l, &(spec){.id = id,
                               .revision = revision,
                               .judged = true,
                               .word = blocks ? SY_JUDGEMENT_BLOCK : SY_JUDGEMENT_INVESTIGATE,
                               .reason = blocks ? SY_JUDGEMENT_REASON_EVIDENCE : SY_JUDGEMENT_REASON_MACHINE_CHANGED});
    }
    sy_dashboard *d = collect(l);
    assert_int_equal(d->alarm_count, 4);
    assert_int_equal(d->block_count, 2);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(d->alarms[i].run, order[i]);
    }
    sy_dashboard_destroy(d);
}

static void a_smoke_that_failed_stops_its_device_until_it_passes(void **state)
{
    life *l = *state;
    add_session(l, &(spec){.id = "a", .smoke = "smoke: parity failed"});
    sy_dashboard *d = collect(l);
    assert_int_equal(d->block_count, 1);
    assert_true(d->alarms[0].smoke);
    assert_string_equal(d->alarms[0].run, "a");
    assert_string_equal(d->alarms[0].text, "smoke: parity failed");
    assert_string_equal(d->alarms[0].command, "steelyard run show a");
    sy_dashboard_destroy(d);
    add_session(l, &(spec){.id = "b"});
    d = collect(l);
    assert_int_equal(d->alarm_count, 0);
    sy_dashboard_destroy(d);
}

/* ---- promoted rows ---- */

static void promoted_rows_are_superseded_by_later_ones_and_blocked_by_verdicts(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 2, NULL);
    add_promotion(l, &(spec){.id = "a0"});
    add_session(l, &(spec){.id = "b", .gate = LIFE_OTHER_GATE, .accept = true});
    add_promotion(l, &(spec){.id = "b"});
    sy_dashboard *d = collect(l);
    assert_int_equal(d->row_count, 2);
    assert_string_equal(d->rows[0].run, "b");
    assert_string_equal(d->rows[1].run, "a0");
    assert_string_equal(d->rows[1].row.figures[0].name, "wall p50");
    assert_false(d->rows[0].superseded || d->rows[1].superseded || d->rows[0].blocked || d->rows[1].blocked);
    sy_dashboard_destroy(d);
    add_promotion(l, &(spec){.id = "a1"});
    d = collect(l);
    assert_int_equal(d->row_count, 3);
    assert_string_equal(d->rows[0].run, "a1");
    assert_false(d->rows[0].superseded);
    assert_string_equal(d->rows[2].run, "a0");
    assert_true(d->rows[2].superseded);
    sy_dashboard_destroy(d);
    add_session(l, &(spec){.id = "c",
                           .judged = true,
                           .word = SY_JUDGEMENT_BLOCK,
                           .reason = SY_JUDGEMENT_REASON_CONFIRMED,
                           .raised = true});
    d = collect(l);
    assert_string_equal(d->rows[0].run, "a1");
    assert_true(d->rows[0].blocked);
    assert_string_equal(d->rows[0].blocked_by, "c");
    assert_true(d->rows[0].blocked_why[0] != '\0');
    sy_dashboard_destroy(d);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_newest_verdict_of_a_key_is_what_stands),
        TEST(a_block_is_settled_by_a_newer_revision_that_was_held_against_another),
        TEST(an_accepted_change_and_a_replaced_run_are_settled),
        TEST(blocks_come_before_investigations_and_the_newest_first),
        TEST(a_smoke_that_failed_stops_its_device_until_it_passes),
        TEST(promoted_rows_are_superseded_by_later_ones_and_blocked_by_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
