/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a device's runs from the newest to the oldest: for each gate, the first that says something of its smoke
 * decides. */
#include "evidence/blocks.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define SMOKE_REASON "smoke:"

typedef enum smoke_answer { SMOKE_SAYS_NOTHING, SMOKE_FAILED, SMOKE_PASSED } smoke_answer;

/* Gates that are decided: a set by linear search, for a device has few. */
typedef struct block_reading {
    sy_ledger *ledger;
    sy_arena *arena;
    const char **decided;
    size_t decided_count;
    sy_block *blocks;
    size_t count;
} block_reading;

static bool is_decided(const block_reading *r, const char *gate)
{
    for (size_t i = 0; i < r->decided_count; i++) {
        if (strcmp(r->decided[i], gate) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the blocks of a device");
}

static bool smoke_ran_well(const sy_run *run)
{
    for (size_t i = 0; i < run->command_count; i++) {
        const sy_run_command *command = &run->commands[i];
        if (strcmp(command->phase, "smoke") == 0 && command->exit_code == 0 && command->signal == 0) {
            return true;
        }
    }
    return false;
}

/* A run that failed at its smoke says so in its reason; one that passed it has its command, which ended well. */
static sy_status ask_run(const block_reading *r, const sy_run_row *row, smoke_answer *ret_answer, sy_error *err)
{
    if (row->status == SY_RUN_FAILED && sy_text_begins(row->reason, SMOKE_REASON)) {
        *ret_answer = SMOKE_FAILED;
        return SY_OK;
    }
    *ret_answer = SMOKE_SAYS_NOTHING;
    if (row->status == SY_RUN_PLANNED || row->fence == 0) {
        return SY_OK;
    }
    sy_run *run = NULL;
    sy_status status = sy_ledger_run(r->ledger, row->id, &run, err);
    if (status == SY_OK && smoke_ran_well(run)) {
        *ret_answer = SMOKE_PASSED;
    }
    sy_run_destroy(run);
    return status;
}

static sy_status take_row(block_reading *r, const sy_run_row *row, sy_error *err)
{
    smoke_answer answer = SMOKE_SAYS_NOTHING;
    sy_status status = ask_run(r, row, &answer, err);
    if (status != SY_OK || answer == SMOKE_SAYS_NOTHING) {
        return status;
    }
    const char *gate = sy_arena_copy_text(r->arena, row->gate);
    if (gate == NULL) {
        return no_memory(err);
    }
    r->decided[r->decided_count++] = gate;
    if (answer == SMOKE_FAILED) {
        sy_block block = {sy_arena_copy_text(r->arena, row->id), gate, sy_arena_copy_text(r->arena, row->reason)};
        if (block.run == NULL || block.reason == NULL) {
            return no_memory(err);
        }
        r->blocks[r->count++] = block;
    }
    return SY_OK;
}

/* Without a failed smoke there is nothing to block, and most ledgers end here. */
static bool has_failed_smoke(const sy_run_list *list, const char *host, const char *gate)
{
    for (size_t i = 0; i < list->row_count; i++) {
        const sy_run_row *row = &list->rows[i];
        if (row->status == SY_RUN_FAILED && sy_text_begins(row->reason, SMOKE_REASON) && strcmp(row->host, host) == 0 &&
            strcmp(row->gate, gate) != 0) {
            return true;
        }
    }
    return false;
}

sy_status sy_blocks_find(sy_ledger *ledger, const char *host, const char *device, const char *gate, sy_arena *arena,
                         const sy_block **ret_blocks, size_t *ret_count, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *list = NULL;
    filter.device = device;
    filter.kinds = 1U << SY_RUN_KIND_SESSION;
    sy_status status = sy_ledger_runs(ledger, &filter, &list, err);
    if (status != SY_OK) {
        return status;
    }
    block_reading r = {ledger, arena, NULL, 0, NULL, 0};
    if (has_failed_smoke(list, host, gate)) {
        r.decided = sy_arena_allocate(arena, list->row_count, sizeof *r.decided);
        r.blocks = sy_arena_allocate(arena, list->row_count, sizeof *r.blocks);
        status = r.decided != NULL && r.blocks != NULL ? SY_OK : no_memory(err);
    }
    for (size_t i = 0; status == SY_OK && r.blocks != NULL && i < list->row_count; i++) {
        const sy_run_row *row = &list->rows[i];
        bool counts = row->gate[0] != '\0' && strcmp(row->gate, gate) != 0 && strcmp(row->host, host) == 0;
        if (counts && !is_decided(&r, row->gate)) {
            status = take_row(&r, row, err);
        }
    }
    sy_run_list_destroy(list);
    if (status == SY_OK) {
        *ret_blocks = r.blocks;
        *ret_count = r.count;
    }
    return status;
}
