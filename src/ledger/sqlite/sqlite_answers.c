/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's answers as ours: each is mapped here, once, to a status, a text and what to do. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger/sqlite/sqlite_inside.h"

typedef struct answer {
    int code; /* without its extension */
    sy_status status;
    const char *what; /* NULL: as SQLite says it */
    const char *hint;
} answer;

static const answer answers[] = {
    {SQLITE_FULL, SY_IO, "its file system is full", "make room there; what was being written is not kept"},
    {SQLITE_IOERR, SY_IO, "it cannot be read or written", "look at the disk, its quota and the limits of this process"},
    {SQLITE_CORRUPT, SY_CORRUPT, "it is damaged",
     "keep the file, and build another from an export: steelyard ledger import"},
    {SQLITE_NOTADB, SY_CORRUPT, "it is no database", "put the ledger back that was there, or name another folder"},
    {SQLITE_READONLY, SY_IO, "it cannot be written", "give this user the right to write the folder and its files"},
    {SQLITE_CANTOPEN, SY_IO, "it cannot be opened",
     "look at the rights on the folder; ledger.sqlite-wal and -shm must be writable beside it"},
    {SQLITE_PERM, SY_IO, "it may not be read", "give this user the right to read the folder and its files"},
    {SQLITE_BUSY, SY_BUSY, "another program holds it", "end that program, or allow more time"},
    {SQLITE_LOCKED, SY_BUSY, "another program holds it", "end that program, or allow more time"},
    {SQLITE_PROTOCOL, SY_BUSY, "other programs hold it again and again", "try once more"},
    {SQLITE_NOMEM, SY_NO_MEMORY, "no memory for it", ""},
    {SQLITE_TOOBIG, SY_LIMIT_EXCEEDED, "a text or a series is larger than a row may be (1 GB)", ""},
    /* What may be written was judged before: that the tables refuse it all the same is the work of other hands. */
    {SQLITE_CONSTRAINT, SY_CORRUPT, NULL, "`steelyard ledger verify` shows all that is not as it was written"},
    /* A table or column is missing that the version in the file promises. */
    {SQLITE_ERROR, SY_CORRUPT, NULL, "other hands changed its tables: build another from an export"},
};

static const answer *answer_of(int code)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (answers[i].code == (code & 0xff)) {
            return &answers[i];
        }
    }
    return NULL;
}

/* Why a system call failed; 0 = not known. SQLite does not keep it where a commit fails in its write-ahead log: errno
 * is then what that call left, if it names something that makes reading or writing fail. */
static int reason_of(sqlite3 *database, int code, int left)
{
    static const int reasons[] = {EFBIG, ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM};
    int kept = database == NULL ? 0 : sqlite3_system_errno(database);
    if (kept != 0 || (code & 0xff) != SQLITE_IOERR) {
        return kept;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (reasons[i] == left) {
            return left;
        }
    }
    return 0;
}

sy_status sy_sqlite_fail_at(const char *path, sqlite3 *database, int code, sy_error *err)
{
    static const answer other = {0, SY_IO, NULL, ""};
    int left = errno;
    const answer *a = answer_of(code);
    a = a == NULL ? &other : a;
    const char *what = a->what;
    if (what == NULL) {
        what = database == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(database);
    }
    int error = a->status == SY_IO ? reason_of(database, code, left) : 0;
    if (error != 0) {
        (void)sy_fail_errno(err, a->status, error, "'%s': %s", path, what);
    } else {
        (void)sy_fail(err, a->status, "'%s': %s", path, what);
    }
    sy_error_hint(err, "%s", a->hint);
    return a->status;
}

sy_status sy_sqlite_fail(const sy_sqlite *s, int code, sy_error *err)
{
    if ((code & 0xff) == SQLITE_BUSY) {
        char holder[64];
        sy_sqlite_name_writer(s, holder, sizeof holder);
        (void)sy_fail(err, SY_BUSY, "'%s' is held by %s, which does not wait in the queue of ledger.lock", s->path,
                      holder);
        sy_error_hint(err, "end its transaction (sqlite3, a backup?), or allow more time");
        return SY_BUSY;
    }
    return sy_sqlite_fail_at(s->path, s->database, code, err);
}

/* Whether a line of /proc/locks is a lock for writing on that file that covers byte 120 of it; *ret_process. */
static bool is_writer(const char *line, const struct stat *file, long *ret_process)
{
    char kind[16];
    char holder[24];
    char place[64]; /* "08:01:1234": device by two hexadecimal numbers, inode */
    char first[24];
    char last[24];
    char *rest = place;
    int64_t process = 0;
    uint64_t begin = 0;
    if (sscanf(line, "%*s POSIX %*s %15s %23s %63s %23s %23s", kind, holder, place, first, last) != 5 ||
        strcmp(kind, "WRITE") != 0 || sy_parse_i64(holder, &process, NULL) != SY_OK ||
        sy_parse_u64(first, &begin, NULL) != SY_OK) {
        return false;
    }
    unsigned long major_number = strtoul(place, &rest, 16);
    unsigned long minor_number = *rest == ':' ? strtoul(rest + 1, &rest, 16) : ULONG_MAX;
    unsigned long long inode = *rest == ':' ? strtoull(rest + 1, &rest, 10) : 0;
    if (*rest != '\0' || inode != file->st_ino || major_number != major(file->st_dev) ||
        minor_number != minor(file->st_dev)) {
        return false;
    }
    uint64_t end = UINT64_MAX;
    if (strcmp(last, "EOF") != 0 && sy_parse_u64(last, &end, NULL) != SY_OK) {
        return false;
    }
    *ret_process = (long)process;
    return begin <= 120 && end >= 120;
}

/* Asked of the kernel's table, because opening and closing the file here would drop this process's own locks on it.
 * https://www.sqlite.org/walformat.html, "WAL Locks": byte 120 of the -shm is the writer's. */
void sy_sqlite_name_writer(const sy_sqlite *s, char *to, size_t size)
{
    char path[4096];
    char line[256];
    struct stat file;
    long process = 0;
    (void)sy_text_copy(to, size, "another program");
    if ((size_t)snprintf(path, sizeof path, "%s-shm", s->path) >= sizeof path || stat(path, &file) != 0) {
        return;
    }
    FILE *locks = fopen("/proc/locks", "re");
    if (locks == NULL) {
        return;
    }
    while (process <= 0 && fgets(line, sizeof line, locks) != NULL) {
        if (!is_writer(line, &file, &process)) {
            process = 0;
        }
    }
    (void)fclose(locks);
    if (process > 0) {
        (void)snprintf(to, size, "process %ld", process);
    }
}
