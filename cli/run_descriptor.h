/* SPDX-License-Identifier: Apache-2.0 */
/* What this process measured, told to the run that started it (docs/runs.md, "The line protocol"). */
#ifndef STEELYARD_CLI_RUN_DESCRIPTOR_H
#define STEELYARD_CLI_RUN_DESCRIPTOR_H

#include <steelyard/measure.h>
#include <steelyard/probe.h>

/* Finds the descriptor that the run left, and keeps it from everything that this process starts: a worker or a measured
 * program that spoke as well would be heard as if it were us. Called once, before anything is started. */
void cli_run_lines_prepare(void);
bool cli_run_lines_are_heard(void);
/* Each writes a result, if somebody listens. One who has gone away or a descriptor that is none is told once, as a
 * remark: the measurement stands. */
void cli_run_lines_tell_probe(const sy_probe_result *result);
void cli_run_lines_tell_measure(const sy_measure_result *result);

#endif
