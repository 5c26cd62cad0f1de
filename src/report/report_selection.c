/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a selection as text and as JSON: what to use, from where, and why. */
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "report/page/page.h"

static void put_why(sy_json_writer *writer, const char *why)
{
    sy_json_name(writer, "why");
    sy_json_begin_array(writer);
    while (*why != '\0') {
        size_t length = strcspn(why, "\n");
        sy_json_text_sized(writer, why, length);
        why += length + (why[length] == '\n');
    }
    sy_json_end_array(writer);
}

static void put_key(sy_json_writer *writer, const sy_selection *selection)
{
    sy_json_name(writer, "key");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "backend", selection->backend);
    sy_json_member_text(writer, "operator", selection->operator_name);
    sy_json_member_text(writer, "implementation_version", selection->implementation_version);
    sy_json_member_text(writer, "model_digest", selection->model_digest);
    sy_json_member_text(writer, "processor", selection->processor);
    sy_json_member_u64(writer, "thread_count", selection->thread_count);
    sy_json_end_object(writer);
}

sy_status sy_report_selection(const sy_selection *selection, const sy_report_style *style, char **ret_text,
                              sy_error *err)
{
    sy_page page;
    sy_text text = SY_TEXT_INIT;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    if (selection->implementation != NULL)
        sy_text_append_format(&text, "use %s for %s on %s", selection->implementation, selection->operator_name,
                              selection->backend);
    else
        sy_text_append_format(&text, "no answer for %s on %s", selection->operator_name, selection->backend);
    sy_page_paragraph(&page, 0, 2, selection->implementation != NULL ? SY_TONE_STRONG : SY_TONE_DOUBT,
                      sy_text_bytes(&text));
    if (selection->implementation != NULL) {
        sy_text_clear(&text);
        sy_text_append(&text, sy_selection_source_word(selection->source));
        if (selection->from_store)
            sy_text_append_format(&text, ", %s", sy_profile_rank_word(selection->rank));
        if (selection->prior)
            sy_text_append(&text, "; a prior from elsewhere, not confirmed on this machine");
        if (selection->undecided)
            sy_text_append(&text, "; the probe could not tell, so this is the reference");
        if (selection->source == SY_SOURCE_PROBE && !selection->stored)
            sy_text_append(&text, "; not stored: it is the answer of this process only");
        sy_page_field(&page, "source", sy_text_bytes(&text));
        sy_text_clear(&text);
        sy_text_append_format(&text, "%u", (unsigned)selection->timed_runs);
        sy_page_field(&page, "timed runs", sy_text_bytes(&text));
    }
    for (const char *why = selection->why; *why != '\0';) {
        size_t length = strcspn(why, "\n");
        sy_text_clear(&text);
        sy_text_append_bytes(&text, why, length);
        sy_page_field(&page, why == selection->why ? "why" : "", sy_text_bytes(&text));
        why += length + (why[length] == '\n');
    }
    page.text.failed = page.text.failed || text.failed;
    sy_text_finish(&text);
    return sy_page_take(&page, ret_text, err);
}

sy_status sy_report_selection_json(const sy_selection *selection, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    if (writer == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "schema", "steelyard.selection/1");
    sy_json_member_text(writer, "tool", sy_version());
    sy_json_member_text(writer, "operation", selection->operator_name);
    sy_json_member_text(writer, "implementation", selection->implementation);
    sy_json_member_text(writer, "source",
                        selection->implementation != NULL ? sy_selection_source_word(selection->source) : NULL);
    sy_json_member_text(writer, "rank", selection->from_store ? sy_profile_rank_word(selection->rank) : NULL);
    sy_json_member_bool(writer, "stored", selection->stored);
    sy_json_member_bool(writer, "prior", selection->prior);
    sy_json_member_bool(writer, "undecided", selection->undecided);
    sy_json_member_u64(writer, "timed_runs", selection->timed_runs);
    sy_json_member_text(writer, "confirmation", sy_confirmation_word(selection->confirmation));
    sy_json_name(writer, "evidence");
    if (selection->evidence != NULL) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "text", selection->evidence);
        sy_json_member_text(writer, "date", selection->evidence_date);
        sy_json_end_object(writer);
    } else {
        sy_json_null(writer);
    }
    put_why(writer, selection->why);
    put_key(writer, selection);
    sy_json_end_object(writer);
    sy_status status = sy_json_writer_finish(writer, err);
    sy_text_append(&text, "\n");
    if (status == SY_OK) {
        *ret_json = sy_text_take(&text);
        if (*ret_json == NULL)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for an answer");
    }
    sy_text_finish(&text);
    return status;
}
