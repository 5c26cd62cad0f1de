/* SPDX-License-Identifier: Apache-2.0 */
/* What stops a matrix: a smoke that failed on a device, until the same gate's smoke passes there. */
#ifndef STEELYARD_EVIDENCE_BLOCKS_H
#define STEELYARD_EVIDENCE_BLOCKS_H

#include <steelyard/ledger.h>

#include "base/arena.h"

typedef struct sy_block {
    const char *run; /* whose smoke failed */
    const char *gate;
    const char *reason; /* "smoke: parity failed" */
} sy_block;

/* Every open block of a device of a host, the newest first, but for those of the gate itself: that is how it is
 * mended. Texts live in the arena. SY_CORRUPT, SY_IO, SY_NO_MEMORY. */
sy_status sy_blocks_find(sy_ledger *ledger, const char *host, const char *device, const char *gate, sy_arena *arena,
                         const sy_block **ret_blocks, size_t *ret_count, sy_error *err) SY_NODISCARD;

#endif
