/* SPDX-License-Identifier: Apache-2.0 */
/* Writing in place where a file is a mount point: failures and deaths at every step, on a real bind mount in a mount
 * name space of this program's own. */
#include "cmocka_headers.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "file_versions.h"
#include "temporary_folder.h"

static bool mounts_allowed;

static void mount_file(const char *folder, char path[512])
{
    char backing[512];
    if (!mounts_allowed) {
        print_message("skipped: no mount name space may be made here (needs CAP_SYS_ADMIN)\n");
        skip();
    }
    snprintf(path, 512, "%s/store/file", folder);
    snprintf(backing, sizeof backing, "%s/backing", folder);
    char store[512];
    snprintf(store, sizeof store, "%s/store", folder);
    assert_int_equal(mkdir(store, 0755), 0);
    write_plainly(path, "covered\n");
    write_plainly(backing, old_bytes);
    assert_int_equal(mount(backing, path, NULL, MS_BIND, NULL), 0);
}

static void a_mounted_file_is_written_in_place(void **state)
{
    char path[512];
    char store[512];
    mount_file(*state, path);
    snprintf(store, sizeof store, "%s/store", (const char *)*state);
    char trace[4096];
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    sy_fault_trace_system_calls(trace, sizeof trace);
    assert_int_equal(sy_file_write(path, new_bytes, strlen(new_bytes), &options, NULL), SY_OK);
    sy_fault_trace_system_calls(NULL, 0);
    /* The refused rename; the journal, durable; the file; only then the journal's end. */
    assert_non_null(strstr(trace, "fsync close rename "));
    assert_non_null(
        strstr(trace, "rename open fsync close open write ftruncate read fsync close unlink open fsync close "));
    assert_int_equal(options.outcome, SY_FILE_WRITTEN_IN_PLACE);
    assert_int_equal(version_of(path), 1);
    assert_int_equal(count_entries(store), 1);
    umount(path);
}

static void every_failing_system_call_leaves_the_old_bytes_or_the_new_ones(void **state)
{
    char path[512];
    char store[512];
    static const int errors[] = {EIO, ENOSPC, EROFS};
    mount_file(*state, path);
    snprintf(store, sizeof store, "%s/store", (const char *)*state);
    int failures = 0;
    for (size_t e = 0; e < sizeof errors / sizeof errors[0]; e++) {
        for (int once = 0; once < 2; once++) {
            for (uint64_t n = 1;; n++) {
                write_plainly(path, old_bytes);
                sy_fault_reset();
                sy_fault_fail_system_call(n, errors[e], once != 0);
                sy_status status = sy_file_write(path, new_bytes, strlen(new_bytes), NULL, NULL);
                bool reached = sy_fault_system_calls() >= n;
                sy_fault_reset();
                int seen = version_of(path);
                if (once != 0) {
                    /* The failed call may have been the removal of the journal. */
                    assert_int_equal(seen, status == SY_OK);
                }
                assert_int_equal(sy_file_recover(path, NULL), SY_OK);
                assert_int_equal(version_of(path), seen);
                failures += status != SY_OK;
                if (once != 0) {
                    assert_int_equal(count_entries(store), 1);
                } else {
                    empty_folder(store);
                }
                if (!reached) {
                    assert_int_equal(status, SY_OK);
                    break;
                }
            }
        }
    }
    assert_true(failures > 30);
    umount(path);
}

static void a_writer_killed_anywhere_leaves_the_old_bytes_or_the_new_ones(void **state)
{
    char path[512];
    char store[512];
    mount_file(*state, path);
    snprintf(store, sizeof store, "%s/store", (const char *)*state);
    int kills = 0;
    int torn = 0;
    int versions[2] = {0, 0};
    for (uint64_t n = 1;; n++) {
        write_plainly(path, old_bytes);
        pid_t child = fork();
        if (child == 0) {
            sy_fault_reset();
            sy_fault_kill_at_system_call(n);
            _exit(sy_file_write(path, new_bytes, strlen(new_bytes), NULL, NULL) == SY_OK ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        /* A reader without the lock sees the same as the one who recovers. */
        int seen = version_of(path);
        versions[seen]++;
        char raw[64] = "";
        FILE *file = fopen(path, "r");
        size_t size = fread(raw, 1, sizeof raw - 1, file);
        fclose(file);
        raw[size] = '\0';
        torn += strcmp(raw, old_bytes) != 0 && strcmp(raw, new_bytes) != 0;
        assert_int_equal(sy_file_recover(path, NULL), SY_OK);
        assert_int_equal(version_of(path), seen);
        sy_file_remove_leftovers(path);
        assert_int_equal(count_entries(store), 1);
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            break;
        }
        kills++;
    }
    assert_true(kills >= 15);
    assert_true(versions[0] > 0 && versions[1] > 0);
    /* Without this the journal was never needed, and the test tested nothing. */
    assert_true(torn > 0);
    umount(path);
}

static void a_mount_that_is_read_only_is_refused_and_leaves_no_journal(void **state)
{
    char path[512];
    char store[512];
    sy_error err = SY_ERROR_INIT;
    mount_file(*state, path);
    snprintf(store, sizeof store, "%s/store", (const char *)*state);
    assert_true(sy_file_is_mount_point(path));
    assert_false(sy_file_is_mount_point(store));
    assert_int_equal(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    assert_int_equal(sy_file_write(path, new_bytes, strlen(new_bytes), NULL, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "(EROFS)"));
    assert_int_equal(version_of(path), 0);
    assert_int_equal(count_entries(store), 1);
    umount(path);
}

/* Some file systems say EXDEV for two names in one folder: no mount is needed to see what follows. */
static void a_rename_across_file_systems_is_written_in_place(void **state)
{
    const char *folder = *state;
    char path[512];
    int in_place = 0;
    snprintf(path, sizeof path, "%s/file", folder);
    for (uint64_t n = 1;; n++) {
        sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
        write_plainly(path, old_bytes);
        sy_fault_reset();
        sy_fault_fail_system_call(n, EXDEV, true);
        sy_status status = sy_file_write(path, new_bytes, strlen(new_bytes), &options, NULL);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        assert_true(status != SY_OK || version_of(path) == 1);
        assert_int_equal(count_entries(folder), 1);
        if (status == SY_OK && options.outcome == SY_FILE_WRITTEN_IN_PLACE) {
            assert_int_equal(options.refused_errno, EXDEV);
            assert_int_equal(options.not_kept, 0);
            in_place++;
        }
        if (!reached) {
            break;
        }
    }
    assert_int_equal(in_place, 1);
}

static void a_journal_is_completed_before_newer_bytes_are_written(void **state)
{
    const char *folder = *state;
    char path[512];
    char journal[600];
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(journal, sizeof journal, "%s.steelyard-journal", path);
    write_plainly(path, "half wri");
    write_plainly(journal, old_bytes);
    assert_int_equal(version_of(path), 0);
    assert_int_equal(sy_file_write(path, new_bytes, strlen(new_bytes), NULL, NULL), SY_OK);
    assert_int_equal(version_of(path), 1);
    assert_int_equal(sy_file_recover(path, NULL), SY_OK);
    assert_int_equal(version_of(path), 1);
    assert_int_equal(count_entries(folder), 1);
    /* A journal whose file is gone becomes the file. */
    assert_int_equal(rename(path, journal), 0);
    assert_int_equal(sy_file_recover(path, NULL), SY_OK);
    assert_int_equal(version_of(path), 1);
    assert_int_equal(count_entries(folder), 1);
}

int main(void)
{
    mounts_allowed = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_mounted_file_is_written_in_place),
        IN_A_FOLDER(every_failing_system_call_leaves_the_old_bytes_or_the_new_ones),
        IN_A_FOLDER(a_writer_killed_anywhere_leaves_the_old_bytes_or_the_new_ones),
        IN_A_FOLDER(a_mount_that_is_read_only_is_refused_and_leaves_no_journal),
        IN_A_FOLDER(a_rename_across_file_systems_is_written_in_place),
        IN_A_FOLDER(a_journal_is_completed_before_newer_bytes_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
