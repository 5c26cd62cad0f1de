/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on recorded timings: what each says of times whose answer is plain, what is not played, and the promise. */
#include "fault_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/replay.h>

#include "base/random.h"

enum { PAIRS = 16, RUNS = 2 * PAIRS, MANY = 3000 };

static sy_replay_options with_seed(uint64_t seed)
{
    sy_replay_options options = SY_REPLAY_OPTIONS_INIT;

    options.seed = seed;
    return options;
}

static sy_replay_result replay(const sy_timing *list, size_t count, const sy_replay_options *options)
{
    sy_replay_result result;
    sy_error err = SY_ERROR_INIT;

    memset(&result, 0, sizeof result);
    if (sy_replay(list, count, options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    return result;
}

static void expect_shares(const sy_replay_result *result, sy_replay_rule rule, double none, double at, double plus_2,
                          double plus_5, double pairs)
{
    assert_true(sy_replay_share(result, rule, 0) == none);
    assert_true(sy_replay_share(result, rule, 1) == at);
    assert_true(sy_replay_share(result, rule, 2) == plus_2);
    assert_true(sy_replay_share(result, rule, 3) == plus_5);
    assert_true(sy_replay_mean_pairs(result, rule) == pairs);
}

/* All runs alike: the rule claims nothing at its threshold and all above it, in the fewest pairs that can (five wins of
 * five at alpha .05); who takes "at least X" literally claims the threshold too. */
static void equal_runs_are_told_from_planted_gains(void **state)
{
    sy_replay_options options = with_seed(1);
    double times[RUNS];
    const sy_timing list[] = {{"a", times, RUNS, ""}, {"b", times, RUNS, ""}};
    sy_replay_result result;

    (void)state;
    options.min_improvement = .03125; /* 62 of 64, without rounding */
    for (int i = 0; i < RUNS; i++)
        times[i] = 64;
    result = replay(list, 2, &options);
    assert_int_equal(result.configurations, 2);
    expect_shares(&result, SY_REPLAY_STEELYARD, 0, 0, 1, 1, 5);
    expect_shares(&result, SY_REPLAY_MEDIANS_ALTERNATED, 0, 1, 1, 1, PAIRS);
    expect_shares(&result, SY_REPLAY_MEDIANS_BLOCKS, 0, 1, 1, 1, PAIRS);
    expect_shares(&result, SY_REPLAY_MEAN_OF_N, 0, 1, 1, 1, PAIRS);
}

/* A machine that gets 10 % faster half-way: one block after the other "wins" without any gain. */
static void a_machine_that_changes_half_way_deceives_blocks_only(void **state)
{
    const sy_replay_options options = with_seed(2);
    double times[RUNS];
    const sy_timing list[] = {{"a", times, RUNS, ""}};
    sy_replay_result result;

    (void)state;
    for (int i = 0; i < RUNS; i++)
        times[i] = i < PAIRS ? 100 : 90;
    result = replay(list, 1, &options);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 0) == 0);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEDIANS_ALTERNATED, 0) == 0);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEDIANS_BLOCKS, 0) == 1);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEAN_OF_N, 0) == 1);
}

/* One run of a hundred times the others among the reference's: the mean is deceived, medians and pairs are not. */
static void one_wild_run_deceives_the_mean_only(void **state)
{
    const sy_replay_options options = with_seed(3);
    double times[RUNS];
    const sy_timing list[] = {{"a", times, RUNS, ""}};
    sy_replay_result result;

    (void)state;
    for (int i = 0; i < RUNS; i++)
        times[i] = i == 3 ? 10000 : 100;
    result = replay(list, 1, &options);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 0) == 0);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEDIANS_ALTERNATED, 0) == 0);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEDIANS_BLOCKS, 0) == 0);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEAN_OF_N, 0) == 1);
}

/* The literal rule at X = 0 asks for "less", so equal runs claim nothing there. */
static void at_no_improvement_equal_runs_claim_nothing(void **state)
{
    sy_replay_options options = with_seed(4);
    double times[RUNS];
    const sy_timing list[] = {{"a", times, RUNS, ""}};
    sy_replay_result result;

    (void)state;
    options.min_improvement = 0;
    for (int i = 0; i < RUNS; i++)
        times[i] = 64;
    result = replay(list, 1, &options);
    for (int rule = 0; rule < SY_REPLAY_RULES; rule++)
        expect_shares(&result, (sy_replay_rule)rule, 0, 0, 1, 1, rule == SY_REPLAY_STEELYARD ? 5 : PAIRS);
}

/* The promise on recorded runs: exactly at X at most alpha, whatever drift and spikes there are; one standard error of
 * 3000 is .4 points. A gain of X + 5 points is found in nearly all. */
static void the_rule_keeps_its_promise_on_drifting_spiky_runs(void **state)
{
    const sy_replay_options options = with_seed(5);
    double(*times)[RUNS] = malloc(MANY * sizeof *times);
    sy_timing *list = malloc(MANY * sizeof *list);
    sy_replay_result result;
    sy_random random;

    (void)state;
    assert_true(times != NULL && list != NULL);
    sy_random_start(&random, 5, "replay-test");
    for (int c = 0; c < MANY; c++) {
        double level = 0;

        for (int i = 0; i < RUNS; i++) {
            level = .95 * level + .003 * sy_random_normal(&random);
            times[c][i] = 100 * exp(.01 * sy_random_normal(&random) + level - .2 * (1 - exp(-i / 40.)));
            if (sy_random_unit(&random) < .05)
                times[c][i] *= 1 + .1 * pow(1 - sy_random_unit(&random), -1 / 1.5);
        }
        list[c] = (sy_timing){"c", times[c], RUNS, ""};
    }
    result = replay(list, MANY, &options);
    assert_int_equal(result.configurations, MANY);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 0) < .003);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 1) <= .05 + 3 * .004);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 1) > .02);
    assert_true(sy_replay_share(&result, SY_REPLAY_STEELYARD, 3) > .95);
    assert_true(sy_replay_mean_pairs(&result, SY_REPLAY_STEELYARD) < PAIRS);
    assert_true(sy_replay_share(&result, SY_REPLAY_MEDIANS_BLOCKS, 0) > .5);
    assert_true(result.right_wins > MANY / 2);
    assert_true(result.overturned_order + result.overturned_drift < result.right_wins / 100);
    free(times);
    free(list);
}

static void the_seed_decides_the_coins_and_nothing_else(void **state)
{
    sy_replay_options options = with_seed(0);
    double times[RUNS];
    const sy_timing list[] = {{"a", times, RUNS, ""}};
    bool differs = false;
    sy_replay_result first;

    (void)state;
    for (int i = 0; i < RUNS; i++)
        times[i] = 100 + 3 * (i * 7 % 5);
    first = replay(list, 1, &options);
    assert_true(first.seed > 0 && first.seed < UINT64_C(1) << 53);
    options.seed = first.seed;
    for (int again = 0; again < 20; again++) {
        sy_replay_result result = replay(list, 1, &options);

        assert_memory_equal(result.rules, first.rules, sizeof first.rules);
    }
    for (options.seed = 1; options.seed < 50; options.seed++) {
        sy_replay_result result = replay(list, 1, &options);

        differs = differs || result.rules[0].pairs_plus_2 != first.rules[0].pairs_plus_2;
        assert_memory_equal(&result.rules[1], &first.rules[1], 3 * sizeof first.rules[1]);
    }
    assert_true(differs);
}

static void what_cannot_be_played_is_counted_by_its_reason(void **state)
{
    const sy_replay_options options = with_seed(6);
    double times[RUNS + 1];
    double lost[RUNS + 1];
    double late[RUNS + 1];
    const sy_timing list[] = {{"whole", times, RUNS + 1, ""},
                              {"short", times, RUNS - 1, ""},
                              {"failed", NULL, 0, "RuntimeFailedConfig"},
                              {"lost", lost, RUNS, ""},
                              {"late", late, RUNS + 1, ""}};
    sy_replay_result result;
    sy_replay_result total;

    (void)state;
    memset(&total, 0, sizeof total);
    for (int i = 0; i <= RUNS; i++)
        times[i] = lost[i] = late[i] = 10;
    lost[RUNS - 1] = 0;
    late[RUNS] = NAN; /* behind what is played */
    result = replay(list, 5, &options);
    assert_int_equal(result.configurations, 2);
    assert_int_equal(result.too_short, 1);
    assert_int_equal(result.without_times, 1);
    assert_int_equal(result.unusable, 1);
    assert_int_equal(result.most_times, RUNS + 1);
    lost[RUNS - 1] = -3;
    result = replay(list + 3, 1, &options);
    assert_int_equal(result.unusable, 1);
    assert_true(isnan(sy_replay_share(&result, SY_REPLAY_STEELYARD, 0)));
    assert_true(isnan(sy_replay_mean_pairs(&result, SY_REPLAY_STEELYARD)));
    sy_replay_add(&total, &result);
    result = replay(list, 5, &options);
    sy_replay_add(&total, &result);
    sy_replay_add(&total, &result);
    assert_int_equal(total.configurations, 4);
    assert_int_equal(total.unusable, 3);
    assert_int_equal(total.too_short, 2);
    assert_int_equal(total.rules[SY_REPLAY_MEAN_OF_N].pairs_plus_2, 4 * PAIRS);
    assert_int_equal(total.rules[SY_REPLAY_STEELYARD].faster[3], 4);
    assert_int_equal(total.most_times, RUNS + 1);
}

static void expect_refused(const sy_replay_options *options, const char *what)
{
    sy_replay_result result;
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(sy_replay(NULL, 0, options, &result, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, what);
}

static void options_that_promise_nothing_are_refused(void **state)
{
    sy_replay_options options = with_seed(1);

    (void)state;
    options.min_improvement = .95;
    expect_refused(&options, "min_improvement 0.95 is outside [0, 0.95)");
    options.min_improvement = NAN;
    expect_refused(&options, "min_improvement nan is outside [0, 0.95)");
    options = with_seed(1);
    options.pairs = 4;
    expect_refused(&options, "4 pairs can never decide at alpha 0.05: the least is 5");
    options.pairs = 0;
    expect_refused(&options, "pairs 0 is outside 1..2000");
    options = with_seed(1);
    options.alpha = 0;
    expect_refused(&options, "alpha 0 is outside (0, 0.5]");
}

static void every_rule_has_its_word(void **state)
{
    (void)state;
    assert_string_equal(sy_replay_rule_word(SY_REPLAY_STEELYARD), "steelyard");
    assert_string_equal(sy_replay_rule_word(SY_REPLAY_MEAN_OF_N), "mean_of_n");
    assert_string_equal(sy_replay_rule_word(SY_REPLAY_RULES), "unknown");
}

static sy_status play_two(void *user)
{
    const sy_timing *list = user;
    const sy_replay_options options = with_seed(1);
    sy_replay_result result;

    return sy_replay(list, 2, &options, &result, NULL);
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    double times[RUNS];
    sy_timing list[] = {{"a", times, RUNS, ""}, {"b", times, RUNS, ""}};

    (void)state;
    for (int i = 0; i < RUNS; i++)
        times[i] = 100 + i % 3;
    assert_true(fault_loop_allocations(play_two, list, false) > 20);
    assert_true(fault_loop_allocations(play_two, list, true) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_are_told_from_planted_gains),
        cmocka_unit_test(a_machine_that_changes_half_way_deceives_blocks_only),
        cmocka_unit_test(one_wild_run_deceives_the_mean_only),
        cmocka_unit_test(at_no_improvement_equal_runs_claim_nothing),
        cmocka_unit_test(the_rule_keeps_its_promise_on_drifting_spiky_runs),
        cmocka_unit_test(the_seed_decides_the_coins_and_nothing_else),
        cmocka_unit_test(what_cannot_be_played_is_counted_by_its_reason),
        cmocka_unit_test(options_that_promise_nothing_are_refused),
        cmocka_unit_test(every_rule_has_its_word),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
