/* SPDX-License-Identifier: Apache-2.0 */
/* Every script of tests/data/fake, weighed with a fixed seed, decides as docs/fake-script.md says. All time is
 * scripted, so each line here holds on any machine. */
#include "cmocka_headers.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <steelyard/steelyard.h>

#define FOLDER STEELYARD_SOURCE_DIR "/tests/data/fake/"

typedef struct expectation {
    const char *script;
    sy_decision decision;
    const char *reason;
    const char *words; /* in the error, a note or the finalist's detail; "" = none is asked for */
    const char *named; /* the one candidate; NULL = all */
    double alpha;      /* 0 = the default, and so on */
    double beta;
    double budget_s;
    uint32_t processes; /* in workers then */
    uint32_t max_pairs;
    bool is_not_slower; /* the other question */
    bool allows_approximate;
} expectation;

#define DECIDES(name, word, why, text, ...)                                                       \
    {                                                                                             \
        .script = name, .decision = SY_DECISION_##word, .reason = why, .words = text, __VA_ARGS__ \
    }

static const expectation expectations[] = {
    DECIDES("contract", WIN, "", "libabsent.so.1 not found", .named = NULL),
    DECIDES("quiet-win", WIN, "", "", .named = NULL),
    DECIDES("quiet-win-workers", WIN, "", "", .named = NULL),
    DECIDES("drifting-win", WIN, "", "", .named = NULL),
    DECIDES("bad-win", WIN, "", "", .named = NULL),
    DECIDES("cold-win", WIN, "", "", .named = NULL),
    DECIDES("several-cases", WIN, "", "", .named = NULL),
    DECIDES("harness", WIN, "", "", .named = NULL),
    DECIDES("throttled", WIN, "", "throttle: ", .named = NULL),
    DECIDES("disturbed", WIN, "", "clock: the device went from 3 to 2.4 GHz", .alpha = .0001),
    DECIDES("disturbed", WIN, "", "steal: a hypervisor took ", .alpha = .0001),
    DECIDES("disturbed", WIN, "", "pressure: some task waited ", .alpha = .0001),
    DECIDES("equal", NO_GAIN, "", "", .named = NULL),
    DECIDES("no-gain", NO_GAIN, "", "", .named = NULL),
    DECIDES("at-threshold", NO_GAIN, "", "", .named = NULL),
    DECIDES("not-slower", NOT_SLOWER, "", "", .is_not_slower = true),
    DECIDES("slower", SLOWER, "", "", .is_not_slower = true),
    DECIDES("several", WIN, "", "behind the best", .named = NULL),
    DECIDES("tie-set", TIE, "", "", .named = NULL),
    DECIDES("noise", INCONCLUSIVE, "noise", "noisy", .named = NULL),
    DECIDES("case-regression", NO_GAIN, "case-regression", "", .named = NULL),
    DECIDES("case-unresolved", INCONCLUSIVE, "case-unresolved", "", .named = NULL),
    DECIDES("order-fires", INCONCLUSIVE, "order", "between the orders", .named = NULL),
    DECIDES("order-quiet", WIN, "", "between the orders", .alpha = .001),
    DECIDES("preempted-fires", INCONCLUSIVE, "preempted", "with and without a run that was switched away",
            .alpha = .001),
    DECIDES("preempted-quiet", WIN, "", "with and without a run that was switched away", .alpha = .0001),
    DECIDES("preempted-quiet", WIN, "", "preempted: timed runs were switched away in ", .named = NULL),
    DECIDES("drift-fires", INCONCLUSIVE, "drift", "the last third", .beta = .01),
    DECIDES("drift-quiet", WIN, "", "the last third", .alpha = .00001),
    DECIDES("carry-over-fires", INCONCLUSIVE, "carry-over", "reference +15.0 % after the candidate", .named = NULL),
    DECIDES("carry-over-quiet", WIN, "", "reference +15.0 % after the candidate", .named = NULL),
    DECIDES("lottery", WIN, "", "", .named = NULL),
    DECIDES("lottery", NO_GAIN, "", "on both sides of the threshold", .processes = 4),
    DECIDES("lottery-denied", INCONCLUSIVE, "processes", "on both sides of the threshold", .processes = 6,
            .max_pairs = 30),
    DECIDES("processes-quiet", WIN, "", "processes: 4 from ", .processes = 4),
    DECIDES("timer-fires", INCONCLUSIVE, "timer", "unusable", .named = NULL),
    DECIDES("timer-quiet", WIN, "", "unusable: 1 of", .named = NULL),
    DECIDES("crashed", INCONCLUSIVE, "crashed", "unusable", .named = NULL),
    DECIDES("crashed-once", WIN, "", "crashed at its run 50", .named = NULL),
    DECIDES("hung", INCONCLUSIVE, "budget", "hung at its run 50", .named = NULL),
    DECIDES("crash-first", UNAVAILABLE, "crashed", "crashed at its run 1", .named = NULL),
    DECIDES("hang-first", UNAVAILABLE, "time-out", "hung at its run 1", .named = NULL),
    DECIDES("budget", INCONCLUSIVE, "budget", "", .budget_s = 2.8),
    DECIDES("wall-limit", INCONCLUSIVE, "wall-limit", "", .named = NULL),
    DECIDES("unavailable", UNAVAILABLE, "unsupported", "libabsent.so.1 not found", .named = NULL),
    DECIDES("build-fails", UNAVAILABLE, "unavailable", "no compiler for this device", .named = NULL),
    DECIDES("memory", UNAVAILABLE, "memory", "1 MiB", .named = NULL),
    DECIDES("vacuous", VACUOUS, "vacuous", "tolerance", .named = NULL),
    DECIDES("qualified", WIN, "", "", .named = NULL),
    DECIDES("approximate", UNAVAILABLE, "approximate", "only if allowed", .named = NULL),
    DECIDES("approximate", WIN, "", "", .allows_approximate = true),
    DECIDES("reference-broken", PARITY_FAILED, "parity", "reference plain", .named = NULL),
    DECIDES("late-fault", PARITY_FAILED, "parity", "last timed output", .named = NULL),
    DECIDES("faults", PARITY_FAILED, "parity", "nonfinite", .named = "nan"),
    DECIDES("faults", PARITY_FAILED, "parity", "not written", .named = "nothing"),
    DECIDES("faults", PARITY_FAILED, "parity", "not written", .named = "half"),
    DECIDES("faults", PARITY_FAILED, "parity", "", .named = "zeros"),
    DECIDES("faults", PARITY_FAILED, "parity", "", .named = "shifted"),
    DECIDES("faults", PARITY_FAILED, "parity", "", .named = "wrong"),
    DECIDES("faults", PARITY_FAILED, "parity", "input was changed", .named = "input-changed"),
    DECIDES("faults", PARITY_FAILED, "parity", "not written", .named = "stale"),
    DECIDES("faults", PARITY_FAILED, "parity", "", .named = "memoised"),
    DECIDES("faults", PARITY_FAILED, "parity", "past the end", .named = "past-the-end"),
    DECIDES("faults", PARITY_FAILED, "parity", "wrote before", .named = "before-the-start"),
    DECIDES("faults", WIN, "", "", .named = "nondeterministic"),
    /* Real ends need real workers; here the same script ends in statuses. */
    DECIDES("worker-ends", UNAVAILABLE, "crashed", "crashed at its run 1", .named = "abort"),
    DECIDES("worker-ends", UNAVAILABLE, "time-out", "hung at its run 1", .named = "hang"),
    DECIDES("worker-ends", WIN, "", "crashed at its run 50", .named = "late-abort"),
};

enum { EXPECTATIONS = sizeof expectations / sizeof expectations[0] };

static const char *self_path; /* this program is its own worker */

static sy_device *open_script(const char *script, const sy_suite **ret_suite)
{
    char path[512];
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    (void)snprintf(path, sizeof path, FOLDER "%s.json", script);
    options.script = path;
    if (sy_device_open("fake", &options, &device, &error) || sy_device_suite(device, "ring", ret_suite, &error))
        fail_msg("%s", error.what);
    return device;
}

static bool is_said(const sy_probe_result *result, const char *words)
{
    if (strstr(result->error, words))
        return true;
    for (size_t i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], words))
            return true;
    for (size_t i = 0; i < result->candidate_count; i++)
        if (strstr(result->candidates[i].detail, words))
            return true;
    return false;
}

static void a_script_decides_as_it_is_documented(void **state)
{
    const expectation *e = *state;
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    const sy_suite *suite = NULL;
    sy_device *device = open_script(e->script, &suite);
    sy_probe_result *result = NULL;
    sy_error error = SY_ERROR_INIT;
    options.seed = 1;
    options.allow_approximate = e->allows_approximate;
    if (e->named) {
        options.implementations = &e->named;
        options.implementation_count = 1;
    }
    if (e->alpha > 0)
        options.alpha = e->alpha;
    if (e->beta > 0)
        options.beta = e->beta;
    if (e->budget_s > 0)
        options.budget_ns = (uint64_t)(e->budget_s * 1e9);
    if (e->processes > 0) {
        options.processes = e->processes;
        options.worker_path = self_path;
    }
    if (e->max_pairs > 0)
        options.max_pairs = e->max_pairs;
    if (e->is_not_slower)
        options.question = SY_QUESTION_NOT_SLOWER;
    if (sy_probe(device, suite, &options, &result, &error))
        fail_msg("%s: %s", e->script, error.what);
    if (result->decision != e->decision || strcmp(result->reason, e->reason) != 0)
        fail_msg("%s: %s (%s) instead of %s (%s): %s", e->script, sy_decision_word(result->decision), result->reason,
                 sy_decision_word(e->decision), e->reason, result->error);
    if (!is_said(result, e->words))
        fail_msg("%s: '%s' is said nowhere; the error is '%s'", e->script, e->words, result->error);
    sy_probe_result_destroy(result);
    sy_device_close(device);
}

static void no_script_is_without_an_expectation(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    const struct dirent *entry;
    size_t scripts = 0;
    while ((entry = readdir(folder)) != NULL) {
        const char *dot = strstr(entry->d_name, ".json");
        if (!dot)
            continue;
        scripts++;
        size_t i = 0;
        const size_t length = (size_t)(dot - entry->d_name);
        while (i < EXPECTATIONS &&
               (strlen(expectations[i].script) != length || memcmp(expectations[i].script, entry->d_name, length) != 0))
            i++;
        if (i == EXPECTATIONS)
            fail_msg("%s is in no line of this test", entry->d_name);
    }
    assert_true(scripts > 30);
    assert_int_equal(closedir(folder), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    self_path = argv[0];
    static char names[EXPECTATIONS][128];
    struct CMUnitTest tests[EXPECTATIONS + 1];
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        const expectation *e = &expectations[i];
        (void)snprintf(names[i], sizeof names[i], "%s%s%s decides %s %s", e->script, e->named ? " " : "",
                       e->named ? e->named : "", sy_decision_word(e->decision), e->reason);
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = a_script_decides_as_it_is_documented, .initial_state = (void *)(uintptr_t)e};
    }
    tests[EXPECTATIONS] = (struct CMUnitTest)cmocka_unit_test(no_script_is_without_an_expectation);
    return _cmocka_run_group_tests("scripts", tests, EXPECTATIONS + 1, NULL, NULL);
}
