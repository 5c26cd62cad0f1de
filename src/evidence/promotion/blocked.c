/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the verdicts that block what was promoted before them. */
#include "evidence/promotion/blocked.h"

#include <stdlib.h>
#include <string.h>

#include <steelyard/promotion.h>

#include "base/error.h"
#include "evidence/open_alarm.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the verdicts that block");
}

static bool blocks(const sy_run_row *row)
{
    return row->judged && row->verdict == SY_JUDGEMENT_BLOCK && row->status != SY_RUN_SUPERSEDED;
}

static const char *why_of(const sy_run_verdict *verdict)
{
    return verdict->evidence[0] != '\0' ? verdict->evidence
           : verdict->reason_count > 0  ? verdict->reasons[0]
                                        : sy_judgement_reason_text(verdict->reason);
}

static sy_status copy_baseline(sy_arena *arena, const sy_run_verdict *verdict, sy_blocking_verdict *to, sy_error *err)
{
    const char **baseline = sy_arena_allocate(arena, verdict->baseline_count, sizeof *baseline);
    if (baseline == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < verdict->baseline_count; i++) {
        baseline[i] = sy_arena_copy_text(arena, verdict->baseline[i]);
        if (baseline[i] == NULL) {
            return no_memory(err);
        }
    }
    to->baseline = baseline;
    to->baseline_count = verdict->baseline_count;
    return SY_OK;
}

/* The verdict of the run that blocks. */
static sy_status read_verdict(sy_ledger *ledger, const sy_run_row *row, sy_arena *arena, sy_blocking_verdict *to,
                              sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(ledger, row->id, &run, err);
    if (status != SY_OK) {
        return status;
    }
    size_t open = sy_open_alarm(run, NULL);
    const sy_run_verdict *verdict = open > 0 ? &run->verdicts[open - 1] : NULL;
    *to = (sy_blocking_verdict){
        .run = sy_arena_copy_text(arena, row->id),
        .gate = sy_arena_copy_text(arena, row->gate),
        .key_digest = sy_arena_copy_text(arena, row->key_digest),
        .baseline_key = sy_arena_copy_text(arena, verdict != NULL ? verdict->baseline_key : ""),
        .number = open > 0 ? run->verdict_numbers[open - 1] : row->verdict_number,
        .why = sy_arena_copy_text(arena, verdict != NULL ? why_of(verdict) : ""),
    };
    bool whole = to->run != NULL && to->gate != NULL && to->key_digest != NULL && to->baseline_key != NULL &&
                 to->why != NULL;
    status = !whole ? no_memory(err) : verdict != NULL ? copy_baseline(arena, verdict, to, err) : SY_OK;
    sy_run_destroy(run);
    return status;
}

static int newest_first(const void *a, const void *b)
{
    const sy_blocking_verdict *left = a, *right = b;
    return (left->number < right->number) - (left->number > right->number);
}

sy_status sy_blocking_verdicts_read(sy_ledger *ledger, sy_arena *arena, sy_blocking_verdicts *ret_verdicts,
                                    sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    filter.verdicts = 1U << SY_JUDGEMENT_BLOCK;
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status != SY_OK) {
        return status;
    }
    size_t most = 0, count = 0;
    for (size_t i = 0; i < list->row_count; i++) {
        most += blocks(&list->rows[i]);
    }
    sy_blocking_verdict *found = sy_arena_allocate(arena, most, sizeof *found);
    status = found != NULL ? SY_OK : no_memory(err);
    for (size_t i = 0; status == SY_OK && i < list->row_count; i++) {
        if (blocks(&list->rows[i])) {
            status = read_verdict(ledger, &list->rows[i], arena, &found[count], err);
            count += status == SY_OK;
        }
    }
    sy_run_list_destroy(list);
    if (status == SY_OK) {
        if (count > 1) {
            qsort(found, count, sizeof *found, newest_first);
        }
        *ret_verdicts = (sy_blocking_verdicts){found, count};
    }
    return status;
}

static bool speaks_of(const sy_blocking_verdict *verdict, const char *run, const char *key_digest)
{
    if (strcmp(verdict->run, run) == 0) {
        return true;
    }
    if (key_digest[0] != '\0' &&
        (strcmp(verdict->key_digest, key_digest) == 0 || strcmp(verdict->baseline_key, key_digest) == 0)) {
        return true;
    }
    for (size_t i = 0; i < verdict->baseline_count; i++) {
        if (strcmp(verdict->baseline[i], run) == 0) {
            return true;
        }
    }
    return false;
}

const sy_blocking_verdict *sy_blocking_verdict_of(const sy_blocking_verdicts *verdicts, const char *run,
                                                  const char *key_digest, uint64_t since)
{
    for (size_t i = 0; i < verdicts->count && verdicts->verdicts[i].number > since; i++) {
        if (speaks_of(&verdicts->verdicts[i], run, key_digest)) {
            return &verdicts->verdicts[i];
        }
    }
    return NULL;
}

const sy_run_row *sy_promotion_follower(const sy_run_row *rows, size_t count, const sy_run_row *promoted)
{
    const sy_run_row *follower = NULL;
    for (size_t i = 0; i < count; i++) {
        const sy_run_row *row = &rows[i];
        bool in_its_place = row->promoted > promoted->promoted && strcmp(row->cell, promoted->cell) == 0 &&
                            strcmp(row->gate, promoted->gate) == 0 && strcmp(row->host, promoted->host) == 0 &&
                            strcmp(row->device, promoted->device) == 0;
        if (in_its_place && (follower == NULL || row->promoted > follower->promoted)) {
            follower = row;
        }
    }
    return follower;
}

/* ---- the standing of one run ---- */

static sy_status find_follower(sy_ledger *ledger, const sy_run_row *row, sy_arena *arena, const char **ret_run,
                               sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.cell = row->cell;
    filter.gate = row->gate;
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_run_row *follower = sy_promotion_follower(list->rows, list->row_count, row);
    *ret_run = sy_arena_copy_text(arena, follower != NULL ? follower->id : "");
    sy_run_list_destroy(list);
    return *ret_run != NULL ? SY_OK : no_memory(err);
}

sy_status sy_project_promotion_standing(sy_project *project, const sy_run *run, sy_promotion_standing **ret_standing,
                                        sy_error *err)
{
    sy_ledger *ledger = sy_project_ledger(project);
    sy_blocking_verdicts verdicts = {NULL, 0};
    sy_arena *arena = sy_arena_create(0);
    sy_promotion_standing *standing = arena != NULL ? sy_arena_allocate(arena, 1, sizeof *standing) : NULL;
    sy_status status = standing != NULL ? sy_blocking_verdicts_read(ledger, arena, &verdicts, err) : no_memory(err);
    if (status == SY_OK) {
        status = find_follower(ledger, &run->row, arena, &standing->follower, err);
    }
    if (status != SY_OK) {
        sy_arena_destroy(arena);
        return status;
    }
    const sy_blocking_verdict *found = sy_blocking_verdict_of(&verdicts, run->row.id, run->row.key_digest,
                                                              run->row.promoted);
    standing->run = found != NULL ? found->run : "";
    standing->verdict = found != NULL ? found->number : 0;
    standing->why = found != NULL ? found->why : "";
    standing->owner = arena;
    *ret_standing = standing;
    return SY_OK;
}

void sy_promotion_standing_destroy(sy_promotion_standing *standing)
{
    if (standing != NULL) {
        sy_arena_destroy(standing->owner);
    }
}
