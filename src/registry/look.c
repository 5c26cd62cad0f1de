/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a JSON document that people wrote, and the findings that the answers make. */
#include "registry/look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        (void)snprintf(to, size, "%.*s", (int)value->text_length, value->text);
        break;
    case SY_JSON_TEXT:
        (void)snprintf(to, size, "%s", value->text);
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

static void tell(const sy_document *document, const sy_json_value *value, uint64_t offset, sy_rule_id rule, bool note,
                 const char *format, va_list arguments)
{
    char message[1024], found[256] = "";
    sy_text pointer = SY_TEXT_INIT;
    sy_format_list(message, sizeof message, format, arguments);
    sy_finding draft = {.rule = sy_rule_word(rule), .file = document->path, .message = message};
    if (value != NULL) {
        show(value, found, sizeof found);
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
    tell(document, value, value != NULL ? value->offset : 0, rule, false, format, arguments);
    va_end(arguments);
}

void sy_complain_name(const sy_document *document, const sy_json_value *member, sy_rule_id rule, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(document, member, member->name_offset, rule, false, format, arguments);
    va_end(arguments);
}

void sy_remark(const sy_document *document, const sy_json_value *value, sy_rule_id rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(document, value, value != NULL ? value->offset : 0, rule, true, format, arguments);
    va_end(arguments);
}

void sy_complain_line(const sy_document *document, uint32_t line, uint32_t column, const char *found, sy_rule_id rule,
                      const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    sy_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    sy_findings_add(document->findings, &(sy_finding){.rule = sy_rule_word(rule),
                                                      .file = document->path,
                                                      .position = {0, line, column},
                                                      .message = message,
                                                      .found = found});
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
        return true;
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
    return value->text;
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

bool sy_is_blank(const char *text)
{
    return text == NULL || text[strspn(text, " \t\r\n\v\f")] == '\0';
}

bool sy_is_hex(const char *text, size_t digits)
{
    return text != NULL && strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}
