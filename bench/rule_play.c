/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the rule, block medians and ABBA medians on the same slots. */
#include "rule_play.h"

#include <math.h>

#include "stats/order.h"

sy_status rule_play_pairs(const rule_play *play, sy_random *coins, sy_rule_state *ret_before, sy_rule_state *ret_after,
                          sy_error *err)
{
    static const double weight = 1;
    const sy_rule_options options = {.question = SY_QUESTION_FASTER,
                                     .kind = SY_RULE_CAPPED,
                                     .max_pairs = play->pairs,
                                     .alpha = play->alpha,
                                     .beta = play->beta,
                                     .min_improvement = play->improvement,
                                     .case_count = 1,
                                     .weights = &weight};
    const sy_rule_evidence evidence = {.end = SY_RULE_END_RULE, .resolvable_gain = NAN};
    sy_rule *rule = NULL;
    sy_status status = sy_rule_create(&options, &rule, err);

    if (status != SY_OK)
        return status;
    ret_before->answer = SY_RULE_CONTINUE;
    for (const double *slot = play->slots; status == SY_OK && ret_before->answer == SY_RULE_CONTINUE; slot += 2) {
        bool reference_first = coins == NULL || sy_random_coin(coins);
        const sy_rule_pair pair = {slot[reference_first ? 0 : 1], (1 - play->gain) * slot[reference_first ? 1 : 0],
                                   reference_first, SY_USABLE};

        status = sy_rule_step(rule, &pair, ret_before, err);
    }
    if (status == SY_OK)
        status = sy_rule_finish(rule, &evidence, ret_after, err);
    sy_rule_destroy(rule);
    return status;
}

static bool second_block(uint32_t slot, uint32_t pairs)
{
    return slot >= pairs;
}

static bool inner_of_four(uint32_t slot, uint32_t pairs)
{
    (void)pairs;
    return slot % 4 == 1 || slot % 4 == 2;
}

static bool medians_win(const rule_play *play, bool (*is_candidate)(uint32_t slot, uint32_t pairs))
{
    double times[2][RULE_PLAY_PAIRS_MAX];
    size_t counts[2] = {0, 0};

    for (uint32_t i = 0; i < 2 * play->pairs; i++) {
        int who = is_candidate(i, play->pairs);

        times[who][counts[who]++] = play->slots[i] * (who ? 1 - play->gain : 1);
    }
    if (sy_order_sort(times[0], counts[0], NULL) != SY_OK || sy_order_sort(times[1], counts[1], NULL) != SY_OK)
        return false;
    return sy_order_median(times[1], counts[1]) <= sy_order_median(times[0], counts[0]) * (1 - play->improvement);
}

bool rule_play_blocks(const rule_play *play)
{
    return medians_win(play, second_block);
}

bool rule_play_abba(const rule_play *play)
{
    return medians_win(play, inner_of_four);
}
