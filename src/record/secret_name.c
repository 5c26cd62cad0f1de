/* SPDX-License-Identifier: Apache-2.0 */
/* Which names say that what they name is a secret. */
#include <string.h>
#include <strings.h>

#include "record/secret_text.h"

/* The last words of a name, which tell what it is a name of. */
typedef struct last_words {
    const char *last;
    size_t last_length;
    const char *before; /* the one in front of it; NULL = none */
    size_t before_length;
} last_words;

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter_or_digit(char c)
{
    return is_upper(c) || is_lower(c) || is_digit(c);
}

/* Takes the last word off: [*at, end) with *at moved to its beginning; false when there is none. A capital behind a
 * small letter begins a word too. */
static bool take_word(const char *name, size_t *at, size_t *ret_end)
{
    size_t end = *at;
    while (end > 0 && !is_letter_or_digit(name[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && is_letter_or_digit(name[begin - 1]) &&
           !(begin < end && is_upper(name[begin]) && is_lower(name[begin - 1]))) {
        begin--;
    }
    *at = begin;
    *ret_end = end;
    return end > begin;
}

static bool is_number(const char *word, size_t length)
{
    size_t digits = 0;
    while (digits < length && is_digit(word[digits])) {
        digits++;
    }
    return digits == length;
}

static last_words find_last_words(const char *name, size_t length)
{
    last_words found = {NULL, 0, NULL, 0};
    size_t at = length;
    size_t end;
    while (take_word(name, &at, &end)) {
        if (found.last != NULL) {
            found.before = name + at;
            found.before_length = end - at;
            break;
        }
        if (!is_number(name + at, end - at)) {
            found.last = name + at;
            found.last_length = end - at;
        }
    }
    /* password1 */
    while (found.last_length > 0 && is_digit(found.last[found.last_length - 1])) {
        found.last_length--;
    }
    return found;
}

static bool ends_with(const char *word, size_t length, const char *ending)
{
    size_t wanted = strlen(ending);
    return length >= wanted && strncasecmp(word + length - wanted, ending, wanted) == 0;
}

static bool equals(const char *word, size_t length, const char *other)
{
    return length == strlen(other) && strncasecmp(word, other, length) == 0;
}

static bool one_of(const char *word, size_t length, const char *const *list, size_t count,
                   bool (*same)(const char *word, size_t length, const char *other))
{
    for (size_t i = 0; i < count; i++) {
        if (same(word, length, list[i])) {
            return true;
        }
    }
    return false;
}

#define ONE_OF(word, length, list, same) one_of((word), (length), (list), sizeof(list) / sizeof(list)[0], (same))

bool sy_secret_name(const char *name, size_t length)
{
    static const char *const endings[] = {"token",      "secret",     "secrets",     "password", "passwords", "passwd",
                                          "passphrase", "credential", "credentials", "apikey",   "apikeys"};
    static const char *const kinds[] = {"api",  "access",     "private", "secret",
                                        "auth", "encryption", "signing", "master"};
    static const char *const keys[] = {"key", "keys"};
    last_words words = find_last_words(name, length);
    if (words.last == NULL) {
        return false;
    }
    if (ONE_OF(words.last, words.last_length, endings, ends_with)) {
        return true;
    }
    if (words.before == NULL) {
        return false;
    }
    /* PWD alone is a folder. */
    return equals(words.last, words.last_length, "pwd") || (ONE_OF(words.last, words.last_length, keys, equals) &&
                                                            ONE_OF(words.before, words.before_length, kinds, equals));
}

/* Counts and rates of tokens have such names too: max_token=128, seconds_per_token=0.02. */
#define COUNT_DIGITS_MAX 15

static bool is_count(const char *value, size_t length)
{
    if (length > COUNT_DIGITS_MAX) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(value[i]) && memchr(".+-eE", value[i], 5) == NULL) {
            return false;
        }
    }
    return true;
}

bool sy_secret_value(const char *name, size_t name_length, const char *value, size_t value_length)
{
    last_words words = find_last_words(name, name_length);
    size_t shown = strlen(SY_SECRET_SHOWN);
    if (value_length == 0 || (value_length >= shown && memcmp(value, SY_SECRET_SHOWN, shown) == 0)) {
        return false;
    }
    return !(words.last != NULL && ends_with(words.last, words.last_length, "token") && is_count(value, value_length));
}

bool sy_secret_option(const char *argument, size_t length)
{
    size_t dashes = 0;
    while (dashes < length && dashes < 2 && argument[dashes] == '-') {
        dashes++;
    }
    if (dashes == 0 || dashes == length) {
        return false;
    }
    for (size_t i = dashes; i < length; i++) {
        if (!is_letter_or_digit(argument[i]) && memchr("_-.", argument[i], 3) == NULL) {
            return false;
        }
    }
    return sy_secret_name(argument + dashes, length - dashes);
}
