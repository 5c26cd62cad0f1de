/* SPDX-License-Identifier: Apache-2.0 */
/* The options of steelyard probe that are about commands. */
#ifndef STEELYARD_CLI_COMMAND_PROBE_PROGRAMS_H
#define STEELYARD_CLI_COMMAND_PROBE_PROGRAMS_H

#include "program_options.h"

#define CLI_PROGRAM_OUTPUT_GROUP "What of commands is compared"

#define CLI_PROGRAM_OPTIONS(type, member)                                                                              \
    CLI_PROGRAM_TEXTS(type, member.candidates, "candidate", "COMMAND",                                                 \
                      "a command to hold against the --reference command; may be given again"),                        \
        CLI_PROGRAM_TEXTS(type, member.names, "name", "NAME", "of the reference, then of each candidate, in results"), \
        CLI_PROGRAM_TEXTS(type, member.parameters, "parameter", "NAME=A,B,...",                                        \
                          "a weighing for each value, which takes the place of {NAME} in commands"),                   \
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
        CLI_PROGRAM_RUN_OPTIONS(type, member)

#endif
