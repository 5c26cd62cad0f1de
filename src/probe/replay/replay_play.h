/* SPDX-License-Identifier: Apache-2.0 */
/* One configuration played through one rule: its recorded runs are the slots of a probe, in which the candidate takes a
 * known share of them. */
#ifndef STEELYARD_PROBE_REPLAY_PLAY_H
#define STEELYARD_PROBE_REPLAY_PLAY_H

#include "base/random.h"
#include "probe/rule/rule.h"

/* Feeds pairs (2i, 2i+1) of 2 * pairs times to a rule that was just made or restarted, until it answers, then ends it
 * with its guards. The candidate takes (1 - gain) of what its run took. coins NULL: the orders alternate, the reference
 * is first in pair 0. *ret_before: the rule's last state before the end; *ret_after: behind the guards. SY_NO_MEMORY.
 */
sy_status sy_replay_pairs(sy_rule *rule, const double *times, uint32_t pairs, double gain, sy_random *coins,
                          sy_rule_state *ret_before, sy_rule_state *ret_after, sy_error *err) SY_NODISCARD;

#endif
