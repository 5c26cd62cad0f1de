/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run leases: who owns which device of this host, whichever project did. */
#include <stdlib.h>
#include <steelyard/report.h>

#include "command_runs.h"
#include "message.h"
#include "output.h"
#include "project.h"
#include "terminal.h"

static int run(int argc, char **argv)
{
    cli_common arguments = {0};
    cli_operands operands;
    sy_device_lease_list *list = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_report_style style;
    const char *folder = NULL;
    char *text = NULL;
    sy_status status;
    int code = cli_command_begin(&cli_run_leases, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    style = cli_terminal_style(&arguments);
    if (operands.count > 0)
        status = cli_fail(&err, SY_INVALID_ARGUMENT, "run leases takes no words");
    else
        status = cli_project_leases(&folder, &err);
    if (status == SY_OK)
        status = sy_device_leases(folder, &list, &err);
    if (status == SY_OK)
        status = arguments.json ? sy_report_device_leases_json(list, &text, &err)
                                : sy_report_device_leases(list, &style, &text, &err);
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    sy_device_lease_list_destroy(list);
    return status == SY_OK ? CLI_DONE : cli_report("run leases", NULL, &err);
}

static const cli_option options[] = {
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "One campaign owns a device of a host at a time, whichever project it belongs to. A device whose holder died is "
    "free at once. STEELYARD_LEASES names another folder than the host's for what is leased, to share it with "
    "containers.",
    NULL};

static const char *const examples[] = {"steelyard run leases", "who keeps the processor busy, and since when", NULL};

const cli_command cli_run_leases = {
    .name = "run leases",
    .summary = "show who owns which device of this host",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
