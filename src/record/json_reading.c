/* SPDX-License-Identifier: Apache-2.0 */
/* Reads members of JSON objects of our own formats into records. After the first failure nothing more is read: each
 * function gives its empty value, and the caller looks at the status once. */
#include "record/json_reading.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

void sy_reading_fail(sy_reading *r, const sy_json_value *value, const char *what)
{
    if (r->status == SY_OK)
        r->status = sy_json_fail(r->json, value, r->err, "%s", what);
}

void sy_reading_no_memory(sy_reading *r)
{
    if (r->status == SY_OK)
        r->status = sy_fail(r->err, SY_NO_MEMORY, "no memory for a probe's result");
}

/* The member, which has to be there. */
const sy_json_value *sy_reading_need(sy_reading *r, const sy_json_value *object, const char *name)
{
    const sy_json_value *value = r->status == SY_OK ? sy_json_member(object, name) : NULL;
    if (r->status == SY_OK && value == NULL)
        r->status = sy_json_fail(r->json, object, r->err, "'%s' is missing", name);
    return value;
}

bool sy_reading_is_null(const sy_json_value *value)
{
    return value == NULL || value->kind == SY_JSON_NULL;
}

/* ---- scalars ---- */

/* null gives `otherwise`. */
const char *sy_reading_text(sy_reading *r, const sy_json_value *object, const char *name, const char *otherwise)
{
    const sy_json_value *value = sy_reading_need(r, object, name);
    const char *found = NULL;
    if (sy_reading_is_null(value))
        return otherwise;
    r->status = sy_json_get_text(r->json, value, &found, r->err);
    if (r->status != SY_OK)
        return otherwise;
    const char *copy = sy_arena_copy_text(r->arena, found);
    if (copy == NULL)
        sy_reading_no_memory(r);
    return copy != NULL ? copy : otherwise;
}

/* into a member of the record itself, which has a size; a longer one is of no writer of ours. */
void sy_reading_text_into(sy_reading *r, const sy_json_value *object, const char *name, char *to, size_t size)
{
    const char *text = sy_reading_text(r, object, name, "");
    if (strlen(text) >= size)
        sy_reading_fail(r, sy_json_member(object, name), "the text is too long");
    else
        (void)sy_text_copy(to, size, text);
}

/* null gives NaN. */
double sy_reading_number(sy_reading *r, const sy_json_value *object, const char *name)
{
    const sy_json_value *value = sy_reading_need(r, object, name);
    double found = NAN;
    if (!sy_reading_is_null(value))
        r->status = sy_json_get_double(r->json, value, &found, r->err);
    return r->status == SY_OK ? found : NAN;
}

/* null gives 0. */
uint64_t sy_reading_whole(sy_reading *r, const sy_json_value *object, const char *name, uint64_t most)
{
    const sy_json_value *value = sy_reading_need(r, object, name);
    char digits[24];
    uint64_t found = 0;
    if (sy_reading_is_null(value))
        return 0;
    if (value->kind != SY_JSON_NUMBER || value->text_length >= sizeof digits) {
        sy_reading_fail(r, value, "expected a whole number");
        return 0;
    }
    (void)sy_text_copy(digits, value->text_length + 1, value->text);
    if (sy_parse_u64(digits, &found, NULL) != SY_OK || found > most) {
        sy_reading_fail(r, value, "expected a whole number, or one that is not as large");
        return 0;
    }
    return found;
}

uint32_t sy_reading_count(sy_reading *r, const sy_json_value *object, const char *name)
{
    return (uint32_t)sy_reading_whole(r, object, name, UINT32_MAX);
}

/* null gives `otherwise`. */
bool sy_reading_flag(sy_reading *r, const sy_json_value *object, const char *name, bool otherwise)
{
    const sy_json_value *value = sy_reading_need(r, object, name);
    bool found = otherwise;
    if (!sy_reading_is_null(value))
        r->status = sy_json_get_bool(r->json, value, &found, r->err);
    return found;
}

/* The value of an enumeration by its word; word_of gives "unknown" past its end. */
int sy_reading_word(sy_reading *r, const sy_json_value *object, const char *name, const char *(*word_of)(int))
{
    const char *found = sy_reading_text(r, object, name, "");
    for (int i = 0; r->status == SY_OK; i++) {
        const char *word = word_of(i);
        if (strcmp(word, found) == 0 && strcmp(word, "unknown") != 0)
            return i;
        if (strcmp(word, "unknown") == 0)
            sy_reading_fail(r, sy_json_member(object, name), "no such word");
    }
    return 0;
}

/* The elements of an array, and room for as many records. */
const sy_json_value *sy_reading_list(sy_reading *r, const sy_json_value *object, const char *name, size_t size,
                                     void **ret_items, size_t *ret_count)
{
    const sy_json_value *value = sy_reading_need(r, object, name);
    if (value != NULL && value->kind != SY_JSON_ARRAY)
        sy_reading_fail(r, value, "expected an array");
    if (r->status != SY_OK)
        return NULL;
    *ret_items = sy_arena_allocate(r->arena, value->count, size);
    if (*ret_items == NULL && value->count > 0) {
        sy_reading_no_memory(r);
        return NULL;
    }
    *ret_count = value->count;
    return value->first;
}
