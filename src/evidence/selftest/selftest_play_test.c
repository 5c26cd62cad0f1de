/* SPDX-License-Identifier: Apache-2.0 */
/* Trials on made sessions: what a quiet key sees and a noisy one cannot, and the rates of unchanged ones. */
#include "evidence/selftest/selftest_play.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "fault_loop.h"

enum { TRIALS = 4000, SESSIONS_MAX = 64 };

/* Sessions about 100 whose logarithms scatter normally. */
static void make_sessions(double *values, size_t count, double spread, uint64_t seed)
{
    sy_random random;

    sy_random_start(&random, seed, "made-sessions");
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * exp(spread * sy_random_normal(&random));
}

static sy_selftest_trials trials_of(const double *values, size_t count)
{
    sy_selftest_trials trials = {.question = SY_JUDGEMENT_QUESTION_INIT, .trial_count = TRIALS, .seed = 1};

    trials.question.baseline = values;
    trials.question.baseline_count = count;
    assert_int_equal(sy_selftest_draw_plan(count, trials.question.alpha, &trials.draw, NULL), SY_OK);
    return trials;
}

static double play(const sy_selftest_trials *trials, sy_selftest_effect *effects, size_t count)
{
    double visible = NAN;
    sy_error err = SY_ERROR_INIT;

    if (sy_selftest_play(trials, effects, count, &visible, &err) != SY_OK)
        fail_msg("%s", err.what);
    return visible;
}

static double share(uint64_t count)
{
    return (double)count / TRIALS;
}

static void as_many_as_the_rule_asks_are_left_for_the_new_sessions(void **state)
{
    /* at 2 %: n = 5 to 7 ask for m = 3, 9 to 48 for 2, 49 for 1; docs/statistics.md, "Verdicts" */
    static const struct {
        size_t count, n, m;
        bool repeats;
    } rows[] = {{6, 5, 3, true}, {7, 5, 3, true}, {8, 5, 3, false}, {20, 18, 2, false}, {50, 49, 1, false}};
    sy_selftest_draw draw = {0, 0, false};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(sy_selftest_draw_plan(rows[i].count, .02, &draw, NULL), SY_OK);
        assert_int_equal(draw.baseline_count, rows[i].n);
        assert_int_equal(draw.session_count, rows[i].m);
        assert_int_equal(draw.repeats, rows[i].repeats);
    }
    draw.baseline_count = 77;
    assert_int_equal(sy_selftest_draw_plan(5, .02, &draw, &err), SY_REFUSED);
    assert_string_equal(err.what, "5 accepted sessions: a self-test needs 6");
    assert_string_equal(err.hint, "1 more: a baseline of five, and one that is judged");
    assert_int_equal(draw.baseline_count, 77);
}

static void a_quiet_key_fails_at_five_per_cent(void **state)
{
    double values[20];
    sy_selftest_effect effects[] = {{1, 0, 0, 0}, {1.03, 0, 0, 0}, {1.05, 0, 0, 0}, {1.10, 0, 0, 0}};

    (void)state;
    make_sessions(values, 20, .004, 3);
    sy_selftest_trials trials = trials_of(values, 20);
    double visible = play(&trials, effects, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(effects[i].trial_count, TRIALS);
    for (size_t i = 1; i < 4; i++) {
        assert_true(effects[i].alarm_count >= effects[i - 1].alarm_count);
        assert_true(effects[i].block_count <= effects[i].alarm_count);
    }
    assert_true(share(effects[2].block_count) > .95 && share(effects[3].block_count) > .99);
    assert_true(visible > 0 && visible < .03);
}

static void a_key_that_scatters_by_a_third_cannot_fail(void **state)
{
    double values[20];
    sy_selftest_effect effects[] = {{1, 0, 0, 0}, {1.05, 0, 0, 0}, {1.10, 0, 0, 0}};

    (void)state;
    make_sessions(values, 20, .3, 4);
    sy_selftest_trials trials = trials_of(values, 20);
    double visible = play(&trials, effects, 3);
    assert_true(share(effects[2].block_count) < .2);
    assert_true(visible > .3);
}

/* Of eight different sessions each choice of five, and of one of the other three, is as probable: the share of these
 * 168 that alarm is the rate, exactly. All three new ones are the slowest in one choice of 56. */
static void unchanged_sessions_alarm_as_often_as_all_choices_do(void **state)
{
    double values[8];
    sy_selftest_effect none = {1, 0, 0, 0};
    size_t raised = 0, chosen = 0;

    (void)state;
    make_sessions(values, 8, .01, 5);
    sy_selftest_trials trials = trials_of(values, 8);
    trials.question.delta = 0;
    (void)play(&trials, &none, 1);
    for (unsigned set = 0; set < 256; set++) {
        double baseline[5];
        sy_judgement_question question = trials.question;
        size_t n = 0;

        if (__builtin_popcount(set) != 5)
            continue;
        for (size_t i = 0; i < 8; i++) {
            if (set >> i & 1)
                baseline[n++] = values[i];
        }
        question.baseline = baseline;
        question.baseline_count = 5;
        for (size_t i = 0; i < 8; i++) {
            sy_judgement verdict;

            if (set >> i & 1)
                continue;
            question.sessions = &values[i];
            question.session_count = 1;
            assert_int_equal(sy_judge(&question, &verdict, NULL), SY_OK);
            raised += verdict.raised;
            chosen++;
        }
    }
    assert_int_equal(chosen, 168);
    double exact = (double)raised / 168;
    assert_true(exact >= 1. / 6 - 1e-12); /* the slowest of six; the prediction bound may add to it */
    assert_true(fabs(share(none.alarm_count) - exact) < 4 * sqrt(exact / TRIALS));
    assert_true(share(none.block_count) <= 1. / 56 + 4 * sqrt(1. / 56 / TRIALS));
    assert_true(none.block_count > 0);
}

static void the_same_seed_draws_the_same_trials(void **state)
{
    double values[10];
    sy_selftest_effect first = {1.03, 0, 0, 0}, again = {1.03, 0, 0, 0}, other = {1.03, 0, 0, 0};

    (void)state;
    make_sessions(values, 10, .03, 6);
    sy_selftest_trials trials = trials_of(values, 10);
    double visible = play(&trials, &first, 1);
    assert_true(play(&trials, &again, 1) == visible);
    assert_memory_equal(&first, &again, sizeof first);
    trials.seed = 2;
    (void)play(&trials, &other, 1);
    assert_true(other.alarm_count != first.alarm_count || other.block_count != first.block_count);
}

/* A slowdown of just the visible size is seen in four trials of five of the same draws, a little less in fewer. */
static void check_visible(const sy_selftest_trials *trials)
{
    sy_selftest_effect above = {1, 0, 0, 0}, below = {1, 0, 0, 0};
    double visible = play(trials, &above, 1);

    above.ratio = (1 + visible) * (1 + 1e-9);
    below.ratio = (1 + visible) * (1 - 1e-9);
    (void)play(trials, &above, 1);
    (void)play(trials, &below, 1);
    assert_true(above.alarm_count >= TRIALS * 4 / 5);
    assert_true(below.alarm_count < TRIALS * 4 / 5);
}

static void the_visible_slowdown_is_seen_four_times_in_five(void **state)
{
    double values[12], bytes[9];

    (void)state;
    make_sessions(values, 12, .02, 7);
    sy_selftest_trials trials = trials_of(values, 12);
    check_visible(&trials);
    trials.question.delta = .02;
    check_visible(&trials);
    trials.question.higher_is_better = true;
    check_visible(&trials);
    for (size_t i = 0; i < 9; i++)
        bytes[i] = 1 << 20;
    trials = trials_of(bytes, 9);
    trials.question.metric = SY_METRIC_MEMORY;
    trials.question.quantum = 4096;
    check_visible(&trials);
}

static void where_more_is_better_slower_is_less(void **state)
{
    double values[20];
    sy_selftest_effect effects[] = {{1, 0, 0, 0}, {1.05, 0, 0, 0}};

    (void)state;
    make_sessions(values, 20, .004, 8);
    sy_selftest_trials trials = trials_of(values, 20);
    trials.question.higher_is_better = true;
    (void)play(&trials, effects, 2);
    assert_true(share(effects[0].block_count) < .05 && share(effects[1].block_count) > .95);
}

/* Six sessions: the one that is left is its own confirm, and an alarm never is refuted. */
static void too_few_sessions_are_drawn_again(void **state)
{
    double values[6];
    sy_selftest_effect effect = {1.2, 0, 0, 0};

    (void)state;
    make_sessions(values, 6, .004, 9);
    sy_selftest_trials trials = trials_of(values, 6);
    assert_true(trials.draw.repeats);
    (void)play(&trials, &effect, 1);
    assert_int_equal(effect.block_count, TRIALS);
}

static void sessions_that_drift_alarm_in_their_order(void **state)
{
    double values[SESSIONS_MAX];
    sy_selftest_course course;
    sy_judgement_question question = SY_JUDGEMENT_QUESTION_INIT;

    (void)state;
    make_sessions(values, SESSIONS_MAX, .004, 10);
    question.baseline = values;
    question.baseline_count = SESSIONS_MAX;
    question.delta = 0;
    assert_int_equal(sy_selftest_follow(&question, &course, NULL), SY_OK);
    assert_int_equal(course.judged_count, SESSIONS_MAX - 5);
    assert_true(course.expected > 2.3 && course.expected < 2.6); /* 1/6 + 1/7 + ... + 1/64 = 2.4605 */
    assert_true(course.raised_count < 8);
    for (size_t i = 0; i < SESSIONS_MAX; i++)
        values[i] *= 1 + .004 * (double)i;
    assert_int_equal(sy_selftest_follow(&question, &course, NULL), SY_OK);
    assert_true(course.raised_count > 20);
}

static void a_soft_threshold_is_told(void **state)
{
    double values[8];
    bool is_hard = false;

    (void)state;
    make_sessions(values, 8, .01, 11);
    sy_selftest_trials trials = trials_of(values, 8);
    assert_int_equal(sy_selftest_is_hard(&trials.question, &is_hard, NULL), SY_OK);
    assert_true(is_hard);
    trials.question.judged_count = 40;
    trials.question.raised_count = 30;
    assert_int_equal(sy_selftest_is_hard(&trials.question, &is_hard, NULL), SY_OK);
    assert_false(is_hard);
    sy_selftest_effect effect = {1.5, 0, 0, 0};
    (void)play(&trials, &effect, 1);
    assert_true(effect.block_count > TRIALS / 2); /* it would, were they hard */
}

static void a_value_that_is_none_is_refused(void **state)
{
    double values[] = {100, 101, NAN, 99, 98, 97, 96, 95};
    double visible = 7;
    sy_selftest_effect effect = {1.1, 0, 0, 0};
    sy_error err = SY_ERROR_INIT;

    (void)state;
    sy_selftest_trials trials = trials_of(values, 8);
    assert_int_equal(sy_selftest_play(&trials, &effect, 1, &visible, &err), SY_INVALID_ARGUMENT);
    assert_true(visible == 7);
}

static sy_status scenario(void *user)
{
    sy_selftest_trials trials = trials_of(user, 8);
    sy_selftest_effect effect = {1.1, 0, 0, 0};
    double visible = 0;

    trials.trial_count = 3;
    return sy_selftest_play(&trials, &effect, 1, &visible, NULL);
}

static void a_failed_allocation_is_told(void **state)
{
    double values[8];

    (void)state;
    make_sessions(values, 8, .01, 12);
    assert_true(fault_loop_allocations(scenario, values, false) >= 6 + 6 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_the_rule_asks_are_left_for_the_new_sessions),
        cmocka_unit_test(a_quiet_key_fails_at_five_per_cent),
        cmocka_unit_test(a_key_that_scatters_by_a_third_cannot_fail),
        cmocka_unit_test(unchanged_sessions_alarm_as_often_as_all_choices_do),
        cmocka_unit_test(the_same_seed_draws_the_same_trials),
        cmocka_unit_test(the_visible_slowdown_is_seen_four_times_in_five),
        cmocka_unit_test(where_more_is_better_slower_is_less),
        cmocka_unit_test(too_few_sessions_are_drawn_again),
        cmocka_unit_test(sessions_that_drift_alarm_in_their_order),
        cmocka_unit_test(a_soft_threshold_is_told),
        cmocka_unit_test(a_value_that_is_none_is_refused),
        cmocka_unit_test(a_failed_allocation_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
