/* SPDX-License-Identifier: Apache-2.0 */
/* One command of a run: how it ends, what holds its pipes, what it floods, what it leaves behind. */
#include "evidence/exec/exec_child.h"

#include "cmocka_headers.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_loop.h"
#include "temporary_folder.h"

#define S UINT64_C(1000000000)
#define LONG_NS (60 * S) /* never reached unless something is broken */

static const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "STEELYARD_RUN_FD=3", NULL};

static sy_exec_child_options options_for(const char *const argv[])
{
    return (sy_exec_child_options){
        .argv = argv,
        .environment = environment,
        .timeout_ns = LONG_NS,
        .log_limit = 1000,
        .clock = &sy_clock_system,
    };
}

static void run_script(const char *script, sy_exec_child *child)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_exec_child_options options = options_for(argv);
    sy_error err = SY_ERROR_INIT;
    if (sy_exec_child_run(&options, child, &err) != SY_OK)
        fail_msg("%s", err.what);
}

/* Whoever starts this has no wall clock: time passes when the command says so on its standard output. */
static void pass_time(void *user, int stream, const void *bytes, size_t size)
{
    (void)stream;
    (void)bytes;
    (void)size;
    sy_clock_manual_advance(user, LONG_NS);
}

/* Runs it with the time-out over as soon as it prints something. */
static void run_until_it_prints(const char *script, sy_exec_child *child)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_exec_child_options options = options_for(argv);
    sy_clock_manual clock;
    sy_clock_manual_start(&clock, 1000, 0);
    options.clock = &clock.clock;
    options.output = pass_time;
    options.user = &clock;
    assert_int_equal(sy_exec_child_run(&options, child, NULL), SY_OK);
}

static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void expect_log(const sy_exec_log *log, const char *expected)
{
    sy_text text = SY_TEXT_INIT;
    sy_exec_log_write(log, &text);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
}

static void streams_and_lines_are_told_apart(void **state)
{
    (void)state;
    sy_exec_child child;
    run_script("echo out; echo err >&2; echo sample wall 1 ms >&$STEELYARD_RUN_FD; exit 3", &child);
    assert_int_equal(child.end, SY_EXEC_CHILD_ENDED);
    assert_int_equal(child.report.end, SY_PROCESS_EXITED);
    assert_int_equal(child.report.code, 3);
    expect_log(&child.out, "out\n");
    expect_log(&child.error, "err\n");
    assert_int_equal(child.account.sample_count, 1);
    assert_true(child.wall_ns > 0 && child.wall_ns < LONG_NS);
    sy_exec_child_finish(&child);
    expect_no_child();
}

static void a_child_that_says_nothing_or_closes_the_descriptor_is_waited_for(void **state)
{
    (void)state;
    sy_exec_child child;
    run_script("exec 3>&-; exec 1>&- 2>&-; sleep 0.2; exit 7", &child);
    assert_int_equal(child.report.code, 7);
    assert_true(child.wall_ns >= S / 5);
    assert_int_equal(child.account.line_count, 0);
    sy_exec_child_finish(&child);
}

static void who_stays_behind_and_holds_the_pipes_is_not_waited_for(void **state)
{
    (void)state;
    sy_exec_child child;
    /* One in the group, one that leaves it; both hold every descriptor. */
    run_script(
        "f=$(mktemp -u); mkfifo $f; sleep 50 & setsid sh -c 'echo sample late 1 s >&3; echo ready >'$f'; sleep 40' &"
        "read ready <$f; rm $f; echo sample wall 1 s >&3",
        &child);
    assert_int_equal(child.report.code, 0);
    assert_true(child.wall_ns < 20 * S);
    assert_int_equal(child.account.sample_count, 2);
    assert_true(child.left_behind);
    sy_exec_child_finish(&child);
    expect_no_child();
}

static void who_stays_in_the_group_is_killed_and_not_left_behind(void **state)
{
    (void)state;
    sy_exec_child child;
    run_script("sleep 50 & echo sample wall 1 s >&3", &child);
    assert_int_equal(child.account.sample_count, 1);
    assert_false(child.left_behind);
    sy_exec_child_finish(&child);
}

static void a_child_that_hangs_is_ended_with_its_group_and_keeps_what_it_said(void **state)
{
    (void)state;
    sy_exec_child child;
    run_until_it_prints("echo sample wall 1 s >&3; sleep 50 & echo ready; sleep 50", &child);
    assert_int_equal(child.end, SY_EXEC_CHILD_TIMED_OUT);
    assert_int_equal(child.report.end, SY_PROCESS_SIGNALLED);
    assert_int_equal(child.report.code, SIGTERM);
    assert_int_equal(child.account.sample_count, 1);
    sy_exec_child_finish(&child);
    expect_no_child();
}

static void the_time_out_is_that_of_the_clock_that_was_given(void **state)
{
    (void)state;
    sy_exec_child child;
    sy_clock_manual clock;
    const char *argv[] = {"sleep", "50", NULL};
    sy_exec_child_options options = options_for(argv);
    sy_clock_manual_start(&clock, 1000, 0);
    options.clock = &clock.clock;
    options.timeout_ns = 40000000; /* forty slices of that clock */
    assert_int_equal(sy_exec_child_run(&options, &child, NULL), SY_OK);
    assert_int_equal(child.end, SY_EXEC_CHILD_TIMED_OUT);
    assert_int_equal(child.wall_ns, 40000000);
    sy_exec_child_finish(&child);
}

static void a_child_that_does_not_listen_is_killed(void **state)
{
    (void)state;
    sy_exec_child child;
    run_until_it_prints("trap '' TERM; echo ready; while :; do sleep 0.1; done", &child);
    assert_int_equal(child.end, SY_EXEC_CHILD_TIMED_OUT);
    assert_int_equal(child.report.code, SIGKILL);
    sy_exec_child_finish(&child);
}

static bool says_yes(void *user)
{
    ++*(int *)user;
    return *(int *)user > 2;
}

static void being_cancelled_ends_the_child(void **state)
{
    (void)state;
    sy_exec_child child;
    int asked = 0;
    const char *argv[] = {"sleep", "50", NULL};
    sy_exec_child_options options = options_for(argv);
    options.cancelled = says_yes;
    options.user = &asked;
    assert_int_equal(sy_exec_child_run(&options, &child, NULL), SY_OK);
    assert_int_equal(child.end, SY_EXEC_CHILD_CANCELLED);
    assert_true(child.wall_ns < 20 * S);
    sy_exec_child_finish(&child);
}

static void a_flood_of_lines_is_ended_and_takes_no_memory(void **state)
{
    (void)state;
    sy_exec_child child;
    sy_protocol_limits limits = {100000, 1 << 24, 10, 1000, 10, 10};
    const char *argv[] = {"sh", "-c", "yes sample wall 1 s >&3", NULL};
    sy_exec_child_options options = options_for(argv);
    options.limits = &limits;
    assert_int_equal(sy_exec_child_run(&options, &child, NULL), SY_OK);
    assert_int_equal(child.end, SY_EXEC_CHILD_FLOODED);
    assert_int_equal(child.account.sample_count, 1000);
    assert_true(child.account.dropped_count >= 99000);
    assert_string_equal(child.account.limit, "more than 1000 samples");
    sy_exec_child_finish(&child);
}

static void a_flood_of_output_keeps_its_beginning_and_its_end(void **state)
{
    (void)state;
    sy_exec_child child;
    sy_text text = SY_TEXT_INIT;
    run_script("echo begin; head -c 5000000 /dev/zero; echo; echo end", &child);
    assert_int_equal(child.out.total, 5000011);
    sy_exec_log_write(&child.out, &text);
    assert_true(sy_text_begins(text.bytes, "begin\n??"));
    assert_true(sy_text_ends(text.bytes, "?\nend\n"));
    assert_non_null(strstr(text.bytes, "\n[4999011 bytes are not kept]\n"));
    assert_int_equal(text.length, 1000 + strlen("\n[4999011 bytes are not kept]\n"));
    sy_text_finish(&text);
    sy_exec_child_finish(&child);
}

static void a_log_of_any_pieces_keeps_the_same(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 9; limit++) {
        for (size_t step = 1; step < 12; step++) {
            sy_exec_log log = {.limit = limit};
            sy_text text = SY_TEXT_INIT;
            static const char all[] = "0123456789";
            for (size_t at = 0; at < 10; at += step)
                sy_exec_log_add(&log, all + at, 10 - at < step ? 10 - at : step);
            sy_exec_log_write(&log, &text);
            assert_memory_equal(text.bytes, all, limit - limit / 2);
            assert_memory_equal(text.bytes + text.length - limit / 2, all + 10 - limit / 2, limit / 2);
            sy_text_finish(&text);
            sy_exec_log_finish(&log);
        }
    }
}

static void a_program_that_is_not_there_is_named(void **state)
{
    (void)state;
    sy_exec_child child;
    sy_error err = SY_ERROR_INIT;
    const char *argv[] = {"no-such-program-here", NULL};
    sy_exec_child_options options = options_for(argv);
    int before = count_entries("/proc/self/fd");
    assert_int_equal(sy_exec_child_run(&options, &child, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.what, "no-such-program-here"));
    sy_exec_child_finish(&child);
    assert_int_equal(count_entries("/proc/self/fd"), before);
}

typedef struct looks {
    char ready[600];
    char looked[600];
    unsigned count; /* since it was ready */
} looks;

static void count_look(void *user)
{
    looks *l = user;
    if (access(l->ready, F_OK) == 0 && ++l->count == 10) {
        FILE *file = fopen(l->looked, "w");
        assert_non_null(file);
        (void)fclose(file);
    }
}

/* Runs it in that folder: when it has made the file `ready` it is looked at ten times, then the file `looked` is there.
 */
static void run_looked_at(const char *folder, const char *script, sy_exec_child *child)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    sy_exec_child_options options = options_for(argv);
    looks l = {.count = 0};
    snprintf(l.ready, sizeof(l.ready), "%s/ready", folder);
    snprintf(l.looked, sizeof(l.looked), "%s/looked", folder);
    options.directory = folder;
    options.tick = count_look;
    options.tick_user = &l;
    assert_int_equal(sy_exec_child_run(&options, child, NULL), SY_OK);
    assert_true(l.count >= 10);
    empty_folder(folder);
}

static void memory_of_a_tree_is_the_sum_of_its_processes(void **state)
{
    sy_exec_child child;
    /* Two that hold 40 MB each for a while; the shell that started them holds next to nothing. */
    run_looked_at(*state,
                  "for i in 1 2; do dd if=/dev/zero of=/dev/null bs=40M count=1000000 2>/dev/null & done; "
                  "for p in $(jobs -p); do until grep -q '^VmRSS:[^0-9]*4[0-9]\\{4\\} kB' /proc/$p/status; do "
                  "sleep 0.01; done; done; : >ready; until [ -e looked ]; do sleep 0.01; done; kill $(jobs -p)",
                  &child);
    assert_true(child.tree_peak_bytes >= 80000000);
    assert_true(child.tree_processes >= 3);
    sy_exec_child_finish(&child);
    /* One process alone; what this test itself holds must not be told as the child's. */
    char *ballast = malloc(200000000);
    assert_non_null(ballast);
    memset(ballast, 1, 200000000);
    run_looked_at(*state, ": >ready; until [ -e looked ]; do sleep 0.01; done", &child);
    assert_true(child.peak_bytes > 100000 && child.peak_bytes < 100000000);
    free(ballast);
    sy_exec_child_finish(&child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_lines_are_told_apart),
        cmocka_unit_test(a_child_that_says_nothing_or_closes_the_descriptor_is_waited_for),
        cmocka_unit_test(who_stays_behind_and_holds_the_pipes_is_not_waited_for),
        cmocka_unit_test(who_stays_in_the_group_is_killed_and_not_left_behind),
        cmocka_unit_test(a_child_that_hangs_is_ended_with_its_group_and_keeps_what_it_said),
        cmocka_unit_test(the_time_out_is_that_of_the_clock_that_was_given),
        cmocka_unit_test(a_child_that_does_not_listen_is_killed),
        cmocka_unit_test(being_cancelled_ends_the_child),
        cmocka_unit_test(a_flood_of_lines_is_ended_and_takes_no_memory),
        cmocka_unit_test(a_flood_of_output_keeps_its_beginning_and_its_end),
        cmocka_unit_test(a_log_of_any_pieces_keeps_the_same),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test_setup_teardown(memory_of_a_tree_is_the_sum_of_its_processes, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
