/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as implementations: two or more commands are weighed like any operation. Their outputs are compared first;
 * each timed run is a process of its own, started by a launcher, with equal surroundings on both sides. */
#ifndef STEELYARD_COMMAND_H
#define STEELYARD_COMMAND_H

#include <steelyard/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One program with its arguments. */
typedef struct sy_command {
    const char *name;        /* in results; NULL = the command itself, cut */
    const char *line;        /* split into words as a shell would, without one; or handed to the shell. NULL = argv */
    const char *const *argv; /* NULL-terminated, handed to exec byte for byte; only where line is NULL */
} sy_command;

/* {name} in commands, steps and paths is replaced by value. */
typedef struct sy_command_parameter {
    const char *name;
    const char *value;
} sy_command_parameter;

typedef enum sy_command_compare {
    SY_COMMAND_COMPARE_BYTES,
    SY_COMMAND_COMPARE_NUMBERS, /* numbers within the tolerances, all else byte by byte */
    SY_COMMAND_COMPARE_NONE     /* timing only: parity is `not-performed` */
} sy_command_compare;

/* What is to be weighed. Texts are copied. Steps are single commands, split or handed to the shell like the others. */
typedef struct sy_command_spec {
    size_t struct_size;
    const sy_command *commands;   /* the reference first */
    size_t command_count;         /* 2 or more; 1 to be measured alone */
    const char *shell;            /* commands are its -c argument; NULL = no shell */
    const char *setup;            /* NULL, or run once before everything */
    const char *prepare;          /* NULL, or right before each run */
    const char *conclude;         /* NULL, or right after each run */
    const char *cleanup;          /* NULL, or once after everything */
    const char *input;            /* a file on standard input, from its beginning in each run; NULL = /dev/null */
    const char *const *variables; /* NAME=VALUE, added to this process's environment */
    size_t variable_count;
    const char *directory; /* to run in; NULL = this process's */
    const sy_command_parameter *parameters;
    size_t parameter_count;
    uint64_t timeout_ns;        /* of one run; 0 = none */
    bool ignore_failure;        /* an exit code that is not 0 is compared like an output, instead of ending the run */
    bool terminal;              /* output, error and, without a file, input are a terminal */
    const char *const *outputs; /* what is compared: "stdout", "stderr", or files that the commands write: none may be
                                   there before, and they are removed before each run and in the end; "null": standard
                                   output is discarded */
    size_t output_count;        /* 0 = stdout */
    sy_command_compare compare;
    double absolute_tolerance; /* of numbers: allowed is absolute + relative |reference's| */
    double relative_tolerance;
    const char *const *ignore_lines; /* lines that one of these extended regular expressions matches are left out */
    size_t ignore_line_count;
    const char *metric; /* "wall", "user", "cpu" (user and system), "memory" (peak resident), or a number that the
                           program prints: "line:NAME", "json:POINTER", "regex:RE"; NULL = wall */
    bool higher_is_better;
    const char *launcher_path;     /* a binary that answers to `launcher` by sy_launcher_main */
    const char *scratch_directory; /* where outputs are kept meanwhile; NULL = /tmp */
    /* NULL, or receives what each command wrote in its first run, in pieces. stream: "stdout" or "stderr". */
    void (*show)(void *user, const char *command, const char *stream, const void *bytes, size_t size);
    void *user;
    bool (*cancelled)(void *user); /* NULL, or asked while setup runs: true ends it. Later the probe's own is asked */
} sy_command_spec;

#define SY_COMMAND_SPEC_INIT                   \
    {                                          \
        .struct_size = sizeof(sy_command_spec) \
    }

/* Opens a device of backend command for these commands, and runs setup; sy_device_close runs cleanup and removes what
 * was kept. SY_INVALID_ARGUMENT (named; the hint says what to do), SY_NOT_FOUND or SY_IO (a program or file that is not
 * there or may not be run), SY_UNAVAILABLE (setup failed), SY_INTERRUPTED (in setup), SY_NO_MEMORY.
 * sy_device_open("command", ...) with the spec in its options is the same. */
SY_API sy_status sy_command_device_open(const sy_command_spec *spec, sy_device **ret_device,
                                        sy_error *err) SY_NODISCARD;
/* The device's suite, operation "command": the commands, and one case. It lives as long as the device. */
SY_API const sy_suite *sy_command_suite(sy_device *device);

/* The other end of a launcher path: starts one program for the process that started this one, and waits for it.
 * argv begins with the word "launcher". Returns the process's exit code. */
SY_API int sy_launcher_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
