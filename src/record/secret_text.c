/* SPDX-License-Identifier: Apache-2.0 */
/* Finds secrets in running text: private keys, tokens with a vendor's prefix, passwords in addresses, and values whose
 * name says so. When in doubt a value is one: a word too much taken out costs less than one too few. */
#include "record/secret_text.h"

#include <string.h>
#include <strings.h>

/* What a text is searched for, and what was found. */
typedef struct search {
    const char *text;
    size_t length;
    size_t begin;
    size_t end;
} search;

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool is_name_byte(char c)
{
    return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

static bool stands_at(const search *in, size_t at, const char *what)
{
    size_t length = strlen(what);
    return in->length - at >= length && memcmp(in->text + at, what, length) == 0;
}

/* Where `what` stands at or behind `at`; the text's length if nowhere. */
static size_t find(const search *in, size_t at, const char *what)
{
    const char *found = memmem(in->text + at, in->length - at, what, strlen(what));
    return found == NULL ? in->length : (size_t)(found - in->text);
}

static bool found(search *in, size_t begin, size_t end)
{
    in->begin = begin;
    in->end = end;
    return true;
}

/* ---- private keys in PEM (RFC 7468) and OpenPGP's armour ---- */

#define PEM_LABEL_MAX 64

static bool find_pem(search *in, size_t at)
{
    static const char head[] = "-----BEGIN ";
    if (!stands_at(in, at, head)) {
        return false;
    }
    size_t label = at + sizeof head - 1;
    size_t end = label;
    while (end < in->length && end - label < PEM_LABEL_MAX && in->text[end] != '-') {
        end++;
    }
    const char *private = memmem(in->text + label, end - label, "PRIVATE KEY", 11);
    if (private == NULL || !stands_at(in, end, "-----")) {
        return false;
    }
    size_t tail = find(in, end, "-----END ");
    size_t close = tail == in->length ? tail : find(in, tail + 9, "-----");
    return found(in, at, close == in->length ? close : close + 5);
}

/* ---- tokens with a vendor's prefix ---- */

typedef struct token_shape {
    const char *prefix;
    size_t least;     /* bytes that follow */
    const char *also; /* besides letters and digits */
} token_shape;

/* As the vendors document them for scanners of secrets. */
static const token_shape token_shapes[] = {
    {"AKIA", 16, ""},    {"ASIA", 16, ""},    {"AIza", 35, "_-"},     {"ghp_", 20, ""},         {"gho_", 20, ""},
    {"ghu_", 20, ""},    {"ghs_", 20, "_"},   {"ghr_", 20, ""},       {"github_pat_", 20, "_"}, {"glpat-", 16, "_-."},
    {"gldt-", 16, "_-"}, {"glrt-", 16, "_-"}, {"xoxa-", 10, "-"},     {"xoxb-", 10, "-"},       {"xoxe-", 10, "-"},
    {"xoxe.", 10, "-"},  {"xoxp-", 10, "-"},  {"xoxr-", 10, "-"},     {"xoxs-", 10, "-"},       {"xapp-", 10, "-"},
    {"hf_", 30, ""},     {"npm_", 36, ""},    {"pypi-AgE", 50, "_-"}, {"sk-ant-", 20, "_-"},    {"sk-proj-", 20, "_-"},
    {"sk-", 32, ""},     {"dop_v1_", 40, ""},
};

static bool is_token_byte(char c, const char *also)
{
    return is_letter_or_digit(c) || (c != '\0' && strchr(also, c) != NULL);
}

static size_t pass_token(const search *in, size_t at, const char *also)
{
    while (at < in->length && is_token_byte(in->text[at], also)) {
        at++;
    }
    return at;
}

/* Three parts, of which the first two are objects in base64 (RFC 7519). */
static bool find_web_token(search *in, size_t at)
{
    size_t first = stands_at(in, at, "eyJ") ? pass_token(in, at, "_-") : at;
    if (first == at || !stands_at(in, first, ".eyJ")) {
        return false;
    }
    size_t second = pass_token(in, first + 1, "_-");
    return stands_at(in, second, ".") && found(in, at, pass_token(in, second + 1, "_-"));
}

static bool find_token(search *in, size_t at)
{
    if (at > 0 && (is_letter_or_digit(in->text[at - 1]) || in->text[at - 1] == '_')) {
        return false;
    }
    for (size_t i = 0; i < sizeof token_shapes / sizeof token_shapes[0]; i++) {
        const token_shape *shape = &token_shapes[i];
        if (in->text[at] != shape->prefix[0] || !stands_at(in, at, shape->prefix)) {
            continue;
        }
        size_t body = at + strlen(shape->prefix);
        size_t end = pass_token(in, body, shape->also);
        if (end - body >= shape->least) {
            return found(in, at, end);
        }
    }
    return find_web_token(in, at);
}

/* Where a word that begins a header's value stands: behind it, in any case; `at` if it does not. */
static size_t pass_scheme(const search *in, size_t at, const char *word)
{
    size_t length = strlen(word);
    bool is_there = in->length - at >= length && strncasecmp(in->text + at, word, length) == 0 &&
                    (at == 0 || !is_letter_or_digit(in->text[at - 1]));
    return is_there ? at + length : at;
}

/* "Bearer", a space, 16 bytes or more. */
static bool find_bearer(search *in, size_t at)
{
    size_t begin = pass_scheme(in, at, "bearer ");
    size_t end = pass_token(in, begin, "._~+/=-");
    return begin > at && end - begin >= 16 && found(in, begin, end);
}

static bool stands_before(const search *in, size_t at, const char *word)
{
    size_t length = strlen(word);
    return at >= length && strncasecmp(in->text + at - length, word, length) == 0;
}

/* "Basic" is an everyday word: it counts behind its header's name alone, before what no such word looks like. */
static bool find_basic(search *in, size_t at)
{
    size_t begin = pass_scheme(in, at, "basic ");
    size_t name = at;
    while (begin > at && name > 0 &&
           (is_quote(in->text[name - 1]) || memchr(" \t:=\\", in->text[name - 1], 5) != NULL)) {
        name--;
    }
    size_t end = pass_token(in, begin, "+/=_-");
    bool is_base64 = false;
    for (size_t i = begin; i < end; i++) {
        is_base64 = is_base64 || in->text[i] < 'a' || in->text[i] > 'z';
    }
    return begin > at && end - begin >= 4 && is_base64 && stands_before(in, name, "authorization") &&
           found(in, begin, end);
}

/* ---- user:password@ in an address ---- */

static bool find_address(search *in, size_t at)
{
    if (!stands_at(in, at, "://") || at == 0 || !is_letter_or_digit(in->text[at - 1])) {
        return false;
    }
    size_t begin = at + 3;
    size_t colon = 0;
    size_t at_sign = 0; /* the last: a careless password holds some */
    for (size_t i = begin; i < in->length; i++) {
        char c = in->text[i];
        if (c == '/' || c == '?' || c == '#' || is_space(c) || is_quote(c)) {
            break;
        }
        if (c == ':' && colon == 0) {
            colon = i;
        } else if (c == '@') {
            at_sign = i;
        }
    }
    return colon != 0 && at_sign > colon + 1 && found(in, begin, at_sign);
}

/* ---- values whose name says so ---- */

/* The value that begins at `begin`, to its quote or the next space; a whole argument's to the end of its line. */
static size_t value_end(const search *in, size_t *begin, size_t name, bool whole_argument)
{
    char quote = '\0';
    if (*begin < in->length && is_quote(in->text[*begin])) {
        quote = in->text[*begin];
        ++*begin;
    } else if (name > 0 && is_quote(in->text[name - 1])) {
        quote = in->text[name - 1];
    }
    size_t end = *begin;
    while (end < in->length && (quote != '\0'    ? in->text[end] != quote
                                : whole_argument ? in->text[end] != '\n' && in->text[end] != '\0'
                                                 : !is_space(in->text[end]) && in->text[end] != '\0')) {
        end++;
    }
    return end;
}

/* at: of the '='. */
static bool find_assignment(search *in, size_t at)
{
    size_t name = at;
    while (name > 0 && is_name_byte(in->text[name - 1])) {
        name--;
    }
    if (!sy_secret_name(in->text + name, at - name) || (at + 1 < in->length && in->text[at + 1] == '=')) {
        return false;
    }
    size_t begin = at + 1;
    size_t end = value_end(in, &begin, name, name == 0 && in->text[0] == '-');
    return sy_secret_value(in->text + name, at - name, in->text + begin, end - begin) && found(in, begin, end);
}

/* at: of the colon in "name": "value", quotes of either kind. */
static bool find_member(search *in, size_t at)
{
    if (at < 2 || !is_quote(in->text[at - 1])) {
        return false;
    }
    size_t name = at - 1;
    while (name > 0 && is_name_byte(in->text[name - 1])) {
        name--;
    }
    size_t begin = at + 1;
    while (begin < in->length && is_space(in->text[begin])) {
        begin++;
    }
    if (name == 0 || in->text[name - 1] != in->text[at - 1] || begin == in->length || !is_quote(in->text[begin]) ||
        !sy_secret_name(in->text + name, at - 1 - name)) {
        return false;
    }
    size_t end = value_end(in, &begin, 0, false);
    return sy_secret_value(in->text + name, at - 1 - name, in->text + begin, end - begin) && found(in, begin, end);
}

#define FIELD_VALUE_MIN 4
#define FIELD_VALUE_SURE 16

/* "35.9", "12.3ms", "5e-3", "90%". */
static bool is_figure(const char *value, size_t length)
{
    size_t unit = length;
    while (unit > 0 && length - unit < 3 && (is_letter_or_digit(value[unit - 1]) || value[unit - 1] == '%') &&
           !(value[unit - 1] >= '0' && value[unit - 1] <= '9')) {
        unit--;
    }
    for (size_t i = 0; i < unit; i++) {
        if (!(value[i] >= '0' && value[i] <= '9') && memchr(".,+-eE", value[i], 6) == NULL) {
            return false;
        }
    }
    return unit > 0;
}

static bool is_mixed(const char *value, size_t length)
{
    bool digit = false;
    bool other = false;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = value[i] >= '0' && value[i] <= '9';
        digit = digit || is_digit;
        other = other || !is_digit;
    }
    return digit && other;
}

/* Whether a field's value is kept from people, and no figure, no placeholder ("<pad>", "$TOKEN") and no word that says
 * that there is none. */
static bool is_field_secret(const char *value, size_t length, bool in_prose)
{
    static const char *const nothing[] = {"none", "null", "true", "false", "required", "unset", "empty", "missing"};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        if (length >= strlen(nothing[i]) && length <= strlen(nothing[i]) + 1 &&
            strncasecmp(value, nothing[i], strlen(nothing[i])) == 0) {
            return false;
        }
    }
    return length >= FIELD_VALUE_MIN && memchr("<$({*", value[0], 5) == NULL && !is_figure(value, length) &&
           (!in_prose || length >= FIELD_VALUE_SURE || is_mixed(value, length));
}

/* Whether words stand before the name on its line. */
static bool is_in_prose(const search *in, size_t name)
{
    while (name > 0 && (in->text[name - 1] == ' ' || in->text[name - 1] == '\t')) {
        name--;
    }
    return name > 0 && is_name_byte(in->text[name - 1]) && in->text[name - 1] != '-';
}

/* at: of the colon in "name: value", as YAML, headers and programs that tell too much write it. Of tokens and secrets
 * people write sentences too ("unexpected token: return"). */
static bool find_field(search *in, size_t at)
{
    size_t name = at;
    while (name > 0 && is_name_byte(in->text[name - 1])) {
        name--;
    }
    size_t begin = at + 1;
    while (begin < in->length && (in->text[begin] == ' ' || in->text[begin] == '\t')) {
        begin++;
    }
    if (begin == at + 1 || begin == in->length || is_space(in->text[begin]) ||
        !sy_secret_name(in->text + name, at - name)) {
        return false;
    }
    bool is_word = stands_before(in, at, "token") || stands_before(in, at, "secret") || stands_before(in, at, "key");
    size_t end = value_end(in, &begin, 0, false);
    return is_field_secret(in->text + begin, end - begin, is_word && is_in_prose(in, name)) &&
           sy_secret_value(in->text + name, at - name, in->text + begin, end - begin) && found(in, begin, end);
}

/* at: of the first dash of an option, whose value is the next word. */
static bool find_option(search *in, size_t at)
{
    if (at > 0 && !is_space(in->text[at - 1]) && !is_quote(in->text[at - 1])) {
        return false;
    }
    size_t end = at;
    while (end < in->length && is_name_byte(in->text[end])) {
        end++;
    }
    size_t begin = end;
    while (begin < in->length && is_space(in->text[begin])) {
        begin++;
    }
    if (begin == end || begin == in->length || in->text[begin] == '-' || !sy_secret_option(in->text + at, end - at)) {
        return false;
    }
    size_t close = value_end(in, &begin, at, false);
    return sy_secret_value(in->text + at, end - at, in->text + begin, close - begin) && found(in, begin, close);
}

static bool find_here(search *in, size_t at)
{
    switch (in->text[at]) {
    case '-':
        return find_pem(in, at) || find_option(in, at);
    case '=':
        return find_assignment(in, at);
    case ':':
        return find_address(in, at) || find_member(in, at) || find_field(in, at);
    case 'b':
    case 'B':
        return find_bearer(in, at) || find_basic(in, at);
    default:
        return find_token(in, at);
    }
}

bool sy_secret_find(const char *text, size_t length, size_t from, size_t *ret_begin, size_t *ret_end)
{
    search in = {text, length, 0, 0};
    for (size_t at = from; at < length; at++) {
        if (find_here(&in, at) && in.end > from) {
            *ret_begin = in.begin;
            *ret_end = in.end;
            return true;
        }
    }
    return false;
}
