/* SPDX-License-Identifier: Apache-2.0 */
/* One program run once, from exec to the end of all its processes: wall time, processor time and memory of its own, how
 * it ended. A small process, the launcher, stands between the caller and the program, so that neither the caller's size
 * nor its other children come into the figures, and no descendant gets away. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_RUN_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_RUN_H

#include <steelyard/base.h>

typedef struct sy_command_run_options {
    const char *launcher_path;      /* a binary that answers to `launcher` by sy_launcher_main */
    const char *const *argv;        /* NULL-terminated, handed to exec byte for byte */
    const char *path;               /* the file to execute; NULL = argv[0], looked up in PATH */
    const char *const *environment; /* NULL-terminated NAME=VALUE list; NULL = the caller's */
    const char *directory;          /* NULL = the caller's */
    int standard_input;             /* lent; -1 = /dev/null */
    int standard_output;            /* lent; -1 = /dev/null */
    int standard_error;             /* lent; -1 = /dev/null */
    bool terminal;                  /* output, error and, where none is lent, input are a terminal of the program's own;
                                       what it writes there is copied to standard_output */
    uint64_t timeout_ns;            /* from its start; 0 = none */
    uint64_t deadline_ns;           /* on sy_clock_system; 0 = none */
    uint64_t output_limit_bytes;    /* of a lent file; a program that wrote more is ended; 0 = none */
    bool (*cancelled)(void *user);  /* NULL, or asked some 20 times a second: true ends the program */
    void *user;
} sy_command_run_options;

#define SY_COMMAND_RUN_OPTIONS_INIT                                       \
    {                                                                     \
        .standard_input = -1, .standard_output = -1, .standard_error = -1 \
    }

typedef enum sy_command_end {
    SY_COMMAND_EXITED,    /* code = exit status */
    SY_COMMAND_SIGNALLED, /* code = signal number */
    SY_COMMAND_TIMED_OUT, /* ended by the caller's time-out or deadline */
    SY_COMMAND_WROTE_TOO_MUCH
} sy_command_end;

/* What one run was. Where it was ended by force the figures are those until then. */
typedef struct sy_command_outcome {
    sy_command_end end;
    int code;
    uint64_t wall_ns;           /* from just before exec to the end of the program and of what it left behind */
    uint64_t user_ns;           /* of the program and of the descendants that were waited for */
    uint64_t system_ns;         /* likewise */
    uint64_t peak_memory_bytes; /* the largest resident set of one process among them */
    uint64_t involuntary_switches;
    uint64_t major_faults;
    uint32_t outlived; /* descendants that still ran 10 ms after the program had ended; they were killed */
} sy_command_outcome;

/* Runs it. When this returns no process of it is left, whatever happened. SY_NOT_FOUND and SY_IO: it cannot be started
 * (the token tried and the reason are named); SY_INVALID_ARGUMENT; SY_INTERRUPTED: cancelled; SY_DIED: the launcher
 * ended early; SY_NO_MEMORY. */
sy_status sy_command_run(const sy_command_run_options *options, sy_command_outcome *ret_outcome,
                         sy_error *err) SY_NODISCARD;

/* "exited 3", "signal 11 (SIGSEGV)", "timed out after 5 s" (timeout_ns 0: "ran into the deadline"), "wrote too much".
 */
void sy_command_describe_outcome(const sy_command_outcome *outcome, uint64_t timeout_ns, char *to, size_t size);

/* The file that exec would take for program: itself if it holds a slash (seen from directory, NULL = here), else the
 * first executable in the PATH of environment (NULL = the caller's). The caller frees *ret_path with sy_free.
 * SY_NOT_FOUND with a hint, SY_IO (a folder, no permission), SY_NO_MEMORY. */
sy_status sy_command_find(const char *program, const char *const *environment, const char *directory, char **ret_path,
                          sy_error *err) SY_NODISCARD;

#endif
