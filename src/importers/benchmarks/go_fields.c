/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a line of a Go benchmark text: white space as Unicode has it, counts, measurements, names. */
#include "importers/benchmarks/go_fields.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

size_t sy_go_space(const char *at, const char *end)
{
    static const char *const wide[] = {"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8",
                                       "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};
    size_t left = (size_t)(end - at);

    if (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        return 1;
    if ((unsigned char)*at < 0x80)
        return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        size_t length = strlen(wide[i]);

        if (left >= length && memcmp(at, wide[i], length) == 0)
            return length;
    }
    /* U+2000 to U+200A: spaces of many widths. */
    return left >= 3 && memcmp(at, "\xe2\x80", 2) == 0 && (unsigned char)at[2] >= 0x80 && (unsigned char)at[2] <= 0x8a
               ? 3
               : 0;
}

int sy_go_span_compare(const sy_go_span *a, const sy_go_span *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter > 0 ? memcmp(a->at, b->at, shorter) : 0;

    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

bool sy_go_is_text(const sy_go_span *span, const char *text)
{
    return span->length == strlen(text) && memcmp(span->at, text, span->length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next field from *at on, which is moved behind it; empty at the line's end. */
sy_go_span sy_go_next_field(const char **at, const char *end)
{
    sy_go_span field;
    size_t space = 0;

    while (*at < end && (space = sy_go_space(*at, end)) > 0)
        *at += space;
    field.at = *at;
    while (*at < end && sy_go_space(*at, end) == 0)
        (*at)++;
    field.length = (size_t)(*at - field.at);
    return field;
}

/* Spaces at the end; a U+2003 there too. */
const char *sy_go_trim_end(const char *begin, const char *end)
{
    const char *last = begin;

    for (const char *at = begin; at < end;) {
        size_t space = sy_go_space(at, end);

        at += space > 0 ? space : 1;
        if (space == 0)
            last = at;
    }
    return last;
}

/* Takes "-8" off the end of a name: the number of processors that Go adds. */
void sy_go_split_procs(sy_go_span *name, sy_go_span *ret_procs)
{
    size_t digits = 0;

    while (digits < name->length && is_digit(name->at[name->length - 1 - digits]))
        digits++;
    *ret_procs = (sy_go_span){name->at + name->length, 0};
    if (digits == 0 || digits == name->length || name->at[name->length - 1 - digits] != '-')
        return;
    *ret_procs = (sy_go_span){name->at + name->length - digits, digits};
    name->length -= digits + 1;
}

const char *sy_go_read_iterations(const sy_go_span *field, uint64_t *ret_iterations)
{
    uint64_t count = 0;

    if (field->length == 0)
        return "missing iteration count";
    for (size_t i = 0; i < field->length; i++) {
        if (!is_digit(field->at[i]))
            return "iteration count syntax";
    }
    for (size_t i = 0; i < field->length; i++) {
        uint64_t digit = (uint64_t)(field->at[i] - '0');

        if (count > (INT64_MAX - digit) / 10)
            return "iteration count out of range";
        count = count * 10 + digit;
    }
    *ret_iterations = count;
    return NULL;
}

const char *sy_go_read_measurement(const sy_go_span *field, double *ret_value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"NaN", NAN},        {"nan", NAN},      {"Inf", INFINITY},  {"+Inf", INFINITY},
                 {"-Inf", -INFINITY}, {"inf", INFINITY}, {"+inf", INFINITY}, {"-inf", -INFINITY}};
    const char *at = field->at;
    const char *end = field->at + field->length;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (sy_go_is_text(field, words[i].word)) {
            *ret_value = words[i].value;
            return NULL;
        }
    }
    if (field->length > 1 && *at == '+' && at[1] != '-')
        at++;
    if (sy_number_scan(at, end, false) != end)
        return "measurement syntax";
    *ret_value = sy_number_read(at, (size_t)(end - at));
    return isfinite(*ret_value) ? NULL : "measurement out of range";
}

/* Whether `name` is that of the bare one, of a part of it, or the same with its processors: "A" for "A-8", "A/x". */
bool sy_go_belongs(const sy_go_span *bare, const sy_go_span *name)
{
    if (name->length < bare->length || memcmp(bare->at, name->at, bare->length) != 0)
        return false;
    if (name->length == bare->length || name->at[bare->length] == '/')
        return true;
    if (name->at[bare->length] != '-' || name->length == bare->length + 1)
        return false;
    for (size_t i = bare->length + 1; i < name->length; i++) {
        if (!is_digit(name->at[i]))
            return false;
    }
    return true;
}
