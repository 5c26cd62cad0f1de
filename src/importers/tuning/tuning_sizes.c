/* SPDX-License-Identifier: Apache-2.0 */
/* A larger problem that is faster than a smaller one of its kind. Larger: no dimension is less, at least one is more.
 * Of one kind: all else of the key agrees. Groups up to PAIRS_MAX are compared pair by pair. In larger ones, problems
 * that differ in one dimension alone are compared all the same (sorted along each, with the slowest smaller one so
 * far), and each with the WINDOW problems before it in the order of their sizes: near-linear, and said in a note. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "importers/tuning/tuning_inside.h"

#define PAIRS_MAX 1024
#define WINDOW 64

static const char *const dimensions[] = {"m",     "n",       "k",    "batch",   "channels", "height",
                                         "width", "filters", "keys", "queries", "heads",    "tokens"};
enum { NAMED_COUNT = sizeof dimensions / sizeof *dimensions, SIZE_COUNT = 3, COUNT = NAMED_COUNT + SIZE_COUNT };

/* What follows from the dimensions says nothing of the kind. */
static const char *const followers[] = {"lda", "ldb", "ldc", "out_height", "out_width"};

typedef struct item {
    const sy_tuned *tuned;
    const char *kind;
    double seconds;
    double product; /* of the dimensions: what is larger has no smaller one */
    int64_t sizes[COUNT];
    const struct item *slowest; /* a smaller one that is slower by the margin */
} item;

static bool is_in(const char *name, const char *const *list, size_t count, size_t *ret_at)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0) {
            *ret_at = i;
            return true;
        }
    }
    return false;
}

/* "[4096,4096]" as whole numbers; false: it is none of one to three. */
static bool read_problem_size(const char *value, int64_t *to)
{
    sy_tuning_span rest = {value, strlen(value)};
    size_t count = 0;

    if (rest.length < 3 || value[0] != '[' || value[rest.length - 1] != ']')
        return false;
    rest = (sy_tuning_span){value + 1, rest.length - 2};
    while (rest.length > 0 && count < SIZE_COUNT) {
        if (!sy_tuning_whole(sy_tuning_cut(&rest, ','), &to[count++]))
            return false;
    }
    return rest.length == 0;
}

/* A policy is no part of a kind: what is compared is what each problem was best at. */
static void read_item(item *to, const sy_tuned *tuned, sy_text *kind)
{
    const sy_profile_key *key = &tuned->profile.key;
    size_t at;

    to->product = 1;
    sy_text_append_format(kind, "%d\n%s\n%s\n%s\n", (int)tuned->profile.kind, key->backend, key->operator_name,
                          key->implementation_version);
    for (size_t i = 0; i < key->structure_count; i++) {
        const char *name = key->structure[i].name;
        const char *value = key->structure[i].value;

        if (is_in(name, followers, sizeof followers / sizeof *followers, &at))
            continue;
        if (!(strcmp(name, "problem_size") == 0 && read_problem_size(value, &to->sizes[NAMED_COUNT])) &&
            !(is_in(name, dimensions, NAMED_COUNT, &at) &&
              sy_tuning_whole((sy_tuning_span){value, strlen(value)}, &to->sizes[at])))
            sy_text_append_format(kind, "%s=%s\n", name, value);
        else
            sy_text_append_format(kind, "%s\n", name);
    }
    for (size_t i = 0; i < COUNT; i++)
        to->product *= to->sizes[i] > 0 ? (double)to->sizes[i] : 1;
}

static int compare_sizes(const item *a, const item *b, size_t but)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (i != but && a->sizes[i] != b->sizes[i])
            return a->sizes[i] < b->sizes[i] ? -1 : 1;
    }
    return 0;
}

static int compare_items(const void *left, const void *right)
{
    const item *a = left;
    const item *b = right;
    int order = strcmp(a->kind, b->kind);

    if (order != 0)
        return order;
    if (a->product != b->product)
        return a->product < b->product ? -1 : 1;
    order = compare_sizes(a, b, COUNT);
    return order != 0 ? order : (a->tuned > b->tuned) - (a->tuned < b->tuned);
}

/* Orders a list by all dimensions but one, then by that one: radix-like, the comparison is told by the item. */
typedef struct along {
    item *item;
    size_t dimension;
} along;

static int compare_along(const void *left, const void *right)
{
    const along *a = left;
    const along *b = right;
    int order = compare_sizes(a->item, b->item, a->dimension);
    int64_t x = a->item->sizes[a->dimension];
    int64_t y = b->item->sizes[b->dimension];

    return order != 0 ? order : (x > y) - (x < y);
}

static bool is_smaller(const item *a, const item *b)
{
    bool less = false;

    for (size_t i = 0; i < COUNT; i++) {
        if (a->sizes[i] > b->sizes[i])
            return false;
        less = less || a->sizes[i] < b->sizes[i];
    }
    return less;
}

static void hold_against(item *larger, const item *smaller, double margin)
{
    if (smaller->seconds * (1 - margin) > larger->seconds &&
        (larger->slowest == NULL || smaller->seconds > larger->slowest->seconds))
        larger->slowest = smaller;
}

static void compare_window(item *list, size_t count, size_t window, double margin)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i > window ? i - window : 0; j < i; j++) {
            if (is_smaller(&list[j], &list[i]))
                hold_against(&list[i], &list[j], margin);
        }
    }
}

/* Along one dimension: with the slowest of those that are less in it and equal in all others. */
static void compare_dimension(along *order, size_t count, double margin)
{
    const item *slowest = NULL;
    size_t from = 0; /* of the run that is equal in all others */

    qsort(order, count, sizeof *order, compare_along);
    for (size_t i = 0; i < count;) {
        size_t end = i;

        if (compare_sizes(order[from].item, order[i].item, order[i].dimension) != 0) {
            from = i;
            slowest = NULL;
        }
        for (; end < count && compare_along(&order[i], &order[end]) == 0; end++) {
            if (slowest != NULL)
                hold_against(order[end].item, slowest, margin);
        }
        for (; i < end; i++)
            slowest = slowest == NULL || order[i].item->seconds > slowest->seconds ? order[i].item : slowest;
    }
}

static sy_status compare_group(sy_tuning_draft *draft, item *list, size_t count, sy_error *err)
{
    double margin = draft->options->margin;
    along *order;

    if (count <= PAIRS_MAX) {
        compare_window(list, count, count, margin);
        return SY_OK;
    }
    order = sy_allocate(count, sizeof *order);
    if (order == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to compare %zu problems", count);
    for (size_t dimension = 0; dimension < COUNT; dimension++) {
        for (size_t i = 0; i < count; i++)
            order[i] = (along){&list[i], dimension};
        if (list[0].sizes[dimension] > 0)
            compare_dimension(order, count, margin);
    }
    compare_window(list, count, WINDOW, margin);
    sy_free(order);
    sy_tuning_note(draft, SY_TUNING_RULE_LARGER, list[0].tuned->position,
                   "%zu problems of this kind: compared along each dimension and with the %d next smaller ones, not "
                   "all with all",
                   count, WINDOW);
    return SY_OK;
}

static void tell(sy_tuning_draft *draft, const item *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const item *smaller = list[i].slowest;

        if (smaller != NULL)
            sy_tuning_find(draft, SY_TUNING_RULE_LARGER, list[i].tuned->position, NULL,
                           "it takes %.6g ms; the smaller problem of line %u of its kind takes %.6g ms",
                           1e3 * list[i].seconds, (unsigned)smaller->tuned->position.line, 1e3 * smaller->seconds);
    }
}

static sy_status compare_all(sy_tuning_draft *draft, item *items, size_t count, sy_error *err)
{
    sy_status status = SY_OK;

    if (count > 0)
        qsort(items, count, sizeof *items, compare_items);
    for (size_t from = 0; from < count && status == SY_OK;) {
        size_t to = from + 1;

        while (to < count && strcmp(items[from].kind, items[to].kind) == 0)
            to++;
        status = compare_group(draft, items + from, to - from, err);
        from = to;
    }
    if (status == SY_OK)
        tell(draft, items, count);
    return status;
}

sy_status sy_tuning_suspect_sizes(sy_tuning_draft *draft, const sy_tuned *list, size_t count, sy_error *err)
{
    item *items = sy_allocate(count, sizeof *items);
    size_t item_count = 0;
    sy_text kind = SY_TEXT_INIT;
    sy_status status;

    if (items == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory to compare %zu problems", count);
    for (size_t i = 0; i < count && !draft->failed; i++) {
        item *next = &items[item_count];

        *next = (item){.tuned = &list[i], .seconds = sy_tuning_seconds(&list[i].profile)};
        if (!(next->seconds > 0) || !list[i].profile.portable)
            continue;
        sy_text_clear(&kind);
        read_item(next, &list[i], &kind);
        next->kind = sy_tuning_copy(draft, sy_text_bytes(&kind), kind.length);
        item_count++;
    }
    status = kind.failed || draft->failed ? sy_fail(err, SY_NO_MEMORY, "no memory to compare %zu problems", count)
                                          : compare_all(draft, items, item_count, err);
    sy_text_finish(&kind);
    sy_free(items);
    return status;
}
