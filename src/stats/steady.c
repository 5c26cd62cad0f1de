/* SPDX-License-Identifier: Apache-2.0 */
/* The scan for a slow beginning. */
#include "stats/steady.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/rank_scan.h"
#include "stats/ranks.h"
#include "stats/trend.h"

enum { SCAN_MARGIN = SY_RANK_SCAN_SIDE, SCANNED_MOST = SY_RANK_SCAN_MAX };

static const double least_effect = 1.01;
static const double short_prefix_level = 0.0025;
static const double first_run_factor = 2;

bool sy_steady_first_stands_out(const double *values, const double *sorted, size_t count)
{
    return values[0] >= first_run_factor * sy_order_median(sorted, count) && values[0] > sorted[count - 2];
}

/* What a search works on: the part of the series that is asked now, with room for its ranks and for sorting. */
typedef struct search {
    const double *values;
    size_t count;
    double *ranks;
    double *sorted;
} search;

static double median_of(search *s, const double *values, size_t count)
{
    memcpy(s->sorted, values, count * sizeof *values);
    if (sy_order_sort(s->sorted, count, NULL) != SY_OK)
        return NAN; /* they were checked */
    return sy_order_median(s->sorted, count);
}

static bool is_slower(search *s, size_t prefix)
{
    double before = median_of(s, s->values, prefix);

    return before >= least_effect * median_of(s, s->values + prefix, s->count - prefix);
}

/* Sum of the distances of logarithms to their median. */
static double misfit(search *s, const double *values, size_t count)
{
    double median = log(median_of(s, values, count));
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(log(values[i]) - median);
    return sum;
}

/* That something changes a rank statistic says; where, two levels fitted by least distances: the largest statistic
 * leans towards the middle. */
static size_t locate(search *s)
{
    double least = INFINITY;
    size_t found = 1;

    for (size_t k = 1; 2 * k <= s->count; k++) {
        double sum = misfit(s, s->values, k) + misfit(s, s->values + k, s->count - k);

        if (sum < least) {
            least = sum;
            found = k;
        }
    }
    return found;
}

/* The prefix of 5 or more runs, at most half, at which the rank statistic is largest, if that crosses; else 0. */
static size_t scan(const search *s)
{
    double n = (double)s->count;
    double sum = 0;
    double largest = 0;
    size_t found = 0;

    for (size_t k = 1; k <= s->count / 2 && k + SCAN_MARGIN <= s->count; k++) {
        double at = (double)k;
        double statistic;

        sum += s->ranks[k - 1];
        if (k < SCAN_MARGIN)
            continue;
        statistic = (sum - at * (n + 1) / 2) / sqrt(at * (n - at) * (n + 1) / 12);
        if (statistic > largest) {
            largest = statistic;
            found = k;
        }
    }
    if (found == 0)
        return 0;
    return largest >= sy_rank_scan_critical(s->count, SY_RANK_SCAN_01) *
                          sy_trend_inflation(sy_trend_lag1(s->ranks, s->count, found))
               ? found
               : 0;
}

/* The prefix of 2 to 4 runs that is least believable as chance, if it is below its level; else 0. */
static sy_status try_short(const search *s, size_t *ret_prefix, sy_error *err)
{
    double least = short_prefix_level;

    *ret_prefix = 0;
    for (size_t k = 2; k < SCAN_MARGIN && 2 * k <= s->count; k++) {
        double p = 1;
        sy_status status = sy_ranks_greater(s->values, k, s->values + k, s->count - k, &p, err);

        if (status != SY_OK)
            return status;
        if (p <= least) {
            least = p;
            *ret_prefix = k;
        }
    }
    return SY_OK;
}

/* One search; 0 = nothing crosses. */
static sy_status search_once(search *s, size_t *ret_prefix, sy_error *err)
{
    size_t prefix;
    sy_status status = sy_trend_ranks(s->values, s->count, s->ranks, err);

    if (status != SY_OK)
        return status;
    prefix = scan(s);
    if (prefix == 0)
        status = try_short(s, &prefix, err);
    if (status == SY_OK && prefix > 0)
        prefix = locate(s);
    if (status == SY_OK && prefix > 0 && !is_slower(s, prefix))
        prefix = 0;
    if (status == SY_OK && prefix == 0) {
        memcpy(s->sorted, s->values, s->count * sizeof *s->sorted);
        status = sy_order_sort(s->sorted, s->count, err);
        if (status == SY_OK && sy_steady_first_stands_out(s->values, s->sorted, s->count))
            prefix = 1;
    }
    *ret_prefix = prefix;
    return status;
}

sy_status sy_steady_find(const double *values, size_t count, size_t *ret_from, sy_error *err)
{
    size_t looked_at = count < SCANNED_MOST ? count : SCANNED_MOST;
    size_t from = 0;
    search s = {0};
    sy_status status = sy_order_check(values, count, err);

    if (status == SY_OK && count < SY_STEADY_LEAST) {
        *ret_from = 0;
        return SY_OK;
    }
    if (status != SY_OK)
        return status;
    s.ranks = sy_allocate(looked_at, sizeof *s.ranks);
    s.sorted = sy_allocate(looked_at, sizeof *s.sorted);
    if (s.ranks == NULL || s.sorted == NULL)
        status = sy_fail(err, SY_NO_MEMORY, "no memory to look for the warm-up of %zu samples", count);
    while (status == SY_OK && looked_at - from >= SY_STEADY_LEAST) {
        size_t prefix;

        s.values = values + from;
        s.count = looked_at - from;
        status = search_once(&s, &prefix, err);
        if (status != SY_OK || prefix == 0 || from + prefix > count / 2)
            break;
        from += prefix;
    }
    sy_free(s.ranks);
    sy_free(s.sorted);
    if (status == SY_OK)
        *ret_from = from;
    return status;
}
