/* SPDX-License-Identifier: Apache-2.0 */
/* The rule on several cases: weighted rounds, no case left behind, latched crossings, the documented total. */
#include "base/random.h"
#include "probe/rule/rule_test_support.h"
#include "stats/sign.h"

static const double even_weights[] = {1, 1};
/* the second case hardly counts in the sum: it can hide there */
static const double uneven_weights[] = {1, 1e-6};

static sy_rule_options two_cases(const double *weights)
{
    sy_rule_options options = rule_test_options();

    options.case_count = 2;
    options.weights = weights;
    return options;
}

/* Both cases take 100 in the candidate; a and b are their log ratios. */
static sy_rule_state feed_two(sy_rule *rule, double a, double b)
{
    const sy_rule_pair pairs[] = {{100 * exp(a), 100, true, SY_USABLE}, {100 * exp(b), 100, false, SY_USABLE}};

    return rule_test_feed(rule, pairs);
}

static void the_weighted_sums_of_a_round_are_one_pair(void **state)
{
    static const double weights[] = {3, 1};
    const sy_rule_options options = two_cases(weights);
    sy_rule *rule = rule_test_make(&options);
    const sy_rule_pair pairs[] = {{100, 90, true, SY_USABLE}, {200, 260, true, SY_USABLE}};
    sy_rule_state s = rule_test_feed(rule, pairs);

    (void)state;
    assert_true(fabs(s.gain - (1 - (3 * 90 + 260.) / (3 * 100 + 200))) < 1e-12);
    assert_true(s.reference_total == 500 && s.candidate_total == 530);
    assert_true(fabs(s.total_gain + .06) < 1e-12);
    assert_true(fabs(s.cases[0].gain - .1) < 1e-12 && fabs(s.cases[1].gain + .3) < 1e-12);
    assert_true(s.cases[0].reference_median == 100 && s.cases[1].candidate_median == 260);
    assert_true(fabs(s.geometric_mean_gain - (1 - sqrt(.9 * 1.3))) < 1e-12);
    assert_int_equal(s.wins, 0);
    sy_rule_destroy(rule);
}

static void a_case_that_is_slower_ends_a_total_gain(void **state)
{
    const sy_rule_options options = two_cases(uneven_weights);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};
    uint32_t rounds = 0;

    (void)state;
    for (; s.answer == SY_RULE_CONTINUE; rounds++)
        s = feed_two(rule, .3, -log(1.11));
    assert_int_equal(s.answer, SY_RULE_NO_GAIN);
    assert_string_equal(s.reason, "case-regression");
    assert_true(s.crossed && s.cases[1].regression && !s.cases[0].regression && s.cases[0].resolved);
    /* alpha / 2 for each of two cases: six in a row */
    assert_int_equal(rounds, 6);
    sy_rule_destroy(rule);
}

static void a_case_slower_by_less_than_the_veto_is_left_alone(void **state)
{
    const sy_rule_options options = two_cases(uneven_weights);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    while (s.answer == SY_RULE_CONTINUE)
        s = feed_two(rule, .3, -log(1.09));
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_int_equal(s.rounds, 5);
    sy_rule_destroy(rule);
}

static void the_total_waits_for_a_case_that_is_not_yet_shown(void **state)
{
    const sy_rule_options options = two_cases(uneven_weights);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++) {
        s = feed_two(rule, .3, n <= 3 ? -.2 : 0);
        assert_true(s.crossed == (n >= 5));
        assert_true(s.cases[0].resolved == (n >= 5));
    }
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_int_equal(s.rounds, 17); /* three lost: 17:14 */
    sy_rule_destroy(rule);
}

/* The other way round: the case is shown in five rounds, then falls back below what its rule would need. */
static void a_case_once_shown_stays_shown(void **state)
{
    const sy_rule_options options = two_cases(uneven_weights);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++) {
        s = feed_two(rule, n == 1 || n == 3 || n == 5 ? 0 : .3, n <= 5 || n % 2 == 0 ? .1 : -.2);
        assert_true(s.cases[1].resolved == (n >= 5));
    }
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_int_equal(s.rounds, 17);
    sy_rule_destroy(rule);
}

static void crossings_are_latched_and_no_gain_is_asked_no_more(void **state)
{
    sy_rule_options options = two_cases(uneven_weights);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    /* the total crosses at 5 and falls back; the losses alone would be NO GAIN */
    for (uint32_t n = 1; n <= 30; n++) {
        s = feed_two(rule, n <= 5 ? .3 : 0, n % 2 == 0 ? .1 : -.2);
        assert_int_equal(s.answer, SY_RULE_CONTINUE);
    }
    assert_true(s.crossed && s.wins == 5);
    /* and it wins as soon as the case is shown and the medians are above again */
    while (s.answer == SY_RULE_CONTINUE)
        s = feed_two(rule, .3, .1);
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_true(s.gain >= options.min_improvement && s.total_gain >= options.min_improvement);
    assert_int_equal(s.rounds, 50); /* the median was above again when half of the rounds were */
    sy_rule_destroy(rule);
}

static void a_case_not_shown_in_the_end_leaves_it_open(void **state)
{
    static const sy_rule_end ends[] = {SY_RULE_END_BUDGET, SY_RULE_END_WALL_LIMIT};
    const sy_rule_options options = two_cases(uneven_weights);
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++)
        s = feed_two(rule, .3, n % 2 == 0 ? .1 : -.2);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_int_equal(s.rounds, 60);
    assert_string_equal(s.reason, "case-unresolved");
    evidence.resolvable_gain = .5;
    s = rule_test_finish(rule, &evidence);
    assert_string_equal(s.reason, "case-unresolved");
    assert_string_equal(sy_rule_advice(rule),
                        "more pairs, or a veto wider than 10 %: 1 of 2 cases are not yet shown to be within it");
    sy_rule_destroy(rule);
    for (size_t i = 0; i < 2; i++) {
        rule = rule_test_make(&options);
        for (uint32_t n = 1; n <= 8; n++)
            s = feed_two(rule, .3, n % 2 == 0 ? .1 : -.2);
        assert_int_equal(s.answer, SY_RULE_CONTINUE);
        evidence.end = ends[i];
        s = rule_test_finish(rule, &evidence);
        assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
        assert_string_equal(s.reason, "case-unresolved");
        sy_rule_destroy(rule);
    }
}

/* In every round another case saves half of its time and the others lose 2 %: each round wins, no case's median does.
 */
static void medians_that_fall_short_hold_a_win_back(void **state)
{
    static const double weights[] = {1, 1, 1};
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.max_pairs = 20;
    options.case_count = 3;
    options.weights = weights;
    rule = rule_test_make(&options);
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++) {
        sy_rule_pair pairs[3];

        for (uint32_t c = 0; c < 3; c++)
            pairs[c] = (sy_rule_pair){100, n % 3 == c ? 50 : 102, true, SY_USABLE};
        s = rule_test_feed(rule, pairs);
        assert_true(s.crossed == (n >= 5) && s.wins == n);
    }
    assert_int_equal(s.rounds, 20);
    assert_true(s.gain > .15 && fabs(s.total_gain + .02) < 1e-12);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(rule_test_finish(rule, &evidence).reason, "total-short");
    assert_string_equal(sy_rule_advice(rule),
                        "a smaller minimum improvement: the medians of all cases together fell short of it");
    sy_rule_destroy(rule);
}

static void one_case_is_decided_alike_whatever_its_weight(void **state)
{
    static const double weights[] = {.1, 3, 1e12};
    const uint64_t seed = 99;
    sy_random random;

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    sy_random_start(&random, seed, "rule-cases-test");
    for (int probe = 0; probe < 300; probe++) {
        sy_rule_options options = rule_test_options();
        sy_rule *plain = rule_test_make(&options);
        sy_rule *weighted;
        sy_rule_state a = {0};
        sy_rule_state b;

        options.weights = &weights[probe % 3];
        weighted = rule_test_make(&options);
        while (a.answer == SY_RULE_CONTINUE) {
            /* a coarse clock, with ties at the threshold */
            const sy_rule_pair pair = {(double)(100 * sy_random_below(&random, 3) + 1000),
                                       (double)(97 * sy_random_below(&random, 3) + 970), sy_random_coin(&random),
                                       sy_random_below(&random, 30) == 0 ? SY_UNUSABLE_VOID : SY_USABLE};

            a = rule_test_feed(plain, &pair);
            b = rule_test_feed(weighted, &pair);
            assert_int_equal(a.answer, b.answer);
            assert_int_equal(a.wins, b.wins);
            assert_true(a.gain == b.gain || (isnan(a.gain) && isnan(b.gain)));
            assert_true(a.gain_low == b.gain_low || (isnan(a.gain_low) && isnan(b.gain_low)));
        }
        sy_rule_destroy(plain);
        sy_rule_destroy(weighted);
    }
}

static void an_unusable_case_makes_the_round_a_loss_and_the_other_case_keeps_its_pair(void **state)
{
    const sy_rule_options options = two_cases(even_weights);
    sy_rule *rule = rule_test_make(&options);
    const sy_rule_pair half[] = {{100, 50, true, SY_USABLE}, {100, 50, true, SY_UNUSABLE_CRASHED}};
    sy_rule_state s = rule_test_feed(rule, half);

    (void)state;
    assert_int_equal(s.rounds, 1);
    assert_int_equal(s.wins, 0);
    assert_int_equal(s.unusable, 1);
    assert_true(isnan(s.gain) && isnan(s.total_gain) && isnan(s.geometric_mean_gain));
    assert_true(fabs(s.cases[0].gain - .5) < 1e-12 && isnan(s.cases[1].gain));
    sy_rule_destroy(rule);
}

static void not_slower_names_slower_cases_and_is_not_stopped_by_them(void **state)
{
    sy_rule_options options = two_cases(uneven_weights);
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.question = SY_QUESTION_NOT_SLOWER;
    rule = rule_test_make(&options);
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++)
        s = feed_two(rule, n < 4 ? -.1 : 0, -.2);
    assert_int_equal(s.answer, SY_RULE_NOT_SLOWER);
    assert_true(s.cases[1].regression);
    rule_test_finish(rule, &evidence);
    assert_true(rule_test_has_note(rule, "cases: 1 of 2 are slower by more than 10 %"));
    sy_rule_destroy(rule);
}

/* The promise: a candidate with a case more than Y slower in at least half of the rounds is adopted in at most alpha of
 * the probes, whatever the total gains. Worst case: exactly half, the total a sure win, more cases resolved at once. */
static void a_case_slower_in_half_of_the_rounds_passes_no_more_often_than_promised(void **state)
{
    static const double weights[] = {1, 1e-6, 1e-6};
    const int probes = 3000;
    sy_rule_options options = rule_test_options();
    sy_random random;
    int won = 0;

    (void)state;
    options.case_count = 3;
    options.weights = weights;
    sy_random_start(&random, 12, "rule-cases-test");
    for (int probe = 0; probe < probes; probe++) {
        sy_rule *rule = rule_test_make(&options);
        sy_rule_state s = {0};

        while (s.answer == SY_RULE_CONTINUE) {
            double hidden = -log(1.10) + .02 * sy_random_normal(&random);
            const sy_rule_pair pairs[] = {{100 * exp(.3), 100, true, SY_USABLE},
                                          {100 * exp(.1), 100, true, SY_USABLE},
                                          {100 * exp(hidden), 100, true, SY_USABLE}};

            s = rule_test_feed(rule, pairs);
        }
        won += s.answer == SY_RULE_WIN;
        sy_rule_destroy(rule);
    }
    assert_true(won <= probes * .05 + 3 * sqrt(probes * .05 * .95));
    assert_true(won > probes * .01); /* the simulation sits at the edge, not far inside */
}

/* A whole probe of drawn pairs, some unusable: its states up to the end, in the order of its rounds. */
static size_t play(sy_rule *rule, uint64_t seed, sy_rule_state *states)
{
    const sy_rule_evidence cut = rule_test_evidence(SY_RULE_END_BUDGET);
    size_t count = 0;
    sy_random random;

    sy_random_start(&random, seed, "rule-restart-test");
    states[0].answer = SY_RULE_CONTINUE;
    while (count == 0 || (states[count - 1].answer == SY_RULE_CONTINUE && count < 40)) {
        bool first = sy_random_coin(&random);
        bool lost = sy_random_unit(&random) < .1;
        const sy_rule_pair pairs[] = {
            {100 * exp(.03 + .03 * sy_random_normal(&random)), 100, first, lost ? SY_UNUSABLE_VOID : SY_USABLE},
            {100 * exp(.01 * sy_random_normal(&random)), 100, !first, SY_USABLE}};

        states[count++] = rule_test_feed(rule, pairs);
    }
    if (states[count - 1].answer == SY_RULE_CONTINUE)
        states[count++] = rule_test_finish(rule, &cut);
    else
        states[count++] = rule_test_finish(rule, &(sy_rule_evidence){.resolvable_gain = NAN});
    return count;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void a_restarted_rule_answers_as_a_new_one(void **state)
{
    sy_rule_options options = two_cases(even_weights);
    sy_rule *used = rule_test_make(&options);
    sy_rule_state states[2][64];

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        sy_rule *fresh = rule_test_make(&options);
        size_t count = play(fresh, seed, states[0]);
        size_t notes = 0;

        assert_int_equal(play(used, seed, states[1]), count);
        for (size_t i = 0; i < count; i++) {
            const sy_rule_state *a = &states[0][i];
            const sy_rule_state *b = &states[1][i];

            assert_int_equal(a->answer, b->answer);
            assert_string_equal(a->reason, b->reason);
            assert_true(a->rounds == b->rounds && a->wins == b->wins && a->unusable == b->unusable);
            assert_true(a->crossed == b->crossed && is_same(a->e_value, b->e_value));
            assert_true(is_same(a->gain, b->gain) && is_same(a->total_gain, b->total_gain));
            assert_true(is_same(a->gain_low, b->gain_low) && is_same(a->gain_high, b->gain_high));
        }
        sy_rule_restart(used);
        (void)sy_rule_notes(used, &notes);
        assert_int_equal(notes, 0);
        sy_rule_destroy(fresh);
    }
    sy_rule_destroy(used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weighted_sums_of_a_round_are_one_pair),
        cmocka_unit_test(a_case_that_is_slower_ends_a_total_gain),
        cmocka_unit_test(a_case_slower_by_less_than_the_veto_is_left_alone),
        cmocka_unit_test(the_total_waits_for_a_case_that_is_not_yet_shown),
        cmocka_unit_test(a_case_once_shown_stays_shown),
        cmocka_unit_test(crossings_are_latched_and_no_gain_is_asked_no_more),
        cmocka_unit_test(a_case_not_shown_in_the_end_leaves_it_open),
        cmocka_unit_test(medians_that_fall_short_hold_a_win_back),
        cmocka_unit_test(one_case_is_decided_alike_whatever_its_weight),
        cmocka_unit_test(an_unusable_case_makes_the_round_a_loss_and_the_other_case_keeps_its_pair),
        cmocka_unit_test(not_slower_names_slower_cases_and_is_not_stopped_by_them),
        cmocka_unit_test(a_case_slower_in_half_of_the_rounds_passes_no_more_often_than_promised),
        cmocka_unit_test(a_restarted_rule_answers_as_a_new_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
