/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a Markdown file, as far as tables need them: rows split into cells, code blocks and comments passed over. */
#ifndef STEELYARD_REGISTRY_MARKDOWN_TABLE_H
#define STEELYARD_REGISTRY_MARKDOWN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define SY_MARKDOWN_CELLS_MAX 64 /* that are kept of a row; more are counted */

typedef enum sy_markdown_kind {
    SY_MARKDOWN_BREAK, /* ends a table: an empty line, a heading, a list, code, a comment */
    SY_MARKDOWN_TEXT,  /* anything else that begins with no pipe: within a table still a row */
    SY_MARKDOWN_ROW    /* begins with a pipe */
} sy_markdown_kind;

typedef struct sy_markdown_cell {
    const char *text; /* without outer spaces, \| as | */
    uint32_t column;  /* from 1, in bytes */
} sy_markdown_cell;

/* One line; what it points to lives until the next is read. */
typedef struct sy_markdown_row {
    sy_markdown_kind kind;
    uint32_t line; /* from 1 */
    uint32_t column;
    const char *text; /* the line without outer spaces */
    size_t count;     /* of cells */
    sy_markdown_cell cells[SY_MARKDOWN_CELLS_MAX];
    bool is_delimiter; /* |---|:-:| */
} sy_markdown_row;

typedef struct sy_markdown_lines {
    const char *at; /* of the next line */
    const char *end;
    uint32_t line;      /* last read */
    char fence;         /* ` or ~ while in a code block, else 0 */
    size_t fence_width; /* of its opening */
    bool in_comment;
    sy_text scratch;
} sy_markdown_lines;

/* Begins with text (size bytes, borrowed); a byte order mark is passed over. Ended by sy_markdown_finish. */
void sy_markdown_start(sy_markdown_lines *lines, const char *text, size_t size);
void sy_markdown_finish(sy_markdown_lines *lines);
/* The next line; false: there is none, or no memory (lines->scratch.failed). Lines end with \n, \r\n or \r. */
bool sy_markdown_next(sy_markdown_lines *lines, sy_markdown_row *ret_row);
/* Whether the line that is read next is a delimiter row: whether this one heads a table. */
bool sy_markdown_next_is_delimiter(const sy_markdown_lines *lines);
/* Cells of the row that are kept. */
size_t sy_markdown_kept(const sy_markdown_row *row);

#endif
