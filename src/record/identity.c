/* SPDX-License-Identifier: Apache-2.0 */
/* Identities as data: builder, look-up, copy, key text, digest, difference. */
#include "record/identity.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"

/* A list kept sorted while it is built: an identity has tens of fields, and a repeated name must find its place. */
typedef struct building_field {
    struct building_field *next;
    sy_identity_field field;
} building_field;

struct sy_identity_builder {
    sy_arena *arena;
    building_field *first;
    size_t count;
    sy_status status;
};

sy_identity_builder *sy_identity_builder_create(sy_arena *arena)
{
    sy_identity_builder *builder = sy_arena_allocate(arena, 1, sizeof *builder);
    if (builder != NULL)
        builder->arena = arena;
    return builder;
}

static void keep_failure(sy_identity_builder *builder, sy_status status)
{
    if (builder->status == SY_OK)
        builder->status = status;
}

/* The entry of that name, made at its place if it is new; NULL when memory is short. */
static building_field *entry_for(sy_identity_builder *builder, const char *name)
{
    building_field **link = &builder->first;
    while (*link != NULL && strcmp((*link)->field.name, name) < 0)
        link = &(*link)->next;
    if (*link != NULL && strcmp((*link)->field.name, name) == 0)
        return *link;
    building_field *entry = sy_arena_allocate(builder->arena, 1, sizeof *entry);
    char *copy = sy_arena_copy_text(builder->arena, name);
    if (entry == NULL || copy == NULL)
        return NULL;
    entry->field.name = copy;
    entry->next = *link;
    *link = entry;
    builder->count++;
    return entry;
}

void sy_identity_builder_add(sy_identity_builder *builder, const char *name, const char *value, bool key)
{
    if (builder->status != SY_OK)
        return;
    if (name == NULL || name[0] == '\0') {
        keep_failure(builder, SY_INVALID_ARGUMENT);
        return;
    }
    if (value == NULL || value[0] == '\0')
        value = SY_IDENTITY_UNKNOWN;
    char *copy = sy_arena_copy_text(builder->arena, value);
    building_field *entry = copy != NULL ? entry_for(builder, name) : NULL;
    if (entry == NULL) {
        keep_failure(builder, SY_NO_MEMORY);
        return;
    }
    entry->field.value = copy;
    entry->field.key = key;
}

void sy_identity_builder_add_format(sy_identity_builder *builder, const char *name, bool key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = sy_format_list(NULL, 0, format, arguments);
    va_end(arguments);
    char *value = length >= 0 ? sy_arena_allocate(builder->arena, (size_t)length + 1, 1) : NULL;
    if (value == NULL) {
        keep_failure(builder, SY_NO_MEMORY);
        return;
    }
    va_start(arguments, format);
    (void)sy_format_list(value, (size_t)length + 1, format, arguments);
    va_end(arguments);
    sy_identity_builder_add(builder, name, value, key);
}

sy_status sy_identity_builder_finish(sy_identity_builder *builder, sy_identity *ret_identity, sy_error *err)
{
    if (builder->status == SY_INVALID_ARGUMENT)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a field of an identity has no name");
    sy_identity_field *fields = NULL;
    if (builder->status == SY_OK)
        fields = sy_arena_allocate(builder->arena, builder->count, sizeof *fields);
    if (fields == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an identity");
    size_t at = 0;
    for (const building_field *entry = builder->first; entry != NULL; entry = entry->next)
        fields[at++] = entry->field;
    ret_identity->fields = fields;
    ret_identity->field_count = builder->count;
    return SY_OK;
}

const sy_identity_field *sy_identity_find(const sy_identity *identity, const char *name)
{
    size_t low = 0;
    size_t high = identity->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(identity->fields[middle].name, name);
        if (order == 0)
            return &identity->fields[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *sy_identity_get(const sy_identity *identity, const char *name)
{
    const sy_identity_field *field = sy_identity_find(identity, name);
    return field != NULL ? field->value : NULL;
}

/* "2 MiB x 4 (0-1, 2 apart) + 1 MiB x 2 (8-9, 2 apart)": sizes times numbers; 0 when it reads otherwise. */
static uint64_t sum_caches(const char *text)
{
    static const char *const units[] = {" B x ", " KiB x ", " MiB x ", " GiB x "};
    uint64_t sum = 0;
    while (text != NULL) {
        char number[24];
        uint64_t size = 0;
        uint64_t count = 0;
        unsigned shift = 0;
        size_t digits = strspn(text, "0123456789");
        (void)sy_text_copy(number, digits < sizeof number ? digits + 1 : sizeof number, text);
        if (sy_parse_u64(number, &size, NULL) != SY_OK)
            return 0;
        text += digits;
        while (shift < 4 && !sy_text_begins(text, units[shift]))
            shift++;
        if (shift == 4)
            return 0;
        text += strlen(units[shift]);
        digits = strspn(text, "0123456789");
        (void)sy_text_copy(number, digits < sizeof number ? digits + 1 : sizeof number, text);
        if (sy_parse_u64(number, &count, NULL) != SY_OK || size > (UINT64_C(1) << 40) >> (10 * shift) ||
            count > UINT64_C(1) << 16)
            return 0;
        sum += (size << (10 * shift)) * count;
        text = strstr(text, " + ");
        text = text != NULL ? text + 3 : NULL;
    }
    return sum;
}

uint64_t sy_identity_last_cache_bytes(const sy_identity *identity)
{
    for (char level = '9'; level >= '1'; level--) {
        static const char *const kinds[] = {"", "d"};
        for (size_t kind = 0; kind < 2; kind++) {
            char name[] = "cpu.cache.l0d";
            name[sizeof "cpu.cache.l0d" - 3] = level;
            name[sizeof "cpu.cache.l0d" - 2] = kinds[kind][0];
            const char *value = sy_identity_get(identity, name);
            if (value != NULL)
                return sum_caches(value);
        }
    }
    return 0;
}

sy_status sy_identity_copy(const sy_identity *from, sy_arena *arena, sy_identity *ret_copy, sy_error *err)
{
    sy_identity_field *fields = sy_arena_allocate(arena, from->field_count, sizeof *fields);
    if (fields == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a copy of an identity");
    for (size_t i = 0; i < from->field_count; i++) {
        fields[i].name = sy_arena_copy_text(arena, from->fields[i].name);
        fields[i].value = sy_arena_copy_text(arena, from->fields[i].value);
        fields[i].key = from->fields[i].key;
        if (fields[i].name == NULL || fields[i].value == NULL)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a copy of an identity");
    }
    ret_copy->fields = fields;
    ret_copy->field_count = from->field_count;
    return SY_OK;
}

/* What is printable ASCII and not among `reserved` stands for itself. */
static void append_escaped(sy_text *text, const char *value, const char *reserved)
{
    for (const char *at = value; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte > 0x7e || strchr(reserved, byte) != NULL)
            sy_text_append_format(text, "%%%02X", byte);
        else
            sy_text_append_bytes(text, at, 1);
    }
}

void sy_identity_append_key(const sy_identity *identity, sy_text *text)
{
    const char *separator = "";
    for (size_t i = 0; i < identity->field_count; i++) {
        if (!identity->fields[i].key)
            continue;
        sy_text_append(text, separator);
        append_escaped(text, identity->fields[i].name, "%;=");
        sy_text_append(text, "=");
        append_escaped(text, identity->fields[i].value, "%;");
        separator = ";";
    }
}

sy_status sy_identity_digest(const sy_identity *identity, sy_digest *ret_digest, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_status status = SY_OK;
    sy_identity_append_key(identity, &text);
    if (text.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the digest of an identity");
    else
        sy_digest_of(sy_text_bytes(&text), text.length, ret_digest);
    sy_text_finish(&text);
    return status;
}

static bool value_is_unknown(const char *value)
{
    return strcmp(value, SY_IDENTITY_UNKNOWN) == 0;
}

bool sy_identity_is_uncertain(const sy_identity *identity)
{
    for (size_t i = 0; i < identity->field_count; i++)
        if (identity->fields[i].key && value_is_unknown(identity->fields[i].value))
            return true;
    return false;
}

void sy_identity_append_unknown(const sy_identity *identity, sy_text *text)
{
    const char *gap = "";
    for (size_t i = 0; i < identity->field_count; i++) {
        if (!identity->fields[i].key || !value_is_unknown(identity->fields[i].value))
            continue;
        sy_text_append_format(text, "%s%s", gap, identity->fields[i].name);
        gap = ", ";
    }
}

static const sy_identity_field *next_key(const sy_identity *identity, size_t *at)
{
    while (*at < identity->field_count) {
        const sy_identity_field *field = &identity->fields[(*at)++];
        if (field->key)
            return field;
    }
    return NULL;
}

bool sy_identity_same_key(const sy_identity *a, const sy_identity *b)
{
    size_t at_a = 0;
    size_t at_b = 0;
    for (;;) {
        const sy_identity_field *field_a = next_key(a, &at_a);
        const sy_identity_field *field_b = next_key(b, &at_b);
        if (field_a == NULL || field_b == NULL)
            return field_a == field_b;
        if (strcmp(field_a->name, field_b->name) != 0 || strcmp(field_a->value, field_b->value) != 0 ||
            value_is_unknown(field_a->value))
            return false;
    }
}

/* Names and values may come from anywhere: what would steer a terminal is shown, not sent. */
static void append_shown(const char *value, const char *behind, sy_text *text)
{
    for (const char *at = value; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == 0x7f)
            sy_text_append_format(text, "\\x%02X", byte);
        else
            sy_text_append_bytes(text, at, 1);
    }
    sy_text_append(text, behind);
}

/* One line of a difference; one side may be NULL. False when there is nothing to say. */
static bool append_difference(const sy_identity_field *here, const sy_identity_field *there, bool recorded_too,
                              sy_text *text)
{
    assert(here != NULL || there != NULL);
    const bool key = (here != NULL && here->key) || (there != NULL && there->key);
    if (!key && !recorded_too)
        return false;
    if (here != NULL && there != NULL && strcmp(here->value, there->value) == 0 && !value_is_unknown(here->value))
        return false;
    append_shown(here != NULL ? here->name : there->name, ": ", text);
    append_shown(here != NULL ? here->value : "absent", " here, ", text);
    append_shown(there != NULL ? there->value : "absent", key ? " there\n" : " there (recorded only)\n", text);
    return true;
}

size_t sy_identity_append_diff(const sy_identity *here, const sy_identity *there, bool recorded_too, sy_text *text)
{
    size_t lines = 0;
    size_t at_here = 0;
    size_t at_there = 0;
    while (at_here < here->field_count || at_there < there->field_count) {
        int order = 0;
        if (at_here == here->field_count)
            order = 1;
        else if (at_there == there->field_count)
            order = -1;
        else
            order = strcmp(here->fields[at_here].name, there->fields[at_there].name);
        const sy_identity_field *field_here = order <= 0 ? &here->fields[at_here++] : NULL;
        const sy_identity_field *field_there = order >= 0 ? &there->fields[at_there++] : NULL;
        if (append_difference(field_here, field_there, recorded_too, text))
            lines++;
    }
    return lines;
}
