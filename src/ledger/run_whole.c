/* SPDX-License-Identifier: Apache-2.0 */
/* One run with all that was said of it, read from its events; each must still be what it was hashed as. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/run_life.h"

#define SHORTEST_BEGINNING 4
#define NAMED_CANDIDATES 4

/* ---- which run is meant ---- */

typedef struct candidates {
    sy_arena *arena;
    sy_text names; /* for people */
    const char *id;
    size_t count;
} candidates;

static sy_status visit_candidate(void *user, const sy_run_row *row, sy_error *err)
{
    candidates *found = user;
    found->id = sy_arena_copy_text(found->arena, row->id);
    sy_text_append_format(&found->names, "%s%.40s", found->count == 0 ? "" : ", ", row->id);
    found->count++;
    return found->id == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a run's id") : SY_OK;
}

static sy_status find_newest(sy_ledger *ledger, candidates *found, sy_error *err)
{
    sy_run_filter newest = SY_RUN_FILTER_INIT;
    newest.limit = 1;
    sy_status status = ledger->storage->rows(ledger->state, &newest, visit_candidate, found, NULL, err);
    return status == SY_OK && found->count == 0 ? sy_fail(err, SY_NOT_FOUND, "the ledger has no runs yet") : status;
}

static sy_status find_beginning(sy_ledger *ledger, const char *id, candidates *found, sy_error *err)
{
    if (strlen(id) < SHORTEST_BEGINNING) {
        sy_fail(err, SY_NOT_FOUND, "there is no run '%s'", id);
        sy_error_hint(err, "the beginning of an id needs %d characters or more", SHORTEST_BEGINNING);
        return SY_NOT_FOUND;
    }
    sy_status status = ledger->storage->rows_like(ledger->state, id, NAMED_CANDIDATES, visit_candidate, found, err);
    if (status != SY_OK) {
        return status;
    }
    if (found->count == 0) {
        return sy_fail(err, SY_NOT_FOUND, "there is no run '%.60s'", id);
    }
    if (found->count > 1) {
        sy_fail(err, SY_INVALID_ARGUMENT, "more than one run begins with '%.60s'", id);
        sy_error_hint(err, "%s%s", sy_text_bytes(&found->names), found->count == NAMED_CANDIDATES ? ", ..." : "");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

/* The whole id that is meant, in the arena. */
static sy_status resolve(sy_ledger *ledger, sy_arena *arena, const char *id, const char **ret_id, sy_error *err)
{
    candidates found = {arena, SY_TEXT_INIT, NULL, 0};
    sy_run_row row;
    sy_status status = ledger->storage->get_row(ledger->state, id, arena, &row, err);
    if (status == SY_OK) {
        *ret_id = row.id;
        return SY_OK;
    }
    if (status == SY_NOT_FOUND) {
        status = strcmp(id, "last") == 0 ? find_newest(ledger, &found, err) : find_beginning(ledger, id, &found, err);
    }
    if (status == SY_OK) {
        *ret_id = found.id;
    }
    sy_text_finish(&found.names);
    return status;
}

/* ---- its events ---- */

#define VERDICT_NUMBERS SY_EVENT_UNKNOWN /* fills no array of its own */

typedef struct whole {
    sy_arena *arena;
    sy_run *run;
    sy_run_parts parts;
    bool done;               /* nothing more is wanted */
    bool ends_unread;        /* the last event was passed by, and has ... */
    sy_digest unread_digest; /* ... this one, as it is stored */
    uint64_t last_number;
    bool follows_begin;
    size_t capacities[SY_EVENT_UNKNOWN + 1]; /* of the array that events of a kind fill, and of VERDICT_NUMBERS */
} whole;

/* Where the next item of an array that lives in the arena goes; NULL: no memory. */
static void *next_of(whole *w, sy_event_kind kind, const void *array, size_t count, size_t item_size,
                     const void **ret_array)
{
    if (count < w->capacities[kind]) {
        *ret_array = array;
        return (char *)(uintptr_t)array + count * item_size;
    }
    size_t capacity = count == 0 ? 4 : count * 2;
    char *grown = sy_arena_allocate(w->arena, capacity, item_size);
    if (grown == NULL) {
        return NULL;
    }
    if (count > 0) {
        memcpy(grown, array, count * item_size);
    }
    w->capacities[kind] = capacity;
    *ret_array = grown;
    return grown + count * item_size;
}

/* Reads the event's body to the end of the array that its kind fills. */
#define ADD(kind, array, count, read)                                                               \
    case kind: {                                                                                    \
        const void *items = NULL;                                                                   \
        void *item = next_of(w, kind, w->run->array, w->run->count, sizeof *w->run->array, &items); \
        if (item == NULL) {                                                                         \
            return sy_fail(err, SY_NO_MEMORY, "no memory for a run");                               \
        }                                                                                           \
        w->run->array = items;                                                                      \
        w->run->count++;                                                                            \
        return read(envelope->json, envelope->body, w->arena, item, err);                           \
    }

static sy_status add_decision(whole *w, const sy_envelope *envelope, sy_error *err)
{
    sy_run_decision *decision = sy_arena_allocate(w->arena, 1, sizeof *decision);
    w->run->decision = decision;
    return decision == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a run")
                            : sy_run_decision_read(envelope->json, envelope->body, w->arena, decision, err);
}

static sy_status add_accept(whole *w, const sy_envelope *envelope, sy_error *err)
{
    sy_run_accept *accept = sy_arena_allocate(w->arena, 1, sizeof *accept);
    w->run->accept = accept;
    return accept == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a run")
                          : sy_run_accept_read(envelope->json, envelope->body, w->arena, accept, err);
}

static sy_status add_verdict(whole *w, const sy_envelope *envelope, sy_error *err)
{
    sy_run *run = w->run;
    const void *verdicts = NULL;
    const void *numbers = NULL;
    size_t at = run->verdict_count;
    sy_run_verdict *verdict = next_of(w, SY_EVENT_VERDICT, run->verdicts, at, sizeof *run->verdicts, &verdicts);
    uint64_t *number = next_of(w, VERDICT_NUMBERS, run->verdict_numbers, at, sizeof *run->verdict_numbers, &numbers);
    if (verdict == NULL || number == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a run");
    }
    *number = envelope->number;
    run->verdicts = verdicts;
    run->verdict_numbers = numbers;
    run->verdict_count++;
    return sy_run_verdict_read(envelope->json, envelope->body, w->arena, verdict, err);
}

static sy_status add_event(whole *w, const sy_envelope *envelope, sy_error *err)
{
    switch (envelope->kind) {
    case SY_EVENT_BEGIN:
        return sy_run_begin_read(envelope->json, envelope->body, w->arena, &w->run->begin, err);
        ADD(SY_EVENT_LEASE, leases, lease_count, sy_run_lease_read)
        ADD(SY_EVENT_CHECK, checks, check_count, sy_run_check_read)
        ADD(SY_EVENT_COMMAND, commands, command_count, sy_run_command_read)
        ADD(SY_EVENT_SERIES, series, series_count, sy_run_series_read)
        ADD(SY_EVENT_PARITY, parities, parity_count, sy_run_parity_read_body)
        ADD(SY_EVENT_MEMORY, memories, memory_count, sy_run_memory_read)
        ADD(SY_EVENT_ARTIFACT, artifacts, artifact_count, sy_run_artifact_read)
        ADD(SY_EVENT_DIGEST, digests, digest_count, sy_run_digest_read)
        ADD(SY_EVENT_PROFILE, profiles, profile_count, sy_run_profile_read)
        ADD(SY_EVENT_NOTE, notes, note_count, sy_run_note_read)
        ADD(SY_EVENT_END, ends, end_count, sy_run_end_read)
        ADD(SY_EVENT_CHANGE, changes, change_count, sy_run_change_read)
        ADD(SY_EVENT_SIGNOFF, signoffs, signoff_count, sy_run_signoff_read)
        ADD(SY_EVENT_PROMOTE, promotions, promotion_count, sy_run_promotion_read)
    case SY_EVENT_VERDICT:
        return add_verdict(w, envelope, err);
    case SY_EVENT_DECISION:
        return add_decision(w, envelope, err);
    case SY_EVENT_ACCEPT:
        return add_accept(w, envelope, err);
    default:
        return SY_OK;
    }
}
#undef ADD

static sy_status fold_event(whole *w, const sy_envelope *envelope, sy_error *err)
{
    bool exists = w->run->event_count > 0;
    sy_life_event event = {
        .kind = envelope->kind,
        .number = envelope->number,
        .at_utc_s = envelope->at_utc_s,
        .run = envelope->run,
        .follows_begin = w->follows_begin && w->last_number + 1 == envelope->number,
        .json = envelope->json,
        .body = envelope->body,
    };
    sy_run_row row;
    sy_status status = sy_run_life_fold(exists ? &w->run->row : NULL, &event, w->arena, &row, err);
    if (status == SY_OK) {
        w->run->row = row;
        w->run->event_count++;
        w->follows_begin = event.follows_begin || event.kind == SY_EVENT_BEGIN;
        w->last_number = event.number;
        status = add_event(w, envelope, err);
    }
    return status;
}

static sy_status keep_digest(whole *w, const sy_digest *digest, sy_error *err)
{
    char text[SY_DIGEST_TEXT];
    sy_digest_format(digest, text);
    w->run->digest = sy_arena_copy_text(w->arena, text);
    return w->run->digest == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a run") : SY_OK;
}

static sy_status check_digest(whole *w, const sy_stored_event *event, sy_error *err)
{
    sy_digest found;
    sy_digest_of(event->bytes, event->size, &found);
    if (!sy_digest_equal(&found, &event->digest)) {
        return sy_fail(err, SY_CORRUPT, "its bytes were changed");
    }
    return keep_digest(w, &found, err);
}

/* Of a run that is read in part the row is the one of the list. */
static sy_status take_event(whole *w, const sy_envelope *envelope, sy_error *err)
{
    if (w->parts == SY_RUN_WHOLE) {
        return fold_event(w, envelope, err);
    }
    w->run->event_count++;
    w->done = w->parts == SY_RUN_BEGINNING;
    return add_event(w, envelope, err);
}

static sy_status visit_event(void *user, const sy_stored_event *event, sy_error *err)
{
    whole *w = user;
    sy_envelope envelope = {0};
    if (w->done) {
        return SY_INTERRUPTED; /* to read_run alone */
    }
    w->ends_unread = w->parts == SY_RUN_WITHOUT_SERIES && strcmp(event->kind, sy_event_kind_word(SY_EVENT_SERIES)) == 0;
    if (w->ends_unread) {
        w->run->event_count++;
        w->unread_digest = event->digest;
        return SY_OK;
    }
    sy_status status = check_digest(w, event, err);
    if (status == SY_OK) {
        status = sy_envelope_read(event->bytes, event->size, &envelope, err);
    }
    if (status == SY_OK && (envelope.number != event->number || strcmp(envelope.run, event->run) != 0)) {
        status = sy_fail(err, SY_CORRUPT, "it stands in the place of another one");
    }
    if (status == SY_OK) {
        status = take_event(w, &envelope, err);
    }
    sy_envelope_finish(&envelope);
    if (status == SY_OK || status == SY_NO_MEMORY || status == SY_VERSION_UNSUPPORTED) {
        return status;
    }
    sy_error_prefix(err, "event %" PRIu64, event->number);
    sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    if (err != NULL) {
        err->status = SY_CORRUPT;
    }
    return SY_CORRUPT;
}

static sy_status read_run(sy_ledger *ledger, const char *id, whole *w, sy_error *err)
{
    const char *whole_id = NULL;
    sy_status status = resolve(ledger, w->arena, id, &whole_id, err);
    if (status == SY_OK && w->parts != SY_RUN_WHOLE) {
        status = ledger->storage->get_row(ledger->state, whole_id, w->arena, &w->run->row, err);
    }
    if (status == SY_OK) {
        status = ledger->storage->events(ledger->state, 1, whole_id, visit_event, w, err);
        status = w->done && status == SY_INTERRUPTED ? SY_OK : status;
    }
    if (status == SY_OK && w->ends_unread) {
        status = keep_digest(w, &w->unread_digest, err);
    }
    if (status == SY_OK && w->run->event_count == 0) {
        sy_fail(err, SY_CORRUPT, "the list names the run '%.60s', which has no events", whole_id);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
        return SY_CORRUPT;
    }
    return status;
}

sy_status sy_ledger_run_parts(sy_ledger *ledger, const char *id, sy_run_parts parts, sy_run **ret_run, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    sy_run *run = arena == NULL ? NULL : sy_arena_allocate(arena, 1, sizeof *run);
    whole w = {.arena = arena, .run = run, .parts = parts};
    sy_status status;
    if (run == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a run");
        goto out;
    }
    run->digest = "";
    status = sy_ledger_hold(ledger, err);
    if (status == SY_OK) {
        status = read_run(ledger, id, &w, err);
        sy_ledger_release(ledger);
    }
out:
    if (status != SY_OK) {
        sy_arena_destroy(arena);
        return status;
    }
    run->owner = arena;
    *ret_run = run;
    return SY_OK;
}

sy_status sy_ledger_run(sy_ledger *ledger, const char *id, sy_run **ret_run, sy_error *err)
{
    return sy_ledger_run_parts(ledger, id, SY_RUN_WHOLE, ret_run, err);
}
