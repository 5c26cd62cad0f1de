/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the storage in SQLite share: its state, its statements, how SQLite's answers become ours. Nobody
 * else includes it. */
#ifndef STEELYARD_LEDGER_SQLITE_INSIDE_H
#define STEELYARD_LEDGER_SQLITE_INSIDE_H

#include <sqlite3.h>

#include "base/lock.h"
#include "ledger/storage.h"

#define SY_SQLITE_APPLICATION_ID 0x53594c44 /* "SYLD", in the file's header */

/* Statements that are kept once they were made; their texts are in sqlite_statements.c. */
typedef enum sy_sqlite_which {
    SY_SQLITE_BEGIN,
    SY_SQLITE_BEGIN_WRITING,
    SY_SQLITE_COMMIT,
    SY_SQLITE_VERSION,
    SY_SQLITE_GET_ID,
    SY_SQLITE_PUT_ID,
    SY_SQLITE_HEAD,
    SY_SQLITE_APPEND,
    SY_SQLITE_EVENTS,
    SY_SQLITE_EVENTS_OF_RUN,
    SY_SQLITE_EVENTS_OF_CHANGES,
    SY_SQLITE_EVENTS_OF_SELFTESTS,
    SY_SQLITE_PUT_SERIES,
    SY_SQLITE_GET_SERIES,
    SY_SQLITE_EACH_SERIES,
    SY_SQLITE_FIND_FACET,
    SY_SQLITE_PUT_FACET,
    SY_SQLITE_FIND_KEY,
    SY_SQLITE_PUT_KEY,
    SY_SQLITE_FIND_REVISION,
    SY_SQLITE_PUT_REVISION,
    SY_SQLITE_FIND_RUN,
    SY_SQLITE_RUN_OF_NUMBER,
    SY_SQLITE_PUT_RUN,
    SY_SQLITE_CHANGE_RUN,
    SY_SQLITE_GET_ROW,
    SY_SQLITE_EACH_ROW,
    SY_SQLITE_ROWS_LIKE,
    SY_SQLITE_ROWS,
    SY_SQLITE_ROWS_BY_FACET,
    SY_SQLITE_ROWS_BY_KEY,
    SY_SQLITE_ROWS_BY_REVISION,
    SY_SQLITE_TOTAL_BY_FACET,
    SY_SQLITE_TOTAL_BY_KEY,
    SY_SQLITE_TOTAL_BY_REVISION,
    SY_SQLITE_KEYS,
    SY_SQLITE_FIND_METRIC,
    SY_SQLITE_PUT_METRIC,
    SY_SQLITE_PUT_FIGURE,
    SY_SQLITE_FIGURES,
    SY_SQLITE_FIGURES_BY_FACET,
    SY_SQLITE_FIGURES_BY_KEY,
    SY_SQLITE_FIGURES_BY_REVISION,
    SY_SQLITE_EACH_FIGURE,
    SY_SQLITE_CHECK,
    SY_SQLITE_CHECK_REFERENCES,
    SY_SQLITE_CHECK_COUNTS,
    SY_SQLITE_EACH_KEY,
    SY_SQLITE_STATEMENT_COUNT
} sy_sqlite_which;

extern const char *const sy_sqlite_texts[SY_SQLITE_STATEMENT_COUNT];

typedef struct sy_sqlite {
    sqlite3 *database;
    char *path;
    char *lock_path;
    uint64_t wait_ns;
    bool read_only;
    sy_status (*derive)(void *state, sy_error *err); /* as in the options; NULL = nothing is derived */
    bool immutable; /* the folder cannot be written, and nobody was writing when it was opened */
    bool is_open;   /* a transaction */
    bool is_writing;
    bool has_failed; /* something of the open transaction */
    sy_lock *lock;
    sqlite3_stmt *statements[SY_SQLITE_STATEMENT_COUNT];
} sy_sqlite;

/* A step of the way from one version of the schema to the next; its number is the version that it leaves. */
typedef struct sy_migration {
    const char *name; /* "001_first.sql" */
    const unsigned char *sql;
    size_t size;
} sy_migration;

extern const sy_migration sy_migrations[];
extern const size_t sy_migration_count;

/* ---- answers ---- */

/* The status and the text of an answer of SQLite's that is none of SQLITE_OK, SQLITE_ROW and SQLITE_DONE. */
sy_status sy_sqlite_fail(const sy_sqlite *s, int code, sy_error *err);
/* The same for a database that could not be opened: path, and the handle that says why (NULL = no memory). */
sy_status sy_sqlite_fail_at(const char *path, sqlite3 *database, int code, sy_error *err);
/* "process 4711", which holds the database for writing, or "another program". size >= 64. */
void sy_sqlite_name_writer(const sy_sqlite *s, char *to, size_t size);

/* ---- statements ---- */

/* A kept statement in use, and the values that were given to it so far. */
typedef struct sy_sqlite_query {
    sqlite3_stmt *statement;
    int value_count;
    int code; /* the first value that could not be given says so here, and the first step fails */
} sy_sqlite_query;

/* Takes a kept statement; whatever is returned, sy_sqlite_put_back may follow. */
sy_status sy_sqlite_take(sy_sqlite *s, sy_sqlite_which which, sy_sqlite_query *ret_query, sy_error *err) SY_NODISCARD;
void sy_sqlite_put_back(sy_sqlite_query *query);
/* The next value. Texts and bytes are borrowed until it is put back; a NULL text is NULL. */
void sy_sqlite_add_text(sy_sqlite_query *query, const char *text);
void sy_sqlite_add_text_of(sy_sqlite_query *query, const char *bytes, size_t size);
void sy_sqlite_add_bytes(sy_sqlite_query *query, const void *bytes, size_t size);
void sy_sqlite_add_number(sy_sqlite_query *query, int64_t number);
void sy_sqlite_add_double(sy_sqlite_query *query, double value); /* NaN is NULL */
void sy_sqlite_add_null(sy_sqlite_query *query);
/* The next row; *ret_row false: there is none. */
sy_status sy_sqlite_step(const sy_sqlite *s, sy_sqlite_query *query, bool *ret_row, sy_error *err) SY_NODISCARD;
/* Runs one that gives no rows, and puts it back. */
sy_status sy_sqlite_run(const sy_sqlite *s, sy_sqlite_query *query, sy_error *err) SY_NODISCARD;
const char *sy_sqlite_text(const sy_sqlite_query *query, int at); /* of a column; never NULL */

/* ---- the schema ---- */

/* The version of the schema that is there; 0 = there is none. SY_CORRUPT: a database of something else. */
sy_status sy_sqlite_read_version(const sy_sqlite *s, int *ret_version, sy_error *err) SY_NODISCARD;
/* Brings it from that version to the newest, a transaction a migration, the last of which has the lists made anew where
 * there was a version before. The lock is held. */
sy_status sy_sqlite_migrate(sy_sqlite *s, int version, const sy_migration *migrations, size_t count,
                            sy_error *err) SY_NODISCARD;
/* One visit a table, index, view or trigger of the database's version that is missing or was changed, and a trigger of
 * others; that version is known. */
sy_status sy_sqlite_check_schema(const sy_sqlite *s, sy_storage_complaint_fn visit, void *user,
                                 sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_too_new(const sy_sqlite *s, int version, int known, sy_error *err);

/* ---- transactions ---- */

/* Reading waits for nobody who writes, but for a moment when a log is recovered or carried over: at least a second. */
void sy_sqlite_be_patient(const sy_sqlite *s);

/* SY_INVALID_ARGUMENT unless a transaction for writing is open and whole. */
sy_status sy_sqlite_may_change(const sy_sqlite *s, sy_error *err) SY_NODISCARD;
/* What a change ended with: a failure is remembered, so that the transaction cannot be committed. */
sy_status sy_sqlite_changed(sy_sqlite *s, sy_status status);
/* A snapshot for a call that asks several questions, unless a transaction is open; *ret_began: end it. */
sy_status sy_sqlite_begin_reading(sy_sqlite *s, bool *ret_began, sy_error *err) SY_NODISCARD;
void sy_sqlite_end_reading(sy_sqlite *s, bool began);

/* ---- the entry's functions ---- */

sy_status sy_sqlite_open(const sy_storage_options *options, void **ret_state, sy_error *err) SY_NODISCARD;
void sy_sqlite_close(void *state);
sy_status sy_sqlite_begin(void *state, bool write, sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_commit(void *state, sy_error *err) SY_NODISCARD;
void sy_sqlite_rollback(void *state);
sy_status sy_sqlite_put_row(void *state, const sy_run_row *row, const char *key, sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_get_row(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row,
                            sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_rows(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                         uint64_t *ret_total, sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_rows_like(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit, void *user,
                              sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_each_row(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_keys(void *state, const sy_run_filter *filter, bool incomplete_too, sy_storage_key_fn visit,
                         void *user, sy_error *err) SY_NODISCARD;

sy_status sy_sqlite_put_figure(void *state, uint64_t event, const sy_figure_row *figure, sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_figures(void *state, const sy_run_filter *filter, sy_storage_figure_fn visit, void *user,
                            sy_error *err) SY_NODISCARD;
sy_status sy_sqlite_each_figure(void *state, sy_storage_figure_fn visit, void *user, sy_error *err) SY_NODISCARD;

/* ---- rows ---- */

/* Gives a statement the values of something that many rows share. */
typedef void (*sy_sqlite_add_fn)(sy_sqlite_query *query, const void *what);
/* The id of what is kept once for many rows, by the two statements that find and put it; put first if it is new. */
sy_status sy_sqlite_find_or_put(sy_sqlite *s, sy_sqlite_which find, sy_sqlite_which put, sy_sqlite_add_fn add,
                                const void *what, int64_t *ret_id, sy_error *err) SY_NODISCARD;

/* Texts that a filter is made of, as statements want them. */
typedef struct sy_sqlite_filter {
    sy_run_filter filter;
    char statuses[128]; /* ",ok,failed,"; "" = any */
    char kinds[64];
    char verdicts[64];
    char *key_end; /* the first text behind all that begin like that; NULL = any */
    char *revision_end;
} sy_sqlite_filter;

sy_status sy_sqlite_filter_start(const sy_run_filter *filter, sy_sqlite_filter *values, sy_error *err) SY_NODISCARD;
void sy_sqlite_filter_finish(sy_sqlite_filter *values);
/* ?1 to ?15, as far as the statement has them. */
void sy_sqlite_add_filter(sy_sqlite_query *query, const sy_sqlite_filter *values);
bool sy_sqlite_filter_has_facets(const sy_sqlite_filter *values);

/* A row of a statement whose first columns are those of the list; texts live until it goes on. SY_CORRUPT. */
sy_status sy_sqlite_read_row(const sy_sqlite *s, const sy_sqlite_query *query, sy_run_row *ret_row,
                             sy_error *err) SY_NODISCARD;
#define SY_SQLITE_ROW_COLUMN_COUNT 36
const char *sy_sqlite_status_word(unsigned status);
const char *sy_sqlite_kind_word(unsigned kind);
const char *sy_sqlite_verdict_word(unsigned verdict);
int sy_sqlite_find_word(const char *const *words, size_t count, const char *word); /* -1 = not there */
#define SY_SQLITE_VERDICT_COUNT ((unsigned)SY_JUDGEMENT_BLOCK + 1)
#define SY_SQLITE_STATUS_COUNT ((unsigned)SY_RUN_IMPORTED + 1)
#define SY_SQLITE_KIND_COUNT ((unsigned)SY_RUN_KIND_IMPORT + 1)
#define SY_SQLITE_PARITY_COUNT ((unsigned)SY_RUN_PARITY_NOT_PERFORMED + 1)

#endif
