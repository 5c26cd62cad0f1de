/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe may spend, whom a failure belongs to, and what is lost with a dead worker: on scripted machines. */
#include "probe_support.h"

#include <math.h>

#define TEN_CASES                                                                                                      \
    "\"cases\": [{\"name\": \"c0\"}, {\"name\": \"c1\"}, {\"name\": \"c2\"}, {\"name\": \"c3\"}, {\"name\": \"c4\"}, " \
    "{\"name\": \"c5\"}, {\"name\": \"c6\"}, {\"name\": \"c7\"}, {\"name\": \"c8\"}, {\"name\": \"c9\"}]"
#define HEAD "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, "

static const char *const ten_slow_cases = HEAD TEN_CASES
    ", \"implementations\": [{\"name\": \"r\", \"role\": \"reference\", \"law\": {\"base_ns\": 100000000}}, {\"name\": "
    "\"f\", \"law\": {\"base_ns\": 90000000}}]}";

static bool has_note(const sy_probe_result *result, const char *words)
{
    for (size_t i = 0; i < result->note_count; i++) {
        if (strstr(result->notes[i], words))
            return true;
    }
    return false;
}

static void no_step_overruns_the_budget(void **state)
{
    (void)state;
    for (uint64_t seconds = 1; seconds <= 8; seconds++) {
        sy_probe_options options = seeded(1);
        options.budget_ns = seconds * UINT64_C(1000000000);
        options.wall_limit_ns = UINT64_C(1000000000000);
        weighed w = weigh(ten_slow_cases, &options);
        assert_int_equal(w.status, SY_OK);
        assert_true(w.result->measured_ns <= options.budget_ns);
        assert_string_equal(w.result->reason, "budget");
        finish(&w);
    }
}

static void no_step_overruns_the_wall_limit(void **state)
{
    (void)state;
    for (uint64_t seconds = 20; seconds <= 60; seconds += 10) {
        sy_probe_options options = seeded(1);
        options.budget_ns = UINT64_C(1000000000000);
        options.wall_limit_ns = seconds * UINT64_C(1000000000);
        weighed w = weigh(ten_slow_cases, &options);
        assert_int_equal(w.status, SY_OK);
        assert_true(w.result->wall_ns <= options.wall_limit_ns + UINT64_C(200000000)); /* a warm-up run in progress */
        finish(&w);
    }
}

static void a_crawling_candidate_costs_only_its_own_slots(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.wall_limit_ns = UINT64_C(200000000000);
    options.budget_ns = UINT64_C(40000000000);
    weighed w = weigh(HEAD "\"cases\": [{\"name\": \"one\"}], \"implementations\": [{\"name\": \"r\", \"role\": "
                           "\"reference\", \"law\": {\"base_ns\": 10000000, "
                           "\"model\": \"quiet\"}}, {\"name\": \"fast\", \"law\": {\"base_ns\": 8500000, \"model\": "
                           "\"quiet\"}}, {\"name\": \"crawl\", \"law\": "
                           "{\"base_ns\": 4000000000, \"model\": \"quiet\"}}]}",
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_string_equal(w.result->winner, "fast");
    assert_true(w.result->has_carry_over);
    finish(&w);
}

static void a_win_that_was_not_controlled_does_not_stand(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.budget_ns = UINT64_C(45000000); /* noise and a handful of pairs of 2 ms, not 33 slots more */
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "500000", "")), &options);
    assert_int_equal(w.status, SY_OK);
    assert_false(w.result->has_carry_over);
    assert_true(has_note(w.result, "carry-over was not controlled"));
    assert_int_equal(w.result->decision, SY_DECISION_INCONCLUSIVE);
    assert_string_equal(w.result->reason, "carry-over");
    finish(&w);
}

static void no_wall_limit_is_no_deadline_in_the_past(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.wall_limit_ns = UINT64_MAX;
    options.budget_ns = UINT64_MAX;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    finish(&w);
}

/* A crash in the last round of one case takes the outputs of all: they are made again, not called wrong. */
static void outputs_that_a_dead_worker_lost_are_made_again(void **state)
{
    (void)state;
    for (int crash_at = 95; crash_at < 125; crash_at++) {
        char script[1024];
        sy_probe_options options = seeded(1);
        options.max_pairs = 5;
        (void)snprintf(script, sizeof(script),
                       HEAD
                       "\"cases\": [{\"name\": \"one\"}, {\"name\": \"two\"}], \"implementations\": [" REFERENCE
                       ", {\"name\": \"k\", \"law\": {\"base_ns\": 850000, \"model\": \"quiet\"}, \"crash_at\": %d}]}",
                       crash_at);
        weighed w = weigh(script, &options);
        assert_int_equal(w.status, SY_OK);
        if (w.result->decision == SY_DECISION_PARITY_FAILED)
            fail_msg("crash at run %d: %s", crash_at, w.result->error);
        finish(&w);
    }
}

static void times_that_end_in_the_pairs_leave_a_result(void **state)
{
    (void)state;
    char times[1024] = "";
    char script[2048];
    for (int i = 0; i < 60; i++)
        (void)snprintf(times + strlen(times), sizeof(times) - strlen(times), "%s%d", i ? ", " : "",
                       i % 2 ? 969000 : 971000);
    (void)snprintf(script, sizeof(script),
                   SCRIPT_WITH("", REFERENCE ", {\"name\": \"f\", \"times\": [%s], \"then\": \"end\"}"), times);
    sy_probe_options options = seeded(1);
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "crashed");
    assert_true(w.result->sample_count > 0);
    assert_true(has_note(w.result, "the pairs ended"));
    finish(&w);
}

static void the_candidate_at_hand_is_the_one_that_is_told(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("wrong", "500000", ", \"fault\": \"zeros\"") "," CANDIDATE(
                            "late", "850000", ", \"crash_at\": 20")),
        &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "crashed");
    assert_non_null(strstr(w.result->error, "late"));
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("wrong", "500000", ", \"fault\": \"zeros\"") "," CANDIDATE(
                                  "late", "850000",
                                  ", \"fault\": \"wrong\", "
                                  "\"fault_from_run\": 40")),
              &options);
    expect_decision(&w, SY_DECISION_PARITY_FAILED, "parity");
    assert_non_null(strstr(w.result->error, "late"));
    finish(&w);
}

static void a_failed_reference_leaves_the_others_unjudged(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH(
            "",
            "{\"name\": \"r\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000}, \"fault\": \"nan\"}," CANDIDATE(
                "f", "900", "")),
        &options);
    expect_decision(&w, SY_DECISION_PARITY_FAILED, "parity");
    assert_null(w.result->winner);
    assert_int_equal(w.result->candidates[0].decision, SY_DECISION_INCONCLUSIVE);
    assert_string_equal(w.result->candidates[0].reason, "reference");
    assert_non_null(strstr(w.result->error, "nonfinite: reference"));
    finish(&w);
}

static void a_hang_in_warm_up_is_a_time_out(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("h", "900000", ", \"hang_at\": 8")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "time-out");
    finish(&w);
}

/* Seed 1 draws orders that differ between the cases of a round. */
static void each_case_of_a_halving_round_keeps_its_own_order(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        HEAD
        "\"cases\": [{\"name\": \"one\"}, {\"name\": \"two\"}, {\"name\": \"three\"}], \"implementations\": [" REFERENCE
        "," CANDIDATE("a", "850000", "") "," CANDIDATE("b", "950000", "") "]}",
        &options);
    bool differs = false;
    assert_int_equal(w.status, SY_OK);
    for (size_t i = 0; i < w.result->sample_count; i++) {
        for (size_t j = 0; j < w.result->sample_count; j++) {
            const sy_sample *a = &w.result->samples[i];
            const sy_sample *b = &w.result->samples[j];
            differs |= !a->final && !b->final && a->round == b->round && a->candidate == b->candidate &&
                       a->reference_first != b->reference_first;
        }
    }
    assert_true(differs);
    finish(&w);
}

static void a_caller_without_an_error_object_loses_no_text_of_the_result(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("k", "900000", ", \"crash_at\": 2")), &options);
    sy_device_close(w.device); /* a new one counts its runs from the first again */
    device_options.script = w.path;
    assert_int_equal(sy_device_open("fake", &device_options, &w.device, NULL), SY_OK);
    assert_int_equal(sy_device_suite(w.device, "ring", &w.suite, NULL), SY_OK);
    assert_int_equal(sy_probe(w.device, w.suite, &options, &result, NULL), SY_OK);
    assert_int_equal(result->decision, w.result->decision);
    assert_non_null(strstr(result->error, "k: "));
    assert_true(strlen(result->candidates[0].detail) > 5);
    sy_probe_result_destroy(result);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_overruns_the_budget),
        cmocka_unit_test(no_step_overruns_the_wall_limit),
        cmocka_unit_test(a_crawling_candidate_costs_only_its_own_slots),
        cmocka_unit_test(a_win_that_was_not_controlled_does_not_stand),
        cmocka_unit_test(no_wall_limit_is_no_deadline_in_the_past),
        cmocka_unit_test(outputs_that_a_dead_worker_lost_are_made_again),
        cmocka_unit_test(times_that_end_in_the_pairs_leave_a_result),
        cmocka_unit_test(the_candidate_at_hand_is_the_one_that_is_told),
        cmocka_unit_test(a_failed_reference_leaves_the_others_unjudged),
        cmocka_unit_test(a_hang_in_warm_up_is_a_time_out),
        cmocka_unit_test(each_case_of_a_halving_round_keeps_its_own_order),
        cmocka_unit_test(a_caller_without_an_error_object_loses_no_text_of_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
