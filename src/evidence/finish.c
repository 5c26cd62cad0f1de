/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a run, with the figures that were not told before; says of each memory figure whether it can count for a
 * minimum-memory gate. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/open_project.h"
#include "evidence/recorded/event_list.h"
#include "registry/matrix/settings.h"

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

static sy_status append(finish_work *work, sy_ledger_head *ret_head, sy_error *err)
{
    sy_run_end end = work->options->end;
    end.conclusion = end.conclusion != NULL ? end.conclusion : "";
    end.reason = end.reason != NULL ? end.reason : "";
    sy_status status = sy_project_find_run(work->project, work->options->run, work->arena, &work->run, err);
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

const char *sy_run_memory_shortcoming(const sy_run_memory *memory)
{
    if (sy_memory_basis_is_signoff(memory->basis)) {
        return "";
    }
    return memory->basis == SY_MEMORY_ESTIMATE ? "an estimate; only what was physically so, or constrained, counts"
                                               : "calculated; only what was physically so, or constrained, counts";
}

/* Of every figure that the run has, those of now and those of before. */
static sy_status gather_remarks(const finish_work *work, sy_run_finished *finished, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(sy_project_ledger(work->project), work->run, &run, err);
    if (status != SY_OK) {
        return status;
    }
    const char **remarks = sy_arena_allocate(work->arena, run->memory_count, sizeof *remarks);
    size_t count = 0;
    for (size_t i = 0; remarks != NULL && i < run->memory_count; i++) {
        const sy_run_memory *memory = &run->memories[i];
        const char *shortcoming = sy_run_memory_shortcoming(memory);
        char size[32];
        sy_format_bytes(size, sizeof size, memory->bytes);
        if (shortcoming[0] != '\0') {
            remarks[count] = sy_arena_format(work->arena, "pre-check: %s, %s, is %s", memory->name, size, shortcoming);
            remarks = remarks[count++] != NULL ? remarks : NULL;
        }
    }
    finished->status = run->row.status;
    sy_run_destroy(run);
    finished->remarks = remarks;
    finished->remark_count = count;
    return remarks != NULL ? SY_OK : no_memory(err);
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
