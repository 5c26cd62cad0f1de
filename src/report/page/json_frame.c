/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the objects that commands print. */
#include "report/page/json_frame.h"

#include "base/error.h"

sy_json_writer *sy_json_frame_begin(sy_text *text, const char *schema)
{
    sy_json_writer *writer = sy_json_writer_create(text, SY_JSON_INDENTED);

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "schema", schema);
    sy_json_member_text(writer, "tool", sy_version());
    return writer;
}

sy_status sy_json_frame_end(sy_json_writer *writer, sy_text *text, char **ret_json, sy_error *err)
{
    sy_status status;
    char *json;

    sy_json_end_object(writer);
    status = sy_json_writer_finish(writer, err);
    sy_text_append(text, "\n");
    json = status == SY_OK ? sy_text_take(text) : NULL;
    sy_text_finish(text);
    if (status == SY_OK && json == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the JSON form of a report");
    if (status == SY_OK)
        *ret_json = json;
    return status;
}
