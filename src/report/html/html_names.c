/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of texts, by a hash table with open addresses that is at most half full. */
#include "report/html/html_names.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 64 };

/* FNV-1a of 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash ^ (hash >> 32);
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t slot_of(const sy_html_names *names, const char *text)
{
    size_t slot = (size_t)hash_of(text) & (names->slot_count - 1);

    while (names->slots[slot] != 0 && strcmp(names->texts[names->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    return slot;
}

static bool grow(sy_html_names *names)
{
    size_t slot_count = names->slot_count == 0 ? FIRST_SLOTS : names->slot_count * 2;
    uint32_t *slots = sy_allocate(slot_count, sizeof(*slots));
    const char **texts = slots != NULL ? sy_reallocate(names->texts, slot_count / 2, sizeof(*texts)) : NULL;

    if (texts == NULL) {
        sy_free(slots);
        return false;
    }
    sy_free(names->slots);
    names->texts = texts;
    names->slots = slots;
    names->slot_count = slot_count;
    for (size_t i = 0; i < names->count; i++)
        slots[slot_of(names, texts[i])] = (uint32_t)i + 1;
    return true;
}

uint32_t sy_html_names_number(sy_html_names *names, const char *text)
{
    const char *wanted = text != NULL ? text : "";

    if (names->failed || (names->count == names->slot_count / 2 && !grow(names))) {
        names->failed = true;
        return 0;
    }
    size_t slot = slot_of(names, wanted);
    if (names->slots[slot] == 0) {
        names->texts[names->count++] = wanted;
        names->slots[slot] = (uint32_t)names->count;
    }
    return names->slots[slot] - 1;
}

void sy_html_names_write(const sy_html_names *names, sy_json_writer *writer)
{
    sy_json_begin_array(writer);
    for (size_t i = 0; i < names->count; i++)
        sy_json_text(writer, names->texts[i]);
    sy_json_end_array(writer);
}

void sy_html_names_finish(sy_html_names *names)
{
    sy_free(names->texts);
    sy_free(names->slots);
    *names = (sy_html_names){0};
}
