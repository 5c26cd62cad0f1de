/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: one pass, no recursion, a tree of values in an arena. Strings are json_string.c, repeated names
 * json_names.c, questions to the tree json_access.c. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json/json_inside.h"
#include "base/memory.h"
#include "base/number.h"

#define SPACES_8 UINT64_C(0x2020202020202020)
#define SMALLEST_CHUNK 16
#define LARGEST_CHUNK 8192

bool sy_json_stop(sy_json_parser *parser, sy_status status, const char *at, const char *format, ...)
{
    parser->status = status;
    if (parser->err != NULL) {
        char what[sizeof parser->err->what];
        va_list arguments;
        va_start(arguments, format);
        sy_format_list(what, sizeof what, format, arguments);
        va_end(arguments);
        sy_fail(parser->err, status, "%s", what);
        sy_error_at(parser->err, sy_json_position(parser->json, (uint64_t)(at - parser->json->bytes)));
    }
    return false;
}

bool sy_json_expected(sy_json_parser *parser, const char *at, const char *expected)
{
    unsigned char c = (unsigned char)*at;
    if (at >= parser->end) {
        return sy_json_stop(parser, SY_CORRUPT, at, "expected %s, found the end", expected);
    }
    if (c <= 0x20 || c >= 0x7f) {
        return sy_json_stop(parser, SY_CORRUPT, at, "expected %s, found the byte 0x%02x", expected, c);
    }
    int length = 1;
    while (length < 20 && ((at[length] >= 'a' && at[length] <= 'z') || (at[length] >= 'A' && at[length] <= 'Z')) &&
           ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) {
        length++;
    }
    return sy_json_stop(parser, SY_CORRUPT, at, "expected %s, found '%.*s'", expected, length, at);
}

bool sy_json_note(sy_json_parser *parser, sy_json_finding_kind kind, uint64_t offset, const sy_json_value *value)
{
    sy_json *json = parser->json;
    if (json->finding_count == parser->limits->findings) {
        return sy_json_stop(parser, SY_LIMIT_EXCEEDED, json->bytes + offset, "more than %zu findings",
                            parser->limits->findings);
    }
    if (json->finding_count == json->finding_capacity) {
        size_t capacity = json->finding_capacity == 0 ? 8 : json->finding_capacity * 2;
        sy_json_finding *findings = sy_reallocate(json->findings, capacity, sizeof *findings);
        if (findings == NULL) {
            return sy_json_stop(parser, SY_NO_MEMORY, json->bytes + offset, "no memory for the findings");
        }
        json->findings = findings;
        json->finding_capacity = capacity;
    }
    json->findings[json->finding_count++] = (sy_json_finding){kind, offset, value};
    return true;
}

static void skip_space(sy_json_parser *parser)
{
    const char *at = parser->at;
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
        at++;
        /* Indented files have long runs of spaces. */
        uint64_t word;
        memcpy(&word, at, sizeof word);
        while (word == SPACES_8) {
            at += sizeof word;
            memcpy(&word, at, sizeof word);
        }
    }
    parser->at = parser->json->bytes + (at - parser->json->bytes);
}

/* A new value behind the open one's last child, named by the name that was read; NULL: stopped. */
static sy_json_value *add_value(sy_json_parser *parser)
{
    if (parser->fresh_count == 0) {
        size_t left = (size_t)(parser->end - parser->at);
        /* No more values than bytes can come, plus this one. */
        size_t count = left / 8 + 1;
        count = count > LARGEST_CHUNK ? LARGEST_CHUNK : count < SMALLEST_CHUNK ? SMALLEST_CHUNK : count;
        parser->fresh = sy_arena_allocate(parser->json->arena, count, sizeof *parser->fresh);
        if (parser->fresh == NULL) {
            sy_json_stop(parser, SY_NO_MEMORY, parser->at, "no memory for the values");
            return NULL;
        }
        parser->fresh_count = count;
    }
    sy_json_value *value = parser->fresh++;
    parser->fresh_count--;
    sy_json_value *open = parser->open;
    value->offset = (uint64_t)(parser->at - parser->json->bytes);
    if (open == NULL) {
        parser->json->root = value;
        return value;
    }
    value->parent = open;
    value->depth = open->depth + 1;
    value->name = parser->name;
    if (open->kind == SY_JSON_ARRAY) {
        value->index = open->count;
    } else {
        value->name_length = parser->name_length;
    }
    value->name_offset = parser->name_offset;
    sy_json_value *last = (sy_json_value *)open->next;
    if (last == NULL) {
        open->first = value;
    } else {
        last->next = value;
    }
    open->next = value;
    open->count++;
    return value;
}

/* Reads `"name" :` and leaves at on the value. */
static bool read_name(sy_json_parser *parser)
{
    if (*parser->at != '"') {
        return sy_json_expected(parser, parser->at, "a member's name in quotes");
    }
    uint64_t offset = (uint64_t)(parser->at - parser->json->bytes);
    uint64_t bad;
    if (!sy_json_read_string(parser, &parser->name, &parser->name_length, &bad)) {
        return false;
    }
    parser->name_offset = offset;
    if (bad != UINT64_MAX && !sy_json_note(parser, SY_JSON_BAD_UTF8, bad, parser->open)) {
        return false;
    }
    skip_space(parser);
    if (*parser->at != ':') {
        return sy_json_expected(parser, parser->at, "':' after a member's name");
    }
    parser->at++;
    skip_space(parser);
    return true;
}

/* The word at parser->at, if it stands there and ends there. */
static bool take_word(sy_json_parser *parser, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(parser->at, word, length) != 0) {
        return false;
    }
    char next = parser->at[length];
    if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || (next >= '0' && next <= '9') || next == '_') {
        return false;
    }
    parser->at += length;
    return true;
}

/* NaN and infinities as several programs print them, with or without a minus. */
static bool read_non_finite(sy_json_parser *parser, sy_json_value *value)
{
    char *start = parser->at;
    bool negative = *start == '-';
    parser->at += negative;
    if (take_word(parser, "NaN") || take_word(parser, "nan")) {
        value->number = NAN;
    } else if (take_word(parser, "Infinity") || take_word(parser, "inf")) {
        value->number = negative ? -INFINITY : INFINITY;
    } else {
        parser->at = start;
        return sy_json_expected(parser, negative ? start + 1 : start, negative ? "a digit after '-'" : "a value");
    }
    value->kind = SY_JSON_NUMBER;
    value->text = start;
    value->text_length = (size_t)(parser->at - start);
    return sy_json_note(parser, SY_JSON_NON_FINITE, value->offset, value);
}

/* The end of a whole number of at most 15 digits, which a double holds exactly: the commonest number by far. NULL: it
 * is another kind, or wrong. */
static char *read_short_whole(char *start, double *ret_number)
{
    bool negative = *start == '-';
    char *first = start + negative;
    char *at = first;
    uint64_t magnitude = 0;
    while (*at >= '0' && *at <= '9' && at < first + 16) {
        magnitude = magnitude * 10 + (uint64_t)(*at - '0');
        at++;
    }
    bool other = at == first || at == first + 16 || *at == '.' || *at == 'e' || *at == 'E' ||
                 (*first == '0' && at > first + 1);
    *ret_number = negative ? -(double)magnitude : (double)magnitude;
    return other ? NULL : at;
}

static bool read_number(sy_json_parser *parser, sy_json_value *value)
{
    char *start = parser->at;
    char *whole_end = read_short_whole(start, &value->number);
    if (whole_end != NULL) {
        value->kind = SY_JSON_NUMBER;
        value->text = start;
        value->text_length = (size_t)(whole_end - start);
        parser->at = whole_end;
        return true;
    }
    if (*start == '-' && (start[1] < '0' || start[1] > '9')) {
        return read_non_finite(parser, value);
    }
    const char *end = sy_number_scan(start, parser->end, true);
    if (end == NULL) {
        return sy_json_stop(parser, SY_CORRUPT, start,
                            "expected a number without leading zeros and with digits after '.' and 'e', found '%.*s'",
                            (int)strspn(start, "+-0123456789.eE"), start);
    }
    value->kind = SY_JSON_NUMBER;
    value->text = start;
    value->text_length = (size_t)(end - start);
    value->number = sy_number_read(start, value->text_length);
    parser->at = start + value->text_length;
    return isfinite(value->number) || sy_json_note(parser, SY_JSON_NON_FINITE, value->offset, value);
}

static bool read_scalar(sy_json_parser *parser, sy_json_value *value)
{
    switch (*parser->at) {
    case '"': {
        uint64_t bad;
        value->kind = SY_JSON_TEXT;
        return sy_json_read_string(parser, &value->text, &value->text_length, &bad) &&
               (bad == UINT64_MAX || sy_json_note(parser, SY_JSON_BAD_UTF8, bad, value));
    }
    case 't':
        value->kind = SY_JSON_TRUE;
        return take_word(parser, "true") || sy_json_expected(parser, parser->at, "a value");
    case 'f':
        value->kind = SY_JSON_FALSE;
        return take_word(parser, "false") || sy_json_expected(parser, parser->at, "a value");
    case 'n':
        value->kind = SY_JSON_NULL;
        return take_word(parser, "null") || read_non_finite(parser, value);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(parser, value);
    default:
        return read_non_finite(parser, value);
    }
}

static bool open_container(sy_json_parser *parser, sy_json_value *value)
{
    if (value->depth >= parser->limits->depth) {
        return sy_json_stop(parser, SY_LIMIT_EXCEEDED, parser->at, "more than %u nested arrays and objects",
                            (unsigned)parser->limits->depth);
    }
    value->kind = *parser->at == '{' ? SY_JSON_OBJECT : SY_JSON_ARRAY;
    parser->open = value;
    parser->at++;
    skip_space(parser);
    return true;
}

static bool close_container(sy_json_parser *parser)
{
    sy_json_value *closed = parser->open;
    parser->at++;
    closed->next = NULL;
    parser->open = (sy_json_value *)closed->parent;
    return closed->kind != SY_JSON_OBJECT || closed->count < 2 || sy_json_note_duplicates(parser, closed);
}

/* Behind a value: closes what ends here and steps over a comma. *ret_more: another value follows. */
static bool read_separators(sy_json_parser *parser, bool *ret_more)
{
    for (;;) {
        skip_space(parser);
        if (parser->open == NULL) {
            *ret_more = false;
            return parser->at == parser->end || sy_json_expected(parser, parser->at, "the end behind the value");
        }
        bool in_object = parser->open->kind == SY_JSON_OBJECT;
        if (*parser->at == ',') {
            parser->at++;
            skip_space(parser);
            *ret_more = true;
            return !in_object || read_name(parser);
        }
        if (*parser->at != (in_object ? '}' : ']')) {
            return sy_json_expected(parser, parser->at, in_object ? "',' or '}'" : "',' or ']'");
        }
        if (!close_container(parser)) {
            return false;
        }
    }
}

static bool parse_values(sy_json_parser *parser)
{
    skip_space(parser);
    bool more = true;
    while (more) {
        sy_json_value *value = add_value(parser);
        if (value == NULL) {
            return false;
        }
        if (*parser->at == '{' || *parser->at == '[') {
            if (!open_container(parser, value)) {
                return false;
            }
            bool is_object = value->kind == SY_JSON_OBJECT;
            if (*parser->at != (is_object ? '}' : ']')) {
                parser->name = NULL;
                parser->name_length = 0;
                parser->name_offset = 0;
                if (is_object && !read_name(parser)) {
                    return false;
                }
                continue;
            }
        } else {
            parser->half_read = value;
            if (!read_scalar(parser, value)) {
                return false;
            }
            parser->half_read = NULL;
        }
        if (!read_separators(parser, &more)) {
            return false;
        }
        if (more && parser->open->kind == SY_JSON_ARRAY) {
            parser->name = NULL;
            parser->name_length = 0;
            parser->name_offset = 0;
        }
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const sy_json_finding *left = a;
    const sy_json_finding *right = b;
    if (left->offset != right->offset) {
        return left->offset < right->offset ? -1 : 1;
    }
    return (left->kind > right->kind) - (left->kind < right->kind);
}

/* Names encodings that are not UTF-8 before their bytes are called wrong. */
static bool check_encoding(sy_json_parser *parser)
{
    const unsigned char *bytes = (const unsigned char *)parser->json->bytes;
    size_t size = parser->json->size;
    if (size >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf) {
        parser->json->text_start = 3;
        parser->json->cursor->at.offset = 3;
        parser->json->cursor->at.line_start = 3;
        parser->at += 3;
        return true;
    }
    bool wide = size >= 4 && ((bytes[0] == 0xff && bytes[1] == 0xfe && bytes[2] == 0 && bytes[3] == 0) ||
                              (bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0xfe && bytes[3] == 0xff));
    bool marked = size >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
    bool unmarked = size >= 2 && (bytes[0] == 0) != (bytes[1] == 0);
    if (wide || marked || unmarked) {
        return sy_json_stop(parser, SY_CORRUPT, parser->at, "UTF-%s file; convert it to UTF-8", wide ? "32" : "16");
    }
    return true;
}

static sy_json *create_document(const void *bytes, size_t size)
{
    sy_json *json = size > SIZE_MAX - SY_JSON_PADDING ? NULL : sy_allocate(1, sizeof *json);
    if (json == NULL) {
        return NULL;
    }
    json->size = size;
    json->arena = sy_arena_create(0);
    json->cursor = sy_allocate(1, sizeof *json->cursor);
    json->bytes = sy_reallocate(NULL, size + SY_JSON_PADDING, 1);
    if (json->arena == NULL || json->cursor == NULL || json->bytes == NULL) {
        sy_json_destroy(json);
        return NULL;
    }
    if (size > 0) {
        memcpy(json->bytes, bytes, size);
    }
    memset(json->bytes + size, 0, SY_JSON_PADDING);
    json->cursor->at.line = 1;
    return json;
}

/* After damage: closes what is open, so that the tree can be walked, and remembers which values were cut. */
static void close_cut(sy_json_parser *parser)
{
    parser->json->cut = parser->open;
    if (parser->half_read != NULL) {
        parser->half_read->kind = SY_JSON_NULL; /* whoever walks the tree meets no text without bytes */
        parser->json->cut = parser->half_read;
    }
    while (parser->open != NULL) {
        sy_json_value *closed = parser->open;
        closed->next = NULL;
        parser->open = (sy_json_value *)closed->parent;
        if (closed->kind == SY_JSON_OBJECT && closed->count > 1) {
            (void)sy_json_note_duplicates(parser, closed);
        }
    }
}

static sy_status parse(const void *bytes, size_t size, const sy_json_limits *limits, bool keep_prefix,
                       sy_json **ret_json, sy_error *err)
{
    static const sy_json_limits defaults = SY_JSON_LIMITS_INIT;
    if (limits == NULL) {
        limits = &defaults;
    }
    if (limits->size_bytes != 0 && size > limits->size_bytes) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%zu bytes of JSON, above the limit of %zu", size, limits->size_bytes);
    }
    sy_json *json = create_document(bytes, size);
    if (json == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu bytes of JSON", size);
    }
    sy_json_parser parser = {
        .json = json, .at = json->bytes, .end = json->bytes + size, .limits = limits, .err = err, .status = SY_OK};
    sy_status status = check_encoding(&parser) && parse_values(&parser) ? SY_OK : parser.status;
    bool keep = status == SY_OK || (keep_prefix && json->root != NULL && status != SY_NO_MEMORY);
    if (keep && status != SY_OK) {
        parser.err = NULL; /* the first failure is the one to tell */
        close_cut(&parser);
        keep = parser.status != SY_NO_MEMORY;
        status = keep ? status : SY_NO_MEMORY;
    }
    sy_free(parser.slots);
    if (!keep) {
        sy_json_destroy(json);
        return status;
    }
    if (json->finding_count > 1) {
        qsort(json->findings, json->finding_count, sizeof *json->findings, by_offset);
    }
    *ret_json = json;
    return status;
}

sy_status sy_json_parse(const void *bytes, size_t size, const sy_json_limits *limits, sy_json **ret_json, sy_error *err)
{
    return parse(bytes, size, limits, false, ret_json, err);
}

sy_status sy_json_parse_prefix(const void *bytes, size_t size, const sy_json_limits *limits, sy_json **ret_json,
                               sy_error *err)
{
    return parse(bytes, size, limits, true, ret_json, err);
}

void sy_json_destroy(sy_json *json)
{
    if (json != NULL) {
        sy_arena_destroy(json->arena);
        sy_free(json->cursor);
        sy_free(json->findings);
        sy_free(json->bytes);
        sy_free(json);
    }
}
