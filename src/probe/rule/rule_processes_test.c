/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds from several fresh processes: when each has given enough, when the rule may answer, the guard with what fires
 * it and what must not, and how often a lottery between starts wins. */
#include "probe/rule/rule_test_support.h"

#include "base/random.h"

static sy_rule_options over(uint32_t processes)
{
    sy_rule_options options = rule_test_options();
    options.processes = processes;
    return options;
}

/* Rounds of one process as letters until the rule answers or asks for the next one: W gains 20 %, L none. */
static sy_rule_state play_process(sy_rule *rule, const char *letters, size_t *ret_fed)
{
    sy_rule_state s;
    size_t fed = 0;

    memset(&s, 0, sizeof s);
    do {
        const sy_rule_pair pair = {100, letters[fed] == 'W' ? 80 : 100, fed % 2 == 0, SY_USABLE};

        s = rule_test_feed(rule, &pair);
        fed++;
    } while (s.answer == SY_RULE_CONTINUE && !s.process_ends && letters[fed] != '\0');
    *ret_fed = fed;
    return s;
}

static void nothing_is_answered_before_the_last_process_was_heard(void **state)
{
    const sy_rule_options options = over(4);
    sy_rule *rule = rule_test_make(&options);
    size_t fed = 0;

    (void)state;
    for (uint32_t process = 0; process < 3; process++) {
        sy_rule_state s = play_process(rule, "WWWWWWWWWWWWWWW", &fed);

        assert_int_equal(s.answer, SY_RULE_CONTINUE);
        assert_true(s.process_ends);
        assert_int_equal(fed, 5); /* it would be an answer: the rest of its share is spared */
        assert_true(isnan(s.gain_low));
        sy_rule_next_process(rule);
    }
    sy_rule_state s = play_process(rule, "WWWWWWWWWWWWWWW", &fed);
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_int_equal(s.rounds, 20);
    assert_int_equal(s.wins, 20);
    assert_true(s.gain_low > .19);
    sy_rule_destroy(rule);
}

static void what_is_no_answer_yet_takes_the_whole_share(void **state)
{
    const sy_rule_options options = over(4);
    sy_rule *rule = rule_test_make(&options);
    size_t fed = 0;
    sy_rule_state s;

    (void)state;
    s = play_process(rule, "WLWLWLWLWLWLWLWL", &fed);
    assert_true(s.process_ends);
    assert_int_equal(fed, 15);
    sy_rule_next_process(rule);
    for (uint32_t process = 1; process < 4; process++) {
        s = play_process(rule, "LWLWLWLWLWLWLWLWLW", &fed);
        assert_int_equal(fed, 15);
        sy_rule_next_process(rule);
    }
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(s.reason, "max-pairs");
    assert_int_equal(s.rounds, 60);
    sy_rule_destroy(rule);
}

static void shares_that_do_not_divide_the_cap_use_all_of_it(void **state)
{
    sy_rule_options options = over(7);
    sy_rule *rule = rule_test_make(&options);
    size_t fed = 0;
    size_t all = 0;
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t process = 0; process < 7; process++) {
        s = play_process(rule, process % 2 == 0 ? "WLWLWLWLWL" : "LWLWLWLWLW", &fed);
        assert_true(fed == 8 || fed == 9);
        all += fed;
        sy_rule_next_process(rule);
    }
    assert_int_equal(all, 60);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    sy_rule_destroy(rule);
}

static void three_starts_of_four_that_win_are_open_because_of_the_processes(void **state)
{
    const sy_rule_options options = over(4);
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    static const char *const letters[] = {"WWWWW", "WWWWW", "WWWWW", "LLLLLLLLLLLLLLL"};
    sy_rule *rule = rule_test_make(&options);
    sy_process_result processes[SY_RULE_PROCESSES_MAX];
    sy_process_spread spread;
    uint32_t count = 0;
    size_t fed = 0;
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t process = 0; process < 4; process++) {
        s = play_process(rule, letters[process], &fed);
        sy_rule_next_process(rule);
    }
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    s = rule_test_finish(rule, &evidence);
    assert_string_equal(s.reason, "processes");
    assert_true(rule_test_has_note(rule, "processes: 4 from 0.0 % to 20.0 %, on both sides of the threshold"));
    assert_non_null(strstr(sy_rule_advice(rule), "more processes"));
    assert_int_equal(sy_rule_processes(rule, processes, &count, &spread, NULL), SY_OK);
    assert_int_equal(count, 4);
    assert_int_equal(processes[0].wins, processes[0].rounds);
    assert_int_equal(processes[3].wins, 0);
    assert_true(fabs(spread.low) < 1e-12 && fabs(spread.high - .2) < 1e-12);
    assert_true(fabs(spread.deviation - .1) < 1e-12); /* sqrt((3 .05^2 + .15^2) / 3) */
    assert_true(spread.expected < 1e-12);
    sy_rule_destroy(rule);
}

/* d of process p's round k. */
typedef double (*gain_of)(uint32_t process, uint32_t round);

static sy_rule_state play_gains(sy_rule *rule, uint32_t processes, gain_of d)
{
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule_state s = {0};

    for (uint32_t process = 0; process < processes; process++) {
        uint32_t round = 0;
        do {
            s = rule_test_feed_d(rule, d(process, round), round % 2 == 0);
            round++;
        } while (s.answer == SY_RULE_CONTINUE && !s.process_ends);
        sy_rule_next_process(rule);
    }
    assert_int_not_equal(s.answer, SY_RULE_CONTINUE);
    return rule_test_finish(rule, &evidence);
}

/* theta is .0305. Nineteen processes win, the last barely does not: 19 x 3 wins of 60 are a win of the rule. */
static double one_of_many_denies(uint32_t process, uint32_t round)
{
    return process == 11 ? .0 + .0001 * round : .08 + .001 * process + .0001 * round;
}

static void one_process_in_many_with_few_rounds_is_a_note(void **state)
{
    const sy_rule_options options = over(20);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = play_gains(rule, 20, one_of_many_denies);

    (void)state;
    /* 3 of 60 alone cannot be told from chance among 2^20 ways to part the processes */
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_true(rule_test_has_note(rule, "processes: 20 from "));
    sy_rule_destroy(rule);
}

static double one_of_eight_denies(uint32_t process, uint32_t round)
{
    return (process == 7 ? .0 : .10) + .0001 * round + .00001 * process;
}

static void the_guard_overturns_a_win_that_one_process_of_eight_denies(void **state)
{
    const sy_rule_options options = over(8);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = play_gains(rule, 8, one_of_eight_denies);

    (void)state;
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(s.reason, "processes");
    sy_rule_destroy(rule);
}

/* All win, by gains that differ much more between the processes than within: a note, and the win stands. */
static double all_win_differently(uint32_t process, uint32_t round)
{
    return .05 + .05 * process + .0001 * round;
}

static void processes_that_differ_on_one_side_of_the_threshold_are_a_note(void **state)
{
    const sy_rule_options options = over(4);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = play_gains(rule, 4, all_win_differently);

    (void)state;
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_true(rule_test_has_note(rule, "processes: 4 from 4.9 % to 18.1 %, deviation "));
    sy_rule_destroy(rule);
}

static sy_random drawn;

static double noisy_near_the_threshold(uint32_t process, uint32_t round)
{
    (void)process;
    (void)round;
    return .045 + .02 * sy_random_normal(&drawn);
}

/* One distribution in all processes, 1.5 points above the threshold at a noise of 2: medians fall below by chance. */
static void processes_that_are_alike_lose_no_win_to_the_guard(void **state)
{
    const sy_rule_options options = over(4);
    sy_rule *rule = rule_test_make(&options);
    uint32_t wins = 0;
    uint32_t overturned = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        sy_random_start(&drawn, seed, "processes-test");
        sy_rule_state s = play_gains(rule, 4, noisy_near_the_threshold);
        wins += s.answer == SY_RULE_WIN;
        overturned += s.answer == SY_RULE_INCONCLUSIVE && strcmp(s.reason, "processes") == 0;
        sy_rule_restart(rule);
    }
    assert_true(wins > 2000);
    assert_true(overturned <= (wins + overturned) / 100);
    sy_rule_destroy(rule);
}

static double of_the_lottery; /* probability of a good start */
static double start_gain;

static double lottery(uint32_t process, uint32_t round)
{
    (void)process;
    if (round == 0)
        start_gain = sy_random_unit(&drawn) < of_the_lottery ? .08 : .0;
    return start_gain + .005 * sy_random_normal(&drawn);
}

static double share_of_wins(uint32_t processes, double probability)
{
    const sy_rule_options options = over(processes);
    sy_rule *rule = rule_test_make(&options);
    uint32_t wins = 0;

    of_the_lottery = probability;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        sy_random_start(&drawn, seed, "lottery-test");
        wins += play_gains(rule, processes, lottery).answer == SY_RULE_WIN;
        sy_rule_restart(rule);
    }
    sy_rule_destroy(rule);
    return wins / 1000.0;
}

/* Half of the starts win by 8 %, half by nothing. One process takes the first for the truth. Of 4 all must be good: 1
 * in
 * 16. Each bound is four standard errors off. */
static void a_lottery_wins_once_in_two_to_the_number_of_processes(void **state)
{
    (void)state;
    assert_true(fabs(share_of_wins(1, .5) - .5) < .064);
    assert_true(fabs(share_of_wins(2, .5) - .25) < .055);
    assert_true(fabs(share_of_wins(4, .5) - .0625) < .031);
    assert_true(share_of_wins(8, .5) < .02);
    assert_true(share_of_wins(4, 1) > .999);
}

static void a_cap_too_small_for_the_processes_is_refused(void **state)
{
    sy_rule_options options = over(21);
    sy_rule *rule = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_rule_create(&options, &rule, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "60 pairs are fewer than 3 for each of 21 processes");
    assert_string_equal(err.hint, "allow at least 63 pairs");
    options = over(65);
    assert_int_equal(sy_rule_create(&options, &rule, &err), SY_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_answered_before_the_last_process_was_heard),
        cmocka_unit_test(what_is_no_answer_yet_takes_the_whole_share),
        cmocka_unit_test(shares_that_do_not_divide_the_cap_use_all_of_it),
        cmocka_unit_test(three_starts_of_four_that_win_are_open_because_of_the_processes),
        cmocka_unit_test(one_process_in_many_with_few_rounds_is_a_note),
        cmocka_unit_test(the_guard_overturns_a_win_that_one_process_of_eight_denies),
        cmocka_unit_test(processes_that_differ_on_one_side_of_the_threshold_are_a_note),
        cmocka_unit_test(processes_that_are_alike_lose_no_win_to_the_guard),
        cmocka_unit_test(a_lottery_wins_once_in_two_to_the_number_of_processes),
        cmocka_unit_test(a_cap_too_small_for_the_processes_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
