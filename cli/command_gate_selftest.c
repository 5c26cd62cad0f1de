/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard gate selftest: whether a gate could fail at all, by replaying the accepted sessions of its key. */
#include <math.h>
#include <stdlib.h>
#include <steelyard/compare.h>
#include <steelyard/report.h>

#include "argument_number.h"
#include "command_registry.h"
#include "message.h"
#include "run_call.h"

enum { TRIALS_MAX = 1000000 };

typedef struct selftest_arguments {
    cli_run_arguments run;
    const char *key;
    cli_names ratios;
    uint32_t trials;
    uint64_t seed;
    bool dry_run;
} selftest_arguments;

/* The caller frees *ret_ratios; NULL where none was given. */
static sy_status read_ratios(const cli_names *names, double **ret_ratios, sy_error *err)
{
    double *ratios = NULL;

    if (names->count == 0)
        return SY_OK;
    ratios = calloc(names->count, sizeof(*ratios));
    if (ratios == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for %zu ratios", names->count);
    for (size_t i = 0; i < names->count; i++) {
        if (cli_number_double(names->names[i], &ratios[i]) && ratios[i] > 1)
            continue;
        free(ratios);
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--ratio %.100s: must be a number above 1", names->names[i]);
        cli_hint(err, "1.05 plants a slowdown of 5 %%");
        return SY_INVALID_ARGUMENT;
    }
    *ret_ratios = ratios;
    return SY_OK;
}

static sy_status work(cli_run_call *call, sy_error *err)
{
    const selftest_arguments *arguments = call->arguments;
    sy_selftest_options options = SY_SELFTEST_OPTIONS_INIT;
    sy_selftested *tested = NULL;
    double *ratios = NULL;
    sy_status status = read_ratios(&arguments->ratios, &ratios, err);

    if (status == SY_OK) {
        options.gate = call->operands.words[0];
        options.key = arguments->key;
        options.ratios = ratios;
        options.ratio_count = arguments->ratios.count;
        options.trial_count = arguments->trials;
        options.seed = arguments->seed;
        options.dry_run = arguments->dry_run;
        status = sy_project_selftest(call->project, &options, &tested, err);
        if (status == SY_NOT_FOUND)
            call->code = CLI_NOTHING;
    }
    if (status == SY_OK) {
        call->code = tested->finding_count > 0 ? CLI_REFUSED : CLI_DONE;
        status = call->json ? sy_report_selftest_json(tested, &call->text, err)
                            : sy_report_selftest(tested, &call->style, &call->text, err);
    }
    sy_selftested_destroy(tested);
    free(ratios);
    return status;
}

static int run(int argc, char **argv)
{
    selftest_arguments arguments = {.trials = 2000, .seed = 1};
    cli_ledger_use use = cli_run_is_dry(argc, argv) ? CLI_LEDGER_LOOK : CLI_LEDGER_ADD;
    int code = cli_run_verb(&cli_gate_selftest, 1, "one word, the gate's id", use, work, &arguments, argc, argv);

    cli_names_finish(&arguments.ratios);
    return code;
}

#define TRIALS_GROUP "The trials"

static const cli_option options[] = {
    {.name = "key",
     .argument = "DIGITS",
     .standard = "that of the newest accepted session",
     .kind = CLI_TEXT,
     .group = TRIALS_GROUP,
     .help = "the comparison key whose sessions are replayed: the first digits of its digest, 8 or more",
     CLI_INTO(selftest_arguments, key)},
    {.name = "ratio",
     .argument = "RATIO,...",
     .standard = "1.03,1.05,1.1",
     .kind = CLI_NAMES,
     .group = TRIALS_GROUP,
     .help = "what is planted: new sessions are so many times as slow; the gate must fail at the largest",
     CLI_INTO(selftest_arguments, ratios)},
    {.name = "trials",
     .argument = "N",
     .standard = "2000",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = TRIALS_MAX,
     .group = TRIALS_GROUP,
     .help = "how many of each",
     CLI_INTO(selftest_arguments, trials)},
    {.name = "seed",
     .argument = "N",
     .standard = "1",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = INFINITY,
     .group = TRIALS_GROUP,
     .help = "of the draws: the same sessions and seed give the same figures",
     CLI_INTO(selftest_arguments, seed)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = TRIALS_GROUP,
     .help = "record nothing",
     CLI_INTO(selftest_arguments, dry_run)},
    CLI_PROJECT_OPTIONS(selftest_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Asks whether a gate could fail at all. The accepted sessions of its comparison key are replayed: of each trial "
    "some are drawn as the baseline, one and its confirms as new sessions, which are made slower by a planted ratio. "
    "Told are, for each primary metric, how often that raises an alarm and how often it is confirmed and fails, the "
    "same of sessions that nothing was done to, beside what is promised, and the smallest slowdown that is seen four "
    "times in five.",
    "A gate that cannot fail is a finding, gate-cannot-fail: the largest slowdown fails in fewer than half of the "
    "trials, or nothing that is confirmed may block. Six accepted sessions are needed; from eight on none is drawn "
    "twice. The answer is recorded in the ledger.",
    "Exit codes: 0 it can fail, 1 it cannot, or there are fewer than six accepted sessions, 2 usage, 4 the ledger is "
    "damaged, busy or cannot be written, 6 no such gate, no ledger, or no accepted session.",
    NULL};

static const char *const examples[] = {"steelyard gate selftest matmul.cpu.square-512.session",
                                       "Would 3, 5 or 10 % be noticed, and how often is nothing called something?",
                                       "steelyard gate selftest matmul.cpu.square-512.session --ratio 1.02 --dry-run",
                                       "Is 2 % enough for it to fail?", NULL};

const cli_command cli_gate_selftest = {
    .name = "gate selftest",
    .summary = "say whether a gate could fail, by planting slowdowns into its sessions",
    .usage = "ID [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
