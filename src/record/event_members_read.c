/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the members of an event's body by their table, as event_members.c writes them; what it does not know is passed
 * by. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/event_members.h"
#include "record/run_events.h"

typedef struct reading {
    const sy_json *json;
    sy_arena *arena;
    sy_error *err;
} reading;

static sy_status no_memory(const reading *in)
{
    return sy_fail(in->err, SY_NO_MEMORY, "no memory for an event");
}

/* A text of that kind, as the writer's rules want it. */
static sy_status read_text(const reading *in, const sy_json_value *value, sy_member_kind kind, const char **ret_text)
{
    const char *text;
    sy_status status = sy_json_get_text(in->json, value, &text, in->err);
    if (status != SY_OK) {
        return status;
    }
    sy_error why = SY_ERROR_INIT;
    status = sy_check_text(kind, text, &why);
    if (status != SY_OK) {
        return sy_json_fail(in->json, value, in->err, "%s", why.what);
    }
    const char *copy = sy_arena_copy_bytes(in->arena, text, value->text_length);
    if (copy == NULL) {
        return no_memory(in);
    }
    *ret_text = copy;
    return SY_OK;
}

/* ---- lists ---- */

/* The elements of [name, x...], of which there must be so many. */
static sy_status read_row(const reading *in, const sy_json_value *row, size_t count, const char **ret_name)
{
    if (row->kind != SY_JSON_ARRAY || row->count != count) {
        return sy_json_fail(in->json, row, in->err, "expected an array of %zu", count);
    }
    sy_status status = read_text(in, row->first, SY_MEMBER_NAME, ret_name);
    if (status == SY_OK && (*ret_name)[0] == '\0') {
        status = sy_json_fail(in->json, row->first, in->err, "a name is missing");
    }
    return status;
}

static sy_status read_named_text(const reading *in, const sy_json_value *row, sy_member_kind kind, sy_named_text *to)
{
    sy_status status = read_row(in, row, 2, &to->name);
    if (status != SY_OK || row->first->next->kind == SY_JSON_NULL) {
        return status;
    }
    status = read_text(in, row->first->next, kind, &to->value);
    if (status == SY_OK && kind == SY_MEMBER_DIGEST && to->value[0] == '\0') {
        status = sy_json_fail(in->json, row->first->next, in->err, "expected a digest");
    }
    return status;
}

static sy_status read_named_number(const reading *in, const sy_json_value *row, sy_named_number *to)
{
    sy_status status = read_row(in, row, 3, &to->name);
    if (status != SY_OK) {
        return status;
    }
    const sy_json_value *value = row->first->next;
    to->value = NAN;
    if (value->kind != SY_JSON_NULL) {
        status = sy_json_get_double(in->json, value, &to->value, in->err);
    }
    return status != SY_OK ? status : read_text(in, value->next, SY_MEMBER_NAME, &to->unit);
}

static sy_status read_run_of_list(const reading *in, const sy_json_value *value, const char **ret_id)
{
    sy_status status = read_text(in, value, SY_MEMBER_RUN, ret_id);
    return status == SY_OK && (*ret_id)[0] == '\0' ? sy_json_fail(in->json, value, in->err, "expected a run's id")
                                                   : status;
}

static sy_status read_members(const reading *in, const sy_member_table *table, const sy_json_value *object, char *to);

static size_t element_size(sy_member_kind kind, const sy_member_table *table)
{
    switch (kind) {
    case SY_MEMBER_TEXTS:
    case SY_MEMBER_RUNS:
        return sizeof(const char *);
    case SY_MEMBER_OBJECTS:
        return table->size;
    case SY_MEMBER_NAMED_NUMBERS:
        return sizeof(sy_named_number);
    default:
        return sizeof(sy_named_text);
    }
}

/* table: of objects alone. */
static sy_status read_list(const reading *in, const sy_json_value *value, sy_member_kind kind,
                           const sy_member_table *table, const void **ret_list, size_t *ret_count)
{
    if (value == NULL) {
        return SY_OK;
    }
    if (value->kind != SY_JSON_ARRAY) {
        return sy_json_fail(in->json, value, in->err, "expected array, found %s", sy_json_kind_word(value->kind));
    }
    void *list = sy_arena_allocate(in->arena, value->count, element_size(kind, table));
    if (list == NULL) {
        return no_memory(in);
    }
    sy_status status = SY_OK;
    const sy_json_value *each = value->first;
    for (size_t i = 0; status == SY_OK && each != NULL; i++, each = each->next) {
        switch (kind) {
        case SY_MEMBER_TEXTS:
            status = read_text(in, each, SY_MEMBER_TEXT, (const char **)list + i);
            break;
        case SY_MEMBER_RUNS:
            status = read_run_of_list(in, each, (const char **)list + i);
            break;
        case SY_MEMBER_OBJECTS:
            status = read_members(in, table, each, (char *)list + i * table->size);
            break;
        case SY_MEMBER_NAMED_NUMBERS:
            status = read_named_number(in, each, (sy_named_number *)list + i);
            break;
        case SY_MEMBER_NAMED_DIGESTS:
            status = read_named_text(in, each, SY_MEMBER_DIGEST, (sy_named_text *)list + i);
            break;
        default:
            status = read_named_text(in, each, SY_MEMBER_TEXT, (sy_named_text *)list + i);
            break;
        }
    }
    if (status == SY_OK) {
        *ret_list = list;
        *ret_count = value->count;
    }
    return status;
}

sy_status sy_read_named_texts(const sy_json *json, const sy_json_value *value, sy_arena *arena,
                              const sy_named_text **ret_texts, size_t *ret_count, sy_error *err)
{
    const reading in = {json, arena, err};
    const void *list = NULL;
    size_t count = 0;
    sy_status status = read_list(&in, value, SY_MEMBER_NAMED_TEXTS, NULL, &list, &count);
    if (status == SY_OK) {
        *ret_texts = list;
        *ret_count = count;
    }
    return status;
}

/* ---- who measured ---- */

static int compare_fields(const void *a, const void *b)
{
    return strcmp(((const sy_identity_field *)a)->name, ((const sy_identity_field *)b)->name);
}

static sy_status read_fields(const reading *in, const sy_json_value *object, bool key, sy_identity_field *fields,
                             size_t *count)
{
    for (const sy_json_value *each = object == NULL ? NULL : object->first; each != NULL; each = each->next) {
        sy_identity_field *field = &fields[*count];
        if (memchr(each->name, '\0', each->name_length) != NULL || each->name_length == 0) {
            return sy_json_fail(in->json, each, in->err, "expected a name");
        }
        sy_status status = read_text(in, each, SY_MEMBER_TEXT, &field->value);
        if (status != SY_OK) {
            return status;
        }
        field->name = sy_arena_copy_bytes(in->arena, each->name, each->name_length);
        if (field->name == NULL) {
            return no_memory(in);
        }
        sy_error why = SY_ERROR_INIT;
        if (sy_check_text(SY_MEMBER_NAME, field->name, &why) != SY_OK) {
            return sy_json_fail(in->json, each, in->err, "%s", why.what);
        }
        field->key = key;
        ++*count;
    }
    return SY_OK;
}

static sy_status read_identity(const reading *in, const sy_json_value *value, sy_identity *to)
{
    if (value == NULL) {
        return SY_OK;
    }
    const sy_json_value *key = sy_json_member(value, "key");
    const sy_json_value *recorded = sy_json_member(value, "recorded");
    const sy_json_value *wrong = value->kind != SY_JSON_OBJECT                          ? value
                                 : key != NULL && key->kind != SY_JSON_OBJECT           ? key
                                 : recorded != NULL && recorded->kind != SY_JSON_OBJECT ? recorded
                                                                                        : NULL;
    if (wrong != NULL) {
        return sy_json_fail(in->json, wrong, in->err, "expected object, found %s", sy_json_kind_word(wrong->kind));
    }
    size_t room = (key == NULL ? 0 : key->count) + (recorded == NULL ? 0 : recorded->count);
    sy_identity_field *fields = sy_arena_allocate(in->arena, room, sizeof *fields);
    size_t count = 0;
    if (fields == NULL) {
        return no_memory(in);
    }
    sy_status status = read_fields(in, key, true, fields, &count);
    if (status == SY_OK) {
        status = read_fields(in, recorded, false, fields, &count);
    }
    if (status != SY_OK) {
        return status;
    }
    if (count > 0) {
        qsort(fields, count, sizeof *fields, compare_fields);
    }
    for (size_t i = 1; i < count; i++) {
        if (strcmp(fields[i - 1].name, fields[i].name) == 0) {
            return sy_json_fail(in->json, value, in->err, "two fields named '%.60s'", fields[i].name);
        }
    }
    *to = (sy_identity){fields, count};
    return SY_OK;
}

/* ---- members ---- */

static sy_status read_word(const reading *in, const sy_json_value *object, const sy_member *member, unsigned *to)
{
    const sy_json_value *value = sy_json_member(object, member->name);
    const char *word;
    if (value == NULL) {
        return sy_json_fail(in->json, object, in->err, "'%s' is missing", member->name);
    }
    sy_status status = sy_json_get_text(in->json, value, &word, in->err);
    if (status != SY_OK) {
        return status;
    }
    unsigned read;
    if (!sy_word_read(member->words, word, &read)) {
        return sy_json_fail(in->json, value, in->err, "'%.40s' is no word that is known here", word);
    }
    if (member->allowed != 0 && (member->allowed & 1U << read) == 0) {
        return sy_json_fail(in->json, value, in->err, "cannot be '%s' here", word);
    }
    *to = read;
    return SY_OK;
}

/* Numbers of any width. */
static sy_status read_whole(const reading *in, const sy_json_value *value, const sy_member *member, void *at)
{
    int64_t read;
    sy_status status = sy_json_get_i64(in->json, value, &read, in->err);
    if (status != SY_OK) {
        return status;
    }
    int64_t low = 0;
    int64_t high = INT64_MAX;
    if (member->kind == SY_MEMBER_I64) {
        low = INT64_MIN;
    } else if (member->kind == SY_MEMBER_INT) {
        low = INT_MIN;
        high = INT_MAX;
    } else if (member->kind == SY_MEMBER_U32) {
        high = UINT32_MAX;
    } else if (member->kind == SY_MEMBER_COUNT && SIZE_MAX < INT64_MAX) {
        high = (int64_t)SIZE_MAX;
    }
    if (read < low || read > high) {
        return sy_json_fail(in->json, value, in->err, "expected a number from %" PRId64 " to %" PRId64, low, high);
    }
    if (member->kind == SY_MEMBER_U64) {
        *(uint64_t *)at = (uint64_t)read;
    } else if (member->kind == SY_MEMBER_U32) {
        *(uint32_t *)at = (uint32_t)read;
    } else if (member->kind == SY_MEMBER_COUNT) {
        *(size_t *)at = (size_t)read;
    } else if (member->kind == SY_MEMBER_INT) {
        *(int *)at = (int)read;
    } else {
        *(int64_t *)at = read;
    }
    return SY_OK;
}

static sy_status read_seed(const reading *in, const sy_json_value *value, uint64_t *to)
{
    const char *digits;
    sy_status status = sy_json_get_text(in->json, value, &digits, in->err);
    if (status == SY_OK && sy_parse_u64(digits, to, NULL) != SY_OK) {
        status = sy_json_fail(in->json, value, in->err, "'%.40s' is no number from 0 to %" PRIu64, digits, UINT64_MAX);
    }
    return status;
}

static sy_status read_bool(const reading *in, const sy_json_value *value, const sy_member *member, void *at)
{
    bool read;
    sy_status status = sy_json_get_bool(in->json, value, &read, in->err);
    if (status == SY_OK && member->kind == SY_MEMBER_FLAG) {
        *(int *)at = read;
    } else if (status == SY_OK) {
        *(bool *)at = read;
    }
    return status;
}

static sy_status read_digest_here(const reading *in, const sy_json_value *value, char *to)
{
    const char *text = "";
    sy_status status = read_text(in, value, SY_MEMBER_DIGEST, &text);
    if (status == SY_OK) {
        memcpy(to, text, strlen(text) + 1);
    }
    return status;
}

/* What stands in the struct when the body says nothing, or null. */
static void set_default(const sy_member *member, void *at)
{
    switch (member->kind) {
    case SY_MEMBER_RUN:
    case SY_MEMBER_NAME:
    case SY_MEMBER_TEXT:
    case SY_MEMBER_DIGEST:
        *(const char **)at = "";
        break;
    case SY_MEMBER_FLAG:
        *(int *)at = -1;
        break;
    case SY_MEMBER_DOUBLE:
    case SY_MEMBER_KNOWN_DOUBLE:
        *(double *)at = NAN;
        break;
    case SY_MEMBER_ORDINAL:
        *(int64_t *)at = -1;
        break;
    default:
        break; /* zeros say it */
    }
}

static bool may_be_null(sy_member_kind kind)
{
    return kind == SY_MEMBER_FLAG || kind == SY_MEMBER_DOUBLE || kind == SY_MEMBER_ORDINAL;
}

/* value: there. */
static sy_status read_value(const reading *in, const sy_member *member, const sy_json_value *value, char *to)
{
    void *at = to + member->offset;
    switch (member->kind) {
    case SY_MEMBER_RUN:
    case SY_MEMBER_NAME:
    case SY_MEMBER_TEXT:
    case SY_MEMBER_DIGEST:
        return read_text(in, value, member->kind, at);
    case SY_MEMBER_SEED:
        return read_seed(in, value, at);
    case SY_MEMBER_DIGEST_HERE:
        return read_digest_here(in, value, at);
    case SY_MEMBER_FLAG:
    case SY_MEMBER_BOOL:
    case SY_MEMBER_TRUE:
        return read_bool(in, value, member, at);
    case SY_MEMBER_DOUBLE:
    case SY_MEMBER_KNOWN_DOUBLE:
        return sy_json_get_double(in->json, value, at, in->err);
    case SY_MEMBER_TEXTS:
    case SY_MEMBER_RUNS:
    case SY_MEMBER_NAMED_TEXTS:
    case SY_MEMBER_NAMED_DIGESTS:
    case SY_MEMBER_NAMED_NUMBERS:
    case SY_MEMBER_OBJECTS:
        return read_list(in, value, member->kind, member->table, at, (size_t *)(to + member->count_offset));
    case SY_MEMBER_KEY:
        return sy_comparison_key_read(in->json, value, in->arena, at, in->err);
    case SY_MEMBER_IDENTITY:
        return read_identity(in, value, at);
    default:
        return read_whole(in, value, member, at);
    }
}

static bool is_empty(const sy_member *member, const char *to)
{
    const void *at = to + member->offset;
    switch (member->kind) {
    case SY_MEMBER_RUN:
    case SY_MEMBER_NAME:
    case SY_MEMBER_TEXT:
    case SY_MEMBER_DIGEST:
        return (*(const char *const *)at)[0] == '\0';
    case SY_MEMBER_DIGEST_HERE:
        return ((const char *)at)[0] == '\0';
    case SY_MEMBER_TEXTS:
    case SY_MEMBER_RUNS:
    case SY_MEMBER_NAMED_TEXTS:
    case SY_MEMBER_NAMED_DIGESTS:
    case SY_MEMBER_NAMED_NUMBERS:
    case SY_MEMBER_OBJECTS:
        return *(const size_t *)(to + member->count_offset) == 0;
    default:
        return false;
    }
}

static sy_status read_member(const reading *in, const sy_member *member, const sy_json_value *object, char *to)
{
    const sy_json_value *value = sy_json_member(object, member->name);
    if (member->kind == SY_MEMBER_WORD) {
        return read_word(in, object, member, (unsigned *)(void *)(to + member->offset));
    }
    if (member->kind == SY_MEMBER_OBJECT && !(member->required && value == NULL)) {
        return read_members(in, member->table, value, to + member->offset);
    }
    set_default(member, to + member->offset);
    if (value != NULL && !(value->kind == SY_JSON_NULL && may_be_null(member->kind))) {
        sy_status status = read_value(in, member, value, to);
        if (status != SY_OK) {
            return status;
        }
    }
    if (member->required && (value == NULL || is_empty(member, to))) {
        return sy_json_fail(in->json, object, in->err, "'%s' is missing", member->name);
    }
    return SY_OK;
}

/* object: NULL where an object inside of another is not there. */
static sy_status read_members(const reading *in, const sy_member_table *table, const sy_json_value *object, char *to)
{
    if (object != NULL && object->kind != SY_JSON_OBJECT) {
        return sy_json_fail(in->json, object, in->err, "expected object, found %s", sy_json_kind_word(object->kind));
    }
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < table->count; i++) {
        status = read_member(in, &table->members[i], object, to);
    }
    return status;
}

sy_status sy_members_read(const sy_member_table *table, const sy_json *json, const sy_json_value *object,
                          sy_arena *arena, void *ret_to, sy_error *err)
{
    const reading in = {json, arena, err};
    if (object == NULL) {
        return sy_json_fail(json, NULL, err, "expected object, found nothing");
    }
    void *read = sy_arena_allocate(arena, 1, table->size);
    if (read == NULL) {
        return no_memory(&in);
    }
    sy_status status = read_members(&in, table, object, read);
    if (status == SY_OK) {
        memcpy(ret_to, read, table->size);
    }
    return status;
}
