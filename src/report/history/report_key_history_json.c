/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a key's sessions as JSON: what a list of values has, and what is known of a key besides. */
#include <steelyard/report.h>

#include "record/run_events.h"
#include "report/history_parts.h"
#include "report/ledger/ledger_words.h"
#include "report/page/json_frame.h"

/* NULL for what is not known. */
static void put_text(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_member_text(writer, name, text[0] != '\0' ? text : NULL);
}

static void put_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

static void put_metric(sy_json_writer *writer, const sy_judged_metric *metric)
{
    sy_json_name(writer, "metric");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "series", metric->series);
    put_text(writer, "case", metric->case_name);
    put_text(writer, "implementation", metric->implementation);
    sy_json_member_text(writer, "statistic", sy_statistic_word(metric->statistic));
    sy_json_member_text(writer, "unit", metric->unit);
    sy_json_end_object(writer);
}

static void put_points(sy_json_writer *writer, const sy_key_history *history)
{
    char time[SY_LEDGER_TIME_SIZE];
    size_t next = 0;

    sy_json_name(writer, "points");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < history->point_count; i++) {
        const sy_key_point *point = &history->points[i];
        bool is_value = next < history->history->value_count && history->place_of[next] == i;

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", point->run);
        if (is_value)
            sy_json_member_u64(writer, "index", next++);
        else
            sy_json_member_null(writer, "index");
        sy_json_member_double(writer, "value", point->value);
        put_text(writer, "revision", point->revision);
        sy_json_member_text(writer, "began", sy_ledger_words_utc(time, point->began_utc_s));
        sy_json_member_bool(writer, "accepted", point->accepted);
        sy_json_member_text(writer, "verdict", point->judged ? sy_judgement_word_text(point->verdict) : NULL);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void put_change(sy_json_writer *writer, const sy_key_history *history, size_t which)
{
    const sy_history_change *change = &history->history->changes[which];
    const sy_key_point *after = &history->points[history->place_of[change->index]];
    const sy_key_point *before = &history->points[history->place_of[change->index - 1]];
    size_t record = history->record_of[which];
    bool is_recorded = record < history->change_count;

    sy_json_begin_object(writer);
    sy_history_json_change(writer, change);
    sy_json_member_text(writer, "run", after->run);
    put_text(writer, "revision", after->revision);
    sy_json_member_text(writer, "run_before", before->run);
    put_text(writer, "revision_before", before->revision);
    sy_json_member_text(writer, "state",
                        is_recorded ? sy_change_state_word(history->changes[record].change.state) : NULL);
    put_text(writer, "bisect", history->bisect[which]);
    put_text(writer, "bisect_note", history->bisect_notes[which]);
    sy_json_end_object(writer);
}

static sy_status put_recorded(sy_json_writer *writer, const sy_key_history *history, sy_error *err)
{
    sy_status status = SY_OK;

    sy_json_name(writer, "recorded");
    sy_json_begin_array(writer);
    for (size_t i = 0; status == SY_OK && i < history->change_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "number", history->changes[i].number);
        sy_json_member_text(writer, "run", history->changes[i].run);
        status = sy_event_put(writer, SY_EVENT_CHANGE, &history->changes[i].change, err);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return status;
}

static void put_reports(sy_json_writer *writer, const sy_key_history *history)
{
    double share = history->reported_count > 0 ? (double)history->refuted_count / (double)history->reported_count
                                               : SY_NAN;

    sy_json_member_u64(writer, "reported", history->reported_count);
    sy_json_member_u64(writer, "refuted", history->refuted_count);
    sy_json_member_double(writer, "refuted_share", share);
    sy_json_member_u64(writer, "written", history->written_count);
}

sy_status sy_report_key_history_json(const sy_key_history *history, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.history/1");

    sy_history_json_settings(writer, history->history);
    sy_json_member_text(writer, "key_digest", history->key_digest);
    sy_json_member_text(writer, "line", history->line);
    put_text(writer, "cell", history->cell);
    put_metric(writer, &history->metric);
    put_points(writer, history);
    sy_json_name(writer, "changes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < history->history->change_count; i++)
        put_change(writer, history, i);
    sy_json_end_array(writer);
    sy_status status = put_recorded(writer, history, err);
    put_reports(writer, history);
    put_texts(writer, "other_metrics", history->other_metrics, history->other_metric_count);
    put_texts(writer, "remarks", history->remarks, history->remark_count);
    sy_json_name(writer, "head");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "ledger", history->head.ledger);
    sy_json_member_u64(writer, "number", history->head.number);
    sy_json_member_text(writer, "sha256", history->head.digest);
    sy_json_end_object(writer);
    char *json = NULL;
    sy_status end = sy_json_frame_end(writer, &text, &json, status == SY_OK ? err : NULL);
    if (status != SY_OK || end != SY_OK) {
        sy_text_free(json);
        return status != SY_OK ? status : end;
    }
    *ret_json = json;
    return SY_OK;
}
