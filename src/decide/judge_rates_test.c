/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of verdicts on unchanged keys, simulated with a seed, within a point of those of docs/statistics.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict_play.h"

enum { ROUNDS = 20000 };

static void the_ladder_has_its_rates(void **state)
{
    static const double text[] = {.1667, .0476, .0179, .0079, .0040};
    verdict_play play = {.n = 5, .rounds = ROUNDS, .seed = 41};

    (void)state;
    for (play.m = 1; play.m <= 5; play.m++) {
        play.alpha = sy_ladder_chance(play.n, play.m);
        double rate = verdict_play_blocks(&play);
        assert_true(fabs(rate - text[play.m - 1]) < .01);
        assert_true(fabs(rate - text[play.m - 1]) < 5 * sqrt(text[play.m - 1] / ROUNDS));
    }
}

/* Three sessions in one lease, whose own part is .6 to .8 of the variance: 1.8 % become 6 to 11 %. */
static void back_to_back_more_block_and_the_control_arm_takes_them_back(void **state)
{
    static const double shares[] = {.6, .7, .8};
    verdict_play play = {.n = 5, .m = 3, .alpha = .02, .rounds = ROUNDS, .seed = 43};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        play.lease = shares[i];
        play.controls = false;
        double alone = verdict_play_blocks(&play);
        assert_true(alone > .05 && alone < .12);
        play.controls = true;
        assert_true(verdict_play_blocks(&play) < .0179);
    }
}

static void leases_of_their_own_keep_the_promise_with_a_control_arm(void **state)
{
    verdict_play play = {.n = 5, .m = 3, .alpha = .02, .controls = true, .rounds = ROUNDS, .seed = 47};

    (void)state;
    double rate = verdict_play_blocks(&play);
    assert_true(rate > .004 && rate < .0179);
}

static void the_ranks_of_all_keep_the_promise(void **state)
{
    verdict_play play = {.n = 20, .m = 2, .alpha = .02, .rounds = ROUNDS, .seed = 53};

    (void)state;
    double rate = verdict_play_blocks(&play);
    assert_true(rate > 0 && rate < .02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_has_its_rates),
        cmocka_unit_test(back_to_back_more_block_and_the_control_arm_takes_them_back),
        cmocka_unit_test(leases_of_their_own_keep_the_promise_with_a_control_arm),
        cmocka_unit_test(the_ranks_of_all_keep_the_promise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
