/* SPDX-License-Identifier: Apache-2.0 */
/* A run held against the accepted sessions of its comparison key, what became of a key over its sessions, and whether a
 * gate could fail at all. The rules are those of judge.h; every answer becomes an event of the ledger. */
#ifndef STEELYARD_COMPARE_H
#define STEELYARD_COMPARE_H

#include <steelyard/evidence.h>
#include <steelyard/judge.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a verdict ---- */

typedef struct sy_store sy_store; /* <steelyard/store.h> */

typedef struct sy_compare_options {
    size_t struct_size;
    const char *run;          /* as sy_ledger_run takes it */
    bool revision_comparison; /* every field of the key but the revision has to agree; it replaces no baseline */
    const char *against; /* of a revision comparison: a revision (7 digits or more) or a run that has it; NULL = the
                            newest other revision with five accepted sessions, else all of them together */
    double alpha; /* of the key, in (0, .5]; NaN = as the gate or steelyard.json says, else .02. In a dry run alone */
    double
        delta; /* the smallest effect of interest, a ratio; NaN = the same, else what the baseline resolves; likewise */
    bool dry_run;    /* says the verdict and writes nothing */
    sy_store *store; /* where a stored decision may rest on what is no longer so; NULL = none is looked at */
} sy_compare_options;

#define SY_COMPARE_OPTIONS_INIT                                                               \
    {                                                                                         \
        .struct_size = sizeof(sy_compare_options), .alpha = SY_NAN, .delta = SY_NAN, .run = 0 \
    }

/* Another run that could have been meant, and why it is not comparable. */
typedef struct sy_compare_neighbour {
    const char *key_digest;
    const char *newest; /* a run */
    uint64_t accepted_count;
    const sy_key_difference *fields; /* those that differ */
    size_t field_count;
} sy_compare_neighbour;

typedef struct sy_compared {
    const char *run;         /* its whole id */
    uint64_t verdict_number; /* of the event that holds the verdict; 0 in a dry run */
    bool already_recorded;   /* the same sessions were judged before: nothing is computed anew */
    sy_run_verdict verdict;
    const char *const *next; /* commands that must run next, in order; "# ..." lines say when and why */
    size_t next_count;
    const sy_compare_neighbour *neighbours; /* where there is no baseline: keys that differ in the fewest fields */
    size_t neighbour_count;
    double alarm_promised;     /* chance of an alarm in one unchanged session, 1 / (n + 1) a side */
    double alarm_observed;     /* share of judged sessions of this key that raised one; NaN = none was judged */
    double alarm_observed_low; /* its 95 % interval (Clopper-Pearson) */
    double alarm_observed_high;
    uint64_t judged_count; /* with this one */
    uint64_t raised_count;
    double sessions_a_year;     /* of this key, by its first and last session; NaN = less than two, or a day */
    double false_blocks_a_year; /* expected, at that rate; NaN = unknown */
    const char *const *remarks;
    size_t remark_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_compared;

/* Judges a session: parity first, then p50, p95, maximum and memory of each series. SY_OK whatever the verdict.
 * SY_REFUSED: it cannot be compared at all (it has not ended, is imported, a decision run or diagnostic), or `against`
 * names runs whose keys differ, which the error says field by field; "history is shallow, deepen it or name the
 * baseline"; SY_NOT_FOUND: no such run; SY_INVALID_ARGUMENT, SY_CORRUPT, SY_BUSY, SY_IO, SY_NO_MEMORY. The caller
 * destroys *ret_compared. */
SY_API sy_status sy_project_compare(sy_project *project, const sy_compare_options *options, sy_compared **ret_compared,
                                    sy_error *err) SY_NODISCARD;
SY_API void sy_compared_destroy(sy_compared *compared); /* NULL is allowed */

/* ---- the history of a key ---- */

typedef struct sy_key_history_options {
    size_t struct_size;
    const char *key;       /* digits of a key's digest or of a line's, or a run that has it */
    bool same_revision;    /* sessions of that key alone; else of every revision, all other fields alike */
    const char *series;    /* NULL = the first series, case and implementation of the newest session */
    const char *case_name; /* NULL = any */
    const char *implementation;
    sy_statistic statistic; /* SY_STATISTIC_P50 */
    double alpha;           /* .01 or .001: a live history that is looked at after each session takes .001 */
    double min_effect;
    bool dry_run; /* reports nothing into the ledger */
} sy_key_history_options;

#define SY_KEY_HISTORY_OPTIONS_INIT                                                                 \
    {                                                                                               \
        .struct_size = sizeof(sy_key_history_options), .alpha = 0.001, .min_effect = 0.02, .key = 0 \
    }

/* One session of a history. */
typedef struct sy_key_point {
    const char *run;
    uint64_t number;
    const char *revision;
    int64_t began_utc_s;
    double value; /* NaN = it has none, and is left out */
    bool accepted;
    bool judged;
    sy_judgement_word verdict;
} sy_key_point;

typedef struct sy_key_history {
    const char *line;       /* digest that is common to its sessions */
    const char *key_digest; /* of the newest */
    const char *cell;
    sy_judged_metric metric;
    const sy_key_point *points; /* in the order in which they began */
    size_t point_count;
    const size_t *place_of;       /* index into points of each value of the history */
    const sy_history *history;    /* lives as long as this */
    const sy_change_row *changes; /* all that was ever reported of this line and metric with these settings, the newest
                                     state of each */
    size_t change_count;
    const size_t *record_of;          /* index into changes of each change of the history; change_count = none */
    const char *const *bisect;        /* a command line for each change that lies between two revisions, else "" */
    const char *const *bisect_notes;  /* why there is none, or what it needs; "" */
    size_t bisect_count;              /* as many as the history has changes */
    uint64_t reported_count;          /* ever, of this line; one that moved counts once */
    uint64_t refuted_count;           /* of them, later refuted, or moved by more than two */
    uint64_t written_count;           /* events that this call has recorded */
    const char *const *other_metrics; /* "wall p95", "peak memory": what could be asked besides */
    size_t other_metric_count;
    const char *const *remarks;
    size_t remark_count;
    sy_ledger_head head;
    void *owner; /* private */
} sy_key_history;

/* The changes of a key's sessions: ok ones that are not imported. What is found, and was without the newest five
 * values, is recorded, and what was recorded before is confirmed, refuted or superseded, never forgotten. SY_NOT_FOUND:
 * no such key, series; SY_INVALID_ARGUMENT, SY_CORRUPT, SY_BUSY, SY_IO, SY_NO_MEMORY. The caller destroys *ret_history.
 */
SY_API sy_status sy_project_history(sy_project *project, const sy_key_history_options *options,
                                    sy_key_history **ret_history, sy_error *err) SY_NODISCARD;
SY_API void sy_key_history_destroy(sy_key_history *history); /* NULL is allowed */

/* ---- whether a gate can fail ---- */

typedef struct sy_selftest_options {
    size_t struct_size;
    const char *gate;
    const char *key;      /* NULL = the key with the gate's newest accepted session */
    const double *ratios; /* planted slowdowns above 1; NULL = 1.03, 1.05, 1.10 */
    size_t ratio_count;
    uint32_t trial_count; /* of each; 0 = 2000 */
    uint64_t seed;        /* 0 = 1 */
    bool dry_run;         /* records nothing */
} sy_selftest_options;

#define SY_SELFTEST_OPTIONS_INIT                   \
    {                                              \
        .struct_size = sizeof(sy_selftest_options) \
    }

/* How each trial of a metric was drawn from its sessions. */
typedef struct sy_selftest_draw {
    size_t baseline_count; /* n: the most, five at least, that leave as many as the rule asks of new sessions */
    size_t session_count;  /* m: the judged one and its confirms */
    bool repeats;          /* those left are fewer than m: new sessions are drawn with replacement */
} sy_selftest_draw;

/* The accepted sessions as they came: how many of the last ones, 200 at most, would have raised an alarm against all
 * before them, beside the number that 1 / (n + 1) each makes likely. Chance does not explain many more: the sessions
 * drift, and what trials in drawn order say is too good. */
typedef struct sy_selftest_course {
    size_t judged_count;
    size_t raised_count;
    double expected;
} sy_selftest_course;

typedef struct sy_selftested {
    const sy_gate_selftest *tests;     /* of each primary metric; the first effect of each is the ratio 1 */
    const sy_selftest_draw *draws;     /* of each */
    const sy_selftest_course *courses; /* of each */
    size_t test_count;
    const char *const *findings; /* "gate-cannot-fail: ..." */
    size_t finding_count;
    const char *const *remarks;
    size_t remark_count;
    uint64_t number; /* of the last event; 0 in a dry run */
    sy_ledger_head head;
    void *owner; /* private */
} sy_selftested;

/* Replays a key's accepted sessions: of each trial some are drawn as the baseline, one and its confirms as new
 * sessions, into whose samples a slowdown is planted; sy_judge says what the gate would. SY_NOT_FOUND: no such gate, or
 * it has no accepted session; SY_REFUSED: fewer than six accepted sessions, what is said with their number;
 * SY_INVALID_ARGUMENT, SY_IO, SY_NO_MEMORY. The caller destroys *ret_tested. */
SY_API sy_status sy_project_selftest(sy_project *project, const sy_selftest_options *options,
                                     sy_selftested **ret_tested, sy_error *err) SY_NODISCARD;
SY_API void sy_selftested_destroy(sy_selftested *tested); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
