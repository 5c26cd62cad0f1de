/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements as sessions: every run in order, the warm-up apart, and nothing private in what is kept. */
#include "recording_support.h"

#include "base/text.h"
#include "evidence/clean_json.h"

static sy_measure_result *measured(const place_of_runs *p, uint32_t runs)
{
    sy_measure_options options = SY_MEASURE_OPTIONS_INIT;
    sy_measure_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    options.runs = runs;
    options.seed = 1;
    if (sy_measure(p->device, p->suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    return result;
}

static sy_recorded record(const place_of_runs *p, const sy_measure_result *result)
{
    sy_recording_options options = recording_of(p);
    sy_recorded recorded = {"", ""};
    sy_error err = SY_ERROR_INIT;
    options.implementation = "r";
    sy_recording *recording = begun(p, SY_RUN_KIND_SESSION, &options);
    if (sy_recording_keep_measure(recording, result, &recorded, &err) != SY_OK)
        fail_msg("%s (%s)", err.what, err.hint);
    sy_recording_close(recording);
    return recorded;
}

static void a_measurement_is_a_session_with_every_run(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_measure_result *result = measured(&p, 24);
    sy_recorded recorded = record(&p, result);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->row.kind, SY_RUN_KIND_SESSION);
    assert_int_equal(run->row.status, SY_RUN_OK);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    assert_string_equal(run->row.protocol, "steelyard-profile/v1");
    assert_string_equal(run->row.tier, "");
    assert_int_equal(run->series_count, 1);
    expect_samples(&p, series_in(run, SY_SERIES_SAMPLE, "r"), 24, 1000000 / 1e9);
    assert_string_equal(run->series[0].case_name, "c");
    assert_true(run->series[0].p95 == 1000000 / 1e9);
    assert_string_equal(run->digest, recorded.digest);
    sy_run_destroy(run);
    sy_measure_result_destroy(result);
    leave_runs(&p);
}

/* Whose leases lie elsewhere has the device under a higher number; our own file knows nothing of it. */
static void a_device_that_somebody_else_had_meanwhile_was_not_held(void **state)
{
    static const char *const argv[] = {"steelyard", "measure"};
    (void)state;
    for (int other = 0; other < 2; other++) {
        place_of_runs p = runs_with(EXACT_SCRIPT);
        place_of_runs elsewhere = p;
        sy_recording_options options = recording_of(&p);
        sy_recorded recorded = {"", ""};
        options.implementation = "r";
        options.argv = argv;
        options.argc = 2;
        sy_recording *recording = begun(&p, SY_RUN_KIND_SESSION, &options);
        (void)snprintf(elsewhere.leases, sizeof elsewhere.leases, "%s/elsewhere", (const char *)p.folder);
        elsewhere.project = open_project_of(&elsewhere);
        if (other == 1)
            sy_recording_close(begun(&elsewhere, SY_RUN_KIND_SESSION, &options));
        sy_project_close(elsewhere.project);
        sy_measure_result *result = measured(&p, 5);
        assert_int_equal(sy_recording_keep_measure(recording, result, &recorded, NULL), SY_OK);
        sy_recording_close(recording);
        sy_run *run = run_of(&p, recorded.run);
        assert_int_equal(run->command_count, 1);
        assert_true(run->commands[0].lease_held == (other == 0));
        assert_true(run->row.lease_whole == (other == 0));
        sy_run_destroy(run);
        sy_measure_result_destroy(result);
        leave_runs(&p);
    }
}

/* A result is plain data: its warm-up and its failed runs are where this test puts them. */
static void the_warm_up_stands_apart_and_failed_runs_stay(void **state)
{
    sy_timed_run runs[8];
    sy_measure_series series = {.name = "c",
                                .metric = {"wall", "ns", false},
                                .batch = 1,
                                .runs = runs,
                                .run_count = 8,
                                .usable_count = 7,
                                .steady_from = 2};
    sy_measure_result result = {.operation = "ring",
                                .implementation = "r",
                                .reason = "",
                                .error = "",
                                .measured = true,
                                .memory_bytes = 4096,
                                .series = &series,
                                .series_count = 1};
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    for (size_t i = 0; i < 8; i++)
        runs[i] = (sy_timed_run){.value = i < 3 ? 5e6 : 1e6};
    runs[1] = (sy_timed_run){.value = SY_NAN, .unusable = "timer"};
    sy_recorded recorded = record(&p, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->series_count, 2);
    const sy_run_series *warm_up = series_in(run, SY_SERIES_WARM_UP, "r");
    assert_int_equal(warm_up->count, 3); /* two usable ones, and the failed one between them */
    assert_int_equal(warm_up->usable_count, 2);
    assert_true(warm_up->maximum == 5e6 / 1e9);
    expect_samples(&p, series_in(run, SY_SERIES_SAMPLE, "r"), 5, 1e6 / 1e9);
    assert_int_equal(run->memory_count, 1);
    assert_int_equal(run->memories[0].bytes, 4096);
    assert_int_equal(run->memories[0].basis, SY_MEMORY_PHYSICAL);
    sy_run_destroy(run);
    leave_runs(&p);
}

static void what_was_not_measured_has_failed_with_its_reason(void **state)
{
    (void)state;
    place_of_runs p = runs_with(SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"times\": [1000000], "
                                                "\"fault\": \"wrong\"}"));
    sy_measure_result *result = measured(&p, 5);
    sy_recorded recorded = record(&p, result);
    sy_run *run = run_of(&p, recorded.run);
    assert_false(result->measured);
    assert_int_equal(run->row.status, SY_RUN_FAILED);
    assert_true(sy_text_begins(run->row.reason, result->reason));
    sy_run_destroy(run);
    sy_measure_result_destroy(result);
    leave_runs(&p);
}

/* ---- what is private in a kept result ---- */

static void expect_clean(const char *json, const char *expected)
{
    sy_arena *arena = sy_arena_create(0);
    sy_text text = SY_TEXT_INIT;
    assert_int_equal(sy_clean_json(json, arena, &text, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
    sy_arena_destroy(arena);
}

static void a_kept_result_names_no_home_and_no_secret(void **state)
{
    (void)state;
    expect_clean("{\"path\": \"/home/jane/lib.so\", \"n\": 1.50}\n", "{\"path\": \"~/lib.so\", \"n\": 1.50}\n");
    expect_clean(
        "{\"environment\": [[\"HF_TOKEN\", \"abc\"]], \"argv\": [\"a\", \"--token\", \"abc\"], \"password\": \"x\"}",
        "{\"environment\": [[\"HF_TOKEN\", \"[secret]\"]], \"argv\": [\"a\", \"--token\", \"[secret]\"], "
        "\"password\": \"[secret]\"}");
    expect_clean("[\"run --token abcdef\", \"x\"]", "[\"run --token [secret]\", \"x\"]");
    expect_clean("{\"/home/jane/a\": [\"q\\\"\\u00e9\", {\"b\": \"/home/jane/\\\"c\"}]}",
                 "{\"~/a\": [\"q\\\"\\u00e9\", {\"b\": \"~/\\\"c\"}]}");
    expect_clean("{\"seed\": 18446744073709551615}", "{\"seed\": 18446744073709551615}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_measurement_is_a_session_with_every_run),
        cmocka_unit_test(a_device_that_somebody_else_had_meanwhile_was_not_held),
        cmocka_unit_test(the_warm_up_stands_apart_and_failed_runs_stay),
        cmocka_unit_test(what_was_not_measured_has_failed_with_its_reason),
        cmocka_unit_test(a_kept_result_names_no_home_and_no_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
