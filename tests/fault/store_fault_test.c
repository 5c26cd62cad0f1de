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
#include "store_files.h"

/* What is done to a store that holds three profiles of format 2. */
typedef struct action {
    const char *name;
    sy_status (*act)(sy_store *store, const char *path, sy_error *err);
    bool removes;
    bool damaged_before; /* the file is damaged, and the action repairs it */
} action;

static sy_status act_put(sy_store *store, const char *path, sy_error *err)
{
    (void)path;
    return try_put(store, exact_key("new", 1), "new", test_now + 1000000, err);
}

static sy_status act_put_many(sy_store *store, const char *path, sy_error *err)
{
    policy_text policy = {"many", 4, 0};
    sy_profile_put puts[3];
    (void)path;
    for (uint32_t i = 0; i < 3; i++) {
        puts[i] = (sy_profile_put){SY_PROFILE_DRAFT_INIT, serialize_text, NULL, &policy};
        puts[i].draft.key = exact_key(i == 0 ? "p" : "new", i + 1);
    }
    return sy_store_put_many(store, puts, 3, NULL, err);
}

static sy_status act_override(sy_store *store, const char *path, sy_error *err)
{
    policy_text policy = {"mine", 4, 0};
    sy_override_draft draft = {exact_key("p", 1), "because", 0};
    (void)path;
    return sy_store_install_override(store, &draft, serialize_text, NULL, &policy, NULL, err);
}

static sy_status act_remove(sy_store *store, const char *path, sy_error *err)
{
    const sy_profile_key key = exact_key("p", 2);
    (void)path;
    return sy_store_remove(store, &key, SY_PROFILE_CALIBRATED, err);
}

static sy_status act_invalidate(sy_store *store, const char *path, sy_error *err)
{
    const sy_invalidation what = {"be", NULL, true};
    (void)path;
    return sy_store_invalidate(store, &what, NULL, err);
}

static sy_status act_convert(sy_store *store, const char *path, sy_error *err)
{
    (void)path;
    return sy_store_convert(store, 1, NULL, err);
}

static sy_status act_repair(sy_store *store, const char *path, sy_error *err)
{
    sy_repair_result result;
    sy_store_options options = memory_options();
    (void)store;
    return sy_store_repair(path, &options, &result, err);
}

static const action actions[] = {
    {"put", act_put, false, false},
    {"put_many", act_put_many, false, false},
    {"override", act_override, false, false},
    {"remove", act_remove, true, false},
    {"invalidate", act_invalidate, true, false},
    {"convert", act_convert, false, false},
    {"repair", act_repair, false, true},
};
#define ACTION_COUNT (sizeof actions / sizeof actions[0])

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
