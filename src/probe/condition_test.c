/* SPDX-License-Identifier: Apache-2.0 */
/* What a result says of the machine during its pairs: figures that are scripted come out as such, small ones make no
 * note, and switches come over the worker's socket too. */
#include "probe_support.h"

#include <math.h>

static const char *self_path;

static bool has_note(const sy_probe_result *result, const char *beginning)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strncmp(result->notes[i], beginning, strlen(beginning)) == 0)
            return true;
    return false;
}

/* Figures of the samples of the final, and of the condition, agree. */
static void expect_samples_agree(const sy_probe_result *result)
{
    uint64_t reference = 0;
    uint64_t candidate = 0;
    uint32_t preempted = 0;
    for (size_t i = 0; i < result->sample_count; i++) {
        const sy_sample *sample = &result->samples[i];
        if (!sample->final)
            continue;
        reference += sample->reference_switches;
        candidate += sample->candidate_switches;
        preempted += sample->reference_switches > 0 || sample->candidate_switches > 0;
    }
    assert_true(result->has_condition && result->condition.switches_known);
    assert_int_equal(result->condition.reference_switches, reference);
    assert_int_equal(result->condition.candidate_switches, candidate);
    assert_int_equal(result->condition.preempted_pairs, preempted);
}

static void a_quiet_machine_has_figures_and_no_notes(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH("\"device\": {\"clock_hz\": 2e9, \"clock_drift\": {\"factor\": 0.96, \"from_run\": 1, "
                    "\"to_run\": 100000}, \"temperature_celsius\": 55, \"load_average\": 0.5, "
                    "\"steal_share\": 0.004, \"pressure_share\": 0.09, \"throttled\": false},",
                    REFERENCE "," CANDIDATE("f", "900000", "")),
        &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    const sy_probe_condition *condition = &w.result->condition;
    expect_samples_agree(w.result);
    assert_int_equal(condition->preempted_pairs, 0);
    assert_true(condition->before.clock_hz > condition->after.clock_hz && condition->after.clock_hz > 1.9e9);
    assert_true(condition->before.temperature_celsius == 55 && condition->after.load_average == 0.5);
    assert_int_equal(condition->after.throttled, 0);
    assert_true(fabs(condition->steal_share - 0.004) < 1e-9);
    assert_true(fabs(condition->pressure_share - 0.09) < 1e-3);
    assert_true(isnan(condition->throttle_events));
    static const char *const names[] = {"clock", "throttle", "steal", "pressure", "preempted"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_false(has_note(w.result, names[i]));
    finish(&w);
}

static void what_is_not_told_is_not_known(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    const sy_probe_condition *condition = &w.result->condition;
    expect_samples_agree(w.result);
    assert_true(isnan(condition->before.clock_hz) && isnan(condition->after.load_average));
    assert_true(isnan(condition->steal_share) && isnan(condition->pressure_share));
    assert_int_equal(condition->before.throttled, -1);
    finish(&w);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", ", \"unavailable\": \"not here\"")), &options);
    assert_false(w.result->has_condition); /* no pair was timed */
    finish(&w);
}

static void switches_are_counted_by_side_and_noted_where_they_are_many(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    weighed w = weigh(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", ", \"switch_at\": 1, \"switch_every\": 1")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_samples_agree(w.result);
    assert_int_equal(w.result->condition.reference_switches, 0);
    assert_int_equal(w.result->condition.candidate_switches, w.result->pairs); /* the untimed run does not count */
    assert_int_equal(w.result->condition.preempted_pairs, w.result->pairs);
    assert_true(has_note(w.result, "preempted: timed runs were switched away in "));
    finish(&w);
    /* Once in a long probe is no note. */
    options.alpha = 1e-6;
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", ", \"switch_at\": 75, \"switch_runs\": 2")),
              &options);
    expect_samples_agree(w.result);
    assert_int_equal(w.result->condition.candidate_switches, 1);
    assert_false(has_note(w.result, "preempted"));
    finish(&w);
}

static void switches_of_a_round_that_was_cut_are_among_its_pairs(void **state)
{
    (void)state;
    size_t cut = 0;
    for (uint64_t budget_ms = 34; budget_ms < 54; budget_ms++) {
        sy_probe_options options = seeded(1);
        options.budget_ns = budget_ms * 1000000;
        weighed w = weigh("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, \"cases\": "
                          "[{\"name\": \"a\"}, {\"name\": \"b\"}], \"implementations\": [" REFERENCE
                          "," CANDIDATE("f", "900000", ", \"switch_at\": 1, \"switch_every\": 1") "]}",
                          &options);
        uint32_t all = 0;
        for (size_t i = 0; i < w.result->sample_count; i++)
            all += w.result->samples[i].final;
        cut += all == 2 * w.result->pairs + 1;
        for (size_t i = 0; i < w.result->note_count; i++) {
            unsigned switched = 0;
            unsigned pairs = 0;
            if (sscanf(w.result->notes[i], "preempted: timed runs were switched away in %u of %u", &switched, &pairs) ==
                2)
                assert_true(switched == all && pairs == all);
        }
        finish(&w);
    }
    assert_true(cut > 0);
}

static void a_worker_tells_of_its_switches_over_the_socket(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.worker_path = self_path;
    weighed w = weigh(SCRIPT_WITH("\"isolation\": \"worker\",",
                                  REFERENCE "," CANDIDATE("f", "900000", ", \"switch_at\": 1, \"switch_every\": 1")),
                      &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    expect_samples_agree(w.result);
    assert_int_equal(w.result->isolation, SY_ISOLATION_WORKER);
    assert_int_equal(w.result->condition.reference_switches, 0);
    assert_int_equal(w.result->condition.candidate_switches, w.result->pairs);
    finish(&w);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    self_path = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_machine_has_figures_and_no_notes),
        cmocka_unit_test(what_is_not_told_is_not_known),
        cmocka_unit_test(switches_are_counted_by_side_and_noted_where_they_are_many),
        cmocka_unit_test(switches_of_a_round_that_was_cut_are_among_its_pairs),
        cmocka_unit_test(a_worker_tells_of_its_switches_over_the_socket),
    };
    return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
