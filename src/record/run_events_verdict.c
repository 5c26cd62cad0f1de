/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of what is said of a run's figures afterwards: verdicts, whole with every judgement, and changes of a
 * history. */
#include <inttypes.h>
#include <stddef.h>

#include "base/error.h"
#include "record/event_members.h"
#include "record/run_events.h"

#define AT(type, member) .offset = offsetof(type, member)
#define LIST_AT(type, member, count) .offset = offsetof(type, member), .count_offset = offsetof(type, count)
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const sy_member metric_members[] = {
    {.name = "series", .kind = SY_MEMBER_NAME, .required = true, AT(sy_judged_metric, series)},
    {.name = "case", .kind = SY_MEMBER_TEXT, AT(sy_judged_metric, case_name)},
    {.name = "implementation", .kind = SY_MEMBER_TEXT, AT(sy_judged_metric, implementation)},
    {.name = "statistic", .kind = SY_MEMBER_WORD, .words = &sy_statistic_words, AT(sy_judged_metric, statistic)},
    {.name = "unit", .kind = SY_MEMBER_NAME, AT(sy_judged_metric, unit)},
    {.name = "higher_is_better", .kind = SY_MEMBER_BOOL, AT(sy_judged_metric, higher_is_better)},
};
const sy_member_table sy_judged_metric_table = {metric_members, COUNT_OF(metric_members), sizeof(sy_judged_metric)};

/* ---- verdicts ---- */

static const sy_member judgement_members[] = {
    {.name = "word", .kind = SY_MEMBER_WORD, .words = &sy_judgement_words, AT(sy_judgement, word)},
    {.name = "reason", .kind = SY_MEMBER_WORD, .words = &sy_judgement_reason_words, AT(sy_judgement, reason)},
    {.name = "raised", .kind = SY_MEMBER_BOOL, AT(sy_judgement, raised)},
    {.name = "lowered", .kind = SY_MEMBER_BOOL, AT(sy_judgement, lowered)},
    {.name = "baseline_count", .kind = SY_MEMBER_COUNT, AT(sy_judgement, baseline_count)},
    {.name = "session_count", .kind = SY_MEMBER_COUNT, AT(sy_judgement, session_count)},
    {.name = "sessions_needed", .kind = SY_MEMBER_COUNT, AT(sy_judgement, sessions_needed)},
    {.name = "confirms_to_come", .kind = SY_MEMBER_COUNT, AT(sy_judgement, confirms_to_come)},
    {.name = "sessions_to_baseline", .kind = SY_MEMBER_COUNT, AT(sy_judgement, sessions_to_baseline)},
    {.name = "control_missing", .kind = SY_MEMBER_BOOL, AT(sy_judgement, control_missing)},
    {.name = "hard", .kind = SY_MEMBER_BOOL, AT(sy_judgement, hard)},
    {.name = "alpha", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, alpha)},
    {.name = "p", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, p)},
    {.name = "p_achievable", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, p_achievable)},
    {.name = "delta", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, delta)},
    {.name = "threshold", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, threshold)},
    {.name = "prediction", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, prediction)},
    {.name = "median", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, median)},
    {.name = "value", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, value)},
    {.name = "ratio", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, ratio)},
    {.name = "effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, effect)},
    {.name = "effect_low", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, effect_low)},
    {.name = "effect_high", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, effect_high)},
    {.name = "effect_level", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, effect_level)},
    {.name = "control_effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, control_effect)},
    {.name = "visible_effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_judgement, visible_effect)},
};
static const sy_member_table judgement_table = {judgement_members, COUNT_OF(judgement_members), sizeof(sy_judgement)};

static const sy_member metric_verdict_members[] = {
    {.name = "metric",
     .kind = SY_MEMBER_OBJECT,
     .required = true,
     .table = &sy_judged_metric_table,
     AT(sy_metric_verdict, metric)},
    {.name = "primary", .kind = SY_MEMBER_BOOL, AT(sy_metric_verdict, primary)},
    {.name = "sample_count", .kind = SY_MEMBER_U64, AT(sy_metric_verdict, sample_count)},
    {.name = "control", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_metric_verdict, control)},
    {.name = "judgement",
     .kind = SY_MEMBER_OBJECT,
     .required = true,
     .table = &judgement_table,
     AT(sy_metric_verdict, judgement)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_metric_verdict, reason)},
};
static const sy_member_table metric_verdict_table = {metric_verdict_members, COUNT_OF(metric_verdict_members),
                                                     sizeof(sy_metric_verdict)};

static const sy_member verdict_members[] = {
    {.name = "rule", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_verdict, rule)},
    {.name = "mode", .kind = SY_MEMBER_WORD, .words = &sy_comparison_mode_words, AT(sy_run_verdict, mode)},
    {.name = "word", .kind = SY_MEMBER_WORD, .words = &sy_judgement_words, AT(sy_run_verdict, word)},
    {.name = "reason", .kind = SY_MEMBER_WORD, .words = &sy_judgement_reason_words, AT(sy_run_verdict, reason)},
    {.name = "evidence", .kind = SY_MEMBER_TEXT, AT(sy_run_verdict, evidence)},
    {.name = "key_digest", .kind = SY_MEMBER_DIGEST, AT(sy_run_verdict, key_digest)},
    {.name = "baseline_key", .kind = SY_MEMBER_DIGEST, AT(sy_run_verdict, baseline_key)},
    {.name = "baseline_revision", .kind = SY_MEMBER_NAME, AT(sy_run_verdict, baseline_revision)},
    {.name = "baseline", .kind = SY_MEMBER_RUNS, LIST_AT(sy_run_verdict, baseline, baseline_count)},
    {.name = "sessions", .kind = SY_MEMBER_RUNS, .required = true, LIST_AT(sy_run_verdict, sessions, session_count)},
    {.name = "metrics",
     .kind = SY_MEMBER_OBJECTS,
     .table = &metric_verdict_table,
     LIST_AT(sy_run_verdict, metrics, metric_count)},
    {.name = "alpha", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_verdict, alpha)},
    {.name = "raised", .kind = SY_MEMBER_BOOL, AT(sy_run_verdict, raised)},
    {.name = "judged_count", .kind = SY_MEMBER_U64, AT(sy_run_verdict, judged_count)},
    {.name = "raised_count", .kind = SY_MEMBER_U64, AT(sy_run_verdict, raised_count)},
    {.name = "replaces", .kind = SY_MEMBER_U64, AT(sy_run_verdict, replaces)},
    {.name = "leaves_open", .kind = SY_MEMBER_U64, AT(sy_run_verdict, leaves_open)},
    {.name = "reasons", .kind = SY_MEMBER_TEXTS, LIST_AT(sy_run_verdict, reasons, reason_count)},
    {.name = "recalibrate", .kind = SY_MEMBER_TEXT, AT(sy_run_verdict, recalibrate)},
    {.name = "recalibrate_run", .kind = SY_MEMBER_RUN, AT(sy_run_verdict, recalibrate_run)},
};
const sy_member_table sy_run_verdict_table = {verdict_members, COUNT_OF(verdict_members), sizeof(sy_run_verdict)};

/* An alarm rate above one is none. */
static bool counts_more_alarms_than_sessions(const sy_run_verdict *verdict)
{
    return verdict->raised_count > verdict->judged_count;
}

sy_status sy_run_verdict_write(const sy_run_verdict *verdict, sy_text *body, sy_error *err)
{
    if (counts_more_alarms_than_sessions(verdict)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "raised_count: %" PRIu64 " of %" PRIu64 " sessions",
                       verdict->raised_count, verdict->judged_count);
    }
    return sy_members_write(&sy_run_verdict_table, verdict, body, err);
}

sy_status sy_run_verdict_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                              sy_run_verdict *ret_verdict, sy_error *err)
{
    sy_run_verdict verdict;
    sy_status status = sy_members_read(&sy_run_verdict_table, json, body, arena, &verdict, err);
    if (status == SY_OK && counts_more_alarms_than_sessions(&verdict)) {
        status = sy_json_fail(json, sy_json_member(body, "raised_count"), err,
                              "%" PRIu64 " of %" PRIu64 " sessions raised an alarm", verdict.raised_count,
                              verdict.judged_count);
    }
    if (status == SY_OK) {
        *ret_verdict = verdict;
    }
    return status;
}

/* ---- changes ---- */

static const sy_member change_members[] = {
    {.name = "state", .kind = SY_MEMBER_WORD, .words = &sy_change_state_words, AT(sy_run_change, state)},
    {.name = "line", .kind = SY_MEMBER_DIGEST, .required = true, AT(sy_run_change, line)},
    {.name = "key_digest", .kind = SY_MEMBER_DIGEST, AT(sy_run_change, key_digest)},
    {.name = "metric",
     .kind = SY_MEMBER_OBJECT,
     .required = true,
     .table = &sy_judged_metric_table,
     AT(sy_run_change, metric)},
    {.name = "before", .kind = SY_MEMBER_RUN, .required = true, AT(sy_run_change, before)},
    {.name = "revision", .kind = SY_MEMBER_NAME, AT(sy_run_change, revision)},
    {.name = "revision_before", .kind = SY_MEMBER_NAME, AT(sy_run_change, revision_before)},
    {.name = "effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, effect)},
    {.name = "effect_low", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, effect_low)},
    {.name = "effect_high", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, effect_high)},
    {.name = "effect_level", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, effect_level)},
    {.name = "statistic", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, statistic)},
    {.name = "critical", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, critical)},
    {.name = "alpha", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, alpha)},
    {.name = "min_effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_run_change, min_effect)},
    {.name = "worse", .kind = SY_MEMBER_BOOL, AT(sy_run_change, worse)},
    {.name = "point_count", .kind = SY_MEMBER_U64, AT(sy_run_change, point_count)},
    {.name = "points_after", .kind = SY_MEMBER_U64, AT(sy_run_change, points_after)},
    {.name = "refers", .kind = SY_MEMBER_U64, AT(sy_run_change, refers)},
    {.name = "moved_from", .kind = SY_MEMBER_U64, AT(sy_run_change, moved_from)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_run_change, reason)},
};
const sy_member_table sy_run_change_table = {change_members, COUNT_OF(change_members), sizeof(sy_run_change)};

/* Only a change that is reported can stand alone; every other state is one of a change that was. */
static const char *wrong_reference(const sy_run_change *change)
{
    if (change->state != SY_CHANGE_REPORTED && change->refers == 0) {
        return "is missing: a change is reported before it is anything else";
    }
    return change->state == SY_CHANGE_REPORTED && change->refers != 0 ? "a change that is reported refers to no other"
                                                                      : NULL;
}

sy_status sy_run_change_write(const sy_run_change *change, sy_text *body, sy_error *err)
{
    const char *wrong = wrong_reference(change);
    return wrong != NULL ? sy_fail(err, SY_INVALID_ARGUMENT, "refers: %s", wrong)
                         : sy_members_write(&sy_run_change_table, change, body, err);
}

sy_status sy_run_change_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_change *ret_change,
                             sy_error *err)
{
    sy_run_change change;
    sy_status status = sy_members_read(&sy_run_change_table, json, body, arena, &change, err);
    if (status == SY_OK && wrong_reference(&change) != NULL) {
        status = sy_json_fail(json, body, err, "refers: %s", wrong_reference(&change));
    }
    if (status == SY_OK) {
        *ret_change = change;
    }
    return status;
}
