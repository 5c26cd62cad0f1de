/* SPDX-License-Identifier: Apache-2.0 */
/* Folds one run's events again, each only if it still is what it was hashed as. */
#include "ledger/run_refold.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ledger/envelope.h"

typedef struct refold {
    sy_run_table *table;
    sy_arena *scratch;
    const char *id;
    uint64_t count;
} refold;

static sy_status check_bytes(const sy_stored_event *event, sy_error *err)
{
    sy_digest found;
    sy_digest_of(event->bytes, event->size, &found);
    return sy_digest_equal(&found, &event->digest) ? SY_OK : sy_fail(err, SY_CORRUPT, "its bytes were changed");
}

static sy_status fold_envelope(refold *r, const sy_envelope *envelope, sy_error *err)
{
    sy_run_entry *entry = sy_run_table_find(r->table, r->id);
    const sy_life_event event = {
        .kind = envelope->kind,
        .number = envelope->number,
        .at_utc_s = envelope->at_utc_s,
        .run = r->id,
        .json = envelope->json,
        .body = envelope->body,
    };
    if (entry != NULL && r->count == 0) {
        entry->exists = false;
    }
    r->count++;
    return sy_run_table_fold(r->table, &event, r->scratch, &entry, err);
}

static sy_status visit_event(void *user, const sy_stored_event *event, sy_error *err)
{
    refold *r = user;
    sy_envelope envelope = {0};
    sy_status status = check_bytes(event, err);
    if (status == SY_OK) {
        status = sy_envelope_read(event->bytes, event->size, &envelope, err);
    }
    if (status == SY_OK && (envelope.number != event->number || strcmp(envelope.run, r->id) != 0)) {
        status = sy_fail(err, SY_CORRUPT, "it stands in the place of another one");
    }
    if (status == SY_OK) {
        status = fold_envelope(r, &envelope, err);
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

sy_status sy_ledger_refold(sy_ledger *ledger, sy_run_table *table, const char *id, sy_arena *scratch,
                           uint64_t *ret_count, sy_error *err)
{
    refold r = {table, scratch, id, 0};
    sy_status status = ledger->storage->events(ledger->state, 1, id, visit_event, &r, err);
    if (status == SY_OK) {
        *ret_count = r.count;
    }
    return status;
}
