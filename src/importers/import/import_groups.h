/* SPDX-License-Identifier: Apache-2.0 */
/* Repetitions of one benchmark brought together, wherever they stand in the file: by sorting, so that no choice of
 * names makes it slow. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_IMPORT_GROUPS_H
#define STEELYARD_IMPORTERS_IMPORT_GROUPS_H

#include <stddef.h>

typedef struct sy_import_item {
    const char *key; /* borrowed */
    size_t length;
    size_t order; /* in the file, each another */
    size_t first; /* set: the least order of the items with this key */
    const void *what;
} sy_import_item;

/* Orders the items so that those of one key are neighbours in their order, and the keys come as they first did. */
void sy_import_group(sy_import_item *items, size_t count);
/* How many items of one key begin at items: at least 1. count: items from there on, at least 1. */
size_t sy_import_group_size(const sy_import_item *items, size_t count);

#endif
