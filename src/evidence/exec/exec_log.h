/* SPDX-License-Identifier: Apache-2.0 */
/* What a command writes to a stream: its beginning and its end are kept, what is between is counted. */
#ifndef STEELYARD_EVIDENCE_EXEC_LOG_H
#define STEELYARD_EVIDENCE_EXEC_LOG_H

#include "base/text.h"

typedef struct sy_exec_log {
    size_t limit; /* bytes that are kept, at most */
    sy_text head;
    char *tail; /* a ring of limit / 2 bytes; NULL until it is needed */
    size_t tail_at;
    uint64_t total; /* bytes that were written */
    bool failed;    /* no memory: later bytes are counted only */
} sy_exec_log;

void sy_exec_log_add(sy_exec_log *log, const void *bytes, size_t size);
/* Appends the log as a text: NULs as '?', a line that says how much is missing where something is. */
void sy_exec_log_write(const sy_exec_log *log, sy_text *to);
void sy_exec_log_finish(sy_exec_log *log);

#endif
