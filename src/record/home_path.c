/* SPDX-License-Identifier: Apache-2.0 */
/* Finds paths into somebody's home, and only those: a folder of that name in a relative path or on a web site is
 * nobody's home. */
#include "record/home_path.h"

#include <string.h>
#include <strings.h>

#include "record/secret_text.h"

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

/* What secrets were replaced by is part of its word. */
static bool stands_taken_out(const char *text, size_t length)
{
    static const char shown[] = SY_SECRET_SHOWN;
    return length >= sizeof shown - 1 && memcmp(text, shown, sizeof shown - 1) == 0;
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

/* Bytes of the name of a folder of homes that stands between the slash at text[0] and another; 0 = none. */
static size_t home_folder(const char *text, size_t length)
{
    size_t name = begins(text + 1, length - 1, "users") ? 5 : begins(text + 1, length - 1, "home") ? 4 : 0;
    return name != 0 && name + 1 < length && is_slash(text[name + 1]) ? name : 0;
}

/* Behind the owner's name, which follows the slashes at `at`. */
static size_t end_of_owner(const sy_home_scan *scan, size_t at)
{
    const char *text = scan->text;
    size_t slash = at;
    while (at < scan->length && is_slash(text[at])) {
        at++;
    }
    size_t name = at;
    while (at < scan->length && !is_slash(text[at]) && !ends_word(text[at]) && text[at] != ':') {
        at++;
    }
    return at > name ? at : slash;
}

/* To where a path has ended that begins in this segment. */
static void pass_segment(sy_home_scan *scan)
{
    while (scan->at < scan->length && !ends_word(scan->text[scan->at]) && scan->text[scan->at] != ':') {
        scan->at++;
    }
}

/* -I/x, @/x: the path begins behind the letters of an option. */
static bool is_glued(const sy_home_scan *scan)
{
    const char *text = scan->text;
    if (text[scan->word] != '-' && text[scan->word] != '@') {
        return false;
    }
    for (size_t i = scan->word + 1; i < scan->at; i++) {
        if ((text[i] | 0x20) < 'a' || (text[i] | 0x20) > 'z') {
            return false;
        }
    }
    return true;
}

static void pass_colon(sy_home_scan *scan)
{
    bool is_drive = scan->at == scan->word + 1 && (scan->text[scan->word] | 0x20) >= 'a' &&
                    (scan->text[scan->word] | 0x20) <= 'z';
    scan->has_colon = true;
    if (!is_drive) {
        scan->segment = scan->at + 1;
    }
}

/* Whether the path up to the slash at scan->at begins at a root. */
static bool is_absolute(sy_home_scan *scan)
{
    const char *word = scan->text + scan->word;
    size_t length = scan->at - scan->word;
    if (scan->tilde_too) {
        return leads_from_a_root(word, length, scan->has_colon);
    }
    if (is_glued(scan)) {
        scan->segment = scan->at;
        return true;
    }
    const char *segment = scan->text + scan->segment;
    bool behind_glue = scan->segment > scan->word && segment[-1] != ':' && is_slash(segment[0]);
    return segment[0] != '~' && (behind_glue || leads_from_a_root(word, length, scan->has_colon));
}

bool sy_home_scan_next(sy_home_scan *scan, sy_home_path *ret_path)
{
    const char *text = scan->text;
    size_t length = scan->length;
    /* Nearly all texts have no slash. */
    if (scan->at == 0 && memchr(text, '/', length) == NULL && memchr(text, '\\', length) == NULL) {
        scan->at = length;
    }
    for (; scan->at + 2 < length; scan->at++) {
        size_t at = scan->at;
        size_t name = is_slash(text[at]) ? home_folder(text + at, length - at) : 0;
        bool is_tilde = scan->tilde_too && text[at] == '~' && scan->word == at && is_slash(text[at + 1]) &&
                        !ends_word(text[at + 2]);
        if (stands_taken_out(text + at, length - at)) {
            scan->at += sizeof SY_SECRET_SHOWN - 2;
        } else if (ends_word(text[at])) {
            scan->word = scan->segment = at + 1;
            scan->has_colon = false;
        } else if (text[at] == ':') {
            pass_colon(scan);
        } else if (is_tilde || (name != 0 && is_absolute(scan))) {
            ret_path->word = scan->word;
            ret_path->begin = scan->segment;
            ret_path->end = is_tilde ? at + 1 : end_of_owner(scan, at + 1 + name);
            scan->at = ret_path->end;
            pass_segment(scan);
            return true;
        } else if (!scan->tilde_too && is_slash(text[at]) && is_glued(scan)) {
            scan->segment = at;
        }
    }
    return false;
}
