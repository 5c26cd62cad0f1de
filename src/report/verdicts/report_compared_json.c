/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict as JSON: docs/formats.md, "steelyard.compared/1". */
#include <steelyard/report.h>

#include "record/run_events.h"
#include "report/page/json_frame.h"

static void put_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

static void put_neighbours(sy_json_writer *writer, const sy_compared *compared)
{
    sy_json_name(writer, "neighbours");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < compared->neighbour_count; i++) {
        const sy_compare_neighbour *neighbour = &compared->neighbours[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "key_digest", neighbour->key_digest);
        sy_json_member_text(writer, "newest", neighbour->newest);
        sy_json_member_u64(writer, "accepted", neighbour->accepted_count);
        sy_json_name(writer, "differs");
        sy_json_begin_array(writer);
        for (size_t k = 0; k < neighbour->field_count; k++) {
            sy_json_begin_object(writer);
            sy_json_member_text(writer, "name", neighbour->fields[k].name);
            sy_json_member_text(writer, "a", neighbour->fields[k].a);
            sy_json_member_text(writer, "b", neighbour->fields[k].b);
            sy_json_end_object(writer);
        }
        sy_json_end_array(writer);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void put_alarms(sy_json_writer *writer, const sy_compared *compared)
{
    sy_json_name(writer, "alarms");
    sy_json_begin_object(writer);
    sy_json_member_double(writer, "promised", compared->alarm_promised);
    sy_json_member_double(writer, "observed", compared->alarm_observed);
    sy_json_member_double(writer, "observed_low", compared->alarm_observed_low);
    sy_json_member_double(writer, "observed_high", compared->alarm_observed_high);
    sy_json_member_u64(writer, "judged", compared->judged_count);
    sy_json_member_u64(writer, "raised", compared->raised_count);
    sy_json_member_double(writer, "sessions_a_year", compared->sessions_a_year);
    sy_json_member_double(writer, "false_blocks_a_year", compared->false_blocks_a_year);
    sy_json_end_object(writer);
}

static void put_head(sy_json_writer *writer, const sy_ledger_head *head)
{
    sy_json_name(writer, "head");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "ledger", head->ledger);
    sy_json_member_u64(writer, "number", head->number);
    sy_json_member_text(writer, "sha256", head->digest);
    sy_json_end_object(writer);
}

sy_status sy_report_compared_json(const sy_compared *compared, char **ret_json, sy_error *err)
{
    const sy_run_verdict *verdict = &compared->verdict;
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.compared/1");
    char *ignored = NULL;

    sy_json_member_text(writer, "run", compared->run);
    sy_json_member_text(writer, "word", sy_judgement_word_text(verdict->word));
    sy_json_member_text(writer, "reason", sy_judgement_reason_text(verdict->reason));
    if (compared->verdict_number > 0)
        sy_json_member_u64(writer, "number", compared->verdict_number);
    else
        sy_json_member_null(writer, "number");
    sy_json_member_bool(writer, "already_recorded", compared->already_recorded);
    sy_json_name(writer, "verdict");
    sy_json_begin_object(writer);
    sy_status status = sy_event_put(writer, SY_EVENT_VERDICT, verdict, err);
    sy_json_end_object(writer);
    put_texts(writer, "next", compared->next, compared->next_count);
    put_neighbours(writer, compared);
    put_alarms(writer, compared);
    put_texts(writer, "remarks", compared->remarks, compared->remark_count);
    put_head(writer, &compared->head);
    if (status == SY_OK)
        return sy_json_frame_end(writer, &text, ret_json, err);
    if (sy_json_frame_end(writer, &text, &ignored, NULL) == SY_OK)
        sy_text_free(ignored);
    return status;
}
