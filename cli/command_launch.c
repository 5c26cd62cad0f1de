/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard launcher: starts one program and waits for it, for the library that started this process. Not for people.
 */
#include <steelyard/command.h>

#include "command.h"

static int run(int argc, char **argv)
{
    return sy_launcher_main(argc, argv);
}

static const char *const paragraphs[] = {"Starts one program for the process that started this one.", NULL};

const cli_command cli_command_launcher = {
    .name = "launcher",
    .summary = "start one program and wait for it",
    .usage = "",
    .paragraphs = paragraphs,
    .hidden = true,
    .run = run,
};
