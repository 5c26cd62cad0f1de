/* SPDX-License-Identifier: Apache-2.0 */
/* What verbs on runs and their keys share: the frame around their work; and texts of the form NAME=VALUE, which
 * recorded probes and measurements take too. */
#ifndef STEELYARD_CLI_RUN_CALL_H
#define STEELYARD_CLI_RUN_CALL_H

#include <steelyard/report.h>

#include "command.h"
#include "project.h"

/* The arguments of each verb begin so. */
typedef struct cli_run_arguments {
    cli_common common;
    cli_project_arguments project;
} cli_run_arguments;

typedef struct cli_run_call {
    void *arguments; /* of the verb */
    cli_operands operands;
    bool json;
    sy_report_style style;
    sy_project *project;
    char *text; /* what is printed */
    int code;   /* of a call that went well */
} cli_run_call;

/* Does the verb's work; the frame parses, opens the project, prints and reports. */
typedef sy_status (*cli_run_work)(cli_run_call *call, sy_error *err);

/* words: how many operands there must be; what: how they are called ("one GATE"). Of work that fails with SY_NOT_FOUND
 * the exit code is CLI_NOTHING. */
int cli_run_verb(const cli_command *command, size_t words, const char *what, cli_ledger_use use, cli_run_work work,
                 void *arguments, int argc, char **argv);
/* Whether --dry-run is among the words: what is only asked needs no right to write. */
bool cli_run_is_dry(int argc, char **argv);
/* What a person must say: SY_INVALID_ARGUMENT with the question as its hint where text is NULL. option: "by". */
sy_status cli_run_must_say(const char *text, const char *option, const char *question, sy_error *err);
/* The run of that id. The caller destroys it. Errors as sy_ledger_run. */
sy_status cli_run_find(cli_run_call *call, const char *id, sy_run **ret_run, sy_error *err);

/* NAME=VALUE, each. Both parts borrow from the names, which are cut at the first '='; free() the array. option: as
 * messages call it. SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
sy_status cli_run_pairs(const cli_names *names, const char *option, sy_named_text **ret_pairs, sy_error *err);
/* Cuts a text at its next ',' (a doubled one stands for itself); NULL at the end. */
char *cli_run_next_part(char **rest);

#endif
