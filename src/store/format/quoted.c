/* SPDX-License-Identifier: Apache-2.0 */
/* Lexing and escaping. Format 1 knows \" and \\ only, and reads a backslash before anything as that thing; format 2 has
 * \n, \t and \xNN besides, and refuses the rest. */
#include "store/format/quoted.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"

bool sy_is_word_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

void sy_cursor_skip_blanks(sy_cursor *cursor)
{
    while (cursor->at < cursor->end && sy_is_word_gap(*cursor->at)) {
        cursor->at++;
    }
}

bool sy_cursor_at_end(sy_cursor *cursor)
{
    sy_cursor_skip_blanks(cursor);
    return cursor->at == cursor->end;
}

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* What stands behind a backslash; false when the format does not know it. from is moved to its last byte. */
static bool unescape(char **from, const char *end, uint32_t format, char *ret_byte)
{
    char c = **from;
    if (format == 1 || c == '"' || c == '\\') {
        *ret_byte = c;
        return true;
    }
    if (c == 'n' || c == 't') {
        *ret_byte = c == 'n' ? '\n' : '\t';
        return true;
    }
    if (c != 'x' || end - *from < 3) {
        return false;
    }
    int high = hexadecimal((*from)[1]);
    int low = hexadecimal((*from)[2]);
    if (high < 0 || low < 0) {
        return false;
    }
    *ret_byte = (char)(high * 16 + low);
    *from += 2;
    return true;
}

/* The text from start on has a backslash at or behind escape: shortened in place up to its closing quote. */
static char *unescape_rest(char *escape, const char *end, uint32_t format, char **ret_text_end)
{
    char *to = escape;
    for (char *from = escape; from < end; from++) {
        if (*from == '"') {
            *ret_text_end = to;
            return from;
        }
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (from == end || !unescape(&from, end, format, to)) {
            return NULL;
        }
        to++;
    }
    return NULL;
}

bool sy_cursor_quoted(sy_cursor *cursor, uint32_t format, char **ret_text, size_t *ret_size)
{
    sy_cursor_skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != '"') {
        return false;
    }
    char *start = cursor->at + 1;
    char *quote = memchr(start, '"', (size_t)(cursor->end - start));
    if (quote == NULL) {
        return false;
    }
    char *text_end = quote;
    char *escape = memchr(start, '\\', (size_t)(quote - start));
    if (escape != NULL) {
        quote = unescape_rest(escape, cursor->end, format, &text_end);
        if (quote == NULL) {
            return false;
        }
    }
    cursor->at = quote + 1;
    if (cursor->at < cursor->end && !sy_is_word_gap(*cursor->at)) {
        return false;
    }
    *text_end = '\0';
    *ret_text = start;
    *ret_size = (size_t)(text_end - start);
    return true;
}

bool sy_cursor_word(sy_cursor *cursor, char **ret_word, size_t *ret_size)
{
    sy_cursor_skip_blanks(cursor);
    char *start = cursor->at;
    while (cursor->at < cursor->end && !sy_is_word_gap(*cursor->at)) {
        cursor->at++;
    }
    if (cursor->at == start) {
        return false;
    }
    *ret_word = start;
    *ret_size = (size_t)(cursor->at - start);
    if (cursor->at < cursor->end) {
        *cursor->at++ = '\0';
    } else {
        *cursor->at = '\0';
    }
    return true;
}

bool sy_cursor_u64(sy_cursor *cursor, uint64_t *ret_value)
{
    char *word;
    size_t size;
    return sy_cursor_word(cursor, &word, &size) && strlen(word) == size && sy_parse_u64(word, ret_value, NULL) == SY_OK;
}

bool sy_cursor_u32(sy_cursor *cursor, uint32_t *ret_value)
{
    uint64_t value;
    if (!sy_cursor_u64(cursor, &value) || value > UINT32_MAX) {
        return false;
    }
    *ret_value = (uint32_t)value;
    return true;
}

static bool read_double(const char *word, size_t size, double *ret_value)
{
    if (sy_number_scan(word, word + size, false) != word + size) {
        return false;
    }
    double value = sy_number_read(word, size);
    if (!isfinite(value)) {
        return false;
    }
    *ret_value = value;
    return true;
}

bool sy_cursor_double(sy_cursor *cursor, double *ret_value)
{
    char *word;
    size_t size;
    return sy_cursor_word(cursor, &word, &size) && read_double(word, size, ret_value);
}

bool sy_cursor_maybe_double(sy_cursor *cursor, double *ret_value)
{
    char *word;
    size_t size;
    if (!sy_cursor_word(cursor, &word, &size)) {
        return false;
    }
    if (size == 1 && *word == '-') {
        *ret_value = NAN;
        return true;
    }
    return read_double(word, size, ret_value);
}

static bool read_time(const char *word, size_t size, int64_t *ret_utc_s)
{
    return strlen(word) == size && sy_time_parse_utc(word, ret_utc_s, NULL) == SY_OK;
}

bool sy_cursor_time(sy_cursor *cursor, int64_t *ret_utc_s)
{
    char *word;
    size_t size;
    return sy_cursor_word(cursor, &word, &size) && read_time(word, size, ret_utc_s);
}

bool sy_cursor_maybe_time(sy_cursor *cursor, int64_t *ret_utc_s)
{
    char *word;
    size_t size;
    if (!sy_cursor_word(cursor, &word, &size)) {
        return false;
    }
    if (size == 1 && *word == '-') {
        *ret_utc_s = 0;
        return true;
    }
    return read_time(word, size, ret_utc_s);
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

bool sy_has_control_byte(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (is_control((unsigned char)bytes[i])) {
            return true;
        }
    }
    return false;
}

static void append_escape(sy_text *to, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    char escape[4] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
    size_t size = 4;
    if (c == '\n' || c == '\t' || c == '"' || c == '\\') {
        escape[1] = c == '\n' ? 'n' : c == '\t' ? 't' : (char)c;
        size = 2;
    }
    sy_text_append_bytes(to, escape, size);
}

void sy_append_quoted(sy_text *to, uint32_t format, const char *bytes, size_t size)
{
    sy_text_append_bytes(to, "\"", 1);
    size_t plain = 0; /* bytes from here to i need no escape */
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\' || (format != 1 && is_control(c))) {
            sy_text_append_bytes(to, bytes + plain, i - plain);
            append_escape(to, c);
            plain = i + 1;
        }
    }
    sy_text_append_bytes(to, bytes + plain, size - plain);
    sy_text_append_bytes(to, "\"", 1);
}

void sy_append_double(sy_text *to, double value)
{
    if (isnan(value)) {
        sy_text_append_bytes(to, "-", 1);
    } else {
        char digits[SY_NUMBER_TEXT];
        sy_text_append_bytes(to, digits, sy_number_write_17(value, digits));
    }
}
