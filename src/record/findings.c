/* SPDX-License-Identifier: Apache-2.0 */
/* Findings and notes: kept in an arena in the order they come, sorted when they are asked for. */
#include "record/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define FOUND_BYTES_MAX 120

typedef struct finding_array {
    sy_finding *items;
    size_t count;
    size_t capacity;
} finding_array;

struct sy_findings {
    sy_arena *arena;
    finding_array findings;
    finding_array notes;
    bool failed;
};

sy_findings *sy_findings_create(void)
{
    sy_findings *findings = sy_allocate(1, sizeof *findings);
    if (findings == NULL) {
        return NULL;
    }
    findings->arena = sy_arena_create(0);
    if (findings->arena == NULL) {
        sy_free(findings);
        return NULL;
    }
    return findings;
}

void sy_findings_destroy(sy_findings *findings)
{
    if (findings == NULL) {
        return;
    }
    sy_arena_destroy(findings->arena);
    sy_free(findings->findings.items);
    sy_free(findings->notes.items);
    sy_free(findings);
}

/* A text from a file, made fit for a terminal: at most limit bytes of it, whole characters. */
static const char *clean(sy_findings *findings, const char *text, size_t limit)
{
    size_t left = text != NULL ? strlen(text) : 0;
    if (left == 0) {
        return "";
    }
    sy_text to = SY_TEXT_INIT;
    const char *at = text;
    while (left > 0 && to.length < limit) {
        size_t length = sy_text_character_length(at, left);
        unsigned char first = (unsigned char)*at;
        bool plain = length > 1 || (length == 1 && first >= 0x20 && first != 0x7f);
        /* U+0080..U+009F are control characters too: a terminal may obey them. */
        plain = plain && !(length == 2 && first == 0xc2 && (unsigned char)at[1] < 0xa0);
        if (plain) {
            sy_text_append_bytes(&to, at, length);
        } else {
            length = length > 0 ? length : 1;
            for (size_t i = 0; i < length; i++) {
                sy_text_append_format(&to, "\\x%02x", (unsigned)(unsigned char)at[i]);
            }
        }
        at += length;
        left -= length;
    }
    if (left > 0) {
        sy_text_append(&to, "...");
    }
    const char *kept = to.failed ? NULL : sy_arena_copy_text(findings->arena, sy_text_bytes(&to));
    sy_text_finish(&to);
    findings->failed = findings->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

static void add(sy_findings *findings, finding_array *to, const sy_finding *draft)
{
    if (to->count == to->capacity) {
        size_t capacity = to->capacity == 0 ? 16 : to->capacity * 2;
        sy_finding *items = sy_reallocate(to->items, capacity, sizeof *items);
        if (items == NULL) {
            findings->failed = true;
            return;
        }
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->count++] = (sy_finding){
        .rule = clean(findings, draft->rule, SIZE_MAX),
        .file = clean(findings, draft->file, SIZE_MAX),
        .position = draft->position,
        .pointer = clean(findings, draft->pointer, SIZE_MAX),
        .message = clean(findings, draft->message, SIZE_MAX),
        .found = clean(findings, draft->found, FOUND_BYTES_MAX),
        .expected = clean(findings, draft->expected, SIZE_MAX),
    };
}

void sy_findings_add(sy_findings *findings, const sy_finding *draft)
{
    add(findings, &findings->findings, draft);
}

void sy_findings_note(sy_findings *findings, const sy_finding *draft)
{
    add(findings, &findings->notes, draft);
}

size_t sy_findings_count(const sy_findings *findings)
{
    return findings->findings.count;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
    const sy_finding *a = left;
    const sy_finding *b = right;
    int order = strcmp(a->file, b->file);
    order = order != 0 ? order : compare_numbers(a->position.offset, b->position.offset);
    order = order != 0 ? order : compare_numbers(a->position.line, b->position.line);
    order = order != 0 ? order : compare_numbers(a->position.column, b->position.column);
    order = order != 0 ? order : strcmp(a->rule, b->rule);
    order = order != 0 ? order : strcmp(a->message, b->message);
    order = order != 0 ? order : strcmp(a->pointer, b->pointer);
    order = order != 0 ? order : strcmp(a->found, b->found);
    return order != 0 ? order : strcmp(a->expected, b->expected);
}

static void sort(finding_array *array)
{
    if (array->count < 2) {
        return;
    }
    qsort(array->items, array->count, sizeof *array->items, compare);
    size_t kept = 1;
    for (size_t i = 1; i < array->count; i++) {
        if (compare(&array->items[i], &array->items[kept - 1]) != 0) {
            array->items[kept++] = array->items[i];
        }
    }
    array->count = kept;
}

sy_status sy_findings_list(sy_findings *findings, sy_finding_list *ret_list, sy_error *err)
{
    if (findings->failed) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the findings");
    }
    sort(&findings->findings);
    sort(&findings->notes);
    *ret_list = (sy_finding_list){findings->findings.items, findings->findings.count, findings->notes.items,
                                  findings->notes.count};
    return SY_OK;
}
