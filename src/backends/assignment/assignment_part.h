/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar that assignments and memory budgets share: part[,part], part = value | key=value. What a value means is
 * not known here. */
#ifndef STEELYARD_BACKENDS_ASSIGNMENT_PART_H
#define STEELYARD_BACKENDS_ASSIGNMENT_PART_H

#include <steelyard/assignment.h>

#include "base/arena.h"

/* Some bytes of the text that is read. */
typedef struct sy_span {
    const char *at;
    size_t length;
} sy_span;

#define SY_PART_DEFAULT ((size_t)UINTPTR_MAX) /* target of `all`, `default`, `*` and of a bare value */

typedef struct sy_part {
    sy_span whole; /* without blanks around, as the next ones */
    sy_span key;   /* at NULL: a bare value */
    sy_span value; /* never empty */
    size_t target; /* index of a module, or SY_PART_DEFAULT */
    bool counts;   /* no later part has its target */
} sy_part;

/* All parts of a text; in the arena. */
typedef struct sy_parts {
    const char *text; /* borrowed */
    sy_part *parts;
    size_t count;
    const sy_assignment_overruled *overruled;
    size_t overruled_count;
} sy_parts;

/* Splits a text, finds the module of each part and which parts count. Errors as sy_assignment_parse's. */
sy_status sy_parts_read(const sy_assignment_table *table, const char *text, sy_arena *arena, sy_parts *ret_parts,
                        sy_error *err) SY_NODISCARD;

/* Without spaces and tabs at its ends. */
sy_span sy_span_trim(sy_span span);
/* Whether a text could have it as a name: none of , & = or control characters, no blank at its ends, not empty. */
bool sy_span_is_nameable(sy_span name);
/* Whether it is the word, ASCII letters in any case. */
bool sy_span_is_word(sy_span span, const char *word);
/* Whether two names of modules are alike: case, '-' and '_' do not count. */
bool sy_module_name_alike(sy_span a, sy_span b);
/* Whether it means all modules: all, default or *. */
bool sy_span_means_all(sy_span key);
sy_span sy_span_of(const char *text);
sy_position sy_span_position(const char *text, sy_span span);

#define SY_SHOWN_MAX 64

/* Bytes from outside made fit to stand in a message: control characters, marks that turn the direction of text and
 * bytes that are not UTF-8 as \x1b, cut with "..." where they are many. */
typedef struct sy_shown {
    char text[SY_SHOWN_MAX + 1];
} sy_shown;

sy_shown sy_span_shown(sy_span span);

/* Puts "part 'vae=cpu': " before what, and the place of `where` beside it. Returns status. */
sy_status sy_part_failed(sy_error *err, sy_status status, const char *text, const sy_part *part, sy_span where);

#endif
