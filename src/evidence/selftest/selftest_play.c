/* SPDX-License-Identifier: Apache-2.0 */
/* Draws sessions, plants slowdowns and counts what sy_judge says. */
#include "evidence/selftest/selftest_play.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "stats/order.h"

enum { FOLLOWED_MAX = 200, VISIBLE_PERCENT = 80 };

sy_status sy_selftest_draw_plan(size_t count, double alpha, sy_selftest_draw *ret_draw, sy_error *err)
{
    if (count < SY_SELFTEST_SESSIONS) {
        sy_status status = sy_fail(err, SY_REFUSED, "%zu accepted session%s: a self-test needs %d", count,
                                   count == 1 ? "" : "s", SY_SELFTEST_SESSIONS);
        sy_error_hint(err, "%zu more: a baseline of five, and one that is judged", SY_SELFTEST_SESSIONS - count);
        return status;
    }
    for (size_t n = count - 1; n >= SY_BASELINE_SESSIONS; n--) {
        size_t m = sy_ladder_sessions(n, alpha);
        if (n + m <= count) {
            *ret_draw = (sy_selftest_draw){n, m, false};
            return SY_OK;
        }
    }
    *ret_draw = (sy_selftest_draw){SY_BASELINE_SESSIONS, sy_ladder_sessions(SY_BASELINE_SESSIONS, alpha), true};
    return SY_OK;
}

/* What the trials work with. */
typedef struct player {
    const sy_selftest_trials *trials;
    sy_random random;
    uint32_t *order;
    double *baseline;
    double *sessions; /* as they were */
    double *planted;
    double *controls;
    double *limits; /* of each trial the slowdown from which on it alarms */
} player;

/* What is left behind the baseline and the new sessions are controls; then any session but the one beside it. */
static double draw_control(player *p, size_t of, size_t *next)
{
    size_t count = p->trials->question.baseline_count;
    if (*next < count) {
        return p->trials->question.baseline[p->order[(*next)++]];
    }
    size_t other = (size_t)sy_random_below(&p->random, count - 1);
    return p->trials->question.baseline[other < of ? other : other + 1];
}

static void draw(player *p)
{
    const sy_selftest_draw *plan = &p->trials->draw;
    const double *values = p->trials->question.baseline;
    size_t count = p->trials->question.baseline_count;
    size_t n = plan->baseline_count, m = plan->session_count;
    size_t next = plan->repeats ? count : n + m;

    sy_random_permutation(&p->random, p->order, (uint32_t)count);
    for (size_t i = 0; i < n; i++) {
        p->baseline[i] = values[p->order[i]];
    }
    for (size_t i = 0; i < m; i++) {
        size_t at = p->order[n + (plan->repeats ? (size_t)sy_random_below(&p->random, count - n) : i)];
        p->sessions[i] = values[at];
        p->controls[i] = draw_control(p, at, &next);
    }
}

static double plant(const sy_judgement_question *question, double value, double ratio)
{
    return question->higher_is_better ? value / ratio : value * ratio;
}

/* From which slowdown on the judged session would have raised an alarm, by the figures of its verdict. */
static double limit_of(const sy_judgement_question *question, const sy_judgement *verdict)
{
    bool higher = question->higher_is_better;
    double enough = higher ? verdict->median / (1 + verdict->delta) : verdict->median * (1 + verdict->delta);
    double limit = verdict->threshold;
    /* Memory that never varies is held to its quantum alone. */
    if (question->metric != SY_METRIC_MEMORY || !isnan(verdict->visible_effect)) {
        limit = higher ? fmax(limit, fmin(enough, verdict->prediction))
                       : fmin(limit, fmax(enough, verdict->prediction));
    }
    return higher ? verdict->value / limit : limit / verdict->value;
}

static sy_status judge(player *p, double ratio, sy_judgement *ret_verdict, sy_error *err)
{
    sy_judgement_question question = p->trials->question;
    size_t m = p->trials->draw.session_count;

    for (size_t i = 0; i < m; i++) {
        p->planted[i] = plant(&question, p->sessions[i], ratio);
    }
    question.baseline = p->baseline;
    question.baseline_count = p->trials->draw.baseline_count;
    question.sessions = p->planted;
    question.session_count = m;
    question.controls = p->controls;
    return sy_judge(&question, ret_verdict, err);
}

static sy_status play_one(player *p, uint32_t trial, sy_selftest_effect *effects, size_t effect_count, sy_error *err)
{
    sy_judgement verdict;

    draw(p);
    sy_status status = judge(p, 1, &verdict, err);
    if (status == SY_OK) {
        p->limits[trial] = limit_of(&p->trials->question, &verdict);
    }
    for (size_t i = 0; status == SY_OK && i < effect_count; i++) {
        status = judge(p, effects[i].ratio, &verdict, err);
        if (status == SY_OK) {
            effects[i].trial_count++;
            effects[i].alarm_count += verdict.raised;
            effects[i].block_count += verdict.raised && verdict.reason == SY_JUDGEMENT_REASON_CONFIRMED;
        }
    }
    return status;
}

static sy_status start(player *p, sy_error *err)
{
    size_t count = p->trials->question.baseline_count;
    size_t m = p->trials->draw.session_count;

    if (count > UINT32_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%zu sessions are too many to draw from", count);
    }
    p->order = sy_allocate(count, sizeof *p->order);
    p->baseline = sy_allocate(p->trials->draw.baseline_count, sizeof *p->baseline);
    p->sessions = sy_allocate(m, sizeof *p->sessions);
    p->planted = sy_allocate(m, sizeof *p->planted);
    p->controls = sy_allocate(m, sizeof *p->controls);
    p->limits = sy_allocate(p->trials->trial_count, sizeof *p->limits);
    if (p->order == NULL || p->baseline == NULL || p->sessions == NULL || p->planted == NULL || p->controls == NULL ||
        p->limits == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to replay %zu sessions", count);
    }
    sy_random_start(&p->random, p->trials->seed, "selftest");
    return SY_OK;
}

static void finish(player *p)
{
    sy_free(p->order);
    sy_free(p->baseline);
    sy_free(p->sessions);
    sy_free(p->planted);
    sy_free(p->controls);
    sy_free(p->limits);
}

sy_status sy_selftest_play(const sy_selftest_trials *trials, sy_selftest_effect *effects, size_t effect_count,
                           double *ret_visible, sy_error *err)
{
    player p = {.trials = trials};
    sy_status status = start(&p, err);

    for (size_t i = 0; i < effect_count; i++) {
        effects[i].trial_count = effects[i].alarm_count = effects[i].block_count = 0;
    }
    for (uint32_t trial = 0; status == SY_OK && trial < trials->trial_count; trial++) {
        status = play_one(&p, trial, effects, effect_count, err);
    }
    if (status == SY_OK) {
        status = sy_order_sort(p.limits, trials->trial_count, err);
    }
    if (status == SY_OK) {
        *ret_visible = fmax(0, sy_order_nearest_rank(p.limits, trials->trial_count, VISIBLE_PERCENT) - 1);
    }
    finish(&p);
    return status;
}

sy_status sy_selftest_follow(const sy_judgement_question *question, sy_selftest_course *ret_course, sy_error *err)
{
    sy_selftest_course course = {0, 0, 0};
    size_t count = question->baseline_count;
    size_t from = count > FOLLOWED_MAX + SY_BASELINE_SESSIONS ? count - FOLLOWED_MAX : SY_BASELINE_SESSIONS;

    for (size_t i = from; i < count; i++) {
        sy_judgement_question one = *question;
        sy_judgement verdict;

        one.baseline_count = i;
        one.sessions = &question->baseline[i];
        one.session_count = 1;
        sy_status status = sy_judge(&one, &verdict, err);
        if (status != SY_OK) {
            return status;
        }
        course.judged_count++;
        course.raised_count += verdict.raised;
        course.expected += 1 / ((double)i + 1);
    }
    *ret_course = course;
    return SY_OK;
}

sy_status sy_selftest_is_hard(const sy_judgement_question *question, bool *ret_is_hard, sy_error *err)
{
    sy_judgement_question one = *question;
    sy_judgement verdict;

    one.sessions = question->baseline;
    one.session_count = 1;
    sy_status status = sy_judge(&one, &verdict, err);
    if (status == SY_OK) {
        *ret_is_hard = verdict.hard;
    }
    return status;
}
