/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run sweep: closes runs that can never end by themselves. */
#include "command_runs.h"
#include "message.h"
#include "run_call.h"

typedef struct sweep_arguments {
    cli_run_arguments run; /* first */
    bool dry_run;
} sweep_arguments;

static sy_status work(cli_run_call *call, sy_error *err)
{
    const sweep_arguments *a = call->arguments;
    sy_sweep *sweep = NULL;
    sy_status status = sy_project_sweep(call->project, a->dry_run, &sweep, err);

    if (status == SY_OK)
        status = call->json ? sy_report_sweep_json(sweep, a->dry_run, &call->text, err)
                            : sy_report_sweep(sweep, a->dry_run, &call->style, &call->text, err);
    sy_sweep_destroy(sweep);
    return status;
}

static int run(int argc, char **argv)
{
    sweep_arguments a = {.dry_run = false};

    return cli_run_verb(&cli_run_sweep, 0, "no words", CLI_LEDGER_WRITE, work, &a, argc, argv);
}

static const cli_option options[] = {
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = "The run",
     .help = "only say which runs would be closed",
     CLI_INTO(sweep_arguments, dry_run)},
    CLI_PROJECT_OPTIONS(sweep_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "A run whose process or machine died stays running in the ledger. It is closed as failed, reason lost, when its "
    "host was started anew since, when nobody holds its device and no command of it has ended, or, of another host, "
    "when the time of its lease is over. All others are left as they are, and it is said why.",
    NULL};

static const char *const examples[] = {"steelyard run sweep --dry-run", "see which runs are lost", NULL};

const cli_command cli_run_sweep = {
    .name = "run sweep",
    .summary = "close runs that were lost with their machine or process",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
