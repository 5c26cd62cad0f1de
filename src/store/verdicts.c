/* SPDX-License-Identifier: Apache-2.0 */
/* The complete explanation of an answer: one verdict a stored profile, with the first field that differs. */
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/enquiry.h"
#include "store/profile.h"

typedef struct explanation {
    const sy_enquiry *enquiry;
    const sy_lookup *lookup;
    sy_property *structure; /* the question's, sorted */
    const sy_profile *selected;
    sy_arena *arena;
    bool no_memory;
} explanation;

static const char *keep(explanation *e, const char *text)
{
    char *copy = sy_arena_copy_text(e->arena, sy_text_or_empty(text));
    e->no_memory = e->no_memory || copy == NULL;
    return copy == NULL ? "" : copy;
}

/* Counts an agreement, or notes the first difference. */
static void compare(explanation *e, sy_verdict *verdict, sy_verdict_reason reason, const char *field,
                    const char *wanted, const char *found)
{
    if (sy_text_equal(sy_text_or_empty(wanted), found)) {
        verdict->matching_fields++;
    } else if (verdict->reason == SY_REASON_NONE) {
        verdict->reason = reason;
        verdict->field = field;
        verdict->wanted = keep(e, wanted);
        verdict->found = found;
    }
}

static void compare_threads(explanation *e, sy_verdict *verdict, uint32_t wanted, uint32_t found)
{
    if (wanted == found) {
        verdict->matching_fields++;
    } else if (verdict->reason == SY_REASON_NONE) {
        const char *wanted_text = wanted == 0 ? "" : sy_arena_format(e->arena, "%u", wanted);
        const char *found_text = sy_arena_format(e->arena, "%u", found);
        e->no_memory = e->no_memory || wanted_text == NULL || found_text == NULL;
        verdict->reason = SY_REASON_DIFFERENT_THREAD_COUNT;
        verdict->field = "thread_count";
        verdict->wanted = wanted_text == NULL ? "" : wanted_text;
        verdict->found = found_text == NULL ? "" : found_text;
    }
}

/* Walks both sorted structures together. A property that one side lacks differs from "". */
static void compare_structure(explanation *e, sy_verdict *verdict, const sy_profile_key *found)
{
    size_t i = 0;
    size_t j = 0;
    size_t wanted_count = e->lookup->key.structure_count;
    while (i < wanted_count || j < found->structure_count) {
        int order = i == wanted_count             ? 1
                    : j == found->structure_count ? -1
                                                  : strcmp(e->structure[i].name, found->structure[j].name);
        const char *name = order <= 0 ? e->structure[i].name : found->structure[j].name;
        const char *wanted = order <= 0 ? e->structure[i].value : NULL;
        const char *value = order >= 0 ? found->structure[j].value : NULL;
        if (order == 0 && sy_text_equal(sy_text_or_empty(wanted), value)) {
            verdict->matching_fields++;
        } else if (verdict->reason == SY_REASON_NONE) {
            char *field = sy_arena_format(e->arena, "structure.%s", name);
            e->no_memory = e->no_memory || field == NULL;
            verdict->reason = SY_REASON_DIFFERENT_STRUCTURE;
            verdict->field = field == NULL ? "structure" : field;
            verdict->wanted = keep(e, wanted);
            verdict->found = sy_text_or_empty(value);
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static void compare_keys(explanation *e, sy_verdict *verdict)
{
    const sy_profile_key *wanted = &e->lookup->key;
    const sy_profile_key *found = &verdict->profile->key;
    compare(e, verdict, SY_REASON_DIFFERENT_BACKEND, "backend", wanted->backend, found->backend);
    compare(e, verdict, SY_REASON_DIFFERENT_OPERATOR, "operator", wanted->operator_name, found->operator_name);
    compare(e, verdict, SY_REASON_OUTDATED_IMPLEMENTATION, "implementation_version", wanted->implementation_version,
            found->implementation_version);
    if (verdict->profile->portable) {
        compare_structure(e, verdict, found);
        return;
    }
    compare(e, verdict, SY_REASON_DIFFERENT_MODEL, "model_digest", wanted->model_digest, found->model_digest);
    compare(e, verdict, SY_REASON_DIFFERENT_PROCESSOR, "processor", wanted->processor, found->processor);
    compare_threads(e, verdict, wanted->thread_count, found->thread_count);
}

static void tell_reason(explanation *e, sy_verdict *verdict, sy_verdict_reason reason, const sy_error *problem)
{
    verdict->reason = reason;
    verdict->verdict = SY_VERDICT_REJECTED;
    if (reason == SY_REASON_EXPIRED) {
        char time[32] = "";
        if (sy_time_format_utc(verdict->profile->expires_utc_s, time, sizeof time, NULL) == SY_OK) {
            verdict->detail = keep(e, time);
        }
    } else if (reason == SY_REASON_POLICY_REJECTED) {
        verdict->detail = keep(e, problem->what);
    }
}

static void judge(explanation *e, const sy_profile *profile, uint32_t layer, sy_verdict *verdict)
{
    *verdict = (sy_verdict){
        .profile = profile,
        .layer = layer,
        .rank = (sy_profile_rank)((profile->kind == SY_PROFILE_OVERRIDE ? 0 : 2) + profile->portable),
        .verdict = SY_VERDICT_REJECTED,
        .field = "",
        .wanted = "",
        .found = "",
        .detail = "",
        .evidence_missing = sy_profile_lacks_evidence(profile)};
    compare_keys(e, verdict);
    if (verdict->reason != SY_REASON_NONE) {
        return;
    }
    if (profile->kind == SY_PROFILE_IMPORTED) {
        verdict->reason = SY_REASON_NOT_PROBED;
        return;
    }
    if (profile == e->selected) {
        verdict->verdict = SY_VERDICT_SELECTED;
        return;
    }
    sy_error problem;
    sy_verdict_reason reason = sy_enquiry_judge(e->enquiry, profile, &problem);
    if (reason != SY_REASON_NONE) {
        tell_reason(e, verdict, reason, &problem);
    } else if (e->lookup->force_portable && !profile->portable) {
        verdict->verdict = SY_VERDICT_SKIPPED;
        verdict->reason = SY_REASON_FORCE_PORTABLE;
    } else {
        verdict->verdict = SY_VERDICT_SHADOWED;
        verdict->reason = SY_REASON_BETTER_RANK;
    }
}

static bool is_asked(const sy_lookup *lookup, const sy_profile *profile)
{
    return lookup->everything || (strcmp(profile->key.backend, lookup->key.backend) == 0 &&
                                  strcmp(profile->key.operator_name, lookup->key.operator_name) == 0);
}

static size_t count_asked(const sy_lookup *lookup, const sy_snapshot *snapshot)
{
    size_t count = 0;
    for (uint32_t layer = 0; layer < snapshot->layer_count; layer++) {
        for (uint32_t i = 0; i < snapshot->books[layer]->count; i++) {
            count += is_asked(lookup, &snapshot->books[layer]->entries[i]->profile);
        }
    }
    return count;
}

/* The list in an arena of its own; NULL: no memory. */
static sy_verdict_list *explain(explanation *e, const sy_snapshot *snapshot)
{
    const sy_lookup *lookup = e->lookup;
    sy_verdict_list *list = sy_arena_allocate(e->arena, 1, sizeof *list);
    size_t count = count_asked(lookup, snapshot);
    sy_verdict *items = sy_arena_allocate(e->arena, count, sizeof *items);
    e->structure = sy_arena_allocate(e->arena, lookup->key.structure_count, sizeof *e->structure);
    if (list == NULL || items == NULL || e->structure == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < lookup->key.structure_count; i++) {
        e->structure[i] = lookup->key.structure[i];
    }
    sy_structure_sort(e->structure, lookup->key.structure_count);
    size_t at = 0;
    for (uint32_t layer = 0; layer < snapshot->layer_count; layer++) {
        for (uint32_t i = 0; i < snapshot->books[layer]->count; i++) {
            const sy_profile *profile = &snapshot->books[layer]->entries[i]->profile;
            if (is_asked(lookup, profile)) {
                judge(e, profile, layer, &items[at++]);
            }
        }
    }
    *list = (sy_verdict_list){items, count, e->arena};
    return e->no_memory ? NULL : list;
}

sy_status sy_store_others(sy_store *store, const sy_lookup *lookup, sy_validate_fn validate, void *user,
                          sy_verdict_list **ret_others, sy_error *err)
{
    sy_enquiry enquiry;
    sy_status status = sy_enquiry_start(&enquiry, store, lookup, validate, user, err);
    if (status != SY_OK) {
        return status;
    }
    explanation e = {.enquiry = &enquiry, .lookup = lookup, .arena = sy_arena_create(0)};
    sy_verdict_list *list = NULL;
    if (e.arena != NULL) {
        sy_profile_view view;
        sy_verdict_reason reason;
        sy_error problem;
        sy_snapshot_slot *slot = sy_snapshot_take(&store->exchange);
        e.selected = sy_enquiry_ask(&enquiry, slot->snapshot, &view, &reason, &problem) ? view.profile : NULL;
        list = explain(&e, slot->snapshot);
        sy_snapshot_give_back(slot);
    }
    if (list == NULL) {
        sy_arena_destroy(e.arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory to explain an answer");
    }
    *ret_others = list;
    return SY_OK;
}

void sy_verdict_list_destroy(sy_verdict_list *list)
{
    if (list != NULL) {
        sy_arena_destroy(list->owner);
    }
}
