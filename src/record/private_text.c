/* SPDX-License-Identifier: Apache-2.0 */
/* What must not be kept, found and taken out: home paths and secrets together, in texts, arguments and JSON. */
#include "record/private_text.h"

#include <string.h>

#include "base/text.h"
#include "record/home_path.h"
#include "record/secret_text.h"

sy_private_kind sy_private_find(const char *text, size_t length, size_t *ret_at)
{
    sy_home_scan scan = {.text = text, .length = length};
    sy_home_path path = {0, 0, 0};
    size_t begin = 0;
    size_t end = 0;
    bool has_path = sy_home_scan_next(&scan, &path);
    bool has_secret = sy_secret_find(text, length, 0, &begin, &end);
    if (!has_path && !has_secret) {
        return SY_PRIVATE_NONE;
    }
    bool path_first = has_path && (!has_secret || path.begin < begin);
    if (ret_at != NULL) {
        *ret_at = path_first ? path.begin : begin;
    }
    return path_first ? SY_PRIVATE_PATH : SY_PRIVATE_SECRET;
}

bool sy_private_is_secret_name(const char *name)
{
    return sy_secret_name(name, strlen(name));
}

static void clean_secrets(const char *text, size_t length, sy_text *to)
{
    size_t at = 0;
    size_t begin;
    size_t end;
    while (sy_secret_find(text, length, at, &begin, &end)) {
        sy_text_append_bytes(to, text + at, begin - at);
        sy_text_append(to, SY_SECRET_SHOWN);
        at = end;
    }
    sy_text_append_bytes(to, text + at, length - at);
}

static void clean_paths(const char *text, size_t length, sy_text *to)
{
    sy_home_scan scan = {.text = text, .length = length};
    sy_home_path path;
    size_t at = 0;
    while (sy_home_scan_next(&scan, &path)) {
        sy_text_append_bytes(to, text + at, path.begin - at);
        sy_text_append(to, "~");
        at = path.end;
    }
    sy_text_append_bytes(to, text + at, length - at);
}

#define ROUNDS_MAX 8

const char *sy_private_clean(sy_arena *arena, const char *text)
{
    if (sy_private_find(text, strlen(text), NULL) == SY_PRIVATE_NONE) {
        return text;
    }
    sy_text clean = SY_TEXT_INIT;
    sy_text halfway = SY_TEXT_INIT;
    sy_text_append(&clean, text);
    /* What is taken out can bring the rest into another light. */
    for (int round = 0; round < ROUNDS_MAX && !clean.failed && !halfway.failed &&
                        sy_private_find(sy_text_bytes(&clean), clean.length, NULL) != SY_PRIVATE_NONE;
         round++) {
        sy_text_clear(&halfway);
        clean_secrets(sy_text_bytes(&clean), clean.length, &halfway);
        sy_text_clear(&clean);
        clean_paths(sy_text_bytes(&halfway), halfway.length, &clean);
    }
    const char *kept = NULL;
    if (!clean.failed && !halfway.failed) {
        bool still = sy_private_find(sy_text_bytes(&clean), clean.length, NULL) != SY_PRIVATE_NONE;
        kept = sy_arena_copy_text(arena, still ? SY_SECRET_SHOWN : sy_text_bytes(&clean));
    }
    sy_text_finish(&clean);
    sy_text_finish(&halfway);
    return kept;
}

const char *sy_private_clean_value(sy_arena *arena, const char *name, const char *value)
{
    if (value == NULL) {
        return NULL;
    }
    if (sy_secret_name(name, strlen(name)) && sy_secret_value(name, strlen(name), value, strlen(value))) {
        return SY_SECRET_SHOWN;
    }
    return sy_private_clean(arena, value);
}

/* Whether value stands behind an option that makes it a secret. */
static bool is_secret_argument(const char *option, size_t option_length, const char *value, size_t value_length)
{
    return value_length > 0 && value[0] != '-' && sy_secret_option(option, option_length) &&
           sy_secret_value(option, option_length, value, value_length);
}

const char *const *sy_private_clean_arguments(sy_arena *arena, const char *const *argv, size_t argc)
{
    const char **clean = sy_arena_allocate(arena, argc, sizeof *clean);
    for (size_t i = 0; clean != NULL && i < argc; i++) {
        bool is_secret = i > 0 && is_secret_argument(argv[i - 1], strlen(argv[i - 1]), argv[i], strlen(argv[i]));
        clean[i] = is_secret ? SY_SECRET_SHOWN : sy_private_clean(arena, argv[i]);
        if (clean[i] == NULL) {
            return NULL;
        }
    }
    return clean;
}

/* ---- JSON ---- */

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

static bool is_text(const sy_json_value *value)
{
    return value != NULL && value->kind == SY_JSON_TEXT;
}

const sy_json_value *sy_private_secret_beside(const sy_json_value *each)
{
    const sy_json_value *next = each->next;
    if (!is_text(each)) {
        return NULL;
    }
    if (each->name != NULL) {
        return sy_secret_name(each->name, each->name_length) &&
                       sy_secret_value(each->name, each->name_length, each->text, each->text_length)
                   ? each
                   : NULL;
    }
    if (each->parent == NULL || !is_text(next)) {
        return NULL;
    }
    bool is_pair = each->index == 0 && each->parent->count == 2 && each->parent->parent != NULL &&
                   each->parent->parent->kind == SY_JSON_ARRAY && sy_secret_name(each->text, each->text_length) &&
                   sy_secret_value(each->text, each->text_length, next->text, next->text_length);
    return is_pair || is_secret_argument(each->text, each->text_length, next->text, next->text_length) ? next : NULL;
}

const sy_json_value *sy_private_in_json(const sy_json *json, const sy_json_value *value, bool *ret_in_name,
                                        sy_private_kind *ret_kind)
{
    (void)json;
    const sy_json_value *found = NULL;
    sy_private_kind kind = SY_PRIVATE_NONE;
    bool in_name = false;
    for (const sy_json_value *each = value; each != NULL && found == NULL; each = next_value(each, value)) {
        if (each->name != NULL) {
            kind = sy_private_find(each->name, each->name_length, NULL);
            in_name = kind != SY_PRIVATE_NONE;
        }
        if (kind == SY_PRIVATE_NONE && each->kind == SY_JSON_TEXT) {
            kind = sy_private_find(each->text, each->text_length, NULL);
        }
        if (kind != SY_PRIVATE_NONE) {
            found = each;
        } else if ((found = sy_private_secret_beside(each)) != NULL) {
            kind = SY_PRIVATE_SECRET;
        }
    }
    if (found != NULL && ret_in_name != NULL) {
        *ret_in_name = in_name;
    }
    if (found != NULL && ret_kind != NULL) {
        *ret_kind = kind;
    }
    return found;
}
