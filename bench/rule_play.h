/* SPDX-License-Identifier: Apache-2.0 */
/* A probe played on given slots of time: what the rule says, and what medians in a fixed order say of the same slots.
 */
#ifndef STEELYARD_BENCH_RULE_PLAY_H
#define STEELYARD_BENCH_RULE_PLAY_H

#include "base/random.h"
#include "probe/rule/rule.h"

enum { RULE_PLAY_PAIRS_MAX = 100 };

typedef struct rule_play {
    uint32_t pairs; /* the cap; slots holds twice as many */
    double improvement;
    double alpha;
    double beta;
    const double *slots;             /* what each run would take if the reference ran it */
    double gain;                     /* the candidate takes (1 - gain) of that */
    const sy_carry_over *carry_over; /* for the guard; NULL = not controlled */
    const bool *preempted;           /* slots in which the run is switched away; NULL = none */
} rule_play;

/* The carry-over control where nothing is carried over: 8 runs of each of the four successions, in drawn order.
 * slots: RULE_PLAY_CONTROL runs as above. */
enum { RULE_PLAY_CONTROL = 32 };
sy_status rule_play_control(const double *slots, double gain, sy_random *order, sy_carry_over *ret_control,
                            sy_error *err) SY_NODISCARD;

/* Feeds pairs until the rule answers, then ends it with its guards. coins NULL: the reference is always first.
 * *ret_before: the rule's answer; *ret_after: after the guards. */
sy_status rule_play_pairs(const rule_play *play, sy_random *coins, sy_rule_state *ret_before, sy_rule_state *ret_after,
                          sy_error *err) SY_NODISCARD;

/* Whether the candidate's median is at most (1 - X) of the reference's: first half of the slots against the second, or
 * in the order reference, candidate, candidate, reference. */
bool rule_play_blocks(const rule_play *play);
bool rule_play_abba(const rule_play *play);

#endif
