/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison byte by byte, and the choice between the two kinds. Numbers: command_numbers.c; what would help:
 * command_advice.c. */
#include "backends/command/command_compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/command/command_numbers.h"
#include "base/text.h"

#define SHOWN_CHARACTERS 26 /* of each side, as they are shown */
#define SHOWN_BEFORE 10     /* the difference */
#define QUOTE_BYTES 56      /* two of them, and their places, fit a reason */

void sy_output_reason(sy_parity *parity, const char *format, ...)
{
    char whole[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(whole, sizeof(whole), format, arguments);
    va_end(arguments);
    parity->outcome = SY_PARITY_FAILED;
    (void)sy_text_copy(parity->reason, sizeof(parity->reason), whole);
}

/* A byte that does not print, in 2 or 4 characters. */
static size_t escape(unsigned char c, char to[8])
{
    const char *known = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : c == '\0' ? "\\0" : NULL;
    return (size_t)(known ? snprintf(to, 8, "%s", known) : snprintf(to, 8, "\\x%02x", c));
}

void sy_output_quote(const char *bytes, size_t size, size_t most, char *to, size_t room)
{
    size_t length = 0;
    size_t at = 0;
    for (size_t shown = 0; at < size && shown < most && length + 8 < room;) {
        size_t wide = sy_text_character_length(bytes + at, size - at);
        unsigned char c = (unsigned char)bytes[at];
        char escaped[8];
        if (wide == 0 || c < ' ' || c == 0x7f) {
            size_t added = escape(c, escaped);
            memcpy(to + length, escaped, added);
            length += added;
            shown += added;
            at++;
        } else {
            memcpy(to + length, bytes + at, wide);
            length += wide;
            shown++;
            at += wide;
        }
    }
    to[length] = '\0';
    if (at < size && length + 4 < room)
        (void)snprintf(to + length, room - length, "...");
}

/* A place in both outputs. */
typedef struct place {
    sy_output_piece reference;
    sy_output_piece candidate;
    size_t at;           /* the first byte of the pieces that differs */
    uint64_t line_start; /* offset of the candidate's line */
} place;

/* Where to begin so that what stands before the difference leaves room for it, and not inside of a character. */
static size_t first_shown(const sy_output_piece *piece, size_t at)
{
    const char *bytes = piece->bytes;
    char before[8 * SHOWN_BEFORE];
    size_t from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
    for (; from < at; from++) {
        sy_output_quote(bytes + from, at - from, SHOWN_BEFORE, before, sizeof(before));
        if (strlen(before) <= SHOWN_BEFORE)
            break;
    }
    for (size_t step = 1; step <= 3 && step <= from; step++) {
        if (sy_text_character_length(bytes + from - step, piece->size - from + step) > step)
            return from - step;
    }
    return from;
}

static void quote_around(const sy_output_piece *piece, size_t at, char *to, size_t room)
{
    if (piece->size == 0) {
        (void)snprintf(to, room, "its end");
        return;
    }
    size_t from = first_shown(piece, at);
    size_t size = piece->size - from;
    size -= size > 0 && piece->bytes[piece->size - 1] == '\n' && at + 1 < piece->size;
    (void)snprintf(to, room, "\"%s", from > 0 ? "..." : "");
    size_t length = strlen(to);
    sy_output_quote(piece->bytes + from, size, SHOWN_CHARACTERS, to + length, room - length - 1);
    length = strlen(to);
    (void)snprintf(to + length, room - length, "\"");
}

static void say_difference(const char *name, const place *p, sy_output_verdict *verdict)
{
    char found[QUOTE_BYTES];
    char expected[QUOTE_BYTES];
    uint64_t offset = p->candidate.offset + p->at;
    quote_around(&p->candidate, p->at, found, sizeof(found));
    quote_around(&p->reference, p->at, expected, sizeof(expected));
    verdict->parity.error_in_tolerances = INFINITY;
    verdict->parity.wrong_count = 1;
    verdict->parity.worst_index = offset;
    sy_output_reason(&verdict->parity, "%.40s differs at line %llu, column %llu: %s, expected %s", name,
                     (unsigned long long)p->candidate.line, (unsigned long long)(offset - p->line_start) + 1, found,
                     expected);
    sy_output_advise(p->reference.bytes, p->reference.size, p->candidate.bytes, p->candidate.size, p->at, verdict->hint,
                     sizeof(verdict->hint));
}

static size_t first_difference(const sy_output_piece *a, const sy_output_piece *b)
{
    size_t shorter = a->size < b->size ? a->size : b->size;
    size_t at = 0;
    while (at < shorter && a->bytes[at] == b->bytes[at])
        at++;
    return at;
}

static sy_status compare_bytes(const sy_output_rules *rules, const char *name, int reference, int candidate,
                               sy_output_verdict *verdict, sy_error *err)
{
    sy_output_reader readers[2] = {{.descriptor = -1}, {.descriptor = -1}};
    place p = {0};
    bool alike = true;
    bool more = true;
    sy_status status = sy_output_start(&readers[0], reference, &rules->filter, err);
    if (!status)
        status = sy_output_start(&readers[1], candidate, &rules->filter, err);
    verdict->parity.element_count = 1;
    while (!status && alike && more) {
        status = sy_output_next(&readers[0], &p.reference, err);
        if (!status)
            status = sy_output_next(&readers[1], &p.candidate, err);
        if (status)
            break;
        if (p.candidate.first)
            p.line_start = p.candidate.offset;
        alike = p.reference.size == p.candidate.size &&
                memcmp(p.reference.bytes, p.candidate.bytes, p.reference.size) == 0;
        more = p.reference.size > 0 && p.candidate.size > 0;
    }
    if (!status && !alike) {
        p.at = first_difference(&p.reference, &p.candidate);
        say_difference(name, &p, verdict);
    }
    sy_output_finish(&readers[0]);
    sy_output_finish(&readers[1]);
    return status;
}

sy_status sy_output_compare(const sy_output_rules *rules, const char *name, int reference, int candidate,
                            sy_output_verdict *ret_verdict, sy_error *err)
{
    sy_output_verdict verdict = {.parity = {.outcome = SY_PARITY_PASSED, .nmse = SY_NAN, .deterministic = true}};
    sy_status status = rules->compare == SY_COMMAND_COMPARE_NUMBERS
                           ? sy_output_compare_numbers(rules, name, reference, candidate, &verdict, err)
                           : compare_bytes(rules, name, reference, candidate, &verdict, err);
    if (!status)
        *ret_verdict = verdict;
    return status;
}
