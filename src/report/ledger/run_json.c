/* SPDX-License-Identifier: Apache-2.0 */
/* A run as JSON: its row, then all that its events said, each as the event's body has it. */
#include "report/ledger/run_json.h"

#include <math.h>
#include <steelyard/report.h>

#include "base/error.h"
#include "record/run_events.h"
#include "report/ledger/ledger_words.h"
#include "report/page/json_frame.h"

static void member_flag(sy_json_writer *writer, const char *name, int flag)
{
    if (flag < 0)
        sy_json_member_null(writer, name);
    else
        sy_json_member_bool(writer, name, flag > 0);
}

/* Of an event; null for none. */
static void member_number(sy_json_writer *writer, const char *name, uint64_t number)
{
    if (number == 0)
        sy_json_member_null(writer, name);
    else
        sy_json_member_u64(writer, name, number);
}

static void member_time(sy_json_writer *writer, const char *name, int64_t utc_s)
{
    char time[SY_LEDGER_TIME_SIZE];

    sy_json_member_text(writer, name, utc_s == 0 ? NULL : sy_ledger_words_utc(time, utc_s));
}

void sy_run_row_write_json(sy_json_writer *writer, const sy_run_row *row)
{
    sy_json_member_text(writer, "id", row->id);
    sy_json_member_u64(writer, "number", row->number);
    sy_json_member_text(writer, "kind", sy_run_kind_word(row->kind));
    sy_json_member_text(writer, "status", sy_run_status_word(row->status));
    sy_json_member_bool(writer, "accepted", row->accepted);
    sy_json_member_bool(writer, "begins_baseline", row->begins_baseline);
    sy_json_member_text(writer, "verdict", row->judged ? sy_judgement_word_text(row->verdict) : NULL);
    sy_json_member_text(writer, "verdict_reason", row->judged ? sy_judgement_reason_text(row->verdict_reason) : NULL);
    member_number(writer, "verdict_number", row->verdict_number);
    sy_json_member_bool(writer, "raised", row->raised);
    member_number(writer, "signoff_number", row->signoff_number);
    member_number(writer, "promoted", row->promoted);
    sy_json_member_text(writer, "reason", row->reason);
    sy_json_member_text(writer, "question", row->question);
    sy_json_member_text(writer, "conclusion", row->conclusion);
    sy_json_member_text(writer, "gate", row->gate);
    sy_json_member_text(writer, "cell", row->cell);
    sy_json_member_text(writer, "tier", row->tier);
    sy_json_member_text(writer, "protocol", row->protocol);
    sy_json_member_text(writer, "revision", row->revision);
    member_flag(writer, "dirty", row->dirty);
    sy_json_member_bool(writer, "diff_is_kept", row->diff_is_kept);
    sy_json_member_text(writer, "host", row->host);
    sy_json_member_text(writer, "device", row->device);
    member_flag(writer, "hardware", row->hardware);
    sy_json_member_bool(writer, "synthetic", row->synthetic);
    sy_json_member_text(writer, "origin", row->origin);
    sy_json_member_text(writer, "key_digest", row->key_digest[0] != '\0' ? row->key_digest : NULL);
    member_time(writer, "began", row->began_utc_s);
    member_time(writer, "ended", row->ended_utc_s);
    sy_json_member_text(writer, "parity", sy_run_parity_word(row->parity));
    sy_json_member_bool(writer, "lease_whole", row->lease_whole);
    sy_json_member_u64(writer, "series_count", row->series_count);
    sy_json_member_u64(writer, "sample_count", row->sample_count);
}

/* A list of events of one kind, `size` bytes each. */
typedef struct event_list {
    const char *name;
    sy_event_kind kind;
    const void *events;
    size_t count;
    size_t size;
} event_list;

static sy_status write_series(sy_json_writer *writer, const sy_report_run_view *view, sy_error *err)
{
    sy_status status = SY_OK;

    sy_json_name(writer, "series");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < view->run->series_count && status == SY_OK; i++) {
        const sy_run_series *series = &view->run->series[i];
        const double *samples = view->samples != NULL ? view->samples[i] : NULL;

        sy_json_begin_object(writer);
        status = sy_event_put(writer, SY_EVENT_SERIES, series, err);
        if (samples != NULL) {
            sy_json_name(writer, "values");
            sy_json_begin_array(writer);
            for (size_t k = 0; k < series->count; k++)
                sy_json_double(writer, samples[k]);
            sy_json_end_array(writer);
        }
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return status;
}

static sy_status write_list(sy_json_writer *writer, const event_list *list, sy_error *err)
{
    sy_status status = SY_OK;

    sy_json_name(writer, list->name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < list->count && status == SY_OK; i++) {
        sy_json_begin_object(writer);
        status = sy_event_put(writer, list->kind, (const char *)list->events + i * list->size, err);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    return status;
}

static sy_status write_one(sy_json_writer *writer, const char *name, sy_event_kind kind, const void *event,
                           sy_error *err)
{
    sy_status status;

    if (event == NULL) {
        sy_json_member_null(writer, name);
        return SY_OK;
    }
    sy_json_name(writer, name);
    sy_json_begin_object(writer);
    status = sy_event_put(writer, kind, event, err);
    sy_json_end_object(writer);
    return status;
}

#define LIST(word, kind, member, count)                                      \
    {                                                                        \
        word, SY_EVENT_##kind, run->member, run->count, sizeof(*run->member) \
    }

static sy_status write_events(sy_json_writer *writer, const sy_report_run_view *view, sy_error *err)
{
    const sy_run *run = view->run;
    const event_list lists[] = {
        LIST("leases", LEASE, leases, lease_count),
        LIST("checks", CHECK, checks, check_count),
        LIST("commands", COMMAND, commands, command_count),
        LIST("parities", PARITY, parities, parity_count),
        LIST("memories", MEMORY, memories, memory_count),
        LIST("artifacts", ARTIFACT, artifacts, artifact_count),
        LIST("digests", DIGEST, digests, digest_count),
        LIST("profiles", PROFILE, profiles, profile_count),
        LIST("ends", END, ends, end_count),
        LIST("verdicts", VERDICT, verdicts, verdict_count),
        LIST("changes", CHANGE, changes, change_count),
        LIST("signoffs", SIGNOFF, signoffs, signoff_count),
        LIST("promotions", PROMOTE, promotions, promotion_count),
    };
    sy_status status = write_one(writer, "begin", SY_EVENT_BEGIN, &run->begin, err);

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && status == SY_OK; i++)
        status = write_list(writer, &lists[i], err);
    if (status == SY_OK)
        status = write_series(writer, view, err);
    if (status == SY_OK)
        status = write_one(writer, "decision", SY_EVENT_DECISION, run->decision, err);
    if (status == SY_OK)
        status = write_one(writer, "accept", SY_EVENT_ACCEPT, run->accept, err);
    sy_json_name(writer, "verdict_numbers");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < run->verdict_count; i++)
        sy_json_u64(writer, run->verdict_numbers[i]);
    sy_json_end_array(writer);
    return status;
}

static void write_standing(sy_json_writer *writer, const sy_promotion_standing *standing)
{
    if (standing == NULL) {
        sy_json_member_null(writer, "promotion_standing");
        return;
    }
    sy_json_name(writer, "promotion_standing");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "blocked_by", standing->run[0] != '\0' ? standing->run : NULL);
    sy_json_member_u64(writer, "verdict", standing->verdict);
    sy_json_member_text(writer, "why", standing->why);
    sy_json_member_text(writer, "follower", standing->follower[0] != '\0' ? standing->follower : NULL);
    sy_json_end_object(writer);
}

sy_status sy_report_run_json(const sy_report_run_view *view, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    char *json = NULL;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.run/1");
    sy_status events;
    sy_status status;

    sy_run_row_write_json(writer, &view->run->row);
    events = write_events(writer, view, err);
    write_standing(writer, view->standing);
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < view->run->note_count; i++)
        sy_json_text(writer, view->run->notes[i]);
    sy_json_end_array(writer);
    sy_json_member_u64(writer, "event_count", view->run->event_count);
    sy_json_member_text(writer, "digest", view->run->digest);
    status = sy_json_frame_end(writer, &text, &json, events == SY_OK ? err : NULL);
    if (events != SY_OK || status != SY_OK) {
        sy_text_free(json);
        return events != SY_OK ? events : status;
    }
    *ret_json = json;
    return SY_OK;
}
