/* SPDX-License-Identifier: Apache-2.0 */
/* A project in a temporary folder with planned runs that have no gate, for tests of sy_project_exec. Needs cmocka. */
#ifndef STEELYARD_TESTS_EXEC_SUPPORT_H
#define STEELYARD_TESTS_EXEC_SUPPORT_H

#include "registry_set.h"

#include "base/text.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "evidence/run_id.h"

static char leases[600];

static inline sy_project *open_project(const char *root, const sy_clock *clock)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_error err = SY_ERROR_INIT;
    snprintf(leases, sizeof(leases), "%s/leases", root);
    set_write(root, "steelyard.json", "{}\n", 3);
    options.root = root;
    options.leases = leases;
    options.create = true;
    if (sy_project_open_with(&options, clock, &project, &err) != SY_OK)
        fail_msg("%s", err.what);
    return project;
}

/* A planned run; id: SY_RUN_ID_SIZE bytes. */
static inline void begin_run_on(sy_project *project, const char *device, char *id)
{
    sy_arena *arena = sy_arena_create(0);
    sy_event_list events = {.arena = arena};
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_run_id_draw(&sy_clock_system, id, NULL), SY_OK);
    sy_run_begin begin = {
        .id = id,
        .kind = SY_RUN_KIND_SESSION,
        .status = SY_RUN_PLANNED,
        .question = "?",
        .gate = "",
        .cell = "",
        .tier = "diagnostic",
        .protocol = "",
        .cache_state = "",
        .timing_boundary = "",
        .source = {.control = "", .revision = "", .branch = "", .ordinal = -1, .diff_digest = ""},
        .place = {.host = "here", .backend = device, .device = device, .description = "", .hardware = 1},
        .origin = "",
        .origin_digest = "",
        .origin_time = "",
    };
    events.run = id;
    if (sy_event_list_begin(&events, &begin, &err) != SY_OK ||
        sy_event_list_append(&events, sy_project_ledger(project), NULL, &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_arena_destroy(arena);
}

static inline void begin_run(sy_project *project, char *id)
{
    begin_run_on(project, "cpu", id);
}

static inline sy_run_exec_options options_for(const char *const *argv)
{
    static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    sy_run_exec_options options = SY_RUN_EXEC_OPTIONS_INIT;
    options.argv = argv;
    while (argv != NULL && argv[options.argc] != NULL)
        options.argc++;
    options.environment = environment;
    return options;
}

static inline sy_run *read_run(sy_project *project, const char *id)
{
    sy_run *run = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_ledger_run(sy_project_ledger(project), id, &run, &err) != SY_OK)
        fail_msg("%s", err.what);
    return run;
}

static inline void expect_whole(sy_project *project)
{
    sy_ledger_verdict *verdict = NULL;
    assert_int_equal(sy_ledger_verify(sy_project_ledger(project), NULL, &verdict, NULL), SY_OK);
    if (verdict->fault_total != 0)
        fail_msg("%s", verdict->faults[0].message);
    sy_ledger_verdict_destroy(verdict);
}

#endif
