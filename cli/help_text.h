/* SPDX-License-Identifier: Apache-2.0 */
/* The three texts that are made from the command and option tables: --help, man page, shell completion. */
#ifndef STEELYARD_CLI_HELP_TEXT_H
#define STEELYARD_CLI_HELP_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "command.h"

/* Words of text, lines of at most columns characters; the first begins where the cursor is (column `at`), the others at
 * `indent`. Ends with a newline. */
void cli_wrap(FILE *out, const char *text, uint32_t at, uint32_t indent, uint32_t columns);

/* The list of commands: what `steelyard help` prints. */
void cli_help_overview(FILE *out, uint32_t columns);
/* One command: usage, description, options, examples, exit codes. */
void cli_help_command(FILE *out, const cli_command *command, uint32_t columns);

/* A page of section 1 in the macros of man(7): of the command, or of steelyard itself when command is NULL. */
void cli_man_page(FILE *out, const cli_command *command);

/* A completion script for bash. operations, backends and implementations: space-separated names. */
void cli_completion_bash(FILE *out, const char *operations, const char *backends, const char *implementations);

/* The rows of a command's own options, then the common ones; NULL past the end. */
const cli_option *cli_command_option(const cli_command *command, size_t index);
/* Like it, in the order of help: groups stay together, each where it was first named. */
const cli_option *cli_command_option_grouped(const cli_command *command, size_t index);

#endif
