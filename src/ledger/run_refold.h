/* SPDX-License-Identifier: Apache-2.0 */
/* A run folded anew from its events, for what must not rest on the list of runs, which other hands can change. */
#ifndef STEELYARD_LEDGER_RUN_REFOLD_H
#define STEELYARD_LEDGER_RUN_REFOLD_H

#include "ledger/ledger_state.h"
#include "ledger/run_table.h"

/* Folds every event of that run (id) into the table, in place of what the table held of it. scratch: for what need not
 * stay. *ret_count: its events; 0 = there is no such run, and the table is untouched. SY_CORRUPT: an event is not what
 * it was hashed as, or cannot follow those before it; SY_VERSION_UNSUPPORTED, SY_IO, SY_BUSY, SY_NO_MEMORY. */
sy_status sy_ledger_refold(sy_ledger *ledger, sy_run_table *table, const char *id, sy_arena *scratch,
                           uint64_t *ret_count, sy_error *err) SY_NODISCARD;

#endif
