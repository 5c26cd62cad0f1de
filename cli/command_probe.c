/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe: its options, what it weighs by them, and how a result becomes text or JSON and an exit code. */
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "assigned.h"
#include "command.h"
#include "command_probe.h"
#include "command_probe_programs.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "page_file.h"
#include "progress_line.h"
#include "run_descriptor.h"
#include "terminal.h"

static const char *const isolations[] = {"worker", "none", NULL};
static const char *const questions[] = {"faster", "not-slower", NULL};
static const char *const rules[] = {"capped", "medians", NULL};

#define DECISION "The decision"
#define PARITY "Equal outputs"
#define LIMITS "Limits"
#define EXECUTION "Execution"
#define KEEPING "Keeping the decision"

static const cli_option options[] = {
    CLI_TARGET_OPTIONS(probe_arguments, target),
    CLI_ASSIGN_OPTION(probe_arguments, assign),
    {.name = "implementations",
     .argument = "A,B,...",
     .standard = "all",
     .kind = CLI_NAMES,
     .group = CLI_TARGET_GROUP,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the candidates to weigh; the reference is always there",
     CLI_INTO(probe_arguments, implementations)},
    {.name = "reference",
     .argument = "NAME",
     .standard = "the operation's own",
     .kind = CLI_TEXT,
     .group = CLI_TARGET_GROUP,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the implementation that the others are held against; without an OPERATION a command",
     CLI_INTO(probe_arguments, options.reference)},
    {.name = "question",
     .argument = "Q",
     .standard = "faster",
     .kind = CLI_CHOICE,
     .choices = questions,
     .group = DECISION,
     .help = "faster: by at least the minimum improvement? not-slower: by more than the margin?",
     CLI_INTO(probe_arguments, options.question)},
    CLI_PREFER_OPTION(probe_arguments, options.prefer, DECISION),
    {.name = "min-improvement",
     .argument = "X",
     .standard = "0.03",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 1,
     .below = true,
     .group = DECISION,
     .help = "share of the reference's time that a win must save",
     CLI_INTO(probe_arguments, options.min_improvement)},
    {.name = "margin",
     .argument = "Z",
     .standard = "0.03",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = DECISION,
     .help = "how much slower still counts as not slower",
     CLI_INTO(probe_arguments, options.margin)},
    {.name = "alpha",
     .argument = "A",
     .standard = "0.05",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 0.5,
     .group = DECISION,
     .help = "how often a win may be wrong",
     CLI_INTO(probe_arguments, options.alpha)},
    {.name = "beta",
     .argument = "B",
     .standard = "0.2",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 0.5,
     .group = DECISION,
     .help = "how often no-gain may be wrong",
     CLI_INTO(probe_arguments, options.beta)},
    {.name = "veto",
     .argument = "Y",
     .standard = "0.1",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = DECISION,
     .help = "no single case may be slower by more than this share",
     CLI_INTO(probe_arguments, options.veto)},
    {.name = "rule",
     .argument = "R",
     .standard = "capped",
     .kind = CLI_CHOICE,
     .choices = rules,
     .group = DECISION,
     .help = "capped: the capped sign test, with error rates; medians: a point estimate of a fixed number of pairs",
     CLI_INTO(probe_arguments, options.rule)},
    {.name = "seed",
     .argument = "N",
     .standard = "drawn anew",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = INFINITY,
     .group = DECISION,
     .help = "of the coins and orders, to replay a probe; the result is marked",
     CLI_INTO(probe_arguments, options.seed)},
    {.name = "allow-approximate",
     .kind = CLI_FLAG,
     .group = PARITY,
     .help = "also weigh implementations that promise approximate outputs only",
     CLI_INTO(probe_arguments, options.allow_approximate)},
    {.name = "require-parity",
     .kind = CLI_FLAG,
     .group = PARITY,
     .help = "exit with 1 when the outputs of any candidate are wrong, not only of the last one left",
     CLI_INTO(probe_arguments, require_parity)},
    {.name = "atol",
     .argument = "A",
     .standard = "the case's model",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = PARITY,
     .help = "absolute tolerance: allowed is A + R |right value|",
     CLI_INTO(probe_arguments, options.absolute_tolerance)},
    {.name = "rtol",
     .argument = "R",
     .standard = "the case's model",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = PARITY,
     .help = "relative tolerance; see --atol",
     CLI_INTO(probe_arguments, options.relative_tolerance)},
    {.name = "max-pairs",
     .argument = "N",
     .standard = "60",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 2000,
     .group = LIMITS,
     .help = "cap on the pairs, fixed before the first",
     CLI_INTO(probe_arguments, options.max_pairs)},
    {.name = "budget",
     .argument = "SECONDS",
     .standard = "20; of commands 60",
     .kind = CLI_SECONDS,
     .group = LIMITS,
     .help = "time inside timed runs; no pair begins that would pass it",
     CLI_INTO(probe_arguments, options.budget_ns)},
    {.name = "wall-limit",
     .argument = "SECONDS",
     .standard = "45; of commands 180",
     .kind = CLI_SECONDS,
     .group = LIMITS,
     .help = "time for everything, parity and warm-up included",
     CLI_INTO(probe_arguments, options.wall_limit_ns)},
    {.name = "min-free-memory",
     .argument = "BYTES",
     .standard = "0",
     .kind = CLI_BYTES,
     .group = LIMITS,
     .help = "device memory that must stay free; units as in 512MiB",
     CLI_INTO(probe_arguments, options.min_free_memory_bytes)},
    {.name = "metadata-capacity",
     .argument = "BYTES",
     .standard = "1MiB",
     .kind = CLI_BYTES,
     .group = LIMITS,
     .help = "memory for the description of one implementation's work",
     CLI_INTO(probe_arguments, options.metadata_capacity_bytes)},
    {.name = "warmup",
     .argument = "N",
     .standard = "until steady within 2 %",
     .kind = CLI_WHOLE,
     .low = 0,
     .high = 1000000,
     .group = EXECUTION,
     .help = "untimed runs before the first timed one, exactly",
     CLI_INTO(probe_arguments, options.warmup)},
    {.name = "isolation",
     .argument = "KIND",
     .standard = "worker",
     .kind = CLI_CHOICE,
     .choices = isolations,
     .group = EXECUTION,
     .help = "worker: each implementation in a process of its own, the idle ones stopped; none: all in this one",
     CLI_INTO(probe_arguments, isolation)},
    {.name = "processes",
     .argument = "N",
     .standard = "1",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = SY_PROCESSES_MAX,
     .group = EXECUTION,
     .help = "take the pairs from so many fresh processes of each implementation, and say how far they lie apart",
     CLI_INTO(probe_arguments, options.processes)},
    CLI_CACHE_OPTION(probe_arguments, options.cache, EXECUTION),
    CLI_CACHE_BYTES_OPTION(probe_arguments, options.cache_bytes, EXECUTION),
    {.name = "save",
     .kind = CLI_FLAG,
     .group = KEEPING,
     .help = "keep the decision in the profile store, where steelyard select and engines find it",
     CLI_INTO(probe_arguments, save)},
    {.name = "store",
     .argument = "FILE",
     .standard = "the user's own",
     .kind = CLI_TEXT,
     .group = KEEPING,
     .completion = CLI_COMPLETE_FILES,
     .help = "the profile store",
     CLI_INTO(probe_arguments, store)},
    {.name = "model-digest",
     .argument = "TEXT",
     .standard = "none",
     .kind = CLI_TEXT,
     .group = KEEPING,
     .help = "the model that the decision is kept for",
     CLI_INTO(probe_arguments, model_digest)},
    CLI_RECORDING_OPTIONS(probe_arguments, recorded),
    {.name = "all",
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "also show every candidate on every case",
     CLI_INTO(probe_arguments, all)},
    {.name = "html",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = "Output",
     .completion = CLI_COMPLETE_FILES,
     .help = "also write the decision as a page for browsers: every pair, the rule's boundary, losers and reasons",
     CLI_INTO(probe_arguments, page.path)},
    CLI_PROGRAM_OPTIONS(probe_arguments, programs),
    CLI_JSON_OPTION,
};

void cli_probe_attend(probe_arguments *arguments)
{
    arguments->options.cancelled = cli_interrupt_asked;
    if (!arguments->common.quiet) {
        cli_progress_start();
        arguments->options.progress = cli_progress_show;
    }
}

sy_status cli_probe_print(const probe_arguments *arguments, const sy_probe_result *result, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status;

    style.all = arguments->all;
    status = arguments->common.json ? sy_probe_result_to_json(result, &text, err)
                                    : sy_report_probe(result, &style, &text, err);
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

int cli_probe_exit(const probe_arguments *arguments, const sy_probe_result *result)
{
    if (result->interrupted)
        return CLI_INTERRUPTED;
    for (size_t i = 0; arguments->require_parity && i < result->candidate_count; i++) {
        if (result->candidates[i].parity == SY_PARITY_FAILED)
            return CLI_REFUSED;
    }
    return sy_decision_exit_code(result->decision);
}

void cli_probe_standard_limits(probe_arguments *arguments)
{
    const sy_probe_options standard = SY_PROBE_OPTIONS_INIT;

    if (arguments->options.budget_ns == CLI_UNSET_NS)
        arguments->options.budget_ns = standard.budget_ns;
    if (arguments->options.wall_limit_ns == CLI_UNSET_NS)
        arguments->options.wall_limit_ns = standard.wall_limit_ns;
}

/* What stands behind "--" without a second command is neither an operation nor a plugin. */
static sy_status refuse_lone_command(const cli_operands *operands, sy_error *err)
{
    const char *word = operands->before < operands->count ? operands->words[operands->before] : "";
    size_t length = strlen(word);

    if (length == 0 || (length > 3 && strcmp(word + length - 3, ".so") == 0) ||
        (operands->count == 1 && strchr(word, '/') == NULL))
        return SY_OK;
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "one command, '%s', is no comparison", word);
    cli_hint(err, "steelyard probe -- A --vs B weighs two; steelyard measure -- A times one");
    return SY_INVALID_ARGUMENT;
}

static int weigh_operation(probe_arguments *arguments, const cli_operands *operands)
{
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = cli_probe_refuse_program_options(arguments, &err);
    int code;

    cli_probe_standard_limits(arguments);
    if (status == SY_OK)
        status = refuse_lone_command(operands, &err);
    if (status == SY_OK)
        status = cli_probe_operation(arguments, operands, &result, &err);
    if (result != NULL) { /* also when it could not be kept: it was measured */
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = cli_probe_print(arguments, result, &unprinted);

        if (printed == SY_OK)
            printed = cli_probe_page_write(arguments, &unprinted);
        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
    }
    code = status == SY_OK && result != NULL ? cli_probe_exit(arguments, result)
                                             : cli_report("probe", arguments->target.script, &err);
    sy_probe_result_destroy(result);
    return code;
}

static int weigh(probe_arguments *arguments, const cli_operands *operands)
{
    sy_error err = SY_ERROR_INIT;

    cli_interrupt_watch();
    if (arguments->page.path != NULL && cli_page_check(arguments->page.path, &err) != SY_OK)
        return cli_report("probe", NULL, &err);
    if (cli_recording_open(&arguments->recording, &arguments->recorded, arguments->common.quiet, &err) != SY_OK)
        return cli_report("probe", NULL, &err);
    if (arguments->assign != NULL)
        return cli_probe_assigned(arguments, operands);
    return cli_probe_means_programs(arguments, operands) ? cli_probe_programs(arguments, operands)
                                                         : weigh_operation(arguments, operands);
}

static int run(int argc, char **argv)
{
    probe_arguments arguments = {.options = SY_PROBE_OPTIONS_INIT, .target = {.backend = "cpu"}};
    cli_operands operands;
    int code;

    cli_run_lines_prepare();
    cli_recording_take_words(&arguments.recording, argc, argv);
    arguments.options.budget_ns = arguments.options.wall_limit_ns = CLI_UNSET_NS;
    code = cli_command_begin(&cli_command_probe, argc, argv, &arguments, &operands);
    if (code < 0)
        code = cli_recording_exit(&arguments.recording, weigh(&arguments, &operands));
    cli_recording_close(&arguments.recording);
    cli_recording_finish(&arguments.recorded);
    cli_probe_page_finish(&arguments.page);
    cli_names_finish(&arguments.implementations);
    cli_names_finish(&arguments.target.cases);
    cli_programs_finish(&arguments.programs);
    return code;
}

static const char *const paragraphs[] = {
    "Weighs the candidates of OPERATION against its reference implementation, on this machine, now. Outputs are "
    "compared first: a wrong one is never timed. Then runs are timed in pairs, reference and candidate back to back, "
    "a coin deciding which goes first, until a rule with stated error rates has its answer or a limit ends it.",
    "The reference stays the implementation to use unless the decision is win or tie. The other decisions: no-gain, "
    "not-slower and slower (with --question not-slower), inconclusive, parity-failed, vacuous, unavailable.",
    "Two or more commands may stand in the place of an operation: --reference 'A' --candidate 'B', or -- A --vs B. "
    "Each timed run is then a process of its own, what both write is compared, and a command that fails is not timed.",
    "--assign weighs several operations in one call, each on its device: attention=ggml,convolution=cpu.",
    "PLUGIN.so, a path with a slash, brings a suite of your own; where it brings several the operation's name follows.",
    NULL};

static const char *const examples[] = {"steelyard probe matmul --cases quick",
                                       "which matrix product is the fastest here, on a few representative shapes",
                                       "steelyard probe matmul --implementations blis --threads 1 --json",
                                       "one candidate on one thread, for a program to read",
                                       "steelyard probe matmul --implementations blis --question not-slower",
                                       "could blis replace openblas without losing more than 3 %?",
                                       "steelyard probe --reference './old in.txt' --candidate './new in.txt'",
                                       "is the new program faster, and is its output the same?",
                                       "steelyard probe --question not-slower -- ./old in.txt --vs ./new in.txt",
                                       "for CI: exit 0 unless the new program may be slower by more than 3 %",
                                       "steelyard probe --assign attention=ggml,convolution=cpu",
                                       "several operations in one call, each on its device",
                                       "steelyard probe ./my_suite.so",
                                       "which of your own implementations, as a plugin brings them?",
                                       NULL};

const cli_command cli_command_probe = {
    .name = "probe",
    .summary = "weigh the implementations of an operation and decide which to use here",
    .usage = "OPERATION|PLUGIN.so [option...] | --assign OPERATION=DEVICE,... [option...] | --reference COMMAND "
             "--candidate COMMAND [option...] | "
             "[option...] -- COMMAND --vs COMMAND",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_OPERATIONS,
    .decides = true,
    .run = run,
};
