/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of one run's text that have a heading of their own; a part without anything in it is not there. */
#ifndef STEELYARD_REPORT_RUN_PARTS_H
#define STEELYARD_REPORT_RUN_PARTS_H

#include <steelyard/report.h>

#include "report/page/page.h"

/* words: an empty text that they may use, and leave empty. */
void sy_run_put_decision(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_said(sy_page *page, const sy_report_run_view *view, sy_text *words);
void sy_run_put_series(sy_page *page, const sy_report_run_view *view, sy_text *words);
void sy_run_put_parity(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_memory(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_key(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_checks(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_commands(sy_page *page, const sy_run *run, sy_text *words);
void sy_run_put_artifacts(sy_page *page, const sy_run *run, sy_text *words);

#endif
