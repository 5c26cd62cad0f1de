/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys as JSON: docs/formats.md, "steelyard.key/1", "steelyard.key-difference/1", "steelyard.keys/1". */
#include <steelyard/report.h>

#include "report/page/json_frame.h"

/* In order, an array: names are the project's own, and their order is part of the key. */
static void write_fields(sy_json_writer *writer, const sy_comparison_key *key)
{
    sy_json_name(writer, "fields");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < key->field_count; i++) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", key->fields[i].name);
        sy_json_member_text(writer, "value", key->fields[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_digest(sy_json_writer *writer, const char *digest)
{
    sy_json_member_text(writer, "sha256", digest[0] != '\0' ? digest : NULL);
}

sy_status sy_report_key_json(const sy_run *run, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    char digest[65];
    sy_status status = sy_comparison_key_digest(&run->begin.key, digest, err);

    if (status != SY_OK)
        return status;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.key/1");

    sy_json_member_text(writer, "run", run->row.id);
    sy_json_member_text(writer, "cell", run->row.cell);
    sy_json_member_text(writer, "gate", run->row.gate[0] != '\0' ? run->row.gate : NULL);
    sy_json_member_bool(writer, "complete", digest[0] != '\0');
    write_digest(writer, digest);
    write_fields(writer, &run->begin.key);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_key_difference_json(const sy_run *a, const sy_run *b, const sy_key_difference_list *list,
                                        char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.key-difference/1");

    sy_json_member_text(writer, "a", a->row.id);
    sy_json_member_text(writer, "b", b->row.id);
    sy_json_member_bool(writer, "comparable", list->field_count > 0 && list->differing_count == 0);
    sy_json_member_u64(writer, "differing", list->differing_count);
    sy_json_name(writer, "fields");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < list->field_count; i++) {
        const sy_key_difference *field = &list->fields[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", field->name);
        sy_json_member_bool(writer, "in_a", field->in_a);
        sy_json_member_text(writer, "a", field->a);
        sy_json_member_bool(writer, "in_b", field->in_b);
        sy_json_member_text(writer, "b", field->b);
        sy_json_member_bool(writer, "agrees", field->agrees);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

sy_status sy_report_keys_json(const sy_key_list *list, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.keys/1");

    sy_json_member_u64(writer, "baseline_sessions", SY_BASELINE_SESSIONS);
    sy_json_name(writer, "keys");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < list->row_count; i++) {
        const sy_key_row *row = &list->rows[i];

        sy_json_begin_object(writer);
        write_digest(writer, row->key_digest);
        sy_json_member_text(writer, "cell", row->cell);
        sy_json_member_u64(writer, "sessions", row->session_count);
        sy_json_member_u64(writer, "failed", row->failed_count);
        sy_json_member_u64(writer, "accepted", row->accepted_count);
        sy_json_member_bool(writer, "baseline",
                            row->key_digest[0] != '\0' && row->accepted_count >= SY_BASELINE_SESSIONS);
        sy_json_member_text(writer, "newest", row->newest);
        write_fields(writer, &row->key);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
