/* SPDX-License-Identifier: Apache-2.0 */
/* What writers do to a layer, as data: it is applied to the newest file under the lock, and again to a later one when
 * the disk refused it. */
#ifndef STEELYARD_STORE_CHANGE_H
#define STEELYARD_STORE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "store/book.h"

typedef enum sy_change_kind { SY_CHANGE_PUT, SY_CHANGE_REMOVE, SY_CHANGE_INVALIDATE, SY_CHANGE_TALLY } sy_change_kind;

/* All texts lie in the store's vault. */
typedef struct sy_change {
    sy_change_kind kind;
    const sy_entry *entry; /* PUT: whole; REMOVE: its key and kind count */
    bool keep_existing;    /* PUT: only if there is none */
    bool newest_wins;      /* PUT: only if it supersedes the one that is there */
    bool adopted;          /* PUT: a copy of a finished profile: histories are united, else it succeeds the one there */
    const char *backend;   /* INVALIDATE */
    const char *version;   /* NULL = any */
    bool overrides;
    const sy_profile_tally *tally; /* TALLY: the caller's, so it cannot wait for a later write */
} sy_change;

typedef struct sy_change_result {
    size_t stored;
    size_t removed;
    size_t tallied;  /* entries that stay, but with other counts or more history */
    unsigned losses; /* SY_LOSS_... of what was stored */
    size_t refused;  /* PUTs that the format cannot hold and that were left out */
} sy_change_result;

/* A new book: `from` with the changes made one after the other, as a file of that format holds them (0: memory, all is
 * kept). A PUT or TALLY that the format cannot hold: SY_REFUSED if strict, else it is left out. The result is added to.
 * The caller releases *ret_book. SY_NO_MEMORY. */
sy_status sy_changes_apply(const sy_change *changes, size_t count, bool strict, const sy_book *from, uint32_t format,
                           sy_vault *vault, sy_book **ret_book, sy_change_result *result, sy_error *err) SY_NODISCARD;

#endif
