/* SPDX-License-Identifier: Apache-2.0 */
/* Small files in a test's own folder, for the store's tests. Needs cmocka. */
#ifndef STEELYARD_TESTS_STORE_FILES_H
#define STEELYARD_TESTS_STORE_FILES_H

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "store_fixture.h"
#include "temporary_folder.h"

/* "<folder>/<name>", in a ring of texts. */
static inline const char *in(void **state, const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", (const char *)*state, name);
    return path;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Inlined, gcc 12 takes what strstr finds in the bytes for a pointer to the variable that held them. */
__attribute__((noinline, unused)) static char *read_file(const char *path)
{
    char *bytes = NULL;
    size_t size;
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    return bytes;
}

static inline void expect_file(const char *path, const char *text)
{
    char *bytes = read_file(path);
    assert_string_equal(bytes, text);
    sy_free(bytes);
}

static inline sy_layer_info layer_of(sy_store *store, size_t index)
{
    sy_layer_info info;
    assert_int_equal(sy_store_layer(store, index, &info, NULL), SY_OK);
    return info;
}

#endif
