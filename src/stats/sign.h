/* SPDX-License-Identifier: Apache-2.0 */
/* The capped sign test: a test martingale on wins and losses, its exact boundary for a cap fixed beforehand, and the
 * probability that it crosses. Pure functions; formulas and sources: docs/statistics.md. */
#ifndef STEELYARD_STATS_SIGN_H
#define STEELYARD_STATS_SIGN_H

#include <stdint.h>
#include <steelyard/base.h>

/* The largest cap that a table is made for. Time and memory grow with its square; above it: SY_INVALID_ARGUMENT. */
#define SY_SIGN_PAIRS_MAX 2000

/* The least error rate that a table is made for. */
#define SY_SIGN_ALPHA_MIN 1e-100

/* ln E(n, S): the likelihood ratio of S wins in n pairs, averaged over win probabilities uniform on (1/2, 1], against a
 * fair coin. 0 <= wins <= pairs; pairs 0 gives 0. Howard, Ramdas et al., arXiv:1810.08240 (mixture martingales). */
double sy_sign_log_evidence(uint32_t pairs, uint32_t wins);

/* ln M(n, S): .7 E(n, S) + .3 * 2^n [S = n], what the rule compares with its boundary. Arguments as above. */
double sy_sign_log_mixture(uint32_t pairs, uint32_t wins);

/* The least cap with which a run of wins can cross at level alpha: the least n with 2^-n <= alpha. alpha in (0, 1). */
uint32_t sy_sign_least_cap(double alpha);

/* The rule for one cap and one level. */
typedef struct sy_sign_table {
    uint32_t pairs_max;  /* N */
    double alpha;        /* the error rate promised */
    double log_boundary; /* ln h(N, alpha): a value of ln M on the grid */
    uint32_t *needed;    /* N + 1 entries: needed[n] = the least wins that cross at n; n + 1 where none do */
} sy_sign_table;

#define SY_SIGN_TABLE_INIT \
    {                      \
        0, 0, 0, NULL      \
    }

/* Computes h(N, alpha), the least value h of M on the grid n <= N with P(M > h for some n <= N) <= alpha under fair
 * coins, by recursion over (n, S) and bisection over the sorted values; "M > h" is computed as M > h (1 + 1e-9).
 * pairs_max in 1..SY_SIGN_PAIRS_MAX, alpha in [SY_SIGN_ALPHA_MIN, .5]: else SY_INVALID_ARGUMENT. SY_NO_MEMORY.
 * The caller ends it with sy_sign_table_finish. Costs about .2 ms for N = 60. */
sy_status sy_sign_table_init(sy_sign_table *table, uint32_t pairs_max, double alpha, sy_error *err) SY_NODISCARD;

/* Frees what init allocated; an SY_SIGN_TABLE_INIT one is allowed. */
void sy_sign_table_finish(sy_sign_table *table);

/* P(the wins reach win->needed[n] at some n <= N), pairs won independently with win_probability. Where stop is not
 * NULL, sampling ends as soon as the losses reach stop->needed[n] (a no-gain). Both tables have the same cap. Exact but
 * for rounding: masses below 1e-290 are dropped. */
double sy_sign_crossing_probability(const sy_sign_table *win, const sy_sign_table *stop, double win_probability);

#endif
