/* SPDX-License-Identifier: Apache-2.0 */
/* A scratch folder: private, its files, and nothing left behind. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"

static sy_scratch *create(void)
{
    sy_scratch *scratch = NULL;
    assert_int_equal(sy_scratch_create(NULL, &scratch, NULL), SY_OK);
    return scratch;
}

static void write_file(const sy_scratch *scratch, const char *name, const char *text)
{
    int descriptor = -1;
    assert_int_equal(sy_scratch_open(scratch, name, &descriptor, NULL), SY_OK);
    assert_int_equal(sy_file_write_descriptor(descriptor, text, strlen(text), NULL), SY_OK);
    close(descriptor);
}

static void expect_file(const sy_scratch *scratch, const char *name, const char *expected)
{
    char found[64] = "";
    int descriptor = -1;
    assert_int_equal(sy_scratch_read(scratch, name, &descriptor, NULL), SY_OK);
    assert_true(read(descriptor, found, sizeof(found) - 1) >= 0);
    close(descriptor);
    assert_string_equal(found, expected);
}

static void a_folder_is_private_and_goes_with_its_files(void **state)
{
    sy_scratch *scratch = create();
    char path[128];
    struct stat info;
    (void)state;
    (void)snprintf(path, sizeof(path), "%s", sy_scratch_path(scratch));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    write_file(scratch, "a", "1");
    write_file(scratch, "b", "2");
    assert_true(sy_scratch_free_bytes(scratch) > 0);
    sy_scratch_destroy(scratch);
    assert_int_not_equal(stat(path, &info), 0);
    sy_scratch_destroy(NULL);
}

static void files_are_opened_empty_renamed_and_copied(void **state)
{
    sy_scratch *scratch = create();
    int descriptor = -1;
    (void)state;
    write_file(scratch, "a", "long text");
    write_file(scratch, "a", "short");
    expect_file(scratch, "a", "short");
    assert_int_equal(sy_scratch_read(scratch, "a", &descriptor, NULL), SY_OK);
    assert_int_equal(sy_scratch_copy(scratch, descriptor, "copy", NULL), SY_OK);
    close(descriptor);
    assert_int_equal(sy_scratch_rename(scratch, "a", "b", NULL), SY_OK);
    expect_file(scratch, "b", "short");
    expect_file(scratch, "copy", "short");
    assert_int_equal(sy_scratch_read(scratch, "a", &descriptor, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_scratch_rename(scratch, "a", "c", NULL), SY_IO);
    sy_scratch_destroy(scratch);
}

static void a_folder_that_cannot_be_made_is_an_error_with_its_place(void **state)
{
    sy_scratch *scratch = NULL;
    sy_error err = SY_ERROR_INIT;
    (void)state;
    assert_int_equal(sy_scratch_create("/no/such/place", &scratch, &err), SY_IO);
    assert_non_null(strstr(err.what, "'/no/such/place'"));
    assert_null(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_private_and_goes_with_its_files),
        cmocka_unit_test(files_are_opened_empty_renamed_and_copied),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
