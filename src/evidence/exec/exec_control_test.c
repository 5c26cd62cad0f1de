/* SPDX-License-Identifier: Apache-2.0 */
/* The accepted revision beside the measured command: in both orders of the coin, kept apart from the session, and
 * spoiling nothing of it whatever becomes of it. */
#include "exec_support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evidence/exec/exec_inside.h"
#include "evidence/lease/lease.h"
#include "fault_loop.h"
#include "temporary_folder.h"

static const char said_by_command[] = "echo measure >>order; echo sample wall 1 s >&3; echo parity passed >&3";
static const char said_by_control[] = "echo control >>order; echo sample wall 2 s >&3; echo parity passed >&3";

/* Seeds of both outcomes of the coin: [0] the command goes first, [1] the control does. */
static uint64_t seed_of(bool control_first)
{
    for (uint64_t seed = 0;; seed++) {
        sy_run_executed result = {.reason = ""};
        sy_exec exec = {.result = &result};
        sy_exec_control_toss(&exec, seed);
        if (result.control_first == control_first)
            return seed;
    }
}

typedef struct trial {
    sy_project *project;
    char run[SY_RUN_ID_SIZE];
    sy_run_exec_options options;
    const char *command[4];
    const char *control[4];
    sy_run_executed *executed;
    sy_run *recorded;
} trial;

static void begin_trial(trial *t, const char *root, const char *command, const char *control)
{
    memset(t, 0, sizeof(*t));
    t->project = open_project(root, &sy_clock_system);
    begin_run(t->project, t->run);
    t->command[0] = t->control[0] = "sh";
    t->command[1] = t->control[1] = "-c";
    t->command[2] = command;
    t->control[2] = control;
    t->options = options_for(t->command);
    t->options.directory = root;
    t->options.control_argv = t->control;
    t->options.control_argc = 3;
}

static void run_trial(trial *t, bool control_first)
{
    sy_error err = SY_ERROR_INIT;
    if (sy_exec_seeded(t->project, t->run, &t->options, seed_of(control_first), &t->executed, &err) != SY_OK)
        fail_msg("%s", err.what);
    assert_true(t->executed->control_first == control_first);
    t->recorded = read_run(t->project, t->run);
}

static void end_trial(trial *t)
{
    sy_run_destroy(t->recorded);
    sy_run_executed_destroy(t->executed);
    expect_whole(t->project);
    sy_project_close(t->project);
}

static const sy_run_series *series_of(const sy_run *run, sy_series_role role)
{
    const sy_run_series *found = NULL;
    for (size_t i = 0; i < run->series_count; i++) {
        if (run->series[i].role == role) {
            assert_null(found);
            found = &run->series[i];
        }
    }
    return found;
}

static const sy_run_command *command_of(const sy_run *run, const char *phase, size_t *ret_place)
{
    for (size_t i = 0; i < run->command_count; i++) {
        if (strcmp(run->commands[i].phase, phase) == 0) {
            *ret_place = i;
            return &run->commands[i];
        }
    }
    return NULL;
}

static bool has_note(const sy_run *run, const char *begin)
{
    for (size_t i = 0; i < run->note_count; i++) {
        if (sy_text_begins(run->notes[i], begin))
            return true;
    }
    return false;
}

/* The session is as if there were no control; and there is no control arm, because of that. */
static void expect_void(const trial *t, const char *why)
{
    const sy_run *run = t->recorded;
    char note[3000];
    assert_int_equal(t->executed->status, SY_RUN_RUNNING);
    if (strstr(t->executed->no_control, why) == NULL)
        fail_msg("'%s' is not why: %s", why, t->executed->no_control);
    snprintf(note, sizeof(note), "control: does not count: %s", t->executed->no_control);
    assert_true(has_note(run, note));
    assert_null(series_of(run, SY_SERIES_CONTROL));
    assert_int_equal(t->executed->control_sample_count, 0);
    assert_int_equal(run->row.status, SY_RUN_RUNNING);
    assert_int_equal(run->row.parity, SY_RUN_PARITY_PASSED);
    assert_int_equal(run->row.sample_count, 1);
    assert_true(run->row.lease_whole);
}

static void a_coin_says_which_goes_first(void **state)
{
    static const char *const orders[] = {"measure\ncontrol\n", "control\nmeasure\n"};
    for (int first = 0; first < 2; first++) {
        trial t;
        char path[600];
        size_t size = 0, measured = 0, controlled = 0;
        begin_trial(&t, *state, said_by_command, said_by_control);
        snprintf(path, sizeof(path), "%s/order", (const char *)*state);
        (void)unlink(path);
        run_trial(&t, first == 1);
        char *order = set_read("", path, &size);
        assert_string_equal(order, orders[first]);
        free(order);
        assert_non_null(command_of(t.recorded, "measure", &measured));
        assert_non_null(command_of(t.recorded, "control", &controlled));
        assert_true((controlled < measured) == (first == 1));
        assert_true(has_note(t.recorded, first == 1 ? "control: before the command, as a coin said"
                                                    : "control: behind the command, as a coin said"));
        assert_string_equal(t.executed->no_control, "");
        assert_true(series_of(t.recorded, SY_SERIES_SAMPLE)->maximum == 1);
        assert_true(series_of(t.recorded, SY_SERIES_CONTROL)->maximum == 2);
        end_trial(&t);
    }
}

static void seeds_of_the_system_toss_both_ways(void **state)
{
    int seen[2] = {0, 0};
    for (int i = 0; i < 60 && (seen[0] == 0 || seen[1] == 0); i++) {
        trial t;
        begin_trial(&t, *state, said_by_command, said_by_control);
        assert_int_equal(sy_project_exec(t.project, t.run, &t.options, &t.executed, NULL), SY_OK);
        seen[t.executed->control_first]++;
        end_trial(&t);
    }
    assert_true(seen[0] > 0 && seen[1] > 0); /* fails once in 2^59 times */
}

static void what_a_control_says_and_leaves_is_not_the_sessions(void **state)
{
    trial t;
    begin_trial(&t, *state, said_by_command,
                "echo $STEELYARD_RUN_PHASE; : >left.txt; echo artifact output left.txt >&3;"
                "for i in 2 3; do echo sample wall $i s >&3; done; echo sample wall 9 s warmup >&3;"
                "echo parity passed >&3; echo note mine >&3; echo nonsense >&3;"
                "echo memory card 5GiB basis=physical scope=device-used >&3;"
                "echo digest output 0000000000000000000000000000000000000000000000000000000000000000 >&3");
    run_trial(&t, true);
    const sy_run *run = t.recorded;
    assert_int_equal(run->row.series_count, 1);
    assert_int_equal(run->row.sample_count, 1);
    assert_int_equal(t.executed->series_count, 1);
    assert_int_equal(t.executed->sample_count, 1);
    assert_int_equal(t.executed->control_sample_count, 2);
    assert_int_equal(t.executed->control_parity, SY_RUN_PARITY_PASSED);
    assert_int_equal(run->series_count, 2);
    assert_int_equal(series_of(run, SY_SERIES_CONTROL)->count, 2);
    assert_int_equal(run->parity_count, 1);
    for (size_t i = 0; i < run->memory_count; i++)
        assert_string_equal(run->memories[i].name, "peak");
    assert_true(run->memory_count <= 2);
    assert_int_equal(run->digest_count, 1);
    assert_string_equal(run->digests[0].role, "control.output");
    assert_int_equal(run->artifact_count, 2);
    assert_string_equal(run->artifacts[0].name, "control.stdout");
    assert_string_equal(run->artifacts[1].name, "control.left.txt");
    assert_true(has_note(run, "control: mine"));
    assert_true(has_note(run, "control: 1 of 9 lines were not taken"));
    assert_true(has_note(run, "control: line 7: unknown statement 'nonsense'"));
    size_t place = 0;
    assert_int_equal(command_of(run, "control", &place)->line_count, 9);
    assert_int_equal(run->artifacts[0].size, strlen("control\n"));
    end_trial(&t);
}

static void a_control_that_is_not_right_counts_for_nothing(void **state)
{
    static const struct {
        const char *script;
        const char *why;
    } controls[] = {
        {"echo sample wall 2 s >&3; echo parity failed case=tiny reason=off >&3", "parity failed in tiny: off"},
        {"echo sample wall 2 s >&3; echo parity incomplete >&3", "its parity is incomplete"},
        {"echo sample wall 2 s >&3", "it says nothing of its parity"},
        {"echo parity passed >&3", "it measured nothing"},
        {"echo sample wall 2 s warmup >&3; echo parity passed >&3", "it measured nothing"},
        {"echo sample wall 2 s >&3; echo parity passed >&3; exit 3", "exited with 3"},
        {"echo sample wall 2 s >&3; echo parity passed >&3; kill -SEGV $$", "SIGSEGV"},
        {"echo sample wall 2 s >&3; echo parity passed >&3; exec sleep 60", "still ran after 1.00 s"},
        {"echo parity passed >&3; awk 'BEGIN { for (i = 0; i < 10001; i++) print \"sample s\" i \" 1 s\" }' >&3",
         "said more than 10000 series"},
    };
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
        for (int first = 0; first < 2; first++) {
            trial t;
            begin_trial(&t, *state, said_by_command, controls[i].script);
            t.options.timeout_ns = UINT64_C(1000000000);
            run_trial(&t, first == 1);
            expect_void(&t, controls[i].why);
            assert_true(t.executed->control.argc == 3);
            end_trial(&t);
        }
    }
}

/* Cut in the middle of a character it would be taken by no ledger, and with it nothing of what was measured. */
static void a_long_reason_is_kept_whole(void **state)
{
    trial t;
    char reason[2001];
    char script[2300];
    for (size_t i = 0; i < 2000; i += 2)
        memcpy(reason + i, "\xc3\xa9", 3);
    snprintf(script, sizeof(script), "echo parity failed case=a%s reason=%s >&3", reason + 1800, reason);
    begin_trial(&t, *state, said_by_command, script);
    run_trial(&t, false);
    expect_void(&t, reason);
    end_trial(&t);
}

static void a_control_that_cannot_start_counts_for_nothing(void **state)
{
    trial t;
    begin_trial(&t, *state, said_by_command, "");
    t.control[0] = "no-such-control-anywhere";
    run_trial(&t, true);
    expect_void(&t, "cannot start 'no-such-control-anywhere'");
    assert_int_equal(t.executed->control.argc, 0);
    assert_int_equal(t.recorded->command_count, 1);
    end_trial(&t);
}

static void behind_a_command_that_failed_no_control_runs(void **state)
{
    trial t;
    begin_trial(&t, *state, "exit 5", said_by_control);
    run_trial(&t, false);
    assert_int_equal(t.executed->status, SY_RUN_FAILED);
    assert_string_equal(t.executed->reason, "command: exited with 5");
    assert_string_equal(t.executed->no_control, "it did not run");
    assert_int_equal(t.recorded->command_count, 1);
    end_trial(&t);
}

static bool is_there(void *user)
{
    return access(user, F_OK) == 0;
}

static void being_interrupted_ends_both(void **state)
{
    for (int first = 0; first < 2; first++) {
        trial t;
        char flag[600];
        char script[700];
        snprintf(flag, sizeof(flag), "%s/flag", (const char *)*state);
        snprintf(script, sizeof(script), "echo sample wall 2 s >&3; : >'%s'; sleep 60", flag);
        begin_trial(&t, *state, said_by_command, script);
        t.options.cancelled = is_there;
        t.options.user = flag;
        run_trial(&t, first == 1);
        assert_true(t.executed->interrupted);
        assert_int_equal(t.executed->status, SY_RUN_FAILED);
        assert_string_equal(t.executed->reason, "interrupted");
        assert_string_equal(t.executed->no_control, "interrupted");
        assert_int_equal(t.recorded->row.status, SY_RUN_FAILED);
        /* What was measured before stays. */
        assert_int_equal(t.recorded->row.sample_count, first == 1 ? 0 : 1);
        assert_null(series_of(t.recorded, SY_SERIES_CONTROL));
        end_trial(&t);
        assert_int_equal(unlink(flag), 0);
    }
}

static void a_lease_lost_behind_the_command_takes_the_control_alone(void **state)
{
    for (int first = 0; first < 2; first++) {
        trial t;
        char script[800];
        begin_trial(&t, *state, said_by_command, script);
        snprintf(script, sizeof(script), "rm '%s/cpu.lease'; %s", leases, said_by_control);
        run_trial(&t, first == 1);
        assert_null(series_of(t.recorded, SY_SERIES_CONTROL));
        assert_string_equal(t.executed->no_control, "the lease of 'cpu' was not held throughout");
        assert_true(t.executed->lease_held == (first == 0));
        assert_true(t.recorded->row.lease_whole == (first == 0));
        end_trial(&t);
    }
}

static void a_control_in_a_folder_of_its_own_is_the_command_itself(void **state)
{
    trial t;
    char folder[600];
    char folder_file[600];
    size_t place = 0;
    snprintf(folder, sizeof(folder), "%s/accepted", (const char *)*state);
    snprintf(folder_file, sizeof(folder_file), "%s/accepted/value", (const char *)*state);
    set_write(*state, "accepted/value", "2\n", 2);
    set_write(*state, "value", "1\n", 2);
    begin_trial(&t, *state, "echo sample wall $(cat value) s >&3; echo parity passed >&3", "");
    t.options.control_argv = NULL;
    t.options.control_argc = 0;
    t.options.control_directory = folder;
    run_trial(&t, false);
    assert_true(series_of(t.recorded, SY_SERIES_SAMPLE)->maximum == 1);
    assert_true(series_of(t.recorded, SY_SERIES_CONTROL)->maximum == 2);
    assert_string_equal(command_of(t.recorded, "control", &place)->argv[2], t.command[2]);
    assert_true(has_note(t.recorded, "control: its sources are unknown: "));
    end_trial(&t);
    begin_trial(&t, *state, said_by_command, "");
    t.options.control_argv = NULL;
    t.options.control_directory = folder_file;
    assert_int_equal(sy_project_exec(t.project, t.run, &t.options, &t.executed, NULL), SY_INVALID_ARGUMENT);
    assert_null(t.executed);
    end_trial(&t);
}

static void a_control_may_be_a_line_with_variables(void **state)
{
    trial t;
    sy_error err = SY_ERROR_INIT;
    begin_trial(&t, *state, said_by_command, "");
    t.options.control_argv = NULL;
    t.options.control_line = "HOW_MUCH=7 sh -c 'echo sample wall $HOW_MUCH s >&3; echo parity passed >&3'";
    run_trial(&t, false);
    assert_true(series_of(t.recorded, SY_SERIES_CONTROL)->maximum == 7);
    end_trial(&t);
    begin_trial(&t, *state, said_by_command, "");
    t.options.control_argv = NULL;
    t.options.control_line = "a | b";
    assert_int_equal(sy_project_exec(t.project, t.run, &t.options, &t.executed, &err), SY_INVALID_ARGUMENT);
    assert_true(sy_text_begins(err.what, "the control: "));
    sy_run *run = read_run(t.project, t.run);
    assert_int_equal(run->row.status, SY_RUN_PLANNED);
    sy_run_destroy(run);
    end_trial(&t);
}

#define HYPERFINE(time)                                                                                               \
    "echo '{\"results\": [{\"command\": \"x\", \"mean\": 1, \"times\": [" time "]}]}' >out.json; echo parity passed " \
    ">&3"

static void files_of_both_are_read_one_after_the_other(void **state)
{
    static const char *const imports[] = {"hyperfine:out.json"};
    for (int first = 0; first < 2; first++) {
        trial t;
        begin_trial(&t, *state, HYPERFINE("1, 3"), HYPERFINE("2, 4"));
        t.options.imports = imports;
        t.options.import_count = 1;
        run_trial(&t, first == 1);
        assert_true(series_of(t.recorded, SY_SERIES_SAMPLE)->maximum == 3);
        assert_true(series_of(t.recorded, SY_SERIES_CONTROL)->maximum == 4);
        assert_string_equal(series_of(t.recorded, SY_SERIES_CONTROL)->case_name, "x");
        assert_string_equal(t.recorded->artifacts[first].name, "out.json");
        assert_string_equal(t.recorded->artifacts[1 - first].name, "control.out.json");
        end_trial(&t);
        /* What the command left there is none of the control's. */
        begin_trial(&t, *state, HYPERFINE("1, 3"), "echo sample wall 2 s >&3; echo parity passed >&3");
        t.options.imports = imports;
        t.options.import_count = 1;
        run_trial(&t, first == 1);
        assert_non_null(strstr(t.executed->no_control, "import: 'out.json' was there before the command"));
        assert_int_equal(t.executed->status, SY_RUN_RUNNING);
        assert_int_equal(t.recorded->row.sample_count, 2);
        assert_null(series_of(t.recorded, SY_SERIES_CONTROL));
        end_trial(&t);
    }
}

/* The child of a test: executes both, and is killed on the way. */
static void execute_and_die(const char *root, const char *id, bool control_first, uint64_t n)
{
    trial t = {.command = {"sh", "-c", "echo sample a 1 s >&3; echo parity passed >&3", NULL},
               .control = {"sh", "-c", "echo sample a 2 s >&3; echo parity passed >&3", NULL}};
    sy_project_options where = SY_PROJECT_OPTIONS_INIT;
    t.options = options_for(t.command);
    t.options.control_argv = t.control;
    t.options.control_argc = 3;
    where.root = root;
    where.leases = leases;
    if (sy_project_open(&where, &t.project, NULL) != SY_OK)
        _exit(1);
    uint64_t seed = seed_of(control_first);
    sy_fault_reset();
    sy_fault_kill_at_system_call(n);
    _exit(sy_exec_seeded(t.project, id, &t.options, seed, &t.executed, NULL) == SY_OK ? 0 : 2);
}

static void killed_at_any_system_call_each_of_them_is_there_whole_or_not_at_all(void **state)
{
    int status = 0;
    bool killed = true;
    for (uint64_t n = 1; killed; n++) {
        trial t;
        size_t place = 0;
        begin_trial(&t, *state, "", "");
        sy_project_close(t.project);
        pid_t child = fork();
        if (child == 0)
            execute_and_die(*state, t.run, n % 2 == 1, n);
        assert_int_equal(waitpid(child, &status, 0), child);
        killed = WIFSIGNALED(status);
        assert_true(killed ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
        assert_true(!killed || n < 3000);
        t.project = open_project(*state, &sy_clock_system);
        t.recorded = read_run(t.project, t.run);
        bool measured = command_of(t.recorded, "measure", &place) != NULL;
        bool controlled = command_of(t.recorded, "control", &place) != NULL;
        assert_true(measured == (series_of(t.recorded, SY_SERIES_SAMPLE) != NULL));
        assert_true(controlled == (series_of(t.recorded, SY_SERIES_CONTROL) != NULL));
        assert_int_equal(t.recorded->row.sample_count, measured);
        assert_true(killed || (measured && controlled));
        end_trial(&t);
    }
}

int main(void)
{
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_coin_says_which_goes_first),
        IN_A_FOLDER(seeds_of_the_system_toss_both_ways),
        IN_A_FOLDER(what_a_control_says_and_leaves_is_not_the_sessions),
        IN_A_FOLDER(a_control_that_is_not_right_counts_for_nothing),
        IN_A_FOLDER(a_long_reason_is_kept_whole),
        IN_A_FOLDER(a_control_that_cannot_start_counts_for_nothing),
        IN_A_FOLDER(behind_a_command_that_failed_no_control_runs),
        IN_A_FOLDER(being_interrupted_ends_both),
        IN_A_FOLDER(a_lease_lost_behind_the_command_takes_the_control_alone),
        IN_A_FOLDER(a_control_in_a_folder_of_its_own_is_the_command_itself),
        IN_A_FOLDER(a_control_may_be_a_line_with_variables),
        IN_A_FOLDER(files_of_both_are_read_one_after_the_other),
        IN_A_FOLDER(killed_at_any_system_call_each_of_them_is_there_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
