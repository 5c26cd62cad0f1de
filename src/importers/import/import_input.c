/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around a document: a byte order mark, UTF-16 as some shells redirect it, lines that a program printed
 * before its JSON. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "importers/import/import_readers.h"

static uint32_t unit_at(const unsigned char *at, bool big)
{
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static char *put_utf8(char *to, uint32_t character)
{
    if (character < 0x80) {
        *to++ = (char)character;
        return to;
    }
    if (character < 0x800) {
        *to++ = (char)(0xc0 | character >> 6);
    } else {
        if (character < 0x10000) {
            *to++ = (char)(0xe0 | character >> 12);
        } else {
            *to++ = (char)(0xf0 | character >> 18);
            *to++ = (char)(0x80 | (character >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (character >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (character & 0x3f));
    return to;
}

/* What is no character becomes U+FFFD, and is counted. */
static size_t convert(const unsigned char *bytes, size_t units, bool big, char *to, size_t *ret_bad)
{
    char *at = to;

    *ret_bad = 0;
    for (size_t i = 0; i < units; i++) {
        uint32_t character = unit_at(bytes + 2 * i, big);
        uint32_t next = i + 1 < units ? unit_at(bytes + 2 * (i + 1), big) : 0;

        if (character >= 0xd800 && character < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            character = 0x10000 + ((character - 0xd800) << 10) + (next - 0xdc00);
            i++;
        } else if (character >= 0xd800 && character < 0xe000) {
            character = 0xfffd;
            ++*ret_bad;
        }
        at = put_utf8(at, character);
    }
    *at = '\0';
    return (size_t)(at - to);
}

static sy_status refuse(sy_error *err, const char *encoding)
{
    sy_fail(err, SY_INVALID_ARGUMENT, "the file is %s", encoding);
    sy_error_hint(err, "convert it to UTF-8: iconv -f %s -t UTF-8",
                  strncmp(encoding, "UTF-32", 6) == 0 ? "UTF-32" : "UTF-16LE");
    return SY_INVALID_ARGUMENT;
}

sy_status sy_import_to_utf8(char *bytes, size_t size, char **ret_text, char **ret_at, size_t *ret_size,
                            sy_import_draft *draft, sy_error *err)
{
    bool little = size >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0;
    bool big = size >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0;
    size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t bad = 0;
    char *text;

    if (size >= 4 && (memcmp(bytes, "\xff\xfe\0\0", 4) == 0 || memcmp(bytes, "\0\0\xfe\xff", 4) == 0))
        return refuse(err, "UTF-32");
    if (!little && !big) {
        if (size >= 2 && (bytes[0] == '\0' || bytes[1] == '\0'))
            return refuse(err, "UTF-16 without a byte order mark");
        *ret_text = NULL;
        *ret_at = bytes + mark;
        *ret_size = size - mark;
        return SY_OK;
    }
    /* a unit of two bytes becomes at most three */
    text = size < SIZE_MAX / 3 ? sy_allocate(size / 2 * 3 + 1, 1) : NULL;
    if (text == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to convert %zu bytes of UTF-16", size);
    *ret_size = convert((const unsigned char *)bytes + 2, (size - 2) / 2, big, text, &bad);
    sy_import_note(draft, "the file was UTF-16: places are those of its text in UTF-8");
    if (bad > 0 || size % 2 > 0)
        sy_import_note(draft, "%zu halves of characters in it were none", bad + size % 2);
    *ret_text = text;
    *ret_at = text;
    return SY_OK;
}

/* Whether a JSON document may begin here: no log line that has a word in brackets. */
static bool begins_document(const char *at, const char *end)
{
    char opened = *at++;

    if (opened != '{' && opened != '[')
        return false;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
        at++;
    if (at == end || *at == (opened == '{' ? '}' : ']'))
        return true;
    return opened == '{' ? *at == '"' : *at == '{';
}

bool sy_import_blank_preamble(char *text, size_t size, sy_import_draft *draft)
{
    char *end = text + size;
    char *at = text;
    size_t lines = 0;

    while (at < end) {
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        char *first = at;

        while (first < end && (*first == ' ' || *first == '\t' || *first == '\r'))
            first++;
        if (first < end && begins_document(first, end))
            break;
        lines += first < (line_end != NULL ? line_end : end);
        at = line_end != NULL ? line_end + 1 : end;
    }
    if (at == end)
        return false;
    if (lines > 0)
        sy_import_reject_at(draft, (sy_position){0, 1, 1}, "", "%zu lines before the JSON are none of it", lines);
    for (char *c = text; c < at; c++)
        *c = *c == '\n' ? '\n' : ' ';
    return true;
}
