/* SPDX-License-Identifier: Apache-2.0 */
/* Each guard with a script that fires it and ones that must not; the reasons of open answers; advice and foresight. */
#include "probe/rule/rule_test_support.h"
#include "stats/gain.h"

static const sy_rule_end rule_end = SY_RULE_END_RULE;

/* One pair of a script. */
typedef struct scripted {
    double d;
    bool reference_first;
} scripted;

/* Feeds until the rule answers, which must be a win at the script's last pair, and ends it. */
static sy_rule_state play(sy_rule *rule, const scripted *pairs, size_t count, const sy_rule_evidence *evidence)
{
    sy_rule_state s = {0};

    for (size_t i = 0; i < count; i++) {
        assert_int_equal(s.answer, SY_RULE_CONTINUE);
        s = rule_test_feed_d(rule, pairs[i].d, pairs[i].reference_first);
    }
    assert_int_equal(s.answer, SY_RULE_WIN);
    return rule_test_finish(rule, evidence);
}

static void expect_played(const scripted *pairs, size_t count, sy_rule_answer answer, const char *reason,
                          const char *note)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = play(rule, pairs, count, &evidence);

    if (s.answer != answer || strcmp(s.reason, reason) != 0)
        fail_msg("answer %d \"%s\"", s.answer, s.reason);
    if (!rule_test_has_note(rule, note)) {
        size_t notes = 0;

        fail_msg("no note \"%s\" but \"%s\"", note, sy_rule_notes(rule, &notes)[0]);
    }
    if (answer == SY_RULE_WIN)
        assert_string_equal(sy_rule_advice(rule), "");
    else
        assert_string_equal(sy_rule_advice(rule), "a quieter machine: nothing else running, a fixed clock");
    sy_rule_destroy(rule);
}

/* theta is .0305. Three early losses make the win come at 17:14. */
static void the_order_guard_overturns_a_win_that_one_order_denies(void **state)
{
    /* candidate first: .01 .01 .01 .035 .035, median below; reference first: all .2 and more */
    static const scripted pairs[] = {{.010, false}, {.20, true},   {.011, false}, {.21, true}, {.22, true},
                                     {.012, false}, {.035, false}, {.036, false}, {.23, true}, {.24, true},
                                     {.25, true},   {.26, true},   {.27, true},   {.28, true}, {.29, true},
                                     {.30, true},   {.31, true}};

    (void)state;
    expect_played(pairs, 17, SY_RULE_INCONCLUSIVE, "order", "order: 21.3 points between the orders, p = 0.00032");
}

static void the_order_guard_lets_a_win_stand_that_both_orders_show(void **state)
{
    /* as different as before, but the median of each order is above the threshold */
    static const scripted above[] = {{.010, false}, {.20, true},   {.011, false}, {.21, true}, {.22, true},
                                     {.012, true},  {.035, false}, {.036, false}, {.23, true}, {.037, false},
                                     {.25, true},   {.26, true},   {.27, true},   {.28, true}, {.29, true},
                                     {.30, true},   {.31, true}};
    /* losses in one order only, but the ranks do not tell the orders apart */
    static const scripted mixed[] = {{.010, false}, {.20, true},  {.011, false}, {.21, true}, {.22, true},
                                     {.012, false}, {.40, false}, {.41, false},  {.23, true}, {.24, true},
                                     {.25, true},   {.26, true},  {.27, true},   {.28, true}, {.29, true},
                                     {.30, true},   {.31, true}};

    (void)state;
    expect_played(above, 17, SY_RULE_WIN, "", "order: ");
    expect_played(mixed, 17, SY_RULE_WIN, "", "order: ");
}

static void the_order_guard_is_silent_with_fewer_than_five_in_an_order(void **state)
{
    static const scripted four[] = {{.010, false}, {.20, true}, {.011, false}, {.21, true}, {.22, true}, {.012, false},
                                    {.035, false}, {.26, true}, {.23, true},   {.24, true}, {.25, true}, {.26, true},
                                    {.27, true},   {.28, true}, {.29, true},   {.30, true}, {.31, true}};
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);

    (void)state;
    assert_int_equal(play(rule, four, 17, &evidence).answer, SY_RULE_WIN);
    assert_false(rule_test_has_note(rule, "order"));
    sy_rule_destroy(rule);
}

static void the_drift_guard_overturns_a_win_that_one_third_denies(void **state)
{
    static const scripted pairs[] = {{.010, false}, {.011, true}, {.035, false}, {.012, true}, {.036, false},
                                     {.21, true},   {.22, false}, {.23, true},   {.24, false}, {.25, true},
                                     {.26, false},  {.27, true},  {.28, false},  {.29, true},  {.30, false},
                                     {.31, true},   {.32, false}};

    (void)state;
    expect_played(pairs, 17, SY_RULE_INCONCLUSIVE, "drift",
                  "drift: 24.7 points between the first and the last third, p = 0.0079");
}

static void the_drift_guard_lets_a_win_stand_that_both_thirds_show(void **state)
{
    /* as clear a drift, but the first third's median is a win */
    static const scripted above[] = {{.010, false}, {.035, true}, {.034, false}, {.012, true}, {.036, false},
                                     {.21, true},   {.22, false}, {.013, true},  {.24, false}, {.25, true},
                                     {.26, false},  {.27, true},  {.28, false},  {.29, true},  {.30, false},
                                     {.31, true},   {.32, false}};
    /* the first third denies it, but the last is not told apart from it */
    static const scripted mixed[] = {{.010, false}, {.011, true}, {.400, false}, {.012, true}, {.410, false},
                                     {.21, true},   {.22, false}, {.23, true},   {.24, false}, {.25, true},
                                     {.26, false},  {.27, true},  {.28, false},  {.29, true},  {.30, false},
                                     {.31, true},   {.32, false}};

    (void)state;
    expect_played(above, 17, SY_RULE_WIN, "", "drift: 22.6 points between the first and the last third, p = 0.0079");
    expect_played(mixed, 17, SY_RULE_WIN, "", "drift: ");
}

static void a_gain_outside_of_its_own_bounds_is_said_to_have_changed(void **state)
{
    /* at most .05 is what the first five rounds say; the median of all ten is .075 */
    static const scripted growing[] = {{.010, false}, {.040, true}, {.045, false}, {.047, true}, {.05, false},
                                       {.10, true},   {.11, false}, {.12, true},   {.13, false}, {.14, true}};
    static const scripted level[] = {{.010, false}, {.10, true},  {.11, false}, {.12, true},  {.13, false},
                                     {.10, true},   {.11, false}, {.12, true},  {.13, false}, {.14, true}};
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);

    (void)state;
    expect_played(growing, 10, SY_RULE_WIN, "",
                  "drift: the gain of all rounds is outside of the bounds that earlier rounds gave: it changed");
    assert_int_equal(play(rule, level, 10, &evidence).answer, SY_RULE_WIN);
    assert_false(rule_test_has_note(rule, "drift"));
    sy_rule_destroy(rule);
}

static void the_drift_guard_is_silent_below_fifteen_pairs(void **state)
{
    static const scripted early[] = {{.010, false}, {.011, true}, {.035, false}, {.034, true}, {.036, false},
                                     {.21, true},   {.22, false}, {.23, true},   {.24, false}, {.25, true},
                                     {.26, false},  {.27, true},  {.28, false},  {.29, true}};
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);

    (void)state;
    assert_int_equal(play(rule, early, 14, &evidence).answer, SY_RULE_WIN);
    assert_false(rule_test_has_note(rule, "drift: 2")); /* 21.8 points */
    sy_rule_destroy(rule);
}

static void expect_carried_over(double d, double a, double b, double p, sy_rule_answer answer)
{
    const scripted pairs[] = {{d, true}, {d, false}, {d, true}, {d, false}, {d, true}};
    const sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s;

    evidence.has_carry_over = true;
    evidence.carry_over = (sy_carry_over){a, b, p};
    s = play(rule, pairs, 5, &evidence);
    assert_int_equal(s.answer, answer);
    assert_string_equal(s.reason, answer == SY_RULE_WIN ? "" : "carry-over");
    assert_true(rule_test_has_note(rule, "carry-over: reference "));
    assert_true((sy_rule_advice(rule)[0] != '\0') == (answer != SY_RULE_WIN));
    sy_rule_destroy(rule);
}

static void the_carry_over_guard_overturns_only_what_it_could_have_made(void **state)
{
    (void)state;
    /* L = .10, theta = .0305: an excess of .0927 takes it all */
    expect_carried_over(.10, .0930, 0, .005, SY_RULE_INCONCLUSIVE);
    expect_carried_over(.10, .0465, -.0465, .001, SY_RULE_INCONCLUSIVE);
    expect_carried_over(.10, .0920, 0, .001, SY_RULE_WIN);     /* not enough */
    expect_carried_over(.10, .0930, 0, .006, SY_RULE_WIN);     /* not shown */
    expect_carried_over(.10, .0930, .0930, .001, SY_RULE_WIN); /* both alike */
    expect_carried_over(.10, -.3, .3, .001, SY_RULE_WIN);      /* the other way round it hid a gain */
    expect_carried_over(.0306, -.3, .3, .001, SY_RULE_WIN);
}

static void guards_ask_not_slower_too_and_never_no_gain(void **state)
{
    sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule;
    size_t fed = 0;

    (void)state;
    evidence.has_carry_over = true;
    evidence.carry_over = (sy_carry_over){.5, 0, .001};
    options.question = SY_QUESTION_NOT_SLOWER;
    rule = rule_test_make(&options);
    assert_int_equal(rule_test_feed_letters(rule, "LLLLL", &fed).answer, SY_RULE_NOT_SLOWER);
    assert_string_equal(rule_test_finish(rule, &evidence).reason, "carry-over");
    sy_rule_destroy(rule);
    options.question = SY_QUESTION_FASTER;
    rule = rule_test_make(&options);
    assert_int_equal(rule_test_feed_letters(rule, "LLL", &fed).answer, SY_RULE_NO_GAIN);
    assert_int_equal(rule_test_finish(rule, &evidence).answer, SY_RULE_NO_GAIN);
    assert_string_equal(sy_rule_advice(rule), "");
    sy_rule_destroy(rule);
}

static void bounds_that_cross_each_other_are_drift(void **state)
{
    sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.beta = 1e-15; /* so that no gain does not end it before */
    rule = rule_test_make(&options);
    for (uint32_t n = 1; n <= 30; n++)
        s = rule_test_feed_d(rule, n <= 5 ? .02 : 0, n % 2 == 0);
    assert_true(s.answer == SY_RULE_CONTINUE && s.gain_low > s.gain_high);
    s = rule_test_finish(rule, &evidence);
    assert_string_equal(s.reason, "drift");
    assert_true(rule_test_has_note(rule, "drift: at least 2.0 % at one time, at most 0.0 % at another"));
    sy_rule_destroy(rule);
}

/* The total crosses early, falls below its threshold in the middle and returns, while first a case is waited for, then
 * the median. The first and the last third are alike, so that only the bounds tell. */
static void a_win_that_the_upper_bound_denied_meanwhile_is_drift(void **state)
{
    static const double weights[] = {1, 1e-6};
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.case_count = 2;
    options.weights = weights;
    options.max_pairs = 120;
    rule = rule_test_make(&options);
    for (uint32_t n = 1; s.answer == SY_RULE_CONTINUE; n++) {
        double a = n <= 15 || n > 56 ? .2 : 0;
        double b = n > 30 || n % 2 == 0 ? 0 : -.2;

        s = rule_test_feed(rule, (const sy_rule_pair[]){{100 * exp(a), 100, n % 3 == 0, SY_USABLE},
                                                        {100 * exp(b), 100, n % 2 == 0, SY_USABLE}});
    }
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_true(s.gain_high <= .03 && s.gain_low > .03);
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(s.reason, "drift");
    assert_true(rule_test_has_note(rule, "drift: 0.0 points between the first and the last third"));
    sy_rule_destroy(rule);
}

/* One pair of ten changes mode, and the separate medians with it: the pairs decide, and the note says so. */
static void a_win_that_separate_medians_do_not_show_is_noted(void **state)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s = {0};

    (void)state;
    for (uint32_t n = 0; s.answer == SY_RULE_CONTINUE; n++) {
        double reference = n < 6 ? 100 : 200;

        s = rule_test_feed(rule, &(sy_rule_pair){reference, n == 0 ? 190 : .95 * reference, n % 2 == 0, SY_USABLE});
    }
    assert_int_equal(s.rounds, 10);
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, SY_RULE_WIN);
    assert_true(s.total_gain < 0 && fabs(s.gain - .05) < 1e-12);
    assert_true(rule_test_has_note(rule, "total: the medians taken apart show a gain of -42.5 %; the pairs decide"));
    sy_rule_destroy(rule);
}

static void unusable_rounds_are_passed_over_by_the_guards(void **state)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    sy_rule *rule = rule_test_make(&options);
    size_t fed = 0;

    (void)state;
    rule_test_feed_letters(rule, "cLWLWLWLWLWcLWLWLW", &fed);
    assert_int_equal(fed, 18);
    rule_test_finish(rule, &evidence);
    assert_true(rule_test_has_note(rule, "drift: 20.0 points between the first and the last third"));
    assert_true(rule_test_has_note(rule, "order: 20.0 points between the orders"));
    sy_rule_destroy(rule);
}

/* Cases run in different orders within a round: the heavy one gives the round its order. */
static void the_order_of_a_round_is_that_of_most_of_its_time(void **state)
{
    static const double weights[] = {5, 1};
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_BUDGET);
    sy_rule *rule;
    sy_rule_state s;

    (void)state;
    options.case_count = 2;
    options.weights = weights;
    rule = rule_test_make(&options);
    for (uint32_t n = 0; n < 10; n++) {
        /* 10 x 5 against 100 x 1: the second case's order, in which its pairs differ, counts */
        bool first = n % 2 == 0;
        const sy_rule_pair pairs[] = {{10, 10, n < 5, SY_USABLE}, {100, first ? 90 : 110, first, SY_USABLE}};

        rule_test_feed(rule, pairs);
    }
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_true(rule_test_has_note(rule, "order: 13.3 points between the orders, p = 0.0079"));
    sy_rule_destroy(rule);
}

static void expect_open(sy_rule_end end, double resolvable_gain, const char *letters, const char *reason,
                        const char *advice)
{
    sy_rule_options options = rule_test_options();
    sy_rule_evidence evidence = rule_test_evidence(end);
    sy_rule *rule;
    sy_rule_state s;
    size_t fed = 0;

    options.max_pairs = 20;
    evidence.resolvable_gain = resolvable_gain;
    rule = rule_test_make(&options);
    rule_test_feed_letters(rule, letters, &fed);
    s = rule_test_finish(rule, &evidence);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    assert_string_equal(s.reason, reason);
    assert_string_equal(sy_rule_advice(rule), advice);
    sy_rule_destroy(rule);
}

static void what_ended_it_is_the_reason_and_what_would_decide_it_is_said(void **state)
{
    (void)state;
    expect_open(SY_RULE_END_BUDGET, NAN, "", "budget", "a larger budget: it left no time for a pair");
    expect_open(SY_RULE_END_BUDGET, NAN, "WWWW", "budget", "a larger budget: about 15 more pairs");
    expect_open(SY_RULE_END_WALL_LIMIT, .9, "WWWLL", "wall-limit", "a larger wall limit and a cap of about 850 pairs");
    expect_open(SY_RULE_END_BUDGET, NAN, "LL", "budget", "a larger budget");
    expect_open(SY_RULE_END_INTERRUPTED, NAN, "WW", "interrupted", "the pairs that were not run");
    expect_open(SY_RULE_END_CRASHED, NAN, "WW", "crashed", "implementations that finish their runs");
    expect_open(SY_RULE_END_RULE, NAN, "WWLWWLWWLWWLWWLWWLWW", "max-pairs",
                "a new probe with a cap of about 88 pairs; a quieter machine"); /* z = .47: z(60) = .55, z(100) = .44 */
    expect_open(SY_RULE_END_RULE, .0499, "WLWLWLWLWLWLWLWLWLWL", "max-pairs", "a quieter machine");
    expect_open(SY_RULE_END_RULE, .06, "WLWLWLWLWLWLWLWLWLWL", "noise", "a quieter machine");
    expect_open(SY_RULE_END_RULE, NAN, "tWLtWLWtLL", "timer", "times that the clock can resolve: more work in a run");
    expect_open(SY_RULE_END_RULE, NAN, "cWLcWLWcLL", "crashed", "implementations that finish their runs");
    expect_open(SY_RULE_END_RULE, NAN, "vWLvWLWvLL", "void", "runs that count: see why they were void");
}

static void too_many_unusable_pairs_are_the_reason_at_a_small_cap(void **state)
{
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule;
    size_t fed = 0;

    (void)state;
    options.max_pairs = 8;
    rule = rule_test_make(&options);
    rule_test_feed_letters(rule, "WLccWWLW", &fed);
    assert_string_equal(rule_test_finish(rule, &evidence).reason, "crashed");
    assert_true(rule_test_has_note(rule, "unusable: 2 of 8 pairs; runs: 0 timer, 2 crashed, 0 void"));
    sy_rule_destroy(rule);
}

static void a_bound_short_of_the_threshold_names_the_threshold_that_it_clears(void **state)
{
    sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(rule_end);
    sy_rule *rule;
    sy_rule_state s = {0};

    (void)state;
    options.beta = 1e-15;
    options.max_pairs = 10;
    rule = rule_test_make(&options);
    for (uint32_t n = 0; n < 10; n++)
        s = rule_test_feed_d(rule, -log1p(-.0205), n % 2 == 0);
    assert_true(fabs(s.gain_low - .0205) < 1e-12);
    rule_test_finish(rule, &evidence);
    assert_string_equal(sy_rule_advice(rule), "a minimum improvement of 2.0 % or less; a quieter machine");
    sy_rule_destroy(rule);
    options.question = SY_QUESTION_NOT_SLOWER;
    options.max_pairs = 12;
    rule = rule_test_make(&options);
    for (uint32_t n = 0; n < 12; n++)
        s = rule_test_feed_d(rule, n % 2 == 0 ? -.01 : -.05, n % 3 == 0);
    assert_int_equal(s.answer, SY_RULE_INCONCLUSIVE);
    rule_test_finish(rule, &evidence);
    /* exp(.05) is 1.0513 */
    assert_string_equal(sy_rule_advice(rule), "a margin of 5.2 % or more; a quieter machine");
    sy_rule_destroy(rule);
}

static void foresight_gives_the_figures_of_the_noise(void **state)
{
    sy_rule_options options = rule_test_options();
    sy_rule *rule = rule_test_make(&options);
    sy_rule_foresight seen;
    sy_error err = SY_ERROR_INIT;
    double z = 0;

    (void)state;
    assert_int_equal(sy_rule_foresee(rule, .02, &seen, NULL), SY_OK);
    assert_true(fabs(seen.resolvable_gain - (1 - .97 * exp(-.55 * .02))) < .0001);
    assert_true(seen.target_gain == .05 && !seen.past_cap);
    assert_in_range(seen.pairs_needed, 13, 16); /* z(N) = 1 lies between z(12) = 1.31 and z(16) = .98 */
    assert_int_equal(sy_rule_foresee(rule, .04, &seen, NULL), SY_OK);
    assert_true(seen.past_cap && seen.pairs_needed > 60 && seen.pairs_needed < 100);
    assert_int_equal(sy_rule_foresee(rule, 0, &seen, NULL), SY_OK);
    assert_true(fabs(seen.resolvable_gain - .03) < 1e-12 && seen.pairs_needed == 5);
    assert_int_equal(sy_rule_foresee(rule, 10, &seen, NULL), SY_OK);
    assert_true(seen.resolvable_gain > .99 && seen.resolvable_gain < 1 && seen.pairs_needed == 0 && seen.past_cap);
    assert_int_equal(sy_rule_foresee(rule, NAN, &seen, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_rule_foresee(rule, -1, &seen, &err), SY_INVALID_ARGUMENT);
    sy_rule_destroy(rule);
    options.kind = SY_RULE_MEDIANS;
    rule = rule_test_make(&options);
    assert_int_equal(sy_rule_foresee(rule, .02, &seen, NULL), SY_OK);
    assert_true(isnan(seen.resolvable_gain) && isnan(seen.target_gain) && seen.pairs_needed == 0 && !seen.past_cap);
    sy_rule_destroy(rule);
    options.kind = SY_RULE_CAPPED;
    options.question = SY_QUESTION_NOT_SLOWER;
    rule = rule_test_make(&options);
    assert_int_equal(sy_rule_foresee(rule, .02, &seen, NULL), SY_OK);
    assert_true(seen.target_gain == 0 && seen.resolvable_gain < -.018 && seen.resolvable_gain > -.020);
    /* SLOWER may end it, at alpha and not at beta */
    assert_int_equal(sy_gain_resolution(60, .05, .05, &z, NULL), SY_OK);
    assert_true(fabs(seen.resolvable_gain - (1 - 1.03 * exp(-z * .02))) < 1e-12);
    sy_rule_destroy(rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_guard_overturns_a_win_that_one_order_denies),
        cmocka_unit_test(the_order_guard_lets_a_win_stand_that_both_orders_show),
        cmocka_unit_test(the_order_guard_is_silent_with_fewer_than_five_in_an_order),
        cmocka_unit_test(the_drift_guard_overturns_a_win_that_one_third_denies),
        cmocka_unit_test(the_drift_guard_lets_a_win_stand_that_both_thirds_show),
        cmocka_unit_test(a_gain_outside_of_its_own_bounds_is_said_to_have_changed),
        cmocka_unit_test(the_drift_guard_is_silent_below_fifteen_pairs),
        cmocka_unit_test(the_carry_over_guard_overturns_only_what_it_could_have_made),
        cmocka_unit_test(guards_ask_not_slower_too_and_never_no_gain),
        cmocka_unit_test(bounds_that_cross_each_other_are_drift),
        cmocka_unit_test(a_win_that_the_upper_bound_denied_meanwhile_is_drift),
        cmocka_unit_test(a_win_that_separate_medians_do_not_show_is_noted),
        cmocka_unit_test(unusable_rounds_are_passed_over_by_the_guards),
        cmocka_unit_test(the_order_of_a_round_is_that_of_most_of_its_time),
        cmocka_unit_test(what_ended_it_is_the_reason_and_what_would_decide_it_is_said),
        cmocka_unit_test(too_many_unusable_pairs_are_the_reason_at_a_small_cap),
        cmocka_unit_test(a_bound_short_of_the_threshold_names_the_threshold_that_it_clears),
        cmocka_unit_test(foresight_gives_the_figures_of_the_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
