/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of runs afterwards, as the events of the ledger keep it: verdicts, changes of a history, sign-offs,
 * promotions, self-tests of gates. Texts are UTF-8, borrowed by the calls that take them; "" = not said, NaN = unknown.
 */
#ifndef STEELYARD_VERDICT_H
#define STEELYARD_VERDICT_H

#include <steelyard/judge.h>
#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* By which rules a verdict was reached; another number when an answer may differ. */
#define SY_VERDICT_RULE "steelyard-verdict/1"

/* What a session is held against: accepted sessions of its own comparison key; those of one other revision, every other
 * field alike; those of several such revisions together, each of which has fewer than five. */
#define SY_COMPARISON_MODE_LIST(X) \
    X(SAME_KEY, "same-key")        \
    X(REVISION, "revision")        \
    X(REVISIONS, "several-revisions")

typedef enum sy_comparison_mode {
#define SY_COMPARISON_MODE_ENUM(name, word) SY_COMPARISON_##name,
    SY_COMPARISON_MODE_LIST(SY_COMPARISON_MODE_ENUM)
#undef SY_COMPARISON_MODE_ENUM
} sy_comparison_mode;

/* Which figure of a session is judged. */
#define SY_STATISTIC_LIST(X) \
    X(P50, "p50")            \
    X(P95, "p95")            \
    X(MAXIMUM, "maximum")    \
    X(MEMORY, "memory")

typedef enum sy_statistic {
#define SY_STATISTIC_ENUM(name, word) SY_STATISTIC_##name,
    SY_STATISTIC_LIST(SY_STATISTIC_ENUM)
#undef SY_STATISTIC_ENUM
} sy_statistic;

/* What became of a change that a history reported: it never vanishes. */
#define SY_CHANGE_STATE_LIST(X)                                                       \
    X(REPORTED, "reported")                                                           \
    X(CONFIRMED, "confirmed")   /* found again with at least as many points behind */ \
    X(REFUTED, "refuted")       /* not found any more */                              \
    X(SUPERSEDED, "superseded") /* found at another place, which is reported anew */

typedef enum sy_change_state {
#define SY_CHANGE_STATE_ENUM(name, word) SY_CHANGE_##name,
    SY_CHANGE_STATE_LIST(SY_CHANGE_STATE_ENUM)
#undef SY_CHANGE_STATE_ENUM
} sy_change_state;

SY_API const char *sy_comparison_mode_word(sy_comparison_mode mode); /* "unknown" outside the list, as all of these */
SY_API const char *sy_statistic_word(sy_statistic statistic);
SY_API const char *sy_change_state_word(sy_change_state state);
SY_API bool sy_statistic_read(const char *word, sy_statistic *ret_statistic); /* false: no such word */

/* Which figures are compared: series of one name, case and implementation, and one statistic of them. */
typedef struct sy_judged_metric {
    const char *series; /* "wall"; of memory: its name, "peak" */
    const char *case_name;
    const char *implementation;
    sy_statistic statistic;
    const char *unit;
    bool higher_is_better;
} sy_judged_metric;

/* One metric of a verdict. */
typedef struct sy_metric_verdict {
    sy_judged_metric metric;
    bool primary;
    uint64_t sample_count; /* of the judged session */
    double control;        /* the same figure of its control arm; NaN = it had none */
    sy_judgement judgement;
    const char *reason; /* a sentence for people */
} sy_metric_verdict;

/* The event `verdict`, of the session that is judged. */
typedef struct sy_run_verdict {
    const char *rule; /* SY_VERDICT_RULE */
    sy_comparison_mode mode;
    sy_judgement_word word; /* the worst of its metrics' */
    sy_judgement_reason reason;
    const char *evidence;          /* what failed before any time counts: "parity failed in square-512"; "" */
    const char *key_digest;        /* of the judged session */
    const char *baseline_key;      /* of the baseline; "" of several revisions */
    const char *baseline_revision; /* "" */
    const char *const *baseline;   /* accepted sessions, in the order in which they began */
    size_t baseline_count;
    const char *const *sessions; /* the one that raised the alarm first, then its confirms up to the judged one */
    size_t session_count;
    const sy_metric_verdict *metrics;
    size_t metric_count;
    double alpha;          /* of the key, before it is divided by the number of primary metrics */
    bool raised;           /* or lowered: an alarm in this session's own figures, whatever became of it */
    uint64_t judged_count; /* sessions of the key that were judged before ... */
    uint64_t raised_count; /* ... and how many of them raised an alarm */
    uint64_t replaces;     /* number of the event with the verdict of this run that this one follows; 0 = the first */
    uint64_t leaves_open;  /* number of an earlier event whose investigate or block of this run still stands, because it
                              answered another question (the own key, another revision); 0 = none */
    const char *const *reasons; /* for people: parity, each metric that matters, the control, the machine */
    size_t reason_count;
    const char *recalibrate;     /* the stored decision that is to be made anew: "exact matmul"; "" = none */
    const char *recalibrate_run; /* the decision run that it rests on; "" */
} sy_run_verdict;

/* The reason that decides: what failed before any time counts, else what is told of the worst metric; "" = nothing is
 * told. Lives as long as the verdict. */
SY_API const char *sy_run_verdict_decisive(const sy_run_verdict *verdict);

/* The event `change`, of the first run after it. */
typedef struct sy_run_change {
    sy_change_state state;
    const char *line;       /* digest of the comparison key without the revision; or of the key itself */
    const char *key_digest; /* "" = over revisions */
    sy_judged_metric metric;
    const char *before;   /* the last run before it */
    const char *revision; /* of the first run after it */
    const char *revision_before;
    double effect; /* as a ratio - 1 */
    double effect_low;
    double effect_high;
    double effect_level;
    double statistic;
    double critical;
    double alpha;
    double min_effect; /* as it was asked for: what other settings find is another matter */
    bool worse;
    uint64_t point_count;  /* that were analysed ... */
    uint64_t points_after; /* ... and how many of them lay behind the change */
    uint64_t refers;       /* number of the event that reported it; 0 = this one does */
    uint64_t moved_from; /* of one that is reported: number of the event that reported it at another place; 0 = none */
    const char *reason;  /* "" */
} sy_run_change;

/* The event `signoff`: somebody vouches for a run. */
typedef struct sy_run_signoff {
    const char *by;
    const char *statement; /* what was looked at */
    uint64_t verdict;      /* number of the verdict's event that was seen; 0 = there was none */
} sy_run_signoff;

/* One thing that a promotion was owed, and what it rests on. */
typedef struct sy_promotion_proof {
    const char *name;   /* "parity", "verdict", "gate:matmul.cpu.square-512.cold", "minimum-memory", "wall-clock" */
    const char *run;    /* that proves it; "" = the promoted one itself, or nothing has to */
    const char *detail; /* for people */
} sy_promotion_proof;

/* The event `promote`: one row of the dashboard, whole. Everything in it is as it stood at that moment. */
typedef struct sy_run_promotion {
    const char *by;
    const char *claim; /* a sentence that the row proves; "" */
    const char *cell;
    const char *gate;
    const char *tier;
    const char *key_digest;
    const char *revision;
    const char *host;
    const char *device;
    sy_judgement_word word; /* of the verdict */
    uint64_t verdict;       /* number of its event; 0 = a first baseline without one */
    uint64_t signoff;       /* number of its event */
    const sy_promotion_proof *proofs;
    size_t proof_count;
    const sy_named_number *figures; /* "wall p50", with unit; name, case and implementation in one */
    size_t figure_count;
    bool synthetic; /* its times are made up */
} sy_run_promotion;

/* One slowdown that was planted by a self-test. */
typedef struct sy_selftest_effect {
    double ratio; /* 1 = none: an A/A trial */
    uint64_t trial_count;
    uint64_t alarm_count; /* the session raised an alarm */
    uint64_t block_count; /* it was confirmed, and the gate failed (or would, were its thresholds hard) */
} sy_selftest_effect;

/* The event `selftest`, of no run. */
typedef struct sy_gate_selftest {
    const char *gate;
    const char *key_digest; /* whose sessions were replayed */
    sy_judged_metric metric;
    uint64_t session_count;
    uint64_t seed;
    double alpha;
    double delta;
    double visible_effect; /* the smallest that it sees four times in five, as a ratio - 1 */
    const sy_selftest_effect *effects;
    size_t effect_count;
    bool can_fail;      /* the largest planted slowdown makes it fail more often than not */
    const char *reason; /* why it cannot; "" */
} sy_gate_selftest;

#ifdef __cplusplus
}
#endif
#endif
