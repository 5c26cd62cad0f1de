/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run's commands and outcomes keeps it from being a session whose figures count. */
#ifndef STEELYARD_EVIDENCE_SESSION_FAULTS_H
#define STEELYARD_EVIDENCE_SESSION_FAULTS_H

#include <steelyard/run.h>

#include "base/text.h"

/* Appends each fault, parted by "; " (and so from what stands there): more than one command measured, or none under its
 * lease; a series whose own parity nobody says has passed. */
void sy_session_faults(const sy_run *run, sy_text *to);
bool sy_session_has_usable_samples(const sy_run *run);
/* "parity failed in square-512: too far off" of the first outcome that is not passed, "" when there is none. */
void sy_session_parity_failure(const sy_run *run, sy_text *to);

#endif
