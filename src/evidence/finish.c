/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a run, with the figures that were not told before; says of each memory figure whether it can count for a
 * minimum-memory gate. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/event_list.h"
#include "evidence/memory_promise.h"
#include "evidence/open_project.h"
#include "registry/gates/gate_plan.h"

typedef struct finish_work {
    sy_project *project;
    const sy_run_finish_options *options;
    sy_arena *arena;
    const char *run;
    sy_event_list events;
} finish_work;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the end of a run");
}

/* The run that takes its place must be there. */
static sy_status find_successor(const finish_work *work, sy_run_end *end, sy_error *err)
{
    if (end->superseded_by == NULL || end->superseded_by[0] == '\0') {
        end->superseded_by = "";
        return SY_OK;
    }
    if (end->status != SY_RUN_SUPERSEDED) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "only a run that is superseded names another one in its place");
    }
    sy_status status = sy_project_find_run(work->project, end->superseded_by, work->arena, &end->superseded_by, err);
    if (status != SY_OK) {
        sy_error_prefix(err, "superseded by");
    }
    return status;
}

static sy_status add_figures(finish_work *work, sy_error *err)
{
    const sy_run_finish_options *options = work->options;
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < options->memory_count; i++) {
        status = sy_event_list_memory(&work->events, &options->memories[i], err);
    }
    for (size_t i = 0; status == SY_OK && i < options->parity_count; i++) {
        status = sy_event_list_parity(&work->events, &options->parities[i], err);
    }
    for (size_t i = 0; status == SY_OK && i < options->digest_count; i++) {
        status = sy_event_list_digest(&work->events, &options->digests[i], err);
    }
    for (size_t i = 0; status == SY_OK && i < options->note_count; i++) {
        status = sy_event_list_note(&work->events, options->notes[i], err);
    }
    return status;
}

/* Somebody measures for it: an end now would make the ledger refuse what he has measured. A folder of leases that
 * cannot be used lets nobody hold one. */
static sy_status refuse_held(const finish_work *work, sy_error *err)
{
    sy_device_lease_list *list = NULL;
    sy_status status = sy_device_leases(sy_project_leases(work->project), &list, err);
    if (status != SY_OK) {
        return status == SY_NO_MEMORY ? status : SY_OK;
    }
    for (size_t i = 0; status == SY_OK && i < list->lease_count; i++) {
        const sy_device_lease *lease = &list->leases[i];
        if (lease->held && strcmp(lease->run, work->run) == 0) {
            status = sy_fail(err, SY_BUSY, "run '%s' holds device '%s' (process %lld): it is still executed", work->run,
                             lease->device, (long long)lease->process);
            sy_error_hint(err, "an end now would lose what it measures: wait, or interrupt that process");
        }
    }
    sy_device_lease_list_destroy(list);
    return status;
}

static sy_status append(finish_work *work, sy_ledger_head *ret_head, sy_error *err)
{
    sy_run_end end = work->options->end;
    end.conclusion = end.conclusion != NULL ? end.conclusion : "";
    end.reason = end.reason != NULL ? end.reason : "";
    sy_status status = sy_project_find_run(work->project, work->options->run, work->arena, &work->run, err);
    if (status == SY_OK) {
        status = refuse_held(work, err);
    }
    if (status == SY_OK) {
        status = find_successor(work, &end, err);
    }
    work->events = (sy_event_list){.arena = work->arena, .run = work->run};
    if (status == SY_OK) {
        status = add_figures(work, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_end(&work->events, &end, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&work->events, err);
    }
    return status == SY_OK ? sy_event_list_append(&work->events, sy_project_ledger(work->project), ret_head, err)
                           : status;
}

/* The least memory that the platform of the run's gate promises; 0 = none, or the gate is not there any more. */
static sy_status find_promise(const finish_work *work, const sy_run *run, uint64_t *ret_bytes, sy_error *err)
{
    sy_registry *registry = NULL;
    sy_gate_plan plan;
    if (run->row.gate[0] == '\0') {
        return SY_OK;
    }
    sy_status status = sy_project_registry(work->project, &registry, err);
    if (status == SY_OK) {
        status = sy_gate_plan_read(registry, run->row.gate, work->arena, &plan, err);
    }
    if (status == SY_OK) {
        *ret_bytes = sy_gate_plan_memory_bytes(&plan);
    }
    return status == SY_NO_MEMORY ? status : SY_OK;
}

static sy_status list_remarks(const finish_work *work, const sy_run *run, sy_run_finished *finished, sy_error *err)
{
    uint64_t promised = 0;
    const char **remarks = sy_arena_allocate(work->arena, run->memory_count, sizeof *remarks);
    sy_status status = remarks != NULL ? find_promise(work, run, &promised, err) : no_memory(err);
    for (size_t i = 0; status == SY_OK && i < run->memory_count; i++) {
        const sy_run_memory *memory = &run->memories[i];
        const char *shortcoming = sy_memory_pre_check(run, memory, promised, work->arena);
        char size[32];
        if (shortcoming == NULL) {
            return no_memory(err);
        }
        if (shortcoming[0] == '\0') {
            continue;
        }
        sy_format_bytes(size, sizeof size, memory->bytes);
        const char *remark = sy_arena_format(work->arena, "pre-check: %s, %s of the %s, %s", memory->name, size,
                                             sy_memory_scope_word(memory->scope), shortcoming);
        remarks[finished->remark_count++] = remark;
        status = remark != NULL ? SY_OK : no_memory(err);
    }
    finished->remarks = remarks;
    return status;
}

/* Of every figure that the run has, those of now and those of before. */
static sy_status gather_remarks(const finish_work *work, sy_run_finished *finished, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(sy_project_ledger(work->project), work->run, &run, err);
    if (status == SY_OK) {
        finished->status = run->row.status;
        status = list_remarks(work, run, finished, err);
    }
    sy_run_destroy(run);
    return status;
}

sy_status sy_project_finish(sy_project *project, const sy_run_finish_options *options, sy_run_finished **ret_finished,
                            sy_error *err)
{
    if (options->struct_size != sizeof *options || options->run == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s",
                       options->run == NULL ? "no run is named" : "struct_size of the options of an end");
    }
    finish_work work = {.project = project, .options = options, .arena = sy_arena_create(0)};
    sy_run_finished *finished = work.arena != NULL ? sy_arena_allocate(work.arena, 1, sizeof *finished) : NULL;
    sy_status status = finished != NULL ? append(&work, &finished->head, err) : no_memory(err);
    if (status == SY_OK) {
        finished->run = work.run;
        finished->owner = work.arena;
        status = gather_remarks(&work, finished, err);
    }
    if (status != SY_OK) {
        sy_arena_destroy(work.arena);
        return status;
    }
    *ret_finished = finished;
    return SY_OK;
}

void sy_run_finished_destroy(sy_run_finished *finished)
{
    if (finished != NULL) {
        sy_arena_destroy(finished->owner);
    }
}
