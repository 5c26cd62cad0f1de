/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a JSON document that people wrote, and the findings that the answers make. */
#include "registry/files/look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* What stands at a value, for people: a scalar as it is written, a container by its size. */
static void show(const sy_json_value *value, char *to, size_t size)
{
    switch (value->kind) {
    case SY_JSON_ARRAY:
    case SY_JSON_OBJECT:
        (void)snprintf(to, size, "%s of %zu", sy_json_kind_word(value->kind), value->count);
        break;
    case SY_JSON_NUMBER:
        (void)snprintf(to, size, "%.*s", (int)(value->text_length < size ? value->text_length : size - 1), value->text);
        break;
    case SY_JSON_TEXT:
        /* No more is read than has room: a text may be megabytes long, and be told of many times. */
        (void)snprintf(to, size, "%.*s", (int)(size - 1), value->text);
        break;
    case SY_JSON_TRUE:
        (void)snprintf(to, size, "true");
        break;
    case SY_JSON_FALSE:
        (void)snprintf(to, size, "false");
        break;
    default:
        (void)snprintf(to, size, "null");
        break;
    }
}

/* Where of a value a finding stands: at what it says, or at the name that it has in its object. */
typedef enum told_place { AT_VALUE, AT_NAME } told_place;

static void tell(const sy_document *document, const sy_json_value *value, told_place place, sy_rule_id rule, bool note,
                 const char *format, va_list arguments)
{
    char message[1024], found[256] = "";
    sy_text pointer = SY_TEXT_INIT;
    sy_format_list(message, sizeof message, format, arguments);
    sy_finding draft = {.rule = sy_rule_word(rule), .file = document->path, .message = message};
    uint64_t offset = 0;
    if (value != NULL) {
        offset = place == AT_NAME ? value->name_offset : value->offset;
        if (place == AT_NAME) {
            sy_text_copy(found, sizeof found, value->name);
        } else {
            show(value, found, sizeof found);
        }
        sy_json_pointer(value, &pointer);
    }
    if (document->json != NULL) {
        draft.position = sy_json_position(document->json, offset);
    } else if (document->bytes != NULL) {
        draft.position = (sy_position){0, 1, 1};
    }
    draft.found = found;
    draft.pointer = sy_text_bytes(&pointer);
    (note ? sy_findings_note : sy_findings_add)(document->findings, &draft);
    sy_text_finish(&pointer);
}

void sy_complain(const sy_document *document, const sy_json_value *value, sy_rule_id rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(document, value, AT_VALUE, rule, false, format, arguments);
    va_end(arguments);
}

void sy_complain_name(const sy_document *document, const sy_json_value *member, sy_rule_id rule, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(document, member, AT_NAME, rule, false, format, arguments);
    va_end(arguments);
}

void sy_remark(const sy_document *document, const sy_json_value *value, sy_rule_id rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(document, value, AT_VALUE, rule, true, format, arguments);
    va_end(arguments);
}

static void tell_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                      bool note, const char *format, va_list arguments)
{
    char message[1024];
    sy_format_list(message, sizeof message, format, arguments);
    (note ? sy_findings_note : sy_findings_add)(document->findings, &(sy_finding){.rule = sy_rule_word(rule),
                                                                                  .file = document->path,
                                                                                  .position = {0, line, column},
                                                                                  .message = message,
                                                                                  .found = found});
}

void sy_complain_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_line(document, line, column, found, rule, false, format, arguments);
    va_end(arguments);
}

void sy_remark_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_line(document, line, column, found, rule, true, format, arguments);
    va_end(arguments);
}

static bool is_kind(const sy_json_value *value, sy_json_kind kind)
{
    bool wants_boolean = kind == SY_JSON_TRUE || kind == SY_JSON_FALSE;
    return value->kind == kind || (wants_boolean && (value->kind == SY_JSON_TRUE || value->kind == SY_JSON_FALSE));
}

static const char *article(sy_json_kind kind)
{
    return kind == SY_JSON_TRUE || kind == SY_JSON_FALSE || kind == SY_JSON_NULL ? ""
           : kind == SY_JSON_ARRAY || kind == SY_JSON_OBJECT                     ? "an "
                                                                                 : "a ";
}

bool sy_look_kind(const sy_document *document, const sy_json_value *value, const char *what, sy_json_kind kind)
{
    if (is_kind(value, kind)) {
        if (kind != SY_JSON_TEXT || memchr(value->text, '\0', value->text_length) == NULL) {
            return true;
        }
        sy_complain(document, value, SY_RULE_FIELD_TYPE, "%s holds a NUL character, which ends a text elsewhere", what);
        return false;
    }
    if (!sy_json_is_cut(document->json, value)) {
        sy_complain(document, value, SY_RULE_FIELD_TYPE, "%s must be %s%s, not %s%s", what, article(kind),
                    sy_json_kind_word(kind), article(value->kind), sy_json_kind_word(value->kind));
    }
    return false;
}

const sy_json_value *sy_look_optional(const sy_document *document, const sy_json_value *object, const char *name,
                                      sy_json_kind kind)
{
    const sy_json_value *value = object != NULL ? sy_json_member(object, name) : NULL;
    if (value == NULL) {
        return NULL;
    }
    char what[160];
    (void)snprintf(what, sizeof what, "'%s'", name);
    return sy_look_kind(document, value, what, kind) ? value : NULL;
}

const sy_json_value *sy_look(const sy_document *document, const sy_json_value *object, const char *name,
                             sy_json_kind kind)
{
    if (object == NULL) {
        return NULL;
    }
    if (sy_json_member(object, name) == NULL) {
        if (!sy_json_is_cut(document->json, object)) {
            sy_complain(document, object, SY_RULE_FIELD_MISSING, "'%s' is missing here", name);
        }
        return NULL;
    }
    return sy_look_optional(document, object, name, kind);
}

const char *sy_look_text(const sy_document *document, const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_look(document, object, name, SY_JSON_TEXT);
    if (value == NULL) {
        return NULL;
    }
    if (sy_is_blank(value->text)) {
        sy_complain(document, value, SY_RULE_FIELD_BLANK, "'%s' says nothing", name);
        return NULL;
    }
    if (strlen(value->text) != value->text_length) {
        sy_complain(document, value, SY_RULE_FIELD_TYPE, "'%s' holds a NUL character", name);
        return NULL;
    }
    return value->text;
}

bool sy_look_null(const sy_document *document, const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_NULL && !sy_json_is_cut(document->json, value);
}

const char *sy_look_optional_text(const sy_document *document, const sy_json_value *object, const char *name)
{
    return object != NULL && sy_json_member(object, name) != NULL ? sy_look_text(document, object, name) : NULL;
}

bool sy_json_is_integer(const sy_json *json, const sy_json_value *value, int64_t *ret_value)
{
    return value->kind == SY_JSON_NUMBER && sy_json_get_i64(json, value, ret_value, NULL) == SY_OK;
}

bool sy_look_integer(const sy_document *document, const sy_json_value *object, const char *name, int64_t *ret_value)
{
    const sy_json_value *value = sy_look(document, object, name, SY_JSON_NUMBER);
    if (value == NULL) {
        return false;
    }
    if (!sy_json_is_integer(document->json, value, ret_value)) {
        sy_complain(document, value, SY_RULE_FIELD_TYPE, "'%s' must be a whole number, written as one", name);
        return false;
    }
    return true;
}

bool sy_look_bool(const sy_document *document, const sy_json_value *object, const char *name, bool *ret_value)
{
    const sy_json_value *value = sy_look(document, object, name, SY_JSON_TRUE);
    if (value == NULL) {
        return false;
    }
    *ret_value = value->kind == SY_JSON_TRUE;
    return true;
}

/* Complains of the byte at `at`, lines and columns counted from the file's beginning. */
static void complain_byte(const sy_document *document, size_t at, const char *message)
{
    uint32_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < at; i++) {
        if (document->bytes[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    sy_complain_line(document, line, (uint32_t)(at - start) + 1, "", SY_RULE_TEXT_ENCODING, "%s", message);
}

bool sy_look_encoding(const sy_document *document)
{
    const char *bytes = document->bytes;
    if (bytes == NULL) {
        return false;
    }
    size_t size = document->size, nul_count = 0, first_nul = 0, first_bad = SIZE_MAX;
    for (size_t at = 0; at < size;) {
        size_t length = sy_text_character_length(bytes + at, size - at);
        if (length == 0 && first_bad == SIZE_MAX) {
            first_bad = at;
        }
        if (length == 1 && bytes[at] == '\0' && nul_count++ == 0) {
            first_nul = at;
        }
        at += length > 0 ? length : 1;
    }
    bool has_mark = size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    if (has_mark || nul_count > size / 4) {
        complain_byte(document, 0, "a UTF-16 file; convert it to UTF-8");
        return false;
    }
    if (first_bad != SIZE_MAX) {
        complain_byte(document, first_bad, "a byte that is no UTF-8");
    }
    if (nul_count > 0) {
        complain_byte(document, first_nul, "a NUL character, which no text holds");
    }
    return true;
}

void sy_look_schema_version(const sy_document *document, const sy_json_value *object)
{
    int64_t version = 0;
    const sy_json_value *value = sy_json_member(object, "schema_version");
    if (value == NULL) {
        (void)sy_look(document, object, "schema_version", SY_JSON_NUMBER);
    } else if ((!sy_json_is_integer(document->json, value, &version) || version != 1) &&
               !sy_json_is_cut(document->json, value)) {
        sy_complain(document, value, SY_RULE_SCHEMA_VERSION,
                    "schema_version must be the whole number 1, written as 1; nothing else is known to be read here");
    }
}

bool sy_is_blank(const char *text)
{
    /* White space of Unicode, and the two characters of no width that people paste. */
    static const char *const wide[] = {"\xc2\xa0",     "\xc2\x85",     "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                       "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf", "\xe2\x80\x8b"};
    while (text != NULL && *text != '\0') {
        if ((unsigned char)*text > ' ' && (unsigned char)*text < 0x80) {
            return false; /* which nearly all texts are for their first byte */
        }
        size_t length = strspn(text, " \t\r\n\v\f");
        if (length == 0 && strncmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x80 &&
            (unsigned char)text[2] <= 0x8a) {
            length = 3; /* U+2000 to U+200A */
        }
        for (size_t i = 0; length == 0 && i < sizeof wide / sizeof wide[0]; i++) {
            length = sy_text_begins(text, wide[i]) ? strlen(wide[i]) : 0;
        }
        if (length == 0) {
            return false;
        }
        text += length;
    }
    return true;
}

bool sy_is_placeholder(const char *text)
{
    static const char *const words[] = {"todo", "tbd", "tba", "tbc", "fixme", "n/a", "na", "none", "null"};
    if (sy_is_blank(text)) {
        return true;
    }
    const char *start = text + strspn(text, " \t\r\n-.?!:*_");
    if (sy_is_blank(start)) {
        return true; /* no more than dashes and dots */
    }
    size_t length = strlen(start);
    while (length > 0 && strchr(" \t\r\n-.?!:*_", start[length - 1]) != NULL) {
        length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncasecmp(start, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

bool sy_is_hex(const char *text, size_t digits)
{
    return text != NULL && strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}
