/* SPDX-License-Identifier: Apache-2.0 */
/* What of a matrix is shown: the rows and columns that were asked for, the cell of each pair, and where it stands. */
#ifndef STEELYARD_REPORT_MATRIX_PICTURE_H
#define STEELYARD_REPORT_MATRIX_PICTURE_H

#include <steelyard/report.h>

#include "base/arena.h"

typedef enum sy_standing {
    SY_STANDING_MEASURED,    /* called ready, some gates are measured, none is open */
    SY_STANDING_PARTIAL,     /* some are measured, and some open or the cell called a gap */
    SY_STANDING_GAP,         /* none is measured */
    SY_STANDING_UNSUPPORTED, /* the matrix says so */
    SY_STANDING_MISSING,     /* the matrix has no such cell */
    SY_STANDING_COUNT
} sy_standing;

const char *sy_standing_word(sy_standing standing); /* "measured", "partial", "gap", "unsupported", "missing" */

typedef struct sy_matrix_picture {
    const char **capabilities;
    size_t capability_count;
    const char **backends;
    size_t backend_count;
    const sy_matrix_cell **cells; /* a row of all backends for each capability; NULL: there is none */
    size_t counts[SY_STANDING_COUNT];
    size_t open_gates;
} sy_matrix_picture;

/* All that ret_picture holds is in the arena or borrowed. SY_NOT_FOUND: no capability or backend of that name.
 * SY_NO_MEMORY. */
sy_status sy_matrix_picture_make(sy_arena *arena, const sy_report_matrix_view *view, sy_matrix_picture *ret_picture,
                                 sy_error *err) SY_NODISCARD;
/* NULL: none. */
const sy_matrix_cell *sy_matrix_picture_cell(const sy_matrix_picture *picture, size_t capability, size_t backend);
sy_standing sy_matrix_cell_standing(const sy_matrix_cell *cell); /* NULL is missing */

#endif
