/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a parsed JSON document: where, what, and typed values with located errors. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json/json_inside.h"
#include "base/near.h"

const sy_json_value *sy_json_root(const sy_json *json)
{
    return json->root;
}

const sy_json_finding *sy_json_findings(const sy_json *json, size_t *ret_count)
{
    *ret_count = json->finding_count;
    return json->findings;
}

bool sy_json_is_cut(const sy_json *json, const sy_json_value *value)
{
    const sy_json_value *cut = json->cut;
    while (cut != NULL && cut != value) {
        cut = cut->parent;
    }
    return cut != NULL;
}

#define MARK_BYTES 4096

/* Moves a place forwards. */
static void go_to(const sy_json *json, sy_json_place *place, uint64_t offset)
{
    while (place->offset < offset) {
        const char *from = json->bytes + place->offset;
        const char *line_end = memchr(from, '\n', (size_t)(offset - place->offset));
        if (line_end == NULL) {
            place->offset = offset;
        } else {
            place->offset = (uint64_t)(line_end - json->bytes) + 1;
            place->line++;
            place->line_start = place->offset;
        }
    }
}

/* Without memory for them everything is counted from the beginning, which is slow and right. */
static void set_marks(const sy_json *json)
{
    size_t count = json->size / MARK_BYTES + 1;
    sy_json_place place = {json->text_start, json->text_start, 1};
    sy_json_place *marks = sy_arena_allocate(json->arena, count, sizeof *marks);
    for (size_t i = 0; marks != NULL && i < count; i++) {
        go_to(json, &place, i * MARK_BYTES);
        marks[i] = place;
    }
    json->cursor->marks = marks;
}

sy_position sy_json_position(const sy_json *json, uint64_t offset)
{
    /* Counted from the last answer: a walk through the document costs one pass in all. Who asks backwards, and from
     * then on, is answered from the nearest mark. */
    sy_json_place *at = &json->cursor->at;
    if (offset > json->size) {
        offset = json->size;
    }
    if (offset < json->text_start) {
        return (sy_position){offset, 1, 1};
    }
    if (offset < at->offset && json->cursor->marks == NULL) {
        set_marks(json);
    }
    if (json->cursor->marks != NULL) {
        *at = json->cursor->marks[offset / MARK_BYTES];
    } else if (offset < at->offset) {
        *at = (sy_json_place){json->text_start, json->text_start, 1};
    }
    go_to(json, at, offset);
    return (sy_position){offset, at->line, (uint32_t)(offset - at->line_start) + 1};
}

/* One step of a pointer, backwards, for the whole is turned round at the end. */
static void append_step_reversed(sy_text *text, const sy_json_value *value)
{
    if (value->name == NULL) {
        size_t index = value->index;
        do {
            char digit = (char)('0' + index % 10);
            sy_text_append_bytes(text, &digit, 1);
            index /= 10;
        } while (index > 0);
    } else {
        for (size_t i = value->name_length; i > 0; i--) {
            char c = value->name[i - 1];
            if (c == '~') {
                sy_text_append_bytes(text, "0~", 2);
            } else if (c == '/') {
                sy_text_append_bytes(text, "1~", 2);
            } else {
                sy_text_append_bytes(text, &c, 1);
            }
        }
    }
    sy_text_append_bytes(text, "/", 1);
}

void sy_json_pointer(const sy_json_value *value, sy_text *text)
{
    size_t start = text->length;
    for (const sy_json_value *v = value; v->parent != NULL; v = v->parent) {
        append_step_reversed(text, v);
    }
    for (size_t low = start, high = text->length; low + 1 < high; low++) {
        high--;
        char c = text->bytes[low];
        text->bytes[low] = text->bytes[high];
        text->bytes[high] = c;
    }
}

const sy_json_value *sy_json_member(const sy_json_value *value, const char *name)
{
    if (value == NULL || value->kind != SY_JSON_OBJECT) {
        return NULL;
    }
    size_t length = strlen(name);
    for (const sy_json_value *member = value->first; member != NULL; member = member->next) {
        if (member->name_length == length && memcmp(member->name, name, length) == 0) {
            return member;
        }
    }
    return NULL;
}

const sy_json_value *sy_json_element(const sy_json_value *value, size_t index)
{
    if (value == NULL || index >= value->count) {
        return NULL;
    }
    const sy_json_value *element = value->first;
    while (index-- > 0) {
        element = element->next;
    }
    return element;
}

const char *sy_json_kind_word(sy_json_kind kind)
{
    switch (kind) {
    case SY_JSON_NULL:
        return "null";
    case SY_JSON_FALSE:
    case SY_JSON_TRUE:
        return "true or false";
    case SY_JSON_NUMBER:
        return "number";
    case SY_JSON_TEXT:
        return "text";
    case SY_JSON_ARRAY:
        return "array";
    case SY_JSON_OBJECT:
        return "object";
    }
    return "unknown";
}

sy_status sy_json_fail(const sy_json *json, const sy_json_value *value, sy_error *err, const char *format, ...)
{
    if (err == NULL) {
        return SY_CORRUPT;
    }
    char what[sizeof err->what];
    va_list arguments;
    va_start(arguments, format);
    sy_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    if (value == NULL) {
        return sy_fail(err, SY_CORRUPT, "%s", what);
    }
    sy_text pointer = SY_TEXT_INIT;
    sy_json_pointer(value, &pointer);
    /* The root's pointer is empty. A very long one gives way to what is said of the value. */
    const char *place = pointer.failed || pointer.length > 0 ? sy_text_bytes(&pointer) : "the whole";
    int room = (int)(sizeof err->what - strlen(what) - sizeof ": ");
    if (room < 40) {
        room = 40;
    }
    sy_fail(err, SY_CORRUPT, "%.*s: %s", room, place, what);
    sy_error_at(err, sy_json_position(json, value->offset));
    sy_text_finish(&pointer);
    return SY_CORRUPT;
}

static sy_status wrong_kind(const sy_json *json, const sy_json_value *value, const char *expected, sy_error *err)
{
    if (value == NULL) {
        return sy_json_fail(json, NULL, err, "expected %s, found nothing", expected);
    }
    return sy_json_fail(json, value, err, "expected %s, found %s", expected, sy_json_kind_word(value->kind));
}

sy_status sy_json_get_text(const sy_json *json, const sy_json_value *value, const char **ret_text, sy_error *err)
{
    if (value == NULL || value->kind != SY_JSON_TEXT) {
        return wrong_kind(json, value, "text", err);
    }
    if (memchr(value->text, '\0', value->text_length) != NULL) {
        return sy_json_fail(json, value, err, "expected text, found a NUL byte in it");
    }
    *ret_text = value->text;
    return SY_OK;
}

/* How much of a number's digits a message shows. */
static int shown_length(const sy_json_value *value)
{
    return value->text_length < 40 ? (int)value->text_length : 40;
}

sy_status sy_json_get_double(const sy_json *json, const sy_json_value *value, double *ret_value, sy_error *err)
{
    if (value == NULL || value->kind != SY_JSON_NUMBER) {
        return wrong_kind(json, value, "number", err);
    }
    if (!isfinite(value->number)) {
        return sy_json_fail(json, value, err, "expected a finite number, found %.*s", shown_length(value), value->text);
    }
    *ret_value = value->number;
    return SY_OK;
}

sy_status sy_json_get_i64(const sy_json *json, const sy_json_value *value, int64_t *ret_value, sy_error *err)
{
    if (value == NULL || value->kind != SY_JSON_NUMBER) {
        return wrong_kind(json, value, "whole number", err);
    }
    char digits[24];
    int64_t read;
    if (value->text_length < sizeof digits) {
        memcpy(digits, value->text, value->text_length);
        digits[value->text_length] = '\0';
        if (sy_parse_i64(digits, &read, NULL) == SY_OK) {
            *ret_value = read;
            return SY_OK;
        }
    }
    return sy_json_fail(json, value, err, "expected a whole number from %" PRId64 " to %" PRId64 ", found %.*s",
                        INT64_MIN, INT64_MAX, shown_length(value), value->text);
}

sy_status sy_json_get_bool(const sy_json *json, const sy_json_value *value, bool *ret_value, sy_error *err)
{
    if (value == NULL || (value->kind != SY_JSON_TRUE && value->kind != SY_JSON_FALSE)) {
        return wrong_kind(json, value, "true or false", err);
    }
    *ret_value = value->kind == SY_JSON_TRUE;
    return SY_OK;
}

sy_status sy_json_refuse_unknown_members(const sy_json *json, const sy_json_value *object, const char *const *known,
                                         sy_error *err)
{
    if (object == NULL || object->kind != SY_JSON_OBJECT) {
        return wrong_kind(json, object, "object", err);
    }
    for (const sy_json_value *member = object->first; member != NULL; member = member->next) {
        const char *const *name = known;
        while (*name != NULL &&
               (strlen(*name) != member->name_length || memcmp(*name, member->name, member->name_length) != 0)) {
            name++;
        }
        if (*name != NULL) {
            continue;
        }
        sy_json_fail(json, member, err, "no member of that name is known here");
        if (err != NULL) {
            sy_error_at(err, sy_json_position(json, member->name_offset));
            sy_nearest nearest = {member->name, member->name_length, NULL, 0};
            for (name = known; *name != NULL; name++) {
                sy_nearest_offer(&nearest, *name);
            }
            if (nearest.found != NULL) {
                sy_error_hint(err, "did you mean '%s'?", nearest.found);
            }
        }
        return SY_CORRUPT;
    }
    return SY_OK;
}
