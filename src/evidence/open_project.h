/* SPDX-License-Identifier: Apache-2.0 */
/* An open project as the files of this module see it. */
#ifndef STEELYARD_EVIDENCE_OPEN_PROJECT_H
#define STEELYARD_EVIDENCE_OPEN_PROJECT_H

#include <steelyard/evidence.h>

#include "base/arena.h"
#include "base/clock.h"

/* sy_project_open with a clock that tests script; it must outlive the project. */
sy_status sy_project_open_with(const sy_project_options *options, const sy_clock *clock, sy_project **ret_project,
                               sy_error *err) SY_NODISCARD;
const sy_clock *sy_project_clock(const sy_project *project);
/* A copy of text that lives until the project is closed; NULL: no memory. */
const char *sy_project_keep_text(sy_project *project, const char *text);
/* The whole id of a run that may be named by its beginning, or "last". Errors as sy_ledger_run. */
sy_status sy_project_find_run(sy_project *project, const char *id, sy_arena *arena, const char **ret_id,
                              sy_error *err) SY_NODISCARD;

#endif
