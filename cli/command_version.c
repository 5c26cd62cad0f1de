/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard version */
#include <stdio.h>
#include <steelyard/base.h>

#include "command.h"
#include "message.h"
#include "output.h"

typedef struct version_arguments {
    cli_common common;
} version_arguments;

static const cli_option options[] = {CLI_JSON_OPTION};

static int run(int argc, char **argv)
{
    version_arguments arguments = {0};
    cli_operands operands;
    int code = cli_command_begin(&cli_command_version, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    if (operands.count > 0) {
        sy_error err;

        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "'%s': version takes no words", operands.words[0]);
        return cli_report("version", NULL, &err);
    }
    cli_output_write(arguments.common.json ? "{\n  \"schema\": \"steelyard.version/1\",\n  \"tool\": \""
                                           : "steelyard ");
    cli_output_write(sy_version());
    cli_output_write(arguments.common.json ? "\"\n}\n" : "\n");
    return CLI_DONE;
}

static const char *const paragraphs[] = {"Prints the version of the library that this command runs with.", NULL};

const cli_command cli_command_version = {
    .name = "version",
    .summary = "print the version",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
