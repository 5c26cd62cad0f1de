/* SPDX-License-Identifier: Apache-2.0 */
/* sy_project_exec on a run without a gate: what is recorded, what is refused, and that being killed at any system call
 * of ours leaves a visible run, a whole ledger and a free device. */
#include "exec_support.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "evidence/lease/lease.h"
#include "fault_loop.h"
#include "temporary_folder.h"

typedef struct looks {
    char looked[600];
    unsigned count;
} looks;

/* Asked at every look at the command: the tenth makes the file that it waits for. */
static bool count_look(void *user)
{
    looks *l = user;
    if (++l->count == 10) {
        FILE *file = fopen(l->looked, "w");
        assert_non_null(file);
        (void)fclose(file);
    }
    return false;
}

static void everything_that_a_command_says_is_recorded(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    static const char script[] = "echo hello; for i in 1 2 3; do echo sample wall $i ms case=a >&3; done;"
                                 "echo sample wall failed ms case=a >&3; echo sample wall 9 ms case=a warmup >&3;"
                                 "echo parity passed case=a error=0.5 >&3; echo note fine >&3; echo what >&3;"
                                 "echo memory card 5 basis=estimate scope=device-used >&3;"
                                 "until [ -e \"$0\" ]; do sleep 0.01; done";
    looks l = {.count = 0};
    snprintf(l.looked, sizeof(l.looked), "%s/looked", (const char *)*state);
    const char *argv[] = {"sh", "-c", script, l.looked, NULL};
    sy_run_exec_options options = options_for(argv);
    options.cancelled = count_look;
    options.user = &l;
    sy_run_executed *executed = NULL;
    begin_run(project, id);
    assert_int_equal(sy_project_exec(project, "last", &options, &executed, NULL), SY_OK);
    assert_string_equal(executed->run, id);
    assert_int_equal(executed->status, SY_RUN_RUNNING);
    assert_true(executed->lease_held);
    assert_int_equal(executed->series_count, 2);
    assert_int_equal(executed->sample_count, 5);
    assert_int_equal(executed->remark_count, 2);
    sy_run *run = read_run(project, id);
    assert_int_equal(run->row.status, SY_RUN_RUNNING);
    assert_true(run->row.lease_whole);
    assert_int_equal(run->row.fence, executed->fence);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    assert_int_equal(run->lease_count, 1);
    assert_int_equal(run->command_count, 1);
    assert_int_equal(run->commands[0].line_count, 9);
    assert_int_equal(run->commands[0].rejected_count, 1);
    assert_string_equal(run->commands[0].phase, "measure");
    assert_string_equal(run->series[0].unit, "s");
    assert_int_equal(run->series[0].usable_count, 3);
    assert_true(run->series[0].maximum == 0.003);
    assert_int_equal(run->memory_count, 3);
    assert_int_equal(run->memories[1].scope, SY_MEMORY_PROCESS_TREE);
    assert_true(run->memories[1].bytes >= run->memories[0].bytes && run->memories[0].bytes > 100000);
    assert_int_equal(run->artifact_count, 1);
    double *samples = NULL;
    size_t count = 0;
    assert_int_equal(sy_ledger_samples(sy_project_ledger(project), run->series[0].digest, &samples, &count, NULL),
                     SY_OK);
    assert_int_equal(count, 4);
    assert_true(samples[0] == 0.001 && isnan(samples[3]));
    sy_samples_free(samples);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    expect_whole(project);
    sy_project_close(project);
}

static void what_cannot_run_leaves_the_run_as_it_is(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    const char *argv[] = {"true", NULL};
    sy_run_exec_options options = options_for(NULL);
    sy_run_executed *executed = NULL;
    sy_error err = SY_ERROR_INIT;
    begin_run(project, id);
    assert_int_equal(sy_project_exec(project, id, &options, &executed, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "the run has no gate, and no command is given");
    options = options_for(argv);
    static const char *const imports[] = {"nonsense:file"};
    options.imports = imports;
    options.import_count = 1;
    assert_int_equal(sy_project_exec(project, id, &options, &executed, &err), SY_INVALID_ARGUMENT);
    options = options_for(argv);
    sy_lease_options lease_options = SY_LEASE_OPTIONS_INIT;
    sy_lease *lease = NULL;
    lease_options.folder = leases;
    lease_options.run = "another";
    assert_int_equal(sy_lease_take(&lease_options, &lease, NULL), SY_OK);
    assert_int_equal(sy_project_exec(project, id, &options, &executed, &err), SY_BUSY);
    assert_non_null(strstr(err.what, "is held by run another"));
    sy_lease_release(lease);
    assert_int_equal(sy_project_exec(project, "nobody", &options, &executed, &err), SY_NOT_FOUND);
    sy_run *run = read_run(project, id);
    assert_int_equal(run->row.status, SY_RUN_PLANNED);
    assert_int_equal(run->event_count, 1);
    sy_run_destroy(run);
    assert_null(executed);
    sy_project_close(project);
}

static void what_the_processors_do_is_one_device(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    const char *argv[] = {"true", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_lease_options lease_options = SY_LEASE_OPTIONS_INIT;
    sy_run_executed *executed = NULL;
    sy_lease *lease = NULL;
    begin_run_on(project, "command", id);
    lease_options.folder = leases;
    assert_int_equal(sy_lease_take(&lease_options, &lease, NULL), SY_OK);
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_BUSY);
    sy_lease_release(lease);
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    assert_true(executed->lease_held);
    sy_run *run = read_run(project, id);
    assert_string_equal(run->leases[0].device, "cpu");
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_project_close(project);
}

typedef struct later {
    sy_event_list *events;
    sy_ledger *ledger;
} later;

/* At the command's first word. */
static void append_events(void *user, int stream, const void *bytes, size_t size)
{
    later *l = user;
    (void)stream;
    (void)bytes;
    (void)size;
    if (l->events->count > 0)
        assert_int_equal(sy_event_list_append(l->events, l->ledger, NULL, NULL), SY_OK);
}

static void a_lease_that_is_lost_meanwhile_is_said_for_ever(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    char script[800];
    begin_run(project, id);
    snprintf(script, sizeof(script), "rm '%s/cpu.lease'; echo sample a 1 s >&3", leases);
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_run_exec_options options = options_for(argv);
    sy_run_executed *executed = NULL;
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    assert_false(executed->lease_held);
    uint64_t fence = executed->fence;
    sy_run_executed_destroy(executed);
    const char *again[] = {"true", NULL};
    options = options_for(again);
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    assert_true(executed->lease_held);
    assert_true(executed->fence > fence);
    sy_run *run = read_run(project, id);
    assert_false(run->row.lease_whole); /* a later lease mends nothing */
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_project_close(project);
}

/* Somebody puts the file aside, has the device, and puts it back. */
static void a_device_that_somebody_else_had_meanwhile_was_not_held(void **state)
{
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE], other[SY_RUN_ID_SIZE];
    begin_run(project, id);
    begin_run(project, other);
    const char *argv[] = {"sh", "-c", "echo ready; sleep 0.3", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_event_list events = {.arena = sy_arena_create(0), .run = other};
    sy_run_lease lease = {"cpu", UINT64_C(1) << 52, "here", "", 1, 0};
    sy_run_executed *executed = NULL;
    assert_int_equal(sy_event_list_lease(&events, &lease, NULL), SY_OK);
    options.output = append_events;
    options.user = &(later){&events, sy_project_ledger(project)};
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    assert_int_equal(events.count, 0);
    assert_false(executed->lease_held);
    sy_run *run = read_run(project, id);
    assert_false(run->row.lease_whole);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_arena_destroy(events.arena);
    sy_project_close(project);
}

static void a_file_from_before_the_command_is_not_its_result(void **state)
{
    static const char text[] = "{\"results\": [{\"command\": \"x\", \"mean\": 1, \"stddev\": 0, \"median\": 1, "
                               "\"user\": 1, \"system\": 0, \"min\": 1, \"max\": 1, \"times\": [1, 1]}]}";
    sy_project *project = open_project(*state, &sy_clock_system);
    char id[SY_RUN_ID_SIZE];
    char import[700];
    char script[700];
    snprintf(import, sizeof(import), "hyperfine:%s/old.json", (const char *)*state);
    snprintf(script, sizeof(script), "cp '%s/old.json' '%s/x'; mv '%s/x' '%s/old.json'", (const char *)*state,
             (const char *)*state, (const char *)*state, (const char *)*state);
    const char *const imports[] = {import};
    const char *idle[] = {"true", NULL};
    const char *writes[] = {"sh", "-c", script, NULL};
    set_write(*state, "old.json", text, strlen(text));
    for (int i = 0; i < 2; i++) {
        sy_run_exec_options options = options_for(i == 0 ? idle : writes);
        sy_run_executed *executed = NULL;
        options.imports = imports;
        options.import_count = 1;
        begin_run(project, id);
        assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
        assert_int_equal(executed->sample_count, i == 0 ? 0 : 2);
        assert_int_equal(executed->status, i == 0 ? SY_RUN_FAILED : SY_RUN_RUNNING);
        assert_true(i == 1 || strstr(executed->reason, "was there before the command") != NULL);
        sy_run_executed_destroy(executed);
    }
    sy_project_close(project);
}

/* Each line of the command takes half an hour and more of this clock. */
static void pass_time(void *user, int stream, const void *bytes, size_t size)
{
    (void)stream;
    (void)bytes;
    (void)size;
    sy_clock_manual_advance(user, UINT64_C(2000000000000));
}

static void a_long_command_says_in_time_that_it_goes_on(void **state)
{
    sy_clock_manual clock;
    sy_clock_manual_start(&clock, 1000000000, 1700000000);
    sy_project *project = open_project(*state, &clock.clock);
    char id[SY_RUN_ID_SIZE];
    const char *argv[] = {"sh", "-c", "for i in 1 2; do echo x; sleep 0.3; done", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_run_executed *executed = NULL;
    begin_run(project, id);
    options.output = pass_time;
    options.user = &clock;
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    sy_run *run = read_run(project, id);
    assert_in_range(run->lease_count, 2, 3);
    assert_true(run->leases[1].until_utc_s > run->leases[0].until_utc_s);
    assert_int_equal(run->leases[1].fence, run->leases[0].fence);
    assert_true(run->row.lease_whole);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_project_close(project);
}

typedef struct busy_clock {
    sy_clock_manual *clock;
    char lock_path[700];
    char seen_path[700];
    sy_lock *lock;
    int line_count;
} busy_clock;

/* At the first line half the lease's time is over, and somebody writes to the ledger until the second one. */
static void be_busy_for_a_line(void *user, int stream, const void *bytes, size_t size)
{
    busy_clock *b = user;
    (void)stream;
    (void)bytes;
    (void)size;
    if (b->line_count++ == 0) {
        assert_int_equal(sy_lock_take(b->lock_path, 0, &b->lock, NULL), SY_OK);
        sy_clock_manual_advance(b->clock, UINT64_C(2000000000000));
    } else {
        sy_lock_release(b->lock);
        b->lock = NULL;
        assert_true(mknod(b->seen_path, S_IFREG | 0600, 0) == 0 || errno == EEXIST);
    }
}

static void a_busy_ledger_does_not_keep_a_command_waiting(void **state)
{
    sy_clock_manual clock;
    sy_clock_manual_start(&clock, 1000000000, 1700000000);
    sy_project *project = open_project(*state, &clock.clock);
    busy_clock b = {.clock = &clock};
    char id[SY_RUN_ID_SIZE];
    char script[1600];
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_run_exec_options options = options_for(argv);
    sy_run_executed *executed = NULL;
    begin_run(project, id);
    /* Its second line is read although the ledger is busy, or it gives up long before the ledger's 60 s of waiting. */
    snprintf(b.seen_path, sizeof(b.seen_path), "%s/seen", (const char *)*state);
    snprintf(script, sizeof(script),
             "echo x; sleep 0.3; echo y; for i in $(seq 100); do [ -e '%s' ] && sleep 0.3 && exit 0; sleep 0.1; done; "
             "exit 9",
             b.seen_path);
    snprintf(b.lock_path, sizeof(b.lock_path), "%s/ledger.lock", sy_project_evidence(project));
    options.output = be_busy_for_a_line;
    options.user = &b;
    assert_int_equal(sy_project_exec(project, id, &options, &executed, NULL), SY_OK);
    assert_string_equal(executed->reason, "");
    sy_run *run = read_run(project, id);
    assert_int_equal(run->lease_count, 2); /* said later, and once */
    assert_true(run->leases[1].until_utc_s > run->leases[0].until_utc_s);
    assert_true(run->row.lease_whole);
    sy_run_destroy(run);
    sy_run_executed_destroy(executed);
    sy_project_close(project);
}

/* The child of a test: executes, and is killed on the way. */
static void execute_and_die(const char *root, const char *id, uint64_t n)
{
    const char *argv[] = {"sh", "-c", "echo out; echo sample a 1 s >&3; echo parity passed >&3", NULL};
    sy_run_exec_options options = options_for(argv);
    sy_project_options where = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    sy_run_executed *executed = NULL;
    where.root = root;
    where.leases = leases;
    if (sy_project_open(&where, &project, NULL) != SY_OK)
        _exit(1);
    sy_fault_reset();
    sy_fault_kill_at_system_call(n);
    if (sy_project_exec(project, id, &options, &executed, NULL) != SY_OK)
        _exit(2);
    _exit(0);
}

static void expect_visible_and_free(const char *root, const char *id, bool finished)
{
    sy_project *project = open_project(root, &sy_clock_system);
    sy_run *run = read_run(project, id);
    assert_true(run->row.status == SY_RUN_PLANNED || run->row.status == SY_RUN_RUNNING);
    /* All that the command said is there, or nothing of it. */
    assert_true(run->command_count == run->series_count && run->series_count == run->parity_count);
    assert_true(!finished || run->command_count == 1);
    sy_run_destroy(run);
    sy_device_lease_list *list = NULL;
    assert_int_equal(sy_device_leases(leases, &list, NULL), SY_OK);
    assert_true(list->lease_count == 0 || !list->leases[0].held);
    sy_device_lease_list_destroy(list);
    expect_whole(project);
    sy_project_close(project);
}

static void killed_at_any_system_call_the_run_is_visible_and_the_ledger_whole(void **state)
{
    int status = 0;
    bool killed = true;
    for (uint64_t n = 1; killed; n++) {
        char id[SY_RUN_ID_SIZE];
        sy_project *project = open_project(*state, &sy_clock_system);
        begin_run(project, id);
        sy_project_close(project);
        pid_t child = fork();
        if (child == 0)
            execute_and_die(*state, id, n);
        assert_int_equal(waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status);
        assert_true(killed ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
        assert_true(!killed || n < 2000);
        expect_visible_and_free(*state, id, !killed);
    }
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(everything_that_a_command_says_is_recorded),
        IN_A_FOLDER(what_cannot_run_leaves_the_run_as_it_is),
        IN_A_FOLDER(what_the_processors_do_is_one_device),
        IN_A_FOLDER(a_lease_that_is_lost_meanwhile_is_said_for_ever),
        IN_A_FOLDER(a_device_that_somebody_else_had_meanwhile_was_not_held),
        IN_A_FOLDER(a_file_from_before_the_command_is_not_its_result),
        IN_A_FOLDER(a_long_command_says_in_time_that_it_goes_on),
        IN_A_FOLDER(a_busy_ledger_does_not_keep_a_command_waiting),
        IN_A_FOLDER(killed_at_any_system_call_the_run_is_visible_and_the_ledger_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
