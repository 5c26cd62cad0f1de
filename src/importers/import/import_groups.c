/* SPDX-License-Identifier: Apache-2.0 */
/* Two sorts: by key to find out who belongs together, then back into the order of the file. */
#include "importers/import/import_groups.h"

#include <stdlib.h>
#include <string.h>

static int compare_keys(const sy_import_item *a, const sy_import_item *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter > 0 ? memcmp(a->key, b->key, shorter) : 0;

    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_key(const void *left, const void *right)
{
    const sy_import_item *a = left;
    const sy_import_item *b = right;
    int order = compare_keys(a, b);

    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

static int by_first(const void *left, const void *right)
{
    const sy_import_item *a = left;
    const sy_import_item *b = right;
    int order = (a->first > b->first) - (a->first < b->first);

    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

void sy_import_group(sy_import_item *items, size_t count)
{
    if (count == 0) /* qsort takes no null pointer */
        return;
    qsort(items, count, sizeof *items, by_key);
    items[0].first = items[0].order;
    for (size_t i = 1; i < count; i++)
        items[i].first = compare_keys(&items[i - 1], &items[i]) == 0 ? items[i - 1].first : items[i].order;
    qsort(items, count, sizeof *items, by_first);
}

size_t sy_import_group_size(const sy_import_item *items, size_t count)
{
    size_t size = 1;

    while (size < count && items[size].first == items[0].first)
        size++;
    return size;
}
