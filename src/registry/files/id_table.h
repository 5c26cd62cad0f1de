/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that stand for things, found in constant time. It grows in an arena and dies with it; texts are borrowed. */
#ifndef STEELYARD_REGISTRY_ID_TABLE_H
#define STEELYARD_REGISTRY_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct sy_id_table sy_id_table;

/* expected: how many ids it should hold before it grows. NULL: no memory. */
sy_id_table *sy_id_table_create(sy_arena *arena, size_t expected);
/* Puts id unless it is there. True: it stands for thing now, or for *ret_earlier, which is NULL unless it was there.
 * False: no memory. */
bool sy_id_table_put(sy_id_table *table, const char *id, void *thing, void **ret_earlier);
/* NULL: not there; table or id NULL too. */
void *sy_id_table_get(const sy_id_table *table, const char *id);
size_t sy_id_table_count(const sy_id_table *table);

#endif
