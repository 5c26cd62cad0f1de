/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard of a project: collectors called in their order under one snapshot of the ledger, and what to run first
 * of all that they found. */
#include <steelyard/promotion.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/dashboard/collecting.h"

#include <assert.h>

enum { NEXT_MOST = 5, PRIORITIES = 5 };

/* What a dashboard owns. */
typedef struct dashboard_owner {
    sy_arena *arena;
    sy_run *judged;
} dashboard_owner;

/* ---- what to run first ---- */

/* Each command once. */
static void add_next(sy_dashboard *dashboard, const char **next, const char *command)
{
    if (dashboard->next_count == NEXT_MOST || command[0] == '\0') {
        return;
    }
    for (size_t i = 0; i < dashboard->next_count; i++) {
        if (sy_text_equal(next[i], command)) {
            return;
        }
    }
    next[dashboard->next_count++] = command;
}

/* What is wrong goes before what is missing: alarms, files that cannot be read, baselines, gates by their priority. */
sy_status sy_collect_next(sy_collecting *c, sy_error *err)
{
    sy_dashboard *dashboard = c->dashboard;
    const char **next = sy_arena_allocate(c->arena, NEXT_MOST, sizeof *next);
    if (next == NULL) {
        return sy_collecting_no_memory(err);
    }
    for (size_t i = 0; i < dashboard->alarm_count && dashboard->next_count < NEXT_MOST; i++) {
        add_next(dashboard, next, dashboard->alarms[i].command);
    }
    add_next(dashboard, next, dashboard->finding_total > 0 ? "steelyard matrix validate" : "");
    for (size_t i = 0; i < dashboard->key_count && dashboard->next_count < NEXT_MOST; i++) {
        add_next(dashboard, next, dashboard->keys[i].command);
    }
    for (int priority = 0; priority <= PRIORITIES; priority++) {
        for (size_t i = 0; i < dashboard->gate_count && dashboard->next_count < NEXT_MOST; i++) {
            const sy_dashboard_gate *gate = &dashboard->gates[i];
            add_next(dashboard, next, gate->is_open && gate->priority == priority ? gate->command : "");
        }
    }
    dashboard->next = next;
    return SY_OK;
}

/* ---- collecting ---- */

/* The run whose verdict comes first: the one that was asked for, else the newest that has one. */
static sy_status read_judged(sy_collecting *c, const char *asked, dashboard_owner *owner, sy_error *err)
{
    const char *run = asked != NULL ? asked : c->judged;
    sy_status status = run[0] != '\0' ? sy_ledger_run(c->ledger, run, &owner->judged, err) : SY_OK;
    c->dashboard->judged = owner->judged;
    return status;
}

static sy_status read_ledger(sy_collecting *c, const char *asked, dashboard_owner *owner, sy_error *err)
{
    static sy_status (*const collectors[])(sy_collecting * c, sy_error * err) = {
        sy_collect_sessions, sy_collect_selftests, sy_collect_changes, sy_collect_promoted, sy_collect_alarms};
    sy_status status = sy_ledger_read_head(c->ledger, &c->dashboard->head, err);
    for (size_t i = 0; status == SY_OK && i < sizeof collectors / sizeof collectors[0]; i++) {
        status = collectors[i](c, err);
    }
    return status == SY_OK ? read_judged(c, asked, owner, err) : status;
}

static sy_status collect(sy_collecting *c, const char *asked, dashboard_owner *owner, sy_error *err)
{
    sy_status status = sy_project_registry(c->project, &c->registry, err);
    if (status == SY_OK) {
        status = sy_collect_registry(c, sy_project_root(c->project), err);
    }
    if (status == SY_OK && c->ledger == NULL && asked != NULL) {
        status = sy_fail(err, SY_NOT_FOUND, "there is no run '%.60s': the project has no ledger", asked);
    }
    if (status == SY_OK && c->ledger != NULL) {
        status = sy_ledger_hold(c->ledger, err);
        if (status == SY_OK) {
            status = read_ledger(c, asked, owner, err);
            sy_ledger_release(c->ledger);
        }
    }
    return status == SY_OK ? sy_collect_next(c, err) : status;
}

static void destroy(dashboard_owner *owner)
{
    if (owner != NULL) {
        sy_run_destroy(owner->judged);
        sy_arena_destroy(owner->arena);
        sy_free(owner);
    }
}

/* Begins the tables; false: no memory. */
static bool begin(sy_collecting *c, dashboard_owner *owner, sy_project *project)
{
    owner->arena = sy_arena_create(0);
    if (owner->arena == NULL) {
        return false;
    }
    *c = (sy_collecting){
        .arena = owner->arena,
        .project = project,
        .ledger = sy_project_ledger(project),
        .dashboard = sy_arena_allocate(owner->arena, 1, sizeof *c->dashboard),
        .texts = sy_id_table_create(owner->arena, 256),
        .tallies = sy_id_table_create(owner->arena, 256),
        .judged = "",
    };
    c->open_end = &c->open;
    c->promoted_end = &c->promoted;
    return c->dashboard != NULL && c->texts != NULL && c->tallies != NULL;
}

sy_status sy_project_dashboard(sy_project *project, const sy_dashboard_options *options, sy_dashboard **ret_dashboard,
                               sy_error *err)
{
    const sy_dashboard_options defaults = SY_DASHBOARD_OPTIONS_INIT;
    options = options != NULL ? options : &defaults;
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a dashboard");
    }
    sy_collecting c = {.keys = NULL};
    dashboard_owner *owner = sy_allocate(1, sizeof *owner);
    sy_status status = owner != NULL && begin(&c, owner, project) ? SY_OK : sy_collecting_no_memory(err);
    if (status == SY_OK) {
        assert(c.dashboard != NULL);
        c.dashboard->has_ledger = c.ledger != NULL;
        status = collect(&c, options->run, owner, err);
    }
    sy_free(c.keys);
    if (status != SY_OK) {
        destroy(owner);
        return status;
    }
    c.dashboard->owner = owner;
    *ret_dashboard = c.dashboard;
    return SY_OK;
}

void sy_dashboard_destroy(sy_dashboard *dashboard)
{
    destroy(dashboard != NULL ? dashboard->owner : NULL);
}
