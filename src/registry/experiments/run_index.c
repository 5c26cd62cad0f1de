/* SPDX-License-Identifier: Apache-2.0 */
/* The index of runs: a Markdown file with tables of six columns, one row a run. Read line by line as GitHub's tables
 * are, but a row that its reader would lose is kept and complained of. Whether a row has its manifest is not asked
 * here. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "registry/experiments/experiments.h"
#include "registry/files/look.h"
#include "registry/files/markdown_table.h"
#include "registry/files/private_path.h"

static const char *const columns[] = {"id", "hypothesis", "setup", "status", "result", "artifact"};
enum { COLUMN_ID, COLUMN_HYPOTHESIS, COLUMN_SETUP, COLUMN_STATUS, COLUMN_RESULT, COLUMN_ARTIFACT, COLUMN_COUNT };

#define HEADER "id | hypothesis | setup | status | result | artifact"

typedef enum where {
    OUTSIDE,      /* no table of runs yet, or text behind one */
    IN_RUNS,      /* rows */
    IN_DELIMITER, /* the line below a header */
    IN_ANOTHER    /* table, which is none of runs */
} where;

typedef struct reader {
    sy_document_set *set;
    sy_document *index;
    sy_markdown_lines lines;
    where where;
    bool has_table;       /* of runs */
    uint32_t other_table; /* line of the first that is none; 0 = there is none */
    size_t cell_count;    /* of the header */
    size_t id_place;
    bool columns_are_known; /* they stand in the published order */
    sy_run_index_row *rows;
    size_t row_count;
    size_t row_capacity;
    bool failed;
} reader;

/* ---- the header ---- */

static size_t names_in_place(const sy_markdown_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < COLUMN_COUNT && i < row->count; i++) {
        count += strcasecmp(row->cells[i].text, columns[i]) == 0;
    }
    return count;
}

/* Half of the names in their places: a header of runs, if a damaged one. */
static bool is_header(const sy_markdown_row *row)
{
    return names_in_place(row) * 2 >= COLUMN_COUNT;
}

/* Where the ids stand: by name, else where they should. */
static size_t find_ids(const sy_markdown_row *row)
{
    for (size_t i = 0; i < sy_markdown_kept(row); i++) {
        if (strcasecmp(row->cells[i].text, columns[COLUMN_ID]) == 0) {
            return i;
        }
    }
    return COLUMN_ID;
}

static void read_header(reader *r, const sy_markdown_row *row)
{
    r->id_place = find_ids(row);
    /* With one name misspelt the columns are still known; otherwise no more is read of the rows than their ids. */
    r->columns_are_known = row->count == COLUMN_COUNT && names_in_place(row) + 1 >= COLUMN_COUNT;
    if (row->count != COLUMN_COUNT || names_in_place(row) != COLUMN_COUNT) {
        sy_complain_line(r->index, row->line, row->column, row->text, SY_RULE_RUN_INDEX_TABLE,
                         "the columns must be " HEADER);
    }
    r->cell_count = row->count;
    r->has_table = true;
    r->where = IN_DELIMITER;
}

/* ---- rows ---- */

static void check_blank(const reader *r, const sy_markdown_row *row, size_t column)
{
    const sy_markdown_cell *cell = &row->cells[column];
    if (sy_is_blank(cell->text)) {
        sy_complain_line(r->index, row->line, cell->column, cell->text, SY_RULE_FIELD_BLANK,
                         "the cell '%s' says nothing", columns[column]);
    }
}

/* The folder of the manifest that a link (length bytes) leads to; false: it leads to no manifest. */
static bool manifest_folder(const char *link, size_t length, const char **ret_name, size_t *ret_length)
{
    static const char tail[] = "/manifest.json";
    size_t tail_length = sizeof tail - 1;
    if (length <= tail_length || memcmp(link + length - tail_length, tail, tail_length) != 0) {
        return false;
    }
    size_t end = length - tail_length, start = end;
    while (start > 0 && link[start - 1] != '/') {
        start--;
    }
    *ret_name = link + start;
    *ret_length = end - start;
    return true;
}

/* Keeps a link to another run's manifest, unless one leads to the row's own as well. */
static void read_links(reader *r, const sy_markdown_row *row, sy_run_index_row *to)
{
    const sy_markdown_cell *cell = &row->cells[COLUMN_ARTIFACT];
    const char *other = NULL;
    size_t other_length = 0;
    for (const char *at = strstr(cell->text, "]("); at != NULL; at = strstr(at + 2, "](")) {
        const char *name = NULL;
        size_t length = 0;
        if (!manifest_folder(at + 2, strcspn(at + 2, ")# \t"), &name, &length)) {
            continue;
        }
        if (strlen(to->id) == length && memcmp(to->id, name, length) == 0) {
            return;
        }
        other = name;
        other_length = length;
    }
    if (other != NULL) {
        to->linked = sy_arena_copy_bytes(sy_document_set_arena(r->set), other, other_length);
        to->link_text = sy_arena_copy_text(sy_document_set_arena(r->set), cell->text);
        to->link_column = cell->column;
        r->failed = r->failed || to->linked == NULL || to->link_text == NULL;
    }
}

static void check_cells(reader *r, const sy_markdown_row *row, sy_run_index_row *to)
{
    const sy_markdown_cell *status = &row->cells[COLUMN_STATUS];
    to->status_column = status->column;
    to->status_text = status->text;
    to->status = strcmp(status->text, "ok") == 0 ? SY_EXPERIMENT_COMPLETED : sy_experiment_status_read(status->text);
    if (to->status == SY_EXPERIMENT_NO_STATUS) {
        sy_complain_line(r->index, row->line, status->column, status->text, SY_RULE_RUN_STATUS,
                         "the status must be planned, running, ok, failed, refuted or superseded");
    }
    check_blank(r, row, COLUMN_HYPOTHESIS);
    if (sy_experiment_status_is_final(to->status)) {
        check_blank(r, row, COLUMN_SETUP);
        check_blank(r, row, COLUMN_RESULT);
        check_blank(r, row, COLUMN_ARTIFACT);
    }
    read_links(r, row, to);
}

static void keep_row(reader *r, const sy_run_index_row *row)
{
    if (r->row_count == r->row_capacity) {
        size_t larger = r->row_capacity == 0 ? 64 : r->row_capacity * 2;
        sy_run_index_row *grown = sy_arena_allocate(sy_document_set_arena(r->set), larger, sizeof *grown);
        if (grown == NULL) {
            r->failed = true;
            return;
        }
        if (r->row_count > 0) {
            memcpy(grown, r->rows, r->row_count * sizeof *grown);
        }
        r->rows = grown;
        r->row_capacity = larger;
    }
    sy_run_index_row *kept = &r->rows[r->row_count++];
    *kept = *row;
    kept->id = sy_arena_copy_text(sy_document_set_arena(r->set), row->id);
    kept->status_text = sy_arena_copy_text(sy_document_set_arena(r->set), row->status_text);
    r->failed = r->failed || kept->id == NULL || kept->status_text == NULL;
}

static void read_row(reader *r, const sy_markdown_row *row)
{
    bool is_whole = r->columns_are_known && row->count == r->cell_count;
    if (row->count != r->cell_count) {
        sy_complain_line(r->index, row->line, row->column, row->text, SY_RULE_RUN_INDEX_CELLS,
                         "the row has %zu cells, its header %zu%s", row->count, r->cell_count,
                         row->count > r->cell_count ? "; a pipe inside a cell is written \\|" : "");
    }
    if (r->id_place >= row->count || (row->kind == SY_MARKDOWN_TEXT && !is_whole)) {
        return; /* perhaps no more than text that follows the table too closely */
    }
    const sy_markdown_cell *id = &row->cells[r->id_place];
    if (sy_is_blank(id->text)) {
        if (is_whole) {
            sy_complain_line(r->index, row->line, id->column, "", SY_RULE_FIELD_BLANK, "the row names no run");
        }
        return;
    }
    sy_run_index_row read = {.id = id->text, .line = row->line, .id_column = id->column, .status_text = ""};
    if (is_whole) {
        check_cells(r, row, &read);
    }
    keep_row(r, &read);
}

/* ---- lines ---- */

static void read_delimiter(reader *r, const sy_markdown_row *row)
{
    r->where = IN_RUNS;
    if (!row->is_delimiter || row->count != r->cell_count) {
        sy_complain_line(r->index, row->line, row->column, row->text, SY_RULE_RUN_INDEX_TABLE,
                         "the line below the header must have %zu cells of ---, else it heads no table", r->cell_count);
    }
    if (!row->is_delimiter) {
        read_row(r, row);
    }
}

/* A line that begins with a pipe, behind the last table. */
static void read_behind(reader *r, const sy_markdown_row *row, bool begins_table)
{
    if (begins_table || !r->has_table) {
        r->other_table = r->other_table != 0 ? r->other_table : row->line;
        r->where = IN_ANOTHER;
        return;
    }
    sy_remark_line(r->index, row->line, row->column, row->text, SY_RULE_RUN_INDEX_TABLE,
                   "the table has ended above: Markdown shows this row as text");
    r->where = IN_RUNS;
    read_row(r, row);
}

static void read_line(reader *r, const sy_markdown_row *row)
{
    if (row->kind == SY_MARKDOWN_BREAK) {
        if (r->where == IN_DELIMITER) {
            sy_complain_line(r->index, row->line, 1, "", SY_RULE_RUN_INDEX_TABLE,
                             "the line below the header must have %zu cells of ---, else it heads no table",
                             r->cell_count);
        }
        r->where = OUTSIDE;
    } else if (r->where == IN_DELIMITER) {
        read_delimiter(r, row);
    } else if (is_header(row)) {
        read_header(r, row);
    } else if (r->where == IN_RUNS) {
        read_row(r, row);
    } else if (r->where == OUTSIDE && row->kind == SY_MARKDOWN_ROW) {
        read_behind(r, row, sy_markdown_next_is_delimiter(&r->lines));
    }
}

static void check_private_paths(const sy_document *index, const sy_markdown_row *row)
{
    size_t at = 0;
    if (sy_find_private_path(row->text, strlen(row->text), &at)) {
        sy_complain_line(index, row->line, row->column + (uint32_t)at, row->text + at, SY_RULE_PRIVATE_PATH,
                         "a path in somebody's home; name the data instead, or a path from the root");
    }
}

bool sy_run_index_read(sy_document_set *set, struct sy_runs_part *part)
{
    reader r = {.set = set, .index = part->index};
    sy_markdown_row row;
    sy_markdown_start(&r.lines, part->index->bytes, part->index->size);
    while (!r.failed && sy_markdown_next(&r.lines, &row)) {
        check_private_paths(part->index, &row);
        read_line(&r, &row);
    }
    read_line(&r, &(sy_markdown_row){.kind = SY_MARKDOWN_BREAK, .line = r.lines.line, .text = ""});
    if (!r.has_table) {
        sy_complain_line(part->index, r.other_table != 0 ? r.other_table : 1, 1, "", SY_RULE_RUN_INDEX_TABLE,
                         "there is no table of runs, with the columns " HEADER);
    }
    bool failed = r.failed || r.lines.scratch.failed;
    sy_markdown_finish(&r.lines);
    part->has_table = r.has_table;
    part->rows = r.rows;
    part->row_count = r.row_count;
    return !failed;
}
