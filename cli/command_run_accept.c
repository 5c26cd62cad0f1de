/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run accept: takes a session into the baseline of its comparison key. */
#include "command_runs.h"
#include "message.h"
#include "run_call.h"

typedef struct accept_arguments {
    cli_run_arguments run; /* first */
    const char *by;
    const char *reason;
    bool new_baseline;
} accept_arguments;

static sy_status work(cli_run_call *call, sy_error *err)
{
    const accept_arguments *a = call->arguments;
    sy_run *found = NULL;
    sy_run_acceptance *acceptance = NULL;
    sy_run_accept_options options = SY_RUN_ACCEPT_OPTIONS_INIT;
    sy_status status = cli_run_must_say(a->by, "by", "who takes the run into the baseline?", err);

    options.by = a->by;
    options.reason = a->reason;
    options.new_baseline = a->new_baseline;
    if (status == SY_OK)
        status = cli_run_find(call, call->operands.words[0], &found, err);
    if (status == SY_OK)
        status = sy_project_accept(call->project, found->row.id, &options, &acceptance, err);
    if (status == SY_OK)
        status = call->json ? sy_report_run_acceptance_json(acceptance, &call->text, err)
                            : sy_report_run_acceptance(acceptance, &call->style, &call->text, err);
    if (status == SY_OK)
        call->code = acceptance->accepted ? CLI_DONE : CLI_REFUSED;
    sy_run_acceptance_destroy(acceptance);
    sy_run_destroy(found);
    return status;
}

static int run(int argc, char **argv)
{
    accept_arguments a = {.by = NULL};

    return cli_run_verb(&cli_run_accept, 1, "one RUN", CLI_LEDGER_WRITE, work, &a, argc, argv);
}

static const cli_option options[] = {
    {.name = "by",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "who accepts it; must be said",
     CLI_INTO(accept_arguments, by)},
    {.name = "reason",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "why; of a new baseline it must be said",
     CLI_INTO(accept_arguments, reason)},
    {.name = "new-baseline",
     .kind = CLI_FLAG,
     .group = "The run",
     .help = "the baseline begins anew with this session: the change that a verdict confirmed is accepted",
     CLI_INTO(accept_arguments, new_baseline)},
    CLI_PROJECT_OPTIONS(accept_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Only accepted sessions are a baseline. One is accepted if it ended ok, its parity passed, its sources are a clean "
    "revision or their difference is kept, it held its device's lease throughout, its tier is scheduled-profile or "
    "release-signoff, and it was measured here, on a physical device. From the sixth session of a key on a verdict of "
    "pass is owed as well (steelyard compare). What stands in the way is listed, all of it, with exit code 1.",
    "A confirmed change, better or worse, joins no baseline: with --new-baseline one begins with it, and what was "
    "accepted before is left out from then on. So it is when other figures are measured than before.",
    NULL};

static const char *const examples[] = {
    "steelyard run accept last --by 'J. Doe'", "take the latest run into its baseline",
    "steelyard run accept last --by 'J. Doe' --new-baseline --reason 'new kernel'", "accept a confirmed change", NULL};

const cli_command cli_run_accept = {
    .name = "run accept",
    .summary = "take a session into the baseline of its comparison key",
    .usage = "RUN --by WHO [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
