/* SPDX-License-Identifier: Apache-2.0 */
/* Samples put into their series, which are found by name, case, implementation and role. */
#include <string.h>

#include "base/memory.h"
#include "evidence/lines/run_protocol_inside.h"

#define FIRST_TABLE 64

static uint64_t hash_text(uint64_t hash, const char *text)
{
    /* FNV-1a; the end counts, so that two names cannot run into each other. */
    do {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    } while (*text++ != '\0');
    return hash;
}

static uint64_t hash_of(const sy_run_series *series)
{
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), series->name);
    hash = hash_text(hash, series->case_name);
    hash = hash_text(hash, series->implementation);
    return (hash ^ (uint64_t)series->role) * UINT64_C(0x100000001b3);
}

static bool is_same(const sy_run_series *a, const sy_run_series *b)
{
    return a->role == b->role && strcmp(a->name, b->name) == 0 && strcmp(a->case_name, b->case_name) == 0 &&
           strcmp(a->implementation, b->implementation) == 0;
}

/* The place in the table where the series stands or would stand. */
static size_t find_place(const sy_protocol *p, const sy_run_series *of, uint64_t hash)
{
    const sy_protocol_series *all = p->series.items;
    size_t at = (size_t)(hash ^ (hash >> 32)) & (p->table_size - 1);
    while (p->table[at] != 0 && (all[p->table[at] - 1].hash != hash || !is_same(&all[p->table[at] - 1].series, of)))
        at = (at + 1) & (p->table_size - 1);
    return at;
}

static bool grow_table(sy_protocol *p)
{
    size_t size = p->table_size == 0 ? FIRST_TABLE : 2 * p->table_size;
    size_t *table = sy_allocate(size, sizeof(*table));
    const sy_protocol_series *all = p->series.items;
    if (table == NULL) {
        p->out_of_memory = true;
        return false;
    }
    sy_free(p->table);
    p->table = table;
    p->table_size = size;
    for (size_t i = 0; i < p->series.count; i++)
        table[find_place(p, &all[i].series, all[i].hash)] = i + 1;
    return true;
}

static sy_protocol_series *begin_series(sy_protocol *p, const sy_run_series *of, uint64_t hash, size_t place)
{
    sy_protocol_series *one = sy_protocol_add(p, &p->series, sizeof(*one));
    if (one == NULL)
        return NULL;
    one->series = *of;
    one->series.name = sy_protocol_keep(p, of->name);
    one->series.unit = sy_protocol_keep(p, of->unit);
    one->series.case_name = sy_protocol_keep(p, of->case_name);
    one->series.implementation = sy_protocol_keep(p, of->implementation);
    one->series.note = "";
    one->hash = hash;
    p->table[place] = p->series.count;
    return p->out_of_memory ? NULL : one;
}

static void add_sample(sy_protocol *p, sy_protocol_series *one, double value)
{
    if (one->series.count == one->capacity) {
        size_t capacity = one->capacity == 0 ? 16 : 2 * one->capacity;
        double *samples = sy_reallocate(one->samples, capacity, sizeof(*samples));
        if (samples == NULL) {
            p->out_of_memory = true;
            return;
        }
        one->samples = samples;
        one->capacity = capacity;
    }
    one->samples[one->series.count++] = value;
    p->account.sample_count++;
}

bool sy_protocol_take_sample(sy_protocol *p, const sy_run_series *of, bool says_direction, double value)
{
    if (2 * p->series.count >= p->table_size && !grow_table(p))
        return true;
    uint64_t hash = hash_of(of);
    size_t place = find_place(p, of, hash);
    sy_protocol_series *one = p->table[place] == 0 ? NULL : (sy_protocol_series *)p->series.items + p->table[place] - 1;
    if (one != NULL && strcmp(one->series.unit, of->unit) != 0)
        return sy_protocol_reject_line(p, "the series is in '%.24s', not in '%.24s'", one->series.unit, of->unit);
    if (one != NULL && says_direction && one->series.higher_is_better != of->higher_is_better)
        return sy_protocol_reject_line(p, "more was %s before", one->series.higher_is_better ? "better" : "worse");
    if (p->account.sample_count >= p->limits.samples)
        return sy_protocol_drop_line(p, p->limits.samples, "samples");
    if (one == NULL && p->series.count >= p->limits.series)
        return sy_protocol_drop_line(p, p->limits.series, "series");
    if (one == NULL)
        one = begin_series(p, of, hash, place);
    if (one != NULL)
        add_sample(p, one, value);
    return true;
}
