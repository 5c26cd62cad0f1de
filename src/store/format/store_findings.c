/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded list of located findings. */
#include "store/format/store_findings.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define FINDING_TEXT_MAX 240

static bool make_room(sy_store_findings *findings)
{
    if (findings->arena == NULL) {
        findings->arena = sy_arena_create(0);
    }
    if (findings->count == findings->capacity) {
        size_t capacity = findings->capacity == 0 ? 16 : findings->capacity * 2;
        sy_store_finding *items = sy_reallocate(findings->items, capacity, sizeof *items);
        if (items == NULL) {
            return false;
        }
        findings->items = items;
        findings->capacity = capacity;
    }
    return findings->arena != NULL;
}

void sy_store_findings_add(sy_store_findings *findings, uint32_t line, const char *format, ...)
{
    findings->total++;
    if (findings->count == SY_FINDINGS_MAX || findings->failed) {
        return;
    }
    char what[FINDING_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    sy_format_list(what, sizeof what, format, arguments);
    va_end(arguments);
    /* A file's own bytes may stand in the text: nothing of them may reach a terminal as a control code. */
    for (char *at = what; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            *at = '?';
        }
    }
    char *text = make_room(findings) ? sy_arena_format(findings->arena, "line %u: %s", line, what) : NULL;
    if (text == NULL) {
        findings->failed = true;
        return;
    }
    findings->items[findings->count++] = (sy_store_finding){line, text};
}

void sy_store_findings_finish(sy_store_findings *findings)
{
    sy_arena_destroy(findings->arena);
    sy_free(findings->items);
    memset(findings, 0, sizeof *findings);
}

sy_status sy_store_findings_tell(const sy_store_findings *findings, sy_status status, sy_error *err)
{
    if (findings->count == 0) {
        return sy_fail(err, status, "the file is damaged");
    }
    const sy_store_finding *first = &findings->items[0];
    if (findings->total > 1) {
        sy_fail(err, status, "%s (and %zu more)", first->text, findings->total - 1);
    } else {
        sy_fail(err, status, "%s", first->text);
    }
    if (err != NULL) {
        sy_error_at(err, (sy_position){0, first->line, 0});
    }
    return status;
}
