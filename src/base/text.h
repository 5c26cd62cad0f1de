/* SPDX-License-Identifier: Apache-2.0 */
/* The one string builder, and the few questions that code asks of strings. Numbers are formatted and read in the C
 * locale whatever the process's locale is. */
#ifndef STEELYARD_BASE_TEXT_H
#define STEELYARD_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <steelyard/base.h>

/* A growing text. Started by SY_TEXT_INIT, ended by sy_text_finish. After a failed allocation it stays as it was,
 * `failed` is set and later appends do nothing: check once, at the end. bytes is always terminated (or NULL when
 * empty). */
typedef struct sy_text {
    char *bytes;
    size_t length;
    size_t capacity;
    size_t limit; /* the most bytes it may hold; 0 = no limit; passing it sets failed */
    bool failed;
} sy_text;

#define SY_TEXT_INIT         \
    {                        \
        NULL, 0, 0, 0, false \
    }

/* What is appended must not be part of the text itself. */
void sy_text_append(sy_text *text, const char *more);
void sy_text_append_bytes(sy_text *text, const void *bytes, size_t size);
void sy_text_append_format(sy_text *text, const char *format, ...) SY_PRINTF(2, 3);
/* The shortest decimal that reads back as the same double ("0.1", "1e+300"); non-finite: "nan", "inf", "-inf". */
void sy_text_append_double(sy_text *text, double value);
void sy_text_clear(sy_text *text);              /* length 0, memory kept */
void sy_text_finish(sy_text *text);             /* frees; back to SY_TEXT_INIT */
const char *sy_text_bytes(const sy_text *text); /* never NULL */
char *sy_text_take(sy_text *text);              /* hands the heap string over (sy_free); NULL when failed */

/* vsnprintf in the C locale: a decimal point stays a point. Returns the length without cutting, < 0 on a bad format. */
int sy_format_list(char *to, size_t size, const char *format, va_list arguments) SY_PRINTF(3, 0);

bool sy_text_equal(const char *a, const char *b); /* both may be NULL */
bool sy_text_begins(const char *text, const char *prefix);
bool sy_text_ends(const char *text, const char *suffix);
/* Shell-style pattern: '*' any run, '?' one character; the whole text must match. */
bool sy_text_matches(const char *text, const char *pattern);
/* Bytes of the UTF-8 character at `at`: 1 to 4; 0 when what stands there is none (cut, overlong, a surrogate, above
 * U+10FFFF). left >= 1: bytes that may be read. */
size_t sy_text_character_length(const char *at, size_t left);
/* Copies at most size - 1 bytes and terminates; never splits a UTF-8 character. Returns false when it was cut. */
bool sy_text_copy(char *to, size_t size, const char *from);
/* The same, but what was cut ends with "...": for messages that must not pass for the whole. size >= 4. */
bool sy_text_shorten(char *to, size_t size, const char *from);

/* Whole-string numbers: no leading or trailing space, no hexadecimal, decimal point '.' in every locale.
 * SY_INVALID_ARGUMENT with a what such as "'12x' is not a whole number" otherwise, also on overflow. */
sy_status sy_parse_u64(const char *text, uint64_t *ret_value, sy_error *err) SY_NODISCARD;
sy_status sy_parse_i64(const char *text, int64_t *ret_value, sy_error *err) SY_NODISCARD;
sy_status sy_parse_double(const char *text, double *ret_value, sy_error *err) SY_NODISCARD; /* finite only */
/* A size in bytes with an optional KiB, MiB, GiB, kB, MB, GB: "512MiB". */
sy_status sy_parse_bytes(const char *text, uint64_t *ret_bytes, sy_error *err) SY_NODISCARD;

/* Bytes as text for people in at most 10 characters: "1.5 MiB". Times likewise: "831 ns", "12.4 us", "1.03 s". */
void sy_format_bytes(char *to, size_t size, uint64_t bytes);
void sy_format_duration(char *to, size_t size, uint64_t duration_ns);

#endif
