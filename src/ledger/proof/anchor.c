/* SPDX-License-Identifier: Apache-2.0 */
/* Anchoring: the head's digest goes into a file that is kept elsewhere. What the file vouches for already must be here.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/memory.h"
#include "ledger/ledger_state.h"
#include "ledger/proof/anchor_file.h"

#define LIMIT (UINT64_C(64) << 20)
#define WAIT_NS UINT64_C(60000000000)

typedef struct anchoring {
    sy_ledger *ledger;
    const char *path;
    sy_arena *arena;
    sy_ledger_head head;
    sy_digest head_digest;
    sy_text text; /* of the file, as it will be */
    bool stands;  /* the head is anchored already */
} anchoring;

static sy_status take_digest(void *user, const sy_stored_event *event, sy_error *err)
{
    (void)err;
    *(sy_digest *)user = event->digest;
    return SY_OK;
}

static sy_status refuse(const anchoring *a, const sy_anchor *anchor, const char *why, sy_error *err)
{
    sy_fail(err, SY_REFUSED, "%s: line %" PRIu64 " vouches for event %" PRIu64 ", %s", a->path, anchor->line,
            anchor->number, why);
    sy_error_hint(err, "`steelyard ledger verify` with these anchors shows what was cut off or written anew");
    return SY_REFUSED;
}

/* The event that the line vouches for is here. */
static sy_status hold_against(anchoring *a, const sy_anchor *anchor, sy_error *err)
{
    sy_digest digest = {{0}};
    bool found = false;
    if (strcmp(anchor->ledger, a->head.ledger) != 0) {
        return SY_OK;
    }
    if (anchor->number > a->head.number) {
        return refuse(a, anchor, "and the ledger ends before it", err);
    }
    sy_status status = sy_ledger_stored_event(a->ledger, anchor->number, take_digest, &digest, &found, err);
    if (status != SY_OK) {
        return status;
    }
    if (!found || !sy_digest_equal(&digest, &anchor->digest)) {
        return refuse(a, anchor, "and the ledger has another one there", err);
    }
    a->stands = a->stands || anchor->number == a->head.number;
    return SY_OK;
}

static sy_status read_file(anchoring *a, sy_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    sy_anchor_list list = {NULL, 0};
    sy_status status = sy_file_recover(a->path, err);
    if (status == SY_OK) {
        status = sy_file_read(a->path, LIMIT, &bytes, &size, err);
    }
    if (status == SY_NOT_FOUND) {
        return SY_OK;
    }
    if (status == SY_OK && (status = sy_anchors_parse(bytes, size, a->arena, &list, err)) != SY_OK) {
        sy_error_prefix(err, "%s", a->path);
    }
    for (size_t i = 0; i < list.count && status == SY_OK; i++) {
        status = hold_against(a, &list.anchors[i], err);
    }
    if (status == SY_OK) {
        sy_text_append_bytes(&a->text, bytes, size);
        if (size > 0 && bytes[size - 1] != '\n') {
            sy_text_append(&a->text, "\n");
        }
    }
    sy_free(bytes);
    return status;
}

/* Under the file's lock. */
static sy_status write_file(anchoring *a, sy_error *err)
{
    sy_anchor anchor = {.number = a->head.number};
    sy_status status = read_file(a, err);
    if (status != SY_OK || a->stands) {
        return status;
    }
    (void)sy_text_copy(anchor.ledger, sizeof anchor.ledger, a->head.ledger);
    anchor.digest = a->head_digest;
    status = sy_anchor_write(&anchor, a->ledger->clock->utc_s(a->ledger->clock), &a->text, err);
    if (status == SY_OK) {
        (void)sy_file_remove_leftovers(a->path);
        status = sy_file_write(a->path, a->text.bytes, a->text.length, NULL, err);
    }
    return status;
}

static sy_status anchor_locked(anchoring *a, sy_error *err)
{
    sy_lock *lock = NULL;
    const char *target = NULL;
    sy_status status = sy_file_resolve(a->arena, a->path, &target, err);
    const char *lock_path = status == SY_OK ? sy_arena_format(a->arena, "%s.lock", target) : NULL;
    if (status == SY_OK && lock_path == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a path");
    }
    if (status == SY_OK) {
        status = sy_file_make_parents(target, err);
    }
    if (status == SY_OK) {
        status = sy_lock_take_for(target, lock_path, WAIT_NS, &lock, err);
    }
    if (status == SY_OK) {
        status = write_file(a, err);
    }
    sy_lock_release(lock);
    return status;
}

sy_status sy_ledger_anchor(sy_ledger *ledger, const char *path, sy_ledger_head *ret_head, sy_error *err)
{
    anchoring a = {.ledger = ledger, .path = path, .text = SY_TEXT_INIT};
    sy_status status = sy_ledger_read_head(ledger, &a.head, err);
    if (status != SY_OK || (status = sy_digest_parse(a.head.digest, &a.head_digest, err)) != SY_OK) {
        return status;
    }
    if (a.head.number == 0) {
        return sy_fail(err, SY_REFUSED, "the ledger is empty: there is nothing to vouch for");
    }
    a.arena = sy_arena_create(0);
    status = a.arena == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for anchors") : anchor_locked(&a, err);
    sy_text_finish(&a.text);
    sy_arena_destroy(a.arena);
    if (status == SY_OK && ret_head != NULL) {
        *ret_head = a.head;
    }
    return status;
}
