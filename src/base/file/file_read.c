/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file whole, and writing to a descriptor that is already open. The durable writer is file.c. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file_inside.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

/* Whose journal it is: its own path and folder. */
typedef struct guarded {
    const char *file;
    const char *folder;
} guarded;

#define MOST_TURNS 10 /* for a file that is written while it is read */

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode)) {
        return "a folder";
    }
    if (S_ISFIFO(mode)) {
        return "a pipe";
    }
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

static sy_status too_large(const char *path, uint64_t limit_bytes, sy_error *err)
{
    return sy_fail(err, SY_LIMIT_EXCEEDED, "'%s' is larger than the limit of %" PRIu64 " bytes", path, limit_bytes);
}

/* Reads to the end into a block that is grown as needed: a file may change its size, and those of /proc say 0. */
static sy_status read_all(int fd, const char *path, size_t expected, uint64_t limit_bytes, char **ret_bytes,
                          size_t *ret_size, sy_error *err)
{
    size_t capacity = expected + 1;
    size_t size = 0;
    char *bytes = sy_reallocate(NULL, capacity, 1);
    while (bytes != NULL) {
        ssize_t got = sy_system_read(fd, bytes + size, capacity - size);
        if (got < 0) {
            sy_status status = sy_fail_errno(err, SY_IO, errno, "cannot read '%s'", path);
            sy_free(bytes);
            return status;
        }
        if (got == 0) {
            bytes[size] = '\0';
            *ret_bytes = bytes;
            *ret_size = size;
            return SY_OK;
        }
        size += (size_t)got;
        if (limit_bytes > 0 && size > limit_bytes) {
            sy_free(bytes);
            return too_large(path, limit_bytes, err);
        }
        if (size < capacity) {
            continue;
        }
        char *larger = capacity > SIZE_MAX / 2 - 4096 ? NULL : sy_reallocate(bytes, 2 * capacity + 4096, 1);
        if (larger == NULL) {
            sy_free(bytes);
        }
        bytes = larger;
        capacity = 2 * capacity + 4096;
    }
    return sy_fail(err, SY_NO_MEMORY, "no memory for the %zu bytes of '%s'", capacity, path);
}

/* The descriptor's bytes from its start are those. */
static bool reads_the_same(int fd, const char *bytes, size_t size)
{
    char again[16384];
    ssize_t got = lseek(fd, 0, SEEK_SET) == 0 ? 1 : -1;
    while (got > 0) {
        got = sy_system_read(fd, again, sizeof again);
        if (got > 0 && ((size_t)got > size || memcmp(again, bytes, (size_t)got) != 0)) {
            return false;
        }
        bytes += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return got == 0 && size == 0;
}

/* Whether nobody wrote into the open file while its bytes were read. Its time of change says so where it is older than
 * the begin by the kernel's coarse clock, by which it is set; a file that was written in the same tick is read twice.
 * One that was replaced meanwhile has no name any more, and is whole. */
static bool stood_still(int fd, const struct stat *before, const struct timespec *begin, const char *bytes, size_t size)
{
    struct stat after;
    if (sy_system_fstat(fd, &after) != 0) {
        return false;
    }
    if (after.st_mtim.tv_sec != before->st_mtim.tv_sec || after.st_mtim.tv_nsec != before->st_mtim.tv_nsec ||
        after.st_size != before->st_size) {
        return false;
    }
    bool older = before->st_mtim.tv_sec < begin->tv_sec ||
                 (before->st_mtim.tv_sec == begin->tv_sec && before->st_mtim.tv_nsec < begin->tv_nsec);
    return older || after.st_nlink == 0 || after.st_size == 0 || reads_the_same(fd, bytes, size);
}

/* Its name can be foretold: in a folder where everybody may make files, a stranger's would be read as the newest bytes
 * of a file that he may not write. Where anybody may remove what others made, he needs no journal for that. */
static bool is_believable(const struct stat *journal, const guarded *of)
{
    struct stat file;
    struct stat folder;
    if (journal->st_nlink > 1) {
        return false;
    }
    if (journal->st_uid == 0 || journal->st_uid == geteuid()) {
        return true;
    }
    if (sy_system_stat(of->file, &file) == 0 && file.st_uid == journal->st_uid) {
        return true;
    }
    return sy_system_stat(of->folder, &folder) == 0 &&
           ((folder.st_mode & S_ISVTX) == 0 || folder.st_uid == journal->st_uid);
}

/* of: the path is that file's journal; NULL = it is none. ret_still NULL: it is not asked whether the file stood still.
 */
static sy_status read_regular(const char *path, const guarded *of, uint64_t limit_bytes, char **ret_bytes,
                              size_t *ret_size, bool *ret_still, sy_error *err)
{
    struct timespec begin;
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &begin);
    /* O_NONBLOCK: opening a pipe without a writer must not wait. */
    int fd = sy_system_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | (of == NULL ? 0 : O_NOFOLLOW), 0);
    if (fd < 0) {
        sy_status status = errno == ENOENT ? SY_NOT_FOUND : SY_IO;
        return sy_fail_errno(err, status, errno, "cannot open '%s'", path);
    }
    struct stat stat;
    sy_status status;
    if (sy_system_fstat(fd, &stat) != 0) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot read '%s'", path);
    } else if (!S_ISREG(stat.st_mode)) {
        status = sy_fail(err, SY_IO, "cannot read '%s': it is %s, not a file", path, kind_of(stat.st_mode));
    } else if (of != NULL && !is_believable(&stat, of)) {
        status = sy_fail(err, SY_IO, "'%s' belongs to somebody else and is not believed", path);
        sy_error_hint(err, "remove it, and keep the store where only its own people may write");
    } else if (limit_bytes > 0 && (uint64_t)stat.st_size > limit_bytes) {
        status = too_large(path, limit_bytes, err);
    } else if ((uint64_t)stat.st_size > SIZE_MAX / 4) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the %" PRIu64 " bytes of '%s'", (uint64_t)stat.st_size,
                         path);
    } else {
        status = read_all(fd, path, (size_t)stat.st_size, limit_bytes, ret_bytes, ret_size, err);
    }
    if (status == SY_OK && ret_still != NULL) {
        *ret_still = stood_still(fd, &stat, &begin, *ret_bytes, *ret_size);
    }
    /* Nothing was written: a failing close loses nothing. */
    (void)sy_system_close(fd);
    return status;
}

sy_status sy_file_read_plain(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    return read_regular(path, NULL, limit_bytes, ret_bytes, ret_size, NULL, err);
}

sy_status sy_file_read_journal(sy_arena *arena, const char *target, uint64_t limit_bytes, char **ret_bytes,
                               size_t *ret_size, sy_error *err)
{
    const guarded of = {target, sy_file_folder(arena, target)};
    const char *journal = sy_file_journal(arena, target);
    if (of.folder == NULL || journal == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", target);
    }
    return read_regular(journal, &of, limit_bytes, ret_bytes, ret_size, NULL, err);
}

sy_status sy_file_read_stream(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    enum { FIRST_READ = 1 << 16 };

    if (sy_text_equal(path, "-"))
        return read_all(STDIN_FILENO, "standard input", FIRST_READ, limit_bytes, ret_bytes, ret_size, err);
    int fd = sy_system_open(path, O_RDONLY | O_NOCTTY, 0);
    if (fd < 0) {
        sy_status status = errno == ENOENT ? SY_NOT_FOUND : SY_IO;
        return sy_fail_errno(err, status, errno, "cannot open '%s'", path);
    }
    sy_status status = read_all(fd, path, FIRST_READ, limit_bytes, ret_bytes, ret_size, err);
    /* Nothing was written: a failing close loses nothing. */
    (void)sy_system_close(fd);
    return status;
}

/* true when a journal stands beside the path: the file may be half written, and the journal has the bytes that count.
 */
static bool has_journal(const char *journal)
{
    struct stat stat;
    return sy_system_lstat(journal, &stat) == 0;
}

/* A writer in place may begin before the journal is asked for, and be done when it is asked for again: then the file
 * did not stand still. What never stands still (somebody's log) is given as it was read the last time. */
static sy_status read_newest(sy_arena *arena, const char *target, const char *journal, uint64_t limit_bytes,
                             char **ret_bytes, size_t *ret_size, sy_error *err)
{
    for (int turn = 1;; turn++) {
        char *bytes = NULL;
        size_t size = 0;
        bool still = true;
        sy_status status = SY_NOT_FOUND;
        bool journalled = has_journal(journal);
        if (journalled) {
            status = sy_file_read_journal(arena, target, limit_bytes, &bytes, &size, err);
        }
        if (status == SY_NOT_FOUND) {
            journalled = false;
            status = read_regular(target, NULL, limit_bytes, &bytes, &size, &still, err);
        }
        /* Asked again behind the read: a writer may be in the middle. */
        if (status == SY_OK && !journalled && turn < MOST_TURNS && (!still || has_journal(journal))) {
            sy_free(bytes);
            continue;
        }
        if (status == SY_OK) {
            *ret_bytes = bytes;
            *ret_size = size;
        }
        return status;
    }
}

sy_status sy_file_read(const char *path, uint64_t limit_bytes, char **ret_bytes, size_t *ret_size, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", path);
    }
    const char *target;
    sy_status status = sy_file_resolve(arena, path, &target, err);
    if (status == SY_OK) {
        const char *journal = sy_file_journal(arena, target);
        status = journal == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", path)
                                 : read_newest(arena, target, journal, limit_bytes, ret_bytes, ret_size, err);
    }
    sy_arena_destroy(arena);
    return status;
}

/* 0, or the errno of the write that failed. */
static int write_all(int fd, const char *at, size_t size)
{
    while (size > 0) {
        ssize_t written = sy_system_write(fd, at, size);
        if (written <= 0) {
            return written < 0 ? errno : EIO;
        }
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

sy_status sy_file_write_descriptor(int fd, const void *bytes, size_t size, sy_error *err)
{
    /* Behind the largest size that this process may write (ulimit -f) the kernel sends a deadly signal besides EFBIG:
     * it is held back, and taken away if it came. */
    sigset_t too_large;
    sigset_t former;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &too_large, &former);
    int error = write_all(fd, bytes, size);
    if (error == EFBIG && sigismember(&former, SIGXFSZ) == 0) {
        const struct timespec at_once = {0, 0};
        (void)sigtimedwait(&too_large, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return error == 0 ? SY_OK : sy_fail_errno(err, SY_IO, error, "cannot write");
}
