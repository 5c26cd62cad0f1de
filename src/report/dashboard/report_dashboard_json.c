/* SPDX-License-Identifier: Apache-2.0 */
/* The dashboard as JSON: all of it, nothing cut. */
#include <steelyard/report.h>

#include "base/error.h"
#include "record/run_events.h"
#include "report/dashboard/dashboard_words.h"
#include "report/ledger/ledger_words.h"
#include "report/page/json_frame.h"
#include "report/registry/matrix_picture.h"

static void begin_list(sy_json_writer *writer, const char *name)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
}

static void member_time(sy_json_writer *writer, const char *name, int64_t utc_s)
{
    char time[SY_LEDGER_TIME_SIZE];

    sy_json_member_text(writer, name, utc_s == 0 ? NULL : sy_ledger_words_utc(time, utc_s));
}

/* "" as null. */
static void member_or_null(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_member_text(writer, name, text[0] != '\0' ? text : NULL);
}

/* A body as the ledger's events have it, as a member. */
static sy_status member_event(sy_json_writer *writer, const char *name, sy_event_kind kind, const void *event,
                              sy_error *err)
{
    sy_status status;

    sy_json_name(writer, name);
    sy_json_begin_object(writer);
    status = sy_event_put(writer, kind, event, err);
    sy_json_end_object(writer);
    return status;
}

static void write_counts(sy_json_writer *writer, const sy_dashboard *dashboard)
{
    const sy_dashboard_counts counts = sy_dashboard_count(dashboard);

    sy_json_name(writer, "counts");
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "blocks", dashboard->block_count);
    sy_json_member_u64(writer, "investigations", counts.investigations);
    sy_json_member_u64(writer, "promoted", counts.promoted);
    sy_json_member_u64(writer, "promoted_blocked", counts.blocked);
    sy_json_member_u64(writer, "superseded", counts.superseded);
    sy_json_member_u64(writer, "gates", dashboard->gate_count);
    sy_json_member_u64(writer, "open_gates", dashboard->open_gate_count);
    sy_json_member_u64(writer, "gates_that_cannot_fail", counts.cannot_fail);
    sy_json_member_u64(writer, "keys", dashboard->key_count);
    sy_json_member_u64(writer, "keys_without_baseline", counts.short_keys);
    sy_json_member_u64(writer, "sessions", dashboard->session_count);
    sy_json_member_u64(writer, "sessions_of_incomplete_keys", dashboard->incomplete_count);
    sy_json_member_u64(writer, "changes", dashboard->change_count);
    sy_json_member_u64(writer, "findings", dashboard->finding_total);
    sy_json_end_object(writer);
}

static void write_head(sy_json_writer *writer, const sy_dashboard *dashboard)
{
    sy_json_name(writer, "head");
    if (!dashboard->has_ledger) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "number", dashboard->head.number);
    sy_json_member_text(writer, "digest", dashboard->head.digest);
    sy_json_member_text(writer, "ledger", dashboard->head.ledger);
    sy_json_end_object(writer);
}

static sy_status write_judged(sy_json_writer *writer, const sy_run *run, sy_error *err)
{
    const sy_run_verdict *verdict = sy_dashboard_last_verdict(run);
    sy_status status = SY_OK;

    sy_json_name(writer, "judged");
    if (run == NULL) {
        sy_json_null(writer);
        return SY_OK;
    }
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "run", run->row.id);
    sy_json_member_text(writer, "cell", run->row.cell);
    sy_json_member_text(writer, "gate", run->row.gate);
    sy_json_member_text(writer, "revision", run->row.revision);
    sy_json_member_text(writer, "device", run->row.device);
    if (verdict == NULL)
        sy_json_member_null(writer, "verdict");
    else
        status = member_event(writer, "verdict", SY_EVENT_VERDICT, verdict, err);
    sy_json_end_object(writer);
    return status;
}

static sy_status write_rows(sy_json_writer *writer, const sy_dashboard *dashboard, sy_error *err)
{
    sy_status status = SY_OK;

    begin_list(writer, "promoted");
    for (size_t i = 0; status == SY_OK && i < dashboard->row_count; i++) {
        const sy_dashboard_row *row = &dashboard->rows[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", row->run);
        sy_json_member_u64(writer, "number", row->number);
        member_time(writer, "at", row->at_utc_s);
        sy_json_member_bool(writer, "superseded", row->superseded);
        sy_json_member_bool(writer, "blocked", row->blocked);
        member_or_null(writer, "blocked_by", row->blocked_by);
        member_or_null(writer, "blocked_why", row->blocked_why);
        status = member_event(writer, "row", SY_EVENT_PROMOTE, &row->row, err);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return status;
}

static void write_alarms(sy_json_writer *writer, const sy_dashboard *dashboard)
{
    begin_list(writer, "open");
    for (size_t i = 0; i < dashboard->alarm_count; i++) {
        const sy_dashboard_alarm *alarm = &dashboard->alarms[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", alarm->run);
        sy_json_member_text(writer, "verdict", sy_judgement_word_text(alarm->verdict));
        sy_json_member_text(writer, "reason", sy_judgement_reason_text(alarm->reason));
        sy_json_member_bool(writer, "smoke", alarm->smoke);
        sy_json_member_text(writer, "text", alarm->text);
        sy_json_member_text(writer, "cell", alarm->cell);
        sy_json_member_text(writer, "gate", alarm->gate);
        sy_json_member_text(writer, "device", alarm->device);
        sy_json_member_text(writer, "revision", alarm->revision);
        member_or_null(writer, "key_digest", alarm->key_digest);
        member_or_null(writer, "command", alarm->command);
        member_time(writer, "began", alarm->began_utc_s);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_cells(sy_json_writer *writer, const sy_matrix *matrix)
{
    begin_list(writer, "cells");
    for (size_t i = 0; matrix != NULL && i < matrix->cell_count; i++) {
        const sy_matrix_cell *cell = &matrix->cells[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "id", cell->id);
        sy_json_member_text(writer, "standing", sy_standing_word(sy_matrix_cell_standing(cell)));
        sy_json_member_text(writer, "state", cell->state);
        sy_json_member_text(writer, "reason", cell->reason);
        sy_json_member_u64(writer, "gates", cell->gate_count);
        sy_json_member_u64(writer, "open_gates", cell->open_gates);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_gates(sy_json_writer *writer, const sy_dashboard *dashboard)
{
    begin_list(writer, "gates");
    for (size_t i = 0; i < dashboard->gate_count; i++) {
        const sy_dashboard_gate *gate = &dashboard->gates[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "id", gate->id);
        sy_json_member_text(writer, "state", gate->state);
        sy_json_member_text(writer, "cell", gate->cell);
        sy_json_member_i64(writer, "priority", gate->priority);
        sy_json_member_bool(writer, "open", gate->is_open);
        member_or_null(writer, "command", gate->command);
        member_or_null(writer, "newest", gate->newest);
        sy_json_member_bool(writer, "selftest_failed", gate->selftest_failed);
        member_or_null(writer, "selftest", gate->selftest);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static void write_keys(sy_json_writer *writer, const sy_dashboard *dashboard)
{
    begin_list(writer, "keys");
    for (size_t i = 0; i < dashboard->key_count; i++) {
        const sy_dashboard_key *key = &dashboard->keys[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "key_digest", key->key_digest);
        sy_json_member_text(writer, "cell", key->cell);
        sy_json_member_text(writer, "gate", key->gate);
        sy_json_member_u64(writer, "sessions", key->session_count);
        sy_json_member_u64(writer, "accepted", key->accepted_count);
        sy_json_member_u64(writer, "missing", key->missing_count);
        sy_json_member_u64(writer, "judged", key->judged_count);
        sy_json_member_u64(writer, "raised", key->raised_count);
        sy_json_member_double(writer, "alarm_promised", key->alarm_promised);
        sy_json_member_double(writer, "alarm_observed", key->alarm_observed);
        sy_json_member_bool(writer, "alarms_exceed", key->alarms_exceed);
        sy_json_member_text(writer, "newest", key->newest);
        member_or_null(writer, "command", key->command);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
}

static sy_status write_changes(sy_json_writer *writer, const sy_dashboard *dashboard, sy_error *err)
{
    sy_status status = SY_OK;

    begin_list(writer, "changes");
    for (size_t i = 0; status == SY_OK && i < dashboard->change_count; i++) {
        const sy_dashboard_change *change = &dashboard->changes[i];

        sy_json_begin_object(writer);
        sy_json_member_text(writer, "run", change->row.run);
        sy_json_member_u64(writer, "number", change->row.number);
        sy_json_member_text(writer, "cell", change->cell);
        member_or_null(writer, "command", change->command);
        status = member_event(writer, "change", SY_EVENT_CHANGE, &change->row.change, err);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return status;
}

static void write_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    begin_list(writer, name);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

sy_status sy_report_dashboard_json(const sy_dashboard *dashboard, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text state = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.dashboard/1");
    sy_error cause = SY_ERROR_INIT;
    sy_status status;
    sy_status ended;

    sy_dashboard_words_state(&state, dashboard);
    text.failed = text.failed || state.failed;
    sy_json_member_text(writer, "project", dashboard->project);
    sy_json_member_text(writer, "state", sy_dashboard_state_word(sy_dashboard_state_of(dashboard)));
    sy_json_member_text(writer, "summary", sy_text_bytes(&state));
    sy_text_finish(&state);
    write_texts(writer, "next", dashboard->next, dashboard->next_count);
    write_head(writer, dashboard);
    write_counts(writer, dashboard);
    status = write_judged(writer, dashboard->judged, &cause);
    if (status == SY_OK)
        status = write_rows(writer, dashboard, &cause);
    write_alarms(writer, dashboard);
    write_cells(writer, dashboard->matrix);
    write_gates(writer, dashboard);
    write_keys(writer, dashboard);
    if (status == SY_OK)
        status = write_changes(writer, dashboard, &cause);
    write_texts(writer, "findings", dashboard->findings, dashboard->finding_count);
    char *json = NULL;
    ended = sy_json_frame_end(writer, &text, &json, err);
    if (ended == SY_OK && status == SY_OK)
        *ret_json = json;
    else
        sy_text_free(json);
    if (ended == SY_OK && status != SY_OK && err != NULL)
        *err = cause;
    return ended != SY_OK ? ended : status;
}
