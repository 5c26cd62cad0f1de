/* SPDX-License-Identifier: Apache-2.0 */
/* A measurement on scripted implementations: what it says of quiet, bimodal, warming, slowing and failing ones, what is
 * never timed, how many runs are made, what an interruption leaves. This program is also its own worker. */
#include "probe_support.h"

#include <math.h>

#include "backends/graph.h"
#include "base/fault.h"

static const char *self_path;

typedef struct measured {
    char path[64];
    sy_device *device;
    sy_measure_result *result;
    sy_status status;
    sy_error err;
} measured;

static sy_measure_options with_runs(uint32_t runs)
{
    sy_measure_options options = SY_MEASURE_OPTIONS_INIT;
    options.runs = runs;
    options.seed = 1;
    return options;
}

static measured measure(const char *script, const sy_measure_options *options)
{
    measured m = {.err = SY_ERROR_INIT};
    weighed w = {.err = SY_ERROR_INIT};
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    const sy_suite *suite = NULL;
    write_script(&w, script);
    memcpy(m.path, w.path, sizeof(m.path));
    device_options.script = m.path;
    m.status = sy_device_open("fake", &device_options, &m.device, &m.err);
    if (!m.status)
        m.status = sy_device_suite(m.device, "ring", &suite, &m.err);
    if (!m.status)
        m.status = sy_measure(m.device, suite, options, &m.result, &m.err);
    return m;
}

static void end(measured *m)
{
    sy_measure_result_destroy(m->result);
    sy_device_close(m->device);
    (void)unlink(m->path);
}

static const sy_measure_series *series_of(const measured *m)
{
    if (m->status != SY_OK)
        fail_msg("%s: %s", sy_status_word(m->status), m->err.what);
    assert_true(m->result->series_count >= 1);
    return &m->result->series[0];
}

static const sy_run_finding *finding(const sy_measure_series *series, const char *word)
{
    for (size_t i = 0; i < series->finding_count; i++) {
        if (strcmp(series->findings[i].word, word) == 0)
            return &series->findings[i];
    }
    return NULL;
}

static void expect_headline(const sy_measure_series *series, const char *begin)
{
    if (strncmp(series->headline, begin, strlen(begin)) != 0)
        fail_msg("headline: %s; expected to begin: %s", series->headline, begin);
}

static void expect_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' lacks '%s'", text, part);
}

#define LAW(name, role, law, more) "{\"name\": \"" name "\", \"role\": \"" role "\", \"law\": {" law "}" more "}"
#define MILLISECOND SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"times\": [1000000]}")
#define QUIET "\"base_ns\": 1000000, \"model\": \"quiet\""

static void a_quiet_one_has_a_median_with_an_interval(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(SCRIPT_WITH("", LAW("r", "reference", QUIET, "")), &options);
    const sy_measure_series *series = series_of(&m);
    const sy_run_quantile *median = &series->quantiles[series->median_at];
    assert_true(m.result->measured);
    assert_string_equal(m.result->error, "");
    assert_string_equal(m.result->implementation, "r");
    assert_int_equal(series->parity.outcome, SY_PARITY_PASSED);
    assert_int_equal(series->run_count, 60);
    assert_int_equal(series->usable_count, 60);
    assert_int_equal(series->mode_count, 1);
    assert_int_equal(series->course, SY_COURSE_LEVEL);
    assert_int_equal(series->steady_from, 0);
    /* The law's median is base_ns, but for the 2 % of runs with a spike. */
    assert_true(fabs(median->value / 1e6 - 1) < .004);
    assert_true(median->low < median->value && median->value < median->high && median->level >= .95);
    expect_headline(series, "median ");
    expect_text(series->headline, "), n = 60");
    for (size_t i = 1; i < 60; i++)
        assert_true(series->runs[i].begin_ns >= series->runs[i - 1].begin_ns + 900000);
    assert_true(series->runs[0].begin_ns == 0);
    end(&m);
}

static void two_kinds_of_runs_are_two_modes(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(48);
    measured m = measure(SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"times\": [1000003, 1500101, "
                                         "1000207, 1001009, 1500903, 1002001, 1499003, 1000501]}"),
                         &options);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(series->mode_count, 2);
    assert_int_equal(series->modes[0].count, 30);
    assert_int_equal(series->modes[1].count, 18);
    assert_true(fabs(series->modes[0].value - 1000501) < 500 && fabs(series->modes[1].value - 1500101) < 500);
    expect_headline(series, "two modes: 1.00 ms in 30 of 48 runs, 1.50 ms in 18");
    assert_non_null(finding(series, "two-modes"));
    assert_true(strstr(series->headline, "median") == NULL);
    end(&m);
}

static void one_that_gets_faster_is_still_warming_up(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(SCRIPT_WITH("", LAW("r", "reference", "\"base_ns\": 1000000, \"model\": \"cold\"", "")),
                         &options);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(series->course, SY_COURSE_FALLING);
    assert_true(series->change < -.02);
    expect_headline(series, "still warming up: the last third is ");
    expect_text(series->headline, "faster than the first");
    assert_string_equal(finding(series, "warming-up")->word, series->findings[0].word);
    end(&m);
}

static void one_that_gets_slower_is_slowing_down(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(SCRIPT_WITH("", LAW("r", "reference", QUIET,
                                             ", \"drift\": {\"factor\": 1.2, \"from_run\": 10, \"to_run\": 70}")),
                         &options);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(series->course, SY_COURSE_RISING);
    assert_true(series->change > .08);
    expect_headline(series, "slowing down: the last third is ");
    end(&m);
}

/* Slow until its run 20, of which parity and the choice of the batch take 9. */
static void a_warm_up_is_set_aside_and_said(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(SCRIPT_WITH("", LAW("r", "reference", "\"base_ns\": 2000000, \"model\": \"quiet\"",
                                             ", \"drift\": {\"factor\": 0.5, \"from_run\": 20}")),
                         &options);
    const sy_measure_series *series = series_of(&m);
    size_t slow = 0;
    while (slow < 60 && series->runs[slow].value > 1.5e6)
        slow++;
    assert_true(slow >= 5 && slow <= 15);
    assert_int_equal(series->steady_from, slow);
    assert_int_equal(series->steady_count, 60 - slow);
    assert_int_equal(series->run_count, 60);
    assert_true(fabs(series->warm_up_ratio - 2) < .02);
    assert_true(fabs(series->quantiles[series->median_at].value / 1e6 - 1) < .004);
    expect_headline(series, "median ");
    expect_text(series->headline, "after a warm-up of ");
    expect_text(finding(series, "warm-up")->text, "took 2 times as long as the rest");
    end(&m);
    /* Asked to run more before, it finds none. */
    options.warmup = 20;
    m = measure(SCRIPT_WITH("", LAW("r", "reference", "\"base_ns\": 2000000, \"model\": \"quiet\"",
                                    ", \"drift\": {\"factor\": 0.5, \"from_run\": 20}")),
                &options);
    assert_int_equal(series_of(&m)->steady_from, 0);
    end(&m);
}

static void a_clock_in_steps_is_named(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(SCRIPT_WITH("\"timer_resolution_ns\": 32,", LAW("r", "reference", QUIET, "")), &options);
    const sy_measure_series *series = series_of(&m);
    assert_true(series->timer_step == 32);
    expect_text(finding(series, "timer-step")->text, "timer step 32.0 ns: the times take ");
    expect_headline(series, "median "); /* 32 of a million: no matter */
    end(&m);
    m = measure(SCRIPT_WITH("", LAW("r", "reference", QUIET, "")), &options);
    assert_null(finding(series_of(&m), "timer-step"));
    end(&m);
}

static void a_candidate_is_measured_without_the_reference(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(20);
    options.implementation = "f";
    measured m = measure(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "850000", "")), &options);
    assert_true(fabs(series_of(&m)->quantiles[2].value / 850000 - 1) < .01);
    assert_string_equal(m.result->implementation, "f");
    assert_true(series_of(&m)->parity.against_oracle);
    end(&m);
    m = measure(SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"times\": [1], \"unavailable\": \"not "
                                "here\"}," CANDIDATE("f", "850000", "")),
                &options);
    assert_true(fabs(series_of(&m)->quantiles[2].value / 850000 - 1) < .01);
    assert_int_equal(m.result->note_count, 1);
    expect_text(m.result->notes[0], "the reference r could not take part: outputs were held against the oracle alone");
    end(&m);
}

static void wrong_outputs_are_never_timed(void **state)
{
    static const char *const faults[] = {"nan", "nothing", "half", "zeros", "shifted", "input-changed", "past-the-end"};
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char script[1024];
        sy_measure_options options = with_runs(20);
        (void)snprintf(script, sizeof(script),
                       SCRIPT_WITH("", REFERENCE ", {\"name\": \"f\", \"times\": [500], \"fault\": \"%s\"}"),
                       faults[i]);
        options.implementation = "f";
        measured m = measure(script, &options);
        assert_int_equal(series_of(&m)->run_count, 0);
        assert_false(m.result->measured);
        assert_string_equal(m.result->reason, "parity");
        assert_int_equal(m.result->parity, SY_PARITY_FAILED);
        assert_true(strncmp(m.result->error, "f: ", 3) == 0);
        expect_headline(series_of(&m), "nothing was measured");
        end(&m);
    }
}

static void what_turns_wrong_while_it_is_timed_is_found(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(20);
    options.implementation = "f";
    measured m = measure(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "850000", ", \"fault\": \"wrong\", \"fault_from_run\": 12")),
        &options);
    assert_int_equal(series_of(&m)->run_count, 20);
    assert_false(m.result->measured);
    assert_string_equal(m.result->reason, "parity");
    expect_text(m.result->error, "the last timed output");
    end(&m);
}

static void one_crash_is_counted_and_many_end_it(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(60);
    measured m = measure(
        SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"law\": {" QUIET "}, \"crash_at\": 30}"),
        &options);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(series->run_count, 60);
    assert_int_equal(series->usable_count, 59);
    assert_string_equal(series->findings[0].word, "failed");
    expect_text(series->findings[0].text, "1 of 60 runs failed");
    assert_true(m.result->measured);
    assert_string_equal(m.result->error, "");
    size_t lost = 0;
    while (!series->runs[lost].unusable)
        lost++;
    assert_string_equal(series->runs[lost].unusable, "crashed");
    assert_true(isnan(series->runs[lost].value));
    end(&m);
    m = measure(SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"law\": {" QUIET
                                "}, \"crash_at\": 20, \"crash_every\": 2}"),
                &options);
    series = series_of(&m);
    assert_true(series->run_count < 25);
    assert_string_equal(m.result->reason, "crashed");
    expect_text(m.result->error, "c: ");
    expect_text(m.result->error, "runs failed");
    assert_true(m.result->measured); /* the runs before are there */
    end(&m);
}

static void a_budget_ends_it_but_not_before_the_least_runs(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(0);
    options.budget_ns = UINT64_C(25500000); /* 25 runs of 1 ms and a half */
    measured m = measure(MILLISECOND, &options);
    assert_int_equal(series_of(&m)->run_count, 26);
    end(&m);
    options.budget_ns = 1000000;
    m = measure(MILLISECOND, &options);
    assert_int_equal(series_of(&m)->run_count, 10);
    end(&m);
    options.budget_ns = UINT64_MAX;
    options.most_runs = 33;
    m = measure(MILLISECOND, &options);
    assert_int_equal(series_of(&m)->run_count, 33);
    end(&m);
}

static void a_wall_limit_keeps_what_was_measured(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(1000);
    options.wall_limit_ns = UINT64_C(50000000);
    measured m = measure(MILLISECOND, &options);
    const sy_measure_series *series = series_of(&m);
    assert_true(series->run_count > 30 && series->run_count <= 50);
    assert_true(m.result->measured);
    assert_string_equal(m.result->reason, "wall-limit");
    assert_string_equal(m.result->error, "the wall limit of 0.05 s was reached");
    expect_headline(series, "median 1.00 ms");
    end(&m);
}

static bool cancel_after_15_runs(void *user)
{
    return *(uint32_t *)user >= 15;
}

static void count_runs(void *user, const sy_probe_progress *progress)
{
    if (progress->phase == SY_PHASE_RUNS)
        *(uint32_t *)user = progress->done;
}

static void an_interruption_keeps_what_was_measured(void **state)
{
    (void)state;
    uint32_t done = 0;
    sy_measure_options options = with_runs(60);
    options.progress = count_runs;
    options.cancelled = cancel_after_15_runs;
    options.user = &done;
    measured m = measure(SCRIPT_WITH("", LAW("r", "reference", QUIET, "")), &options);
    const sy_measure_series *series = series_of(&m);
    assert_true(m.result->interrupted);
    assert_true(m.result->measured);
    assert_string_equal(m.result->reason, "interrupted");
    assert_int_equal(series->run_count, 16);
    expect_headline(series, "median ");
    end(&m);
}

static void each_case_is_a_series_of_its_own(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(20);
    const char *const cases[] = {"l*", "small"};
    static const char script[] =
        "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"small\", \"factor\": "
        "0.1}, "
        "{\"name\": \"middle\"}, {\"name\": \"large\", \"factor\": 8}], \"implementations\": [{\"name\": \"r\", "
        "\"role\": \"reference\", \"law\": {\"base_ns\": 1000000, \"model\": \"quiet\"}}]}";
    measured m = measure(script, &options);
    assert_int_equal(m.result->series_count, 3);
    end(&m);
    options.cases = cases;
    options.case_count = 2;
    m = measure(script, &options);
    assert_int_equal(m.result->series_count, 2);
    assert_string_equal(m.result->series[0].name, "small");
    assert_string_equal(m.result->series[1].name, "large");
    assert_true(fabs(m.result->series[0].quantiles[2].value / 1e5 - 1) < .01);
    assert_true(fabs(m.result->series[1].quantiles[2].value / 8e6 - 1) < .01);
    end(&m);
}

static void wrong_calls_are_named(void **state)
{
    (void)state;
    static const char script[] = SCRIPT_WITH("", REFERENCE ", {\"name\": \"o\", \"role\": \"oracle\", \"times\": [1]}, "
                                                           "{\"name\": \"a\", \"error_class\": \"approximate\", "
                                                           "\"times\": [1000]}");
    static const struct {
        const char *implementation;
        sy_status status;
        const char *what;
    } calls[] = {
        {"nobody", SY_NOT_FOUND, "ring has no implementation 'nobody'"},
        {"o", SY_INVALID_ARGUMENT, "o is the oracle: it says what is right and is never timed"},
        {"a", SY_INVALID_ARGUMENT, "a is approximate by its own word: measured only if allowed"},
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        sy_measure_options options = with_runs(10);
        options.implementation = calls[i].implementation;
        measured m = measure(script, &options);
        assert_int_equal(m.status, calls[i].status);
        assert_string_equal(m.err.what, calls[i].what);
        assert_null(m.result);
        end(&m);
    }
    sy_measure_options options = with_runs(SY_MEASURE_RUNS_MAX + 1);
    measured m = measure(script, &options);
    assert_int_equal(m.status, SY_INVALID_ARGUMENT);
    assert_string_equal(m.err.what, "100001 runs: at most 100000");
    end(&m);
    options = with_runs(10);
    options.level = 1;
    m = measure(script, &options);
    assert_string_equal(m.err.what, "level 1: must be above 0 and below 1");
    end(&m);
    options = with_runs(0);
    options.least_runs = 0;
    m = measure(script, &options);
    assert_string_equal(m.err.what, "at least 0 and at most 1000 runs: the least must be 1 or more, the most no less");
    end(&m);
}

static void in_a_worker_a_crash_costs_one_run(void **state)
{
    (void)state;
    sy_measure_options options = with_runs(20);
    options.worker_path = self_path;
    measured m = measure(SCRIPT_WITH("\"isolation\": \"worker\",",
                                     "{\"name\": \"r\", \"role\": \"reference\", \"law\": {" QUIET
                                     "}, \"crash_at\": 24, \"crash_how\": \"segfault\"}"),
                         &options);
    const sy_measure_series *series = series_of(&m);
    assert_int_equal(m.result->isolation, SY_ISOLATION_WORKER);
    assert_int_equal(series->run_count, 20);
    assert_true(series->usable_count == 19 || series->usable_count == 18);
    assert_true(fabs(series->quantiles[2].value / 1e6 - 1) < .01);
    end(&m);
}

static sy_status measure_once(bool *ret_changed)
{
    sy_measure_options options = with_runs(12);
    options.implementation = "f";
    measured m = measure(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "500000", "")), &options);
    *ret_changed = m.status == SY_OK && m.result->reason[0] != '\0';
    if (m.status != SY_OK && m.status != SY_NO_MEMORY)
        print_error("%s: %s\n", sy_status_word(m.status), m.err.what);
    end(&m);
    return m.status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    int64_t alive = sy_fault_live_allocations();
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        bool changed = false;
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = measure_once(&changed);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), alive);
        assert_int_equal(sy_graph_live_count(), 0);
        if (status != SY_OK)
            assert_int_equal(status, SY_NO_MEMORY);
        failures += status != SY_OK || changed;
        if (!reached)
            break;
    }
    assert_true(failures > 40);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    self_path = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_one_has_a_median_with_an_interval),
        cmocka_unit_test(two_kinds_of_runs_are_two_modes),
        cmocka_unit_test(one_that_gets_faster_is_still_warming_up),
        cmocka_unit_test(one_that_gets_slower_is_slowing_down),
        cmocka_unit_test(a_warm_up_is_set_aside_and_said),
        cmocka_unit_test(a_clock_in_steps_is_named),
        cmocka_unit_test(a_candidate_is_measured_without_the_reference),
        cmocka_unit_test(wrong_outputs_are_never_timed),
        cmocka_unit_test(what_turns_wrong_while_it_is_timed_is_found),
        cmocka_unit_test(one_crash_is_counted_and_many_end_it),
        cmocka_unit_test(a_budget_ends_it_but_not_before_the_least_runs),
        cmocka_unit_test(a_wall_limit_keeps_what_was_measured),
        cmocka_unit_test(an_interruption_keeps_what_was_measured),
        cmocka_unit_test(each_case_is_a_series_of_its_own),
        cmocka_unit_test(wrong_calls_are_named),
        cmocka_unit_test(in_a_worker_a_crash_costs_one_run),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
