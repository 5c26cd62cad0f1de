/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that do not fit the wall limit or the memory are left out, by name and with a prediction; never silently. */
#include "probe_support.h"

#include <math.h>

#define HEAD "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, "
#define TWO "\"implementations\": [" REFERENCE "," CANDIDATE("f", "850000", "") "]}"
#define SECONDS(s) ((uint64_t)((s)*1e9))

static const sy_case_result *find(const sy_probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->case_count; i++) {
        if (strcmp(result->cases[i].name, name) == 0)
            return &result->cases[i];
    }
    fail_msg("no case %s", name);
    return NULL;
}

static void expect_left_out(const sy_probe_result *result, const char *name, const char *why)
{
    if (strcmp(find(result, name)->left_out, why) != 0)
        fail_msg("%s: '%s' instead of '%s'", name, find(result, name)->left_out, why);
}

/* The middle case takes 3,000 times as long as its neighbours: about 145 runs of 3 s. */
static const char *const one_is_huge = HEAD
    "\"cases\": [{\"name\": \"a\", \"weight\": 3}, {\"name\": \"huge\", \"factor\": 3000}, {\"name\": \"b\"}]," TWO;

static void a_case_that_does_not_fit_is_left_out_with_its_prediction(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(one_is_huge, &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->case_count, 3);
    expect_left_out(w.result, "a", "");
    expect_left_out(w.result, "b", "");
    expect_left_out(w.result, "huge", "wall-limit");
    assert_string_equal(w.result->cases[2].name, "huge"); /* behind those that are covered */
    /* Parity 11 runs, warm-up 12, batch and noise 20 slots, control 33, rounds 20: 3 s the slot's run, 3 s the untimed.
     */
    assert_true(w.result->cases[2].predicted_wall_ns > 200e9 && w.result->cases[2].predicted_wall_ns < 600e9);
    assert_true(find(w.result, "a")->predicted_wall_ns < 1e9);
    assert_true(w.result->wall_ns <= options.wall_limit_ns);
    assert_true(isnan(w.result->cases[2].gain) && isnan(w.result->cases[2].share));
    assert_true(fabs(find(w.result, "a")->share + find(w.result, "b")->share - 1) < 1e-9);
    assert_true(find(w.result, "a")->weight == 3);
    finish(&w);
}

static void samples_name_the_cases_that_were_weighed(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(one_is_huge, &options);
    assert_int_equal(w.status, SY_OK);
    assert_true(w.result->sample_count > 0);
    for (size_t i = 0; i < w.result->sample_count; i++) {
        const sy_case_result *c = &w.result->cases[w.result->samples[i].case_index];
        assert_string_equal(c->left_out, "");
        assert_true(w.result->samples[i].reference_ns < 2e6);
    }
    finish(&w);
}

static void with_time_enough_every_case_is_covered(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.wall_limit_ns = SECONDS(2000);
    options.budget_ns = SECONDS(2000);
    weighed w = weigh(one_is_huge, &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_left_out(w.result, "huge", "");
    assert_string_equal(w.result->cases[1].name, "huge"); /* in suite order */
    assert_true(w.result->cases[1].predicted_wall_ns > 200e9);
    finish(&w);
}

/* 20 of 30 ms a run: each case needs some 4 s, all of them 80 s. */
static void of_cases_that_fit_alone_the_dearest_are_left_out(void **state)
{
    (void)state;
    char script[4096] = HEAD "\"cases\": [";
    sy_probe_options options = seeded(1);
    for (int i = 0; i < 20; i++)
        (void)snprintf(script + strlen(script), sizeof(script) - strlen(script),
                       "%s{\"name\": \"c%02d\", \"factor\": %d}", i ? ", " : "", i, 30 + (i * 7) % 20);
    (void)snprintf(script + strlen(script), sizeof(script) - strlen(script), "], %s", TWO);
    weighed w = weigh(script, &options);
    double dearest_covered = 0;
    double cheapest_left_out = INFINITY;
    size_t covered = 0;
    expect_decision(&w, SY_DECISION_WIN, "");
    for (size_t i = 0; i < w.result->case_count; i++) {
        const sy_case_result *c = &w.result->cases[i];
        covered += c->left_out[0] == '\0';
        if (c->left_out[0])
            cheapest_left_out = fmin(cheapest_left_out, c->predicted_wall_ns);
        else
            dearest_covered = fmax(dearest_covered, c->predicted_wall_ns);
    }
    assert_true(covered > 3 && covered < 17);
    assert_true(dearest_covered <= cheapest_left_out * 1.01);
    assert_true(w.result->wall_ns <= options.wall_limit_ns);
    finish(&w);
}

static void when_nothing_fits_the_probe_says_what_each_case_needs(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"cases\": [{\"name\": \"large\", \"factor\": 3000}, {\"name\": \"larger\", \"factor\": "
                           "4000}]," TWO,
                      &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "wall-limit");
    assert_non_null(strstr(w.result->error, "large needs about "));
    assert_non_null(strstr(w.result->error, "larger needs about "));
    assert_non_null(strstr(w.result->advice, "a wall limit of about "));
    expect_left_out(w.result, "large", "wall-limit");
    expect_left_out(w.result, "larger", "wall-limit");
    assert_int_equal(w.result->pairs, 0);
    assert_string_equal(w.result->winner, "r");
    assert_true(w.result->wall_ns <= options.wall_limit_ns);
    finish(&w);
}

/* A million elements take 500 times as many operations as 2,000: the rate of the small case says that the other can
 * never fit, so not one run of it is made. */
static void what_the_rate_of_a_smaller_case_rules_out_is_not_run_at_all(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"cases\": [{\"name\": \"million\", \"n\": 1000000, \"factor\": 40000}, {\"name\": "
                           "\"thousands\", \"n\": 2000, \"factor\": 80}]," TWO,
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_left_out(w.result, "million", "wall-limit");
    assert_int_equal(find(w.result, "million")->parity.outcome, SY_PARITY_NOT_PERFORMED);
    assert_true(w.result->wall_ns < SECONDS(40)); /* one run of it would take 40 s */
    finish(&w);
}

static void a_crawling_candidate_does_not_cost_the_others_a_case(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"cases\": [{\"name\": \"one\", \"factor\": 20}], \"implementations\": [" REFERENCE
                           "," CANDIDATE("f", "850000", "") "," CANDIDATE("crawl", "400000000", "") "]}",
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_string_equal(w.result->winner, "f");
    assert_string_equal(w.result->candidates[1].reason, "slower");
    assert_non_null(strstr(w.result->candidates[1].detail, "too slow to be weighed"));
    assert_true(w.result->candidates[1].gain < -50);
    finish(&w);
}

/* 2 s a run: not clear at once, but too much when all is counted. */
static void a_candidate_that_crawls_less_leaves_before_a_case_does(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"cases\": [{\"name\": \"one\", \"factor\": 20}], \"implementations\": [" REFERENCE
                           "," CANDIDATE("f", "850000", "") "," CANDIDATE("crawl", "150000000", "") "]}",
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_non_null(strstr(w.result->candidates[1].detail, "too slow to be weighed"));
    expect_left_out(w.result, "one", "");
    finish(&w);
}

static void a_case_that_the_reference_cannot_hold_is_left_out(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"device\": {\"free_memory_bytes\": 1000000}, \"cases\": [{\"name\": \"big\", \"n\": "
                           "100000}, {\"name\": \"small\"}]," TWO,
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_left_out(w.result, "big", "memory");
    expect_left_out(w.result, "small", "");
    finish(&w);
}

/* Two cases of 12 kB each and implementation: three halves of that would be no use to anybody. */
static void a_case_whose_candidate_would_find_no_room_is_left_out(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"device\": {\"free_memory_bytes\": 36000}, \"cases\": [{\"name\": \"one\", \"n\": "
                           "1000}, {\"name\": \"two\", \"n\": 1000}]," TWO,
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_left_out(w.result, "one", "");
    expect_left_out(w.result, "two", "memory");
    finish(&w);
}

/* A hundred copies of 2.4 MB for each of the two, at 2 ns a byte: that is more than all runs take. */
static void cold_buffers_take_their_time_to_be_made(void **state)
{
    (void)state;
    static const char *const script = HEAD "\"cases\": [{\"name\": \"one\", \"n\": 200000}]," TWO;
    sy_probe_options options = seeded(1);
    options.wall_limit_ns = SECONDS(0.5);
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    finish(&w);
    options.cache = SY_CACHE_COLD;
    options.cache_bytes = 80000000;
    w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "wall-limit");
    expect_left_out(w.result, "one", "wall-limit");
    assert_true(w.result->cases[0].predicted_wall_ns > 1e9 && w.result->cases[0].predicted_wall_ns < 1.5e9);
    finish(&w);
}

static void a_reference_that_fits_nowhere_is_unavailable(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(HEAD "\"device\": {\"free_memory_bytes\": 1000}, \"cases\": [{\"name\": \"big\", \"n\": "
                           "100000}, {\"name\": \"large\", \"n\": 10000}]," TWO,
                      &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "memory");
    assert_non_null(strstr(w.result->error, "needs 117 KiB"));
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_that_does_not_fit_is_left_out_with_its_prediction),
        cmocka_unit_test(samples_name_the_cases_that_were_weighed),
        cmocka_unit_test(with_time_enough_every_case_is_covered),
        cmocka_unit_test(of_cases_that_fit_alone_the_dearest_are_left_out),
        cmocka_unit_test(when_nothing_fits_the_probe_says_what_each_case_needs),
        cmocka_unit_test(what_the_rate_of_a_smaller_case_rules_out_is_not_run_at_all),
        cmocka_unit_test(a_crawling_candidate_does_not_cost_the_others_a_case),
        cmocka_unit_test(a_candidate_that_crawls_less_leaves_before_a_case_does),
        cmocka_unit_test(a_case_that_the_reference_cannot_hold_is_left_out),
        cmocka_unit_test(a_case_whose_candidate_would_find_no_room_is_left_out),
        cmocka_unit_test(cold_buffers_take_their_time_to_be_made),
        cmocka_unit_test(a_reference_that_fits_nowhere_is_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
