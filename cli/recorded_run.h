/* SPDX-License-Identifier: Apache-2.0 */
/* What probe and measure share of being remembered: the options by which a run is recorded, the run itself, and the
 * lines that a run around this process listens to. */
#ifndef STEELYARD_CLI_RECORDED_RUN_H
#define STEELYARD_CLI_RECORDED_RUN_H

#include <steelyard/evidence.h>

#include "project.h"
#include "target.h"

/* A command's arguments hold one. Ended by cli_recording_finish. */
typedef struct cli_recording_arguments {
    bool record;
    const char *gate;
    cli_names keys; /* NAME=VALUE */
    uint64_t wait_ns;
    cli_project_arguments project;
} cli_recording_arguments;

#define CLI_RECORDING_GROUP "Recording the run"

#define CLI_RECORDING_OPTIONS(type, member)                                                   \
    {.name = "record",                                                                        \
     .kind = CLI_FLAG,                                                                        \
     .group = CLI_RECORDING_GROUP,                                                            \
     .help = "write a run to the project's ledger; the device is owned meanwhile",            \
     CLI_INTO(type, member.record)},                                                          \
        {.name = "gate",                                                                      \
         .argument = "ID",                                                                    \
         .standard = "none",                                                                  \
         .kind = CLI_TEXT,                                                                    \
         .group = CLI_RECORDING_GROUP,                                                        \
         .help = "the gate that is measured: its cell, tier and comparison key",              \
         CLI_INTO(type, member.gate)},                                                        \
        {.name = "key",                                                                       \
         .argument = "NAME=VALUE",                                                            \
         .kind = CLI_TEXTS,                                                                   \
         .group = CLI_RECORDING_GROUP,                                                        \
         .help = "a field of the comparison key that nothing else tells; may be given again", \
         CLI_INTO(type, member.keys)},                                                        \
        {.name = "wait",                                                                      \
         .argument = "SECONDS",                                                               \
         .standard = "0",                                                                     \
         .kind = CLI_SECONDS,                                                                 \
         .group = CLI_RECORDING_GROUP,                                                        \
         .help = "how long to wait for a device that another run owns",                       \
         CLI_INTO(type, member.wait_ns)},                                                     \
        CLI_PROJECT_OPTIONS(type, member.project)

/* A recording while the command runs; zero: nothing is recorded. Ended by cli_recording_close. */
typedef struct cli_recording {
    const cli_recording_arguments *arguments;
    bool quiet;
    sy_project *project;
    sy_recording *run;
    const char **argv; /* the command's words, before they were parsed */
    size_t argc;
    sy_named_text *key;
    size_t key_count;
    bool lacks_gate; /* the project has none of that name */
} cli_recording;

/* Keeps the words of the command line, which parsing puts into another order. False: no memory, which is reported when
 * it is recorded. */
void cli_recording_take_words(cli_recording *recording, int argc, char **argv);
/* Refuses options that mean nothing together, and opens the project where a run is to be recorded: before anything is
 * measured in vain. SY_NOT_FOUND: there is no project. */
sy_status cli_recording_open(cli_recording *recording, const cli_recording_arguments *arguments, bool quiet,
                             sy_error *err);
/* Takes the device and begins the run; nothing unless it is to be recorded. describe: what is measured; the device's
 * facts, the key, the command and the waiting are filled in here. */
sy_status cli_recording_begin(cli_recording *recording, sy_run_kind kind, sy_device *device,
                              const sy_recording_options *describe, sy_error *err);
/* Writes what was found and says which run it is; *ret_recorded stays as it is where nothing is recorded. */
sy_status cli_recording_keep_probe(cli_recording *recording, const sy_probe_result *result, sy_recorded *ret_recorded,
                                   sy_error *err);
sy_status cli_recording_keep_measure(cli_recording *recording, const sy_measure_result *result, sy_error *err);
/* Ends a run that has no result, for the reason in err; the device is given back. */
void cli_recording_give_up(cli_recording *recording, const sy_error *err);
/* Says in the run where its decision is stored. */
sy_status cli_recording_link(cli_recording *recording, const sy_recorded *recorded, const sy_run_profile *profile,
                             sy_error *err);
/* The exit code of a command that would end with code: CLI_NOTHING where the gate is not there. */
int cli_recording_exit(const cli_recording *recording, int code);
void cli_recording_close(cli_recording *recording);
void cli_recording_finish(cli_recording_arguments *arguments);

#endif
