/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of tuning results share: the growing list of profiles, findings with their places, lines and which
 * of them say the same key again. */
#include "importers/tuning/tuning_draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

/* What a profile will borrow of the options. */
static const char *keep(sy_tuning_draft *draft, const char *text)
{
    return text != NULL ? sy_tuning_copy(draft, text, strlen(text)) : NULL;
}

sy_status sy_tuning_draft_init(sy_tuning_draft *draft, const char *name, const sy_tuning_options *options,
                               sy_error *err)
{
    const sy_tuning_options known = SY_TUNING_OPTIONS_INIT;
    sy_tuning_options *kept = NULL;

    *draft = (sy_tuning_draft){.name = name};
    draft->arena = sy_arena_create(0);
    draft->findings = sy_findings_create();
    if (draft->arena != NULL)
        kept = sy_arena_allocate(draft->arena, 1, sizeof *kept);
    if (kept == NULL || draft->findings == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", name);
    *kept = known;
    if (options != NULL) /* what this version does not know of them has its default */
        memcpy(kept, options, options->struct_size < sizeof *kept ? options->struct_size : sizeof *kept);
    kept->backend = keep(draft, kept->backend);
    kept->operator_name = keep(draft, kept->operator_name);
    kept->implementation_version = keep(draft, kept->implementation_version);
    draft->options = kept;
    return !draft->failed ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory to read '%s'", name);
}

void sy_tuning_draft_finish(sy_tuning_draft *draft)
{
    sy_findings_destroy(draft->findings);
    sy_arena_destroy(draft->arena);
    sy_free(draft->list);
    sy_free(draft->lines);
}

static void tell(sy_tuning_draft *draft, bool is_note, const char *rule, sy_position position, const char *found,
                 const char *format, va_list arguments)
{
    char message[512];
    sy_finding finding = {.rule = rule, .file = draft->name, .position = position, .message = message};

    draft->finding_total += !is_note;
    if (draft->finding_total > SY_TUNING_FINDINGS_MAX && !is_note)
        return;
    sy_format_list(message, sizeof message, format, arguments);
    finding.found = found;
    if (is_note)
        sy_findings_note(draft->findings, &finding);
    else
        sy_findings_add(draft->findings, &finding);
}

void sy_tuning_find(sy_tuning_draft *draft, const char *rule, sy_position position, const char *found,
                    const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(draft, false, rule, position, found, format, arguments);
    va_end(arguments);
}

void sy_tuning_note(sy_tuning_draft *draft, const char *rule, sy_position position, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(draft, true, rule, position, NULL, format, arguments);
    va_end(arguments);
}

/* Room for one more in a list of that capacity. */
static bool grow(sy_tuning_draft *draft, void **list, size_t count, size_t *capacity, size_t size)
{
    size_t larger = *capacity == 0 ? 64 : *capacity > SIZE_MAX / 4 ? SIZE_MAX : 2 * *capacity;
    void *grown;

    if (count < *capacity)
        return true;
    grown = sy_reallocate(*list, larger, size);
    if (grown == NULL) {
        draft->failed = true;
        return false;
    }
    *list = grown;
    *capacity = larger;
    return true;
}

void sy_tuning_line_add(sy_tuning_draft *draft, sy_tuning_line line)
{
    void *list = draft->lines;

    if (!grow(draft, &list, draft->line_count, &draft->line_capacity, sizeof *draft->lines))
        return;
    draft->lines = list;
    line.first = draft->line_count;
    draft->lines[draft->line_count++] = line;
}

static int compare_lines(const void *left, const void *right)
{
    const sy_tuning_line *a = *(const sy_tuning_line *const *)left;
    const sy_tuning_line *b = *(const sy_tuning_line *const *)right;
    size_t shorter = a->key.length < b->key.length ? a->key.length : b->key.length;
    int order = memcmp(a->key.at, b->key.at, shorter);

    if (order == 0)
        order = (a->key.length > b->key.length) - (a->key.length < b->key.length);
    return order != 0 ? order : (a > b) - (a < b);
}

sy_status sy_tuning_lines_match(sy_tuning_draft *draft, sy_error *err)
{
    size_t count = draft->line_count;
    sy_tuning_line **sorted = sy_allocate(count, sizeof *sorted);

    if (sorted == NULL || draft->failed) {
        sy_free(sorted);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the entries of '%s'", draft->name);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &draft->lines[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, compare_lines);
    for (size_t i = 1; i < count; i++) {
        if (sorted[i]->key.length == sorted[i - 1]->key.length &&
            memcmp(sorted[i]->key.at, sorted[i - 1]->key.at, sorted[i]->key.length) == 0)
            sorted[i]->first = sorted[i - 1]->first;
    }
    sy_free(sorted);
    return SY_OK;
}

bool sy_tuning_line_counts(sy_tuning_draft *draft, size_t index)
{
    sy_tuning_line *line = &draft->lines[index];
    sy_tuning_line *first = &draft->lines[line->first];

    if (line == first)
        return true;
    if (!first->unread)
        return false;
    *first = *line; /* duplicates that follow are held against it */
    return true;
}

sy_position sy_tuning_place(const char *text, const sy_tuning_line *line, const char *at)
{
    size_t column = (size_t)(at - line->start) + 1;

    return (sy_position){(uint64_t)(at - text), line->number, column < UINT32_MAX ? (uint32_t)column : UINT32_MAX};
}

const char *sy_tuning_copy(sy_tuning_draft *draft, const char *bytes, size_t length)
{
    const char *copy = length == 0 ? "" : sy_arena_copy_bytes(draft->arena, bytes, length);

    draft->failed = draft->failed || copy == NULL;
    return copy != NULL ? copy : "";
}

void sy_tuning_property(sy_tuning_draft *draft, sy_tuning_structure *structure, const char *name, const char *value,
                        size_t length)
{
    size_t at = structure->count;

    if (at == SY_TUNING_STRUCTURE_MAX)
        return;
    for (; at > 0 && strcmp(structure->list[at - 1].name, name) > 0; at--)
        structure->list[at] = structure->list[at - 1];
    structure->list[at] = (sy_property){name, sy_tuning_copy(draft, value, length)};
    structure->count++;
}

void sy_tuning_property_whole(sy_tuning_draft *draft, sy_tuning_structure *structure, const char *name, int64_t value)
{
    char digits[SY_NUMBER_TEXT];

    sy_tuning_property(draft, structure, name, digits,
                       sy_number_write_whole(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, digits));
}

sy_tuned *sy_tuning_add(sy_tuning_draft *draft, const char *backend, const char *operator_name, const char *version,
                        sy_tuning_structure *structure, const char *policy, sy_position position)
{
    void *list = draft->list;
    sy_property *kept = sy_arena_allocate(draft->arena, structure->count, sizeof *kept);
    sy_tuned *tuned;

    if (kept == NULL || !grow(draft, &list, draft->count, &draft->capacity, sizeof *draft->list)) {
        draft->failed = true;
        return NULL;
    }
    memcpy(kept, structure->list, structure->count * sizeof *kept);
    draft->list = list;
    tuned = &draft->list[draft->count++];
    *tuned = (sy_tuned){.position = position,
                        .profile = {.kind = SY_PROFILE_IMPORTED,
                                    .portable = true,
                                    .key = {.backend = backend,
                                            .operator_name = operator_name,
                                            .implementation_version = version,
                                            .model_digest = "",
                                            .processor = "",
                                            .structure = kept,
                                            .structure_count = structure->count},
                                    .policy = policy,
                                    .policy_size = strlen(policy),
                                    .evidence_run = "",
                                    .evidence_digest = "",
                                    .trial = {.rule = ""},
                                    .reason = "",
                                    .tool = sy_tuning_format_word(draft->format)}};
    return tuned;
}
