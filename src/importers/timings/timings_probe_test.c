/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a probe read back: runs of each implementation, the final as it was fed, and what is no such record. */
#include "fault_loop.h"
#include "importers/timings/timings_test_support.h"

static const sy_candidate_result candidates[] = {
    {.name = "fast", .reason = "", .detail = "", .decision = SY_DECISION_WIN},
    {.name = "slow", .reason = "slower", .detail = "", .decision = SY_DECISION_NO_GAIN},
};

static const sy_case_result cases[] = {{.name = "small", .weight = 2}, {.name = "large", .weight = .5}};

#define SAMPLE(of_round, c, of_candidate, first, is_final, is_fed, reference, candidate_time, why)                  \
    {                                                                                                               \
        .round = of_round, .case_index = c, .candidate = of_candidate, .reference_first = first, .final = is_final, \
        .fed = is_fed, .reference_ns = reference, .candidate_ns = candidate_time, .unusable = why                   \
    }

/* One round of halving, in which both candidates share the reference's run, and two of the final, cases in drawn order.
 */
static const sy_sample samples[] = {
    SAMPLE(0, 0, 0, true, false, false, 100, 90, NULL),   SAMPLE(0, 0, 1, true, false, false, 100, 120, NULL),
    SAMPLE(0, 1, 0, true, false, false, 1000, 900, NULL), SAMPLE(0, 1, 1, true, false, false, 1000, 1200, NULL),
    SAMPLE(0, 1, 0, false, true, true, 1001, 901, NULL),  SAMPLE(0, 0, 0, true, true, true, 101, 91, NULL),
    SAMPLE(1, 0, 0, true, true, true, 102, NAN, "void"),  SAMPLE(1, 1, 0, false, true, true, 1002, 902.25, NULL),
    SAMPLE(2, 0, 0, true, true, false, 103, 93, NULL),
};

static sy_probe_result example(void)
{
    return (sy_probe_result){
        .operation = "matmul",
        .backend = "cpu",
        .device = "Intel Xeon",
        .question = SY_QUESTION_NOT_SLOWER,
        .reference = "plain",
        .decision = SY_DECISION_INCONCLUSIVE,
        .reason = "budget",
        .error = "undecided",
        .advice = "",
        .timer = "CLOCK",
        .gain = .1,
        .gain_low = NAN,
        .gain_high = .25,
        .pairs = 2,
        .wins = 1,
        .max_pairs = 60,
        .alpha = .05,
        .beta = .2,
        .min_improvement = .03,
        .margin = .02,
        .veto = .1,
        .isolation = SY_ISOLATION_PROCESS,
        .has_carry_over = true,
        .carry_over = {.01, -.02, .5},
        .resolvable_gain = NAN,
        .candidates = candidates,
        .candidate_count = 2,
        .cases = cases,
        .case_count = 2,
        .samples = samples,
        .sample_count = sizeof samples / sizeof *samples,
    };
}

static char *json_of(const sy_probe_result *result)
{
    char *text = NULL;

    assert_int_equal(sy_probe_result_to_json(result, &text, NULL), SY_OK);
    return text;
}

static void each_implementation_on_each_case_is_a_configuration(void **state)
{
    const sy_probe_result result = example();
    char *text = json_of(&result);
    sy_timings *timings = read_text(text);

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_PROBE);
    assert_string_equal(timings->device, "Intel Xeon");
    assert_true(timings->unit_ns == 1);
    assert_int_equal(timings->count, 6);
    expect_timing(timings, 0, "small plain", "", 4, (const double[]){100, 101, 102, 103});
    expect_timing(timings, 1, "small fast", "", 4, (const double[]){90, 91, NAN, 93});
    expect_timing(timings, 2, "small slow", "", 1, (const double[]){120});
    expect_timing(timings, 3, "large plain", "", 3, (const double[]){1000, 1001, 1002});
    expect_timing(timings, 4, "large fast", "", 3, (const double[]){900, 901, 902.25});
    expect_timing(timings, 5, "large slow", "", 1, (const double[]){1200});
    sy_timings_destroy(timings);
    sy_text_free(text);
}

static void the_final_is_read_round_by_round_in_the_order_of_the_cases(void **state)
{
    const sy_probe_result result = example();
    char *text = json_of(&result);
    sy_timings *timings = read_text(text);
    const sy_recorded_final *final = timings->final;

    (void)state;
    assert_non_null(final);
    assert_int_equal(final->question, SY_QUESTION_NOT_SLOWER);
    assert_int_equal(final->rule, SY_RULE_CAPPED);
    assert_int_equal(final->isolation, SY_ISOLATION_PROCESS);
    assert_int_equal(final->decision, SY_DECISION_INCONCLUSIVE);
    assert_string_equal(final->reason, "budget");
    assert_int_equal(final->max_pairs, 60);
    assert_int_equal(final->pairs, 2);
    assert_int_equal(final->wins, 1);
    assert_true(final->alpha == .05 && final->beta == .2 && final->min_improvement == .03);
    assert_true(final->margin == .02 && final->veto == .1);
    assert_true(final->gain == .1 && isnan(final->gain_low) && final->gain_high == .25);
    assert_true(final->has_carry_over && final->carry_over.a == .01 && final->carry_over.b == -.02);
    assert_true(final->carry_over.p == .5 && isnan(final->resolvable_gain));
    assert_int_equal(final->case_count, 2);
    assert_true(final->weights[0] == 2 && final->weights[1] == .5);
    assert_int_equal(final->sample_count, 4); /* the cut round is not among them */
    assert_true(final->samples[0].reference_ns == 101 && final->samples[0].reference_first);
    assert_true(final->samples[1].reference_ns == 1001 && !final->samples[1].reference_first);
    assert_true(final->samples[2].reference_ns == 102 && isnan(final->samples[2].candidate_ns));
    assert_string_equal(final->samples[2].unusable, "void");
    assert_true(final->samples[3].candidate_ns == 902.25 && final->samples[3].unusable == NULL);
    sy_timings_destroy(timings);
    sy_text_free(text);
}

static void a_probe_without_pairs_has_no_final(void **state)
{
    sy_probe_result result = example();
    char *text;
    sy_timings *timings;

    (void)state;
    result.decision = SY_DECISION_UNAVAILABLE;
    result.pairs = 0;
    result.sample_count = 4;
    text = json_of(&result);
    timings = read_text(text);
    assert_null(timings->final);
    expect_timing(timings, 1, "small fast", "", 1, (const double[]){90});
    sy_timings_destroy(timings);
    sy_text_free(text);
}

/* Where the metric is a rate the rule was fed reciprocals, and the samples have values instead of times. */
static void rates_are_read_as_costs(void **state)
{
    const char *const text =
        "{\"schema\": \"steelyard.probe/1\", \"device\": \"d\", \"question\": \"faster\", \"rule\": \"capped\","
        "\"metric\": {\"name\": \"tokens\", \"unit\": \"\", \"better\": \"higher\"}, \"isolation\": \"process\","
        "\"decision\": \"inconclusive\", \"reason\": \"budget\", \"interrupted\": false, \"carry_over\": null,"
        "\"max_pairs\": 60, \"pairs\": 1, \"wins\": 1, \"alpha\": 0.05, \"beta\": 0.2, \"min_improvement\": 0.03,"
        "\"margin\": 0.03, \"veto\": 0.1, \"resolvable_gain\": null, \"gain\": 0.2, \"gain_low\": null,"
        "\"gain_high\": null, \"reference\": \"p\", \"candidates\": [{\"name\": \"f\"}],"
        "\"cases\": [{\"name\": \"c\", \"weight\": 1}],"
        "\"samples\": [{\"round\": 0, \"case\": \"c\", \"candidate\": \"f\", \"first\": \"reference\","
        "\"phase\": \"final\", \"fed\": true, \"reference_ns\": null, \"reference_value\": 4, \"candidate_ns\": null,"
        "\"candidate_value\": 5, \"unusable\": null}]}";
    sy_timings *timings = read_text(text);

    (void)state;
    expect_timing(timings, 0, "c p", "", 1, (const double[]){.25});
    expect_timing(timings, 1, "c f", "", 1, (const double[]){.2});
    assert_true(isnan(timings->unit_ns));
    assert_true(timings->final->rates);
    assert_true(timings->final->samples[0].candidate_ns == .2);
    assert_true(has_note(timings, "higher values were better"));
    sy_timings_destroy(timings);
}

/* A text with one piece replaced. */
static void expect_refused_with(const char *text, const char *piece, const char *other, const char *what)
{
    const char *at = strstr(text, piece);
    sy_text changed = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;

    assert_non_null(at);
    sy_text_append_bytes(&changed, text, (size_t)(at - text));
    sy_text_append(&changed, other);
    sy_text_append(&changed, at + strlen(piece));
    expect_refused(changed.bytes, SY_CORRUPT, &err);
    if (strstr(err.what, what) == NULL)
        fail_msg("'%s' lacks '%s'", err.what, what);
    assert_true(err.position.line > 0);
    sy_text_finish(&changed);
}

static void a_record_that_cannot_be_is_refused_with_its_place(void **state)
{
    const sy_probe_result result = example();
    char *text = json_of(&result);

    (void)state;
    expect_refused_with(text, "\"not-slower\"", "\"slower\"", "/question: 'slower' is no question");
    expect_refused_with(text, "\"pairs\": 2", "\"pairs\": 3", "4 samples were fed to the rule, not those of 3 rounds");
    expect_refused_with(text, "\"pairs\": 2", "\"pairs\": -1", "/pairs: -1 is out of range");
    expect_refused_with(text, "\"max_pairs\": 60", "\"max_pairs\": 6e1", "/max_pairs");
    expect_refused_with(text, "\"fed\": true", "\"fed\": false", "3 samples were fed");
    expect_refused_with(text, "\"alpha\": 0.05", "\"alpha\": \"x\"", "/alpha");
    expect_refused_with(text, "\"case\": \"large\"", "\"case\": \"other\"", "'other' is none of the cases");
    expect_refused_with(text, "\"candidate\": \"slow\"", "\"candidate\": \"sl\"", "'sl' is none of the candidates");
    expect_refused_with(text, "\"samples\"", "\"other\"", "a probe has a list 'samples'");
    expect_refused_with(text, "\"cases\"", "\"other\"", "a probe has a list 'cases'");
    /* the first sample of the final becomes the last case's again */
    expect_refused_with(text,
                        "\"case\": \"small\",\n      \"candidate\": \"fast\",\n      \"first\": \"reference\",\n"
                        "      \"phase\": \"final\"",
                        "\"case\": \"large\",\n      \"candidate\": \"fast\",\n      \"first\": \"reference\",\n"
                        "      \"phase\": \"final\"",
                        "round 0 of the final is not complete");
    sy_text_free(text);
}

static sy_status read_record(void *user)
{
    const char *text = user;
    sy_timings *timings = NULL;
    sy_status status = sy_timings_parse(text, strlen(text), NULL, &timings, NULL);

    sy_timings_destroy(timings);
    return status;
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    const sy_probe_result result = example();
    char *text = json_of(&result);

    (void)state;
    assert_true(fault_loop_allocations(read_record, text, false) > 10);
    assert_true(fault_loop_allocations(read_record, text, true) > 10);
    sy_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_implementation_on_each_case_is_a_configuration),
        cmocka_unit_test(the_final_is_read_round_by_round_in_the_order_of_the_cases),
        cmocka_unit_test(a_probe_without_pairs_has_no_final),
        cmocka_unit_test(rates_are_read_as_costs),
        cmocka_unit_test(a_record_that_cannot_be_is_refused_with_its_place),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
