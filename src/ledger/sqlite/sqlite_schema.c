/* SPDX-License-Identifier: Apache-2.0 */
/* What other hands did to the tables themselves: everything that the migrations make is still there, word for word, and
 * no trigger acts besides. Views and indexes of others change nothing, and may be there. */
#include <stdio.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

/* The same migrations in a database of its own, whose schema stands beside the ledger's as `made`. */
static const char differences[] =
    "SELECT 'the ' || type || ' ' || name || ' is missing' FROM made WHERE NOT EXISTS ("
    "SELECT 1 FROM found WHERE found.type = made.type AND found.name = made.name) "
    "UNION ALL SELECT 'the ' || type || ' ' || name || ' was changed' FROM made WHERE EXISTS ("
    "SELECT 1 FROM found WHERE found.type = made.type AND found.name = made.name AND found.sql IS NOT made.sql) "
    "UNION ALL SELECT 'the trigger ' || name || ' is of other hands' FROM found WHERE type = 'trigger' AND NOT EXISTS ("
    "SELECT 1 FROM made WHERE made.type = found.type AND made.name = found.name)";

static const char tables[] =
    "CREATE TEMP TABLE made AS SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL;"
    "CREATE TEMP TABLE found (type TEXT, name TEXT, sql TEXT)";

static sy_status copy_schema(const sy_sqlite *s, sqlite3 *beside, sy_error *err)
{
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    int code = sqlite3_prepare_v2(s->database, "SELECT type, name, sql FROM main.sqlite_schema", -1, &from, NULL);
    sy_status status = code == SQLITE_OK ? SY_OK : sy_sqlite_fail(s, code, err);
    if (status == SY_OK &&
        sqlite3_prepare_v2(beside, "INSERT INTO found VALUES (?, ?, ?)", -1, &to, NULL) != SQLITE_OK) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to check the ledger's tables");
    }
    while (status == SY_OK && (code = sqlite3_step(from)) == SQLITE_ROW) {
        for (int i = 0; i < 3; i++) {
            (void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
        }
        if (sqlite3_step(to) != SQLITE_DONE) {
            status = sy_fail(err, SY_NO_MEMORY, "no memory to check the ledger's tables");
        }
        (void)sqlite3_reset(to);
    }
    if (status == SY_OK && code != SQLITE_DONE) {
        status = sy_sqlite_fail(s, code, err);
    }
    (void)sqlite3_finalize(from);
    (void)sqlite3_finalize(to);
    return status;
}

static sy_status compare(sqlite3 *beside, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    sqlite3_stmt *statement = NULL;
    sy_status status = SY_OK;
    int code = sqlite3_prepare_v2(beside, differences, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *complaint = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        status = complaint != NULL ? visit(user, complaint, err) : SY_OK;
        if (status != SY_OK) {
            break;
        }
    }
    (void)sqlite3_finalize(statement);
    return status == SY_OK && code != SQLITE_DONE ? sy_fail(err, SY_NO_MEMORY, "no memory to check the ledger's tables")
                                                  : status;
}

sy_status sy_sqlite_check_schema(const sy_sqlite *s, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    sy_sqlite beside = {.path = s->path};
    int version = 0;
    sy_status status = sy_sqlite_read_version(s, &version, err);
    if (status == SY_OK && (size_t)version > sy_migration_count) {
        status = sy_sqlite_too_new(s, version, (int)sy_migration_count, err);
    }
    if (status == SY_OK &&
        sqlite3_open_v2(":memory:", &beside.database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to check the ledger's tables");
    }
    if (status == SY_OK) {
        status = sy_sqlite_migrate(&beside, 0, sy_migrations, (size_t)version, err);
    }
    if (status == SY_OK && sqlite3_exec(beside.database, tables, NULL, NULL, NULL) != SQLITE_OK) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to check the ledger's tables");
    }
    if (status == SY_OK) {
        status = copy_schema(s, beside.database, err);
    }
    if (status == SY_OK) {
        status = compare(beside.database, visit, user, err);
    }
    (void)sqlite3_close(beside.database);
    return status;
}
