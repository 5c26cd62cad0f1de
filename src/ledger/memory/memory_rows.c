/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the storage in memory: put, found, listed, and grouped by their keys. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger/memory/memory_inside.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the ledger");
}

/* ---- rows ---- */

static kept_row *find_row(const memory_storage *s, const char *id)
{
    bool found;
    size_t at = sy_memory_ledger_place_of(&s->by_id, sy_memory_ledger_compare_id, id, &found);
    return found ? s->by_id.items[at] : NULL;
}

static sy_status keep_row(memory_storage *s, const sy_run_row *row, const char *key, const kept_row *former,
                          kept_row **ret_kept, sy_error *err)
{
    kept_row *kept = sy_arena_allocate(s->arena, 1, sizeof *kept);
    if (kept == NULL) {
        return no_memory(err);
    }
    sy_status status = sy_run_row_copy(s->arena, row, &kept->row, err);
    if (status != SY_OK) {
        return status;
    }
    if (key == NULL) {
        assert(former != NULL);
        kept->key = former->key;
        kept->row.key_digest = former->row.key_digest;
    } else {
        kept->key = sy_arena_copy_text(s->arena, key);
    }
    if (kept->key == NULL) {
        return no_memory(err);
    }
    *ret_kept = kept;
    return SY_OK;
}

static sy_status put_row(memory_storage *s, const sy_run_row *row, const char *key, sy_error *err)
{
    sy_status status = sy_memory_ledger_may_change(s, err);
    if (status != SY_OK) {
        return status;
    }
    bool found = row->id != NULL;
    kept_row *former = found ? find_row(s, row->id) : NULL;
    status = sy_stored_row_check(row, former == NULL ? NULL : &former->row, key, err);
    if (status != SY_OK) {
        return status;
    }
    size_t number_at = sy_memory_ledger_place_of(&s->by_number, sy_memory_ledger_compare_number, &row->number, &found);
    if (found && former == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "another run began with event %llu", (unsigned long long)row->number);
    }
    kept_row *kept;
    status = keep_row(s, row, key, former, &kept, err);
    if (status != SY_OK) {
        return status;
    }
    change *c = sy_arena_allocate(s->arena, 1, sizeof *c);
    if (c == NULL || !sy_memory_ledger_make_room(&s->changes) || !sy_memory_ledger_make_room(&s->by_id) ||
        !sy_memory_ledger_make_room(&s->by_number)) {
        return no_memory(err);
    }
    *c = (change){former, kept};
    s->changes.items[s->changes.count++] = c;
    size_t at = sy_memory_ledger_place_of(&s->by_id, sy_memory_ledger_compare_id, row->id, &found);
    if (former != NULL) {
        s->by_id.items[at] = kept;
        s->by_number.items[number_at] = kept;
    } else {
        sy_memory_ledger_insert_at(&s->by_id, at, kept);
        sy_memory_ledger_insert_at(&s->by_number, number_at, kept);
    }
    return SY_OK;
}

sy_status sy_memory_ledger_put_row(void *state, const sy_run_row *row, const char *key, sy_error *err)
{
    return sy_memory_ledger_changed(state, put_row(state, row, key, err));
}

sy_status sy_memory_ledger_get_row(void *state, const char *id, sy_arena *arena, sy_run_row *ret_row, sy_error *err)
{
    const kept_row *kept = find_row(state, id);
    if (kept == NULL) {
        return sy_fail(err, SY_NOT_FOUND, "no run '%s'", id);
    }
    return sy_run_row_copy(arena, &kept->row, ret_row, err);
}

sy_status sy_memory_ledger_rows(void *state, const sy_run_filter *filter, sy_storage_row_fn visit, void *user,
                                uint64_t *ret_total, sy_error *err)
{
    const memory_storage *s = state;
    uint64_t before = filter == NULL || filter->before_number == 0 ? UINT64_MAX : filter->before_number;
    size_t left = filter == NULL || filter->limit == 0 ? SIZE_MAX : filter->limit;
    uint64_t total = 0;
    for (size_t i = s->by_number.count; i > 0; i--) {
        const sy_run_row *row = &((const kept_row *)s->by_number.items[i - 1])->row;
        if (!sy_run_filter_lets(filter, row)) {
            continue;
        }
        total++;
        if (row->number < before && left > 0) {
            left--;
            sy_status status = visit(user, row, err);
            if (status != SY_OK) {
                return status;
            }
        }
    }
    if (ret_total != NULL) {
        *ret_total = total;
    }
    return SY_OK;
}

sy_status sy_memory_ledger_rows_like(void *state, const char *beginning, size_t limit, sy_storage_row_fn visit,
                                     void *user, sy_error *err)
{
    const memory_storage *s = state;
    bool found;
    sy_status status = SY_OK;
    size_t first = sy_memory_ledger_place_of(&s->by_id, sy_memory_ledger_compare_id, beginning, &found);
    for (size_t i = first; status == SY_OK && i < s->by_id.count && (limit == 0 || i - first < limit); i++) {
        const kept_row *kept = s->by_id.items[i];
        if (!sy_text_begins(kept->row.id, beginning)) {
            break;
        }
        status = visit(user, &kept->row, err);
    }
    return status;
}

sy_status sy_memory_ledger_each_row(void *state, sy_storage_keyed_row_fn visit, void *user, sy_error *err)
{
    const memory_storage *s = state;
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < s->by_number.count; i++) {
        const kept_row *kept = s->by_number.items[i];
        status = visit(user, &kept->row, kept->key, err);
    }
    return status;
}

void sy_memory_ledger_put_back_row(memory_storage *s, const change *c)
{
    bool found;
    size_t at = sy_memory_ledger_place_of(&s->by_id, sy_memory_ledger_compare_id, c->now->row.id, &found);
    size_t number_at = sy_memory_ledger_place_of(&s->by_number, sy_memory_ledger_compare_number, &c->now->row.number,
                                                 &found);
    if (c->former != NULL) {
        s->by_id.items[at] = c->former;
        s->by_number.items[number_at] = c->former;
    } else {
        sy_memory_ledger_remove_at(&s->by_id, at);
        sy_memory_ledger_remove_at(&s->by_number, number_at);
    }
}

/* ---- keys ---- */

/* Runs of one key. */
typedef struct group {
    const kept_row *newest;
    uint64_t session_count;
    uint64_t accepted_count;
    uint64_t failed_count;
} group;

/* Those of one complete key beside each other, the newest first. */
static int by_key_and_number(const void *left, const void *right)
{
    const kept_row *a = ((const group *)left)->newest;
    const kept_row *b = ((const group *)right)->newest;
    int order = strcmp(a->row.key_digest, b->row.key_digest);
    return order != 0 ? order : (a->row.number < b->row.number) - (a->row.number > b->row.number);
}

static int by_newest(const void *left, const void *right)
{
    uint64_t a = ((const group *)left)->newest->row.number;
    uint64_t b = ((const group *)right)->newest->row.number;
    return (a < b) - (a > b);
}

/* Every run that counts as a group of its own, and then those of one complete key as one; how many groups there are. */
static size_t group_keys(const memory_storage *s, const sy_run_filter *filter, bool incomplete_too, group *groups)
{
    uint64_t before = filter == NULL || filter->before_number == 0 ? UINT64_MAX : filter->before_number;
    size_t count = 0;
    for (size_t i = 0; i < s->by_number.count; i++) {
        const kept_row *kept = s->by_number.items[i];
        bool counts = kept->key[0] != '\0' && (incomplete_too || kept->row.key_digest[0] != '\0');
        if (counts && kept->row.number < before && sy_run_filter_lets(filter, &kept->row)) {
            groups[count++] = (group){kept, 1, kept->row.accepted, kept->row.status == SY_RUN_FAILED};
        }
    }
    qsort(groups, count, sizeof *groups, by_key_and_number);
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        const char *digest = groups[i].newest->row.key_digest;
        if (joined > 0 && digest[0] != '\0' && strcmp(digest, groups[joined - 1].newest->row.key_digest) == 0) {
            groups[joined - 1].session_count++;
            groups[joined - 1].accepted_count += groups[i].accepted_count;
            groups[joined - 1].failed_count += groups[i].failed_count;
        } else {
            groups[joined++] = groups[i];
        }
    }
    qsort(groups, joined, sizeof *groups, by_newest);
    return joined;
}

sy_status sy_memory_ledger_keys(void *state, const sy_run_filter *filter, bool incomplete_too, sy_storage_key_fn visit,
                                void *user, sy_error *err)
{
    const memory_storage *s = state;
    group *groups = sy_allocate(s->by_number.count, sizeof *groups);
    if (groups == NULL) {
        return no_memory(err);
    }
    size_t count = group_keys(s, filter, incomplete_too, groups);
    if (filter != NULL && filter->limit != 0 && filter->limit < count) {
        count = filter->limit;
    }
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        const sy_run_row *row = &groups[i].newest->row;
        const sy_key_row key_row = {.key_digest = row->key_digest,
                                    .cell = row->cell,
                                    .session_count = groups[i].session_count,
                                    .accepted_count = groups[i].accepted_count,
                                    .newest = row->id,
                                    .failed_count = groups[i].failed_count};
        status = visit(user, &key_row, groups[i].newest->key, err);
    }
    sy_free(groups);
    return status;
}
