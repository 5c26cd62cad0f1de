/* SPDX-License-Identifier: Apache-2.0 */
/* Checked access to a script's members: kind, range and words, each failure located by pointer, line and column. */
#include "backends/fake/fake_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void sy_fake_fail(sy_fake_reader *reader, const sy_json_value *value, const char *format, ...)
{
    if (reader->status)
        return;
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->status = sy_json_fail(reader->json, value, reader->err, "%s", text);
}

void sy_fake_fail_memory(sy_fake_reader *reader)
{
    if (!reader->status)
        reader->status = sy_fail(reader->err, SY_NO_MEMORY, "no memory for a script of the fake backend");
}

bool sy_fake_expect(sy_fake_reader *reader, const sy_json_value *value, sy_json_kind kind)
{
    if (!reader->status && value->kind != kind)
        sy_fake_fail(reader, value, "expected %s, found %s", sy_json_kind_word(kind), sy_json_kind_word(value->kind));
    return !reader->status;
}

void sy_fake_refuse_unknown(sy_fake_reader *reader, const sy_json_value *object, const char *const *known)
{
    if (!reader->status)
        reader->status = sy_json_refuse_unknown_members(reader->json, object, known, reader->err);
}

/* The member if it is to be read: present, and nothing failed before. */
static const sy_json_value *wanted(const sy_fake_reader *reader, const sy_json_value *object, const char *name)
{
    return reader->status ? NULL : sy_json_member(object, name);
}

void sy_fake_read_double(sy_fake_reader *reader, const sy_json_value *object, const char *name, double least,
                         double most, double *to)
{
    const sy_json_value *value = wanted(reader, object, name);
    double number;
    if (!value)
        return;
    reader->status = sy_json_get_double(reader->json, value, &number, reader->err);
    if (!reader->status && !(number >= least && number <= most))
        sy_fake_fail(reader, value, "%.*s is not in %g to %g", (int)value->text_length, value->text, least, most);
    if (!reader->status)
        *to = number;
}

void sy_fake_read_u64(sy_fake_reader *reader, const sy_json_value *object, const char *name, uint64_t least,
                      uint64_t most, uint64_t *to)
{
    const sy_json_value *value = wanted(reader, object, name);
    int64_t number;
    if (!value)
        return;
    reader->status = sy_json_get_i64(reader->json, value, &number, reader->err);
    if (!reader->status && (number < 0 || (uint64_t)number < least || (uint64_t)number > most))
        sy_fake_fail(reader, value, "%.*s is not in %llu to %llu", (int)value->text_length, value->text,
                     (unsigned long long)least, (unsigned long long)most);
    if (!reader->status)
        *to = (uint64_t)number;
}

void sy_fake_read_bool(sy_fake_reader *reader, const sy_json_value *object, const char *name, bool *to)
{
    const sy_json_value *value = wanted(reader, object, name);
    if (value)
        reader->status = sy_json_get_bool(reader->json, value, to, reader->err);
}

void sy_fake_read_text(sy_fake_reader *reader, const sy_json_value *object, const char *name, size_t longest,
                       const char **to)
{
    const sy_json_value *value = wanted(reader, object, name);
    if (!value || !sy_fake_expect(reader, value, SY_JSON_TEXT))
        return;
    if (value->text_length == 0 || value->text_length > longest) {
        sy_fake_fail(reader, value, "has %zu bytes where 1 to %zu are allowed", value->text_length, longest);
        return;
    }
    for (size_t i = 0; i < value->text_length; i++)
        if ((unsigned char)value->text[i] < 0x20 || value->text[i] == 0x7f) {
            sy_fake_fail(reader, value, "holds a control character");
            return;
        }
    const char *copy = sy_arena_copy_bytes(reader->arena, value->text, value->text_length);
    if (!copy)
        sy_fake_fail_memory(reader);
    else
        *to = copy;
}

void sy_fake_read_word(sy_fake_reader *reader, const sy_json_value *object, const char *name, const char *const *words,
                       int *to)
{
    const sy_json_value *value = wanted(reader, object, name);
    if (!value || !sy_fake_expect(reader, value, SY_JSON_TEXT))
        return;
    char list[200];
    size_t length = 0;
    for (int i = 0; words[i]; i++) {
        if (value->text_length == strlen(words[i]) && memcmp(value->text, words[i], value->text_length) == 0) {
            *to = i;
            return;
        }
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", words[i]);
    }
    sy_fake_fail(reader, value, "'%.40s' is none of its words", value->text);
    sy_error_hint(reader->err, "the words are %s", list);
}

const sy_json_value *sy_fake_require(sy_fake_reader *reader, const sy_json_value *object, const char *name,
                                     sy_json_kind kind)
{
    if (reader->status)
        return NULL;
    const sy_json_value *value = sy_json_member(object, name);
    if (!value)
        sy_fake_fail(reader, object, "'%s' is missing", name);
    else if (sy_fake_expect(reader, value, kind))
        return value;
    return NULL;
}
