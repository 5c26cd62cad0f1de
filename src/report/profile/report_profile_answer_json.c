/* SPDX-License-Identifier: Apache-2.0 */
/* An answer and its explanation as JSON. */
#include <string.h>

#include "base/error.h"
#include "report/profile/report_profile.h"

static void write_differences(sy_json_writer *writer, const char *name, const sy_difference_list *list)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < list->count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "field", list->items[i].field);
        sy_json_member_text(writer, "wanted", list->items[i].wanted);
        sy_json_member_text(writer, "found", list->items[i].found);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

/* The parts in which two processors differ; empty for other fields. */
static bool write_parts(sy_json_writer *writer, const char *field, const char *wanted, const char *found)
{
    sy_arena *arena = sy_arena_create(0);
    sy_difference_list parts = {NULL, 0, 0};
    bool worked = arena != NULL && (strcmp(field, "processor") != 0 || wanted[0] == '\0' ||
                                    sy_processor_differences(arena, wanted, found, &parts));

    write_differences(writer, "differences", &parts);
    sy_arena_destroy(arena);
    return worked;
}

static bool write_verdict(sy_json_writer *writer, const sy_verdict *verdict)
{
    bool worked;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "verdict", sy_verdict_kind_word(verdict->verdict));
    sy_json_member_text(writer, "reason", sy_verdict_reason_word(verdict->reason));
    sy_json_member_text(writer, "field", verdict->field);
    sy_json_member_text(writer, "wanted", verdict->wanted);
    sy_json_member_text(writer, "found", verdict->found);
    worked = write_parts(writer, verdict->field, verdict->wanted, verdict->found);
    sy_json_member_text(writer, "detail", verdict->detail);
    sy_json_member_text(writer, "kind", sy_profile_kind_word(verdict->profile->kind));
    sy_json_member_text(writer, "rank",
                        verdict->profile->kind == SY_PROFILE_IMPORTED ? NULL : sy_profile_rank_word(verdict->rank));
    sy_json_member_u64(writer, "matching_fields", verdict->matching_fields);
    sy_json_member_bool(writer, "evidence_missing", verdict->evidence_missing);
    sy_profile_write_policy_json(writer, verdict->profile);
    sy_json_name(writer, "key");
    sy_profile_write_key_json(writer, &verdict->profile->key);
    sy_json_member_u64(writer, "layer", verdict->layer);
    sy_json_end_object(writer);
    return worked;
}

static void write_question(sy_json_writer *writer, const sy_lookup *lookup)
{
    sy_json_name(writer, "question");
    sy_json_begin_object(writer);
    sy_json_name(writer, "key");
    sy_profile_write_key_json(writer, &lookup->key);
    sy_json_member_bool(writer, "force_portable", lookup->force_portable);
    sy_json_member_bool(writer, "require_evidence", lookup->require_evidence);
    sy_json_end_object(writer);
}

static void write_selected(sy_json_writer *writer, const sy_report_enquiry *enquiry)
{
    const sy_verdict *selected = sy_profile_selected(enquiry->verdicts);
    const sy_profile *profile;

    sy_json_name(writer, "selected");
    if (selected == NULL) {
        sy_json_null(writer);
        return;
    }
    profile = selected->profile;
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "rank", sy_profile_rank_word(selected->rank));
    sy_profile_write_policy_json(writer, profile);
    sy_profile_write_measurements_json(writer, profile);
    sy_json_member_bool(writer, "prior", profile->portable && profile->kind != SY_PROFILE_OVERRIDE);
    sy_json_member_bool(writer, "undecided", profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE);
    sy_json_member_bool(writer, "evidence_missing", selected->evidence_missing);
    sy_json_member_u64(writer, "layer", selected->layer);
    sy_json_name(writer, "profile");
    sy_profile_write_json(writer, &enquiry->store, profile, selected->layer);
    sy_json_end_object(writer);
}

/* What a lookup and an explanation have in common. */
static bool write_answer(sy_json_writer *writer, const sy_report_enquiry *enquiry)
{
    bool worked = true;

    sy_json_member_text(writer, "status", sy_status_word(enquiry->status));
    write_question(writer, enquiry->lookup);
    write_selected(writer, enquiry);
    sy_json_name(writer, "others");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < enquiry->verdicts->count; i++)
        worked = write_verdict(writer, &enquiry->verdicts->items[i]) && worked;
    sy_json_end_array(writer);
    sy_profile_write_layers_json(writer, &enquiry->store);
    return worked;
}

/* A text without what memory was short for is not handed over. */
static sy_status end(sy_json_writer *writer, bool worked, sy_text *text, char **ret_json, sy_error *err)
{
    text->failed = text->failed || !worked;
    return sy_json_frame_end(writer, text, ret_json, err);
}

sy_status sy_report_profile_answer_json(const sy_report_enquiry *enquiry, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-lookup/1");
    bool worked = write_answer(writer, enquiry);

    return end(writer, worked, &text, ret_json, err);
}

static void write_walk(sy_json_writer *writer, const sy_report_enquiry *enquiry)
{
    sy_step steps[SY_STEP_COUNT];

    sy_profile_walk(enquiry, steps);
    sy_json_name(writer, "walk");
    sy_json_begin_array(writer);
    for (size_t rank = 0; rank < SY_STEP_COUNT; rank++) {
        const sy_verdict *verdict = steps[rank].verdict;

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "rank", sy_profile_rank_word((sy_profile_rank)rank));
        sy_json_member_text(writer, "state", sy_step_state_word(steps[rank].state));
        sy_json_member_text(writer, "reason", verdict != NULL ? sy_verdict_reason_word(verdict->reason) : "");
        sy_json_member_u64(writer, "candidates", steps[rank].candidates);
        if (verdict != NULL)
            sy_json_member_u64(writer, "index", (uint64_t)(verdict - enquiry->verdicts->items));
        else
            sy_json_member_null(writer, "index");
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static bool write_nearest(sy_json_writer *writer, const sy_report_enquiry *enquiry)
{
    sy_arena *arena = sy_arena_create(0);
    const sy_verdict *nearest = NULL;
    sy_difference_list list;
    bool worked = arena != NULL && sy_profile_nearest(arena, enquiry, &nearest, &list);

    sy_json_name(writer, "nearest_miss");
    if (nearest == NULL) {
        sy_json_null(writer);
    } else {
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "index", (uint64_t)(nearest - enquiry->verdicts->items));
        sy_json_member_u64(writer, "fields", list.fields);
        write_differences(writer, "differences", &list);
        sy_json_end_object(writer);
    }
    sy_arena_destroy(arena);
    return worked;
}

sy_status sy_report_profile_explanation_json(const sy_report_enquiry *enquiry, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-explanation/1");
    bool worked = write_answer(writer, enquiry);

    write_walk(writer, enquiry);
    worked = write_nearest(writer, enquiry) && worked;
    return end(writer, worked, &text, ret_json, err);
}
