/* SPDX-License-Identifier: Apache-2.0 */
/* Keys with accepted sessions that differ from the run's in the fewest fields: why they are no baseline of it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evidence/compare/compare_inside.h"

enum { NEIGHBOURS_MAX = 3 };

typedef struct distance {
    const sy_key_row *key;
    size_t place; /* the newest is first */
    size_t differing;
} distance;

static int by_distance(const void *a, const void *b)
{
    const distance *x = a;
    const distance *y = b;
    if (x->differing != y->differing) {
        return x->differing < y->differing ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

static const char *copy_or_null(sy_comparing *c, const char *text)
{
    const char *copy = text != NULL ? sy_arena_copy_text(c->arena, text) : NULL;
    c->failed = c->failed || (text != NULL && copy == NULL);
    return copy;
}

static sy_status measure(const sy_comparing *c, const sy_key_row *key, size_t *ret_differing, sy_error *err)
{
    sy_key_difference_list *list = NULL;
    sy_status status = sy_comparison_key_diff(&c->run->begin.key, &key->key, &list, err);
    if (status == SY_OK) {
        *ret_differing = list->differing_count;
    }
    sy_key_difference_list_destroy(list);
    return status;
}

static sy_status add_neighbour(sy_comparing *c, const sy_key_row *key, sy_compare_neighbour *to, sy_error *err)
{
    sy_key_difference_list *list = NULL;
    sy_status status = sy_comparison_key_diff(&c->run->begin.key, &key->key, &list, err);
    if (status != SY_OK) {
        return status;
    }
    sy_key_difference *fields = sy_arena_allocate(c->arena, list->differing_count + 1, sizeof *fields);
    size_t count = 0;
    for (size_t i = 0; fields != NULL && i < list->field_count; i++) {
        const sy_key_difference *field = &list->fields[i];
        if (!field->agrees) {
            fields[count] = *field;
            fields[count].name = copy_or_null(c, field->name);
            fields[count].a = copy_or_null(c, field->a);
            fields[count++].b = copy_or_null(c, field->b);
        }
    }
    *to = (sy_compare_neighbour){.key_digest = copy_or_null(c, key->key_digest),
                                 .newest = copy_or_null(c, key->newest),
                                 .accepted_count = key->accepted_count,
                                 .fields = fields,
                                 .field_count = count};
    sy_key_difference_list_destroy(list);
    return fields != NULL && !c->failed ? SY_OK : sy_compare_no_memory(err);
}

static sy_status find_distances(sy_comparing *c, distance *distances, size_t *ret_count, sy_error *err)
{
    sy_status status = SY_OK;
    size_t count = 0;
    assert(distances != NULL);
    for (size_t i = 0; status == SY_OK && i < c->keys->row_count; i++) {
        const sy_key_row *key = &c->keys->rows[i];
        bool is_own = strcmp(key->key_digest, c->run->row.key_digest) == 0;
        if (key->accepted_count > 0 && !is_own) {
            distances[count] = (distance){.key = key, .place = i};
            status = measure(c, key, &distances[count++].differing, err);
        }
    }
    *ret_count = count;
    return status;
}

sy_status sy_compare_find_neighbours(sy_comparing *c, sy_error *err)
{
    if (c->to->verdict.word != SY_JUDGEMENT_NO_BASELINE) {
        return SY_OK;
    }
    sy_status status = sy_compare_read_keys(c, err);
    size_t count = 0;
    distance *distances = status == SY_OK ? sy_arena_allocate(c->arena, c->keys->row_count + 1, sizeof *distances)
                                          : NULL;
    sy_compare_neighbour *neighbours = sy_arena_allocate(c->arena, NEIGHBOURS_MAX, sizeof *neighbours);
    if (status == SY_OK && (distances == NULL || neighbours == NULL)) {
        status = sy_compare_no_memory(err);
    }
    if (status == SY_OK) {
        status = find_distances(c, distances, &count, err);
    }
    if (status != SY_OK) {
        return status;
    }
    assert(distances != NULL);
    qsort(distances, count, sizeof *distances, by_distance);
    c->to->neighbours = neighbours;
    for (size_t i = 0; status == SY_OK && i < count && i < NEIGHBOURS_MAX; i++) {
        status = add_neighbour(c, distances[i].key, &neighbours[i], err);
        c->to->neighbour_count += status == SY_OK;
    }
    return status;
}
