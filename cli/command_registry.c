/* SPDX-License-Identifier: Apache-2.0 */
/* The frame around steelyard matrix and steelyard gate: arguments, the project's root, the open registry, errors. */
#include "command_registry.h"

#include <string.h>

#include "message.h"
#include "output.h"
#include "terminal.h"

int cli_registry_run(const cli_command *command, int argc, char **argv, uint32_t limit, cli_registry_act act)
{
    cli_registry_call call = {.command = command, .arguments = {.limit = limit}, .code = CLI_DONE};
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(command, argc, argv, &call.arguments, &call.operands);

    if (code >= 0)
        return code;
    status = act(&call, &err);
    sy_registry_close(call.registry);
    sy_text_free(call.root);
    return status == SY_OK ? call.code : cli_report(command->name, NULL, &err);
}

sy_status cli_registry_no_words(const cli_registry_call *call, sy_error *err)
{
    if (call->operands.count == 0)
        return SY_OK;
    return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': %s takes no words", call->operands.words[0], call->command->name);
}

static sy_status find_root(cli_registry_call *call, sy_error *err)
{
    sy_status status = sy_registry_find_root(".", &call->root, err);

    if (status == SY_NOT_FOUND) {
        (void)cli_fail(err, SY_NOT_FOUND, "neither this folder nor one above it holds steelyard.json");
        cli_hint(err, "name the project's folder with --root, or make a new one: steelyard matrix init");
    }
    return status;
}

sy_status cli_registry_open(cli_registry_call *call, unsigned parts, sy_error *err)
{
    const char *root = call->arguments.root;

    if (root == NULL) {
        sy_status status = find_root(call, err);

        if (status != SY_OK)
            return status;
        root = call->root;
    }
    return sy_registry_open(root, parts, &call->registry, err);
}

sy_status cli_registry_print(sy_status status, char *text)
{
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

sy_status cli_registry_refuse_damage(cli_registry_call *call, bool nothing_there, sy_error *err)
{
    sy_finding_list list;
    sy_status status = sy_registry_findings(call->registry, &list, err);

    for (size_t i = 0; status == SY_OK && i < list.finding_count; i++) {
        const sy_finding *finding = &list.findings[i];

        if (strcmp(finding->rule, "json-syntax") != 0 && !(nothing_there && begins(finding->rule, "file-")))
            continue;
        status = cli_fail(err, SY_CORRUPT, "%s:%u:%u: %s", finding->file, finding->position.line,
                          finding->position.column, finding->message);
        cli_hint(err, "all that is wrong: steelyard %s validate",
                 begins(call->command->name, "gate") ? "gate" : "matrix");
    }
    return status;
}

static sy_status print_findings(cli_registry_call *call, const sy_finding_list *list, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    const char *root = call->root != NULL ? call->root : call->arguments.root;
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_findings_json(list, root, &text, err)
                                                   : sy_report_findings(list, &style, &text, err);

    return cli_registry_print(status, text);
}

static bool lacks_coverage(const sy_registry_coverage *coverage)
{
    return coverage->ready_with_open_gates > 0 || coverage->gates_that_cannot_measure > 0 ||
           coverage->evidence_without_cell > 0 || coverage->schedules_without_runner > 0 ||
           coverage->gates_without_cell > 0 || coverage->cells_without_gate > 0;
}

sy_status cli_registry_validate(cli_registry_call *call, unsigned parts, sy_error *err)
{
    bool covers = call->arguments.require_coverage;
    sy_registry_coverage coverage = {0};
    sy_finding_list list;
    sy_status status = cli_registry_no_words(call, err);

    if (status == SY_OK)
        status = cli_registry_open(call, covers ? SY_REGISTRY_ALL : parts, err);
    if (status == SY_OK)
        status = sy_registry_findings(call->registry, &list, err);
    if (status == SY_OK && covers)
        status = sy_registry_coverage_count(call->registry, &coverage, err);
    if (status == SY_OK)
        status = print_findings(call, &list, err);
    if (status != SY_OK)
        return status;
    if (list.finding_count > 0)
        call->code = CLI_REFUSED;
    else if (lacks_coverage(&coverage))
        call->code = CLI_COVERAGE;
    return SY_OK;
}
