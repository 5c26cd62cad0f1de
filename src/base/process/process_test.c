/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: what they inherit, how they end, that nothing of them stays behind. */
#include "cmocka_headers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/process_inside.h"
#include "fault_loop.h"

#define MS UINT64_C(1000000)

static sy_process_options shell(const char *const argv[])
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    options.argv = argv;
    return options;
}

/* Runs `sh -c script` and gives its standard output in text, which the caller finishes. */
static sy_process_report run_script(const char *script, sy_text *text)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_process_options options = shell(argv);
    sy_process_report report;
    sy_error err = SY_ERROR_INIT;
    if (sy_process_run(&options, &sy_clock_system, 0, 1 << 20, text, NULL, &report, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return report;
}

static void expect_script(const char *script, const char *expected)
{
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = run_script(script, &text);
    assert_int_equal(report.end, SY_PROCESS_EXITED);
    assert_int_equal(report.code, 0);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

/* No child of this process is left, running or dead. */
static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static char state_of(int64_t id)
{
    char path[64];
    char line[512] = "";
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)id);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    return strrchr(line, ')')[2];
}

static void the_exit_status_and_the_output_come_back(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = run_script("echo out; echo err >&2; exit 3", &text);
    assert_int_equal(report.end, SY_PROCESS_EXITED);
    assert_int_equal(report.code, 3);
    assert_string_equal(sy_text_bytes(&text), "out\n");
    char words[64];
    sy_process_describe_end(&report, words, sizeof words);
    assert_string_equal(words, "exited with 3");
    assert_true(report.peak_memory_bytes > 100000);
    sy_text_finish(&text);
    expect_no_child();
}

static void a_death_by_signal_is_named(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = run_script("kill -SEGV $$", &text);
    assert_int_equal(report.end, SY_PROCESS_SIGNALLED);
    assert_int_equal(report.code, SIGSEGV);
    char words[64];
    sy_process_describe_end(&report, words, sizeof words);
    assert_string_equal(words, "died: signal 11 (SIGSEGV)");
    sy_text_finish(&text);
}

static void both_outputs_are_drained_and_cut_at_the_limit(void **state)
{
    (void)state;
    const char *argv[] = {"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; echo end >&2", NULL};
    sy_process_options options = shell(argv);
    sy_text out = SY_TEXT_INIT;
    sy_text err_text = SY_TEXT_INIT;
    sy_process_report report;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 300002, &out, &err_text, &report, NULL), SY_OK);
    assert_int_equal(out.length, 300000);
    assert_false(out.failed);
    assert_int_equal(err_text.length, 300002);
    assert_true(err_text.failed);
    assert_memory_equal(err_text.bytes + 300000, "en", 2);
    sy_text_finish(&out);
    sy_text_finish(&err_text);
}

static void a_program_that_cannot_be_started_is_named_and_leaves_nothing(void **state)
{
    (void)state;
    int before = open_descriptors();
    sy_error err = SY_ERROR_INIT;
    sy_process *process = NULL;
    const char *absent[] = {"/nonexistent/program", NULL};
    sy_process_options options = shell(absent);
    assert_int_equal(sy_process_start(&options, &process, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "cannot start '/nonexistent/program': No such file or directory (ENOENT)");
    const char *nowhere[] = {"no-such-program-in-any-folder", NULL};
    options.argv = nowhere;
    assert_int_equal(sy_process_start(&options, &process, &err), SY_NOT_FOUND);
    const char *folder[] = {"/tmp", NULL};
    options.argv = folder;
    assert_int_equal(sy_process_start(&options, &process, &err), SY_IO);
    assert_string_equal(err.what, "cannot start '/tmp': Permission denied (EACCES)");
    const char *good[] = {"true", NULL};
    options.argv = good;
    options.directory = "/nonexistent";
    assert_int_equal(sy_process_start(&options, &process, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "cannot start 'true' in '/nonexistent': No such file or directory (ENOENT)");
    const char *nothing[] = {NULL};
    options.argv = nothing;
    assert_int_equal(sy_process_start(&options, &process, &err), SY_INVALID_ARGUMENT);
    assert_null(process);
    assert_int_equal(open_descriptors(), before);
    expect_no_child();
}

static void a_script_without_its_interpreter_gets_a_hint(void **state)
{
    (void)state;
    char path[] = "/tmp/steelyard-process-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "#!/nonexistent/sh\n", 18), 18);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    const char *argv[] = {path, NULL};
    sy_process_options options = shell(argv);
    sy_process *process = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_process_start(&options, &process, &err), SY_NOT_FOUND);
    assert_string_equal(err.hint, "the file is there: the interpreter or loader that it names is not");
    unlink(path);
}

static void environment_and_directory_are_the_ones_given(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/sh", "-c", "pwd; echo $GIVEN; echo ${HOME-none}", NULL};
    const char *environment[] = {"GIVEN=yes", NULL};
    sy_process_options options = shell(argv);
    options.environment = environment;
    options.directory = "/usr";
    sy_text text = SY_TEXT_INIT;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1000, &text, NULL, NULL, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), "/usr\nyes\nnone\n");
    sy_text_finish(&text);
}

static void only_the_descriptors_given_are_inherited(void **state)
{
    (void)state;
    int leaked = fcntl(0, F_DUPFD, 50); /* without close-on-exec */
    assert_true(leaked >= 50);
    /* `ls` holds one more, for the folder that it lists. */
    expect_script("ls /proc/self/fd | wc -l", "4\n");
    close(leaked);
}

static int pipe_with(const char *text)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    return ends[0];
}

static void inherited_descriptors_arrive_in_order_even_crossed(void **state)
{
    (void)state;
    /* The sources have the targets' numbers, the other way round. Whatever 3 and 4 are here, this is the last test. */
    int first = fcntl(pipe_with("first\n"), F_DUPFD, 20);
    int second = fcntl(pipe_with("second\n"), F_DUPFD, 20);
    int input = fcntl(pipe_with("input\n"), F_DUPFD, 20);
    assert_int_equal(dup2(first, 4), 4);
    assert_int_equal(dup2(second, 3), 3);
    const int inherited[] = {4, 3};
    const char *argv[] = {"sh", "-c", "cat <&3; cat <&4; cat", NULL};
    sy_process_options options = shell(argv);
    options.inherited = inherited;
    options.inherited_count = 2;
    options.standard_input = input;
    sy_text text = SY_TEXT_INIT;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1000, &text, NULL, NULL, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), "first\nsecond\ninput\n");
    sy_text_finish(&text);
    for (int fd = 3; fd < 40; fd++) {
        close(fd);
    }
}

static void limits_reach_the_child(void **state)
{
    (void)state;
    const char *argv[] = {"sh", "-c", "ulimit -c; ulimit -d", NULL};
    sy_process_options options = shell(argv);
    options.memory_limit_bytes = (uint64_t)64 << 20;
    sy_text text = SY_TEXT_INIT;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 1000, &text, NULL, NULL, NULL), SY_OK);
    assert_string_equal(sy_text_bytes(&text), "0\n65536\n");
    sy_text_finish(&text);
}

static void signals_are_as_a_fresh_program_expects(void **state)
{
    (void)state;
    sigset_t blocked;
    sigset_t former;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &former);
    void (*former_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = run_script("kill -TERM $$; echo survived", &text);
    assert_int_equal(report.end, SY_PROCESS_SIGNALLED);
    assert_int_equal(report.code, SIGTERM);
    report = run_script("kill -PIPE $$; echo survived", &text);
    assert_int_equal(report.code, SIGPIPE);
    assert_int_equal(report.end, SY_PROCESS_SIGNALLED);
    assert_string_equal(sy_text_bytes(&text), "");
    sy_text_finish(&text);
    signal(SIGPIPE, former_pipe);
    sigprocmask(SIG_SETMASK, &former, NULL);
}

static sy_process *start_sleeper(void)
{
    const char *argv[] = {"sleep", "1000", NULL};
    sy_process_options options = shell(argv);
    sy_process *process = NULL;
    assert_int_equal(sy_process_start(&options, &process, NULL), SY_OK);
    return process;
}

static void a_missed_deadline_leaves_it_running(void **state)
{
    (void)state;
    sy_clock_manual manual;
    sy_clock_manual_start(&manual, 1000 * MS, 0);
    sy_process *process = start_sleeper();
    sy_process_report report;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_process_wait(process, &manual.clock, 1020 * MS, &report, &err), SY_TIMED_OUT);
    assert_true(manual.now >= 1020 * MS);
    assert_int_equal(sy_process_poll(process, &report), SY_PROCESS_RUNNING);
    sy_process_kill(process);
    assert_int_equal(sy_process_wait(process, &manual.clock, 1, &report, &err), SY_OK);
    assert_int_equal(report.end, SY_PROCESS_SIGNALLED);
    assert_int_equal(report.code, SIGKILL);
    assert_int_equal(sy_process_wait(process, &manual.clock, 1, &report, &err), SY_OK);
    sy_process_destroy(process);
    expect_no_child();
}

static void without_a_handle_the_end_is_found_all_the_same(void **state)
{
    (void)state;
    const char *argv[] = {"sh", "-c", "sleep 0.02; exit 5", NULL};
    sy_process_options options = shell(argv);
    sy_process *process = NULL;
    assert_int_equal(sy_process_start(&options, &process, NULL), SY_OK);
    /* As on a kernel without pidfd_open. */
    if (process->handle >= 0) {
        close(process->handle);
        process->handle = -1;
    }
    sy_process_report report;
    assert_int_equal(sy_process_wait(process, &sy_clock_system, 0, &report, NULL), SY_OK);
    assert_int_equal(report.code, 5);
    sy_process_destroy(process);
    expect_no_child();
}

static void a_past_deadline_kills_what_is_run(void **state)
{
    (void)state;
    sy_clock_manual manual;
    sy_clock_manual_start(&manual, 0, 0);
    const char *argv[] = {"sh", "-c", "echo early; yes & sleep 1000", NULL};
    sy_process_options options = shell(argv);
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = {.code = 77};
    /* The manual clock moves only while nothing is written, so the end of `yes` is the system clock's. */
    const char *quiet[] = {"sh", "-c", "echo early; sleep 1000", NULL};
    options.argv = quiet;
    assert_int_equal(sy_process_run(&options, &manual.clock, 300 * MS, 1000, &text, NULL, &report, NULL), SY_TIMED_OUT);
    /* On a busy machine the shell may not have come to its first line. */
    assert_true(text.length == 0 || sy_text_equal(sy_text_bytes(&text), "early\n"));
    assert_int_equal(report.code, 77);
    options.argv = argv;
    uint64_t deadline_ns = sy_clock_now(&sy_clock_system) + 50 * MS;
    assert_int_equal(sy_process_run(&options, &sy_clock_system, deadline_ns, 1000, &text, NULL, &report, NULL),
                     SY_TIMED_OUT);
    sy_text_finish(&text);
    expect_no_child();
}

static void a_suspended_child_stands_still_until_it_is_resumed(void **state)
{
    (void)state;
    sy_process *process = start_sleeper();
    assert_int_equal(sy_process_suspend(process, NULL), SY_OK);
    assert_int_equal(state_of(sy_process_id(process)), 'T');
    assert_int_equal(sy_process_suspend(process, NULL), SY_OK);
    assert_int_equal(sy_process_poll(process, NULL), SY_PROCESS_RUNNING);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(sy_process_resume(process, NULL), SY_OK);
        assert_int_not_equal(state_of(sy_process_id(process)), 'T');
        assert_int_equal(sy_process_suspend(process, NULL), SY_OK);
        assert_int_equal(state_of(sy_process_id(process)), 'T');
    }
    sy_process_kill(process);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_process_suspend(process, &err), SY_DIED);
    assert_true(sy_text_ends(err.what, "died: signal 9 (SIGKILL)"));
    assert_int_equal(sy_process_resume(process, &err), SY_DIED);
    sy_process_destroy(process);
    sy_process_destroy(NULL);
    expect_no_child();
}

/* Orphans come to this process, so that it can see how they ended. */
static void adopt_orphans(void)
{
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

static void expect_killed(pid_t id)
{
    int status = 0;
    assert_int_equal(waitpid(id, &status, 0), id);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void a_grandchild_in_the_group_does_not_outlive_the_child(void **state)
{
    (void)state;
    adopt_orphans();
    sy_text text = SY_TEXT_INIT;
    sy_process_report report = run_script("sleep 1000 >&- 2>&- & echo $!", &text);
    assert_int_equal(report.code, 0);
    expect_killed((pid_t)strtol(sy_text_bytes(&text), NULL, 10));
    sy_text_finish(&text);
    expect_no_child();
}

static void an_escaped_grandchild_does_not_hold_up_the_run(void **state)
{
    (void)state;
    adopt_orphans();
    sy_text text = SY_TEXT_INIT;
    /* setsid puts it outside of the group, and it keeps the pipe. */
    run_script(
        "f=$(mktemp -u); mkfifo $f; setsid sh -c 'echo $$; echo ready >'$f'; exec sleep 1000' & read y <$f; rm $f",
        &text);
    pid_t escaped = (pid_t)strtol(sy_text_bytes(&text), NULL, 10);
    assert_true(escaped > 1);
    assert_int_equal(kill(escaped, SIGKILL), 0);
    expect_killed(escaped);
    sy_text_finish(&text);
    while (waitpid(-1, NULL, 0) > 0) {
    }
}

static void a_child_dies_with_its_killed_parent(void **state)
{
    (void)state;
    adopt_orphans();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        sy_process *process = start_sleeper();
        int64_t id = sy_process_id(process);
        ssize_t written = write(ends[1], &id, sizeof id);
        (void)written;
        kill(getpid(), SIGKILL);
        _exit(1);
    }
    int64_t id = 0;
    assert_int_equal(read(ends[0], &id, sizeof id), sizeof id);
    expect_killed(parent);
    expect_killed((pid_t)id);
    close(ends[0]);
    close(ends[1]);
}

static sy_status run_true(void *user)
{
    (void)user;
    const char *argv[] = {"sh", "-c", "echo x", NULL};
    sy_process_options options = shell(argv);
    sy_text text = SY_TEXT_INIT;
    sy_status status = sy_process_run(&options, &sy_clock_system, 0, 100, &text, NULL, NULL, NULL);
    sy_text_finish(&text);
    return status;
}

static void every_failed_allocation_of_a_run_is_clean(void **state)
{
    (void)state;
    int before = open_descriptors();
    assert_true(fault_loop_allocations(run_true, NULL, true) >= 3);
    assert_int_equal(open_descriptors(), before);
    expect_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_status_and_the_output_come_back),
        cmocka_unit_test(a_death_by_signal_is_named),
        cmocka_unit_test(both_outputs_are_drained_and_cut_at_the_limit),
        cmocka_unit_test(a_program_that_cannot_be_started_is_named_and_leaves_nothing),
        cmocka_unit_test(a_script_without_its_interpreter_gets_a_hint),
        cmocka_unit_test(environment_and_directory_are_the_ones_given),
        cmocka_unit_test(only_the_descriptors_given_are_inherited),
        cmocka_unit_test(limits_reach_the_child),
        cmocka_unit_test(signals_are_as_a_fresh_program_expects),
        cmocka_unit_test(a_missed_deadline_leaves_it_running),
        cmocka_unit_test(without_a_handle_the_end_is_found_all_the_same),
        cmocka_unit_test(a_past_deadline_kills_what_is_run),
        cmocka_unit_test(a_suspended_child_stands_still_until_it_is_resumed),
        cmocka_unit_test(a_grandchild_in_the_group_does_not_outlive_the_child),
        cmocka_unit_test(an_escaped_grandchild_does_not_hold_up_the_run),
        cmocka_unit_test(a_child_dies_with_its_killed_parent),
        cmocka_unit_test(every_failed_allocation_of_a_run_is_clean),
        cmocka_unit_test(inherited_descriptors_arrive_in_order_even_crossed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
