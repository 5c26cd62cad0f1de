/* SPDX-License-Identifier: Apache-2.0 */
/* The lines by which a command tells what it measured (docs/runs.md, "The line protocol"): read piece by piece from
 * somebody who may send anything, kept within limits, with an account of all that was not taken. */
#ifndef STEELYARD_EVIDENCE_LINES_RUN_PROTOCOL_H
#define STEELYARD_EVIDENCE_LINES_RUN_PROTOCOL_H

#include <steelyard/run.h>

/* The most that is kept of one command; what passes it is counted. */
typedef struct sy_protocol_limits {
    uint64_t lines;
    uint64_t bytes;
    size_t series;
    uint64_t samples;
    size_t statements; /* of each other kind */
    size_t artifacts;
} sy_protocol_limits;

#define SY_PROTOCOL_LIMITS_INIT                                   \
    {                                                             \
        10000000, UINT64_C(1) << 30, 10000, 10000000, 10000, 1000 \
    }

#define SY_PROTOCOL_LINE_SIZE 65536
#define SY_PROTOCOL_REJECTS 20 /* the first ones, which are kept */

/* A line that was not taken. */
typedef struct sy_protocol_reject {
    uint64_t line;     /* from 1 */
    const char *cause; /* "unknown statement 'smaple'" */
    const char *text;  /* its beginning, control characters as '?' */
} sy_protocol_reject;

/* A file that the command wants to be kept. */
typedef struct sy_protocol_file {
    sy_artifact_role role;
    const char *path;
} sy_protocol_file;

/* All that was said. Everything lives as long as the reader. */
typedef struct sy_protocol_account {
    sy_run_series *series; /* in the order of their first samples; digest and figures not filled */
    size_t series_count;
    const sy_run_parity_event *parities;
    size_t parity_count;
    const sy_run_memory *memories; /* without swap and pressure */
    size_t memory_count;
    const sy_run_digest *digests;
    size_t digest_count;
    const sy_protocol_file *files;
    size_t file_count;
    const char *const *notes;
    size_t note_count;
    uint64_t line_count;
    uint64_t sample_count; /* that were taken */
    uint64_t rejected_count;
    const sy_protocol_reject *rejects;
    size_t reject_count;
    uint64_t dropped_count; /* lines beyond a limit */
    const char *limit;      /* the first that was passed: "more than 10000 series"; "" */
} sy_protocol_account;

typedef struct sy_protocol sy_protocol;

/* limits: NULL = the usual ones. NULL is returned when memory is short. */
sy_protocol *sy_protocol_create(const sy_protocol_limits *limits);
void sy_protocol_destroy(sy_protocol *protocol); /* NULL is allowed */
/* The next bytes, cut anywhere. SY_NO_MEMORY: what was not kept is lost, and the reader takes no more. */
sy_status sy_protocol_feed(sy_protocol *protocol, const void *bytes, size_t size, sy_error *err) SY_NODISCARD;
/* More lines or bytes came than are ever read: there is no point in going on. */
bool sy_protocol_is_flooded(const sy_protocol *protocol);
/* The end: a last line without an end is read. Called once. SY_NO_MEMORY. */
sy_status sy_protocol_finish(sy_protocol *protocol, sy_protocol_account *ret_account, sy_error *err) SY_NODISCARD;

#endif
