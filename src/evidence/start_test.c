/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of runs: what is recorded before any work, what refuses a start, and what stops a matrix. */
#include "life_support.h"

#include "base/digest.h"
#include "base/process.h"
#include "evidence/lease/lease.h"

static const sy_run_check *find_check(const sy_run *run, const char *name)
{
    for (size_t i = 0; i < run->check_count; i++) {
        if (strcmp(run->checks[i].name, name) == 0) {
            return &run->checks[i];
        }
    }
    fail_msg("no check %s", name);
    return NULL;
}

static void everything_is_recorded_before_the_work(void **state)
{
    life *l = *state;
    char id[64];
    life_start(l, LIFE_GATE, id);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_PLANNED);
    assert_int_equal(run->row.began_utc_s, LIFE_BEGAN);
    assert_string_equal(run->begin.gate, LIFE_GATE);
    assert_string_equal(run->begin.cell, "matmul::cpu");
    assert_string_equal(run->begin.tier, "release-signoff");
    assert_string_equal(run->begin.cache_state, "hot");
    assert_non_null(strstr(run->begin.question, "openblas"));
    assert_int_equal(run->begin.place.hardware, 1);
    assert_string_equal(run->begin.place.device, "cpu");
    assert_true(run->begin.parameter_count > 5);
    assert_int_equal(run->begin.planned_output_count, 1);
    assert_int_equal(run->begin.key.field_count, 19);
    assert_int_equal(find_check(run, "load")->passed, 1);
    assert_int_equal(find_check(run, "free-memory")->passed, 1);
    assert_int_equal(find_check(run, "governor")->passed, 1);
    assert_int_equal(find_check(run, "exclusive-device")->passed, 1);
    assert_int_equal(find_check(run, "by-hand")->passed, -1);
    assert_false(find_check(run, "by-hand")->required);
    assert_int_equal(run->artifact_count, 1);
    assert_int_equal(run->artifacts[0].role, SY_ARTIFACT_MANIFEST);
    char *manifest = NULL;
    size_t size = 0;
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(l->project), run->artifacts[0].digest, &manifest, &size, NULL),
                     SY_OK);
    sy_json *json = NULL;
    assert_int_equal(sy_json_parse(manifest, size, NULL, &json, NULL), SY_OK);
    assert_non_null(sy_json_member(sy_json_member(sy_json_root(json), "begin"), "planned_outputs"));
    assert_non_null(sy_json_member(sy_json_member(sy_json_root(json), "gate"), "command"));
    assert_int_equal(sy_json_member(sy_json_root(json), "checks")->count, run->check_count);
    sy_json_destroy(json);
    sy_text_free(manifest);
    sy_run_destroy(run);
}

static void assert_fails_preflight(life *l, const sy_run_start_options *options, const char *reason)
{
    sy_run_started *started = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_project_start(l->project, options, &started, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_false(started->planned);
    assert_string_equal(started->reason, reason);
    sy_run *run = life_run(l, started->run);
    assert_int_equal(run->row.status, SY_RUN_FAILED);
    assert_string_equal(run->row.reason, reason);
    sy_run_destroy(run);
    sy_run_started_destroy(started);
}

static void a_failed_preflight_is_a_recorded_run(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    life_machine_file(l, "proc/loadavg", "3.50 0.20 0.30 1/100 4711\n");
    assert_fails_preflight(l, &options, "preflight: load");
    life_machine_file(l, "proc/meminfo", "MemAvailable: 1024 kB\n");
    assert_fails_preflight(l, &options, "preflight: free-memory, load");
}

static void what_cannot_be_found_out_has_not_passed(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    char path[600];
    snprintf(path, sizeof path, "%s/proc/loadavg", l->machine);
    assert_int_equal(unlink(path), 0);
    assert_fails_preflight(l, &options, "preflight: load");
    life_machine_file(l, "proc/loadavg", "\n");
    assert_fails_preflight(l, &options, "preflight: load");
}

static void a_device_that_nobody_knows_is_no_hardware_until_somebody_says_so(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    options.device = "accelerator-of-somebody";
    assert_fails_preflight(l, &options, "preflight: hardware");
    options.hardware = 0;
    assert_fails_preflight(l, &options, "preflight: hardware");
    options.device = "fake";
    options.hardware = 1; /* said of a fake one: it stays software */
    assert_fails_preflight(l, &options, "preflight: hardware");
}

static sy_lease *occupy(const life *l)
{
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    sy_lease *lease = NULL;
    options.folder = l->leases;
    options.run = "20261129-120000-abcdef";
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_OK);
    return lease;
}

static void an_occupied_device_never_looks_free(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    sy_lease *owner = occupy(l);
    assert_fails_preflight(l, &options, "preflight: exclusive-device");
    sy_lease_release(owner);
    assert_int_equal(chmod(l->leases, 0777), 0); /* a folder that nobody can trust */
    assert_fails_preflight(l, &options, "preflight: exclusive-device");
    assert_int_equal(chmod(l->leases, 0700), 0);
}

/* Its owner goes while we wait. */
static bool release_it(void *user)
{
    sy_lease **owner = user;
    sy_lease_release(*owner);
    *owner = NULL;
    return false;
}

static bool is_cancelled(void *user)
{
    (void)user;
    return true;
}

static void a_device_is_waited_for_when_that_is_asked_for(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    sy_run_started *started = NULL;
    sy_lease *owner = occupy(l);
    options.wait_ns = UINT64_C(60000000000);
    options.cancelled = is_cancelled;
    assert_int_equal(sy_project_start(l->project, &options, &started, NULL), SY_INTERRUPTED);
    options.cancelled = release_it;
    options.user = &owner;
    assert_int_equal(sy_project_start(l->project, &options, &started, NULL), SY_OK);
    assert_null(owner);
    assert_true(started->planned);
    sy_run_started_destroy(started);
}

static sy_status start(life *l, const sy_run_start_options *options, sy_error *err)
{
    sy_run_started *started = NULL;
    sy_status status = sy_project_start(l->project, options, &started, err);
    sy_run_started_destroy(started);
    return status;
}

static void gates_that_measure_nothing_refuse(void **state)
{
    life *l = *state;
    sy_error error = SY_ERROR_INIT;
    sy_run_start_options options = life_options(l, "matmul.ggml");
    assert_int_equal(start(l, &options, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "unsupported"));
    options.gate = "matmul.cpu";
    assert_int_equal(start(l, &options, &error), SY_NOT_FOUND);
    options.gate = "x'; DROP TABLE run; --\n/../..";
    assert_int_equal(start(l, &options, &error), SY_NOT_FOUND);
    options = life_options(l, LIFE_GATE);
    options.question = " \n\t";
    assert_int_equal(start(l, &options, &error), SY_INVALID_ARGUMENT);
    const sy_named_text wrong[] = {{"scan_rigion", "7"}};
    options = life_options(l, LIFE_GATE);
    options.key = wrong;
    options.key_count = 1;
    assert_int_equal(start(l, &options, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.hint, "scan_region"));
    sy_run_list *list = NULL;
    assert_int_equal(sy_ledger_runs(sy_project_ledger(l->project), NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 0);
    sy_run_list_destroy(list);
}

static void what_is_private_is_taken_out(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    static const char *const notes[] = {"in /home/somebody/work with --token abcdef0123456789abcdef"};
    const sy_named_text parameters[] = {{"password", "hunter2"}};
    options.question = "Is /Users/somebody/data any faster?";
    options.notes = notes;
    options.note_count = 1;
    options.parameters = parameters;
    options.parameter_count = 1;
    sy_error error = SY_ERROR_INIT;
    if (start(l, &options, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    sy_run *run = life_run(l, "last");
    assert_null(strstr(run->begin.question, "somebody"));
    char *manifest = NULL;
    size_t size = 0;
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(l->project), run->artifacts[0].digest, &manifest, &size, NULL),
                     SY_OK);
    assert_null(strstr(manifest, "somebody"));
    assert_null(strstr(manifest, "hunter2"));
    sy_text_free(manifest);
    sy_run_destroy(run);
}

static void ids_and_texts_of_any_bytes_are_kept_or_refused_whole(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    size_t size = (size_t)10 << 20;
    char *much = malloc(size + 1);
    assert_non_null(much);
    memset(much, 'q', size);
    much[size] = '\0';
    options.question = much;
    sy_error error = SY_ERROR_INIT;
    sy_status status = start(l, &options, &error);
    if (status == SY_OK) {
        sy_run *run = life_run(l, "last");
        assert_int_equal(strlen(run->begin.question), size);
        sy_run_destroy(run);
    } else {
        assert_true(status == SY_LIMIT_EXCEEDED || status == SY_INVALID_ARGUMENT);
    }
    options.gate = much;
    assert_int_equal(start(l, &options, &error), SY_NOT_FOUND);
    free(much);
    options = life_options(l, LIFE_GATE);
    options.question = "\"; DROP TABLE run; --' \\ / \n line \xff\xfe byte";
    assert_int_equal(start(l, &options, &error), SY_OK);
}

/* ---- fixtures ---- */

static void a_fixture_is_held_against_its_digest(void **state)
{
    life *l = *state;
    char path[600], edit[400], text[SY_DIGEST_TEXT];
    sy_digest digest;
    sy_digest_of("fixture", 7, &digest);
    sy_digest_format(&digest, text);
    snprintf(path, sizeof path, "%s/fixture.bin", l->folder);
    set_write(l->folder, "fixture.bin", "fixture", 7);
    snprintf(edit, sizeof edit,
             "\"implementation\": \"openblas\",\n      \"fixture_id\": \"scan-7\", \"fixture_sha256\": \"%s\",\n      "
             "\"address_space_bytes\"",
             text);
    sy_project_close(l->project);
    set_edit(l->root, LIFE_GATES, "\"implementation\": \"openblas\",\n      \"address_space_bytes\"", edit);
    life_open(l, false);
    sy_run_start_options options = life_options(l, LIFE_OTHER_GATE);
    assert_fails_preflight(l, &options, "preflight: fixture"); /* no file was named */
    const sy_run_input input = {"scan-7", path};
    options.inputs = &input;
    options.input_count = 1;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(start(l, &options, &error), SY_OK);
    sy_run *run = life_run(l, "last");
    assert_int_equal(run->row.status, SY_RUN_PLANNED);
    assert_int_equal(run->begin.input_count, 1);
    assert_string_equal(run->begin.inputs[0].value, text);
    sy_run_destroy(run);
    set_write(l->folder, "fixture.bin", "fixturE", 7);
    assert_fails_preflight(l, &options, "preflight: fixture");
    assert_int_equal(unlink(path), 0);
    assert_fails_preflight(l, &options, "preflight: fixture");
}

/* ---- blocks ---- */

static void a_failed_smoke_stops_the_matrix_until_it_passes(void **state)
{
    life *l = *state;
    char blocked[64], id[64], host[256] = "";
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    life_start(l, LIFE_GATE, blocked);
    life_lease_on(l, blocked, host, "", LIFE_BEGAN + 60);
    life_command(l, blocked, "smoke", 1, true);
    char reason[300] = "smoke: ";
    for (size_t i = strlen(reason); i + 2 < sizeof reason; i += 2)
        memcpy(reason + i, "\xc3\xa9", 3);
    assert_int_equal(life_finish(l, blocked, SY_RUN_FAILED, NULL, reason, NULL), SY_OK);

    sy_run_start_options options = life_options(l, LIFE_OTHER_GATE);
    assert_int_equal(start(l, &options, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, blocked));
    assert_true(sy_text_ends(error.what, "\xa9...")); /* whole characters, and a sign that there is more */
    assert_non_null(strstr(error.hint, "steelyard run show "));
    assert_true(sy_text_ends(error.hint, "--reason '...'"));
    sy_run *failed = life_run(l, blocked);
    assert_string_equal(failed->row.reason, reason);
    sy_run_destroy(failed);
    /* Another device is not concerned, nor is the gate itself. */
    options.device = "accelerator-of-somebody";
    options.hardware = 1;
    assert_int_equal(start(l, &options, &error), SY_OK);
    life_start(l, LIFE_GATE, id);

    /* Despite it, but with a reason. */
    const char *despite[] = {blocked};
    options = life_options(l, LIFE_OTHER_GATE);
    options.despite = despite;
    options.despite_count = 1;
    assert_int_equal(start(l, &options, &error), SY_INVALID_ARGUMENT);
    options.despite_reason = "it is another implementation";
    despite[0] = "20261129-000000-000000";
    assert_int_equal(start(l, &options, &error), SY_REFUSED);
    options.gate = LIFE_GATE; /* which nothing blocks */
    assert_int_equal(start(l, &options, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.what, "blocks nothing"));
    options.gate = LIFE_OTHER_GATE;
    blocked[12] = '\0'; /* its beginning is enough */
    despite[0] = blocked;
    assert_int_equal(start(l, &options, &error), SY_OK);
    sy_run *run = life_run(l, "last");
    assert_non_null(strstr(run->begin.notes[0], "another implementation"));
    sy_run_destroy(run);
    options = life_options(l, LIFE_OTHER_GATE);
    assert_int_equal(start(l, &options, &error), SY_REFUSED);

    /* A run of the same gate that never came to its smoke mends nothing; one whose smoke passed does. */
    assert_int_equal(life_finish(l, id, SY_RUN_FAILED, NULL, "cancelled", NULL), SY_OK);
    assert_int_equal(start(l, &options, &error), SY_REFUSED);
    life_start(l, LIFE_GATE, id);
    life_lease_on(l, id, host, "", LIFE_BEGAN + 60);
    life_command(l, id, "smoke", 0, true);
    assert_int_equal(start(l, &options, &error), SY_OK);
}

static void a_diagnostic_starts_under_a_block(void **state)
{
    life *l = *state;
    char blocked[64];
    sy_error error = SY_ERROR_INIT;
    sy_project_close(l->project);
    char *bytes = set_read(l->root, LIFE_GATES, NULL);
    char *least = strstr(bytes, "\"least-memory\": {");
    assert_non_null(least);
    char *tier = strstr(least, "release-signoff");
    assert_non_null(tier);
    memcpy(tier, "diagnostic\",   ", strlen("release-signoff"));
    char *quote = strchr(tier + strlen("release-signoff"), '"');
    memmove(quote, quote + 2, strlen(quote + 2) + 1); /* the old quote and its comma */
    set_write(l->root, LIFE_GATES, bytes, strlen(bytes));
    free(bytes);
    life_open(l, false);
    life_start(l, LIFE_GATE, blocked);
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    life_lease_on(l, blocked, host, "", LIFE_BEGAN + 60);
    assert_int_equal(life_finish(l, blocked, SY_RUN_FAILED, NULL, "smoke: memory", NULL), SY_OK);
    sy_run_start_options options = life_options(l, LIFE_OTHER_GATE);
    assert_int_equal(start(l, &options, &error), SY_OK);
    sy_run *run = life_run(l, "last");
    assert_string_equal(run->begin.tier, "diagnostic");
    sy_run_destroy(run);
}

/* ---- faults ---- */

static void a_full_disk_leaves_no_half_a_run(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    sy_error error = SY_ERROR_INIT;
    options.git = "steelyard-no-such-program"; /* children cannot be failed from here */
    assert_int_equal(start(l, &options, &error), SY_OK);
    for (uint64_t n = 1;; n += 1 + n / 24) { /* every one of the first, then ever fewer */
        sy_fault_reset();
        sy_fault_fail_system_call(n, 28 /* ENOSPC */, false);
        sy_status status = start(l, &options, &error);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        if (!reached) {
            assert_int_equal(status, SY_OK);
            break;
        }
    }
    sy_ledger_verdict *verdict = NULL;
    assert_int_equal(sy_ledger_verify(sy_project_ledger(l->project), NULL, &verdict, &error), SY_OK);
    assert_int_equal(verdict->fault_total, 0);
    sy_ledger_verdict_destroy(verdict);
}

static void evidence_that_cannot_be_written_refuses(void **state)
{
    life *l = *state;
    sy_error error = SY_ERROR_INIT;
    sy_project_close(l->project);
    life_open(l, true);
    sy_run_start_options options = life_options(l, LIFE_GATE);
    assert_int_equal(start(l, &options, &error), SY_REFUSED);
}

static void an_allocation_that_fails_records_nothing_or_all(void **state)
{
    life *l = *state;
    sy_run_start_options options = life_options(l, LIFE_GATE);
    options.git = "steelyard-no-such-program";
    assert_int_equal(start(l, &options, NULL), SY_OK);
    int64_t alive = sy_fault_live_allocations();
    for (uint64_t n = 1;; n += 1 + n / 24) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = start(l, &options, NULL);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), alive);
        assert_true(status == SY_OK || (reached && status == SY_NO_MEMORY));
        if (!reached) {
            break;
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(everything_is_recorded_before_the_work),
        TEST(a_failed_preflight_is_a_recorded_run),
        TEST(what_cannot_be_found_out_has_not_passed),
        TEST(a_device_that_nobody_knows_is_no_hardware_until_somebody_says_so),
        TEST(an_occupied_device_never_looks_free),
        TEST(a_device_is_waited_for_when_that_is_asked_for),
        TEST(gates_that_measure_nothing_refuse),
        TEST(what_is_private_is_taken_out),
        TEST(ids_and_texts_of_any_bytes_are_kept_or_refused_whole),
        TEST(a_fixture_is_held_against_its_digest),
        TEST(a_failed_smoke_stops_the_matrix_until_it_passes),
        TEST(a_diagnostic_starts_under_a_block),
        TEST(a_full_disk_leaves_no_half_a_run),
        TEST(evidence_that_cannot_be_written_refuses),
        TEST(an_allocation_that_fails_records_nothing_or_all),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
