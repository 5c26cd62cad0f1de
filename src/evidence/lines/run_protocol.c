/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes into lines, and what is kept of them within the limits. What a line says is run_protocol_lines.c. */
#include "evidence/lines/run_protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/lines/run_protocol_inside.h"

#define SHOWN_BYTES 120 /* of a line that is not taken */

sy_protocol *sy_protocol_create(const sy_protocol_limits *limits)
{
    static const sy_protocol_limits usual = SY_PROTOCOL_LIMITS_INIT;
    sy_protocol *protocol = sy_allocate(1, sizeof(*protocol));
    if (protocol == NULL)
        return NULL;
    protocol->limits = limits == NULL ? usual : *limits;
    protocol->account.limit = "";
    protocol->arena = sy_arena_create(0);
    protocol->line = sy_allocate(SY_PROTOCOL_LINE_SIZE + 1, 1);
    if (protocol->arena == NULL || protocol->line == NULL) {
        sy_protocol_destroy(protocol);
        return NULL;
    }
    return protocol;
}

void sy_protocol_destroy(sy_protocol *protocol)
{
    if (protocol == NULL)
        return;
    sy_protocol_series *series = protocol->series.items;
    for (size_t i = 0; i < protocol->series.count; i++)
        sy_free(series[i].samples);
    sy_protocol_list *lists[] = {&protocol->series, &protocol->parities, &protocol->memories, &protocol->digests,
                                 &protocol->files,  &protocol->notes,    &protocol->rejects};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        sy_free(lists[i]->items);
    sy_free(protocol->table);
    sy_free(protocol->account.series);
    sy_free(protocol->line);
    sy_arena_destroy(protocol->arena);
    sy_free(protocol);
}

void *sy_protocol_add(sy_protocol *protocol, sy_protocol_list *list, size_t size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        void *items = sy_reallocate(list->items, capacity, size);
        if (items == NULL) {
            protocol->out_of_memory = true;
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    char *item = (char *)list->items + list->count * size;
    memset(item, 0, size);
    list->count++;
    return item;
}

const char *sy_protocol_keep(sy_protocol *protocol, const char *text)
{
    const char *kept = text[0] == '\0' ? "" : sy_arena_copy_text(protocol->arena, text);
    protocol->out_of_memory = protocol->out_of_memory || kept == NULL;
    return kept == NULL ? "" : kept;
}

/* Bytes of anybody as they may be shown: control characters, and what is no UTF-8, as '?'. to: most bytes and one. */
static void copy_plain(char *to, size_t most, const char *bytes, size_t size)
{
    size_t used = 0;
    size_t step = 0;
    for (size_t at = 0; at < size; at += step) {
        size_t length = sy_text_character_length(bytes + at, size - at);
        bool plain = length > 0 && (unsigned char)bytes[at] >= 0x20 && bytes[at] != 0x7f;
        step = plain ? length : 1;
        if (used + step > most)
            break;
        memcpy(to + used, plain ? bytes + at : "?", step);
        used += step;
    }
    to[used] = '\0';
}

bool sy_protocol_reject_line(sy_protocol *protocol, const char *format, ...)
{
    char cause[512];
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(cause, sizeof(cause), format, arguments);
    va_end(arguments);
    /* It may quote the line, cut anywhere. */
    copy_plain(protocol->cause, sizeof(protocol->cause) - 1, cause, strlen(cause));
    return false;
}

bool sy_protocol_drop_line(sy_protocol *protocol, uint64_t limit, const char *of_what)
{
    protocol->account.dropped_count++;
    if (protocol->account.limit[0] == '\0') {
        const char *text = sy_arena_format(protocol->arena, "more than %llu %s", (unsigned long long)limit, of_what);
        protocol->out_of_memory = protocol->out_of_memory || text == NULL;
        protocol->account.limit = text == NULL ? of_what : text;
    }
    return true;
}

static void count_reject(sy_protocol *protocol, const char *bytes, size_t size)
{
    protocol->account.rejected_count++;
    if (protocol->rejects.count >= SY_PROTOCOL_REJECTS)
        return;
    sy_protocol_reject *reject = sy_protocol_add(protocol, &protocol->rejects, sizeof(*reject));
    char shown[SHOWN_BYTES + 1];
    copy_plain(shown, SHOWN_BYTES, bytes, size);
    if (reject != NULL)
        *reject = (sy_protocol_reject){protocol->account.line_count, sy_protocol_keep(protocol, protocol->cause),
                                       sy_protocol_keep(protocol, shown)};
}

static bool is_utf8(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t step = sy_text_character_length(text + at, length - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

static bool take_line(sy_protocol *protocol)
{
    if (protocol->too_long)
        return sy_protocol_reject_line(protocol, "longer than %d bytes", SY_PROTOCOL_LINE_SIZE);
    if (protocol->length > 0 && protocol->line[protocol->length - 1] == '\r')
        protocol->length--;
    protocol->line[protocol->length] = '\0';
    if (memchr(protocol->line, '\0', protocol->length) != NULL)
        return sy_protocol_reject_line(protocol, "holds a NUL");
    if (!is_utf8(protocol->line, protocol->length))
        return sy_protocol_reject_line(protocol, "is no UTF-8");
    return sy_protocol_take(protocol, protocol->line);
}

/* A line is complete: it is taken, not taken, or beyond what is read at all. */
static void end_line(sy_protocol *protocol)
{
    protocol->account.line_count++;
    if (protocol->account.line_count > protocol->limits.lines) {
        (void)sy_protocol_drop_line(protocol, protocol->limits.lines, "lines");
    } else if (protocol->byte_count > protocol->limits.bytes) {
        (void)sy_protocol_drop_line(protocol, protocol->limits.bytes, "bytes");
    } else {
        char beginning[SHOWN_BYTES]; /* the words are cut in place */
        size_t size = protocol->length < SHOWN_BYTES ? protocol->length : SHOWN_BYTES;
        memcpy(beginning, protocol->line, size);
        if (!take_line(protocol))
            count_reject(protocol, beginning, size);
    }
    protocol->length = 0;
    protocol->too_long = false;
}

sy_status sy_protocol_feed(sy_protocol *protocol, const void *bytes, size_t size, sy_error *err)
{
    const char *at = bytes;
    const char *end = at + size;
    while (at < end && !protocol->out_of_memory) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t piece = (size_t)((line_end == NULL ? end : line_end) - at);
        size_t room = SY_PROTOCOL_LINE_SIZE - protocol->length;
        size_t kept = piece < room ? piece : room;
        memcpy(protocol->line + protocol->length, at, kept);
        protocol->length += kept;
        protocol->too_long = protocol->too_long || kept < piece;
        protocol->byte_count += piece + (line_end != NULL);
        at += piece;
        if (line_end != NULL) {
            end_line(protocol);
            at++;
        }
    }
    return protocol->out_of_memory ? sy_fail(err, SY_NO_MEMORY, "no memory for what the command said") : SY_OK;
}

bool sy_protocol_is_flooded(const sy_protocol *protocol)
{
    return protocol->account.line_count > protocol->limits.lines || protocol->byte_count > protocol->limits.bytes;
}

sy_status sy_protocol_finish(sy_protocol *protocol, sy_protocol_account *ret_account, sy_error *err)
{
    if (protocol->length > 0 && !protocol->out_of_memory)
        end_line(protocol);
    sy_protocol_account *account = &protocol->account;
    const sy_protocol_series *series = protocol->series.items;
    account->series = sy_allocate(protocol->series.count, sizeof(*account->series));
    if (protocol->out_of_memory || account->series == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for what the command said");
    for (size_t i = 0; i < protocol->series.count; i++) {
        account->series[i] = series[i].series;
        account->series[i].samples = series[i].samples;
    }
    account->series_count = protocol->series.count;
    account->parities = protocol->parities.items;
    account->parity_count = protocol->parities.count;
    account->memories = protocol->memories.items;
    account->memory_count = protocol->memories.count;
    account->digests = protocol->digests.items;
    account->digest_count = protocol->digests.count;
    account->files = protocol->files.items;
    account->file_count = protocol->files.count;
    account->notes = protocol->notes.items;
    account->note_count = protocol->notes.count;
    account->rejects = protocol->rejects.items;
    account->reject_count = protocol->rejects.count;
    *ret_account = *account;
    return SY_OK;
}
