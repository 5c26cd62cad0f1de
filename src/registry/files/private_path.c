/* SPDX-License-Identifier: Apache-2.0 */
/* Finds paths into somebody's home, and only those: a folder of that name in a relative path or on a web site is
 * nobody's home. */
#include "registry/files/private_path.h"

#include <string.h>
#include <strings.h>

#include "registry/files/look.h"

static bool is_slash(char byte)
{
    return byte == '/' || byte == '\\';
}

/* Whether a byte cannot be part of a path in running text. */
static bool ends_word(char byte)
{
    static const bool ends[256] = {
        ['\0'] = true, [' '] = true, ['\t'] = true, ['\r'] = true, ['\n'] = true, ['\v'] = true,
        ['\f'] = true, ['"'] = true, ['\''] = true, ['`'] = true,  ['('] = true,  [')'] = true,
        ['['] = true,  [']'] = true, ['{'] = true,  ['}'] = true,  ['<'] = true,  ['>'] = true,
        ['='] = true,  [','] = true, [';'] = true,  ['|'] = true,
    };
    return ends[(unsigned char)byte];
}

static bool begins(const char *text, size_t length, const char *with)
{
    size_t wanted = strlen(with);
    return length >= wanted && strncasecmp(text, with, wanted) == 0;
}

/* Whether what stands before a folder makes the path absolute: nothing, a root, a drive, a machine, a scheme that is
 * not the web's, or a climb out of wherever it begins. */
static bool leads_from_a_root(const char *before, size_t length, bool has_colon)
{
    if (begins(before, length, "http://") || begins(before, length, "https://")) {
        return false;
    }
    return has_colon || length == 0 || is_slash(before[0]) || before[0] == '~' || begins(before, length, "..");
}

/* Whether a folder of homes stands between the slash at text[0] and another. */
static bool is_home_folder(const char *text, size_t length)
{
    size_t name = begins(text + 1, length - 1, "users") ? 5 : begins(text + 1, length - 1, "home") ? 4 : 0;
    return name != 0 && name + 1 < length && is_slash(text[name + 1]);
}

bool sy_find_private_path(const char *text, size_t length, size_t *ret_at)
{
    /* Nearly all texts have no slash. */
    if (memchr(text, '/', length) == NULL && memchr(text, '\\', length) == NULL) {
        return false;
    }
    size_t word = 0;        /* where the word begins that text[at] stands in */
    bool has_colon = false; /* the word, so far */
    for (size_t at = 0; at + 2 < length; at++) {
        if (ends_word(text[at])) {
            word = at + 1;
            has_colon = false;
        } else if (text[at] == ':') {
            has_colon = true;
        } else if ((text[at] == '~' && word == at && is_slash(text[at + 1]) && !ends_word(text[at + 2])) ||
                   (is_slash(text[at]) && is_home_folder(text + at, length - at) &&
                    leads_from_a_root(text + word, at - word, has_colon))) {
            *ret_at = word;
            return true;
        }
    }
    return false;
}

/* The next value in file order below top; NULL behind the last. */
static const sy_json_value *next_value(const sy_json_value *value, const sy_json_value *top)
{
    if (value->first != NULL) {
        return value->first;
    }
    while (value != top && value->next == NULL) {
        value = value->parent;
    }
    return value == top ? NULL : value->next;
}

void sy_complain_private_paths(const sy_document *document, const sy_json_value *value)
{
    size_t at = 0;
    for (const sy_json_value *each = value; each != NULL; each = next_value(each, value)) {
        if (each->name != NULL && sy_find_private_path(each->name, each->name_length, &at)) {
            sy_complain_name(document, each, SY_RULE_PRIVATE_PATH, "the name '%s' holds a path in somebody's home",
                             each->name);
        }
        if (each->kind == SY_JSON_TEXT && sy_find_private_path(each->text, each->text_length, &at)) {
            sy_complain(document, each, SY_RULE_PRIVATE_PATH,
                        "a path in somebody's home; name the data instead, or a path from the root");
        }
    }
}
