/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording shows of itself: first runs that stand out, runs that get faster, the timer's step, who leads. */
#include <steelyard/replay.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/quantile.h"
#include "stats/steady.h"
#include "stats/steps.h"

enum { LEAST_TIMES = 5 };

static const double level = .95;        /* of the medians' intervals */
static const double chance = .001;      /* of so many falling configurations */
static const double worth_a_word = .01; /* a fall below it is none */

/* What is known of one configuration once it has been looked at. */
typedef struct looked {
    size_t index;
    double median;
    double mean;
    double low; /* of the median's interval */
    double high;
} looked;

typedef struct looking {
    const sy_timing *list;
    size_t count;
    double *sorted; /* one configuration's times */
    double *halves;
    double *falls; /* by configuration */
    looked *seen;
    size_t seen_count;
    sy_recording_traits traits;
} looking;

static bool is_usable(const sy_timing *timing)
{
    if (timing->count < LEAST_TIMES)
        return false;
    for (size_t i = 0; i < timing->count; i++) {
        if (!(isfinite(timing->times[i]) && timing->times[i] > 0))
            return false;
    }
    return true;
}

static void look_at_first(looking *l, const sy_timing *timing, double median)
{
    sy_recording_traits *traits = &l->traits;
    double ratio = timing->times[0] / median;

    if (!sy_steady_first_stands_out(timing->times, l->sorted, timing->count))
        return;
    traits->first_stands_out++;
    if (!(traits->first_ratio <= ratio))
        traits->first_ratio = ratio;
}

/* The medians of the earlier and the later half of what follows the first run; its middle one is left out if odd. */
static sy_status look_at_halves(looking *l, const sy_timing *timing, sy_error *err)
{
    size_t half = (timing->count - 1) / 2;
    double medians[2];

    for (int later = 0; later < 2; later++) {
        const double *from = later ? timing->times + timing->count - half : timing->times + 1;
        sy_status status;

        memcpy(l->halves, from, half * sizeof *l->halves);
        status = sy_order_sort(l->halves, half, err);
        if (status != SY_OK)
            return status;
        medians[later] = sy_order_median(l->halves, half);
    }
    l->falls[l->seen_count] = 1 - medians[1] / medians[0];
    l->traits.falling += medians[1] < medians[0];
    return SY_OK;
}

static sy_status look_at(looking *l, size_t index, sy_error *err)
{
    const sy_timing *timing = &l->list[index];
    looked *seen = &l->seen[l->seen_count];
    sy_quantile_ranks ranks = {0, 0, 0};
    double sum = 0;
    sy_status status;

    memcpy(l->sorted, timing->times, timing->count * sizeof *l->sorted);
    status = sy_order_sort(l->sorted, timing->count, err);
    if (status == SY_OK)
        status = sy_quantile_find_ranks(timing->count, .5, level, &ranks, err);
    if (status == SY_OK)
        status = look_at_halves(l, timing, err);
    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < timing->count; i++)
        sum += timing->times[i];
    *seen = (looked){.index = index,
                     .median = sy_order_median(l->sorted, timing->count),
                     .mean = sum / (double)timing->count,
                     .low = ranks.low > 0 ? l->sorted[ranks.low - 1] : 0,
                     .high = ranks.high > 0 ? l->sorted[ranks.high - 1] : INFINITY};
    l->traits.times += timing->count;
    l->seen_count++;
    look_at_first(l, timing, seen->median);
    return SY_OK;
}

static void find_leaders(looking *l)
{
    const looked *leader = NULL;
    const looked *by_mean = NULL;

    for (size_t i = 0; i < l->seen_count; i++) {
        leader = leader == NULL || l->seen[i].median < leader->median ? &l->seen[i] : leader;
        by_mean = by_mean == NULL || l->seen[i].mean < by_mean->mean ? &l->seen[i] : by_mean;
    }
    l->traits.leader = leader != NULL ? leader->index : SIZE_MAX;
    l->traits.mean_leader = by_mean != NULL ? by_mean->index : SIZE_MAX;
    for (size_t i = 0; leader != NULL && i < l->seen_count; i++)
        l->traits.tied += l->seen[i].low <= leader->high;
}

static sy_status judge_falls(looking *l, sy_error *err)
{
    sy_recording_traits *traits = &l->traits;
    size_t not_falling = l->seen_count - traits->falling;
    sy_status status = sy_order_sort(l->falls, l->seen_count, err);

    if (status != SY_OK || l->seen_count == 0)
        return status;
    traits->fall = sy_order_median(l->falls, l->seen_count);
    traits->warming_up = traits->fall >= worth_a_word &&
                         sy_binomial_lower_tail(l->seen_count, .5, not_falling) <= chance;
    return SY_OK;
}

static sy_status find_step(looking *l, double unit_ns, sy_error *err)
{
    double *all = sy_allocate(l->traits.times, sizeof *all);
    size_t count = 0;
    size_t distinct = 0;
    sy_status status = SY_OK;

    if (all == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %llu times", (unsigned long long)l->traits.times);
    for (size_t i = 0; i < l->seen_count; i++) {
        const sy_timing *timing = &l->list[l->seen[i].index];

        for (size_t k = 0; k < timing->count; k++)
            all[count++] = timing->times[k] * unit_ns;
    }
    if (count > 0)
        status = sy_order_sort(all, count, err);
    if (status == SY_OK && count > 0)
        l->traits.step_ns = sy_steps_find(all, count, &distinct);
    l->traits.distinct = distinct;
    sy_free(all);
    return status;
}

static sy_status make_room(looking *l, sy_error *err)
{
    size_t most = 1;

    for (size_t i = 0; i < l->count; i++)
        most = l->list[i].count > most ? l->list[i].count : most;
    l->sorted = sy_allocate(most, sizeof *l->sorted);
    l->halves = sy_allocate(most, sizeof *l->halves);
    l->falls = sy_allocate(l->count, sizeof *l->falls);
    l->seen = sy_allocate(l->count, sizeof *l->seen);
    return l->sorted != NULL && l->halves != NULL && l->falls != NULL && l->seen != NULL
               ? SY_OK
               : sy_fail(err, SY_NO_MEMORY, "no memory to look at %zu configurations", l->count);
}

sy_status sy_replay_look(const sy_timing *list, size_t count, double unit_ns, sy_recording_traits *ret_traits,
                         sy_error *err)
{
    looking l = {.list = list, .count = count, .traits = {.first_ratio = NAN, .fall = NAN}};
    sy_status status = make_room(&l, err);

    for (size_t i = 0; status == SY_OK && i < count; i++) {
        if (is_usable(&list[i]))
            status = look_at(&l, i, err);
    }
    l.traits.looked_at = l.seen_count;
    if (status == SY_OK)
        status = judge_falls(&l, err);
    if (status == SY_OK && isfinite(unit_ns))
        status = find_step(&l, unit_ns, err);
    if (status == SY_OK) {
        find_leaders(&l);
        *ret_traits = l.traits;
    }
    sy_free(l.sorted);
    sy_free(l.halves);
    sy_free(l.falls);
    sy_free(l.seen);
    return status;
}
