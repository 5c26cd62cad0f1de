/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a run's commands, and leases of devices, as JSON: docs/formats.md, "steelyard.run-executed/1" and
 * "steelyard.device-leases/1". */
#include <steelyard/report.h>

#include "base/clock.h"
#include "report/page/json_frame.h"

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* Where the verdict stands, and what must run next. */
static void put_verdict(sy_json_writer *writer, const sy_compared *compared)
{
    if (compared != NULL)
        sy_json_member_u64(writer, "verdict_number", compared->verdict_number);
    else
        sy_json_member_null(writer, "verdict_number");
    sy_json_name(writer, "next");
    sy_json_begin_array(writer);
    for (size_t i = 0; compared != NULL && i < compared->next_count; i++)
        sy_json_text(writer, compared->next[i]);
    sy_json_end_array(writer);
}

static void write_command(sy_json_writer *writer, const char *name, const sy_run_command *command)
{
    sy_json_name(writer, name);
    if (command->argc == 0) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_name(writer, "argv");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < command->argc; i++)
        sy_json_text(writer, command->argv[i]);
    sy_json_end_array(writer);
    sy_json_member_i64(writer, "exit_code", command->exit_code);
    sy_json_member_i64(writer, "signal", command->signal);
    sy_json_member_double(writer, "wall_s", (double)command->wall_ns / 1e9);
    sy_json_member_double(writer, "user_s", (double)command->user_ns / 1e9);
    sy_json_member_double(writer, "system_s", (double)command->system_ns / 1e9);
    sy_json_member_u64(writer, "peak_memory_bytes", command->peak_memory_bytes);
    sy_json_member_bool(writer, "lease_held", command->lease_held);
    sy_json_member_u64(writer, "lines", command->line_count);
    sy_json_member_u64(writer, "lines_not_taken", command->rejected_count);
    sy_json_end_object(writer);
}

static void write_control_arm(sy_json_writer *writer, const sy_run_executed *executed)
{
    sy_json_name(writer, "control_arm");
    if (!executed->has_control) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_bool(writer, "counts", executed->no_control[0] == '\0');
    sy_json_member_text(writer, "reason", or_null(executed->no_control));
    sy_json_member_bool(writer, "first", executed->control_first);
    sy_json_member_text(writer, "parity", sy_run_parity_word(executed->control_parity));
    sy_json_member_u64(writer, "samples", executed->control_sample_count);
    sy_json_end_object(writer);
}

sy_status sy_report_executed_json(const sy_report_executed_view *view, char **ret_json, sy_error *err)
{
    const sy_run_executed *executed = view->executed;
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-executed/1");

    sy_json_member_text(writer, "run", executed->run);
    sy_json_member_text(writer, "status",
                        view->finished[0] != '\0' ? view->finished : sy_run_status_word(executed->status));
    sy_json_member_text(writer, "reason", or_null(executed->reason));
    sy_json_member_bool(writer, "interrupted", executed->interrupted);
    sy_json_member_text(writer, "judgement", or_null(view->judgement));
    sy_json_member_text(writer, "judgement_reason", or_null(view->judgement_reason));
    put_verdict(writer, view->compared);
    sy_json_member_u64(writer, "fence", executed->fence);
    sy_json_member_bool(writer, "lease_held", executed->lease_held);
    write_command(writer, "smoke", &executed->smoke);
    write_command(writer, "command", &executed->command);
    write_command(writer, "control", &executed->control);
    write_control_arm(writer, executed);
    sy_json_member_text(writer, "parity", sy_run_parity_word(executed->parity));
    sy_json_member_u64(writer, "series", executed->series_count);
    sy_json_member_u64(writer, "samples", executed->sample_count);
    sy_json_member_u64(writer, "memory_figures", executed->memory_count);
    sy_json_member_u64(writer, "artifacts", executed->artifact_count);
    sy_json_name(writer, "remarks");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < executed->remark_count; i++)
        sy_json_text(writer, executed->remarks[i]);
    sy_json_end_array(writer);
    sy_json_name(writer, "head");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "ledger", executed->head.ledger);
    sy_json_member_u64(writer, "number", executed->head.number);
    sy_json_member_text(writer, "sha256", executed->head.digest);
    sy_json_end_object(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

static void write_time(sy_json_writer *writer, const char *name, int64_t utc_s)
{
    char time[32];
    sy_json_member_text(writer, name, sy_time_format_utc(utc_s, time, sizeof(time), NULL) == SY_OK ? time : NULL);
}

sy_status sy_report_device_leases_json(const sy_device_lease_list *list, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.device-leases/1");

    sy_json_member_text(writer, "folder", or_null(list->folder));
    write_time(writer, "now", list->now_utc_s);
    sy_json_name(writer, "leases");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < list->lease_count; i++) {
        const sy_device_lease *lease = &list->leases[i];
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "device", lease->device);
        sy_json_member_bool(writer, "held", lease->held);
        sy_json_member_u64(writer, "fence", lease->fence);
        if (lease->process != 0)
            sy_json_member_i64(writer, "process", lease->process);
        else
            sy_json_member_null(writer, "process");
        sy_json_member_u64(writer, "user", lease->user);
        sy_json_member_text(writer, "host", or_null(lease->host));
        sy_json_member_text(writer, "run", or_null(lease->run));
        sy_json_member_text(writer, "project_sha256", or_null(lease->project));
        write_time(writer, "since", lease->since_utc_s);
        write_time(writer, "until", lease->until_utc_s);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
