/* SPDX-License-Identifier: Apache-2.0 */
/* Files for the tests of importers: those of tests/data, and published ones of other projects where they are at hand.
 */
#ifndef STEELYARD_TESTS_IMPORT_FILES_H
#define STEELYARD_TESTS_IMPORT_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include <steelyard/import.h>

/* A file of the project, by its path from the root (STEELYARD_SOURCE_DIR). */
static inline sy_imported *import_file(const char *sources, const char *path)
{
    char whole[1024];
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    (void)snprintf(whole, sizeof whole, "%s/%s", sources, path);
    status = sy_import_read(whole, NULL, &imported, &err);
    if (status != SY_OK)
        print_message("%s: refused: %s\n", whole, err.what);
    assert_int_equal(status, SY_OK);
    return imported;
}

/* A published file of another project, which is no part of this one: below $STEELYARD_FOREIGN, else beside the sources
 * (STEELYARD_SOURCE_DIR). * NULL, and a word on why, where it is not there. */
static inline sy_imported *import_foreign(const char *sources, const char *path)
{
    const char *folder = getenv("STEELYARD_FOREIGN");
    char whole[1024];
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    if (folder != NULL)
        (void)snprintf(whole, sizeof whole, "%s/%s", folder, path);
    else
        (void)snprintf(whole, sizeof whole, "%s/../shared/data/foreign/%s", sources, path);
    status = sy_import_read(whole, NULL, &imported, &err);
    if (status == SY_NOT_FOUND)
        print_message("skipped: there is no %s\n", whole);
    else
        assert_int_equal(status, SY_OK);
    return imported;
}

#endif
