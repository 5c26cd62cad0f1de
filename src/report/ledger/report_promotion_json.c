/* SPDX-License-Identifier: Apache-2.0 */
/* Sign-offs and promotions as JSON: docs/formats.md, "steelyard.run-signoff/1" and "steelyard.run-promotion/1". */
#include <steelyard/report.h>

#include "record/run_events.h"
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

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

sy_status sy_report_signed_off_json(const sy_signed_off *signed_off, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-signoff/1");

    sy_json_member_text(writer, "run", signed_off->run);
    sy_json_member_bool(writer, "signed_off", signed_off->done);
    sy_json_member_u64(writer, "verdict", signed_off->verdict);
    sy_json_name(writer, "reasons");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < signed_off->reason_count; i++)
        sy_json_text(writer, signed_off->reasons[i]);
    sy_json_end_array(writer);
    write_head(writer, &signed_off->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}

static void write_debts(sy_json_writer *writer, const sy_promoted *promoted)
{
    sy_json_name(writer, "debts");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < promoted->debt_count; i++) {
        const sy_promotion_debt *debt = &promoted->debts[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", debt->name);
        sy_json_member_bool(writer, "paid", debt->paid);
        sy_json_member_text(writer, "run", or_null(debt->run));
        sy_json_member_text(writer, "detail", debt->detail);
        sy_json_member_text(writer, "command", or_null(debt->command));
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

sy_status sy_report_promoted_json(const sy_promoted *promoted, bool dry_run, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run-promotion/1");
    char *json = NULL;

    sy_json_member_text(writer, "run", promoted->run);
    sy_json_member_bool(writer, "dry_run", dry_run);
    sy_json_member_bool(writer, "promoted", promoted->promoted);
    sy_json_member_u64(writer, "number", promoted->number);
    sy_json_member_u64(writer, "missing", promoted->unpaid_count);
    write_debts(writer, promoted);
    sy_json_name(writer, "row");
    sy_json_begin_object(writer);
    sy_status put = sy_event_put(writer, SY_EVENT_PROMOTE, &promoted->row, err);
    sy_json_end_object(writer);
    write_head(writer, &promoted->head);
    sy_status status = sy_json_frame_end(writer, &text, &json, err);
    if (status != SY_OK || put != SY_OK) {
        sy_text_free(json);
        return put != SY_OK ? put : status;
    }
    *ret_json = json;
    return SY_OK;
}
