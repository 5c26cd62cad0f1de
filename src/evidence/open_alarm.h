/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run's verdicts still stands against it. A verdict answers one question: the run against its own key, or
 * against one other revision. What passes against one of them settles nothing of the others. */
#ifndef STEELYARD_EVIDENCE_OPEN_ALARM_H
#define STEELYARD_EVIDENCE_OPEN_ALARM_H

#include <steelyard/run.h>

/* Whether both answer the same question. */
bool sy_verdicts_share_question(const sy_run_verdict *a, const sy_run_verdict *b);
/* The last verdict of the run against its own key; NULL = there is none. It belongs to the run, as the next one. */
const sy_run_verdict *sy_verdict_of_own_key(const sy_run *run);
/* The index behind the newest verdict of investigate or block that no later one on the same question has replaced, and
 * that does not answer the question of but (NULL: any counts); 0 = there is none. */
size_t sy_open_alarm(const sy_run *run, const sy_run_verdict *but);

#endif
