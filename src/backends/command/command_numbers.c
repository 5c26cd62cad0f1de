/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs as sequences of numbers, words, marks and blanks, compared one by one. */
#include "backends/command/command_numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"

#define WINDOW_BYTES 4096
#define LOOK_AHEAD 512 /* more than any number or word that is taken whole */
#define WORD_MAX 255

typedef enum token_kind { TOKEN_END, TOKEN_BLANK, TOKEN_NUMBER, TOKEN_WORD, TOKEN_MARK } token_kind;

typedef struct token {
    token_kind kind;
    const char *bytes;
    size_t size;
    double value; /* of a number */
    uint64_t line;
    uint64_t column;
} token;

/* An output with some bytes ahead in memory, wherever its pieces end. */
typedef struct lexer {
    sy_output_reader reader;
    sy_output_piece piece; /* being taken over */
    size_t taken;          /* of it */
    char window[WINDOW_BYTES + 1];
    size_t at;
    size_t end;
    uint64_t line;
    uint64_t column;
    token_kind before; /* the kind of the last token */
} lexer;

static sy_status look_ahead(lexer *l, sy_error *err)
{
    if (l->end - l->at >= LOOK_AHEAD)
        return SY_OK;
    memmove(l->window, l->window + l->at, l->end - l->at);
    l->end -= l->at;
    l->at = 0;
    while (l->end < WINDOW_BYTES) {
        if (l->taken == l->piece.size) {
            sy_status status = sy_output_next(&l->reader, &l->piece, err);
            l->taken = 0;
            if (status)
                return status;
            if (l->piece.size == 0)
                break;
        }
        size_t room = WINDOW_BYTES - l->end;
        size_t left = l->piece.size - l->taken;
        size_t size = left < room ? left : room;
        memcpy(l->window + l->end, l->piece.bytes + l->taken, size);
        l->end += size;
        l->taken += size;
    }
    l->window[l->end] = '\0';
    return SY_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void pass(lexer *l, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool newline = l->window[l->at + i] == '\n';
        l->line += newline;
        l->column = newline ? 1 : l->column + 1;
    }
    l->at += size;
}

/* "nan", "inf" or "infinity" as a whole word; 0 = none, else its length. */
static size_t special(const char *text, const char *end, double *ret_value)
{
    size_t length = 0;
    while (text + length < end && is_word(text[length]))
        length++;
    bool is_nan = length == 3 && strncasecmp(text, "nan", 3) == 0;
    bool is_infinite = (length == 3 && strncasecmp(text, "inf", 3) == 0) ||
                       (length == 8 && strncasecmp(text, "infinity", 8) == 0);
    if (!is_nan && !is_infinite)
        return 0;
    *ret_value = is_nan ? NAN : INFINITY;
    return length;
}

/* The number that begins at text: its length, 0 = none. A sign belongs to it unless something stands right before. */
static size_t number(const lexer *l, const char *text, const char *end, double *ret_value)
{
    bool may_have_sign = l->before != TOKEN_NUMBER && l->before != TOKEN_WORD;
    size_t sign = may_have_sign && (*text == '-' || *text == '+');
    const char *digits = text + sign;
    size_t length = special(digits, end, ret_value);
    if (length == 0 && (isdigit((unsigned char)*digits) || (*digits == '.' && isdigit((unsigned char)digits[1])))) {
        const char *stop = sy_number_scan(digits, end, false);
        length = stop ? (size_t)(stop - digits) : 0;
        if (length > 0)
            *ret_value = sy_number_read(digits, length);
    }
    if (length == 0)
        return 0;
    if (*text == '-' && sign)
        *ret_value = -*ret_value;
    return sign + length;
}

static sy_status next_token(lexer *l, token *ret_token, sy_error *err)
{
    sy_status status = look_ahead(l, err);
    if (status)
        return status;
    const char *text = l->window + l->at;
    const char *end = l->window + l->end;
    token t = {.kind = TOKEN_MARK, .bytes = text, .size = 1, .line = l->line, .column = l->column};
    size_t length = 0;
    if (text == end) {
        t.kind = TOKEN_END;
        t.size = 0;
    } else if (is_blank(*text)) {
        t.kind = TOKEN_BLANK;
        while (!status && l->at < l->end && is_blank(l->window[l->at])) {
            pass(l, 1);
            status = look_ahead(l, err);
        }
        t.bytes = " ";
        l->before = t.kind;
        *ret_token = t;
        return status;
    } else if ((length = number(l, text, end, &t.value)) > 0) {
        t.kind = TOKEN_NUMBER;
        t.size = length;
    } else if (is_word(*text)) {
        t.kind = TOKEN_WORD;
        for (t.size = 1; text + t.size < end && t.size < WORD_MAX && is_word(text[t.size]);)
            t.size++;
    }
    pass(l, t.size);
    l->before = t.kind;
    *ret_token = t;
    return SY_OK;
}

/* Blanks at the beginning and before the end of an output mean nothing. */
static sy_status next_of(lexer *l, token *t, sy_error *err)
{
    bool begins = l->line == 1 && l->column == 1;
    sy_status status = next_token(l, t, err);
    if (!status && t->kind == TOKEN_BLANK && (begins || l->at == l->end))
        status = next_token(l, t, err);
    return status;
}

/* Running figures. */
typedef struct tally {
    const sy_output_rules *rules;
    const char *name;
    sy_parity *parity;
    uint64_t nan_differ; /* NaN on one side */
    token first;         /* the first number that is wrong, with its place */
    char found[28];      /* as it was printed */
    char expected[28];
} tally;

/* The digits of a whole number without leading zeros; size 0: it is none. */
static const char *whole_digits(const token *t, size_t *ret_size)
{
    const char *at = t->bytes + (*t->bytes == '-' || *t->bytes == '+');
    const char *end = t->bytes + t->size;
    while (at + 1 < end && *at == '0')
        at++;
    *ret_size = strspn(at, "0123456789") >= (size_t)(end - at) ? (size_t)(end - at) : 0;
    return at;
}

/* How far two numbers lie apart that are one as doubles: whole ones beyond 2^53 may be two. */
static double hidden_difference(const token *reference, const token *candidate)
{
    size_t sizes[2];
    const char *digits[2] = {whole_digits(reference, &sizes[0]), whole_digits(candidate, &sizes[1])};
    long double values[2] = {0, 0};
    if (sizes[0] == 0 || sizes[1] == 0 || (sizes[0] == sizes[1] && memcmp(digits[0], digits[1], sizes[0]) == 0))
        return 0;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < sizes[side]; i++)
            values[side] = 10 * values[side] + (digits[side][i] - '0');
    }
    return fmax(1, (double)fabsl(values[0] - values[1]));
}

static void judge(tally *t, const token *reference, const token *candidate)
{
    sy_parity *parity = t->parity;
    double r = reference->value;
    double c = candidate->value;
    uint64_t index = parity->element_count++;
    bool finite = isfinite(r) && isfinite(c);
    double hidden = finite && r == c && fabs(r) >= 0x1p53 ? hidden_difference(reference, candidate) : 0;
    bool same = (isnan(r) && isnan(c)) || (r == c && hidden == 0);
    double error = same ? 0 : finite ? fmax(fabs(c - r), hidden) : INFINITY;
    double allowed = t->rules->absolute + t->rules->relative * fabs(r);
    double ratio = error == 0 ? 0 : finite ? error / allowed : INFINITY;
    if (finite && error > parity->max_abs)
        parity->max_abs = error;
    if (finite && r != 0)
        parity->max_rel = fmax(parity->max_rel, error / fabs(r));
    if (ratio > parity->error_in_tolerances) {
        parity->error_in_tolerances = ratio;
        parity->worst_index = index;
        parity->worst_expected = r;
        parity->worst_found = c;
    }
    if (same || (finite && error <= allowed))
        return;
    t->nan_differ += isnan(r) != isnan(c);
    if (parity->wrong_count++ == 0) {
        t->first = *candidate;
        (void)snprintf(t->found, sizeof(t->found), "%.*s", (int)candidate->size, candidate->bytes);
        (void)snprintf(t->expected, sizeof(t->expected), "%.*s", (int)reference->size, reference->bytes);
    }
}

static void say_numbers(const tally *t)
{
    sy_parity *parity = t->parity;
    char nan_text[48] = "";
    if (t->nan_differ > 0)
        (void)snprintf(nan_text, sizeof(nan_text), "; NaN on one side %llu times", (unsigned long long)t->nan_differ);
    sy_output_reason(parity, "%.30s: %llu of %llu numbers differ, first at line %llu, column %llu: %s, expected %s%s",
                     t->name, (unsigned long long)parity->wrong_count, (unsigned long long)parity->element_count,
                     (unsigned long long)t->first.line, (unsigned long long)t->first.column, t->found, t->expected,
                     nan_text);
}

static void quote(const token *t, char *to, size_t room)
{
    char text[64];
    sy_output_quote(t->bytes, t->size, 24, text, sizeof(text));
    (void)snprintf(to, room, t->kind == TOKEN_END ? "its end" : "\"%s\"", text);
}

static void say_other(const tally *t, const token *reference, const token *candidate, sy_output_verdict *verdict)
{
    char found[72];
    char expected[72];
    quote(candidate, found, sizeof(found));
    quote(reference, expected, sizeof(expected));
    verdict->parity.error_in_tolerances = INFINITY;
    verdict->parity.wrong_count++;
    sy_output_reason(&verdict->parity, "%.30s differs at line %llu, column %llu, beside its numbers: %s, expected %s",
                     t->name, (unsigned long long)candidate->line, (unsigned long long)candidate->column, found,
                     expected);
    sy_output_advise(reference->bytes, reference->size, candidate->bytes, candidate->size, 0, verdict->hint,
                     sizeof(verdict->hint));
}

static sy_status compare(lexer *l, tally *t, sy_output_verdict *verdict, sy_error *err)
{
    for (;;) {
        token reference;
        token candidate;
        sy_status status = next_of(&l[0], &reference, err);
        if (!status)
            status = next_of(&l[1], &candidate, err);
        if (status)
            return status;
        bool alike = reference.kind == candidate.kind && reference.size == candidate.size &&
                     memcmp(reference.bytes, candidate.bytes, reference.size) == 0;
        if (reference.kind == TOKEN_NUMBER && candidate.kind == TOKEN_NUMBER) {
            judge(t, &reference, &candidate);
        } else if (!alike) {
            say_other(t, &reference, &candidate, verdict);
            return SY_OK;
        }
        if (reference.kind == TOKEN_END) {
            if (verdict->parity.wrong_count > 0)
                say_numbers(t);
            return SY_OK;
        }
    }
}

sy_status sy_output_compare_numbers(const sy_output_rules *rules, const char *name, int reference, int candidate,
                                    sy_output_verdict *verdict, sy_error *err)
{
    lexer l[2] = {{.line = 1, .column = 1}, {.line = 1, .column = 1}};
    tally t = {.rules = rules, .name = name, .parity = &verdict->parity};
    sy_status status = sy_output_start(&l[0].reader, reference, &rules->filter, err);
    if (!status)
        status = sy_output_start(&l[1].reader, candidate, &rules->filter, err);
    if (!status)
        status = compare(l, &t, verdict, err);
    sy_output_finish(&l[0].reader);
    sy_output_finish(&l[1].reader);
    return status;
}
