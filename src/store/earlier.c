/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of replaced measurements: one order for all (time of replacement, then content), so that a union is the same
 * whichever file comes first, and of too many the oldest go. */
#include "store/earlier.h"

#include <math.h>
#include <string.h>

#include "store/profile.h"

/* Two full histories and what is put to them. Of those of other entries that a put brings no more are taken. */
#define LINES_MAX (2 * SY_EARLIER_MAX + 2)

typedef struct line_list {
    sy_profile_earlier lines[LINES_MAX];
    size_t count;
} line_list;

static int compare_doubles(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return isnan(b) - isnan(a);
    }
    return (a > b) - (a < b);
}

static int compare_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(sy_text_or_empty(a), sy_text_or_empty(b));
}

static int compare_policies(const sy_profile_earlier *a, const sy_profile_earlier *b)
{
    size_t size = a->policy_size < b->policy_size ? a->policy_size : b->policy_size;
    int order = size == 0 ? 0 : memcmp(a->policy, b->policy, size);
    return order != 0 ? order : (a->policy_size > b->policy_size) - (a->policy_size < b->policy_size);
}

/* Of what makes a measurement what it is: when, what, how much, which proof. */
static int compare_measurements(const sy_profile_earlier *a, const sy_profile_earlier *b)
{
    const int orders[] = {
        compare_times(a->created_utc_s, b->created_utc_s),
        compare_policies(a, b),
        compare_texts(a->evidence_run, b->evidence_run),
        compare_texts(a->evidence_digest, b->evidence_digest),
        compare_texts(a->tool, b->tool),
        (int)a->has_decision - (int)b->has_decision,
        a->has_decision && b->has_decision ? (int)a->decision - (int)b->decision : 0,
        (int)a->has_gain - (int)b->has_gain,
        a->has_gain && b->has_gain ? compare_doubles(a->gain.gain, b->gain.gain) : 0,
        a->has_gain && b->has_gain ? compare_doubles(a->gain.low, b->gain.low) : 0,
        a->has_gain && b->has_gain ? compare_doubles(a->gain.high, b->gain.high) : 0,
        a->has_gain && b->has_gain ? compare_times(a->gain.pairs, b->gain.pairs) : 0,
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return 0;
}

bool sy_earlier_is_same(const sy_profile_earlier *a, const sy_profile_earlier *b)
{
    return compare_measurements(a, b) == 0;
}

static int compare_lines(const sy_profile_earlier *a, const sy_profile_earlier *b)
{
    int order = compare_times(a->replaced_utc_s, b->replaced_utc_s);
    return order != 0 ? order : compare_measurements(a, b);
}

void sy_profile_cost_add(sy_profile_cost *to, const sy_profile_cost *more)
{
    to->seconds = fmin(to->seconds + more->seconds, SY_SECONDS_MAX);
    to->probes = more->probes > UINT32_MAX - to->probes ? UINT32_MAX : to->probes + more->probes;
}

static uint64_t add_counts(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

void sy_profile_use_add(sy_profile_use *to, const sy_profile_use *more)
{
    to->calls = add_counts(to->calls, more->calls);
    to->timed_calls = add_counts(to->timed_calls, more->timed_calls);
    to->seconds = fmin(to->seconds + more->seconds, SY_SECONDS_MAX);
    to->last_utc_s = to->last_utc_s > more->last_utc_s ? to->last_utc_s : more->last_utc_s;
}

bool sy_profile_cost_equal(const sy_profile_cost *a, const sy_profile_cost *b)
{
    return a->probes == b->probes && memcmp(&a->seconds, &b->seconds, sizeof a->seconds) == 0;
}

bool sy_profile_use_equal(const sy_profile_use *a, const sy_profile_use *b)
{
    return a->calls == b->calls && a->timed_calls == b->timed_calls && a->last_utc_s == b->last_utc_s &&
           memcmp(&a->seconds, &b->seconds, sizeof a->seconds) == 0;
}

bool sy_earlier_equal(const sy_profile_earlier *a, const sy_profile_earlier *b)
{
    return sy_earlier_is_same(a, b) && compare_texts(a->origin, b->origin) == 0 &&
           a->replaced_utc_s == b->replaced_utc_s && compare_doubles(a->reference_s, b->reference_s) == 0 &&
           sy_profile_cost_equal(&a->cost, &b->cost) && sy_profile_use_equal(&a->use, &b->use);
}

double sy_profile_reference_s(const sy_profile *profile)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];
        if (strcmp(measurement->name, SY_MEASUREMENT_REFERENCE_CALL) == 0 &&
            strcmp(sy_text_or_empty(measurement->unit), "ns") == 0 && measurement->value > 0) {
            return measurement->value * 1e-9;
        }
    }
    return NAN;
}

sy_profile_earlier sy_profile_as_earlier(const sy_profile *profile, const char *origin, int64_t replaced_utc_s)
{
    return (sy_profile_earlier){
        .policy = profile->policy,
        .policy_size = profile->policy_size,
        .origin = origin,
        .has_decision = profile->has_trial,
        .has_gain = profile->has_gain,
        .decision = profile->trial.decision,
        .gain = profile->gain,
        .reference_s = sy_profile_reference_s(profile),
        .created_utc_s = profile->created_utc_s,
        .replaced_utc_s = replaced_utc_s,
        .tool = sy_text_or_empty(profile->tool),
        .evidence_run = sy_text_or_empty(profile->evidence_run),
        .evidence_digest = sy_text_or_empty(profile->evidence_digest),
        .cost = profile->cost,
        .use = profile->use,
    };
}

static sy_profile_cost larger_cost(const sy_profile_cost *a, const sy_profile_cost *b)
{
    return (sy_profile_cost){a->seconds > b->seconds ? a->seconds : b->seconds,
                             a->probes > b->probes ? a->probes : b->probes};
}

/* Copies of one count have grown apart: the larger is the least that is certain. */
static sy_profile_use larger_use(const sy_profile_use *a, const sy_profile_use *b)
{
    int order = (a->calls > b->calls) - (a->calls < b->calls);
    order = order != 0 ? order : (a->timed_calls > b->timed_calls) - (a->timed_calls < b->timed_calls);
    order = order != 0 ? order : compare_doubles(a->seconds, b->seconds);
    order = order != 0 ? order : compare_times(a->last_utc_s, b->last_utc_s);
    return order >= 0 ? *a : *b;
}

/* Two lines of one measurement as one: it was replaced when it last was. */
static void join_lines(sy_profile_earlier *to, const sy_profile_earlier *other)
{
    int order = compare_times(to->replaced_utc_s, other->replaced_utc_s);
    order = order != 0 ? order : compare_texts(to->origin, other->origin);
    if (order < 0) {
        to->replaced_utc_s = other->replaced_utc_s;
        to->origin = other->origin;
    }
    to->reference_s = fmin(to->reference_s, other->reference_s); /* of a number and NaN the number */
    to->cost = larger_cost(&to->cost, &other->cost);
    to->use = larger_use(&to->use, &other->use);
}

/* Takes a line out, joined with all that are of its measurement. */
static void add_line(line_list *list, const sy_profile_earlier *added)
{
    sy_profile_earlier line = *added;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (sy_earlier_is_same(&list->lines[i], &line)) {
            join_lines(&line, &list->lines[i]);
        } else {
            list->lines[kept++] = list->lines[i];
        }
    }
    size_t at = kept;
    while (at > 0 && compare_lines(&list->lines[at - 1], &line) > 0) {
        list->lines[at] = list->lines[at - 1];
        at--;
    }
    list->lines[at] = line;
    list->count = kept + 1;
}

static void add_lines(line_list *list, const sy_profile_earlier *lines, size_t count)
{
    size_t newest = count > SY_EARLIER_MAX ? count - SY_EARLIER_MAX : 0;
    for (size_t i = newest; i < count; i++) {
        add_line(list, &lines[i]);
    }
}

/* The newest of the list as the history; *ret_dropped are the others. */
static void take_newest(const line_list *list, sy_earlier_list *history, uint32_t *ret_dropped,
                        sy_profile_cost *ret_cost)
{
    size_t oldest = list->count > SY_EARLIER_MAX ? list->count - SY_EARLIER_MAX : 0;
    *ret_cost = (sy_profile_cost){0, 0};
    for (size_t i = 0; i < oldest; i++) {
        sy_profile_cost_add(ret_cost, &list->lines[i].cost);
    }
    *ret_dropped = (uint32_t)oldest;
    history->count = list->count - oldest;
    memcpy(history->lines, &list->lines[oldest], history->count * sizeof history->lines[0]);
}

static void give_history(sy_profile *profile, sy_earlier_list *history)
{
    profile->earlier = history->count > 0 ? history->lines : NULL;
    profile->earlier_count = history->count;
    profile->earlier_dropped = history->dropped;
    profile->dropped_cost = history->dropped_cost;
}

/* It was put by hand and says nothing but its policy, which next has too. */
static bool says_nothing_more(const sy_profile *former, const sy_profile *next)
{
    return !former->has_trial && !former->has_gain && *sy_text_or_empty(former->evidence_run) == '\0' &&
           former->policy_size == next->policy_size && memcmp(former->policy, next->policy, next->policy_size) == 0;
}

void sy_earlier_succeed(const sy_profile *next, const sy_profile *former, sy_profile *profile, sy_earlier_list *history)
{
    line_list list = {.count = 0};
    uint32_t dropped;
    sy_profile_cost cost;
    *profile = *next;
    *history = (sy_earlier_list){.count = 0};
    if (former != NULL) {
        add_lines(&list, former->earlier, former->earlier_count);
        history->dropped = former->earlier_dropped;
        history->dropped_cost = former->dropped_cost;
        if (says_nothing_more(former, next)) {
            sy_profile_cost_add(&profile->cost, &former->cost);
            sy_profile_use_add(&profile->use, &former->use);
        } else {
            sy_profile_earlier line = sy_profile_as_earlier(former, "", next->created_utc_s);
            add_line(&list, &line);
        }
    }
    add_lines(&list, next->earlier, next->earlier_count);
    take_newest(&list, history, &dropped, &cost);
    history->dropped = dropped > UINT32_MAX - history->dropped ? UINT32_MAX : history->dropped + dropped;
    sy_profile_cost_add(&history->dropped_cost, &cost);
    give_history(profile, history);
}

void sy_earlier_unite(const sy_profile *kept, const sy_profile *other, sy_profile *profile, sy_earlier_list *history)
{
    line_list list = {.count = 0};
    uint32_t dropped;
    sy_profile_cost cost;
    sy_profile_earlier kept_line = sy_profile_as_earlier(kept, "", 0);
    sy_profile_earlier other_line = sy_profile_as_earlier(other, "", kept->created_utc_s);
    *profile = *kept;
    *history = (sy_earlier_list){.count = 0};
    add_lines(&list, kept->earlier, kept->earlier_count);
    add_lines(&list, other->earlier, other->earlier_count);
    if (says_nothing_more(other, kept)) {
        profile->cost = larger_cost(&kept->cost, &other->cost);
        profile->use = larger_use(&kept->use, &other->use);
    } else {
        add_line(&list, &other_line);
    }
    /* What is in force is not history: a line of it only tells how far its copies have counted. */
    size_t left = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (sy_earlier_is_same(&list.lines[i], &kept_line)) {
            profile->cost = larger_cost(&profile->cost, &list.lines[i].cost);
            profile->use = larger_use(&profile->use, &list.lines[i].use);
        } else {
            list.lines[left++] = list.lines[i];
        }
    }
    list.count = left;
    take_newest(&list, history, &dropped, &cost);
    /* How many of those that either dropped are the same is not known. */
    uint32_t before = kept->earlier_dropped > other->earlier_dropped ? kept->earlier_dropped : other->earlier_dropped;
    history->dropped = before > dropped ? before : dropped;
    history->dropped_cost = larger_cost(&kept->dropped_cost, &other->dropped_cost);
    history->dropped_cost = larger_cost(&history->dropped_cost, &cost);
    give_history(profile, history);
}

bool sy_profile_counts_equal(const sy_profile *a, const sy_profile *b)
{
    if (a->earlier_count != b->earlier_count || a->earlier_dropped != b->earlier_dropped ||
        !sy_profile_cost_equal(&a->dropped_cost, &b->dropped_cost) || !sy_profile_cost_equal(&a->cost, &b->cost) ||
        !sy_profile_use_equal(&a->use, &b->use)) {
        return false;
    }
    for (size_t i = 0; i < a->earlier_count; i++) {
        if (!sy_earlier_equal(&a->earlier[i], &b->earlier[i])) {
            return false;
        }
    }
    return true;
}
