/* SPDX-License-Identifier: Apache-2.0 */
/* Groups unavailable candidates by their reason. */
#include "report/probe/probe_alike.h"

#include <string.h>

enum { GROUP_LEAST = 3 };

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static bool are_alike(const sy_candidate_result *a, const sy_candidate_result *b)
{
    return a->role == SY_ROLE_CANDIDATE && b->role == SY_ROLE_CANDIDATE && a->decision == SY_DECISION_UNAVAILABLE &&
           b->decision == SY_DECISION_UNAVAILABLE && or_empty(a->detail)[0] != '\0' &&
           strcmp(or_empty(a->reason), or_empty(b->reason)) == 0 && strcmp(a->detail, or_empty(b->detail)) == 0;
}

bool sy_probe_alike(const sy_probe_result *result, size_t i)
{
    size_t count = 0;
    for (size_t k = 0; k < result->candidate_count; k++)
        count += are_alike(&result->candidates[i], &result->candidates[k]);
    return count >= GROUP_LEAST;
}

static bool is_first_of_its_kind(const sy_probe_result *result, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (are_alike(&result->candidates[i], &result->candidates[k]))
            return false;
    }
    return true;
}

void sy_probe_alike_print(sy_page *page, const sy_probe_result *result)
{
    bool any = false;
    for (size_t i = 0; i < result->candidate_count; i++) {
        const sy_candidate_result *first = &result->candidates[i];
        sy_text text = SY_TEXT_INIT;

        if (!sy_probe_alike(result, i) || !is_first_of_its_kind(result, i))
            continue;
        sy_text_append_format(&text, "Unavailable, %s%s%s:", or_empty(first->reason),
                              or_empty(first->reason)[0] != '\0' ? ": " : "", first->detail);
        for (size_t k = i; k < result->candidate_count; k++) {
            if (are_alike(first, &result->candidates[k]))
                sy_text_append_format(&text, "%s %s", k > i ? "," : "", or_empty(result->candidates[k].name));
        }
        sy_page_paragraph(page, 0, 2, SY_TONE_PLAIN, sy_text_bytes(&text));
        page->text.failed = page->text.failed || text.failed;
        sy_text_finish(&text);
        any = true;
    }
    if (any)
        sy_page_blank(page);
}
