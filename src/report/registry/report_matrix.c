/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix as a picture for a terminal, and what is to be said of the whole of it. */
#include <stdint.h>
#include <steelyard/report.h>

#include "base/error.h"
#include "report/registry/matrix_grid.h"

static void put_coverage(sy_page *page, const sy_registry_coverage *coverage)
{
    const struct {
        size_t count;
        const char *words;
    } rows[] = {
        {coverage->ready_with_open_gates, "called ready with gates open"},
        {coverage->cells_without_gate, "without any gate"},
        {coverage->schedules_without_runner, "scheduled without a ready runner"},
        {coverage->gates_that_cannot_measure, "open gates whose runbook cannot measure them"},
        {coverage->gates_without_cell, "gates of no cell"},
        {coverage->evidence_without_cell, "measurements that no cell names"},
    };
    sy_text line = SY_TEXT_INIT;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].count > 0)
            sy_text_append_format(&line, "%s%zu %s%s", line.length == 0 ? "Of the whole matrix: " : "; ", rows[i].count,
                                  i < 3 ? "cells " : "", rows[i].words);
    }
    if (line.length > 0) {
        sy_text_append(&line, ". steelyard matrix validate lists them.");
        page->text.failed = page->text.failed || line.failed;
        sy_page_blank(page);
        sy_page_paragraph(page, 0, 2, SY_TONE_PLAIN, sy_text_bytes(&line));
    }
    sy_text_finish(&line);
}

static void put_title(sy_page *page, const sy_matrix *matrix, const sy_matrix_picture *picture)
{
    sy_text line = SY_TEXT_INIT;

    sy_text_append_format(&line, "%s: %zu %s on %zu %s, %zu open %s",
                          matrix->protocol_version != NULL ? matrix->protocol_version : "matrix",
                          picture->capability_count, picture->capability_count == 1 ? "capability" : "capabilities",
                          picture->backend_count, picture->backend_count == 1 ? "backend" : "backends",
                          picture->open_gates, picture->open_gates == 1 ? "gate" : "gates");
    page->text.failed = page->text.failed || line.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&line));
    sy_page_blank(page);
    sy_text_finish(&line);
}

sy_status sy_report_matrix(const sy_report_matrix_view *view, const sy_report_style *style, char **ret_text,
                           sy_error *err)
{
    sy_matrix_picture picture;
    sy_arena *arena;
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    arena = sy_arena_create(0);
    status = arena != NULL ? sy_matrix_picture_make(arena, view, &picture, err)
                           : sy_fail(err, SY_NO_MEMORY, "no memory for a picture of the matrix");
    if (status == SY_OK) {
        put_title(&page, view->matrix, &picture);
        sy_matrix_grid_put(&page, arena, &picture);
        sy_matrix_legend_put(&page, &picture);
        (void)sy_matrix_reasons_put(&page, &picture, SIZE_MAX);
        if (view->coverage != NULL)
            put_coverage(&page, view->coverage);
        status = sy_page_take(&page, ret_text, err);
    } else {
        sy_text_finish(&page.text);
    }
    sy_arena_destroy(arena);
    return status;
}
