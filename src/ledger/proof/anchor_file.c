/* SPDX-License-Identifier: Apache-2.0 */
/* One anchor a line: what it is, which ledger, which event, its digest, when. */
#include "ledger/proof/anchor_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define WORD "steelyard-anchor/"
#define SCHEMA WORD "1"
#define FIELDS 5

/* Cuts the line at its blanks, in place. Returns how many fields there are, at most FIELDS + 1. */
static size_t split(char *line, char *fields[FIELDS + 1])
{
    size_t count = 0;
    char *at = line;
    while (count <= FIELDS) {
        at += strspn(at, " \t");
        if (*at == '\0') {
            break;
        }
        fields[count++] = at;
        at += strcspn(at, " \t");
        if (*at == '\0') {
            break;
        }
        *at++ = '\0';
    }
    return count;
}

static bool read_fields(char *const fields[FIELDS], sy_anchor *anchor)
{
    int64_t at_utc_s;
    bool is_id = strlen(fields[1]) == sizeof anchor->ledger - 1 &&
                 strspn(fields[1], "0123456789abcdef") == sizeof anchor->ledger - 1;
    return is_id && sy_text_copy(anchor->ledger, sizeof anchor->ledger, fields[1]) &&
           sy_parse_u64(fields[2], &anchor->number, NULL) == SY_OK && anchor->number > 0 &&
           sy_digest_parse(fields[3], &anchor->digest, NULL) == SY_OK &&
           sy_time_parse_utc(fields[4], &at_utc_s, NULL) == SY_OK;
}

static sy_status refuse(const char *word, uint64_t number, sy_error *err)
{
    sy_fail(err, SY_CORRUPT, "line %" PRIu64 " ('%s...') is no anchor", number, word);
    sy_error_hint(err, "an anchor: %s LEDGER NUMBER DIGEST TIME; a comment begins with #", SCHEMA);
    sy_error_at(err, (sy_position){0, (uint32_t)(number > UINT32_MAX ? UINT32_MAX : number), 1});
    return SY_CORRUPT;
}

/* line is terminated and may be cut; a 0 byte within hides nothing that stands behind it. */
static sy_status parse_line(char *line, size_t length, uint64_t number, sy_anchor_list *list, sy_error *err)
{
    char *fields[FIELDS + 1];
    char word[24];
    (void)sy_text_copy(word, sizeof word, line);
    if (strlen(line) != length) {
        return refuse(word, number, err);
    }
    size_t count = split(line, fields);
    if (count == 0 || fields[0][0] == '#') {
        return SY_OK;
    }
    if (sy_text_begins(fields[0], WORD) && strcmp(fields[0], SCHEMA) != 0) {
        return sy_fail(err, SY_VERSION_UNSUPPORTED, "line %" PRIu64 " begins with '%s': this steelyard reads %s",
                       number, word, SCHEMA);
    }
    sy_anchor *anchor = &list->anchors[list->count];
    if (strcmp(fields[0], SCHEMA) != 0 || count != FIELDS || !read_fields(fields, anchor)) {
        return refuse(word, number, err);
    }
    anchor->line = number;
    list->count++;
    return SY_OK;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++) {
        count += text[i] == '\n';
    }
    return count;
}

sy_status sy_anchors_parse(const char *text, size_t size, sy_arena *arena, sy_anchor_list *ret_list, sy_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    sy_anchor_list list = {sy_arena_allocate(arena, count_lines(text, size), sizeof(sy_anchor)), 0};
    const char *end = text + size;
    uint64_t number = 0;
    if (list.anchors == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for anchors");
    }
    if (size >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
    }
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline == NULL ? end : newline) - at);
        if (length > 0 && at[length - 1] == '\r') {
            length--;
        }
        char *line = sy_arena_copy_bytes(arena, at, length);
        if (line == NULL) {
            return sy_fail(err, SY_NO_MEMORY, "no memory for anchors");
        }
        sy_status status = parse_line(line, length, ++number, &list, err);
        if (status != SY_OK) {
            return status;
        }
        at = newline == NULL ? end : newline + 1;
    }
    *ret_list = list;
    return SY_OK;
}

sy_status sy_anchor_write(const sy_anchor *anchor, int64_t at_utc_s, sy_text *to, sy_error *err)
{
    char digest[SY_DIGEST_TEXT];
    char at[24];
    sy_status status = sy_time_format_utc(at_utc_s, at, sizeof at, err);
    if (status != SY_OK) {
        return status;
    }
    sy_digest_format(&anchor->digest, digest);
    sy_text_append_format(to, "%s %s %" PRIu64 " %s %s\n", SCHEMA, anchor->ledger, anchor->number, digest, at);
    return to->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for an anchor") : SY_OK;
}
