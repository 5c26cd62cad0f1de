/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one metric: the lines of its table in their order, the first that applies. Everything is computed on
 * logarithms in which larger is worse. */
#include <steelyard/judge.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/quantile.h"
#include "stats/ranks.h"
#include "stats/shift.h"
#include "stats/student.h"

#define PREDICTION_LEVEL 0.99
#define VISIBLE_POWER 0.8
#define EFFECT_ALPHA 0.05
#define ALARM_RATE_LEVEL 0.95

enum { ALARM_RATE_SESSIONS = 20 };

double sy_ladder_chance(size_t n, size_t m)
{
    double orders = 1;

    for (size_t i = 1; i <= m; i++)
        orders *= (double)(n + i) / (double)i;
    return 1 / orders;
}

size_t sy_ladder_sessions(size_t n, double alpha)
{
    size_t m = 1;

    /* An order is one of C(n + m, m): the quotient is rounded, the comparison must not be. */
    while (sy_ladder_chance(n, m) > alpha * (1 + 1e-12))
        m++;
    return m;
}

/* What is worked with: logarithms, larger is worse; sorted copies beside those in order. */
typedef struct weighed {
    const sy_judgement_question *question;
    double *baseline; /* ascending */
    double *sessions; /* in order */
    double *sorted;   /* the sessions, ascending */
    double *against;  /* ln(session / control), where there is a control */
    size_t n;
    size_t m;
    size_t against_count;
    size_t controls_outside;
    double mean;
    double spread; /* standard deviation; 0: all are equal */
    double median;
    double delta; /* ln(1 + delta) */
    double side;  /* 1: raised, -1: lowered; 0: neither */
} weighed;

static bool is_value(double value)
{
    return isfinite(value) && value > 0;
}

static double worse(const sy_judgement_question *question, double value)
{
    return question->higher_is_better ? -log(value) : log(value);
}

/* Back to the metric's unit. */
static double in_unit(const sy_judgement_question *question, double logarithm)
{
    return exp(question->higher_is_better ? -logarithm : logarithm);
}

static void describe_baseline(weighed *w)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < w->n; i++)
        sum += w->baseline[i];
    w->mean = sum / (double)w->n;
    for (size_t i = 0; i < w->n; i++)
        squares += (w->baseline[i] - w->mean) * (w->baseline[i] - w->mean);
    w->spread = w->baseline[0] == w->baseline[w->n - 1] ? 0 : sqrt(squares / (double)(w->n - 1));
    w->median = sy_order_median(w->baseline, w->n);
    w->delta = isnan(w->question->delta) ? sy_student_prediction(PREDICTION_LEVEL, w->n) * w->spread
                                         : log1p(w->question->delta);
}

/* Whether a session is beyond all of the baseline, on the side of the alarm; a tie is not. */
static bool is_outside(const weighed *w, double session)
{
    return w->side > 0 ? session > w->baseline[w->n - 1] : session < w->baseline[0];
}

/* Where memory is the same in every session, noise is a quantum and nothing else. */
static bool is_constant_memory(const weighed *w)
{
    return w->question->metric == SY_METRIC_MEMORY && w->spread == 0;
}

/* The side of the first session, and the figures that say so. */
static void find_side(weighed *w, sy_judgement *verdict)
{
    const sy_judgement_question *q = w->question;
    double x = w->sessions[0];
    double most = w->baseline[w->n - 1];
    double enough = w->median + w->delta;
    double bound = w->mean + sy_student_prediction(PREDICTION_LEVEL, w->n) * w->spread;
    double threshold = most > enough ? most : enough;

    if (is_constant_memory(w)) {
        /* A quantum is an amount, not a ratio: no logarithm may round it. */
        double further = q->sessions[0] - q->baseline[0];
        w->side = further > q->quantum ? 1 : further < -q->quantum ? -1 : 0;
        threshold = log(q->baseline[0] + q->quantum);
    } else if (x > threshold || (x > enough && x > bound)) {
        w->side = 1;
    } else if (x < w->baseline[0] && x < w->median - w->delta) {
        w->side = -1;
    }
    verdict->raised = w->side > 0;
    verdict->lowered = w->side < 0;
    verdict->threshold = in_unit(q, threshold);
    verdict->prediction = in_unit(q, bound);
    if (w->spread > 0)
        verdict->visible_effect = expm1(threshold - w->mean + sy_student_prediction(VISIBLE_POWER, w->n) * w->spread);
}

static void count_controls(weighed *w, sy_judgement *verdict)
{
    const sy_judgement_question *q = w->question;

    for (size_t i = 0; i < w->m; i++) {
        if (q->controls == NULL || !is_value(q->controls[i]))
            continue;
        double control = worse(q, q->controls[i]);
        w->controls_outside += is_outside(w, control);
        w->against[w->against_count++] = w->sessions[i] - control;
    }
    verdict->control_missing = w->against_count == 0;
    if (w->against_count > 0) {
        /* Finite, as both of its parts: sorting cannot fail. */
        (void)!sy_order_sort(w->against, w->against_count, NULL);
        verdict->control_effect = expm1(sy_order_median(w->against, w->against_count));
    }
}

/* P of what was seen if nothing changed: the ladder where the baseline is small, else the ranks of all. */
static sy_status find_probability(const weighed *w, size_t inside, double *ret_p, sy_error *err)
{
    if (w->n <= SY_LADDER_SESSIONS) {
        *ret_p = inside == 0 ? sy_ladder_chance(w->n, w->m) : 1;
        return SY_OK;
    }
    return w->side > 0 ? sy_ranks_greater(w->sorted, w->m, w->baseline, w->n, ret_p, err)
                       : sy_ranks_greater(w->baseline, w->n, w->sorted, w->m, ret_p, err);
}

static sy_status find_effect(const weighed *w, sy_judgement *verdict, sy_error *err)
{
    sy_shift shift;
    sy_status status = sy_shift_find(w->sorted, w->m, w->baseline, w->n, EFFECT_ALPHA, &shift, err);

    if (status != SY_OK)
        return status;
    verdict->effect = expm1(shift.estimate);
    verdict->effect_low = expm1(shift.low);
    verdict->effect_high = expm1(shift.high);
    verdict->effect_level = shift.level;
    return SY_OK;
}

/* A key whose sessions raise alarms more often than chance explains is only reported on. */
static bool is_hard(const weighed *w)
{
    const sy_judgement_question *q = w->question;
    double rate = 1 / ((double)w->n + 1);

    if (!q->primary || q->metric == SY_METRIC_MAXIMUM)
        return false;
    if (q->judged_count < ALARM_RATE_SESSIONS || q->raised_count == 0)
        return true;
    if (q->raised_chance > 0)
        return q->raised_chance > 1 - ALARM_RATE_LEVEL;
    return sy_binomial_lower_tail((size_t)q->judged_count, rate, (size_t)q->raised_count - 1) < ALARM_RATE_LEVEL;
}

static void say(sy_judgement *verdict, sy_judgement_word word, sy_judgement_reason reason)
{
    verdict->word = word;
    verdict->reason = reason;
}

/* Lines 4 to 10 of the table: there is a value and a baseline. */
static sy_status judge_against_baseline(weighed *w, sy_judgement *verdict, sy_error *err)
{
    size_t inside = 0;

    describe_baseline(w);
    verdict->median = in_unit(w->question, w->median);
    verdict->ratio = exp(w->sessions[0] - w->median);
    verdict->delta = expm1(w->delta);
    verdict->sessions_needed = sy_ladder_sessions(w->n, w->question->alpha);
    verdict->p_achievable = sy_ladder_chance(w->n, w->m);
    verdict->hard = is_hard(w);
    find_side(w, verdict);
    sy_status status = find_effect(w, verdict, err);
    if (status != SY_OK)
        return status;
    if (w->side == 0) {
        say(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
        return SY_OK;
    }
    count_controls(w, verdict);
    for (size_t i = 0; i < w->m; i++)
        inside += !is_outside(w, w->sessions[i]);
    if (verdict->sessions_needed > w->m)
        verdict->confirms_to_come = verdict->sessions_needed - w->m;
    if ((verdict->confirms_to_come > 0 || verdict->control_missing) && (w->n > SY_LADDER_SESSIONS || inside == 0)) {
        say(verdict, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
        return SY_OK;
    }
    if (2 * w->controls_outside > w->against_count) {
        say(verdict, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_MACHINE_CHANGED);
        return SY_OK;
    }
    status = find_probability(w, inside, &verdict->p, err);
    if (status != SY_OK)
        return status;
    double wanted = is_constant_memory(w) ? 0 : log1p(verdict->delta);
    if (verdict->p > w->question->alpha * (1 + 1e-12))
        say(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    else if (w->side * log1p(verdict->effect) < wanted)
        say(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_BELOW_DELTA);
    else if (w->side * log1p(verdict->control_effect) < wanted)
        say(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_NOT_AGAINST_CONTROL);
    else if (w->side < 0)
        say(verdict, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_IMPROVED);
    else
        say(verdict, verdict->hard ? SY_JUDGEMENT_BLOCK : SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_CONFIRMED);
    return SY_OK;
}

static sy_status check(const sy_judgement_question *question, sy_error *err)
{
    if (question->session_count < 1)
        return sy_fail(err, SY_INVALID_ARGUMENT, "there is no session to judge");
    if (!(question->alpha > 0 && question->alpha <= 0.5))
        return sy_fail(err, SY_INVALID_ARGUMENT, "alpha %g is not in (0, .5]", question->alpha);
    if (!isnan(question->delta) && !(question->delta >= 0 && isfinite(question->delta)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the smallest effect %g is no ratio of 0 or more", question->delta);
    if (!(question->quantum >= 0 && isfinite(question->quantum)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the quantum %g is no amount of 0 or more", question->quantum);
    if (question->metric == SY_METRIC_MEMORY && question->higher_is_better)
        return sy_fail(err, SY_INVALID_ARGUMENT, "more memory is never better");
    for (size_t i = 0; i < question->baseline_count; i++) {
        if (!is_value(question->baseline[i]))
            return sy_fail(err, SY_INVALID_ARGUMENT, "value %zu of the baseline is not a positive number", i);
    }
    return SY_OK;
}

static void take_values(weighed *w, const sy_judgement_question *question)
{
    for (size_t i = 0; i < question->baseline_count; i++)
        w->baseline[w->n++] = worse(question, question->baseline[i]);
    for (size_t i = 0; i < question->session_count; i++)
        w->sessions[w->m++] = worse(question, question->sessions[i]);
    memcpy(w->sorted, w->sessions, w->m * sizeof *w->sorted);
}

/* Lines 1 to 3 of the table; false: none of them applies. */
static bool judge_without_baseline(const sy_judgement_question *question, sy_judgement *verdict)
{
    if (question->evidence != NULL) {
        say(verdict, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE);
        return true;
    }
    for (size_t i = 0; i < question->session_count; i++) {
        if (!is_value(question->sessions[i])) {
            say(verdict, SY_JUDGEMENT_NOT_JUDGED, SY_JUDGEMENT_REASON_NO_VALUE);
            return true;
        }
    }
    if (verdict->sessions_to_baseline > 0)
        say(verdict, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    return verdict->sessions_to_baseline > 0;
}

sy_status sy_judge(const sy_judgement_question *question, sy_judgement *ret_verdict, sy_error *err)
{
    sy_judgement verdict = {.p = NAN,
                            .p_achievable = NAN,
                            .threshold = NAN,
                            .prediction = NAN,
                            .median = NAN,
                            .ratio = NAN,
                            .effect = NAN,
                            .effect_low = NAN,
                            .effect_high = NAN,
                            .effect_level = NAN,
                            .control_effect = NAN,
                            .visible_effect = NAN};
    weighed w = {.question = question};
    sy_status status = check(question, err);

    if (status != SY_OK)
        return status;
    verdict.alpha = question->alpha;
    verdict.delta = question->delta;
    verdict.value = question->sessions[0];
    verdict.baseline_count = question->baseline_count;
    verdict.session_count = question->session_count;
    if (question->baseline_count < SY_BASELINE_SESSIONS)
        verdict.sessions_to_baseline = SY_BASELINE_SESSIONS - question->baseline_count;
    if (judge_without_baseline(question, &verdict))
        goto done;
    w.baseline = sy_allocate(question->baseline_count, sizeof *w.baseline);
    w.sessions = sy_allocate(question->session_count, sizeof *w.sessions);
    w.sorted = sy_allocate(question->session_count, sizeof *w.sorted);
    w.against = sy_allocate(question->session_count, sizeof *w.against);
    if (w.baseline == NULL || w.sessions == NULL || w.sorted == NULL || w.against == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to judge %zu sessions", question->session_count);
        goto out;
    }
    take_values(&w, question);
    status = sy_order_sort(w.baseline, w.n, err);
    if (status == SY_OK)
        status = sy_order_sort(w.sorted, w.m, err);
    if (status == SY_OK)
        status = judge_against_baseline(&w, &verdict, err);
out:
    sy_free(w.baseline);
    sy_free(w.sessions);
    sy_free(w.sorted);
    sy_free(w.against);
    if (status != SY_OK)
        return status;
done:
    *ret_verdict = verdict;
    return SY_OK;
}
