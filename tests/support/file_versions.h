/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the file module share: two versions of a file's bytes, put there plainly and asked for. */
#ifndef STEELYARD_TESTS_FILE_VERSIONS_H
#define STEELYARD_TESTS_FILE_VERSIONS_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static const char old_bytes[] = "the old bytes, which are longer\n";
static const char new_bytes[] = "the new bytes\n";

static inline void write_plainly(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void expect_content(const char *path, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(bytes, expected);
    sy_free(bytes);
}

static inline sy_status write_text(const char *path, const char *text, sy_file_write_options *options, sy_error *err)
{
    return sy_file_write(path, text, strlen(text), options, err);
}

/* What a reader sees in the file: 0 the old bytes, 1 the new ones; anything else fails. */
static inline int version_of(const char *path)
{
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    bool is_new = size == strlen(new_bytes) && memcmp(bytes, new_bytes, size) == 0;
    assert_true(is_new || (size == strlen(old_bytes) && memcmp(bytes, old_bytes, size) == 0));
    sy_free(bytes);
    return is_new;
}

#endif
