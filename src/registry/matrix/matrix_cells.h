/* SPDX-License-Identifier: Apache-2.0 */
/* A cell while it is held against the rules: its members as they could be read, and what it is joined to. */
#ifndef STEELYARD_REGISTRY_MATRIX_CELLS_H
#define STEELYARD_REGISTRY_MATRIX_CELLS_H

#include "registry/matrix/matrix.h"

typedef struct sy_cell_draft {
    const sy_json_value *value; /* an object */
    const char *id;             /* NULL from here on: it could not be read */
    const char *capability;
    const char *backend;
    const char *support_level;
    const char *pr_gate;
    const char *scheduled_profile;
    const char *runner;
    const char *state;
    const char *reason;  /* NULL also where none is given */
    const char *pair_id; /* "capability::backend" */
    bool has_signoff;
    bool release_signoff;
    bool is_misnamed; /* its id is another one; the finding is made */
    bool is_unimplemented;
    sy_parity_pair *pair; /* NULL: none is known */
    sy_matrix_platform *platform;
} sy_cell_draft;

/* Levels, states, schedules and what follows from them; tells what is wrong with one cell and settles
 * is_unimplemented. */
void sy_cell_check(const struct sy_matrix_part *matrix, sy_cell_draft *cell);
/* Runners of all cells, behind sy_cell_check; false: no memory. */
bool sy_cells_check_runners(sy_registry *registry, const struct sy_matrix_part *matrix, const sy_cell_draft *cells,
                            size_t count);

#endif
