/* SPDX-License-Identifier: Apache-2.0 */
/* What was said of many runs, read from its events wherever they stand: changes of histories, self-tests of gates. Each
 * event must still be what it was hashed as. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger/envelope.h"
#include "ledger/ledger_state.h"
#include "ledger/lists/grown_list.h"

typedef sy_status (*take_fn)(void *user, const sy_envelope *envelope, sy_error *err);

/* A walk over events of one kind. */
typedef struct walk {
    sy_event_kind kind;
    take_fn take;
    void *user;
} walk;

static sy_status read_event(const walk *w, const sy_stored_event *event, sy_envelope *envelope, sy_error *err)
{
    sy_digest found;
    sy_digest_of(event->bytes, event->size, &found);
    if (!sy_digest_equal(&found, &event->digest)) {
        return sy_fail(err, SY_CORRUPT, "its bytes were changed");
    }
    sy_status status = sy_envelope_read(event->bytes, event->size, envelope, err);
    if (status == SY_OK && (envelope->number != event->number || envelope->kind != w->kind)) {
        status = sy_fail(err, SY_CORRUPT, "it stands in the place of another one");
    }
    return status;
}

static sy_status visit_event(void *user, const sy_stored_event *event, sy_error *err)
{
    const walk *w = user;
    sy_envelope envelope = {0};
    sy_status status = read_event(w, event, &envelope, err);
    if (status == SY_OK) {
        status = w->take(w->user, &envelope, err);
    }
    sy_envelope_finish(&envelope);
    if (status == SY_CORRUPT) {
        sy_error_prefix(err, "event %" PRIu64, event->number);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    }
    return status;
}

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a list");
}

/* ---- changes ---- */

typedef struct owned_changes {
    sy_change_rows shown;
    sy_grown_list list;
    const char *line; /* NULL = all */
} owned_changes;

static sy_status take_change(void *user, const sy_envelope *envelope, sy_error *err)
{
    owned_changes *owned = user;
    sy_change_row row = {.number = envelope->number};
    sy_status status = sy_run_change_read(envelope->json, envelope->body, owned->list.arena, &row.change, err);
    if (status != SY_OK || (owned->line != NULL && strcmp(owned->line, row.change.line) != 0)) {
        return status;
    }
    sy_change_row *kept = sy_grown_list_next(&owned->list, sizeof *kept);
    row.run = sy_arena_copy_text(owned->list.arena, envelope->run);
    if (kept == NULL || row.run == NULL) {
        return no_memory(err);
    }
    *kept = row;
    return SY_OK;
}

static void destroy_changes(owned_changes *owned)
{
    if (owned != NULL) {
        sy_grown_list_finish(&owned->list);
        sy_free(owned);
    }
}

sy_status sy_ledger_changes(sy_ledger *ledger, const char *line, sy_change_rows **ret_rows, sy_error *err)
{
    owned_changes *owned = sy_allocate(1, sizeof *owned);
    walk w = {SY_EVENT_CHANGE, take_change, owned};
    if (owned == NULL || !sy_grown_list_start(&owned->list)) {
        destroy_changes(owned);
        return no_memory(err);
    }
    owned->line = line;
    sy_status status = ledger->storage->events_of(ledger->state, w.kind, visit_event, &w, err);
    if (status != SY_OK) {
        destroy_changes(owned);
        return status;
    }
    owned->shown = (sy_change_rows){owned->list.items, owned->list.count, owned};
    *ret_rows = &owned->shown;
    return SY_OK;
}

void sy_change_rows_destroy(sy_change_rows *rows)
{
    destroy_changes(rows == NULL ? NULL : rows->owner);
}

/* ---- self-tests ---- */

typedef struct selftest_item {
    sy_gate_selftest test;
    uint64_t number;
    int64_t at_utc_s;
} selftest_item;

typedef struct owned_selftests {
    sy_selftest_list shown;
    sy_grown_list list; /* selftest_item, the oldest first */
    const char *gate;   /* NULL = all */
} owned_selftests;

static sy_status take_selftest(void *user, const sy_envelope *envelope, sy_error *err)
{
    owned_selftests *owned = user;
    selftest_item item = {.number = envelope->number, .at_utc_s = envelope->at_utc_s};
    sy_status status = sy_gate_selftest_read(envelope->json, envelope->body, owned->list.arena, &item.test, err);
    if (status != SY_OK || (owned->gate != NULL && strcmp(owned->gate, item.test.gate) != 0)) {
        return status;
    }
    selftest_item *kept = sy_grown_list_next(&owned->list, sizeof *kept);
    if (kept == NULL) {
        return no_memory(err);
    }
    *kept = item;
    return SY_OK;
}

static void destroy_selftests(owned_selftests *owned)
{
    if (owned != NULL) {
        sy_grown_list_finish(&owned->list);
        sy_free(owned);
    }
}

/* The newest first, in arrays beside each other. */
static sy_status show_selftests(owned_selftests *owned, sy_error *err)
{
    size_t count = owned->list.count;
    const selftest_item *items = owned->list.items;
    sy_gate_selftest *tests = sy_arena_allocate(owned->list.arena, count, sizeof *tests);
    uint64_t *numbers = sy_arena_allocate(owned->list.arena, count, sizeof *numbers);
    int64_t *times = sy_arena_allocate(owned->list.arena, count, sizeof *times);
    if (tests == NULL || numbers == NULL || times == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const selftest_item *item = &items[count - 1 - i];
        tests[i] = item->test;
        numbers[i] = item->number;
        times[i] = item->at_utc_s;
    }
    owned->shown = (sy_selftest_list){tests, numbers, times, count, owned};
    return SY_OK;
}

sy_status sy_ledger_selftests(sy_ledger *ledger, const char *gate, sy_selftest_list **ret_list, sy_error *err)
{
    owned_selftests *owned = sy_allocate(1, sizeof *owned);
    walk w = {SY_EVENT_SELFTEST, take_selftest, owned};
    if (owned == NULL || !sy_grown_list_start(&owned->list)) {
        destroy_selftests(owned);
        return no_memory(err);
    }
    owned->gate = gate;
    sy_status status = ledger->storage->events_of(ledger->state, w.kind, visit_event, &w, err);
    if (status == SY_OK) {
        status = show_selftests(owned, err);
    }
    if (status != SY_OK) {
        destroy_selftests(owned);
        return status;
    }
    *ret_list = &owned->shown;
    return SY_OK;
}

void sy_selftest_list_destroy(sy_selftest_list *list)
{
    destroy_selftests(list == NULL ? NULL : list->owner);
}
