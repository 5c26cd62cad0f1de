/* SPDX-License-Identifier: Apache-2.0 */
/* What later verdicts say of a run that was promoted, and which later promotion stands in its place. */
#ifndef STEELYARD_EVIDENCE_PROMOTION_BLOCKED_H
#define STEELYARD_EVIDENCE_PROMOTION_BLOCKED_H

#include <steelyard/ledger.h>

#include "base/arena.h"

/* A session whose last verdict blocks. */
typedef struct sy_blocking_verdict {
    const char *run;
    const char *gate;
    const char *key_digest;   /* of the session; "" */
    const char *baseline_key; /* of the sessions that it was held against; "" = of several keys */
    const char *const *baseline;
    size_t baseline_count;
    uint64_t number; /* of the verdict's event */
    const char *why; /* its first reason */
} sy_blocking_verdict;

typedef struct sy_blocking_verdicts {
    const sy_blocking_verdict *verdicts; /* the newest first */
    size_t count;
} sy_blocking_verdicts;

/* Every session of the ledger whose last verdict blocks, but those that another run has replaced. What it points to
 * lives in the arena. SY_CORRUPT, SY_IO, SY_NO_MEMORY. */
sy_status sy_blocking_verdicts_read(sy_ledger *ledger, sy_arena *arena, sy_blocking_verdicts *ret_verdicts,
                                    sy_error *err) SY_NODISCARD;
/* The newest of them that was reached behind event `since` and speaks of the run: its own, one of a session of its key,
 * or one that held another revision against that key or against the run itself. NULL: none does. */
const sy_blocking_verdict *sy_blocking_verdict_of(const sy_blocking_verdicts *verdicts, const char *run,
                                                  const char *key_digest, uint64_t since);

/* The newest later promotion of the same cell, gate, host and device among the rows; NULL: none. */
const sy_run_row *sy_promotion_follower(const sy_run_row *rows, size_t count, const sy_run_row *promoted);

#endif
