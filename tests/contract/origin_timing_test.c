/* SPDX-License-Identifier: Apache-2.0 */
/* The contract that an engine's author has with a probe, point by point (docs/origin-probes.md): what is timed, in
 * which order, what is made of it, and what a budget can and cannot do. All time is scripted. */
#include "spied_engine.h"

#define MILLISECOND UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static void warm_up_and_allocation_are_no_measured_time(void **state)
{
    (void)state;
    engine e = {.run_ns = {{MILLISECOND}, {900000}}};
    sy_probe_options options = few_pairs(5);
    sy_probe_result *r = NULL;
    options.warmup = 20;
    options.budget_ns = 100 * MILLISECOND;
    options.wall_limit_ns = 1000 * SECOND;
    open_engine(&e, ENGINE_SCRIPT("\"device\": {\"allocate_ns\": 2000000000},"));
    assert_int_equal(weigh_engine(&e, options, &r, NULL), SY_OK);
    assert_true(r->completed);
    assert_true(r->cases[0].reference_median_ns == 1e6 && r->cases[0].candidate_median_ns == 9e5);
    assert_true(r->wall_ns > 4 * SECOND); /* two graphs at least */
    assert_true(r->measured_ns <= options.budget_ns);
    /* 20 runs of each would be 38 ms more than the same without them. */
    const uint64_t measured_ns = r->measured_ns;
    end_engine(&e, r);
    engine cold = {.run_ns = {{MILLISECOND}, {900000}}};
    options.warmup = 0;
    open_engine(&cold, ENGINE_SCRIPT(""));
    assert_int_equal(weigh_engine(&cold, options, &r, NULL), SY_OK);
    assert_int_equal(r->measured_ns, measured_ns);
    end_engine(&cold, r);
}

/* ---- order ---- */

/* The kinds of events from `at` on, those of the pairs alone. */
static size_t next_of(const engine *e, size_t at, event_kind kind)
{
    while (at < e->event_count && (e->events[at].kind != kind || e->events[at].phase != SY_PHASE_ROUNDS))
        at++;
    return at;
}

/* One slot: a run that does not count, the wait for it, the clock, the timed run, the wait, the clock. Returns where it
 * ends; *ret_variant says whose it was. */
static size_t take_slot(const engine *e, size_t at, uint32_t *ret_variant, uint64_t *ret_inputs)
{
    static const event_kind pattern[] = {EVENT_RUN, EVENT_WAIT, EVENT_CLOCK, EVENT_RUN, EVENT_WAIT, EVENT_CLOCK};
    *ret_variant = e->events[at].variant;
    *ret_inputs = e->events[at].inputs;
    for (size_t i = 0; i < sizeof pattern / sizeof pattern[0]; i++) {
        if (at + i >= e->event_count || e->events[at + i].kind != pattern[i])
            fail_msg("event %zu of a slot is of kind %d, not %d", i, (int)e->events[at + i].kind, (int)pattern[i]);
        if (pattern[i] == EVENT_RUN)
            assert_true(e->events[at + i].variant == *ret_variant && e->events[at + i].inputs == *ret_inputs);
    }
    return at + sizeof pattern / sizeof pattern[0];
}

static void the_variants_take_turns_and_the_device_is_waited_for_around_each_timed_run(void **state)
{
    (void)state;
    engine e = {.case_count = 1};
    const sy_probe_options options = few_pairs(8);
    sy_probe_result *r = weighed_engine(&e, &options);
    size_t at = next_of(&e, 0, EVENT_RUN);
    assert_int_equal(r->cases[0].batch, 1);
    for (uint32_t pair = 0; pair < 8; pair++) {
        uint32_t first = 9, second = 9;
        uint64_t inputs[2] = {0};
        at = next_of(&e, take_slot(&e, at, &first, &inputs[0]), EVENT_RUN);
        at = next_of(&e, take_slot(&e, at, &second, &inputs[1]), EVENT_RUN);
        assert_int_equal(first, pair % 2); /* the one that went second goes first in the next pair */
        assert_int_equal(second, 1 - pair % 2);
        assert_true(inputs[0] == inputs[1]);
        assert_int_equal(r->samples[pair].reference_first, first == REFERENCE);
    }
    assert_int_equal(at, e.event_count);
    end_engine(&e, r);
}

static void a_coin_decides_who_goes_first_and_each_pair_has_both(void **state)
{
    (void)state;
    engine e = {.run_ns = {{MILLISECOND}, {969500}}};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *r = weighed_engine(&e, &options);
    size_t at = next_of(&e, 0, EVENT_RUN);
    uint32_t reference_first = 0;
    for (uint32_t pair = 0; pair < r->sample_count; pair++) {
        uint32_t first = 9, second = 9;
        uint64_t inputs[2] = {0};
        at = next_of(&e, take_slot(&e, at, &first, &inputs[0]), EVENT_RUN);
        at = next_of(&e, take_slot(&e, at, &second, &inputs[1]), EVENT_RUN);
        assert_true(inputs[0] == inputs[1]);
        assert_int_equal(first + second, REFERENCE + CANDIDATE);
        assert_int_equal(r->samples[pair].reference_first, first == REFERENCE);
        reference_first += first == REFERENCE;
    }
    assert_true(reference_first > 0 && reference_first < r->sample_count);
    end_engine(&e, r);
}

/* ---- what is made of it ---- */

/* Every seventh run takes fifty times as long: a sum or a mean would tell. */
static uint64_t with_outliers(const engine *e, uint32_t variant, uint32_t case_index, uint64_t run)
{
    return e->run_ns[variant][case_index] * (run % 7 == 3 ? 50 : 1);
}

static void sums_of_the_cases_medians_are_compared(void **state)
{
    (void)state;
    engine e = {
        .case_count = 2, .weights = {1, 3}, .run_ns = {{MILLISECOND, 400000}, {500000, 390000}}, .time = with_outliers};
    const sy_probe_options options = few_pairs(21);
    sy_probe_result *r = weighed_engine(&e, &options);
    size_t outliers = 0;
    for (size_t i = 0; i < r->sample_count; i++)
        outliers += r->samples[i].reference_ns > 1e7 || r->samples[i].candidate_ns > 1e7;
    assert_true(outliers > 0);
    assert_true(r->cases[0].reference_median_ns == 1e6 && r->cases[0].candidate_median_ns == 5e5);
    assert_true(r->cases[1].reference_median_ns == 4e5 && r->cases[1].candidate_median_ns == 3.9e5);
    assert_true(r->reference_total_ns == 1e6 + 3 * 4e5);
    assert_true(r->candidate_total_ns == 5e5 + 3 * 3.9e5);
    assert_true(fabs(r->total_gain - (1 - 1.67 / 2.2)) < 1e-12);
    end_engine(&e, r);
}

/* The long case gains 5 %, the short one loses 9 %: 3.7 % of the sum are saved, while the geometric mean loses 1.8 %.
 */
static void the_sum_decides_not_the_number_of_cases(void **state)
{
    (void)state;
    engine e = {.case_count = 2, .run_ns = {{10 * MILLISECOND, MILLISECOND}, {9500000, 1090000}}};
    sy_probe_options options = few_pairs(9);
    sy_probe_result *r = weighed_engine(&e, &options);
    assert_int_equal(r->decision, SY_DECISION_WIN);
    assert_true(r->candidate_faster);
    assert_true(fabs(r->total_gain - (1 - 10.59 / 11)) < 1e-12);
    assert_true(r->geometric_mean_gain < -0.017);
    end_engine(&e, r);
}

/* ---- budgets ---- */

/* Now 5 % quicker than the reference, now 1 %: a gain of 3 % is neither shown nor denied. */
static uint64_t about_the_threshold(const engine *e, uint32_t variant, uint32_t case_index, uint64_t run)
{
    const uint64_t run_ns = e->run_ns[variant][case_index];
    return variant == REFERENCE ? run_ns : run / 2 % 2 == 0 ? run_ns / 100 * 95 : run_ns / 100 * 99;
}

static void a_probe_that_its_budget_ends_says_why_and_is_no_answer(void **state)
{
    (void)state;
    engine e = {.run_ns = {{MILLISECOND}, {MILLISECOND}}, .time = about_the_threshold};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    char *json = NULL;
    options.budget_ns = 60 * MILLISECOND;
    sy_probe_result *r = weighed_engine(&e, &options);
    expect_end(r, SY_DECISION_INCONCLUSIVE, "budget");
    assert_false(r->completed || r->candidate_faster); /* though every pair gained */
    assert_true(r->pairs > 0 && r->pairs < r->max_pairs);
    assert_true(r->reference_total_ns == 1e6); /* of the pairs that there are */
    assert_true(r->candidate_total_ns >= 9.5e5 && r->candidate_total_ns <= 9.9e5);
    assert_true(r->measured_ns <= options.budget_ns);
    assert_string_equal(r->winner, "reference");
    assert_int_equal(sy_probe_result_to_json(r, &json, NULL), SY_OK);
    assert_non_null(strstr(json, "\"candidate_faster\": null"));
    assert_non_null(strstr(json, "\"completed\": false"));
    sy_text_free(json);
    end_engine(&e, r);
}

static void a_completed_probe_answers_either_way(void **state)
{
    (void)state;
    static const uint64_t candidates[] = {900000, 1000000, 1200000};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        engine e = {.run_ns = {{MILLISECOND}, {candidates[i]}}};
        const sy_probe_options options = SY_PROBE_OPTIONS_INIT;
        char *json = NULL;
        sy_probe_result *r = weighed_engine(&e, &options);
        assert_true(r->completed);
        assert_int_equal(r->candidate_faster, i == 0);
        assert_string_equal(r->error, "");
        assert_int_equal(sy_probe_result_to_json(r, &json, NULL), SY_OK);
        assert_non_null(strstr(json, i == 0 ? "\"candidate_faster\": true" : "\"candidate_faster\": false"));
        sy_text_free(json);
        end_engine(&e, r);
    }
}

/* The first run of the third pair takes a hundred seconds. */
static uint64_t with_one_that_stalls(const engine *e, uint32_t variant, uint32_t case_index, uint64_t run)
{
    (void)run;
    uint64_t before = 0;
    for (size_t i = 0; i < e->event_count; i++)
        before += e->events[i].kind == EVENT_RUN && e->events[i].phase == SY_PHASE_ROUNDS;
    return before == 2 * 4 + 2 ? 100 * SECOND : e->run_ns[variant][case_index];
}

static void a_budget_is_asked_before_each_pair_and_interrupts_none(void **state)
{
    (void)state;
    engine e = {.run_ns = {{MILLISECOND}, {969500}}, .time = with_one_that_stalls};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    options.wall_limit_ns = 100000 * SECOND;
    sy_probe_result *r = weighed_engine(&e, &options);
    uint64_t runs = 0;
    for (size_t i = 0; i < e.event_count; i++)
        runs += e.events[i].kind == EVENT_RUN && e.events[i].phase == SY_PHASE_ROUNDS;
    expect_end(r, SY_DECISION_INCONCLUSIVE, "budget");
    assert_true(r->measured_ns > 100 * SECOND); /* five times the budget: nothing cut it short */
    assert_int_equal(runs, 3 * 4);              /* its pair was ended, and no other begun */
    assert_int_equal(r->sample_count, 3);
    assert_true(fmax(r->samples[2].reference_ns, r->samples[2].candidate_ns) == 1e11);
    assert_true(fmin(r->samples[2].reference_ns, r->samples[2].candidate_ns) > 0);
    end_engine(&e, r);
}

static void a_budget_of_nothing_begins_no_pair(void **state)
{
    (void)state;
    engine e = {.case_count = 1};
    sy_probe_options options = few_pairs(5);
    options.budget_ns = 0;
    sy_probe_result *r = weighed_engine(&e, &options);
    expect_end(r, SY_DECISION_INCONCLUSIVE, "budget");
    assert_int_equal(r->sample_count, 0);
    assert_int_equal(next_of(&e, 0, EVENT_RUN), e.event_count);
    end_engine(&e, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_up_and_allocation_are_no_measured_time),
        cmocka_unit_test(the_variants_take_turns_and_the_device_is_waited_for_around_each_timed_run),
        cmocka_unit_test(a_coin_decides_who_goes_first_and_each_pair_has_both),
        cmocka_unit_test(sums_of_the_cases_medians_are_compared),
        cmocka_unit_test(the_sum_decides_not_the_number_of_cases),
        cmocka_unit_test(a_probe_that_its_budget_ends_says_why_and_is_no_answer),
        cmocka_unit_test(a_completed_probe_answers_either_way),
        cmocka_unit_test(a_budget_is_asked_before_each_pair_and_interrupts_none),
        cmocka_unit_test(a_budget_of_nothing_begins_no_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
