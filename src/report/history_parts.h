/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports of a list of values and of a key's sessions have in common. */
#ifndef STEELYARD_REPORT_HISTORY_PARTS_H
#define STEELYARD_REPORT_HISTORY_PARTS_H

#include <steelyard/judge.h>

#include "base/json.h"
#include "report/page/page.h"

/* The course of the values in one line, and below it a '^' where each change is. */
void sy_history_put_course(sy_page *page, const sy_history *history, const double *values);
/* "+5.2 %": signed, for a step has a direction. */
void sy_history_put_effect(sy_text *to, double effect);
/* "+4.9 % .. +5.6 % (95.6 %)" */
void sy_history_put_interval(sy_text *to, const sy_history_change *change);
/* What counts as a change, and how alike neighbours are. */
void sy_history_put_settings(sy_page *page, const sy_history *history);

/* n, r1, alpha, min_effect, better. */
void sy_history_json_settings(sy_json_writer *writer, const sy_history *history);
/* The members of one of `changes`, into an object that was begun. */
void sy_history_json_change(sy_json_writer *writer, const sy_history_change *change);

#endif
