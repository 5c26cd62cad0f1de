/* SPDX-License-Identifier: Apache-2.0 */
/* The chain: each event's bytes against its digest, its place, its columns and the event before; what it makes of its
 * run; the anchors that vouch for it. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/lists/run_figures.h"
#include "ledger/proof/verifier.h"

#define STEP 256     /* events between two looks at whether to stop */
#define ATTEMPTS 100 /* to read on behind what cannot be read */

/* One event under examination. */
typedef struct examined {
    sy_verifier *verifier;
    const sy_stored_event *stored;
    sy_envelope envelope;
    sy_digest hashed;
    bool sound; /* its bytes are as they were hashed, and an event */
} examined;

static sy_status check_gap(const examined *e, sy_error *err)
{
    uint64_t expected = e->verifier->last_number + 1;
    uint64_t number = e->stored->number;
    if (number == expected) {
        return SY_OK;
    }
    return number == expected + 1
               ? sy_verifier_fault(e->verifier, expected, "missing", err, "event %" PRIu64 " is missing", expected)
               : sy_verifier_fault(e->verifier, expected, "missing", err,
                                   "events %" PRIu64 " to %" PRIu64 " are missing", expected, number - 1);
}

/* Its bytes have its digest, and are an event. */
static sy_status check_bytes(examined *e, sy_error *err)
{
    const sy_stored_event *stored = e->stored;
    sy_error read = SY_ERROR_INIT;
    e->sound = sy_digest_equal(&e->hashed, &stored->digest);
    if (!e->sound) {
        sy_status status = sy_verifier_fault(e->verifier, stored->number, "changed", err,
                                             "event %" PRIu64 " does not have the digest that stands beside it",
                                             stored->number);
        if (status != SY_OK) {
            return status;
        }
    }
    sy_status status = sy_envelope_read(stored->bytes, stored->size, &e->envelope, &read);
    if (status == SY_OK || status == SY_NO_MEMORY) {
        return status == SY_OK ? SY_OK : sy_fail(err, status, "%s", read.what);
    }
    bool told = !e->sound;
    e->sound = false;
    return told ? SY_OK
                : sy_verifier_fault(e->verifier, stored->number,
                                    status == SY_VERSION_UNSUPPORTED ? "illegal" : "changed", err,
                                    "event %" PRIu64 " cannot be read: %s", stored->number, read.what);
}

/* It stands where it says, and the database's columns say what it says. */
static sy_status check_place(const examined *e, sy_error *err)
{
    const sy_stored_event *stored = e->stored;
    const char *column = NULL;
    if (e->envelope.number != stored->number) {
        return sy_verifier_fault(e->verifier, stored->number, "out-of-order", err,
                                 "event %" PRIu64 " stands in the place of event %" PRIu64, e->envelope.number,
                                 stored->number);
    }
    if (strcmp(e->envelope.run, stored->run) != 0) {
        column = "run";
    } else if (strcmp(e->envelope.kind_word, stored->kind) != 0) {
        column = "kind";
    } else if (e->envelope.at_utc_s != stored->at_utc_s) {
        column = "time";
    }
    return column == NULL ? SY_OK
                          : sy_verifier_fault(e->verifier, stored->number, "changed", err,
                                              "the %s that stands beside event %" PRIu64 " is not its own", column,
                                              stored->number);
}

/* It was written behind the event that is before it. Where that one was changed, its fault is told there, and the
 * digest that it should have is good enough here. */
static sy_status check_chain(const examined *e, sy_error *err)
{
    const sy_verifier *v = e->verifier;
    bool gap = e->stored->number != v->last_number + 1 || v->last_unread;
    if (gap || sy_digest_equal(&e->envelope.previous, &v->last_hashed) ||
        sy_digest_equal(&e->envelope.previous, &v->last_claimed)) {
        return SY_OK;
    }
    return sy_verifier_fault(e->verifier, e->stored->number, "not-chained", err,
                             "event %" PRIu64 " was written behind another event than the one before it",
                             e->stored->number);
}

static sy_status check_clock(const examined *e, sy_error *err)
{
    int64_t back_s = e->verifier->last_at_utc_s - e->envelope.at_utc_s;
    return e->verifier->last_number == 0 || back_s <= 0
               ? SY_OK
               : sy_verifier_note(e->verifier, err, "the clock went back by %" PRId64 " s at event %" PRIu64, back_s,
                                  e->stored->number);
}

static sy_status check_anchors(const examined *e, sy_error *err)
{
    sy_verifier *v = e->verifier;
    sy_status status = SY_OK;
    for (; v->next_anchor < v->anchor_count && status == SY_OK; v->next_anchor++) {
        const sy_anchor *anchor = &v->anchors[v->next_anchor];
        if (anchor->number > e->stored->number) {
            break;
        }
        if (anchor->number < e->stored->number) {
            continue; /* of an event that is missing, which was told */
        }
        if (sy_digest_equal(&anchor->digest, &e->hashed)) {
            v->verdict->last_anchor_number = anchor->number;
        } else {
            status = sy_verifier_fault(v, anchor->number, "rewritten", err,
                                       "event %" PRIu64 " is not the one that line %" PRIu64
                                       " of the anchors vouches for",
                                       anchor->number, anchor->line);
        }
    }
    return status;
}

/* ---- what it says ---- */

static sy_status check_open(const examined *e, sy_error *err)
{
    const char *id;
    const sy_json_value *member = sy_json_member(e->envelope.body, "ledger");
    if (e->stored->number != 1) {
        return e->envelope.kind != SY_EVENT_OPEN
                   ? SY_OK
                   : sy_verifier_fault(e->verifier, e->stored->number, "illegal", err,
                                       "event %" PRIu64 " opens the ledger once more", e->stored->number);
    }
    if (e->envelope.kind != SY_EVENT_OPEN || sy_json_get_text(e->envelope.json, member, &id, NULL) != SY_OK) {
        return sy_verifier_fault(e->verifier, 1, "illegal", err, "event 1 does not open the ledger");
    }
    return strcmp(id, e->verifier->id) == 0
               ? SY_OK
               : sy_verifier_fault(e->verifier, 1, "changed", err, "the ledger's id is not the one of event 1");
}

/* Notes which samples and files the event names. */
static sy_status note_digests(const examined *e, sy_arena *scratch, sy_error *err)
{
    const sy_envelope *envelope = &e->envelope;
    sy_verifier *v = e->verifier;
    sy_digest digest;
    const sy_named_digest *named = NULL;
    sy_run_series series;
    sy_run_artifact artifact;
    if (envelope->kind == SY_EVENT_SERIES) {
        sy_status status = sy_run_series_read(envelope->json, envelope->body, scratch, &series, err);
        if (status != SY_OK || (status = sy_digest_parse(series.digest, &digest, err)) != SY_OK) {
            return status;
        }
        v->verdict->series_count++;
        v->verdict->sample_count += series.count;
        named = sy_digest_table_add(&v->series, &digest, e->stored->number, series.count);
        if (named != NULL && named->count != series.count) {
            return sy_fail(err, SY_CORRUPT,
                           "it names %zu samples, event %" PRIu64 " named %" PRIu64 " of the same digest", series.count,
                           named->event, named->count);
        }
    } else {
        sy_status status = sy_run_artifact_read(envelope->json, envelope->body, scratch, &artifact, err);
        if (status != SY_OK || (status = sy_digest_parse(artifact.digest, &digest, err)) != SY_OK) {
            return status;
        }
        named = sy_digest_table_add(&v->files, &digest, e->stored->number, artifact.size);
    }
    return named == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a digest") : SY_OK;
}

static sy_status note_figures(const examined *e, const sy_life_event *event, uint64_t run_number, sy_arena *scratch,
                              sy_error *err)
{
    sy_verifier *v = e->verifier;
    sy_figure_row figure;
    bool says;
    sy_status status = sy_figures_of(event, run_number, scratch, &figure, &says, err);
    if (status != SY_OK || !says) {
        return status;
    }
    if (v->figure_count == v->figure_capacity) {
        size_t capacity = v->figure_capacity == 0 ? 256 : v->figure_capacity * 2;
        sy_expected_figure *grown = sy_reallocate(v->figures, capacity, sizeof *grown);
        if (grown == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for what figures should be");
        }
        v->figures = grown;
        v->figure_capacity = capacity;
    }
    v->figures[v->figure_count++] = (sy_expected_figure){
        .event = event->number, .hash = sy_figure_hash(event->number, &figure), .sound = e->sound};
    return SY_OK;
}

static sy_status fold(const examined *e, sy_arena *scratch, sy_error *err)
{
    const sy_envelope *envelope = &e->envelope;
    sy_run_entry *entry = NULL;
    sy_life_event event = {
        .kind = envelope->kind,
        .number = e->stored->number,
        .at_utc_s = envelope->at_utc_s,
        .run = envelope->run,
        .json = envelope->json,
        .body = envelope->body,
    };
    if (envelope->kind == SY_EVENT_UNKNOWN) {
        return SY_OK;
    }
    if (*envelope->run == '\0') {
        return sy_run_life_check_alone(&event, scratch, err);
    }
    sy_status status = sy_run_table_fold(&e->verifier->runs, &event, scratch, &entry, err);
    if (status == SY_OK) {
        status = note_figures(e, &event, entry->row.number, scratch, err);
    }
    bool names_digest = envelope->kind == SY_EVENT_SERIES || envelope->kind == SY_EVENT_ARTIFACT;
    return status == SY_OK && names_digest ? note_digests(e, scratch, err) : status;
}

/* What it makes of its run. An event that was changed is told already: what follows from that is not told again. */
static sy_status check_life(const examined *e, sy_error *err)
{
    sy_error illegal = SY_ERROR_INIT;
    sy_arena *scratch = sy_arena_create(0);
    if (scratch == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to read an event");
    }
    sy_status status = fold(e, scratch, &illegal);
    sy_arena_destroy(scratch);
    if (status == SY_OK || (!e->sound && status != SY_NO_MEMORY)) {
        return SY_OK;
    }
    return status == SY_NO_MEMORY
               ? sy_fail(err, status, "%s", illegal.what)
               : sy_verifier_fault(e->verifier, e->stored->number, "illegal", err, "event %" PRIu64 " may not be: %s",
                                   e->stored->number, illegal.what);
}

static sy_status examine(examined *e, sy_error *err)
{
    sy_status status = check_gap(e, err);
    if (status == SY_OK) {
        status = check_bytes(e, err);
    }
    if (status == SY_OK) {
        status = check_anchors(e, err);
    }
    if (status != SY_OK || e->envelope.json == NULL) {
        return status;
    }
    status = check_place(e, err);
    if (status == SY_OK) {
        status = check_chain(e, err);
    }
    if (status == SY_OK) {
        status = check_clock(e, err);
    }
    if (status == SY_OK) {
        status = check_open(e, err);
    }
    return status == SY_OK ? check_life(e, err) : status;
}

static sy_status visit_event(void *user, const sy_stored_event *stored, sy_error *err)
{
    sy_verifier *v = user;
    examined e = {.verifier = v, .stored = stored};
    sy_digest_of(stored->bytes, stored->size, &e.hashed);
    sy_status status = examine(&e, err);
    if (status == SY_OK) {
        v->last_at_utc_s = e.envelope.json != NULL ? e.envelope.at_utc_s : v->last_at_utc_s;
        v->last_number = stored->number;
        v->last_hashed = e.hashed;
        v->last_claimed = stored->digest;
        v->last_unread = false;
        v->verdict->event_count++;
    }
    sy_envelope_finish(&e.envelope);
    return status == SY_OK && stored->number % STEP == 0 ? sy_verifier_step(v, stored->number, err) : status;
}

/* Anchors of events behind the last one. */
static sy_status check_end(sy_verifier *v, sy_error *err)
{
    sy_status status = SY_OK;
    for (; v->next_anchor < v->anchor_count && status == SY_OK; v->next_anchor++) {
        const sy_anchor *anchor = &v->anchors[v->next_anchor];
        status = sy_verifier_fault(v, anchor->number, "truncated", err,
                                   "the ledger ends with event %" PRIu64 ", and line %" PRIu64
                                   " of the anchors vouches for event %" PRIu64,
                                   v->last_number, anchor->line, anchor->number);
    }
    if (status == SY_OK && v->total != 0 && v->last_number != v->total) {
        status = sy_verifier_fault(v, v->total, "missing", err,
                                   "the last event is %" PRIu64 ", and the database says %" PRIu64, v->last_number,
                                   v->total);
    }
    return status;
}

/* Where the database cannot be read on, the walk goes on behind the event that stands there. */
static sy_status walk(sy_verifier *v, sy_error *err)
{
    sy_ledger *ledger = v->ledger;
    bool damaged = false;
    for (size_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        sy_status status = ledger->storage->events(ledger->state, attempt == 0 ? 0 : v->last_number + 1, NULL,
                                                   visit_event, v, err);
        status = sy_verifier_damage(v, status, v->last_number + 1, "it cannot be read", &damaged, err);
        if (status != SY_OK || !damaged) {
            return status;
        }
        v->last_number++;
        v->last_unread = true;
    }
    return SY_OK;
}

sy_status sy_verify_events(sy_verifier *verifier, sy_error *err)
{
    sy_status status = walk(verifier, err);
    verifier->verdict->run_count = verifier->runs.count;
    return status == SY_OK ? check_end(verifier, err) : status;
}
