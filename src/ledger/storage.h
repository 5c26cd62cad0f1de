/* SPDX-License-Identifier: Apache-2.0 */
/* Where a ledger's bytes are: one table of functions, one entry a database. It keeps what it is given and gives back
 * what it keeps; it knows nothing of what events mean. tests: the contract suite runs on every entry. */
#ifndef STEELYARD_LEDGER_STORAGE_H
#define STEELYARD_LEDGER_STORAGE_H

#include <steelyard/ledger.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/digest.h"

/* An event as it is kept. Texts and bytes are borrowed by the call that takes them, and live until the visit returns.
 */
typedef struct sy_stored_event {
    uint64_t number;
    sy_digest digest; /* of bytes */
    int64_t at_utc_s;
    const char *kind;
    const char *run; /* "" */
    const char *bytes;
    size_t size;
} sy_stored_event;

/* Packed samples: little-endian IEEE doubles, one NaN (0x7ff8000000000000) for all. */
typedef struct sy_stored_series {
    sy_digest digest; /* of bytes */
    uint64_t event;   /* the first that names it */
    const void *bytes;
    size_t count;
    size_t size; /* of bytes, filled by each_series: 8 * count unless other hands were there; else passed by */
} sy_stored_series;

typedef sy_status (*sy_storage_event_fn)(void *user, const sy_stored_event *event, sy_error *err);
typedef sy_status (*sy_storage_row_fn)(void *user, const sy_run_row *row, sy_error *err);
typedef sy_status (*sy_storage_series_fn)(void *user, const sy_stored_series *series, sy_error *err);
typedef sy_status (*sy_storage_keyed_row_fn)(void *user, const sy_run_row *row, const char *key, sy_error *err);
typedef sy_status (*sy_storage_complaint_fn)(void *user, const char *complaint, sy_error *err);

typedef struct sy_storage_options {
    const char *folder; /* NULL = memory */
    bool create;
    bool read_only;
    uint64_t wait_ns;
    const sy_clock *clock;
} sy_storage_options;

/* state is what open made. Every function: SY_IO, SY_CORRUPT (the database is damaged), SY_NO_MEMORY besides what it
 * says. Between begin and commit or rollback one snapshot is seen; without begin every call sees the newest. */
typedef struct sy_storage {
    size_t struct_size;
    const char *name; /* "sqlite" */
    sy_status (*open)(const sy_storage_options *options, void **ret_state, sy_error *err);
    void (*close)(void *state); /* rolls back what is open */
    /* write: waits for other writers in a fair queue, at most wait_ns: SY_BUSY names the holder. SY_REFUSED: read only.
     */
    sy_status (*begin)(void *state, bool write, sy_error *err);
    sy_status (*commit)(void *state, sy_error *err); /* on the disk when it returns; a failure has rolled back */
    void (*rollback)(void *state);

    sy_status (*get_id)(void *state, char ret_id[33], sy_error *err); /* "" = none yet */
    sy_status (*put_id)(void *state, const char *id, sy_error *err);
    sy_status (*head)(void *state, uint64_t *ret_number, sy_digest *ret_digest, sy_error *err); /* 0 = empty */
    /* number: the head's + 1, else SY_INVALID_ARGUMENT. */
    sy_status (*append)(void *state, const sy_stored_event *event, sy_error *err);
    /* In order of numbers; run NULL = all. What was removed by other hands is simply not there. */
    sy_status (*events)(void *state, uint64_t from, const char *run, sy_storage_event_fn visit, void *user,
                        sy_error *err);
    sy_status (*put_series)(void *state, const sy_stored_series *series, sy_error *err); /* kept once; again is fine */
    /* Bytes in the arena. SY_NOT_FOUND. */
    sy_status (*get_series)(void *state, const sy_digest *digest, sy_arena *arena, const void **ret_bytes,
                            size_t *ret_count, sy_error *err);
    /* The list of runs, which events can always make again. key: the comparison key as canonical JSON, "" = none, NULL
     * = as it was (of a row that is there). */
    sy_status (*put_row)(void *state, const sy_run_row *row, const char *key,
                         sy_error *err); /* new, or in place of its id's */
    sy_status (*get_row)(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row, sy_error *err);
    /* The newest first; at most filter->limit visits; *ret_total may be NULL. */
    sy_status (*rows)(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                      uint64_t *ret_total, sy_error *err);
    /* Rows whose id begins with that text, by id, at most limit. */
    sy_status (*rows_like)(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit, void *user,
                           sy_error *err);
    /* One visit a key (an incomplete one: each run alone), the one with the newest run first. */
    sy_status (*keys)(void *state, const sy_run_filter *filter, bool incomplete_too,
                      sy_status (*visit)(void *user, const sy_key_row *row, const char *key, sy_error *err), void *user,
                      sy_error *err);

    /* For proof: everything that is kept, whether an event names it or not. */
    sy_status (*each_series)(void *state, sy_storage_series_fn visit, void *user, sy_error *err); /* by event, digest */
    sy_status (*each_row)(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err); /* by number, id */
    /* One visit a complaint of the database about its own structure; none = sound. */
    sy_status (*check)(void *state, sy_storage_complaint_fn visit, void *user, sy_error *err);
} sy_storage;

extern const sy_storage sy_storage_sqlite;
extern const sy_storage sy_storage_memory; /* for tests and for ledgers without a folder */

#endif
