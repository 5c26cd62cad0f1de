/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the trials of one metric and says what they mean. */
#include "evidence/selftest/selftest_metric.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "evidence/compare/key_course.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the self-test of a gate");
}

/* ---- why it cannot fail ---- */

/* What keeps a confirmed alarm from blocking, whatever is planted; "": nothing. NULL: no memory. */
static const char *find_obstacle(const sy_selftest_subject *s, const sy_judgement_question *question, bool is_hard,
                                 sy_arena *arena)
{
    if (s->obstacle[0] != '\0') {
        return s->obstacle;
    }
    if (question->metric == SY_METRIC_MAXIMUM) {
        return "a maximum is investigated, and never blocked on";
    }
    if (question->baseline_count < s->rules->hard_sessions) {
        return sy_arena_format(arena, "thresholds are hard from %zu accepted sessions on, and it has %zu",
                               s->rules->hard_sessions, question->baseline_count);
    }
    if (!is_hard) {
        return sy_arena_format(arena,
                               "%llu of %llu judged sessions raised an alarm, more than chance explains: its "
                               "thresholds are soft, and only report",
                               (unsigned long long)question->raised_count, (unsigned long long)question->judged_count);
    }
    return "";
}

static const sy_selftest_effect *largest_of(const sy_gate_selftest *test)
{
    const sy_selftest_effect *largest = &test->effects[0];
    for (size_t i = 1; i < test->effect_count; i++) {
        largest = test->effects[i].ratio > largest->ratio ? &test->effects[i] : largest;
    }
    return largest;
}

/* Fills can_fail and reason from what was counted. */
static sy_status conclude(const sy_selftest_subject *s, const sy_judgement_question *question, bool is_hard,
                          sy_arena *arena, sy_gate_selftest *test, sy_error *err)
{
    const sy_selftest_effect *largest = largest_of(test);
    const char *reason = find_obstacle(s, question, is_hard, arena);
    if (reason != NULL && reason[0] == '\0' && 2 * largest->block_count < largest->trial_count) {
        reason = sy_arena_format(arena,
                                 "%.4g times as slow it fails in %.1f %% of %llu trials; it sees %.1f %% four times "
                                 "in five",
                                 largest->ratio, 100 * (double)largest->block_count / (double)largest->trial_count,
                                 (unsigned long long)largest->trial_count, 100 * test->visible_effect);
    }
    if (reason == NULL) {
        return no_memory(err);
    }
    test->reason = reason;
    test->can_fail = reason[0] == '\0';
    return SY_OK;
}

/* ---- the trials ---- */

static sy_status take_values(const sy_selftest_subject *s, const sy_metric_entry *entry, sy_arena *arena,
                             const double **ret_values, size_t *ret_count, sy_error *err)
{
    double *values = sy_arena_allocate(arena, s->session_count + 1, sizeof *values);
    size_t count = 0;
    if (values == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < s->session_count; i++) {
        double value = sy_metric_value(s->sessions[i], entry);
        if (isfinite(value) && value > 0) {
            values[count++] = value;
        }
    }
    *ret_values = values;
    *ret_count = count;
    return SY_OK;
}

/* What makes its thresholds soft, counted as a verdict does. */
static sy_status count_alarms(const sy_selftest_subject *s, const sy_metric_entry *entry, sy_arena *arena,
                              sy_judgement_question *question, sy_error *err)
{
    sy_key_course course;
    size_t count = 0;
    const sy_course_point *points = sy_key_course_points(s->key, 0, entry, arena, &count);
    sy_status status = points != NULL ? sy_key_course_find(question, points, count, &course, err) : no_memory(err);
    if (status == SY_OK) {
        question->judged_count = course.judged_count;
        question->raised_count = course.raised_count;
        question->raised_chance = fmax(course.chance, DBL_MIN);
    }
    return status;
}

static sy_status play(const sy_selftest_subject *s, const sy_judgement_question *question, sy_arena *arena,
                      sy_gate_selftest *test, sy_selftest_draw *draw, sy_selftest_course *course, sy_error *err)
{
    sy_selftest_trials trials = {.question = *question, .trial_count = s->trial_count, .seed = s->seed};
    bool is_hard = false;
    sy_selftest_effect *effects = sy_arena_allocate(arena, s->ratio_count + 1, sizeof *effects);
    if (effects == NULL) {
        return no_memory(err);
    }
    effects[0].ratio = 1;
    for (size_t i = 0; i < s->ratio_count; i++) {
        effects[i + 1].ratio = s->ratios[i];
    }
    test->effects = effects;
    test->effect_count = s->ratio_count + 1;
    sy_status status = sy_selftest_draw_plan(question->baseline_count, question->alpha, &trials.draw, err);
    if (status == SY_OK) {
        status = sy_selftest_play(&trials, effects, test->effect_count, &test->visible_effect, err);
    }
    if (status == SY_OK) {
        status = sy_selftest_follow(question, course, err);
    }
    if (status == SY_OK) {
        status = sy_selftest_is_hard(question, &is_hard, err);
    }
    *draw = trials.draw;
    return status == SY_OK ? conclude(s, question, is_hard, arena, test, err) : status;
}

static bool copy_metric(const sy_judged_metric *metric, sy_arena *arena, sy_judged_metric *to)
{
    *to = *metric;
    to->series = sy_arena_copy_text(arena, metric->series);
    to->case_name = sy_arena_copy_text(arena, metric->case_name);
    to->implementation = sy_arena_copy_text(arena, metric->implementation);
    to->unit = sy_arena_copy_text(arena, metric->unit);
    return to->series != NULL && to->case_name != NULL && to->implementation != NULL && to->unit != NULL;
}

sy_status sy_selftest_metric(const sy_selftest_subject *subject, const sy_metric_entry *entry, sy_arena *arena,
                             sy_gate_selftest *ret_test, sy_selftest_draw *ret_draw, sy_selftest_course *ret_course,
                             sy_error *err)
{
    sy_gate_selftest test = {.gate = subject->gate,
                             .key_digest = subject->key_digest,
                             .seed = subject->seed,
                             .delta = subject->rules->delta,
                             .visible_effect = NAN,
                             .reason = ""};
    sy_selftest_draw draw = {0, 0, false};
    sy_selftest_course course = {0, 0, 0};
    const double *values = NULL;
    size_t count = 0;
    sy_status status = copy_metric(&entry->metric, arena, &test.metric) ? SY_OK : no_memory(err);
    if (status == SY_OK) {
        status = take_values(subject, entry, arena, &values, &count, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_judgement_question question = sy_metric_question(subject->rules, entry, subject->primary_count, values, count);
    if ((status = count_alarms(subject, entry, arena, &question, err)) != SY_OK) {
        return status;
    }
    test.session_count = count;
    test.alpha = question.alpha;
    if (entry->not_judged) {
        test.reason = sy_arena_format(arena, "it is not judged: %s", entry->why);
    } else if (count < SY_SELFTEST_SESSIONS) {
        test.reason = sy_arena_format(arena, "%zu of %zu accepted sessions have a number of it, and a trial needs %d",
                                      count, subject->session_count, SY_SELFTEST_SESSIONS);
    } else {
        status = play(subject, &question, arena, &test, &draw, &course, err);
    }
    if (status == SY_OK && test.reason == NULL) {
        status = no_memory(err);
    }
    if (status == SY_OK) {
        *ret_test = test;
        *ret_draw = draw;
        *ret_course = course;
    }
    return status;
}
