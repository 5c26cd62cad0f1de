/* SPDX-License-Identifier: Apache-2.0 */
/* In the page's data: the matrix, capability by backend. */
#include "base/error.h"
#include "report/html/html_parts.h"
#include "report/registry/matrix_picture.h"

static void put_names(sy_json_writer *json, const char *name, const char **names, size_t count)
{
    sy_json_name(json, name);
    sy_json_begin_array(json);
    for (size_t i = 0; i < count; i++)
        sy_json_text(json, names[i]);
    sy_json_end_array(json);
}

/* [standing, open gates, gates, reason, next gate, id]; null: the matrix has no such cell. */
static void put_cell(sy_json_writer *json, const sy_matrix_cell *cell)
{
    if (cell == NULL) {
        sy_json_null(json);
        return;
    }
    sy_json_begin_array(json);
    sy_json_text(json, sy_standing_word(sy_matrix_cell_standing(cell)));
    sy_json_u64(json, cell->open_gates);
    sy_json_u64(json, cell->gate_count);
    sy_json_text(json, cell->reason != NULL ? cell->reason : "");
    sy_json_text(json, cell->next_gate != NULL ? cell->next_gate : "");
    sy_json_text(json, cell->id);
    sy_json_end_array(json);
}

static void put_picture(sy_json_writer *json, const sy_matrix_picture *picture)
{
    sy_json_begin_object(json);
    put_names(json, "capabilities", picture->capabilities, picture->capability_count);
    put_names(json, "backends", picture->backends, picture->backend_count);
    sy_json_name(json, "counts");
    sy_json_begin_object(json);
    for (size_t i = 0; i < SY_STANDING_COUNT; i++)
        sy_json_member_u64(json, sy_standing_word((sy_standing)i), picture->counts[i]);
    sy_json_end_object(json);
    sy_json_name(json, "cells");
    sy_json_begin_array(json);
    for (size_t i = 0; i < picture->capability_count * picture->backend_count; i++)
        put_cell(json, picture->cells[i]);
    sy_json_end_array(json);
    sy_json_end_object(json);
}

sy_status sy_html_put_matrix(const sy_html_data *data, sy_error *err)
{
    const sy_dashboard *dashboard = data->content->dashboard;
    sy_report_matrix_view view = {.matrix = dashboard != NULL ? dashboard->matrix : NULL};
    sy_matrix_picture picture;
    sy_arena *arena;
    sy_status status;

    sy_json_name(data->json, "matrix");
    if (view.matrix == NULL) {
        sy_json_null(data->json);
        return SY_OK;
    }
    arena = sy_arena_create(0);
    if (arena == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the matrix of a page");
    status = sy_matrix_picture_make(arena, &view, &picture, err);
    if (status == SY_OK)
        put_picture(data->json, &picture);
    sy_arena_destroy(arena);
    return status;
}
