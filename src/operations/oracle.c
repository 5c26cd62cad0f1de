/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the elements that an oracle computes; computing them is each operation's business. */
#include "operations/oracle.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#define TAIL 64  /* last elements of the whole output */
#define BLOCK 16 /* a usual width of a kernel's register block */

uint64_t sy_oracle_count(const sy_case *c, uint64_t elements)
{
    bool sampled = c->flop_count > SY_ORACLE_FULL_FLOP && elements > SY_ORACLE_SAMPLE;
    return sampled ? SY_ORACLE_SAMPLE : elements;
}

/* An open-addressed set of the indices chosen so far, beside the list of them. */
typedef struct chosen {
    uint64_t *list;
    uint64_t count;
    uint64_t limit;
    uint64_t *slots; /* index + 1; 0 = free */
    uint64_t mask;
} chosen;

static void choose(chosen *set, uint64_t index)
{
    if (set->count == set->limit) {
        return;
    }
    uint64_t slot = index * UINT64_C(0x9e3779b97f4a7c15) >> 20 & set->mask;
    while (set->slots[slot] != 0) {
        if (set->slots[slot] == index + 1) {
            return;
        }
        slot = (slot + 1) & set->mask;
    }
    set->slots[slot] = index + 1;
    set->list[set->count++] = index;
}

/* Corners of the matrix at `offset`, then elements beside each kernel block's border in its last row and column. */
static void choose_borders(chosen *set, sy_random *random, uint64_t offset, uint64_t rows, uint64_t columns)
{
    choose(set, offset);
    choose(set, offset + columns - 1);
    choose(set, offset + (rows - 1) * columns);
    choose(set, offset + rows * columns - 1);
    uint64_t share = set->limit / 4;
    for (uint64_t i = 0; i < share; i++) {
        uint64_t row = sy_random_below(random, rows);
        uint64_t column = sy_random_below(random, columns);
        bool in_rows = (i & 1) == 0;
        uint64_t edge = in_rows ? row / BLOCK * BLOCK + BLOCK - 1 : column / BLOCK * BLOCK + BLOCK - 1;
        if (in_rows) {
            row = edge < rows ? edge : rows - 1;
        } else {
            column = edge < columns ? edge : columns - 1;
        }
        choose(set, offset + row * columns + column);
    }
    for (uint64_t i = 0; i < share / 4; i++) {
        choose(set, offset + (rows - 1) * columns + sy_random_below(random, columns));
        choose(set, offset + sy_random_below(random, rows) * columns + columns - 1);
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

sy_status sy_oracle_sample(uint64_t seed, const sy_tensor_desc *desc, uint64_t count, uint64_t *ret_indices,
                           sy_error *err)
{
    uint64_t elements = 0;
    uint64_t size = 0;
    sy_status status = sy_tensor_desc_check(desc, &elements, &size, err);
    if (status != SY_OK) {
        return status;
    }
    if (count == 0 || count > elements || count > UINT64_MAX / 32) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "an oracle sample of %llu elements from %llu",
                       (unsigned long long)count, (unsigned long long)elements);
    }
    if (count == elements) {
        for (uint64_t i = 0; i < count; i++) {
            ret_indices[i] = i;
        }
        return SY_OK;
    }
    uint64_t capacity = 16;
    while (capacity < 2 * count) {
        capacity *= 2;
    }
    chosen set = {ret_indices, 0, count, sy_allocate(capacity, sizeof(uint64_t)), capacity - 1};
    if (set.slots == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for an oracle sample of %llu elements", (unsigned long long)count);
    }
    sy_random random;
    sy_random_start(&random, seed, "oracle sample");
    uint64_t columns = (uint64_t)desc->dims[desc->rank - 1];
    uint64_t rows = desc->rank >= 2 ? (uint64_t)desc->dims[desc->rank - 2] : 1;
    for (uint64_t i = 0; i < TAIL && i < elements; i++) {
        choose(&set, elements - 1 - i);
    }
    choose_borders(&set, &random, 0, rows, columns);
    choose_borders(&set, &random, elements - rows * columns, rows, columns);
    while (set.count < count) {
        choose(&set, sy_random_below(&random, elements));
    }
    sy_free(set.slots);
    qsort(ret_indices, count, sizeof(uint64_t), ascending);
    return SY_OK;
}
