/* SPDX-License-Identifier: Apache-2.0 */
/* The event `import`: of a file as a whole, what was understood and what not. docs/formats.md, "steelyard.event/1". */
#include "base/error.h"
#include "base/json.h"
#include "evidence/imported/record_import.h"

/* Of what was not understood the first are told, and how many there are; likewise notes. */
enum { REJECTS_TOLD = 20, NOTES_TOLD = 100 };

static void member_known(sy_json_writer *writer, const char *name, const char *text)
{
    if (text[0] != '\0')
        sy_json_member_text(writer, name, text);
}

static void write_rejects(sy_json_writer *writer, const sy_imported *imported)
{
    sy_json_name(writer, "first_rejects");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < imported->reject_count && i < REJECTS_TOLD; i++) {
        const sy_import_reject *reject = &imported->rejects[i];

        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "line", reject->position.line);
        sy_json_member_u64(writer, "column", reject->position.column);
        member_known(writer, "pointer", reject->pointer);
        sy_json_member_text(writer, "what", reject->what);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_notes(sy_json_writer *writer, const sy_imported *imported)
{
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < imported->note_count && i < NOTES_TOLD; i++)
        sy_json_text(writer, imported->notes[i]);
    sy_json_end_array(writer);
}

/* A list of pairs: a name may stand there twice. */
static void write_settings(sy_json_writer *writer, const sy_imported *imported)
{
    sy_json_name(writer, "settings");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < imported->setting_count; i++) {
        sy_json_begin_array(writer);
        sy_json_text(writer, imported->settings[i].name);
        sy_json_text(writer, imported->settings[i].value);
        sy_json_end_array(writer);
    }
    sy_json_end_array(writer);
}

static void write_body(sy_json_writer *writer, const sy_import_job *job, const sy_import_account *account)
{
    const sy_imported *imported = job->imported;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "format", sy_import_format_word(imported->format));
    sy_json_member_text(writer, "digest", imported->digest);
    sy_json_member_u64(writer, "size", imported->size);
    member_known(writer, "name", job->name);
    member_known(writer, "tool", imported->tool);
    member_known(writer, "host", imported->host);
    member_known(writer, "device", imported->device);
    member_known(writer, "time", imported->time);
    sy_json_member_bool(writer, "zone_known", imported->zone_known);
    member_known(writer, "artifact", job->artifact);
    member_known(writer, "not_kept", job->not_kept);
    sy_json_member_u64(writer, "rows", imported->row_count);
    sy_json_member_u64(writer, "added", account->added_count);
    sy_json_member_u64(writer, "failed", account->failed_count);
    sy_json_member_u64(writer, "repeated", account->repeated_count);
    sy_json_member_u64(writer, "rejects", imported->reject_count);
    write_rejects(writer, imported);
    write_notes(writer, imported);
    write_settings(writer, imported);
    sy_json_end_object(writer);
}

sy_status sy_import_add_file(sy_import_job *job, const sy_import_account *account, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&body, SY_JSON_CANONICAL);
    sy_status status;

    write_body(writer, job, account);
    status = sy_json_writer_finish(writer, err);
    job->events.run = "";
    return sy_event_list_add(&job->events, SY_EVENT_IMPORT, status, &body, err);
}
