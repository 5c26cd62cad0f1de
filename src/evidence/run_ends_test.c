/* SPDX-License-Identifier: Apache-2.0 */
/* How runs end, what is attached, and what a sweep closes. */
#include "life_support.h"

#include "evidence/lease/lease.h"

static const char this_boot[] = "";

static void host_name(char to[256])
{
    memset(to, 0, 256);
    assert_int_equal(gethostname(to, 255), 0);
}

/* ---- ends ---- */

static void an_end_comes_once_and_only_from_where_it_may(void **state)
{
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    life_start(l, LIFE_GATE, id);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "planned"));
    life_work(l, id);
    assert_int_equal(life_finish(l, id, SY_RUN_REFUTED, NULL, NULL, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(life_finish(l, id, SY_RUN_PLANNED, NULL, NULL, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, "As fast as before.", NULL, &error), SY_OK);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, &error), SY_REFUSED);
    assert_int_equal(life_finish(l, id, SY_RUN_FAILED, NULL, NULL, &error), SY_REFUSED);
    assert_int_equal(life_finish(l, "no-such-run", SY_RUN_OK, NULL, NULL, &error), SY_NOT_FOUND);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_OK);
    assert_int_equal(run->end_count, 1);
    assert_string_equal(run->row.conclusion, "As fast as before.");
    sy_run_destroy(run);
}

static void a_superseded_run_names_one_that_is_there(void **state)
{
    life *l = *state;
    char id[64], other[64];
    sy_error error = SY_ERROR_INIT;
    sy_run_finished *finished = NULL;
    life_start(l, LIFE_GATE, id);
    life_work(l, id);
    assert_int_equal(life_finish(l, id, SY_RUN_OK, NULL, NULL, &error), SY_OK);
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    options.run = id;
    options.end = (sy_run_end){SY_RUN_SUPERSEDED, NULL, NULL, "nobody"};
    assert_int_equal(sy_project_finish(l->project, &options, &finished, &error), SY_NOT_FOUND);
    life_start(l, LIFE_GATE, other);
    options.end.superseded_by = other;
    assert_int_equal(sy_project_finish(l->project, &options, &finished, &error), SY_OK);
    assert_int_equal(finished->status, SY_RUN_SUPERSEDED);
    sy_run_finished_destroy(finished);
    options.end = (sy_run_end){SY_RUN_FAILED, NULL, NULL, id};
    options.run = other;
    assert_int_equal(sy_project_finish(l->project, &options, &finished, &error), SY_INVALID_ARGUMENT);
}

static void a_figure_that_cannot_count_for_least_memory_is_a_pre_check(void **state)
{
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    const sy_run_memory memories[] = {
        {"peak", 1 << 20, SY_MEMORY_ESTIMATE, SY_MEMORY_PROCESS, "", SY_NAN, SY_NAN, false},
        {"payload", 1 << 10, SY_MEMORY_CALCULATED, SY_MEMORY_PROCESS, "", SY_NAN, SY_NAN, false},
        {"limit", 1 << 20, SY_MEMORY_CONSTRAINED, SY_MEMORY_PROCESS, "prlimit", SY_NAN, SY_NAN, false},
        {"all", 1 << 20, SY_MEMORY_PHYSICAL, SY_MEMORY_UNIFIED, "", SY_NAN, SY_NAN, false}};
    const sy_run_digest digest = {"output", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "square-512", "openblas", "", 0.25};
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    life_start(l, LIFE_GATE, id);
    life_work(l, id);
    options.run = id;
    options.end.status = SY_RUN_OK;
    options.memories = memories;
    options.memory_count = 4;
    options.parities = &parity;
    options.parity_count = 1;
    options.digests = &digest;
    options.digest_count = 1;
    if (sy_project_finish(l->project, &options, &finished, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_true(finished->remark_count >= 2); /* and all, where this computer has more than is promised */
    assert_non_null(strstr(finished->remarks[0], "pre-check: peak"));
    assert_non_null(strstr(finished->remarks[1], "pre-check: payload"));
    assert_int_equal(strlen(finished->head.digest), 64);
    sy_run_finished_destroy(finished);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->memory_count, 4);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    assert_string_equal(run->digests[0].role, "output");
    sy_run_destroy(run);
}

static void an_end_with_one_wrong_figure_writes_nothing(void **state)
{
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    const sy_run_digest digest = {"output", "nonsense"};
    const sy_run_parity_event parity = {SY_RUN_PARITY_PASSED, "", "", "", SY_NAN};
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    life_start(l, LIFE_GATE, id);
    life_work(l, id);
    options.run = id;
    options.end.status = SY_RUN_OK;
    options.parities = &parity;
    options.parity_count = 1;
    options.digests = &digest;
    options.digest_count = 1;
    assert_int_equal(sy_project_finish(l->project, &options, &finished, &error), SY_INVALID_ARGUMENT);
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_RUNNING);
    assert_int_equal(run->parity_count, 0);
    sy_run_destroy(run);
}

static void a_larger_device_proves_nothing_of_a_smaller_one(void **state)
{
    life *l = *state;
    char id[64];
    sy_error error = SY_ERROR_INIT;
    const sy_run_memory memory = {"peak", 1 << 20, SY_MEMORY_PHYSICAL, SY_MEMORY_PROCESS, "", SY_NAN, SY_NAN, false};
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    sy_run_start_options begin = life_options(l, LIFE_GATE);
    sy_run_started *started = NULL;
    const sy_named_text runtime = {"runtime_version", "1"};
    begin.machine = NULL; /* this one, which tells, and says itself what its device is */
    begin.key = &runtime;
    begin.key_count = 1;
    sy_project_close(l->project);
    set_edit(l->root, "steelyard.json", "\"bytes\": 4294967296", "\"bytes\": 4096");
    char *gates = set_read(l->root, LIFE_GATES, NULL);
    for (char *at = gates; (at = strstr(at, "\"at_most\": 1.0")) != NULL; at++) {
        memcpy(at, "\"at_most\": 9e5", strlen("\"at_most\": 1.0")); /* whatever else this computer does */
    }
    set_write(l->root, LIFE_GATES, gates, strlen(gates));
    free(gates);
    life_open(l, false);
    assert_int_equal(sy_project_start(l->project, &begin, &started, &error), SY_OK);
    if (!started->planned) {
        fail_msg("%s", started->reason);
    }
    snprintf(id, sizeof id, "%s", started->run);
    sy_run_started_destroy(started);
    life_work(l, id);
    options.run = id;
    options.end.status = SY_RUN_OK;
    options.memories = &memory;
    options.memory_count = 1;
    assert_int_equal(sy_project_finish(l->project, &options, &finished, &error), SY_OK);
    assert_int_equal(finished->remark_count, 1);
    assert_non_null(strstr(finished->remarks[0], "4 KiB are promised"));
    sy_run_finished_destroy(finished);
}

/* ---- attachments ---- */

static void a_file_is_kept_by_its_digest_whenever(void **state)
{
    life *l = *state;
    char id[64], path[600];
    sy_run_artifact artifact;
    sy_error error = SY_ERROR_INIT;
    life_start(l, LIFE_GATE, id);
    snprintf(path, sizeof path, "%s/perf \"data\".bin", l->folder);
    set_write(l->folder, "perf \"data\".bin", "\0\1\2", 3);
    assert_int_equal(sy_project_attach(l->project, id, SY_ARTIFACT_PROFILER, path, NULL, 0, &artifact, &error), SY_OK);
    assert_string_equal(artifact.name, "perf \"data\".bin");
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sy_ledger_fetch(sy_project_ledger(l->project), artifact.digest, &bytes, &size, NULL), SY_OK);
    assert_int_equal(size, 3);
    sy_text_free(bytes);
    assert_int_equal(life_finish(l, id, SY_RUN_FAILED, NULL, "cancelled", NULL), SY_OK);
    assert_int_equal(sy_project_attach(l->project, id, SY_ARTIFACT_LOG, path, "a/b/late.log", 0, &artifact, &error),
                     SY_OK);
    assert_string_equal(artifact.name, "late.log");
    assert_int_equal(sy_project_attach(l->project, id, SY_ARTIFACT_LOG, path, NULL, 2, &artifact, &error),
                     SY_LIMIT_EXCEEDED);
    assert_int_equal(sy_project_attach(l->project, id, SY_ARTIFACT_LOG, "/nonexistent", NULL, 0, &artifact, &error),
                     SY_NOT_FOUND);
    assert_int_equal(sy_project_attach(l->project, "none", SY_ARTIFACT_LOG, path, NULL, 0, &artifact, &error),
                     SY_NOT_FOUND);
}

/* ---- the sweep ---- */

static void sweep_says(life *l, bool dry_run, bool lost, const char *words)
{
    sy_sweep *sweep = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_project_sweep(l->project, dry_run, &sweep, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_int_equal(sweep->run_count, 1);
    if (sweep->runs[0].lost != lost || strstr(sweep->runs[0].why, words) == NULL) {
        fail_msg("%d: %s", sweep->runs[0].lost, sweep->runs[0].why);
    }
    sy_sweep_destroy(sweep);
}

static void a_run_of_another_host_is_lost_when_its_lease_is_over(void **state)
{
    life *l = *state;
    char id[64];
    life_start(l, LIFE_GATE, id);
    life_lease_on(l, id, "another-host", "boot", LIFE_BEGAN + 100);
    sweep_says(l, false, false, "may still be held");
    l->clock.utc = LIFE_BEGAN - 7200; /* a clock that went back loses nothing */
    sweep_says(l, false, false, "may still be held");
    l->clock.utc = LIFE_BEGAN + 101;
    sweep_says(l, true, true, "is over");
    sy_run *run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_RUNNING); /* it was a dry run */
    sy_run_destroy(run);
    sweep_says(l, false, true, "is over");
    run = life_run(l, id);
    assert_int_equal(run->row.status, SY_RUN_FAILED);
    assert_string_equal(run->row.reason, "lost");
    assert_int_equal(run->note_count, 1);
    sy_run_destroy(run);
    sy_sweep *sweep = NULL;
    assert_int_equal(sy_project_sweep(l->project, false, &sweep, NULL), SY_OK);
    assert_int_equal(sweep->run_count, 0);
    sy_sweep_destroy(sweep);
}

static void a_run_from_before_the_last_boot_is_lost(void **state)
{
    life *l = *state;
    char id[64], host[256];
    host_name(host);
    life_start(l, LIFE_GATE, id);
    life_lease_on(l, id, host, "another-boot", LIFE_BEGAN + 3600);
    sweep_says(l, false, true, "started anew");
}

static void a_run_that_has_measured_waits_for_its_end(void **state)
{
    life *l = *state;
    char id[64], host[256];
    host_name(host);
    life_start(l, LIFE_GATE, id);
    l->fence = UINT64_C(8000000000000000); /* above any that the host's folder has given out */
    life_lease_on(l, id, host, this_boot, LIFE_BEGAN + 3600);
    life_command(l, id, "smoke", 0, true);
    sweep_says(l, false, false, "nobody knows");
    life_command(l, id, "measure", 0, true);
    l->clock.utc = LIFE_BEGAN + 7200;
    sweep_says(l, false, false, "waits for steelyard run finish");
}

/* The lease itself, taken as a command takes it: while it is held the run lives; then it is lost at once. */
static void a_run_whose_holder_is_gone_is_lost_at_once(void **state)
{
    life *l = *state;
    char id[64];
    life_start(l, LIFE_GATE, id);
    sy_lease_options options = SY_LEASE_OPTIONS_INIT;
    sy_lease *lease = NULL;
    options.folder = l->leases;
    options.run = id;
    options.clock = &l->clock.clock;
    assert_int_equal(sy_lease_take(&options, &lease, NULL), SY_OK);
    sy_event_list events = life_events(id);
    const sy_run_lease event = sy_lease_event(lease);
    assert_int_equal(sy_event_list_lease(&events, &event, NULL), SY_OK);
    assert_int_equal(life_append(l, &events, NULL), SY_OK);
    sweep_says(l, false, false, "it holds cpu");
    sy_lease_release(lease);
    sweep_says(l, false, true, "no more");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_end_comes_once_and_only_from_where_it_may),
        TEST(a_superseded_run_names_one_that_is_there),
        TEST(a_figure_that_cannot_count_for_least_memory_is_a_pre_check),
        TEST(a_larger_device_proves_nothing_of_a_smaller_one),
        TEST(an_end_with_one_wrong_figure_writes_nothing),
        TEST(a_file_is_kept_by_its_digest_whenever),
        TEST(a_run_of_another_host_is_lost_when_its_lease_is_over),
        TEST(a_run_from_before_the_last_boot_is_lost),
        TEST(a_run_that_has_measured_waits_for_its_end),
        TEST(a_run_whose_holder_is_gone_is_lost_at_once),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
