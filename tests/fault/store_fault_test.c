/* SPDX-License-Identifier: Apache-2.0 */
/* Every way of changing a store on disk, with every system call and every allocation failing in turn, and the process
 * killed at every system call: the file is the old one or the new one, never neither, and the next writer goes on. */
#include "cmocka_headers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/memory.h"
#include "store_actions.h"

/* The file as it is before the action. */
static void prepare(void **state, const action *a)
{
    const char *path = in(state, "profiles");
    empty_folder(*state);
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    put_exact(store, "p", 2, "two");
    put_exact(store, "p", 3, "three");
    sy_store_close(store);
    if (a->damaged_before) {
        char *bytes = read_file(path);
        *strstr(bytes, "two") = 'T';
        write_file(path, bytes);
        sy_free(bytes);
    }
}

/* The bytes before and after a run in which nothing fails; the caller frees both. */
static void learn(void **state, const action *a, char **ret_old, char **ret_new)
{
    const char *path = in(state, "profiles");
    prepare(state, a);
    *ret_old = read_file(path);
    sy_store *store = open_memory(path);
    sy_error err = SY_ERROR_INIT;
    if (a->act(store, path, &err) != SY_OK) {
        fail_msg("%s: %s", a->name, err.what);
    }
    sy_store_close(store);
    *ret_new = read_file(path);
    assert_string_not_equal(*ret_old, *ret_new);
}

/* Old or new, and no temporary file of ours; returns whether it is the new one. */
static bool check_file(void **state, const action *a, const char *old, const char *new, uint64_t n)
{
    char *bytes = read_file(in(state, "profiles"));
    bool is_new = strcmp(bytes, new) == 0;
    if (!is_new && strcmp(bytes, old) != 0) {
        fail_msg("%s, call %llu: neither old nor new:\n%s", a->name, (unsigned long long)n, bytes);
    }
    sy_free(bytes);
    return is_new;
}

static void a_failing_system_call_leaves_old_or_new(void **state)
{
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EROFS, EACCES};
    for (size_t i = 0; i < 2 * ACTION_COUNT; i++) {
        const action *a = &actions[i / 2];
        bool once = i % 2 == 0;
        char *old;
        char *new;
        learn(state, a, &old, &new);
        uint64_t failures = 0;
        for (uint64_t n = 1;; n++) {
            const char *path = in(state, "profiles");
            prepare(state, a);
            sy_store *store = open_memory(path);
            sy_error err = SY_ERROR_INIT;
            sy_fault_reset();
            sy_fault_fail_system_call(n, errors[n % 5], once);
            sy_status status = a->act(store, path, &err);
            bool reached = sy_fault_system_calls() >= n;
            sy_fault_reset();
            bool is_new = check_file(state, a, old, new, n);
            if (status == SY_OK) {
                assert_true(is_new);
            } else {
                failures++;
                assert_true(status == SY_IO || status == SY_BUSY || status == SY_NOT_FOUND);
                assert_int_equal(err.status, status);
            }
            /* The decision itself is never lost. */
            if (a->act == act_put) {
                assert_string_equal(find(store, "new", 1).profile->policy, "new");
            }
            sy_store_close(store);
            if (!reached) {
                break;
            }
            /* The next writer goes on as if nothing had been. */
            if (!a->damaged_before) {
                store = open_memory(path);
                put_exact(store, "next", 1, "next");
                sy_store_close(store);
            }
        }
        assert_true(failures > 5);
        sy_free(old);
        sy_free(new);
    }
}

static void a_failing_allocation_leaves_all_as_it_was(void **state)
{
    for (size_t i = 0; i < 2 * ACTION_COUNT; i++) {
        const action *a = &actions[i / 2];
        bool once = i % 2 == 0;
        char *old;
        char *new;
        learn(state, a, &old, &new);
        int64_t alive = sy_fault_live_allocations();
        for (uint64_t n = 1;; n++) {
            const char *path = in(state, "profiles");
            prepare(state, a);
            sy_store *store = open_memory(path);
            size_t count = count_profiles(store);
            sy_error err = SY_ERROR_INIT;
            sy_fault_reset();
            sy_fault_fail_allocation(n, once);
            sy_status status = a->act(store, path, &err);
            bool reached = sy_fault_allocations() >= n;
            sy_fault_reset();
            bool is_new = check_file(state, a, old, new, n);
            assert_int_equal(is_new, status == SY_OK);
            if (status == SY_NO_MEMORY) {
                assert_int_equal(count_profiles(store), count);
                assert_int_equal(layer_of(store, 0).unsaved_count, 0);
            } else {
                assert_int_equal(status, SY_OK);
            }
            sy_store_close(store);
            assert_int_equal(sy_fault_live_allocations(), alive);
            if (!reached) {
                assert_int_equal(status, SY_OK);
                break;
            }
        }
        sy_free(old);
        sy_free(new);
    }
}

/* Runs the action in a child that is killed at its n-th system call; false when it lived. */
static bool kill_at(void **state, const action *a, uint64_t n)
{
    const char *path = in(state, "profiles");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sy_store *store = open_memory(path);
        sy_fault_reset();
        sy_fault_kill_at_system_call(n);
        (void)!a->act(store, path, NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void a_killed_writer_leaves_old_or_new_and_the_next_one_tidies_up(void **state)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        const action *a = &actions[i];
        char *old;
        char *new;
        learn(state, a, &old, &new);
        uint64_t n = 1;
        uint64_t seen_new = 0;
        for (;; n++) {
            prepare(state, a);
            bool killed = kill_at(state, a, n);
            seen_new += check_file(state, a, old, new, n);
            if (!killed) {
                break;
            }
            if (a->damaged_before) {
                sy_error err;
                assert_int_equal(act_repair(NULL, in(state, "profiles"), &err), SY_OK);
                assert_true(check_file(state, a, old, new, n));
            } else {
                sy_store *store = open_memory(in(state, "profiles"));
                put_exact(store, "next", 1, "next");
                sy_store_close(store);
                assert_int_equal(count_entries(*state), 2); /* the file and its lock */
            }
        }
        assert_true(n > 10);
        assert_true(seen_new >= 1);
        sy_free(old);
        sy_free(new);
    }
}

static void a_short_write_is_continued(void **state)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        const action *a = &actions[i];
        char *old;
        char *new;
        learn(state, a, &old, &new);
        for (uint64_t n = 1; n <= 3; n++) {
            const char *path = in(state, "profiles");
            prepare(state, a);
            sy_store *store = open_memory(path);
            sy_fault_reset();
            sy_fault_short_write(n);
            assert_int_equal(a->act(store, path, NULL), SY_OK);
            sy_fault_reset();
            assert_true(check_file(state, a, old, new, n));
            sy_store_close(store);
        }
        sy_free(old);
        sy_free(new);
    }
}

int main(void)
{
    prefer_memory_folder();
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_failing_system_call_leaves_old_or_new),
        IN_FOLDER(a_failing_allocation_leaves_all_as_it_was),
        IN_FOLDER(a_killed_writer_leaves_old_or_new_and_the_next_one_tidies_up),
        IN_FOLDER(a_short_write_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
