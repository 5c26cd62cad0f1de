/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words in files, sorted names, and which names are missing or too many. */
#include "registry/files/words_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/text.h"

enum { NEAR_TRIES_MAX = 4000, LISTED_NAMES_MAX = 8 };

typedef struct named {
    const char *name;
    size_t index;
} named;

static int by_name_then_index(const void *a, const void *b)
{
    const named *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

static void sort_names(named *names, size_t count)
{
    if (count > 1) {
        qsort(names, count, sizeof *names, by_name_then_index);
    }
}

/* ---- lists ---- */

/* Tells each element that an earlier one equals; sorted names make that n log n. */
static bool tell_doubled(const sy_document *document, sy_arena *arena, const char *name, const sy_words_list *list)
{
    named *sorted = sy_arena_allocate(arena, list->count, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        sorted[i] = (named){list->words[i], i};
    }
    sort_names(sorted, list->count);
    for (size_t i = 1; i < list->count; i++) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) == 0) {
            sy_complain(document, list->values[sorted[i].index], SY_RULE_LIST_DOUBLED,
                        "'%s' stands twice in '%s'; name it once", sorted[i].name, name);
        }
    }
    return true;
}

bool sy_look_words(const sy_document *document, sy_arena *arena, const sy_json_value *object, const char *name,
                   unsigned flags, sy_words_list *ret_list)
{
    const sy_json_value *array = (flags & SY_WORDS_OPTIONAL) != 0
                                     ? sy_look_optional(document, object, name, SY_JSON_ARRAY)
                                     : sy_look(document, object, name, SY_JSON_ARRAY);
    sy_words_list list = {array, NULL, NULL, 0};
    if (array == NULL) {
        *ret_list = list;
        return true;
    }
    const char **words = sy_arena_allocate(arena, array->count, sizeof *words);
    const sy_json_value **values = sy_arena_allocate(arena, array->count, sizeof *values);
    if (words == NULL || values == NULL) {
        return false;
    }
    for (const sy_json_value *at = array->first; at != NULL; at = at->next) {
        if (!sy_look_kind(document, at, "each of the list", SY_JSON_TEXT)) {
            continue;
        }
        if (sy_is_blank(at->text)) {
            sy_complain(document, at, SY_RULE_FIELD_BLANK, "an entry of '%s' says nothing", name);
            continue;
        }
        if (strlen(at->text) != at->text_length) {
            sy_complain(document, at, SY_RULE_FIELD_TYPE, "an entry of '%s' holds a NUL character", name);
            continue;
        }
        words[list.count] = at->text;
        values[list.count++] = at;
    }
    list.words = words;
    list.values = values;
    if (array->count == 0 && (flags & SY_WORDS_MAY_BE_EMPTY) == 0 && !sy_json_is_cut(document->json, array)) {
        sy_complain(document, array, SY_RULE_LIST_EMPTY, "'%s' is empty; it must name at least one", name);
    }
    *ret_list = list;
    return tell_doubled(document, arena, name, &list);
}

bool sy_words_list_has(const sy_words_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- nearest ---- */

const char *sy_words_nearest(const char *word, const char *const *names, size_t count)
{
    sy_nearest nearest = {word, strlen(word), NULL, 0};
    for (size_t i = 0; i < count; i++) {
        if (names[i] != NULL) {
            sy_nearest_offer(&nearest, names[i]);
        }
    }
    return nearest.found;
}

/* ---- names owed and names there ---- */

typedef struct names_difference {
    const char **missing; /* a slot is NULL once it is told */
    size_t missing_count;
    const sy_json_value **unknown;
    size_t unknown_count;
} names_difference;

static const char *name_of(const sy_json_value *value)
{
    return value->name != NULL ? value->name : value->kind == SY_JSON_TEXT ? value->text : NULL;
}

/* A name with a NUL inside would pass for its beginning. */
static bool name_is_whole(const sy_document *document, const sy_json_value *value)
{
    if (value->name == NULL || strlen(value->name) == value->name_length) {
        return true;
    }
    sy_complain_name(document, value, SY_RULE_FIELD_TYPE, "a name holds a NUL character");
    return false;
}

/* Walks both sorted lists side by side. */
static void compare_sorted(const sy_names_check *check, const named *owed, size_t owed_count, const named *there,
                           size_t there_count, names_difference *to)
{
    size_t i = 0, j = 0;
    while (i < owed_count || j < there_count) {
        int order = i == owed_count ? 1 : j == there_count ? -1 : strcmp(owed[i].name, there[j].name);
        const char *name = order > 0 ? there[j].name : owed[i].name;
        if (order < 0) {
            to->missing[to->missing_count++] = name;
        } else if (order > 0 && !check->unknown_is_fine && sy_id_table_get(check->allowed, name) == NULL) {
            to->unknown[to->unknown_count++] = check->there[there[j].index];
        }
        while (order <= 0 && i < owed_count && strcmp(owed[i].name, name) == 0) {
            i++;
        }
        while (order >= 0 && j < there_count && strcmp(there[j].name, name) == 0) {
            j++;
        }
    }
}

static void complain_at_name(const sy_names_check *check, const sy_json_value *at, const char *near)
{
    void (*complain)(const sy_document *, const sy_json_value *, sy_rule_id, const char *,
                     ...) = at->name != NULL ? sy_complain_name : sy_complain;
    if (near != NULL) {
        complain(check->document, at, check->unknown, "'%s' is no %s that %s knows; it owes '%s', which is missing",
                 name_of(at), check->what, check->whose, near);
    } else {
        complain(check->document, at, check->unknown, "'%s' is no %s that %s knows", name_of(at), check->what,
                 check->whose);
    }
}

static void tell_difference(const sy_names_check *check, names_difference *difference)
{
    bool tries = difference->missing_count == 0 ||
                 difference->unknown_count <= NEAR_TRIES_MAX / difference->missing_count;
    if (difference->unknown_count <= check->unread) {
        difference->unknown_count = 0;
    }
    for (size_t i = 0; i < difference->unknown_count; i++) {
        const sy_json_value *at = difference->unknown[i];
        const char *near = tries ? sy_words_nearest(name_of(at), difference->missing, difference->missing_count) : NULL;
        complain_at_name(check, at, near);
        for (size_t j = 0; near != NULL && j < difference->missing_count; j++) {
            if (difference->missing[j] == near) {
                difference->missing[j] = NULL;
            }
        }
    }
    if (sy_json_is_cut(check->document->json, check->container)) {
        return;
    }
    for (size_t i = 0; i < difference->missing_count; i++) {
        if (difference->missing[i] != NULL) {
            sy_complain(check->document, check->container, check->missing, "the %s '%s' is missing here; %s owes it",
                        check->what, difference->missing[i], check->whose);
        }
    }
}

/* Nothing is there: one finding that names the first of those that are owed. */
static void tell_nothing_there(const sy_names_check *check)
{
    if (check->owed_count == 0 || sy_json_is_cut(check->document->json, check->container)) {
        return;
    }
    sy_text names = SY_TEXT_INIT;
    for (size_t i = 0; i < check->owed_count && i < LISTED_NAMES_MAX; i++) {
        sy_text_append_format(&names, "%s'%s'", i > 0 ? ", " : "", check->owed[i]);
    }
    if (check->owed_count > LISTED_NAMES_MAX) {
        sy_text_append(&names, ", ...");
    }
    sy_complain(check->document, check->container, check->missing, "no %s is here; %s owes %zu: %s", check->what,
                check->whose, check->owed_count, sy_text_bytes(&names));
    sy_text_finish(&names);
}

bool sy_check_names(sy_arena *arena, const sy_names_check *check)
{
    if (check->there_count == 0) {
        tell_nothing_there(check);
        return true;
    }
    named *owed = sy_arena_allocate(arena, check->owed_count, sizeof *owed);
    named *there = sy_arena_allocate(arena, check->there_count, sizeof *there);
    names_difference difference = {.missing = sy_arena_allocate(arena, check->owed_count, sizeof *difference.missing),
                                   .unknown = sy_arena_allocate(arena, check->there_count, sizeof *difference.unknown)};
    if (owed == NULL || there == NULL || difference.missing == NULL || difference.unknown == NULL) {
        return false;
    }
    size_t there_count = 0;
    for (size_t i = 0; i < check->owed_count; i++) {
        owed[i] = (named){check->owed[i], i};
    }
    for (size_t i = 0; i < check->there_count; i++) {
        const char *name = name_of(check->there[i]);
        if (name != NULL && name_is_whole(check->document, check->there[i])) {
            there[there_count++] = (named){name, i};
        }
    }
    sort_names(owed, check->owed_count);
    sort_names(there, there_count);
    compare_sorted(check, owed, check->owed_count, there, there_count, &difference);
    tell_difference(check, &difference);
    return true;
}
