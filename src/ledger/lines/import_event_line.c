/* SPDX-License-Identifier: Apache-2.0 */
/* One event of an import: in its place in the chain, the same that is here already, or the next one that may be. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ledger/lines/importer.h"
#include "ledger/lists/run_figures.h"

#define RUNS_IN_MEMORY 4096

sy_status sy_importer_put_rows(sy_ledger_importer *importer, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; i < importer->runs.count && status == SY_OK; i++) {
        const sy_run_entry *entry = importer->runs.entries[i];
        if (entry->changed) {
            status = importer->ledger->storage->put_row(importer->ledger->state, &entry->row, entry->key, err);
        }
    }
    return status;
}

/* Runs that are not being read about make room; only right behind its begin does a run need to be remembered. */
static sy_status make_room(sy_ledger_importer *importer, const char *run, sy_error *err)
{
    if (importer->runs.count < RUNS_IN_MEMORY || strcmp(importer->last_run, run) == 0) {
        return SY_OK;
    }
    sy_status status = sy_importer_put_rows(importer, err);
    if (status != SY_OK) {
        return status;
    }
    sy_run_table_finish(&importer->runs);
    return sy_run_table_start(&importer->runs, err);
}

static sy_status fetch_run(sy_ledger_importer *importer, const char *run, sy_arena *scratch, sy_error *err)
{
    sy_run_row row;
    sy_ledger *ledger = importer->ledger;
    if (sy_run_table_find(&importer->runs, run) != NULL) {
        return SY_OK;
    }
    sy_status status = ledger->storage->get_row(ledger->state, run, scratch, &row, err);
    if (status != SY_OK) {
        return status == SY_NOT_FOUND ? SY_OK : status;
    }
    sy_run_entry *entry = sy_run_table_add(&importer->runs, run);
    return entry == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a run")
                         : sy_run_table_set(&importer->runs, entry, &row, err);
}

static sy_life_event life_of(const sy_envelope *envelope)
{
    return (sy_life_event){
        .kind = envelope->kind,
        .number = envelope->number,
        .at_utc_s = envelope->at_utc_s,
        .run = envelope->run,
        .json = envelope->json,
        .body = envelope->body,
    };
}

/* *ret_run: the number of the event that began its run; 0 = it names none. */
static sy_status fold(sy_ledger_importer *importer, const sy_envelope *envelope, sy_arena *scratch, uint64_t *ret_run,
                      sy_error *err)
{
    sy_run_entry *entry = NULL;
    const sy_life_event event = life_of(envelope);
    if (envelope->kind == SY_EVENT_UNKNOWN) {
        return SY_OK;
    }
    if (*envelope->run == '\0') {
        return sy_run_life_check_alone(&event, scratch, err);
    }
    sy_status status = make_room(importer, envelope->run, err);
    if (status == SY_OK) {
        status = fetch_run(importer, envelope->run, scratch, err);
    }
    if (status == SY_OK) {
        status = sy_run_table_fold(&importer->runs, &event, scratch, &entry, err);
    }
    if (status == SY_OK) {
        entry->changed = true;
        *ret_run = entry->row.number;
    }
    return status;
}

static sy_status check_open(const sy_ledger_importer *importer, const sy_envelope *envelope, sy_error *err)
{
    const char *id = "";
    if (envelope->number != 1 || envelope->kind != SY_EVENT_OPEN) {
        return (envelope->number == 1) == (envelope->kind == SY_EVENT_OPEN)
                   ? SY_OK
                   : sy_importer_fail(importer, err, "event %" PRIu64 " opens no ledger, or one that is open",
                                      envelope->number);
    }
    sy_status status = sy_json_get_text(envelope->json, sy_json_member(envelope->body, "ledger"), &id, err);
    return status == SY_OK && strcmp(id, importer->id) != 0
               ? sy_importer_fail(importer, err, "event 1 opens another ledger than the first line names")
               : status;
}

/* An event whose body cannot be read is the line's fault. */
static sy_status unreadable(const sy_ledger_importer *importer, sy_status status, sy_error *err)
{
    return status == SY_NO_MEMORY ? status : sy_importer_fail(importer, err, "the body of its event cannot be read");
}

/* The lines' samples and the event's are the same, and none are left over. *ret_new: they are to be kept. */
static sy_status match_samples(sy_ledger_importer *importer, const sy_envelope *envelope, sy_arena *scratch,
                               bool *ret_new, sy_error *err)
{
    sy_run_series series;
    sy_digest digest;
    *ret_new = false;
    if (envelope->kind != SY_EVENT_SERIES) {
        return importer->samples.begun
                   ? sy_importer_fail(importer, err, "samples stand before an event that names none")
                   : SY_OK;
    }
    sy_status status = sy_run_series_read(envelope->json, envelope->body, scratch, &series, err);
    if (status != SY_OK || (status = sy_digest_parse(series.digest, &digest, err)) != SY_OK) {
        return unreadable(importer, status, err);
    }
    const sy_named_digest *named = sy_digest_table_find(&importer->series, &digest);
    bool known = named != NULL || series.count == 0;
    if (known == importer->samples.begun ||
        (importer->samples.begun && (!sy_digest_equal(&digest, &importer->samples.digest) ||
                                     series.count != importer->samples.size / sizeof(double))) ||
        (named != NULL && named->count != series.count)) {
        return sy_importer_fail(importer, err, "the samples of event %" PRIu64 " are not those before it",
                                envelope->number);
    }
    *ret_new = importer->samples.begun;
    return known || sy_digest_table_add(&importer->series, &digest, envelope->number, series.count) != NULL
               ? SY_OK
               : sy_fail(err, SY_NO_MEMORY, "no memory for a digest");
}

static sy_status note_file(sy_ledger_importer *importer, const sy_envelope *envelope, sy_arena *scratch, sy_error *err)
{
    sy_run_artifact artifact;
    sy_digest digest;
    if (envelope->kind != SY_EVENT_ARTIFACT) {
        return SY_OK;
    }
    sy_status status = sy_run_artifact_read(envelope->json, envelope->body, scratch, &artifact, err);
    if (status != SY_OK || (status = sy_digest_parse(artifact.digest, &digest, err)) != SY_OK) {
        return unreadable(importer, status, err);
    }
    return sy_digest_table_add(&importer->files, &digest, envelope->number, artifact.size) != NULL
               ? SY_OK
               : sy_fail(err, SY_NO_MEMORY, "no memory for a digest");
}

static sy_status take_digest(void *user, const sy_stored_event *event, sy_error *err)
{
    (void)err;
    *(sy_digest *)user = event->digest;
    return SY_OK;
}

/* An event that is here already must be the same one. */
static sy_status compare(const sy_ledger_importer *importer, const sy_stored_event *event, sy_error *err)
{
    sy_digest here = {{0}};
    bool found = false;
    sy_status status = sy_ledger_stored_event(importer->ledger, event->number, take_digest, &here, &found, err);
    if (status != SY_OK) {
        return status;
    }
    if (!found) {
        return sy_fail(err, SY_CORRUPT, "event %" PRIu64 " is missing here: `steelyard ledger verify` shows more",
                       event->number);
    }
    if (!sy_digest_equal(&here, &event->digest)) {
        sy_fail(err, SY_REFUSED, "the two went separate ways: event %" PRIu64 " (line %" PRIu64 ") is another one here",
                event->number, importer->reader.number);
        sy_error_hint(err, "import into an empty folder, to look at both");
        return SY_REFUSED;
    }
    return SY_OK;
}

static sy_status append(sy_ledger_importer *importer, const sy_envelope *envelope, const sy_stored_event *event,
                        bool with_samples, sy_arena *scratch, sy_error *err)
{
    const sy_storage *storage = importer->ledger->storage;
    void *state = importer->ledger->state;
    sy_error illegal = SY_ERROR_INIT;
    uint64_t run = 0;
    sy_status status = fold(importer, envelope, scratch, &run, &illegal);
    if (status == SY_REFUSED || status == SY_NOT_FOUND || status == SY_CORRUPT) {
        return sy_importer_fail(importer, err, "event %" PRIu64 " may not be: %s", event->number, illegal.what);
    }
    if (status != SY_OK) {
        return sy_fail(err, status, "%s", illegal.what);
    }
    status = storage->append(state, event, err);
    if (status == SY_OK && with_samples) {
        sy_stored_series series = {importer->samples.digest, event->number, importer->samples.bytes.bytes,
                                   importer->samples.size / sizeof(double), importer->samples.size};
        status = storage->put_series(state, &series, err);
    }
    if (status == SY_OK && run != 0) {
        const sy_life_event said = life_of(envelope);
        status = sy_figures_put(storage, state, &said, run, scratch, err);
    }
    importer->added_count += status == SY_OK;
    return status;
}

static sy_status take(sy_ledger_importer *importer, const sy_envelope *envelope, const sy_stored_event *event,
                      sy_arena *scratch, sy_error *err)
{
    bool with_samples = false;
    if (envelope->number != importer->number + 1 || !sy_digest_equal(&envelope->previous, &importer->head)) {
        return sy_importer_fail(importer, err, "event %" PRIu64 " does not follow event %" PRIu64, envelope->number,
                                importer->number);
    }
    sy_status status = check_open(importer, envelope, err);
    if (status == SY_OK) {
        status = match_samples(importer, envelope, scratch, &with_samples, err);
    }
    if (status == SY_OK) {
        status = note_file(importer, envelope, scratch, err);
    }
    if (status == SY_OK) {
        status = event->number <= importer->local_number
                     ? compare(importer, event, err)
                     : append(importer, envelope, event, with_samples, scratch, err);
    }
    if (status == SY_OK) {
        importer->number = event->number;
        importer->head = event->digest;
        importer->samples.begun = false;
        sy_text_clear(&importer->samples.bytes);
        memcpy(importer->last_run, envelope->run, sizeof importer->last_run);
    }
    return status;
}

sy_status sy_importer_take_event(sy_ledger_importer *importer, const char *bytes, size_t size, sy_error *err)
{
    sy_envelope envelope = {0};
    sy_error problem = SY_ERROR_INIT;
    sy_status status = sy_envelope_read(bytes, size, &envelope, &problem);
    if (status != SY_OK) {
        return status == SY_NO_MEMORY ? sy_fail(err, status, "%s", problem.what)
                                      : sy_importer_fail(importer, err, "it is no event: %s", problem.what);
    }
    sy_stored_event event = {
        .number = envelope.number,
        .at_utc_s = envelope.at_utc_s,
        .kind = envelope.kind_word,
        .run = envelope.run,
        .bytes = bytes,
        .size = size,
    };
    sy_digest_of(bytes, size, &event.digest);
    sy_arena *scratch = sy_arena_create(0);
    status = scratch == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to read an event")
                             : take(importer, &envelope, &event, scratch, err);
    sy_arena_destroy(scratch);
    sy_envelope_finish(&envelope);
    return status;
}
