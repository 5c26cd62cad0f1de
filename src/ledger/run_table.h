/* SPDX-License-Identifier: Apache-2.0 */
/* Runs by their ids, each as far as its events have been folded. */
#ifndef STEELYARD_LEDGER_RUN_TABLE_H
#define STEELYARD_LEDGER_RUN_TABLE_H

#include "ledger/run_life.h"

typedef struct sy_run_entry {
    sy_run_row row;       /* its texts live in the table */
    const char *key;      /* the comparison key as canonical JSON, "" = none, NULL = not known here */
    uint64_t last_number; /* of its last event */
    bool exists;          /* its begin was seen */
    bool follows_begin;   /* nothing but its own events came since its begin */
    bool changed;         /* free for the owner, as the next one */
    bool listed;
} sy_run_entry;

typedef struct sy_run_table {
    sy_arena *arena; /* private, as all that follows */
    sy_run_entry **slots;
    size_t slot_count;
    sy_run_entry **entries; /* in the order in which they came */
    size_t count;
    size_t capacity;
} sy_run_table;

sy_status sy_run_table_start(sy_run_table *table, sy_error *err) SY_NODISCARD;
void sy_run_table_finish(sy_run_table *table);                              /* a zeroed one is allowed */
sy_run_entry *sy_run_table_find(const sy_run_table *table, const char *id); /* NULL = not there */
/* The entry of that id, a new one (exists false) where there was none. NULL: no memory. It stays where it is. */
sy_run_entry *sy_run_table_add(sy_run_table *table, const char *id);
/* Takes the row: texts that the entry, or the entry before it, has already are not kept twice. SY_NO_MEMORY. */
sy_status sy_run_table_set(sy_run_table *table, sy_run_entry *entry, const sy_run_row *row, sy_error *err) SY_NODISCARD;
/* Folds one event into the run that it names. scratch: for what need not stay. Errors as sy_run_life_fold; the entry is
 * untouched then. */
sy_status sy_run_table_fold(sy_run_table *table, const sy_life_event *event, sy_arena *scratch,
                            sy_run_entry **ret_entry, sy_error *err) SY_NODISCARD;

#endif
