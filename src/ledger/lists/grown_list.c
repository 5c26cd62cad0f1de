/* SPDX-License-Identifier: Apache-2.0 */
/* A list that doubles. */
#include "ledger/lists/grown_list.h"

#include <string.h>

#include "base/memory.h"

bool sy_grown_list_start(sy_grown_list *list)
{
    *list = (sy_grown_list){.arena = sy_arena_create(0)};
    return list->arena != NULL;
}

void sy_grown_list_finish(sy_grown_list *list)
{
    sy_arena_destroy(list->arena);
    sy_free(list->items);
    *list = (sy_grown_list){0};
}

void *sy_grown_list_next(sy_grown_list *list, size_t item_size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        void *items = sy_reallocate(list->items, capacity, item_size);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->count++ * item_size;
    memset(item, 0, item_size);
    return item;
}
