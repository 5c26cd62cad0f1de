/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard worker: the other end of a probe, started by the library itself. Not for people. */
#include <steelyard/probe.h>

#include "command.h"

static int run(int argc, char **argv)
{
    return sy_worker_main(argc, argv);
}

static const char *const paragraphs[] = {"Runs one implementation for a probe that started this process.", NULL};

const cli_command cli_command_worker = {
    .name = "worker",
    .summary = "run one implementation for a probe",
    .usage = "",
    .paragraphs = paragraphs,
    .hidden = true,
    .run = run,
};
