/* SPDX-License-Identifier: Apache-2.0 */
/* The guard that looks at the pairs in which a run was switched away: what fires it, what must not, and how often it
 * overturns a right win where switches strike at random. */
#include "base/random.h"
#include "probe/rule/rule_test_support.h"

/* One pair of a script. */
typedef struct scripted {
    double d;
    bool preempted;
} scripted;

/* Feeds until the rule answers; the orders alternate. */
static sy_rule_state play(sy_rule *rule, const scripted *pairs, size_t count)
{
    sy_rule_state s = {0};

    for (size_t i = 0; i < count && s.answer == SY_RULE_CONTINUE; i++) {
        if (pairs[i].preempted)
            sy_rule_mark_preempted(rule);
        s = rule_test_feed_d(rule, pairs[i].d, i % 2 == 0);
    }
    return s;
}

static void expect(const scripted *pairs, size_t count, sy_rule_answer answer, const char *reason, const char *note)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule = rule_test_make(&options);
    sy_rule_state s;

    assert_int_equal(play(rule, pairs, count).answer, SY_RULE_WIN);
    s = rule_test_finish(rule, &evidence);
    if (s.answer != answer || strcmp(s.reason, reason) != 0)
        fail_msg("answer %d \"%s\"", s.answer, s.reason);
    assert_int_equal(rule_test_has_note(rule, "preempted"), note != NULL);
    if (note != NULL)
        assert_true(rule_test_has_note(rule, note));
    if (answer == SY_RULE_INCONCLUSIVE)
        assert_string_equal(sy_rule_advice(rule),
                            "processors that nothing else runs on: stop what runs beside, or fewer threads");
    sy_rule_destroy(rule);
}

/* theta is .0305. Three losses make the win come at 17:14. */
static void a_win_of_preempted_pairs_alone_is_overturned(void **state)
{
    /* undisturbed: .010 .011 .012 .035 .029, median below; 1 - e^-.255 = 22.5 %, 1 - e^-.012 = 1.2 % */
    static const scripted pairs[] = {{.010, false}, {.20, true},   {.011, false}, {.21, true}, {.22, true},
                                     {.012, false}, {.035, false}, {.036, false}, {.23, true}, {.24, true},
                                     {.25, true},   {.26, true},   {.27, true},   {.28, true}, {.29, true},
                                     {.30, true},   {.31, true}};

    (void)state;
    expect(pairs, 17, SY_RULE_INCONCLUSIVE, "preempted", "preempted: 21.3 points between pairs with and without");
}

static void a_win_that_undisturbed_pairs_show_stands(void **state)
{
    /* as different, but the undisturbed pairs show the gain too */
    static const scripted both[] = {{.010, true},  {.20, true},   {.011, true},  {.21, true},   {.22, true},
                                    {.012, true},  {.035, false}, {.036, false}, {.037, false}, {.038, false},
                                    {.039, false}, {.26, true},   {.27, true},   {.28, true},   {.29, true},
                                    {.30, true},   {.31, true}};
    /* the preempted ones deny it: the candidate was the victim */
    static const scripted victim[] = {{.010, true}, {.20, false}, {-.9, true},  {.21, false}, {.22, false},
                                      {-.5, true},  {.035, true}, {.036, true}, {.23, false}, {.24, false},
                                      {.25, false}, {.26, false}, {.27, false}, {.28, false}, {.29, false},
                                      {.30, false}, {.31, false}};

    /* the undisturbed ones deny it, but the ranks do not tell them apart */
    static const scripted mixed[] = {{.010, false}, {.20, true},  {.011, false}, {.21, true}, {.22, true},
                                     {.012, false}, {.40, false}, {.41, false},  {.23, true}, {.24, true},
                                     {.25, true},   {.26, true},  {.27, true},   {.28, true}, {.29, true},
                                     {.30, true},   {.31, true}};

    (void)state;
    expect(mixed, 17, SY_RULE_WIN, "", "preempted: ");
    expect(both, 17, SY_RULE_WIN, "", "preempted: ");
    expect(victim, 17, SY_RULE_WIN, "", "preempted: ");
}

static void fewer_than_five_of_a_kind_say_nothing(void **state)
{
    static const scripted four[] = {{.010, false}, {.20, true}, {.011, false}, {.21, true}, {.22, true}, {.012, false},
                                    {.035, false}, {.26, true}, {.23, true},   {.24, true}, {.25, true}, {.26, true},
                                    {.27, true},   {.28, true}, {.29, true},   {.30, true}, {.31, true}};

    (void)state;
    expect(four, 17, SY_RULE_WIN, "", NULL);
}

static void a_mark_is_of_one_round_alone(void **state)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_rule *rule = rule_test_make(&options);
    scripted pairs[17];

    (void)state;
    for (int i = 0; i < 17; i++)
        pairs[i] = (scripted){i == 1 || i == 4 || i == 6 ? .01 : .2, i < 4};
    assert_int_equal(play(rule, pairs, 17).answer, SY_RULE_WIN);
    rule_test_finish(rule, &evidence);
    assert_false(rule_test_has_note(rule, "preempted")); /* four of a kind */
    sy_rule_destroy(rule);
}

/* Switches strike either side with probability .2 and take 5 to 50 % of its run: a candidate two points above the
 * threshold is overturned in less than 1 % of its wins. */
static void right_wins_survive_random_switches(void **state)
{
    const sy_rule_options options = rule_test_options();
    const sy_rule_evidence evidence = rule_test_evidence(SY_RULE_END_RULE);
    sy_random random;
    int wins = 0;
    int overturned = 0;

    (void)state;
    sy_random_start(&random, 1, "switches");
    for (int probe = 0; probe < 2000; probe++) {
        sy_rule *rule = rule_test_make(&options);
        sy_rule_state s = {0};

        for (int n = 0; s.answer == SY_RULE_CONTINUE; n++) {
            double d = -log(1 - .05) + .014 * sy_random_normal(&random);
            bool preempted = false;

            for (int side = -1; side <= 1; side += 2) {
                if (sy_random_unit(&random) >= .2)
                    continue;
                d += side * log(1 + .05 + .45 * sy_random_unit(&random));
                preempted = true;
            }
            if (preempted)
                sy_rule_mark_preempted(rule);
            s = rule_test_feed_d(rule, d, n % 2 == 0);
        }
        if (s.answer == SY_RULE_WIN) {
            wins++;
            overturned += rule_test_finish(rule, &evidence).answer != SY_RULE_WIN;
        }
        sy_rule_destroy(rule);
    }
    assert_true(wins > 1500);
    if (overturned * 100 > wins)
        fail_msg("%d of %d right wins were overturned", overturned, wins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_win_of_preempted_pairs_alone_is_overturned),
        cmocka_unit_test(a_win_that_undisturbed_pairs_show_stands),
        cmocka_unit_test(fewer_than_five_of_a_kind_say_nothing),
        cmocka_unit_test(a_mark_is_of_one_round_alone),
        cmocka_unit_test(right_wins_survive_random_switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
