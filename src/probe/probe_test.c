/* SPDX-License-Identifier: Apache-2.0 */
/* The whole probe on scripted machines: each decision, each reason, in one process on the fake backend's own clock. */
#include "probe_support.h"

#include <math.h>

#include "backends/graph.h"

static void a_candidate_that_is_a_tenth_faster_wins(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    const sy_probe_result *r = w.result;
    assert_string_equal(r->winner, "f");
    assert_string_equal(r->reference, "r");
    assert_true(r->candidate_faster);
    assert_true(r->gain > 0.09 && r->gain < 0.11);
    assert_true(r->gain_low > r->min_improvement && r->gain_low < r->gain);
    assert_true(r->pairs >= 5 && r->pairs <= r->max_pairs);
    assert_true(r->e_value > 1);
    assert_true(r->has_carry_over);
    assert_int_equal(r->isolation, SY_ISOLATION_NONE);
    assert_int_equal(r->cases[0].parity.outcome, SY_PARITY_PASSED);
    assert_true(r->cases[0].parity.error_in_tolerances <= 1);
    assert_string_equal(r->cases[0].parity.digest, r->cases[0].parity.reference_digest);
    assert_int_equal(r->sample_count, r->pairs);
    finish(&w);
}

static void an_equal_candidate_gains_nothing(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("e", "1000000", "")), &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "");
    assert_string_equal(w.result->winner, "r");
    assert_false(w.result->candidate_faster);
    finish(&w);
}

static void not_slower_has_its_own_two_answers(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.question = SY_QUESTION_NOT_SLOWER;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("e", "1000000", "")), &options);
    expect_decision(&w, SY_DECISION_NOT_SLOWER, "");
    assert_string_equal(w.result->winner, "r");
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("s", "1200000", "")), &options);
    expect_decision(&w, SY_DECISION_SLOWER, "");
    finish(&w);
}

static void the_medians_rule_takes_exactly_its_pairs(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = 12;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->pairs, 12);
    for (size_t i = 0; i < w.result->sample_count; i++)
        assert_int_equal(w.result->samples[i].reference_first, i % 2 == 0); /* strictly alternated */
    finish(&w);
}

/* Each fault of an output, and the words that name it. */
static void every_wrong_output_fails_parity_before_any_time_is_taken(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        const char *words;
    } faults[] = {
        {"nan", "nonfinite: candidate"},
        {"nothing", "not written"},
        {"half", "not written"},
        {"zeros", "outside"},
        {"shifted", "outside"},
        {"wrong", "outside"},
        {"input-changed", "input was changed"},
        {"stale", "not written"},
        {"past-the-end", "output"},
        {"before-the-start", "output"},
        {"memoised", "outside"},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char script[1024];
        sy_probe_options options = seeded(1);
        (void)snprintf(script, sizeof(script),
                       SCRIPT_WITH("", REFERENCE "," CANDIDATE("b", "500000", ", \"fault\": \"%s\"")), faults[i].fault);
        weighed w = weigh(script, &options);
        expect_decision(&w, SY_DECISION_PARITY_FAILED, "parity");
        if (!strstr(w.result->candidates[0].detail, faults[i].words))
            fail_msg("%s: '%s' holds no '%s'", faults[i].fault, w.result->candidates[0].detail, faults[i].words);
        assert_string_equal(w.result->winner, "r");
        assert_int_equal(w.result->sample_count, 0);
        assert_int_equal(w.result->candidates[0].parity, SY_PARITY_FAILED);
        assert_int_equal(w.result->cases[0].parity.outcome, SY_PARITY_FAILED);
        finish(&w);
    }
}

static void a_fault_that_begins_with_the_pairs_is_found_in_the_last_timed_output(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("b", "500000", ", \"fault\": \"wrong\", \"fault_from_run\": 40")),
        &options);
    expect_decision(&w, SY_DECISION_PARITY_FAILED, "parity");
    assert_non_null(strstr(w.result->error, "the last timed output"));
    assert_string_equal(w.result->winner, "r");
    assert_true(w.result->sample_count > 0);
    finish(&w);
}

/* It computes while parity looks and remembers from then on: slots change an element of the inputs, so the memory is
 * wrong. */
static void an_implementation_that_remembers_later_is_found(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("m", "500000", ", \"fault\": \"memoised\", \"fault_from_run\": 40")),
        &options);
    expect_decision(&w, SY_DECISION_PARITY_FAILED, "parity");
    assert_non_null(strstr(w.result->error, "the last timed output"));
    finish(&w);
}

static void runs_that_differ_are_a_class_and_may_win(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("n", "900000", ", \"fault\": \"nondeterministic\"")),
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->candidates[0].error_class, SY_CLASS_NONDETERMINISTIC);
    assert_false(w.result->cases[0].parity.deterministic);
    finish(&w);
}

static void a_wrong_reference_ends_the_probe(void **state)
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
    assert_non_null(strstr(w.result->error, "the reference r"));
    finish(&w);
}

static void a_tolerance_above_the_signal_is_vacuous(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.absolute_tolerance = 10;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_VACUOUS, "vacuous");
    finish(&w);
}

static void what_is_not_there_is_unavailable_with_its_reason(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("u", "900000", ", \"unavailable\": \"no such unit\"")),
                      &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "unsupported");
    assert_non_null(strstr(w.result->error, "no such unit"));
    assert_string_equal(w.result->winner, "r");
    finish(&w);
    w = weigh(SCRIPT_WITH(
                  "", REFERENCE
                  "," CANDIDATE("u", "900000", ", \"unavailable\": \"no such unit\"") "," CANDIDATE("f", "900000", "")),
              &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_string_equal(w.result->winner, "f");
    assert_int_equal(w.result->candidates[0].decision, SY_DECISION_UNAVAILABLE);
    finish(&w);
}

static void memory_is_admitted_before_it_is_taken(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    const char *script = SCRIPT_WITH("\"device\": {\"free_memory_bytes\": 100000},",
                                     REFERENCE "," CANDIDATE("f", "900000", ", \"memory_bytes\": 200000"));
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "memory");
    finish(&w);
    options.min_free_memory_bytes = 99999;
    w = weigh(SCRIPT_WITH("\"device\": {\"free_memory_bytes\": 100000},", REFERENCE "," CANDIDATE("f", "900000", "")),
              &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "memory");
    assert_non_null(strstr(w.result->error, "the reference r"));
    finish(&w);
}

static void a_crash_before_the_first_pair_is_unavailable(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("k", "900000", ", \"crash_at\": 2")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "crashed");
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("h", "900000", ", \"hang_at\": 1")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "time-out");
    finish(&w);
}

static void budgets_end_it_undecided(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.budget_ns = 0;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "budget");
    assert_int_equal(w.result->pairs, 0);
    assert_true(isnan(w.result->gain));
    finish(&w);
    options.budget_ns = UINT64_C(60000000); /* noise pairs and a few rounds of 2 ms */
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "969500", "")), &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "budget");
    assert_true(w.result->measured_ns <= options.budget_ns);
    assert_string_equal(w.result->winner, "r");
    assert_true(w.result->advice[0] != '\0');
    finish(&w);
    options = seeded(1);
    options.wall_limit_ns = UINT64_C(80000000);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "969500", "")), &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "wall-limit");
    finish(&w);
}

static void the_slow_are_dropped_and_a_tie_set_is_named(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("slow", "3000000", "") "," CANDIDATE(
                                          "fast", "700000", "") "," CANDIDATE("less", "950000", "")),
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_string_equal(w.result->winner, "fast");
    assert_string_equal(w.result->candidates[0].reason, "slower");
    assert_string_equal(w.result->candidates[2].reason, "slower");
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("twin-b", "800000", "") "," CANDIDATE(
                                  "twin-a", "800000", "") "," CANDIDATE("slow", "2000000", "")),
              &options);
    expect_decision(&w, SY_DECISION_TIE, "");
    assert_string_equal(w.result->winner, "twin-a"); /* of equal memory: the first by name */
    assert_string_equal(w.result->candidates[0].reason, "within noise");
    assert_true(w.result->candidate_faster);
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("twin-b", "800000", "") "," CANDIDATE(
                                  "twin-a", "800000", ", \"memory_bytes\": 100000")),
              &options);
    expect_decision(&w, SY_DECISION_TIE, "");
    assert_string_equal(w.result->winner, "twin-b"); /* of less memory */
    finish(&w);
}

static void a_case_that_is_slower_vetoes_a_better_sum(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    const char *script = "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"big\", "
                         "\"n\": 64}, {\"name\": \"small\", \"n\": 32, "
                         "\"factor\": 0.1}], \"implementations\": [" REFERENCE
                         ", {\"name\": \"f\", \"law\": {\"base_ns\": 800000, \"model\": \"quiet\"}, \"cases\": "
                         "{\"small\": {\"factor\": 2}}}]}";
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "case-regression");
    assert_true(w.result->cases[1].regression);
    assert_true(w.result->total_gain > 0.03);
    finish(&w);
}

static void what_one_leaves_behind_overturns_a_win(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    /* Truly equal; the reference is slowed by 8 % when the candidate ran before it. */
    const char *script = SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000000, "
                                         "\"model\": \"quiet\"}, \"after\": {\"f\": "
                                         "1.08}, \"after_runs\": 2}," CANDIDATE("f", "1000000", ""));
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "carry-over");
    assert_true(w.result->carry_over.a > 0.06 && w.result->carry_over.b < 0.02 && w.result->carry_over.p <= 0.01);
    assert_string_equal(w.result->winner, "r");
    finish(&w);
}

static bool after_some_questions(void *user)
{
    return ++*(int *)user > 300;
}

static void an_interrupted_probe_says_what_was_measured(void **state)
{
    (void)state;
    int asked = 0;
    sy_probe_options options = seeded(1);
    options.cancelled = after_some_questions;
    options.user = &asked;
    options.max_pairs = 2000;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "969500", "")), &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "interrupted");
    assert_true(w.result->interrupted);
    finish(&w);
}

static void a_seed_replays_and_is_marked(void **state)
{
    (void)state;
    sy_probe_options options = seeded(99);
    const char *script = SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", ""));
    weighed a = weigh(script, &options);
    weighed b = weigh(script, &options);
    options.seed = 100;
    weighed c = weigh(script, &options);
    options.seed = 0;
    weighed d = weigh(script, &options);
    assert_true(a.result->seed_fixed && !d.result->seed_fixed && d.result->seed != 0);
    assert_int_equal(a.result->sample_count, b.result->sample_count);
    assert_memory_equal(a.result->samples, b.result->samples, a.result->sample_count * sizeof(sy_sample));
    bool coins_differ = a.result->sample_count != c.result->sample_count;
    for (size_t i = 0; !coins_differ && i < a.result->sample_count; i++)
        coins_differ = a.result->samples[i].reference_first != c.result->samples[i].reference_first;
    assert_true(coins_differ);
    finish(&a);
    finish(&b);
    finish(&c);
    finish(&d);
}

static void expect_refusal(const sy_probe_options *options, sy_status status, const char *words)
{
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "") "," CANDIDATE(
                                          "o", "900000", ", \"role\": \"oracle\"")),
                      options);
    if (w.status != status || !strstr(w.err.what, words))
        fail_msg("%s: '%s'; expected %s with '%s'", sy_status_word(w.status), w.err.what, sy_status_word(status),
                 words);
    assert_null(w.result);
    finish(&w);
}

static void what_is_asked_wrongly_is_refused_by_name(void **state)
{
    (void)state;
    const char *nobody = "nobody";
    const char *reference = "r";
    const char *oracle = "o";
    sy_probe_options options = seeded(1);
    options.implementations = &nobody;
    options.implementation_count = 1;
    expect_refusal(&options, SY_NOT_FOUND, "nobody");
    options.implementations = &reference;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "only the reference");
    options.implementations = &oracle;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "never timed");
    options = seeded(1);
    options.cases = &nobody;
    options.case_count = 1;
    expect_refusal(&options, SY_NOT_FOUND, "nobody");
    options = seeded(1);
    options.max_pairs = 4;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "5");
    options = seeded(1);
    options.alpha = 0.7;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "alpha");
    options = seeded(1);
    options.min_improvement = -0.1;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "minimum improvement");
    options = seeded(1);
    options.absolute_tolerance = -1;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "absolute tolerance");
    options = seeded(1);
    options.struct_size = 8;
    expect_refusal(&options, SY_INVALID_ARGUMENT, "SY_PROBE_OPTIONS_INIT");
}

static void an_approximate_candidate_is_weighed_only_if_allowed(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    const char *script = SCRIPT_WITH("", REFERENCE "," CANDIDATE("a", "900000", ", \"error_class\": \"approximate\""));
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "approximate");
    finish(&w);
    options.allow_approximate = true;
    w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    finish(&w);
}

static void a_small_metadata_capacity_is_named(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.metadata_capacity_bytes = 64;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "limit");
    assert_non_null(strstr(w.result->error, "metadata capacity"));
    finish(&w);
}

static void asking_what_is_supported_takes_no_device_memory(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("\"device\": {\"free_memory_bytes\": 1000000},",
                                  REFERENCE "," CANDIDATE("u", "900000", ", \"unavailable\": \"why\"")),
                      &options);
    sy_availability availability;
    uint64_t before;
    uint64_t after;
    assert_int_equal(sy_device_free_memory(w.device, &before, NULL), SY_OK);
    uint64_t peak = w.device->backend->memory_peak(w.device);
    assert_int_equal(sy_probe_supported(w.device, w.suite, &w.suite->cases[0], 0, &availability, &w.err), SY_OK);
    assert_true(availability.available);
    assert_true(availability.memory_bytes >= 3 * 64 * sizeof(float));
    assert_int_equal(sy_probe_supported(w.device, w.suite, &w.suite->cases[0], 1, &availability, &w.err), SY_OK);
    assert_false(availability.available);
    assert_string_equal(availability.reason, "why");
    assert_int_equal(sy_device_free_memory(w.device, &after, NULL), SY_OK);
    assert_int_equal(before, after);
    assert_int_equal(w.device->backend->memory_peak(w.device), peak);
    assert_int_equal(sy_graph_live_count(), 0);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_candidate_that_is_a_tenth_faster_wins),
        cmocka_unit_test(an_equal_candidate_gains_nothing),
        cmocka_unit_test(not_slower_has_its_own_two_answers),
        cmocka_unit_test(the_medians_rule_takes_exactly_its_pairs),
        cmocka_unit_test(every_wrong_output_fails_parity_before_any_time_is_taken),
        cmocka_unit_test(a_fault_that_begins_with_the_pairs_is_found_in_the_last_timed_output),
        cmocka_unit_test(an_implementation_that_remembers_later_is_found),
        cmocka_unit_test(runs_that_differ_are_a_class_and_may_win),
        cmocka_unit_test(a_wrong_reference_ends_the_probe),
        cmocka_unit_test(a_tolerance_above_the_signal_is_vacuous),
        cmocka_unit_test(what_is_not_there_is_unavailable_with_its_reason),
        cmocka_unit_test(memory_is_admitted_before_it_is_taken),
        cmocka_unit_test(a_crash_before_the_first_pair_is_unavailable),
        cmocka_unit_test(budgets_end_it_undecided),
        cmocka_unit_test(the_slow_are_dropped_and_a_tie_set_is_named),
        cmocka_unit_test(a_case_that_is_slower_vetoes_a_better_sum),
        cmocka_unit_test(what_one_leaves_behind_overturns_a_win),
        cmocka_unit_test(an_interrupted_probe_says_what_was_measured),
        cmocka_unit_test(a_seed_replays_and_is_marked),
        cmocka_unit_test(what_is_asked_wrongly_is_refused_by_name),
        cmocka_unit_test(an_approximate_candidate_is_weighed_only_if_allowed),
        cmocka_unit_test(a_small_metadata_capacity_is_named),
        cmocka_unit_test(asking_what_is_supported_takes_no_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
