/* SPDX-License-Identifier: Apache-2.0 */
/* Records who vouches for a run, with the verdict that was seen. Every reason against it is told; the ledger has the
 * last word. */
#include <string.h>

#include <steelyard/promotion.h>

#include "base/error.h"
#include "evidence/baseline_lock.h"
#include "evidence/event_list.h"
#include "evidence/open_alarm.h"
#include "evidence/open_project.h"
#include "registry/files/look.h"

enum { REASONS_MAX = 4 };

typedef struct signoff_work {
    sy_project *project;
    const sy_signoff_options *options;
    sy_arena *arena;
    sy_signed_off *to;
    const char **reasons;
    bool failed; /* no memory */
} signoff_work;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to sign off a run");
}

static void add(signoff_work *work, const char *reason)
{
    work->failed = work->failed || reason == NULL;
    work->reasons[work->to->reason_count++] = reason;
}

static void find_reasons(signoff_work *work, const sy_run *run)
{
    const sy_run_row *row = &run->row;
    size_t open = sy_open_alarm(run, NULL);
    const sy_run_verdict *alarm = open > 0 ? &run->verdicts[open - 1] : NULL;
    if (row->kind == SY_RUN_KIND_DECISION) {
        add(work, "it is a decision between implementations, no session of one");
    }
    if (row->status != SY_RUN_OK) {
        add(work, sy_arena_format(work->arena, "its status is %s", sy_run_status_word(row->status)));
    }
    if (alarm != NULL) {
        add(work, sy_arena_format(work->arena, "its last verdict%s is %s: %s",
                                  alarm->mode == SY_COMPARISON_SAME_KEY ? "" : " against another revision",
                                  sy_judgement_word_text(alarm->word), sy_judgement_reason_text(alarm->reason)));
    }
}

static sy_status append(signoff_work *work, sy_error *err)
{
    const sy_run_signoff signoff = {work->options->by, work->options->statement, work->to->verdict};
    sy_event_list events = {.arena = work->arena, .run = work->to->run};
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_event_list_signoff(&events, &signoff, &error);
    if (status == SY_OK) {
        status = sy_event_list_clean(&events, &error);
    }
    if (status == SY_OK) {
        status = sy_event_list_append(&events, sy_project_ledger(work->project), &work->to->head, &error);
    }
    work->to->done = status == SY_OK;
    if (status == SY_REFUSED) {
        add(work, sy_arena_copy_text(work->arena, error.what));
        return work->failed ? no_memory(err)
                            : sy_ledger_read_head(sy_project_ledger(work->project), &work->to->head, err);
    }
    if (status != SY_OK && err != NULL) {
        *err = error;
    }
    return status;
}

static sy_status sign_off(signoff_work *work, sy_error *err)
{
    sy_run *run = NULL;
    sy_ledger *ledger = sy_project_ledger(work->project);
    sy_status status = sy_ledger_run(ledger, work->options->run, &run, err);
    if (status != SY_OK) {
        return status;
    }
    find_reasons(work, run);
    work->to->run = sy_arena_copy_text(work->arena, run->row.id);
    work->to->verdict = run->row.verdict_number;
    status = work->failed || work->to->run == NULL ? no_memory(err) : SY_OK;
    if (status == SY_OK) {
        status = work->to->reason_count == 0 ? append(work, err) : sy_ledger_read_head(ledger, &work->to->head, err);
    }
    sy_run_destroy(run);
    return status;
}

static sy_status check_options(const sy_signoff_options *options, sy_error *err)
{
    if (options->struct_size != sizeof *options) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "struct_size of the options of a sign-off");
    }
    if (sy_is_blank(options->run)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no run is named");
    }
    if (sy_is_blank(options->by)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "somebody signs off a run: say who");
    }
    return sy_is_blank(options->statement)
               ? sy_fail(err, SY_INVALID_ARGUMENT, "a sign-off says what was looked at: give a statement")
               : SY_OK;
}

sy_status sy_project_signoff(sy_project *project, const sy_signoff_options *options, sy_signed_off **ret_signed,
                             sy_error *err)
{
    sy_lock *lock = NULL;
    sy_status status = check_options(options, err);
    if (status != SY_OK) {
        return status;
    }
    signoff_work work = {.project = project, .options = options, .arena = sy_arena_create(0)};
    work.to = work.arena != NULL ? sy_arena_allocate(work.arena, 1, sizeof *work.to) : NULL;
    work.reasons = work.to != NULL ? sy_arena_allocate(work.arena, REASONS_MAX, sizeof *work.reasons) : NULL;
    status = work.reasons != NULL ? sy_baseline_lock_take(project, &lock, err) : no_memory(err);
    if (status == SY_OK) {
        work.to->reasons = work.reasons;
        status = sign_off(&work, err);
    }
    sy_lock_release(lock);
    if (status != SY_OK) {
        sy_arena_destroy(work.arena);
        return status;
    }
    work.to->owner = work.arena;
    *ret_signed = work.to;
    return SY_OK;
}

void sy_signed_off_destroy(sy_signed_off *signed_off)
{
    if (signed_off != NULL) {
        sy_arena_destroy(signed_off->owner);
    }
}
