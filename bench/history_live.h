/* SPDX-License-Identifier: Apache-2.0 */
/* A history that is looked at after each of its values, as a ledger's is after each session. */
#ifndef STEELYARD_BENCH_HISTORY_LIVE_H
#define STEELYARD_BENCH_HISTORY_LIVE_H

#include <stddef.h>

/* The longest history. */
enum { HISTORY_LIVE_MAX = 128 };

typedef struct history_live {
    size_t looks;
    size_t alarmed;   /* 1 = some change was reported */
    size_t reported;  /* changes; one that moved counts once */
    size_t refuted;   /* of them, not found any more at the end, or reported anew elsewhere */
    size_t moved;     /* of those left, by more than two values */
    size_t confirmed; /* of those left */
    double seconds;   /* of all looks */
} history_live;

/* Looks at the first 10, 11, ... count values (at most HISTORY_LIVE_MAX, positive), with steps of 2 % and more, and
 * keeps book of what was reported by the rules of a ledger's history. alpha: .01 or .001. */
history_live history_live_play(const double *values, size_t count, double alpha);
/* Adds one to a sum. */
void history_live_add(history_live *sum, const history_live *one);

#endif
