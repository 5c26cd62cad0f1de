/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard backends: what could run here, what could not, and how to get it. */
#include <stdio.h>
#include <steelyard/backend.h>
#include <steelyard/report.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

typedef struct backends_arguments {
    cli_common common;
} backends_arguments;

static const cli_option options[] = {CLI_JSON_OPTION};

static int run(int argc, char **argv)
{
    backends_arguments arguments = {0};
    cli_operands operands;
    sy_backend_info *list = NULL;
    size_t count = 0;
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(&cli_command_backends, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    if (operands.count > 0) {
        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "'%s': backends takes no words", operands.words[0]);
        return cli_report("backends", NULL, &err);
    }
    status = sy_backends_list(&list, &count, &err);
    if (status == SY_OK && arguments.common.json) {
        status = sy_report_backends_json(list, count, &text, &err);
    } else if (status == SY_OK) {
        sy_report_style style = cli_terminal_style(&arguments.common);

        status = sy_report_backends(list, count, &style, &text, &err);
    }
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    sy_backends_free(list);
    return status == SY_OK ? CLI_DONE : cli_report("backends", NULL, &err);
}

static const char *const paragraphs[] = {
    "Lists every backend of this build with its devices, operations and implementations. What cannot run here is "
    "listed too, with the reason and how to get it. Library files are looked for, not loaded: one that is found may "
    "still fail to load, which a probe then says.",
    NULL};

const cli_command cli_command_backends = {
    .name = "backends",
    .summary = "list backends, devices and implementations: what runs here, what does not and why",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
