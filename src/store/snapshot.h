/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of all layers that readers see, and its exchange: readers take it with one atomic addition and give it
 * back with another, writers (one at a time, under the store's mutex) put a new one in its place and free old ones when
 * their last reader has left. Readers never wait, allocate or free. */
#ifndef STEELYARD_STORE_SNAPSHOT_H
#define STEELYARD_STORE_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/book.h"

#define SY_SNAPSHOT_SLOTS 64

typedef struct sy_snapshot {
    uint32_t layer_count;
    sy_book *books[]; /* one a layer, each with one reference */
} sy_snapshot;

typedef struct sy_snapshot_slot {
    _Alignas(64) _Atomic uint64_t left; /* readers that gave it back */
    const sy_snapshot *snapshot;        /* NULL: the slot is free */
    uint64_t entered;                   /* readers that took it, known once it is retired */
    bool retired;
} sy_snapshot_slot;

/* current holds the slot of the newest snapshot and how many readers took it from there: both change in one step, so a
 * reader is counted by the very addition that tells it the slot. */
typedef struct sy_snapshot_exchange {
    _Alignas(64) _Atomic uint64_t current;
    sy_snapshot_slot slots[SY_SNAPSHOT_SLOTS];
    _Alignas(64) _Atomic uint64_t published; /* changes after the first; raised once the new one can be read */
} sy_snapshot_exchange;

/* NULL: no memory. Holds each book. */
sy_snapshot *sy_snapshot_create(sy_book *const *books, uint32_t layer_count);
/* Of one that was never published, or is no longer. */
void sy_snapshot_destroy(const sy_snapshot *snapshot);

void sy_snapshot_start(sy_snapshot_exchange *exchange, sy_snapshot *first);
/* No reader is inside. */
void sy_snapshot_finish(sy_snapshot_exchange *exchange);

/* Reader: the newest snapshot, which stays until the slot is given back. */
static inline sy_snapshot_slot *sy_snapshot_take(sy_snapshot_exchange *exchange);
static inline void sy_snapshot_give_back(sy_snapshot_slot *slot);

/* Writer: frees what no reader holds, and says whether a slot is free for the next snapshot. */
bool sy_snapshot_has_room(sy_snapshot_exchange *exchange);
/* Writer: the newest one. */
const sy_snapshot *sy_snapshot_current(const sy_snapshot_exchange *exchange);
/* Writer: after sy_snapshot_has_room said yes. The exchange owns the snapshot. news: it counts as a change. */
void sy_snapshot_publish(sy_snapshot_exchange *exchange, sy_snapshot *snapshot, bool news);

/* 58 bits count readers: 900 years at ten million lookups a second, so the count never reaches the slot's bits. */
#define SY_SNAPSHOT_COUNT_BITS 58

static inline sy_snapshot_slot *sy_snapshot_take(sy_snapshot_exchange *exchange)
{
    uint64_t current = atomic_fetch_add_explicit(&exchange->current, 1, memory_order_acquire);
    return &exchange->slots[current >> SY_SNAPSHOT_COUNT_BITS];
}

static inline void sy_snapshot_give_back(sy_snapshot_slot *slot)
{
    atomic_fetch_add_explicit(&slot->left, 1, memory_order_release);
}

#endif
