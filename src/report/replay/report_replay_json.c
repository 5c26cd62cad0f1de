/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of a replay, "steelyard.replay/1" of docs/formats.md: the total, then each file. */
#include <steelyard/report.h>

#include "base/error.h"
#include "base/json.h"

static void write_rules(sy_json_writer *writer, const sy_replay_result *result)
{
    static const char *const gains[SY_REPLAY_GAINS] = {"false_faster", "boundary_faster", "found_plus_2",
                                                       "found_plus_5"};

    sy_json_name(writer, "rules");
    sy_json_begin_object(writer);
    for (int rule = 0; rule < SY_REPLAY_RULES; rule++) {
        sy_json_name(writer, sy_replay_rule_word((sy_replay_rule)rule));
        sy_json_begin_object(writer);
        for (uint32_t g = 0; g < SY_REPLAY_GAINS; g++)
            sy_json_member_double(writer, gains[g], sy_replay_share(result, (sy_replay_rule)rule, g));
        sy_json_member_double(writer, "mean_pairs_plus_2", sy_replay_mean_pairs(result, (sy_replay_rule)rule));
        sy_json_end_object(writer);
    }
    sy_json_end_object(writer);
}

static void write_counts(sy_json_writer *writer, const sy_replay_result *result)
{
    sy_json_name(writer, "not_played");
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "without_times", result->without_times);
    sy_json_member_u64(writer, "too_short", result->too_short);
    sy_json_member_u64(writer, "unusable", result->unusable);
    sy_json_end_object(writer);
    sy_json_name(writer, "guards_plus_2");
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "right_wins", result->right_wins);
    sy_json_member_u64(writer, "overturned_order", result->overturned_order);
    sy_json_member_u64(writer, "overturned_drift", result->overturned_drift);
    sy_json_end_object(writer);
}

static void member_name(sy_json_writer *writer, const char *name, const sy_timings *timings, size_t index)
{
    sy_json_member_text(writer, name, index < timings->count ? timings->list[index].name : NULL);
}

static void write_traits(sy_json_writer *writer, const sy_recording_traits *traits, const sy_timings *timings)
{
    sy_json_name(writer, "recording");
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "looked_at", traits->looked_at);
    sy_json_member_u64(writer, "first_run_stands_out", traits->first_stands_out);
    sy_json_member_double(writer, "first_run_ratio", traits->first_ratio);
    sy_json_member_bool(writer, "warming_up", traits->warming_up);
    sy_json_member_u64(writer, "falling", traits->falling);
    sy_json_member_double(writer, "fall", traits->fall);
    if (traits->step_ns > 0)
        sy_json_member_double(writer, "timer_step_ns", traits->step_ns);
    else
        sy_json_member_null(writer, "timer_step_ns");
    sy_json_member_u64(writer, "times", traits->times);
    if (traits->distinct > 0)
        sy_json_member_u64(writer, "distinct_times", traits->distinct);
    else
        sy_json_member_null(writer, "distinct_times");
    member_name(writer, "fastest_by_median", timings, traits->leader);
    member_name(writer, "fastest_by_mean", timings, traits->mean_leader);
    sy_json_member_u64(writer, "tied", traits->tied);
    sy_json_end_object(writer);
}

static void write_judgement(sy_json_writer *writer, const sy_recorded_final *final, const sy_replay_judgement *again)
{
    sy_json_name(writer, "recorded");
    if (again == NULL) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "decision", sy_decision_word(final->decision));
    sy_json_member_text(writer, "reason", final->reason);
    sy_json_name(writer, "again");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "decision", sy_decision_word(again->decision));
    sy_json_member_text(writer, "reason", again->reason);
    sy_json_member_u64(writer, "pairs", again->pairs);
    sy_json_member_u64(writer, "wins", again->wins);
    sy_json_member_double(writer, "gain", again->gain);
    sy_json_member_double(writer, "gain_low", again->gain_low);
    sy_json_member_double(writer, "gain_high", again->gain_high);
    sy_json_end_object(writer);
    sy_json_member_bool(writer, "agrees", again->differs[0] == '\0');
    sy_json_member_text(writer, "differs", again->differs);
    sy_json_end_object(writer);
}

static void write_file(sy_json_writer *writer, const sy_report_replayed *file)
{
    const sy_timings *timings = file->timings;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "path", file->path);
    sy_json_member_text(writer, "format", sy_timings_format_word(timings->format));
    sy_json_member_text(writer, "device", timings->device[0] != '\0' ? timings->device : NULL);
    sy_json_member_double(writer, "unit_ns", timings->unit_ns);
    sy_json_member_u64(writer, "recorded_configurations", timings->count);
    sy_json_member_u64(writer, "configurations", file->result->configurations);
    write_rules(writer, file->result);
    write_counts(writer, file->result);
    write_traits(writer, file->traits, timings);
    write_judgement(writer, timings->final, file->judgement);
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < timings->note_count; i++)
        sy_json_text(writer, timings->notes[i]);
    sy_json_end_array(writer);
    sy_json_end_object(writer);
}

static void write_total(sy_json_writer *writer, const sy_replay_result *total)
{
    sy_json_member_u64(writer, "configurations", total->configurations);
    sy_json_member_double(writer, "min_improvement", total->min_improvement);
    write_rules(writer, total);
    sy_json_member_text(writer, "schema", "steelyard.replay/1");
    sy_json_member_text(writer, "tool", sy_version());
    sy_json_member_u64(writer, "pairs", total->pairs);
    sy_json_member_double(writer, "alpha", total->alpha);
    sy_json_member_double(writer, "beta", total->beta);
    sy_json_member_u64(writer, "seed", total->seed);
    write_counts(writer, total);
}

sy_status sy_report_replay_json(const sy_report_replayed *files, size_t count, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    sy_replay_result total = {0};
    char *json;
    sy_status status;

    for (size_t i = 0; i < count; i++)
        sy_replay_add(&total, files[i].result);
    sy_json_begin_object(writer);
    write_total(writer, &total);
    sy_json_name(writer, "files");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        write_file(writer, &files[i]);
    sy_json_end_array(writer);
    sy_json_end_object(writer);
    status = sy_json_writer_finish(writer, err);
    sy_text_append(&text, "\n");
    json = status == SY_OK ? sy_text_take(&text) : NULL;
    sy_text_finish(&text);
    if (status == SY_OK && json == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the JSON form of a replay");
    if (status == SY_OK)
        *ret_json = json;
    return status;
}
