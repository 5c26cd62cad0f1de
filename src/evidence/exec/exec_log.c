/* SPDX-License-Identifier: Apache-2.0 */
/* A text for the beginning, a ring for the end: a program that writes for ever takes no more than the limit. */
#include "evidence/exec/exec_log.h"

#include <string.h>

#include "base/memory.h"

static size_t head_size(const sy_exec_log *log)
{
    return log->limit - log->limit / 2;
}

static size_t tail_size(const sy_exec_log *log)
{
    return log->limit / 2;
}

void sy_exec_log_add(sy_exec_log *log, const void *bytes, size_t size)
{
    const char *from = bytes;
    size_t room = log->head.length < head_size(log) ? head_size(log) - log->head.length : 0;
    size_t first = size < room ? size : room;
    log->total += size;
    if (log->failed)
        return;
    sy_text_append_bytes(&log->head, from, first);
    from += first;
    size -= first;
    if (size > 0 && log->tail == NULL && tail_size(log) > 0)
        log->tail = sy_allocate(tail_size(log), 1);
    log->failed = log->head.failed || (size > 0 && tail_size(log) > 0 && log->tail == NULL);
    if (log->failed || tail_size(log) == 0)
        return;
    if (size > tail_size(log)) {
        log->tail_at = (log->tail_at + (size - tail_size(log))) % tail_size(log);
        from += size - tail_size(log);
        size = tail_size(log);
    }
    while (size > 0) {
        size_t piece = tail_size(log) - log->tail_at;
        piece = size < piece ? size : piece;
        memcpy(log->tail + log->tail_at, from, piece);
        log->tail_at = (log->tail_at + piece) % tail_size(log);
        from += piece;
        size -= piece;
    }
}

static void write_plain(sy_text *to, const char *bytes, size_t size)
{
    while (size > 0) {
        const char *nul = memchr(bytes, '\0', size);
        size_t piece = nul == NULL ? size : (size_t)(nul - bytes);
        sy_text_append_bytes(to, bytes, piece);
        if (nul != NULL)
            sy_text_append(to, "?");
        piece += nul != NULL;
        bytes += piece;
        size -= piece;
    }
}

void sy_exec_log_write(const sy_exec_log *log, sy_text *to)
{
    uint64_t behind = log->total - log->head.length;
    write_plain(to, sy_text_bytes(&log->head), log->head.length);
    if (log->failed || behind > tail_size(log))
        sy_text_append_format(to, "\n[%llu bytes are not kept]\n",
                              (unsigned long long)(log->failed ? behind : behind - tail_size(log)));
    if (log->failed || log->tail == NULL)
        return;
    if (behind > tail_size(log)) {
        write_plain(to, log->tail + log->tail_at, tail_size(log) - log->tail_at);
        write_plain(to, log->tail, log->tail_at);
    } else {
        write_plain(to, log->tail, (size_t)behind);
    }
}

void sy_exec_log_finish(sy_exec_log *log)
{
    sy_text_finish(&log->head);
    sy_free(log->tail);
    log->tail = NULL;
}
