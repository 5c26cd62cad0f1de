/* SPDX-License-Identifier: Apache-2.0 */
/* An order over what profiles of one key say, for two of the same time: which one is kept must not depend on which was
 * read first. It has no other meaning. */
#include "store/content_order.h"

#include <string.h>

#include "store/profile.h"

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By their bits, so that NaN has a place. */
static int compare_doubles(double a, double b)
{
    return memcmp(&a, &b, sizeof a);
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(sy_text_or_empty(a), sy_text_or_empty(b));
}

static int compare_policies(const sy_profile *a, const sy_profile *b)
{
    size_t common = a->policy_size < b->policy_size ? a->policy_size : b->policy_size;
    int order = common == 0 ? 0 : memcmp(a->policy, b->policy, common);
    return order != 0 ? order : (a->policy_size > b->policy_size) - (a->policy_size < b->policy_size);
}

static int compare_trials(const sy_profile *a, const sy_profile *b)
{
    const sy_profile_trial *s = &a->trial;
    const sy_profile_trial *t = &b->trial;
    const int orders[] = {
        compare_numbers(a->has_trial, b->has_trial),
        compare_numbers((int64_t)s->decision, (int64_t)t->decision),
        compare_texts(s->rule, t->rule),
        compare_numbers(s->max_pairs, t->max_pairs),
        compare_numbers(s->pairs, t->pairs),
        compare_numbers(s->wins, t->wins),
        compare_doubles(s->e_value, t->e_value),
        compare_numbers(s->attempt, t->attempt),
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return 0;
}

static int compare_figures(const sy_profile *a, const sy_profile *b)
{
    const int orders[] = {
        compare_numbers(a->has_gain, b->has_gain),
        compare_doubles(a->gain.gain, b->gain.gain),
        compare_doubles(a->gain.low, b->gain.low),
        compare_doubles(a->gain.high, b->gain.high),
        compare_numbers(a->gain.pairs, b->gain.pairs),
        compare_numbers(a->has_parity, b->has_parity),
        compare_numbers((int64_t)a->parity.outcome, (int64_t)b->parity.outcome),
        compare_doubles(a->parity.error_in_tolerances, b->parity.error_in_tolerances),
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return 0;
}

static int compare_lists(const sy_profile *a, const sy_profile *b)
{
    int order = compare_numbers((int64_t)a->measurement_count, (int64_t)b->measurement_count);
    for (size_t i = 0; order == 0 && i < a->measurement_count; i++) {
        const sy_measurement *m = &a->measurements[i];
        const sy_measurement *n = &b->measurements[i];
        order = compare_texts(m->name, n->name);
        order = order != 0 ? order : compare_doubles(m->value, n->value);
        order = order != 0 ? order : compare_texts(m->unit, n->unit);
    }
    if (order == 0) {
        order = compare_numbers((int64_t)a->alternative_count, (int64_t)b->alternative_count);
    }
    for (size_t i = 0; order == 0 && i < a->alternative_count; i++) {
        const sy_alternative *m = &a->alternatives[i];
        const sy_alternative *n = &b->alternatives[i];
        order = compare_texts(m->name, n->name);
        order = order != 0 ? order : compare_texts(m->reason, n->reason);
        order = order != 0 ? order : compare_doubles(m->ratio, n->ratio);
    }
    return order;
}

int sy_profile_content_order(const sy_profile *a, const sy_profile *b)
{
    const int orders[] = {
        compare_policies(a, b),
        compare_numbers(a->expires_utc_s, b->expires_utc_s),
        compare_texts(a->evidence_run, b->evidence_run),
        compare_texts(a->evidence_digest, b->evidence_digest),
        compare_texts(a->reason, b->reason),
        compare_texts(a->tool, b->tool),
        compare_texts(a->signed_by, b->signed_by),
        compare_trials(a, b),
        compare_figures(a, b),
        compare_lists(a, b),
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return 0;
}
