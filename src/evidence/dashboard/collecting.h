/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard while it is collected. Each collector fills its part, from one snapshot of the ledger; nothing is judged
 * anew and nothing is written. Private to this folder. */
#ifndef STEELYARD_EVIDENCE_DASHBOARD_COLLECTING_H
#define STEELYARD_EVIDENCE_DASHBOARD_COLLECTING_H

#include <steelyard/promotion.h>

#include "base/arena.h"
#include "ledger/ledger.h"
#include "registry/files/id_table.h"

/* An accepted session of a baseline: two under one lease count once. */
typedef struct sy_key_lease sy_key_lease;
struct sy_key_lease {
    uint64_t fence;
    const char *host; /* one text each: compared as pointers */
    const char *device;
    sy_key_lease *next;
};

/* A key while its sessions come in, the newest first. */
typedef struct sy_key_tally {
    sy_dashboard_key key;
    uint64_t first_number; /* of its oldest session so far */
    bool whole_baseline;   /* the session that begins its baseline was seen: older ones do not count */
    bool settled;          /* a newer session says what is so now: older verdicts are history */
    sy_key_lease *leases;
    const char *acceptable;   /* the newest session that could be accepted; "" */
    const char *passed;       /* its newest session with a verdict of pass; "" */
    uint64_t passed_number;   /* of the event that began it */
    uint64_t passed_verdict;  /* of its verdict */
    const char *line;         /* digest of the key without the revision; NULL: not asked for yet */
    struct sy_key_tally *kin; /* the next key of the same line */
} sy_key_tally;

/* A session whose verdict asks for something. */
typedef struct sy_open_session {
    sy_dashboard_alarm alarm;
    uint64_t verdict; /* of its event */
    sy_key_tally *tally;
    struct sy_open_session *next;
} sy_open_session;

/* A run that was promoted. */
typedef struct sy_promoted_run {
    const char *run;
    const char *key_digest;
    uint64_t number; /* of the event that began it */
    struct sy_promoted_run *next;
} sy_promoted_run;

/* A device on which a smoke failed. */
typedef struct sy_stopped_device {
    const char *host;
    const char *device;
    struct sy_stopped_device *next;
} sy_stopped_device;

typedef struct sy_collecting {
    sy_arena *arena; /* of the dashboard */
    sy_project *project;
    sy_ledger *ledger; /* NULL: there is none */
    sy_registry *registry;
    sy_dashboard *dashboard;
    sy_id_table *texts;   /* each once */
    sy_id_table *tallies; /* by key digest; of incomplete keys by what is known */
    sy_key_tally **keys;  /* the one with the newest session first */
    size_t key_count;
    size_t key_capacity;
    sy_id_table *gates;    /* to sy_dashboard_gate */
    sy_open_session *open; /* the newest first, as the next ones */
    sy_open_session **open_end;
    size_t open_count;
    sy_promoted_run *promoted;
    sy_promoted_run **promoted_end;
    size_t promoted_count;
    sy_stopped_device *stopped;
    const char *judged; /* the newest judged run; "" */
} sy_collecting;

sy_status sy_collecting_no_memory(sy_error *err);
/* One copy for all that are equal; NULL: no memory. */
const char *sy_collecting_text(sy_collecting *c, const char *text);
/* Words (NULL behind the last) as a command line that a shell reads back as they are; NULL: no memory. */
const char *sy_collecting_command(sy_collecting *c, const char *const *words);
/* The command that makes one more session of a gate; "" = the registry has no such gate. NULL: no memory. */
const char *sy_collecting_session_command(sy_collecting *c, const char *gate);
/* Events of one kind of a run (NULL = of all), from a number on; their bytes are what was hashed. */
typedef sy_status (*sy_body_visit_fn)(void *user, const sy_ledger_event *event, const sy_json *json,
                                      const sy_json_value *body, sy_error *err);
sy_status sy_collecting_each(sy_collecting *c, const char *run, uint64_t from, sy_event_kind kind,
                             sy_body_visit_fn visit, void *user, sy_error *err) SY_NODISCARD;

/* The collectors, in the order in which they are called. All: SY_CORRUPT, SY_IO, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_collect_registry(sy_collecting *c, const char *root,
                              sy_error *err) SY_NODISCARD;                   /* gates, matrix, findings */
sy_status sy_collect_sessions(sy_collecting *c, sy_error *err) SY_NODISCARD; /* keys, and what the next ones need */
sy_status sy_collect_selftests(sy_collecting *c, sy_error *err) SY_NODISCARD;
sy_status sy_collect_changes(sy_collecting *c, sy_error *err) SY_NODISCARD;
sy_status sy_collect_promoted(sy_collecting *c, sy_error *err) SY_NODISCARD;
sy_status sy_collect_alarms(sy_collecting *c, sy_error *err) SY_NODISCARD;
sy_status sy_collect_next(sy_collecting *c, sy_error *err) SY_NODISCARD;

#endif
