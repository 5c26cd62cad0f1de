/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: exec without a shell, pipes, deadline, resource limits, a process group of its own, and no way to
 * leave a zombie or an orphan behind. */
#ifndef STEELYARD_BASE_PROCESS_H
#define STEELYARD_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/base.h>

#include "base/clock.h"
#include "base/text.h"

typedef struct sy_process sy_process;

typedef struct sy_process_options {
    const char *const *argv;        /* NULL-terminated; argv[0] is looked up in PATH unless it holds a slash */
    const char *const *environment; /* NULL-terminated NAME=VALUE list; NULL = the caller's */
    const char *directory;          /* NULL = the caller's */
    int standard_input;             /* descriptors lent for the child's 0, 1, 2; -1 = /dev/null */
    int standard_output;
    int standard_error;
    const int *inherited; /* more descriptors: they become 3, 4, ... in the child; all others are closed */
    size_t inherited_count;
    uint64_t memory_limit_bytes; /* private writable memory (RLIMIT_DATA); 0 = none */
    bool own_group;              /* a process group of its own, which signals then address */
    bool dies_with_parent;       /* SIGKILL when the thread that started it ends, however it ends */
    bool core_dumps;             /* false: RLIMIT_CORE 0 */
} sy_process_options;

#define SY_PROCESS_OPTIONS_INIT                                     \
    {                                                               \
        NULL, NULL, NULL, -1, -1, -1, NULL, 0, 0, true, true, false \
    }

typedef enum sy_process_end {
    SY_PROCESS_RUNNING,
    SY_PROCESS_EXITED,   /* code = exit status */
    SY_PROCESS_SIGNALLED /* code = signal number */
} sy_process_end;

/* The account of a finished child. */
typedef struct sy_process_report {
    sy_process_end end;
    int code;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t peak_memory_bytes; /* ru_maxrss of the child: never below what the parent had resident at the start, for
                                   Linux carries that figure over exec */
} sy_process_report;

/* Starts it. SY_NOT_FOUND / SY_IO when exec fails: the token tried and the errno are named, and no child is left. */
sy_status sy_process_start(const sy_process_options *options, sy_process **ret_process, sy_error *err) SY_NODISCARD;
int64_t sy_process_id(const sy_process *process);
/* Waits until it ends or until clock says deadline_ns (0 = for ever). SY_TIMED_OUT leaves it running. May be called
 * again after the end. When it has ended, what is left of its own group is killed: no orphan stays. A clock that is not
 * the system's is moved on by its own sleep while nothing happens. */
sy_status sy_process_wait(sy_process *process, const sy_clock *clock, uint64_t deadline_ns,
                          sy_process_report *ret_report, sy_error *err) SY_NODISCARD;
/* Looks without waiting. */
sy_process_end sy_process_poll(sy_process *process, sy_process_report *ret_report);
/* SIGSTOP to the group, and waits (at most a second) until the kernel says that the child is stopped. SY_DIED if it has
 * ended. */
sy_status sy_process_suspend(sy_process *process, sy_error *err) SY_NODISCARD;
sy_status sy_process_resume(sy_process *process, sy_error *err) SY_NODISCARD;
/* SIGKILL to the group and reaps; the report is kept for sy_process_wait. */
void sy_process_kill(sy_process *process);
/* Kills if it still runs, reaps, frees. NULL is allowed. */
void sy_process_destroy(sy_process *process);
/* "died: signal 11 (SIGSEGV)" or "exited with 3". */
void sy_process_describe_end(const sy_process_report *report, char *to, size_t size);

/* A new terminal of 24 lines of 80: what is written to the slave is read from the master, which does not wait. The
 * caller closes both. SY_IO. */
sy_status sy_process_open_terminal(int *ret_master, int *ret_slave, sy_error *err) SY_NODISCARD;

/* Runs to the end and collects standard output (and standard error, if err_text is not NULL), each up to limit bytes.
 * options' standard_output and standard_error are ignored. What passes the limit is read and dropped, and sets the
 * text's `failed`. Past the deadline the group is killed: SY_TIMED_OUT; the texts hold what came until then. */
sy_status sy_process_run(const sy_process_options *options, const sy_clock *clock, uint64_t deadline_ns,
                         size_t limit_bytes, sy_text *out_text, sy_text *err_text, sy_process_report *ret_report,
                         sy_error *err) SY_NODISCARD;

#endif
