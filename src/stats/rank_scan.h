/* SPDX-License-Identifier: Apache-2.0 */
/* Where a history changes its level: a scan of rank sums over every split, with simulated critical values that hold for
 * all splits together. Formulas, the table and what it promises: docs/statistics.md, "History". */
#ifndef STEELYARD_STATS_RANK_SCAN_H
#define STEELYARD_STATS_RANK_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <steelyard/base.h>

/* The fewest values that are scanned, and the fewest on either side of a change. */
#define SY_RANK_SCAN_MIN 10
#define SY_RANK_SCAN_SIDE 5
/* The longest stretch that is scanned at once: the last row of the table. */
#define SY_RANK_SCAN_MAX 1000

/* Levels that critical values are known for: the share of unchanged histories in which some change is seen. */
typedef enum sy_rank_scan_level { SY_RANK_SCAN_01, SY_RANK_SCAN_001 } sy_rank_scan_level; /* 1 %, .1 % */

/* The critical value for count values (10..1000): the row of the next larger count in the table. */
double sy_rank_scan_critical(size_t count, sy_rank_scan_level level);

typedef struct sy_rank_split {
    size_t at;        /* index of the first value after the split; 0 = there is none: too few, or all are equal */
    double statistic; /* Z at it, the largest of all splits */
} sy_rank_split;

/* The split with the largest Z_k = |sum of the first k mid-ranks - k (n + 1) / 2| / sqrt(k (n - k) (n + 1) / 12), k = 5
 * to n - 5; of equal ones the first. ranks: mid-ranks of sy_trend_ranks. The variance has no correction for ties: the
 * critical values are those of the statistic without one. */
sy_rank_split sy_rank_scan_split(const double *ranks, size_t count);

typedef struct sy_change {
    size_t at;    /* index of the first value after it */
    double shift; /* Hodges-Lehmann, of the stretch after it over the one before, in the values' unit */
    double low;   /* its interval, of this level */
    double high;
    double level;
    double statistic; /* Z of the split that found it; of a known one Z at its place, between its neighbours */
    double critical;  /* what it had to reach: the table's value, widened for r1; of a known one 2.576 */
    size_t from;      /* the stretch that was split: from..to - 1 */
    size_t to;
    bool was_known; /* it is one of the options' known places, or moved from there */
} sy_change;

typedef struct sy_rank_scan_options {
    sy_rank_scan_level level;
    double least_shift;    /* a smaller one is no change; >= 0 */
    double interval_alpha; /* of the shifts' intervals; 0 = none are made, and NaN is told */
    const size_t *known;   /* places that were changes before, ascending: each is asked between its neighbours */
    size_t known_count;
} sy_rank_scan_options;

typedef struct sy_change_list {
    sy_change *changes; /* by place */
    size_t count;
    double lag1; /* of the ranks about the levels of the final stretches: above .2 critical values are widened */
} sy_change_list;

/* Splits values, and what is left and right of each change again, until no stretch has one. More than SY_RANK_SCAN_MAX
 * values are scanned in windows of that many that overlap by half; a change is kept where the window that has it
 * nearest to its middle sees it. The caller ends *ret_list with sy_change_list_finish. SY_INVALID_ARGUMENT ("sample 3
 * is not finite"), SY_NO_MEMORY. */
sy_status sy_rank_scan(const double *values, size_t count, const sy_rank_scan_options *options,
                       sy_change_list *ret_list, sy_error *err) SY_NODISCARD;
void sy_change_list_finish(sy_change_list *list);

#endif
