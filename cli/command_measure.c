/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard measure: turns arguments into a call of sy_measure and its result into text, JSON, CSV or Markdown. */
#include <assert.h>
#include <math.h>
#include <steelyard/command.h>
#include <steelyard/identity.h>
#include <steelyard/measure.h>
#include <steelyard/report.h>
#include <string.h>

#include "command.h"
#include "command_measure.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress_line.h"
#include "run_descriptor.h"
#include "terminal.h"

static const char *const isolations[] = {"worker", "none", NULL};
const char *const cli_measure_forms[] = {"text", "json", "csv", "markdown", NULL};

#define RUNS "How many runs"
#define PARITY "Equal outputs"
#define EXECUTION "Execution"
#define OUTPUT "Output"

static const cli_option options[] = {
    CLI_TARGET_OPTIONS(measure_arguments, target),
    {.name = "implementations",
     .argument = "NAME",
     .standard = "the operation's reference",
     .kind = CLI_NAMES,
     .group = CLI_TARGET_GROUP,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the one implementation to measure",
     CLI_INTO(measure_arguments, implementations)},
    {.name = "implementation",
     .argument = "NAME",
     .standard = "the operation's reference",
     .kind = CLI_NAMES,
     .group = CLI_TARGET_GROUP,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "the same as --implementations",
     CLI_INTO(measure_arguments, implementations)},
    {.name = "runs",
     .argument = "N",
     .standard = "as many as the budget allows",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = SY_MEASURE_RUNS_MAX,
     .group = RUNS,
     .help = "so many timed runs of each case, exactly",
     CLI_INTO(measure_arguments, options.runs)},
    {.name = "iterations",
     .argument = "N",
     .standard = "as many as the budget allows",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = SY_MEASURE_RUNS_MAX,
     .group = RUNS,
     .help = "the same as --runs",
     CLI_INTO(measure_arguments, options.runs)},
    {.name = "budget",
     .argument = "SECONDS",
     .standard = "3",
     .kind = CLI_SECONDS,
     .group = RUNS,
     .help = "time for the runs of each case; 10 are made at least, 1000 at most",
     CLI_INTO(measure_arguments, options.budget_ns)},
    {.name = "wall-limit",
     .argument = "SECONDS",
     .standard = "600",
     .kind = CLI_SECONDS,
     .group = RUNS,
     .help = "time for everything; what was measured by then is shown",
     CLI_INTO(measure_arguments, options.wall_limit_ns)},
    {.name = "warmup",
     .argument = "N",
     .standard = "0",
     .kind = CLI_WHOLE,
     .low = 0,
     .high = 1000000,
     .group = RUNS,
     .help = "runs before the first that is kept; a warm-up among those that are kept is found",
     CLI_INTO(measure_arguments, options.warmup)},
    {.name = "level",
     .argument = "L",
     .standard = "0.95",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 1,
     .below = true,
     .group = RUNS,
     .help = "how often the interval of a quantile holds it, at least",
     CLI_INTO(measure_arguments, options.level)},
    {.name = "allow-approximate",
     .kind = CLI_FLAG,
     .group = PARITY,
     .help = "also measure an implementation that promises approximate outputs only",
     CLI_INTO(measure_arguments, options.allow_approximate)},
    {.name = "atol",
     .argument = "A",
     .standard = "the case's model",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = PARITY,
     .help = "absolute tolerance: allowed is A + R |right value|",
     CLI_INTO(measure_arguments, options.absolute_tolerance)},
    {.name = "rtol",
     .argument = "R",
     .standard = "the case's model",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = INFINITY,
     .group = PARITY,
     .help = "relative tolerance; see --atol",
     CLI_INTO(measure_arguments, options.relative_tolerance)},
    {.name = "seed",
     .argument = "N",
     .standard = "drawn anew",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = INFINITY,
     .group = EXECUTION,
     .help = "of the inputs",
     CLI_INTO(measure_arguments, options.seed)},
    {.name = "isolation",
     .argument = "KIND",
     .standard = "worker",
     .kind = CLI_CHOICE,
     .choices = isolations,
     .group = EXECUTION,
     .help = "worker: in a process of its own; none: in this one",
     CLI_INTO(measure_arguments, isolation)},
    CLI_PROGRAM_RUN_OPTIONS(measure_arguments, programs),
    CLI_PROGRAM_TEXTS(measure_arguments, programs.names, "name", "NAME", "of the command, in results"),
    {.name = "output",
     .argument = "SINK",
     .standard = "stdout",
     .kind = CLI_TEXTS,
     .group = CLI_PROGRAM_GROUP,
     .help = "stdout: what it writes goes to a file, which is removed; null: it is discarded",
     CLI_INTO(measure_arguments, programs.outputs)},
    CLI_RECORDING_OPTIONS(measure_arguments, recorded),
    {.name = "export",
     .argument = "FORM",
     .standard = "text",
     .kind = CLI_CHOICE,
     .choices = cli_measure_forms,
     .group = OUTPUT,
     .help = "what is printed on stdout; csv: every run, markdown: a table for a comment",
     CLI_INTO(measure_arguments, form)},
    {.name = "all",
     .kind = CLI_FLAG,
     .group = OUTPUT,
     .help = "also name the case where there is only one",
     CLI_INTO(measure_arguments, all)},
    CLI_JSON_OPTION,
};

/* What may stop it, and the line that shows how far it is. */
static void attend(measure_arguments *arguments)
{
    arguments->options.cancelled = cli_interrupt_asked;
    if (!arguments->common.quiet) {
        cli_progress_start();
        arguments->options.progress = cli_progress_show;
    }
}

/* Fills what the table cannot: lists, the worker. */
static sy_status complete(measure_arguments *arguments, cli_target *target, sy_error *err)
{
    sy_measure_options *to = &arguments->options;
    uint64_t free_bytes = 0;

    if (arguments->implementations.count > 0)
        to->implementation = arguments->implementations.names[0];
    to->cases = (const char *const *)arguments->target.cases.names;
    to->case_count = arguments->target.cases.count;
    if (strcmp(isolations[arguments->isolation], "worker") != 0)
        return SY_OK;
    to->worker_path = target->worker_path;
    if (sy_device_free_memory(target->device, &free_bytes, NULL) == SY_OK)
        to->worker_memory_limit_bytes = free_bytes; /* no worker may take more than there is now */
    return cli_target_find_worker(target, err);
}

/* The command behind "--", handed over byte for byte, or as one text to a shell. */
static sy_status open_program(const measure_arguments *arguments, const cli_operands *operands, cli_target *target,
                              sy_error *err)
{
    const char *words[CLI_OPERANDS_MAX + 1] = {NULL};
    const cli_programs *programs = &arguments->programs;
    sy_command command = {.name = programs->names.count > 0 ? programs->names.names[0] : NULL};
    sy_command_spec spec = SY_COMMAND_SPEC_INIT;
    sy_status status = cli_target_find_worker(target, err);

    if (status != SY_OK)
        return status;
    memcpy(words, operands->words, operands->count * sizeof(words[0]));
    if (programs->shell != NULL)
        command.line = words[0];
    else
        command.argv = words;
    cli_programs_fill(programs, target->worker_path, &spec);
    spec.commands = &command;
    spec.command_count = 1;
    spec.compare = SY_COMMAND_COMPARE_NONE;
    status = sy_command_device_open(&spec, &target->device, err);
    if (status == SY_OK)
        target->suite = sy_command_suite(target->device);
    return status;
}

/* Who measures: it stands in the result. */
static sy_status describe(const cli_target *target, sy_identity **ret_identity, sy_error *err)
{
    sy_identity_options identity_options = SY_IDENTITY_OPTIONS_INIT;
    sy_device_info info;
    sy_status status = sy_device_describe(target->device, &info, err);

    identity_options.device = &info;
    return status == SY_OK ? sy_identity_describe(&identity_options, ret_identity, err) : status;
}

/* Measures, between the beginning and the end of a run. */
static sy_status measure_recorded(measure_arguments *arguments, const cli_target *target,
                                  sy_measure_result **ret_result, sy_error *err)
{
    sy_recording_options describe = SY_RECORDING_OPTIONS_INIT;
    sy_status status;

    describe.suite = target->suite;
    describe.hold_ns = arguments->options.wall_limit_ns;
    describe.identity = arguments->options.identity;
    describe.cases = arguments->options.cases;
    describe.case_count = arguments->options.case_count;
    describe.implementation = arguments->options.implementation;
    for (size_t i = 0; describe.implementation == NULL && i < target->suite->implementation_count; i++) {
        if (target->suite->implementations[i].role == SY_ROLE_REFERENCE)
            describe.implementation = target->suite->implementations[i].name;
    }
    status = cli_recording_begin(&arguments->recording, SY_RUN_KIND_SESSION, target->device, &describe, err);
    if (status != SY_OK)
        return status;
    status = sy_measure(target->device, target->suite, &arguments->options, ret_result, err);
    cli_progress_clear();
    if (status != SY_OK) {
        cli_recording_give_up(&arguments->recording, err);
        return status;
    }
    cli_run_lines_tell_measure(*ret_result);
    return cli_recording_keep_measure(&arguments->recording, *ret_result, err);
}

static sy_status measure(measure_arguments *arguments, const cli_operands *operands, sy_measure_result **ret_result,
                         sy_error *err)
{
    cli_target target = {0};
    sy_identity *identity = NULL;
    sy_status status = cli_measure_check(arguments, operands, err);

    if (status == SY_OK)
        status = cli_recording_open(&arguments->recording, &arguments->recorded, arguments->common.quiet, err);
    attend(arguments);
    if (status == SY_OK && cli_measure_means_program(operands))
        status = open_program(arguments, operands, &target, err);
    else if (status == SY_OK)
        status = cli_target_open(&arguments->target, operands, &target, err);
    if (status == SY_OK && !cli_measure_means_program(operands))
        status = complete(arguments, &target, err);
    if (status == SY_OK)
        status = describe(&target, &identity, err);
    arguments->options.identity = identity;
    if (status == SY_OK)
        status = measure_recorded(arguments, &target, ret_result, err);
    cli_progress_clear();
    arguments->options.identity = NULL;
    arguments->options.worker_path = NULL;
    sy_identity_destroy(identity);
    cli_target_close(&target);
    return status;
}

static sy_status print_result(const measure_arguments *arguments, const sy_measure_result *result, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    unsigned int form = arguments->common.json ? EXPORT_JSON : arguments->form;
    char *text = NULL;
    sy_status status;

    style.all = arguments->all;
    if (form == EXPORT_JSON)
        status = sy_report_measure_json(result, &text, err);
    else if (form == EXPORT_CSV)
        status = sy_report_measure_csv(result, &text, err);
    else if (form == EXPORT_MARKDOWN)
        status = sy_report_measure_markdown(result, &text, err);
    else
        status = sy_report_measure(result, &style, &text, err);
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

/* What a form without room for it does not say. */
static void say_obstacle(const measure_arguments *arguments, const sy_measure_result *result)
{
    if (arguments->form == EXPORT_CSV && result->error[0] != '\0')
        cli_remark(result->error);
}

static int exit_of(const sy_measure_result *result)
{
    static const char *const undecided[] = {"vacuous", "wall-limit", "void", "timer"};

    assert(result != NULL);
    if (result->interrupted)
        return CLI_INTERRUPTED;
    if (result->measured)
        return CLI_DONE;
    if (result->parity == SY_PARITY_FAILED)
        return CLI_REFUSED;
    for (size_t i = 0; i < sizeof(undecided) / sizeof(undecided[0]); i++) {
        if (strcmp(result->reason, undecided[i]) == 0)
            return CLI_UNDECIDED;
    }
    return CLI_ENVIRONMENT;
}

static int run(int argc, char **argv)
{
    measure_arguments arguments = {.options = SY_MEASURE_OPTIONS_INIT, .target = {.backend = "cpu"}};
    cli_operands operands;
    sy_measure_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code;

    cli_run_lines_prepare();
    cli_recording_take_words(&arguments.recording, argc, argv);
    code = cli_command_begin(&cli_command_measure, argc, argv, &arguments, &operands);
    if (code >= 0)
        goto out;
    cli_interrupt_watch();
    status = measure(&arguments, &operands, &result, &err);
    if (result != NULL) { /* also when it could not be recorded: it was measured */
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = print_result(&arguments, result, &unprinted);

        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
        say_obstacle(&arguments, result);
    }
    code = status == SY_OK ? exit_of(result) : cli_report("measure", arguments.target.script, &err);
    code = cli_recording_exit(&arguments.recording, code);
out:
    sy_measure_result_destroy(result);
    cli_recording_close(&arguments.recording);
    cli_recording_finish(&arguments.recorded);
    cli_names_finish(&arguments.implementations);
    cli_names_finish(&arguments.target.cases);
    cli_programs_finish(&arguments.programs);
    return code;
}

static const char *const paragraphs[] = {
    "Times one implementation of OPERATION, or one command, alone, many runs in a row, and says what the runs say: a "
    "median with an "
    "interval that needs no assumption about their distribution, or what stands in its way: two modes, a trend, a "
    "clock that is too coarse. A warm-up is found and set aside; nothing else is left out.",
    "Outputs are compared first, as in a probe: what is wrong is not timed. How many runs is a number or a matter of "
    "time, never of what they show. Which of two is faster is the question of steelyard probe.",
    "A command stands behind --, its words handed over as they are, without a shell. Each run is a process of its own, "
    "and the first counts; one that fails ends it.",
    NULL};

static const char *const examples[] = {"steelyard measure matmul --implementations onednn --cases square-512",
                                       "how long one product takes, and how steadily",
                                       "steelyard measure matmul --cases quick --runs 100 --export csv > runs.csv",
                                       "every run of the reference, for a plot", NULL};

const cli_command cli_command_measure = {
    .name = "measure",
    .summary = "time one implementation alone, and say what its runs say",
    .usage = "OPERATION|PLUGIN.so [option...] | [option...] -- PROGRAM [ARGUMENT...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_OPERATIONS,
    .decides = true,
    .run = run,
};
