/* SPDX-License-Identifier: Apache-2.0 */
/* All that a page shows, from one snapshot of the ledger: the dashboard, then sessions, series, runs and self-tests. */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "evidence/html/collecting_html.h"
#include "evidence/open_project.h"

void sy_html_content_destroy(sy_html_content *content)
{
    sy_html_owner *owner = content != NULL ? content->owner : NULL;
    if (owner == NULL) {
        return;
    }
    for (size_t i = 0; i < owner->run_count; i++) {
        sy_run_destroy(owner->runs[i]);
    }
    for (size_t i = 0; i < owner->probe_count; i++) {
        sy_probe_result_destroy(owner->probes[i]);
    }
    sy_free(owner->sessions);
    sy_selftest_list_destroy(owner->selftests);
    sy_dashboard_destroy(owner->dashboard);
    sy_arena_destroy(owner->arena);
    sy_free(owner);
}

/* The newest of each gate and metric: the list has the newest first. */
static sy_status collect_selftests(sy_html_owner *owner, sy_ledger *ledger, sy_error *err)
{
    sy_status status = sy_ledger_selftests(ledger, NULL, &owner->selftests, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_selftest_list *list = owner->selftests;
    sy_gate_selftest *newest = sy_arena_allocate(owner->arena, list->test_count + 1, sizeof *newest);
    sy_id_table *seen = sy_id_table_create(owner->arena, 64);
    size_t count = 0;
    for (size_t i = 0; newest != NULL && seen != NULL && i < list->test_count; i++) {
        const sy_gate_selftest *test = &list->tests[i];
        const sy_judged_metric *metric = &test->metric;
        void *earlier = NULL;
        /* Each text is led by its length: no two metrics have one name. */
        const char *id = sy_arena_format(owner->arena, "%d %zu %s %zu %s %zu %s %s", (int)metric->statistic,
                                         strlen(test->gate), test->gate, strlen(metric->series), metric->series,
                                         strlen(metric->case_name), metric->case_name, metric->implementation);
        if (id == NULL || !sy_id_table_put(seen, id, owner, &earlier)) {
            return sy_html_no_memory(err);
        }
        if (earlier == NULL) {
            newest[count++] = *test;
        }
    }
    owner->content.selftests = newest;
    owner->content.selftest_count = count;
    return newest != NULL && seen != NULL ? SY_OK : sy_html_no_memory(err);
}

static sy_status collect(sy_html_collecting *c, sy_error *err)
{
    const sy_dashboard_options asked = {.struct_size = sizeof asked, .run = c->options->run};
    sy_html_owner *owner = c->owner;
    sy_status status = sy_project_registry(c->project, &c->registry, err);
    if (status == SY_OK) {
        status = sy_project_dashboard(c->project, &asked, &owner->dashboard, err);
    }
    if (status != SY_OK) {
        return status;
    }
    assert(owner->dashboard != NULL);
    owner->content.dashboard = owner->dashboard;
    owner->content.title = owner->dashboard->project;
    if (c->ledger == NULL) {
        return SY_OK;
    }
    status = sy_html_collect_sessions(c, err);
    if (status == SY_OK) {
        status = sy_html_collect_courses(c, err);
    }
    if (status == SY_OK) {
        status = sy_html_collect_runs(c, err);
    }
    return status == SY_OK ? collect_selftests(owner, c->ledger, err) : status;
}

static sy_status collect_held(sy_html_collecting *c, sy_error *err)
{
    sy_status status = c->ledger != NULL ? sy_ledger_hold(c->ledger, err) : SY_OK;
    if (status != SY_OK) {
        return status;
    }
    status = collect(c, err);
    if (c->ledger != NULL) {
        sy_ledger_release(c->ledger);
    }
    return status;
}

static sy_html_owner *make_owner(void)
{
    sy_html_owner *owner = sy_allocate(1, sizeof *owner);
    if (owner == NULL) {
        return NULL;
    }
    owner->content.owner = owner;
    owner->arena = sy_arena_create(0);
    if (owner->arena == NULL) {
        sy_html_content_destroy(&owner->content);
        return NULL;
    }
    return owner;
}

sy_status sy_project_html(sy_project *project, const sy_html_options *options, sy_html_content **ret_content,
                          sy_error *err)
{
    const sy_html_options defaults = SY_HTML_OPTIONS_INIT;
    options = options != NULL ? options : &defaults;
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a page");
    }
    sy_html_owner *owner = make_owner();
    if (owner == NULL) {
        return sy_html_no_memory(err);
    }
    sy_html_collecting c = {.owner = owner,
                            .project = project,
                            .ledger = sy_project_ledger(project),
                            .options = options,
                            .texts = sy_id_table_create(owner->arena, 1024),
                            .id = SY_TEXT_INIT};
    const sy_clock *clock = sy_project_clock(project);
    owner->content.tool = sy_arena_format(owner->arena, "steelyard %s", sy_version());
    owner->content.written_utc_s = clock->utc_s(clock);
    sy_status status = c.texts != NULL && owner->content.tool != NULL ? collect_held(&c, err) : sy_html_no_memory(err);
    sy_text_finish(&c.id);
    sy_free(c.places);
    if (status != SY_OK) {
        sy_html_content_destroy(&owner->content);
        return status;
    }
    *ret_content = &owner->content;
    return SY_OK;
}
