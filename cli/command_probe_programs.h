/* SPDX-License-Identifier: Apache-2.0 */
/* The options of steelyard probe that are about commands. */
#ifndef STEELYARD_CLI_COMMAND_PROBE_PROGRAMS_H
#define STEELYARD_CLI_COMMAND_PROBE_PROGRAMS_H

#include "options.h"

#define CLI_PROGRAM_GROUP "Commands in place of an operation"
#define CLI_PROGRAM_OUTPUT_GROUP "What of commands is compared"

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

#define CLI_PROGRAM_OPTIONS(type, member)                                                                              \
    CLI_PROGRAM_TEXTS(type, member.candidates, "candidate", "COMMAND",                                                 \
                      "a command to hold against the --reference command; may be given again"),                        \
        CLI_PROGRAM_TEXTS(type, member.names, "name", "NAME", "of the reference, then of each candidate, in results"), \
        {.name = "shell",                                                                                              \
         .argument = "PROGRAM",                                                                                        \
         .standard = "none",                                                                                           \
         .kind = CLI_TEXT,                                                                                             \
         .group = CLI_PROGRAM_GROUP,                                                                                   \
         .help = "run the commands by it: sh, bash; else they are split into words, and what only a shell "            \
                 "understands is refused",                                                                             \
         CLI_INTO(type, member.shell)},                                                                                \
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
        CLI_PROGRAM_TEXTS(type, member.parameters, "parameter", "NAME=A,B,...",                                        \
                          "a weighing for each value, which takes the place of {NAME} in commands"),                   \
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
        {.name = "output",                                                                                             \
         .argument = "FILE",                                                                                           \
         .standard = "stdout",                                                                                         \
         .kind = CLI_TEXTS,                                                                                            \
         .group = CLI_PROGRAM_OUTPUT_GROUP,                                                                            \
         .completion = CLI_COMPLETE_FILES,                                                                             \
         .help = "compared: stdout, stderr, or a file that they write, which is removed before each run; null: "       \
                 "standard output is discarded; may be given again",                                                   \
         CLI_INTO(type, member.outputs)},                                                                              \
        {.name = "compare",                                                                                            \
         .argument = "HOW",                                                                                            \
         .standard = "bytes",                                                                                          \
         .kind = CLI_TEXT,                                                                                             \
         .group = CLI_PROGRAM_OUTPUT_GROUP,                                                                            \
         .help =                                                                                                       \
             "bytes; numbers:ATOL,RTOL: numbers within ATOL + RTOL |reference's|, the rest as bytes; none: timing "    \
             "only",                                                                                                   \
         CLI_INTO(type, member.compare)},                                                                              \
        {.name = "ignore-lines",                                                                                       \
         .argument = "RE",                                                                                             \
         .kind = CLI_TEXTS,                                                                                            \
         .group = CLI_PROGRAM_OUTPUT_GROUP,                                                                            \
         .help = "leave lines out that this extended regular expression matches; may be given again",                  \
         CLI_INTO(type, member.ignore_lines)},                                                                         \
        {.name = "metric",                                                                                             \
         .argument = "M",                                                                                              \
         .standard = "wall",                                                                                           \
         .kind = CLI_TEXT,                                                                                             \
         .group = CLI_PROGRAM_OUTPUT_GROUP,                                                                            \
         .help = "wall, user, cpu, memory, or a number that they print: line:NAME (behind NAME), json:POINTER, "       \
                 "regex:RE",                                                                                           \
         CLI_INTO(type, member.metric)},                                                                               \
    {                                                                                                                  \
        .name = "better", .argument = "WHICH", .standard = "lower", .kind = CLI_CHOICE, .choices = cli_program_better, \
        .group = CLI_PROGRAM_OUTPUT_GROUP, .help = "whether a lower or a higher number of the metric wins",            \
        CLI_INTO(type, member.better)                                                                                  \
    }

#endif
