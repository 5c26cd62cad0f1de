/* SPDX-License-Identifier: Apache-2.0 */
/* What the verdicts of a question add up to. The store decides; here its decision is only read. */
#include <string.h>

#include "report/profile/report_profile.h"

enum { PARTS_MAX = 512 }; /* of a processor string: bounds the comparison of all names with all names */

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static void note(sy_difference_list *list, bool differs, const char *field, const char *wanted, const char *found)
{
    list->fields++;
    if (differs)
        list->items[list->count++] = (sy_difference){field, or_empty(wanted), or_empty(found)};
}

static void compare(sy_difference_list *list, const char *field, const char *wanted, const char *found)
{
    note(list, strcmp(or_empty(wanted), or_empty(found)) != 0, field, wanted, found);
}

/* One that is missing differs from an empty one. */
static void compare_parts(sy_difference_list *list, const char *name, const char *wanted, const char *found)
{
    bool differs = wanted == NULL || found == NULL || strcmp(wanted, found) != 0;

    note(list, differs, name, wanted, found);
}

static const char *value_of(const sy_profile_key *key, const char *name)
{
    for (size_t i = 0; i < key->structure_count; i++) {
        if (strcmp(key->structure[i].name, name) == 0)
            return key->structure[i].value;
    }
    return NULL;
}

/* The question's properties in its order, then those that only the profile has. */
static bool compare_structures(sy_arena *arena, sy_difference_list *list, const sy_profile_key *wanted,
                               const sy_profile_key *found)
{
    for (size_t pass = 0; pass < 2; pass++) {
        const sy_profile_key *from = pass == 0 ? wanted : found;

        for (size_t i = 0; i < from->structure_count; i++) {
            const char *name = from->structure[i].name;
            char *field;

            if (pass == 1 && value_of(wanted, name) != NULL)
                continue;
            field = sy_arena_format(arena, "structure.%s", name);
            if (field == NULL)
                return false;
            compare_parts(list, field, value_of(wanted, name), value_of(found, name));
        }
    }
    return true;
}

bool sy_profile_differences(sy_arena *arena, const sy_lookup *lookup, const sy_profile *profile,
                            sy_difference_list *ret_list)
{
    const sy_profile_key *wanted = &lookup->key;
    const sy_profile_key *found = &profile->key;
    sy_difference_list list = {NULL, 0, 0};
    char *threads[2];

    list.items = sy_arena_allocate(arena, 6 + wanted->structure_count + found->structure_count, sizeof(*list.items));
    if (list.items == NULL)
        return false;
    compare(&list, "backend", wanted->backend, found->backend);
    compare(&list, "operator", wanted->operator_name, found->operator_name);
    compare(&list, "implementation_version", wanted->implementation_version, found->implementation_version);
    if (profile->portable) {
        if (!compare_structures(arena, &list, wanted, found))
            return false;
    } else {
        threads[0] = wanted->thread_count == 0 ? sy_arena_copy_text(arena, "")
                                               : sy_arena_format(arena, "%u", wanted->thread_count);
        threads[1] = sy_arena_format(arena, "%u", found->thread_count);
        if (threads[0] == NULL || threads[1] == NULL)
            return false;
        compare(&list, "model_digest", wanted->model_digest, found->model_digest);
        compare(&list, "processor", wanted->processor, found->processor);
        compare(&list, "thread_count", threads[0], threads[1]);
    }
    *ret_list = list;
    return true;
}

/* name=value parts of a processor string, both terminated; the count, 0 when it is not of that form. */
static size_t split(char *text, sy_property parts[PARTS_MAX])
{
    size_t count = 0;

    for (char *at = text; at != NULL;) {
        char *end = strchr(at, ';');
        char *equals = strchr(at, '=');

        if (equals == NULL || equals == at || (end != NULL && equals > end) || count == PARTS_MAX)
            return 0;
        if (end != NULL)
            *end = '\0';
        *equals = '\0';
        parts[count++] = (sy_property){at, equals + 1};
        at = end != NULL ? end + 1 : NULL;
    }
    return count;
}

/* Both lists are sorted by name, as the identity writes them; one that is not only reads less well. */
static void merge(const sy_property *wanted, size_t wanted_count, const sy_property *found, size_t found_count,
                  sy_difference_list *list)
{
    size_t i = 0;
    size_t j = 0;

    while (i < wanted_count || j < found_count) {
        int order = i == wanted_count ? 1 : j == found_count ? -1 : strcmp(wanted[i].name, found[j].name);
        const char *name = order <= 0 ? wanted[i].name : found[j].name;

        compare_parts(list, name, order <= 0 ? wanted[i].value : NULL, order >= 0 ? found[j].value : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

bool sy_processor_differences(sy_arena *arena, const char *wanted, const char *found, sy_difference_list *ret_list)
{
    char *texts[2] = {sy_arena_copy_text(arena, wanted), sy_arena_copy_text(arena, found)};
    sy_property *parts = sy_arena_allocate(arena, (size_t)PARTS_MAX * 2, sizeof(*parts));
    sy_difference_list list = {NULL, 0, 0};
    size_t wanted_count;
    size_t found_count;

    if (texts[0] == NULL || texts[1] == NULL || parts == NULL)
        return false;
    wanted_count = split(texts[0], parts);
    found_count = split(texts[1], parts + PARTS_MAX);
    if (wanted_count > 0 && found_count > 0) {
        list.items = sy_arena_allocate(arena, wanted_count + found_count, sizeof(*list.items));
        if (list.items == NULL)
            return false;
        merge(parts, wanted_count, parts + PARTS_MAX, found_count, &list);
    }
    *ret_list = list;
    return true;
}

const char *sy_step_state_word(sy_step_state state)
{
    static const char *const words[] = {"selected", "passed-over", "empty", "not-asked", "skipped", "not-reached"};

    return (unsigned)state < sizeof(words) / sizeof(words[0]) ? words[state] : "unknown";
}

const sy_verdict *sy_profile_selected(const sy_verdict_list *verdicts)
{
    for (size_t i = 0; i < verdicts->count; i++) {
        if (verdicts->items[i].verdict == SY_VERDICT_SELECTED)
            return &verdicts->items[i];
    }
    return NULL;
}

static bool is_passed_over(const sy_verdict *verdict)
{
    return verdict->verdict == SY_VERDICT_REJECTED &&
           (verdict->reason == SY_REASON_EXPIRED || verdict->reason == SY_REASON_EVIDENCE_MISSING ||
            verdict->reason == SY_REASON_POLICY_REJECTED);
}

/* Imported profiles have no rank until they are probed. */
static bool is_of_rank(const sy_verdict *verdict, size_t rank)
{
    return verdict->rank == (sy_profile_rank)rank && verdict->profile->kind != SY_PROFILE_IMPORTED;
}

static void take_step(const sy_report_enquiry *enquiry, size_t rank, bool asked, bool reached, sy_step *step)
{
    const sy_verdict *passed_over = NULL;
    bool skipped = enquiry->lookup->force_portable &&
                   (rank == SY_PROFILE_RANK_OVERRIDE_EXACT || rank == SY_PROFILE_RANK_CALIBRATED_EXACT);

    *step = (sy_step){.state = SY_STEP_EMPTY};
    for (size_t i = 0; i < enquiry->verdicts->count; i++) {
        const sy_verdict *verdict = &enquiry->verdicts->items[i];

        if (!is_of_rank(verdict, rank))
            continue;
        step->candidates++;
        if (verdict->verdict == SY_VERDICT_SELECTED)
            step->verdict = verdict;
        else if (passed_over == NULL && is_passed_over(verdict))
            passed_over = verdict;
    }
    if (!asked)
        step->state = SY_STEP_NOT_ASKED;
    else if (skipped)
        step->state = SY_STEP_SKIPPED;
    else if (!reached)
        step->state = SY_STEP_NOT_REACHED;
    else if (step->verdict != NULL)
        step->state = SY_STEP_SELECTED;
    else if (passed_over != NULL)
        step->state = SY_STEP_PASSED_OVER;
    if (step->state == SY_STEP_PASSED_OVER)
        step->verdict = passed_over;
}

void sy_profile_walk(const sy_report_enquiry *enquiry, sy_step ret_steps[SY_STEP_COUNT])
{
    const sy_profile_key *key = &enquiry->lookup->key;
    bool reached = true;

    for (size_t rank = 0; rank < SY_STEP_COUNT; rank++) {
        bool exact = rank == SY_PROFILE_RANK_OVERRIDE_EXACT || rank == SY_PROFILE_RANK_CALIBRATED_EXACT;
        bool asked = exact ? or_empty(key->model_digest)[0] != '\0' : key->structure_count > 0;

        take_step(enquiry, rank, asked, reached, &ret_steps[rank]);
        reached = reached && ret_steps[rank].state != SY_STEP_SELECTED;
    }
}

bool sy_profile_nearest(sy_arena *arena, const sy_report_enquiry *enquiry, const sy_verdict **ret_verdict,
                        sy_difference_list *ret_list)
{
    const sy_verdict *nearest = NULL;
    sy_difference_list of_nearest = {NULL, 0, 0};

    for (size_t i = 0; i < enquiry->verdicts->count; i++) {
        const sy_verdict *verdict = &enquiry->verdicts->items[i];
        sy_difference_list list;

        if (verdict->verdict != SY_VERDICT_REJECTED)
            continue;
        if (!sy_profile_differences(arena, enquiry->lookup, verdict->profile, &list))
            return false;
        if (nearest == NULL || list.count < of_nearest.count ||
            (list.count == of_nearest.count && verdict->matching_fields > nearest->matching_fields)) {
            nearest = verdict;
            of_nearest = list;
        }
    }
    *ret_verdict = nearest;
    *ret_list = of_nearest;
    return true;
}
