/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of steelyard run; what one of them alone needs stands in its own file. */
#ifndef STEELYARD_CLI_COMMAND_RUNS_H
#define STEELYARD_CLI_COMMAND_RUNS_H

#include "command.h"

/* In the order of a run's life, then those that only look. */
extern const cli_command cli_run_start;
extern const cli_command cli_run_exec;
extern const cli_command cli_run_attach;
extern const cli_command cli_run_finish;
extern const cli_command cli_run_accept;
extern const cli_command cli_run_list;
extern const cli_command cli_run_show;
extern const cli_command cli_run_summary;
extern const cli_command cli_run_leases;
extern const cli_command cli_run_sweep;

#endif
