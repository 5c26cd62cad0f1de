/* SPDX-License-Identifier: Apache-2.0 */
/* Probes as decision runs: on a device whose times are scripted every sample, the decision and the way back from a
 * profile are known beforehand. */
#include "recording_support.h"

#include <math.h>

#include "base/json.h"
#include "base/text.h"

static sy_probe_result *probe_of(const place_of_runs *p, const sy_probe_options *options)
{
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_probe(p->device, p->suite, options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    return result;
}

/* Between a run's beginning and its end. */
static sy_recorded record(const place_of_runs *p, const sy_recording_options *options, const sy_probe_options *probe,
                          sy_probe_result **ret_result)
{
    sy_recorded recorded = {"", ""};
    sy_error err = SY_ERROR_INIT;
    sy_recording *recording = begun(p, SY_RUN_KIND_DECISION, options);
    *ret_result = probe_of(p, probe);
    if (sy_recording_keep_probe(recording, *ret_result, &recorded, &err) != SY_OK)
        fail_msg("%s (%s)", err.what, err.hint);
    assert_string_equal(recorded.run, sy_recording_run(recording));
    sy_recording_close(recording);
    return recorded;
}

static size_t count_of(const sy_probe_result *result, bool final_only)
{
    size_t count = 0;
    for (size_t i = 0; i < result->sample_count; i++)
        count += !final_only || result->samples[i].final;
    return count;
}

static void a_probe_is_a_decision_run_with_every_pair(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    sy_recorded recorded = record(&p, &options, &probe, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->row.kind, SY_RUN_KIND_DECISION);
    assert_int_equal(run->row.status, SY_RUN_OK);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    assert_string_equal(run->row.cell, "ring::fake");
    assert_string_equal(run->row.protocol, "steelyard-probe/1");
    assert_true(run->row.synthetic);
    assert_true(run->row.fence > 0);
    assert_int_equal(run->lease_count, 1);
    assert_string_equal(run->leases[0].device, "fake");
    assert_string_equal(run->begin.key.fields[0].value, "steelyard-probe/1");
    assert_non_null(run->decision);
    assert_int_equal(run->decision->decision, SY_DECISION_WIN);
    assert_string_equal(run->decision->winner, "f");
    assert_int_equal(run->decision->pairs, result->pairs);
    assert_true(fabs(run->decision->gain - 0.3) < 1e-12);
    expect_samples(&p, series_in(run, SY_SERIES_SAMPLE, "r"), count_of(result, false), 1000000 / 1e9);
    expect_samples(&p, series_in(run, SY_SERIES_SAMPLE, "f"), count_of(result, false), 700000 / 1e9);
    const sy_run_series *pairs = series_in(run, SY_SERIES_PAIR, "f");
    assert_string_equal(pairs->name, "log-ratio");
    expect_samples(&p, pairs, count_of(result, true), log(1000000.0 / 700000.0));
    assert_string_equal(series_in(run, SY_SERIES_SAMPLE, "r")->unit, "s");
    assert_string_equal(run->digest, recorded.digest);
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static void the_whole_result_is_kept_as_an_artifact(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    char *json = NULL;
    char *kept = NULL;
    size_t size = 0;
    sy_recorded recorded = record(&p, &options, &probe, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->artifact_count, 1);
    assert_int_equal(run->artifacts[0].role, SY_ARTIFACT_PROBE);
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(p.project), run->artifacts[0].digest, &kept, &size, NULL),
                     SY_OK);
    assert_int_equal(size, run->artifacts[0].size);
    assert_int_equal(sy_probe_result_to_json(result, &json, NULL), SY_OK);
    assert_int_equal(size, strlen(json));
    assert_memory_equal(kept, json, size); /* nothing private stood in it */
    sy_text_free(json);
    sy_text_free(kept);
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static void the_command_stands_clean_in_the_run_and_under_its_lease(void **state)
{
    static const char *const argv[] = {"steelyard", "probe", "--script", "/home/jane/script.json", "--token", "abcdef"};
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    options.argv = argv;
    options.argc = 4;
    options.question = "Is /home/jane/bin/f faster?";
    options.hold_ns = UINT64_C(7200000000000);
    sy_recorded recorded = record(&p, &options, &probe, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_string_equal(run->row.question, "Is ~/bin/f faster?");
    assert_int_equal(run->command_count, 1);
    assert_int_equal(run->commands[0].argc, 4);
    assert_string_equal(run->commands[0].argv[3], "~/script.json");
    assert_true(run->commands[0].lease_held);
    assert_int_equal(run->commands[0].fence, run->row.fence);
    assert_true(run->row.lease_whole);
    assert_true(run->leases[0].until_utc_s >= run->row.began_utc_s + 7200);
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static void an_incomplete_probe_has_failed_and_says_why(void **state)
{
    (void)state;
    place_of_runs p = runs_with(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "1000000", ", \"fault\": \"wrong\"")));
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    probe.max_pairs = 8;
    sy_recorded recorded = record(&p, &options, &probe, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_false(result->completed);
    assert_int_equal(run->row.status, SY_RUN_FAILED);
    assert_true(sy_text_begins(run->row.reason, sy_decision_word(result->decision)));
    assert_non_null(run->decision);
    assert_int_equal(run->decision->decision, result->decision);
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

static void an_interrupted_probe_has_failed(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    probe.cancelled = at_once;
    sy_recorded recorded = record(&p, &options, &probe, &result);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->row.status, SY_RUN_FAILED);
    assert_string_equal(run->row.reason, "interrupted");
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

/* The device has one owner; the second is told who that is, and leaves no run. */
static void a_device_that_another_campaign_owns_is_refused(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_recording *second = NULL;
    sy_run_list *list = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_recording *first = begun(&p, SY_RUN_KIND_DECISION, &options);
    assert_int_equal(sy_recording_begin(p.project, SY_RUN_KIND_SESSION, &options, &second, &err), SY_UNAVAILABLE);
    assert_int_equal(err.status, SY_UNAVAILABLE);
    if (strstr(err.what, sy_recording_run(first)) == NULL)
        fail_msg("'%s' does not name the run %s", err.what, sy_recording_run(first));
    assert_null(second);
    sy_recording_close(first);
    second = begun(&p, SY_RUN_KIND_SESSION, &options);
    assert_int_equal(sy_ledger_runs(sy_project_ledger(p.project), NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 2);
    assert_int_equal(list->rows[0].status, SY_RUN_RUNNING);
    assert_int_equal(list->rows[1].status, SY_RUN_FAILED); /* it was closed without an end */
    assert_true(list->rows[0].fence > list->rows[1].fence);
    sy_run_list_destroy(list);
    sy_recording_close(second);
    leave_runs(&p);
}

static void expect_proof(const place_of_runs *p, const sy_recorded *recorded, sy_proof_state expected)
{
    sy_proof_state found = SY_PROOF_HOLDS;
    assert_int_equal(sy_project_prove(p->project, recorded, &found, NULL), SY_OK);
    assert_int_equal(found, expected);
}

static void a_profile_leads_back_to_its_run_and_the_run_to_it(void **state)
{
    static const sy_run_profile profile = {"profiles", "exact ring", "f"};
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_probe_options probe = seeded(1);
    sy_probe_result *result = NULL;
    sy_recorded recorded = record(&p, &options, &probe, &result);
    expect_proof(&p, &recorded, SY_PROOF_HOLDS);
    assert_int_equal(sy_project_link_profile(p.project, recorded.run, &profile, NULL), SY_OK);
    expect_proof(&p, &recorded, SY_PROOF_HOLDS); /* what came later changes nothing */
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->profile_count, 1);
    assert_string_equal(run->profiles[0].store, "profiles");
    assert_string_equal(run->profiles[0].implementation, "f");
    sy_run_destroy(run);
    recorded.digest[0] = recorded.digest[0] == '0' ? '1' : '0';
    expect_proof(&p, &recorded, SY_PROOF_DIFFERS);
    recorded.run[0] = 'x';
    expect_proof(&p, &recorded, SY_PROOF_ABSENT);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

/* As the callback of a selector does it. */
static void a_probe_that_was_made_already_is_recorded_in_one_call(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = SY_RECORDING_OPTIONS_INIT;
    sy_probe_options probe = seeded(1);
    sy_recorded recorded = {"", ""};
    sy_error err = SY_ERROR_INIT;
    sy_probe_result *result = probe_of(&p, &probe);
    options.suite = p.suite;
    if (sy_project_record_probe(p.project, result, &options, &recorded, &err) != SY_OK)
        fail_msg("%s (%s)", err.what, err.hint);
    sy_run *run = run_of(&p, recorded.run);
    assert_int_equal(run->row.status, SY_RUN_OK);
    assert_int_equal(run->command_count, 0);
    expect_proof(&p, &recorded, SY_PROOF_HOLDS);
    sy_run_destroy(run);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static sy_status keep_in_project(void *user, const sy_request *request, const sy_probe_result *result,
                                 sy_recorded *ret_recorded, sy_error *err)
{
    sy_recording_options options = SY_RECORDING_OPTIONS_INIT;
    options.suite = request->suite;
    return sy_project_record_probe(user, result, &options, ret_recorded, err);
}

/* An engine's decisions, each in the ledger before it is in the store. */
static void a_selector_stores_what_a_run_of_the_project_proves(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_request request = SY_REQUEST_INIT;
    sy_selector *selector = NULL;
    sy_selection selection;
    char path[600];
    if (sy_identity_is_uncertain(p.identity)) {
        leave_runs(&p);
        print_message("skipped: a key fact of this machine is unknown, so that no decision is kept\n");
        skip();
    }
    (void)snprintf(path, sizeof path, "%s/profiles", (const char *)p.folder);
    store.path = path;
    store.environment_layers = false;
    options.store_options = &store;
    options.record = keep_in_project;
    options.user = p.project;
    request.suite = p.suite;
    request.device = p.device;
    request.mode = SY_SELECT_PROBE;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_OK);
    assert_true(selection.stored);
    sy_run *run = run_of(&p, "last");
    char *text = set_read(p.folder, "profiles", NULL);
    char expected[300];
    (void)snprintf(expected, sizeof expected, "evidence \"%s\" \"%s\"", run->row.id, run->digest);
    assert_non_null(strstr(text, expected));
    free(text);
    sy_run_destroy(run);
    sy_selector_close(selector);
    leave_runs(&p);
}

static void a_field_that_the_key_lacks_begins_no_run(void **state)
{
    static const sy_named_text key[] = {{"weather", "fine"}};
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_recording_options options = recording_of(&p);
    sy_recording *recording = NULL;
    sy_error err = SY_ERROR_INIT;
    options.key = key;
    options.key_count = 1;
    assert_int_equal(sy_recording_begin(p.project, SY_RUN_KIND_DECISION, &options, &recording, &err),
                     SY_INVALID_ARGUMENT);
    assert_null(recording);
    options.key_count = 0;
    recording = begun(&p, SY_RUN_KIND_DECISION, &options); /* the device was not kept */
    assert_true(strstr(sy_recording_unknown(recording), "scan_region, ") != NULL);
    sy_recording_close(recording);
    leave_runs(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probe_is_a_decision_run_with_every_pair),
        cmocka_unit_test(the_whole_result_is_kept_as_an_artifact),
        cmocka_unit_test(the_command_stands_clean_in_the_run_and_under_its_lease),
        cmocka_unit_test(an_incomplete_probe_has_failed_and_says_why),
        cmocka_unit_test(an_interrupted_probe_has_failed),
        cmocka_unit_test(a_device_that_another_campaign_owns_is_refused),
        cmocka_unit_test(a_profile_leads_back_to_its_run_and_the_run_to_it),
        cmocka_unit_test(a_probe_that_was_made_already_is_recorded_in_one_call),
        cmocka_unit_test(a_selector_stores_what_a_run_of_the_project_proves),
        cmocka_unit_test(a_field_that_the_key_lacks_begins_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
