/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard collected from a project: keys, self-tests and changes, and a project that lacks something. */
#include "dashboard_support.h"

#include <math.h>

#include "fault_loop.h"

/* ---- a project that lacks something ---- */

static void a_project_without_a_ledger_says_what_to_do_first(void **state)
{
    life *l = *state;
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_dashboard_options asked = SY_DASHBOARD_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_dashboard *d = NULL;
    char root[600];
    snprintf(root, sizeof root, "%.400s/other", l->folder);
    assert_int_equal(sy_registry_init(root, NULL, NULL, NULL, NULL), SY_OK);
    options.root = root;
    options.read_only = true;
    options.may_lack_ledger = true;
    assert_int_equal(sy_project_open(&options, &project, NULL), SY_OK);
    assert_int_equal(sy_project_dashboard(project, NULL, &d, NULL), SY_OK);
    assert_string_equal(d->project, "other");
    assert_false(d->has_ledger);
    assert_int_equal(d->head.number, 0);
    assert_int_equal(d->row_count + d->alarm_count + d->key_count + d->change_count + d->finding_total, 0);
    assert_int_equal(d->gate_count, 8);
    assert_int_equal(d->open_gate_count, 7);
    assert_int_equal(d->matrix->cell_count, 4);
    assert_int_equal(d->next_count, 5);
    assert_string_equal(d->next[0], "steelyard run exec --gate matmul.cpu.square-512.hot --judge");
    sy_dashboard_destroy(d);
    asked.run = "last";
    assert_int_equal(sy_project_dashboard(project, &asked, &d, NULL), SY_NOT_FOUND);
    sy_project_close(project);
}

static void a_ledger_without_runs_is_empty_and_not_absent(void **state)
{
    sy_dashboard *d = collect(*state);
    assert_true(d->has_ledger);
    assert_int_equal(d->session_count, 0);
    assert_null(d->judged);
    assert_int_equal(d->next_count, 5);
    sy_dashboard_destroy(d);
}

static void a_registry_that_cannot_be_read_leaves_the_rest(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 2, NULL);
    set_write(l->root, LIFE_GATES, "{\"gates\": [", 11);
    sy_dashboard *d = collect(l);
    assert_true(d->finding_total > 0);
    assert_int_equal(d->finding_count, d->finding_total);
    assert_non_null(strstr(d->findings[0], LIFE_GATES));
    assert_int_equal(d->gate_count, 0);
    assert_int_equal(d->key_count, 1);
    assert_int_equal(d->keys[0].accepted_count, 2);
    assert_string_equal(d->next[0], "steelyard matrix validate");
    sy_dashboard_destroy(d);
}

/* ---- keys ---- */

static void keys_say_how_many_sessions_are_missing_and_what_makes_one(void **state)
{
    life *l = *state;
    char digest[65];
    add_accepted(l, "a", 2, NULL);
    sy_dashboard *d = collect(l);
    digest_of(&(spec){.id = "a0"}, digest);
    assert_int_equal(d->key_count, 1);
    assert_string_equal(d->keys[0].key_digest, digest);
    assert_string_equal(d->keys[0].cell, "matmul::cpu");
    assert_string_equal(d->keys[0].newest, "a1");
    assert_int_equal(d->keys[0].session_count, 2);
    assert_int_equal(d->keys[0].missing_count, 3);
    assert_true(isnan(d->keys[0].alarm_promised));
    assert_true(isnan(d->keys[0].alarm_observed));
    assert_string_equal(d->keys[0].command, "steelyard run exec --gate " LIFE_GATE " --judge");
    assert_string_equal(gate_of(d, LIFE_GATE)->newest, "a1");
    assert_string_equal(gate_of(d, LIFE_OTHER_GATE)->newest, "");
    sy_dashboard_destroy(d);
    /* What was measured already is accepted first, the newest of it. */
    add_session(l, &(spec){.id = "b0"});
    add_session(l, &(spec){.id = "b1"});
    d = collect(l);
    assert_string_equal(d->keys[0].command, "steelyard run accept b1 --by \"$USER\"");
    assert_string_equal(d->next[0], d->keys[0].command);
    sy_dashboard_destroy(d);
    add_session(l, &(spec){.id = "b2",
                           .judged = true,
                           .word = SY_JUDGEMENT_BLOCK,
                           .reason = SY_JUDGEMENT_REASON_CONFIRMED,
                           .mode = SY_COMPARISON_REVISION}); /* that is no next step */
    d = collect(l);
    assert_string_equal(d->keys[0].command, "steelyard run accept b1 --by \"$USER\"");
    sy_dashboard_destroy(d);
    add_accepted(l, "c", 3, NULL);
    d = collect(l);
    assert_int_equal(d->keys[0].missing_count, 0);
    assert_string_equal(d->keys[0].command, "");
    assert_float_equal(d->keys[0].alarm_promised, 1.0 / 6, 1e-12);
    sy_dashboard_destroy(d);
}

static void two_sessions_under_one_lease_count_once(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 4, NULL);
    add_session(l, &(spec){.id = "b", .fence = last_fence, .accept = true});
    sy_dashboard *d = collect(l);
    assert_int_equal(d->keys[0].session_count, 5);
    assert_int_equal(d->keys[0].accepted_count, 4);
    assert_int_equal(d->keys[0].missing_count, 1);
    sy_dashboard_destroy(d);
}

static void a_baseline_begins_anew_with_an_accepted_change(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 6, NULL);
    add_session(l, &(spec){.id = "b",
                           .judged = true,
                           .word = SY_JUDGEMENT_PASS,
                           .reason = SY_JUDGEMENT_REASON_IMPROVED,
                           .accept = true,
                           .new_baseline = true});
    add_accepted(l, "c", 1, NULL);
    sy_dashboard *d = collect(l);
    assert_int_equal(d->keys[0].session_count, 8);
    assert_int_equal(d->keys[0].accepted_count, 2);
    assert_int_equal(d->keys[0].missing_count, 3);
    sy_dashboard_destroy(d);
}

static void a_key_with_an_unknown_field_is_counted_and_is_no_key(void **state)
{
    life *l = *state;
    add_session(l, &(spec){.id = "a", .unknown_device = true});
    add_accepted(l, "b", 1, NULL);
    sy_dashboard *d = collect(l);
    assert_int_equal(d->session_count, 2);
    assert_int_equal(d->incomplete_count, 1);
    assert_int_equal(d->key_count, 1);
    sy_dashboard_destroy(d);
}

/* 20 judged sessions at 1 in 6: 8 alarms are more than chance explains, 6 are not. */
static void alarms_are_held_against_what_was_promised(void **state)
{
    life *l = *state;
    for (int way = 0; way < 2; way++) {
        const char *revision = way == 0 ? FIRST_REVISION : SECOND_REVISION;
        const int raised = way == 0 ? 10 : 11;
        add_accepted(l, way == 0 ? "a" : "b", 5, revision);
        for (int i = 0; i < 20; i++) {
            char id[32];
            snprintf(id, sizeof id, "%c%02d", way == 0 ? 'c' : 'd', i);
            add_session(l, &(spec){.id = id,
                                   .revision = revision,
                                   .judged = true,
                                   .word = SY_JUDGEMENT_PASS,
                                   .reason = i < raised ? SY_JUDGEMENT_REASON_REFUTED : SY_JUDGEMENT_REASON_INSIDE,
                                   .raised = i < raised});
        }
    }
    sy_dashboard *d = collect(l);
    assert_int_equal(d->key_count, 2); /* the one with the newest session first */
    assert_int_equal(d->keys[0].judged_count, 20);
    assert_int_equal(d->keys[0].raised_count, 11);
    assert_float_equal(d->keys[0].alarm_observed, 0.55, 1e-12);
    assert_true(d->keys[0].alarms_exceed);
    assert_int_equal(d->keys[1].raised_count, 10);
    assert_false(d->keys[1].alarms_exceed);
    assert_int_equal(d->alarm_count, 0);
    sy_dashboard_destroy(d);
}

/* ---- what was told ---- */

static void add_selftest(const life *l, const char *gate, sy_statistic statistic, bool can_fail)
{
    batch b = {.count = 0};
    char digest[65];
    digest_of(&(spec){.id = "a0"}, digest);
    const sy_selftest_effect effect = {1.1, 2000, 100, 60};
    const sy_gate_selftest test = {.gate = gate,
                                   .key_digest = digest,
                                   .metric = {"wall", "", "", statistic, "s", false},
                                   .session_count = 6,
                                   .seed = 1,
                                   .alpha = 0.02,
                                   .delta = 0.02,
                                   .visible_effect = 0.2,
                                   .effects = &effect,
                                   .effect_count = 1,
                                   .can_fail = can_fail,
                                   .reason = can_fail ? "" : "a slowdown of 1.10 is blocked 3 % of the time"};
    BATCH_ADD(&b, SY_EVENT_SELFTEST, "", sy_gate_selftest_write, &test);
    append(l, &b);
}

static void a_gate_that_cannot_fail_is_told_until_it_can(void **state)
{
    life *l = *state;
    add_selftest(l, LIFE_GATE, SY_STATISTIC_P50, true);
    add_selftest(l, LIFE_GATE, SY_STATISTIC_P95, false);
    add_selftest(l, "no-such-gate", SY_STATISTIC_P50, false);
    sy_dashboard *d = collect(l);
    assert_true(gate_of(d, LIFE_GATE)->selftest_failed);
    assert_string_equal(gate_of(d, LIFE_GATE)->selftest, "a slowdown of 1.10 is blocked 3 % of the time");
    assert_false(gate_of(d, LIFE_OTHER_GATE)->selftest_failed);
    sy_dashboard_destroy(d);
    add_selftest(l, LIFE_GATE, SY_STATISTIC_P95, true);
    d = collect(l);
    assert_false(gate_of(d, LIFE_GATE)->selftest_failed);
    sy_dashboard_destroy(d);
}

static uint64_t add_change(const life *l, const char *run, sy_change_state state, uint64_t refers, double effect)
{
    batch b = {.count = 0};
    char digest[65];
    sy_ledger_head head;
    digest_of(&(spec){.id = "a0"}, digest);
    const sy_run_change change = {.state = state,
                                  .line = digest,
                                  .key_digest = "",
                                  .metric = {"wall", "", "", SY_STATISTIC_P50, "s", false},
                                  .before = "a0",
                                  .revision = SECOND_REVISION,
                                  .revision_before = FIRST_REVISION,
                                  .effect = effect,
                                  .effect_low = 0.03,
                                  .effect_high = 0.07,
                                  .effect_level = 0.95,
                                  .statistic = 4,
                                  .critical = 3.2,
                                  .alpha = 0.001,
                                  .min_effect = 0.02,
                                  .worse = true,
                                  .point_count = 40,
                                  .points_after = 10,
                                  .refers = refers,
                                  .reason = ""};
    BATCH_ADD(&b, SY_EVENT_CHANGE, run, sy_run_change_write, &change);
    append(l, &b);
    assert_int_equal(sy_ledger_read_head(sy_project_ledger(l->project), &head, NULL), SY_OK);
    return head.number;
}

static void changes_stand_until_they_are_refuted_or_superseded(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 2, NULL);
    uint64_t first = add_change(l, "a1", SY_CHANGE_REPORTED, 0, 0.05);
    uint64_t second = add_change(l, "a1", SY_CHANGE_REPORTED, 0, 0.08);
    sy_dashboard *d = collect(l);
    assert_int_equal(d->change_count, 2);
    assert_int_equal(d->changes[0].row.number, second); /* the newest first */
    assert_string_equal(d->changes[0].cell, "matmul::cpu");
    assert_string_equal(d->changes[0].command, "steelyard history a1");
    sy_dashboard_destroy(d);
    (void)add_change(l, "a1", SY_CHANGE_CONFIRMED, first, 0.06);
    (void)add_change(l, "a1", SY_CHANGE_REFUTED, second, 0.08);
    d = collect(l);
    assert_int_equal(d->change_count, 1);
    assert_int_equal(d->changes[0].row.number, first);
    assert_int_equal(d->changes[0].row.change.state, SY_CHANGE_CONFIRMED);
    assert_float_equal(d->changes[0].row.change.effect, 0.06, 1e-12);
    sy_dashboard_destroy(d);
    (void)add_change(l, "a1", SY_CHANGE_SUPERSEDED, first, 0.06);
    d = collect(l);
    assert_int_equal(d->change_count, 0);
    sy_dashboard_destroy(d);
}

static void the_run_that_is_asked_for_comes_first(void **state)
{
    life *l = *state;
    sy_dashboard_options options = SY_DASHBOARD_OPTIONS_INIT;
    sy_dashboard *d = NULL;
    add_accepted(l, "first", 1, NULL);
    add_session(
        l, &(spec){.id = "second", .judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE});
    d = collect_for(l, "firs");
    assert_string_equal(d->judged->row.id, "first0");
    assert_int_equal(d->judged->verdict_count, 0);
    sy_dashboard_destroy(d);
    d = collect(l);
    assert_string_equal(d->judged->row.id, "second");
    assert_int_equal(d->judged->verdict_count, 1);
    sy_dashboard_destroy(d);
    d = NULL;
    options.run = "third";
    assert_int_equal(sy_project_dashboard(l->project, &options, &d, NULL), SY_NOT_FOUND);
    options.struct_size = 1;
    assert_int_equal(sy_project_dashboard(l->project, &options, &d, NULL), SY_INVALID_ARGUMENT);
    assert_null(d);
}

/* ---- memory ---- */

static sy_status scenario(void *user)
{
    const life *l = user;
    sy_dashboard *d = NULL;
    sy_status status = sy_project_dashboard(l->project, NULL, &d, NULL);
    sy_dashboard_destroy(d);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    life *l = *state;
    sy_registry *registry = NULL;
    add_accepted(l, "a", 2, NULL);
    add_promotion(l, &(spec){.id = "a0"});
    add_session(l, &(spec){.id = "b",
                           .judged = true,
                           .word = SY_JUDGEMENT_BLOCK,
                           .reason = SY_JUDGEMENT_REASON_CONFIRMED,
                           .raised = true});
    (void)add_change(l, "a1", SY_CHANGE_REPORTED, 0, 0.05);
    add_selftest(l, LIFE_GATE, SY_STATISTIC_P50, false);
    assert_int_equal(sy_project_registry(l->project, &registry, NULL), SY_OK); /* read once, outside of the count */
    assert_true(fault_loop_allocations(scenario, l, true) > 20);
    assert_true(fault_loop_allocations(scenario, l, false) > 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_project_without_a_ledger_says_what_to_do_first),
        TEST(a_ledger_without_runs_is_empty_and_not_absent),
        TEST(a_registry_that_cannot_be_read_leaves_the_rest),
        TEST(keys_say_how_many_sessions_are_missing_and_what_makes_one),
        TEST(two_sessions_under_one_lease_count_once),
        TEST(a_baseline_begins_anew_with_an_accepted_change),
        TEST(a_key_with_an_unknown_field_is_counted_and_is_no_key),
        TEST(alarms_are_held_against_what_was_promised),
        TEST(a_gate_that_cannot_fail_is_told_until_it_can),
        TEST(changes_stand_until_they_are_refuted_or_superseded),
        TEST(the_run_that_is_asked_for_comes_first),
        TEST(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
