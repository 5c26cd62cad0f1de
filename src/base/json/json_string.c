/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of the JSON reader: found eight bytes at a time and left in place; one with escapes or bad UTF-8 is decoded
 * into the document's arena. */
#include <string.h>

#include "base/json/json_inside.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)
#define HIGH_BITS UINT64_C(0x8080808080808080)

/* The first byte from at on that is a quote, a backslash, a control byte or not ASCII. The padding ends the search.
 * A byte test is exact up to the first hit: borrows spoil only the bytes above it. */
static char *skip_plain(char *at)
{
    for (;;) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        uint64_t quote = word ^ (EACH_BYTE * '"');
        uint64_t backslash = word ^ (EACH_BYTE * '\\');
        uint64_t hits = ((quote - EACH_BYTE) & ~quote) | ((backslash - EACH_BYTE) & ~backslash) |
                        ((word - EACH_BYTE * 0x20) & ~word) | word;
        hits &= HIGH_BITS;
        if (hits == 0) {
            at += sizeof word;
            continue;
        }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return at + (__builtin_ctzll(hits) >> 3);
#else
        while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80) {
            at++;
        }
        return at;
#endif
    }
}

static int hexadecimal_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits of \uXXXX; -1 when one is none. */
static int32_t read_unit(const char *digits)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int value = hexadecimal_value(digits[i]);
        if (value < 0) {
            return -1;
        }
        unit = unit << 4 | value;
    }
    return unit;
}

static size_t write_character(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Finds the closing quote and counts the bytes that are no UTF-8; NULL: stopped. */
static char *find_end(sy_json_parser *parser, char *text, size_t *ret_bad_count)
{
    size_t bad_count = 0;
    char *at = text;
    for (;;) {
        at = skip_plain(at);
        unsigned char c = (unsigned char)*at;
        if (c == '"') {
            *ret_bad_count = bad_count;
            return at;
        }
        if (c == '\\') {
            at += at + 1 < parser->end ? 2 : 1;
        } else if (c >= 0x80) {
            size_t length = sy_text_character_length(at, (size_t)(parser->end - at));
            bad_count += length == 0;
            at += length == 0 ? 1 : length;
        } else if (at >= parser->end) {
            sy_json_stop(parser, SY_CORRUPT, text - 1, "expected a closing quote for this string, found the end");
            return NULL;
        } else if (c == '\n' || c == '\r') {
            sy_json_stop(parser, SY_CORRUPT, at, "expected a closing quote, found a line break in a string");
            return NULL;
        } else {
            sy_json_stop(parser, SY_CORRUPT, at, "expected an escape, found the control byte 0x%02x in a string", c);
            return NULL;
        }
    }
}

/* Decodes \uXXXX at *at (its backslash), with the second half of a pair. false when a digit is missing. A lone
 * surrogate is no character: U+FFFD, *ret_bad. */
static bool read_escaped_character(const char **at, uint32_t *ret_character, bool *ret_bad)
{
    int32_t unit = read_unit(*at + 2);
    if (unit < 0) {
        return false;
    }
    *at += 6;
    *ret_bad = false;
    *ret_character = (uint32_t)unit;
    if (unit >= 0xd800 && unit < 0xdc00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        int32_t low = read_unit(*at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            *at += 6;
            *ret_character = 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
            return true;
        }
    }
    if (unit >= 0xd800 && unit < 0xe000) {
        *ret_character = 0xfffd;
        *ret_bad = true;
    }
    return true;
}

/* Decodes one escape at *at into to; returns the bytes written, 0: stopped. */
static size_t decode_escape(sy_json_parser *parser, const char **at, char *to, uint64_t *bad)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *escape = *at;
    if (escape[1] == 'u') {
        uint32_t character;
        bool is_bad;
        if (!read_escaped_character(at, &character, &is_bad)) {
            sy_json_stop(parser, SY_CORRUPT, escape, "expected four hexadecimal digits after \\u");
            return 0;
        }
        if (is_bad && *bad == UINT64_MAX) {
            *bad = (uint64_t)(escape - parser->json->bytes);
        }
        return write_character(to, character);
    }
    const char *letter = escape[1] == '\0' ? NULL : strchr(letters, escape[1]);
    if (letter == NULL) {
        sy_json_expected(parser, escape + 1, "one of \"\\/bfnrtu after a backslash");
        return 0;
    }
    *at += 2;
    *to = meanings[letter - letters];
    return 1;
}

static bool decode(sy_json_parser *parser, const char *text, const char *end, size_t bad_count, const char **ret_text,
                   size_t *ret_length, uint64_t *ret_bad)
{
    /* No escape is shorter than what it stands for; a bad byte of one becomes the three of U+FFFD. */
    char *decoded = sy_arena_allocate(parser->json->arena, (size_t)(end - text) + 2 * bad_count + 1, 1);
    if (decoded == NULL) {
        return sy_json_stop(parser, SY_NO_MEMORY, text, "no memory for a string");
    }
    char *to = decoded;
    for (const char *at = text; at < end;) {
        if (*at == '\\') {
            size_t written = decode_escape(parser, &at, to, ret_bad);
            if (written == 0) {
                return false;
            }
            to += written;
            continue;
        }
        size_t length = (unsigned char)*at < 0x80 ? 1 : sy_text_character_length(at, (size_t)(end - at));
        if (length == 0) {
            if (*ret_bad == UINT64_MAX) {
                *ret_bad = (uint64_t)(at - parser->json->bytes);
            }
            to += write_character(to, 0xfffd);
            at++;
            continue;
        }
        memcpy(to, at, length);
        to += length;
        at += length;
    }
    *ret_text = decoded;
    *ret_length = (size_t)(to - decoded);
    return true;
}

bool sy_json_read_string(sy_json_parser *parser, const char **ret_text, size_t *ret_length, uint64_t *ret_bad)
{
    char *text = parser->at + 1;
    char *end = skip_plain(text);
    *ret_bad = UINT64_MAX;
    while ((unsigned char)*end >= 0x80) {
        size_t length = sy_text_character_length(end, (size_t)(parser->end - end));
        if (length == 0) {
            break;
        }
        end = skip_plain(end + length);
    }
    if (*end == '"') {
        *end = '\0';
        *ret_text = text;
        *ret_length = (size_t)(end - text);
        parser->at = end + 1;
        return true;
    }
    size_t bad_count;
    end = find_end(parser, text, &bad_count);
    if (end == NULL || !decode(parser, text, end, bad_count, ret_text, ret_length, ret_bad)) {
        return false;
    }
    parser->at = end + 1;
    return true;
}
