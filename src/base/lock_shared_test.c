/* SPDX-License-Identifier: Apache-2.0 */
/* Locks among several users: who may write the guarded file may take its lock, and nothing that stands in the lock's
 * place is followed or emptied. */
#include "cmocka_headers.h"

#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/text.h"
#include "file_versions.h"
#include "temporary_folder.h"

#define SOMEBODY 12345

static void paths_of(void *folder, char file[512], char lock[512])
{
    snprintf(file, 512, "%s/store", (const char *)folder);
    snprintf(lock, 512, "%s/store.lock", (const char *)folder);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void a_lock_is_as_wide_as_the_file_that_it_guards(void **state)
{
    char file[512];
    char path[512];
    sy_lock *lock = NULL;
    paths_of(*state, file, path);
    write_plainly(file, "x");
    assert_int_equal(chmod(file, 0664), 0);
    mode_t former = umask(077);
    assert_int_equal(sy_lock_take_for(file, path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
    assert_int_equal(mode_of(path), 0664);
    /* One that was made before the file was shared is opened later on. */
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(sy_lock_take_for(file, path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
    assert_int_equal(mode_of(path), 0664);
    /* A private file does not narrow its lock, and a missing one leaves the umask's mode. */
    assert_int_equal(chmod(file, 0600), 0);
    assert_int_equal(sy_lock_take_for(file, path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
    assert_int_equal(mode_of(path), 0664);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(sy_lock_take_for(file, path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
    umask(former);
    assert_int_equal(mode_of(path), 0600);
}

static int take_as_somebody(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        sy_lock *lock = NULL;
        sy_error err = SY_ERROR_INIT;
        if (setgroups(0, NULL) != 0 || setgid(SOMEBODY) != 0 || setuid(SOMEBODY) != 0) {
            _exit(9);
        }
        sy_status status = sy_lock_take(path, 0, &lock, &err);
        sy_lock_release(lock);
        _exit(status == SY_OK ? 0 : status == SY_BUSY ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_lock_that_can_only_be_read_excludes_all_the_same(void **state)
{
    char file[512];
    char path[512];
    sy_lock *lock = NULL;
    if (geteuid() != 0) {
        print_message("skipped: only root can become another user\n");
        skip();
    }
    paths_of(*state, file, path);
    assert_int_equal(chmod(*state, 0777), 0);
    write_plainly(path, "");
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(take_as_somebody(path), 0);
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    assert_int_equal(take_as_somebody(path), 1);
    sy_lock_release(lock);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(take_as_somebody(path), 2);
    /* In a sticky folder a kernel that protects regular files refuses O_CREAT on another user's file. */
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(*state, 01777), 0);
    assert_int_equal(take_as_somebody(path), 0);
}

static void a_link_in_the_place_of_a_lock_is_refused(void **state)
{
    char file[512];
    char path[512];
    sy_lock *lock = NULL;
    sy_error err = SY_ERROR_INIT;
    paths_of(*state, file, path);
    write_plainly(file, old_bytes);
    assert_int_equal(symlink("store", path), 0);
    assert_int_equal(sy_lock_take(path, 0, &lock, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "(ELOOP)"));
    assert_non_null(strstr(err.hint, "never a link"));
    expect_content(file, old_bytes);
    /* A second name of a file is locked, and its text left alone. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(file, path), 0);
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    sy_lock_release(lock);
    expect_content(file, old_bytes);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sy_lock_take(path, 0, &lock, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "it is no regular file"));
}

static void a_file_with_a_text_of_its_own_is_not_emptied(void **state)
{
    char file[512];
    char path[512];
    sy_lock *lock = NULL;
    sy_lock *second = NULL;
    sy_error err = SY_ERROR_INIT;
    paths_of(*state, file, path);
    write_plainly(path, "[[package]]\n");
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    assert_int_equal(sy_lock_take(path, 0, &second, &err), SY_BUSY);
    assert_true(sy_text_ends(err.what, "is held by another process"));
    sy_lock_release(lock);
    expect_content(path, "[[package]]\n");
    /* What a killed holder left is written over. */
    write_plainly(path, "process 1 on host gone since 2026-01-01T00:00:00Z\n");
    assert_int_equal(sy_lock_take(path, 0, &lock, NULL), SY_OK);
    assert_int_equal(sy_lock_take(path, 0, &second, &err), SY_BUSY);
    assert_null(strstr(err.what, "process 1 on host gone"));
    sy_lock_release(lock);
    expect_content(path, "");
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_lock_is_as_wide_as_the_file_that_it_guards),
        IN_A_FOLDER(a_lock_that_can_only_be_read_excludes_all_the_same),
        IN_A_FOLDER(a_link_in_the_place_of_a_lock_is_refused),
        IN_A_FOLDER(a_file_with_a_text_of_its_own_is_not_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
