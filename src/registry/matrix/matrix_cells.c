/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cells of the matrix: which pair of the parity matrix each is for, which pairs have none or two. */
#include "registry/matrix/matrix_cells.h"

#include <string.h>

typedef struct cell_reader {
    sy_registry *registry;
    struct sy_matrix_part *matrix;
    const sy_document *document;
    const sy_json_value *array;
    sy_cell_draft *drafts;
    size_t count;
} cell_reader;

/* ---- members ---- */

static bool read_cell(cell_reader *reader, const sy_json_value *at)
{
    const sy_document *document = reader->document;
    if (!sy_look_kind(document, at, "a cell", SY_JSON_OBJECT)) {
        return true;
    }
    sy_cell_draft *cell = &reader->drafts[reader->count++];
    cell->value = at;
    cell->id = sy_look_text(document, at, "id");
    cell->capability = sy_look_text(document, at, "capability");
    cell->backend = sy_look_text(document, at, "backend");
    cell->support_level = sy_look_text(document, at, "support_level");
    cell->pr_gate = sy_look_text(document, at, "pr_gate");
    cell->scheduled_profile = sy_look_text(document, at, "scheduled_profile");
    cell->runner = sy_look_text(document, at, "runner");
    cell->state = sy_look_text(document, at, "state");
    cell->has_signoff = sy_look_bool(document, at, "release_signoff", &cell->release_signoff);
    cell->reason = sy_look_optional_text(document, at, "reason");
    if (cell->capability != NULL && cell->backend != NULL) {
        cell->pair_id = sy_arena_format(reader->registry->arena, "%s::%s", cell->capability, cell->backend);
        if (cell->pair_id == NULL) {
            return false;
        }
    }
    cell->is_misnamed = cell->id != NULL && cell->pair_id != NULL && strcmp(cell->id, cell->pair_id) != 0;
    return true;
}

/* ---- which pair ---- */

static sy_parity_pair *pair_of(const cell_reader *reader, const char *id)
{
    return sy_id_table_get(reader->matrix->parity.pair_ids, id);
}

/* A cell whose id is not that of its capability and backend. Told of the id, unless its pair has no other cell and the
 * pair that capability and backend spell has one or does not exist: then one of these is the wrong one. */
static void tell_misnamed(const cell_reader *reader, const sy_cell_draft *cell, const sy_parity_pair *named,
                          const sy_parity_pair *spelled)
{
    const sy_parity_matrix *parity = &reader->matrix->parity;
    if (named == NULL || named->is_claimed || (spelled != NULL && !spelled->is_claimed)) {
        sy_complain(reader->document, sy_json_member(cell->value, "id"), SY_RULE_CELL_ID,
                    "the id of this cell must be '%s'", cell->pair_id);
        return;
    }
    const char *capability = parity->capabilities[named->capability].name;
    if (strcmp(cell->capability, capability) != 0) {
        sy_complain(reader->document, sy_json_member(cell->value, "capability"), SY_RULE_CELL_ID,
                    "the capability is '%s' by the cell's id", capability);
    }
    if (strcmp(cell->backend, parity->backends[named->backend]) != 0) {
        sy_complain(reader->document, sy_json_member(cell->value, "backend"), SY_RULE_CELL_ID,
                    "the backend is '%s' by the cell's id", parity->backends[named->backend]);
    }
}

/* No pair: told here, unless it is told already where the matrix or the parity matrix names the stranger. */
static void tell_unknown(const cell_reader *reader, const sy_cell_draft *cell)
{
    const struct sy_matrix_part *matrix = reader->matrix;
    if (!matrix->parity.is_whole || cell->pair_id == NULL) {
        return;
    }
    if (sy_id_table_get(matrix->parity.capability_ids, cell->capability) == NULL &&
        sy_id_table_get(matrix->capability_ids, cell->capability) == NULL) {
        sy_complain(reader->document, sy_json_member(cell->value, "capability"), SY_RULE_CELL_UNKNOWN,
                    "the parity matrix has no capability '%s'", cell->capability);
    }
    if (sy_id_table_get(matrix->parity.backend_ids, cell->backend) == NULL &&
        sy_id_table_get(matrix->platform_ids, cell->backend) == NULL) {
        sy_complain(reader->document, sy_json_member(cell->value, "backend"), SY_RULE_CELL_UNKNOWN,
                    "the parity matrix has no backend '%s'", cell->backend);
    }
}

static void claim(sy_parity_pair *pair)
{
    if (pair != NULL) {
        pair->is_claimed = true;
    }
}

static void settle_pair(const cell_reader *reader, sy_cell_draft *cell)
{
    sy_parity_pair *named = cell->id != NULL ? pair_of(reader, cell->id) : NULL;
    sy_parity_pair *spelled = cell->pair_id != NULL ? pair_of(reader, cell->pair_id) : NULL;
    const char *backend = cell->backend;
    if (cell->is_misnamed) {
        tell_misnamed(reader, cell, named, spelled);
    }
    cell->pair = spelled != NULL ? spelled : named;
    if (cell->is_misnamed && named != NULL && !named->is_claimed) {
        cell->pair = named; /* no other cell is for it: this is meant to be */
        backend = reader->matrix->parity.backends[named->backend];
    }
    if (cell->pair == NULL) {
        tell_unknown(reader, cell);
    }
    claim(named);
    claim(spelled);
    if (backend != NULL) {
        cell->platform = sy_id_table_get(reader->matrix->platform_ids, backend);
    }
}

/* Of a pair that is not implemented a schedule is a fault of its own, not one of the runner. */
static void count_schedule(const sy_cell_draft *cell)
{
    bool is_scheduled = cell->scheduled_profile != NULL && strcmp(cell->scheduled_profile, "none") != 0;
    if (cell->platform != NULL && is_scheduled && !cell->is_unimplemented) {
        cell->platform->scheduled_count++;
    }
}

/* ---- the cells that others see ---- */

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static const char *reason_of(const sy_cell_draft *cell)
{
    if (cell->reason != NULL) {
        return cell->reason;
    }
    return cell->is_unimplemented ? "the parity matrix calls it " SY_LEVEL_NOT_IMPLEMENTED : "";
}

/* False: no memory. A doubled id is told unless the cell is misnamed, which says it all. */
static bool publish(cell_reader *reader, const sy_cell_draft *draft)
{
    struct sy_matrix_part *matrix = reader->matrix;
    if (draft->id == NULL || draft->pair_id == NULL) {
        return true;
    }
    sy_matrix_cell *cell = &matrix->cells[matrix->cell_count];
    void *earlier = NULL;
    *cell = (sy_matrix_cell){.id = draft->id,
                             .capability = draft->capability,
                             .backend = draft->backend,
                             .support_level = or_empty(draft->support_level),
                             .pr_gate = or_empty(draft->pr_gate),
                             .scheduled_profile = or_empty(draft->scheduled_profile),
                             .release_signoff = draft->release_signoff,
                             .runner = or_empty(draft->runner),
                             .state = or_empty(draft->state),
                             .reason = reason_of(draft)};
    if (!sy_id_table_put(matrix->cell_ids, draft->id, cell, &earlier)) {
        return false;
    }
    if (earlier != NULL && !draft->is_misnamed) {
        sy_complain(reader->document, sy_json_member(draft->value, "id"), SY_RULE_CELL_DOUBLED,
                    "an earlier cell is for '%s' already; each pair has one", draft->id);
    }
    if (earlier == NULL) {
        matrix->cell_values[matrix->cell_count++] = draft->value;
    }
    return true;
}

/* In file order, but a misnamed cell never takes the id of one that has it by right. */
static bool publish_all(cell_reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        const sy_cell_draft *draft = &reader->drafts[i];
        if ((!draft->is_misnamed || pair_of(reader, draft->id) == NULL || draft->pair == pair_of(reader, draft->id)) &&
            !publish(reader, draft)) {
            return false;
        }
    }
    return true;
}

/* ---- pairs without a cell ---- */

/* How many pairs a capability or a backend has, and how many of them have no cell. */
typedef struct tally {
    size_t pairs;
    size_t missing;
} tally;

static bool all_are_missing(const tally *of)
{
    return of->pairs > 1 && of->missing == of->pairs;
}

static void tell_missing(const cell_reader *reader, const tally *capabilities, const tally *backends)
{
    const sy_parity_matrix *parity = &reader->matrix->parity;
    for (size_t i = 0; i < parity->capability_count; i++) {
        bool is_told = sy_id_table_get(reader->matrix->capability_ids, parity->capabilities[i].name) == NULL;
        if (all_are_missing(&capabilities[i]) && !is_told) {
            sy_complain(reader->document, reader->array, SY_RULE_CELL_MISSING,
                        "no cell is for the capability '%s'; the parity matrix has %zu pairs of it",
                        parity->capabilities[i].name, capabilities[i].pairs);
        }
    }
    for (size_t i = 0; i < parity->backend_count; i++) {
        if (all_are_missing(&backends[i])) {
            sy_complain(reader->document, reader->array, SY_RULE_CELL_MISSING,
                        "no cell is for the backend '%s'; the parity matrix has %zu pairs of it", parity->backends[i],
                        backends[i].pairs);
        }
    }
    for (size_t i = 0; i < parity->pair_count; i++) {
        const sy_parity_pair *pair = &parity->pairs[i];
        if (!pair->is_claimed && !all_are_missing(&capabilities[pair->capability]) &&
            !all_are_missing(&backends[pair->backend])) {
            sy_complain(reader->document, reader->array, SY_RULE_CELL_MISSING, "the cell '%s' is missing%s%s", pair->id,
                        pair->level != NULL ? "; to the parity matrix it is " : "",
                        pair->level != NULL ? pair->level : "");
        }
    }
}

static bool check_missing(const cell_reader *reader)
{
    const sy_parity_matrix *parity = &reader->matrix->parity;
    tally *capabilities = sy_arena_allocate(reader->registry->arena, parity->capability_count, sizeof *capabilities);
    tally *backends = sy_arena_allocate(reader->registry->arena, parity->backend_count, sizeof *backends);
    if (capabilities == NULL || backends == NULL) {
        return false;
    }
    for (size_t i = 0; i < parity->pair_count; i++) {
        const sy_parity_pair *pair = &parity->pairs[i];
        tally *of[] = {&capabilities[pair->capability], &backends[pair->backend]};
        for (size_t j = 0; j < 2; j++) {
            of[j]->pairs++;
            of[j]->missing += !pair->is_claimed;
        }
    }
    if (!sy_json_is_cut(reader->document->json, reader->array)) {
        tell_missing(reader, capabilities, backends);
    }
    return true;
}

/* ---- the whole ---- */

static bool read_all(cell_reader *reader)
{
    struct sy_matrix_part *matrix = reader->matrix;
    for (const sy_json_value *at = reader->array->first; at != NULL; at = at->next) {
        if (!read_cell(reader, at)) {
            return false;
        }
    }
    /* A misnamed cell comes last: who has its id by right is not told to have it twice. */
    for (int misnamed = 0; misnamed < 2; misnamed++) {
        for (size_t i = 0; i < reader->count; i++) {
            if (reader->drafts[i].is_misnamed == (misnamed != 0)) {
                settle_pair(reader, &reader->drafts[i]);
                sy_cell_check(matrix, &reader->drafts[i]);
                count_schedule(&reader->drafts[i]);
            }
        }
    }
    return true;
}

bool sy_matrix_read_cells(sy_registry *registry, struct sy_matrix_part *matrix, const sy_json_value *root)
{
    cell_reader reader = {.registry = registry, .matrix = matrix, .document = matrix->document};
    reader.array = sy_look(matrix->document, root, "cells", SY_JSON_ARRAY);
    if (reader.array == NULL) {
        return true;
    }
    size_t count = reader.array->count;
    reader.drafts = sy_arena_allocate(registry->arena, count, sizeof *reader.drafts);
    matrix->cells = sy_arena_allocate(registry->arena, count + 1, sizeof *matrix->cells);
    matrix->cell_values = sy_arena_allocate(registry->arena, count + 1, sizeof(const sy_json_value *));
    matrix->cell_ids = sy_id_table_create(registry->arena, count);
    if (reader.drafts == NULL || matrix->cells == NULL || matrix->cell_values == NULL || matrix->cell_ids == NULL) {
        return false;
    }
    if (count == 0) {
        if (!sy_json_is_cut(matrix->document->json, reader.array)) {
            sy_complain(matrix->document, reader.array, SY_RULE_LIST_EMPTY,
                        "'cells' is empty; every pair of the parity matrix has its cell");
        }
        return true;
    }
    if (!read_all(&reader) || !publish_all(&reader)) {
        return false;
    }
    return sy_cells_check_runners(registry, matrix, reader.drafts, reader.count) && check_missing(&reader);
}
