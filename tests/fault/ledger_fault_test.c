/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger's writer killed at every system call that changes a file, and its disk full in the middle of an append: what
 * was answered is there, the rest is not, and the next writer goes on. */
#include "cmocka_headers.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite_fixture.h"

static const double samples[] = {-1, 2, 3};

/* Number number of the ledger, its samples and its run, in one transaction. */
static sy_status append_whole(subject *s, uint64_t number)
{
    const double own[] = {(double)number, 2, 3};
    char id[32];
    snprintf(id, sizeof id, "run-%d", (int)number);
    const sy_stored_series series = series_of(number, own, 3);
    sy_run_row row = row_of(id, number);
    row.gate = id;
    sy_status status = s->storage->begin(s->state, true, &s->err);
    if (status == SY_OK) {
        status = append_text(s, number, id, "{\"what\":\"an event of some length, as events are\"}");
    }
    if (status == SY_OK) {
        status = s->storage->put_series(s->state, &series, &s->err);
    }
    if (status == SY_OK) {
        status = s->storage->put_row(s->state, &row, "[]", &s->err);
    }
    if (status == SY_OK) {
        return s->storage->commit(s->state, &s->err);
    }
    s->storage->rollback(s->state);
    return status;
}

/* All of number transactions are there, whole, and nothing else. */
static void check_whole(subject *s, uint64_t number)
{
    assert_int_equal(head_of(s), number);
    assert_int_equal(count_events(s, 1, NULL), number);
    assert_int_equal(count_rows(s), number);
    assert_int_equal(series_there(s), number);
    is_sound(s);
}

/* ---- killed ---- */

static int append_as_a_program(const char *folder)
{
    subject s = {.storage = &sy_storage_sqlite, .folder = (char *)(uintptr_t)folder};
    if (try_open(&s, true, false, &s.state) != SY_OK) {
        return 1;
    }
    uint64_t number;
    sy_digest digest;
    if (s.storage->head(s.state, &number, &digest, &s.err) != SY_OK || append_whole(&s, number + 1) != SY_OK) {
        return 2;
    }
    s.storage->close(s.state);
    return 0;
}

/* Runs this program's --append under strace, which kills it at the n-th call of that name. 1: it was killed, 0: it
 * lived, -1: strace cannot be used here. */
static int killed_at(const char *folder, const char *call, int n)
{
    char inject[80];
    char self[500];
    int status;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(inject, sizeof inject, "inject=%s:signal=KILL:when=%d", call, n);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        /* A leak checker cannot work under strace. */
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        execlp("strace", "strace", "-f", "-qq", "-o", "/dev/null", "-e", inject, self, "--append", folder,
               (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 1)) {
        return -1;
    }
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? 1 : 0;
}

static void a_writer_killed_at_any_system_call_leaves_old_or_new(void **state)
{
    subject *s = *state;
    static const char *const calls[] = {"write", "pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "openat"};
    uint64_t number = 0;
    unsigned kills = 0;
    unsigned new_ones = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int n = 1;; n++) {
            s->storage->close(s->state); /* the killed one is the last that had it open */
            s->state = NULL;
            int killed = killed_at(s->folder, calls[i], n);
            if (killed < 0 && kills == 0) {
                ALLOWS(try_open(s, true, false, &s->state));
                print_message("skipped: strace cannot kill a program here\n");
                skip();
            }
            assert_true(killed >= 0);
            ALLOWS(try_open(s, false, n % 2 == 0, &s->state)); /* a reader recovers it as well */
            uint64_t now = head_of(s);
            assert_true(now == number || now == number + 1);
            assert_true(killed == 1 || now == number + 1);
            new_ones += killed == 1 && now == number + 1;
            number = now;
            check_whole(s, number);
            s->storage->close(s->state);
            ALLOWS(try_open(s, false, false, &s->state));
            ALLOWS(append_whole(s, ++number));
            if (killed == 0) {
                break;
            }
            kills++;
        }
    }
    print_message("killed %u times, %u of them after the commit\n", kills, new_ones);
    assert_true(kills > 20);
    assert_true(new_ones > 0);
}

static void a_maker_killed_at_any_system_call_leaves_none_or_one(void **state)
{
    subject *s = *state;
    static const char *const calls[] = {"pwrite64", "fdatasync", "ftruncate", "unlink", "openat", "mkdir"};
    unsigned kills = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int n = 1;; n++) {
            s->storage->close(s->state);
            s->state = NULL;
            empty_folder(s->folder);
            assert_int_equal(rmdir(s->folder), 0);
            int killed = killed_at(s->folder, calls[i], n);
            if (killed < 0 && kills == 0) {
                ALLOWS(try_open(s, true, false, &s->state));
                print_message("skipped: strace cannot kill a program here\n");
                skip();
            }
            void *opened = NULL;
            sy_status status = try_open(s, false, false, &opened);
            assert_true(status == SY_OK || status == SY_NOT_FOUND);
            s->storage->close(opened);
            ALLOWS(try_open(s, true, false, &s->state));
            uint64_t number = head_of(s);
            assert_true(number <= 1);
            check_whole(s, number);
            ALLOWS(append_whole(s, number + 1));
            if (killed == 0) {
                break;
            }
            kills++;
        }
    }
    assert_true(kills > 20);
}

/* ---- full ---- */

#define LARGE (256 * 1024)

static sy_status append_large(subject *s, uint64_t number)
{
    static char bytes[LARGE];
    memset(bytes, 'x', sizeof bytes - 1);
    const sy_stored_series series = series_of(number, samples, 3);
    sy_status status = s->storage->begin(s->state, true, &s->err);
    if (status == SY_OK) {
        status = append_text(s, number, "a", bytes);
    }
    if (status == SY_OK) {
        status = append_text(s, number + 1, "a", bytes);
    }
    if (status == SY_OK) {
        status = s->storage->put_series(s->state, &series, &s->err);
    }
    if (status == SY_OK) {
        return s->storage->commit(s->state, &s->err);
    }
    s->storage->rollback(s->state);
    return status;
}

static bool holds(subject *s, uint64_t number)
{
    uint64_t head = 0;
    sy_digest digest;
    return s->storage->head(s->state, &head, &digest, &s->err) == SY_OK && head == number;
}

/* In a child whose files may not grow beyond limits in turn. 0 = as it should be. */
static int meet_limits(subject *s)
{
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    if (try_open(s, false, false, &s->state) != SY_OK || append_whole(s, 1) != SY_OK) {
        return 1;
    }
    int failures = 0;
    for (rlim_t limit = 4096; limit < 4 * LARGE; limit += 24 * 1024 + 512) {
        const struct rlimit tight = {limit, RLIM_INFINITY};
        if (setrlimit(RLIMIT_FSIZE, &tight) != 0) {
            return 2;
        }
        sy_status status = append_large(s, 2);
        if (status == SY_OK) {
            break;
        }
        failures++;
        if ((status != SY_IO) || strstr(s->err.what, "File too large") == NULL || s->err.hint[0] == '\0') {
            fprintf(stderr, "%s: %s\n", sy_status_word(status), s->err.what);
            return 3;
        }
        if (setrlimit(RLIMIT_FSIZE, &none) != 0 || !holds(s, 1)) {
            return 4;
        }
    }
    if (setrlimit(RLIMIT_FSIZE, &none) != 0 || failures < 5) {
        return 5;
    }
    if (holds(s, 1) && append_large(s, 2) != SY_OK) { /* the same object goes on */
        return 6;
    }
    if (!holds(s, 3) || append_whole(s, 4) != SY_OK) {
        return 7;
    }
    s->storage->close(s->state);
    return 0;
}

/* In a child with a file system of its own, of 1 MiB. 0 = as it should be, 77: not allowed here. */
static int fill_disk(subject *s)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", s->folder, "tmpfs", 0, "size=1m") != 0) {
        return 77;
    }
    if (try_open(s, true, false, &s->state) != SY_OK || append_whole(s, 1) != SY_OK) {
        return 1;
    }
    uint64_t number = 1;
    sy_status status = SY_OK;
    while (status == SY_OK && number < 100) {
        status = append_large(s, number + 1);
        number += status == SY_OK ? 2 : 0;
    }
    if (status != SY_IO || strstr(s->err.what, "full") == NULL || s->err.hint[0] == '\0' || !holds(s, number)) {
        fprintf(stderr, "%s: %s\n", sy_status_word(status), s->err.what);
        return 2;
    }
    if (append_large(s, number + 1) != SY_IO || !holds(s, number)) { /* again and again */
        return 3;
    }
    if (mount(NULL, s->folder, NULL, MS_REMOUNT, "size=8m") != 0) {
        return 77;
    }
    if (append_large(s, number + 1) != SY_OK || !holds(s, number + 2)) { /* somebody made room */
        return 4;
    }
    s->storage->close(s->state);
    if (try_open(s, false, true, &s->state) != SY_OK || !holds(s, number + 2)) {
        return 5;
    }
    s->storage->close(s->state);
    return 0;
}

static void in_a_child(subject *s, int (*run)(subject *s), const char *otherwise)
{
    int status;
    s->storage->close(s->state);
    s->state = NULL;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(run(s));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    ALLOWS(try_open(s, false, false, &s->state));
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: %s\n", otherwise);
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_limit_met_mid_append_is_named_and_leaves_nothing(void **state)
{
    subject *s = *state;
    in_a_child(s, meet_limits, "");
    assert_int_equal(head_of(s), 4);
    assert_int_equal(count_events(s, 1, NULL), 4);
    assert_int_equal(series_there(s), 3);
    is_sound(s);
}

static void a_full_disk_is_named_and_leaves_nothing(void **state)
{
    in_a_child(*state, fill_disk, "mounting is not allowed here");
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--append") == 0) {
        return append_as_a_program(argv[2]);
    }
    prefer_memory_folder();
    const struct CMUnitTest tests[] = {
        IN_SQLITE(a_writer_killed_at_any_system_call_leaves_old_or_new),
        IN_SQLITE(a_maker_killed_at_any_system_call_leaves_none_or_one),
        IN_SQLITE(a_limit_met_mid_append_is_named_and_leaves_nothing),
        IN_SQLITE(a_full_disk_is_named_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
