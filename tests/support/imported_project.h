/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of recorded imports share: a project in a folder of its own, a text parsed, recorded and read back. */
#ifndef STEELYARD_TESTS_IMPORTED_PROJECT_H
#define STEELYARD_TESTS_IMPORTED_PROJECT_H

#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/evidence.h>

#include "temporary_folder.h"

typedef struct fixture {
    void *folder;
    sy_project *project;
} fixture;

static inline sy_project *open_below(const char *folder, bool read_only)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_error err = SY_ERROR_INIT;

    options.root = folder;
    options.create = true;
    options.read_only = read_only;
    if (sy_project_open(&options, &project, &err) != SY_OK)
        fail_msg("no project: %s", err.what);
    return project;
}

static inline int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    char path[512];
    FILE *file;

    if (f == NULL || make_temporary_folder(&f->folder) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/steelyard.json", (const char *)f->folder);
    file = fopen(path, "wb");
    if (file == NULL || fputs("{\"schema_version\": 1}\n", file) < 0 || fclose(file) != 0)
        return -1;
    f->project = open_below(f->folder, false);
    *state = f;
    return 0;
}

static inline int stop(void **state)
{
    fixture *f = *state;

    sy_project_close(f->project);
    (void)remove_temporary_folder(&f->folder);
    free(f);
    return 0;
}

static inline sy_imported *parse(const char *text)
{
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_import_parse(text, strlen(text), NULL, &imported, &err) != SY_OK)
        fail_msg("refused: %s", err.what);
    return imported;
}

static inline sy_import_account *record(const fixture *f, const sy_imported *imported,
                                        const sy_project_import_options *options)
{
    sy_import_account *account = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_project_import(f->project, imported, options, &account, &err) != SY_OK)
        fail_msg("not recorded: %s", err.what);
    return account;
}

static inline sy_run *read_run(const fixture *f, const char *id)
{
    sy_run *run = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_ledger_run(sy_project_ledger(f->project), id, &run, &err) != SY_OK)
        fail_msg("%s: %s", id, err.what);
    return run;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, start, stop)

#endif
