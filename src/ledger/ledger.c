/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a ledger and walking its events. Writing is append.c, reading runs is runs.c and run_whole.c. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger/ledger_state.h"
#include "ledger/lists/derive.h"

static sy_status check_options(const sy_ledger_options *options, sy_error *err)
{
    if (options->struct_size != sizeof(sy_ledger_options)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the options' struct_size is %zu, not %zu", options->struct_size,
                       sizeof(sy_ledger_options));
    }
    if (options->folder != NULL && *options->folder == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "the ledger's folder is empty");
    }
    return SY_OK;
}

static sy_status derive(void *state, sy_error *err)
{
    return sy_ledger_derive(&sy_storage_sqlite, state, err);
}

sy_status sy_ledger_open_with(const sy_ledger_options *options, const sy_clock *clock, sy_ledger **ret_ledger,
                              sy_error *err)
{
    static const sy_ledger_options defaults = SY_LEDGER_OPTIONS_INIT;
    const sy_ledger_options *o = options == NULL ? &defaults : options;
    sy_status status = check_options(o, err);
    if (status != SY_OK) {
        return status;
    }
    sy_ledger *ledger = sy_allocate(1, sizeof *ledger);
    if (ledger == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a ledger");
    }
    ledger->clock = clock;
    ledger->read_only = o->read_only;
    ledger->storage = o->folder == NULL ? &sy_storage_memory : &sy_storage_sqlite;
    if (o->folder != NULL && (ledger->folder = sy_duplicate_text(o->folder)) == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a ledger");
    }
    if (status == SY_OK) {
        sy_storage_options storage = {
            .folder = o->folder,
            .create = o->create,
            .read_only = o->read_only,
            .wait_ns = o->wait_ns,
            .clock = clock,
            .derive = derive,
        };
        status = ledger->storage->open(&storage, &ledger->state, err);
    }
    if (status != SY_OK) {
        sy_ledger_close(ledger);
        return status;
    }
    *ret_ledger = ledger;
    return SY_OK;
}

sy_status sy_ledger_open(const sy_ledger_options *options, sy_ledger **ret_ledger, sy_error *err)
{
    return sy_ledger_open_with(options, &sy_clock_system, ret_ledger, err);
}

void sy_ledger_close(sy_ledger *ledger)
{
    if (ledger == NULL) {
        return;
    }
    if (ledger->state != NULL) {
        ledger->storage->close(ledger->state);
    }
    sy_ledger_kept_finish(ledger);
    sy_free(ledger->folder);
    sy_free(ledger);
}

sy_status sy_ledger_read_head(sy_ledger *ledger, sy_ledger_head *ret_head, sy_error *err)
{
    sy_ledger_head head = {0};
    sy_digest digest = {{0}};
    sy_status status = ledger->storage->head(ledger->state, &head.number, &digest, err);
    if (status == SY_OK) {
        status = ledger->storage->get_id(ledger->state, head.ledger, err);
    }
    if (status == SY_OK) {
        sy_digest_format(&digest, head.digest);
        *ret_head = head;
    }
    return status;
}

sy_status sy_ledger_hold(sy_ledger *ledger, sy_error *err)
{
    sy_status status = ledger->holds == 0 ? ledger->storage->begin(ledger->state, false, err) : SY_OK;
    if (status == SY_OK) {
        ledger->holds++;
    }
    return status;
}

void sy_ledger_release(sy_ledger *ledger)
{
    if (--ledger->holds == 0) {
        ledger->storage->rollback(ledger->state);
    }
}

sy_status sy_ledger_row(sy_ledger *ledger, sy_arena *arena, const char *id, sy_run_row *ret_row, sy_error *err)
{
    sy_status status = ledger->storage->get_row(ledger->state, id, arena, ret_row, err);
    return status == SY_NOT_FOUND ? sy_fail(err, SY_NOT_FOUND, "there is no run '%.60s'", id) : status;
}

typedef struct each {
    sy_ledger_visit_fn visit;
    void *user;
} each;

static sy_status visit_stored(void *user, const sy_stored_event *stored, sy_error *err)
{
    const each *e = user;
    char digest[SY_DIGEST_TEXT];
    sy_digest_format(&stored->digest, digest);
    sy_ledger_event event = {
        .number = stored->number,
        .kind = sy_event_kind_read(stored->kind),
        .at_utc_s = stored->at_utc_s,
        .run = stored->run,
        .bytes = stored->bytes,
        .size = stored->size,
        .digest = digest,
    };
    return e->visit(e->user, &event, err);
}

sy_status sy_ledger_each(sy_ledger *ledger, uint64_t from, const char *run, sy_ledger_visit_fn visit, void *user,
                         sy_error *err)
{
    each e = {visit, user};
    return ledger->storage->events(ledger->state, from, run, visit_stored, &e, err);
}

typedef struct one_event {
    uint64_t number;
    sy_storage_event_fn visit;
    void *user;
    bool found;
    bool seen;
} one_event;

/* Ends the walk at the first event; a gap shows a later one. */
static sy_status visit_one(void *user, const sy_stored_event *event, sy_error *err)
{
    one_event *one = user;
    one->seen = true;
    if (event->number == one->number) {
        one->found = true;
        sy_status status = one->visit(one->user, event, err);
        if (status != SY_OK) {
            one->seen = false;
            return status;
        }
    }
    return SY_INTERRUPTED;
}

sy_status sy_ledger_stored_event(sy_ledger *ledger, uint64_t number, sy_storage_event_fn visit, void *user,
                                 bool *ret_found, sy_error *err)
{
    one_event one = {number, visit, user, false, false};
    sy_error ended;
    sy_status status = ledger->storage->events(ledger->state, number, NULL, visit_one, &one, &ended);
    if (status == SY_OK || (status == SY_INTERRUPTED && one.seen)) {
        *ret_found = one.found;
        return SY_OK;
    }
    if (err != NULL) {
        *err = ended;
    }
    return status;
}
