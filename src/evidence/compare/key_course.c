/* SPDX-License-Identifier: Apache-2.0 */
/* Follows one metric of a key through its sessions. */
#include "evidence/compare/key_course.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/run_life.h"

static bool is_value(double value)
{
    return isfinite(value) && value > 0;
}

/* ---- how likely so many alarms are ---- */

/* Of g sessions against one baseline of n, k exceed it: P(K >= k) is the product of (g - i) / (n + g - i), i < k. */
static void spread_group(const sy_course_group *group, double *chances, size_t count)
{
    double at_least = 1;
    double g = (double)group->judged_count, n = (double)group->baseline_count;
    for (size_t k = 0; k < count; k++) {
        double i = (double)k;
        double more = k < group->judged_count ? at_least * (g - i) / (n + g - i) : 0;
        chances[k] = at_least - more;
        at_least = more;
    }
}

double sy_course_chance(const sy_course_group *groups, size_t count, uint64_t raised)
{
    size_t room = (size_t)raised;
    double fewer = 0;
    double *sum = sy_allocate(room + 1, sizeof *sum);
    double *next = sy_allocate(room + 1, sizeof *next);
    double *group = sy_allocate(room + 1, sizeof *group);
    bool has_memory = sum != NULL && next != NULL && group != NULL;
    if (has_memory) {
        sum[0] = 1;
    }
    for (size_t i = 0; has_memory && i < count; i++) {
        spread_group(&groups[i], group, room);
        for (size_t k = 0; k < room; k++) {
            next[k] = 0;
            for (size_t of = 0; of <= k; of++) {
                next[k] += sum[k - of] * group[of];
            }
        }
        memcpy(sum, next, room * sizeof *sum);
    }
    for (size_t k = 0; has_memory && k < room; k++) {
        fewer += sum[k];
    }
    sy_free(sum);
    sy_free(next);
    sy_free(group);
    return has_memory ? fmin(1, fmax(0, 1 - fewer)) : NAN;
}

/* ---- the course ---- */

typedef struct following {
    const sy_judgement_question *question;
    double *baseline; /* in the metric's unit */
    size_t baseline_count;
    double worst; /* of the baseline, as a logarithm in which larger is worse */
    bool is_new;  /* the baseline has changed since the last group began */
    sy_course_group *groups;
    size_t group_count;
    sy_key_course course;
} following;

static double worse(const sy_judgement_question *question, double value)
{
    return question->higher_is_better ? -log(value) : log(value);
}

/* Of all alarms those beyond the whole baseline are counted: their chance is known whatever the noise is. */
static sy_status count_alarm(following *f, double value, sy_error *err)
{
    sy_judgement_question one = *f->question;
    sy_judgement judgement = {.raised = false};
    sy_status status = SY_OK;
    if (f->is_new || f->group_count == 0) {
        f->groups[f->group_count++] = (sy_course_group){f->baseline_count, 0};
        f->is_new = false;
    }
    f->groups[f->group_count - 1].judged_count++;
    f->course.judged_count++;
    f->course.expected += 1 / ((double)f->baseline_count + 1);
    if (worse(f->question, value) > f->worst) {
        one.evidence = NULL;
        one.baseline = f->baseline;
        one.baseline_count = f->baseline_count;
        one.sessions = &value;
        one.session_count = 1;
        one.controls = NULL;
        status = sy_judge(&one, &judgement, err);
        f->course.raised_count += status == SY_OK && judgement.raised;
    }
    return status;
}

static void learn(following *f, const sy_course_point *point)
{
    double value = worse(f->question, point->value);
    if (f->course.drift.count >= SY_BASELINE_SESSIONS) {
        f->course.drift.sum = sy_drift_look(&f->course.drift, value);
    }
    sy_drift_learn(&f->course.drift, value);
    if (point->closes) {
        f->course.drift.sum = 0;
    }
}

static void join(following *f, double value)
{
    double logarithm = worse(f->question, value);
    f->worst = f->baseline_count == 0 ? logarithm : fmax(f->worst, logarithm);
    f->baseline[f->baseline_count++] = value;
    f->is_new = true;
}

static sy_status follow(following *f, const sy_course_point *points, size_t count, sy_error *err)
{
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        left_out += points[i].judged && is_value(points[i].value);
    }
    left_out = left_out > SY_COURSE_JUDGED_MAX ? left_out - SY_COURSE_JUDGED_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        const sy_course_point *point = &points[i];
        bool has_value = is_value(point->value);
        bool counts = point->judged && has_value;
        bool is_old = counts && left_out > 0;
        left_out -= is_old;
        if (counts && !is_old && f->baseline_count >= SY_BASELINE_SESSIONS) {
            sy_status status = count_alarm(f, point->value, err);
            if (status != SY_OK) {
                return status;
            }
        }
        if (point->begins) {
            f->baseline_count = 0;
            f->course.drift = (sy_drift)SY_DRIFT_INIT;
        }
        if (point->final && has_value) {
            learn(f, point);
        }
        if (point->accepted && has_value) {
            join(f, point->value);
        }
    }
    return SY_OK;
}

sy_status sy_key_course_find(const sy_judgement_question *question, const sy_course_point *points, size_t count,
                             sy_key_course *ret_course, sy_error *err)
{
    following f = {.question = question};
    f.baseline = sy_allocate(count + 1, sizeof *f.baseline);
    f.groups = sy_allocate(SY_COURSE_JUDGED_MAX + 1, sizeof *f.groups);
    sy_status status = f.baseline != NULL && f.groups != NULL
                           ? follow(&f, points, count, err)
                           : sy_fail(err, SY_NO_MEMORY, "no memory for the course of a key");
    if (status == SY_OK) {
        f.course.chance = sy_course_chance(f.groups, f.group_count, f.course.raised_count);
        if (isnan(f.course.chance)) {
            status = sy_fail(err, SY_NO_MEMORY, "no memory for the course of a key");
        }
    }
    sy_free(f.baseline);
    sy_free(f.groups);
    if (status == SY_OK) {
        *ret_course = f.course;
    }
    return status;
}

double sy_key_course_drift(const sy_key_course *course, bool higher_is_better, double value)
{
    if (course->drift.count < SY_BASELINE_SESSIONS || !is_value(value)) {
        return 0;
    }
    return sy_drift_look(&course->drift, higher_is_better ? -log(value) : log(value));
}

/* ---- sessions as points ---- */

static bool was_confirmed(const sy_run_row *row)
{
    return row->verdict_reason == SY_JUDGEMENT_REASON_CONFIRMED || row->verdict_reason == SY_JUDGEMENT_REASON_IMPROVED;
}

/* A pass joins, a refuted alarm and its confirms included; an improvement does once it is accepted. */
static bool is_final(const sy_run_row *row)
{
    bool passed = row->judged && row->verdict == SY_JUDGEMENT_PASS && !was_confirmed(row);
    return row->status == SY_RUN_OK && (row->accepted || passed);
}

static bool was_alarm(const sy_run_row *row)
{
    return sy_run_life_was_judged(row) && row->verdict_reason != SY_JUDGEMENT_REASON_INSIDE;
}

const sy_course_point *sy_key_course_points(const sy_session_set *set, uint64_t before, const sy_metric_entry *entry,
                                            sy_arena *arena, size_t *ret_count)
{
    sy_course_point *points = sy_arena_allocate(arena, set->count + 1, sizeof *points);
    const sy_session **members = sy_arena_allocate(arena, set->count + 1, sizeof *members);
    sy_baseline baseline = {0};
    size_t count = 0;
    if (points == NULL || members == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < set->count; i++) {
        const sy_session *session = &set->sessions[i];
        const sy_run_row *row = session->row;
        if (before != 0 && row->number >= before) {
            break;
        }
        size_t doubled = baseline.doubled_count;
        sy_baseline_add(&baseline, members, session);
        bool joins = row->accepted && (row->begins_baseline || baseline.doubled_count == doubled);
        points[count++] = (sy_course_point){.value = sy_metric_value(session, entry),
                                            .begins = row->begins_baseline,
                                            .accepted = joins,
                                            .judged = sy_run_life_was_judged(row) && !was_confirmed(row),
                                            .final = is_final(row) && (joins || !row->accepted),
                                            .closes = was_alarm(row)};
    }
    *ret_count = count;
    return points;
}
