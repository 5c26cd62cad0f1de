/* SPDX-License-Identifier: Apache-2.0 */
/* What a selector remembers of the requests it has seen: key, answer, miss; and the texts of answers, each once. It
 * grows with the number of different requests and texts, not with the number of calls. */
#include <string.h>

#include "base/error.h"
#include "select/selector.h"

sy_remembered *sy_selector_find(const sy_selector *selector, sy_request_mark mark)
{
    sy_remembered *seen = selector->buckets[(mark.a ^ mark.b) % SY_SELECTOR_BUCKETS];
    while (seen && (seen->mark.a != mark.a || seen->mark.b != mark.b))
        seen = seen->next;
    return seen;
}

sy_status sy_selector_add(sy_selector *selector, sy_request_mark mark, const sy_selection *key, sy_error *err)
{
    sy_remembered *seen = sy_arena_allocate(selector->arena, 1, sizeof(*seen));
    if (!seen)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the key of a request");
    sy_remembered **bucket = &selector->buckets[(mark.a ^ mark.b) % SY_SELECTOR_BUCKETS];
    *seen = (sy_remembered){.mark = mark, .selection = *key};
    (void)pthread_rwlock_wrlock(&selector->looking);
    seen->next = *bucket;
    *bucket = seen;
    (void)pthread_rwlock_unlock(&selector->looking);
    return SY_OK;
}

static void take(const sy_remembered *seen, sy_selection *ret_selection)
{
    *ret_selection = seen->selection;
    ret_selection->source = SY_SOURCE_MEMORY;
    ret_selection->timed_runs = 0;
    ret_selection->confirmation = SY_CONFIRMATION_NONE;
}

bool sy_selector_recall(sy_selector *selector, sy_request_mark mark, sy_selection *ret_selection)
{
    (void)pthread_rwlock_rdlock(&selector->looking);
    const sy_remembered *seen = sy_selector_find(selector, mark);
    bool found = seen && seen->answered && seen->changes == sy_store_changes(selector->store);
    if (found)
        take(seen, ret_selection);
    (void)pthread_rwlock_unlock(&selector->looking);
    return found;
}

bool sy_selector_recall_own(sy_selector *selector, sy_request_mark mark, uint64_t changes, sy_selection *ret_selection)
{
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    bool found = seen && seen->answered && seen->selection.source == SY_SOURCE_PROBE && !seen->selection.stored;
    if (found) {
        seen->changes = changes;
        take(seen, ret_selection);
    }
    (void)pthread_rwlock_unlock(&selector->looking);
    return found;
}

void sy_selector_remember(sy_selector *selector, sy_request_mark mark, const sy_selection *selection, uint64_t changes)
{
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    if (seen) {
        seen->selection = *selection;
        seen->answered = true;
        seen->changes = changes;
    }
    (void)pthread_rwlock_unlock(&selector->looking);
}

sy_miss_state sy_selector_claim_miss(sy_selector *selector, sy_request_mark mark)
{
    sy_miss_state before = SY_MISS_NONE;
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    if (seen) {
        before = seen->miss;
        if (before == SY_MISS_NONE)
            seen->miss = SY_MISS_WRITTEN;
    }
    (void)pthread_rwlock_unlock(&selector->looking);
    return before;
}

void sy_selector_set_miss(sy_selector *selector, sy_request_mark mark, sy_miss_state miss)
{
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    if (seen)
        seen->miss = miss;
    (void)pthread_rwlock_unlock(&selector->looking);
}

bool sy_selector_has_tried(sy_selector *selector, sy_request_mark mark)
{
    (void)pthread_rwlock_rdlock(&selector->looking);
    const sy_remembered *seen = sy_selector_find(selector, mark);
    bool tried = seen && seen->confirmation_tried;
    (void)pthread_rwlock_unlock(&selector->looking);
    return tried;
}

bool sy_selector_claim_confirmation(sy_selector *selector, sy_request_mark mark)
{
    (void)pthread_rwlock_wrlock(&selector->looking);
    sy_remembered *seen = sy_selector_find(selector, mark);
    bool first = seen && !seen->confirmation_tried;
    if (seen)
        seen->confirmation_tried = true;
    (void)pthread_rwlock_unlock(&selector->looking);
    return first;
}

const char *sy_selector_keep_text(sy_selector *selector, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    sy_kept_text **bucket = &selector->texts[(hash ^ hash >> 32) % SY_SELECTOR_BUCKETS];
    for (const sy_kept_text *kept = *bucket; kept; kept = kept->next) {
        if (strcmp(kept->text, text) == 0)
            return kept->text;
    }
    sy_kept_text *kept = sy_arena_allocate(selector->arena, 1, sizeof(*kept));
    const char *copy = kept ? sy_arena_copy_text(selector->arena, text) : NULL;
    if (!copy)
        return NULL;
    *kept = (sy_kept_text){*bucket, copy};
    *bucket = kept;
    return copy;
}
