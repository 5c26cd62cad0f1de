/* SPDX-License-Identifier: Apache-2.0 */
/* Lines from a stream of pieces, one in memory at a time. */
#ifndef STEELYARD_LEDGER_LINE_READER_H
#define STEELYARD_LEDGER_LINE_READER_H

#include <steelyard/base.h>

typedef struct sy_line_reader {
    sy_status (*read)(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err);
    void *user;
    char *bytes;
    size_t capacity;
    size_t limit; /* of a line */
    size_t start; /* of what was not handed out yet */
    size_t end;
    bool at_end;
    uint64_t number; /* of the line handed out last, from 1 */
} sy_line_reader;

/* The next line without its end (\n or \r\n), valid until the next call; *ret_line NULL = there is none. What read
 * returns is passed through; SY_CORRUPT: a line above the limit, SY_NO_MEMORY. */
sy_status sy_line_reader_next(sy_line_reader *reader, const char **ret_line, size_t *ret_size,
                              sy_error *err) SY_NODISCARD;
void sy_line_reader_finish(sy_line_reader *reader);

#endif
