/* SPDX-License-Identifier: Apache-2.0 */
/* The fake device: its clock, its memory, its condition, its builds and every scripted end. */
#include "fake_scripted.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_loop.h"

/* ---- clock ---- */

static void a_run_takes_its_scripted_time_and_nothing_else_takes_any(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const uint64_t start = sy_clock_now(device->clock);
    assert_true(start > 0);
    sy_graph *plain = ready(device, PLAIN, 1), *odd = ready(device, ODD, 1);
    assert_int_equal(sy_clock_now(device->clock), start);
    assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
    assert_int_equal(sy_clock_now(device->clock), start + 1000);
    assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
    assert_int_equal(sy_clock_now(device->clock), start + 1700);
    assert_int_equal(sy_device_synchronize(device, NULL), SY_OK);
    assert_int_equal(sy_clock_now(device->clock), start + 1700);
    assert_int_equal(sy_fake_runs(device, NULL), 2);
    assert_int_equal(sy_fake_runs(device, "odd"), 1);
    assert_int_equal(sy_fake_runs(device, "nobody"), 0);
    const int64_t utc = device->clock->utc_s(device->clock);
    device->clock->sleep_ns(device->clock, UINT64_C(2000000000));
    assert_int_equal(sy_clock_now(device->clock), start + 1700 + UINT64_C(2000000000));
    assert_int_equal(device->clock->utc_s(device->clock), utc + 2);
    sy_graph_destroy(plain);
    sy_graph_destroy(odd);
    sy_device_close(device);
}

static void a_coarse_timer_is_read_in_its_steps(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"timer_resolution_ns\": 1500,", "");
    sy_graph *plain = ready(device, PLAIN, 1);
    const uint64_t start = sy_clock_now(device->clock);
    assert_int_equal(start % 1500, 0);
    uint64_t seen[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
        seen[i] = sy_clock_now(device->clock) - start;
        assert_int_equal(seen[i] % 1500, 0);
    }
    assert_true(seen[3] >= 3000 && seen[3] <= 4500);
    sy_graph_destroy(plain);
    sy_device_close(device);
}

static void a_look_at_the_clock_takes_time_where_the_script_says_so(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"timer_resolution_ns\": 10, \"device\": {\"clock_read_ns\": 4},", "");
    uint64_t last = sy_clock_now(device->clock), steps = 0;
    for (size_t i = 0; i < 100; i++) {
        const uint64_t now = sy_clock_now(device->clock);
        assert_true(now == last || now == last + 10);
        steps += now > last;
        last = now;
    }
    assert_int_equal(steps, 40);
    sy_device_close(device);
}

static void allocation_and_transfers_take_time_where_the_script_says_so(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"device\": {\"allocate_ns\": 100, \"transfer_ns\": 7},", "");
    const uint64_t start = sy_clock_now(device->clock);
    sy_graph *plain = ready(device, PLAIN, 1);
    /* Three buffers; 2 N writes of inputs; the output's poison and its two canaries. */
    assert_int_equal(sy_clock_now(device->clock) - start, 3 * 100 + (2 * N + 3) * 7);
    sy_graph_destroy(plain);
    sy_device_close(device);
}

/* ---- ends ---- */

static void a_crash_and_a_hang_in_the_callers_process_are_statuses(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"crash_at\": 2, \"hang_at\": 3");
    sy_graph *odd = ready(device, ODD, 1);
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_graph_run(odd, &error), SY_OK);
    assert_int_equal(sy_graph_run(odd, &error), SY_DIED);
    assert_non_null(strstr(error.what, "'odd' crashed at its run 2"));
    const uint64_t start = sy_clock_now(device->clock);
    assert_int_equal(sy_graph_run(odd, &error), SY_TIMED_OUT);
    assert_non_null(strstr(error.what, "hung at its run 3"));
    assert_true(sy_clock_now(device->clock) - start >= UINT64_C(3600000000000));
    assert_int_equal(sy_graph_run(odd, &error), SY_OK);
    sy_graph_destroy(odd);
    sy_device_close(device);
}

/* Runs `odd` once in a child that is its worker, and returns how that ended. */
static int end_of_worker(const char *member, int *ret_descriptor)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const sy_device_options options = {.only = "odd"};
        sy_device *device = NULL;
        (void)dup2(ends[1], 3);
        (void)close(STDERR_FILENO);
        if (open_script("\"isolation\": \"worker\",", member, &options, &device, NULL))
            _exit(99);
        sy_graph *odd = ready(device, ODD, 1);
        const sy_status status = sy_graph_run(odd, NULL);
        sy_graph_destroy(odd);
        sy_device_close(device);
        _exit(status ? 98 : 0);
    }
    int how = 0;
    (void)close(ends[1]);
    if (strstr(member, "hang")) {
        /* A child that ends closes the pipe, which poll would see at once. */
        struct pollfd watched = {.fd = ends[0], .events = POLLIN};
        assert_int_equal(poll(&watched, 1, 50), 0);
        assert_int_equal(kill(child, SIGKILL), 0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    if (ret_descriptor)
        *ret_descriptor = ends[0];
    else
        (void)close(ends[0]);
    return how;
}

static void a_worker_really_ends_in_the_way_that_is_scripted(void **state)
{
    (void)state;
    int how = end_of_worker(", \"crash_at\": 1", NULL);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
    how = end_of_worker(", \"crash_at\": 1, \"crash_how\": \"segfault\"", NULL);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGSEGV);
    how = end_of_worker(", \"crash_at\": 1, \"crash_how\": \"exit\"", NULL);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 3);
    how = end_of_worker(", \"hang_at\": 1", NULL);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    int descriptor = -1;
    char garbage[64] = "";
    how = end_of_worker(", \"crash_at\": 1, \"crash_how\": \"garbage\"", &descriptor);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    assert_true(read(descriptor, garbage, sizeof garbage) > 20);
    (void)close(descriptor);
    how = end_of_worker("", NULL);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void a_script_that_isolates_says_so_of_its_device(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"isolation\": \"worker\",", ", \"crash_at\": 1");
    assert_false(device->one_process);
    /* Not a worker, since nothing says which implementation is the only one: no real crash. */
    sy_graph *odd = ready(device, ODD, 1);
    assert_int_equal(sy_graph_run(odd, NULL), SY_DIED);
    sy_graph_destroy(odd);
    sy_device_close(device);
    device = open_fake("", "");
    assert_true(device->one_process);
    sy_device_close(device);
}

static void a_worker_builds_its_own_implementation_only(void **state)
{
    (void)state;
    sy_device *device = NULL;
    sy_device_options options = {.only = "odd"};
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(open_script("", "", &options, &device, &error), SY_OK);
    const sy_suite *suite = suite_of(device);
    for (uint32_t v = 0; v < 2; v++) {
        sy_graph *graph = NULL;
        bool is_available = false;
        const char *reason = NULL;
        assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[0], v, graph, NULL), SY_OK);
        assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
        assert_int_equal(is_available, v == ODD);
        sy_graph_destroy(graph);
    }
    sy_device_close(device);
    options.only = "even";
    device = NULL;
    assert_int_equal(open_script("", "", &options, &device, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "'even'"));
    assert_null(device);
}

/* ---- builds ---- */

static void expect_build(const char *member, uint64_t capacity, sy_status wanted, bool available, const char *words)
{
    sy_device *device = open_fake("", member);
    const sy_suite *suite = suite_of(device);
    sy_graph *graph = NULL;
    sy_error error = SY_ERROR_INIT;
    bool is_available = !available;
    const char *reason = "";
    assert_int_equal(sy_graph_create(device, capacity, &graph, NULL), SY_OK);
    assert_int_equal(suite->build(suite->user, &suite->cases[0], ODD, graph, &error), wanted);
    if (!wanted) {
        assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
        assert_int_equal(is_available, available);
    }
    assert_non_null(strstr(wanted ? error.what : reason, words));
    assert_int_equal(sy_fake_allocations(device), 0);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_build_is_there_absent_with_its_reason_or_broken_as_scripted(void **state)
{
    (void)state;
    expect_build("", 1 << 16, SY_OK, true, "");
    expect_build(", \"unavailable\": \"libodd.so.9 not found\"", 1 << 16, SY_OK, false, "libodd.so.9 not found");
    expect_build(", \"cases\": {\"c\": {\"unavailable\": \"too large\"}}", 1 << 16, SY_OK, false, "too large");
    expect_build(", \"cases\": {\"own\": {\"unavailable\": \"too large\"}}", 1 << 16, SY_OK, true, "");
    expect_build(", \"fail_build\": \"no compiler here\"", 1 << 16, SY_UNAVAILABLE, false,
                 "building 'odd' failed: no compiler here");
    expect_build("", 16, SY_LIMIT_EXCEEDED, false, "capacity");
    expect_build("", 200, SY_LIMIT_EXCEEDED, false, "capacity");
}

static void a_foreign_case_or_implementation_is_refused(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const sy_suite *suite = suite_of(device);
    sy_graph *graph = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_case copy = suite->cases[0];
    assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
    assert_int_equal(suite->build(suite->user, &copy, 2, graph, &error), SY_INVALID_ARGUMENT);
    copy.name = "elsewhere";
    assert_int_equal(suite->build(suite->user, &copy, 0, graph, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.what, "'elsewhere'"));
    copy.name = "c"; /* a copy of a case is that case */
    assert_int_equal(suite->build(suite->user, &copy, 0, graph, &error), SY_OK);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

/* ---- memory, condition, words ---- */

static void scratch_counts_and_the_device_refuses_what_it_has_not(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"device\": {\"memory_bytes\": 2000, \"free_memory_bytes\": 1000},",
                                  ", \"memory_bytes\": 700");
    sy_device_info info;
    uint64_t free_now = 0;
    assert_int_equal(sy_device_describe(device, &info, NULL), SY_OK);
    assert_int_equal(info.memory_bytes, 2000);
    assert_int_equal(sy_device_free_memory(device, &free_now, NULL), SY_OK);
    assert_int_equal(free_now, 1000);
    sy_graph *plain = ready(device, PLAIN, 1);
    assert_int_equal(sy_graph_memory_bytes(plain), 3 * N * 4 + 2 * SY_GRAPH_CANARY_BYTES);
    assert_int_equal(sy_fake_allocated_bytes(device), sy_graph_memory_bytes(plain));
    assert_int_equal(sy_device_free_memory(device, &free_now, NULL), SY_OK);
    assert_int_equal(free_now, 1000 - sy_graph_memory_bytes(plain));
    sy_graph *odd = NULL;
    const sy_suite *suite = suite_of(device);
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_graph_create(device, 1 << 16, &odd, NULL), SY_OK);
    assert_int_equal(suite->build(suite->user, &suite->cases[0], ODD, odd, NULL), SY_OK);
    assert_int_equal(sy_graph_memory_bytes(odd), 3 * N * 4 + 2 * SY_GRAPH_CANARY_BYTES + 700);
    assert_int_equal(sy_graph_allocate(odd, &error), SY_NO_MEMORY);
    assert_non_null(strstr(error.what, "scratch"));
    sy_graph_destroy(odd);
    sy_graph_destroy(plain);
    assert_int_equal(sy_fake_allocated_bytes(device), 0);
    assert_true(device->backend->memory_peak(device) >= 3 * N * 4);
    sy_device_close(device);
    device = open_fake("\"device\": {\"memory_bytes\": 0},", "");
    assert_int_equal(sy_device_free_memory(device, &free_now, &error), SY_UNAVAILABLE);
    sy_device_close(device);
}

static void the_condition_is_the_scripts_and_throttling_may_come_with_a_run(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"device\": {\"clock_hz\": 2e9, \"throttled_from_run\": 2},", "");
    sy_device_condition condition;
    sy_graph *plain = ready(device, PLAIN, 1);
    device->backend->condition(device, &condition);
    assert_true(condition.clock_hz == 2e9 && isnan(condition.temperature_celsius) && condition.throttled == 0);
    assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
    device->backend->condition(device, &condition);
    assert_int_equal(condition.throttled, 0);
    assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
    device->backend->condition(device, &condition);
    assert_int_equal(condition.throttled, 1);
    sy_graph_destroy(plain);
    sy_device_close(device);
}

static void counters_move_with_the_runs_and_the_clock_may_drift(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"device\": {\"clock_hz\": 2e9, \"clock_drift\": {\"factor\": 0.5, \"from_run\": 1},"
                                  "\"steal_share\": 0.25, \"steal_from_run\": 2, \"pressure_share\": 0.5},",
                                  "");
    sy_device_condition first;
    sy_device_condition last;
    sy_graph *plain = ready(device, PLAIN, 1);
    assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
    device->backend->condition(device, &first);
    assert_true(first.clock_hz == 2e9 && first.stolen_time == 0 && first.waited_ns == 500);
    assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
    device->backend->condition(device, &last);
    assert_true(last.clock_hz == 1e9 && last.stolen_time == 250 && last.waited_ns == 1000);
    assert_true(last.processor_time - first.processor_time == 1000 && isnan(last.throttle_events));
    sy_graph_destroy(plain);
    sy_device_close(device);
    device = open_fake("", "");
    device->backend->condition(device, &first);
    assert_true(isnan(first.processor_time) && isnan(first.stolen_time) && isnan(first.waited_ns));
    sy_device_close(device);
}

static void runs_are_switched_away_where_the_script_says_so(void **state)
{
    (void)state;
    static const uint64_t expected[] = {0, 1, 2, 2, 2, 3, 4, 4};
    sy_device *device = open_fake(
        "", ", \"switch_at\": 2, \"switch_every\": 4, \"switch_runs\": 2, \"switch_factor\": 1.5");
    sy_graph *odd = ready(device, ODD, 1);
    for (size_t i = 0; i < 8; i++) {
        const uint64_t start = sy_clock_now(device->clock);
        const uint64_t before = device->backend->switches(device);
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        assert_int_equal(device->backend->switches(device), expected[i]);
        assert_int_equal(sy_clock_now(device->clock) - start, expected[i] > before ? 1050 : 700);
    }
    sy_graph_destroy(odd);
    sy_device_close(device);
}

static void what_an_implementation_is_and_the_shortcut_come_from_the_script(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"shortcut\": {\"implementation\": \"odd\", \"evidence\": \"run 7\", \"date\": "
                                  "\"2026-01-02\", \"largest_n\": 64},",
                                  ", \"version\": \"odd 1.2\"");
    const sy_suite *suite = suite_of(device);
    sy_implementation_info info;
    sy_shortcut answer = {0};
    assert_int_equal(suite->describe(suite->user, ODD, device, &info, NULL), SY_OK);
    assert_string_equal(info.version, "odd 1.2");
    sy_case_property n = {"n", 64};
    sy_case asked = suite->cases[0];
    asked.properties = &n;
    asked.property_count = 1;
    const sy_shortcut_question question = {.cases = &asked, .case_count = 1};
    assert_int_equal(suite->shortcut(suite->user, &question, &answer, NULL), SY_OK);
    assert_string_equal(answer.implementation, "odd");
    assert_string_equal(answer.evidence, "run 7");
    assert_string_equal(answer.date, "2026-01-02");
    n.value = 65;
    assert_int_equal(suite->shortcut(suite->user, &question, &answer, NULL), SY_OK);
    assert_null(answer.implementation);
    assert_non_null(strstr(answer.reason, "n 65 is above the largest proven one, 64 (run 7)"));
    sy_device_close(device);
    device = open_fake("", "");
    assert_null(suite_of(device)->shortcut);
    sy_device_close(device);
}

/* ---- opening ---- */

static void opening_without_a_script_or_a_readable_one_says_what_to_do(void **state)
{
    (void)state;
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_device_open("fake", NULL, &device, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.hint, "--script"));
    sy_device_options options = {.script = STEELYARD_SOURCE_DIR "/tests/data/fake/no-such.json"};
    assert_int_equal(sy_device_open("fake", &options, &device, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "no-such.json"));
    options.script = STEELYARD_SOURCE_DIR "/CMakeLists.txt";
    assert_int_equal(sy_device_open("fake", &options, &device, &error), SY_CORRUPT);
    assert_non_null(strstr(error.what, "CMakeLists.txt:1:1"));
    assert_int_equal(error.position.line, 1);
    assert_null(device);
}

static sy_status open_and_close(void *user)
{
    sy_device *device = NULL;
    const sy_device_options options = {.only = "odd"};
    sy_status status = open_script("", user, &options, &device, NULL);
    sy_device_close(device);
    return status;
}

static void every_failed_allocation_of_an_open_is_clean(void **state)
{
    (void)state;
    char member[] = ", \"fault\": \"memoised\"";
    assert_true(fault_loop_allocations(open_and_close, member, true) >= 8);
    assert_true(fault_loop_allocations(open_and_close, member, false) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_takes_its_scripted_time_and_nothing_else_takes_any),
        cmocka_unit_test(a_coarse_timer_is_read_in_its_steps),
        cmocka_unit_test(a_look_at_the_clock_takes_time_where_the_script_says_so),
        cmocka_unit_test(allocation_and_transfers_take_time_where_the_script_says_so),
        cmocka_unit_test(a_crash_and_a_hang_in_the_callers_process_are_statuses),
        cmocka_unit_test(a_worker_really_ends_in_the_way_that_is_scripted),
        cmocka_unit_test(a_script_that_isolates_says_so_of_its_device),
        cmocka_unit_test(a_worker_builds_its_own_implementation_only),
        cmocka_unit_test(a_build_is_there_absent_with_its_reason_or_broken_as_scripted),
        cmocka_unit_test(a_foreign_case_or_implementation_is_refused),
        cmocka_unit_test(scratch_counts_and_the_device_refuses_what_it_has_not),
        cmocka_unit_test(the_condition_is_the_scripts_and_throttling_may_come_with_a_run),
        cmocka_unit_test(counters_move_with_the_runs_and_the_clock_may_drift),
        cmocka_unit_test(runs_are_switched_away_where_the_script_says_so),
        cmocka_unit_test(what_an_implementation_is_and_the_shortcut_come_from_the_script),
        cmocka_unit_test(opening_without_a_script_or_a_readable_one_says_what_to_do),
        cmocka_unit_test(every_failed_allocation_of_an_open_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
