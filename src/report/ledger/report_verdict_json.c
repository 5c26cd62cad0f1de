/* SPDX-License-Identifier: Apache-2.0 */
/* What a walk through a ledger found as JSON: docs/formats.md, "steelyard.ledger-verdict/1" to
 * "steelyard.ledger-import/1". */
#include <steelyard/report.h>

#include "report/page/json_frame.h"

static void write_head(sy_json_writer *writer, const sy_ledger_head *head)
{
    sy_json_name(writer, "head");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "ledger", head->ledger);
    sy_json_member_u64(writer, "number", head->number);
    sy_json_member_text(writer, "sha256", head->digest);
    sy_json_end_object(writer);
}

static void write_faults(sy_json_writer *writer, const sy_ledger_verdict *verdict)
{
    sy_json_member_u64(writer, "fault_total", verdict->fault_total);
    sy_json_name(writer, "faults");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < verdict->fault_count; i++) {
        const sy_ledger_fault *fault = &verdict->faults[i];

        sy_json_begin_object(writer);
        if (fault->number > 0)
            sy_json_member_u64(writer, "event", fault->number);
        else
            sy_json_member_null(writer, "event");
        sy_json_member_text(writer, "what", fault->what);
        sy_json_member_text(writer, "message", fault->message);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_missing(sy_json_writer *writer, const sy_ledger_verdict *verdict)
{
    sy_json_name(writer, "missing");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < verdict->missing_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "event", verdict->missing[i].number);
        sy_json_member_text(writer, "sha256", verdict->missing[i].digest);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

sy_status sy_report_ledger_verdict_json(const sy_ledger_verdict *verdict, const char *anchors, char **ret_json,
                                        sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.ledger-verdict/1");

    sy_json_member_bool(writer, "sound", verdict->fault_total == 0);
    write_head(writer, &verdict->head);
    sy_json_member_u64(writer, "events", verdict->event_count);
    sy_json_member_u64(writer, "runs", verdict->run_count);
    sy_json_member_u64(writer, "series", verdict->series_count);
    sy_json_member_u64(writer, "samples", verdict->sample_count);
    sy_json_member_u64(writer, "artifacts", verdict->artifact_count);
    sy_json_member_u64(writer, "unverified", verdict->unverified_count);
    write_missing(writer, verdict);
    sy_json_member_bool(writer, "anchored", verdict->last_anchor_number > 0);
    sy_json_member_text(writer, "anchors_file", anchors);
    sy_json_member_u64(writer, "anchors", verdict->anchor_count);
    sy_json_member_u64(writer, "last_anchor", verdict->last_anchor_number);
    write_faults(writer, verdict);
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < verdict->note_count; i++)
        sy_json_text(writer, verdict->notes[i]);
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_ledger_anchor_json(const sy_ledger_head *head, const char *path, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.ledger-anchor/1");

    write_head(writer, head);
    sy_json_member_text(writer, "file", path);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_ledger_export_json(const sy_ledger_exported *exported, const char *path, char **ret_json,
                                       sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.ledger-export/1");

    write_head(writer, &exported->head);
    sy_json_member_text(writer, "file", path);
    sy_json_member_u64(writer, "events", exported->head.number);
    sy_json_member_u64(writer, "runs", exported->run_count);
    sy_json_member_u64(writer, "series", exported->series_count);
    sy_json_member_u64(writer, "artifacts", exported->artifact_count);
    sy_json_member_u64(writer, "bytes", exported->byte_count);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_ledger_import_json(const sy_ledger_head *head, uint64_t added, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.ledger-import/1");

    write_head(writer, head);
    sy_json_member_u64(writer, "added", added);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
