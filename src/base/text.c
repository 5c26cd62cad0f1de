/* SPDX-License-Identifier: Apache-2.0 */
/* The string builder, the few questions asked of strings, and whole-string numbers. Digits themselves are number.c. */
#include "base/text.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

/* Makes room for size more bytes and the terminator; false (and failed) when memory or the limit says no. */
static bool reserve(sy_text *text, size_t size)
{
    if (text->failed) {
        return false;
    }
    if (size > SIZE_MAX / 2 - text->length || (text->limit != 0 && size > text->limit - text->length)) {
        text->failed = true;
        return false;
    }
    size_t needed = text->length + size + 1;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity < 32 ? 64 : text->capacity * 2;
    if (capacity < needed) {
        capacity = needed;
    }
    char *bytes = sy_reallocate(text->bytes, capacity, 1);
    if (bytes == NULL) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void sy_text_append(sy_text *text, const char *more)
{
    sy_text_append_bytes(text, more, strlen(more));
}

void sy_text_append_bytes(sy_text *text, const void *bytes, size_t size)
{
    if (size == 0 || !reserve(text, size)) {
        return;
    }
    memcpy(text->bytes + text->length, bytes, size);
    text->length += size;
    text->bytes[text->length] = '\0';
}

void sy_text_append_format(sy_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = sy_format_list(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        sy_format_list(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void sy_text_append_double(sy_text *text, double value)
{
    if (value != value) {
        sy_text_append(text, "nan");
    } else if (value - value != 0.0) {
        sy_text_append(text, value > 0 ? "inf" : "-inf");
    } else {
        char digits[SY_NUMBER_TEXT];
        size_t length = sy_number_write_shortest(value, digits);
        sy_text_append_bytes(text, digits, length);
    }
}

void sy_text_clear(sy_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->bytes != NULL) {
        text->bytes[0] = '\0';
    }
}

void sy_text_finish(sy_text *text)
{
    sy_free(text->bytes);
    *text = (sy_text)SY_TEXT_INIT;
}

const char *sy_text_bytes(const sy_text *text)
{
    return text->bytes == NULL ? "" : text->bytes;
}

char *sy_text_take(sy_text *text)
{
    char *taken = NULL;
    if (reserve(text, 0)) {
        taken = text->bytes;
        taken[text->length] = '\0';
        text->bytes = NULL;
    }
    sy_text_finish(text);
    return taken;
}

bool sy_text_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool sy_text_begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool sy_text_ends(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t suffix_length = strlen(suffix);
    return length >= suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0;
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static const char *next_character(const char *text)
{
    do {
        text++;
    } while (continues_character(*text));
    return text;
}

bool sy_text_matches(const char *text, const char *pattern)
{
    /* Only the last star needs another try: what an earlier one matched stays right. */
    const char *star = NULL;
    const char *star_text = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (*pattern == '?') {
            pattern++;
            text = next_character(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            star_text = next_character(star_text);
            text = star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

bool sy_text_copy(char *to, size_t size, const char *from)
{
    assert(size > 0);
    size_t length = strnlen(from, size);
    bool whole = length < size;
    if (!whole) {
        length = size - 1;
        while (length > 0 && continues_character(from[length])) {
            length--;
        }
    }
    memmove(to, from, length);
    to[length] = '\0';
    return whole;
}

bool sy_text_shorten(char *to, size_t size, const char *from)
{
    static const char dots[] = "...";
    assert(size >= sizeof dots);
    bool whole = strnlen(from, size) < size;
    (void)sy_text_copy(to, whole ? size : size - (sizeof dots - 1), from);
    if (!whole) {
        memcpy(to + strlen(to), dots, sizeof dots);
    }
    return whole;
}

size_t sy_text_character_length(const char *at, size_t left)
{
    /* The Unicode Standard 15.0, table 3-7: only the second byte's range depends on the first. */
    unsigned char first = (unsigned char)at[0];
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xc2 || first > 0xf4) {
        return 0;
    }
    size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length > left) {
        return 0;
    }
    unsigned char second = (unsigned char)at[1];
    unsigned char lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (!continues_character(at[i])) {
            return 0;
        }
    }
    return length;
}

/* Digits at text up to the first other byte; false on overflow. ret_end == text when there is none. */
static bool read_u64(const char *text, const char **ret_end, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) {
            return false;
        }
    }
    *ret_end = text;
    *ret_value = value;
    return true;
}

sy_status sy_parse_u64(const char *text, uint64_t *ret_value, sy_error *err)
{
    uint64_t value;
    const char *end;
    if (!read_u64(text, &end, &value)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is above %llu", text, (unsigned long long)UINT64_MAX);
    }
    if (end == text || *end != '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is not a whole number%s", text,
                       *text == '-' ? " from 0 on" : "");
    }
    *ret_value = value;
    return SY_OK;
}

sy_status sy_parse_i64(const char *text, int64_t *ret_value, sy_error *err)
{
    bool negative = *text == '-';
    const char *digits = text + negative;
    const char *end;
    uint64_t magnitude;
    bool fits = read_u64(digits, &end, &magnitude);
    if (fits && (end == digits || *end != '\0')) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is not a whole number", text);
    }
    if (!fits || magnitude > (uint64_t)INT64_MAX + negative) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is outside of %lld to %lld", text, (long long)INT64_MIN,
                       (long long)INT64_MAX);
    }
    *ret_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return SY_OK;
}

sy_status sy_parse_double(const char *text, double *ret_value, sy_error *err)
{
    size_t length = strlen(text);
    const char *end = sy_number_scan(text, text + length, false);
    if (end == NULL || *end != '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is not a number", text);
    }
    double value = sy_number_read(text, length);
    if (value - value != 0.0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is too large for a double", text);
    }
    *ret_value = value;
    return SY_OK;
}

sy_status sy_parse_bytes(const char *text, uint64_t *ret_bytes, sy_error *err)
{
    static const struct {
        const char *word;
        uint64_t bytes;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"KiB", UINT64_C(1) << 10},
                 {"MiB", UINT64_C(1) << 20},
                 {"GiB", UINT64_C(1) << 30},
                 {"kB", 1000},
                 {"MB", 1000000},
                 {"GB", 1000000000}};
    uint64_t count;
    const char *unit;
    if (read_u64(text, &unit, &count)) {
        for (size_t i = 0; unit != text && i < sizeof units / sizeof units[0]; i++) {
            uint64_t bytes;
            if (strcmp(unit, units[i].word) == 0 && !__builtin_mul_overflow(count, units[i].bytes, &bytes)) {
                *ret_bytes = bytes;
                return SY_OK;
            }
        }
    }
    sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is not a size in bytes", text);
    sy_error_hint(err, "write a whole number of bytes, or one with KiB, MiB, GiB, kB, MB or GB");
    return SY_INVALID_ARGUMENT;
}

/* A value of 0 <= value < 10000 with three significant digits: "1.03", "12.4", "831". */
static void write_figure(char *to, size_t size, double value, bool drop_zeros)
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    double scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    unsigned scaled = (unsigned)(value * scale + 0.5);
    unsigned whole = scaled / (unsigned)scale;
    unsigned fraction = scaled % (unsigned)scale;
    while (drop_zeros && decimals > 0 && fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    if (decimals == 0) {
        snprintf(to, size, "%u", whole);
    } else {
        snprintf(to, size, decimals == 2 ? "%u.%02u" : "%u.%u", whole, fraction);
    }
}

void sy_format_bytes(char *to, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    double value = (double)bytes;
    while (value >= 1023.5 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    char figure[24];
    write_figure(figure, sizeof figure, value, true);
    snprintf(to, size, "%s %s", figure, units[unit]);
}

void sy_format_duration(char *to, size_t size, uint64_t duration_ns)
{
    static const struct {
        const char *word;
        double ns;
        double until; /* of this unit */
    } units[] = {{"us", 1e3, 999.5}, {"ms", 1e6, 999.5}, {"s", 1e9, 999.5}, {"min", 6e10, 599.5}, {"h", 3.6e12, 999.5}};
    if (duration_ns < 1000) {
        snprintf(to, size, "%u ns", (unsigned)duration_ns);
        return;
    }
    char figure[24];
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double value = (double)duration_ns / units[i].ns;
        if (value < units[i].until) {
            write_figure(figure, sizeof figure, value, false);
            snprintf(to, size, "%s %s", figure, units[i].word);
            return;
        }
    }
    snprintf(to, size, "%.0f d", (double)duration_ns / 8.64e13);
}
