/* SPDX-License-Identifier: Apache-2.0 */
/* What sy_command_run and the launcher tell each other: a plan in descriptor 4, a report through descriptor 3. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_LAUNCH_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_LAUNCH_H

#include <steelyard/base.h>

#define SY_LAUNCH_MAGIC UINT32_C(0x73794c32) /* another layout, another number */
#define SY_LAUNCH_REPORT_DESCRIPTOR 3
#define SY_LAUNCH_PLAN_DESCRIPTOR 4

/* Behind it lie, each with its 0 byte: the path, the directory ("" = here), the arguments, the environment. */
typedef struct sy_launch_plan {
    uint32_t magic;
    uint32_t argument_count;
    uint32_t variable_count;
    uint32_t terminal; /* 1: descriptor 1 is a terminal, to become the session's own */
    uint64_t text_bytes;
} sy_launch_plan;

typedef enum sy_launch_stage {
    SY_LAUNCH_STARTED,
    SY_LAUNCH_PLAN,
    SY_LAUNCH_FORK,
    SY_LAUNCH_SESSION,
    SY_LAUNCH_DIRECTORY,
    SY_LAUNCH_EXEC
} sy_launch_stage;

typedef struct sy_launch_report {
    uint32_t magic;
    uint32_t stage; /* what failed, with `error`; SY_LAUNCH_STARTED = it ran */
    int32_t error;
    int32_t wait_status;
    uint64_t wall_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t peak_memory_bytes;
    uint64_t involuntary_switches;
    uint64_t major_faults;
    uint32_t outlived;
    uint32_t was_ended; /* 1: the caller asked for its end while it ran */
} sy_launch_report;

#endif
