/* SPDX-License-Identifier: Apache-2.0 */
/* Every event folded again, as the proof folds them. */
#include "ledger/lists/derive.h"

#include "base/error.h"
#include "ledger/envelope.h"
#include "ledger/lists/run_figures.h"
#include "ledger/run_table.h"

typedef struct derivation {
    const sy_storage *storage;
    void *state;
    sy_run_table runs;
} derivation;

/* *ret_entry NULL: it touches no run, or may not be. */
static sy_status fold(derivation *d, const sy_life_event *event, sy_arena *scratch, sy_run_entry **ret_entry,
                      sy_error *err)
{
    sy_error illegal = SY_ERROR_INIT;
    sy_run_entry *entry = NULL;
    *ret_entry = NULL;
    if (*event->run == '\0' || event->kind == SY_EVENT_UNKNOWN) {
        return SY_OK;
    }
    sy_status status = sy_run_table_fold(&d->runs, event, scratch, &entry, &illegal);
    if (status == SY_OK) {
        *ret_entry = entry;
    }
    return status == SY_NO_MEMORY ? sy_fail(err, status, "%s", illegal.what) : SY_OK;
}

static sy_status take(derivation *d, const sy_envelope *envelope, uint64_t number, sy_error *err)
{
    sy_run_entry *entry = NULL;
    const sy_life_event event = {
        .kind = envelope->kind,
        .number = number,
        .at_utc_s = envelope->at_utc_s,
        .run = envelope->run,
        .json = envelope->json,
        .body = envelope->body,
    };
    sy_arena *scratch = sy_arena_create(0);
    sy_status status = scratch == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to read an event")
                                       : fold(d, &event, scratch, &entry, err);
    if (status == SY_OK && entry != NULL) {
        status = sy_figures_put(d->storage, d->state, &event, entry->row.number, scratch, err);
    }
    sy_arena_destroy(scratch);
    return status;
}

static sy_status visit_event(void *user, const sy_stored_event *stored, sy_error *err)
{
    sy_envelope envelope = {0};
    sy_error unreadable = SY_ERROR_INIT;
    sy_status status = sy_envelope_read(stored->bytes, stored->size, &envelope, &unreadable);
    if (status == SY_NO_MEMORY) {
        return sy_fail(err, status, "%s", unreadable.what);
    }
    status = status == SY_OK ? take(user, &envelope, stored->number, err) : SY_OK;
    sy_envelope_finish(&envelope);
    return status;
}

sy_status sy_ledger_derive(const sy_storage *storage, void *state, sy_error *err)
{
    derivation d = {.storage = storage, .state = state};
    sy_status status = sy_run_table_start(&d.runs, err);
    if (status == SY_OK) {
        status = storage->events(state, 1, NULL, visit_event, &d, err);
    }
    for (size_t i = 0; i < d.runs.count && status == SY_OK; i++) {
        status = storage->put_row(state, &d.runs.entries[i]->row, d.runs.entries[i]->key, err);
    }
    sy_run_table_finish(&d.runs);
    return status;
}
