/* SPDX-License-Identifier: Apache-2.0 */
/* The storage that is gone with its object: for ledgers without a folder, and for tests. Its table, transactions,
 * events and samples; runs are in memory_rows.c. */
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

bool sy_memory_ledger_make_room(table *t)
{
    if (t->count < t->capacity) {
        return true;
    }
    size_t capacity = t->capacity == 0 ? 16 : 2 * t->capacity;
    void **items = sy_reallocate(t->items, capacity, sizeof *items);
    if (items != NULL) {
        t->items = items;
        t->capacity = capacity;
    }
    return items != NULL;
}

void sy_memory_ledger_insert_at(table *t, size_t at, void *item)
{
    memmove(t->items + at + 1, t->items + at, (t->count - at) * sizeof *t->items);
    t->items[at] = item;
    t->count++;
}

void sy_memory_ledger_remove_at(table *t, size_t at)
{
    t->count--;
    memmove(t->items + at, t->items + at + 1, (t->count - at) * sizeof *t->items);
}

size_t sy_memory_ledger_place_of(const table *t, compare_fn compare, const void *wanted, bool *ret_found)
{
    size_t low = 0;
    size_t high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(t->items[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_found = low < t->count && compare(t->items[low], wanted) == 0;
    return low;
}

int sy_memory_ledger_compare_id(const void *item, const void *wanted)
{
    return strcmp(((const kept_row *)item)->row.id, wanted);
}

int sy_memory_ledger_compare_number(const void *item, const void *wanted)
{
    uint64_t number = ((const kept_row *)item)->row.number;
    uint64_t other = *(const uint64_t *)wanted;
    return (number > other) - (number < other);
}

static int compare_digest(const void *item, const void *wanted)
{
    return memcmp(&((const sy_stored_series *)item)->digest, wanted, sizeof(sy_digest));
}

sy_status sy_memory_ledger_may_change(const memory_storage *s, sy_error *err)
{
    if (!s->is_writing) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the ledger's storage changes only between begin and commit");
    }
    if (s->has_failed) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of which a part failed can only be rolled back");
    }
    return SY_OK;
}

sy_status sy_memory_ledger_changed(memory_storage *s, sy_status status)
{
    s->has_failed = s->has_failed || (s->is_writing && status != SY_OK);
    return status;
}

/* ---- open, transactions ---- */

static void memory_close(void *state)
{
    memory_storage *s = state;
    if (s == NULL) {
        return;
    }
    sy_free(s->events.items);
    sy_free(s->series.items);
    sy_free(s->arrivals.items);
    sy_free(s->by_number.items);
    sy_free(s->by_id.items);
    sy_free(s->figures.items);
    sy_free(s->changes.items);
    sy_arena_destroy(s->arena);
    sy_free(s);
}

static sy_status memory_open(const sy_storage_options *options, void **ret_state, sy_error *err)
{
    memory_storage *s = sy_allocate(1, sizeof *s);
    if (s == NULL) {
        return no_memory(err);
    }
    s->arena = sy_arena_create(0);
    if (s->arena == NULL) {
        memory_close(s);
        return no_memory(err);
    }
    s->read_only = options->read_only;
    *ret_state = s;
    return SY_OK;
}

static sy_status memory_begin(void *state, bool write, sy_error *err)
{
    memory_storage *s = state;
    if (s->is_open) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of the ledger's storage is open already");
    }
    if (write && s->read_only) {
        return sy_fail(err, SY_REFUSED, "the ledger is open for reading alone");
    }
    s->is_open = true;
    s->is_writing = write;
    s->former_event_count = s->events.count;
    s->former_series_count = s->arrivals.count;
    memcpy(s->former_id, s->id, sizeof s->id);
    s->changes.count = 0;
    return SY_OK;
}

static void memory_rollback(void *state)
{
    memory_storage *s = state;
    if (!s->is_writing) {
        s->is_open = false;
        return;
    }
    for (size_t i = s->changes.count; i > 0; i--) {
        sy_memory_ledger_put_back_row(s, s->changes.items[i - 1]);
    }
    for (size_t i = s->arrivals.count; i > s->former_series_count; i--) {
        const sy_stored_series *one = s->arrivals.items[i - 1];
        bool found;
        sy_memory_ledger_remove_at(&s->series,
                                   sy_memory_ledger_place_of(&s->series, compare_digest, &one->digest, &found));
    }
    s->arrivals.count = s->former_series_count;
    sy_memory_ledger_drop_figures(s, s->former_event_count);
    s->events.count = s->former_event_count;
    memcpy(s->id, s->former_id, sizeof s->id);
    s->is_open = false;
    s->is_writing = false;
    s->has_failed = false;
}

static sy_status memory_commit(void *state, sy_error *err)
{
    memory_storage *s = state;
    if (!s->is_open) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no transaction of the ledger's storage is open");
    }
    sy_status status = SY_OK;
    if (s->has_failed) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "a transaction of which a part failed can only be rolled back");
    }
    for (size_t i = s->former_series_count; status == SY_OK && s->is_writing && i < s->arrivals.count; i++) {
        if (((const sy_stored_series *)s->arrivals.items[i])->event > s->events.count) {
            status = sy_fail(err, SY_INVALID_ARGUMENT, "samples name an event that is not there");
        }
    }
    if (status != SY_OK) {
        memory_rollback(s);
    }
    s->is_open = false;
    s->is_writing = false;
    return status;
}

/* ---- events and series ---- */

static sy_status memory_get_id(void *state, char ret_id[33], sy_error *err)
{
    const memory_storage *s = state;
    (void)err;
    memcpy(ret_id, s->id, sizeof s->id);
    return SY_OK;
}

static sy_status put_id(memory_storage *s, const char *id, sy_error *err)
{
    sy_status status = sy_memory_ledger_may_change(s, err);
    if (status == SY_OK) {
        status = sy_stored_id_check(id, s->events.count > 0 ? s->id : NULL, err);
    }
    if (status != SY_OK) {
        return status;
    }
    memcpy(s->id, id, sizeof s->id);
    return SY_OK;
}

static sy_status memory_put_id(void *state, const char *id, sy_error *err)
{
    return sy_memory_ledger_changed(state, put_id(state, id, err));
}

static sy_status memory_head(void *state, uint64_t *ret_number, sy_digest *ret_digest, sy_error *err)
{
    const memory_storage *s = state;
    (void)err;
    memset(ret_digest, 0, sizeof *ret_digest);
    if (s->events.count > 0) {
        *ret_digest = ((const sy_stored_event *)s->events.items[s->events.count - 1])->digest;
    }
    *ret_number = s->events.count;
    return SY_OK;
}

static sy_status append(memory_storage *s, const sy_stored_event *event, sy_error *err)
{
    sy_status status = sy_memory_ledger_may_change(s, err);
    if (status == SY_OK) {
        status = sy_stored_event_check(event, s->events.count, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_stored_event *copy = sy_arena_allocate(s->arena, 1, sizeof *copy);
    if (copy == NULL || !sy_memory_ledger_make_room(&s->events)) {
        return no_memory(err);
    }
    *copy = *event;
    copy->kind = sy_arena_copy_text(s->arena, event->kind);
    copy->run = sy_arena_copy_text(s->arena, event->run);
    copy->bytes = sy_arena_copy_bytes(s->arena, event->bytes, event->size);
    if (copy->kind == NULL || copy->run == NULL || copy->bytes == NULL) {
        return no_memory(err);
    }
    s->events.items[s->events.count++] = copy;
    return SY_OK;
}

static sy_status memory_append(void *state, const sy_stored_event *event, sy_error *err)
{
    return sy_memory_ledger_changed(state, append(state, event, err));
}

static sy_status memory_events(void *state, uint64_t from, const char *run, sy_storage_event_fn visit, void *user,
                               sy_error *err)
{
    const memory_storage *s = state;
    sy_status status = SY_OK;
    for (size_t i = from == 0 ? 0 : (size_t)from - 1; status == SY_OK && i < s->events.count; i++) {
        const sy_stored_event *event = s->events.items[i];
        if (run == NULL || strcmp(event->run, run) == 0) {
            status = visit(user, event, err);
        }
    }
    return status;
}

static sy_status memory_events_of(void *state, sy_event_kind kind, sy_storage_event_fn visit, void *user, sy_error *err)
{
    const memory_storage *s = state;
    sy_status status = SY_OK;
    if (kind != SY_EVENT_CHANGE && kind != SY_EVENT_SELFTEST) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "events of kind %s have no list", sy_event_kind_word(kind));
    }
    for (size_t i = 0; status == SY_OK && i < s->events.count; i++) {
        const sy_stored_event *event = s->events.items[i];
        if (strcmp(event->kind, sy_event_kind_word(kind)) == 0) {
            status = visit(user, event, err);
        }
    }
    return status;
}

static sy_status put_series(memory_storage *s, const sy_stored_series *series, sy_error *err)
{
    sy_status status = sy_memory_ledger_may_change(s, err);
    if (status == SY_OK) {
        status = sy_stored_series_check(series, err);
    }
    bool found;
    size_t at = sy_memory_ledger_place_of(&s->series, compare_digest, &series->digest, &found);
    if (status != SY_OK || found) {
        return status;
    }
    sy_stored_series *copy = sy_arena_allocate(s->arena, 1, sizeof *copy);
    const char *bytes = sy_arena_copy_bytes(s->arena, series->bytes, 8 * series->count);
    if (copy == NULL || bytes == NULL || !sy_memory_ledger_make_room(&s->series) ||
        !sy_memory_ledger_make_room(&s->arrivals)) {
        return no_memory(err);
    }
    *copy = *series;
    copy->bytes = bytes;
    copy->size = 8 * series->count;
    sy_memory_ledger_insert_at(&s->series, at, copy);
    s->arrivals.items[s->arrivals.count++] = copy;
    return SY_OK;
}

static sy_status memory_put_series(void *state, const sy_stored_series *series, sy_error *err)
{
    return sy_memory_ledger_changed(state, put_series(state, series, err));
}

static sy_status memory_get_series(void *state, const sy_digest *digest, sy_arena *arena, const void **ret_bytes,
                                   size_t *ret_count, sy_error *err)
{
    const memory_storage *s = state;
    bool found;
    size_t at = sy_memory_ledger_place_of(&s->series, compare_digest, digest, &found);
    if (!found) {
        return sy_fail(err, SY_NOT_FOUND, "no samples have that digest");
    }
    const sy_stored_series *series = s->series.items[at];
    const char *bytes = sy_arena_copy_bytes(arena, series->bytes, series->size);
    if (bytes == NULL) {
        return no_memory(err);
    }
    *ret_bytes = bytes;
    *ret_count = series->count;
    return SY_OK;
}

static int by_event_and_digest(const void *left, const void *right)
{
    const sy_stored_series *a = *(void *const *)left;
    const sy_stored_series *b = *(void *const *)right;
    if (a->event != b->event) {
        return a->event < b->event ? -1 : 1;
    }
    return memcmp(&a->digest, &b->digest, sizeof a->digest);
}

static sy_status memory_each_series(void *state, sy_storage_series_fn visit, void *user, sy_error *err)
{
    const memory_storage *s = state;
    const sy_stored_series **all = sy_allocate(s->series.count, sizeof *all);
    if (all == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < s->series.count; i++) {
        all[i] = s->series.items[i];
    }
    qsort(all, s->series.count, sizeof *all, by_event_and_digest);
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < s->series.count; i++) {
        status = visit(user, all[i], err);
    }
    sy_free(all);
    return status;
}

/* Memory has no structure that other hands could have damaged. */
static sy_status memory_check(void *state, sy_storage_complaint_fn visit, void *user, sy_error *err)
{
    (void)state;
    (void)visit;
    (void)user;
    (void)err;
    return SY_OK;
}

const sy_storage sy_storage_memory = {
    .struct_size = sizeof(sy_storage),
    .name = "memory",
    .open = memory_open,
    .close = memory_close,
    .begin = memory_begin,
    .commit = memory_commit,
    .rollback = memory_rollback,
    .get_id = memory_get_id,
    .put_id = memory_put_id,
    .head = memory_head,
    .append = memory_append,
    .events = memory_events,
    .put_series = memory_put_series,
    .get_series = memory_get_series,
    .put_row = sy_memory_ledger_put_row,
    .get_row = sy_memory_ledger_get_row,
    .rows = sy_memory_ledger_rows,
    .rows_like = sy_memory_ledger_rows_like,
    .keys = sy_memory_ledger_keys,
    .put_figure = sy_memory_ledger_put_figure,
    .figures = sy_memory_ledger_figures,
    .events_of = memory_events_of,
    .each_series = memory_each_series,
    .each_row = sy_memory_ledger_each_row,
    .each_figure = sy_memory_ledger_each_figure,
    .check = memory_check,
};
