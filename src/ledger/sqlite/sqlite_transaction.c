/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: writers queue at the lock file, which is fair and names its holder, before they ask SQLite; readers see
 * one snapshot and take no lock. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

#define NS_PER_MS UINT64_C(1000000)

static sy_status run_alone(sy_sqlite *s, sy_sqlite_which which, sy_error *err)
{
    sy_sqlite_query query;
    sy_status status = sy_sqlite_take(s, which, &query, err);
    return status == SY_OK ? sy_sqlite_run(s, &query, err) : status;
}

static void undo(sy_sqlite *s)
{
    if (sqlite3_get_autocommit(s->database) == 0) {
        (void)sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
    }
    sy_lock_release(s->lock);
    s->lock = NULL;
    s->is_open = false;
    s->is_writing = false;
    s->has_failed = false;
}

/* A newer steelyard may have brought the file up to date since it was opened here. */
static sy_status check_version(sy_sqlite *s, sy_error *err)
{
    sy_sqlite_query query;
    bool row = false;
    int version = 0;
    sy_status status = sy_sqlite_take(s, SY_SQLITE_VERSION, &query, err);
    if (status == SY_OK) {
        status = sy_sqlite_step(s, &query, &row, err);
    }
    if (status == SY_OK && row) {
        version = sqlite3_column_int(query.statement, 0);
    }
    sy_sqlite_put_back(&query);
    if (status == SY_OK && (size_t)version > sy_migration_count) {
        status = sy_sqlite_too_new(s, version, (int)sy_migration_count, err);
    }
    return status;
}

/* What is written into a file that was moved or removed while it was open is in no ledger. */
static sy_status check_place(const sy_sqlite *s, sy_error *err)
{
    int moved = 0;
    if (sqlite3_file_control(s->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0) {
        (void)sy_fail(err, SY_IO, "the ledger '%s' was moved or removed while it was open", s->path);
        sy_error_hint(err, "nothing is written: bring the file back");
        return SY_IO;
    }
    return SY_OK;
}

static sy_status begin_writing(sy_sqlite *s, sy_error *err)
{
    uint64_t start = sy_clock_now(&sy_clock_system);
    sy_status status = sy_lock_take_for(s->path, s->lock_path, s->wait_ns, &s->lock, err);
    if (status != SY_OK) {
        return status;
    }
    uint64_t waited = sy_clock_now(&sy_clock_system) - start;
    uint64_t left_ms = waited < s->wait_ns ? (s->wait_ns - waited) / NS_PER_MS : 0;
    (void)sqlite3_busy_timeout(s->database, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
    status = run_alone(s, SY_SQLITE_BEGIN_WRITING, err);
    sy_sqlite_be_patient(s);
    if (status == SY_OK) {
        status = check_place(s, err);
    }
    return status == SY_OK ? check_version(s, err) : status;
}

/* SQLite fixes the snapshot at the first question. */
static sy_status begin_reading(sy_sqlite *s, sy_error *err)
{
    sy_status status = run_alone(s, SY_SQLITE_BEGIN, err);
    return status == SY_OK ? check_version(s, err) : status;
}

sy_status sy_sqlite_begin(void *state, bool write, sy_error *err)
{
    sy_sqlite *s = state;
    if (s->is_open) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of the ledger's storage is open already");
    }
    if (write && s->read_only) {
        return sy_fail(err, SY_REFUSED, "the ledger '%s' is open for reading alone", s->path);
    }
    sy_status status = write ? begin_writing(s, err) : begin_reading(s, err);
    if (status != SY_OK) {
        undo(s);
        return status;
    }
    s->is_open = true;
    s->is_writing = write;
    return SY_OK;
}

sy_status sy_sqlite_commit(void *state, sy_error *err)
{
    sy_sqlite *s = state;
    if (!s->is_open) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no transaction of the ledger's storage is open");
    }
    sy_status status = SY_OK;
    if (s->has_failed) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of which a part failed can only be rolled back");
    } else {
        status = run_alone(s, SY_SQLITE_COMMIT, err);
    }
    if (status == SY_CORRUPT && (sqlite3_errcode(s->database) & 0xff) == SQLITE_CONSTRAINT) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "samples name an event that is not there");
    }
    undo(s);
    return status;
}

void sy_sqlite_rollback(void *state)
{
    sy_sqlite *s = state;
    if (s->is_open) {
        undo(s);
    }
}

sy_status sy_sqlite_may_change(const sy_sqlite *s, sy_error *err)
{
    if (!s->is_writing) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the ledger's storage changes only between begin and commit");
    }
    /* A full disk makes SQLite roll back by itself; what follows would stand alone. */
    if (s->has_failed || sqlite3_get_autocommit(s->database) != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of which a part failed can only be rolled back");
    }
    return SY_OK;
}

sy_status sy_sqlite_changed(sy_sqlite *s, sy_status status)
{
    s->has_failed = s->has_failed || (s->is_writing && status != SY_OK);
    return status;
}

sy_status sy_sqlite_begin_reading(sy_sqlite *s, bool *ret_began, sy_error *err)
{
    if (s->is_open) {
        *ret_began = false;
        return SY_OK;
    }
    sy_status status = begin_reading(s, err);
    if (status != SY_OK) {
        undo(s);
        return status;
    }
    *ret_began = true;
    return SY_OK;
}

void sy_sqlite_end_reading(sy_sqlite *s, bool began)
{
    if (began) {
        (void)sqlite3_exec(s->database, "COMMIT", NULL, NULL, NULL);
    }
}
