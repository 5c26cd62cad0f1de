/* SPDX-License-Identifier: Apache-2.0 */
/* A list of equal items that grows, with an arena for what they point to. */
#ifndef STEELYARD_LEDGER_GROWN_LIST_H
#define STEELYARD_LEDGER_GROWN_LIST_H

#include "base/arena.h"

typedef struct sy_grown_list {
    sy_arena *arena;
    void *items;
    size_t count;
    size_t capacity;
} sy_grown_list;

bool sy_grown_list_start(sy_grown_list *list);  /* false: no memory */
void sy_grown_list_finish(sy_grown_list *list); /* a zeroed one is allowed */
/* The next item, zeroed; those before it may move. NULL: no memory. */
void *sy_grown_list_next(sy_grown_list *list, size_t item_size);

#endif
