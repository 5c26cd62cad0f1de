/* SPDX-License-Identifier: Apache-2.0 */
/* What probe and select are aimed at: an operation on a device, the cases that were named, and this binary as the
 * worker. */
#ifndef STEELYARD_CLI_TARGET_H
#define STEELYARD_CLI_TARGET_H

#include <steelyard/suite.h>

#include "options.h"

/* Options that commands share; a command's arguments hold one. */
typedef struct cli_target_arguments {
    const char *backend;
    const char *script;
    cli_names cases;
    uint32_t threads;
} cli_target_arguments;

#define CLI_TARGET_OPTIONS(type, member)                                                                              \
    {.name = "backend",                                                                                               \
     .argument = "NAME",                                                                                              \
     .standard = "cpu",                                                                                               \
     .kind = CLI_TEXT,                                                                                                \
     .group = CLI_TARGET_GROUP,                                                                                       \
     .completion = CLI_COMPLETE_BACKENDS,                                                                             \
     .help = "where it runs; steelyard backends lists them",                                                          \
     CLI_INTO(type, member.backend)},                                                                                 \
        {.name = "cases",                                                                                             \
         .argument = "A,B,...",                                                                                       \
         .standard = "all",                                                                                           \
         .kind = CLI_NAMES,                                                                                           \
         .group = CLI_TARGET_GROUP,                                                                                   \
         .help = "quick, all, names of cases, or patterns with * and ?",                                              \
         CLI_INTO(type, member.cases)},                                                                               \
        {.name = "script",                                                                                            \
         .argument = "FILE",                                                                                          \
         .kind = CLI_TEXT,                                                                                            \
         .group = CLI_TARGET_GROUP,                                                                                   \
         .completion = CLI_COMPLETE_FILES,                                                                            \
         .help = "backend fake only: times and faults to play, as JSON",                                              \
         CLI_INTO(type, member.script)},                                                                              \
    {                                                                                                                 \
        .name = "threads", .argument = "N", .standard = "all that this process may use", .kind = CLI_WHOLE, .low = 1, \
        .high = 4096, .group = CLI_TARGET_GROUP, .help = "threads of each implementation",                            \
        CLI_INTO(type, member.threads)                                                                                \
    }
#define CLI_TARGET_GROUP "What is weighed"

/* A sy_cache_state, or an index into its words. */
#define CLI_CACHE_OPTION(type, member, title)                                                                       \
    {                                                                                                               \
        .name = "cache", .argument = "STATE", .standard = "hot", .kind = CLI_CHOICE, .choices = cli_cache_states,   \
        .group = title,                                                                                             \
        .help = "hot: a run finds its buffers as the last one left them; cold: it takes others in turn, more than " \
                "three times the last-level cache of them",                                                         \
        CLI_INTO(type, member)                                                                                      \
    }
#define CLI_CACHE_BYTES_OPTION(type, member, title)                                                                  \
    {                                                                                                                \
        .name = "cache-bytes", .argument = "BYTES", .standard = "as the machine tells", .kind = CLI_BYTES,           \
        .group = title, .help = "with --cache cold: size of the last-level cache, or of this machine's share of it", \
        CLI_INTO(type, member)                                                                                       \
    }
extern const char *const cli_cache_states[];

/* A sy_preference, or an index into its words. */
#define CLI_PREFER_OPTION(type, member, title)                                                                       \
    {                                                                                                                \
        .name = "prefer", .argument = "WHAT", .standard = "speed", .kind = CLI_CHOICE, .choices = cli_preferences,   \
        .group = title,                                                                                              \
        .help = "speed: the fastest; memory: the one that needs least memory, if that is less than the reference's " \
                "and it is not slower by more than the margin",                                                      \
        CLI_INTO(type, member)                                                                                       \
    }
extern const char *const cli_preferences[];

/* An open target. Closed by cli_target_close, also after a failure. */
typedef struct cli_target {
    sy_device *device;
    const sy_suite *suite;
    sy_case *cases; /* those that were named, copies; NULL = all of the suite */
    size_t case_count;
    char worker_path[4096];
} cli_target;

/* Whether an operand is a plugin's path: it has a slash, or ends in .so. */
bool cli_target_is_plugin(const char *word);
/* Tries a plugin in a process of its own; ret_target gets the worker's path. SY_DIED, SY_TIMED_OUT. */
sy_status cli_target_try_plugin(cli_target *ret_target, const char *path, sy_error *err);
/* Checks operands and options (one OPERATION; --script exactly with backend fake), opens the device and finds the
 * operation. */
sy_status cli_target_open(const cli_target_arguments *arguments, const cli_operands *operands, cli_target *ret_target,
                          sy_error *err);
/* Copies the cases that were named, for a request. SY_NOT_FOUND. */
sy_status cli_target_choose_cases(const cli_target_arguments *arguments, cli_target *target, sy_error *err);
/* Finds this binary, which the library runs again as `steelyard worker`. */
sy_status cli_target_find_worker(cli_target *target, sy_error *err);
void cli_target_close(cli_target *target);

#endif
