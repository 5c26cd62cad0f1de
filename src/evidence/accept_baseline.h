/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a session may join the baseline of its key, or begin a new one, by what was judged of it. */
#ifndef STEELYARD_EVIDENCE_ACCEPT_BASELINE_H
#define STEELYARD_EVIDENCE_ACCEPT_BASELINE_H

#include <steelyard/ledger.h>

#include "base/text.h"

/* Appends each reason why not, parted by "; ": from the sixth session on a verdict of pass is owed, a new baseline
 * begins with a confirmed change alone. SY_CORRUPT, SY_IO, SY_NO_MEMORY. */
sy_status sy_accept_ask_baseline(sy_ledger *ledger, const sy_run *run, bool new_baseline, sy_text *reasons,
                                 sy_error *err) SY_NODISCARD;

#endif
