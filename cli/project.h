/* SPDX-License-Identifier: Apache-2.0 */
/* The project whose ledger a command reads or writes: two options, and how it is opened. */
#ifndef STEELYARD_CLI_PROJECT_H
#define STEELYARD_CLI_PROJECT_H

#include <steelyard/evidence.h>

#include "options.h"

/* A command's arguments hold one. */
typedef struct cli_project_arguments {
    const char *root;
    const char *evidence;
} cli_project_arguments;

#define CLI_PROJECT_GROUP "The project"

#define CLI_PROJECT_OPTIONS(type, member)                                                                 \
    {.name = "root",                                                                                      \
     .argument = "FOLDER",                                                                                \
     .standard = "the nearest folder with steelyard.json",                                                \
     .kind = CLI_TEXT,                                                                                    \
     .group = CLI_PROJECT_GROUP,                                                                          \
     .completion = CLI_COMPLETE_FILES,                                                                    \
     .help = "the project's folder",                                                                      \
     CLI_INTO(type, member.root)},                                                                        \
    {                                                                                                     \
        .name = "evidence", .argument = "FOLDER", .standard = "as steelyard.json says", .kind = CLI_TEXT, \
        .group = CLI_PROJECT_GROUP, .completion = CLI_COMPLETE_FILES, .help = "where the ledger is",      \
        CLI_INTO(type, member.evidence)                                                                   \
    }

typedef enum cli_ledger_use {
    CLI_LEDGER_READ,  /* one that is there, and nothing is changed */
    CLI_LEDGER_LOOK,  /* likewise, or none at all */
    CLI_LEDGER_WRITE, /* one that is there */
    CLI_LEDGER_ADD,   /* likewise, or none at all */
    CLI_LEDGER_RECORD /* one that is made where there is none */
} cli_ledger_use;

/* The folder of device leases that STEELYARD_LEASES names; NULL = the host's own. SY_INVALID_ARGUMENT: it is relative.
 */
sy_status cli_project_leases(const char **ret_folder, sy_error *err);
/* Opens it; the caller closes. SY_NOT_FOUND, a mistake in how the command was called: no project, or no ledger in it.
 * Else as sy_project_open. */
sy_status cli_project_open(const cli_project_arguments *arguments, cli_ledger_use use, sy_project **ret_project,
                           sy_error *err);

#endif
