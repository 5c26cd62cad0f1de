/* SPDX-License-Identifier: Apache-2.0 */
/* One at a time: whoever decides by the sessions that a ledger has accepted, and writes what he decided. */
#ifndef STEELYARD_EVIDENCE_BASELINE_LOCK_H
#define STEELYARD_EVIDENCE_BASELINE_LOCK_H

#include <steelyard/evidence.h>

#include "base/lock.h"

/* Takes the lock of the project's baselines: what is counted under it (accepted sessions, verdicts, sign-offs) is still
 * so when it is written, for as long as every writer takes it. Waits ten seconds. The caller gives it back with
 * sy_lock_release. SY_BUSY names the holder; SY_IO, SY_NO_MEMORY. */
sy_status sy_baseline_lock_take(sy_project *project, sy_lock **ret_lock, sy_error *err) SY_NODISCARD;

#endif
