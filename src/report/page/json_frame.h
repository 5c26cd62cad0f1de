/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the objects that commands print: schema and tool first, a newline at the end. */
#ifndef STEELYARD_REPORT_JSON_FRAME_H
#define STEELYARD_REPORT_JSON_FRAME_H

#include "base/json.h"

/* Begins an object with members schema and tool. NULL when memory is short: every writer function takes it. */
sy_json_writer *sy_json_frame_begin(sy_text *text, const char *schema);
/* Ends the object and the writer and hands the text over. The text is finished either way. SY_NO_MEMORY. */
sy_status sy_json_frame_end(sy_json_writer *writer, sy_text *text, char **ret_json, sy_error *err) SY_NODISCARD;

#endif
