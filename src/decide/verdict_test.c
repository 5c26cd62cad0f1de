/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verdicts: a case for each line, then every state that a grid of sessions reaches against the table read
 * again in the plainest way, and the rates that it promises. */
#include <steelyard/verdict.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "fault_loop.h"

static const double five[] = {100, 101, 99, 100.5, 99.5};

static sy_verdict judge(const sy_verdict_question *question)
{
    sy_verdict verdict;
    sy_error err = SY_ERROR_INIT;

    if (sy_judge(question, &verdict, &err) != SY_OK)
        fail_msg("%s", err.what);
    return verdict;
}

/* sessions and controls of m each; controls NULL = none. */
static sy_verdict judge_times(const double *sessions, size_t m, const double *controls, double delta)
{
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = sessions;
    q.session_count = m;
    q.controls = controls;
    q.delta = delta;
    return judge(&q);
}

static void expect(sy_verdict verdict, sy_verdict_word word, sy_verdict_reason reason)
{
    assert_string_equal(sy_verdict_word_text(verdict.word), sy_verdict_word_text(word));
    assert_string_equal(sy_verdict_reason_text(verdict.reason), sy_verdict_reason_text(reason));
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
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;
    q.sessions = high;
    q.session_count = 3;
    q.evidence = "parity failed";
    expect(judge(&q), SY_VERDICT_BLOCK, SY_VERDICT_REASON_EVIDENCE);
    q.evidence = NULL;
    static const double unusable[] = {NAN, INFINITY, 0, -3};
    for (size_t i = 0; i < 4; i++) {
        q.sessions = &unusable[i];
        q.session_count = 1;
        expect(judge(&q), SY_VERDICT_NOT_JUDGED, SY_VERDICT_REASON_NO_VALUE);
    }
    for (size_t n = 0; n < 5; n++) {
        q.sessions = high;
        q.baseline = five;
        q.baseline_count = n;
        sy_verdict verdict = judge(&q);
        expect(verdict, SY_VERDICT_NO_BASELINE, SY_VERDICT_REASON_FEW_SESSIONS);
        assert_int_equal(verdict.sessions_to_baseline, 5 - n);
    }
    expect(judge_times(inside, 1, NULL, .02), SY_VERDICT_PASS, SY_VERDICT_REASON_INSIDE);
    sy_verdict first = judge_times(high, 1, NULL, .02);
    expect(first, SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_UNCONFIRMED);
    assert_int_equal(first.confirms_to_come, 2);
    assert_true(first.control_missing && first.raised && !first.lowered);
    expect(judge_times(high, 3, none, .02), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_UNCONFIRMED);
    expect(judge_times(high, 2, quiet, .02), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_UNCONFIRMED);
    expect(judge_times(high, 3, loud, .02), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_MACHINE_CHANGED);
    expect(judge_times(back, 2, NULL, .02), SY_VERDICT_PASS, SY_VERDICT_REASON_REFUTED);
    expect(judge_times(high, 3, near, .02), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_MACHINE_CHANGED);
    expect(judge_times(high, 3, quiet, .02), SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
    expect(judge_times(low, 3, quiet, .02), SY_VERDICT_PASS, SY_VERDICT_REASON_IMPROVED);
}

static void a_confirmed_alarm_has_its_figures(void **state)
{
    const double high[] = {120, 121, 122}, controls[] = {100, NAN, 101};
    sy_verdict verdict = judge_times(high, 3, controls, .02);

    (void)state;
    expect(verdict, SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
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
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.baseline = wide;
    q.baseline_count = 5;
    q.sessions = just;
    q.session_count = 3;
    q.delta = .305; /* the median is 100.5: 1.305 times that is 131.15 */
    q.controls = calm;
    expect(judge(&q), SY_VERDICT_PASS, SY_VERDICT_REASON_INSIDE);
    q.delta = .3; /* 130.65, but the sessions lie 29.85 % above */
    expect(judge(&q), SY_VERDICT_PASS, SY_VERDICT_REASON_BELOW_DELTA);
    q.delta = .02;
    q.controls = controls;
    expect(judge(&q), SY_VERDICT_PASS, SY_VERDICT_REASON_NOT_AGAINST_CONTROL);
    q.controls = calm;
    expect(judge(&q), SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
}

static void where_more_is_better_sides_change(void **state)
{
    const double rates[] = {100, 101, 99, 100.5, 99.5}, slow[] = {80, 81, 79}, fast[] = {120}, calm[] = {100, 100, 100};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.higher_is_better = true;
    q.baseline = rates;
    q.baseline_count = 5;
    q.sessions = slow;
    q.session_count = 3;
    q.controls = calm;
    q.delta = .02;
    sy_verdict verdict = judge(&q);
    expect(verdict, SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
    assert_true(verdict.raised && fabs(verdict.threshold - 100 / 1.02) < 1e-9 && fabs(verdict.effect - .25) < 1e-9);
    q.sessions = fast;
    q.session_count = 1;
    assert_true(judge(&q).lowered);
}

static void memory_that_never_varies_is_held_to_a_quantum(void **state)
{
    const double same[] = {4096, 4096, 4096, 4096, 4096}, more[] = {8193, 8193, 8193}, page[] = {8192};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.metric = SY_METRIC_MEMORY;
    q.baseline = q.controls = same;
    q.baseline_count = 5;
    q.quantum = 4096;
    q.sessions = page;
    q.session_count = 1;
    expect(judge(&q), SY_VERDICT_PASS, SY_VERDICT_REASON_INSIDE);
    q.sessions = more;
    expect(judge(&q), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_UNCONFIRMED);
    q.session_count = 3;
    expect(judge(&q), SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
}

static void what_is_not_primary_or_a_maximum_never_blocks(void **state)
{
    const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = high;
    q.session_count = 3;
    q.controls = calm;
    q.delta = .02;
    q.primary = false;
    expect(judge(&q), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_CONFIRMED);
    q.primary = true;
    q.metric = SY_METRIC_MAXIMUM;
    expect(judge(&q), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_CONFIRMED);
}

/* Of 40 sessions at n = 5 each raises with 1/6: P(B <= 10) = .9464..., P(B <= 11) = .9763: 11 earlier alarms are still
 * believable at 95 %, 12 are not. */
static void a_key_that_alarms_too_often_is_only_reported_on(void **state)
{
    const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = high;
    q.session_count = 3;
    q.controls = calm;
    q.delta = .02;
    q.judged_count = 40;
    q.raised_count = 11;
    expect(judge(&q), SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
    q.raised_count = 12;
    expect(judge(&q), SY_VERDICT_INVESTIGATE, SY_VERDICT_REASON_CONFIRMED);
    q.judged_count = q.raised_count = 19; /* too few to tell */
    expect(judge(&q), SY_VERDICT_BLOCK, SY_VERDICT_REASON_CONFIRMED);
}

static void an_unset_delta_is_what_the_baseline_resolves(void **state)
{
    const double session[] = {101.5};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

    (void)state;
    q.baseline = five;
    q.baseline_count = 5;
    q.sessions = session;
    q.session_count = 1;
    sy_verdict verdict = judge(&q);
    /* s of the logarithms is .0079; half of the 99 % bound is 4.105 s */
    assert_true(verdict.delta > .032 && verdict.delta < .034);
    expect(verdict, SY_VERDICT_PASS, SY_VERDICT_REASON_INSIDE);
}

static void bad_questions_are_refused(void **state)
{
    const double bad[] = {100, 101, NAN, 99, 98}, session[] = {100};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;
    sy_verdict verdict = {.p = 7};
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

/* ---- the table, read again ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* P(U >= the observed U) over all C(n + m, m) ways to choose which ranks are new; ties count against the claim. */
static double ranks_by_counting(const double *new, size_t m, const double *old, size_t n, int side)
{
    size_t observed = 0, total = 0, reached = 0;

    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++)
            observed += side > 0 ? new[i] > old[k] : new[i] < old[k];
    }
    for (unsigned long set = 0; set < 1ul << (n + m); set++) {
        size_t u = 0, olds = 0;
        if ((size_t)__builtin_popcountl(set) != m)
            continue;
        for (size_t i = 0; i < n + m; i++) {
            if (set >> i & 1)
                u += olds;
            else
                olds++;
        }
        total++;
        reached += u >= observed;
    }
    return (double)reached / (double)total;
}

static double median_ratio(const double *x, size_t m, const double *y, size_t n)
{
    double all[256];
    size_t count = 0;

    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++)
            all[count++] = log(x[i] / y[k]);
    }
    qsort(all, count, sizeof *all, by_value);
    return count % 2 ? all[count / 2] : (all[count / 2 - 1] + all[count / 2]) / 2;
}

/* Lower is better, primary, delta given, all values valid, n >= 5. */
static void read_table(const double *b, size_t n, const double *x, size_t m, const double *c, double delta,
                       sy_verdict_word *word, sy_verdict_reason *reason)
{
    static const double t99[] = {[5] = 3.746947, [6] = 3.364930, [13] = 2.680998};
    double sorted[32], mean = 0, squares = 0, against[32];
    size_t needed = 1, inside = 0, controls = 0, outside = 0;

    memcpy(sorted, b, n * sizeof *b);
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < n; i++)
        mean += log(b[i]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += pow(log(b[i]) - mean, 2);
    double bound = mean + t99[n] * sqrt(squares / (double)(n - 1)) * sqrt(1 + 1. / (double)n);
    double median = n % 2 ? sorted[n / 2] : sqrt(sorted[n / 2 - 1] * sorted[n / 2]);
    double enough = (1 + delta) * median;
    int side = x[0] > fmax(sorted[n - 1], enough) || (x[0] > enough && log(x[0]) > bound) ? 1
               : x[0] < sorted[0] && x[0] < median / (1 + delta)                          ? -1
                                                                                          : 0;
    *word = SY_VERDICT_PASS;
    *reason = SY_VERDICT_REASON_INSIDE;
    if (side == 0)
        return;
    for (size_t i = 0; i < m; i++)
        inside += side > 0 ? x[i] <= sorted[n - 1] : x[i] >= sorted[0];
    for (size_t i = 0; c != NULL && i < m; i++) {
        if (isnan(c[i]))
            continue;
        against[controls++] = log(x[i] / c[i]);
        outside += side > 0 ? c[i] > sorted[n - 1] : c[i] < sorted[0];
    }
    for (double ways = (double)n + 1; ways < 50; ways *= (double)(n + needed) / (double)needed)
        needed++; /* C(n + m, m) >= 50 */
    if ((m < needed || controls == 0) && (n > 12 || inside == 0)) {
        *word = SY_VERDICT_INVESTIGATE;
        *reason = SY_VERDICT_REASON_UNCONFIRMED;
        return;
    }
    if (2 * outside > controls) {
        *word = SY_VERDICT_INVESTIGATE;
        *reason = SY_VERDICT_REASON_MACHINE_CHANGED;
        return;
    }
    if (n <= 12 ? inside > 0 : ranks_by_counting(x, m, b, n, side) > .02) {
        *reason = SY_VERDICT_REASON_REFUTED;
        return;
    }
    qsort(against, controls, sizeof *against, by_value);
    double control = controls % 2 ? against[controls / 2] : (against[controls / 2 - 1] + against[controls / 2]) / 2;
    if (side * median_ratio(x, m, b, n) < log1p(delta))
        *reason = SY_VERDICT_REASON_BELOW_DELTA;
    else if (side * control < log1p(delta))
        *reason = SY_VERDICT_REASON_NOT_AGAINST_CONTROL;
    else if (side < 0)
        *reason = SY_VERDICT_REASON_IMPROVED;
    else {
        *word = SY_VERDICT_BLOCK;
        *reason = SY_VERDICT_REASON_CONFIRMED;
    }
}

/* Sessions and controls from a few levels, so that every line is met; irregular steps, so that no comparison of the
 * test's own arithmetic is decided by rounding. */
static void every_state_of_a_grid_has_the_verdict_of_the_table(void **state)
{
    static const double levels[] = {61.03, 97.17, 99.71, 100.29, 102.53, 104.39, 141.7};
    static const size_t sizes[] = {5, 6, 13};
    static const double deltas[] = {0, .0217, .1013};
    size_t met[16] = {0};
    sy_random random;

    (void)state;
    sy_random_start(&random, 23, "grid");
    for (int round = 0; round < 30000; round++) {
        double b[13], x[4], c[4];
        size_t n = sizes[sy_random_below(&random, 3)], m = 1 + sy_random_below(&random, n == 13 ? 3 : 4);
        bool has_controls = sy_random_below(&random, 4) > 0;
        sy_verdict_question q = SY_VERDICT_QUESTION_INIT;
        sy_verdict_word word;
        sy_verdict_reason reason;

        for (size_t i = 0; i < n; i++)
            b[i] = 99 + 2.017 * sy_random_unit(&random);
        if (sy_random_below(&random, 4) == 0)
            b[0] = 103.47;
        for (size_t i = 0; i < m; i++) {
            bool like_first = i > 0 && sy_random_below(&random, 3) > 0;
            x[i] = like_first ? x[0] * (1 + .011 * (double)i) : levels[sy_random_below(&random, 7)];
            c[i] = sy_random_below(&random, 5) == 0 ? NAN : levels[1 + sy_random_below(&random, 5)];
        }
        q.baseline = b;
        q.baseline_count = n;
        q.sessions = x;
        q.session_count = m;
        q.controls = has_controls ? c : NULL;
        q.delta = deltas[sy_random_below(&random, 3)];
        read_table(b, n, x, m, q.controls, q.delta, &word, &reason);
        expect(judge(&q), word, reason);
        met[reason]++;
    }
    for (sy_verdict_reason r = SY_VERDICT_REASON_INSIDE; r <= SY_VERDICT_REASON_IMPROVED; r++)
        assert_true(met[r] > 0);
}

/* ---- rates ---- */

/* Nothing changed: alarms that are confirmed by sessions of their own stay below the promised 2 % a judgement. */
static void an_unchanged_key_is_blocked_at_most_as_often_as_promised(void **state)
{
    enum { ROUNDS = 20000 };
    size_t blocks = 0;
    sy_random random;

    (void)state;
    sy_random_start(&random, 29, "promise");
    for (int round = 0; round < ROUNDS; round++) {
        double b[5], x[3], c[3];
        sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

        for (size_t i = 0; i < 5; i++)
            b[i] = exp(.01 * sy_random_normal(&random));
        for (size_t i = 0; i < 3; i++) {
            x[i] = exp(.01 * sy_random_normal(&random));
            c[i] = exp(.01 * sy_random_normal(&random));
        }
        q.baseline = b;
        q.baseline_count = 5;
        q.sessions = x;
        q.session_count = 3;
        q.controls = c;
        q.delta = 0;
        blocks += judge(&q).word == SY_VERDICT_BLOCK;
    }
    assert_true(blocks <= ROUNDS * .0179 + 5 * sqrt(ROUNDS * .0179));
}

/* The smallest visible effect is noticed four times in five: sessions slower by just that much raise an alarm. */
static void the_visible_effect_has_its_power(void **state)
{
    enum { ROUNDS = 10000 };
    size_t raised = 0;
    sy_random random;

    (void)state;
    sy_random_start(&random, 31, "power");
    for (int round = 0; round < ROUNDS; round++) {
        double b[8], x;
        sy_verdict_question q = SY_VERDICT_QUESTION_INIT;

        for (size_t i = 0; i < 8; i++)
            b[i] = exp(.01 * sy_random_normal(&random));
        x = 1;
        q.baseline = b;
        q.baseline_count = 8;
        q.sessions = &x;
        q.session_count = 1;
        q.delta = .02;
        double visible = judge(&q).visible_effect;
        x = (1 + visible) * exp(.01 * sy_random_normal(&random));
        raised += judge(&q).raised;
    }
    assert_true(fabs((double)raised / ROUNDS - .8) < .02);
}

static sy_status scenario(void *user)
{
    static const double high[] = {120, 121, 122}, calm[] = {100, 100, 100};
    sy_verdict_question q = SY_VERDICT_QUESTION_INIT;
    sy_verdict verdict;

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
        cmocka_unit_test(every_state_of_a_grid_has_the_verdict_of_the_table),
        cmocka_unit_test(an_unchanged_key_is_blocked_at_most_as_often_as_promised),
        cmocka_unit_test(the_visible_effect_has_its_power),
        cmocka_unit_test(a_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
