/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of a grid of sessions against the table, read again in the plainest way, and the rates that it promises. */
#include <steelyard/judge.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static sy_judgement judge(const sy_judgement_question *question)
{
    sy_judgement verdict;
    sy_error err = SY_ERROR_INIT;

    if (sy_judge(question, &verdict, &err) != SY_OK)
        fail_msg("%s", err.what);
    return verdict;
}

static void expect(sy_judgement verdict, sy_judgement_word word, sy_judgement_reason reason)
{
    assert_string_equal(sy_judgement_word_text(verdict.word), sy_judgement_word_text(word));
    assert_string_equal(sy_judgement_reason_text(verdict.reason), sy_judgement_reason_text(reason));
}

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
                       sy_judgement_word *word, sy_judgement_reason *reason)
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
    *word = SY_JUDGEMENT_PASS;
    *reason = SY_JUDGEMENT_REASON_INSIDE;
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
        *word = SY_JUDGEMENT_INVESTIGATE;
        *reason = SY_JUDGEMENT_REASON_UNCONFIRMED;
        return;
    }
    if (2 * outside > controls) {
        *word = SY_JUDGEMENT_INVESTIGATE;
        *reason = SY_JUDGEMENT_REASON_MACHINE_CHANGED;
        return;
    }
    if (n <= 12 ? inside > 0 : ranks_by_counting(x, m, b, n, side) > .02) {
        *reason = SY_JUDGEMENT_REASON_REFUTED;
        return;
    }
    qsort(against, controls, sizeof *against, by_value);
    double control = controls % 2 ? against[controls / 2] : (against[controls / 2 - 1] + against[controls / 2]) / 2;
    if (side * median_ratio(x, m, b, n) < log1p(delta))
        *reason = SY_JUDGEMENT_REASON_BELOW_DELTA;
    else if (side * control < log1p(delta))
        *reason = SY_JUDGEMENT_REASON_NOT_AGAINST_CONTROL;
    else if (side < 0)
        *reason = SY_JUDGEMENT_REASON_IMPROVED;
    else {
        *word = SY_JUDGEMENT_BLOCK;
        *reason = SY_JUDGEMENT_REASON_CONFIRMED;
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
        sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;
        sy_judgement_word word;
        sy_judgement_reason reason;

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
    for (sy_judgement_reason r = SY_JUDGEMENT_REASON_INSIDE; r <= SY_JUDGEMENT_REASON_IMPROVED; r++)
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
        sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

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
        blocks += judge(&q).word == SY_JUDGEMENT_BLOCK;
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
        sy_judgement_question q = SY_JUDGEMENT_QUESTION_INIT;

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_of_a_grid_has_the_verdict_of_the_table),
        cmocka_unit_test(an_unchanged_key_is_blocked_at_most_as_often_as_promised),
        cmocka_unit_test(the_visible_effect_has_its_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
