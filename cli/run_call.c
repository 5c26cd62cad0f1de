/* SPDX-License-Identifier: Apache-2.0 */
/* The frame around verbs on runs and their keys. */
#include "run_call.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "terminal.h"

static sy_status open_and_work(cli_run_call *call, cli_ledger_use use, cli_run_work work, sy_error *err)
{
    const cli_run_arguments *arguments = call->arguments;
    sy_status status = cli_project_open(&arguments->project, use, &call->project, err);

    if (status == SY_OK) {
        status = work(call, err);
        /* A run, gate or file that is not there is no mistake in the call. */
        if (status == SY_NOT_FOUND)
            call->code = CLI_NOTHING;
    }
    if (status == SY_OK)
        cli_output_write(call->text);
    sy_text_free(call->text);
    sy_project_close(call->project);
    return status;
}

int cli_run_verb(const cli_command *command, size_t words, const char *what, cli_ledger_use use, cli_run_work work,
                 void *arguments, int argc, char **argv)
{
    cli_run_call call = {.arguments = arguments, .code = CLI_DONE};
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(command, argc, argv, arguments, &call.operands);

    if (code >= 0)
        return code;
    call.json = ((const cli_run_arguments *)arguments)->common.json;
    call.style = cli_terminal_style(&((const cli_run_arguments *)arguments)->common);
    if (call.operands.count == words)
        status = open_and_work(&call, use, work, &err);
    else
        status = cli_fail(&err, SY_INVALID_ARGUMENT, "%s takes %s", command->name, what);
    if (status == SY_OK)
        return call.code;
    code = cli_report(command->name, NULL, &err);
    return call.code == CLI_NOTHING ? CLI_NOTHING : code;
}

bool cli_run_is_dry(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dry-run") == 0)
            return true;
    }
    return false;
}

sy_status cli_run_must_say(const char *text, const char *option, const char *question, sy_error *err)
{
    if (text != NULL)
        return SY_OK;
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s is missing", option);
    cli_hint(err, "%s", question);
    return SY_INVALID_ARGUMENT;
}

sy_status cli_run_find(cli_run_call *call, const char *id, sy_run **ret_run, sy_error *err)
{
    return sy_ledger_run(sy_project_ledger(call->project), id, ret_run, err);
}

sy_status cli_run_pairs(const cli_names *names, const char *option, sy_named_text **ret_pairs, sy_error *err)
{
    sy_named_text *pairs = calloc(names->count + 1, sizeof(*pairs));

    if (pairs == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for --%s", option);
    for (size_t i = 0; i < names->count; i++) {
        char *equals = strchr(names->names[i], '=');

        if (equals == NULL || equals == names->names[i] || equals[1] == '\0') {
            free(pairs);
            return cli_fail(err, SY_INVALID_ARGUMENT, "--%s %.100s: must be NAME=VALUE", option, names->names[i]);
        }
        *equals = '\0';
        pairs[i] = (sy_named_text){names->names[i], equals + 1};
    }
    *ret_pairs = pairs;
    return SY_OK;
}

char *cli_run_next_part(char **rest)
{
    char *part = *rest;
    char *to;

    if (part == NULL)
        return NULL;
    to = part;
    for (char *from = part;; from++, to++) {
        if (*from == ',' && from[1] != ',') {
            *rest = from + 1;
            break;
        }
        if (*from == '\0') {
            *rest = NULL;
            break;
        }
        from += *from == ',';
        *to = *from;
    }
    *to = '\0';
    return part;
}
