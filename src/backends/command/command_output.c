/* SPDX-License-Identifier: Apache-2.0 */
/* A file in pieces of whole lines. */
#include "backends/command/command_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define BUFFER_BYTES (2 * SY_OUTPUT_PIECE_BYTES)

sy_status sy_output_start(sy_output_reader *reader, int descriptor, const sy_output_filter *filter, sy_error *err)
{
    *reader = (sy_output_reader){.descriptor = descriptor, .filter = filter, .line = 1};
    reader->buffer = sy_allocate(1, BUFFER_BYTES + 1); /* a terminator fits behind any piece */
    return reader->buffer ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory to read an output");
}

void sy_output_finish(sy_output_reader *reader)
{
    sy_free(reader->buffer);
    *reader = (sy_output_reader){.descriptor = -1};
}

/* Until a piece is there or the file ends. */
static sy_status fill(sy_output_reader *reader, sy_error *err)
{
    if (reader->begin > 0 && reader->end - reader->begin < SY_OUTPUT_PIECE_BYTES) {
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    while (!reader->at_end && reader->end - reader->begin < SY_OUTPUT_PIECE_BYTES) {
        ssize_t got = pread(reader->descriptor, reader->buffer + reader->end, BUFFER_BYTES - reader->end,
                            (off_t)(reader->offset + (reader->end - reader->begin)));
        if (got < 0 && errno != EINTR)
            return sy_fail_errno(err, SY_IO, errno, "cannot read an output");
        reader->at_end = got == 0;
        reader->end += got > 0 ? (size_t)got : 0;
    }
    return SY_OK;
}

static bool refers_back(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' && text[1] >= '1' && text[1] <= '9')
            return true;
        text += *text == '\\' && text[1] != '\0'; /* what is escaped escapes nothing */
    }
    return false;
}

bool sy_output_compile(regex_t *pattern, const char *text, int flags, char why[128])
{
    if (refers_back(text)) {
        (void)snprintf(why, 128, "it refers back to a group, which can take for ever");
        return false;
    }
    int code = regcomp(pattern, text, REG_EXTENDED | flags);
    if (code)
        (void)regerror(code, pattern, why, 128);
    return code == 0;
}

bool sy_output_matches(const regex_t *pattern, char *bytes, size_t size, regmatch_t match[2])
{
    regmatch_t own[2];
    regmatch_t *found = match ? match : own;
    size_t length = size > 0 && bytes[size - 1] == '\n' ? size - 1 : size;
    char behind = bytes[length];
    found[0] = (regmatch_t){0, (regoff_t)length};
    bytes[length] = '\0'; /* REG_STARTEND needs none, what stands in for regexec under a sanitizer does */
    bool matches = regexec(pattern, bytes, 2, found, REG_STARTEND) == 0;
    bytes[length] = behind;
    return matches;
}

static bool is_left_out(const sy_output_filter *filter, char *bytes, size_t size)
{
    for (size_t i = 0; filter && i < filter->pattern_count; i++) {
        if (sy_output_matches(&filter->patterns[i], bytes, size, NULL))
            return true;
    }
    return filter && filter->metric && sy_output_matches(filter->metric, bytes, size, NULL);
}

sy_status sy_output_next(sy_output_reader *reader, sy_output_piece *ret_piece, sy_error *err)
{
    sy_output_piece piece = {0};
    bool left_out = true;
    while (left_out) {
        sy_status status = fill(reader, err);
        if (status)
            return status;
        size_t there = reader->end - reader->begin;
        size_t most = there < SY_OUTPUT_PIECE_BYTES ? there : SY_OUTPUT_PIECE_BYTES;
        char *bytes = reader->buffer + reader->begin;
        const char *newline = memchr(bytes, '\n', most);
        size_t size = newline ? (size_t)(newline - bytes) + 1 : most;
        piece = (sy_output_piece){bytes, size, reader->offset, reader->line, !reader->inside};
        if (!reader->inside && size > 0)
            reader->leaves_out = is_left_out(reader->filter, bytes, size);
        left_out = reader->leaves_out && size > 0;
        reader->begin += size;
        reader->offset += size;
        reader->inside = !newline;
        reader->line += newline != NULL;
    }
    *ret_piece = piece;
    return SY_OK;
}

sy_status sy_output_digest(int descriptor, const sy_output_filter *filter, sy_digest *ret_digest, uint64_t *ret_bytes,
                           sy_error *err)
{
    sy_output_reader reader;
    sy_output_piece piece = {.size = 1};
    sy_digest_state state;
    uint64_t bytes = 0;
    sy_status status = sy_output_start(&reader, descriptor, filter, err);
    sy_digest_start(&state);
    while (!status && piece.size > 0) {
        status = sy_output_next(&reader, &piece, err);
        if (!status)
            sy_digest_add(&state, piece.bytes, piece.size);
        bytes += status ? 0 : piece.size;
    }
    sy_digest_finish(&state, ret_digest);
    *ret_bytes = bytes;
    sy_output_finish(&reader);
    return status;
}
