/* SPDX-License-Identifier: Apache-2.0 */
/* The critical values of the rank scan, simulated: for each count the least value that at most 1 % and .1 % of random
 * orders reach, beside what src/stats/rank_scan.c holds and the share of orders that reaches that.
 * rank_scan_table [ORDERS [SEED]]: default 1000000 orders a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "stats/order.h"
#include "stats/rank_scan.h"

static const size_t counts[] = {10, 11, 12, 13, 14,  15,  16,  18,  20,  22,  25,  30,  35,  40,  45,
                                50, 60, 70, 80, 100, 120, 150, 200, 250, 300, 400, 500, 750, 1000};

/* The least observed value that at most share of all reach. */
static double least_reached(const double *sorted, size_t count, double share)
{
    size_t above = (size_t)(share * (double)count);
    size_t at = count - above;

    while (at < count && at > 0 && sorted[at] == sorted[at - 1])
        at++;
    return at < count ? sorted[at] : nextafter(sorted[count - 1], INFINITY);
}

static double share_reaching(const double *sorted, size_t count, double critical)
{
    size_t at = count;

    while (at > 0 && sorted[at - 1] >= critical)
        at--;
    return (double)(count - at) / (double)count;
}

int main(int argc, char **argv)
{
    uint64_t orders = 1000000, seed = 1;
    uint32_t order[SY_RANK_SCAN_MAX];
    double ranks[SY_RANK_SCAN_MAX];
    sy_random random;

    if (argc > 3 || (argc > 1 && sy_parse_u64(argv[1], &orders, NULL) != SY_OK) ||
        (argc > 2 && sy_parse_u64(argv[2], &seed, NULL) != SY_OK) || orders < 1000 || orders > 100000000) {
        fputs("usage: rank_scan_table [ORDERS [SEED]], 1000 to 100000000 orders\n", stderr);
        return 2;
    }
    double *statistics = malloc(orders * sizeof *statistics);
    if (statistics == NULL) {
        fputs("no memory for that many orders\n", stderr);
        return 4;
    }
    sy_random_start(&random, seed, "rank-scan-table");
    puts("count  1 %: simulated  table  share reaching it   .1 %: simulated  table  share reaching it");
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint64_t i = 0; i < orders; i++) {
            sy_random_permutation(&random, order, (uint32_t)counts[c]);
            for (size_t k = 0; k < counts[c]; k++)
                ranks[k] = order[k] + 1.0;
            statistics[i] = sy_rank_scan_split(ranks, counts[c]).statistic;
        }
        if (sy_order_sort(statistics, orders, NULL) != SY_OK)
            return 4;
        double one = sy_rank_scan_critical(counts[c], SY_RANK_SCAN_01);
        double tenth = sy_rank_scan_critical(counts[c], SY_RANK_SCAN_001);
        printf("%5zu  %15.4f  %.3f  %16.3f %%  %16.4f  %.3f  %16.4f %%\n", counts[c],
               least_reached(statistics, orders, .01), one, 100 * share_reaching(statistics, orders, one),
               least_reached(statistics, orders, .001), tenth, 100 * share_reaching(statistics, orders, tenth));
    }
    free(statistics);
    return 0;
}
