/* SPDX-License-Identifier: Apache-2.0 */
/* The choices of a probe that prefers memory: docs/statistics.md, "Memory preferred". */
#ifndef STEELYARD_PROBE_LEANEST_H
#define STEELYARD_PROBE_LEANEST_H

#include "probe/weighing.h"

/* Before anything is timed: candidates that need no less memory than the reference leave, NO GAIN, `memory`. That ends
 * the probe when none is left. */
void sy_leanest_drop_others(sy_weighing *w);

/* The finalist: of the candidates whose ln(reference / candidate) so far is not below the margin, the one that needs
 * least memory; where all are, the quickest. The others leave. ratios: one a contender. */
void sy_leanest_choose(sy_weighing *w, const double *ratios);

#endif
