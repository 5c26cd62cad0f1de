/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a table of text into records and cells. */
#include "importers/timings/csv_cells.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "importers/timings/timings_readers.h"

static sy_position position_of(const sy_csv_reader *reader, size_t offset)
{
    sy_position position = {offset, 1, 1};

    for (size_t i = 0; i < offset; i++) {
        position.column++;
        if (reader->text[i] == '\n') {
            position.line++;
            position.column = 1;
        }
    }
    return position;
}

static sy_status corrupt(const sy_csv_reader *reader, const char *at, sy_error *err, const char *what)
{
    sy_fail(err, SY_CORRUPT, "%s", what);
    if (err != NULL)
        sy_error_at(err, position_of(reader, (size_t)(at - reader->text)));
    return SY_CORRUPT;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* The most frequent of tab, semicolon and comma in the first line that is one; a comma where there is none. */
static char find_separator(const char *at, const char *end)
{
    static const char candidates[] = "\t;,";
    size_t counts[3] = {0, 0, 0};
    bool quoted = false;
    size_t best = 2;

    for (; at < end && (quoted || !is_line_end(*at)); at++) {
        const char *found = *at != '\0' ? strchr(candidates, *at) : NULL;

        quoted ^= *at == '"';
        if (found != NULL && !quoted)
            counts[found - candidates]++;
    }
    for (size_t i = 0; i < 2; i++)
        best = counts[i] > counts[best] ? i : best;
    return candidates[best];
}

/* Empty lines, and those that begin with #. */
static void skip_lines(sy_csv_reader *reader)
{
    while (reader->at < reader->end) {
        const char *at = reader->at;

        while (at < reader->end && *at == ' ')
            at++;
        if (at < reader->end && *at == '#') {
            while (at < reader->end && !is_line_end(*at))
                at++;
        }
        if (at < reader->end && !is_line_end(*at))
            return;
        while (at < reader->end && is_line_end(*at))
            at++;
        reader->at = at;
    }
}

void sy_csv_start(sy_csv_reader *reader, const char *text, size_t size)
{
    reader->text = text;
    reader->end = text + size;
    reader->at = text;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        reader->at += 3;
    skip_lines(reader);
    reader->separator = find_separator(reader->at, reader->end);
}

void sy_csv_finish(sy_csv_reader *reader)
{
    sy_free(reader->cells);
    sy_text_finish(&reader->record);
}

/* Where the cell's text begins, and how much of it there is: outer spaces do not count. */
static void trim(const char **at, const char **end)
{
    while (*at < *end && **at == ' ')
        (*at)++;
    while (*at < *end && (*end)[-1] == ' ')
        (*end)--;
}

static sy_status read_quoted(sy_csv_reader *reader, sy_error *err)
{
    const char *opened = reader->at++;

    for (;;) {
        const char *quote = memchr(reader->at, '"', (size_t)(reader->end - reader->at));

        if (quote == NULL)
            return corrupt(reader, opened, err, "the quote that begins here does not end");
        sy_text_append_bytes(&reader->record, reader->at, (size_t)(quote - reader->at));
        reader->at = quote + 1;
        if (reader->at >= reader->end || *reader->at != '"')
            break;
        sy_text_append(&reader->record, "\"");
        reader->at++;
    }
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    if (reader->at < reader->end && *reader->at != reader->separator && !is_line_end(*reader->at))
        return corrupt(reader, reader->at, err, "something stands behind the closing quote");
    return SY_OK;
}

static void read_bare(sy_csv_reader *reader)
{
    const char *from = reader->at;
    const char *to;

    while (reader->at < reader->end && *reader->at != reader->separator && !is_line_end(*reader->at))
        reader->at++;
    to = reader->at;
    trim(&from, &to);
    sy_text_append_bytes(&reader->record, from, (size_t)(to - from));
}

static sy_status read_cell(sy_csv_reader *reader, sy_error *err)
{
    sy_csv_cell cell = {0, reader->record.length, 0};
    sy_status status = SY_OK;

    while (reader->at < reader->end && *reader->at == ' ' && reader->separator != ' ')
        reader->at++;
    cell.offset = (size_t)(reader->at - reader->text);
    if (reader->at < reader->end && *reader->at == '"')
        status = read_quoted(reader, err);
    else
        read_bare(reader);
    if (status != SY_OK)
        return status;
    cell.length = reader->record.length - cell.start;
    if (cell.length > 0 && memchr(reader->record.bytes + cell.start, '\0', cell.length) != NULL)
        return corrupt(reader, reader->text + cell.offset, err, "a 0 byte stands in the text");
    sy_text_append_bytes(&reader->record, "", 1);
    if (reader->cell_count == SY_CSV_COLUMNS_MAX)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "more than %d columns", SY_CSV_COLUMNS_MAX);
    if (reader->cell_count == reader->cell_capacity) {
        size_t capacity = 2 * reader->cell_capacity + 16;
        sy_csv_cell *larger = sy_reallocate(reader->cells, capacity, sizeof *larger);

        if (larger == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the cells of a table");
        reader->cells = larger;
        reader->cell_capacity = capacity;
    }
    reader->cells[reader->cell_count++] = cell;
    return reader->record.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a line of a table") : SY_OK;
}

sy_status sy_csv_next(sy_csv_reader *reader, sy_error *err)
{
    sy_status status = SY_OK;

    reader->cell_count = 0;
    sy_text_clear(&reader->record);
    if (reader->at == reader->text && reader->end - reader->text >= 2 &&
        (memcmp(reader->text, "\xff\xfe", 2) == 0 || memcmp(reader->text, "\xfe\xff", 2) == 0))
        return corrupt(reader, reader->text, err, "UTF-16 text: convert it to UTF-8");
    skip_lines(reader);
    if (reader->at >= reader->end)
        return SY_OK;
    for (;;) {
        status = read_cell(reader, err);
        if (status != SY_OK || reader->at >= reader->end || is_line_end(*reader->at))
            return status;
        reader->at++; /* the separator */
    }
}

const char *sy_csv_text(const sy_csv_reader *reader, size_t cell)
{
    return reader->record.bytes + reader->cells[cell].start;
}

bool sy_csv_number(const sy_csv_reader *reader, size_t cell, double *ret_number)
{
    static const char *const not_finite[] = {"nan", "inf", "infinity", NULL};
    const char *text = sy_csv_text(reader, cell);
    const char *bare = text + (text[0] == '-' || text[0] == '+');

    if (sy_parse_double(text, ret_number, NULL) == SY_OK)
        return true;
    for (size_t i = 0; not_finite[i] != NULL; i++) {
        if (strcasecmp(bare, not_finite[i]) == 0) {
            *ret_number = NAN;
            return true;
        }
    }
    return false;
}

sy_position sy_csv_position(const sy_csv_reader *reader, size_t cell)
{
    return position_of(reader, reader->cells[cell].offset);
}

double sy_csv_unit_ns(const char *title)
{
    size_t length = strlen(title);
    char unit[16];
    size_t start;

    while (length > 0 && (title[length - 1] == ')' || title[length - 1] == ']'))
        length--;
    start = length;
    while (start > 0 && strchr("_ ([", title[start - 1]) == NULL)
        start--;
    if (start == 0 || length - start >= sizeof unit)
        return NAN;
    memcpy(unit, title + start, length - start);
    unit[length - start] = '\0';
    return sy_timings_unit_ns(unit);
}
