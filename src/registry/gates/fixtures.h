/* SPDX-License-Identifier: Apache-2.0 */
/* Fixtures: what was measured on. One id has one digest, one digest one id, wherever they are named. */
#ifndef STEELYARD_REGISTRY_FIXTURES_H
#define STEELYARD_REGISTRY_FIXTURES_H

#include "registry/files/id_table.h"
#include "registry/registry.h"

typedef struct sy_fixtures sy_fixtures;

/* NULL: no memory. */
sy_fixtures *sy_fixtures_create(sy_arena *arena);
/* Reads the member "fixtures" of an index, which declares them. False: no memory. */
bool sy_fixtures_declare(sy_fixtures *fixtures, const sy_document *index);
/* A place that names a fixture: its members `id_name` and `digest_name`. What it says against what was said before is a
 * finding, each pair told once. NULL values are passed over. False: no memory. */
bool sy_fixtures_use(sy_fixtures *fixtures, const sy_document *document, const sy_json_value *id,
                     const sy_json_value *digest);

#endif
