/* SPDX-License-Identifier: Apache-2.0 */
/* The durable writer: modes, owners, links, parents; and reading. Failures and deaths are file_fault_test.c. */
#include "cmocka_headers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fault_loop.h"
#include "file_versions.h"
#include "temporary_folder.h"

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void a_new_file_has_the_bytes_and_the_mode_that_the_umask_leaves(void **state)
{
    const char *folder = *state;
    char path[512];
    static const struct {
        mode_t mask;
        mode_t mode;
    } cases[] = {{002, 0664}, {022, 0644}, {077, 0600}};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/new%zu", folder, i);
        mode_t former = umask(cases[i].mask);
        assert_int_equal(write_text(path, new_bytes, NULL, NULL), SY_OK);
        umask(former);
        expect_content(path, new_bytes);
        assert_int_equal(mode_of(path), cases[i].mode);
    }
    assert_int_equal(count_entries(folder), 3);
}

static void an_empty_file_and_a_large_one_are_written(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(sy_file_write(path, "", 0, NULL, NULL), SY_OK);
    expect_content(path, "");
    size_t size = 3000001;
    char *large = malloc(size + 1);
    memset(large, 'x', size);
    large[size] = '\0';
    assert_int_equal(sy_file_write(path, large, size, NULL, NULL), SY_OK);
    expect_content(path, large);
    free(large);
}

static void an_existing_file_keeps_its_mode_and_group(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/kept", folder);
    write_plainly(path, old_bytes);
    assert_int_equal(chmod(path, 0640), 0);
    bool root = geteuid() == 0;
    if (root) {
        assert_int_equal(chown(path, 12345, 54321), 0);
    }
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.not_kept = SY_FILE_LOSS_MODE;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    expect_content(path, new_bytes);
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(options.not_kept, 0);
    assert_int_equal(options.outcome, SY_FILE_REPLACED);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    if (root) {
        assert_int_equal(st.st_uid, 12345);
        assert_int_equal(st.st_gid, 54321);
    }
}

static void an_access_list_is_kept(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/listed", folder);
    write_plainly(path, old_bytes);
    /* Version 2; user::rw-, user:12345:r--, group::r--, mask::rw-, other::--- (tag, permission, id; little-endian). */
    static const unsigned char list[] = {2, 0,    0,    0,   1,   0,   6,  0, 255, 255, 255, 255, 2,   0,  4,
                                         0, 0x39, 0x30, 0,   0,   4,   0,  4, 0,   255, 255, 255, 255, 16, 0,
                                         6, 0,    255,  255, 255, 255, 32, 0, 0,   0,   255, 255, 255, 255};
    if (setxattr(path, "system.posix_acl_access", list, sizeof list, 0) != 0) {
        print_message("skipped: this file system keeps no access lists (%s)\n", strerrorname_np(errno));
        skip();
    }
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    unsigned char found[64];
    assert_int_equal(getxattr(path, "system.posix_acl_access", found, sizeof found), sizeof list);
    assert_memory_equal(found, list, sizeof list);
    assert_int_equal(options.not_kept, 0);
}

/* A user who may write the folder but not give files away: the group's rights must not go to another group. */
static void rights_are_not_given_to_another_group(void **state)
{
    const char *folder = *state;
    char path[512];
    if (geteuid() != 0) {
        print_message("skipped: only root can set up a file of somebody else\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/foreign", folder);
    write_plainly(path, old_bytes);
    assert_int_equal(chown(path, 0, 54321), 0);
    assert_int_equal(chmod(path, 0664), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    pid_t child = fork();
    if (child == 0) {
        if (setgid(12345) != 0 || setuid(12345) != 0) {
            _exit(9);
        }
        sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
        sy_status status = write_text(path, new_bytes, &options, NULL);
        _exit(status != SY_OK ? 1 : options.not_kept == (SY_FILE_LOSS_OWNER | SY_FILE_LOSS_GROUP) ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(mode_of(path), 0644);
    expect_content(path, new_bytes);
}

static void missing_parents_are_made_private(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/a/b//c/file", folder);
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.make_parents = false;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_IO);
    options.make_parents = true;
    assert_int_equal(write_text(path, new_bytes, &options, NULL), SY_OK);
    expect_content(path, new_bytes);
    snprintf(path, sizeof path, "%s/a/b", folder);
    assert_int_equal(mode_of(path), 0700);
}

static void an_existing_file_is_refused_when_asked(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/taken", folder);
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.refuse_existing = true;
    assert_int_equal(write_text(path, old_bytes, &options, NULL), SY_OK);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(write_text(path, new_bytes, &options, &err), SY_REFUSED);
    assert_true(sy_text_ends(err.what, "/taken' exists"));
    expect_content(path, old_bytes);
    assert_int_equal(count_entries(folder), 1);
}

static void a_link_is_followed_and_stays_a_link(void **state)
{
    const char *folder = *state;
    char real[512];
    char first[512];
    char second[512];
    snprintf(real, sizeof real, "%s/sub/real", folder);
    snprintf(first, sizeof first, "%s/sub/first", folder);
    snprintf(second, sizeof second, "%s/second", folder);
    assert_int_equal(write_text(real, old_bytes, NULL, NULL), SY_OK);
    assert_int_equal(symlink("real", first), 0);
    assert_int_equal(symlink("sub/first", second), 0);
    assert_int_equal(write_text(second, new_bytes, NULL, NULL), SY_OK);
    expect_content(real, new_bytes);
    expect_content(second, new_bytes);
    struct stat st;
    assert_int_equal(lstat(second, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(first, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    /* A dangling one gets its target made. */
    assert_int_equal(unlink(real), 0);
    assert_int_equal(write_text(second, old_bytes, NULL, NULL), SY_OK);
    expect_content(real, old_bytes);
    /* A ring is told as such. */
    assert_int_equal(unlink(first), 0);
    assert_int_equal(symlink("../second", first), 0);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(write_text(second, new_bytes, NULL, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "(ELOOP)"));
}

static void what_is_no_file_is_named(void **state)
{
    const char *folder = *state;
    char path[512];
    char *bytes = NULL;
    size_t size;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_file_read(folder, 0, &bytes, &size, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "it is a folder, not a file"));
    assert_int_equal(write_text(folder, new_bytes, NULL, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "it is a folder, not a file"));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "it is a pipe, not a file"));
    snprintf(path, sizeof path, "%s/absent", folder);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, &err), SY_NOT_FOUND);
    assert_int_equal(write_text("", new_bytes, NULL, &err), SY_INVALID_ARGUMENT);
    assert_null(bytes);
}

static void reading_has_a_limit_and_takes_files_without_a_size(void **state)
{
    const char *folder = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/ten", folder);
    write_plainly(path, "0123456789");
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sy_file_read(path, 10, &bytes, &size, NULL), SY_OK);
    sy_free(bytes);
    bytes = NULL;
    assert_int_equal(sy_file_read(path, 9, &bytes, &size, NULL), SY_LIMIT_EXCEEDED);
    assert_int_equal(sy_file_read("/proc/self/maps", 0, &bytes, &size, NULL), SY_OK);
    assert_true(size > 100 && strlen(bytes) == size);
    sy_free(bytes);
    bytes = NULL;
    assert_int_equal(sy_file_read("/proc/self/maps", 10, &bytes, &size, NULL), SY_LIMIT_EXCEEDED);
    assert_null(bytes);
}

static void a_stream_is_read_from_a_pipe_to_its_end(void **state)
{
    const char *folder = *state;
    char path[512];
    char *bytes = NULL;
    size_t size = 0;
    int ends[2];
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "0123456789", 10), 10);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(sy_file_read_stream(path, 10, &bytes, &size, NULL), SY_OK);
    close(ends[0]);
    assert_int_equal(size, 10);
    assert_string_equal(bytes, "0123456789");
    sy_free(bytes);
    bytes = NULL;
    assert_int_equal(sy_file_read_stream("/dev/zero", 10, &bytes, &size, &err), SY_LIMIT_EXCEEDED);
    assert_string_equal(err.what, "'/dev/zero' is larger than the limit of 10 bytes");
    assert_int_equal(sy_file_read_stream(folder, 0, &bytes, &size, &err), SY_IO);
    assert_true(sy_text_ends(err.what, "(EISDIR)"));
    assert_int_equal(sy_file_read_stream("/nowhere/at/all", 0, &bytes, &size, &err), SY_NOT_FOUND);
    assert_null(bytes);
}

static void a_descriptor_is_written_whole_or_the_error_is_named(void **state)
{
    (void)state;
    sy_error err = SY_ERROR_INIT;
    int full = open("/dev/full", O_WRONLY);
    if (full < 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    assert_int_equal(sy_file_write_descriptor(full, "x", 1, &err), SY_IO);
    assert_string_equal(err.what, "cannot write: No space left on device (ENOSPC)");
    close(full);
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_new_file_has_the_bytes_and_the_mode_that_the_umask_leaves),
        IN_A_FOLDER(an_empty_file_and_a_large_one_are_written),
        IN_A_FOLDER(an_existing_file_keeps_its_mode_and_group),
        IN_A_FOLDER(an_access_list_is_kept),
        IN_A_FOLDER(rights_are_not_given_to_another_group),
        IN_A_FOLDER(missing_parents_are_made_private),
        IN_A_FOLDER(an_existing_file_is_refused_when_asked),
        IN_A_FOLDER(a_link_is_followed_and_stays_a_link),
        IN_A_FOLDER(what_is_no_file_is_named),
        IN_A_FOLDER(reading_has_a_limit_and_takes_files_without_a_size),
        IN_A_FOLDER(a_stream_is_read_from_a_pipe_to_its_end),
        cmocka_unit_test(a_descriptor_is_written_whole_or_the_error_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
