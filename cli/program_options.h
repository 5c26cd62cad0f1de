/* SPDX-License-Identifier: Apache-2.0 */
/* Commands in place of an operation, as probe and measure take them: the options that both have, and the spec that is
 * made of them. */
#ifndef STEELYARD_CLI_PROGRAM_OPTIONS_H
#define STEELYARD_CLI_PROGRAM_OPTIONS_H

#include <steelyard/command.h>

#include "options.h"

/* What was said of commands; ended by cli_programs_finish. */
typedef struct cli_programs {
    cli_names candidates;
    cli_names names;
    const char *shell;
    const char *setup;
    const char *prepare;
    const char *conclude;
    const char *cleanup;
    const char *input;
    cli_names variables;
    const char *directory;
    cli_names parameters;
    uint64_t timeout_ns;
    bool ignore_failure;
    bool show_output;
    bool terminal;
    cli_names outputs;
    const char *compare;
    cli_names ignore_lines;
    const char *metric;
    unsigned int better; /* index into the choices: 0 lower, 1 higher */
} cli_programs;

#define CLI_PROGRAM_GROUP "Commands in place of an operation"

extern const char *const cli_program_better[];

/* One text of these options. */
#define CLI_PROGRAM_TEXT(type, member, option_name, form, text)                                                  \
    {                                                                                                            \
        .name = (option_name), .argument = (form), .kind = CLI_TEXT, .group = CLI_PROGRAM_GROUP, .help = (text), \
        CLI_INTO(type, member)                                                                                   \
    }
/* One that may be given again. */
#define CLI_PROGRAM_TEXTS(type, member, option_name, form, text)                                                  \
    {                                                                                                             \
        .name = (option_name), .argument = (form), .kind = CLI_TEXTS, .group = CLI_PROGRAM_GROUP, .help = (text), \
        CLI_INTO(type, member)                                                                                    \
    }
#define CLI_PROGRAM_FLAG(type, member, option_name, text)                                                           \
    {                                                                                                               \
        .name = (option_name), .kind = CLI_FLAG, .group = CLI_PROGRAM_GROUP, .help = (text), CLI_INTO(type, member) \
    }

/* How they are run, and what of a run counts. */
#define CLI_PROGRAM_RUN_OPTIONS(type, member)                                                                          \
    {.name = "shell",                                                                                                  \
     .argument = "PROGRAM",                                                                                            \
     .standard = "none",                                                                                               \
     .kind = CLI_TEXT,                                                                                                 \
     .group = CLI_PROGRAM_GROUP,                                                                                       \
     .help = "run the commands by it: sh, bash; else they are split into words, and what only a shell "                \
             "understands is refused",                                                                                 \
     CLI_INTO(type, member.shell)},                                                                                    \
        CLI_PROGRAM_TEXT(type, member.setup, "setup", "COMMAND", "run once before everything"),                        \
        CLI_PROGRAM_TEXT(type, member.prepare, "prepare", "COMMAND", "run right before each run"),                     \
        CLI_PROGRAM_TEXT(type, member.conclude, "conclude", "COMMAND", "run right after each run"),                    \
        CLI_PROGRAM_TEXT(type, member.cleanup, "cleanup", "COMMAND", "run once after everything"),                     \
        {.name = "input",                                                                                              \
         .argument = "FILE",                                                                                           \
         .standard = "/dev/null",                                                                                      \
         .kind = CLI_TEXT,                                                                                             \
         .group = CLI_PROGRAM_GROUP,                                                                                   \
         .completion = CLI_COMPLETE_FILES,                                                                             \
         .help = "on standard input of each run",                                                                      \
         CLI_INTO(type, member.input)},                                                                                \
        CLI_PROGRAM_TEXTS(type, member.variables, "env", "NAME=VALUE", "a variable of their environment"),             \
        CLI_PROGRAM_TEXT(type, member.directory, "directory", "FOLDER", "to run them in"),                             \
        {.name = "timeout",                                                                                            \
         .argument = "SECONDS",                                                                                        \
         .standard = "none",                                                                                           \
         .kind = CLI_SECONDS,                                                                                          \
         .group = CLI_PROGRAM_GROUP,                                                                                   \
         .help = "a run that takes longer is ended, and has failed",                                                   \
         CLI_INTO(type, member.timeout_ns)},                                                                           \
        CLI_PROGRAM_FLAG(type, member.ignore_failure, "ignore-failure",                                                \
                         "an exit code other than 0 is no failure, only compared"),                                    \
        CLI_PROGRAM_FLAG(type, member.show_output, "show-output", "show on stderr what each command wrote first"),     \
        CLI_PROGRAM_FLAG(type, member.terminal, "terminal", "give them a terminal in place of files"),                 \
        {.name = "metric",                                                                                             \
         .argument = "M",                                                                                              \
         .standard = "wall",                                                                                           \
         .kind = CLI_TEXT,                                                                                             \
         .group = CLI_PROGRAM_GROUP,                                                                                   \
         .help = "wall, user, cpu, memory, or a number that they print: line:NAME (behind NAME), json:POINTER, "       \
                 "regex:RE",                                                                                           \
         CLI_INTO(type, member.metric)},                                                                               \
    {                                                                                                                  \
        .name = "better", .argument = "WHICH", .standard = "lower", .kind = CLI_CHOICE, .choices = cli_program_better, \
        .group = CLI_PROGRAM_GROUP, .help = "whether a lower or a higher number of the metric is better",              \
        CLI_INTO(type, member.better)                                                                                  \
    }

/* Fills what the options say, but for the commands themselves, what of them is compared, and parameters. launcher_path
 * is borrowed, as all of programs is. */
void cli_programs_fill(const cli_programs *programs, const char *launcher_path, sy_command_spec *spec);
/* The name of an option that was given and only speaks of commands; NULL = none was. */
const char *cli_programs_given(const cli_programs *programs);
void cli_programs_finish(cli_programs *programs);

#endif
