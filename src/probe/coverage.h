/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the chosen cases a probe can decide about within its wall limit and memory: what it still needs is
 * predicted from what was seen, and cases that do not fit are left out, the most expensive first, with the prediction.
 * Only a weighing that `covers` leaves any out; the numbers of the cases behind one that is left out change. */
#ifndef STEELYARD_PROBE_COVERAGE_H
#define STEELYARD_PROBE_COVERAGE_H

#include "probe/weighing.h"

/* Takes case k out of the covered ones and gives its device memory back. reason: static text. predicted_wall_ns: NaN =
 * unknown. */
void sy_coverage_leave_out(sy_weighing *w, uint32_t k, const char *reason, double predicted_wall_ns);

/* The covered case without parity yet that has the least work, by its bytes and operations, in suite order among
 * equals; false = none is left. */
bool sy_coverage_next(const sy_weighing *w, uint32_t *ret_k);

/* Before anything of case k ran: whether it may fit what is left, judged by the rates that were seen on cases before
 * it, very much in its favour. Leaves it out otherwise. */
bool sy_coverage_admits(sy_weighing *w, uint32_t k);

/* After a contender's first checked run of a case: whether the case still may fit. A candidate that crawls while the
 * case would fit without it is dropped. */
bool sy_coverage_still_admits(sy_weighing *w, uint32_t k, sy_contender *contender);

/* Seconds that the reference's checked run of a case may take before it is clear that the case cannot fit; INFINITY
 * where nothing is left out. */
double sy_coverage_patience(const sy_weighing *w);

/* What case k is expected to take in all, in ns, parity included. */
double sy_coverage_predict(const sy_weighing *w, uint32_t k);

/* After parity, and again when all are warm: keeps the cases that fit together, the cheapest first, and leaves the
 * others out. Ends the probe when none fits. */
void sy_coverage_settle(sy_weighing *w);

/* Seconds within which all cases that were left out for time, or the cheapest of them, would have fitted. */
double sy_coverage_wall_limit(const sy_weighing *w, bool cheapest);

/* Ends the probe when every case is left out. */
void sy_coverage_end_if_empty(sy_weighing *w);

#endif
