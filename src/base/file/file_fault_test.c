/* SPDX-License-Identifier: Apache-2.0 */
/* The durable writer under every failure and every death: the old bytes or the new ones, and nothing beside them. */
#include "cmocka_headers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "fault_loop.h"
#include "file_versions.h"
#include "temporary_folder.h"

static void every_failing_system_call_leaves_the_old_bytes_or_the_new_ones(void **state)
{
    const char *folder = *state;
    char path[512];
    static const int errors[] = {EIO, ENOSPC, EROFS, EDQUOT, EACCES, ENOENT, EBUSY};
    snprintf(path, sizeof path, "%s/file", folder);
    int failures = 0;
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
        for (int once = 0; once < 2; once++) {
            for (uint64_t n = 1;; n++) {
                write_plainly(path, old_bytes);
                sy_error err = SY_ERROR_INIT;
                sy_fault_reset();
                sy_fault_fail_system_call(n, errors[e], once != 0);
                sy_status status = write_text(path, new_bytes, NULL, &err);
                bool reached = sy_fault_system_calls() >= n;
                sy_fault_reset();
                bool replaced = strstr(err.what, "is replaced, but") != NULL;
                assert_int_equal(version_of(path), status == SY_OK || replaced);
                failures += status != SY_OK;
                if (once != 0) {
                    assert_int_equal(count_entries(folder), 1);
                } else if (count_entries(folder) != 1) {
                    empty_folder(folder);
                }
                if (!reached) {
                    assert_int_equal(status, SY_OK);
                    break;
                }
            }
        }
    }
    assert_true(failures > 50);
}

static void every_failing_system_call_of_a_first_write_leaves_nothing_or_the_new_bytes(void **state)
{
    const char *folder = *state;
    char sub[512];
    char path[600];
    snprintf(sub, sizeof sub, "%s/sub", folder);
    snprintf(path, sizeof path, "%s/file", sub);
    for (uint64_t n = 1;; n++) {
        sy_error err = SY_ERROR_INIT;
        sy_fault_reset();
        sy_fault_fail_system_call(n, EIO, true);
        sy_status status = write_text(path, new_bytes, NULL, &err);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        if (status == SY_OK || strstr(err.what, "is replaced, but") != NULL) {
            assert_int_equal(version_of(path), 1);
        } else {
            assert_int_not_equal(access(path, F_OK), 0);
            assert_true(access(sub, F_OK) != 0 || count_entries(sub) == 0);
        }
        empty_folder(sub);
        rmdir(sub);
        if (!reached) {
            assert_int_equal(status, SY_OK);
            return;
        }
    }
}

static void a_disk_that_keeps_other_bytes_is_noticed(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    write_plainly(path, old_bytes);
    sy_error err = SY_ERROR_INIT;
    sy_fault_reset();
    sy_fault_spoil_write(1);
    assert_int_equal(write_text(path, new_bytes, NULL, &err), SY_IO);
    sy_fault_reset();
    assert_non_null(strstr(err.what, "does not read back as it was written"));
    expect_content(path, old_bytes);
    assert_int_equal(count_entries(folder), 1);
}

/* No test can cut the power: this one holds the order that survives it. */
static void bytes_are_synchronised_before_the_rename_and_the_folder_behind_it(void **state)
{
    const char *folder = *state;
    char path[512];
    char trace[4096];
    snprintf(path, sizeof path, "%s/made/file", folder);
    sy_fault_trace_system_calls(trace, sizeof trace);
    assert_int_equal(write_text(path, new_bytes, NULL, NULL), SY_OK);
    sy_fault_trace_system_calls(NULL, 0);
    /* The folder that was made, in the folder above it; then the file. */
    assert_non_null(strstr(trace, "mkdir open fsync close "));
    assert_non_null(strstr(trace, "open write ftruncate read fsync close rename open fsync close "));
    sy_fault_trace_system_calls(trace, sizeof trace);
    assert_int_equal(write_text(path, old_bytes, NULL, NULL), SY_OK);
    sy_fault_trace_system_calls(NULL, 0);
    assert_non_null(strstr(trace, "write ftruncate read fsync close rename open fsync close "));
}

static void short_writes_are_continued(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    for (uint64_t n = 1; n <= 4; n++) {
        sy_fault_reset();
        sy_fault_short_write(n);
        assert_int_equal(write_text(path, new_bytes, NULL, NULL), SY_OK);
        sy_fault_reset();
        expect_content(path, new_bytes);
    }
}

static void a_writer_killed_anywhere_leaves_the_old_bytes_or_the_new_ones(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    int kills = 0;
    int versions[2] = {0, 0};
    for (uint64_t n = 1;; n++) {
        write_plainly(path, old_bytes);
        pid_t child = fork();
        if (child == 0) {
            sy_fault_reset();
            sy_fault_kill_at_system_call(n);
            _exit(write_text(path, new_bytes, NULL, NULL) == SY_OK ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(sy_file_recover(path, NULL), SY_OK);
        versions[version_of(path)]++;
        /* What a dead writer leaves beside the file goes with the next holder of the lock. */
        size_t left = (size_t)count_entries(folder) - 1;
        assert_true(left <= 1);
        assert_int_equal(sy_file_remove_leftovers(path), left);
        assert_int_equal(count_entries(folder), 1);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            break;
        }
        assert_int_equal(WTERMSIG(status), SIGKILL);
        kills++;
    }
    assert_true(kills >= 10);
    assert_true(versions[0] > 0 && versions[1] > 0);
}

static void a_size_limit_of_the_process_is_an_error_and_no_death(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    write_plainly(path, new_bytes);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit ten = {10, 10};
        sy_error err = SY_ERROR_INIT;
        if (setrlimit(RLIMIT_FSIZE, &ten) != 0) {
            _exit(9);
        }
        sy_status status = write_text(path, old_bytes, NULL, &err);
        sigset_t pending;
        sigpending(&pending);
        _exit(status == SY_IO && sy_text_ends(err.what, "File too large (EFBIG)") ? sigismember(&pending, SIGXFSZ) : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(version_of(path), 1);
    assert_int_equal(count_entries(folder), 1);
}

static void only_dead_writers_leftovers_of_this_file_are_removed(void **state)
{
    const char *folder = *state;
    char host[65];
    char path[512];
    char name[1024];
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(path, sizeof path, "%s/file", folder);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    const struct {
        const char *base;
        const char *host;
        long long id;
        const char *random;
    } kept[] = {{"file", host, (long long)getpid(), "0123456789abcdef"},
                {"file", "another.host", (long long)child, "0123456789abcdef"},
                {"files", host, (long long)child, "0123456789abcdef"},
                {"file", host, (long long)child, "0123"},
                {"file", host, (long long)child, "0123456789abcdef.txt"}};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        snprintf(name, sizeof name, "%s/%s.tmp.%s.%lld.%s", folder, kept[i].base, kept[i].host, kept[i].id,
                 kept[i].random);
        write_plainly(name, "x");
    }
    snprintf(name, sizeof name, "%s.tmp.%s.%lld.%s", path, host, (long long)child, "0123456789abcdef");
    write_plainly(name, "x");
    assert_int_equal(sy_file_remove_leftovers(path), 1);
    assert_int_not_equal(access(name, F_OK), 0);
    assert_int_equal(count_entries(folder), 5);
}

static sy_status write_and_read(void *user)
{
    char path[512];
    snprintf(path, sizeof path, "%s/deep/file", (const char *)user);
    char *bytes = NULL;
    size_t size;
    sy_status status = write_text(path, new_bytes, NULL, NULL);
    if (status == SY_OK) {
        status = sy_file_recover(path, NULL);
    }
    if (status == SY_OK) {
        status = sy_file_read(path, 0, &bytes, &size, NULL);
    }
    sy_free(bytes);
    return status;
}

static void every_failed_allocation_of_writing_and_reading_is_clean(void **state)
{
    assert_true(fault_loop_allocations(write_and_read, *state, true) >= 6);
    assert_true(fault_loop_allocations(write_and_read, *state, false) >= 6);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(every_failing_system_call_leaves_the_old_bytes_or_the_new_ones),
        IN_A_FOLDER(every_failing_system_call_of_a_first_write_leaves_nothing_or_the_new_bytes),
        IN_A_FOLDER(a_disk_that_keeps_other_bytes_is_noticed),
        IN_A_FOLDER(bytes_are_synchronised_before_the_rename_and_the_folder_behind_it),
        IN_A_FOLDER(short_writes_are_continued),
        IN_A_FOLDER(a_writer_killed_anywhere_leaves_the_old_bytes_or_the_new_ones),
        IN_A_FOLDER(a_size_limit_of_the_process_is_an_error_and_no_death),
        IN_A_FOLDER(only_dead_writers_leftovers_of_this_file_are_removed),
        IN_A_FOLDER(every_failed_allocation_of_writing_and_reading_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
