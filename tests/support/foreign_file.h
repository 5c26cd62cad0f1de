/* SPDX-License-Identifier: Apache-2.0 */
/* Files that other tools wrote, where a developer has some: they belong to their projects and are no part of this one.
 * STEELYARD_FOREIGN names their folder, else it is looked for beside the source. */
#ifndef STEELYARD_TESTS_FOREIGN_FILE_H
#define STEELYARD_TESTS_FOREIGN_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <steelyard/import.h>

/* Skips the test, and says so, where the file is absent. to: its path. */
static inline void need_foreign_file(const char *name, char *to, size_t size)
{
    const char *folder = getenv("STEELYARD_FOREIGN");

    (void)snprintf(to, size, "%s%s/%s", folder != NULL ? folder : STEELYARD_SOURCE_DIR,
                   folder != NULL ? "" : "/../shared/data/foreign", name);
    if (access(to, R_OK) != 0) {
        print_message("skipped: there is no %s\n", to);
        skip();
    }
}

static inline sy_imported *import_foreign(const char *name)
{
    char path[4096];
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    need_foreign_file(name, path, sizeof path);
    if (sy_import_read(path, NULL, &imported, &err) != SY_OK)
        fail_msg("%s: %s", path, err.what);
    return imported;
}

#endif
