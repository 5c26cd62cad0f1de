/* SPDX-License-Identifier: Apache-2.0 */
/* Reads members of JSON objects of our own formats into records. After the first failure nothing more is read: each
 * function gives its empty value, and the caller looks at the status once. */
#ifndef STEELYARD_RECORD_JSON_READING_H
#define STEELYARD_RECORD_JSON_READING_H

#include "base/arena.h"
#include "base/json.h"

/* Started by its caller with status SY_OK; texts and lists live in the arena. */
typedef struct sy_reading {
    const sy_json *json;
    sy_arena *arena;
    sy_error *err;
    sy_status status; /* SY_OK, SY_CORRUPT with the position of the first member that is not as it has to be, or
                         SY_NO_MEMORY */
} sy_reading;

void sy_reading_fail(sy_reading *r, const sy_json_value *value, const char *what);
void sy_reading_no_memory(sy_reading *r);
/* The member, which has to be there. object may be NULL after a failure. */
const sy_json_value *sy_reading_need(sy_reading *r, const sy_json_value *object, const char *name);
bool sy_reading_is_null(const sy_json_value *value); /* NULL, too */

/* Members that have to be there, of which null gives: `otherwise`, "", NaN, 0, 0, `otherwise`. */
const char *sy_reading_text(sy_reading *r, const sy_json_value *object, const char *name, const char *otherwise);
void sy_reading_text_into(sy_reading *r, const sy_json_value *object, const char *name, char *to, size_t size);
double sy_reading_number(sy_reading *r, const sy_json_value *object, const char *name);
uint64_t sy_reading_whole(sy_reading *r, const sy_json_value *object, const char *name, uint64_t most);
uint32_t sy_reading_count(sy_reading *r, const sy_json_value *object, const char *name);
bool sy_reading_flag(sy_reading *r, const sy_json_value *object, const char *name, bool otherwise);
/* The value of an enumeration by its word; word_of gives "unknown" past its end. */
int sy_reading_word(sy_reading *r, const sy_json_value *object, const char *name, const char *(*word_of)(int));
/* The first element of an array, and zeroed room for as many records; NULL: it has none, or a failure. */
const sy_json_value *sy_reading_list(sy_reading *r, const sy_json_value *object, const char *name, size_t size,
                                     void **ret_items, size_t *ret_count);

#endif
