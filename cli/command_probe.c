/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe: turns arguments into a call of sy_probe and its result into text or JSON and an exit code. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <steelyard/probe.h>
#include <steelyard/report.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress_line.h"
#include "terminal.h"

typedef struct probe_arguments {
    cli_common common;
    sy_probe_options options;
    const char *backend;
    const char *script;
    cli_names implementations;
    cli_names cases;
    uint32_t threads;
    unsigned int isolation; /* index into isolations */
    bool require_parity;
    char worker_path[4096];
} probe_arguments;

static const char *const isolations[] = {"worker", "none", NULL};
static const char *const questions[] = {"faster", "not-slower", NULL};
static const char *const rules[] = {"capped", "medians", NULL};

#define WHAT "What is weighed"
#define DECISION "The decision"
#define PARITY "Equal outputs"
#define LIMITS "Limits"
#define EXECUTION "Execution"

static const cli_option options[] = {
    {.name = "backend",
     .argument = "NAME",
     .standard = "cpu",
     .kind = CLI_TEXT,
     .group = WHAT,
     .completion = CLI_COMPLETE_BACKENDS,
     .help = "where it runs; steelyard backends lists them",
     CLI_INTO(probe_arguments, backend)},
    {.name = "implementations",
     .argument = "A,B,...",
     .standard = "all",
     .kind = CLI_NAMES,
     .group = WHAT,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the candidates to weigh; the reference is always there",
     CLI_INTO(probe_arguments, implementations)},
    {.name = "reference",
     .argument = "NAME",
     .standard = "the operation's own",
     .kind = CLI_TEXT,
     .group = WHAT,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the implementation that the others are held against",
     CLI_INTO(probe_arguments, options.reference)},
    {.name = "cases",
     .argument = "A,B,...",
     .standard = "all",
     .kind = CLI_NAMES,
     .group = WHAT,
     .help = "quick, all, names of cases, or patterns with * and ?",
     CLI_INTO(probe_arguments, cases)},
    {.name = "script",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = WHAT,
     .completion = CLI_COMPLETE_FILES,
     .help = "backend fake only: times and faults to play, as JSON",
     CLI_INTO(probe_arguments, script)},
    {.name = "question",
     .argument = "Q",
     .standard = "faster",
     .kind = CLI_CHOICE,
     .choices = questions,
     .group = DECISION,
     .help = "faster: by at least the minimum improvement? not-slower: by more than the margin?",
     CLI_INTO(probe_arguments, options.question)},
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
     .standard = "20",
     .kind = CLI_SECONDS,
     .group = LIMITS,
     .help = "time inside timed runs; no pair begins that would pass it",
     CLI_INTO(probe_arguments, options.budget_ns)},
    {.name = "wall-limit",
     .argument = "SECONDS",
     .standard = "45",
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
    {.name = "threads",
     .argument = "N",
     .standard = "all that this process may use",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 4096,
     .group = EXECUTION,
     .help = "threads of each implementation",
     CLI_INTO(probe_arguments, threads)},
    {.name = "isolation",
     .argument = "KIND",
     .standard = "worker",
     .kind = CLI_CHOICE,
     .choices = isolations,
     .group = EXECUTION,
     .help = "worker: each implementation in a process of its own, the idle ones stopped; none: all in this one",
     CLI_INTO(probe_arguments, isolation)},
    CLI_JSON_OPTION,
};

/* This binary, which the library runs again as `steelyard worker`. */
static sy_status find_worker(probe_arguments *arguments, sy_error *err)
{
    ssize_t length = readlink("/proc/self/exe", arguments->worker_path, sizeof(arguments->worker_path) - 1);

    if (length < 0)
        return cli_fail(err, SY_IO, "/proc/self/exe, which names this program: %s", strerror(errno));
    arguments->worker_path[length] = '\0';
    arguments->options.worker_path = arguments->worker_path;
    return SY_OK;
}

static sy_status check(const probe_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    bool is_fake = strcmp(arguments->backend, "fake") == 0;

    if (operands->count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "no OPERATION is given");
        cli_hint(err, "steelyard backends lists them; to start: steelyard probe matmul --cases quick");
        return SY_INVALID_ARGUMENT;
    }
    if (operands->count > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time, after '%s'", operands->words[1],
                        operands->words[0]);
    if (is_fake && arguments->script == NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--backend fake: needs --script FILE, which says what it plays");
        cli_hint(err, "the form of the file: docs/fake-script.md");
        return SY_INVALID_ARGUMENT;
    }
    if (!is_fake && arguments->script != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--script %s: only for --backend fake, not %s", arguments->script,
                        arguments->backend);
    return SY_OK;
}

/* Fills what the table cannot: lists, callbacks, the worker. */
static sy_status complete(probe_arguments *arguments, sy_error *err)
{
    sy_probe_options *to = &arguments->options;

    to->implementations = (const char *const *)arguments->implementations.names;
    to->implementation_count = arguments->implementations.count;
    to->cases = (const char *const *)arguments->cases.names;
    to->case_count = arguments->cases.count;
    to->cancelled = cli_interrupt_asked;
    if (!arguments->common.quiet) {
        cli_progress_start();
        to->progress = cli_progress_show;
    }
    return strcmp(isolations[arguments->isolation], "worker") == 0 ? find_worker(arguments, err) : SY_OK;
}

static sy_status find_suite(const probe_arguments *arguments, sy_device *device, const char *operation,
                            const sy_suite **ret_suite, sy_error *err)
{
    sy_error inner = SY_ERROR_INIT;
    sy_status status = sy_device_suite(device, operation, ret_suite, &inner);

    if (status == SY_NOT_FOUND && arguments->script != NULL) {
        (void)cli_fail(err, status, "OPERATION '%s' is not that of the script %s", operation, arguments->script);
        cli_hint(err, "%s", inner.hint);
    } else if (status != SY_OK) {
        *err = inner;
    }
    return status;
}

static sy_status weigh(probe_arguments *arguments, const char *operation, sy_probe_result **ret_result, sy_error *err)
{
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    const sy_suite *suite;
    sy_status status;

    device_options.threads = arguments->threads;
    device_options.script = arguments->script;
    status = sy_device_open(arguments->backend, &device_options, &device, err);
    if (status == SY_OK)
        status = find_suite(arguments, device, operation, &suite, err);
    if (status == SY_OK)
        status = sy_probe(device, suite, &arguments->options, ret_result, err);
    sy_device_close(device);
    cli_progress_clear();
    return status;
}

static sy_status print_result(const probe_arguments *arguments, const sy_probe_result *result, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status = arguments->common.json ? sy_probe_result_to_json(result, &text, err)
                                              : sy_report_probe(result, &style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

static int exit_of(const probe_arguments *arguments, const sy_probe_result *result)
{
    if (result->interrupted)
        return CLI_INTERRUPTED;
    for (size_t i = 0; arguments->require_parity && i < result->candidate_count; i++) {
        if (result->candidates[i].parity == SY_PARITY_FAILED)
            return CLI_REFUSED;
    }
    return sy_decision_exit_code(result->decision);
}

static int run(int argc, char **argv)
{
    probe_arguments arguments = {.options = SY_PROBE_OPTIONS_INIT, .backend = "cpu"};
    cli_operands operands;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(&cli_command_probe, argc, argv, &arguments, &operands);

    if (code >= 0)
        goto out;
    cli_interrupt_watch();
    status = check(&arguments, &operands, &err);
    if (status == SY_OK)
        status = complete(&arguments, &err);
    if (status == SY_OK)
        status = weigh(&arguments, operands.words[0], &result, &err);
    if (status == SY_OK)
        status = print_result(&arguments, result, &err);
    code = status == SY_OK ? exit_of(&arguments, result) : cli_report("probe", arguments.script, &err);
out:
    sy_probe_result_destroy(result);
    cli_names_finish(&arguments.implementations);
    cli_names_finish(&arguments.cases);
    return code;
}

static const char *const paragraphs[] = {
    "Weighs the candidates of OPERATION against its reference implementation, on this machine, now. Outputs are "
    "compared first: a wrong one is never timed. Then runs are timed in pairs, reference and candidate back to back, "
    "a coin deciding which goes first, until a rule with stated error rates has its answer or a limit ends it.",
    "The reference stays the implementation to use unless the decision is win or tie. The other decisions: no-gain, "
    "not-slower and slower (with --question not-slower), inconclusive, parity-failed, vacuous, unavailable.",
    NULL};

static const char *const examples[] = {"steelyard probe matmul --cases quick",
                                       "which matrix product is the fastest here, on a few representative shapes",
                                       "steelyard probe matmul --implementations blis --threads 1 --json",
                                       "one candidate on one thread, for a program to read",
                                       "steelyard probe matmul --implementations blis --question not-slower",
                                       "could blis replace openblas without losing more than 3 %?",
                                       NULL};

const cli_command cli_command_probe = {
    .name = "probe",
    .summary = "weigh the implementations of an operation and decide which to use here",
    .usage = "OPERATION [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_OPERATIONS,
    .decides = true,
    .run = run,
};
