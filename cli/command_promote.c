/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard promote: a run becomes a row of the dashboard, or it is said what is missing. */
#include "command.h"
#include "message.h"
#include "run_call.h"

typedef struct promote_arguments {
    cli_run_arguments run; /* first */
    const char *by;
    const char *claim;
    bool dry_run;
} promote_arguments;

static sy_status work(cli_run_call *call, sy_error *err)
{
    const promote_arguments *a = call->arguments;
    sy_run *found = NULL;
    sy_promoted *promoted = NULL;
    sy_promote_options options = SY_PROMOTE_OPTIONS_INIT;
    sy_status status = cli_run_must_say(a->by, "by", "who promotes the run?", err);

    if (status == SY_OK)
        status = cli_run_find(call, call->operands.words[0], &found, err);
    if (status == SY_OK) {
        options.run = found->row.id;
        options.by = a->by;
        options.claim = a->claim;
        options.dry_run = a->dry_run;
        status = sy_project_promote(call->project, &options, &promoted, err);
    }
    if (status == SY_OK)
        status = call->json ? sy_report_promoted_json(promoted, a->dry_run, &call->text, err)
                            : sy_report_promoted(promoted, a->dry_run, &call->style, &call->text, err);
    if (status == SY_OK)
        call->code = promoted->unpaid_count == 0 ? CLI_DONE : CLI_REFUSED;
    sy_promoted_destroy(promoted);
    sy_run_destroy(found);
    return status;
}

static int run(int argc, char **argv)
{
    promote_arguments a = {.by = NULL};

    return cli_run_verb(&cli_command_promote, 1, "one RUN",
                        cli_run_is_dry(argc, argv) ? CLI_LEDGER_READ : CLI_LEDGER_WRITE, work, &a, argc, argv);
}

static const cli_option options[] = {
    {.name = "by",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The row",
     .help = "who promotes it; must be said",
     CLI_INTO(promote_arguments, by)},
    {.name = "claim",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The row",
     .help = "the sentence that the row is to prove",
     CLI_INTO(promote_arguments, claim)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = "The row",
     .help = "only say what is owed and what pays it",
     CLI_INTO(promote_arguments, dry_run)},
    CLI_PROJECT_OPTIONS(promote_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Writes the run's whole row of the dashboard as one event, if nothing is missing: it ended ok as a session of a "
    "gate of tier release-signoff, in a cell that the matrix signs off; its parity passed; revision, comparison key "
    "and inputs are known; it held its device's lease throughout; what its runbook requires is kept; it is accepted; "
    "its verdict is pass, or it is one of the first five; every other gate that its cell owes on that computer has an "
    "accepted run of the same sources on the same device; minimum memory and the application's wall clock are shown "
    "where platform and runbooks ask for them; and somebody signed it off behind its last verdict.",
    "Else nothing is written: all that is missing is listed with the command that pays it, and the exit code is 1. "
    "Rows are never taken back: a later promotion of the same cell, gate and device stands in the place of an earlier "
    "one, and a later verdict of block shows at the row.",
    NULL};

static const char *const examples[] = {"steelyard promote last --by 'J. Doe' --dry-run",
                                       "see what the latest run still owes", NULL};

const cli_command cli_command_promote = {
    .name = "promote",
    .summary = "make a run a row of the dashboard, or say what is missing",
    .usage = "RUN --by WHO [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
