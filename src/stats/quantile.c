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

/* The terms from `from` on, away from the mean: upwards (step 1) or downwards (-1). They fall from the first on, so
 * that the sum of a far tail keeps its digits and ends early. */
static double sum_away(size_t trials, double p, size_t from, int step)
{
    double mass = exp(log_mass(trials, p, from));
    double sum = 0;
    size_t last = step > 0 ? trials : 0;

    for (size_t k = from;; k += (size_t)step) {
        sum += mass;
        if (k == last || mass <= sum * 1e-18)
            return sum;
        mass *= step > 0 ? (double)(trials - k) / (double)(k + 1) * p / (1 - p)
                         : (double)k / (double)(trials - k + 1) * (1 - p) / p;
    }
}

double sy_binomial_lower_tail(size_t trials, double p, size_t successes)
{
    if (successes >= trials)
        return 1;
    if ((double)successes > (double)trials * p)
        return fmax(0, 1 - sum_away(trials, p, successes + 1, 1));
    return fmin(1, sum_away(trials, p, successes, -1));
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
