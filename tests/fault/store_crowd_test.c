/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes put into one file: nothing is lost, readers only ever see whole files, and killed writers harm nobody.
 * Also the path that cannot be replaced because it is a mount point. */
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/memory.h"
#include "store_files.h"

/* In a child: its own store, puts keys of its own, never returns. */
static void put_in_child(const char *path, uint32_t writer, uint32_t puts)
{
    sy_store_options options = memory_options();
    sy_store *store;
    options.persistence = true;
    options.path = path;
    options.environment_layers = false;
    if (sy_store_open(&options, &store, NULL) != SY_OK) {
        _exit(1);
    }
    char processor[32];
    snprintf(processor, sizeof processor, "writer %u", writer);
    for (uint32_t i = 1; i <= puts; i++) {
        if (try_put(store, exact_key(processor, i), "x", 0, NULL) != SY_OK) {
            _exit(2);
        }
    }
    sy_store_close(store);
    _exit(0);
}

static void start_writers(const char *path, pid_t *writers, uint32_t count, uint32_t puts)
{
    for (uint32_t i = 0; i < count; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0) {
            put_in_child(path, i, puts);
        }
    }
}

static void run_writers(void **state, uint32_t count, uint32_t puts)
{
    const char *path = in(state, "profiles");
    pid_t writers[64];
    start_writers(path, writers, count, puts);
    /* A reader all the while: every file that it meets is whole. */
    sy_store *reader = open_memory(path);
    size_t seen = 0;
    for (uint32_t ended = 0; ended < count;) {
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG);
        assert_true(child >= 0);
        if (child > 0) {
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            ended++;
        }
        assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
        size_t now = count_profiles(reader);
        assert_true(now >= seen);
        seen = now;
    }
    assert_int_equal(seen, (size_t)count * puts);
    sy_store_close(reader);
    assert_int_equal(count_entries(*state), 2);
}

static void sixteen_writers_lose_nothing(void **state)
{
    run_writers(state, 16, 20);
}

static void sixty_four_writers_lose_nothing(void **state)
{
    run_writers(state, 64, 20);
}

static void killed_writers_lose_only_what_was_not_answered(void **state)
{
    const char *path = in(state, "profiles");
    pid_t writers[8];
    for (uint32_t round = 0; round < 12; round++) {
        start_writers(path, writers, 8, 1000);
        usleep(3000 + 1777 * round);
        for (uint32_t i = 0; i < 8; i++) {
            kill(writers[i], SIGKILL);
        }
        for (uint32_t i = 0; i < 8; i++) {
            assert_int_equal(waitpid(writers[i], NULL, 0), writers[i]);
        }
        sy_store *store = open_memory(path);
        sy_status status = layer_of(store, 0).status;
        assert_true(status == SY_OK || status == SY_NOT_FOUND);
        put_exact(store, "survivor", round + 1, "x");
        for (uint32_t i = 1; i <= round + 1; i++) {
            assert_string_equal(find(store, "survivor", i).profile->policy, "x");
        }
        sy_store_close(store);
        assert_int_equal(count_entries(*state), 2);
    }
}

static void a_stopped_holder_does_not_stop_decisions(void **state)
{
    const char *path = in(state, "profiles");
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        sy_lock *lock;
        if (sy_lock_take(in(state, "profiles.lock"), 0, &lock, NULL) != SY_OK || write(ready[1], "", 1) != 1) {
            _exit(1);
        }
        raise(SIGSTOP);
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    sy_store_options options = memory_options();
    sy_store *store;
    sy_error err;
    options.persistence = true;
    options.path = path;
    options.lock_timeout_ns = 50000000;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    assert_int_equal(try_put(store, exact_key("p", 1), "kept", 0, &err), SY_BUSY);
    char named[64];
    snprintf(named, sizeof named, "process %d", (int)holder);
    assert_non_null(strstr(err.what, named));
    assert_string_equal(find(store, "p", 1).profile->policy, "kept");
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    put_exact(store, "p", 2, "x"); /* the dead hold nothing */
    sy_store_close(store);
    store = open_memory(path);
    assert_int_equal(count_profiles(store), 2);
    sy_store_close(store);
    close(ready[0]);
    close(ready[1]);
}

/* STO-1: a store that is a bind mount of a single file. In a child with mounts of its own. 77: not allowed here. */
static int use_mount_point(void **state)
{
    const char *path = in(state, "profiles");
    const char *host = in(state, "host");
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return 77;
    }
    write_file(path, "");
    write_file(host, "");
    if (mount(host, path, NULL, MS_BIND, NULL) != 0) {
        return 77;
    }
    sy_store *store = open_memory(path);
    if (try_put(store, exact_key("p", 1), "one", 0, NULL) != SY_OK ||
        try_put(store, exact_key("p", 2), "two", 0, NULL) != SY_OK) {
        return 1;
    }
    sy_store_close(store);
    store = open_memory(path);
    return count_profiles(store) == 2 && count_entries(*state) == 3 ? 0 : 2; /* no orphan beside it */
}

static void a_bind_mounted_file_keeps_decisions(void **state)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(use_mount_point(state));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: mounting is not allowed here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    sy_store *store = open_memory(in(state, "host"));
    assert_int_equal(count_profiles(store), 2);
    sy_store_close(store);
}

int main(void)
{
    prefer_memory_folder();
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(sixteen_writers_lose_nothing),
        IN_FOLDER(sixty_four_writers_lose_nothing),
        IN_FOLDER(killed_writers_lose_only_what_was_not_answered),
        IN_FOLDER(a_stopped_holder_does_not_stop_decisions),
        IN_FOLDER(a_bind_mounted_file_keeps_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
