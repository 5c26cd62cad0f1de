/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a memory figure can count for a promise that so much is enough. */
#ifndef STEELYARD_EVIDENCE_MEMORY_PROMISE_H
#define STEELYARD_EVIDENCE_MEMORY_PROMISE_H

#include <steelyard/evidence.h>

#include "base/arena.h"

/* Why the figure is no more than a pre-check of the promise: "is an estimate; ...", "was found where there are 64 GiB;
 * 8 GiB are promised to be enough": a larger device proves nothing of a smaller one. "" = it can count; NULL: no
 * memory. promised_bytes: 0 = no size is promised. Texts live in the arena or for ever. */
const char *sy_memory_pre_check(const sy_run *run, const sy_run_memory *memory, uint64_t promised_bytes,
                                sy_arena *arena);

#endif
