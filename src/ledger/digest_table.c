/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; a digest's own bytes are its hash. */
#include "ledger/digest_table.h"

#include <string.h>

#include "base/memory.h"

#define FIRST_SLOTS 256

void sy_digest_table_finish(sy_digest_table *table)
{
    sy_free(table->slots);
    *table = (sy_digest_table){0};
}

static sy_named_digest *slot_of(sy_named_digest *slots, size_t slot_count, const sy_digest *digest)
{
    uint64_t hash;
    memcpy(&hash, digest->bytes, sizeof hash);
    size_t at = hash & (slot_count - 1);
    while (slots[at].event != 0 && !sy_digest_equal(&slots[at].digest, digest)) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

sy_named_digest *sy_digest_table_find(const sy_digest_table *table, const sy_digest *digest)
{
    if (table->count == 0) {
        return NULL;
    }
    sy_named_digest *slot = slot_of(table->slots, table->slot_count, digest);
    return slot->event == 0 ? NULL : slot;
}

static bool grow(sy_digest_table *table)
{
    if (table->count < table->slot_count / 2) {
        return true;
    }
    size_t slot_count = table->slot_count == 0 ? FIRST_SLOTS : table->slot_count * 2;
    sy_named_digest *slots = sy_allocate(slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].event != 0) {
            *slot_of(slots, slot_count, &table->slots[i].digest) = table->slots[i];
        }
    }
    sy_free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

sy_named_digest *sy_digest_table_add(sy_digest_table *table, const sy_digest *digest, uint64_t event, uint64_t count)
{
    sy_named_digest *slot = sy_digest_table_find(table, digest);
    if (slot != NULL) {
        return slot;
    }
    if (!grow(table)) {
        return NULL;
    }
    slot = slot_of(table->slots, table->slot_count, digest);
    *slot = (sy_named_digest){*digest, event, count, false};
    table->count++;
    return slot;
}
