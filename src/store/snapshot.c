/* SPDX-License-Identifier: Apache-2.0 */
/* The writers' side of the exchange: a split reference count (Williams, "C++ Concurrency in Action", 2nd
 * edition, 7.2.4) with slots in place of pointers. */
#include "store/snapshot.h"

#include <string.h>

#include "base/memory.h"

#define COUNT_MASK ((UINT64_C(1) << SY_SNAPSHOT_COUNT_BITS) - 1)

void sy_snapshot_destroy(const sy_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->layer_count; i++) {
        sy_book_release(snapshot->books[i]);
    }
    sy_free((void *)(uintptr_t)snapshot);
}

sy_snapshot *sy_snapshot_create(sy_book *const *books, uint32_t layer_count)
{
    sy_snapshot *snapshot = sy_allocate(1, sizeof *snapshot + layer_count * sizeof *snapshot->books);
    if (snapshot == NULL) {
        return NULL;
    }
    snapshot->layer_count = layer_count;
    for (uint32_t i = 0; i < layer_count; i++) {
        snapshot->books[i] = books[i];
        sy_book_hold(books[i]);
    }
    return snapshot;
}

void sy_snapshot_start(sy_snapshot_exchange *exchange, sy_snapshot *first)
{
    for (size_t i = 0; i < SY_SNAPSHOT_SLOTS; i++) {
        atomic_init(&exchange->slots[i].left, 0);
        exchange->slots[i].snapshot = NULL;
        exchange->slots[i].entered = 0;
        exchange->slots[i].retired = false;
    }
    exchange->slots[0].snapshot = first;
    atomic_init(&exchange->current, 0);
    atomic_init(&exchange->published, 0);
}

void sy_snapshot_finish(sy_snapshot_exchange *exchange)
{
    for (size_t i = 0; i < SY_SNAPSHOT_SLOTS; i++) {
        if (exchange->slots[i].snapshot != NULL) {
            sy_snapshot_destroy(exchange->slots[i].snapshot);
        }
    }
}

/* A free slot, after those are freed that all readers have left; NULL when each is held. */
static sy_snapshot_slot *sweep(sy_snapshot_exchange *exchange)
{
    sy_snapshot_slot *found = NULL;
    for (size_t i = 0; i < SY_SNAPSHOT_SLOTS; i++) {
        sy_snapshot_slot *slot = &exchange->slots[i];
        if (slot->retired && atomic_load_explicit(&slot->left, memory_order_acquire) == slot->entered) {
            sy_snapshot_destroy(slot->snapshot);
            slot->snapshot = NULL;
            slot->retired = false;
        }
        if (slot->snapshot == NULL) {
            found = slot;
        }
    }
    return found;
}

bool sy_snapshot_has_room(sy_snapshot_exchange *exchange)
{
    return sweep(exchange) != NULL;
}

const sy_snapshot *sy_snapshot_current(const sy_snapshot_exchange *exchange)
{
    uint64_t current = atomic_load_explicit(&exchange->current, memory_order_relaxed); /* only writers change it */
    return exchange->slots[current >> SY_SNAPSHOT_COUNT_BITS].snapshot;
}

void sy_snapshot_publish(sy_snapshot_exchange *exchange, sy_snapshot *snapshot, bool news)
{
    sy_snapshot_slot *slot = sweep(exchange);
    atomic_store_explicit(&slot->left, 0, memory_order_relaxed);
    slot->snapshot = snapshot;
    uint64_t next = (uint64_t)(slot - exchange->slots) << SY_SNAPSHOT_COUNT_BITS;
    uint64_t old = atomic_exchange_explicit(&exchange->current, next, memory_order_acq_rel);
    sy_snapshot_slot *former = &exchange->slots[old >> SY_SNAPSHOT_COUNT_BITS];
    former->entered = old & COUNT_MASK;
    former->retired = true;
    /* Not before the exchange: who reads the new count must not be shown the old snapshot. */
    atomic_fetch_add_explicit(&exchange->published, news ? 1 : 0, memory_order_release);
    sweep(exchange);
}
