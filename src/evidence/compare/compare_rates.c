/* SPDX-License-Identifier: Apache-2.0 */
/* How often a key's sessions raise alarms beside what is promised, and how often an unchanged one would block. */
#include <math.h>

#include "evidence/compare/compare_inside.h"
#include "ledger/run_life.h"
#include "stats/proportion.h"

#define INTERVAL_LEVEL 0.95
#define SECONDS_A_DAY 86400.0
#define DAYS_A_YEAR 365.25

static bool is_drafted(const sy_comparing *c, const sy_session *session, bool *ret_raised)
{
    for (size_t i = 0; i < c->draft_count; i++) {
        const sy_run_verdict *verdict = &c->drafts[i].verdict;
        bool counts = verdict->reason != SY_JUDGEMENT_REASON_EVIDENCE &&
                      verdict->reason != SY_JUDGEMENT_REASON_NO_VALUE &&
                      verdict->reason != SY_JUDGEMENT_REASON_FEW_SESSIONS;
        if (c->drafts[i].session == session && counts) {
            *ret_raised = c->drafts[i].answer.raised;
            return true;
        }
    }
    return false;
}

uint64_t sy_compare_judged_before(const sy_session_set *set, uint64_t before, uint64_t *ret_raised)
{
    uint64_t judged = 0;
    *ret_raised = 0;
    for (size_t i = 0; i < set->count; i++) {
        const sy_run_row *row = set->sessions[i].row;
        if ((before == 0 || row->number < before) && sy_run_life_was_judged(row)) {
            judged++;
            *ret_raised += row->raised;
        }
    }
    return judged;
}

static double sessions_a_year(const sy_session_set *set)
{
    const sy_run_row *first = NULL;
    const sy_run_row *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const sy_run_row *row = set->sessions[i].row;
        if (row->status == SY_RUN_OK) {
            first = first == NULL ? row : first;
            last = row;
            count++;
        }
    }
    double days = count >= 2 ? (double)(last->began_utc_s - first->began_utc_s) / SECONDS_A_DAY : 0;
    return days >= 1 ? (double)(count - 1) / days * DAYS_A_YEAR : NAN;
}

/* The chance that an unchanged session and its confirms block: that all m of them exceed all n accepted ones, for each
 * primary metric; never more than alpha of the key. Without a baseline, and where nothing may block, it is 0. */
static double block_chance(const sy_comparing *c, const sy_run_verdict *verdict)
{
    double chance = 0;
    for (size_t i = 0; i < verdict->metric_count; i++) {
        const sy_metric_verdict *metric = &verdict->metrics[i];
        size_t n = metric->judgement.baseline_count;
        size_t m = metric->judgement.sessions_needed;
        if (metric->primary && metric->judgement.hard && m > 0) {
            chance += n <= SY_LADDER_SESSIONS ? sy_ladder_chance(n, m) : metric->judgement.alpha;
        }
    }
    return c->rules.only_reports ? 0 : fmin(chance, verdict->alpha);
}

void sy_compare_count_alarms(sy_comparing *c)
{
    sy_compared *to = c->to;
    size_t n = to->verdict.baseline_count;
    uint64_t judged = 0, raised = 0;
    for (size_t i = 0; i < c->own.count; i++) {
        const sy_session *session = &c->own.sessions[i];
        bool raised_now = false;
        if (sy_run_life_was_judged(session->row)) {
            judged++;
            raised += session->row->raised;
        } else if (is_drafted(c, session, &raised_now)) {
            judged++;
            raised += raised_now;
        }
    }
    to->judged_count = judged;
    to->raised_count = raised;
    to->alarm_promised = n >= SY_BASELINE_SESSIONS ? 1 / ((double)n + 1) : NAN;
    to->alarm_observed = to->alarm_observed_low = to->alarm_observed_high = NAN;
    if (judged > 0) {
        to->alarm_observed = (double)raised / (double)judged;
        sy_proportion_interval(judged, raised, INTERVAL_LEVEL, &to->alarm_observed_low, &to->alarm_observed_high);
    }
    to->sessions_a_year = sessions_a_year(&c->own);
    to->false_blocks_a_year = n >= SY_BASELINE_SESSIONS ? to->sessions_a_year * block_chance(c, &to->verdict) : NAN;
}
