/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard compare: a run held against the accepted sessions of its comparison key, or of another revision. */
#include <math.h>

#include "command.h"
#include "message.h"
#include "run_call.h"
#include "verdict_call.h"

typedef struct compare_arguments {
    cli_run_arguments run; /* first */
    bool revision_comparison;
    const char *against;
    double alpha;
    double min_effect;
    bool dry_run;
    bool strict;
    const char *markdown;
    const char *store;
} compare_arguments;

static sy_status save_markdown(const compare_arguments *a, const sy_compared *compared, sy_error *err)
{
    char *markdown = NULL;
    sy_status status;

    if (a->markdown == NULL)
        return SY_OK;
    status = sy_report_compared_markdown(compared, &markdown, err);
    if (status == SY_OK)
        status = sy_report_save(markdown, a->markdown, err);
    sy_text_free(markdown);
    return status;
}

static sy_status work(cli_run_call *call, sy_error *err)
{
    const compare_arguments *a = call->arguments;
    sy_compare_options options = SY_COMPARE_OPTIONS_INIT;
    sy_compared *compared = NULL;
    sy_store *store = NULL;
    sy_status status;

    cli_verdict_store(a->store, &store);
    options.run = call->operands.words[0];
    options.revision_comparison = a->revision_comparison;
    options.against = a->against;
    options.alpha = a->alpha;
    options.delta = a->min_effect;
    options.dry_run = a->dry_run;
    options.store = store;
    status = sy_project_compare(call->project, &options, &compared, err);
    if (status == SY_OK)
        status = call->json ? sy_report_compared_json(compared, &call->text, err)
                            : sy_report_compared(compared, &call->style, &call->text, err);
    if (status == SY_OK)
        status = save_markdown(a, compared, err);
    if (status == SY_OK)
        call->code = cli_verdict_exit(compared, a->strict);
    sy_compared_destroy(compared);
    sy_store_close(store);
    return status;
}

static int run(int argc, char **argv)
{
    compare_arguments a = {.alpha = NAN, .min_effect = NAN};

    cli_ledger_use use = cli_run_is_dry(argc, argv) ? CLI_LEDGER_READ : CLI_LEDGER_WRITE;

    return cli_run_verb(&cli_command_compare, 1, "one RUN", use, work, &a, argc, argv);
}

#define QUESTION_GROUP "The question"

static const cli_option options[] = {
    {.name = "revision-comparison",
     .kind = CLI_FLAG,
     .group = QUESTION_GROUP,
     .help = "against another revision, every other field of the key alike: the nearest older one with five accepted "
             "sessions, else all older ones together; it replaces no baseline",
     CLI_INTO(compare_arguments, revision_comparison)},
    {.name = "against",
     .argument = "REVISION|RUN",
     .kind = CLI_TEXT,
     .group = QUESTION_GROUP,
     .help = "with --revision-comparison: that revision (7 digits or more) or the one of that run; it need not be "
             "older, and no history is asked",
     CLI_INTO(compare_arguments, against)},
    {.name = "alpha",
     .argument = "RATE",
     .standard = "as the gate says, else 0.02",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 0.5,
     .above = true,
     .group = QUESTION_GROUP,
     .help = "with --dry-run, of a run that is judged already, too: the chance that an unchanged session is blocked, "
             "of one judgement; divided by the number of primary metrics",
     CLI_INTO(compare_arguments, alpha)},
    {.name = "min-effect",
     .argument = "RATIO",
     .standard = "as the gate says, else what its baseline resolves",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 1e6,
     .group = QUESTION_GROUP,
     .help = "with --dry-run, as --alpha: a smaller change does not matter; 0.02 = 2 %",
     CLI_INTO(compare_arguments, min_effect)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = QUESTION_GROUP,
     .help = "say the verdict and record nothing",
     CLI_INTO(compare_arguments, dry_run)},
    {.name = "store",
     .argument = "FILE",
     .standard = "this user's profiles",
     .kind = CLI_TEXT,
     .group = QUESTION_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "stored decisions, of which one may rest on what is no longer so",
     CLI_INTO(compare_arguments, store)},
    {.name = "strict",
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "without a baseline the exit code is 6, not 0",
     CLI_INTO(compare_arguments, strict)},
    {.name = "markdown",
     .argument = "FILE",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = "Output",
     .completion = CLI_COMPLETE_FILES,
     .help = "write the verdict as Markdown, for a comment or a page of a CI service",
     CLI_INTO(compare_arguments, markdown)},
    CLI_PROJECT_OPTIONS(compare_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Holds a session against the accepted ones of its comparison key: what failed of parity, provenance or ownership "
    "first, then each metric by itself: p50 of every series, p95 from 100 samples on, the maximum where all sessions "
    "have as many samples, memory. An alarm blocks only when further sessions, each under a lease of its own and with "
    "a control arm, have confirmed it; what has to run next is printed as commands. docs/verdicts.md has the rules.",
    "A verdict is an event of the ledger. A run that is judged already is not judged again: what was recorded is "
    "shown. "
    "Confirms of an alarm change the verdict of every session that belongs to it.",
    "RUN is an id, the beginning of one (4 characters or more), or the word last. Exit codes: 0 pass, or no baseline "
    "yet (6 with --strict); 5 investigate; 7 not judged; 1 block, or it cannot be compared.",
    NULL};

static const char *const examples[] = {"steelyard compare last",
                                       "the newest run, against the accepted sessions of its key",
                                       "steelyard compare last --revision-comparison --against 1a2b3c4",
                                       "the same work of two commits",
                                       "steelyard compare last --dry-run --min-effect 0.05",
                                       "what the verdict were if only 5 % mattered",
                                       NULL};

const cli_command cli_command_compare = {
    .name = "compare",
    .summary = "judge a run against the accepted sessions of its comparison key",
    .usage = "RUN [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
