/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the files of other tools as JSON, "steelyard.import/1" of docs/formats.md. */
#include <steelyard/report.h>

#include "base/json.h"
#include "report/page/json_frame.h"

/* "" is what is not known. */
static void member_known(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_member_text(writer, name, text != NULL && text[0] != '\0' ? text : NULL);
}

static void write_flag(sy_json_writer *writer, const char *name, int flag)
{
    if (flag < 0)
        sy_json_member_null(writer, name);
    else
        sy_json_member_bool(writer, name, flag != 0);
}

/* A list, since a file may have a name twice. */
static void write_pairs(sy_json_writer *writer, const char *name, const sy_named_text *pairs, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", pairs[i].name);
        sy_json_member_text(writer, "value", pairs[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

static void write_series(sy_json_writer *writer, const sy_run_series *series)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", series->name);
    sy_json_member_text(writer, "unit", series->unit);
    sy_json_member_bool(writer, "higher_is_better", series->higher_is_better);
    sy_json_name(writer, "samples");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->count; i++)
        sy_json_double(writer, series->samples[i]);
    sy_json_end_array(writer);
    sy_json_name(writer, "figures");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < series->figure_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", series->figures[i].name);
        sy_json_member_text(writer, "unit", series->figures[i].unit);
        sy_json_member_double(writer, "value", series->figures[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    member_known(writer, "note", series->note);
    sy_json_end_object(writer);
}

static void write_place(sy_json_writer *writer, const sy_position *position)
{
    sy_json_member_u64(writer, "line", position->line);
    sy_json_member_u64(writer, "column", position->column);
    sy_json_member_u64(writer, "offset", position->offset);
}

static void write_row(sy_json_writer *writer, const sy_imported_row *row, const char *run)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "run", run);
    sy_json_member_text(writer, "name", row->name);
    write_pairs(writer, "parameters", row->parameters, row->parameter_count);
    sy_json_member_bool(writer, "failed", row->failed);
    member_known(writer, "reason", row->reason);
    write_place(writer, &row->position);
    member_known(writer, "time", row->time);
    write_pairs(writer, "facts", row->facts, row->fact_count);
    write_texts(writer, "notes", row->notes, row->note_count);
    sy_json_name(writer, "series");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < row->series_count; i++)
        write_series(writer, &row->series[i]);
    sy_json_end_array(writer);
    sy_json_end_object(writer);
}

static void write_rejects(sy_json_writer *writer, const sy_imported *imported)
{
    sy_json_name(writer, "rejects");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < imported->reject_count; i++) {
        sy_json_begin_object(writer);
        write_place(writer, &imported->rejects[i].position);
        member_known(writer, "pointer", imported->rejects[i].pointer);
        sy_json_member_text(writer, "what", imported->rejects[i].what);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_account(sy_json_writer *writer, const sy_import_account *account)
{
    sy_json_member_u64(writer, "added", account->added_count);
    sy_json_member_u64(writer, "known", account->known_count);
    sy_json_member_u64(writer, "failed", account->failed_count);
    sy_json_member_u64(writer, "repeated", account->repeated_count);
    sy_json_member_bool(writer, "file_is_kept", account->file_is_kept);
    member_known(writer, "not_kept", account->not_kept);
}

static void write_imported(sy_json_writer *writer, const sy_imported *imported, const sy_import_account *account)
{
    sy_json_member_text(writer, "format", sy_import_format_word(imported->format));
    sy_json_member_text(writer, "digest", imported->digest);
    sy_json_member_u64(writer, "size", imported->size);
    member_known(writer, "source_tool", imported->tool);
    member_known(writer, "host", imported->host);
    member_known(writer, "device", imported->device);
    member_known(writer, "revision", imported->revision);
    member_known(writer, "branch", imported->branch);
    write_flag(writer, "dirty", imported->dirty);
    member_known(writer, "time", imported->time);
    sy_json_member_bool(writer, "zone_known", imported->zone_known);
    write_account(writer, account);
    write_pairs(writer, "facts", imported->facts, imported->fact_count);
    write_pairs(writer, "settings", imported->settings, imported->setting_count);
    write_texts(writer, "notes", imported->notes, imported->note_count);
    write_rejects(writer, imported);
    sy_json_name(writer, "rows");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < imported->row_count; i++)
        write_row(writer, &imported->rows[i], account->runs[i]);
    sy_json_end_array(writer);
}

static const char *status_of(const sy_report_import *file)
{
    if (file->imported == NULL || file->account == NULL)
        return file->imported == NULL ? "unreadable" : "not-recorded";
    return file->imported->reject_count > 0 ? "rejects" : "ok";
}

static void write_error(sy_json_writer *writer, const sy_error *error)
{
    sy_json_name(writer, "error");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "status", sy_status_word(error->status));
    sy_json_member_text(writer, "what", error->what);
    member_known(writer, "hint", error->hint);
    write_place(writer, &error->position);
    sy_json_end_object(writer);
}

sy_status sy_report_imports_json(const sy_report_import *files, size_t count, bool dry_run, char **ret_json,
                                 sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.import/1");

    sy_json_member_bool(writer, "dry_run", dry_run);
    sy_json_name(writer, "files");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "file", files[i].path);
        sy_json_member_text(writer, "status", status_of(&files[i]));
        if (files[i].imported != NULL && files[i].account != NULL)
            write_imported(writer, files[i].imported, files[i].account);
        if (files[i].error != NULL)
            write_error(writer, files[i].error);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
