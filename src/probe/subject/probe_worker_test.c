/* SPDX-License-Identifier: Apache-2.0 */
/* Probes whose implementations run in real worker processes: this program executes itself as the worker. Crashes,
 * hangs, garbage and killed parents are real here; times are the fake backend's. */
#include "probe_support.h"
#include "temporary_folder.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static const char *self_path;

#define ISOLATED "\"isolation\": \"worker\","

static sy_probe_options isolated(void)
{
    sy_probe_options options = seeded(1);
    options.worker_path = self_path;
    return options;
}

/* Ids of this process's children; returns how many. */
static size_t list_children(pid_t *pids, size_t room)
{
    char path[64];
    size_t count = 0;
    int pid;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (count < room && fscanf(file, "%d", &pid) == 1)
        pids[count++] = pid;
    (void)fclose(file);
    return count;
}

static char state_of(pid_t pid)
{
    char path[64];
    char state = '?';
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return '?';
    if (fscanf(file, "%*d %*[^)]) %c", &state) != 1)
        state = '?';
    (void)fclose(file);
    return state;
}

static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void workers_give_the_same_kind_of_answer(void **state)
{
    (void)state;
    sy_probe_options options = isolated();
    weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->isolation, SY_ISOLATION_WORKER);
    assert_true(w.result->has_carry_over);
    assert_true(w.result->candidates[0].memory_bytes >= 3 * 64 * sizeof(float));
    finish(&w);
    expect_no_child();
}

typedef struct watch {
    size_t seen;
    size_t stopped;
} watch;

static void count_stopped(void *user, const sy_probe_progress *progress)
{
    watch *seen = user;
    pid_t pids[8];
    if (progress->phase != SY_PHASE_ROUNDS)
        return;
    size_t count = list_children(pids, 8);
    for (size_t i = 0; i < count; i++) {
        seen->seen++;
        seen->stopped += state_of(pids[i]) == 'T';
    }
}

static void idle_workers_are_stopped_unless_told_otherwise(void **state)
{
    (void)state;
    for (int stop = 0; stop < 2; stop++) {
        watch seen = {0, 0};
        sy_probe_options options = isolated();
        options.stop_idle_workers = stop != 0;
        options.progress = count_stopped;
        options.user = &seen;
        weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("f", "900000", "")), &options);
        assert_int_equal(w.status, SY_OK);
        assert_true(seen.seen >= 10);
        assert_int_equal(seen.stopped, stop ? seen.seen : 0);
        finish(&w);
    }
    expect_no_child();
}

static void each_way_to_die_is_a_result_with_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *how;
        const char *words;
    } ends[] = {{"abort", "SIGABRT"}, {"segfault", "SIGSEGV"}, {"exit", "exited with"}, {"garbage", "garbage"}};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char script[1024];
        sy_probe_options options = isolated();
        (void)snprintf(
            script, sizeof(script),
            SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("k", "900000", ", \"crash_at\": 2, \"crash_how\": \"%s\"")),
            ends[i].how);
        weighed w = weigh(script, &options);
        expect_decision(&w, SY_DECISION_UNAVAILABLE, "crashed");
        if (!strstr(w.result->error, ends[i].words))
            fail_msg("%s: '%s' holds no '%s'", ends[i].how, w.result->error, ends[i].words);
        finish(&w);
        expect_no_child();
    }
}

static void a_dead_worker_is_started_again_and_its_pair_is_lost(void **state)
{
    (void)state;
    sy_probe_options options = isolated();
    options.max_pairs = 30;
    weighed w = weigh(
        SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("k", "969500", ", \"crash_at\": 80, \"crash_how\": \"abort\"")),
        &options);
    assert_int_equal(w.status, SY_OK);
    bool noted = false;
    size_t lost = 0;
    for (size_t i = 0; i < w.result->note_count; i++)
        noted |= strstr(w.result->notes[i], "SIGABRT") != NULL;
    for (size_t i = 0; i < w.result->sample_count; i++)
        lost += !(w.result->samples[i].candidate_ns > 0);
    assert_true(noted);
    assert_true(lost >= 1);
    assert_true(w.result->pairs > lost);
    finish(&w);
    expect_no_child();
}

static void a_worker_that_dies_all_the_time_ends_it_as_crashed(void **state)
{
    (void)state;
    sy_probe_options options = isolated();
    options.warmup = 1;
    /* parity 10 runs, warm-up and batch 4, control 34; then it dies every fourth slot or so */
    weighed w = weigh(
        SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("k", "500000", ", \"crash_at\": 58, \"crash_how\": \"abort\"")),
        &options);
    assert_int_equal(w.status, SY_OK);
    if (w.result->decision != SY_DECISION_WIN) /* enough wins before the tenth pair are a win */
        assert_int_equal(w.result->decision, SY_DECISION_INCONCLUSIVE);
    finish(&w);
    expect_no_child();
}

static void a_worker_that_hangs_is_killed_by_its_deadline(void **state)
{
    (void)state;
    sy_probe_options options = isolated();
    options.wall_limit_ns = UINT64_C(6000000000);
    weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("h", "900000", ", \"hang_at\": 2")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "time-out");
    finish(&w);
    expect_no_child();
}

static bool once_time_has_passed(void *user)
{
    return time(NULL) > *(time_t *)user + 1;
}

static void a_request_to_stop_ends_a_hung_run_at_once(void **state)
{
    (void)state;
    time_t start = time(NULL);
    sy_probe_options options = isolated();
    options.cancelled = once_time_has_passed;
    options.user = &start;
    weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("h", "900000", ", \"hang_at\": 2")), &options);
    expect_decision(&w, SY_DECISION_INCONCLUSIVE, "interrupted");
    assert_true(w.result->interrupted);
    finish(&w);
    expect_no_child();
}

static void memory_beyond_the_limit_of_a_worker_is_refused(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: a sanitizer's own memory is beyond any such limit\n");
    skip();
#endif
    sy_probe_options options = isolated();
    options.worker_memory_limit_bytes = UINT64_C(256) << 20;
    weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("m", "900000", ", \"memory_bytes\": 600000000")),
                      &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "memory");
    finish(&w);
    expect_no_child();
}

static void a_worker_that_cannot_be_started_is_named(void **state)
{
    (void)state;
    sy_probe_options options = isolated();
    options.worker_path = "/nonexistent/steelyard";
    weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    assert_int_not_equal(w.status, SY_OK);
    assert_non_null(strstr(w.err.what, "/nonexistent/steelyard"));
    finish(&w);
    expect_no_child();
}

/* A shape that no table holds reaches the workers as data. */
static void cases_of_the_caller_are_handed_to_the_workers(void **state)
{
    (void)state;
    static const sy_case_property properties[] = {{"m", 33}, {"n", 17}, {"k", 9}, {"batch", 1}};
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_device_open("cpu", NULL, &device, &err), SY_OK);
    assert_int_equal(sy_device_suite(device, "matmul", &suite, &err), SY_OK);
    sy_case mine = suite->cases[0];
    mine.name = "mine";
    mine.properties = properties;
    mine.property_count = 4;
    mine.exact_length = 9;
    mine.flop_count = 2 * 33 * 17 * 9;
    sy_suite with_mine = *suite;
    with_mine.cases = &mine;
    with_mine.case_count = 1;
    const char *candidate = "openblas";
    sy_probe_options options = isolated();
    options.reference = "blocked";
    options.implementations = &candidate;
    options.implementation_count = 1;
    options.budget_ns = UINT64_C(1000000000);
    sy_status status = sy_probe(device, &with_mine, &options, &result, &err);
    if (status)
        fail_msg("%s", err.what);
    assert_int_equal(result->isolation, SY_ISOLATION_WORKER);
    if (result->decision == SY_DECISION_UNAVAILABLE) {
        print_message("skipped: %s\n", result->error);
    } else {
        assert_int_equal(result->cases[0].parity.element_count, 33 * 17);
        if (result->cases[0].parity.outcome != SY_PARITY_PASSED)
            fail_msg("%s", result->cases[0].parity.reason);
    }
    sy_probe_result_destroy(result);
    sy_device_close(device);
    expect_no_child();
}

/* Until that process has children of its own, and these had time to hang; where the kernel does not tell, a second. */
static void wait_for_workers_of(pid_t parent)
{
    char path[64];
    char children[64];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
    const struct timespec moment = {0, 20000000};
    for (int i = 0, seen = 0; i < 1000 && seen < 10; i++) {
        FILE *file = fopen(path, "r");
        if (!file) {
            const struct timespec second = {1, 0};
            (void)nanosleep(&second, NULL);
            return;
        }
        seen += fgets(children, sizeof(children), file) != NULL && strchr(children, ' ') != NULL;
        (void)fclose(file);
        (void)nanosleep(&moment, NULL);
    }
}

/* The parent is killed while a worker hangs: nothing may be left behind. Orphans come to this process, which asks to be
 * their reaper. */
static void a_killed_parent_leaves_no_orphan(void **state)
{
    const char *folder = *state; /* what the killed one cannot remove goes with it */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        (void)setenv("TMPDIR", folder, 1);
        sy_probe_options options = isolated();
        weighed w = weigh(SCRIPT_WITH(ISOLATED, REFERENCE "," CANDIDATE("h", "900000", ", \"hang_at\": 2")), &options);
        finish(&w);
        _exit(0);
    }
    wait_for_workers_of(parent);
    assert_int_equal(kill(parent, SIGKILL), 0);
    int reaped = 0;
    const struct timespec moment = {0, 20000000};
    for (int i = 0; i < 500; i++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0)
            break;
        reaped += pid > 0;
        if (pid == 0)
            (void)nanosleep(&moment, NULL);
    }
    assert_true(reaped >= 2); /* the parent, and the workers that came to us */
    expect_no_child();
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_give_the_same_kind_of_answer),
        cmocka_unit_test(idle_workers_are_stopped_unless_told_otherwise),
        cmocka_unit_test(each_way_to_die_is_a_result_with_its_name),
        cmocka_unit_test(a_dead_worker_is_started_again_and_its_pair_is_lost),
        cmocka_unit_test(a_worker_that_dies_all_the_time_ends_it_as_crashed),
        cmocka_unit_test(a_worker_that_hangs_is_killed_by_its_deadline),
        cmocka_unit_test(a_request_to_stop_ends_a_hung_run_at_once),
        cmocka_unit_test(memory_beyond_the_limit_of_a_worker_is_refused),
        cmocka_unit_test(a_worker_that_cannot_be_started_is_named),
        cmocka_unit_test(cases_of_the_caller_are_handed_to_the_workers),
        cmocka_unit_test_setup_teardown(a_killed_parent_leaves_no_orphan, make_temporary_folder,
                                        remove_temporary_folder),
    };
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    self_path = argv[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
