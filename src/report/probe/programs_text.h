/* SPDX-License-Identifier: Apache-2.0 */
/* A probe of whole programs as people want to see it: one table, a row a command. */
#ifndef STEELYARD_REPORT_PROGRAMS_TEXT_H
#define STEELYARD_REPORT_PROGRAMS_TEXT_H

#include "report/page/page.h"

/* Whether the implementations were whole programs, a process a run. */
bool sy_programs_are_weighed(const sy_probe_result *result);
/* What was measured, then each command with its median, its extremes, memory, gain and decision. */
void sy_programs_print(sy_page *page, const sy_probe_result *result);
/* How the outputs came out; appends nothing when they were not compared. */
void sy_programs_words_parity(const sy_probe_result *result, sy_text *to);

#endif
