/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the arguments of steelyard measure go together, and with what is measured. */
#include <math.h>
#include <string.h>

#include "command_measure.h"
#include "message.h"

bool cli_measure_means_program(const cli_operands *operands)
{
    return operands->count > operands->before;
}

static bool is_path(const char *word)
{
    return strchr(word, '/') != NULL || strstr(word, ".so") != NULL;
}

static sy_status check_operation(const measure_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    const char *program_option = cli_programs_given(&arguments->programs);

    if (operands->count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "no OPERATION is given, and no command behind --");
        cli_hint(err, "steelyard measure matmul --cases square-512, or steelyard measure -- PROGRAM ARGUMENT...");
        return SY_INVALID_ARGUMENT;
    }
    if (program_option != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only for a command", program_option);
        cli_hint(err, "steelyard measure -- PROGRAM ARGUMENT...");
        return SY_INVALID_ARGUMENT;
    }
    if (operands->count > 1 && !is_path(operands->words[0])) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time, after '%s'", operands->words[1],
                       operands->words[0]);
        cli_hint(err, "a program: steelyard measure -- %s %s", operands->words[0], operands->words[1]);
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->implementations.count > 1) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--implementations %s,%s: one is measured alone",
                       arguments->implementations.names[0], arguments->implementations.names[1]);
        cli_hint(err, "which is faster: steelyard probe %s --reference %s --implementations %s", operands->words[0],
                 arguments->implementations.names[0], arguments->implementations.names[1]);
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

/* What has no meaning for a command is refused, that nobody believes it was heard. */
static sy_status check_program(const measure_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    const sy_measure_options *o = &arguments->options;
    const char *name = arguments->implementations.count > 0 ? "implementations"
                       : arguments->target.cases.count > 0  ? "cases"
                       : arguments->target.script != NULL   ? "script"
                       : arguments->target.threads > 0      ? "threads"
                       : !isnan(o->absolute_tolerance)      ? "atol"
                       : !isnan(o->relative_tolerance)      ? "rtol"
                       : o->allow_approximate               ? "allow-approximate"
                       : o->seed > 0                        ? "seed"
                       : arguments->isolation != 0          ? "isolation"
                                                            : NULL;

    if (name != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only for an OPERATION, not for a command", name);
    if (operands->before > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s' and a command behind --: one thing at a time",
                        operands->words[0]);
    for (size_t i = 0; i < arguments->programs.outputs.count; i++) {
        const char *sink = arguments->programs.outputs.names[i];

        if (strcmp(sink, "stdout") != 0 && strcmp(sink, "null") != 0)
            return cli_fail(err, SY_INVALID_ARGUMENT, "--output %s: must be stdout or null: nothing is compared", sink);
    }
    for (size_t i = 0; i < operands->count; i++) {
        if (strcmp(operands->words[i], "--vs") == 0) {
            (void)cli_fail(err, SY_INVALID_ARGUMENT, "--vs: one command is measured alone");
            cli_hint(err, "which is faster: steelyard probe -- A --vs B");
            return SY_INVALID_ARGUMENT;
        }
    }
    if (arguments->programs.shell != NULL && operands->count > 1) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s': for a shell the command is one text, in quotes",
                       operands->words[1]);
        cli_hint(err, "steelyard measure --shell %s -- 'PROGRAM ARGUMENT | PROGRAM'", arguments->programs.shell);
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

sy_status cli_measure_check(const measure_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (arguments->common.json && arguments->form != EXPORT_TEXT && arguments->form != EXPORT_JSON)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--json and --export %s: one form at a time",
                        cli_measure_forms[arguments->form]);
    return cli_measure_means_program(operands) ? check_program(arguments, operands, err)
                                               : check_operation(arguments, operands, err);
}
