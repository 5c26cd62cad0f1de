/* SPDX-License-Identifier: Apache-2.0 */
/* Growing lists on the heap, which end in one arena. The file as a whole is here, rows in import_row.c. */
#include "importers/import/import_draft.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "importers/import/import_inside.h"

enum { FIRST_CAPACITY = 16 };

void *sy_import_list_add(sy_import_draft *draft, sy_import_list *list, size_t size)
{
    void *item;

    if (draft->failed)
        return NULL;
    if (list->count == list->capacity) {
        size_t larger = list->capacity == 0 ? FIRST_CAPACITY : list->capacity * 2;
        void *grown = list->capacity > SIZE_MAX / 4 ? NULL : sy_reallocate(list->items, larger, size);

        draft->failed = grown == NULL;
        if (draft->failed)
            return NULL;
        list->items = grown;
        list->capacity = larger;
    }
    item = (char *)list->items + list->count++ * size;
    memset(item, 0, size);
    return item;
}

void *sy_import_list_keep(sy_import_draft *draft, sy_import_list *list, size_t size)
{
    void *kept = sy_arena_allocate(draft->arena, list->count + 1, size);

    if (kept == NULL)
        draft->failed = true;
    else if (list->count > 0)
        memcpy(kept, list->items, list->count * size);
    return kept;
}

sy_status sy_import_draft_init(sy_import_draft *draft, sy_error *err)
{
    *draft = (sy_import_draft){.arena = sy_arena_create(0)};
    if (draft->arena != NULL)
        draft->imported = sy_arena_allocate(draft->arena, 1, sizeof *draft->imported);
    if (draft->imported == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for imported results");
    draft->imported->host = draft->imported->device = draft->imported->tool = draft->imported->revision = "";
    draft->imported->branch = draft->imported->time = "";
    draft->imported->dirty = -1;
    return SY_OK;
}

void sy_import_draft_finish(sy_import_draft *draft)
{
    sy_import_list *const lists[] = {&draft->rows,       &draft->rejects,   &draft->notes,    &draft->facts,
                                     &draft->settings,   &draft->series,    &draft->samples,  &draft->figures,
                                     &draft->parameters, &draft->row_facts, &draft->row_notes};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        sy_free(lists[i]->items);
    sy_arena_destroy(draft->arena);
    *draft = (sy_import_draft){0};
}

sy_status sy_import_draft_take(sy_import_draft *draft, sy_imported **ret_imported, sy_error *err)
{
    sy_imported *imported = draft->imported;

    if (draft->unlisted_rejects > 0)
        sy_import_note(draft, "%llu more were not understood, and are not listed",
                       (unsigned long long)draft->unlisted_rejects);
    imported->rows = sy_import_list_keep(draft, &draft->rows, sizeof(sy_imported_row));
    imported->rejects = sy_import_list_keep(draft, &draft->rejects, sizeof(sy_import_reject));
    imported->notes = sy_import_list_keep(draft, &draft->notes, sizeof(char *));
    imported->facts = sy_import_list_keep(draft, &draft->facts, sizeof(sy_named_text));
    imported->settings = sy_import_list_keep(draft, &draft->settings, sizeof(sy_named_text));
    if (draft->failed)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu imported rows", draft->rows.count);
    if (draft->rows.count == 0 && draft->rejects.count > 0) {
        sy_fail(err, SY_CORRUPT, "nothing could be read: %s", imported->rejects[0].what);
        sy_error_at(err, imported->rejects[0].position);
        return SY_CORRUPT;
    }
    imported->row_count = draft->rows.count;
    imported->reject_count = draft->rejects.count;
    imported->note_count = draft->notes.count;
    imported->fact_count = draft->facts.count;
    imported->setting_count = draft->settings.count;
    imported->owner = draft->arena;
    draft->arena = NULL;
    draft->imported = NULL;
    *ret_imported = imported;
    return SY_OK;
}

/* The length of what can be kept as it is: UTF-8 without 0 bytes. */
static size_t clean_length(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && text[at] != '\0') {
        size_t character = (unsigned char)text[at] < 0x80 ? 1 : sy_text_character_length(text + at, length - at);

        if (character == 0)
            break;
        at += character;
    }
    return at;
}

const char *sy_import_copy(sy_import_draft *draft, const char *text, size_t length)
{
    size_t clean = clean_length(text, length);
    sy_text mended = SY_TEXT_INIT;
    const char *copy = NULL;

    if (length == 0)
        return "";
    if (clean == length) {
        copy = sy_arena_copy_bytes(draft->arena, text, length);
    } else {
        for (;;) {
            sy_text_append_bytes(&mended, text, clean);
            if (clean == length)
                break;
            sy_text_append(&mended, "\xef\xbf\xbd");
            text += clean + 1;
            length -= clean + 1;
            clean = clean_length(text, length);
        }
        copy = mended.failed ? NULL : sy_arena_copy_bytes(draft->arena, mended.bytes, mended.length);
    }
    sy_text_finish(&mended);
    draft->failed = draft->failed || copy == NULL;
    return copy != NULL ? copy : "";
}

const char *sy_import_message(sy_import_draft *draft, const char *format, va_list arguments)
{
    char whole[SY_IMPORT_MESSAGE_MAX + 8];
    char cut[SY_IMPORT_MESSAGE_MAX];

    sy_format_list(whole, sizeof whole, format, arguments);
    (void)sy_text_copy(cut, sizeof cut, whole);
    return sy_import_copy(draft, cut, strlen(cut));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool sy_import_zone_is_known(const char *time)
{
    size_t length = strlen(time);
    const char *at = strpbrk(time, "T ");
    const char *sign;

    if (at == NULL || strchr(at, ':') == NULL) /* a day, or nothing that ISO 8601 has */
        return false;
    if (time[length - 1] == 'Z' || (length > 4 && strcmp(time + length - 4, " UTC") == 0))
        return true;
    sign = strpbrk(at, "+-");
    if (sign == NULL || !is_digit(sign[1]) || !is_digit(sign[2]))
        return false;
    sign += 3;
    sign += *sign == ':';
    return *sign == '\0' || (is_digit(sign[0]) && is_digit(sign[1]) && sign[2] == '\0');
}

void sy_import_stamp(sy_import_draft *draft, const char *time)
{
    draft->imported->time = sy_import_copy(draft, time, strlen(time));
    draft->imported->zone_known = sy_import_zone_is_known(time);
}

void sy_import_named_add(sy_import_draft *draft, sy_import_list *list, const char *name, const char *value)
{
    sy_named_text *named = sy_import_list_add(draft, list, sizeof *named);

    if (named != NULL) {
        named->name = sy_import_copy(draft, name, strlen(name));
        named->value = sy_import_copy(draft, value, strlen(value));
    }
}

void sy_import_setting(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_named_add(draft, &draft->settings, name, value);
}

void sy_import_fact(sy_import_draft *draft, const char *name, const char *value)
{
    sy_import_named_add(draft, &draft->facts, name, value);
}

void sy_import_note_add(sy_import_draft *draft, sy_import_list *list, const char *format, va_list arguments)
{
    const char **note = sy_import_list_add(draft, list, sizeof *note);

    if (note != NULL)
        *note = sy_import_message(draft, format, arguments);
}

void sy_import_note(sy_import_draft *draft, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sy_import_note_add(draft, &draft->notes, format, arguments);
    va_end(arguments);
}

void sy_import_reject_add(sy_import_draft *draft, sy_position position, const char *pointer, const char *format,
                          va_list arguments)
{
    sy_import_reject *reject;

    if (draft->rejects.count == SY_IMPORT_REJECTS_MAX) {
        draft->unlisted_rejects++;
        return;
    }
    reject = sy_import_list_add(draft, &draft->rejects, sizeof *reject);
    if (reject != NULL) {
        reject->position = position;
        reject->pointer = sy_import_copy(draft, pointer, strlen(pointer));
        reject->what = sy_import_message(draft, format, arguments);
    }
}

void sy_import_reject_at(sy_import_draft *draft, sy_position position, const char *pointer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sy_import_reject_add(draft, position, pointer, format, arguments);
    va_end(arguments);
}
