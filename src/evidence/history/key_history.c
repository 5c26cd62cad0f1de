/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a key, from its sessions to what is recorded of its changes. What is read and what is written then
 * stand under one lock: two processes never report one change twice. */
#include <math.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"
#include "evidence/baseline_lock.h"
#include "evidence/history/change_states.h"
#include "evidence/history/history_reading.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the history of a key");
}

sy_status sy_history_remark(sy_history_reading *r, sy_error *err, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = sy_arena_copy_text(r->arena, text);
    if (kept == NULL) {
        return no_memory(err);
    }
    if (r->to->remark_count < SY_HISTORY_REMARKS_MAX) {
        r->remarks[r->to->remark_count++] = kept;
    }
    return SY_OK;
}

static sy_status check_options(const sy_key_history_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a history");
    }
    if (options->key == NULL || options->key[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "which key?");
    }
    return SY_OK;
}

static sy_status find_changes(sy_history_reading *r, sy_error *err)
{
    sy_history_options find = SY_HISTORY_OPTIONS_INIT;
    find.alpha = r->options->alpha;
    find.min_effect = r->options->min_effect;
    find.higher_is_better = r->to->metric.higher_is_better;
    find.known = r->known;
    find.known_count = r->known_count;
    sy_status status = sy_history_find(r->values, r->value_count, &find, &r->owner->history, err);
    if (status == SY_OK) {
        r->to->history = r->owner->history;
    }
    if (status == SY_OK && r->value_count > SY_CHANGE_PERSISTS_FOR) {
        status = sy_history_find(r->values, r->value_count - SY_CHANGE_PERSISTS_FOR, &find, &r->owner->earlier, err);
    }
    return status;
}

static sy_status keep_remarks(sy_history_reading *r, sy_error *err)
{
    const char **kept = sy_arena_allocate(r->arena, r->to->remark_count + 1, sizeof *kept);
    for (size_t i = 0; kept != NULL && i < r->to->remark_count; i++) {
        kept[i] = r->remarks[i];
    }
    r->to->remarks = kept;
    return kept != NULL ? SY_OK : no_memory(err);
}

static sy_status read_history(sy_history_reading *r, sy_error *err)
{
    static sy_status (*const steps[])(sy_history_reading *, sy_error *) = {
        sy_history_find_line, sy_history_read_sessions, sy_history_read_values,  sy_history_read_records,
        find_changes,         sy_history_record,        sy_history_find_commits, keep_remarks,
    };
    sy_lock *lock = NULL;
    sy_status status = r->options->dry_run ? SY_OK : sy_baseline_lock_take(r->project, &lock, err);
    for (size_t i = 0; status == SY_OK && i < sizeof steps / sizeof steps[0]; i++) {
        status = steps[i](r, err);
    }
    sy_lock_release(lock);
    return status;
}

sy_status sy_project_history(sy_project *project, const sy_key_history_options *options, sy_key_history **ret_history,
                             sy_error *err)
{
    sy_status status = check_options(options, err);
    if (status != SY_OK) {
        return status;
    }
    sy_arena *arena = sy_arena_create(0);
    sy_key_history_owner *owner = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *owner) : NULL;
    if (owner == NULL) {
        sy_arena_destroy(arena);
        return no_memory(err);
    }
    owner->arena = arena;
    owner->shown.owner = owner;
    sy_history_reading reading = {.project = project,
                                  .ledger = sy_project_ledger(project),
                                  .options = options,
                                  .owner = owner,
                                  .arena = arena,
                                  .to = &owner->shown};
    status = read_history(&reading, err);
    if (status != SY_OK) {
        sy_key_history_destroy(&owner->shown);
        return status;
    }
    *ret_history = &owner->shown;
    return SY_OK;
}

void sy_key_history_destroy(sy_key_history *history)
{
    if (history == NULL) {
        return;
    }
    sy_key_history_owner *owner = history->owner;
    sy_run_list_destroy(owner->runs);
    sy_figure_list_destroy(owner->figures);
    sy_change_rows_destroy(owner->changes);
    sy_history_destroy(owner->history);
    sy_history_destroy(owner->earlier);
    sy_arena_destroy(owner->arena);
}
