/* SPDX-License-Identifier: Apache-2.0 */
/* The lock between processes: exclusion, time-out with the holder's name, a dead holder, a removed file. */
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/text.h"
#include "fault_loop.h"
#include "temporary_folder.h"

#define MS UINT64_C(1000000)
#define LONG_NS (UINT64_C(60000) * MS) /* never reached unless something is broken */

static void lock_path(void *folder, char path[512])
{
    snprintf(path, 512, "%s/store.lock", (const char *)folder);
}

static int count_threads(void)
{
    return count_entries("/proc/self/task");
}

/* Waits until a child of this process has come to its place in the test. */
static void read_signal(int fd)
{
    char byte;
    assert_int_equal(read(fd, &byte, 1), 1);
}

/* Starts a child that takes the lock and keeps it until it is killed. */
static pid_t start_holder(const char *path)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        sy_lock *lock = NULL;
        if (sy_lock_take(path, 0, &lock, NULL) != SY_OK || write(ends[1], "x", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    read_signal(ends[0]);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end_holder(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_lock_is_taken_released_and_taken_again(void **state)
{
    char path[512];
    lock_path(*state, path);
    for (int i = 0; i < 3; i++) {
        sy_lock *lock = NULL;
        assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
        sy_lock *second = NULL;
        assert_int_equal(sy_lock_take(path, 0, &second, NULL), SY_BUSY);
        assert_null(second);
        sy_lock_release(lock);
    }
    sy_lock_release(NULL);
}

static void the_lock_file_follows_the_umask(void **state)
{
    char path[512];
    lock_path(*state, path);
    mode_t former = umask(002);
    sy_lock *lock = NULL;
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    umask(former);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0664);
    sy_lock_release(lock);
}

static void a_time_out_names_the_holder_and_leaves_no_thread(void **state)
{
    char path[512];
    char expected[128];
    char host[65];
    lock_path(*state, path);
    pid_t holder = start_holder(path);
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(expected, sizeof expected, "is held by process %d on host %s since 20", (int)holder, host);
    int threads = 0;
    for (int i = 0; i < 20; i++) {
        sy_lock *lock = NULL;
        if (i == 2) {
            threads = count_threads(); /* a sanitizer may start a thread of its own with the first one */
        }
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_lock_take(path, (uint64_t)i * MS, &lock, &err), SY_BUSY);
        assert_non_null(strstr(err.what, expected));
        assert_null(lock);
    }
    assert_int_equal(count_threads(), threads);
    end_holder(holder);
}

static void a_killed_holder_holds_nothing(void **state)
{
    char path[512];
    lock_path(*state, path);
    pid_t holder = start_holder(path);
    end_holder(holder);
    sy_lock *lock = NULL;
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
}

static void a_waiting_taker_gets_the_lock_when_the_holder_dies(void **state)
{
    char path[512];
    lock_path(*state, path);
    pid_t holder = start_holder(path);
    pid_t killer = fork();
    if (killer == 0) {
        sy_clock_system.sleep_ns(&sy_clock_system, 30 * MS);
        _exit(kill(holder, SIGKILL) == 0 ? 0 : 1);
    }
    sy_lock *lock = NULL;
    assert_int_equal(sy_lock_take(path, LONG_NS, &lock, NULL), SY_OK);
    sy_lock *second = NULL;
    assert_int_equal(sy_lock_take(path, 0, &second, NULL), SY_BUSY);
    sy_lock_release(lock);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

/* After a time-out nothing of the taker may stand in the kernel's queue: it would take the lock for nobody. */
static void a_timed_out_taker_does_not_take_the_lock_later(void **state)
{
    char path[512];
    lock_path(*state, path);
    pid_t holder = start_holder(path);
    sy_lock *lock = NULL;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sy_lock_take(path, 2 * MS, &lock, NULL), SY_BUSY);
    }
    end_holder(holder);
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
}

#define WRITERS 8
#define TURNS 25

static void processes_exclude_each_other(void **state)
{
    char path[512];
    char counter[512];
    lock_path(*state, path);
    snprintf(counter, sizeof counter, "%s/counter", (const char *)*state);
    int fd = open(counter, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    int value = 0;
    assert_int_equal(pwrite(fd, &value, sizeof value, 0), sizeof value);
    pid_t writers[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        writers[w] = fork();
        if (writers[w] == 0) {
            for (int i = 0; i < TURNS; i++) {
                sy_lock *lock = NULL;
                if (sy_lock_take(path, LONG_NS, &lock, NULL) != SY_OK ||
                    pread(fd, &value, sizeof value, 0) != sizeof value) {
                    _exit(1);
                }
                /* Give the others the chance to come between. */
                sy_clock_system.sleep_ns(&sy_clock_system, 20000);
                value++;
                if (pwrite(fd, &value, sizeof value, 0) != sizeof value) {
                    _exit(2);
                }
                sy_lock_release(lock);
            }
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(writers[w], &status, 0), writers[w]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(pread(fd, &value, sizeof value, 0), sizeof value);
    assert_int_equal(value, WRITERS * TURNS);
    close(fd);
}

typedef struct contender {
    const char *path;
    int *value; /* guarded by the lock alone */
} contender;

static void *count_up(void *user)
{
    const contender *c = user;
    for (int i = 0; i < 50; i++) {
        sy_lock *lock = NULL;
        /* Short and long time-outs mixed: waiters come and go while others hold. */
        uint64_t timeout_ns = i % 3 == 0 ? MS / 20 : LONG_NS;
        sy_status status = sy_lock_take(c->path, timeout_ns, &lock, NULL);
        if (status == SY_OK) {
            (*c->value)++;
            sy_lock_release(lock);
        } else if (status != SY_BUSY || timeout_ns == LONG_NS) {
            return user;
        }
    }
    return NULL;
}

static void threads_exclude_each_other_and_time_out_cleanly(void **state)
{
    char path[512];
    int value = 0;
    lock_path(*state, path);
    contender c = {path, &value};
    pthread_t threads[4];
    int before = count_entries("/proc/self/fd");
    for (int t = 0; t < 4; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, count_up, &c), 0);
    }
    for (int t = 0; t < 4; t++) {
        void *failed;
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        assert_null(failed);
    }
    assert_in_range(value, 4 * 33, 200);
    assert_int_equal(count_entries("/proc/self/fd"), before);
}

static void a_removed_lock_file_excludes_nobody_and_is_made_anew(void **state)
{
    char path[512];
    lock_path(*state, path);
    pid_t holder = start_holder(path);
    pid_t remover = fork();
    if (remover == 0) {
        sy_clock_system.sleep_ns(&sy_clock_system, 30 * MS);
        _exit(unlink(path) == 0 && kill(holder, SIGKILL) == 0 ? 0 : 1);
    }
    sy_lock *lock = NULL;
    assert_int_equal(sy_lock_take(path, LONG_NS, &lock, NULL), SY_OK);
    assert_int_equal(waitpid(remover, NULL, 0), remover);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    /* The lock that we hold is the one that the next taker finds. */
    sy_lock *second = NULL;
    assert_int_equal(sy_lock_take(path, 0, &second, NULL), SY_BUSY);
    sy_lock_release(lock);
}

static void a_path_that_cannot_be_opened_is_named(void **state)
{
    char path[600];
    sy_lock *lock = NULL;
    sy_error err = SY_ERROR_INIT;
    snprintf(path, sizeof path, "%s/absent/store.lock", (const char *)*state);
    assert_int_equal(sy_lock_take(path, 0, &lock, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "absent/store.lock': No such file or directory (ENOENT)"));
}

static void failing_system_calls_leave_no_lock_and_no_descriptor(void **state)
{
    char path[512];
    lock_path(*state, path);
    int before = count_entries("/proc/self/fd");
    for (uint64_t n = 1;; n++) {
        sy_lock *lock = NULL;
        sy_fault_reset();
        sy_fault_fail_system_call(n, EIO, true);
        sy_status status = sy_lock_take(path, 0, &lock, NULL);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        assert_true(status == SY_OK || status == SY_IO);
        if (status == SY_OK) {
            sy_lock_release(lock);
        }
        assert_int_equal(count_entries("/proc/self/fd"), before);
        assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
        sy_lock_release(lock);
        if (!reached) {
            break;
        }
    }
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_lock_is_taken_released_and_taken_again),
        IN_A_FOLDER(the_lock_file_follows_the_umask),
        IN_A_FOLDER(a_time_out_names_the_holder_and_leaves_no_thread),
        IN_A_FOLDER(a_killed_holder_holds_nothing),
        IN_A_FOLDER(a_waiting_taker_gets_the_lock_when_the_holder_dies),
        IN_A_FOLDER(a_timed_out_taker_does_not_take_the_lock_later),
        IN_A_FOLDER(processes_exclude_each_other),
        IN_A_FOLDER(threads_exclude_each_other_and_time_out_cleanly),
        IN_A_FOLDER(a_removed_lock_file_excludes_nobody_and_is_made_anew),
        IN_A_FOLDER(a_path_that_cannot_be_opened_is_named),
        IN_A_FOLDER(failing_system_calls_leave_no_lock_and_no_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
