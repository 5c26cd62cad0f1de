/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, each once, with the first event that named it. */
#ifndef STEELYARD_LEDGER_DIGEST_TABLE_H
#define STEELYARD_LEDGER_DIGEST_TABLE_H

#include "base/digest.h"

typedef struct sy_named_digest {
    sy_digest digest;
    uint64_t event; /* 0 = an empty slot */
    uint64_t count; /* free for the owner, as what follows */
    bool seen;
} sy_named_digest;

/* Started by zeroing it. */
typedef struct sy_digest_table {
    sy_named_digest *slots;
    size_t slot_count;
    size_t count;
} sy_digest_table;

void sy_digest_table_finish(sy_digest_table *table);
/* NULL = not there. Valid until the next sy_digest_table_add. */
sy_named_digest *sy_digest_table_find(const sy_digest_table *table, const sy_digest *digest);
/* The digest's entry, a new one with that event and count where there was none; NULL: no memory. */
sy_named_digest *sy_digest_table_add(sy_digest_table *table, const sy_digest *digest, uint64_t event, uint64_t count);

#endif
