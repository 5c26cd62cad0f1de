/* SPDX-License-Identifier: Apache-2.0 */
/* The exact interval of a share, by halving: the tail of the binomial distribution falls with the share. */
#include "stats/proportion.h"

#include "stats/quantile.h"

enum { HALVINGS = 60 };

/* The share at which at most `successes` of `trials` are seen with that chance. */
static double share_of(uint64_t trials, uint64_t successes, double chance)
{
    double low = 0;
    double high = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;

        if (sy_binomial_lower_tail((size_t)trials, middle, (size_t)successes) > chance)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

void sy_proportion_interval(uint64_t trials, uint64_t successes, double level, double *ret_low, double *ret_high)
{
    double tail = (1 - level) / 2;

    *ret_low = successes == 0 ? 0 : share_of(trials, successes - 1, 1 - tail);
    *ret_high = successes == trials ? 1 : share_of(trials, successes, tail);
}
