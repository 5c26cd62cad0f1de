/* SPDX-License-Identifier: Apache-2.0 */
/* From a judged run to a row of the dashboard: who vouches for it, what it owes, and the dashboard itself, which holds
 * promoted rows and nothing else as results. */
#ifndef STEELYARD_PROMOTION_H
#define STEELYARD_PROMOTION_H

#include <steelyard/evidence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What has become of a promoted run since. */
typedef struct sy_promotion_standing {
    const char *run;      /* the session whose last verdict blocks the promoted row, the newest; "" = nothing does */
    uint64_t verdict;     /* number of that verdict's event; 0 */
    const char *why;      /* "" */
    const char *follower; /* a later promotion of the same cell, gate and device stands in its place: that run; "" */
    void *owner;          /* private */
} sy_promotion_standing;

/* Whether a verdict later than its promotion blocks a promoted run: its own, one of another session of its key, or one
 * that held another revision against it; and whether its row is superseded. run: with a promotion. SY_CORRUPT, SY_IO,
 * SY_NO_MEMORY. The caller destroys *ret_standing. */
SY_API sy_status sy_project_promotion_standing(sy_project *project, const sy_run *run,
                                               sy_promotion_standing **ret_standing, sy_error *err) SY_NODISCARD;
SY_API void sy_promotion_standing_destroy(sy_promotion_standing *standing); /* NULL is allowed */

typedef struct sy_signoff_options {
    size_t struct_size;
    const char *run;
    const char *by;
    const char *statement; /* what was looked at; never empty */
} sy_signoff_options;

#define SY_SIGNOFF_OPTIONS_INIT                   \
    {                                             \
        .struct_size = sizeof(sy_signoff_options) \
    }

typedef struct sy_signed_off {
    const char *run; /* its whole id */
    bool done;
    const char *const *reasons; /* why not */
    size_t reason_count;
    uint64_t verdict; /* number of the verdict's event that it vouches for; 0 = none */
    sy_ledger_head head;
    void *owner; /* private */
} sy_signed_off;

/* Records that somebody vouches for an ok run, with what was said of it so far. Refused while its last verdict is
 * investigate or block. SY_OK also when it is not done. SY_NOT_FOUND, SY_INVALID_ARGUMENT, SY_BUSY, SY_IO,
 * SY_NO_MEMORY. The caller destroys *ret_signed. */
SY_API sy_status sy_project_signoff(sy_project *project, const sy_signoff_options *options, sy_signed_off **ret_signed,
                                    sy_error *err) SY_NODISCARD;
SY_API void sy_signed_off_destroy(sy_signed_off *signed_off); /* NULL is allowed */

/* One thing that a run owes before it is promoted. */
typedef struct sy_promotion_debt {
    const char *name; /* as in sy_promotion_proof */
    bool paid;
    const char *run;     /* that pays it; "" */
    const char *detail;  /* what is there, or what is missing */
    const char *command; /* what to run next; "" = nothing a machine could */
} sy_promotion_debt;

typedef struct sy_promote_options {
    size_t struct_size;
    const char *run;
    const char *by;
    const char *claim; /* NULL = none */
    bool dry_run;      /* says what is owed, and writes nothing */
} sy_promote_options;

#define SY_PROMOTE_OPTIONS_INIT                   \
    {                                             \
        .struct_size = sizeof(sy_promote_options) \
    }

typedef struct sy_promoted {
    const char *run; /* its whole id */
    bool promoted;
    uint64_t number;                /* of the event; 0 = none was written */
    const sy_promotion_debt *debts; /* all that it owes, paid or not, in the order in which they are paid */
    size_t debt_count;
    size_t unpaid_count;
    sy_run_promotion row; /* as it is, or would be */
    sy_ledger_head head;
    void *owner; /* private */
} sy_promoted;

/* Promotes a run: one event with the whole row, or none. It owes parity, provenance, a verdict of pass (or the recorded
 * acceptance of a first baseline), the tier release-signoff, a named run for every gate that its cell owes, among them
 * minimum memory and the application's wall clock where runbooks ask for them, and a sign-off behind its last verdict.
 * SY_OK also when it is not promoted. SY_NOT_FOUND, SY_INVALID_ARGUMENT, SY_CORRUPT (the registry), SY_BUSY, SY_IO,
 * SY_NO_MEMORY. The caller destroys *ret_promoted. */
SY_API sy_status sy_project_promote(sy_project *project, const sy_promote_options *options, sy_promoted **ret_promoted,
                                    sy_error *err) SY_NODISCARD;
SY_API void sy_promoted_destroy(sy_promoted *promoted); /* NULL is allowed */

/* ---- the dashboard ---- */

typedef struct sy_dashboard_options {
    size_t struct_size;
    const char *run; /* whose verdict comes first, as sy_ledger_run takes it; NULL = the newest judged one's */
} sy_dashboard_options;

#define SY_DASHBOARD_OPTIONS_INIT                             \
    {                                                         \
        .struct_size = sizeof(sy_dashboard_options), .run = 0 \
    }

typedef struct sy_dashboard_row {
    const char *run;
    uint64_t number; /* of the event that promoted it */
    int64_t at_utc_s;
    sy_run_promotion row;
    bool blocked;            /* a later verdict on a session of its key, or of a later revision of it, blocks it */
    const char *blocked_by;  /* that session; "" */
    const char *blocked_why; /* "" */
    bool
        superseded; /* a later promotion of the same cell, gate and device stands in its place: kept, not shown first */
} sy_dashboard_row;

typedef struct sy_dashboard_gate {
    const char *id;
    const char *state; /* as the registry says */
    const char *cell;
    int priority; /* 1..5 */
    bool is_open;
    const char *command;  /* what to run next; "" = nothing is to be run */
    const char *newest;   /* its newest session; "" */
    bool selftest_failed; /* its last self-test says that it cannot fail ... */
    const char *selftest; /* ... and why; "" */
} sy_dashboard_gate;

/* What asks for something: a session whose verdict nothing later of its line has settled, or the smoke that stops a
 * device. */
typedef struct sy_dashboard_alarm {
    const char *run;
    uint64_t number; /* of the event that began it */
    const char *cell;
    const char *gate;
    const char *device;
    const char *revision;
    const char *key_digest; /* "" */
    bool smoke;             /* nothing was judged: the gate's smoke failed, and stops the device */
    sy_judgement_word verdict;
    sy_judgement_reason reason;
    const char *text;    /* its first reason */
    const char *command; /* what to run next; "" */
    int64_t began_utc_s;
} sy_dashboard_alarm;

typedef struct sy_dashboard_key {
    const char *key_digest;
    const char *cell;
    const char *gate;
    uint64_t session_count;
    uint64_t accepted_count; /* of its baseline: since the last accepted change */
    uint64_t missing_count;  /* to five; 0 = it has a baseline */
    uint64_t judged_count;   /* sessions that were held against a baseline ... */
    uint64_t raised_count;   /* ... and raised an alarm */
    double alarm_promised;   /* chance of an alarm in one unchanged session at its baseline; NaN = it has none */
    double alarm_observed;   /* NaN = none was judged */
    bool alarms_exceed;      /* more than chance explains on both sides of one metric (95 %) */
    const char *newest;      /* a run */
    const char *command;     /* that makes one session more; "" */
} sy_dashboard_key;

/* A change of a history that stands. */
typedef struct sy_dashboard_change {
    sy_change_row row; /* as it was reported, with its newest state */
    const char *cell;
    const char *command; /* that shows it */
} sy_dashboard_change;

typedef struct sy_dashboard {
    const char *project;          /* as steelyard.json names it, else the name of its folder */
    bool has_ledger;              /* false: nothing was ever recorded */
    const sy_run *judged;         /* whose verdict comes first; NULL: none was asked for, and none is judged */
    const sy_dashboard_row *rows; /* the newest first */
    size_t row_count;
    const sy_dashboard_alarm *alarms; /* blocks first, then investigations, the newest first */
    size_t alarm_count;
    size_t block_count;             /* of them */
    const sy_dashboard_gate *gates; /* in the order of the registry */
    size_t gate_count;
    size_t open_gate_count;
    const sy_matrix *matrix;              /* NULL: it could not be read */
    const sy_registry_coverage *coverage; /* likewise */
    const sy_dashboard_key *keys;         /* the one with the newest session first */
    size_t key_count;
    uint64_t session_count;             /* of the ledger */
    uint64_t incomplete_count;          /* of them, whose key has an unknown field: they are comparable to nothing */
    const sy_dashboard_change *changes; /* reported and neither refuted nor superseded */
    size_t change_count;
    const char *const *next; /* what to run first, at most five commands */
    size_t next_count;
    const char *const *findings; /* of the registry, at most 100 of them */
    size_t finding_count;
    size_t finding_total;
    sy_ledger_head head; /* at which all of it was read */
    void *owner;         /* private */
} sy_dashboard;

/* All of it, as the ledger stood at one moment and the registry stands now. A project without a ledger has an empty
 * dashboard. options may be NULL. SY_NOT_FOUND: there is no such run; SY_INVALID_ARGUMENT: the beginning of several;
 * SY_CORRUPT, SY_BUSY, SY_IO, SY_NO_MEMORY. The caller destroys *ret_dashboard. */
SY_API sy_status sy_project_dashboard(sy_project *project, const sy_dashboard_options *options,
                                      sy_dashboard **ret_dashboard, sy_error *err) SY_NODISCARD;
SY_API void sy_dashboard_destroy(sy_dashboard *dashboard); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
