/* SPDX-License-Identifier: Apache-2.0 */
/* The fake device: its clock, its memory, its honest operation, every scripted fault and every scripted end. */
#include "cmocka_headers.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/fake/fake.h"
#include "backends/graph.h"
#include "base/text.h"
#include "fault_loop.h"
#include "operations/suite.h"

enum { N = 10 };

/* One reference `plain` and the candidate `odd` with more members; top goes to the document's front. */
static sy_status open_script(const char *top, const char *odd, const sy_device_options *options, sy_device **ret_device,
                             sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text,
                          "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", %s \"cases\": [{\"name\": \"c\","
                          " \"n\": %d}, {\"name\": \"own\", \"n\": 7, \"own_inputs\": true}], \"implementations\": ["
                          "{\"name\": \"plain\", \"role\": \"reference\", \"times\": [1000]},"
                          "{\"name\": \"odd\", \"times\": [700] %s}]}",
                          top, N, odd);
    sy_status status = text.failed ? SY_NO_MEMORY : sy_fake_open(text.bytes, text.length, options, ret_device, err);
    sy_text_finish(&text);
    return status;
}

static sy_device *open_fake(const char *top, const char *odd)
{
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    if (open_script(top, odd, NULL, &device, &error))
        fail_msg("%s", error.what);
    return device;
}

static const sy_suite *suite_of(sy_device *device)
{
    const sy_suite *suite = NULL;
    assert_int_equal(sy_device_suite(device, "ring", &suite, NULL), SY_OK);
    return suite;
}

enum { PLAIN, ODD };

/* Built, allocated and filled by a simple rule. */
static sy_graph *ready(sy_device *device, uint32_t variant, float scale)
{
    sy_graph *graph = NULL;
    sy_error error = SY_ERROR_INIT;
    const sy_suite *suite = suite_of(device);
    assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
    if (suite->build(suite->user, &suite->cases[0], variant, graph, &error) || sy_graph_allocate(graph, &error))
        fail_msg("%s", error.what);
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < N; i++) {
            const float value = scale * (float)(1 + t) * ((float)i + 0.3f);
            assert_int_equal(sy_tensor_write(sy_graph_input_at(graph, t), i * 4, &value, 4, NULL), SY_OK);
        }
    assert_int_equal(sy_graph_poison(graph, 0xff, NULL), SY_OK);
    return graph;
}

/* The right answer, written down once more. */
static double right(float scale, size_t i)
{
    const float a = scale * ((float)i + 0.3f), b = scale * 2 * ((float)i + 0.3f);
    return (double)a * (double)b + (double)(scale * ((float)((i + 1) % N) + 0.3f));
}

static void read_output(const sy_graph *graph, float y[N])
{
    assert_int_equal(sy_tensor_read(sy_graph_output_at(graph, 0), 0, y, N * sizeof *y, NULL), SY_OK);
}

static bool is_right(const float y[N], float scale)
{
    for (size_t i = 0; i < N; i++)
        if (!(fabs(y[i] - right(scale, i)) <= 4 * 0x1p-24 * right(scale, i)))
            return false;
    return true;
}

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

/* ---- the operation ---- */

static void the_honest_output_and_the_oracle_agree_within_two_roundings(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const sy_suite *suite = suite_of(device);
    sy_error error = SY_ERROR_INIT;
    if (sy_suite_check(suite, &error))
        fail_msg("%s", error.what);
    float inputs[2][N], y[N];
    double values[N], scales[N];
    sy_graph *graph = ready(device, ODD, -3);
    assert_int_equal(sy_graph_run(graph, NULL), SY_OK);
    read_output(graph, y);
    sy_output lent[2];
    for (size_t t = 0; t < 2; t++) {
        const sy_tensor *input = sy_graph_input_at(graph, t);
        assert_int_equal(sy_tensor_read(input, 0, inputs[t], sizeof inputs[t], NULL), SY_OK);
        lent[t] = (sy_output){sy_tensor_description(input), inputs[t], sizeof inputs[t]};
    }
    sy_oracle_request request = {.inputs = lent, .input_count = 2, .count = N, .values = values, .scales = scales};
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_OK);
    for (size_t i = 0; i < N; i++) {
        assert_true(values[i] == right(-3, i));
        assert_true(scales[i] >= fabs(values[i]) && scales[i] <= fabs(values[i]) + 2 * 3 * (N + 1));
        assert_true(fabs(y[i] - values[i]) <= 2 * 0x1p-24 * scales[i]);
    }
    const uint64_t chosen[] = {N - 1, 2}, outside[] = {N};
    request.indices = chosen;
    request.count = 2;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_OK);
    assert_true(values[0] == right(-3, N - 1) && values[1] == right(-3, 2));
    request.indices = outside;
    request.count = 1;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_INVALID_ARGUMENT);
    request.input_count = 1;
    assert_int_equal(suite->oracle(suite->user, &suite->cases[0], &request, NULL), SY_INVALID_ARGUMENT);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_case_may_bring_its_own_data_the_same_for_every_variant(void **state)
{
    (void)state;
    sy_device *device = open_fake("", "");
    const sy_suite *suite = suite_of(device);
    float found[3][7];
    static const uint64_t seeds[] = {5, 5, 6};
    for (uint32_t k = 0; k < 3; k++) {
        sy_graph *graph = NULL;
        assert_int_equal(sy_graph_create(device, 1 << 16, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[1], k % 2, graph, NULL), SY_OK);
        assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
        assert_int_equal(suite->initialize(suite->user, &suite->cases[1], k % 2, seeds[k], graph, NULL), SY_OK);
        assert_int_equal(sy_tensor_read(sy_graph_input_at(graph, 0), 0, found[k], sizeof found[k], NULL), SY_OK);
        for (size_t i = 0; i < 7; i++)
            assert_true(found[k][i] >= -2 && found[k][i] < 2);
        sy_graph_destroy(graph);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_memory_not_equal(found[0], found[2], sizeof found[0]);
    sy_device_close(device);
}

/* ---- faults ---- */

static void each_fault_spoils_the_output_in_its_own_way(void **state)
{
    (void)state;
    static const char *const faults[] = {"nan", "nothing", "half", "zeros", "shifted", "wrong"};
    for (size_t f = 0; f < 6; f++) {
        char member[64];
        (void)snprintf(member, sizeof member, ", \"fault\": \"%s\"", faults[f]);
        sy_device *device = open_fake("", member);
        sy_graph *plain = ready(device, PLAIN, 1), *odd = ready(device, ODD, 1);
        float good[N], y[N];
        assert_int_equal(sy_graph_run(plain, NULL), SY_OK);
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(plain, good);
        read_output(odd, y);
        assert_true(is_right(good, 1));
        assert_false(is_right(y, 1));
        size_t equal = 0, nans = 0, zeros = 0;
        for (size_t i = 0; i < N; i++) {
            equal += y[i] == good[i];
            nans += isnan(y[i]) != 0; /* the poison of 0xff bytes is a NaN as well */
            zeros += y[i] == 0;
        }
        static const size_t wanted[][3] = {{N - 1, 1, 0}, {0, N, 0}, {N / 2, N / 2, 0},
                                           {0, 0, N},     {0, 0, 0}, {0, 0, 0}};
        assert_int_equal(equal, wanted[f][0]);
        assert_int_equal(nans, wanted[f][1]);
        assert_int_equal(zeros, wanted[f][2]);
        if (f == 4)
            assert_true(y[0] == good[1] && y[N - 1] == good[0]);
        if (f == 5)
            assert_true(fabs(y[3] / good[3] - 1.001) < 1e-6);
        sy_graph_destroy(plain);
        sy_graph_destroy(odd);
        sy_device_close(device);
    }
}

static void a_write_beside_the_output_meets_the_canary_of_its_side(void **state)
{
    (void)state;
    static const char *const faults[] = {", \"fault\": \"past-the-end\"", ", \"fault\": \"before-the-start\""};
    static const char *const words[] = {"past the end", "before"};
    for (size_t f = 0; f < 2; f++) {
        sy_device *device = open_fake("", faults[f]);
        sy_graph *odd = ready(device, ODD, 1);
        float y[N];
        char reason[96] = "";
        bool is_intact = true;
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_true(is_right(y, 1));
        assert_int_equal(sy_graph_canaries(odd, &is_intact, reason, sizeof reason, NULL), SY_OK);
        assert_false(is_intact);
        assert_non_null(strstr(reason, words[f]));
        sy_graph_destroy(odd);
        sy_device_close(device);
    }
}

static void an_input_is_changed_only_where_the_script_says_so(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"input-changed\"");
    sy_graph *graphs[] = {ready(device, PLAIN, 1), ready(device, ODD, 1)};
    for (size_t v = 0; v < 2; v++) {
        float before[2][N], after[2][N], y[N];
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(sy_tensor_read(sy_graph_input_at(graphs[v], t), 0, before[t], sizeof before[t], NULL), 0);
        assert_int_equal(sy_graph_run(graphs[v], NULL), SY_OK);
        for (size_t t = 0; t < 2; t++)
            assert_int_equal(sy_tensor_read(sy_graph_input_at(graphs[v], t), 0, after[t], sizeof after[t], NULL), 0);
        assert_int_equal(memcmp(before, after, sizeof before) == 0, v == PLAIN);
        read_output(graphs[v], y);
        assert_true(is_right(y, 1));
        sy_graph_destroy(graphs[v]);
    }
    sy_device_close(device);
}

static void a_nondeterministic_output_differs_in_bits_and_stays_right(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"nondeterministic\"");
    sy_graph *odd = ready(device, ODD, 1.4f);
    float y[3][N];
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y[k]);
        assert_true(is_right(y[k], 1.4f));
    }
    assert_memory_not_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[0], y[2], sizeof y[0]);
    sy_graph_destroy(odd);
    sy_device_close(device);
}

static void stale_writes_once_and_memoised_repeats_its_first_answer(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"stale\"");
    sy_graph *odd = ready(device, ODD, 1);
    float y[N];
    assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
    read_output(odd, y);
    assert_true(is_right(y, 1));
    assert_int_equal(sy_graph_poison(odd, 0, NULL), SY_OK);
    assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
    read_output(odd, y);
    for (size_t i = 0; i < N; i++)
        assert_true(y[i] == 0);
    sy_graph_destroy(odd);
    sy_device_close(device);

    device = open_fake("", ", \"fault\": \"memoised\"");
    for (size_t k = 0; k < 2; k++) {
        odd = ready(device, ODD, k == 0 ? 1 : 2);
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_true(is_right(y, 1)); /* of the first inputs, also when they are others */
        sy_graph_destroy(odd);
    }
    sy_device_close(device);
}

static void a_fault_may_begin_with_a_later_run(void **state)
{
    (void)state;
    sy_device *device = open_fake("", ", \"fault\": \"zeros\", \"fault_from_run\": 3");
    sy_graph *odd = ready(device, ODD, 1);
    float y[N];
    for (size_t k = 1; k <= 4; k++) {
        assert_int_equal(sy_graph_run(odd, NULL), SY_OK);
        read_output(odd, y);
        assert_int_equal(is_right(y, 1), k < 3);
    }
    sy_graph_destroy(odd);
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
    expect_build(", \"fail_build\": \"no compiler here\"", 1 << 16, SY_IO, false, "no compiler here");
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
    device = open_fake("", "");
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

static void what_an_implementation_is_and_the_shortcut_come_from_the_script(void **state)
{
    (void)state;
    sy_device *device = open_fake("\"shortcut\": {\"implementation\": \"odd\", \"evidence\": \"run 7\"},",
                                  ", \"version\": \"odd 1.2\"");
    const sy_suite *suite = suite_of(device);
    sy_implementation_info info;
    sy_shortcut answer = {0};
    assert_int_equal(suite->describe(suite->user, ODD, device, &info, NULL), SY_OK);
    assert_string_equal(info.version, "odd 1.2");
    assert_int_equal(suite->shortcut(suite->user, NULL, &answer, NULL), SY_OK);
    assert_string_equal(answer.implementation, "odd");
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
        cmocka_unit_test(allocation_and_transfers_take_time_where_the_script_says_so),
        cmocka_unit_test(the_honest_output_and_the_oracle_agree_within_two_roundings),
        cmocka_unit_test(a_case_may_bring_its_own_data_the_same_for_every_variant),
        cmocka_unit_test(each_fault_spoils_the_output_in_its_own_way),
        cmocka_unit_test(a_write_beside_the_output_meets_the_canary_of_its_side),
        cmocka_unit_test(an_input_is_changed_only_where_the_script_says_so),
        cmocka_unit_test(a_nondeterministic_output_differs_in_bits_and_stays_right),
        cmocka_unit_test(stale_writes_once_and_memoised_repeats_its_first_answer),
        cmocka_unit_test(a_fault_may_begin_with_a_later_run),
        cmocka_unit_test(a_crash_and_a_hang_in_the_callers_process_are_statuses),
        cmocka_unit_test(a_worker_really_ends_in_the_way_that_is_scripted),
        cmocka_unit_test(a_script_that_isolates_says_so_of_its_device),
        cmocka_unit_test(a_worker_builds_its_own_implementation_only),
        cmocka_unit_test(a_build_is_there_absent_with_its_reason_or_broken_as_scripted),
        cmocka_unit_test(a_foreign_case_or_implementation_is_refused),
        cmocka_unit_test(scratch_counts_and_the_device_refuses_what_it_has_not),
        cmocka_unit_test(the_condition_is_the_scripts_and_throttling_may_come_with_a_run),
        cmocka_unit_test(what_an_implementation_is_and_the_shortcut_come_from_the_script),
        cmocka_unit_test(opening_without_a_script_or_a_readable_one_says_what_to_do),
        cmocka_unit_test(every_failed_allocation_of_an_open_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
