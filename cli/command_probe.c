/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe: turns arguments into a call of sy_probe and its result into text or JSON and an exit code. */
#include <math.h>
#include <stdio.h>
#include <steelyard/identity.h>
#include <steelyard/probe.h>
#include <steelyard/report.h>
#include <steelyard/select.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress_line.h"
#include "target.h"
#include "terminal.h"

typedef struct probe_arguments {
    cli_common common;
    sy_probe_options options;
    cli_target_arguments target;
    cli_names implementations;
    unsigned int isolation; /* index into isolations */
    bool require_parity;
    bool save;
    const char *store;
    const char *model_digest;
    bool all;
} probe_arguments;

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
     .help = "the implementation that the others are held against",
     CLI_INTO(probe_arguments, options.reference)},
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
    {.name = "all",
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "also show every candidate on every case",
     CLI_INTO(probe_arguments, all)},
    CLI_JSON_OPTION,
};

/* Fills what the table cannot: lists, callbacks, the worker. */
static sy_status complete(probe_arguments *arguments, cli_target *target, sy_error *err)
{
    sy_probe_options *to = &arguments->options;
    uint64_t free_bytes = 0;

    to->implementations = (const char *const *)arguments->implementations.names;
    to->implementation_count = arguments->implementations.count;
    to->cases = (const char *const *)arguments->target.cases.names;
    to->case_count = arguments->target.cases.count;
    to->cancelled = cli_interrupt_asked;
    if (!arguments->common.quiet) {
        cli_progress_start();
        to->progress = cli_progress_show;
    }
    if (strcmp(isolations[arguments->isolation], "worker") != 0)
        return SY_OK;
    to->worker_path = target->worker_path;
    if (sy_device_free_memory(target->device, &free_bytes, NULL) == SY_OK)
        to->worker_memory_limit_bytes = free_bytes; /* no worker may take more than there is now */
    return cli_target_find_worker(target, err);
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

static sy_request request_of(const probe_arguments *arguments, const cli_target *target)
{
    sy_request request = SY_REQUEST_INIT;

    request.suite = target->suite;
    request.device = target->device;
    request.model_digest = arguments->model_digest;
    request.cases = target->cases;
    request.case_count = target->case_count;
    request.allow_approximate = arguments->options.allow_approximate;
    request.cache_state = sy_cache_state_word(arguments->options.cache);
    return request;
}

static sy_status open_store(const probe_arguments *arguments, sy_selector **ret_selector, sy_error *err)
{
    sy_store_options store_options = SY_STORE_OPTIONS_INIT;
    sy_selector_options selector_options = SY_SELECTOR_OPTIONS_INIT;

    store_options.path = arguments->store;
    selector_options.store_options = &store_options;
    return sy_selector_open(&selector_options, ret_selector, err);
}

/* The k-th probe of a key runs at alpha 2^(1-k), so that probing again and again wins wrongly in less than 2 alpha. */
static sy_status lower_alpha(probe_arguments *arguments, const cli_target *target, sy_selector *selector,
                             uint32_t *ret_attempts, sy_error *err)
{
    sy_request request = request_of(arguments, target);
    sy_status status = sy_selector_next_alpha(selector, &request, &arguments->options, &arguments->options.alpha,
                                              ret_attempts, err);

    if (status == SY_REFUSED) { /* the call is what has to change */
        err->status = SY_INVALID_ARGUMENT;
        cli_hint(err, "--max-pairs may be raised; steelyard profile remove --here %s forgets the attempts",
                 target->suite->operation);
        return SY_INVALID_ARGUMENT;
    }
    return status;
}

/* Says which probe of this key it was. */
static void say_attempt(const sy_probe_result *result, uint32_t attempts)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "probe %u of this key, at alpha %.3g; together below %.3g",
                   (unsigned)attempts + 1, result->alpha, ldexp(result->alpha, (int)attempts + 1));
    cli_remark(line);
    if (result->processes == 1)
        cli_remark("from one process of each implementation: --processes 4 tells whether another start decides "
                   "otherwise");
}

static sy_status save(const probe_arguments *arguments, const cli_target *target, sy_selector *selector,
                      uint32_t attempts, const sy_probe_result *result, sy_error *err)
{
    sy_request request = request_of(arguments, target);
    sy_layer_info layer;
    sy_put_result put = {0};
    char text[512] = "kept in ";
    sy_status status = sy_selector_keep(selector, &request, result, &put, err);

    if (status == SY_REFUSED) { /* a decision that is none to keep is not a failure of the probe */
        cli_remark(err->what);
        if (err->hint[0])
            cli_remark(err->hint);
        return SY_OK;
    }
    if (status == SY_OK)
        status = sy_store_layer(sy_selector_store(selector), 0, &layer, err);
    if (status != SY_OK)
        err->position = (sy_position){0}; /* of the store, which the text names; not of the script */
    if (status != SY_OK || arguments->common.quiet)
        return status;
    cli_append(text, sizeof(text), layer.path[0] ? layer.path : "memory only, since there is no folder for it");
    if (put.not_kept[0]) {
        cli_append(text, sizeof(text), "; its format cannot hold: ");
        cli_append(text, sizeof(text), put.not_kept);
    }
    cli_remark(text);
    say_attempt(result, attempts);
    return SY_OK;
}

static sy_status weigh(probe_arguments *arguments, const cli_operands *operands, sy_probe_result **ret_result,
                       sy_error *err)
{
    cli_target target = {0};
    sy_identity *identity = NULL;
    sy_selector *selector = NULL;
    uint32_t attempts = 0;
    sy_status status = cli_target_open(&arguments->target, operands, &target, err);

    if (status == SY_OK)
        status = complete(arguments, &target, err);
    if (status == SY_OK)
        status = describe(&target, &identity, err);
    arguments->options.identity = identity;
    if (status == SY_OK && arguments->save) {
        status = cli_target_choose_cases(&arguments->target, &target, err);
        if (status == SY_OK)
            status = open_store(arguments, &selector, err);
        if (status == SY_OK)
            status = lower_alpha(arguments, &target, selector, &attempts, err);
    }
    if (status == SY_OK)
        status = sy_probe(target.device, target.suite, &arguments->options, ret_result, err);
    cli_progress_clear();
    if (status == SY_OK && arguments->save)
        status = save(arguments, &target, selector, attempts, *ret_result, err);
    arguments->options.identity = NULL;
    arguments->options.worker_path = NULL;
    sy_selector_close(selector);
    sy_identity_destroy(identity);
    cli_target_close(&target);
    return status;
}

static sy_status print_result(const probe_arguments *arguments, const sy_probe_result *result, sy_error *err)
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
    probe_arguments arguments = {.options = SY_PROBE_OPTIONS_INIT, .target = {.backend = "cpu"}};
    cli_operands operands;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(&cli_command_probe, argc, argv, &arguments, &operands);

    if (code >= 0)
        goto out;
    cli_interrupt_watch();
    status = weigh(&arguments, &operands, &result, &err);
    if (result != NULL) { /* also when it could not be kept: it was measured */
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = print_result(&arguments, result, &unprinted);

        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
    }
    code = status == SY_OK && result != NULL ? exit_of(&arguments, result)
                                             : cli_report("probe", arguments.target.script, &err);
out:
    sy_probe_result_destroy(result);
    cli_names_finish(&arguments.implementations);
    cli_names_finish(&arguments.target.cases);
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
