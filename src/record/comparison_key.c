/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys: what is known of them, their digest, how two of them differ, and their JSON. Which fields a key has
 * is the matrix's business. */
#include "record/comparison_key.h"

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "record/event_members.h"
#include "record/run_events.h"

static bool is_known(const char *value)
{
    return value != NULL && value[0] != '\0' && strcmp(value, "unknown") != 0;
}

/* The field's value; NULL where it is not known. */
static const char *known_value(const sy_named_text *field)
{
    return field != NULL && is_known(field->value) ? field->value : NULL;
}

bool sy_comparison_key_is_complete(const sy_comparison_key *key)
{
    for (size_t i = 0; i < key->field_count; i++) {
        if (!is_known(key->fields[i].value)) {
            return false;
        }
    }
    return key->field_count > 0;
}

static const sy_named_text *find_field(const sy_comparison_key *key, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key->fields[i].name, name) == 0) {
            return &key->fields[i];
        }
    }
    return NULL;
}

/* ---- as JSON ---- */

/* Of a value that is not UTF-8 something else would be stored, and two such values might become one. */
static bool is_utf8(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = sy_text_character_length(text, left);
        if (length == 0) {
            return false;
        }
        text += length;
        left -= length;
    }
    return true;
}

static sy_status check_field(const sy_comparison_key *key, size_t index, sy_error *err)
{
    const sy_named_text *field = &key->fields[index];
    const char *value = known_value(field);
    if (field->name == NULL || field->name[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "key: field %zu has no name", index);
    }
    sy_status status = sy_check_text(SY_MEMBER_NAME, field->name, err);
    if (status == SY_OK && find_field(key, index, field->name) != NULL) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "stands there twice");
    }
    if (status == SY_OK && value != NULL) {
        status = sy_check_text(SY_MEMBER_TEXT, value, err);
    }
    if (status == SY_OK && !(is_utf8(field->name) && (value == NULL || is_utf8(value)))) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "is not UTF-8");
    }
    if (status != SY_OK) {
        sy_error_prefix(err, "key: %.60s", field->name);
    }
    return status;
}

sy_status sy_comparison_key_put(sy_json_writer *writer, const sy_comparison_key *key, sy_error *err)
{
    if (key->field_count > SY_KEY_FIELDS_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "key: %zu fields, more than %d", key->field_count, SY_KEY_FIELDS_MAX);
    }
    sy_json_begin_array(writer);
    for (size_t i = 0; i < key->field_count; i++) {
        sy_status status = check_field(key, i, err);
        if (status != SY_OK) {
            return status;
        }
        sy_json_begin_array(writer);
        sy_json_text(writer, key->fields[i].name);
        sy_json_text(writer, known_value(&key->fields[i]));
        sy_json_end_array(writer);
    }
    sy_json_end_array(writer);
    return SY_OK;
}

sy_status sy_comparison_key_write(const sy_comparison_key *key, sy_text *to, sy_error *err)
{
    size_t before = to->length;
    sy_json_writer *writer = sy_json_writer_create(to, SY_JSON_CANONICAL);
    sy_status status = sy_comparison_key_put(writer, key, err);
    return sy_end_body(writer, to, before, status, err);
}

sy_status sy_comparison_key_read(const sy_json *json, const sy_json_value *value, sy_arena *arena,
                                 sy_comparison_key *ret_key, sy_error *err)
{
    sy_comparison_key key = {NULL, 0};
    if (value != NULL && value->kind == SY_JSON_ARRAY && value->count > SY_KEY_FIELDS_MAX) {
        return sy_json_fail(json, value, err, "%zu fields, more than %d", value->count, SY_KEY_FIELDS_MAX);
    }
    sy_status status = sy_read_named_texts(json, value, arena, &key.fields, &key.field_count, err);
    for (size_t i = 0; status == SY_OK && i < key.field_count; i++) {
        if (find_field(&key, i, key.fields[i].name) != NULL) {
            status = sy_json_fail(json, sy_json_element(value, i), err, "a second field of that name");
        }
    }
    if (status == SY_OK) {
        *ret_key = key;
    }
    return status;
}

sy_status sy_comparison_key_digest(const sy_comparison_key *key, char ret_digest[65], sy_error *err)
{
    if (!sy_comparison_key_is_complete(key)) {
        ret_digest[0] = '\0';
        return SY_OK;
    }
    sy_text text = SY_TEXT_INIT;
    sy_status status = sy_comparison_key_write(key, &text, err);
    if (status == SY_OK) {
        sy_digest digest;
        sy_digest_of(text.bytes, text.length, &digest);
        sy_digest_format(&digest, ret_digest);
    }
    sy_text_finish(&text);
    return status;
}

/* ---- lines ---- */

sy_status sy_comparison_key_line(const sy_comparison_key *key, const char *field, char ret_line[65], sy_error *err)
{
    sy_named_text *fields = sy_allocate(key->field_count + 1, sizeof *fields);
    if (fields == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the line of a comparison key");
    }
    size_t count = 0;
    for (size_t i = 0; i < key->field_count; i++) {
        if (strcmp(key->fields[i].name, field) != 0) {
            fields[count++] = key->fields[i];
        }
    }
    sy_status status = sy_comparison_key_digest(&(sy_comparison_key){fields, count}, ret_line, err);
    sy_free(fields);
    return status;
}

const char *sy_comparison_key_value(const sy_comparison_key *key, const char *field)
{
    return known_value(find_field(key, key->field_count, field));
}

/* ---- two of them ---- */

static sy_key_difference difference_of(const char *name, const sy_named_text *a, const sy_named_text *b)
{
    const char *value_a = known_value(a);
    const char *value_b = known_value(b);
    return (sy_key_difference){
        .name = name,
        .a = value_a,
        .b = value_b,
        .in_a = a != NULL,
        .in_b = b != NULL,
        .agrees = value_a != NULL && value_b != NULL && strcmp(value_a, value_b) == 0,
    };
}

sy_status sy_comparison_key_diff(const sy_comparison_key *a, const sy_comparison_key *b,
                                 sy_key_difference_list **ret_list, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    sy_key_difference_list *list = arena == NULL ? NULL : sy_arena_allocate(arena, 1, sizeof *list);
    sy_key_difference *fields = NULL;
    if (list != NULL && a->field_count <= SIZE_MAX - b->field_count) {
        fields = sy_arena_allocate(arena, a->field_count + b->field_count, sizeof *fields);
    }
    if (fields == NULL) {
        sy_arena_destroy(arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the differences of two keys");
    }
    size_t count = 0;
    for (size_t i = 0; i < a->field_count; i++) {
        const char *name = a->fields[i].name;
        fields[count++] = difference_of(name, &a->fields[i], find_field(b, b->field_count, name));
    }
    for (size_t i = 0; i < b->field_count; i++) {
        const char *name = b->fields[i].name;
        if (find_field(a, a->field_count, name) == NULL) {
            fields[count++] = difference_of(name, NULL, &b->fields[i]);
        }
    }
    *list = (sy_key_difference_list){.fields = fields, .field_count = count, .owner = arena};
    for (size_t i = 0; i < count; i++) {
        list->differing_count += !fields[i].agrees;
    }
    *ret_list = list;
    return SY_OK;
}

void sy_key_difference_list_destroy(sy_key_difference_list *list)
{
    if (list != NULL) {
        sy_arena_destroy(list->owner);
    }
}
