/* SPDX-License-Identifier: Apache-2.0 */
/* Home folders and secrets replaced before the general rules are asked. */
#include "evidence/exec/exec_clean.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define SHORTEST_SECRET 6 /* bytes; a shorter value stands in too many texts that have nothing to do with it */

static bool learn_secret(sy_exec_cleaner *cleaner, const char *value)
{
    if (cleaner->secret_count == cleaner->secret_capacity) {
        size_t capacity = cleaner->secret_capacity == 0 ? 8 : 2 * cleaner->secret_capacity;
        const char **secrets = sy_arena_allocate(cleaner->arena, capacity, sizeof(*secrets));
        if (secrets == NULL)
            return false;
        if (cleaner->secret_count > 0)
            memcpy(secrets, cleaner->secrets, cleaner->secret_count * sizeof(*secrets));
        cleaner->secrets = secrets;
        cleaner->secret_capacity = capacity;
    }
    cleaner->secrets[cleaner->secret_count++] = value;
    return true;
}

bool sy_exec_cleaner_learn(sy_exec_cleaner *cleaner, const char *const *environment)
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        const char *equals = strchr(environment[i], '=');
        if (equals == NULL)
            continue;
        const char *name = sy_arena_copy_bytes(cleaner->arena, environment[i], (size_t)(equals - environment[i]));
        if (name == NULL)
            return false;
        if (strcmp(name, "HOME") == 0 && equals[1] == '/' && equals[2] != '\0')
            cleaner->home = equals + 1;
        if (sy_private_is_secret_name(name) && strlen(equals + 1) >= SHORTEST_SECRET &&
            !learn_secret(cleaner, equals + 1))
            return false;
    }
    return true;
}

/* Whether a path's name ends before c. */
static bool ends_name(char c)
{
    return !isalnum((unsigned char)c) && c != '_' && c != '-' && c != '.' && (unsigned char)c < 0x80;
}

/* Whether a path begins at `at`: not in the middle of another one, but behind the letters of an option (-I/x). */
static bool begins_path(const char *text, const char *at)
{
    const char *word = at;
    while (word > text && !ends_name(word[-1]))
        word--;
    size_t letters = word == at ? 0 : strspn(word + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return word == at || (*word == '-' && word + 1 + letters == at);
}

/* text with each what as with; text itself where it does not occur. whole_path: only where a path begins and
 * its name ends. */
static const char *replace(sy_arena *arena, const char *text, const char *what, const char *with, bool whole_path)
{
    sy_text changed = SY_TEXT_INIT;
    size_t length = strlen(what);
    const char *from = text;
    while (whole_path && length > 1 && what[length - 1] == '/')
        length--;
    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, what, length) == 0 && (!whole_path || (begins_path(text, at) && ends_name(at[length])))) {
            sy_text_append_bytes(&changed, from, (size_t)(at - from));
            sy_text_append(&changed, with);
            at += length;
            from = at;
        } else {
            at++;
        }
    }
    const char *result = text;
    if (from != text) {
        sy_text_append(&changed, from);
        result = changed.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&changed));
    }
    sy_text_finish(&changed);
    return result;
}

const char *sy_exec_take_out_home(sy_arena *arena, const char *home, const char *text)
{
    return home == NULL || home[0] != '/' || home[1] == '\0' ? text : replace(arena, text, home, "~", true);
}

/* The parts that no general rule can know. */
static const char *take_out_own(const sy_exec_cleaner *cleaner, const char *text)
{
    for (size_t i = 0; text != NULL && i < cleaner->secret_count; i++)
        text = replace(cleaner->arena, text, cleaner->secrets[i], "[secret]", false);
    return text == NULL ? NULL : sy_exec_take_out_home(cleaner->arena, cleaner->home, text);
}

const char *sy_exec_clean(const sy_exec_cleaner *cleaner, const char *text)
{
    if (text == NULL)
        return "";
    text = take_out_own(cleaner, text);
    return text == NULL ? NULL : sy_private_clean(cleaner->arena, text);
}

/* Whether a path into that home stands somewhere in the bytes. The administrator's, in which containers build, names
 * nobody: what is worth keeping there is full of it. */
static bool holds_home(const char *home, const char *bytes, size_t size)
{
    size_t length = strlen(home);
    while (length > 1 && home[length - 1] == '/')
        length--;
    if (length == 5 && strncmp(home, "/root", length) == 0)
        return false;
    const char *at = bytes;
    size_t left = size;
    while ((at = memmem(at, left, home, length)) != NULL) {
        left = size - (size_t)(at - bytes);
        if (left == length || ends_name(at[length]))
            return true;
        at++;
        left--;
    }
    return false;
}

sy_private_kind sy_exec_find_private(const sy_exec_cleaner *cleaner, const char *bytes, size_t size)
{
    for (size_t i = 0; i < cleaner->secret_count; i++) {
        if (memmem(bytes, size, cleaner->secrets[i], strlen(cleaner->secrets[i])) != NULL)
            return SY_PRIVATE_SECRET;
    }
    if (cleaner->home != NULL && cleaner->home[0] != '\0' && holds_home(cleaner->home, bytes, size))
        return SY_PRIVATE_PATH;
    return sy_private_find(bytes, size, NULL);
}

const char *const *sy_exec_clean_arguments(const sy_exec_cleaner *cleaner, const char *const *argv, size_t argc)
{
    const char **own = sy_arena_allocate(cleaner->arena, argc + 1, sizeof(*own));
    for (size_t i = 0; own != NULL && i < argc; i++) {
        own[i] = take_out_own(cleaner, argv[i]);
        if (own[i] == NULL)
            return NULL;
    }
    return own == NULL ? NULL : sy_private_clean_arguments(cleaner->arena, own, argc);
}
