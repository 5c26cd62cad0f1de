/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the rule, block medians and ABBA medians on the same slots. */
#include "rule_play.h"

#include <math.h>

#include "stats/order.h"
#include "stats/ranks.h"

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
    sy_rule_evidence evidence = {
        .end = SY_RULE_END_RULE, .resolvable_gain = NAN, .has_carry_over = play->carry_over != NULL};
    sy_rule *rule = NULL;
    sy_status status = sy_rule_create(&options, &rule, err);

    if (status != SY_OK)
        return status;
    if (play->carry_over != NULL)
        evidence.carry_over = *play->carry_over;
    ret_before->answer = SY_RULE_CONTINUE;
    for (const double *slot = play->slots; status == SY_OK && ret_before->answer == SY_RULE_CONTINUE; slot += 2) {
        bool reference_first = coins == NULL || sy_random_coin(coins);
        const sy_rule_pair pair = {slot[reference_first ? 0 : 1], (1 - play->gain) * slot[reference_first ? 1 : 0],
                                   reference_first, SY_USABLE};
        const size_t at = (size_t)(slot - play->slots);

        if (play->preempted != NULL && (play->preempted[at] || play->preempted[at + 1]))
            sy_rule_mark_preempted(rule);
        status = sy_rule_step(rule, &pair, ret_before, err);
    }
    if (status == SY_OK)
        status = sy_rule_finish(rule, &evidence, ret_after, err);
    sy_rule_destroy(rule);
    return status;
}

sy_status rule_play_control(const double *slots, double gain, sy_random *order, sy_carry_over *ret_control,
                            sy_error *err)
{
    enum { A_AFTER_A, A_AFTER_B, B_AFTER_B, B_AFTER_A, KINDS, EACH = RULE_PLAY_CONTROL / KINDS };

    double times[KINDS][EACH];
    double middles[KINDS];
    uint32_t drawn[RULE_PLAY_CONTROL];
    double p_slower = 1;
    double p_faster = 1;
    sy_status status;

    sy_random_permutation(order, drawn, RULE_PLAY_CONTROL);
    for (uint32_t i = 0; i < RULE_PLAY_CONTROL; i++) {
        uint32_t kind = drawn[i] / EACH;

        times[kind][drawn[i] % EACH] = slots[i] * (kind >= B_AFTER_B ? 1 - gain : 1);
    }
    status = sy_ranks_greater(times[A_AFTER_B], EACH, times[A_AFTER_A], EACH, &p_slower, err);
    if (status == SY_OK)
        status = sy_ranks_greater(times[B_AFTER_B], EACH, times[B_AFTER_A], EACH, &p_faster, err);
    for (int kind = 0; status == SY_OK && kind < KINDS; kind++) {
        status = sy_order_sort(times[kind], EACH, err);
        middles[kind] = log(sy_order_median(times[kind], EACH));
    }
    if (status == SY_OK)
        *ret_control = (sy_carry_over){middles[A_AFTER_B] - middles[A_AFTER_A], middles[B_AFTER_A] - middles[B_AFTER_B],
                                       fmin(p_slower, p_faster)};
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
