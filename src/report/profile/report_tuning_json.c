/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange with other tuners and lint, as JSON. */
#include <steelyard/report_exchange.h>

#include "report/page/finding_lines.h"
#include "report/page/json_frame.h"

static void write_error(sy_json_writer *writer, const sy_error *err)
{
    sy_json_name(writer, "error");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "status", sy_status_word(err->status));
    sy_json_member_text(writer, "what", err->what);
    sy_json_member_text(writer, "hint", err->hint);
    sy_json_member_u64(writer, "line", err->position.line);
    sy_json_member_u64(writer, "column", err->position.column);
    sy_json_end_object(writer);
}

static void write_file(sy_json_writer *writer, const sy_report_tuning_file *file)
{
    const sy_tuning *tuning = file->tuning;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "file", file->file);
    sy_json_member_text(writer, "status",
                        tuning == NULL              ? "unreadable"
                        : file->err != NULL         ? "not-stored"
                        : tuning->finding_total > 0 ? "findings"
                                                    : "ok");
    if (file->err != NULL)
        write_error(writer, file->err);
    if (tuning != NULL) {
        sy_json_member_text(writer, "format", sy_tuning_format_word(tuning->format));
        sy_json_member_u64(writer, "entries", tuning->entry_count);
        sy_json_member_u64(writer, "passed_over", tuning->passed_over);
        sy_json_member_u64(writer, "profiles", tuning->count);
        sy_json_member_u64(writer, "added", file->added);
        sy_json_member_u64(writer, "replaced", file->replaced);
        sy_json_member_u64(writer, "unchanged", file->unchanged);
        sy_json_member_text(writer, "not_kept", file->not_kept);
        sy_json_member_u64(writer, "finding_total", tuning->finding_total);
        sy_finding_list_write(writer, "findings", tuning->findings.findings, tuning->findings.finding_count);
        sy_finding_list_write(writer, "notes", tuning->findings.notes, tuning->findings.note_count);
    }
    sy_json_end_object(writer);
}

sy_status sy_report_tunings_json(const sy_report_tuning *report, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-import/1");

    sy_json_member_text(writer, "store", report->store);
    sy_json_member_bool(writer, "dry_run", report->dry_run);
    sy_json_name(writer, "files");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < report->file_count; i++)
        write_file(writer, &report->files[i]);
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

static void write_profile(sy_json_writer *writer, const sy_profile *profile)
{
    sy_json_member_text(writer, "backend", profile->key.backend);
    sy_json_member_text(writer, "operator", profile->key.operator_name);
    sy_json_member_text(writer, "implementation", profile->key.implementation_version);
    sy_json_name(writer, "structure");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < profile->key.structure_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", profile->key.structure[i].name);
        sy_json_member_text(writer, "value", profile->key.structure[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    sy_json_member_text(writer, "kind", sy_profile_kind_word(profile->kind));
    sy_json_name(writer, "policy");
    sy_json_text_sized(writer, profile->policy, profile->policy_size);
}

sy_status sy_report_tuning_text_json(const sy_tuning_text *text, sy_tuning_format format, const char *output,
                                     char **ret_json, sy_error *err)
{
    sy_text to = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&to, "steelyard.profile-export/1");

    sy_json_member_text(writer, "format", sy_tuning_format_word(format));
    sy_json_member_text(writer, "output", output);
    sy_json_member_u64(writer, "written", text->written);
    sy_json_member_u64(writer, "alternatives_left_out", text->alternatives_left_out);
    sy_json_name(writer, "not_written");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < text->unwritten_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "why", text->unwritten[i].why);
        write_profile(writer, text->unwritten[i].profile);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &to, ret_json, err);
}

sy_status sy_report_tuning_lint_json(const char *path, const sy_tuning_lint *lint, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.profile-lint/1");

    sy_json_member_text(writer, "file", path);
    sy_json_member_text(writer, "format", sy_tuning_format_word(lint->format));
    sy_json_member_u64(writer, "entries", lint->entry_count);
    sy_json_member_u64(writer, "profiles", lint->profile_count);
    sy_json_member_u64(writer, "finding_total", lint->finding_total);
    sy_finding_list_write(writer, "findings", lint->findings.findings, lint->findings.finding_count);
    sy_finding_list_write(writer, "notes", lint->findings.notes, lint->findings.note_count);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
