/* SPDX-License-Identifier: Apache-2.0 */
/* What steelyard matrix and steelyard gate share: their options, the project's root, the open registry. */
#ifndef STEELYARD_CLI_COMMAND_REGISTRY_H
#define STEELYARD_CLI_COMMAND_REGISTRY_H

#include <steelyard/registry.h>
#include <steelyard/report.h>

#include "command.h"

extern const cli_command cli_matrix_init;
extern const cli_command cli_matrix_show;
extern const cli_command cli_matrix_validate;
extern const cli_command cli_gate_list;
extern const cli_command cli_gate_next;
extern const cli_command cli_gate_show;
extern const cli_command cli_gate_command;
extern const cli_command cli_gate_validate;
extern const cli_command cli_gate_render;
extern const cli_command cli_gate_selftest;

/* The values of all of their options; each table takes what its command needs. */
typedef struct cli_registry_arguments {
    cli_common common;
    const char *root;
    bool require_coverage;
    const char *capability;
    const char *backend;
    sy_gate_filter filter;
    uint32_t limit; /* 0 = all */
    unsigned int format;
    const char *output;
    bool check;
    const char *project;
} cli_registry_arguments;

#define CLI_REGISTRY_INTO(member) CLI_INTO(cli_registry_arguments, member)
#define CLI_REGISTRY_GROUP "The project"

#define CLI_REGISTRY_ROOT_OPTION                                                                                      \
    {                                                                                                                 \
        .name = "root", .argument = "FOLDER", .standard = "the nearest folder with steelyard.json", .kind = CLI_TEXT, \
        .group = CLI_REGISTRY_GROUP, .completion = CLI_COMPLETE_FILES,                                                \
        .help = "the project's folder; its files need no steelyard.json then", CLI_REGISTRY_INTO(root)                \
    }

#define CLI_REGISTRY_COVERAGE_OPTION                                                                                \
    {                                                                                                               \
        .name = "require-coverage", .kind = CLI_FLAG, .group = CLI_REGISTRY_GROUP,                                  \
        .help = "exit code 7 where nothing is wrong, but cells, gates, runbooks, evidence and runners do not come " \
                "together",                                                                                         \
        CLI_REGISTRY_INTO(require_coverage)                                                                         \
    }

/* One of these commands while it runs. */
typedef struct cli_registry_call {
    const cli_command *command;
    cli_registry_arguments arguments;
    cli_operands operands;
    char *root; /* owned */
    sy_registry *registry;
    int code; /* the exit code of a call that did not fail */
} cli_registry_call;

typedef sy_status (*cli_registry_act)(cli_registry_call *call, sy_error *err);

/* The frame of every one: parses, runs act, reports its error, closes. limit: the default of --limit. Returns the exit
 * code. */
int cli_registry_run(const cli_command *command, int argc, char **argv, uint32_t limit, cli_registry_act act);

/* SY_INVALID_ARGUMENT unless there are no words. */
sy_status cli_registry_no_words(const cli_registry_call *call, sy_error *err) SY_NODISCARD;
/* Finds the root and opens those parts of the registry. */
sy_status cli_registry_open(cli_registry_call *call, unsigned parts, sy_error *err) SY_NODISCARD;
/* Writes an owned text when the status is SY_OK; frees it and returns the status. */
sy_status cli_registry_print(sy_status status, char *text);
/* After an answer was printed: SY_CORRUPT where a file is cut short, or (with nothing_there) missing, so that the
 * answer may lack something. */
sy_status cli_registry_refuse_damage(cli_registry_call *call, bool nothing_there, sy_error *err) SY_NODISCARD;
/* steelyard matrix validate and steelyard gate validate. */
sy_status cli_registry_validate(cli_registry_call *call, unsigned parts, sy_error *err) SY_NODISCARD;

#endif
