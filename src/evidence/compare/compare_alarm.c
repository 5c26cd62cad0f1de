/* SPDX-License-Identifier: Apache-2.0 */
/* An alarm and its confirms: a session that comes behind an open alarm of its key is one of its confirms, whoever asked
 * for it; sessions in between, which nobody has judged, are so as well. What was recorded stays as it was. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "evidence/compare/compare_inside.h"
#include "evidence/open_alarm.h"

enum { LOOKED_AT = 20 /* judged sessions, the newest, in which an open alarm is looked for */ };

/* The sessions of an alarm, and the baseline that it is held against: that of its first verdict, for as long as it is
 * open. */
typedef struct alarm {
    const sy_session **sessions;
    size_t count;
    size_t recorded_count; /* of them, those of the verdict that was read */
    const sy_session *const *baseline;
    size_t baseline_count;
} alarm;

/* ---- what was recorded ---- */

/* The newest alarm of the run that answers another question, and that nothing has settled: neither does this. */
static uint64_t other_alarm(const sy_comparing *c, const sy_run *run)
{
    const sy_run_verdict here = {.mode = c->mode, .baseline_key = c->baseline_key};
    size_t open = sy_open_alarm(run, &here);
    return open > 0 ? run->verdict_numbers[open - 1] : 0;
}

static bool is_of_this_question(const sy_comparing *c, const sy_run_verdict *verdict)
{
    if (!c->options->revision_comparison) {
        return verdict->mode == SY_COMPARISON_SAME_KEY;
    }
    return verdict->mode != SY_COMPARISON_SAME_KEY &&
           (c->options->against == NULL || strcmp(verdict->baseline_key, c->baseline_key) == 0);
}

/* The index behind the last verdict on this question; 0 = there is none. */
static size_t last_verdict(const sy_comparing *c, const sy_run *run)
{
    for (size_t i = run->verdict_count; i > 0; i--) {
        if (is_of_this_question(c, &run->verdicts[i - 1])) {
            return i;
        }
    }
    return 0;
}

static bool names_run(const char *const *runs, size_t count, const char *run)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(runs[i], run) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_same_baseline(const sy_comparing *c, const sy_run_verdict *verdict)
{
    bool same = verdict->baseline_count == c->baseline_count;
    for (size_t i = 0; same && i < c->baseline_count; i++) {
        same = strcmp(verdict->baseline[i], c->baseline[i]->row->id) == 0;
    }
    return same;
}

/* Whether the baseline has begun anew since: what was said before is not of it. */
static bool began_anew(const sy_comparing *c, const sy_run_verdict *verdict)
{
    return !c->options->revision_comparison && c->begins != NULL &&
           !names_run(verdict->baseline, verdict->baseline_count, c->begins->row->id);
}

/* Another alpha or effect is asked for by way of trial: only a dry run judges anew what is recorded. */
static bool asks_anew(const sy_comparing *c)
{
    return c->options->dry_run && !(isnan(c->options->alpha) && isnan(c->options->delta));
}

/* Whether the recorded verdict still is the answer. */
static bool stands(const sy_comparing *c, const sy_run_verdict *verdict)
{
    if (asks_anew(c)) {
        return false;
    }
    if (c->run->row.accepted || verdict->reason == SY_JUDGEMENT_REASON_EVIDENCE) {
        return true;
    }
    if (verdict->reason == SY_JUDGEMENT_REASON_FEW_SESSIONS) {
        return is_same_baseline(c, verdict);
    }
    return !began_anew(c, verdict);
}

/* ---- the open alarm ---- */

/* Sessions by their ids; one that is not here any more is left out. */
static const sy_session **sessions_of(sy_comparing *c, const char *const *runs, size_t count, size_t room,
                                      size_t *ret_count)
{
    const sy_session **sessions = sy_arena_allocate(c->arena, count + room + 1, sizeof *sessions);
    *ret_count = 0;
    for (size_t i = 0; sessions != NULL && i < count; i++) {
        const sy_session *session = sy_session_find(&c->own, runs[i]);
        for (size_t k = 0; session == NULL && k < c->other_count; k++) {
            session = sy_session_find(&c->others[k], runs[i]);
        }
        if (session != NULL) {
            sessions[(*ret_count)++] = session;
        }
    }
    return sessions;
}

static bool is_open(const sy_run_verdict *verdict)
{
    return verdict->word == SY_JUDGEMENT_INVESTIGATE && verdict->reason == SY_JUDGEMENT_REASON_UNCONFIRMED;
}

/* Takes the alarm of that run's verdict, if it is open and of the baseline that holds. */
static sy_status take_alarm(sy_comparing *c, const char *id, alarm *ret_alarm, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(c->ledger, id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    size_t last = last_verdict(c, run);
    const sy_run_verdict *verdict = last > 0 ? &run->verdicts[last - 1] : NULL;
    if (verdict != NULL && is_open(verdict) && !began_anew(c, verdict)) {
        size_t count = 0;
        ret_alarm->sessions = sessions_of(c, verdict->sessions, verdict->session_count, c->own.count, &count);
        ret_alarm->count = ret_alarm->recorded_count = count;
        const sy_session **baseline = sessions_of(c, verdict->baseline, verdict->baseline_count, 0, &count);
        ret_alarm->baseline = baseline;
        ret_alarm->baseline_count = count;
        bool has_memory = ret_alarm->sessions != NULL && baseline != NULL;
        status = has_memory ? SY_OK : sy_compare_no_memory(err);
    }
    sy_run_destroy(run);
    return status;
}

static sy_status find_alarm(sy_comparing *c, alarm *ret_alarm, sy_error *err)
{
    size_t looked = 0;
    sy_status status = SY_OK;
    for (size_t i = c->own.count; status == SY_OK && i > 0 && ret_alarm->count == 0 && looked < LOOKED_AT; i--) {
        const sy_run_row *row = c->own.sessions[i - 1].row;
        if (row->number < c->run->row.number && row->judged) {
            looked++;
            status = take_alarm(c, row->id, ret_alarm, err);
        }
    }
    return status;
}

/* ---- judging ---- */

/* A void arm is no series of the run, and what its process had says nothing. */
static bool has_control(const sy_session *session)
{
    for (size_t i = 0; i < session->figure_count; i++) {
        if (!session->figures[i].is_memory && session->figures[i].role == SY_SERIES_CONTROL) {
            return true;
        }
    }
    return false;
}

/* What the control arm's largest process had stands in its command. */
static sy_status read_control_peak(const sy_comparing *c, sy_session *session, sy_error *err)
{
    sy_run *run = NULL;
    if (!has_control(session)) {
        return SY_OK;
    }
    sy_status status = sy_ledger_run(c->ledger, session->row->id, &run, err);
    for (size_t i = 0; status == SY_OK && i < run->command_count; i++) {
        if (strcmp(run->commands[i].phase, "control") == 0 && run->commands[i].exit_code == 0) {
            session->control_peak_bytes = (double)run->commands[i].peak_memory_bytes;
        }
    }
    sy_run_destroy(run);
    return status;
}

static sy_status read_control_peaks(const sy_comparing *c, const alarm *a, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < a->count; i++) {
        size_t place = (size_t)(a->sessions[i] - c->own.sessions);
        status = read_control_peak(c, &c->own.sessions[place], err);
    }
    return status;
}

static sy_status judge_one(const sy_comparing *c, const alarm *a, size_t which, const char *evidence,
                           sy_session_answer *ret_answer, sy_error *err)
{
    sy_session_question question = {.baseline = a->baseline,
                                    .baseline_count = a->baseline_count,
                                    .sessions = a->sessions,
                                    .session_count = a->count,
                                    .judged = which,
                                    .evidence = evidence[0] != '\0' ? evidence : NULL,
                                    .rules = &c->rules,
                                    .key = &c->own,
                                    .asks_drift = c->mode == SY_COMPARISON_SAME_KEY};
    return sy_judge_session(&question, c->arena, ret_answer, err);
}

/* Of a session of the alarm that is judged again: only another verdict is written. */
static sy_status keep_changed(sy_comparing *c, sy_compare_draft *draft, bool *ret_keep, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(c->ledger, draft->session->row->id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    size_t last = last_verdict(c, run);
    const sy_run_verdict *before = last > 0 ? &run->verdicts[last - 1] : NULL;
    *ret_keep = before == NULL || before->word != draft->answer.word || before->reason != draft->answer.reason;
    draft->replaces = run->verdict_count > 0 ? run->verdict_numbers[run->verdict_count - 1] : 0;
    draft->leaves_open = other_alarm(c, run);
    sy_run_destroy(run);
    return SY_OK;
}

/* A verdict on each session of the alarm; the last one's draft is always made. */
static sy_status draft_alarm(sy_comparing *c, const alarm *a, sy_error *err)
{
    sy_status status = read_control_peaks(c, a, err);
    size_t room = c->draft_count + a->count;
    sy_compare_draft *drafts = sy_arena_allocate(c->arena, room, sizeof *drafts);
    if (status == SY_OK && drafts == NULL) {
        status = sy_compare_no_memory(err);
    }
    if (status != SY_OK) {
        return status;
    }
    if (c->draft_count > 0) {
        assert(drafts != NULL && c->drafts != NULL);
        memcpy(drafts, c->drafts, c->draft_count * sizeof *drafts);
    }
    c->drafts = drafts;
    for (size_t i = 0; status == SY_OK && i < a->count; i++) {
        sy_compare_draft draft = {.session = a->sessions[i],
                                  .sessions = a->sessions,
                                  .session_count = a->count,
                                  .baseline = a->baseline,
                                  .baseline_count = a->baseline_count};
        bool keep = false;
        status = judge_one(c, a, i, draft.session == c->judged ? c->evidence : "", &draft.answer, err);
        if (status == SY_OK) {
            status = keep_changed(c, &draft, &keep, err);
        }
        if (status == SY_OK && (keep || draft.session == c->judged)) {
            drafts[c->draft_count++] = draft;
        }
    }
    return status;
}

/* Whether the alarm is over once its last session is one of it. */
static sy_status is_closed(const sy_comparing *c, const alarm *a, bool *ret_closed, sy_error *err)
{
    sy_session_answer answer;
    sy_status status = read_control_peaks(c, a, err);
    if (status == SY_OK) {
        status = judge_one(c, a, 0, "", &answer, err);
    }
    if (status == SY_OK) {
        *ret_closed = !(answer.word == SY_JUDGEMENT_INVESTIGATE && answer.reason == SY_JUDGEMENT_REASON_UNCONFIRMED);
    }
    return status;
}

static bool shares_lease(const alarm *a, const sy_session *session)
{
    for (size_t i = 0; i < a->count; i++) {
        if (sy_session_shares_lease(a->sessions[i], session)) {
            return true;
        }
    }
    return false;
}

/* Sessions between the alarm and the judged one belong to it as long as it is open. */
static sy_status take_those_between(sy_comparing *c, alarm *a, bool *ret_closed, sy_error *err)
{
    uint64_t last = a->sessions[a->count - 1]->row->number;
    sy_status status = SY_OK;
    *ret_closed = false;
    for (size_t i = 0; status == SY_OK && !*ret_closed && i < c->own.count; i++) {
        const sy_session *session = &c->own.sessions[i];
        bool is_between = session->row->number > last && session->row->number < c->run->row.number;
        if (is_between && sy_compare_row_counts(session->row) && !shares_lease(a, session)) {
            a->sessions[a->count++] = session;
            status = is_closed(c, a, ret_closed, err);
        }
    }
    return status;
}

/* The judged session takes the place of one that had its lease: they count as one. */
static void add_judged(sy_comparing *c, alarm *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const sy_session *session = a->sessions[i];
        if (!sy_session_shares_lease(session, c->judged)) {
            a->sessions[count++] = session;
            continue;
        }
        sy_compare_add(c, &c->remarks,
                       sy_arena_format(c->arena, "it ran under the same lease as %s: both count as one session",
                                       session->row->id));
    }
    a->sessions[count++] = c->judged;
    a->count = count;
}

static sy_status judge_alone(sy_comparing *c, sy_error *err)
{
    const sy_session **sessions = sy_arena_allocate(c->arena, 1, sizeof *sessions);
    if (sessions == NULL) {
        return sy_compare_no_memory(err);
    }
    sessions[0] = c->judged;
    alarm own = {.sessions = sessions, .count = 1, .baseline = c->baseline, .baseline_count = c->baseline_count};
    return draft_alarm(c, &own, err);
}

sy_status sy_compare_judge(sy_comparing *c, sy_error *err)
{
    size_t last = last_verdict(c, c->run);
    alarm open = {0};
    bool closed = false;
    if (last > 0 && stands(c, &c->run->verdicts[last - 1])) {
        c->to->verdict = c->run->verdicts[last - 1];
        c->to->verdict_number = c->run->verdict_numbers[last - 1];
        c->to->already_recorded = c->is_recorded = true;
        return SY_OK;
    }
    /* What fails before any figure confirms nothing. */
    sy_status status = c->evidence[0] == '\0' ? find_alarm(c, &open, err) : SY_OK;
    if (status == SY_OK && open.count > 0) {
        status = take_those_between(c, &open, &closed, err);
    }
    if (status == SY_OK && open.count > 0 && closed) {
        status = draft_alarm(c, &open, err);
        open.count = 0;
    }
    if (status == SY_OK && open.count > 0) {
        add_judged(c, &open);
        c->baseline = open.baseline;
        c->baseline_count = open.baseline_count;
        return draft_alarm(c, &open, err);
    }
    return status == SY_OK ? judge_alone(c, err) : status;
}
