/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard signoff: somebody vouches for a run as it stands. */
#include "command.h"
#include "message.h"
#include "run_call.h"

typedef struct signoff_arguments {
    cli_run_arguments run; /* first */
    const char *by;
    const char *statement;
} signoff_arguments;

static sy_status refuse_missing(const signoff_arguments *a, sy_error *err)
{
    sy_status status = cli_run_must_say(a->by, "by", "who vouches for the run?", err);

    return status == SY_OK ? cli_run_must_say(a->statement, "statement", "what was looked at?", err) : status;
}

static sy_status work(cli_run_call *call, sy_error *err)
{
    const signoff_arguments *a = call->arguments;
    sy_run *found = NULL;
    sy_signed_off *signed_off = NULL;
    sy_signoff_options options = SY_SIGNOFF_OPTIONS_INIT;
    sy_status status = refuse_missing(a, err);

    if (status == SY_OK)
        status = cli_run_find(call, call->operands.words[0], &found, err);
    if (status == SY_OK) {
        options.run = found->row.id;
        options.by = a->by;
        options.statement = a->statement;
        status = sy_project_signoff(call->project, &options, &signed_off, err);
    }
    if (status == SY_OK)
        status = call->json ? sy_report_signed_off_json(signed_off, &call->text, err)
                            : sy_report_signed_off(signed_off, &call->style, &call->text, err);
    if (status == SY_OK)
        call->code = signed_off->done ? CLI_DONE : CLI_REFUSED;
    sy_signed_off_destroy(signed_off);
    sy_run_destroy(found);
    return status;
}

static int run(int argc, char **argv)
{
    signoff_arguments a = {.by = NULL};

    return cli_run_verb(&cli_command_signoff, 1, "one RUN", CLI_LEDGER_WRITE, work, &a, argc, argv);
}

static const cli_option options[] = {
    {.name = "by",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "who vouches for it; must be said",
     CLI_INTO(signoff_arguments, by)},
    {.name = "statement",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "what was looked at; must be said",
     CLI_INTO(signoff_arguments, statement)},
    CLI_PROJECT_OPTIONS(signoff_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Records that somebody has looked at a run that ended ok, at its files and at what was decided of it so far, and "
    "vouches for it. It holds for the verdict that was seen: behind a later one it is to be given again. While the "
    "run's last verdict is investigate or block it is refused with exit code 1. A run is promoted only with it.",
    NULL};

static const char *const examples[] = {"steelyard signoff last --by 'J. Doe' --statement 'read the log and the trace'",
                                       "vouch for the latest run", NULL};

const cli_command cli_command_signoff = {
    .name = "signoff",
    .summary = "vouch for a run as it stands",
    .usage = "RUN --by WHO --statement TEXT [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
