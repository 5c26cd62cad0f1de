/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing over entries that never move; half of the slots at most are taken. */
#include "ledger/run_table.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/envelope.h"

#define FIRST_SLOTS 64

/* The texts of a row, for copying them all alike. */
static const size_t texts[] = {
    offsetof(sy_run_row, id),         offsetof(sy_run_row, reason),   offsetof(sy_run_row, question),
    offsetof(sy_run_row, conclusion), offsetof(sy_run_row, gate),     offsetof(sy_run_row, cell),
    offsetof(sy_run_row, tier),       offsetof(sy_run_row, protocol), offsetof(sy_run_row, revision),
    offsetof(sy_run_row, host),       offsetof(sy_run_row, device),   offsetof(sy_run_row, origin),
    offsetof(sy_run_row, key_digest),
};

/* FNV-1a. */
static uint64_t hash_of(const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *at = id; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT64_C(1099511628211);
    }
    return hash ^ hash >> 32;
}

sy_status sy_run_table_start(sy_run_table *table, sy_error *err)
{
    *table = (sy_run_table){.arena = sy_arena_create(0), .slots = sy_allocate(FIRST_SLOTS, sizeof(sy_run_entry *))};
    table->slot_count = FIRST_SLOTS;
    if (table->arena == NULL || table->slots == NULL) {
        sy_run_table_finish(table);
        return sy_fail(err, SY_NO_MEMORY, "no memory for a table of runs");
    }
    return SY_OK;
}

void sy_run_table_finish(sy_run_table *table)
{
    sy_arena_destroy(table->arena);
    sy_free(table->slots);
    sy_free(table->entries);
    *table = (sy_run_table){0};
}

/* The slot that holds the id, or the empty one where it belongs. */
static size_t slot_of(sy_run_entry *const *slots, size_t slot_count, const char *id)
{
    size_t at = hash_of(id) & (slot_count - 1);
    while (slots[at] != NULL && strcmp(slots[at]->row.id, id) != 0) {
        at = (at + 1) & (slot_count - 1);
    }
    return at;
}

sy_run_entry *sy_run_table_find(const sy_run_table *table, const char *id)
{
    return table->slots[slot_of(table->slots, table->slot_count, id)];
}

/* Room for one more; false: no memory. */
static bool grow(sy_run_table *table)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity == 0 ? FIRST_SLOTS / 2 : table->capacity * 2;
        sy_run_entry **entries = sy_reallocate(table->entries, capacity, sizeof(sy_run_entry *));
        if (entries == NULL) {
            return false;
        }
        table->entries = entries;
        table->capacity = capacity;
    }
    if (table->count < table->slot_count / 2) {
        return true;
    }
    size_t slot_count = table->slot_count * 2;
    sy_run_entry **slots = sy_allocate(slot_count, sizeof(sy_run_entry *));
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->count; i++) {
        slots[slot_of(slots, slot_count, table->entries[i]->row.id)] = table->entries[i];
    }
    sy_free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

sy_run_entry *sy_run_table_add(sy_run_table *table, const char *id)
{
    sy_run_entry *entry = sy_run_table_find(table, id);
    if (entry != NULL) {
        return entry;
    }
    entry = grow(table) ? sy_arena_allocate(table->arena, 1, sizeof *entry) : NULL;
    const char *copy = entry == NULL ? NULL : sy_arena_copy_text(table->arena, id);
    if (copy == NULL) {
        return NULL;
    }
    entry->row.id = copy;
    table->slots[slot_of(table->slots, table->slot_count, id)] = entry;
    table->entries[table->count++] = entry;
    return entry;
}

static const char **text_at(sy_run_row *row, size_t offset)
{
    return (const char **)(void *)((char *)row + offset);
}

sy_status sy_run_table_set(sy_run_table *table, sy_run_entry *entry, const sy_run_row *row, sy_error *err)
{
    sy_run_row taken = *row;
    sy_run_row *before = table->count > 1 ? &table->entries[table->count - 2]->row : NULL;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char **text = text_at(&taken, texts[i]);
        const char *own = *text_at(&entry->row, texts[i]);
        const char *neighbour = before == NULL ? NULL : *text_at(before, texts[i]);
        if (own != NULL && (own == *text || strcmp(own, *text) == 0)) {
            *text = own;
        } else if (neighbour != NULL && strcmp(neighbour, *text) == 0) {
            *text = neighbour;
        } else if ((*text = **text == '\0' ? "" : sy_arena_copy_text(table->arena, *text)) == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for a run");
        }
    }
    entry->row = taken;
    entry->exists = true;
    return SY_OK;
}

/* The comparison key as the list keeps it beside the row. */
static sy_status take_key(sy_run_table *table, sy_run_entry *entry, const sy_json_value *body, sy_error *err)
{
    const sy_json_value *key = sy_json_member(body, "key");
    sy_text text = SY_TEXT_INIT;
    sy_status status = SY_OK;
    entry->key = "";
    if (key != NULL && key->count > 0) {
        status = sy_event_body_write(key, &text, err);
        entry->key = status == SY_OK ? sy_arena_copy_text(table->arena, sy_text_bytes(&text)) : "";
    }
    sy_text_finish(&text);
    return entry->key == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a comparison key") : status;
}

sy_status sy_run_table_fold(sy_run_table *table, const sy_life_event *event, sy_arena *scratch,
                            sy_run_entry **ret_entry, sy_error *err)
{
    sy_run_entry *entry = sy_run_table_find(table, event->run);
    sy_run_row row;
    sy_life_event touched = *event;
    bool exists = entry != NULL && entry->exists;
    touched.follows_begin = exists && entry->follows_begin && entry->last_number + 1 == event->number;
    sy_status status = sy_run_life_fold(exists ? &entry->row : NULL, &touched, scratch, &row, err);
    if (status != SY_OK) {
        return status;
    }
    if (entry == NULL && (entry = sy_run_table_add(table, event->run)) == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a run");
    }
    status = sy_run_table_set(table, entry, &row, err);
    if (status == SY_OK && event->kind == SY_EVENT_BEGIN) {
        status = take_key(table, entry, event->body, err);
    }
    entry->follows_begin = touched.follows_begin || event->kind == SY_EVENT_BEGIN;
    entry->last_number = event->number;
    *ret_entry = entry;
    return status;
}
