/* SPDX-License-Identifier: Apache-2.0 */
/* The operations and devices that --assign names, for every command that takes it. */
#ifndef STEELYARD_CLI_ASSIGNED_H
#define STEELYARD_CLI_ASSIGNED_H

#include <steelyard/assignment.h>

#include "target.h"

#define CLI_ASSIGN_OPTION(type, member)                                                                            \
    {                                                                                                              \
        .name = "assign", .argument = "OPERATION=DEVICE,...", .kind = CLI_TEXT, .group = CLI_TARGET_GROUP,         \
        .help = "in place of --backend: each OPERATION on its device; all=DEVICE: every one that it has; A&B: on " \
                "both; of two for one OPERATION the later counts",                                                 \
        CLI_INTO(type, member)                                                                                     \
    }

/* One operation on one device. */
typedef struct cli_errand {
    const char *operation;
    const char *device;
} cli_errand;

/* Closed by cli_assigned_close, also where opening failed. */
typedef struct cli_assigned {
    sy_backend_info *backends;
    sy_assignment_devices *devices;
    sy_device *scripted; /* NULL without --script; its operations' names are its own */
    sy_assignment_module *operations;
    size_t operation_count;
    sy_assignment_device *places; /* the devices, and the scripted one */
    sy_assignment *assignment;
    cli_errand *list; /* in the order written; then what only the default speaks of */
    size_t count;     /* >= 1 */
} cli_assigned;

/* Reads the text, and tries that each device can be opened and has the operation with the cases that were named. An
 * operand asks for that operation alone. Returns -1 to go on; else the exit code: the mistake was reported under the
 * command's name. */
int cli_assigned_open(const char *command, const cli_target_arguments *arguments, const char *assign, bool quiet,
                      const cli_operands *operands, cli_assigned *ret_assigned);
void cli_assigned_close(cli_assigned *assigned);
/* Aims a command at one of them: its backend, the script where it is the scripted device's, the operand. */
void cli_assigned_aim(const cli_errand *what, const char *script, cli_target_arguments *target,
                      cli_operands *ret_operands);
/* SY_INVALID_ARGUMENT: what cannot stand beside --assign. */
sy_status cli_assigned_refuse(const char *option, const char *hint, sy_error *err);

#endif
