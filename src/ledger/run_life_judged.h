/* SPDX-License-Identifier: Apache-2.0 */
/* What the events make of a run that are about what was found: judged, accepted, signed off, promoted. For the table of
 * run_life.c, which has asked for the run's status before. */
#ifndef STEELYARD_LEDGER_RUN_LIFE_JUDGED_H
#define STEELYARD_LEDGER_RUN_LIFE_JUDGED_H

#include "ledger/run_life.h"

/* Changes *row, which the caller throws away when it is refused. Errors as sy_run_life_fold. */
typedef sy_status (*sy_life_fold_fn)(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err);

sy_status sy_life_fold_accept(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err) SY_NODISCARD;
sy_status sy_life_fold_verdict(const sy_life_event *event, sy_arena *arena, sy_run_row *row,
                               sy_error *err) SY_NODISCARD;
sy_status sy_life_fold_change(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err) SY_NODISCARD;
sy_status sy_life_fold_signoff(const sy_life_event *event, sy_arena *arena, sy_run_row *row,
                               sy_error *err) SY_NODISCARD;
sy_status sy_life_fold_promotion(const sy_life_event *event, sy_arena *arena, sy_run_row *row,
                                 sy_error *err) SY_NODISCARD;

#endif
