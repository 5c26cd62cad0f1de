/* SPDX-License-Identifier: Apache-2.0 */
/* What self-tests and histories have told: gates that cannot fail, changes that stand. */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "evidence/dashboard/collecting.h"

/* ---- self-tests ---- */

static bool is_same_metric(const sy_judged_metric *a, const sy_judged_metric *b)
{
    return a->statistic == b->statistic && sy_text_equal(a->series, b->series) &&
           sy_text_equal(a->case_name, b->case_name) && sy_text_equal(a->implementation, b->implementation);
}

/* Whether a newer test of that gate and metric is before it in the list. */
static bool is_outdated(const sy_selftest_list *list, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (sy_text_equal(list->tests[i].gate, list->tests[at].gate) &&
            is_same_metric(&list->tests[i].metric, &list->tests[at].metric)) {
            return true;
        }
    }
    return false;
}

sy_status sy_collect_selftests(sy_collecting *c, sy_error *err)
{
    sy_selftest_list *list = NULL;
    sy_status status = sy_ledger_selftests(c->ledger, NULL, &list, err);
    for (size_t i = 0; status == SY_OK && i < list->test_count; i++) {
        const sy_gate_selftest *test = &list->tests[i];
        sy_dashboard_gate *gate = sy_id_table_get(c->gates, test->gate);
        if (gate == NULL || gate->selftest_failed || test->can_fail || is_outdated(list, i)) {
            continue;
        }
        gate->selftest_failed = true;
        gate->selftest = sy_arena_copy_text(c->arena, test->reason);
        status = gate->selftest != NULL ? SY_OK : sy_collecting_no_memory(err);
    }
    sy_selftest_list_destroy(list);
    return status;
}

/* ---- changes ---- */

/* The newest row that speaks of the change reported by event `number`. */
static const sy_change_row *newest_of(const sy_change_rows *rows, size_t reported)
{
    const sy_change_row *newest = &rows->rows[reported];
    for (size_t i = reported + 1; i < rows->row_count; i++) {
        if (rows->rows[i].change.refers == rows->rows[reported].number) {
            newest = &rows->rows[i];
        }
    }
    return newest;
}

static bool stands(sy_change_state state)
{
    return state == SY_CHANGE_REPORTED || state == SY_CHANGE_CONFIRMED;
}

static bool keep_metric(sy_collecting *c, sy_judged_metric *metric)
{
    metric->series = sy_collecting_text(c, metric->series);
    metric->case_name = sy_collecting_text(c, metric->case_name);
    metric->implementation = sy_collecting_text(c, metric->implementation);
    metric->unit = sy_collecting_text(c, metric->unit);
    return metric->series != NULL && metric->case_name != NULL && metric->implementation != NULL &&
           metric->unit != NULL;
}

static sy_status add_change(sy_collecting *c, const sy_change_row *reported, const sy_change_row *newest,
                            sy_dashboard_change *to, sy_error *err)
{
    sy_run_row row;
    sy_status status = sy_ledger_row(c->ledger, c->arena, newest->run, &row, err);
    if (status != SY_OK) {
        return status;
    }
    assert(to != NULL);
    sy_run_change *change = &to->row.change;
    to->row = *newest;
    to->row.number = reported->number;
    to->row.run = row.id;
    change->line = sy_collecting_text(c, newest->change.line);
    change->key_digest = sy_collecting_text(c, newest->change.key_digest);
    change->before = sy_arena_copy_text(c->arena, newest->change.before);
    change->revision = sy_collecting_text(c, newest->change.revision);
    change->revision_before = sy_collecting_text(c, newest->change.revision_before);
    change->reason = sy_arena_copy_text(c->arena, newest->change.reason);
    to->cell = row.cell;
    to->command = sy_collecting_command(c, (const char *const[]){"steelyard", "history", row.id, NULL});
    bool whole = change->line != NULL && change->key_digest != NULL && change->before != NULL &&
                 change->revision != NULL && change->revision_before != NULL && change->reason != NULL &&
                 to->command != NULL && keep_metric(c, &change->metric);
    return whole ? SY_OK : sy_collecting_no_memory(err);
}

/* The newest first. */
sy_status sy_collect_changes(sy_collecting *c, sy_error *err)
{
    sy_change_rows *rows = NULL;
    size_t count = 0;
    sy_status status = sy_ledger_changes(c->ledger, NULL, &rows, err);
    sy_dashboard_change *changes = status == SY_OK ? sy_arena_allocate(c->arena, rows->row_count, sizeof *changes)
                                                   : NULL;
    if (status == SY_OK && changes == NULL) {
        status = sy_collecting_no_memory(err);
    }
    for (size_t i = status == SY_OK ? rows->row_count : 0; status == SY_OK && i > 0; i--) {
        const sy_change_row *reported = &rows->rows[i - 1];
        const sy_change_row *newest = newest_of(rows, i - 1);
        if (reported->change.refers == 0 && stands(newest->change.state)) {
            status = add_change(c, reported, newest, &changes[count++], err);
        }
    }
    sy_change_rows_destroy(rows);
    c->dashboard->changes = changes;
    c->dashboard->change_count = status == SY_OK ? count : 0;
    return status;
}
