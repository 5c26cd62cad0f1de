/* SPDX-License-Identifier: Apache-2.0 */
/* What differs from run to run in honest programs: times, dates, paths, addresses, process ids. A guess, for a hint. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backends/command/command_compare.h"
#include "base/text.h"

/* The run of characters around `at` that could be one thing. */
typedef struct thing {
    const char *bytes;
    size_t size;
    const char *before; /* what stands before it on the line */
    size_t before_size;
} thing;

static bool belongs(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr(".:/_-+", c) != NULL);
}

static thing thing_at(const char *line, size_t size, size_t at)
{
    size_t from = at < size ? at : size;
    size_t to = from;
    while (from > 0 && belongs(line[from - 1]))
        from--;
    while (to < size && belongs(line[to]))
        to++;
    return (thing){line + from, to - from, line, from};
}

static size_t digits_at(const thing *t, size_t at)
{
    size_t count = 0;
    while (at + count < t->size && isdigit((unsigned char)t->bytes[at + count]))
        count++;
    return count;
}

/* Somewhere in it: 12:03, 2026-11-29, 2026/11/29. */
static bool is_time_or_date(const thing *t)
{
    for (size_t i = 0; i < t->size; i++) {
        size_t first = digits_at(t, i);
        size_t mark = i + first;
        if (first == 0 || mark >= t->size)
            continue;
        size_t second = digits_at(t, mark + 1);
        if (t->bytes[mark] == ':' && first <= 2 && second == 2)
            return true;
        if ((t->bytes[mark] == '-' || t->bytes[mark] == '/') && first == 4 && second == 2)
            return true;
        i = mark;
    }
    return false;
}

static bool ends_in(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && strncasecmp(text + size - length, word, length) == 0 &&
           (size == length || !isalpha((unsigned char)text[size - length - 1]));
}

/* 12.5ms, or 12.5 ms, or 12.5 seconds. */
static bool is_duration(const thing *t, const char *line_end)
{
    static const char *const units[] = {"ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "minutes", "min"};
    size_t number = 0;
    while (number < t->size && (isdigit((unsigned char)t->bytes[number]) || t->bytes[number] == '.'))
        number++;
    const char *unit = t->bytes + number;
    if (number == 0)
        return false;
    if (unit < line_end && *unit == ' ')
        unit++;
    size_t length = 0;
    while (unit + length < line_end && isalpha((unsigned char)unit[length]))
        length++;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (length == strlen(units[i]) && strncmp(unit, units[i], length) == 0)
            return true;
    }
    return false;
}

static bool is_number(const thing *t)
{
    size_t digits = 0;
    for (size_t i = 0; i < t->size; i++) {
        digits += isdigit((unsigned char)t->bytes[i]) != 0;
        if (!isdigit((unsigned char)t->bytes[i]) && !strchr(".-+eE", t->bytes[i]))
            return false;
    }
    return digits > 0;
}

static bool is_process_id(const thing *t)
{
    size_t size = t->before_size;
    while (size > 0 && strchr(" =:[(#", t->before[size - 1]))
        size--;
    return digits_at(t, 0) == t->size && t->size > 0 &&
           (ends_in(t->before, size, "pid") || ends_in(t->before, size, "process"));
}

static bool is_address(const thing *t)
{
    return t->size > 2 && t->bytes[0] == '0' && (t->bytes[1] == 'x' || t->bytes[1] == 'X');
}

static bool is_path(const thing *t)
{
    return t->size > 1 && memchr(t->bytes, '/', t->size) != NULL && !is_number(t);
}

void sy_output_advise(const char *reference, size_t reference_size, const char *candidate, size_t candidate_size,
                      size_t at, char *to, size_t size)
{
    thing r = thing_at(reference, reference_size, at);
    thing c = thing_at(candidate, candidate_size, at);
    const char *what = NULL;
    to[0] = '\0';
    if (is_time_or_date(&r) && is_time_or_date(&c))
        what = "a time or date";
    else if (is_duration(&r, reference + reference_size) && is_duration(&c, candidate + candidate_size))
        what = "how long something took";
    else if (is_process_id(&r) && is_process_id(&c))
        what = "a process id";
    else if (is_address(&r) && is_address(&c))
        what = "an address";
    else if (is_path(&r) && is_path(&c))
        what = "a path";
    if (what)
        (void)snprintf(to, size, "it looks like %s: --ignore-lines RE leaves such lines out of the comparison", what);
    else if (is_number(&r) && is_number(&c))
        (void)snprintf(to, size,
                       "numbers may differ in their last digits: --compare numbers:ATOL,RTOL allows for that");
}
