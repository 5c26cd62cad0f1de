/* SPDX-License-Identifier: Apache-2.0 */
/* What a ledger object is, for the files of this module. */
#ifndef STEELYARD_LEDGER_STATE_H
#define STEELYARD_LEDGER_STATE_H

#include "base/digest.h"
#include "ledger/ledger.h"
#include "ledger/storage.h"

/* A kept file of a ledger without a folder. */
typedef struct sy_kept_bytes {
    sy_digest digest;
    char *bytes;
    size_t size;
} sy_kept_bytes;

struct sy_ledger {
    const sy_storage *storage;
    void *state;
    const sy_clock *clock;
    char *folder; /* NULL = in memory */
    bool read_only;
    unsigned holds;      /* sy_ledger_hold, not yet released */
    sy_kept_bytes *kept; /* without a folder alone */
    size_t kept_count;
    size_t kept_capacity;
};

/* Whether the text is 64 lower-case hexadecimal digits. */
bool sy_ledger_is_digest(const char *text);
/* SY_INVALID_ARGUMENT: a filter (NULL = all) that is none: its size, a key or revision cut too short. */
sy_status sy_ledger_check_filter(const sy_run_filter *filter, sy_error *err) SY_NODISCARD;
/* The event of that number through visit, or none: a gap. */
sy_status sy_ledger_stored_event(sy_ledger *ledger, uint64_t number, sy_storage_event_fn visit, void *user,
                                 bool *ret_found, sy_error *err) SY_NODISCARD;
/* Frees what sy_ledger_keep holds in memory. */
void sy_ledger_kept_finish(sy_ledger *ledger);
/* The size of the kept file of that digest (64 digits), unread. SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
sy_status sy_ledger_kept_size(sy_ledger *ledger, const char *digest, uint64_t *ret_size, sy_error *err) SY_NODISCARD;
/* Whether the kept file of that digest (64 digits) is there and is what it was; SY_NOT_FOUND, SY_CORRUPT, SY_IO,
 * SY_NO_MEMORY. */
sy_status sy_ledger_kept_check(sy_ledger *ledger, const char *digest, sy_error *err) SY_NODISCARD;

#endif
