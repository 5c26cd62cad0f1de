/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of backend command share: an open device is a spec made ready, and what its runs have shown so far. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_DEVICE_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_DEVICE_H

#include <steelyard/command.h>

#include "backends/backend.h"
#include "backends/command/command_compare.h"
#include "backends/command/command_layout.h"
#include "backends/command/command_metric.h"
#include "backends/command/command_run.h"
#include "base/arena.h"
#include "base/digest.h"
#include "base/scratch.h"

/* A file as it was looked at; equal stamps: nobody has changed it. */
typedef struct sy_file_stamp {
    bool is_there;
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t changed_ns;
} sy_file_stamp;

/* A command line that is run beside what is timed; argv NULL = none. */
typedef struct sy_command_step {
    const char *what; /* "--prepare" */
    const char *const *argv;
    const char *path;
} sy_command_step;

typedef struct sy_command_output {
    const char *name; /* as it was asked for */
    const char *file; /* NULL: a stream */
    bool is_error;    /* of the streams, standard error */
} sy_command_output;

/* What is known of one command. */
typedef struct sy_command_variant {
    const char *name;
    sy_command_side side;
    const char *resolved;                /* path without symbolic links */
    sy_file_stamp stamp;                 /* of the program's file */
    char program_digest[SY_DIGEST_TEXT]; /* of its bytes */
    bool shown;
    bool verified; /* its first outputs passed, as `parity` says */
    int exit_code; /* with them */
    sy_digest digest;
    sy_parity parity;
    uint64_t output_bytes; /* of the first run, without what is left out */
    uint64_t peak_memory_bytes;
} sy_command_variant;

typedef struct sy_command_device {
    sy_device base;
    sy_arena *arena;
    sy_command_spec spec; /* texts of the arena, parameters in place */
    const char *shell;    /* resolved; NULL */
    sy_command_variant *variants;
    uint32_t variant_count;
    sy_command_output *outputs;
    size_t output_count;
    bool discards; /* standard output goes to the null device */
    regex_t *patterns;
    size_t pattern_count;
    sy_output_rules rules;
    bool has_metric;
    sy_command_metric metric;
    sy_command_step setup;
    sy_command_step prepare;
    sy_command_step conclude;
    sy_command_step cleanup;
    sy_scratch *scratch;
    sy_digest input_digest;
    sy_file_stamp input_stamp;
    sy_suite suite;
    sy_case one_case;
    sy_run_account account; /* of the last run */
    bool setup_done;        /* cleanup is owed */
    bool owns_outputs;      /* none of its output files was there before the first run */
    uint32_t described;     /* the variant that was described last */
    char advice[200];       /* on outputs that differed; "" */
} sy_command_device;

static inline sy_command_device *sy_command_device_of(sy_device *device)
{
    return (sy_command_device *)device;
}

/* What a run leaves in the graph's output: which command it was, and the digest of what it wrote. */
typedef struct sy_command_receipt {
    char mark[16];
    uint32_t variant;
    int32_t exit_code;
    sy_digest digest;
} sy_command_receipt;

#define SY_COMMAND_RECEIPT_MARK "steelyard-run/1"

/* ---- command_open.c: from a spec to a device that has not run anything ---- */
sy_status sy_command_make_ready(sy_command_device *device, const sy_command_spec *spec, sy_error *err) SY_NODISCARD;

/* ---- command_job.c ---- */
/* Runs a step; one that fails is SY_UNAVAILABLE, what begins with "could not be measured: ". */
sy_status sy_command_run_step(sy_command_device *device, const sy_command_step *step, sy_error *err) SY_NODISCARD;
/* One run of a command with everything around it: fills device->account and the receipt. SY_DIED (exit code, signal),
 * SY_TIMED_OUT, SY_UNAVAILABLE, SY_LIMIT_EXCEEDED: the command's own failure, what says what it did ("exited 3");
 * SY_INTERRUPTED; others are the machine's. */
sy_status sy_command_job(sy_command_device *device, uint32_t variant, sy_command_receipt *ret_receipt,
                         sy_error *err) SY_NODISCARD;

/* ---- command_check.c ---- */
/* Output files that are there before any run are somebody else's: SY_INVALID_ARGUMENT names the first. */
sy_status sy_command_refuse_outputs(const sy_command_device *device, sy_error *err) SY_NODISCARD;
/* Removes the files that commands are to write, before a run. SY_REFUSED: one is no regular file; SY_IO. */
sy_status sy_command_remove_outputs(const sy_command_device *device, sy_error *err) SY_NODISCARD;
/* The same in the end, whatever the last run made of them. */
void sy_command_forget_outputs(const sy_command_device *device);
/* Digest over all outputs of the last run of a command, and their bytes. Missing files are SY_UNAVAILABLE. */
sy_status sy_command_digest(sy_command_device *device, uint32_t variant, sy_digest *ret_digest, uint64_t *ret_bytes,
                            sy_error *err) SY_NODISCARD;
/* Keeps the reference's outputs of its last run. */
sy_status sy_command_keep_reference(sy_command_device *device, sy_error *err) SY_NODISCARD;
/* Holds the outputs of a command's last run against the reference's kept ones. */
sy_status sy_command_check(sy_command_device *device, uint32_t variant, int exit_code, sy_parity *ret_parity,
                           sy_error *err) SY_NODISCARD;
/* SHA-256 of a file's bytes. SY_NOT_FOUND, SY_IO, SY_NO_MEMORY. */
sy_status sy_command_file_digest(const char *path, sy_digest *ret_digest, sy_error *err) SY_NODISCARD;
sy_file_stamp sy_command_stamp(const sy_command_device *device, const char *path);
bool sy_command_stamp_equal(const sy_file_stamp *a, const sy_file_stamp *b);
/* Names of a variant's files in the scratch folder. kind: "out", "err". */
void sy_command_sink_name(char to[32], const char *kind, uint32_t variant);

/* ---- command_suite.c ---- */
sy_status sy_command_make_suite(sy_command_device *device, sy_error *err) SY_NODISCARD;

#endif
