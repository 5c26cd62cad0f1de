/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a ledger's database: for writing, made or brought up to date; for reading, also where nothing can
 * be written. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger/sqlite/sqlite_inside.h"

#define NS_PER_MS UINT64_C(1000000)
#define LONGEST_WAIT_MS UINT64_C(1000000000)
#define SHORTEST_WAIT_MS UINT64_C(1000)
#define CACHE_KIB 16384
#define LARGEST_WAL_LEFT (64 * 1024 * 1024)

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the ledger");
}

/* SY_OK: a file with something in it stands there. SY_NOT_FOUND: nothing, or an empty one, which a maker that was
 * killed may have left. */
static sy_status look(const sy_sqlite *s, const char *folder, sy_error *err)
{
    struct stat file;
    if (stat(s->path, &file) != 0) {
        int error = errno;
        if (error != ENOENT) {
            return sy_fail_errno(err, SY_IO, error, "'%s': it cannot be opened", s->path);
        }
        sy_fail(err, SY_NOT_FOUND, "no ledger in '%s'", folder);
        sy_error_hint(err, "the first run that is recorded begins one; or name the folder by --evidence");
        return SY_NOT_FOUND;
    }
    if (!S_ISREG(file.st_mode)) {
        sy_fail(err, SY_IO, "'%s' is no file", s->path);
        sy_error_hint(err, "move it away, or name another folder for the ledger");
        return SY_IO;
    }
    if (file.st_size == 0) {
        sy_fail(err, SY_NOT_FOUND, "no ledger in '%s': its file is empty", folder);
        sy_error_hint(err, "the first run that is recorded begins one");
        return SY_NOT_FOUND;
    }
    return SY_OK;
}

static void close_database(sy_sqlite *s)
{
    for (size_t i = 0; i < SY_SQLITE_STATEMENT_COUNT; i++) {
        (void)sqlite3_finalize(s->statements[i]);
        s->statements[i] = NULL;
    }
    (void)sqlite3_close(s->database); /* the last one that closes carries -wal over and removes it */
    s->database = NULL;
}

void sy_sqlite_be_patient(const sy_sqlite *s)
{
    uint64_t wait_ms = s->wait_ns / NS_PER_MS;
    wait_ms = wait_ms > SHORTEST_WAIT_MS ? wait_ms : SHORTEST_WAIT_MS;
    (void)sqlite3_busy_timeout(s->database, (int)(wait_ms < LONGEST_WAIT_MS ? wait_ms : LONGEST_WAIT_MS));
}

static sy_status connect(sy_sqlite *s, const char *name, int flags, sy_error *err)
{
    int code = sqlite3_open_v2(name, &s->database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (code != SQLITE_OK) {
        sy_status status = sy_sqlite_fail_at(s->path, s->database, code, err);
        close_database(s);
        return status;
    }
    sy_sqlite_be_patient(s);
    (void)sqlite3_db_config(s->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return SY_OK;
}

/* Settings of a connection; none of them reads the file. */
static sy_status configure(sy_sqlite *s, sy_error *err)
{
    char settings[320];
    snprintf(settings, sizeof settings,
             "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; "
             "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -%d; "
             "PRAGMA journal_size_limit = %d",
             CACHE_KIB, LARGEST_WAL_LEFT);
    int code = sqlite3_exec(s->database, settings, NULL, NULL, NULL);
    return code == SQLITE_OK ? SY_OK : sy_sqlite_fail(s, code, err);
}

/* ---- for writing ---- */

static int is_wal(void *user, int count, char **values, char **names)
{
    (void)names;
    *(bool *)user = count == 1 && sy_text_equal(values[0], "wal");
    return 0;
}

/* The write-ahead log is a property of the file. */
static sy_status use_wal(const sy_sqlite *s, sy_error *err)
{
    bool wal = false;
    int code = sqlite3_exec(s->database, "PRAGMA journal_mode = WAL", is_wal, &wal, NULL);
    if (code != SQLITE_OK) {
        return sy_sqlite_fail(s, code, err);
    }
    if (!wal) {
        sy_fail(err, SY_IO, "'%s': its file system has no memory that processes share", s->path);
        sy_error_hint(err, "keep the ledger on a local file system");
        return SY_IO;
    }
    return SY_OK;
}

/* Under the lock, since others may be at it: what stands there now is asked again. */
static sy_status make_or_migrate(sy_sqlite *s, sy_error *err)
{
    sy_lock *lock = NULL;
    int version;
    sy_status status = sy_lock_take_for(s->path, s->lock_path, s->wait_ns, &lock, err);
    if (status == SY_OK) {
        status = use_wal(s, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_read_version(s, &version, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_migrate(s, version, sy_migrations, sy_migration_count, err);
    }
    sy_lock_release(lock);
    return status;
}

static sy_status cannot_be_written(const sy_sqlite *s, sy_error *err)
{
    int error = access(s->path, W_OK) == 0 ? EROFS : errno;
    sy_fail_errno(err, SY_IO, error, "'%s' cannot be written", s->path);
    sy_error_hint(err, "give this user the right to write the folder and its files, or only read it");
    return SY_IO;
}

static sy_status open_to_write(sy_sqlite *s, const sy_storage_options *options, sy_error *err)
{
    int version = 0;
    sy_status status = look(s, options->folder, err);
    if (status == SY_NOT_FOUND && options->create) {
        /* By the umask, which SQLite would not follow: it makes what is 0644 at most, and gives the log and the shared
         * memory the mode of the database. */
        status = sy_file_make_empty(s->path, err);
    }
    if (status == SY_OK) {
        status = connect(s, s->path, SQLITE_OPEN_READWRITE | (options->create ? SQLITE_OPEN_CREATE : 0), err);
    }
    if (status == SY_OK && sqlite3_db_readonly(s->database, "main") != 0) {
        status = cannot_be_written(s, err);
    }
    if (status == SY_OK) {
        status = configure(s, err);
    }
    if (status == SY_OK) {
        status = sy_sqlite_read_version(s, &version, err);
    }
    if (status != SY_OK) {
        return status;
    }
    if (version == 0 && !options->create) {
        return sy_fail(err, SY_NOT_FOUND, "no ledger in '%s': its database has no tables", options->folder);
    }
    if ((size_t)version > sy_migration_count) {
        return sy_sqlite_too_new(s, version, (int)sy_migration_count, err);
    }
    return (size_t)version < sy_migration_count ? make_or_migrate(s, err) : SY_OK;
}

/* ---- for reading ---- */

/* The path as a URI with a question at its end; NULL: no memory. The caller frees it. */
static char *immutable_name(const char *path)
{
    sy_text name = SY_TEXT_INIT;
    sy_text_append(&name, "file:");
    for (const char *c = path; *c != '\0'; c++) {
        if (strchr("%?#", *c) != NULL) {
            sy_text_append_format(&name, "%%%02x", (unsigned)*c);
        } else {
            sy_text_append_bytes(&name, c, 1);
        }
    }
    sy_text_append(&name, "?immutable=1");
    char *taken = sy_text_take(&name);
    sy_text_finish(&name);
    return taken;
}

/* Where nothing can be written beside the file, SQLite cannot tell readers from writers; it is then read as a file that
 * nobody changes, which is so when no writer's log stands beside it. */
static sy_status open_immutable(sy_sqlite *s, sy_error *err)
{
    char *log = sy_allocate(strlen(s->path) + 5, 1);
    char *name = immutable_name(s->path);
    struct stat file;
    sy_status status = SY_OK;
    if (log == NULL || name == NULL) {
        status = no_memory(err);
    } else {
        snprintf(log, strlen(s->path) + 5, "%s-wal", s->path);
        if (stat(log, &file) == 0 && file.st_size > 0) {
            sy_fail(err, SY_IO, "'%s': a writer that did not end left its log, and the folder cannot be written",
                    s->path);
            sy_error_hint(err, "read it once where its folder can be written, or a copy of all its files there");
            status = SY_IO;
        }
    }
    if (status == SY_OK) {
        status = connect(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    }
    s->immutable = status == SY_OK;
    sy_free(log);
    sy_free(name);
    return status;
}

/* An older ledger that is only read is brought up to date in a copy of it, in memory. */
static sy_status read_copy(sy_sqlite *s, int version, sy_error *err)
{
    sqlite3 *file = s->database;
    s->database = NULL;
    sy_status status = connect(s, ":memory:", SQLITE_OPEN_READWRITE, err);
    sqlite3_backup *backup = status == SY_OK ? sqlite3_backup_init(s->database, "main", file, "main") : NULL;
    int code = backup != NULL ? sqlite3_backup_step(backup, -1) : SQLITE_OK;
    if (backup != NULL) {
        (void)sqlite3_backup_finish(backup);
    }
    if (status == SY_OK && (backup == NULL || code != SQLITE_DONE)) {
        status = sy_sqlite_fail_at(s->path, backup == NULL ? s->database : file, backup == NULL ? SQLITE_ERROR : code,
                                   err);
    }
    (void)sqlite3_close(file);
    return status == SY_OK ? sy_sqlite_migrate(s, version, sy_migrations, sy_migration_count, err) : status;
}

static sy_status open_to_read(sy_sqlite *s, const sy_storage_options *options, sy_error *err)
{
    int version = 0;
    sy_error first = SY_ERROR_INIT;
    sy_status status = look(s, options->folder, err);
    if (status != SY_OK) {
        return status;
    }
    status = connect(s, s->path, SQLITE_OPEN_READONLY, &first);
    if (status == SY_OK) {
        status = sy_sqlite_read_version(s, &version, &first);
    }
    if (status == SY_IO && access(s->path, R_OK) == 0) {
        close_database(s);
        status = open_immutable(s, &first);
        if (status == SY_OK) {
            status = sy_sqlite_read_version(s, &version, &first);
        }
    }
    if (status != SY_OK) {
        if (err != NULL) {
            *err = first;
        }
        return status;
    }
    if (version == 0) {
        return sy_fail(err, SY_NOT_FOUND, "no ledger in '%s': its database has no tables", options->folder);
    }
    if ((size_t)version > sy_migration_count) {
        return sy_sqlite_too_new(s, version, (int)sy_migration_count, err);
    }
    if ((size_t)version < sy_migration_count && (status = read_copy(s, version, err)) != SY_OK) {
        return status;
    }
    return configure(s, err);
}

/* ---- both ---- */

static sy_status make_names(sy_sqlite *s, const char *folder)
{
    size_t size = strlen(folder) + sizeof "/ledger.sqlite";
    s->path = sy_allocate(size, 1);
    s->lock_path = sy_allocate(size, 1);
    if (s->path == NULL || s->lock_path == NULL) {
        return SY_NO_MEMORY;
    }
    snprintf(s->path, size, "%s/ledger.sqlite", folder);
    snprintf(s->lock_path, size, "%s/ledger.lock", folder);
    return SY_OK;
}

sy_status sy_sqlite_open(const sy_storage_options *options, void **ret_state, sy_error *err)
{
    if (options->folder == NULL || options->folder[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a ledger on disk needs a folder");
    }
    sy_sqlite *s = sy_allocate(1, sizeof *s);
    if (s == NULL || make_names(s, options->folder) != SY_OK) {
        sy_sqlite_close(s);
        return no_memory(err);
    }
    s->read_only = options->read_only;
    s->wait_ns = options->wait_ns;
    s->derive = options->derive;
    sy_status status = options->read_only ? open_to_read(s, options, err) : open_to_write(s, options, err);
    if (status != SY_OK) {
        sy_sqlite_close(s);
        return status;
    }
    *ret_state = s;
    return SY_OK;
}

void sy_sqlite_close(void *state)
{
    sy_sqlite *s = state;
    if (s == NULL) {
        return;
    }
    sy_sqlite_rollback(s);
    close_database(s);
    sy_free(s->path);
    sy_free(s->lock_path);
    sy_free(s);
}
