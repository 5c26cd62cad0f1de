/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a Markdown file as GitHub's tables see them (GitHub Flavored Markdown, 4.10): what a line begins decides
 * whether it can be part of a table; inside of a row a backslash takes the meaning from the byte behind it. */
#include "registry/files/markdown_table.h"

#include <string.h>

typedef struct span {
    const char *start;
    const char *end;
} span;

void sy_markdown_start(sy_markdown_lines *lines, const char *text, size_t size)
{
    *lines = (sy_markdown_lines){.at = text, .end = text + size, .scratch = SY_TEXT_INIT};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        lines->at += 3;
    }
}

void sy_markdown_finish(sy_markdown_lines *lines)
{
    sy_text_finish(&lines->scratch);
}

static span line_at(const sy_markdown_lines *lines)
{
    span line = {lines->at, lines->at};
    while (line.end < lines->end && *line.end != '\n' && *line.end != '\r') {
        line.end++;
    }
    return line;
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
}

static span trim(span line)
{
    while (line.start < line.end && is_space(*line.start)) {
        line.start++;
    }
    while (line.end > line.start && is_space(line.end[-1])) {
        line.end--;
    }
    return line;
}

static bool begins(span line, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(line.end - line.start) >= length && memcmp(line.start, with, length) == 0;
}

static bool contains(span line, const char *what)
{
    size_t length = strlen(what);
    for (; (size_t)(line.end - line.start) >= length; line.start++) {
        if (memcmp(line.start, what, length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what a line is ---- */

/* Bytes equal to the first one, from the beginning. */
static size_t run_length(span line)
{
    size_t length = 0;
    while (line.start + length < line.end && line.start[length] == line.start[0]) {
        length++;
    }
    return length;
}

/* Keeps track of code blocks; whether the line belongs to one. */
static bool is_code(sy_markdown_lines *lines, span line)
{
    size_t width = run_length(line);
    bool is_fence = line.start < line.end && (*line.start == '`' || *line.start == '~') && width >= 3;
    if (lines->fence == 0) {
        if (is_fence) {
            lines->fence = *line.start;
            lines->fence_width = width;
        }
        return is_fence;
    }
    if (is_fence && *line.start == lines->fence && width >= lines->fence_width && line.start + width == line.end) {
        lines->fence = 0;
    }
    return true;
}

/* The same for comments that begin a line. */
static bool is_comment(sy_markdown_lines *lines, span line)
{
    bool inside = lines->in_comment || begins(line, "<!--");
    lines->in_comment = inside && !contains(line, "-->");
    return inside;
}

/* A heading, a quotation, an item of a list, a rule. */
static bool begins_block(span line)
{
    if (*line.start == '#' || *line.start == '>' || begins(line, "- ") || begins(line, "* ") || begins(line, "+ ")) {
        return true;
    }
    span behind = line;
    while (behind.start < behind.end && *behind.start >= '0' && *behind.start <= '9') {
        behind.start++;
    }
    if (behind.start > line.start && (begins(behind, ". ") || begins(behind, ") "))) {
        return true;
    }
    return (*line.start == '-' || *line.start == '*' || *line.start == '_') && run_length(line) >= 3 &&
           line.start + run_length(line) == line.end;
}

/* Whether a line has only pipes and cells of :---: . */
static bool is_delimiter(span line)
{
    bool has_pipe = false, has_dash = false;
    for (const char *at = line.start; at < line.end; at++) {
        has_pipe = has_pipe || *at == '|';
        has_dash = has_dash || *at == '-';
        if (strchr("|:-", *at) == NULL && !is_space(*at)) {
            return false;
        }
    }
    return has_pipe && has_dash;
}

/* ---- cells ---- */

/* Behind the cell that begins at `at`: its pipe, or the line's end. */
static const char *cell_end(const char *at, const char *end)
{
    while (at < end && *at != '|') {
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    }
    return at;
}

/* The cell's text with \| as |, terminated, behind what is in the scratch. */
static void append_cell(sy_text *scratch, span cell)
{
    for (const char *at = cell.start; at < cell.end;) {
        const char *stop = memchr(at, '\\', (size_t)(cell.end - at));
        stop = stop == NULL ? cell.end : stop;
        sy_text_append_bytes(scratch, at, (size_t)(stop - at));
        if (stop < cell.end && !(stop + 1 < cell.end && stop[1] == '|')) {
            size_t both = stop + 1 < cell.end ? 2 : 1;
            sy_text_append_bytes(scratch, stop, both);
            at = stop + both;
        } else {
            at = stop + 1;
        }
    }
    sy_text_append_bytes(scratch, "", 1);
}

static bool split(sy_markdown_lines *lines, span raw, span line, sy_markdown_row *to)
{
    size_t offsets[SY_MARKDOWN_CELLS_MAX];
    sy_text *scratch = &lines->scratch;
    sy_text_clear(scratch);
    sy_text_append_bytes(scratch, line.start, (size_t)(line.end - line.start));
    sy_text_append_bytes(scratch, "", 1);
    const char *at = line.start + (line.start < line.end && *line.start == '|');
    to->count = 0;
    while (at < line.end) {
        const char *end = cell_end(at, line.end);
        span cell = trim((span){at, end});
        if (to->count < SY_MARKDOWN_CELLS_MAX) {
            offsets[to->count] = scratch->length;
            to->cells[to->count].column = (uint32_t)(cell.start - raw.start) + 1;
            append_cell(scratch, cell);
        }
        to->count++;
        at = end + 1;
    }
    if (scratch->failed) {
        return false;
    }
    to->text = scratch->bytes;
    for (size_t i = 0; i < sy_markdown_kept(to); i++) {
        to->cells[i].text = scratch->bytes + offsets[i];
    }
    return true;
}

size_t sy_markdown_kept(const sy_markdown_row *row)
{
    return row->count < SY_MARKDOWN_CELLS_MAX ? row->count : SY_MARKDOWN_CELLS_MAX;
}

/* ---- lines ---- */

bool sy_markdown_next(sy_markdown_lines *lines, sy_markdown_row *ret_row)
{
    if (lines->at >= lines->end) {
        return false;
    }
    span raw = line_at(lines), line = trim(raw);
    lines->at = raw.end;
    if (lines->at < lines->end) {
        lines->at += lines->at + 1 < lines->end && lines->at[0] == '\r' && lines->at[1] == '\n' ? 2 : 1;
    }
    lines->line++;
    ret_row->line = lines->line;
    ret_row->column = (uint32_t)(line.start - raw.start) + 1;
    ret_row->is_delimiter = is_delimiter(line);
    bool apart = is_code(lines, line) || is_comment(lines, line) || line.start == line.end || begins_block(line);
    ret_row->kind = apart ? SY_MARKDOWN_BREAK : *line.start == '|' ? SY_MARKDOWN_ROW : SY_MARKDOWN_TEXT;
    return split(lines, raw, line, ret_row);
}

bool sy_markdown_next_is_delimiter(const sy_markdown_lines *lines)
{
    return is_delimiter(trim(line_at(lines)));
}
