/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix as JSON. */
#include <steelyard/report.h>

#include "base/error.h"
#include "report/page/json_frame.h"
#include "report/registry/matrix_picture.h"

static void write_names(sy_json_writer *writer, const char *name, const char **names, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, names[i]);
    sy_json_end_array(writer);
}

static void write_cell(sy_json_writer *writer, const sy_matrix_cell *cell)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "id", cell->id);
    sy_json_member_text(writer, "capability", cell->capability);
    sy_json_member_text(writer, "backend", cell->backend);
    sy_json_member_text(writer, "standing", sy_standing_word(sy_matrix_cell_standing(cell)));
    sy_json_member_text(writer, "state", cell->state);
    sy_json_member_text(writer, "support_level", cell->support_level);
    sy_json_member_text(writer, "pr_gate", cell->pr_gate);
    sy_json_member_text(writer, "scheduled_profile", cell->scheduled_profile);
    sy_json_member_bool(writer, "release_signoff", cell->release_signoff);
    sy_json_member_text(writer, "runner", cell->runner);
    sy_json_member_text(writer, "reason", cell->reason != NULL ? cell->reason : "");
    sy_json_member_u64(writer, "gates", cell->gate_count);
    sy_json_member_u64(writer, "open_gates", cell->open_gates);
    sy_json_member_u64(writer, "measured_gates", cell->measured_gates);
    sy_json_member_text(writer, "next_gate", cell->next_gate != NULL ? cell->next_gate : "");
    sy_json_end_object(writer);
}

static void write_coverage(sy_json_writer *writer, const sy_registry_coverage *coverage)
{
    sy_json_name(writer, "coverage");
    if (coverage == NULL) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "ready_with_open_gates", coverage->ready_with_open_gates);
    sy_json_member_u64(writer, "gates_that_cannot_measure", coverage->gates_that_cannot_measure);
    sy_json_member_u64(writer, "evidence_without_cell", coverage->evidence_without_cell);
    sy_json_member_u64(writer, "schedules_without_runner", coverage->schedules_without_runner);
    sy_json_member_u64(writer, "gates_without_cell", coverage->gates_without_cell);
    sy_json_member_u64(writer, "cells_without_gate", coverage->cells_without_gate);
    sy_json_end_object(writer);
}

static void write_counts(sy_json_writer *writer, const sy_matrix_picture *picture)
{
    sy_json_name(writer, "counts");
    sy_json_begin_object(writer);
    for (size_t i = 0; i < SY_STANDING_COUNT; i++)
        sy_json_member_u64(writer, sy_standing_word((sy_standing)i), picture->counts[i]);
    sy_json_member_u64(writer, "open_gates", picture->open_gates);
    sy_json_end_object(writer);
}

sy_status sy_report_matrix_json(const sy_report_matrix_view *view, char **ret_json, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    sy_text text = SY_TEXT_INIT;
    sy_matrix_picture picture;
    sy_json_writer *writer;
    sy_status status;

    if (arena == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the JSON form of a matrix");
    status = sy_matrix_picture_make(arena, view, &picture, err);
    if (status == SY_OK) {
        writer = sy_json_frame_begin(&text, "steelyard.matrix/1");
        sy_json_member_text(writer, "protocol_version", view->matrix->protocol_version);
        write_names(writer, "capabilities", picture.capabilities, picture.capability_count);
        write_names(writer, "backends", picture.backends, picture.backend_count);
        write_counts(writer, &picture);
        write_coverage(writer, view->coverage);
        sy_json_name(writer, "cells");
        sy_json_begin_array(writer);
        for (size_t i = 0; i < picture.capability_count * picture.backend_count; i++) {
            if (picture.cells[i] != NULL)
                write_cell(writer, picture.cells[i]);
        }
        sy_json_end_array(writer);
        status = sy_json_frame_end(writer, &text, ret_json, err);
    }
    sy_arena_destroy(arena);
    return status;
}
