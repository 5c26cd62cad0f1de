/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer that is as large as the largest line so far; what was handed out makes room for what comes. */
#include "ledger/lines/line_reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define FIRST_BYTES ((size_t)64 << 10)

void sy_line_reader_finish(sy_line_reader *reader)
{
    sy_free(reader->bytes);
    reader->bytes = NULL;
}

/* Room behind what waits. */
static sy_status make_room(sy_line_reader *reader, sy_error *err)
{
    size_t waiting = reader->end - reader->start;
    if (reader->bytes != NULL && reader->start > 0) {
        memmove(reader->bytes, reader->bytes + reader->start, waiting);
        reader->start = 0;
        reader->end = waiting;
    }
    if (waiting < reader->capacity) {
        return SY_OK;
    }
    if (waiting > reader->limit) {
        return sy_fail(err, SY_CORRUPT, "line %" PRIu64 " has more than %zu bytes", reader->number + 1, reader->limit);
    }
    size_t capacity = reader->capacity == 0 ? FIRST_BYTES : reader->capacity * 2;
    char *bytes = sy_reallocate(reader->bytes, capacity, 1);
    if (bytes == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a line");
    }
    reader->bytes = bytes;
    reader->capacity = capacity;
    return SY_OK;
}

static sy_status fill(sy_line_reader *reader, sy_error *err)
{
    size_t some = 0;
    sy_status status = make_room(reader, err);
    if (status == SY_OK) {
        status = reader->read(reader->user, reader->bytes + reader->end, reader->capacity - reader->end, &some, err);
    }
    if (status == SY_OK) {
        reader->at_end = some == 0;
        reader->end += some;
    }
    return status;
}

sy_status sy_line_reader_next(sy_line_reader *reader, const char **ret_line, size_t *ret_size, sy_error *err)
{
    size_t searched = 0;
    for (;;) {
        size_t waiting = reader->end - reader->start;
        const char *line = waiting == 0 ? NULL : reader->bytes + reader->start;
        const char *newline = line == NULL || waiting == searched ? NULL
                                                                  : memchr(line + searched, '\n', waiting - searched);
        if (line != NULL && (newline != NULL || reader->at_end)) {
            size_t size = newline != NULL ? (size_t)(newline - line) : waiting;
            reader->start += newline != NULL ? size + 1 : size;
            reader->number++;
            *ret_size = size > 0 && line[size - 1] == '\r' ? size - 1 : size;
            *ret_line = line;
            return SY_OK;
        }
        if (reader->at_end) {
            *ret_line = NULL;
            *ret_size = 0;
            return SY_OK;
        }
        searched = waiting;
        sy_status status = fill(reader, err);
        if (status != SY_OK) {
            return status;
        }
    }
}
