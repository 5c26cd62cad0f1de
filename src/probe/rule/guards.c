/* SPDX-License-Identifier: Apache-2.0 */
/* The guards of a claim: each looks at one part of the evidence, and overturns the claim only if that part disagrees
 * about the threshold. Otherwise its figure is a note. When they are asked: rule_end.c. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "probe/rule/rule_parts.h"
#include "stats/modes.h"
#include "stats/order.h"
#include "stats/ranks.h"

static const double guard_level = 0.01;       /* of the rank tests */
static const double carry_over_level = 0.005; /* of each of its two tests: 1 % together */
static const uint32_t part_least_pairs = 5;
static const uint32_t drift_least_rounds = 15;
static const double carry_over_share = 0.75; /* of the excess that may have shifted the gain: half, and half as much */

/* Two parts of the usable rounds. */
typedef struct guard_parts {
    double *first;
    double *second;
    uint32_t first_count;
    uint32_t second_count;
} guard_parts;

static bool parts_init(const sy_rule *rule, guard_parts *parts)
{
    size_t room = (size_t)rule->usable + 1;

    *parts = (guard_parts){sy_allocate(2 * room, sizeof(double)), NULL, 0, 0};
    if (parts->first == NULL)
        return false;
    parts->second = parts->first + room;
    return true;
}

static sy_status no_memory(const sy_rule *rule, sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the guards of %u rounds", rule->round_count);
}

static void parts_finish(guard_parts *parts)
{
    sy_free(parts->first);
}

/* Two parts tested against each other. */
typedef struct guard_test {
    double first; /* medians */
    double second;
    double p;
} guard_test;

/* Tests the parts and writes the note: "<name>: 2.1 points between <between>, p = 0.2". Sorts them. */
static sy_status test_parts(sy_rule *rule, guard_parts *parts, const char *name, const char *between,
                            guard_test *ret_test, sy_error *err)
{
    guard_test test = {0, 0, 1};
    sy_status status = sy_ranks_differ(parts->first, parts->first_count, parts->second, parts->second_count, &test.p,
                                       err);

    if (status == SY_OK)
        status = sy_order_sort(parts->first, parts->first_count, err);
    if (status == SY_OK)
        status = sy_order_sort(parts->second, parts->second_count, err);
    if (status != SY_OK)
        return status;
    test.first = sy_order_median(parts->first, parts->first_count);
    test.second = sy_order_median(parts->second, parts->second_count);
    rule_note(rule, "%s: %.1f points between %s, p = %.2g", name,
              100 * fabs(rule_gain_of(test.first) - rule_gain_of(test.second)), between, test.p);
    *ret_test = test;
    return SY_OK;
}

/* Where the parts are equals: either of them may disagree. */
static sy_status judge_parts(sy_rule *rule, guard_parts *parts, const char *name, const char *between,
                             bool *ret_overturns, sy_error *err)
{
    guard_test test;
    sy_status status = test_parts(rule, parts, name, between, &test, err);

    if (status == SY_OK)
        *ret_overturns = fmin(test.first, test.second) < rule->theta && test.p <= guard_level;
    return status;
}

sy_status rule_guard_order(sy_rule *rule, bool *ret_overturns, sy_error *err)
{
    guard_parts parts;
    sy_status status = SY_OK;

    if (!parts_init(rule, &parts))
        return no_memory(rule, err);
    *ret_overturns = false;
    for (uint32_t i = 0; i < rule->round_count; i++) {
        const rule_round *round = &rule->rounds[i];

        if (isnan(round->difference))
            continue;
        if (round->reference_first)
            parts.first[parts.first_count++] = round->difference;
        else
            parts.second[parts.second_count++] = round->difference;
    }
    if (parts.first_count >= part_least_pairs && parts.second_count >= part_least_pairs)
        status = judge_parts(rule, &parts, "order", "the orders", ret_overturns, err);
    parts_finish(&parts);
    return status;
}

/* Bounds only ever tighten: where the gain of all rounds lies outside, it is not what it was when they were drawn. */
static void note_gain_outside(sy_rule *rule)
{
    double median = rule->usable > 0 ? sy_order_median(rule->differences, rule->usable) : NAN;

    if (median < rule->bounds.low || median > rule->bounds.high)
        rule_note(rule, "drift: the gain of all rounds is outside of the bounds that earlier rounds gave: it changed");
}

sy_status rule_guard_drift(sy_rule *rule, bool *ret_overturns, sy_error *err)
{
    guard_parts parts;
    uint32_t third = rule->usable / 3;
    uint32_t seen = 0;
    sy_status status;

    *ret_overturns = false;
    note_gain_outside(rule);
    if (rule->usable < drift_least_rounds)
        return SY_OK;
    if (!parts_init(rule, &parts))
        return no_memory(rule, err);
    for (uint32_t i = 0; i < rule->round_count; i++) {
        double difference = rule->rounds[i].difference;

        if (isnan(difference))
            continue;
        if (seen < third)
            parts.first[parts.first_count++] = difference;
        if (seen >= rule->usable - third)
            parts.second[parts.second_count++] = difference;
        seen++;
    }
    status = judge_parts(rule, &parts, "drift", "the first and the last third", ret_overturns, err);
    parts_finish(&parts);
    return status;
}

/* A run that was switched away shows what else ran, not what it is: the claim must stand on the other pairs. */
sy_status rule_guard_preempted(sy_rule *rule, bool *ret_overturns, sy_error *err)
{
    guard_parts parts;
    guard_test test;
    sy_status status = SY_OK;

    if (!parts_init(rule, &parts))
        return no_memory(rule, err);
    *ret_overturns = false;
    for (uint32_t i = 0; i < rule->round_count; i++) {
        const rule_round *round = &rule->rounds[i];

        if (isnan(round->difference))
            continue;
        if (round->preempted)
            parts.first[parts.first_count++] = round->difference;
        else
            parts.second[parts.second_count++] = round->difference;
    }
    if (parts.first_count >= part_least_pairs && parts.second_count >= part_least_pairs) {
        status = test_parts(rule, &parts, "preempted", "pairs with and without a run that was switched away", &test,
                            err);
        if (status == SY_OK)
            *ret_overturns = test.second < rule->theta && test.p <= guard_level;
    }
    parts_finish(&parts);
    return status;
}

bool rule_guard_carry_over(sy_rule *rule, const sy_carry_over *carry_over)
{
    double excess = fmax(0, carry_over->a - carry_over->b);

    rule_note(rule,
              "carry-over: reference %+.1f %% after the candidate, candidate %+.1f %% after the reference, p = %.2g",
              100 * expm1(carry_over->a), 100 * expm1(carry_over->b), carry_over->p);
    return rule->bounds.low - carry_over_share * excess <= rule->theta && carry_over->p <= carry_over_level;
}

bool rule_bounds_contradict(const sy_rule *rule)
{
    return rule->bounds.low > rule->bounds.high;
}

bool rule_guard_bounds(sy_rule *rule)
{
    if (!rule_bounds_contradict(rule))
        return false;
    rule_note(rule, "drift: at least %.1f %% at one time, at most %.1f %% at another: the gain changed",
              100 * rule_gain_of(rule->bounds.low), 100 * rule_gain_of(rule->bounds.high));
    return rule->bounds.high <= rule->theta;
}

static double group_middle(const double *sorted, size_t from, size_t to)
{
    return sy_order_median(sorted + from, to - from);
}

static void format_time(char *to, size_t size, double ns)
{
    sy_format_duration(to, size, ns < 0x1p63 ? (uint64_t)llround(ns) : UINT64_C(1) << 63);
}

static void note_modes_of(sy_rule *rule, const char *name, const double *sorted, size_t count, size_t low)
{
    char fast[32];
    char slow[32];

    if (low == 0)
        return;
    format_time(fast, sizeof fast, group_middle(sorted, 0, low));
    format_time(slow, sizeof slow, group_middle(sorted, low, count));
    rule_note(rule, "two modes: %zu runs of the %s near %s, %zu near %s", low, name, fast, count - low, slow);
}

void rule_note_modes(sy_rule *rule)
{
    const rule_case *c = &rule->cases[0];
    size_t reference_low = sy_modes_split(c->reference_ns, c->usable);
    size_t candidate_low = sy_modes_split(c->candidate_ns, c->usable);
    uint32_t changed = 0;

    if (rule->options.case_count > 1)
        return;
    note_modes_of(rule, "reference", c->reference_ns, c->usable, reference_low);
    note_modes_of(rule, "candidate", c->candidate_ns, c->usable, candidate_low);
    if (reference_low == 0 || candidate_low == 0)
        return;
    for (uint32_t i = 0; i < rule->round_count; i++) {
        const rule_round *round = &rule->rounds[i];

        if (!isnan(round->difference))
            changed += (round->reference_ns < c->weight * c->reference_ns[reference_low]) !=
                       (round->candidate_ns < c->weight * c->candidate_ns[candidate_low]);
    }
    rule_note(rule, "two modes: %u of %u pairs changed mode", changed, rule->usable);
}
