/* SPDX-License-Identifier: Apache-2.0 */
/* A history of positive values: its logarithms are scanned, and each step is told as a ratio. */
#include <steelyard/judge.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/order.h"
#include "stats/rank_scan.h"

#define INTERVAL_ALPHA 0.05

typedef struct owner {
    sy_history history;
    sy_history_change changes[];
} owner;

static bool has_logarithm(double value)
{
    return isfinite(value) && value > 0;
}

static sy_status check(const double *values, size_t count, const sy_history_options *options, sy_error *err)
{
    if (options->alpha != 0.01 && options->alpha != 0.001) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "there are no critical values for an alpha of %g", options->alpha);
        sy_error_hint(err, "0.01 or 0.001");
        return SY_INVALID_ARGUMENT;
    }
    if (!(options->min_effect >= 0 && isfinite(options->min_effect)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "the smallest effect %g is no ratio of 0 or more",
                       options->min_effect);
    for (size_t i = 0; i < count; i++) {
        if (!has_logarithm(values[i]))
            return sy_fail(err, SY_INVALID_ARGUMENT, "value %zu is not a positive number", i);
    }
    return SY_OK;
}

static sy_status median_of(const double *values, size_t count, double *ret_median, sy_error *err)
{
    double *sorted = sy_allocate(count, sizeof *sorted);

    if (sorted == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the median of %zu values", count);
    memcpy(sorted, values, count * sizeof *sorted);
    sy_status status = sy_order_sort(sorted, count, err);
    if (status == SY_OK)
        *ret_median = sy_order_median(sorted, count);
    sy_free(sorted);
    return status;
}

static sy_status tell(const double *values, const sy_change *change, bool higher_is_better, sy_history_change *ret_told,
                      sy_error *err)
{
    sy_history_change told = {.index = change->at,
                              .from = change->from,
                              .to = change->to,
                              .effect = expm1(change->shift),
                              .effect_low = expm1(change->low),
                              .effect_high = expm1(change->high),
                              .effect_level = change->level,
                              .statistic = change->statistic,
                              .critical = change->critical,
                              .worse = higher_is_better ? change->shift < 0 : change->shift > 0};
    sy_status status = median_of(values + told.from, told.index - told.from, &told.before, err);

    if (status == SY_OK)
        status = median_of(values + told.index, told.to - told.index, &told.after, err);
    if (status == SY_OK)
        *ret_told = told;
    return status;
}

sy_status sy_history_find(const double *values, size_t count, const sy_history_options *options,
                          sy_history **ret_history, sy_error *err)
{
    sy_change_list list = {NULL, 0, 0};
    owner *made = NULL;
    double *logarithms = NULL;
    sy_status status = check(values, count, options, err);

    if (status != SY_OK)
        return status;
    sy_rank_scan_options scan = {options->alpha == 0.01 ? SY_RANK_SCAN_01 : SY_RANK_SCAN_001,
                                 log1p(options->min_effect), INTERVAL_ALPHA, options->known, options->known_count};
    logarithms = sy_allocate(count, sizeof *logarithms);
    if (logarithms == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a history of %zu values", count);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        logarithms[i] = log(values[i]);
    status = sy_rank_scan(logarithms, count, &scan, &list, err);
    if (status != SY_OK)
        goto out;
    made = sy_allocate(1, sizeof *made + list.count * sizeof made->changes[0]);
    if (made == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for %zu changes", list.count);
        goto out;
    }
    for (size_t i = 0; status == SY_OK && i < list.count; i++)
        status = tell(values, &list.changes[i], options->higher_is_better, &made->changes[i], err);
    if (status != SY_OK)
        goto out;
    made->history = (sy_history){.changes = made->changes,
                                 .change_count = list.count,
                                 .value_count = count,
                                 .lag1 = list.lag1,
                                 .alpha = options->alpha,
                                 .min_effect = options->min_effect,
                                 .higher_is_better = options->higher_is_better,
                                 .owner = made};
    *ret_history = &made->history;
    made = NULL;
out:
    sy_free(made);
    sy_free(logarithms);
    sy_change_list_finish(&list);
    return status;
}

void sy_history_destroy(sy_history *history)
{
    if (history != NULL)
        sy_free(history->owner);
}

int sy_history_side(double before, double after, double value)
{
    if (!has_logarithm(before) || !has_logarithm(after) || !has_logarithm(value) || before == after)
        return 0;
    double place = (log(value) - log(before)) / (log(after) - log(before));

    return place < 1. / 3 ? -1 : place > 2. / 3 ? 1 : 0;
}
