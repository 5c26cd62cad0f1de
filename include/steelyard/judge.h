/* SPDX-License-Identifier: Apache-2.0 */
/* Judging a session against the accepted ones of its comparison key: pure functions on values, with a stated error rate
 * and every figure that led to the answer. docs/statistics.md, "Verdicts", has the rules and their sources. */
#ifndef STEELYARD_JUDGE_H
#define STEELYARD_JUDGE_H

#include <steelyard/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fewest accepted sessions that make a baseline. */
#define SY_BASELINE_SESSIONS 5
/* Up to so many, a repeat that falls back inside the baseline refutes an alarm; above, the ranks of all are asked. */
#define SY_LADDER_SESSIONS 12

/* value: word, exit code. The worse one has the larger value: a run's verdict is the worst of its metrics'. */
#define SY_JUDGEMENT_LIST(X)         \
    X(PASS, "pass", 0)               \
    X(NO_BASELINE, "no-baseline", 0) \
    X(NOT_JUDGED, "not-judged", 7)   \
    X(INVESTIGATE, "investigate", 5) \
    X(BLOCK, "block", 1)

typedef enum sy_judgement_word {
#define SY_JUDGEMENT_ENUM(name, word, exit_code) SY_JUDGEMENT_##name,
    SY_JUDGEMENT_LIST(SY_JUDGEMENT_ENUM)
#undef SY_JUDGEMENT_ENUM
} sy_judgement_word;

/* Why: one reason for each way to a verdict. */
#define SY_JUDGEMENT_REASON_LIST(X)                                                                     \
    X(EVIDENCE, "evidence")                       /* block: parity, provenance, memory or ownership */  \
    X(NO_VALUE, "no-value")                       /* not judged: missing, not finite or not positive */ \
    X(FEW_SESSIONS, "few-sessions")               /* no baseline: fewer than five accepted */           \
    X(INSIDE, "inside")                           /* pass: neither raised nor lowered */                \
    X(UNCONFIRMED, "unconfirmed")                 /* investigate: confirms or a control arm to come */  \
    X(MACHINE_CHANGED, "machine-changed")         /* investigate: the control arm is outside, too */    \
    X(REFUTED, "refuted")                         /* pass: the alarm did not repeat; counted */         \
    X(BELOW_DELTA, "below-delta")                 /* pass: the effect is smaller than is asked for */   \
    X(NOT_AGAINST_CONTROL, "not-against-control") /* pass: not so against the control arm */            \
    X(CONFIRMED, "confirmed")                     /* block, or investigate where thresholds are soft */ \
    X(IMPROVED, "improved")                       /* pass: a new baseline is proposed */                \
    X(DRIFT, "drift")                             /* investigate: inside, and the level climbs slowly */

typedef enum sy_judgement_reason {
#define SY_JUDGEMENT_REASON_ENUM(name, word) SY_JUDGEMENT_REASON_##name,
    SY_JUDGEMENT_REASON_LIST(SY_JUDGEMENT_REASON_ENUM)
#undef SY_JUDGEMENT_REASON_ENUM
} sy_judgement_reason;

SY_API const char *sy_judgement_word_text(sy_judgement_word word); /* "pass"; "unknown" outside the list, as below */
SY_API int sy_judgement_exit_code(sy_judgement_word word);
SY_API const char *sy_judgement_reason_text(sy_judgement_reason reason);

/* What kind of figure a metric is. */
typedef enum sy_judgement_metric {
    SY_METRIC_TIME,   /* p50 or p95 of a session; any figure with noise */
    SY_METRIC_MEMORY, /* often the same in every session: then a quantum stands for the noise */
    SY_METRIC_MAXIMUM /* of a session: investigated at most, never blocked on */
} sy_judgement_metric;

/* One metric of one session, and what it is held against. Values are the sessions', one each, in the metric's unit;
 * borrowed by the call. */
typedef struct sy_judgement_question {
    size_t struct_size;
    sy_judgement_metric metric;
    bool higher_is_better;
    bool primary;           /* only a primary metric can block */
    const double *baseline; /* of the accepted sessions since the last accepted change */
    size_t baseline_count;
    const double *sessions; /* the one that is judged, then its confirms, each in a lease of its own */
    size_t session_count;   /* >= 1 */
    const double
        *controls;         /* of the accepted revision, run again in each session's lease; NaN = it had none; or NULL */
    const char *evidence;  /* what failed before any time counts: "parity failed"; NULL = nothing did */
    double alpha;          /* of this judgement, in (0, .5]; with k primary metrics a caller divides by k */
    double delta;          /* the smallest effect of interest, as a ratio: .02; NaN = what the baseline resolves */
    double quantum;        /* of memory: the step in which it is counted, >= 0 */
    uint64_t judged_count; /* sessions of this key that were judged before ... */
    uint64_t raised_count; /* ... and how many raised an alarm, being worse than all of their baseline */
    double raised_chance;  /* of so many alarms or more if nothing changed; NaN, 0 = of judged_count sessions each of
                              which had 1 / (n + 1), n of this baseline */
} sy_judgement_question;

#define SY_JUDGEMENT_QUESTION_INIT                                                                               \
    {                                                                                                            \
        .struct_size = sizeof(sy_judgement_question), .primary = 1, .alpha = 0.02, .delta = SY_NAN, .quantum = 0 \
    }

typedef struct sy_judgement {
    sy_judgement_word word;
    sy_judgement_reason reason;
    bool raised;  /* worse than the baseline allows */
    bool lowered; /* better */
    size_t baseline_count;
    size_t session_count;
    size_t sessions_needed; /* m, with the one that is judged; 0 before there is a baseline */
    size_t confirms_to_come;
    size_t sessions_to_baseline; /* accepted ones that are missing */
    bool control_missing;
    bool hard;           /* a confirmed alarm blocks */
    double alpha;        /* promised */
    double p;            /* found: of the ladder or of the ranks; NaN = none was needed */
    double p_achievable; /* the least that so many sessions can give */
    double delta;        /* as used: a ratio */
    double threshold;    /* T, in the metric's unit, on its side; NaN before there is a baseline, as below */
    double prediction;   /* the 99 % bound, in the unit */
    double median;       /* of the baseline */
    double value;        /* of the judged session */
    double ratio;        /* the judged over the baseline's median, worse above 1 */
    double effect;       /* Hodges-Lehmann over all new sessions, as a ratio - 1, worse above 0 */
    double effect_low;
    double effect_high;
    double effect_level;
    double control_effect; /* median of new over control, as a ratio - 1; NaN = no control */
    double visible_effect; /* that would be noticed four times in five; NaN where all values are equal */
} sy_judgement;

/* SY_INVALID_ARGUMENT: no session, alpha, delta or quantum out of range, a baseline value that is not finite or not
 * positive. SY_NO_MEMORY. Whatever the session's own value is, there is a verdict. */
SY_API sy_status sy_judge(const sy_judgement_question *question, sy_judgement *ret_verdict, sy_error *err) SY_NODISCARD;

/* The least m with 1 / C(n + m, m) <= alpha: sessions, the judged one among them, that must all lie outside n accepted
 * ones. n >= 1, alpha in (0, 1). */
SY_API size_t sy_ladder_sessions(size_t n, double alpha);
/* 1 / C(n + m, m): the chance that m further sessions all exceed n ones when nothing changed, for any continuous noise.
 */
SY_API double sy_ladder_chance(size_t n, size_t m);

/* ---- a history ---- */

typedef struct sy_history_options {
    size_t struct_size;
    double alpha;      /* the share of unchanged histories in which some change is seen: .01 or .001 */
    double min_effect; /* a smaller step is no change, as a ratio: .02; >= 0 */
    bool higher_is_better;
    const size_t *known; /* indexes that were changes before, ascending: each is asked between its neighbours, so that a
                            step back does not hide it; NULL = none */
    size_t known_count;
} sy_history_options;

#define SY_HISTORY_OPTIONS_INIT                                                                             \
    {                                                                                                       \
        .struct_size = sizeof(sy_history_options), .alpha = 0.01, .min_effect = 0.02, .higher_is_better = 0 \
    }

/* Where the level of a history changed. */
typedef struct sy_history_change {
    size_t index;  /* of the first value after it, from 0 */
    size_t from;   /* the stretch before it begins here ... */
    size_t to;     /* ... and the one after it ends before this */
    double before; /* medians of both stretches */
    double after;
    double effect; /* of the values, as a ratio - 1: .05 = 5 % larger after it */
    double effect_low;
    double effect_high;
    double effect_level; /* of the interval; 95 % or more, or what so few values can give */
    double statistic;    /* what the scan found, and what it had to reach */
    double critical;
    bool worse;
} sy_history_change;

typedef struct sy_history {
    const sy_history_change *changes; /* in order of time */
    size_t change_count;
    size_t value_count;
    double lag1; /* how alike neighbours are about their levels; above .2 critical values are widened */
    double alpha;
    double min_effect;
    bool higher_is_better;
    void *owner; /* private */
} sy_history;

/* Finds the changes in values, which are in order of time. SY_INVALID_ARGUMENT: "value 3 is not a positive number"
 * (from 0), an alpha that has no table, a negative min_effect. Fewer than ten values have no change. The caller
 * destroys *ret_history. SY_NO_MEMORY. docs/statistics.md, "History". */
SY_API sy_status sy_history_find(const double *values, size_t count, const sy_history_options *options,
                                 sy_history **ret_history, sy_error *err) SY_NODISCARD;
SY_API void sy_history_destroy(sy_history *history); /* NULL is allowed */

/* Which of two levels a value belongs to, by logarithms: -1 the one before, 1 the one after, 0 it lies in the middle
 * third between both, or one of the three is not a positive number. */
SY_API int sy_history_side(double before, double after, double value);

#ifdef __cplusplus
}
#endif
#endif
