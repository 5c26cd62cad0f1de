/* SPDX-License-Identifier: Apache-2.0 */
/* In what two runs differ, whether or not it keeps them from being compared. */
#ifndef STEELYARD_EVIDENCE_RUN_FACTS_H
#define STEELYARD_EVIDENCE_RUN_FACTS_H

#include <steelyard/run.h>

#include "base/arena.h"

/* Fields of the keys, of source, place, identity, inputs and parameters that do not agree, in that order; a is of run.
 * What neither knows is left out. All lives as long as the runs and the arena. SY_NO_MEMORY. */
sy_status sy_run_facts_differ(const sy_run *run, const sy_run *other, sy_arena *arena,
                              const sy_key_difference **ret_differences, size_t *ret_count, sy_error *err) SY_NODISCARD;

#endif
