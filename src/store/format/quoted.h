/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one line of a profile file: quoted texts with the escapes of either format, bare words, numbers. */
#ifndef STEELYARD_STORE_QUOTED_H
#define STEELYARD_STORE_QUOTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The rest of a line. Reading changes the line: texts are unescaped where they stand and ended by a 0 byte, so the byte
 * at end must be writable. */
typedef struct sy_cursor {
    char *at;
    char *end;
} sy_cursor;

bool sy_is_word_gap(char c); /* space, tab, \v, \f, \r: what separates words */
void sy_cursor_skip_blanks(sy_cursor *cursor);
/* Nothing but blanks is left. */
bool sy_cursor_at_end(sy_cursor *cursor);

/* Each takes one word and what ends it (blank or end of line). On false nothing is promised of the cursor. */
bool sy_cursor_quoted(sy_cursor *cursor, uint32_t format, char **ret_text, size_t *ret_size);
bool sy_cursor_word(sy_cursor *cursor, char **ret_word, size_t *ret_size);
bool sy_cursor_u32(sy_cursor *cursor, uint32_t *ret_value);        /* digits only */
bool sy_cursor_u64(sy_cursor *cursor, uint64_t *ret_value);        /* digits only */
bool sy_cursor_double(sy_cursor *cursor, double *ret_value);       /* finite */
bool sy_cursor_maybe_double(sy_cursor *cursor, double *ret_value); /* or "-", which is NaN: unknown */
bool sy_cursor_time(sy_cursor *cursor, int64_t *ret_utc_s);        /* 2026-11-29T13:44:19Z */
bool sy_cursor_maybe_time(sy_cursor *cursor, int64_t *ret_utc_s);  /* or "-", which is 0: unknown */

/* Appends size bytes in quotes, escaped as the format wants it. */
void sy_append_quoted(sy_text *to, uint32_t format, const char *bytes, size_t size);
/* 17 significant digits: reads back as the same double, and is what the interchange format holds. NaN is "-". */
void sy_append_double(sy_text *to, double value);
/* A control byte: format 1 cannot hold it. */
bool sy_has_control_byte(const char *bytes, size_t size);

#endif
