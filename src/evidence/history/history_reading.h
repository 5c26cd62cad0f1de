/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a key's history while it is read: which sessions it has, which figure of them is looked at, and what
 * was recorded of it. Private to the files of this folder. */
#ifndef STEELYARD_EVIDENCE_HISTORY_READING_H
#define STEELYARD_EVIDENCE_HISTORY_READING_H

#include <steelyard/compare.h>

#include "base/arena.h"
#include "base/text.h"
#include "evidence/compare/baseline.h"

enum { SY_HISTORY_REMARKS_MAX = 24 };

/* What the result owns. */
typedef struct sy_key_history_owner {
    sy_key_history shown;
    sy_arena *arena;
    sy_run_list *runs;
    sy_figure_list *figures;
    sy_change_rows *changes;
    sy_history *history;
    sy_history *earlier; /* without the newest values; NULL = there are no others */
} sy_key_history_owner;

/* One reported change with its newest state. */
typedef struct sy_change_record {
    sy_change_row row;     /* of its newest event */
    uint64_t reported;     /* number of the event that reported it */
    uint64_t points_after; /* as then */
    uint64_t run_number;   /* of the run's begin event */
    size_t root;           /* index of the first report of what moved here */
} sy_change_record;

typedef struct sy_history_reading {
    sy_project *project;
    sy_ledger *ledger;
    const sy_key_history_options *options;
    sy_key_history_owner *owner;
    sy_arena *arena;
    sy_key_history *to;
    const char *remarks[SY_HISTORY_REMARKS_MAX];
    /* the line: history_line.c */
    const char *cell;        /* that all of its runs have; NULL = they need not */
    const char *const *keys; /* digests of its keys, sorted */
    size_t key_count;
    /* the sessions: history_sessions.c; as many as there are points */
    const sy_session *sessions;
    const char *gate; /* of the newest that has one; "" */
    /* the values: history_metric.c */
    double *values;
    size_t value_count;
    /* what was recorded: history_record.c */
    sy_change_record *records;
    size_t record_count;
    size_t with_other_settings; /* reports that are none of these */
    const size_t *known;        /* places of those that are open, ascending */
    size_t known_count;
} sy_history_reading;

/* Adds a sentence for people. SY_NO_MEMORY. */
sy_status sy_history_remark(sy_history_reading *reading, sy_error *err, const char *format, ...) SY_PRINTF(3, 4);

/* Finds the keys that options.key means. SY_NOT_FOUND: there is none, or it is not complete; SY_INVALID_ARGUMENT:
 * several, which are named. As sy_ledger_keys, sy_ledger_run. */
sy_status sy_history_find_line(sy_history_reading *reading, sy_error *err) SY_NODISCARD;
/* Reads its sessions, remarks on what is left out, and fills the points. SY_NOT_FOUND: none counts. */
sy_status sy_history_read_sessions(sy_history_reading *reading, sy_error *err) SY_NODISCARD;
/* Chooses the figure, and fills the points' values and those that are looked at. SY_NOT_FOUND: no session has it. */
sy_status sy_history_read_values(sy_history_reading *reading, sy_error *err) SY_NODISCARD;
/* Reads what was recorded of the line, and finds the places of what is neither refuted nor superseded. As
 * sy_ledger_changes, sy_ledger_row. */
sy_status sy_history_read_records(sy_history_reading *reading, sy_error *err) SY_NODISCARD;
/* Holds what is found now against what was recorded, and records what is new, unless in a dry run. The result's history
 * is there. As sy_ledger_append, and as above. */
sy_status sy_history_record(sy_history_reading *reading, sy_error *err) SY_NODISCARD;
/* The command line that finds the commit of each change. SY_NO_MEMORY. */
sy_status sy_history_find_commits(sy_history_reading *reading, sy_error *err) SY_NODISCARD;

#endif
