/* SPDX-License-Identifier: Apache-2.0 */
/* Collects events of one run. */
#include "evidence/event_list.h"

#include <string.h>

#include "base/error.h"
#include "evidence/clean_json.h"
#include "record/run_events.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the events of a run");
}

static bool grow(sy_event_list *list)
{
    if (list->count < list->capacity) {
        return true;
    }
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : 32;
    sy_ledger_entry *entries = sy_arena_allocate(list->arena, capacity, sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    if (list->count > 0) {
        memcpy(entries, list->entries, list->count * sizeof *entries);
    }
    list->entries = entries;
    list->capacity = capacity;
    return true;
}

sy_status sy_event_list_add(sy_event_list *list, sy_event_kind kind, sy_status written, sy_text *body, sy_error *err)
{
    sy_status status = written;
    if (status == SY_OK && (body->failed || !grow(list))) {
        status = no_memory(err);
    }
    char *copy = status == SY_OK ? sy_arena_copy_bytes(list->arena, body->bytes, body->length) : NULL;
    if (status == SY_OK && copy == NULL) {
        status = no_memory(err);
    }
    if (status == SY_OK) {
        list->entries[list->count++] = (sy_ledger_entry){
            .kind = kind, .run = list->run, .body = copy, .body_size = body->length};
    }
    sy_text_finish(body);
    return status;
}

sy_status sy_event_list_begin(sy_event_list *list, const sy_run_begin *begin, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_begin_write(begin, &body, err);
    return sy_event_list_add(list, SY_EVENT_BEGIN, status, &body, err);
}

sy_status sy_event_list_lease(sy_event_list *list, const sy_run_lease *lease, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_lease_write(lease, &body, err);
    return sy_event_list_add(list, SY_EVENT_LEASE, status, &body, err);
}

sy_status sy_event_list_check(sy_event_list *list, const sy_run_check *check, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_check_write(check, &body, err);
    return sy_event_list_add(list, SY_EVENT_CHECK, status, &body, err);
}

sy_status sy_event_list_accept(sy_event_list *list, const sy_run_accept *accept, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_accept_write(accept, &body, err);
    return sy_event_list_add(list, SY_EVENT_ACCEPT, status, &body, err);
}

sy_status sy_event_list_command(sy_event_list *list, const sy_run_command *command, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_command_write(command, &body, err);
    return sy_event_list_add(list, SY_EVENT_COMMAND, status, &body, err);
}

sy_status sy_event_list_series(sy_event_list *list, sy_run_series *series, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_series_write(series, &body, err);
    status = sy_event_list_add(list, SY_EVENT_SERIES, status, &body, err);
    if (status == SY_OK) {
        list->entries[list->count - 1].samples = series->samples;
        list->entries[list->count - 1].sample_count = series->count;
    }
    return status;
}

sy_status sy_event_list_parity(sy_event_list *list, const sy_run_parity_event *parity, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_parity_write(parity, &body, err);
    return sy_event_list_add(list, SY_EVENT_PARITY, status, &body, err);
}

sy_status sy_event_list_memory(sy_event_list *list, const sy_run_memory *memory, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_memory_write(memory, &body, err);
    return sy_event_list_add(list, SY_EVENT_MEMORY, status, &body, err);
}

sy_status sy_event_list_artifact(sy_event_list *list, const sy_run_artifact *artifact, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_artifact_write(artifact, &body, err);
    return sy_event_list_add(list, SY_EVENT_ARTIFACT, status, &body, err);
}

sy_status sy_event_list_digest(sy_event_list *list, const sy_run_digest *digest, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_digest_write(digest, &body, err);
    return sy_event_list_add(list, SY_EVENT_DIGEST, status, &body, err);
}

sy_status sy_event_list_note(sy_event_list *list, const char *note, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_note_write(note, &body, err);
    return sy_event_list_add(list, SY_EVENT_NOTE, status, &body, err);
}

sy_status sy_event_list_decision(sy_event_list *list, const sy_run_decision *decision, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_decision_write(decision, &body, err);
    return sy_event_list_add(list, SY_EVENT_DECISION, status, &body, err);
}

sy_status sy_event_list_profile(sy_event_list *list, const sy_run_profile *profile, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_profile_write(profile, &body, err);
    return sy_event_list_add(list, SY_EVENT_PROFILE, status, &body, err);
}

sy_status sy_event_list_verdict(sy_event_list *list, const sy_run_verdict *verdict, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_verdict_write(verdict, &body, err);
    return sy_event_list_add(list, SY_EVENT_VERDICT, status, &body, err);
}

sy_status sy_event_list_change(sy_event_list *list, const sy_run_change *change, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_change_write(change, &body, err);
    return sy_event_list_add(list, SY_EVENT_CHANGE, status, &body, err);
}

sy_status sy_event_list_signoff(sy_event_list *list, const sy_run_signoff *signoff, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_signoff_write(signoff, &body, err);
    return sy_event_list_add(list, SY_EVENT_SIGNOFF, status, &body, err);
}

sy_status sy_event_list_promotion(sy_event_list *list, const sy_run_promotion *promotion, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_promotion_write(promotion, &body, err);
    return sy_event_list_add(list, SY_EVENT_PROMOTE, status, &body, err);
}

sy_status sy_event_list_selftest(sy_event_list *list, const sy_gate_selftest *selftest, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_gate_selftest_write(selftest, &body, err);
    return sy_event_list_add(list, SY_EVENT_SELFTEST, status, &body, err);
}

sy_status sy_event_list_end(sy_event_list *list, const sy_run_end *end, sy_error *err)
{
    sy_text body = SY_TEXT_INIT;
    sy_status status = sy_run_end_write(end, &body, err);
    return sy_event_list_add(list, SY_EVENT_END, status, &body, err);
}

sy_status sy_event_list_clean(sy_event_list *list, sy_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        sy_text clean = SY_TEXT_INIT;
        sy_status status = sy_clean_json(list->entries[i].body, list->arena, &clean, err);
        bool same = clean.length == list->entries[i].body_size &&
                    memcmp(clean.bytes, list->entries[i].body, clean.length) == 0;
        const char *copy = status != SY_OK || clean.failed ? NULL
                           : same                          ? list->entries[i].body
                                  : sy_arena_copy_bytes(list->arena, clean.bytes, clean.length);
        size_t size = clean.length;
        sy_text_finish(&clean);
        if (copy == NULL) {
            return status != SY_OK ? status : no_memory(err);
        }
        list->entries[i].body = copy;
        list->entries[i].body_size = size;
    }
    return SY_OK;
}

sy_status sy_event_list_append(sy_event_list *list, sy_ledger *ledger, sy_ledger_head *ret_head, sy_error *err)
{
    sy_status status = sy_ledger_append(ledger, list->entries, list->count, ret_head, err);
    if (status == SY_OK) {
        list->count = 0;
    }
    return status;
}
