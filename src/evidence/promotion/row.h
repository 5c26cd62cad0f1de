/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the dashboard that a promotion writes. Private to this folder. */
#ifndef STEELYARD_EVIDENCE_PROMOTION_ROW_H
#define STEELYARD_EVIDENCE_PROMOTION_ROW_H

#include "evidence/event_list.h"
#include "evidence/promotion/debts.h"

/* The event `promote` of the run, as the only one of *ret_events, with all that is private taken out, and the row as it
 * stands in it. Every debt that is paid is a proof. Everything lives in the work's arena. SY_INVALID_ARGUMENT, what
 * run_events refuses; SY_NO_MEMORY. */
sy_status sy_promotion_row_make(const sy_debt_work *work, const sy_promote_options *options, sy_event_list *ret_events,
                                sy_run_promotion *ret_row, sy_error *err) SY_NODISCARD;

#endif
