/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a text into parts, each with its module, and says which of them count. */
#include "backends/assignment/assignment_part.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/near.h"
#include "base/text.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

sy_span sy_span_of(const char *text)
{
    return (sy_span){text, strlen(text)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

sy_span sy_span_trim(sy_span span)
{
    while (span.length > 0 && is_blank(span.at[0])) {
        span.at++;
        span.length--;
    }
    while (span.length > 0 && is_blank(span.at[span.length - 1]))
        span.length--;
    return span;
}

bool sy_span_is_nameable(sy_span name)
{
    const sy_span trimmed = sy_span_trim(name);
    if (name.length == 0 || trimmed.length != name.length)
        return false;
    for (size_t i = 0; i < name.length; i++)
        if (strchr(",&=", name.at[i]) || (unsigned char)name.at[i] < 0x20 || name.at[i] == 0x7f)
            return false;
    return true;
}

bool sy_span_is_word(sy_span span, const char *word)
{
    size_t i = 0;
    while (i < span.length && word[i] != '\0' && lower(span.at[i]) == lower(word[i]))
        i++;
    return i == span.length && word[i] == '\0';
}

static size_t skip_joints(sy_span name, size_t i)
{
    while (i < name.length && (name.at[i] == '-' || name.at[i] == '_'))
        i++;
    return i;
}

bool sy_module_name_alike(sy_span a, sy_span b)
{
    size_t i = skip_joints(a, 0), j = skip_joints(b, 0);
    if (i == a.length || j == b.length)
        return false; /* nothing but joints is no name */
    while (i < a.length && j < b.length && lower(a.at[i]) == lower(b.at[j])) {
        i = skip_joints(a, i + 1);
        j = skip_joints(b, j + 1);
    }
    return i == a.length && j == b.length;
}

bool sy_span_means_all(sy_span key)
{
    return sy_module_name_alike(key, sy_span_of("all")) || sy_module_name_alike(key, sy_span_of("default")) ||
           sy_span_is_word(key, "*");
}

sy_position sy_span_position(const char *text, sy_span span)
{
    const uint64_t offset = (uint64_t)(span.at - text);
    return (sy_position){offset, 1, (uint32_t)offset + 1};
}

/* U+200E, U+200F, U+202A..U+202E, U+2066..U+2069, U+061C and the C1 controls: what turns or steers a line. */
static bool steers(const unsigned char *at, size_t length)
{
    if (length == 1)
        return at[0] < 0x20 || at[0] == 0x7f;
    if (length == 2)
        return (at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xd8 && at[1] == 0x9c);
    return length == 3 && at[0] == 0xe2 &&
           ((at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae))) ||
            (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

sy_shown sy_span_shown(sy_span span)
{
    static const char cut[] = "...";
    sy_shown shown = {""};
    size_t used = 0, uncut = 0; /* uncut: how much may stay where the mark must follow */
    for (size_t i = 0; i < span.length;) {
        char piece[4 * 4 + 1];
        size_t size = 0;
        const unsigned char *at = (const unsigned char *)span.at + i;
        size_t length = sy_text_character_length(span.at + i, span.length - i);
        const bool is_raw = length > 0 && !steers(at, length);
        length = length > 0 ? length : 1;
        for (size_t k = 0; k < length; k++)
            size += (size_t)snprintf(piece + size, sizeof piece - size, is_raw ? "%c" : "\\x%02x", at[k]);
        if (used + size > SY_SHOWN_MAX) {
            memcpy(shown.text + uncut, cut, sizeof cut);
            return shown;
        }
        memcpy(shown.text + used, piece, size);
        used += size;
        if (used + sizeof cut - 1 <= SY_SHOWN_MAX)
            uncut = used;
        i += length;
    }
    shown.text[used] = '\0';
    return shown;
}

sy_status sy_part_failed(sy_error *err, sy_status status, const char *text, const sy_part *part, sy_span where)
{
    if (!err)
        return status;
    sy_error_prefix(err, "part '%s'", sy_span_shown(part->whole).text);
    sy_error_at(err, sy_span_position(text, where));
    return status;
}

/* A value and its key, both without blanks. */
static sy_status split(const sy_assignment_table *table, const char *text, sy_part *part, sy_error *err)
{
    const char *equals = memchr(part->whole.at, '=', part->whole.length);
    part->key = (sy_span){NULL, 0};
    part->value = part->whole;
    if (!equals)
        return SY_OK;
    const size_t before = (size_t)(equals - part->whole.at);
    part->key = sy_span_trim((sy_span){part->whole.at, before});
    part->value = sy_span_trim((sy_span){equals + 1, part->whole.length - before - 1});
    const char *second = memchr(equals + 1, '=', part->whole.length - before - 1);
    if (second) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a second '='");
        sy_error_hint(err, "parts are separated by ','");
        return sy_part_failed(err, SY_INVALID_ARGUMENT, text, part, (sy_span){second, 1});
    }
    if (part->key.length > 0 && part->value.length > 0)
        return SY_OK;
    const bool has_key = part->key.length > 0;
    const char *word = table->module_word ? table->module_word : "module";
    if (has_key)
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "nothing behind the '='");
    else
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "no %s before the '='", word);
    if (!has_key)
        sy_error_hint(err, "all=... stands for every %s", word);
    return sy_part_failed(err, SY_INVALID_ARGUMENT, text, part, has_key ? (sy_span){equals, 1} : part->whole);
}

static bool is_module(const sy_assignment_module *module, sy_span name)
{
    if (sy_module_name_alike(name, sy_span_of(module->name)))
        return true;
    for (const char *const *alias = module->aliases; alias && *alias; alias++)
        if (sy_module_name_alike(name, sy_span_of(*alias)))
            return true;
    return false;
}

static size_t find_module(const sy_assignment_table *table, sy_span name)
{
    size_t i = 0;
    while (i < table->module_count && !is_module(&table->modules[i], name))
        i++;
    return i;
}

static void hint_modules(const sy_assignment_table *table, sy_span key, sy_error *err)
{
    char names[160] = "";
    size_t used = 0, i = 0;
    sy_nearest nearest = {key.at, key.length, NULL, 0};
    for (size_t m = 0; m < table->module_count; m++) {
        sy_nearest_offer(&nearest, table->modules[m].name);
        for (const char *const *alias = table->modules[m].aliases; alias && *alias; alias++)
            sy_nearest_offer(&nearest, *alias);
    }
    sy_nearest_offer(&nearest, "all");
    if (nearest.found) {
        sy_error_hint(err, "did you mean '%s'?", sy_span_shown(sy_span_of(nearest.found)).text);
        return;
    }
    for (; i < table->module_count; i++) {
        const sy_shown shown = sy_span_shown(sy_span_of(table->modules[i].name));
        if (used + strlen(shown.text) + 3 > sizeof names)
            break;
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", shown.text);
    }
    sy_error_hint(err, "there are all%s%s", names, i < table->module_count ? ", ..." : "");
}

static sy_status find_target(const sy_assignment_table *table, const char *text, sy_part *part, sy_error *err)
{
    part->target = SY_PART_DEFAULT;
    if (!part->key.at || sy_span_means_all(part->key))
        return SY_OK;
    part->target = find_module(table, part->key);
    if (part->target < table->module_count)
        return SY_OK;
    const char *word = table->module_word ? table->module_word : "module";
    (void)sy_fail(err, SY_NOT_FOUND, "no %s '%s'", word, sy_span_shown(part->key).text);
    if (err && find_module(table, part->value) < table->module_count)
        sy_error_hint(err, "the %s stands first: %s=%s", word, sy_span_shown(part->value).text,
                      sy_span_shown(part->key).text);
    else if (err)
        hint_modules(table, part->key, err);
    return sy_part_failed(err, SY_NOT_FOUND, text, part, part->key);
}

/* The part that counts for one target, and its text for those that it overruled. */
typedef struct counting {
    const sy_part *part;
    const char *text;
} counting;

static sy_status tell_overruled(const sy_parts *parts, const sy_part *part, counting *by, sy_arena *arena,
                                sy_assignment_overruled *to)
{
    if (!by->text)
        by->text = sy_arena_copy_bytes(arena, by->part->whole.at, by->part->whole.length);
    to->part = sy_arena_copy_bytes(arena, part->whole.at, part->whole.length);
    to->position = sy_span_position(parts->text, part->whole);
    to->by = by->text;
    to->by_position = sy_span_position(parts->text, by->part->whole);
    return to->part && to->by ? SY_OK : SY_NO_MEMORY;
}

/* Which parts count, from the last one back; those that do not are told with the one that does. */
static sy_status find_overruled(const sy_assignment_table *table, sy_arena *arena, sy_parts *parts)
{
    counting *targets = sy_arena_allocate(arena, table->module_count + 1, sizeof *targets);
    sy_assignment_overruled *overruled = sy_arena_allocate(arena, parts->count, sizeof *overruled);
    sy_status status = targets && overruled ? SY_OK : SY_NO_MEMORY;
    for (size_t i = parts->count; !status && i-- > 0;) {
        sy_part *part = &parts->parts[i];
        counting *by = &targets[part->target == SY_PART_DEFAULT ? table->module_count : part->target];
        part->counts = !by->part;
        if (part->counts)
            by->part = part;
    }
    for (size_t i = 0; !status && i < parts->count; i++) {
        const sy_part *part = &parts->parts[i];
        counting *by = &targets[part->target == SY_PART_DEFAULT ? table->module_count : part->target];
        if (!part->counts)
            status = tell_overruled(parts, part, by, arena, &overruled[parts->overruled_count++]);
    }
    parts->overruled = overruled;
    return status;
}

/* Room for all parts: one more than commas, as far as the limit goes. */
static sy_status start(const char *text, sy_arena *arena, sy_parts *parts, sy_error *err)
{
    size_t length = text ? strnlen(text, SY_ASSIGNMENT_BYTES_MAX + 1) : 0;
    size_t count = 1;
    if (!text)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no text to read");
    if (length > SY_ASSIGNMENT_BYTES_MAX)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the text has more than %zu bytes", SY_ASSIGNMENT_BYTES_MAX);
    for (size_t i = 0; i < length && count < SY_ASSIGNMENT_PARTS_MAX; i++)
        count += text[i] == ',';
    *parts = (sy_parts){.text = text, .parts = sy_arena_allocate(arena, count, sizeof *parts->parts)};
    return parts->parts ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
}

sy_status sy_parts_read(const sy_assignment_table *table, const char *text, sy_arena *arena, sy_parts *ret_parts,
                        sy_error *err)
{
    sy_parts parts;
    sy_status status = start(text, arena, &parts, err);
    for (const char *at = text; !status && at;) {
        const size_t length = strcspn(at, ",");
        sy_part part = {.whole = sy_span_trim((sy_span){at, length})};
        at = at[length] == ',' ? at + length + 1 : NULL;
        if (part.whole.length == 0)
            continue;
        if (parts.count == SY_ASSIGNMENT_PARTS_MAX) {
            status = sy_fail(err, SY_LIMIT_EXCEEDED, "more than %d parts", SY_ASSIGNMENT_PARTS_MAX);
            return sy_part_failed(err, status, text, &part, part.whole);
        }
        status = split(table, text, &part, err);
        if (!status)
            status = find_target(table, text, &part, err);
        if (!status)
            parts.parts[parts.count++] = part;
    }
    if (!status && find_overruled(table, arena, &parts))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for an assignment");
    if (!status)
        *ret_parts = parts;
    return status;
}
