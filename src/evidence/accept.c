/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a session into the baseline of its key: whether the ledger's rules let it is asked first, so that every reason
 * is told at once; the ledger has the last word. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/accept_baseline.h"
#include "evidence/baseline_lock.h"
#include "evidence/event_list.h"
#include "evidence/open_project.h"
#include "evidence/session_faults.h"
#include "ledger/run_life.h"
#include "registry/files/look.h"

typedef struct accept_work {
    sy_project *project;
    sy_arena *arena;
    sy_run_acceptance *to;
    sy_text reasons; /* parted by "; " */
} accept_work;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to accept a run");
}

static void add_reason(accept_work *work, const char *reason)
{
    sy_text_append(&work->reasons, work->reasons.length > 0 ? "; " : "");
    sy_text_append(&work->reasons, reason);
}

/* Parts the reasons into the result's list. */
static sy_status list_reasons(accept_work *work, sy_error *err)
{
    const char *text = sy_text_bytes(&work->reasons);
    size_t most = 1;
    for (const char *at = text; (at = strstr(at, "; ")) != NULL; at++) {
        most++;
    }
    const char **reasons = sy_arena_allocate(work->arena, most, sizeof *reasons);
    if (reasons == NULL || work->reasons.failed) {
        return no_memory(err);
    }
    size_t count = 0;
    while (*text != '\0') {
        const char *end = strstr(text, "; ");
        size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        reasons[count] = sy_arena_copy_bytes(work->arena, text, length);
        if (reasons[count++] == NULL) {
            return no_memory(err);
        }
        text += end != NULL ? length + 2 : length;
    }
    work->to->reasons = reasons;
    work->to->reason_count = count;
    return SY_OK;
}

static sy_status append(accept_work *work, const sy_run_accept_options *options, sy_error *err)
{
    sy_run_accept accept = {options->by, options->reason != NULL ? options->reason : "", options->new_baseline};
    sy_event_list events = {.arena = work->arena, .run = work->to->run};
    sy_status status = sy_event_list_accept(&events, &accept, err);
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, err);
    }
    return status == SY_OK ? sy_event_list_append(&events, sy_project_ledger(work->project), &work->to->head, err)
                           : status;
}

/* A run that has lost its right meanwhile is refused by the ledger, with the reason. */
static sy_status accept_now(accept_work *work, const sy_run_accept_options *options, sy_error *err)
{
    sy_error error = SY_ERROR_INIT;
    sy_status status = append(work, options, &error);
    if (status == SY_REFUSED) {
        add_reason(work, error.what);
        return list_reasons(work, err);
    }
    if (status != SY_OK && err != NULL) {
        *err = error;
    }
    work->to->accepted = status == SY_OK;
    return status;
}

static sy_status add_remarks(accept_work *work, const sy_run_row *row, sy_error *err)
{
    const char **remarks = sy_arena_allocate(work->arena, 1, sizeof *remarks);
    if (remarks == NULL) {
        return no_memory(err);
    }
    if (row->key_digest[0] == '\0') {
        remarks[work->to->remark_count++] = "its comparison key is not complete: it is the baseline of nothing";
    }
    work->to->remarks = remarks;
    return SY_OK;
}

static sy_status judge(accept_work *work, const char *run, const sy_run_accept_options *options, sy_error *err)
{
    sy_run *judged = NULL;
    sy_ledger *ledger = sy_project_ledger(work->project);
    sy_status status = sy_project_find_run(work->project, run, work->arena, &work->to->run, err);
    if (status == SY_OK) {
        status = sy_ledger_run(ledger, work->to->run, &judged, err);
    }
    if (status != SY_OK) {
        return status;
    }
    const sy_run_accept accept = {options->by, options->reason, options->new_baseline};
    sy_run_life_accept_refusals(&judged->row, &accept, &work->reasons);
    sy_session_faults(judged, &work->reasons);
    if (judged->row.sample_count > 0 && !sy_session_has_usable_samples(judged)) {
        add_reason(work, "none of its samples is a usable number");
    }
    status = sy_accept_ask_baseline(ledger, judged, options->new_baseline, &work->reasons, err);
    if (status == SY_OK) {
        status = list_reasons(work, err);
    }
    if (status == SY_OK) {
        status = add_remarks(work, &judged->row, err);
    }
    if (status == SY_OK) {
        status = work->to->reason_count == 0 ? accept_now(work, options, err)
                                             : sy_ledger_read_head(ledger, &work->to->head, err);
    }
    sy_run_destroy(judged);
    return status;
}

sy_status sy_project_accept(sy_project *project, const char *run, const sy_run_accept_options *options,
                            sy_run_acceptance **ret_acceptance, sy_error *err)
{
    if (sy_is_blank(options->by)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "somebody accepts a run: say who");
    }
    accept_work work = {.project = project, .arena = sy_arena_create(0), .reasons = SY_TEXT_INIT};
    work.to = work.arena != NULL ? sy_arena_allocate(work.arena, 1, sizeof *work.to) : NULL;
    sy_lock *lock = NULL;
    sy_status status = work.to != NULL ? sy_baseline_lock_take(project, &lock, err) : no_memory(err);
    if (status == SY_OK) {
        status = judge(&work, run, options, err);
    }
    sy_lock_release(lock);
    sy_text_finish(&work.reasons);
    if (status != SY_OK) {
        sy_arena_destroy(work.arena);
        return status;
    }
    work.to->owner = work.arena;
    *ret_acceptance = work.to;
    return SY_OK;
}

void sy_run_acceptance_destroy(sy_run_acceptance *acceptance)
{
    if (acceptance != NULL) {
        sy_arena_destroy(acceptance->owner);
    }
}
