/* SPDX-License-Identifier: Apache-2.0 */
/* What a result says as lines, read again as a run around would read them: the same as a recording holds. */
#include "recording_support.h"

#include "evidence/lines/run_protocol.h"
#include "fault_loop.h"

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

static void lines_say_what_a_recording_would_hold(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_measure_result *result = measured(&p, 24);
    sy_recorded recorded = record(&p, result);
    sy_protocol_account account;
    char *lines = NULL;
    double *samples = NULL;
    size_t count = 0;
    assert_int_equal(sy_run_lines_of_measure(result, &lines, NULL), SY_OK);
    sy_protocol *reader = sy_protocol_create(NULL);
    assert_int_equal(sy_protocol_feed(reader, lines, strlen(lines), NULL), SY_OK);
    assert_int_equal(sy_protocol_finish(reader, &account, NULL), SY_OK);
    assert_int_equal(account.rejected_count, 0);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(account.series_count, run->series_count);
    const sy_run_series *said = &account.series[0];
    const sy_run_series *kept = &run->series[0];
    assert_string_equal(said->name, kept->name);
    assert_string_equal(said->unit, kept->unit);
    assert_string_equal(said->case_name, kept->case_name);
    assert_string_equal(said->implementation, kept->implementation);
    assert_int_equal(said->role, kept->role);
    assert_int_equal(sy_ledger_samples(sy_project_ledger(p.project), kept->digest, &samples, &count, NULL), SY_OK);
    assert_int_equal(said->count, count);
    assert_memory_equal(said->samples, samples, count * sizeof *samples);
    assert_int_equal(account.parity_count, run->parity_count);
    assert_int_equal(account.digest_count, run->digest_count);
    assert_int_equal(account.memory_count, run->memory_count);
    sy_samples_free(samples);
    sy_run_destroy(run);
    sy_protocol_destroy(reader);
    sy_text_free(lines);
    sy_measure_result_destroy(result);
    leave_runs(&p);
}

/* Names with blanks, quotes and line ends are one word each. */
static void words_of_lines_survive_whatever_they_hold(void **state)
{
    sy_timed_run runs[] = {{.value = 9}, {.value = 7}, {.value = SY_NAN, .unusable = "crashed"}};
    sy_measure_series series = {
        .name = "4096 x \"4096\"\n\\",
        .metric = {"line:score", "", true},
        .runs = runs,
        .run_count = 3,
        .usable_count = 2,
        .steady_from = 1,
        .parity = {.outcome = SY_PARITY_FAILED, .reason = "said \"no\"", .error_in_tolerances = 2.5}};
    const char *const notes[] = {"one\ntwo"};
    sy_measure_result result = {.operation = "ring",
                                .implementation = "./a b",
                                .series = &series,
                                .series_count = 1,
                                .notes = notes,
                                .note_count = 1};
    sy_protocol_account account;
    char *lines = NULL;
    (void)state;
    assert_int_equal(sy_run_lines_of_measure(&result, &lines, NULL), SY_OK);
    sy_protocol *reader = sy_protocol_create(NULL);
    assert_int_equal(sy_protocol_feed(reader, lines, strlen(lines), NULL), SY_OK);
    assert_int_equal(sy_protocol_finish(reader, &account, NULL), SY_OK);
    assert_int_equal(account.rejected_count, 0);
    assert_int_equal(account.series_count, 2);
    assert_int_equal(account.series[0].role, SY_SERIES_WARM_UP);
    assert_int_equal(account.series[0].count, 1);
    account.series++;
    assert_int_equal(account.series[0].role, SY_SERIES_SAMPLE);
    assert_string_equal(account.series[0].case_name, series.name);
    assert_string_equal(account.series[0].implementation, "./a b");
    assert_true(account.series[0].higher_is_better);
    assert_int_equal(account.series[0].count, 2);
    assert_true(account.series[0].samples[0] == 7);
    assert_true(account.series[0].samples[1] != account.series[0].samples[1]);
    assert_int_equal(account.parities[0].outcome, SY_RUN_PARITY_FAILED);
    assert_string_equal(account.parities[0].reason, "said \"no\"");
    assert_true(account.parities[0].error_in_tolerances == 2.5);
    assert_string_equal(account.notes[0], "one two");
    sy_protocol_destroy(reader);
    sy_text_free(lines);
}

static sy_status make_lines(void *user)
{
    char *lines = NULL;
    sy_status status = sy_run_lines_of_measure(user, &lines, NULL);
    sy_text_free(lines);
    return status;
}

static void lines_need_memory_and_say_so(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_measure_result *result = measured(&p, 6);
    assert_true(fault_loop_allocations(make_lines, result, true) > 10);
    sy_measure_result_destroy(result);
    leave_runs(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_what_a_recording_would_hold),
        cmocka_unit_test(words_of_lines_survive_whatever_they_hold),
        cmocka_unit_test(lines_need_memory_and_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
