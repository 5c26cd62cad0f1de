/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe with commands: from options to a spec, one weighing for each choice of parameters, and the worst of
 * their exit codes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <steelyard/identity.h>
#include <string.h>

#include "argument_number.h"
#include "command_probe.h"
#include "message.h"
#include "progress_line.h"
#include "run_descriptor.h"

enum { COMMANDS_MAX = 64, PARAMETERS_MAX = 8, WEIGHINGS_MAX = 1000 };

/* Programs take longer than functions. */
#define BUDGET_NS UINT64_C(60000000000)
#define WALL_LIMIT_NS UINT64_C(180000000000)
#define SEPARATOR "--vs"

/* One --parameter: its name, and its values one behind the other, each with its 0. */
typedef struct parameter {
    char *text;
    const char *values[CLI_OPERANDS_MAX];
    size_t count;
} parameter;

typedef struct weighings {
    sy_command_spec spec;
    sy_command commands[COMMANDS_MAX];
    const char *words[CLI_OPERANDS_MAX + COMMANDS_MAX]; /* of the form with --vs: each command's end in NULL */
    parameter parameters[PARAMETERS_MAX];
    size_t parameter_count;
    sy_command_parameter chosen[PARAMETERS_MAX];
    sy_probe_result *results[WEIGHINGS_MAX];
    size_t count;
    cli_target binary; /* this one, which is the launcher */
} weighings;

static bool has_separator(const cli_operands *operands)
{
    for (size_t i = 0; i < operands->count; i++) {
        if (strcmp(operands->words[i], SEPARATOR) == 0)
            return true;
    }
    return false;
}

bool cli_probe_means_programs(const probe_arguments *arguments, const cli_operands *operands)
{
    return arguments->programs.candidates.count > 0 || has_separator(operands) ||
           (arguments->options.reference != NULL && operands->count == 0);
}

sy_status cli_probe_refuse_program_options(const probe_arguments *arguments, sy_error *err)
{
    const char *name = cli_programs_given(&arguments->programs);

    if (name == NULL)
        return SY_OK;
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only for commands", name);
    cli_hint(err, "steelyard probe --reference 'A' --candidate 'B', or steelyard probe -- A --vs B");
    return SY_INVALID_ARGUMENT;
}

/* What has no meaning for programs is refused, that nobody believes it was heard. */
static sy_status refuse_operation_options(const probe_arguments *arguments, sy_error *err)
{
    const sy_probe_options *o = &arguments->options;
    const char *name = arguments->implementations.count > 0 ? "implementations"
                       : arguments->target.cases.count > 0  ? "cases"
                       : arguments->target.script != NULL   ? "script"
                       : arguments->target.threads > 0      ? "threads"
                       : !isnan(o->absolute_tolerance)      ? "atol"
                       : !isnan(o->relative_tolerance)      ? "rtol"
                       : o->prefer != SY_PREFER_SPEED       ? "prefer"
                       : o->processes > 1                   ? "processes"
                       : o->cache != SY_CACHE_HOT           ? "cache"
                       : o->min_free_memory_bytes > 0       ? "min-free-memory"
                       : strcmp(arguments->target.backend, "cpu") != 0 &&
                               strcmp(arguments->target.backend, "command") != 0
                           ? "backend"
                           : NULL;

    if (name != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only for an OPERATION, not for commands", name);
        if (strstr(name, "tol") != NULL)
            cli_hint(err, "--compare numbers:ATOL,RTOL says how far numbers in outputs may lie apart");
        if (strcmp(name, "processes") == 0)
            cli_hint(err, "each run of a command is a fresh process already");
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->save || arguments->model_digest != NULL || arguments->store != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "a decision about commands is not kept");
        cli_hint(err, "it holds for these files and inputs as they are now, and no engine asks for it; --json keeps "
                      "the whole result");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

/* --reference 'A' --candidate 'B' ... */
static sy_status take_lines(const probe_arguments *arguments, const cli_operands *operands, weighings *w, sy_error *err)
{
    const cli_names *candidates = &arguments->programs.candidates;

    if (operands->count > 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s': a command is one text, in quotes", operands->words[0]);
        cli_hint(err, "--candidate 'program argument', or steelyard probe -- A --vs B");
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->options.reference == NULL || candidates->count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "a %s without a %s",
                       candidates->count > 0 ? "--candidate" : "--reference",
                       candidates->count > 0 ? "--reference" : "--candidate");
        cli_hint(err, "steelyard probe --reference 'A' --candidate 'B'");
        return SY_INVALID_ARGUMENT;
    }
    if (candidates->count >= COMMANDS_MAX)
        return cli_fail(err, SY_INVALID_ARGUMENT, "%zu candidates: at most %d", candidates->count, COMMANDS_MAX - 1);
    w->commands[0].line = arguments->options.reference;
    for (size_t i = 0; i < candidates->count; i++)
        w->commands[i + 1].line = candidates->names[i];
    w->spec.command_count = candidates->count + 1;
    return SY_OK;
}

/* -- A args --vs B args ... */
static sy_status take_words(const probe_arguments *arguments, const cli_operands *operands, weighings *w, sy_error *err)
{
    size_t at = 0;

    if (arguments->options.reference != NULL || arguments->programs.candidates.count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "commands are given twice: by options, and around " SEPARATOR);
    w->spec.command_count = 0;
    for (size_t i = 0; i <= operands->count; i++) {
        if (i < operands->count && strcmp(operands->words[i], SEPARATOR) != 0) {
            w->words[at++] = operands->words[i];
            continue;
        }
        if (w->spec.command_count == COMMANDS_MAX)
            return cli_fail(err, SY_INVALID_ARGUMENT, "more than %d commands", COMMANDS_MAX);
        w->words[at++] = NULL;
        w->spec.command_count++;
    }
    at = 0;
    for (size_t i = 0; i < w->spec.command_count; i++) {
        w->commands[i].argv = &w->words[at];
        if (w->words[at] == NULL)
            return cli_fail(err, SY_INVALID_ARGUMENT, "an empty command %s " SEPARATOR, i == 0 ? "before" : "after");
        while (w->words[at++] != NULL) {
        }
    }
    return SY_OK;
}

static sy_status take_names(const probe_arguments *arguments, weighings *w, sy_error *err)
{
    const cli_names *names = &arguments->programs.names;

    if (names->count > w->spec.command_count)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--name %s: %zu names for %zu commands",
                        names->names[names->count - 1], names->count, w->spec.command_count);
    for (size_t i = 0; i < names->count; i++)
        w->commands[i].name = names->names[i];
    return SY_OK;
}

/* "bytes", "none", "numbers:1e-9,1e-6" */
static sy_status take_compare(const probe_arguments *arguments, sy_command_spec *spec, sy_error *err)
{
    const char *how = arguments->programs.compare;
    char absolute[64];
    const char *comma;

    spec->compare = SY_COMMAND_COMPARE_BYTES;
    if (how == NULL || strcmp(how, "bytes") == 0)
        return SY_OK;
    if (strcmp(how, "none") == 0) {
        spec->compare = SY_COMMAND_COMPARE_NONE;
        return SY_OK;
    }
    spec->compare = SY_COMMAND_COMPARE_NUMBERS;
    comma = strncmp(how, "numbers:", 8) == 0 ? strchr(how, ',') : NULL;
    if (comma != NULL)
        (void)snprintf(absolute, sizeof(absolute), "%.*s", (int)(comma - how - 8), how + 8);
    if (comma != NULL && cli_number_double(absolute, &spec->absolute_tolerance) &&
        cli_number_double(comma + 1, &spec->relative_tolerance) && spec->absolute_tolerance >= 0 &&
        spec->relative_tolerance >= 0)
        return SY_OK;
    return cli_fail(err, SY_INVALID_ARGUMENT,
                    "--compare %s: must be bytes, none or numbers:ATOL,RTOL, such as "
                    "numbers:0,1e-6",
                    how);
}

static sy_status take_parameter(const char *given, parameter *to, sy_error *err)
{
    char *at;

    to->text = strdup(given);
    if (to->text == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for a parameter");
    at = strchr(to->text, '=');
    if (at == NULL || at == to->text || at[1] == '\0')
        return cli_fail(err, SY_INVALID_ARGUMENT, "--parameter %s: must be NAME=A,B,...", given);
    *at++ = '\0';
    while (at != NULL && to->count < CLI_OPERANDS_MAX) {
        to->values[to->count++] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return at == NULL ? SY_OK : cli_fail(err, SY_INVALID_ARGUMENT, "--parameter %s: too many values", given);
}

/* One of two by the same name would never take its place. */
static sy_status check_parameter(const weighings *w, size_t index, sy_error *err)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(w->parameters[i].text, w->parameters[index].text) == 0)
            return cli_fail(err, SY_INVALID_ARGUMENT, "--parameter %s is given twice", w->parameters[i].text);
    }
    return SY_OK;
}

static sy_status take_parameters(const probe_arguments *arguments, weighings *w, sy_error *err)
{
    const cli_names *given = &arguments->programs.parameters;
    size_t product = 1;
    sy_status status = SY_OK;

    if (given->count > PARAMETERS_MAX)
        return cli_fail(err, SY_INVALID_ARGUMENT, "%zu parameters: at most %d", given->count, PARAMETERS_MAX);
    for (size_t i = 0; status == SY_OK && i < given->count; i++) {
        status = take_parameter(given->names[i], &w->parameters[i], err);
        w->parameter_count++;
        if (status == SY_OK)
            status = check_parameter(w, i, err);
        if (status == SY_OK)
            product *= w->parameters[i].count;
        if (status == SY_OK && product > WEIGHINGS_MAX)
            status = cli_fail(err, SY_INVALID_ARGUMENT, "the parameters make more than %d weighings", WEIGHINGS_MAX);
    }
    w->count = product;
    return status;
}

static sy_status make_spec(const probe_arguments *arguments, const cli_operands *operands, weighings *w, sy_error *err)
{
    const cli_programs *p = &arguments->programs;
    sy_command_spec *spec = &w->spec;
    sy_status status = has_separator(operands) ? take_words(arguments, operands, w, err)
                                               : take_lines(arguments, operands, w, err);

    if (status == SY_OK)
        status = take_names(arguments, w, err);
    if (status == SY_OK)
        status = take_compare(arguments, spec, err);
    if (status == SY_OK)
        status = take_parameters(arguments, w, err);
    if (status == SY_OK)
        status = cli_target_find_worker(&w->binary, err);
    spec->commands = w->commands;
    cli_programs_fill(p, w->binary.worker_path, spec);
    spec->ignore_lines = (const char *const *)p->ignore_lines.names;
    spec->ignore_line_count = p->ignore_lines.count;
    return status;
}

/* The parameters' values of the n-th weighing; the last one changes fastest. */
static void choose_parameters(weighings *w, size_t n)
{
    for (size_t i = w->parameter_count; i-- > 0;) {
        const parameter *from = &w->parameters[i];

        w->chosen[i] = (sy_command_parameter){from->text, from->values[n % from->count]};
        n /= from->count;
    }
    w->spec.parameters = w->chosen;
    w->spec.parameter_count = w->parameter_count;
}

/* Weighs, between the beginning and the end of a run. */
static sy_status weigh_recorded(probe_arguments *arguments, sy_device *device, const sy_probe_options *options,
                                sy_probe_result **ret_result, sy_error *err)
{
    sy_recording_options describe = SY_RECORDING_OPTIONS_INIT;
    sy_recorded recorded = {"", ""};
    sy_status status;

    describe.suite = sy_command_suite(device);
    describe.hold_ns = options->wall_limit_ns;
    describe.identity = options->identity;
    status = cli_recording_begin(&arguments->recording, SY_RUN_KIND_DECISION, device, &describe, err);
    if (status != SY_OK)
        return status;
    status = sy_probe(device, describe.suite, options, ret_result, err);
    cli_progress_clear();
    if (status != SY_OK) {
        cli_recording_give_up(&arguments->recording, err);
        return status;
    }
    cli_run_lines_tell_probe(*ret_result);
    status = cli_recording_keep_probe(&arguments->recording, *ret_result, &recorded, err);
    return status == SY_OK ? cli_probe_page_add(arguments, *ret_result, &recorded, "", err) : status;
}

static sy_status weigh(probe_arguments *arguments, weighings *w, size_t n, sy_error *err)
{
    sy_identity_options identity_options = SY_IDENTITY_OPTIONS_INIT;
    sy_probe_options options = arguments->options;
    sy_identity *identity = NULL;
    sy_device *device = NULL;
    sy_device_info info;
    sy_status status;

    choose_parameters(w, n);
    status = sy_command_device_open(&w->spec, &device, err);
    if (status == SY_OK)
        status = sy_device_describe(device, &info, err);
    identity_options.device = &info;
    if (status == SY_OK)
        status = sy_identity_describe(&identity_options, &identity, err);
    options.identity = identity;
    options.reference = NULL; /* it is the first command */
    if (status == SY_OK)
        status = weigh_recorded(arguments, device, &options, &w->results[n], err);
    sy_identity_destroy(identity);
    sy_device_close(device);
    return status;
}

static int weigh_all(probe_arguments *arguments, weighings *w)
{
    int code = CLI_DONE;
    size_t done = 0;
    bool several = w->count > 1;
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;

    for (; done < w->count && code != CLI_INTERRUPTED; done++) {
        status = weigh(arguments, w, done, &err);
        if (w->results[done] != NULL && !(several && arguments->common.json)) { /* also when it was not recorded */
            sy_error unprinted = SY_ERROR_INIT;
            sy_status printed = cli_probe_print(arguments, w->results[done], &unprinted);

            if (status == SY_OK && printed != SY_OK) {
                status = printed;
                err = unprinted;
            }
        }
        if (status == SY_OK)
            code = cli_probe_worse(code, cli_probe_exit(arguments, w->results[done]));
        if (status != SY_OK)
            break;
    }
    if (several && done > 0) { /* also when a later one could not be weighed */
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = cli_probe_print_all(arguments, (const sy_probe_result *const *)w->results, done,
                                                &unprinted);

        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
    }
    if (status == SY_OK)
        status = cli_probe_page_write(arguments, &err);
    return status == SY_OK ? code : cli_report("probe", NULL, &err);
}

int cli_probe_programs(probe_arguments *arguments, const cli_operands *operands)
{
    sy_error err = SY_ERROR_INIT;
    weighings *w = calloc(1, sizeof(*w));
    sy_status status = w != NULL ? refuse_operation_options(arguments, &err)
                                 : cli_fail(&err, SY_NO_MEMORY, "no memory to weigh commands");
    int code;

    if (w != NULL)
        w->spec = (sy_command_spec)SY_COMMAND_SPEC_INIT;
    if (status == SY_OK)
        status = make_spec(arguments, operands, w, &err);
    if (arguments->options.budget_ns == CLI_UNSET_NS)
        arguments->options.budget_ns = BUDGET_NS;
    if (arguments->options.wall_limit_ns == CLI_UNSET_NS)
        arguments->options.wall_limit_ns = WALL_LIMIT_NS;
    cli_probe_attend(arguments);
    code = status == SY_OK ? weigh_all(arguments, w) : cli_report("probe", NULL, &err);
    for (size_t n = 0; w != NULL && n < w->count; n++)
        sy_probe_result_destroy(w->results[n]);
    for (size_t i = 0; w != NULL && i < w->parameter_count; i++)
        free(w->parameters[i].text);
    free(w);
    return code;
}
