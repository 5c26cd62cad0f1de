/* SPDX-License-Identifier: Apache-2.0 */
/* Appending: what can be judged without the ledger is judged before the writers' lock is taken; the rest happens in one
 * transaction. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/lists/run_figures.h"
#include "ledger/run_refold.h"
#include "ledger/run_table.h"
#include "record/private_text.h"

#define ANY_HEAD UINT64_MAX

/* One entry, judged. */
typedef struct prepared {
    const sy_ledger_entry *entry;
    sy_json *json;
    sy_text body; /* canonical */
    uint8_t *packed;
    sy_digest samples;
    size_t sample_count;
    const char *other_run; /* that the body names; "" */
} prepared;

typedef struct append_job {
    sy_ledger *ledger;
    prepared *prepared;
    size_t count;
    sy_arena *arena;
    sy_run_table runs;
    uint64_t expected; /* number that the head must have; ANY_HEAD = any */
    uint64_t number;   /* of the head */
    sy_digest head;
    sy_text event;
} append_job;

static sy_status refuse_private(const sy_ledger_entry *entry, const sy_json *json, sy_error *err)
{
    static const char *const kinds[] = {[SY_PRIVATE_NONE] = "nothing",
                                        [SY_PRIVATE_PATH] = "a path into somebody's home",
                                        [SY_PRIVATE_SECRET] = "what looks like a secret"};
    bool in_name;
    sy_private_kind kind;
    sy_text pointer = SY_TEXT_INIT;
    const sy_json_value *found = sy_private_in_json(json, sy_json_root(json), &in_name, &kind);
    if (found == NULL) {
        kind = sy_private_find(entry->run, strlen(entry->run), NULL);
        return kind == SY_PRIVATE_NONE ? SY_OK
                                       : sy_fail(err, SY_REFUSED, "an event of kind %s: the run's id holds %s",
                                                 sy_event_kind_word(entry->kind), kinds[kind]);
    }
    sy_json_pointer(in_name ? found->parent : found, &pointer);
    sy_fail(err, SY_REFUSED, "an event of kind %s: %s%.120s holds %s", sy_event_kind_word(entry->kind),
            in_name ? "a name below " : "", pointer.length == 0 ? "the body" : pointer.bytes, kinds[kind]);
    sy_error_hint(err, "what is private never enters the ledger: take it out, nothing was written");
    sy_text_finish(&pointer);
    return SY_REFUSED;
}

/* The event names samples by count and digest: they must be those that were handed in. */
static sy_status prepare_samples(prepared *p, sy_arena *arena, sy_error *err)
{
    sy_run_series series;
    char digest[SY_DIGEST_TEXT];
    const sy_ledger_entry *entry = p->entry;
    sy_status status = sy_run_series_read(p->json, sy_json_root(p->json), arena, &series, err);
    if (status != SY_OK) {
        return status;
    }
    sy_samples_digest(entry->samples, entry->sample_count, digest);
    if (series.count != entry->sample_count || strcmp(series.digest, digest) != 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the series '%.60s' names other samples than are handed in",
                       series.name);
    }
    if (series.count > 0) {
        p->packed = sy_allocate(series.count, sizeof(double));
        if (p->packed == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", series.count);
        }
        sy_samples_pack(entry->samples, series.count, p->packed);
    }
    p->sample_count = series.count;
    return sy_digest_parse(digest, &p->samples, err);
}

/* A file is kept before an event may name it. */
static sy_status prepare_artifact(sy_ledger *ledger, prepared *p, sy_arena *arena, sy_error *err)
{
    sy_run_artifact artifact;
    uint64_t size = 0;
    sy_status status = sy_run_artifact_read(p->json, sy_json_root(p->json), arena, &artifact, err);
    if (status == SY_OK) {
        status = sy_ledger_kept_size(ledger, artifact.digest, &size, err);
    }
    if (status == SY_OK && size != artifact.size) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "the kept file '%.60s' has %" PRIu64 " bytes, not %" PRIu64,
                         artifact.name, size, artifact.size);
    }
    return status;
}

static sy_status prepare_end(prepared *p, sy_arena *arena, sy_error *err)
{
    sy_run_end end;
    sy_status status = sy_run_end_read(p->json, sy_json_root(p->json), arena, &end, err);
    p->other_run = status == SY_OK ? end.superseded_by : "";
    return status;
}

static sy_status check_entry(const sy_ledger_entry *entry, sy_error *err)
{
    if (entry->kind == SY_EVENT_OPEN || entry->kind >= SY_EVENT_UNKNOWN) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an event of kind %s is not for callers",
                       sy_event_kind_word(entry->kind));
    }
    if (*entry->run == '\0' && !sy_run_life_needs_no_run(entry->kind)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an event of kind %s names no run", sy_event_kind_word(entry->kind));
    }
    if (*entry->run != '\0' && !sy_event_run_is_valid(entry->run)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is no id of a run", entry->run);
    }
    if (entry->samples != NULL && entry->kind != SY_EVENT_SERIES) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "samples belong to a series, not to an event of kind %s",
                       sy_event_kind_word(entry->kind));
    }
    return SY_OK;
}

static sy_status prepare(append_job *job, prepared *p, const sy_ledger_entry *entry, sy_error *err)
{
    p->entry = entry;
    p->other_run = "";
    sy_status status = check_entry(entry, err);
    if (status != SY_OK || (status = sy_event_body_parse(entry->body, entry->body_size, &p->json, err)) != SY_OK ||
        (status = refuse_private(entry, p->json, err)) != SY_OK ||
        (status = sy_event_body_write(sy_json_root(p->json), &p->body, err)) != SY_OK) {
        return status;
    }
    if (p->body.length > SY_EVENT_BODY_LIMIT) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "an event's body has %zu bytes, more than %zu", p->body.length,
                       SY_EVENT_BODY_LIMIT);
    }
    switch (entry->kind) {
    case SY_EVENT_SERIES:
        return prepare_samples(p, job->arena, err);
    case SY_EVENT_ARTIFACT:
        return prepare_artifact(job->ledger, p, job->arena, err);
    case SY_EVENT_END:
        return prepare_end(p, job->arena, err);
    default:
        return SY_OK;
    }
}

static sy_status append_event(append_job *job, sy_event_kind kind, const char *run, const char *body, size_t size,
                              int64_t at_utc_s, sy_error *err)
{
    sy_envelope envelope = {.number = job->number + 1, .at_utc_s = at_utc_s, .kind = kind, .previous = job->head};
    (void)sy_text_copy(envelope.kind_word, sizeof envelope.kind_word, sy_event_kind_word(kind));
    (void)sy_text_copy(envelope.run, sizeof envelope.run, run);
    sy_text_clear(&job->event);
    sy_status status = sy_envelope_write(&envelope, body, size, &job->event, err);
    if (status != SY_OK) {
        return status;
    }
    sy_stored_event stored = {
        .number = envelope.number,
        .at_utc_s = at_utc_s,
        .kind = envelope.kind_word,
        .run = run,
        .bytes = job->event.bytes,
        .size = job->event.length,
    };
    sy_digest_of(stored.bytes, stored.size, &stored.digest);
    status = job->ledger->storage->append(job->ledger->state, &stored, err);
    if (status == SY_OK) {
        job->number = stored.number;
        job->head = stored.digest;
    }
    return status;
}

/* The first event of a new ledger draws its id. */
static sy_status open_ledger(append_job *job, int64_t at_utc_s, sy_error *err)
{
    uint64_t halves[2];
    char id[33];
    char body[128];
    for (size_t i = 0; i < 2; i++) {
        sy_status status = sy_random_seed(&halves[i], err);
        if (status != SY_OK) {
            return status;
        }
    }
    snprintf(id, sizeof id, "%016" PRIx64 "%016" PRIx64, halves[0], halves[1]);
    int length = snprintf(body, sizeof body, "{\"ledger\":\"%s\",\"tool\":\"%s\"}", id, sy_version());
    sy_status status = job->ledger->storage->put_id(job->ledger->state, id, err);
    return status != SY_OK ? status : append_event(job, SY_EVENT_OPEN, "", body, (size_t)length, at_utc_s, err);
}

/* Brings a run of the ledger into the table, unless it is there already or nowhere. */
static sy_status fetch_row(append_job *job, const char *id, sy_error *err)
{
    sy_run_row row;
    sy_run_entry *entry = sy_run_table_find(&job->runs, id);
    if (entry != NULL) {
        return SY_OK;
    }
    sy_status status = job->ledger->storage->get_row(job->ledger->state, id, job->arena, &row, err);
    if (status != SY_OK) {
        return status == SY_NOT_FOUND ? SY_OK : status;
    }
    entry = sy_run_table_add(&job->runs, id);
    if (entry == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a run");
    }
    entry->listed = true;
    return sy_run_table_set(&job->runs, entry, &row, err);
}

/* The same from the run's own events, since other hands may have changed the list. */
static sy_status fetch_events(append_job *job, const char *id, sy_error *err)
{
    uint64_t count = 0;
    sy_run_entry *entry = sy_run_table_find(&job->runs, id);
    if (entry != NULL && !entry->listed) {
        return SY_OK;
    }
    sy_status status = sy_ledger_refold(job->ledger, &job->runs, id, job->arena, &count, err);
    entry = sy_run_table_find(&job->runs, id);
    if (status == SY_OK && entry != NULL && count == 0) {
        sy_fail(err, SY_CORRUPT, "the list names the run '%.60s', which has no events", id);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
        return SY_CORRUPT;
    }
    if (status == SY_OK && entry != NULL) {
        entry->listed = false;
    }
    return status;
}

/* What begins, leases or ends a run, and what is said of it afterwards, is rare, and illegal for ever if the list was
 * wrong; all else rests on the list, which keeps an append as cheap for a run's last event as for its first. */
static bool needs_events(sy_event_kind kind)
{
    switch (kind) {
    case SY_EVENT_BEGIN:
    case SY_EVENT_LEASE:
    case SY_EVENT_END:
    case SY_EVENT_ACCEPT:
    case SY_EVENT_VERDICT:
    case SY_EVENT_CHANGE:
    case SY_EVENT_SIGNOFF:
    case SY_EVENT_PROMOTE:
        return true;
    default:
        return false;
    }
}

/* *ret_entry NULL: it names no run. */
static sy_status fold(append_job *job, const prepared *p, int64_t at_utc_s, sy_run_entry **ret_entry, sy_error *err)
{
    sy_run_entry *entry = NULL;
    const char *run = p->entry->run;
    sy_life_event event = {
        .kind = p->entry->kind,
        .number = job->number + 1,
        .at_utc_s = at_utc_s,
        .run = run,
        .json = p->json,
        .body = sy_json_root(p->json),
    };
    if (*run == '\0') {
        return sy_run_life_check_alone(&event, job->arena, err);
    }
    sy_status status = needs_events(event.kind) ? fetch_events(job, run, err) : fetch_row(job, run, err);
    if (status == SY_OK && *p->other_run != '\0') {
        status = fetch_events(job, p->other_run, err);
        if (status == SY_OK && sy_run_table_find(&job->runs, p->other_run) == NULL) {
            status = sy_fail(err, SY_NOT_FOUND, "there is no run '%.60s' that could supersede '%.60s'", p->other_run,
                             run);
        }
    }
    if (status == SY_OK) {
        status = sy_run_table_fold(&job->runs, &event, job->arena, &entry, err);
    }
    if (status == SY_OK) {
        entry->changed = true;
        *ret_entry = entry;
    }
    return status;
}

static sy_status put_figures(append_job *job, const prepared *p, const sy_run_entry *entry, sy_error *err)
{
    const sy_life_event event = {
        .kind = p->entry->kind,
        .number = job->number,
        .run = p->entry->run,
        .json = p->json,
        .body = sy_json_root(p->json),
    };
    return entry == NULL
               ? SY_OK
               : sy_figures_put(job->ledger->storage, job->ledger->state, &event, entry->row.number, job->arena, err);
}

static sy_status append_prepared(append_job *job, const prepared *p, int64_t at_utc_s, sy_error *err)
{
    const sy_ledger_entry *entry = p->entry;
    sy_run_entry *run = NULL;
    sy_status status = fold(job, p, at_utc_s, &run, err);
    if (status == SY_OK) {
        status = append_event(job, entry->kind, entry->run, p->body.bytes, p->body.length, at_utc_s, err);
    }
    if (status == SY_OK) {
        status = put_figures(job, p, run, err);
    }
    if (status != SY_OK || p->packed == NULL) {
        return status;
    }
    sy_stored_series series = {p->samples, job->number, p->packed, p->sample_count, p->sample_count * sizeof(double)};
    return job->ledger->storage->put_series(job->ledger->state, &series, err);
}

static sy_status put_rows(append_job *job, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; i < job->runs.count && status == SY_OK; i++) {
        const sy_run_entry *entry = job->runs.entries[i];
        if (entry->changed) {
            status = job->ledger->storage->put_row(job->ledger->state, &entry->row, entry->key, err);
        }
    }
    if (status != SY_INVALID_ARGUMENT) {
        return status;
    }
    /* The row is ours, folded: what stands in its place in the list came by other hands. */
    status = sy_fail(err, SY_CORRUPT, "the list of runs is not what the events say");
    sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    return status;
}

static sy_status append_all(append_job *job, char ret_id[33], sy_error *err)
{
    const sy_storage *storage = job->ledger->storage;
    void *state = job->ledger->state;
    int64_t at_utc_s = job->ledger->clock->utc_s(job->ledger->clock);
    sy_status status = storage->head(state, &job->number, &job->head, err);
    if (status == SY_OK && job->expected != ANY_HEAD && job->number != job->expected) {
        return sy_fail(err, SY_STALE, "the ledger has gone on from event %" PRIu64 " to %" PRIu64, job->expected,
                       job->number);
    }
    if (status == SY_OK && job->number == 0) {
        status = open_ledger(job, at_utc_s, err);
    }
    for (size_t i = 0; i < job->count && status == SY_OK; i++) {
        status = append_prepared(job, &job->prepared[i], at_utc_s, err);
    }
    if (status == SY_OK) {
        status = put_rows(job, err);
    }
    return status == SY_OK ? storage->get_id(state, ret_id, err) : status;
}

static sy_status run_transaction(append_job *job, sy_ledger_head *ret_head, sy_error *err)
{
    const sy_storage *storage = job->ledger->storage;
    sy_ledger_head head = {0};
    sy_status status = storage->begin(job->ledger->state, true, err);
    if (status != SY_OK) {
        return status;
    }
    status = append_all(job, head.ledger, err);
    if (status != SY_OK) {
        storage->rollback(job->ledger->state);
        return status;
    }
    status = storage->commit(job->ledger->state, err);
    if (status == SY_OK && ret_head != NULL) {
        head.number = job->number;
        sy_digest_format(&job->head, head.digest);
        *ret_head = head;
    }
    return status;
}

static void finish_job(append_job *job)
{
    for (size_t i = 0; job->prepared != NULL && i < job->count; i++) {
        sy_json_destroy(job->prepared[i].json);
        sy_text_finish(&job->prepared[i].body);
        sy_free(job->prepared[i].packed);
    }
    sy_free(job->prepared);
    sy_text_finish(&job->event);
    sy_run_table_finish(&job->runs);
    sy_arena_destroy(job->arena);
}

sy_status sy_ledger_append_behind(sy_ledger *ledger, uint64_t head, const sy_ledger_entry *entries, size_t count,
                                  sy_ledger_head *ret_head, sy_error *err)
{
    append_job job = {.ledger = ledger, .count = count, .expected = head, .event = SY_TEXT_INIT};
    sy_status status;
    if (ledger->read_only) {
        return sy_fail(err, SY_REFUSED, "the ledger is open for reading alone");
    }
    if (count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "there is nothing to append");
    }
    job.arena = sy_arena_create(0);
    job.prepared = sy_allocate(count, sizeof *job.prepared);
    if (job.arena == NULL || job.prepared == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for %zu events", count);
        goto out;
    }
    status = sy_run_table_start(&job.runs, err);
    for (size_t i = 0; i < count && status == SY_OK; i++) {
        status = prepare(&job, &job.prepared[i], &entries[i], err);
    }
    if (status == SY_OK) {
        status = run_transaction(&job, ret_head, err);
    }
out:
    finish_job(&job);
    return status;
}

sy_status sy_ledger_append(sy_ledger *ledger, const sy_ledger_entry *entries, size_t count, sy_ledger_head *ret_head,
                           sy_error *err)
{
    return sy_ledger_append_behind(ledger, ANY_HEAD, entries, count, ret_head, err);
}
