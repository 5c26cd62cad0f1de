/* SPDX-License-Identifier: Apache-2.0 */
/* One command from its start to its end: its streams are kept, its lines are read, its memory is looked at; it ends
 * when it has ended, whatever holds its pipes. */
#ifndef STEELYARD_EVIDENCE_EXEC_CHILD_H
#define STEELYARD_EVIDENCE_EXEC_CHILD_H

#include <steelyard/run.h>

#include "base/clock.h"
#include "base/process.h"
#include "evidence/exec/exec_log.h"
#include "evidence/lines/run_protocol.h"

typedef struct sy_exec_child_options {
    const char *const *argv;        /* NULL behind the last */
    const char *const *environment; /* NULL behind the last; STEELYARD_RUN_FD is SY_EXEC_CHILD_FD */
    const char *directory;
    uint64_t timeout_ns; /* 0 = none */
    size_t log_limit;
    const sy_protocol_limits *limits; /* NULL = the usual ones */
    const sy_clock *clock;
    void (*output)(void *user, int stream, const void *bytes, size_t size);
    bool (*cancelled)(void *user);
    void (*tick)(void *tick_user); /* about twenty times a second; NULL = nothing */
    void *tick_user;
    void *user;
} sy_exec_child_options;

#define SY_EXEC_CHILD_FD 3

typedef enum sy_exec_child_end {
    SY_EXEC_CHILD_ENDED, /* by itself, or by somebody else */
    SY_EXEC_CHILD_TIMED_OUT,
    SY_EXEC_CHILD_CANCELLED,
    SY_EXEC_CHILD_FLOODED /* more lines or bytes than the protocol's limit: it was ended */
} sy_exec_child_end;

/* Filled by sy_exec_child_run, whatever it returns; ended by sy_exec_child_finish. */
typedef struct sy_exec_child {
    sy_exec_child_end end;
    sy_process_report report;
    uint64_t wall_ns;
    sy_exec_log out;
    sy_exec_log error;
    sy_protocol *protocol;
    sy_protocol_account account;
    uint64_t peak_bytes;      /* of its largest process; 0 = unknown */
    uint64_t tree_peak_bytes; /* of all at once, as far as it was seen; 0 = unknown */
    uint32_t tree_processes;  /* that were there then */
    uint32_t look_count;      /* how often it was looked at */
    bool left_behind;         /* a process out of its group still held its streams when it had ended */
    double swap_bytes;        /* NaN = unknown, as below */
    double pressure_share;
} sy_exec_child;

/* SY_NOT_FOUND, SY_IO: it cannot be started; SY_NO_MEMORY. */
sy_status sy_exec_child_run(const sy_exec_child_options *options, sy_exec_child *child, sy_error *err) SY_NODISCARD;
void sy_exec_child_finish(sy_exec_child *child);

#endif
