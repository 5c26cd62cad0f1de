/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a run as JSON: docs/formats.md, "steelyard.run-started/1" to "steelyard.sweep/1". */
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

static void write_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void write_checks(sy_json_writer *writer, const sy_run_check *checks, size_t count)
{
    sy_json_name(writer, "checks");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        const sy_run_check *check = &checks[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", check->name);
        sy_json_member_bool(writer, "required", check->required);
        if (check->passed >= 0)
            sy_json_member_bool(writer, "passed", check->passed == 1);
        else
            sy_json_member_null(writer, "passed");
        sy_json_member_text(writer, "found", check->found);
        sy_json_member_text(writer, "expected", check->expected);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

sy_status sy_report_run_started_json(const sy_run_started *started, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-started/1");

    sy_json_member_text(writer, "run", started->run);
    sy_json_member_text(writer, "status", sy_run_status_word(started->planned ? SY_RUN_PLANNED : SY_RUN_FAILED));
    sy_json_member_text(writer, "reason", or_null(started->reason));
    sy_json_member_text(writer, "gate", started->gate);
    sy_json_member_text(writer, "tier", started->tier);
    sy_json_member_text(writer, "device", started->device);
    sy_json_member_text(writer, "revision", or_null(started->revision));
    sy_json_member_text(writer, "source_remark", or_null(started->source_remark));
    sy_json_member_text(writer, "unknown_key_fields", or_null(started->unknown_fields));
    sy_json_member_text(writer, "command", or_null(started->command));
    sy_json_member_text(writer, "smoke", or_null(started->smoke));
    write_checks(writer, started->checks, started->check_count);
    write_head(writer, &started->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_run_finished_json(const sy_run_finished *finished, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-finished/1");

    sy_json_member_text(writer, "run", finished->run);
    sy_json_member_text(writer, "status", sy_run_status_word(finished->status));
    write_texts(writer, "remarks", finished->remarks, finished->remark_count);
    write_head(writer, &finished->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_run_acceptance_json(const sy_run_acceptance *acceptance, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-acceptance/1");

    sy_json_member_text(writer, "run", acceptance->run);
    sy_json_member_bool(writer, "accepted", acceptance->accepted);
    write_texts(writer, "reasons", acceptance->reasons, acceptance->reason_count);
    write_texts(writer, "remarks", acceptance->remarks, acceptance->remark_count);
    write_head(writer, &acceptance->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_sweep_json(const sy_sweep *sweep, bool dry_run, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.sweep/1");

    sy_json_member_bool(writer, "dry_run", dry_run);
    sy_json_member_u64(writer, "lost", sweep->lost_count);
    sy_json_name(writer, "runs");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < sweep->run_count; i++) {
        const sy_swept_run *run = &sweep->runs[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", run->run);
        sy_json_member_text(writer, "gate", or_null(run->gate));
        sy_json_member_text(writer, "device", run->device);
        sy_json_member_text(writer, "host", run->host);
        sy_json_member_i64(writer, "until_utc_s", run->until_utc_s);
        sy_json_member_bool(writer, "lost", run->lost);
        sy_json_member_text(writer, "why", run->why);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    write_head(writer, &sweep->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_attached_json(const char *run, const sy_run_artifact *artifact, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.artifact/1");

    sy_json_member_text(writer, "run", run);
    sy_json_member_text(writer, "role", sy_artifact_role_word(artifact->role));
    sy_json_member_text(writer, "name", artifact->name);
    sy_json_member_u64(writer, "bytes", artifact->size);
    sy_json_member_text(writer, "sha256", artifact->digest);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
