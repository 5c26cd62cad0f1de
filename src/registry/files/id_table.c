/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing, at most half full. */
#include "registry/files/id_table.h"

#include <stdint.h>
#include <string.h>

typedef struct id_slot {
    const char *id; /* NULL: free */
    void *thing;
    uint64_t hash;
} id_slot;

struct sy_id_table {
    sy_arena *arena;
    id_slot *slots;
    size_t slot_count; /* a power of two */
    size_t count;
};

/* FNV-1a: ids are short and nobody profits from making them collide but whoever reads his own file slowly. */
static uint64_t hash_of(const char *id)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *at = id; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    }
    return hash ^ hash >> 32;
}

static id_slot *slot_of(id_slot *slots, size_t slot_count, const char *id, uint64_t hash)
{
    size_t at = (size_t)hash & (slot_count - 1);
    while (slots[at].id != NULL && (slots[at].hash != hash || strcmp(slots[at].id, id) != 0)) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

sy_id_table *sy_id_table_create(sy_arena *arena, size_t expected)
{
    size_t slot_count = 16;
    while (slot_count / 2 < expected && slot_count <= SIZE_MAX / 4) {
        slot_count *= 2;
    }
    sy_id_table *table = sy_arena_allocate(arena, 1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->arena = arena;
    table->slot_count = slot_count;
    table->slots = sy_arena_allocate(arena, slot_count, sizeof *table->slots);
    return table->slots != NULL ? table : NULL;
}

static bool grow(sy_id_table *table)
{
    if (table->slot_count > SIZE_MAX / 4) {
        return false;
    }
    size_t slot_count = table->slot_count * 2;
    id_slot *slots = sy_arena_allocate(table->arena, slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        const id_slot *old = &table->slots[i];
        if (old->id != NULL) {
            *slot_of(slots, slot_count, old->id, old->hash) = *old;
        }
    }
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

bool sy_id_table_put(sy_id_table *table, const char *id, void *thing, void **ret_earlier)
{
    if (table->count + 1 > table->slot_count / 2 && !grow(table)) {
        return false;
    }
    uint64_t hash = hash_of(id);
    id_slot *slot = slot_of(table->slots, table->slot_count, id, hash);
    if (slot->id != NULL) {
        *ret_earlier = slot->thing;
        return true;
    }
    *slot = (id_slot){id, thing, hash};
    table->count++;
    *ret_earlier = NULL;
    return true;
}

void *sy_id_table_get(const sy_id_table *table, const char *id)
{
    if (table == NULL || id == NULL) {
        return NULL;
    }
    return slot_of(table->slots, table->slot_count, id, hash_of(id))->thing;
}

size_t sy_id_table_count(const sy_id_table *table)
{
    return table->count;
}
