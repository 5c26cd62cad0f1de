/* SPDX-License-Identifier: Apache-2.0 */
/* Documents one behind the other made one array: JSON Lines, or several outputs in one file. Brackets and commas are
 * put where they move nothing within a line; places are told as they are in the file. */
#include <string.h>

#include "base/error.h"
#include "importers/import/import_readers.h"

/* "[" and a line end come before the text, a comma behind every document but the last. */
static const char opening[] = "[\n";
enum { OPENING = sizeof opening - 1 };

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static size_t skip_space(const char *text, size_t size, size_t at)
{
    while (at < size && is_space(text[at]))
        at++;
    return at;
}

/* The end of an object that is broken, so that brackets cannot be counted: behind the first that another object
 * follows, or the array's end. */
static size_t end_of_broken(const char *text, size_t size, size_t at)
{
    for (; at < size; at++) {
        size_t next = text[at] == '}' ? skip_space(text, size, at + 1) : size;

        if (next < size && text[next] == ',') {
            next = skip_space(text, size, next + 1);
            if (next < size && text[next] == '{')
                return at + 1;
        } else if (next < size && text[next] == ']') {
            return at + 1;
        }
    }
    return size;
}

size_t sy_import_element_end(const char *text, size_t size, size_t from, uint64_t *budget)
{
    uint64_t kinds = 0; /* of the innermost 64 brackets that are open: 1 = an object's */
    size_t depth = 0;
    bool quoted = false;

    for (size_t at = from; at<size && * budget> 0; at++, --*budget) {
        char c = text[at];
        bool closes = c == '}' || c == ']';

        if (quoted) {
            at += c == '\\' && at + 1 < size && text[at + 1] != '\n';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
            kinds = kinds << 1 | (c == '{');
        } else if (depth == 0 && (c == ',' || closes || c == '\n')) {
            return at;
        } else if (closes && depth <= 64 && (kinds & 1) != (c == '}')) {
            return text[from] == '{' ? end_of_broken(text, size, from) : at;
        } else if (closes) {
            depth--;
            kinds >>= 1;
            if (depth == 0)
                return at + 1;
        }
        if (quoted && c == '\n')
            return text[from] == '{' ? end_of_broken(text, size, from) : at;
    }
    return size;
}

/* A comma behind the last document moves what stood there by one: only blanks and the line's end, if documents stand on
 * lines of their own. */
static void add_comma(sy_text *joined, size_t last)
{
    if (last == 0)
        return;
    sy_text_append(joined, ",");
    if (joined->failed)
        return;
    memmove(joined->bytes + last + 1, joined->bytes + last, joined->length - last - 1);
    joined->bytes[last] = ',';
}

/* A line that is no document: told, and blanks in the text. Lines are counted on from the last. */
static void skip_line(const char *text, size_t at, size_t end, sy_position *line, sy_text *joined,
                      sy_import_draft *draft)
{
    static const char blanks[] = "                                ";

    for (; line->offset < at; line->offset++) {
        line->column = text[line->offset] == '\n' ? 1 : line->column + 1;
        line->line += text[line->offset] == '\n';
    }
    sy_import_reject_at(draft, *line, "", "a line that is none of the JSON");
    for (size_t length = end - at; length > 0;) {
        size_t some = length < sizeof blanks - 1 ? length : sizeof blanks - 1;

        sy_text_append_bytes(joined, blanks, some);
        length -= some;
    }
}

sy_status sy_import_join(const char *text, size_t size, char **ret_joined, size_t *ret_size, sy_import_draft *draft,
                         sy_error *err)
{
    sy_text joined = SY_TEXT_INIT;
    sy_position line = {0, 1, 1};
    size_t end = 0;
    uint64_t budget = SY_IMPORT_LOOKS * (uint64_t)size;
    size_t last = 0; /* where in joined the last document ends; 0: there was none */

    sy_text_append(&joined, opening);
    for (size_t at = 0; at < size && !joined.failed; at = end) {
        end = at + 1;
        if (is_space(text[at])) {
            sy_text_append_bytes(&joined, text + at, 1);
        } else if (text[at] == '{') {
            end = sy_import_element_end(text, size, at, &budget);
            add_comma(&joined, last);
            sy_text_append_bytes(&joined, text + at, end - at);
            last = joined.length;
        } else {
            const char *line_end = memchr(text + at, '\n', size - at);

            end = line_end != NULL ? (size_t)(line_end - text) : size;
            skip_line(text, at, end, &line, &joined, draft);
        }
    }
    sy_text_append(&joined, "]");
    *ret_size = joined.length;
    *ret_joined = sy_text_take(&joined);
    draft->joined_size = size;
    return *ret_joined != NULL ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for %zu bytes of JSON", size);
}

sy_position sy_import_place(const sy_import_draft *draft, sy_position position, size_t element)
{
    if (draft->joined_size > 0 && position.offset >= OPENING + element && position.line > 1) {
        position.offset -= OPENING + element;
        position.line--;
        if (position.offset > draft->joined_size)
            position.offset = draft->joined_size; /* at the bracket behind the last */
    }
    return position;
}
