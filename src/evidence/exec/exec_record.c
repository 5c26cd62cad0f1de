/* SPDX-License-Identifier: Apache-2.0 */
/* What a command did and said, cleaned of what is private, as events of its run. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "evidence/exec/exec_inside.h"
#include "evidence/exec/exec_memory.h"

#define SHOWN_REJECTS 5

sy_status sy_exec_remark(sy_exec *exec, sy_error *err, const char *format, ...)
{
    char text[1024];
    sy_exec_remarks *remarks = &exec->remarks;
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *kept = sy_arena_copy_text(exec->arena, text);
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

/* What was seen from outside: of the largest process, and of all of them at one time. */
static sy_status add_seen_memory(sy_exec *exec, const sy_exec_child *child, sy_error *err)
{
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
    };
    if (seen == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a figure of memory");
    sy_status status = child->peak_bytes == 0 ? SY_OK : add_memory(exec, child, memory, err);
    memory.bytes = child->tree_peak_bytes;
    memory.scope = SY_MEMORY_PROCESS_TREE;
    memory.how = seen;
    return status == SY_OK && child->tree_peak_bytes != 0 ? add_memory(exec, child, memory, err) : status;
}

static sy_status add_series(sy_exec *exec, const sy_protocol_account *account, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->series_count; i++) {
        sy_run_series *series = &account->series[i];
        series->name = sy_exec_clean(&exec->cleaner, series->name);
        series->unit = sy_exec_clean(&exec->cleaner, series->unit);
        series->case_name = sy_exec_clean(&exec->cleaner, series->case_name);
        series->implementation = sy_exec_clean(&exec->cleaner, series->implementation);
        if (series->name == NULL || series->unit == NULL || series->case_name == NULL || series->implementation == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a series");
        status = sy_event_list_series(&exec->events, series, err);
        exec->result->series_count++;
        exec->result->sample_count += series->count;
    }
    return status;
}

static sy_status add_texts(sy_exec *exec, const sy_protocol_account *account, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < account->digest_count; i++) {
        sy_run_digest digest = account->digests[i];
        digest.role = sy_exec_clean(&exec->cleaner, digest.role);
        status = digest.role == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a digest")
                                     : sy_event_list_digest(&exec->events, &digest, err);
    }
    for (size_t i = 0; status == SY_OK && i < account->note_count; i++) {
        const char *note = sy_exec_clean(&exec->cleaner, account->notes[i]);
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
        status = add_series(exec, account, err);
    if (status == SY_OK)
        status = add_parities(exec, account, false, err);
    if (status == SY_OK)
        status = add_seen_memory(exec, child, err);
    for (size_t i = 0; status == SY_OK && i < account->memory_count; i++)
        status = add_memory(exec, child, account->memories[i], err);
    if (status == SY_OK)
        status = add_texts(exec, account, err);
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
