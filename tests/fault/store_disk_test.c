/* SPDX-License-Identifier: Apache-2.0 */
/* What disks, clocks and other processes do to a store besides failing at once: a synchronisation that failed, a file
 * that seems to be missing, a clock that goes back, a holder of the lock that is stopped, names that others have taken.
 */
#include "cmocka_headers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/lock.h"
#include "base/memory.h"
#include "store_actions.h"

/* The number of the n-th call of that name in what a put does to path; 0 = there are fewer. */
static uint64_t number_of_call(const char *path, const char *name, int nth)
{
    char trace[8192];
    sy_store *store = open_memory(path);
    sy_fault_reset();
    sy_fault_trace_system_calls(trace, sizeof trace);
    put_exact(store, "traced", 1, "x");
    sy_fault_reset();
    sy_store_close(store);
    uint64_t number = 1;
    for (const char *at = trace; *at != '\0'; at += strcspn(at, " ") + 1, number++) {
        size_t length = strcspn(at, " ");
        if (length == strlen(name) && memcmp(at, name, length) == 0 && --nth == 0) {
            return number;
        }
    }
    return 0;
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* What the kernel could not write it may have dropped, and the next fsync of that file says that all is well. */
static void a_failed_fsync_is_never_asked_again(void **state)
{
    const char *path = in(state, "profiles");
    char trace[8192];
    sy_error err = SY_ERROR_INIT;
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    sy_store_close(store);
    uint64_t n = number_of_call(path, "fsync", 1);
    assert_true(n > 0);
    char *old = read_file(path);
    store = open_memory(path);
    sy_fault_reset();
    sy_fault_fail_system_call(n, EIO, true);
    sy_fault_trace_system_calls(trace, sizeof trace);
    assert_int_equal(try_put(store, exact_key("new", 1), "new", 0, &err), SY_IO);
    sy_fault_reset();
    assert_non_null(strstr(err.what, "EIO"));
    assert_int_equal(count_words(trace, "fsync "), 1);
    assert_int_equal(count_words(trace, "rename "), 0);
    expect_file(path, old);
    assert_int_equal(count_entries(*state), 2); /* what could not be synchronised is gone */
    assert_string_equal(find(store, "new", 1).profile->policy, "new");
    assert_int_equal(layer_of(store, 0).unsaved_count, 1);
    /* The next write makes a file of its own, with both. */
    sy_fault_trace_system_calls(trace, sizeof trace);
    put_exact(store, "later", 1, "later");
    sy_fault_reset();
    assert_int_equal(count_words(trace, "fsync "), 2); /* the file and its folder */
    sy_store_close(store);
    store = open_memory(path);
    assert_string_equal(find(store, "new", 1).profile->policy, "new");
    assert_string_equal(find(store, "later", 1).profile->policy, "later");
    sy_store_close(store);
    sy_free(old);
}

/* Where another host has just replaced it, a file can seem to be missing for a moment. */
static void a_file_that_seemed_to_be_missing_is_not_replaced_unread(void **state)
{
    const char *path = in(state, "profiles");
    for (uint64_t n = 1;; n++) {
        empty_folder(*state);
        sy_store *store = open_memory(path);
        put_exact(store, "p", 1, "one");
        sy_store_close(store);
        store = open_memory(path);
        sy_fault_reset();
        sy_fault_fail_system_call(n, ENOENT, true);
        (void)!try_put(store, exact_key("new", 1), "new", 0, NULL);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        sy_store_close(store);
        store = open_memory(path);
        assert_string_equal(find(store, "p", 1).profile->policy, "one");
        sy_store_close(store);
        if (!reached) {
            assert_true(n > 10);
            return;
        }
    }
}

/* Nothing is decided by comparing times: what is put last counts, and every reader sees it. */
static void a_clock_that_goes_back_changes_nothing(void **state)
{
    const char *path = in(state, "profiles");
    int64_t now = test_now;
    sy_store *reader = open_memory(path);
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "before");
    assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
    test_now -= 20 * 365 * 86400;
    put_exact(store, "p", 1, "behind");
    assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
    assert_string_equal(find(reader, "p", 1).profile->policy, "behind");
    put(store, exact_key("q", 1), "new", test_now + 60);
    assert_string_equal(find(store, "q", 1).profile->policy, "new");
    sy_store_close(store);
    /* What the file's own time says is not asked, either. */
    char *bytes = read_file(path);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    char *policy = strstr(bytes, "\"behind\"");
    assert_non_null(policy);
    sy_free(bytes);
    store = open_memory(path);
    put_exact(store, "p", 1, "beyond"); /* as long as what it replaces */
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
    assert_string_equal(find(reader, "p", 1).profile->policy, "beyond");
    sy_store_close(store);
    sy_store_close(reader);
    test_now = now;
}

/* Holds the lock, tells so and stops; when it is continued it lets go. */
static pid_t start_stopped_holder(const char *lock_path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        sy_lock *lock;
        if (sy_lock_take(lock_path, 0, &lock, NULL) != SY_OK || write(ready[1], "", 1) != 1) {
            _exit(1);
        }
        raise(SIGSTOP);
        sy_lock_release(lock);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    int status;
    assert_int_equal(waitpid(holder, &status, WUNTRACED), holder);
    assert_true(WIFSTOPPED(status));
    return holder;
}

static void a_stopped_holder_is_named_and_readers_go_on(void **state)
{
    const char *path = in(state, "profiles");
    sy_store_options options = memory_options();
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    sy_store_close(store);
    pid_t holder = start_stopped_holder(in(state, "profiles.lock"));
    options.persistence = true;
    options.path = path;
    options.lock_timeout_ns = 50000000;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    char host[65] = "";
    char named[128];
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    snprintf(named, sizeof named, "is held by process %d on host %s since ", (int)holder, host);
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        sy_error err = SY_ERROR_INIT;
        sy_store *other;
        sy_store_options repair_options = options;
        sy_repair_result ignored;
        assert_int_equal(sy_store_open(&options, &other, NULL), SY_OK);
        sy_status status = actions[i].damaged_before ? sy_store_repair(path, &repair_options, &ignored, &err)
                                                     : actions[i].act(other, path, &err);
        assert_int_equal(status, SY_BUSY);
        if (strstr(err.what, named) == NULL) {
            fail_msg("%s: %s", actions[i].name, err.what);
        }
        sy_store_close(other);
    }
    assert_int_equal(try_put(store, exact_key("kept", 1), "kept", 0, NULL), SY_BUSY);
    assert_string_equal(find(store, "kept", 1).profile->policy, "kept");
    sy_store *reader = open_memory(path);
    assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
    assert_string_equal(find(reader, "p", 1).profile->policy, "one");
    assert_int_equal(count_profiles(reader), 1);
    /* Continued, it lets go; the next write takes what waited along. */
    assert_int_equal(kill(holder, SIGCONT), 0);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    put_exact(store, "next", 1, "next");
    assert_int_equal(sy_store_reload(reader, NULL), SY_OK);
    assert_int_equal(count_profiles(reader), 3);
    sy_store_close(reader);
    sy_store_close(store);
}

/* Something else under the name that the lock, the file or the journal should have. */
typedef struct trap {
    const char *name;
    const char *suffix;
    int (*make)(const char *path, const char *victim);
} trap;

static int make_link(const char *path, const char *victim)
{
    return symlink(victim, path);
}

static int make_pipe(const char *path, const char *victim)
{
    (void)victim;
    return mkfifo(path, 0666);
}

static int make_folder(const char *path, const char *victim)
{
    (void)victim;
    return mkdir(path, 0777);
}

static void names_that_others_have_taken_lead_nowhere(void **state)
{
    static const trap traps[] = {
        {"a lock that is a link", ".lock", make_link},
        {"a lock that is a pipe", ".lock", make_pipe},
        {"a lock that is a folder", ".lock", make_folder},
        {"a store that is a pipe", "", make_pipe},
        {"a store that is a folder", "", make_folder},
        {"a journal that is a link", ".steelyard-journal", make_link},
        {"a journal that is a pipe", ".steelyard-journal", make_pipe},
        {"a journal that is a folder", ".steelyard-journal", make_folder},
    };
    const char *path = in(state, "profiles");
    const char *victim = in(state, "victim");
    char trapped[512];
    for (size_t i = 0; i < sizeof traps / sizeof traps[0]; i++) {
        empty_folder(*state);
        assert_int_equal(chmod(*state, 01777), 0);
        write_file(victim, "steelyard_profiles 2\n# mine\n");
        if (*traps[i].suffix != '\0') {
            sy_store *store = open_memory(path);
            put_exact(store, "p", 1, "one");
            sy_store_close(store);
            (void)unlink(in(state, "profiles.lock"));
        }
        snprintf(trapped, sizeof trapped, "%s%s", path, traps[i].suffix);
        assert_int_equal(traps[i].make(trapped, victim), 0);
        sy_store *store = open_memory(path);
        sy_error err = SY_ERROR_INIT;
        sy_status status = try_put(store, exact_key("new", 1), "new", 0, &err);
        if (status == SY_OK) {
            fail_msg("%s is believed", traps[i].name);
        }
        assert_int_equal(status, SY_IO);
        assert_string_equal(find(store, "new", 1).profile->policy, "new");
        sy_store_close(store);
        expect_file(victim, "steelyard_profiles 2\n# mine\n");
        struct stat st;
        assert_int_equal(lstat(trapped, &st), 0);
        assert_false(S_ISREG(st.st_mode));
    }
}

/* Somebody else may make files in the folder, but not touch ours: what he calls our journal is not read. */
static void a_journal_of_somebody_else_is_not_believed(void **state)
{
    const char *path = in(state, "profiles");
    const char *journal = in(state, "profiles.steelyard-journal");
    if (geteuid() != 0) {
        print_message("skipped: only root can set up files of somebody else\n");
        skip();
    }
    sy_store *store = open_memory(path);
    put_exact(store, "p", 1, "one");
    sy_store_close(store);
    char *old = read_file(path);
    write_file(journal, "steelyard_profiles 2\n");
    assert_int_equal(chown(journal, 12345, 12345), 0);
    assert_int_equal(chmod(*state, 01777), 0);
    sy_error err = SY_ERROR_INIT;
    store = open_memory(path);
    assert_int_equal(layer_of(store, 0).status, SY_IO);
    assert_int_equal(try_put(store, exact_key("new", 1), "new", 0, &err), SY_IO);
    assert_non_null(strstr(err.what, "belongs to somebody else"));
    sy_store_close(store);
    assert_int_equal(unlink(journal), 0);
    expect_file(path, old);
    sy_free(old);
}

int main(void)
{
    prefer_memory_folder();
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_failed_fsync_is_never_asked_again),
        IN_FOLDER(a_file_that_seemed_to_be_missing_is_not_replaced_unread),
        IN_FOLDER(a_clock_that_goes_back_changes_nothing),
        IN_FOLDER(a_stopped_holder_is_named_and_readers_go_on),
        IN_FOLDER(names_that_others_have_taken_lead_nowhere),
        IN_FOLDER(a_journal_of_somebody_else_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
