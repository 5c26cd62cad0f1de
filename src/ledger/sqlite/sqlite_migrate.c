/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the schema that a database has, and the way to the newest one: each migration is one transaction,
 * together with the number that it leaves in the file. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

static sy_status read_number(const sy_sqlite *s, const char *sql, int64_t *ret_number, sy_error *err)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(s->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    sy_status status = SY_OK;
    if (code == SQLITE_ROW) {
        *ret_number = sqlite3_column_int64(statement, 0);
    } else {
        status = sy_sqlite_fail_at(s->path, s->database, code, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

sy_status sy_sqlite_read_version(const sy_sqlite *s, int *ret_version, sy_error *err)
{
    int64_t version = 0;
    int64_t application = 0;
    int64_t objects = 0;
    sy_status status = read_number(s, "PRAGMA user_version", &version, err);
    if (status == SY_OK) {
        status = read_number(s, "PRAGMA application_id", &application, err);
    }
    if (status == SY_OK) {
        status = read_number(s, "SELECT count(*) FROM sqlite_schema", &objects, err);
    }
    if (status != SY_OK) {
        return status;
    }
    bool is_new = version == 0 && application == 0 && objects == 0;
    if (!is_new && (application != SY_SQLITE_APPLICATION_ID || version <= 0 || version > INT32_MAX)) {
        sy_fail(err, SY_CORRUPT, "'%s' is a database of something else", s->path);
        sy_error_hint(err, "name another folder for the ledger");
        return SY_CORRUPT;
    }
    *ret_version = (int)version;
    return SY_OK;
}

sy_status sy_sqlite_too_new(const sy_sqlite *s, int version, int known, sy_error *err)
{
    sy_fail(err, SY_VERSION_UNSUPPORTED, "'%s' has version %d of its schema, and this steelyard knows version %d",
            s->path, version, known);
    sy_error_hint(err, "use the newer steelyard that wrote it, or build an older ledger from its export");
    return SY_VERSION_UNSUPPORTED;
}

static sy_status run_sql(const sy_sqlite *s, const char *sql, sy_error *err)
{
    int code = sqlite3_exec(s->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? SY_OK : sy_sqlite_fail(s, code, err);
}

/* The lists from the events, inside of the migration's transaction. */
static sy_status derive(sy_sqlite *s, sy_error *err)
{
    if (s->derive == NULL) {
        return SY_OK;
    }
    s->is_writing = true;
    sy_status status = s->derive(s, err);
    s->is_writing = false;
    s->has_failed = false;
    return status;
}

static sy_status run_migration(sy_sqlite *s, const sy_migration *migration, int number, bool derives, sy_error *err)
{
    char numbers[96];
    snprintf(numbers, sizeof numbers, "PRAGMA user_version = %d; PRAGMA application_id = %d", number,
             SY_SQLITE_APPLICATION_ID);
    sy_status status = run_sql(s, "BEGIN IMMEDIATE", err);
    if (status == SY_OK) {
        status = run_sql(s, (const char *)migration->sql, err);
    }
    if (status == SY_OK && derives) {
        status = derive(s, err);
    }
    if (status == SY_OK) {
        status = run_sql(s, numbers, err);
    }
    return status == SY_OK ? run_sql(s, "COMMIT", err) : status;
}

sy_status sy_sqlite_migrate(sy_sqlite *s, int version, const sy_migration *migrations, size_t count, sy_error *err)
{
    for (size_t i = (size_t)version; i < count; i++) {
        bool derives = version > 0 && i + 1 == count;
        sy_status status = run_migration(s, &migrations[i], (int)i + 1, derives, err);
        if (status != SY_OK) {
            sy_error_prefix(err, "cannot apply %s", migrations[i].name);
            if (sqlite3_get_autocommit(s->database) == 0) {
                (void)sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
            }
            return status;
        }
    }
    return SY_OK;
}
