/* SPDX-License-Identifier: Apache-2.0 */
/* The binomial distribution, summed from its mass at 0 in logarithms, and the ranks that follow from it. */
#include "stats/quantile.h"

#include <math.h>

#include "base/error.h"

#define COUNT_MAX 1000000

static double log_mass(size_t trials, double p, size_t successes)
{
    double n = (double)trials;
    double k = (double)successes;

    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

double sy_binomial_lower_tail(size_t trials, double p, size_t successes)
{
    double sum = 0;
    double mass;

    if (successes >= trials)
        return 1;
    /* From the largest term downwards, so that the sum of a far tail keeps its digits. */
    mass = exp(log_mass(trials, p, successes));
    for (size_t k = successes;; k--) {
        sum += mass;
        if (k == 0 || mass < sum * 1e-18)
            break;
        mass *= (double)k / (double)(trials - k + 1) * (1 - p) / p;
    }
    return fmin(1, sum);
}

/* The largest rank that is above the quantile with at most `tail`; 0 = none. */
static size_t low_rank(size_t count, double share, double tail)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (sy_binomial_lower_tail(count, share, middle - 1) <= tail)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

sy_status sy_quantile_find_ranks(size_t count, double share, double level, sy_quantile_ranks *ret_ranks, sy_error *err)
{
    double tail = (1 - level) / 2;
    sy_quantile_ranks ranks;
    size_t mirrored;

    if (count < 1 || count > COUNT_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a quantile of %zu samples: needs 1..%d", count, COUNT_MAX);
    if (!(share > 0 && share < 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "quantile %.6g: must be above 0 and below 1", share);
    if (!(level > 0 && level < 1))
        return sy_fail(err, SY_INVALID_ARGUMENT, "level %.6g: must be above 0 and below 1", level);
    ranks.low = low_rank(count, share, tail);
    mirrored = low_rank(count, 1 - share, tail); /* the same, counted from the largest sample */
    ranks.high = mirrored > 0 ? count - mirrored + 1 : 0;
    ranks.level = 1;
    if (ranks.low > 0)
        ranks.level -= sy_binomial_lower_tail(count, share, ranks.low - 1);
    if (mirrored > 0)
        ranks.level -= sy_binomial_lower_tail(count, 1 - share, mirrored - 1);
    *ret_ranks = ranks;
    return SY_OK;
}
