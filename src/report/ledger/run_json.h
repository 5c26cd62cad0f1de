/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON of one run and of many have in common. */
#ifndef STEELYARD_REPORT_RUN_JSON_H
#define STEELYARD_REPORT_RUN_JSON_H

#include <steelyard/run.h>

#include "base/json.h"

/* The members of a row, into an object that has been begun. */
void sy_run_row_write_json(sy_json_writer *writer, const sy_run_row *row);

#endif
