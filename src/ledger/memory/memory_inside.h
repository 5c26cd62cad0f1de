/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the storage in memory share. Nobody else includes it. */
#ifndef STEELYARD_LEDGER_MEMORY_INSIDE_H
#define STEELYARD_LEDGER_MEMORY_INSIDE_H

#include "ledger/storage.h"

typedef struct kept_row {
    sy_run_row row;
    const char *key;
} kept_row;

/* Of one series or memory figure. */
typedef struct kept_figure {
    sy_figure_row figure; /* run: "" */
    uint64_t event;
} kept_figure;

/* One put_row of the open transaction. */
typedef struct change {
    kept_row *former; /* NULL: it is new */
    kept_row *now;
} change;

/* A growing array of pointers. */
typedef struct table {
    void **items;
    size_t count;
    size_t capacity;
} table;

/* Whatever was ever put lives in the arena until close; the tables say what of it counts, and a rollback puts them
 * back. */
typedef struct memory_storage {
    sy_arena *arena;
    char id[33];
    char former_id[33];
    table events;    /* sy_stored_event, in order of numbers */
    table series;    /* sy_stored_series, in order of digests */
    table arrivals;  /* the same, in order of arrival */
    table by_number; /* kept_row */
    table by_id;     /* kept_row */
    table figures;   /* kept_figure, in order of runs and events */
    table changes;   /* change, of the open transaction */
    size_t former_event_count;
    size_t former_series_count;
    bool read_only;
    bool is_open; /* a transaction */
    bool is_writing;
    bool has_failed; /* something of the open transaction */
} memory_storage;

/* How an item stands to what is looked for: below, at or above 0. */
typedef int (*compare_fn)(const void *item, const void *wanted);

/* Where the first item stands that is not below the wanted one; *ret_found: it is that one. */
size_t sy_memory_ledger_place_of(const table *t, compare_fn compare, const void *wanted, bool *ret_found);
bool sy_memory_ledger_make_room(table *t);                        /* for one more; false: no memory */
void sy_memory_ledger_insert_at(table *t, size_t at, void *item); /* there is room */
void sy_memory_ledger_remove_at(table *t, size_t at);
int sy_memory_ledger_compare_id(const void *item, const void *wanted);
int sy_memory_ledger_compare_number(const void *item, const void *wanted);
/* SY_INVALID_ARGUMENT unless a transaction for writing is open and whole. */
sy_status sy_memory_ledger_may_change(const memory_storage *s, sy_error *err) SY_NODISCARD;
/* What a change ended with: a failure is remembered, so that the transaction cannot be committed. */
sy_status sy_memory_ledger_changed(memory_storage *s, sy_status status);

sy_status sy_memory_ledger_put_row(void *state, const sy_run_row *row, const char *key, sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_get_row(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row,
                                   sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_rows(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                                uint64_t *ret_total, sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_rows_like(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit,
                                     void *user, sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_each_row(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_keys(void *state, const sy_run_filter *filter, bool incomplete_too, sy_storage_key_fn visit,
                                void *user, sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_put_figure(void *state, uint64_t event, const sy_figure_row *figure,
                                      sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_figures(void *state, const sy_run_filter *filter, sy_storage_figure_fn visit, void *user,
                                   sy_error *err) SY_NODISCARD;
sy_status sy_memory_ledger_each_figure(void *state, sy_storage_figure_fn visit, void *user, sy_error *err) SY_NODISCARD;
/* Takes back the figures of events behind that one. */
void sy_memory_ledger_drop_figures(memory_storage *s, uint64_t last_event);
void sy_memory_ledger_put_back_row(memory_storage *s, const change *c);

#endif
