/* SPDX-License-Identifier: Apache-2.0 */
/* What a command did and said, cleaned of what is private, as events of its run. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "evidence/exec/exec_inside.h"
#include "evidence/exec/exec_memory.h"

#define SHOWN_REJECTS 5

static const char *format_in(sy_arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = sy_format_list(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : sy_arena_allocate(arena, (size_t)length + 1, 1);
    if (text != NULL)
        (void)sy_format_list(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* Whole, for what is cut anywhere is no UTF-8, which no ledger takes. */
sy_status sy_exec_remark(sy_exec *exec, sy_error *err, const char *format, ...)
{
    sy_exec_remarks *remarks = &exec->remarks;
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_in(exec->arena, format, arguments);
    va_end(arguments);
    if (text == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a remark");
    const char *about = remarks->about == NULL || sy_text_begins(text, remarks->about) ? "" : remarks->about;
    const char *kept = sy_arena_format(exec->arena, "%s%s", about, text);
    kept = kept == NULL ? NULL : sy_exec_clean(&exec->cleaner, kept);
    if (kept != NULL && remarks->count == remarks->capacity) {
        size_t capacity = remarks->capacity == 0 ? 8 : 2 * remarks->capacity;
        const char **texts = sy_arena_allocate(exec->arena, capacity, sizeof(*texts));
        if (texts != NULL && remarks->count > 0)
            memcpy(texts, remarks->texts, remarks->count * sizeof(*texts));
        remarks->texts = texts;
        remarks->capacity = capacity;
        kept = texts == NULL ? NULL : kept;
    }
    if (kept == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a remark");
    remarks->texts[remarks->count++] = kept;
    return sy_event_list_note(&exec->events, kept, err);
}

static sy_status add_command(sy_exec *exec, const sy_exec_command *command, const sy_exec_child *child, bool held,
                             sy_run_command *ret_command, sy_error *err)
{
    bool exited = child->report.end == SY_PROCESS_EXITED;
    *ret_command = (sy_run_command){
        .phase = command->phase,
        .argv = command->shown_argv,
        .argc = command->argc,
        .environment = command->shown_environment,
        .environment_count = command->shown_environment_count,
        .exit_code = exited ? child->report.code : -1,
        .signal = child->report.end == SY_PROCESS_SIGNALLED ? child->report.code : 0,
        .wall_ns = child->wall_ns,
        .user_ns = child->report.user_ns,
        .system_ns = child->report.system_ns,
        .peak_memory_bytes = child->peak_bytes,
        .fence = exec->result->fence,
        .lease_held = held,
        .line_count = child->account.line_count,
        .rejected_count = child->account.rejected_count + child->account.dropped_count,
    };
    return sy_event_list_command(&exec->events, ret_command, err);
}

static sy_status add_rejects(sy_exec *exec, const sy_exec_command *command, const sy_protocol_account *account,
                             sy_error *err)
{
    sy_status status = SY_OK;
    if (account->rejected_count > 0)
        status = sy_exec_remark(exec, err, "%s: %llu of %llu lines were not taken", command->phase,
                                (unsigned long long)account->rejected_count, (unsigned long long)account->line_count);
    for (size_t i = 0; status == SY_OK && i < account->reject_count && i < SHOWN_REJECTS; i++) {
        const sy_protocol_reject *reject = &account->rejects[i];
        status = sy_exec_remark(exec, err, "line %llu: %s: %s", (unsigned long long)reject->line, reject->cause,
                                reject->text);
    }
    if (status == SY_OK && account->dropped_count > 0)
        status = sy_exec_remark(exec, err, "%s: %s: %llu lines were dropped", command->phase, account->limit,
                                (unsigned long long)account->dropped_count);
    return status;
}

static sy_status add_left_behind(sy_exec *exec, const sy_exec_command *command, const sy_exec_child *child,
                                 sy_error *err)
{
    return child->left_behind ? sy_exec_remark(exec, err,
                                               "%s: a process that left its group outlives it, and holds "
                                               "its streams",
                                               command->phase)
                              : SY_OK;
}

static sy_status add_parities(sy_exec *exec, const sy_protocol_account *account, bool failed_only, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->parity_count; i++) {
        sy_run_parity_event parity = account->parities[i];
        if (failed_only && parity.outcome != SY_RUN_PARITY_FAILED)
            continue;
        parity.case_name = sy_exec_clean(&exec->cleaner, parity.case_name);
        parity.implementation = sy_exec_clean(&exec->cleaner, parity.implementation);
        parity.reason = sy_exec_clean(&exec->cleaner, parity.reason);
        if (parity.case_name == NULL || parity.implementation == NULL || parity.reason == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for an outcome of parity");
        status = sy_event_list_parity(&exec->events, &parity, err);
    }
    return status;
}

static sy_status add_memory(sy_exec *exec, const sy_exec_child *child, sy_run_memory memory, sy_error *err)
{
    memory.name = sy_exec_clean(&exec->cleaner, memory.name);
    memory.how = sy_exec_clean(&exec->cleaner, memory.how);
    memory.swap_bytes = child->swap_bytes;
    memory.pressure_share = child->pressure_share;
    if (memory.name == NULL || memory.how == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a figure of memory");
    exec->result->memory_count++;
    return sy_event_list_memory(&exec->events, &memory, err);
}

/* What was seen from outside: of the largest process, and of all of them at one time. What plays a device whose times
 * are made up says nothing of it by the memory that it takes. */
static sy_status add_seen_memory(sy_exec *exec, const sy_exec_child *child, sy_error *err)
{
    if (exec->synthetic)
        return SY_OK;
    uint64_t limit = sy_exec_memory_limit("");
    const char *by = limit == 0 ? ""
                                : sy_arena_format(exec->arena, "memory.max %llu of its control group",
                                                  (unsigned long long)limit);
    const char *seen = by == NULL
                           ? NULL
                           : sy_arena_format(exec->arena, "%s%s%u processes at the largest of %u looks", by,
                                             by[0] == '\0' ? "" : "; ", child->tree_processes, child->look_count);
    sy_run_memory memory = {
        .name = "peak",
        .bytes = child->peak_bytes,
        .basis = limit == 0 ? SY_MEMORY_PHYSICAL : SY_MEMORY_CONSTRAINED,
        .scope = SY_MEMORY_PROCESS,
        .how = by,
        .counted = true,
    };
    if (seen == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a figure of memory");
    sy_status status = child->peak_bytes == 0 ? SY_OK : add_memory(exec, child, memory, err);
    memory.bytes = child->tree_peak_bytes;
    memory.scope = SY_MEMORY_PROCESS_TREE;
    memory.how = seen;
    return status == SY_OK && child->tree_peak_bytes != 0 ? add_memory(exec, child, memory, err) : status;
}

sy_status sy_exec_add_series(sy_exec *exec, const sy_exec_command *command, sy_run_series *series, sy_error *err)
{
    sy_run_executed *result = exec->result;
    if (command == &exec->control) {
        series->role = SY_SERIES_CONTROL;
        result->control_sample_count += series->count;
    } else {
        result->series_count++;
        result->sample_count += series->count;
    }
    return sy_event_list_series(&exec->events, series, err);
}

static sy_status add_series(sy_exec *exec, const sy_exec_command *command, const sy_protocol_account *account,
                            sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->series_count; i++) {
        sy_run_series *series = &account->series[i];
        /* There is one role for a control, and what warms up is no sample. */
        if (command == &exec->control && series->role != SY_SERIES_SAMPLE)
            continue;
        series->name = sy_exec_clean(&exec->cleaner, series->name);
        series->unit = sy_exec_clean(&exec->cleaner, series->unit);
        series->case_name = sy_exec_clean(&exec->cleaner, series->case_name);
        series->implementation = sy_exec_clean(&exec->cleaner, series->implementation);
        if (series->name == NULL || series->unit == NULL || series->case_name == NULL || series->implementation == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a series");
        status = sy_exec_add_series(exec, command, series, err);
    }
    return status;
}

static sy_status add_texts(sy_exec *exec, const sy_exec_command *command, const sy_protocol_account *account,
                           sy_error *err)
{
    /* An output or a word of the control is none of the session's. */
    const char *of = command == &exec->control ? "control" : "";
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->digest_count; i++) {
        sy_run_digest digest = account->digests[i];
        if (of[0] != '\0')
            digest.role = sy_arena_format(exec->arena, "%s.%s", of, digest.role);
        digest.role = digest.role == NULL ? NULL : sy_exec_clean(&exec->cleaner, digest.role);
        status = digest.role == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a digest")
                                     : sy_event_list_digest(&exec->events, &digest, err);
    }
    for (size_t i = 0; status == SY_OK && i < account->note_count; i++) {
        const char *note = sy_arena_format(exec->arena, "%s%s%s", of, of[0] != '\0' ? ": " : "", account->notes[i]);
        note = note == NULL ? NULL : sy_exec_clean(&exec->cleaner, note);
        status = note == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a note")
                              : sy_event_list_note(&exec->events, note, err);
    }
    return status;
}

sy_status sy_exec_record_failure(sy_exec *exec, const char *reason, sy_error *err)
{
    const char *clean = sy_exec_clean(&exec->cleaner, reason);
    if (clean == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
    sy_run_end end = {.status = SY_RUN_FAILED, .conclusion = "", .reason = clean, .superseded_by = ""};
    exec->result->status = SY_RUN_FAILED;
    exec->result->reason = clean;
    if (exec->control.argv != NULL && exec->result->control.argc == 0 && exec->result->no_control[0] == '\0')
        exec->result->no_control = "it did not run";
    return sy_event_list_end(&exec->events, &end, err);
}

/* A smoke command proves a small configuration only: what it measured, and that its parity passed, is told in a note
 * and counts for nothing. What it violated is kept. */
sy_status sy_exec_record_smoke(sy_exec *exec, const sy_exec_child *child, const char *reason, bool held, sy_error *err)
{
    const sy_protocol_account *account = &child->account;
    sy_status status = add_command(exec, &exec->smoke, child, held, &exec->result->smoke, err);
    if (status == SY_OK)
        status = sy_exec_keep_logs(exec, &exec->smoke, child, err);
    if (status == SY_OK)
        status = add_rejects(exec, &exec->smoke, account, err);
    if (status == SY_OK)
        status = add_left_behind(exec, &exec->smoke, child, err);
    if (status == SY_OK)
        status = add_parities(exec, account, true, err);
    if (status == SY_OK && account->parity_count > 0)
        status = sy_exec_remark(exec, err, "smoke: parity %s", sy_run_parity_word(sy_exec_worst_parity(account)));
    if (status == SY_OK && reason != NULL)
        status = add_seen_memory(exec, child, err);
    if (status == SY_OK && reason != NULL)
        status = sy_exec_record_failure(exec, reason, err);
    return status;
}

sy_status sy_exec_record_measure(sy_exec *exec, sy_exec_child *child, bool held, sy_error *err)
{
    const sy_protocol_account *account = &child->account;
    sy_status status = add_command(exec, &exec->measure, child, held, &exec->result->command, err);
    if (status == SY_OK)
        status = add_series(exec, &exec->measure, account, err);
    if (status == SY_OK)
        status = add_parities(exec, account, false, err);
    if (status == SY_OK)
        status = add_seen_memory(exec, child, err);
    for (size_t i = 0; status == SY_OK && i < account->memory_count; i++)
        status = add_memory(exec, child, account->memories[i], err);
    if (status == SY_OK)
        status = add_texts(exec, &exec->measure, account, err);
    if (status == SY_OK)
        status = add_rejects(exec, &exec->measure, account, err);
    if (status == SY_OK)
        status = add_left_behind(exec, &exec->measure, child, err);
    if (status == SY_OK)
        status = sy_exec_keep_logs(exec, &exec->measure, child, err);
    if (status == SY_OK)
        status = sy_exec_keep_files(exec, &exec->measure, account, err);
    exec->result->parity = sy_exec_worst_parity(account);
    return status;
}

/* Takes back the series that were added behind the first events: of a control whose file could not be read. */
static void drop_series(sy_event_list *events, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < events->count; i++) {
        if (events->entries[i].kind != SY_EVENT_SERIES)
            events->entries[kept++] = events->entries[i];
    }
    events->count = kept;
}

/* Memory figures are not recorded: the command's event has its peak. */
sy_status sy_exec_record_control(sy_exec *exec, sy_exec_child *child, const char *why_not, bool held, sy_error *err)
{
    const sy_protocol_account *account = &child->account;
    const sy_exec_command *control = &exec->control;
    sy_status status = add_command(exec, control, child, held, &exec->result->control, err);
    size_t first = exec->events.count;
    if (status == SY_OK && why_not[0] == '\0')
        status = add_series(exec, control, account, err);
    if (status == SY_OK)
        status = sy_exec_import(exec, control, &why_not, err);
    if (status == SY_OK && why_not[0] == '\0' && exec->result->control_sample_count == 0)
        why_not = "it measured nothing";
    if (why_not != NULL && why_not[0] != '\0') {
        drop_series(&exec->events, first);
        exec->result->control_sample_count = 0;
    }
    if (status == SY_OK)
        status = add_texts(exec, control, account, err);
    if (status == SY_OK)
        status = add_rejects(exec, control, account, err);
    if (status == SY_OK)
        status = add_left_behind(exec, control, child, err);
    if (status == SY_OK)
        status = sy_exec_keep_logs(exec, control, child, err);
    if (status == SY_OK)
        status = sy_exec_keep_files(exec, control, account, err);
    if (status == SY_OK && account->parity_count > 0)
        status = sy_exec_remark(exec, err, "control: parity %s", sy_run_parity_word(sy_exec_worst_parity(account)));
    if (status == SY_OK && why_not[0] != '\0')
        status = sy_exec_control_void(exec, why_not, err);
    return status;
}
