/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the storage in SQLite: a subject of that entry alone, and the file in other hands. Needs cmocka. */
#ifndef STEELYARD_TESTS_SQLITE_FIXTURE_H
#define STEELYARD_TESTS_SQLITE_FIXTURE_H

#include "storage_entries.h"

#include <sqlite3.h>

static inline const storage_entry *sqlite_entry(void)
{
    for (size_t i = 0; i < STORAGE_ENTRY_COUNT; i++) {
        if (storage_entries[i].storage == &sy_storage_sqlite) {
            return &storage_entries[i];
        }
    }
    return NULL;
}

#define IN_SQLITE(test)                                                                                 \
    {                                                                                                   \
        .name = #test, .test_func = test, .setup_func = start_subject, .teardown_func = finish_subject, \
        .initial_state = (void *)(uintptr_t)sqlite_entry()                                              \
    }

/* The path of a file of the ledger; it lives until the next call. */
static inline const char *path_of(const subject *s, const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return path;
}

/* The same file through SQLite alone, as anybody may open it. The caller closes it. */
static inline sqlite3 *other_hands(const subject *s)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path_of(s, "ledger.sqlite"), &database), SQLITE_OK);
    return database;
}

static inline void allow_sql(sqlite3 *database, const char *sql)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    }
}

static inline void refuse_sql(sqlite3 *database, const char *sql, const char *why)
{
    assert_int_not_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    if (strstr(sqlite3_errmsg(database), why) == NULL) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    }
}

static inline void by_other_hands(const subject *s, const char *sql)
{
    sqlite3 *database = other_hands(s);
    allow_sql(database, sql);
    sqlite3_close(database);
}

/* The first value of the first row as text; "" = none. It lives until the next call. */
static inline const char *ask_sql(sqlite3 *database, const char *sql)
{
    static char answer[400];
    sqlite3_stmt *statement = NULL;
    answer[0] = '\0';
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    }
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL) {
        snprintf(answer, sizeof answer, "%s", (const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return answer;
}

/* Events until the file has so many pages. */
static inline void fill_pages(subject *s, uint64_t events)
{
    char bytes[2000];
    memset(bytes, 'x', sizeof bytes - 1);
    bytes[sizeof bytes - 1] = '\0';
    begin(s);
    for (uint64_t i = 1; i <= events; i++) {
        ALLOWS(append_text(s, i, "a", bytes));
    }
    commit(s);
}

#endif
