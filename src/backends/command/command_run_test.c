/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a program: figures, ends, descendants, terminals. This program is its own launcher, and with the word
 * `act` it is the program that runs. */
#include <cmocka_headers.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/command/command_run.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#define MIB ((uint64_t)1 << 20)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static const char *self_path;

static sy_command_run_options options_for(const char *const *argv)
{
    sy_command_run_options options = SY_COMMAND_RUN_OPTIONS_INIT;
    options.launcher_path = self_path;
    options.argv = argv;
    return options;
}

/* Makes memory resident; a plain memset of what is freed unread may be left out. */
static void touch(char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 1024)
        ((volatile char *)bytes)[i] = 1;
}

static int open_sink(void)
{
    return memfd_create("sink", MFD_CLOEXEC);
}

/* What was written to a sink, up to room - 1 bytes. */
static void read_sink(int sink, char *to, size_t room)
{
    ssize_t got = pread(sink, to, room - 1, 0);
    assert_true(got >= 0);
    to[got] = '\0';
    close(sink);
}

/* Runs `self act WORDS` and wants it to work; text receives its output. */
static sy_command_outcome act(const char *word, const char *argument, char *text, size_t room)
{
    const char *const argv[] = {self_path, "act", word, argument, NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome = {0};
    sy_error err = SY_ERROR_INIT;
    options.standard_output = open_sink();
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_OK);
    if (text)
        read_sink(options.standard_output, text, room);
    else
        close(options.standard_output);
    return outcome;
}

/* No child of this process is left, dead or alive. */
static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_program_runs_and_its_output_is_where_it_was_lent(void **state)
{
    char text[64];
    (void)state;
    sy_command_outcome outcome = act("echo", "a b\\c\"'$x", text, sizeof(text));
    assert_int_equal(outcome.end, SY_COMMAND_EXITED);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(text, "a b\\c\"'$x");
    assert_true(outcome.wall_ns > 0);
    assert_int_equal(outcome.outlived, 0);
    expect_no_child();
}

static void exit_codes_and_signals_are_told_apart(void **state)
{
    char text[64];
    (void)state;
    sy_command_outcome outcome = act("exit", "3", NULL, 0);
    assert_int_equal(outcome.end, SY_COMMAND_EXITED);
    assert_int_equal(outcome.code, 3);
    sy_command_describe_outcome(&outcome, 0, text, sizeof(text));
    assert_string_equal(text, "exited 3");
    outcome = act("signal", "11", NULL, 0);
    assert_int_equal(outcome.end, SY_COMMAND_SIGNALLED);
    sy_command_describe_outcome(&outcome, 0, text, sizeof(text));
    assert_string_equal(text, "signal 11 (SIGSEGV)");
}

static void the_default_of_sigpipe_is_the_programs(void **state)
{
    char text[64];
    (void)state;
    (void)act("sigpipe", "", text, sizeof(text));
    assert_string_equal(text, "default, not blocked");
}

static void nothing_is_on_standard_input_and_no_other_descriptor_is_open(void **state)
{
    char text[64];
    (void)state;
    (void)act("descriptors", "", text, sizeof(text));
    assert_string_equal(text, "stdin at its end, 0 more open");
}

static void a_program_that_is_not_there_is_never_run(void **state)
{
    const char *const argv[] = {"steelyard-no-such-program", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome = {.code = 77};
    sy_error err = SY_ERROR_INIT;
    (void)state;
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "cannot start 'steelyard-no-such-program': no program of that name in PATH");
    assert_true(sy_text_begins(err.hint, "a program elsewhere is named by its path, ./"));
    assert_non_null(strstr(err.hint, "PATH is "));
    assert_int_equal(outcome.code, 77);
    expect_no_child();
}

static void a_file_that_may_not_be_executed_and_a_folder_are_refused(void **state)
{
    char folder[] = "/tmp/steelyard-run-XXXXXX";
    char file[64];
    sy_command_outcome outcome;
    sy_error err = SY_ERROR_INIT;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(file, sizeof(file), "%s/plain", folder);
    close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    const char *argv[] = {file, NULL};
    sy_command_run_options options = options_for(argv);
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_IO);
    assert_non_null(strstr(err.what, "Permission denied"));
    argv[0] = folder;
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_IO);
    assert_non_null(strstr(err.what, "EISDIR"));
    argv[0] = "./plain"; /* seen from another folder */
    options.directory = folder;
    assert_int_equal(chmod(file, 0755), 0);
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_IO);
    assert_non_null(strstr(err.hint, "#!/bin/sh"));
    options.directory = file;
    assert_int_not_equal(sy_command_run(&options, &outcome, &err), SY_OK);
    unlink(file);
    rmdir(folder);
    expect_no_child();
}

static void argument_and_environment_arrive_as_they_are(void **state)
{
    char text[64];
    const char *const argv[] = {"another name", "act", "variable", "WITH SPACE", NULL};
    static const char *const environment[] = {"WITH SPACE=a\\b c=d", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    options.path = self_path;
    options.environment = environment;
    options.standard_output = open_sink();
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    read_sink(options.standard_output, text, sizeof(text));
    assert_string_equal(text, "another name: a\\b c=d");
}

static void a_program_past_its_time_is_ended_with_all_its_children(void **state)
{
    const char *const argv[] = {self_path, "act", "deaf", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    char text[64];
    (void)state;
    options.timeout_ns = UINT64_C(300000000);
    uint64_t before = sy_clock_now(&sy_clock_system);
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_true(sy_clock_now(&sy_clock_system) - before < UINT64_C(20000000000)); /* it would sleep for 100 s */
    assert_int_equal(outcome.end, SY_COMMAND_TIMED_OUT);
    sy_command_describe_outcome(&outcome, UINT64_C(5000000000), text, sizeof(text));
    assert_string_equal(text, "timed out after 5 s");
    expect_no_child();
    options.timeout_ns = 0;
    options.deadline_ns = sy_clock_now(&sy_clock_system); /* has passed */
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.end, SY_COMMAND_TIMED_OUT);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void a_request_to_stop_ends_the_program(void **state)
{
    const char *const argv[] = {self_path, "act", "deaf", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    options.cancelled = always;
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_INTERRUPTED);
    expect_no_child();
}

static void a_program_that_writes_for_ever_is_ended(void **state)
{
    const char *const argv[] = {self_path, "act", "flood", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    options.standard_output = open_sink();
    options.output_limit_bytes = MIB;
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.end, SY_COMMAND_WROTE_TOO_MUCH);
    close(options.standard_output);
}

/* Whether the process is there and runs. */
static bool lives(const char *number)
{
    return kill((pid_t)strtol(number, NULL, 10), 0) == 0;
}

static void a_daemon_that_outlives_its_run_is_counted_and_killed(void **state)
{
    char text[64];
    (void)state;
    sy_command_outcome outcome = act("daemon", "", text, sizeof(text));
    assert_int_equal(outcome.end, SY_COMMAND_EXITED);
    assert_int_equal(outcome.outlived, 1);
    assert_true(strtol(text, NULL, 10) > 1);
    assert_false(lives(text));
    expect_no_child();
}

/* CMD-1: under dash `sleep 2 &> /dev/null` goes to the background, and the run looks 20,000 times faster. A longer
 * sleep is still there however late we look. */
static void a_background_job_that_a_shell_left_is_seen(void **state)
{
    static const char *const argv[] = {"dash", "-c", "echo 'hello' ; sleep 200 &> /dev/null", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    if (access("/bin/dash", X_OK) != 0) {
        print_message("skipped: /bin/dash is not there\n");
        skip();
    }
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.outlived, 1);
}

static void memory_and_time_of_a_waited_child_are_the_programs(void **state)
{
    (void)state;
    sy_command_outcome small = act("exit", "0", NULL, 0);
    sy_command_outcome large = act("child-of-64-mib", "", NULL, 0);
    assert_true(small.peak_memory_bytes > 0);
    assert_true(large.peak_memory_bytes >= 64 * MIB);
    assert_true(large.peak_memory_bytes < small.peak_memory_bytes + 80 * MIB);
    assert_true(large.user_ns + large.system_ns > 0);
}

/* Linux carries the parent's peak over exec; a launcher keeps it small. */
static void a_small_program_has_small_memory_whatever_the_parent_holds(void **state)
{
    static const char *const argv[] = {"true", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    if (SANITIZED) {
        print_message("skipped: a launcher with a sanitizer in it is not small\n");
        skip();
    }
    size_t size = 400 * MIB;
    char *held = malloc(size);
    assert_non_null(held);
    touch(held, size);
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    free(held);
    assert_true(outcome.peak_memory_bytes > 0);
    assert_true(outcome.peak_memory_bytes < 4 * MIB);
}

/* a program may want a terminal, and gets one only when asked for. */
static void without_being_asked_for_there_is_no_terminal_and_with_it_all_three_are_one(void **state)
{
    char text[256];
    const char *const argv[] = {self_path, "act", "terminal", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    (void)state;
    (void)act("terminal", "", text, sizeof(text));
    assert_string_equal(text, "000, /dev/tty: no\n");
    options.terminal = true;
    options.standard_output = open_sink();
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.end, SY_COMMAND_EXITED);
    read_sink(options.standard_output, text, sizeof(text));
    assert_string_equal(text, "111, /dev/tty: yes\r\n");
}

static void more_than_a_terminal_holds_comes_through(void **state)
{
    const char *const argv[] = {self_path, "act", "lines", "20000", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    struct stat info;
    (void)state;
    options.terminal = true;
    options.standard_output = open_sink();
    assert_int_equal(sy_command_run(&options, &outcome, NULL), SY_OK);
    assert_int_equal(outcome.end, SY_COMMAND_EXITED);
    assert_int_equal(fstat(options.standard_output, &info), 0);
    assert_int_equal(info.st_size, 20000 * 10);
    close(options.standard_output);
}

static void a_launcher_that_is_none_is_an_error_with_its_name(void **state)
{
    static const char *const argv[] = {"true", NULL};
    sy_command_run_options options = options_for(argv);
    sy_command_outcome outcome;
    sy_error err = SY_ERROR_INIT;
    (void)state;
    options.launcher_path = "/bin/true";
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_DIED);
    assert_string_equal(err.what, "the launcher of 'true' exited with 0");
    options.launcher_path = "/nowhere/launcher";
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_NOT_FOUND);
    options.launcher_path = NULL;
    assert_int_equal(sy_command_run(&options, &outcome, &err), SY_INVALID_ARGUMENT);
    expect_no_child();
}

/* ---- the programs ---- */

static int be_deaf(void)
{
    signal(SIGTERM, SIG_IGN);
    if (fork() == 0)
        setsid();
    for (int i = 0; i < 100; i++)
        sleep(1);
    return 0;
}

static int leave_a_daemon(void)
{
    pid_t child = fork();
    if (child == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            for (int i = 0; i < 100; i++)
                sleep(1);
        } else {
            printf("%d", (int)grandchild);
        }
        return 0;
    }
    waitpid(child, NULL, 0);
    return 0;
}

static int have_a_large_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        size_t size = 64 * MIB;
        char *held = malloc(size);
        if (held)
            touch(held, size);
        _exit(held ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static int say_descriptors(void)
{
    char byte;
    int more = 0;
    for (int i = 3; i < 200; i++)
        more += fcntl(i, F_GETFD) >= 0;
    printf("stdin %s, %d more open", read(0, &byte, 1) == 0 ? "at its end" : "open", more);
    return 0;
}

static int say_sigpipe(void)
{
    struct sigaction action;
    sigset_t mask;
    sigaction(SIGPIPE, NULL, &action);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("%s, %sblocked", action.sa_handler == SIG_DFL ? "default" : "set",
           sigismember(&mask, SIGCHLD) || sigismember(&mask, SIGTERM) ? "" : "not ");
    return 0;
}

static int act_as(int argc, char **argv)
{
    const char *word = argc > 2 ? argv[2] : "";
    const char *argument = argc > 3 ? argv[3] : "";
    if (strcmp(word, "echo") == 0)
        return printf("%s", argument) < 0;
    if (strcmp(word, "exit") == 0)
        return (int)strtol(argument, NULL, 10);
    if (strcmp(word, "signal") == 0) {
        signal((int)strtol(argument, NULL, 10), SIG_DFL); /* a sanitizer may have taken it */
        return raise((int)strtol(argument, NULL, 10));
    }
    if (strcmp(word, "sigpipe") == 0)
        return say_sigpipe();
    if (strcmp(word, "descriptors") == 0)
        return say_descriptors();
    if (strcmp(word, "variable") == 0)
        return printf("%s: %s", argv[0], getenv(argument)) < 0;
    if (strcmp(word, "deaf") == 0)
        return be_deaf();
    if (strcmp(word, "daemon") == 0)
        return leave_a_daemon();
    if (strcmp(word, "child-of-64-mib") == 0)
        return have_a_large_child();
    if (strcmp(word, "terminal") == 0)
        return printf("%d%d%d, /dev/tty: %s\n", isatty(0), isatty(1), isatty(2),
                      open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0 ? "yes" : "no") < 0;
    for (long i = 0; strcmp(word, "lines") == 0 && i < strtol(argument, NULL, 10); i++)
        printf("%08ld\n", i);
    while (strcmp(word, "flood") == 0 && printf("flood\n") > 0) {
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char path[4096]; /* self_path keeps it */
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return 99;
    path[length] = '\0';
    self_path = path;
    if (argc > 1 && strcmp(argv[1], "launcher") == 0)
        return sy_launcher_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "act") == 0)
        return act_as(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_runs_and_its_output_is_where_it_was_lent),
        cmocka_unit_test(exit_codes_and_signals_are_told_apart),
        cmocka_unit_test(the_default_of_sigpipe_is_the_programs),
        cmocka_unit_test(nothing_is_on_standard_input_and_no_other_descriptor_is_open),
        cmocka_unit_test(a_program_that_is_not_there_is_never_run),
        cmocka_unit_test(a_file_that_may_not_be_executed_and_a_folder_are_refused),
        cmocka_unit_test(argument_and_environment_arrive_as_they_are),
        cmocka_unit_test(a_program_past_its_time_is_ended_with_all_its_children),
        cmocka_unit_test(a_request_to_stop_ends_the_program),
        cmocka_unit_test(a_program_that_writes_for_ever_is_ended),
        cmocka_unit_test(a_daemon_that_outlives_its_run_is_counted_and_killed),
        cmocka_unit_test(a_background_job_that_a_shell_left_is_seen),
        cmocka_unit_test(memory_and_time_of_a_waited_child_are_the_programs),
        cmocka_unit_test(a_small_program_has_small_memory_whatever_the_parent_holds),
        cmocka_unit_test(without_being_asked_for_there_is_no_terminal_and_with_it_all_three_are_one),
        cmocka_unit_test(more_than_a_terminal_holds_comes_through),
        cmocka_unit_test(a_launcher_that_is_none_is_an_error_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
