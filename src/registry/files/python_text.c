/* SPDX-License-Identifier: Apache-2.0 */
/* Prints JSON values as Python does (repr of floats: Python's float_repr_style "short"; json: the standard library's
 * encoder with ensure_ascii). */
#include "registry/files/python_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* ---- numbers ---- */

/* A finite number as digits without zeros at either end, and where the point stands: 0.DIGITS * 10^point. */
typedef struct decimal {
    char digits[SY_NUMBER_TEXT];
    size_t count;
    int point;
} decimal;

static decimal split(double value)
{
    char text[SY_NUMBER_TEXT];
    decimal d = {.point = 0};
    int seen_point = 0, exponent = 0;
    (void)sy_number_write_shortest(fabs(value), text);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '.') {
            seen_point = 1;
        } else if (*at == 'e') {
            exponent = (int)strtol(at + 1, NULL, 10);
            break;
        } else if (d.count > 0 || *at != '0') {
            d.digits[d.count++] = *at;
            d.point += !seen_point;
        } else {
            d.point -= seen_point;
        }
    }
    d.point += exponent;
    while (d.count > 0 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    if (d.count == 0) {
        d = (decimal){.digits = "0", .count = 1, .point = 1};
    }
    return d;
}

static void append_zeros(sy_text *to, int count)
{
    for (int i = 0; i < count; i++) {
        sy_text_append(to, "0");
    }
}

void sy_python_append_float(sy_text *to, double value)
{
    if (!isfinite(value)) {
        sy_text_append(to, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    decimal d = split(value);
    if (signbit(value)) {
        sy_text_append(to, "-");
    }
    if (d.point <= -4 || d.point > 16) {
        sy_text_append_bytes(to, d.digits, 1);
        if (d.count > 1) {
            sy_text_append(to, ".");
            sy_text_append_bytes(to, d.digits + 1, d.count - 1);
        }
        sy_text_append_format(to, "e%c%02d", d.point > 0 ? '+' : '-', abs(d.point - 1));
    } else if (d.point <= 0) {
        sy_text_append(to, "0.");
        append_zeros(to, -d.point);
        sy_text_append_bytes(to, d.digits, d.count);
    } else if ((size_t)d.point >= d.count) {
        sy_text_append_bytes(to, d.digits, d.count);
        append_zeros(to, d.point - (int)d.count);
        sy_text_append(to, ".0");
    } else {
        sy_text_append_bytes(to, d.digits, (size_t)d.point);
        sy_text_append(to, ".");
        sy_text_append_bytes(to, d.digits + d.point, d.count - (size_t)d.point);
    }
}

static bool is_whole(const sy_json_value *value)
{
    for (size_t i = 0; i < value->text_length; i++) {
        char c = value->text[i];
        if (!(c >= '0' && c <= '9') && !(c == '-' && i == 0)) {
            return false;
        }
    }
    return value->text_length > 0;
}

/* A whole number keeps all its digits, however many. */
static void append_number(sy_text *to, const sy_json_value *value)
{
    if (!is_whole(value)) {
        sy_python_append_float(to, value->number);
    } else if (value->text_length == 2 && memcmp(value->text, "-0", 2) == 0) {
        sy_text_append(to, "0");
    } else {
        sy_text_append_bytes(to, value->text, value->text_length);
    }
}

/* ---- JSON ---- */

static uint32_t decode(const unsigned char *at, size_t length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = at[0] & masks[length];
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code;
}

static void append_escaped(sy_text *to, uint32_t code)
{
    static const char plain[] = "\"\\\n\r\t\f\b";
    static const char letters[] = "\"\\nrtfb";
    const char *found = code != 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
    if (found != NULL) {
        sy_text_append_format(to, "\\%c", letters[found - plain]);
    } else if (code >= 0x10000) {
        uint32_t rest = code - 0x10000;
        sy_text_append_format(to, "\\u%04x\\u%04x", (unsigned)(0xd800 + (rest >> 10)),
                              (unsigned)(0xdc00 + (rest & 0x3ff)));
    } else {
        sy_text_append_format(to, "\\u%04x", (unsigned)code);
    }
}

static void append_quoted(sy_text *to, const char *text, size_t length)
{
    sy_text_append(to, "\"");
    size_t plain_from = 0, at = 0;
    while (at < length) {
        unsigned char c = (unsigned char)text[at];
        size_t step = sy_text_character_length(text + at, length - at);
        step = step > 0 ? step : 1; /* the reader leaves no byte that is no UTF-8 */
        if (step == 1 && c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            at++;
            continue;
        }
        sy_text_append_bytes(to, text + plain_from, at - plain_from);
        append_escaped(to, decode((const unsigned char *)text + at, step));
        at += step;
        plain_from = at;
    }
    sy_text_append_bytes(to, text + plain_from, at - plain_from);
    sy_text_append(to, "\"");
}

/* indent < 0: on one line. */
static void append_break(sy_text *to, int indent)
{
    if (indent >= 0) {
        sy_text_append(to, "\n");
        for (int i = 0; i < indent; i++) {
            sy_text_append(to, "  ");
        }
    }
}

static int deeper(int indent)
{
    return indent < 0 ? indent : indent + 1;
}

static void append_json(sy_text *to, const sy_json_value *value, int indent);

static int by_name(const void *a, const void *b)
{
    const sy_json_value *left = *(const sy_json_value *const *)a;
    const sy_json_value *right = *(const sy_json_value *const *)b;
    size_t shorter = left->name_length < right->name_length ? left->name_length : right->name_length;
    int order = memcmp(left->name, right->name, shorter);
    order = order != 0 ? order : (left->name_length > right->name_length) - (left->name_length < right->name_length);
    return order != 0 ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

static void append_members(sy_text *to, const sy_json_value **members, size_t count, int indent)
{
    if (count == 0) {
        sy_text_append(to, "{}");
        return;
    }
    qsort(members, count, sizeof(const sy_json_value *), by_name);
    sy_text_append(to, "{");
    for (size_t i = 0; i < count; i++) {
        sy_text_append(to, i == 0 ? "" : indent < 0 ? ", " : ",");
        append_break(to, deeper(indent));
        append_quoted(to, members[i]->name, members[i]->name_length);
        sy_text_append(to, ": ");
        append_json(to, members[i], deeper(indent));
    }
    append_break(to, indent);
    sy_text_append(to, "}");
}

static void append_object(sy_text *to, const sy_json_value *object, int indent)
{
    const sy_json_value **members = sy_allocate(object->count, sizeof *members);
    if (members == NULL) {
        to->failed = true;
        return;
    }
    size_t count = 0;
    for (const sy_json_value *member = object->first; member != NULL; member = member->next) {
        members[count++] = member;
    }
    append_members(to, members, count, indent);
    sy_free(members);
}

static void append_array(sy_text *to, const sy_json_value *array, int indent)
{
    sy_text_append(to, "[");
    for (const sy_json_value *item = array->first; item != NULL; item = item->next) {
        sy_text_append(to, item == array->first ? "" : indent < 0 ? ", " : ",");
        append_break(to, deeper(indent));
        append_json(to, item, deeper(indent));
    }
    if (array->count > 0) {
        append_break(to, indent);
    }
    sy_text_append(to, "]");
}

static void append_json(sy_text *to, const sy_json_value *value, int indent)
{
    switch (value->kind) {
    case SY_JSON_NULL:
        sy_text_append(to, "null");
        break;
    case SY_JSON_FALSE:
        sy_text_append(to, "false");
        break;
    case SY_JSON_TRUE:
        sy_text_append(to, "true");
        break;
    case SY_JSON_NUMBER:
        if (!is_whole(value) && !isfinite(value->number)) {
            sy_text_append(to, isnan(value->number) ? "NaN" : value->number < 0 ? "-Infinity" : "Infinity");
        } else {
            append_number(to, value);
        }
        break;
    case SY_JSON_TEXT:
        append_quoted(to, value->text, value->text_length);
        break;
    case SY_JSON_ARRAY:
        append_array(to, value, indent);
        break;
    case SY_JSON_OBJECT:
        append_object(to, value, indent);
        break;
    }
}

void sy_python_append_document(sy_text *to, const sy_json_value **members, size_t count)
{
    append_members(to, members, count, 0);
    sy_text_append(to, "\n");
}

void sy_python_append_str(sy_text *to, const sy_json_value *value)
{
    if (value == NULL || value->kind == SY_JSON_NULL) {
        sy_text_append(to, "None");
    } else if (value->kind == SY_JSON_TRUE || value->kind == SY_JSON_FALSE) {
        sy_text_append(to, value->kind == SY_JSON_TRUE ? "True" : "False");
    } else if (value->kind == SY_JSON_NUMBER) {
        append_number(to, value);
    } else if (value->kind == SY_JSON_TEXT) {
        sy_text_append_bytes(to, value->text, value->text_length);
    } else {
        append_json(to, value, -1);
    }
}
