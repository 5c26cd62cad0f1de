/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words in files (key fields, tiers, metrics, paths), and which names are missing or too many. */
#ifndef STEELYARD_REGISTRY_WORDS_LIST_H
#define STEELYARD_REGISTRY_WORDS_LIST_H

#include "registry/files/id_table.h"
#include "registry/files/look.h"

typedef struct sy_words_list {
    const sy_json_value *value;         /* the array; NULL: it could not be read */
    const char *const *words;           /* those of its elements that are texts, in file order */
    const sy_json_value *const *values; /* the elements */
    size_t count;
} sy_words_list;

enum { SY_WORDS_MAY_BE_EMPTY = 1, SY_WORDS_OPTIONAL = 2 };

/* The member `name`, an array of texts that are not blank and differ; what is wrong with it or with an element is a
 * finding at it. The texts stay in the document. False: no memory. */
bool sy_look_words(const sy_document *document, sy_arena *arena, const sy_json_value *object, const char *name,
                   unsigned flags, sy_words_list *ret_list);
bool sy_words_list_has(const sy_words_list *list, const char *word);

/* What a container must name, and what it does. */
typedef struct sy_names_check {
    const sy_document *document;
    const sy_json_value *container; /* where a missing name is told */
    const char *what;               /* "tier": what the names name */
    const char *whose;              /* "the protocol 'x/v1'": who owes them */
    sy_rule_id missing;
    sy_rule_id unknown;
    const char *const *owed;
    size_t owed_count;
    const sy_json_value *const *there; /* members, or elements that are texts; damaged or doubled ones may be among */
    size_t there_count;
    const sy_id_table *allowed; /* names that are no fault although nobody owes them; NULL: none */
    size_t unread;              /* of what owes names so many could not be read: as many unknown ones may be theirs */
    bool unknown_is_fine;       /* whatever else is there is no fault */
} sy_names_check;

/* One finding for each name that is owed and not there, and for each that is there and not owed; one for both where one
 * is a misspelling of the other; one where nothing is there at all. False: no memory. */
bool sy_check_names(sy_arena *arena, const sy_names_check *check);

/* The name (NULLs are passed over) that word is a slip of; NULL: it is near to none. */
const char *sy_words_nearest(const char *word, const char *const *names, size_t count);

#endif
