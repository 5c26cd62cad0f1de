/* SPDX-License-Identifier: Apache-2.0 */
/* Where a ledger's bytes are: one table of functions, one entry a database. It keeps what it is given and gives back
 * what it keeps; it knows nothing of what events mean. tests: the contract suite runs on every entry. */
#ifndef STEELYARD_LEDGER_STORAGE_H
#define STEELYARD_LEDGER_STORAGE_H

#include <steelyard/ledger.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/digest.h"
#include "record/run_events.h"

/* An event as it is kept. Texts and bytes are borrowed by the call that takes them, and live until the visit returns.
 * bytes are text: a 0 byte among them is refused, and one stands behind those of a visit. */
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
typedef sy_status (*sy_storage_key_fn)(void *user, const sy_key_row *row, const char *key, sy_error *err);
typedef sy_status (*sy_storage_complaint_fn)(void *user, const char *complaint, sy_error *err);

/* figure->run: "" where only its number is known. event: the one that says it. */
typedef sy_status (*sy_storage_figure_fn)(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err);

typedef struct sy_storage_options {
    const char *folder; /* the memory entry has none, and passes it by */
    bool create;        /* the folder too, mode 0700 */
    bool read_only;
    uint64_t wait_ns;
    const sy_clock *clock;
    /* Makes rows and figures anew from the events, in one transaction with what brings an older database up to date; of
     * one that is only read, in a copy of it. NULL = they stay empty. */
    sy_status (*derive)(void *state, sy_error *err);
} sy_storage_options;

/* state is what open made, for one thread. Every function: SY_IO, SY_CORRUPT (the database is damaged), SY_BUSY
 * (another program holds it), SY_NO_MEMORY besides what it says. Between begin and commit or rollback one snapshot is
 * seen, with one's own changes; without begin every call sees the newest. What changes something is allowed after begin
 * for writing alone: SY_INVALID_ARGUMENT. After such a call failed, nothing but rollback is left to do. A visit may
 * call the functions that read, but not the one that visits; one that returns non-OK ends it, and is passed through. */
typedef struct sy_storage {
    size_t struct_size;
    const char *name; /* "sqlite" */
    /* SY_NOT_FOUND: none is there, and it is not to be made. SY_VERSION_UNSUPPORTED: a newer steelyard wrote it.
     * SY_INVALID_ARGUMENT: no folder. */
    sy_status (*open)(const sy_storage_options *options, void **ret_state, sy_error *err);
    void (*close)(void *state); /* rolls back what is open */
    /* write: waits for other writers in a fair queue, at most wait_ns: SY_BUSY names the holder. SY_REFUSED: read only.
     */
    sy_status (*begin)(void *state, bool write, sy_error *err);
    sy_status (*commit)(void *state, sy_error *err); /* on the disk when it returns; a failure has rolled back */
    void (*rollback)(void *state);

    sy_status (*get_id)(void *state, char ret_id[33], sy_error *err); /* "" = none yet */
    /* 32 hexadecimal digits. SY_REFUSED: it has events already, which belong to another id. */
    sy_status (*put_id)(void *state, const char *id, sy_error *err);
    sy_status (*head)(void *state, uint64_t *ret_number, sy_digest *ret_digest, sy_error *err); /* 0 = empty */
    /* number: the head's + 1, else SY_INVALID_ARGUMENT. */
    sy_status (*append)(void *state, const sy_stored_event *event, sy_error *err);
    /* In order of numbers; run NULL = all. What was removed by other hands is simply not there. */
    sy_status (*events)(void *state, uint64_t from, const char *run, sy_storage_event_fn visit, void *user,
                        sy_error *err);
    /* Kept once; again is fine. Its event is there when commit is called, else that is SY_INVALID_ARGUMENT. */
    sy_status (*put_series)(void *state, const sy_stored_series *series, sy_error *err);
    /* Bytes in the arena. SY_NOT_FOUND. */
    sy_status (*get_series)(void *state, const sy_digest *digest, sy_arena *arena, const void **ret_bytes,
                            size_t *ret_count, sy_error *err);
    /* The list of runs, which events can always make again: new, or in place of its id's. NULL texts are kept as "".
     * key: the comparison key as
     * canonical JSON, "" = none, NULL = as it was, with its digest (of a row that is there). SY_INVALID_ARGUMENT:
     * another run has that number, or there is no key to be left. */
    sy_status (*put_row)(void *state, const sy_run_row *row, const char *key, sy_error *err);
    /* Texts in the arena. SY_NOT_FOUND. */
    sy_status (*get_row)(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row, sy_error *err);
    /* The newest first; at most filter->limit visits. ret_total may be NULL: how many the filter lets through, whatever
     * its limit and its page (before_number). filter may be NULL, as that of keys. */
    sy_status (*rows)(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                      uint64_t *ret_total, sy_error *err);
    /* Rows whose id begins with that text, by id, at most limit. */
    sy_status (*rows_like)(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit, void *user,
                           sy_error *err);
    /* One visit a key (an incomplete one: each run alone; runs that have none are passed by), the one with the newest
     * run first; the filter chooses the runs that are counted. row->key is empty: key is its text. */
    sy_status (*keys)(void *state, const sy_run_filter *filter, bool incomplete_too, sy_storage_key_fn visit,
                      void *user, sy_error *err);

    /* The figures of the run that began with figure->run_number; texts that are NULL are kept as "".
     * SY_INVALID_ARGUMENT: numbers or words that are none; SY_CORRUPT: there are some of that run and event already. */
    sy_status (*put_figure)(void *state, uint64_t event, const sy_figure_row *figure, sy_error *err);
    /* Of the runs that rows would visit, in the order of their numbers, then of events; figure->run is told. */
    sy_status (*figures)(void *state, const sy_run_filter *filter, sy_storage_figure_fn visit, void *user,
                         sy_error *err);
    /* Events of one kind, changes or self-tests, in order of numbers. SY_INVALID_ARGUMENT: another kind. */
    sy_status (*events_of)(void *state, sy_event_kind kind, sy_storage_event_fn visit, void *user, sy_error *err);

    /* For proof: everything that is kept, whether an event names it or not. */
    sy_status (*each_series)(void *state, sy_storage_series_fn visit, void *user, sy_error *err); /* by event, digest */
    sy_status (*each_row)(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err); /* by number, id */
    sy_status (*each_figure)(void *state, sy_storage_figure_fn visit, void *user, sy_error *err); /* by run, event */
    /* One visit a complaint of the database about its own structure; none = sound. */
    sy_status (*check)(void *state, sy_storage_complaint_fn visit, void *user, sy_error *err);
} sy_storage;

/* ---- what every entry needs ---- */

/* Whether it may be kept: SY_INVALID_ARGUMENT says why not, SY_LIMIT_EXCEEDED, SY_REFUSED. head: the last event's
 * number; former: the id that events belong to, what is kept of that run; NULL = nothing. */
sy_status sy_stored_id_check(const char *id, const char *former, sy_error *err) SY_NODISCARD;
sy_status sy_stored_event_check(const sy_stored_event *event, uint64_t head, sy_error *err) SY_NODISCARD;
sy_status sy_stored_series_check(const sy_stored_series *series, sy_error *err) SY_NODISCARD;
sy_status sy_stored_row_check(const sy_run_row *row, const sy_run_row *former, const char *key,
                              sy_error *err) SY_NODISCARD;

sy_status sy_stored_figure_check(uint64_t event, const sy_figure_row *figure, sy_error *err) SY_NODISCARD;

/* A copy whose texts live in the arena; none is NULL. SY_NO_MEMORY. */
sy_status sy_run_row_copy(sy_arena *arena, const sy_run_row *row, sy_run_row *ret_row, sy_error *err) SY_NODISCARD;
sy_status sy_figure_row_copy(sy_arena *arena, const sy_figure_row *figure, sy_figure_row *ret_figure,
                             sy_error *err) SY_NODISCARD;
/* Whether the filter (NULL = all) lets that run through, its page (before_number) aside. */
bool sy_run_filter_lets(const sy_run_filter *filter, const sy_run_row *row);

extern const sy_storage sy_storage_sqlite;
extern const sy_storage sy_storage_memory; /* for tests and for ledgers without a folder */

#endif
