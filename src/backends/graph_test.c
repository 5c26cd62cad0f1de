/* SPDX-License-Identifier: Apache-2.0 */
/* The graph on a fake device: what it counts, refuses, guards and frees. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "backends/fake/fake.h"
#include "backends/graph.h"
#include "base/fault.h"
#include "fault_loop.h"

static const char script[] =
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"device\": {\"memory_bytes\": 100000},"
    " \"cases\": [{\"name\": \"small\"}],"
    " \"implementations\": [{\"name\": \"plain\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000}}]}";

static sy_device *open_fake(void)
{
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_fake_open(script, sizeof script - 1, NULL, &device, &error))
        fail_msg("%s", error.what);
    return device;
}

static sy_graph *make_graph(sy_device *device, uint64_t capacity)
{
    sy_graph *graph = NULL;
    assert_int_equal(sy_graph_create(device, capacity, &graph, NULL), SY_OK);
    return graph;
}

static sy_tensor_desc vector_of(const char *name, int64_t n)
{
    return (sy_tensor_desc){.name = name, .dtype = SY_F32, .rank = 1, .dims = {n}};
}

static sy_tensor *add_output(sy_graph *graph, const char *name, int64_t n)
{
    sy_tensor *tensor = NULL;
    sy_tensor_desc desc = vector_of(name, n);
    assert_int_equal(sy_graph_output(graph, &desc, &tensor, NULL), SY_OK);
    return tensor;
}

/* ---- metadata ---- */

static void metadata_counts_and_takes_no_device_memory(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    assert_int_equal(sy_graph_metadata_bytes(graph), 0);
    char *memory = sy_graph_metadata(graph, 100);
    assert_non_null(memory);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(memory[i], 0);
    assert_int_equal(sy_graph_metadata_bytes(graph), 100);
    sy_tensor *y = add_output(graph, "y", 1000);
    assert_true(sy_graph_metadata_bytes(graph) > 100);
    assert_null(sy_tensor_address(y));
    assert_int_equal(sy_graph_memory_bytes(graph), 4000 + 2 * SY_GRAPH_CANARY_BYTES);
    assert_int_equal(sy_fake_allocations(device), 0);
    assert_ptr_equal(sy_graph_device(graph), device);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_full_capacity_refuses_and_names_what_did_not_fit(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    const uint64_t capacities[] = {0, 1, 64};
    for (size_t i = 0; i < 3; i++) {
        sy_graph *graph = make_graph(device, capacities[i]);
        sy_tensor_desc desc = vector_of("weights", 4);
        sy_tensor *tensor = NULL;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_graph_input(graph, &desc, &tensor, &error), SY_LIMIT_EXCEEDED);
        assert_null(tensor);
        assert_non_null(strstr(error.what, "weights"));
        assert_string_not_equal(error.hint, "");
        assert_int_equal(sy_graph_input_count(graph), 0);
        assert_null(sy_graph_metadata(graph, 65));
        sy_graph_destroy(graph);
    }
    sy_graph *graph = make_graph(device, 64);
    assert_non_null(sy_graph_metadata(graph, 64));
    assert_null(sy_graph_metadata(graph, 1));
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void strides_are_filled_in_and_an_extent_counts_the_gaps(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    sy_tensor *tensor = NULL;
    sy_tensor_desc desc = {.name = "a", .dtype = SY_F16, .rank = 3, .dims = {2, 3, 4}};
    assert_int_equal(sy_graph_input(graph, &desc, &tensor, NULL), SY_OK);
    assert_int_equal(sy_tensor_description(tensor)->strides[0], 12);
    assert_int_equal(sy_tensor_description(tensor)->strides[1], 4);
    assert_int_equal(sy_tensor_description(tensor)->strides[2], 1);
    assert_int_equal(sy_tensor_bytes(tensor), 48);
    sy_tensor_desc padded = {.name = "p", .dtype = SY_F32, .rank = 2, .dims = {3, 4}, .strides = {10, 1}};
    assert_int_equal(sy_graph_input(graph, &padded, &tensor, NULL), SY_OK);
    assert_int_equal(sy_tensor_bytes(tensor), (2 * 10 + 3 + 1) * 4);
    char name[] = "short-lived";
    sy_tensor_desc named = vector_of(name, 1);
    assert_int_equal(sy_graph_scratch(graph, &named, &tensor, NULL), SY_OK);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(sy_tensor_description(tensor)->name, "short-lived");
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_sum_of_memory_that_no_machine_has_is_not_wrapped_around(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    sy_tensor *tensor = NULL;
    sy_tensor_desc huge = vector_of("huge", INT64_C(1) << 60);
    for (uint64_t i = 1; i <= 5; i++) {
        assert_int_equal(sy_graph_scratch(graph, &huge, &tensor, NULL), SY_OK);
        assert_true(sy_graph_memory_bytes(graph) == (i < 4 ? i << 62 : UINT64_MAX));
    }
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_wrong_description_is_refused_by_name(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    const sy_tensor_desc wrong[] = {
        {.name = "bad", .dtype = SY_F32, .rank = 0},
        {.name = "bad", .dtype = SY_F32, .rank = 9, .dims = {1}},
        {.name = "bad", .dtype = SY_F32, .rank = 2, .dims = {4, 0}},
        {.name = "bad", .dtype = SY_F32, .rank = 2, .dims = {INT64_MAX, 4}},
        {.name = "bad", .dtype = SY_F32, .rank = 2, .dims = {4, 4}, .strides = {4, -1}},
        {.name = "bad", .dtype = SY_F32, .rank = 2, .dims = {4, 4}, .strides = {INT64_MAX / 2, 1}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sy_tensor *tensor = NULL;
        sy_error error = SY_ERROR_INIT;
        assert_int_equal(sy_graph_output(graph, &wrong[i], &tensor, &error), SY_INVALID_ARGUMENT);
        assert_null(tensor);
        assert_non_null(strstr(error.what, "output: bad"));
    }
    assert_int_equal(sy_graph_output_count(graph), 0);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

/* ---- availability ---- */

static sy_status count_runs(void *state, sy_error *err)
{
    (void)err;
    ++*(int *)state;
    return SY_OK;
}

static void count_releases(void *state)
{
    *(int *)state += 100;
}

static void no_output_means_unavailable_and_a_given_reason_is_kept(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    bool is_available = true;
    const char *reason = NULL;
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
    assert_false(is_available);
    assert_string_equal(reason, "build set no output");
    sy_graph_unavailable(graph, "libfast.so.9 not found");
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
    assert_string_equal(reason, "libfast.so.9 not found");
    /* An output beside a reason is a fallback, which is never timed. */
    (void)add_output(graph, "y", 4);
    is_available = true;
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
    assert_false(is_available);
    char longer[400];
    memset(longer, 'r', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    sy_graph_unavailable(graph, longer);
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
    assert_int_equal(strlen(reason), 255);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void an_output_without_a_run_function_is_a_mistake_of_the_suite(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    bool is_available = true;
    const char *reason = NULL;
    sy_error error = SY_ERROR_INIT;
    int runs = 0;
    (void)add_output(graph, "y", 4);
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.what, "'y'"));
    assert_null(reason);
    sy_graph_on_run(graph, count_runs, NULL, &runs);
    assert_int_equal(sy_graph_check(graph, &is_available, &reason, NULL), SY_OK);
    assert_true(is_available);
    assert_string_equal(reason, "");
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_second_run_function_releases_the_first_at_once(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    int first = 0, second = 0;
    sy_graph_on_run(graph, count_runs, count_releases, &first);
    sy_graph_on_run(graph, count_runs, count_releases, &second);
    assert_int_equal(first, 100);
    assert_int_equal(second, 0);
    sy_graph_destroy(graph);
    assert_int_equal(first, 100);
    assert_int_equal(second, 100);
    sy_device_close(device);
}

/* ---- memory ---- */

static void a_graph_runs_only_with_memory_and_a_run_function(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    int runs = 0;
    sy_error error = SY_ERROR_INIT;
    bool is_intact = false;
    sy_tensor *y = add_output(graph, "y", 4);
    assert_int_equal(sy_graph_run(graph, &error), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_graph_poison(graph, 0xff, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_graph_canaries(graph, &is_intact, error.what, sizeof error.what, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_tensor_write(y, 0, "x", 1, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
    assert_int_equal(sy_graph_run(graph, &error), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(error.what, "run function"));
    sy_graph_on_run(graph, count_runs, NULL, &runs);
    assert_int_equal(sy_graph_run(graph, &error), SY_OK);
    assert_int_equal(sy_device_synchronize(device, NULL), SY_OK);
    assert_int_equal(runs, 1);
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_INVALID_ARGUMENT);
    sy_tensor_desc late = vector_of("late", 4);
    assert_int_equal(sy_graph_input(graph, &late, &y, NULL), SY_INVALID_ARGUMENT);
    assert_true(sy_fake_allocated_bytes(device) > 0);
    sy_graph_destroy(graph);
    assert_int_equal(sy_fake_allocated_bytes(device), 0);
    sy_device_close(device);
}

static void a_refused_allocation_names_size_and_tensor_and_keeps_nothing(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    sy_error error = SY_ERROR_INIT;
    sy_tensor *tensor = NULL;
    sy_tensor_desc small = vector_of("small", 4), large = vector_of("large", 1 << 20);
    assert_int_equal(sy_graph_input(graph, &small, &tensor, NULL), SY_OK);
    assert_int_equal(sy_graph_scratch(graph, &large, &tensor, NULL), SY_OK);
    assert_int_equal(sy_graph_allocate(graph, &error), SY_NO_MEMORY);
    assert_non_null(strstr(error.what, "scratch 'large'"));
    assert_non_null(strstr(error.what, "MiB"));
    assert_int_equal(sy_fake_allocated_bytes(device), 0);
    assert_null(sy_tensor_address(sy_graph_input_at(graph, 0)));
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void reads_and_writes_stay_inside_of_their_tensor(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    sy_tensor *y = add_output(graph, "y", 4);
    char bytes[32] = "0123456789abcdef";
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
    assert_int_equal(sy_graph_poison(graph, 0xee, NULL), SY_OK);
    assert_int_equal(sy_tensor_write(y, 3, bytes, 13, NULL), SY_OK);
    assert_int_equal(sy_tensor_write(y, 16, bytes, 0, NULL), SY_OK);
    assert_int_equal(sy_tensor_write(y, 4, bytes, 13, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_tensor_write(y, 17, bytes, 0, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_tensor_write(y, UINT64_MAX, bytes, 2, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_tensor_read(y, UINT64_MAX, bytes, 2, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_tensor_read(y, 0, bytes, 17, NULL), SY_INVALID_ARGUMENT);
    char found[16];
    assert_int_equal(sy_tensor_read(y, 0, found, 16, NULL), SY_OK);
    assert_memory_equal(found,
                        "\xee\xee\xee"
                        "0123456789abc",
                        16);
    assert_memory_equal(sy_tensor_address(y), found, 16);
    bool is_intact = false;
    assert_int_equal(sy_graph_canaries(graph, &is_intact, bytes, sizeof bytes, NULL), SY_OK);
    assert_true(is_intact);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

/* ---- canaries ---- */

/* Two outputs; the second's neighbourhood is damaged by `damage` bytes copied from `from` to `to`, both relative to its
 * first byte. */
static void expect_damage(int64_t from, int64_t to, const char *expected)
{
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    (void)add_output(graph, "first", 5);
    sy_tensor *y = add_output(graph, "second", 5);
    char reason[96] = "";
    bool is_intact = false;
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
    assert_int_equal(sy_graph_poison(graph, 0xff, NULL), SY_OK);
    assert_int_equal(sy_graph_canaries(graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
    assert_true(is_intact);
    char *base = sy_tensor_address(y);
    base[to] = base[from];
    assert_int_equal(sy_graph_canaries(graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
    assert_false(is_intact);
    assert_string_equal(reason, expected);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

static void a_write_beside_an_output_is_seen_and_the_side_is_named(void **state)
{
    (void)state;
    expect_damage(0, -1, "wrote before output 'second'");
    expect_damage(0, -SY_GRAPH_CANARY_BYTES, "wrote before output 'second'");
    expect_damage(0, 20, "wrote past the end of output 'second'");
    expect_damage(0, 20 + SY_GRAPH_CANARY_BYTES - 1, "wrote past the end of output 'second'");
}

static void a_canary_byte_copied_from_beside_it_is_seen(void **state)
{
    (void)state;
    for (int64_t i = 0; i + 1 < SY_GRAPH_CANARY_BYTES; i++) {
        expect_damage(20 + i, 20 + i + 1, "wrote past the end of output 'second'");
        expect_damage(20 + i + 1, 20 + i, "wrote past the end of output 'second'");
        expect_damage(-2 - i, -1 - i, "wrote before output 'second'");
    }
    for (int64_t i = 0; i + 4 < SY_GRAPH_CANARY_BYTES; i++)
        expect_damage(20 + i, 20 + i + 4, "wrote past the end of output 'second'");
}

static void poison_fills_every_output_whole(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    sy_graph *graph = make_graph(device, 4096);
    sy_tensor *y[2] = {add_output(graph, "first", 5), add_output(graph, "second", 3)};
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
    assert_int_equal(sy_graph_poison(graph, 0xab, NULL), SY_OK);
    for (size_t t = 0; t < 2; t++) {
        const unsigned char *bytes = sy_tensor_address(y[t]);
        for (uint64_t i = 0; i < sy_tensor_bytes(y[t]); i++)
            assert_int_equal(bytes[i], 0xab);
    }
    assert_ptr_equal(sy_graph_output_at(graph, 0), y[0]);
    assert_ptr_equal(sy_graph_output_at(graph, 1), y[1]);
    assert_null(sy_graph_output_at(graph, 2));
    sy_graph_destroy(graph);
    sy_device_close(device);
}

/* ---- every path frees ---- */

static sy_status whole_life(void *user)
{
    sy_device *device = user;
    sy_graph *graph = NULL;
    int state = 0;
    sy_tensor *tensor = NULL;
    sy_tensor_desc a = vector_of("a", 8), y = vector_of("y", 8);
    sy_status status = sy_graph_create(device, 4096, &graph, NULL);
    if (!status)
        sy_graph_on_run(graph, count_runs, count_releases, &state);
    bool is_made = !status;
    if (!status)
        status = sy_graph_input(graph, &a, &tensor, NULL);
    if (!status)
        status = sy_graph_output(graph, &y, &tensor, NULL);
    if (!status && !sy_graph_metadata(graph, 16))
        status = SY_NO_MEMORY;
    if (!status)
        status = sy_graph_allocate(graph, NULL);
    if (!status)
        status = sy_graph_poison(graph, 0xff, NULL);
    if (!status)
        status = sy_graph_run(graph, NULL);
    sy_graph_destroy(graph);
    assert_int_equal(state, status ? (is_made ? 100 : 0) : 101);
    assert_int_equal(sy_fake_allocated_bytes(device), 0);
    return status;
}

static void every_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    sy_device *device = open_fake();
    const int64_t alive = sy_graph_live_count();
    assert_true(fault_loop_allocations(whole_life, device, true) >= 5);
    assert_true(fault_loop_allocations(whole_life, device, false) >= 5);
    assert_int_equal(sy_graph_live_count(), alive);
    sy_graph *graph = make_graph(device, 10);
    assert_int_equal(sy_graph_live_count(), alive + 1);
    sy_graph_destroy(graph);
    sy_graph_destroy(NULL);
    assert_int_equal(sy_graph_live_count(), alive);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_counts_and_takes_no_device_memory),
        cmocka_unit_test(a_full_capacity_refuses_and_names_what_did_not_fit),
        cmocka_unit_test(strides_are_filled_in_and_an_extent_counts_the_gaps),
        cmocka_unit_test(a_sum_of_memory_that_no_machine_has_is_not_wrapped_around),
        cmocka_unit_test(a_wrong_description_is_refused_by_name),
        cmocka_unit_test(no_output_means_unavailable_and_a_given_reason_is_kept),
        cmocka_unit_test(an_output_without_a_run_function_is_a_mistake_of_the_suite),
        cmocka_unit_test(a_second_run_function_releases_the_first_at_once),
        cmocka_unit_test(a_graph_runs_only_with_memory_and_a_run_function),
        cmocka_unit_test(a_refused_allocation_names_size_and_tensor_and_keeps_nothing),
        cmocka_unit_test(reads_and_writes_stay_inside_of_their_tensor),
        cmocka_unit_test(a_write_beside_an_output_is_seen_and_the_side_is_named),
        cmocka_unit_test(a_canary_byte_copied_from_beside_it_is_seen),
        cmocka_unit_test(poison_fills_every_output_whole),
        cmocka_unit_test(every_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
