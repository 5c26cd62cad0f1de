/* SPDX-License-Identifier: Apache-2.0 */
/* From the figures of sessions to a verdict: which metrics there are, sy_judge of each, the worst of them. Values in,
 * values out: no ledger, no clock, no file. */
#ifndef STEELYARD_EVIDENCE_COMPARE_JUDGE_SESSION_H
#define STEELYARD_EVIDENCE_COMPARE_JUDGE_SESSION_H

#include "evidence/compare/baseline.h"

/* The page in which the memory of a process is counted. */
#define SY_MEMORY_QUANTUM_BYTES 4096
/* Below the first, a p95 is unresolved; below the second, coarse: neither is judged. */
#define SY_P95_COARSE_SAMPLES 20
#define SY_P95_SAMPLES 100

/* By what a session is judged. Texts are borrowed. */
typedef struct sy_session_rules {
    double alpha;                /* of the key, in (0, .5]: divided by the number of primary metrics */
    double delta;                /* NaN = what the baseline resolves */
    double memory_quantum_bytes; /* of processes and of unified memory, >= 0 */
    const char *const
        *primary; /* "wall", "wall p95", "peak"; none: the p50 of the first series, in each of its cases */
    size_t primary_count;
    size_t hard_sessions; /* accepted sessions before a confirmed alarm may block: five or more */
    bool only_reports;    /* no metric may block, however primary */
} sy_session_rules;

#define SY_SESSION_RULES_INIT                                                            \
    {                                                                                    \
        .alpha = 0.02, .delta = SY_NAN, .memory_quantum_bytes = SY_MEMORY_QUANTUM_BYTES, \
        .hard_sessions = SY_BASELINE_SESSIONS                                            \
    }

typedef struct sy_session_question {
    const sy_session *const *baseline; /* as sy_baseline_find gives them */
    size_t baseline_count;
    const sy_session *const *sessions; /* the one that raised an alarm, then its confirms; each in a lease of its own */
    size_t session_count;              /* >= 1 */
    size_t judged;                     /* which of them is asked about */
    const char *evidence;              /* NULL = nothing failed before any time counts */
    const sy_session_rules *rules;
    const sy_session_set *key; /* every session of the key: how often it alarmed before the first of them, and how its
                                  level went before the judged one; NULL = nothing is known of it */
    bool asks_drift;           /* the baseline is of that key */
} sy_session_question;

typedef struct sy_session_answer {
    const sy_metric_verdict *metrics; /* series in the order in which they were recorded, then memory, then what the
                                         session lacks */
    size_t metric_count;
    size_t primary_count; /* of them */
    sy_judgement_word word;
    sy_judgement_reason reason;
    bool raised;                /* a primary metric of the judged session itself is outside; without any, a metric */
    const char *const *remarks; /* what was not judged, and why that is no fault */
    size_t remark_count;
} sy_session_answer;

/* Metrics: of each series of samples its p50; its p95, if every session has SY_P95_SAMPLES of it; its maximum, if all
 * have the same number of samples; each memory figure. An alarm of a metric begins with the first session that is
 * outside on the same side as the judged one; what came before it is no part of it. A session's verdict on evidence has
 * the metrics all the same. Everything lives in the arena. SY_INVALID_ARGUMENT: alpha or delta out of range;
 * SY_NO_MEMORY. */
sy_status sy_judge_session(const sy_session_question *question, sy_arena *arena, sy_session_answer *ret_answer,
                           sy_error *err) SY_NODISCARD;

/* Whether a gate means this metric by that name: "wall" is its p50, "wall p95", "peak", "peak memory". */
bool sy_metric_is_called(const sy_judged_metric *metric, const char *name);
/* "wall p50 of square-512 (openblas)", "peak memory (process)". NULL: no memory. */
const char *sy_metric_name(const sy_judged_metric *metric, sy_arena *arena);
/* A sentence that says the judgement with its figures: "1.31 ms is 31.0 % above the median of 5 accepted sessions, 1 ms
 * (alarm above 1.02 ms): 2 confirms to come, with a control arm". NULL: no memory. */
const char *sy_judgement_sentence(const sy_metric_verdict *verdict, sy_arena *arena);

#endif
