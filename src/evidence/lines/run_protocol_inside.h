/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the protocol's reader share: words of a line, and where statements are kept. */
#ifndef STEELYARD_EVIDENCE_LINES_RUN_PROTOCOL_INSIDE_H
#define STEELYARD_EVIDENCE_LINES_RUN_PROTOCOL_INSIDE_H

#include "base/arena.h"
#include "evidence/lines/run_protocol.h"

#define SY_PROTOCOL_WORDS 12
#define SY_PROTOCOL_TEXT 256       /* bytes of a name, a role, a case */
#define SY_PROTOCOL_LONG_TEXT 4096 /* of a reason */
#define SY_PROTOCOL_NOTE 8192

/* A growing list of plain items. */
typedef struct sy_protocol_list {
    void *items;
    size_t count;
    size_t capacity;
} sy_protocol_list;

/* One series on its way: its samples grow. */
typedef struct sy_protocol_series {
    sy_run_series series;
    double *samples;
    size_t capacity;
    uint64_t hash;
} sy_protocol_series;

struct sy_protocol {
    sy_protocol_limits limits;
    sy_arena *arena;
    char *line; /* SY_PROTOCOL_LINE_SIZE bytes and one more */
    size_t length;
    bool too_long; /* the rest of this line is dropped */
    bool out_of_memory;
    uint64_t byte_count;
    sy_protocol_account account;
    sy_protocol_list series; /* sy_protocol_series */
    size_t *table;           /* of series by hash: index + 1; 0 = free */
    size_t table_size;       /* a power of two, at least twice the series */
    sy_protocol_list parities;
    sy_protocol_list memories;
    sy_protocol_list digests;
    sy_protocol_list files;
    sy_protocol_list notes;
    sy_protocol_list rejects;
    char cause[128]; /* of the line that is not taken */
};

/* Room for one more item; NULL: no memory, which is noted. */
void *sy_protocol_add(sy_protocol *protocol, sy_protocol_list *list, size_t size);
/* Keeps a text; "" when there is no memory, which is noted. */
const char *sy_protocol_keep(sy_protocol *protocol, const char *text);
/* Notes why the line is not taken; returns false. */
bool sy_protocol_reject_line(sy_protocol *protocol, const char *format, ...) SY_PRINTF(2, 3);
/* Notes that a limit is passed (the first one stays) and counts the line; returns true: there is nothing to reject. */
bool sy_protocol_drop_line(sy_protocol *protocol, uint64_t limit, const char *of_what);

/* Words of a line, changed in place; quotation marks keep blanks. Returns how many; -1: see cause. */
int sy_protocol_split(char *line, const char *words[SY_PROTOCOL_WORDS], const char **ret_cause);

/* One statement; line: without its end, no NUL, UTF-8. False: not taken, cause is filled. */
bool sy_protocol_take(sy_protocol *protocol, char *line);
/* A sample of a series, which is found or begun. */
bool sy_protocol_take_sample(sy_protocol *protocol, const sy_run_series *of, bool says_direction, double value);

#endif
