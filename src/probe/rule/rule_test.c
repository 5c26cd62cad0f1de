/* SPDX-License-Identifier: Apache-2.0 */
/* The rule on one case: scripts with one right answer, and random sequences against the definition. */
#include "probe/rule/rule.h"

#include "base/fault.h"
#include "base/random.h"
#include "probe/rule/rule_test_support.h"
#include "stats/sign.h"

static void expect(const sy_rule_options *options, const char *letters, size_t pairs, sy_rule_answer answer,
                   const char *reason)
{
    sy_rule *rule = rule_test_make(options);
    size_t fed = 0;
    sy_rule_state state = rule_test_feed_letters(rule, letters, &fed);

    if (fed != pairs || state.answer != answer || strcmp(state.reason, reason) != 0)
        fail_msg("%s: answer %d \"%s\" after %zu pairs", letters, state.answer, state.reason, fed);
    assert_int_equal(state.rounds, pairs);
    sy_rule_destroy(rule);
}

static void a_win_comes_at_the_first_pair_that_crosses(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    expect(&options, "WWWWWWWW", 5, SY_RULE_WIN, "");
    expect(&options, "LWWWWWWWWWWWW", 10, SY_RULE_WIN, "");
    expect(&options, "WWWLWWLWWWWWWWW", 14, SY_RULE_WIN, "");
    options.alpha = .01;
    expect(&options, "WWWWWWWWWW", 8, SY_RULE_WIN, "");
    options.max_pairs = 7;
    expect(&options, "WWWWWWW", 7, SY_RULE_WIN, "");
}

static void no_gain_comes_at_the_first_pair_that_crosses(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    expect(&options, "LLLLL", 3, SY_RULE_NO_GAIN, "");
    expect(&options, "WLLLLLLLL", 7, SY_RULE_NO_GAIN, "");
    expect(&options, "LWLWLLLLLLLLLL", 11, SY_RULE_NO_GAIN, "");
}

static void the_cap_ends_it(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    options.max_pairs = 12;
    expect(&options, "WLWLWLWLWLWL", 12, SY_RULE_INCONCLUSIVE, "max-pairs");
}

static void a_tie_at_the_threshold_is_a_loss(void **state)
{
    const sy_rule_options options = rule_test_options();
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state answer = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        /* a quantised clock: exactly 3 % less, whose logarithm may round to either side */
        const sy_rule_pair tie = {100 * (i + 1), 97 * (i + 1), i % 2 == 0, SY_USABLE};

        answer = rule_test_feed(rule, &tie);
    }
    assert_int_equal(answer.answer, SY_RULE_NO_GAIN);
    assert_int_equal(answer.wins, 0);
    sy_rule_destroy(rule);
}

/* The definition in short: counts and tables, nothing of the rule's code. */
static void random_sequences_are_decided_as_defined(void **state)
{
    const uint64_t seed = 4711;
    sy_rule_options options = rule_test_options();
    sy_sign_table win = SY_SIGN_TABLE_INIT;
    sy_sign_table stop = SY_SIGN_TABLE_INIT;
    sy_random random;
    const double theta = -log1p(-options.min_improvement);
    int answers[6] = {0};

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    sy_random_start(&random, seed, "rule-test");
    assert_int_equal(sy_sign_table_init(&win, 60, .05, NULL), SY_OK);
    assert_int_equal(sy_sign_table_init(&stop, 60, .2, NULL), SY_OK);
    for (int probe = 0; probe < 1000; probe++) {
        sy_rule *rule = rule_test_make(&options);
        double shift = theta + .02 * sy_random_normal(&random);
        sy_rule_state s = {0};
        uint32_t wins = 0;

        for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++) {
            double d = shift + .03 * sy_random_normal(&random);
            sy_rule_answer right = SY_RULE_CONTINUE;

            wins += d > theta;
            if (wins >= win.needed[n])
                right = SY_RULE_WIN;
            else if (n - wins >= stop.needed[n])
                right = SY_RULE_NO_GAIN;
            else if (n == 60)
                right = SY_RULE_INCONCLUSIVE;
            s = rule_test_feed_d(rule, d, sy_random_coin(&random));
            assert_int_equal(s.answer, right);
            assert_true((s.answer == SY_RULE_WIN) == (s.gain_low > options.min_improvement + 1e-12));
            assert_true(isnan(s.gain_low) == (n < 5));
            assert_true(fabs(log(s.e_value) - sy_sign_log_evidence(n, wins)) < 1e-12);
        }
        answers[s.answer]++;
        sy_rule_destroy(rule);
    }
    assert_true(answers[SY_RULE_WIN] > 50 && answers[SY_RULE_NO_GAIN] > 50 && answers[SY_RULE_INCONCLUSIVE] > 50);
    sy_sign_table_finish(&win);
    sy_sign_table_finish(&stop);
}

static void an_answered_rule_takes_no_more_rounds(void **state)
{
    const sy_rule_options options = rule_test_options();
    sy_rule *rule = rule_test_make(&options);
    const sy_rule_pair pair = {100, 80, true, SY_USABLE};
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_error err = SY_ERROR_INIT;
    sy_rule_state s;
    size_t fed = 0;

    (void)state;
    rule_test_feed_letters(rule, "WWWW", &fed);
    assert_int_equal(sy_rule_finish(rule, &evidence, &s, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "the rule has not answered after 4 rounds: say what ended it");
    rule_test_feed_letters(rule, "W", &fed);
    assert_int_equal(sy_rule_step(rule, &pair, &s, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "round 5 was fed to a rule that has already answered");
    rule_test_finish(rule, &evidence);
    assert_int_equal(sy_rule_finish(rule, &evidence, &s, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "the rule has already ended");
    sy_rule_destroy(rule);
}

static void expect_refused(const sy_rule_options *options, const char *what)
{
    sy_error err = SY_ERROR_INIT;
    sy_rule *rule = NULL;

    assert_int_equal(sy_rule_create(options, &rule, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, what);
    assert_null(rule);
}

static void a_cap_that_can_never_decide_is_refused_with_the_least_that_can(void **state)
{
    static const sy_question questions[] = {SY_QUESTION_FASTER, SY_QUESTION_NOT_SLOWER};

    (void)state;
    for (size_t q = 0; q < 2; q++) {
        sy_rule_options options = rule_test_options();

        options.question = questions[q];
        options.max_pairs = 4;
        expect_refused(&options, "max_pairs 4 can never decide at alpha 0.05: the least is 5");
        options.max_pairs = 5;
        sy_rule_destroy(rule_test_make(&options));
        options.alpha = .01;
        options.max_pairs = 6;
        expect_refused(&options, "max_pairs 6 can never decide at alpha 0.01: the least is 7");
        options.max_pairs = 7;
        sy_rule_destroy(rule_test_make(&options));
        options.kind = SY_RULE_MEDIANS;
        options.max_pairs = 1;
        sy_rule_destroy(rule_test_make(&options));
    }
}

static void an_option_out_of_range_is_named(void **state)
{
    static const double bad_weight[] = {0};
    sy_rule_options options;

    (void)state;
#define REFUSED(field, value, what) \
    options = rule_test_options();  \
    options.field = value;          \
    expect_refused(&options, what)
    REFUSED(alpha, 0, "alpha 0 is outside (0, 0.5]");
    REFUSED(alpha, .6, "alpha 0.6 is outside (0, 0.5]");
    REFUSED(alpha, NAN, "alpha nan is outside (0, 0.5]");
    REFUSED(beta, -1, "beta -1 is outside (0, 0.5]");
    REFUSED(alpha, 1e-120, "alpha 1e-120: below 1e-100 nothing is promised");
    REFUSED(beta, 1e-120, "beta 1e-120: below 1e-100 nothing is promised");
    REFUSED(min_improvement, 1, "min_improvement 1 is outside [0, 1)");
    REFUSED(min_improvement, -.1, "min_improvement -0.1 is outside [0, 1)");
    REFUSED(margin, -.1, "margin -0.1 is not a number from 0 on");
    REFUSED(margin, INFINITY, "margin inf is not a number from 0 on");
    REFUSED(veto, NAN, "veto nan is not a number from 0 on");
    REFUSED(max_pairs, 0, "max_pairs 0 is outside 1..2000");
    REFUSED(max_pairs, 2001, "max_pairs 2001 is outside 1..2000");
    REFUSED(case_count, 0, "case_count 0: a rule needs a case and its weight");
    REFUSED(weights, NULL, "case_count 1: a rule needs a case and its weight");
    REFUSED(weights, bad_weight, "weights: 0 of case 0 is not above 0");
#undef REFUSED
}

static void not_slower_asks_both_sides_at_alpha(void **state)
{
    sy_rule_options options = rule_test_options();
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.question = SY_QUESTION_NOT_SLOWER;
    expect(&options, "LLLLLLL", 5, SY_RULE_NOT_SLOWER, ""); /* equal is not slower */
    rule = rule_test_make(&options);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s.answer, SY_RULE_CONTINUE); /* three do not do: beta is not asked */
        s = rule_test_feed_d(rule, -.05, i % 2 == 0);
    }
    assert_int_equal(s.answer, SY_RULE_SLOWER);
    assert_true(s.gain_high < -.03 && fabs(s.gain_high + expm1(.05)) < 1e-12);
    sy_rule_destroy(rule);
}

static void an_unusable_pair_counts_against_both_sides_of_not_slower(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    options.question = SY_QUESTION_NOT_SLOWER;
    expect(&options, "tLLLLLLLLLL", 10, SY_RULE_NOT_SLOWER, ""); /* 10:9, and not 5:5 */
}

/* Two-mode times whose separate medians differ by 15 %, while the pairs show .12 %. 8 of the 10 pairs are within the
 * margin: one-sided p = .0547, so that no honest test at .05 can end with them; the same once more decides. */
static void pairs_see_no_difference_where_separate_medians_see_fifteen_percent(void **state)
{
    static const double base[] = {114.97, 100, 100, 114.97, 100, 100, 100, 114.97, 100, 114.97};
    static const double head[] = {115.108, 100.12, 115.2, 115.108, 100.12, 100.12, 115.2, 115.108, 100.12, 115.108};
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    sy_rule *rule;
    sy_rule_state s = {0};
    int fed = 0;

    (void)state;
    options.question = SY_QUESTION_NOT_SLOWER;
    options.margin = .05;
    rule = rule_test_make(&options);
    for (; s.answer == SY_RULE_CONTINUE; fed++)
        s = rule_test_feed(rule, &(sy_rule_pair){base[fed % 10], head[fed % 10], fed % 2 == 0, SY_USABLE});
    assert_int_equal(s.answer, SY_RULE_NOT_SLOWER);
    assert_in_range(fed, 11, 20);
    sy_rule_destroy(rule);
    rule = rule_test_make(&options);
    for (fed = 0; fed < 10; fed++)
        s = rule_test_feed(rule, &(sy_rule_pair){base[fed], head[fed], fed % 2 == 0, SY_USABLE});
    assert_int_equal(s.wins, 8);
    assert_true(fabs(1 / (1 - s.gain) - 1 / 1.0012) < 1e-4); /* the median pair ratio */
    assert_true(s.total_gain < -.15);                        /* what separate medians would say */
    s = rule_test_finish(rule, &evidence);
    assert_string_equal(s.reason, "budget");
    assert_true(rule_test_has_note(rule, "two modes: 6 runs of the reference near 100 ns, 4 near 115 ns"));
    assert_true(rule_test_has_note(rule, "two modes: 4 runs of the candidate near 100 ns, 6 near 115 ns"));
    assert_true(rule_test_has_note(rule, "two modes: 2 of 10 pairs changed mode"));
    sy_rule_destroy(rule);
}

static void more_than_a_fifth_unusable_ends_it_from_the_tenth_pair_on(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    expect(&options, "tWWtWWtWWWWW", 10, SY_RULE_INCONCLUSIVE, "timer");
    expect(&options, "cWWtWWcWWWWW", 10, SY_RULE_INCONCLUSIVE, "crashed");
    expect(&options, "vWWtWWvcvWWW", 10, SY_RULE_INCONCLUSIVE, "void");
    expect(&options, "tWWtWWWWWWWWWWWWWWW", 14, SY_RULE_WIN, ""); /* two of ten are a fifth */
    expect(&options, "tWtWWWWWLcWWWWW", 10, SY_RULE_INCONCLUSIVE, "timer");
    options.max_pairs = 8;
    expect(&options, "WLttWWLW", 8, SY_RULE_INCONCLUSIVE, "max-pairs");
}

static void unusable_pairs_alone_are_no_verdict(void **state)
{
    sy_rule_options options = rule_test_options();

    (void)state;
    expect(&options, "vvvvvvvvvvvv", 10, SY_RULE_INCONCLUSIVE, "void");
    expect(&options, "LLcLcLLLLLLLL", 11, SY_RULE_NO_GAIN, "");
}

static void a_time_that_is_none_is_an_unusable_pair(void **state)
{
    static const double bad[] = {0, -1, NAN, INFINITY};
    const sy_rule_options options = rule_test_options();

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        sy_rule *rule = rule_test_make(&options);
        sy_rule_state s = rule_test_feed(rule, &(sy_rule_pair){bad[i], 100, true, SY_USABLE});

        assert_int_equal(s.unusable, 1);
        assert_int_equal(s.wins, 0);
        assert_true(isnan(s.gain) && isnan(s.cases[0].reference_median) && isnan(s.reference_total));
        s = rule_test_feed(rule, &(sy_rule_pair){100, bad[i], true, SY_USABLE});
        assert_int_equal(s.unusable, 2);
        s = rule_test_feed(rule, &(sy_rule_pair){100, 80, true, SY_USABLE});
        assert_int_equal(s.unusable, 2);
        assert_int_equal(s.rounds, 3);
        assert_true(fabs(s.gain - .2) < 1e-12 && s.reference_total == 100 && s.candidate_total == 80);
        sy_rule_destroy(rule);
    }
}

static void expect_medians(sy_question question, double threshold, double candidate, sy_rule_answer answer)
{
    sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule;
    sy_rule_state s = {0};

    options.kind = SY_RULE_MEDIANS;
    options.question = question;
    options.max_pairs = 4;
    options.min_improvement = threshold;
    options.margin = threshold;
    rule = rule_test_make(&options);
    for (int i = 0; i < 4; i++) {
        /* medians of an even count: (90 + 110) / 2 and the candidate's own */
        const double reference[] = {90, 110, 1, 1000};

        assert_int_equal(s.answer, SY_RULE_CONTINUE);
        s = rule_test_feed(rule, &(sy_rule_pair){reference[i], candidate, i % 2 == 0, SY_USABLE});
    }
    assert_int_equal(s.answer, answer);
    assert_true(isnan(s.e_value) && isnan(s.gain_low) && s.reference_total == 100);
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, answer);
    assert_true(rule_test_has_note(rule, "medians: a point estimate without an error rate"));
    sy_rule_destroy(rule);
}

static void the_literal_rule_compares_sums_of_medians(void **state)
{
    (void)state;
    expect_medians(SY_QUESTION_FASTER, .25, 75, SY_RULE_WIN); /* exactly at the threshold */
    expect_medians(SY_QUESTION_FASTER, .25, 75.001, SY_RULE_NO_GAIN);
    expect_medians(SY_QUESTION_FASTER, 0, 100, SY_RULE_NO_GAIN); /* strict at 0 */
    expect_medians(SY_QUESTION_FASTER, 0, 99.999, SY_RULE_WIN);
    expect_medians(SY_QUESTION_NOT_SLOWER, .25, 125, SY_RULE_NOT_SLOWER);
    expect_medians(SY_QUESTION_NOT_SLOWER, .25, 125.001, SY_RULE_SLOWER);
}

static void the_literal_rule_cut_short_or_without_times_is_open(void **state)
{
    sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    sy_rule *rule;
    sy_rule_state s;
    size_t fed = 0;

    (void)state;
    options.kind = SY_RULE_MEDIANS;
    options.max_pairs = 4;
    expect(&options, "cccc", 4, SY_RULE_INCONCLUSIVE, "crashed");
    rule = rule_test_make(&options);
    rule_test_feed_letters(rule, "WWW", &fed);
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(s.reason, "budget");
    sy_rule_destroy(rule);
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    static const double weights[] = {1, 2};
    const sy_rule_pair pairs[] = {{100, 50, true, SY_USABLE}, {100, 50, false, SY_USABLE}};
    sy_rule_options options = rule_test_options();
    const int64_t alive = sy_fault_live_allocations();
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    bool succeeded = false;

    (void)state;
    options.case_count = 2;
    options.weights = weights;
    evidence.has_carry_over = true;
    evidence.resolvable_gain = .06;
    for (uint64_t n = 1; !succeeded; n++) {
        sy_error err = SY_ERROR_INIT;
        sy_rule *rule = NULL;
        sy_rule_state s;
        sy_status status;
        size_t notes = 0;

        assert_true(n < 400);
        sy_fault_fail_allocation(n, true);
        status = sy_rule_create(&options, &rule, &err);
        if (status == SY_OK) {
            s = rule_test_feed(rule, pairs);
            status = sy_rule_finish(rule, &evidence, &s, &err);
            succeeded = status == SY_OK;
            if (!succeeded) { /* it can be tried again */
                sy_fault_reset();
                s = rule_test_finish(rule, &evidence);
            }
            assert_string_equal(s.reason, "budget");
            sy_rule_notes(rule, &notes);
            assert_int_equal(notes, 1); /* carry-over, once */
        }
        assert_true(succeeded || (status == SY_NO_MEMORY && err.status == SY_NO_MEMORY));
        sy_fault_reset();
        sy_rule_destroy(rule);
        assert_int_equal(sy_fault_live_allocations(), alive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_win_comes_at_the_first_pair_that_crosses),
        cmocka_unit_test(no_gain_comes_at_the_first_pair_that_crosses),
        cmocka_unit_test(the_cap_ends_it),
        cmocka_unit_test(a_tie_at_the_threshold_is_a_loss),
        cmocka_unit_test(random_sequences_are_decided_as_defined),
        cmocka_unit_test(an_answered_rule_takes_no_more_rounds),
        cmocka_unit_test(a_cap_that_can_never_decide_is_refused_with_the_least_that_can),
        cmocka_unit_test(an_option_out_of_range_is_named),
        cmocka_unit_test(not_slower_asks_both_sides_at_alpha),
        cmocka_unit_test(an_unusable_pair_counts_against_both_sides_of_not_slower),
        cmocka_unit_test(pairs_see_no_difference_where_separate_medians_see_fifteen_percent),
        cmocka_unit_test(more_than_a_fifth_unusable_ends_it_from_the_tenth_pair_on),
        cmocka_unit_test(unusable_pairs_alone_are_no_verdict),
        cmocka_unit_test(a_time_that_is_none_is_an_unusable_pair),
        cmocka_unit_test(the_literal_rule_compares_sums_of_medians),
        cmocka_unit_test(the_literal_rule_cut_short_or_without_times_is_open),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
