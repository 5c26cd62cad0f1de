/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix drawn onto a page: a sign a cell, what the signs mean, why a cell is no more than that. */
#ifndef STEELYARD_REPORT_MATRIX_GRID_H
#define STEELYARD_REPORT_MATRIX_GRID_H

#include "report/page/page.h"
#include "report/registry/matrix_picture.h"

/* Capabilities against backends. What it needs meanwhile is in the arena; no memory marks the page as failed. */
void sy_matrix_grid_put(sy_page *page, sy_arena *arena, const sy_matrix_picture *picture);
/* A line for each sign that stands in the picture. */
void sy_matrix_legend_put(sy_page *page, const sy_matrix_picture *picture);
/* Why: gaps first, then what is partly measured, then what is not supported; `most` cells of them. Returns how many
 * were left out. */
size_t sy_matrix_reasons_put(sy_page *page, const sy_matrix_picture *picture, size_t most);

#endif
