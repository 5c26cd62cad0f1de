/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the durable writer of pieces: whole or not at all, whatever fails. */
#include "cmocka_headers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "fault_loop.h"
#include "temporary_folder.h"

/* Writes three pieces and says what came of it. */
static sy_status write_pieces(const char *path, sy_error *err)
{
    sy_file_stream *stream = NULL;
    sy_status status = sy_file_stream_open(path, &stream, err);
    for (int i = 0; i < 3 && status == SY_OK; i++) {
        status = sy_file_stream_write(stream, "piece\n", 6, err);
    }
    if (status != SY_OK) {
        sy_file_stream_abandon(stream);
        return status;
    }
    return sy_file_stream_commit(stream, err);
}

static void expect_bytes(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size;
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, expected);
    sy_free(bytes);
}

static void pieces_are_seen_when_they_are_whole(void **state)
{
    char path[512];
    sy_file_stream *stream = NULL;
    snprintf(path, sizeof path, "%s/sub/file", (const char *)*state);
    assert_int_equal(write_pieces(path, NULL), SY_OK);
    expect_bytes(path, "piece\npiece\npiece\n");
    assert_int_equal(sy_file_stream_open(path, &stream, NULL), SY_OK);
    assert_int_equal(sy_file_stream_write(stream, "other", 5, NULL), SY_OK);
    expect_bytes(path, "piece\npiece\npiece\n");
    sy_file_stream_abandon(stream);
    expect_bytes(path, "piece\npiece\npiece\n");
    snprintf(path, sizeof path, "%s/sub", (const char *)*state);
    assert_int_equal(count_entries(path), 1);
    sy_file_stream_abandon(NULL);
    assert_int_equal(sy_file_stream_open("", &stream, NULL), SY_INVALID_ARGUMENT);
}

static void whatever_call_fails_the_old_file_stays_and_nothing_beside_it(void **state)
{
    char path[512];
    int failures = 0;
    snprintf(path, sizeof path, "%s/file", (const char *)*state);
    for (uint64_t n = 1;; n++) {
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_file_write(path, "old", 3, NULL, NULL), SY_OK);
        sy_fault_reset();
        sy_fault_fail_system_call(n, EIO, true);
        sy_status status = write_pieces(path, &err);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        bool replaced = status == SY_OK || strstr(err.what, "is replaced, but") != NULL;
        expect_bytes(path, replaced ? "piece\npiece\npiece\n" : "old");
        assert_int_equal(count_entries(*state), 1);
        failures += status != SY_OK;
        if (!reached) {
            break;
        }
    }
    assert_true(failures > 6);
}

static void a_byte_that_the_disk_spoils_is_noticed(void **state)
{
    char path[512];
    sy_error err = SY_ERROR_INIT;
    snprintf(path, sizeof path, "%s/file", (const char *)*state);
    sy_fault_reset();
    sy_fault_spoil_write(2);
    assert_int_equal(write_pieces(path, &err), SY_IO);
    sy_fault_reset();
    assert_non_null(strstr(err.what, "does not read back"));
    assert_int_equal(count_entries(*state), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_are_seen_when_they_are_whole, make_temporary_folder,
                                        remove_temporary_folder),
        cmocka_unit_test_setup_teardown(whatever_call_fails_the_old_file_stays_and_nothing_beside_it,
                                        make_temporary_folder, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(a_byte_that_the_disk_spoils_is_noticed, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
