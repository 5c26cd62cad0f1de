/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a gate on made sessions of a project: what it finds, what it records, what it refuses. */
#include "ledger_fixture.h"
#include "life_support.h"

#include <math.h>

#include "base/random.h"
#include "evidence/selftest/selftest_play.h"
#include "fault_loop.h"

/* One accepted session, in a lease of its own, with three samples about value. */
static void add_session(life *l, const char *device, double value)
{
    char id[64];
    batch b = {.count = 0};
    const double samples[] = {.99 * value, value, 1.01 * value};
    const sy_named_text key[] = {{"cell_id", "matmul::cpu"}, {"device_id", device}};
    sy_error error = SY_ERROR_INIT;

    snprintf(id, sizeof id, "20261129-000000-%06d", (int)++l->fence);
    sy_run_begin begin = fixture_begin(id);
    begin.gate = LIFE_GATE;
    begin.key = (sy_comparison_key){key, 2};
    batch_begin(&b, &begin);
    batch_lease(&b, id, l->fence);
    batch_command(&b, id, "measure", l->fence, true);
    batch_series(&b, id, "wall", samples, 3);
    batch_parity(&b, id, SY_RUN_PARITY_PASSED);
    batch_end(&b, id, SY_RUN_OK);
    batch_accept(&b, id);
    if (batch_append(&b, sy_project_ledger(l->project), &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
}

static void add_sessions(life *l, const char *device, size_t count, double spread)
{
    sy_random random;

    sy_random_start(&random, 71, device);
    for (size_t i = 0; i < count; i++) {
        add_session(l, device, .001 * exp(spread * sy_random_normal(&random)));
    }
}

static sy_selftest_options options_of(bool dry_run)
{
    sy_selftest_options options = SY_SELFTEST_OPTIONS_INIT;

    options.gate = LIFE_GATE;
    options.trial_count = 500;
    options.dry_run = dry_run;
    return options;
}

static sy_selftested *test_gate(life *l, const sy_selftest_options *options)
{
    sy_selftested *tested = NULL;
    sy_error error = SY_ERROR_INIT;

    if (sy_project_selftest(l->project, options, &tested, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    return tested;
}

static uint64_t head_of(life *l)
{
    sy_ledger_head head;

    assert_int_equal(sy_ledger_read_head(sy_project_ledger(l->project), &head, NULL), SY_OK);
    return head.number;
}

static void a_quiet_key_can_fail_and_the_answer_is_recorded(void **state)
{
    life *l = *state;
    sy_selftest_list *list = NULL;
    const sy_selftest_options options = options_of(false);

    add_sessions(l, "quiet", 12, .004);
    uint64_t before = head_of(l);
    sy_selftested *tested = test_gate(l, &options);
    assert_int_equal(tested->test_count, 1);
    assert_int_equal(tested->finding_count, 0);
    assert_int_equal(tested->remark_count, 0);
    const sy_gate_selftest *test = &tested->tests[0];
    assert_true(test->can_fail);
    assert_string_equal(test->metric.series, "wall");
    assert_int_equal(test->metric.statistic, SY_STATISTIC_P50);
    assert_int_equal(test->session_count, 12);
    assert_int_equal(test->effect_count, 4);
    assert_true(test->effects[0].ratio == 1 && test->effects[3].ratio == 1.1);
    assert_true(test->effects[2].block_count > 450); /* 5 % */
    assert_true(test->effects[0].block_count < 25);
    assert_int_equal(tested->draws[0].baseline_count, 10);
    assert_int_equal(tested->courses[0].judged_count, 7);
    assert_int_equal(tested->number, before + 1);
    assert_int_equal(tested->head.number, before + 1);

    assert_int_equal(sy_ledger_selftests(sy_project_ledger(l->project), LIFE_GATE, &list, NULL), SY_OK);
    assert_int_equal(list->test_count, 1);
    assert_int_equal(list->numbers[0], before + 1);
    assert_true(list->tests[0].can_fail);
    assert_true(list->tests[0].visible_effect == test->visible_effect);
    assert_int_equal(list->tests[0].effects[2].block_count, test->effects[2].block_count);
    sy_selftest_list_destroy(list);
    sy_selftested_destroy(tested);
}

static void a_noisy_key_cannot_and_that_is_a_finding(void **state)
{
    life *l = *state;
    const sy_selftest_options options = options_of(true);

    add_sessions(l, "noisy", 12, .3);
    uint64_t before = head_of(l);
    sy_selftested *tested = test_gate(l, &options);
    assert_false(tested->tests[0].can_fail);
    assert_int_equal(tested->finding_count, 1);
    assert_non_null(
        strstr(tested->findings[0], "gate-cannot-fail: " LIFE_GATE ": wall p50: 1.1 times as slow it fails"));
    assert_int_equal(tested->number, 0);
    assert_int_equal(tested->head.number, before);
    assert_int_equal(head_of(l), before);
    sy_selftested_destroy(tested);
}

static void six_accepted_sessions_are_needed(void **state)
{
    life *l = *state;
    sy_selftest_options options = options_of(true);
    sy_selftested *tested = NULL;
    sy_error error = SY_ERROR_INIT;

    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_NOT_FOUND);
    add_sessions(l, "few", 5, .01);
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_REFUSED);
    assert_string_equal(error.what, "5 accepted sessions: a self-test needs 6");
    add_session(l, "few", .001);
    tested = test_gate(l, &options);
    assert_true(tested->draws[0].repeats);
    assert_non_null(strstr(tested->remarks[tested->remark_count - 1], "fewer than 8 accepted sessions"));
    sy_selftested_destroy(tested);
    tested = NULL;
    options.gate = "no.such.gate";
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_NOT_FOUND);
    assert_null(tested);
}

static void without_a_ledger_there_is_nothing_to_replay(void **state)
{
    life *l = *state;
    sy_project_options open = SY_PROJECT_OPTIONS_INIT;
    const sy_selftest_options options = options_of(true);
    sy_selftested *tested = NULL;
    sy_error error = SY_ERROR_INIT;
    char ledger[600];

    sy_project_close(l->project);
    l->project = NULL;
    snprintf(ledger, sizeof ledger, "%s/.steelyard/ledger.sqlite", l->root);
    assert_int_equal(unlink(ledger), 0);
    open.root = l->root;
    open.may_lack_ledger = true;
    assert_int_equal(sy_project_open(&open, &l->project, &error), SY_OK);
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "no ledger in "));
    assert_non_null(strstr(error.hint, "steelyard gate command " LIFE_GATE));
}

static void a_key_is_chosen_by_its_digits(void **state)
{
    life *l = *state;
    sy_selftest_options options = options_of(true);
    sy_selftested *none = NULL;
    sy_error error = SY_ERROR_INIT;
    char digits[17] = "";

    add_sessions(l, "older", 8, .004);
    sy_selftested *tested = test_gate(l, &options);
    snprintf(digits, sizeof digits, "%.16s", tested->tests[0].key_digest);
    sy_selftested_destroy(tested);
    add_sessions(l, "newer", 9, .004);
    tested = test_gate(l, &options);
    assert_int_equal(tested->tests[0].session_count, 9);
    sy_selftested_destroy(tested);
    options.key = digits;
    tested = test_gate(l, &options);
    assert_int_equal(tested->tests[0].session_count, 8);
    sy_selftested_destroy(tested);
    options.key = "0123456789";
    assert_int_equal(sy_project_selftest(l->project, &options, &none, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "0123456789"));
}

/* Three samples have no p95 that is judged, and nobody measures "cycles". */
static void a_primary_metric_that_is_not_judged_cannot_fail(void **state)
{
    life *l = *state;
    const sy_selftest_options options = options_of(false);

    set_edit(l->root, LIFE_GATES,
             "\"implementation\": \"openblas\",\n      \"state\": \"pending\",\n      \"runbook\": \"measure\"",
             "\"implementation\": \"openblas\", \"primary_metrics\": [\"wall\", \"wall p95\", \"cycles\"],"
             "\"state\": \"pending\", \"runbook\": \"measure\"");
    add_sessions(l, "quiet", 12, .004);
    sy_selftested *tested = test_gate(l, &options);
    assert_int_equal(tested->test_count, 3);
    assert_int_equal(tested->finding_count, 2);
    assert_true(tested->tests[0].can_fail);
    assert_true(fabs(tested->tests[0].alpha - .02 / 3) < 1e-15);
    assert_int_equal(tested->tests[1].effect_count, 0);
    assert_non_null(strstr(tested->findings[0], "wall p95: it is not judged: "));
    assert_non_null(strstr(tested->findings[1], "cycles"));
    assert_int_equal(tested->number, tested->head.number);
    sy_selftested_destroy(tested);
}

static void a_gate_of_which_no_run_begins_cannot_fail(void **state)
{
    life *l = *state;
    const sy_selftest_options options = options_of(true);

    set_edit(l->root, LIFE_GATES,
             "\"implementation\": \"openblas\",\n      \"state\": \"pending\",\n      \"runbook\": \"measure\"",
             "\"implementation\": \"openblas\", \"state\": \"superseded\", \"runbook\": \"measure\"");
    add_sessions(l, "quiet", 12, .004);
    sy_selftested *tested = test_gate(l, &options);
    assert_int_equal(tested->finding_count, 1);
    assert_non_null(strstr(tested->findings[0], "its state is superseded: no run of it begins"));
    assert_true(tested->tests[0].effects[3].block_count > 450); /* it would */
    sy_selftested_destroy(tested);
}

static void what_cannot_be_planted_is_refused(void **state)
{
    static const double faster[] = {1.05, .9}, endless[] = {INFINITY};
    life *l = *state;
    sy_selftest_options options = options_of(true);
    sy_selftested *tested = NULL;
    sy_error error = SY_ERROR_INIT;

    options.ratios = faster;
    options.ratio_count = 2;
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_INVALID_ARGUMENT);
    assert_string_equal(error.what, "0.9 is no slowdown: it must be a ratio above 1");
    options.ratios = endless;
    options.ratio_count = 1;
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_INVALID_ARGUMENT);
    options.ratio_count = 0;
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_INVALID_ARGUMENT);
    options = options_of(true);
    options.gate = NULL;
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_INVALID_ARGUMENT);
    options = options_of(true);
    options.struct_size = 1;
    assert_int_equal(sy_project_selftest(l->project, &options, &tested, &error), SY_INVALID_ARGUMENT);
    assert_null(tested);
}

static sy_status scenario(void *user)
{
    life *l = user;
    sy_selftest_options options = options_of(true);
    sy_selftested *tested = NULL;

    options.trial_count = 1;
    sy_status status = sy_project_selftest(l->project, &options, &tested, NULL);
    sy_selftested_destroy(tested);
    return status;
}

static void a_failed_allocation_is_told(void **state)
{
    life *l = *state;

    add_sessions(l, "quiet", 8, .004);
    assert_int_equal(scenario(l), SY_OK); /* the registry is read once */
    assert_true(fault_loop_allocations(scenario, l, true) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_quiet_key_can_fail_and_the_answer_is_recorded, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(a_noisy_key_cannot_and_that_is_a_finding, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(six_accepted_sessions_are_needed, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(without_a_ledger_there_is_nothing_to_replay, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(a_key_is_chosen_by_its_digits, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(a_primary_metric_that_is_not_judged_cannot_fail, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(a_gate_of_which_no_run_begins_cannot_fail, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_planted_is_refused, life_set_up, life_tear_down),
        cmocka_unit_test_setup_teardown(a_failed_allocation_is_told, life_set_up, life_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
