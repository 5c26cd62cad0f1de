/* SPDX-License-Identifier: Apache-2.0 */
/* An exclusive lock between processes: the kernel's flock, waited for by a thread that stands in the kernel's queue and
 * is taken back when time is up. The file's text is for messages only. */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)
#define LOOK_NS 100000000 /* between two questions whether to go on */

struct sy_lock {
    int fd;
    bool tells; /* the holder stands in it */
};

/* What the taker and its waiter thread share. The descriptor is the taker's: closing it gives up a lock that the waiter
 * got at the last moment and could not tell of. */
typedef struct waiter {
    int fd;
    pthread_mutex_t mutex;
    pthread_cond_t told;
    bool done;
    int error; /* errno of flock, 0 when it has the lock */
} waiter;

static void *stand_in_the_queue(void *user)
{
    waiter *w = user;
    int ignored;
    int returned;
    /* flock is no cancellation point; inside this region it is the only call, and it changes nothing of ours. */
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &ignored);
    do {
        returned = flock(w->fd, LOCK_EX);
    } while (returned != 0 && errno == EINTR);
    int error = returned == 0 ? 0 : errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
    pthread_mutex_lock(&w->mutex);
    w->done = true;
    w->error = error;
    pthread_cond_signal(&w->told);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static int start_waiter(waiter *w, pthread_t *ret_thread)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->told, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&w->mutex, NULL);
    /* The program's signals are for the program's threads. */
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    int error = pthread_create(ret_thread, NULL, stand_in_the_queue, w);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    return error;
}

/* Until when a waiter may sleep before somebody is asked whether it goes on. */
static struct timespec next_look(const struct timespec *deadline, bool asks)
{
    struct timespec look;
    clock_gettime(CLOCK_MONOTONIC, &look);
    look.tv_nsec += LOOK_NS;
    look.tv_sec += look.tv_nsec / (long)NS_PER_S;
    look.tv_nsec %= (long)NS_PER_S;
    bool sooner = look.tv_sec < deadline->tv_sec ||
                  (look.tv_sec == deadline->tv_sec && look.tv_nsec < deadline->tv_nsec);
    return asks && sooner ? look : *deadline;
}

static bool is_past(const struct timespec *deadline)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* 0: the lock is held; ETIMEDOUT: not in time; ECANCELED: cancelled said so; else the errno. deadline: of
 * CLOCK_MONOTONIC. */
static int wait_for_lock(int fd, const struct timespec *deadline, bool (*cancelled)(void *user), void *user)
{
    waiter w = {.fd = fd};
    pthread_t thread;
    int error = start_waiter(&w, &thread);
    if (error == 0) {
        bool stopped = false;
        pthread_mutex_lock(&w.mutex);
        while (!w.done && !stopped && !is_past(deadline)) {
            struct timespec look = next_look(deadline, cancelled != NULL);
            (void)pthread_cond_timedwait(&w.told, &w.mutex, &look);
            stopped = cancelled != NULL && cancelled(user);
        }
        pthread_mutex_unlock(&w.mutex);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        error = w.done ? w.error : stopped ? ECANCELED : ETIMEDOUT;
    }
    pthread_cond_destroy(&w.told);
    pthread_mutex_destroy(&w.mutex);
    return error;
}

/* A file of that name that somebody keeps something else in is locked, but never written. */
static bool may_tell(int fd)
{
    char begin[8];
    ssize_t size = pread(fd, begin, sizeof begin, 0);
    return size == 0 || (size == sizeof begin && memcmp(begin, "process ", sizeof begin) == 0);
}

/* The text serves messages; the lock holds without it. Returns whether it was written. */
static bool write_holder(int fd)
{
    char host[65] = "unknown";
    char since[32];
    char line[192];
    if (gethostname(host, sizeof host - 1) != 0 || !may_tell(fd) ||
        sy_time_format_utc(sy_clock_system.utc_s(&sy_clock_system), since, sizeof since, NULL) != SY_OK) {
        return false;
    }
    int length = snprintf(line, sizeof line, "process %lld on host %s since %s\n", (long long)getpid(), host, since);
    return sy_system_ftruncate(fd, 0) == 0 && sy_system_write(fd, line, (size_t)length) == length;
}

static sy_status busy(const char *path, int fd, sy_error *err)
{
    char line[192];
    ssize_t length = pread(fd, line, sizeof line - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (!sy_text_begins(line, "process ")) {
        snprintf(line, sizeof line, "another process");
    }
    sy_fail(err, SY_BUSY, "'%s' is held by %s", path, line);
    sy_error_hint(err, "wait for it to end, or allow more time");
    return SY_BUSY;
}

/* A lock that is narrower than what it guards would keep out those who may write that: group and mode follow it. */
static void follow_guarded(int fd, const char *guarded)
{
    struct stat lock;
    struct stat file;
    if (guarded == NULL || sy_system_stat(guarded, &file) != 0 || !S_ISREG(file.st_mode) ||
        sy_system_fstat(fd, &lock) != 0 || lock.st_uid != geteuid()) {
        return;
    }
    bool same_group = lock.st_gid == file.st_gid || sy_system_fchown(fd, (uid_t)-1, file.st_gid) == 0;
    mode_t rights = file.st_mode & (same_group ? 0666 : 0606);
    if ((rights & ~lock.st_mode) != 0) {
        /* Who cannot be let in is told when it comes. */
        (void)sy_system_fchmod(fd, (lock.st_mode & 0777) | rights);
    }
}

/* -1 with errno. No link is followed: somebody else's file must not be emptied by way of it. */
static int open_or_make(const char *path, const char *guarded, bool *ret_writable)
{
    const int common = O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
    /* Opened before it is made: in a sticky folder the kernel refuses O_CREAT on what another user has made. */
    int fd = sy_system_open(path, O_RDWR | common, 0);
    *ret_writable = true;
    if (fd < 0 && errno == ENOENT) {
        fd = sy_system_open(path, O_RDWR | O_CREAT | O_EXCL | common, 0666);
        if (fd < 0 && errno == EEXIST) {
            fd = sy_system_open(path, O_RDWR | common, 0);
        }
    }
    if (fd < 0 && errno == EACCES) {
        fd = sy_system_open(path, O_RDONLY | common, 0);
        *ret_writable = false;
        errno = fd < 0 ? EACCES : errno;
    }
    if (fd >= 0 && *ret_writable) {
        follow_guarded(fd, guarded);
    }
    return fd;
}

static sy_status open_lock(const char *path, const char *guarded, int *ret_fd, bool *ret_writable, sy_error *err)
{
    int fd = open_or_make(path, guarded, ret_writable);
    if (fd < 0) {
        bool link = errno == ELOOP;
        sy_fail_errno(err, SY_IO, errno, "cannot open the lock '%s'", path);
        if (link) {
            sy_error_hint(err, "a lock is a file of its own, never a link: remove it");
        }
        return SY_IO;
    }
    struct stat found;
    if (sy_system_fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
        (void)sy_system_close(fd);
        return sy_fail(err, SY_IO, "cannot lock '%s': it is no regular file", path);
    }
    if (found.st_nlink > 1) {
        *ret_writable = false; /* its other name may be somebody's file */
    }
    *ret_fd = fd;
    return SY_OK;
}

/* Somebody may have removed the file while we waited: a lock on a file that no longer stands there excludes nobody. */
static bool still_there(const char *path, int fd)
{
    struct stat held;
    struct stat now;
    return sy_system_fstat(fd, &held) == 0 && sy_system_stat(path, &now) == 0 && held.st_ino == now.st_ino &&
           held.st_dev == now.st_dev;
}

static sy_status take(const char *path, const char *guarded, const struct timespec *deadline, sy_lock *lock,
                      sy_error *err)
{
    /* Each turn needs somebody who removes the file just then; a hundred in a row is no accident. */
    for (int turn = 0; turn < 100; turn++) {
        int fd = -1;
        bool writable = true;
        sy_status status = open_lock(path, guarded, &fd, &writable, err);
        if (status != SY_OK) {
            return status;
        }
        int error = sy_system_flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (error == EWOULDBLOCK && deadline != NULL) {
            error = wait_for_lock(fd, deadline, NULL, NULL);
        }
        if (error == 0 && still_there(path, fd)) {
            lock->fd = fd;
            lock->tells = writable && write_holder(fd);
            return SY_OK;
        }
        if (error == ETIMEDOUT || error == EWOULDBLOCK) {
            status = busy(path, fd, err);
        } else if (error != 0) {
            status = sy_fail_errno(err, SY_IO, error, "cannot lock '%s'", path);
        }
        (void)sy_system_close(fd);
        if (status != SY_OK) {
            return status;
        }
    }
    return sy_fail(err, SY_IO, "the lock '%s' is removed again and again", path);
}

static struct timespec deadline_after(uint64_t timeout_ns)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    uint64_t end_ns = (uint64_t)deadline.tv_nsec + timeout_ns % NS_PER_S;
    deadline.tv_sec += (time_t)(timeout_ns / NS_PER_S + end_ns / NS_PER_S);
    deadline.tv_nsec = (long)(end_ns % NS_PER_S);
    return deadline;
}

sy_status sy_lock_descriptor(int fd, uint64_t timeout_ns, bool (*cancelled)(void *user), void *user, sy_error *err)
{
    struct timespec deadline = deadline_after(timeout_ns);
    int error = sy_system_flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (error == EWOULDBLOCK && timeout_ns > 0) {
        error = wait_for_lock(fd, &deadline, cancelled, user);
    }
    if (error == ECANCELED) {
        return sy_fail(err, SY_INTERRUPTED, "interrupted while waiting for a lock");
    }
    if (error == EWOULDBLOCK || error == ETIMEDOUT) {
        return sy_fail(err, SY_BUSY, "another process holds the lock");
    }
    return error == 0 ? SY_OK : sy_fail_errno(err, SY_IO, error, "cannot take a lock");
}

sy_status sy_lock_take_for(const char *guarded, const char *path, uint64_t timeout_ns, sy_lock **ret_lock,
                           sy_error *err)
{
    sy_lock *lock = sy_allocate(1, sizeof *lock);
    if (lock == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the lock '%s'", path);
    }
    struct timespec deadline = deadline_after(timeout_ns);
    sy_status status = take(path, guarded, timeout_ns == 0 ? NULL : &deadline, lock, err);
    if (status != SY_OK) {
        sy_free(lock);
        return status;
    }
    *ret_lock = lock;
    return SY_OK;
}

sy_status sy_lock_take(const char *path, uint64_t timeout_ns, sy_lock **ret_lock, sy_error *err)
{
    return sy_lock_take_for(NULL, path, timeout_ns, ret_lock, err);
}

void sy_lock_release(sy_lock *lock)
{
    if (lock == NULL) {
        return;
    }
    if (lock->tells) {
        (void)sy_system_ftruncate(lock->fd, 0);
    }
    /* Unlocked by name, not only by closing: a forked child may hold a copy of the descriptor. */
    (void)flock(lock->fd, LOCK_UN);
    (void)sy_system_close(lock->fd);
    sy_free(lock);
}
