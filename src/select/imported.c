/* SPDX-License-Identifier: Apache-2.0 */
/* What other tuners found for the cases of a request: imported profiles are no answers, but one that names an
 * implementation of ours says which to hold against the reference first. */
#include <string.h>

#include "base/text.h"
#include "select/walk.h"

#define NAMES_MAX 16

/* How much of the request each proposed implementation would have, by the weights of its cases. */
typedef struct proposals {
    const sy_walk *walk;
    const sy_suite *suite;
    const sy_profile *named[NAMES_MAX]; /* the first that names it */
    double weights[NAMES_MAX];
    size_t count;
} proposals;

/* Whether a structure says nothing but the properties of a case and its element type. */
static bool is_of_case(const sy_profile_key *key, const sy_case *c)
{
    if (key->structure_count != c->property_count + 1)
        return false;
    for (size_t i = 0; i < key->structure_count; i++) {
        const sy_property *property = &key->structure[i];
        int64_t said;
        int64_t value;
        bool known = strcmp(property->name, "dtype") == 0
                         ? strcmp(property->value, sy_dtype_word(c->dtype)) == 0
                         : sy_parse_i64(property->value, &said, NULL) == SY_OK &&
                               sy_case_get(c, property->name, &value, NULL) == SY_OK && said == value;
        if (!known)
            return false;
    }
    return true;
}

static void count_in(proposals *p, const sy_profile *profile, double weight)
{
    size_t at = 0;
    while (at < p->count && strcmp(p->named[at]->policy, profile->policy) != 0)
        at++;
    if (at == NAMES_MAX)
        return;
    if (at == p->count)
        p->named[p->count++] = profile;
    p->weights[at] += weight;
}

static sy_status look_at(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    proposals *p = user;
    const sy_selection *asked = &p->walk->selection;
    sy_request request = *p->walk->request;
    (void)layer;
    (void)err;
    if (profile->kind != SY_PROFILE_IMPORTED || !profile->portable ||
        strcmp(profile->key.operator_name, asked->operator_name) != 0 ||
        strcmp(profile->key.backend, asked->backend) != 0 ||
        sy_request_validate(&request, profile->policy, profile->policy_size, NULL) != SY_OK)
        return SY_OK;
    for (size_t i = 0; i < p->suite->case_count; i++) {
        if (is_of_case(&profile->key, &p->suite->cases[i]))
            count_in(p, profile, p->suite->cases[i].weight);
    }
    return SY_OK;
}

const sy_profile *sy_walk_imported(const sy_walk *walk, const sy_suite *suite)
{
    proposals p = {.walk = walk, .suite = suite};
    size_t best = 0;
    if (sy_store_iterate(walk->selector->store, look_at, &p, NULL) != SY_OK)
        return NULL;
    for (size_t i = 1; i < p.count; i++) {
        if (p.weights[i] > p.weights[best])
            best = i;
    }
    return p.count > 0 ? p.named[best] : NULL;
}
