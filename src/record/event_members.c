/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the members of an event's body by their table, after it has checked each of them. */
#include "record/event_members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "record/record_json.h"

/* ---- what may stand there ---- */

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static sy_status check_run(const char *text, size_t length, sy_error *err)
{
    if (length > SY_RUN_ID_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%zu letters, more than %d", length, SY_RUN_ID_MAX);
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_letter_or_digit(text[i]) && (i == 0 || strchr("._-", text[i]) == NULL)) {
            return sy_fail(err, SY_INVALID_ARGUMENT,
                           "'%s' is no run's id: letters, digits and . _ - behind a letter or digit", text);
        }
    }
    return SY_OK;
}

static sy_status check_digest(const char *text, size_t length, sy_error *err)
{
    if (length != 64 || strspn(text, "0123456789abcdef") != 64) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.70s' is not 64 lower-case hexadecimal digits", text);
    }
    return SY_OK;
}

static sy_status check_line(const char *text, sy_error *err)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' holds the control character 0x%02x", text,
                           (unsigned char)*c);
        }
    }
    return SY_OK;
}

#define REPLACEMENT_BYTES 3 /* of U+FFFD, which is written for a byte that is no UTF-8 */

/* At least the bytes that will be stored. */
static size_t stored_length(const char *text)
{
    size_t length = strlen(text);
    if (length <= SY_EVENT_TEXT_MAX / REPLACEMENT_BYTES || length > SY_EVENT_TEXT_MAX) {
        return length;
    }
    size_t stored = 0;
    for (size_t at = 0; at < length;) {
        size_t bytes = sy_text_character_length(text + at, length - at);
        stored += bytes == 0 ? REPLACEMENT_BYTES : bytes;
        at += bytes == 0 ? 1 : bytes;
    }
    return stored;
}

sy_status sy_check_text(sy_member_kind kind, const char *text, sy_error *err)
{
    size_t length = stored_length(text);
    if (length > SY_EVENT_TEXT_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%zu bytes, more than %zu", length, SY_EVENT_TEXT_MAX);
    }
    if (length == 0 || kind == SY_MEMBER_TEXT) {
        return SY_OK;
    }
    switch (kind) {
    case SY_MEMBER_RUN:
        return check_run(text, length, err);
    case SY_MEMBER_DIGEST:
        return check_digest(text, length, err);
    default:
        return check_line(text, err);
    }
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static sy_status is_missing(sy_error *err)
{
    return sy_fail(err, SY_INVALID_ARGUMENT, "is missing");
}

/* ---- lists ---- */

/* The name in front of a list's element. */
static sy_status put_name_in_list(sy_json_writer *writer, const char *name, sy_error *err)
{
    if (text_or_empty(name)[0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a name is missing");
    }
    sy_status status = sy_check_text(SY_MEMBER_NAME, name, err);
    if (status == SY_OK) {
        sy_json_begin_array(writer);
        sy_json_text(writer, name);
    }
    return status;
}

static sy_status put_text_of_list(sy_json_writer *writer, const char *text, sy_error *err)
{
    sy_status status = sy_check_text(SY_MEMBER_TEXT, text_or_empty(text), err);
    if (status == SY_OK) {
        sy_json_text(writer, text_or_empty(text));
    }
    return status;
}

static sy_status put_named_text(sy_json_writer *writer, sy_member_kind value_kind, const sy_named_text *each,
                                sy_error *err)
{
    sy_status status = put_name_in_list(writer, each->name, err);
    if (status != SY_OK) {
        return status;
    }
    if (each->value != NULL) {
        status = value_kind == SY_MEMBER_DIGEST && each->value[0] == '\0' ? is_missing(err)
                                                                          : sy_check_text(value_kind, each->value, err);
    }
    if (status != SY_OK) {
        sy_error_prefix(err, "%.60s", each->name);
    }
    sy_json_text(writer, each->value);
    sy_json_end_array(writer);
    return status;
}

static sy_status put_named_number(sy_json_writer *writer, const sy_named_number *each, sy_error *err)
{
    sy_status status = put_name_in_list(writer, each->name, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_check_text(SY_MEMBER_NAME, text_or_empty(each->unit), err);
    if (status == SY_OK && isinf(each->value)) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "is infinite");
    }
    if (status != SY_OK) {
        sy_error_prefix(err, "%.60s", each->name);
    }
    sy_json_double(writer, each->value);
    sy_json_text(writer, text_or_empty(each->unit));
    sy_json_end_array(writer);
    return status;
}

static sy_status put_run_of_list(sy_json_writer *writer, const char *id, sy_error *err)
{
    const char *text = text_or_empty(id);
    sy_status status = text[0] == '\0' ? is_missing(err) : sy_check_text(SY_MEMBER_RUN, text, err);
    if (status == SY_OK) {
        sy_json_text(writer, text);
    }
    return status;
}

static sy_status put_object(sy_json_writer *writer, const sy_member_table *table, const void *from, sy_error *err);

static sy_status put_list(sy_json_writer *writer, const sy_member *member, const char *from, sy_error *err)
{
    const void *list = *(const void *const *)(from + member->offset);
    size_t count = *(const size_t *)(from + member->count_offset);
    if (count == 0) {
        return member->required ? is_missing(err) : SY_OK;
    }
    sy_json_name(writer, member->name);
    sy_json_begin_array(writer);
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        switch (member->kind) {
        case SY_MEMBER_TEXTS:
            status = put_text_of_list(writer, ((const char *const *)list)[i], err);
            break;
        case SY_MEMBER_RUNS:
            status = put_run_of_list(writer, ((const char *const *)list)[i], err);
            break;
        case SY_MEMBER_OBJECTS:
            status = put_object(writer, member->table, (const char *)list + i * member->table->size, err);
            break;
        case SY_MEMBER_NAMED_TEXTS:
            status = put_named_text(writer, SY_MEMBER_TEXT, (const sy_named_text *)list + i, err);
            break;
        case SY_MEMBER_NAMED_DIGESTS:
            status = put_named_text(writer, SY_MEMBER_DIGEST, (const sy_named_text *)list + i, err);
            break;
        default:
            status = put_named_number(writer, (const sy_named_number *)list + i, err);
            break;
        }
        if (status != SY_OK) {
            sy_error_prefix(err, "%zu", i);
        }
    }
    sy_json_end_array(writer);
    return status;
}

/* ---- members ---- */

static sy_status put_text(sy_json_writer *writer, const sy_member *member, const char *text, sy_error *err)
{
    if (text[0] == '\0') {
        return member->required ? is_missing(err) : SY_OK;
    }
    sy_status status = sy_check_text(member->kind, text, err);
    if (status == SY_OK) {
        sy_json_member_text(writer, member->name, text);
    }
    return status;
}

static sy_status put_word(sy_json_writer *writer, const sy_member *member, unsigned value, sy_error *err)
{
    if (value >= member->words->count) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%u stands for no word", value);
    }
    if (member->allowed != 0 && (member->allowed & 1U << value) == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "cannot be '%s' here", member->words->words[value]);
    }
    sy_json_member_text(writer, member->name, member->words->words[value]);
    return SY_OK;
}

static sy_status put_unsigned(sy_json_writer *writer, const sy_member *member, uint64_t value, sy_error *err)
{
    if (value > INT64_MAX) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%" PRIu64 " is more than %" PRId64, value, INT64_MAX);
    }
    sy_json_member_u64(writer, member->name, value);
    return SY_OK;
}

/* Readers of JSON take numbers above 2^53 for others. */
static void put_seed(sy_json_writer *writer, const sy_member *member, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    sy_json_member_text(writer, member->name, digits);
}

static sy_status put_ordinal(sy_json_writer *writer, const sy_member *member, int64_t value, sy_error *err)
{
    if (value < -1) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%" PRId64 " is no number of things", value);
    }
    if (value < 0) {
        sy_json_member_null(writer, member->name);
    } else {
        sy_json_member_i64(writer, member->name, value);
    }
    return SY_OK;
}

static void put_flag(sy_json_writer *writer, const sy_member *member, int value)
{
    if (value < 0) {
        sy_json_member_null(writer, member->name);
    } else {
        sy_json_member_bool(writer, member->name, value > 0);
    }
}

static sy_status put_double(sy_json_writer *writer, const sy_member *member, double value, sy_error *err)
{
    if (isinf(value)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "is infinite");
    }
    if (!isnan(value) || member->kind == SY_MEMBER_DOUBLE) {
        sy_json_member_double(writer, member->name, value);
    }
    return SY_OK;
}

static sy_status put_key(sy_json_writer *writer, const sy_member *member, const sy_comparison_key *key, sy_error *err)
{
    if (key->field_count == 0) {
        return SY_OK;
    }
    sy_json_name(writer, member->name);
    return sy_comparison_key_put(writer, key, err);
}

static sy_status put_identity(sy_json_writer *writer, const sy_identity *identity, sy_error *err)
{
    for (size_t i = 0; i < identity->field_count; i++) {
        const sy_identity_field *field = &identity->fields[i];
        if (text_or_empty(field->name)[0] == '\0') {
            return sy_fail(err, SY_INVALID_ARGUMENT, "field %zu has no name", i);
        }
        if (i > 0 && strcmp(identity->fields[i - 1].name, field->name) >= 0) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' stands twice or is out of order", field->name);
        }
        sy_status status = sy_check_text(SY_MEMBER_NAME, field->name, err);
        if (status == SY_OK) {
            status = field->value == NULL ? is_missing(err) : sy_check_text(SY_MEMBER_TEXT, field->value, err);
        }
        if (status != SY_OK) {
            sy_error_prefix(err, "%.60s", field->name);
            return status;
        }
    }
    if (identity->field_count > 0) {
        sy_identity_write_json(writer, identity);
    }
    return SY_OK;
}

static sy_status put_object(sy_json_writer *writer, const sy_member_table *table, const void *from, sy_error *err)
{
    sy_json_begin_object(writer);
    sy_status status = sy_members_put(writer, table, from, err);
    sy_json_end_object(writer);
    return status;
}

static sy_status put_member(sy_json_writer *writer, const sy_member *member, const char *from, sy_error *err)
{
    const void *at = from + member->offset;
    switch (member->kind) {
    case SY_MEMBER_RUN:
    case SY_MEMBER_NAME:
    case SY_MEMBER_TEXT:
    case SY_MEMBER_DIGEST:
        return put_text(writer, member, text_or_empty(*(const char *const *)at), err);
    case SY_MEMBER_DIGEST_HERE:
        return put_text(writer, member, at, err);
    case SY_MEMBER_WORD:
        return put_word(writer, member, *(const unsigned *)at, err);
    case SY_MEMBER_FLAG:
        put_flag(writer, member, *(const int *)at);
        return SY_OK;
    case SY_MEMBER_BOOL:
        sy_json_member_bool(writer, member->name, *(const bool *)at);
        return SY_OK;
    case SY_MEMBER_TRUE:
        if (*(const bool *)at) {
            sy_json_member_bool(writer, member->name, true);
        }
        return SY_OK;
    case SY_MEMBER_DOUBLE:
    case SY_MEMBER_KNOWN_DOUBLE:
        return put_double(writer, member, *(const double *)at, err);
    case SY_MEMBER_U64:
        return put_unsigned(writer, member, *(const uint64_t *)at, err);
    case SY_MEMBER_SEED:
        put_seed(writer, member, *(const uint64_t *)at);
        return SY_OK;
    case SY_MEMBER_U32:
        return put_unsigned(writer, member, *(const uint32_t *)at, err);
    case SY_MEMBER_COUNT:
        return put_unsigned(writer, member, *(const size_t *)at, err);
    case SY_MEMBER_I64:
        sy_json_member_i64(writer, member->name, *(const int64_t *)at);
        return SY_OK;
    case SY_MEMBER_ORDINAL:
        return put_ordinal(writer, member, *(const int64_t *)at, err);
    case SY_MEMBER_INT:
        sy_json_member_i64(writer, member->name, *(const int *)at);
        return SY_OK;
    case SY_MEMBER_TEXTS:
    case SY_MEMBER_RUNS:
    case SY_MEMBER_NAMED_TEXTS:
    case SY_MEMBER_NAMED_DIGESTS:
    case SY_MEMBER_NAMED_NUMBERS:
    case SY_MEMBER_OBJECTS:
        return put_list(writer, member, from, err);
    case SY_MEMBER_KEY:
        return put_key(writer, member, at, err);
    case SY_MEMBER_IDENTITY:
        return put_identity(writer, at, err);
    case SY_MEMBER_OBJECT:
        sy_json_name(writer, member->name);
        return put_object(writer, member->table, at, err);
    }
    return SY_OK;
}

sy_status sy_members_put(sy_json_writer *writer, const sy_member_table *table, const void *from, sy_error *err)
{
    for (size_t i = 0; i < table->count; i++) {
        const sy_member *member = &table->members[i];
        sy_status status = put_member(writer, member, from, err);
        if (status != SY_OK) {
            if (member->kind != SY_MEMBER_KEY) {
                sy_error_prefix(err, "%s", member->name);
            }
            return status;
        }
    }
    return SY_OK;
}

sy_status sy_end_body(sy_json_writer *writer, sy_text *body, size_t before, sy_status status, sy_error *err)
{
    sy_status finished = sy_json_writer_finish(writer, status == SY_OK ? err : NULL);
    if (status == SY_OK) {
        status = finished;
    }
    if (status != SY_OK && body->bytes != NULL) {
        body->length = before;
        body->bytes[before] = '\0';
    }
    return status;
}

sy_status sy_members_write(const sy_member_table *table, const void *from, sy_text *body, sy_error *err)
{
    size_t before = body->length;
    sy_json_writer *writer = sy_json_writer_create(body, SY_JSON_CANONICAL);
    sy_status status = put_object(writer, table, from, err);
    return sy_end_body(writer, body, before, status, err);
}
