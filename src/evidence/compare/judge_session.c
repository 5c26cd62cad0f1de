/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the metrics of a session, collects for each the values of all sessions, and asks sy_judge. */
#include "evidence/compare/judge_session.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/compare/key_course.h"

typedef struct judging {
    const sy_session_question *question;
    sy_arena *arena;
    sy_metric_list metrics;
    double *baseline; /* room for one metric */
    double *sessions;
    double *controls;
    int *sides; /* of the sessions: 1 worse, -1 better, 0 inside */
} judging;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to judge a session");
}

static bool is_value(double value)
{
    return isfinite(value) && value > 0;
}

static sy_judgement_metric kind_of(const sy_judged_metric *metric)
{
    return metric->statistic == SY_STATISTIC_MEMORY    ? SY_METRIC_MEMORY
           : metric->statistic == SY_STATISTIC_MAXIMUM ? SY_METRIC_MAXIMUM
                                                       : SY_METRIC_TIME;
}

/* ---- values ---- */

double sy_metric_value(const sy_session *session, const sy_metric_entry *entry)
{
    return sy_session_value(sy_session_figure_near(session, &entry->metric, entry->place), entry->metric.statistic);
}

/* A control arm says of memory what its largest process had, and nothing of sums over several. */
static double control_of(const sy_session *session, const sy_metric_entry *entry)
{
    if (entry->metric.statistic == SY_STATISTIC_MEMORY) {
        bool is_peak = strcmp(entry->metric.series, "peak") == 0 &&
                       strcmp(entry->metric.case_name, sy_memory_scope_word(SY_MEMORY_PROCESS)) == 0;
        return is_peak && session->control_peak_bytes > 0 ? session->control_peak_bytes : NAN;
    }
    return sy_session_value(sy_session_figure(session, &entry->metric, SY_SERIES_CONTROL), entry->metric.statistic);
}

/* What an accepted session has no usable number of is no part of this metric's baseline. */
static size_t take_baseline(judging *j, const sy_metric_entry *entry)
{
    const sy_session_question *q = j->question;
    size_t count = 0;
    for (size_t i = 0; i < q->baseline_count; i++) {
        double value = sy_metric_value(q->baseline[i], entry);
        if (is_value(value)) {
            j->baseline[count++] = value;
        }
    }
    return count;
}

/* ---- one metric ---- */

static double quantum_of(const sy_session_rules *rules, const sy_metric_entry *entry)
{
    bool is_paged = entry->scope == SY_MEMORY_PROCESS || entry->scope == SY_MEMORY_PROCESS_TREE ||
                    entry->scope == SY_MEMORY_UNIFIED;
    return entry->metric.statistic == SY_STATISTIC_MEMORY && is_paged ? rules->memory_quantum_bytes : 0;
}

sy_judgement_question sy_metric_question(const sy_session_rules *rules, const sy_metric_entry *entry,
                                         size_t primary_count, const double *baseline, size_t baseline_count)
{
    sy_judgement_question question = SY_JUDGEMENT_QUESTION_INIT;
    question.metric = kind_of(&entry->metric);
    question.higher_is_better = entry->metric.higher_is_better;
    question.primary = entry->primary && !rules->only_reports && baseline_count >= rules->hard_sessions;
    question.baseline = baseline;
    question.baseline_count = baseline_count;
    question.alpha = rules->alpha / (double)(primary_count > 0 ? primary_count : 1);
    question.delta = rules->delta;
    question.quantum = quantum_of(rules, entry);
    return question;
}

static sy_judgement_question ask(const judging *j, const sy_metric_entry *entry, size_t baseline_count)
{
    sy_judgement_question question = sy_metric_question(j->question->rules, entry, j->metrics.primary_count,
                                                        j->baseline, baseline_count);
    question.evidence = j->question->evidence;
    return question;
}

static sy_status follow(const judging *j, const sy_judgement_question *question, const sy_metric_entry *entry,
                        uint64_t before, sy_key_course *ret_course, sy_error *err)
{
    size_t count = 0;
    const sy_course_point *points = sy_key_course_points(j->question->key, before, entry, j->arena, &count);
    return points != NULL ? sy_key_course_find(question, points, count, ret_course, err) : no_memory(err);
}

/* How often the key alarmed before this alarm: what may make its thresholds soft. */
static sy_status take_alarms(const judging *j, const sy_metric_entry *entry, sy_judgement_question *question,
                             sy_error *err)
{
    sy_key_course course;
    if (j->question->key == NULL || !entry->primary) {
        return SY_OK;
    }
    sy_status status = follow(j, question, entry, j->question->sessions[0]->row->number, &course, err);
    if (status == SY_OK) {
        question->judged_count = course.judged_count;
        question->raised_count = course.raised_count;
        question->raised_chance = fmax(course.chance, DBL_MIN);
    }
    return status;
}

/* A level that climbs by little each time raises no alarm: what is inside is asked for it. */
static sy_status ask_drift(const judging *j, const sy_metric_entry *entry, const sy_judgement_question *question,
                           double value, sy_judgement *judgement, sy_error *err)
{
    sy_key_course course;
    const sy_session_question *q = j->question;
    bool asks = q->asks_drift && q->key != NULL && entry->primary && entry->metric.statistic == SY_STATISTIC_P50 &&
                judgement->word == SY_JUDGEMENT_PASS && judgement->reason == SY_JUDGEMENT_REASON_INSIDE;
    if (!asks) {
        return SY_OK;
    }
    sy_status status = follow(j, question, entry, q->sessions[q->judged]->row->number, &course, err);
    if (status == SY_OK && sy_key_course_drift(&course, entry->metric.higher_is_better, value) > SY_DRIFT_ALARM) {
        judgement->word = SY_JUDGEMENT_INVESTIGATE;
        judgement->reason = SY_JUDGEMENT_REASON_DRIFT;
    }
    return status;
}

/* On which side each session is by itself. */
static sy_status find_sides(judging *j, const sy_metric_entry *entry, const sy_judgement_question *question,
                            sy_error *err)
{
    for (size_t i = 0; i < j->question->session_count; i++) {
        sy_judgement_question alone = *question;
        sy_judgement judgement;
        double value = sy_metric_value(j->question->sessions[i], entry);
        alone.evidence = NULL;
        alone.sessions = &value;
        alone.session_count = 1;
        sy_status status = sy_judge(&alone, &judgement, err);
        if (status != SY_OK) {
            return status;
        }
        j->sides[i] = judgement.raised ? 1 : judgement.lowered ? -1 : 0;
    }
    return SY_OK;
}

/* The first session of the alarm that the judged one belongs to: one on its own side, or before it on any; else itself.
 */
static size_t first_of_alarm(const judging *j)
{
    size_t judged = j->question->judged;
    for (size_t i = 0; i < judged; i++) {
        if (j->sides[i] != 0 && (j->sides[judged] == 0 || j->sides[i] == j->sides[judged])) {
            return i;
        }
    }
    return judged;
}

/* The judged session and what belongs to its alarm, without sessions that have no such value: each is told in its own
 * verdict. Returns how many. */
static size_t take_sessions(judging *j, const sy_metric_entry *entry, size_t first)
{
    const sy_session_question *q = j->question;
    size_t last = j->sides[first] != 0 ? q->session_count : q->judged + 1;
    size_t count = 0;
    for (size_t i = first; i < last; i++) {
        double value = sy_metric_value(q->sessions[i], entry);
        if (i == q->judged || is_value(value)) {
            j->controls[count] = control_of(q->sessions[i], entry);
            j->sessions[count++] = value;
        }
    }
    return count;
}

/* The figures of a verdict that are the judged session's own; the rest is of all sessions of its alarm. */
static void take_own_figures(const judging *j, double value, const sy_metric_entry *entry, sy_judgement *judgement)
{
    judgement->value = value;
    judgement->raised = j->sides[j->question->judged] > 0;
    judgement->lowered = j->sides[j->question->judged] < 0;
    if (isfinite(judgement->median) && is_value(value)) {
        judgement->ratio = entry->metric.higher_is_better ? judgement->median / value : value / judgement->median;
    }
}

static sy_status judge_metric(judging *j, const sy_metric_entry *entry, sy_metric_verdict *ret_verdict, sy_error *err)
{
    const sy_session_question *q = j->question;
    const sy_session *judged = q->sessions[q->judged];
    const sy_figure_row *figure = sy_session_figure_near(judged, &entry->metric, entry->place);
    double value = sy_session_value(figure, entry->metric.statistic);
    size_t baseline_count = take_baseline(j, entry);
    sy_judgement_question question = ask(j, entry, baseline_count);
    sy_judgement judgement;

    sy_status status = find_sides(j, entry, &question, err);
    if (status == SY_OK) {
        status = take_alarms(j, entry, &question, err);
    }
    if (status != SY_OK) {
        return status;
    }
    question.session_count = take_sessions(j, entry, first_of_alarm(j));
    question.sessions = j->sessions;
    question.controls = j->controls;
    if ((status = sy_judge(&question, &judgement, err)) != SY_OK) {
        return status;
    }
    take_own_figures(j, value, entry, &judgement);
    if ((status = ask_drift(j, entry, &question, value, &judgement, err)) != SY_OK) {
        return status;
    }
    if (q->evidence == NULL && entry->not_judged) {
        judgement.word = SY_JUDGEMENT_NOT_JUDGED;
        judgement.reason = SY_JUDGEMENT_REASON_NO_VALUE;
    }
    *ret_verdict = (sy_metric_verdict){.metric = entry->metric,
                                       .primary = entry->primary,
                                       .sample_count = figure != NULL ? figure->usable_count : 0,
                                       .control = control_of(judged, entry),
                                       .judgement = judgement};
    ret_verdict->reason = entry->not_judged && q->evidence == NULL ? entry->why
                                                                   : sy_judgement_sentence(ret_verdict, j->arena);
    return ret_verdict->reason != NULL ? SY_OK : no_memory(err);
}

/* ---- all of them ---- */

/* The worst word; of metrics that share it the primary one's reason, then the first one's. */
static void take_worst(sy_session_answer *answer)
{
    const sy_metric_verdict *worst = NULL;
    for (size_t i = 0; i < answer->metric_count; i++) {
        const sy_metric_verdict *metric = &answer->metrics[i];
        bool is_worse = worst == NULL || metric->judgement.word > worst->judgement.word ||
                        (metric->judgement.word == worst->judgement.word && metric->primary && !worst->primary);
        worst = is_worse ? metric : worst;
    }
    if (worst != NULL) {
        answer->word = worst->judgement.word;
        answer->reason = worst->judgement.reason;
    }
}

static void take_raised(sy_session_answer *answer)
{
    for (size_t i = 0; i < answer->metric_count; i++) {
        const sy_metric_verdict *metric = &answer->metrics[i];
        bool counts = metric->primary || answer->primary_count == 0;
        answer->raised = answer->raised || (counts && (metric->judgement.raised || metric->judgement.lowered));
    }
}

/* Without a single metric there is nothing to be judged; what failed before blocks all the same. */
static void begin_answer(const sy_session_question *question, sy_session_answer *answer)
{
    bool blocks = question->evidence != NULL;
    answer->word = blocks ? SY_JUDGEMENT_BLOCK : SY_JUDGEMENT_NOT_JUDGED;
    answer->reason = blocks ? SY_JUDGEMENT_REASON_EVIDENCE : SY_JUDGEMENT_REASON_NO_VALUE;
}

static sy_status make_room(judging *j, sy_error *err)
{
    const sy_session_question *q = j->question;
    j->baseline = sy_arena_allocate(j->arena, q->baseline_count + 1, sizeof *j->baseline);
    j->sessions = sy_arena_allocate(j->arena, q->session_count, sizeof *j->sessions);
    j->controls = sy_arena_allocate(j->arena, q->session_count, sizeof *j->controls);
    j->sides = sy_arena_allocate(j->arena, q->session_count, sizeof *j->sides);
    bool has_room = j->baseline != NULL && j->sessions != NULL && j->controls != NULL && j->sides != NULL;
    return has_room ? SY_OK : no_memory(err);
}

sy_status sy_judge_session(const sy_session_question *question, sy_arena *arena, sy_session_answer *ret_answer,
                           sy_error *err)
{
    judging j = {.question = question, .arena = arena};
    sy_session_answer answer = {0};
    if (question->session_count < 1 || question->judged >= question->session_count) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "there is no session to judge");
    }
    sy_status status = make_room(&j, err);
    if (status == SY_OK) {
        status = sy_metric_list_make(question, arena, &j.metrics, err);
    }
    sy_metric_verdict *metrics = status == SY_OK ? sy_arena_allocate(arena, j.metrics.count + 1, sizeof *metrics)
                                                 : NULL;
    if (status == SY_OK && metrics == NULL) {
        status = no_memory(err);
    }
    begin_answer(question, &answer);
    for (size_t i = 0; status == SY_OK && i < j.metrics.count; i++) {
        status = judge_metric(&j, &j.metrics.entries[i], &metrics[i], err);
    }
    if (status != SY_OK) {
        return status;
    }
    answer.metrics = metrics;
    answer.metric_count = j.metrics.count;
    answer.primary_count = j.metrics.primary_count;
    answer.remarks = j.metrics.remarks;
    answer.remark_count = j.metrics.remark_count;
    take_worst(&answer);
    take_raised(&answer);
    *ret_answer = answer;
    return SY_OK;
}
