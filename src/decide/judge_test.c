/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verdicts: a case for each line, the figures of an answer, what is refused. */
#include <steelyard/judge.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "fault_loop.h"

static const double five[] = {100, 101, 99, 100.5, 99.5};

static sy_judgement judge(const sy_judgement_question *question)
{
    sy_judgement verdict;
    sy_error err = SY_ERROR_INIT;

    if (sy_judge(question, &verdict, &err) != SY_OK)
        fail_msg("%s", err.what);
    return verdict;
}

/* Against the five; sessions and controls of m each, controls NULL = none. */
static sy_judgement_question ask(const double *sessions, size_t m, const double *controls, double delta)
{
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = sessions;
    q.session_count = m;
    q.controls = controls;
    q.delta = delta;
    return q;
}

static sy_judgement judge_times(const double *sessions, size_t m, const double *controls, double delta)
{
    sy_judgement_question q = ask(sessions, m, controls, delta);

    return judge(&q);
}

static void expect(sy_judgement verdict, sy_judgement_word word, sy_judgement_reason reason)
{
    assert_string_equal(sy_judgement_word_text(verdict.word), sy_judgement_word_text(word));
    assert_string_equal(sy_judgement_reason_text(verdict.reason), sy_judgement_reason_text(reason));
}

/* docs/statistics.md, "Verdicts": 1 / C(n + m, m). */
static void the_ladder_has_the_chances_of_the_text(void **state)
{
    static const double chances[] = {.1667, .0476, .0179, .0079, .0040};

    (void)state;
    for (size_t m = 1; m <= 5; m++)
        assert_true(fabs(sy_ladder_chance(5, m) - chances[m - 1]) < 5.1e-5);
    assert_int_equal(sy_ladder_sessions(5, .02), 3);
    assert_int_equal(sy_ladder_sessions(13, .02), 2);
    assert_int_equal(sy_ladder_sessions(49, .02), 1); /* 1/50 is exactly .02 */
    assert_int_equal(sy_ladder_sessions(48, .02), 2);
    assert_int_equal(sy_ladder_sessions(1, .02), 49);
}

static void each_line_of_the_table_has_its_verdict(void **state)
{
    const double high[] = {120, 121, 122}, back[] = {120, 100}, low[] = {80, 81, 79}, inside[] = {100.2};
    const double quiet[] = {100, 100, 100}, loud[] = {120, 121, 100}, near[] = {119, 120, 121};
    const double none[] = {NAN, NAN, NAN};

    (void)state;
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;
    q.sessions = high;
    q.session_count = 3;
    q.evidence = "parity failed";
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
    q.evidence = NULL;
    static const double unusable[] = {NAN, INFINITY, 0, -3};
    for (size_t i = 0; i < 4; i++) {
        q.sessions = &unusable[i];
        q.session_count = 1;
        expect(judge(&q), SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
    }
    for (size_t n = 0; n < 5; n++) {
        q.sessions = high;
        q.baseline = five;
        q.baseline_count = n;
        sy_judgement verdict = judge(&q);
        expect(verdict, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
        assert_int_equal(verdict.sessions_to_baseline, 5 - n);
    }
    expect(judge_times(inside, 1, NULL, .02), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    sy_judgement first = judge_times(high, 1, NULL, .02);
    expect(first, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(first.confirms_to_come, 2);
    assert_true(first.control_missing && first.raised && !first.lowered);
    expect(judge_times(high, 3, none, .02), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    expect(judge_times(high, 2, quiet, .02), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    expect(judge_times(high, 3, loud, .02), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_MACHINE_CHANGED);
    expect(judge_times(back, 2, NULL, .02), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    expect(judge_times(high, 3, near, .02), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_MACHINE_CHANGED);
    expect(judge_times(high, 3, quiet, .02), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    expect(judge_times(low, 3, quiet, .02), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_IMPROVED);
}

static void a_confirmed_alarm_has_its_figures(void **state)
{
    const double high[] = {120, 121, 122}, controls[] = {100, NAN, 101};
    sy_judgement verdict = judge_times(high, 3, controls, .02);

    (void)state;
    expect(verdict, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_true(fabs(verdict.p - 1. / 56) < 1e-15 && verdict.p_achievable == verdict.p);
    assert_true(fabs(verdict.threshold - 102) < 1e-9); /* 1.02 times the median of 100 */
    assert_true(fabs(verdict.ratio - 1.2) < 1e-12);
    assert_true(fabs(verdict.effect - .21) < 1e-9); /* median of all fifteen ratios: 121 / 100 */
    assert_true(fabs(verdict.effect_low - (120. / 101 - 1)) < 1e-9);
    assert_true(fabs(verdict.effect_high - (122. / 99 - 1)) < 1e-9);
    assert_true(fabs(verdict.effect_level - (1 - 2. / 56)) < 1e-12);
    double control = sqrt(120. / 100 * 122. / 101) - 1;
    assert_true(fabs(verdict.control_effect - control) < 1e-9);
    /* mean and deviation of the five logarithms by hand: t(.8, 4) = .940965 */
    double mean = 0, squares = 0;
    for (size_t i = 0; i < 5; i++)
        mean += log(five[i]) / 5;
    for (size_t i = 0; i < 5; i++)
        squares += (log(five[i]) - mean) * (log(five[i]) - mean);
    double s = sqrt(squares / 4);
    assert_true(fabs(verdict.visible_effect - (exp(log(102) - mean + .940965 * s * sqrt(1.2)) - 1)) < 1e-6);
    assert_true(fabs(verdict.prediction - exp(mean + 3.746947 * s * sqrt(1.2))) < 1e-4);
}

static void an_effect_below_delta_or_not_against_the_control_passes(void **state)
{
    const double wide[] = {100, 101, 99, 100.5, 130}; /* one accepted outlier: T is 130 */
    const double just[] = {131, 130.5, 130.4}, controls[] = {129, 129, 129}, calm[] = {100, 100, 100};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

    (void)state;
    q.baseline = wide;
    q.baseline_count = 5;
    q.sessions = just;
    q.session_count = 3;
    q.delta = .305; /* the median is 100.5: 1.305 times that is 131.15 */
    q.controls = calm;
    expect(judge(&q), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    q.delta = .3; /* 130.65, but the sessions lie 29.85 % above */
    expect(judge(&q), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_BELOW_DELTA);
    q.delta = .02;
    q.controls = controls;
    expect(judge(&q), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_NOT_AGAINST_CONTROL);
    q.controls = calm;
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
}

static void where_more_is_better_sides_change(void **state)
{
    const double rates[] = {100, 101, 99, 100.5, 99.5}, slow[] = {80, 81, 79}, fast[] = {120}, calm[] = {100, 100, 100};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

    (void)state;
    q.higher_is_better = true;
    q.baseline = rates;
    q.baseline_count = 5;
    q.sessions = slow;
    q.session_count = 3;
    q.controls = calm;
    q.delta = .02;
    sy_judgement verdict = judge(&q);
    expect(verdict, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_true(verdict.raised && fabs(verdict.threshold - 100 / 1.02) < 1e-9 && fabs(verdict.effect - .25) < 1e-9);
    q.sessions = fast;
    q.session_count = 1;
    assert_true(judge(&q).lowered);
}

static void memory_that_never_varies_is_held_to_a_quantum(void **state)
{
    const double same[] = {4096, 4096, 4096, 4096, 4096}, more[] = {8193, 8193, 8193}, page[] = {8192};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

    (void)state;
    q.metric = SY_METRIC_MEMORY;
    q.baseline = q.controls = same;
    q.baseline_count = 5;
    q.quantum = 4096;
    q.sessions = page;
    q.session_count = 1;
    expect(judge(&q), SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    q.sessions = more;
    expect(judge(&q), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    q.session_count = 3;
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
}

static void what_is_not_primary_or_a_maximum_never_blocks(void **state)
{
    const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_judgement_question q = ask(high, 3, calm, .02);

    (void)state;
    q.primary = false;
    expect(judge(&q), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    q.primary = true;
    q.metric = SY_METRIC_MAXIMUM;
    expect(judge(&q), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
}

/* Of 40 sessions at n = 5 each raises with 1/6: P(B <= 10) = .9464..., P(B <= 11) = .9763: 11 earlier alarms are still
 * believable at 95 %, 12 are not. */
static void a_key_that_alarms_too_often_is_only_reported_on(void **state)
{
    const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_judgement_question q = ask(high, 3, calm, .02);

    (void)state;
    q.judged_count = 40;
    q.raised_count = 11;
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    q.raised_count = 12;
    expect(judge(&q), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    /* A caller that knows the chance better says it. */
    q.raised_chance = .051;
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    q.raised_count = 11;
    q.raised_chance = .049;
    expect(judge(&q), SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    q.judged_count = q.raised_count = 19; /* too few to tell */
    expect(judge(&q), SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
}

static void an_unset_delta_is_what_the_baseline_resolves(void **state)
{
    const double session[] = {101.5};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

    (void)state;
    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = session;
    q.session_count = 1;
    sy_judgement verdict = judge(&q);
    /* s of the logarithms is .0079; half of the 99 % bound is 4.105 s */
    assert_true(verdict.delta > .032 && verdict.delta < .034);
    expect(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

static void bad_questions_are_refused(void **state)
{
    const double bad[] = {100, 101, NAN, 99, 98}, session[] = {100};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;
    sy_judgement verdict = {.p = 7};
    sy_error err;

    (void)state;
    q.baseline = bad;
    q.baseline_count = 5;
    q.sessions = session;
    q.session_count = 1;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "value 2 of the baseline is not a positive number");
    q.baseline = five;
    q.session_count = 0;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    q.session_count = 1;
    q.alpha = 0;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    q.alpha = .02;
    q.delta = -.1;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    q.delta = 0;
    q.quantum = INFINITY;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    q.quantum = 0;
    q.metric = SY_METRIC_MEMORY;
    q.higher_is_better = true;
    assert_int_equal(sy_judge(&q, &verdict, &err), SY_INVALID_ARGUMENT);
    assert_true(verdict.p == 7);
}

static sy_status scenario(void *user)
{
    static const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;
    sy_judgement verdict;

    (void)user;
    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = high;
    q.session_count = 3;
    q.controls = calm;
    return sy_judge(&q, &verdict, NULL);
}

static void a_failed_allocation_is_told(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, false) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_has_the_chances_of_the_text),
        cmocka_unit_test(each_line_of_the_table_has_its_verdict),
        cmocka_unit_test(a_confirmed_alarm_has_its_figures),
        cmocka_unit_test(an_effect_below_delta_or_not_against_the_control_passes),
        cmocka_unit_test(where_more_is_better_sides_change),
        cmocka_unit_test(memory_that_never_varies_is_held_to_a_quantum),
        cmocka_unit_test(what_is_not_primary_or_a_maximum_never_blocks),
        cmocka_unit_test(a_key_that_alarms_too_often_is_only_reported_on),
        cmocka_unit_test(an_unset_delta_is_what_the_baseline_resolves),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
