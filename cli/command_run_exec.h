/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of steelyard run exec share: its arguments, and the call that they ask for. */
#ifndef STEELYARD_CLI_COMMAND_RUN_EXEC_H
#define STEELYARD_CLI_COMMAND_RUN_EXEC_H

#include "command_runs.h"
#include "options.h"
#include "project.h"

typedef struct exec_arguments {
    cli_common common;
    cli_project_arguments project;
    const char *gate;
    const char *question;
    const char *conclusion;
    bool judge;
    bool strict;
    const char *markdown;
    bool shell;
    cli_names environment;
    cli_names imports;
    const char *directory;
    const char *control;
    const char *control_directory;
    uint64_t timeout_ns;
    uint64_t wait_ns;
    uint64_t log_bytes;
    bool show_output;
    bool no_smoke;
} exec_arguments;

/* command_run_exec.c: the whole call; returns its exit code. */
int cli_run_exec_call(int argc, char **argv);

#endif
