/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend keeps beside a graph: counted, held against the capacity, allocated and given back in order; and
 * outputs that lie as the device wants them. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "backends/fake/fake.h"
#include "backends/graph.h"

static const char script[] =
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"device\": {\"memory_bytes\": 100000},"
    " \"cases\": [{\"name\": \"small\"}],"
    " \"implementations\": [{\"name\": \"plain\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000}}]}";

/* What was called, a letter each: A, R, D, and S for the run's state. */
typedef struct beside {
    uint64_t metadata_bytes;
    uint64_t scratch_bytes;
    sy_status allocation;
    sy_tensor *output;
    char calls[16];
} beside;

static void note(beside *b, char call)
{
    const size_t length = strlen(b->calls);
    if (length + 1 < sizeof b->calls)
        b->calls[length] = call;
}

static uint64_t metadata_bytes(const void *state)
{
    return ((const beside *)state)->metadata_bytes;
}

static uint64_t scratch_bytes(const void *state)
{
    return ((const beside *)state)->scratch_bytes;
}

static sy_status allocate(void *state, sy_error *err)
{
    beside *b = state;
    uint64_t offset = 0;
    note(b, 'A');
    assert_non_null(sy_tensor_buffer(b->output, &offset)); /* the tensors' buffers are there */
    if (b->allocation && err)
        (void)snprintf(err->what, sizeof err->what, "the test wants it so");
    return b->allocation;
}

static void release(void *state)
{
    note(state, 'R');
}

static void destroy(void *state)
{
    note(state, 'D');
}

static const sy_graph_extension extension = {
    .metadata_bytes = metadata_bytes,
    .scratch_bytes = scratch_bytes,
    .allocate = allocate,
    .release = release,
    .destroy = destroy,
};

static sy_status run_nothing(void *state, sy_error *err)
{
    (void)state;
    (void)err;
    return SY_OK;
}

static void release_state(void *state)
{
    note(state, 'S');
}

typedef struct fixture {
    sy_device *device;
    sy_graph *graph;
    beside b;
} fixture;

static void set_up(fixture *f, uint64_t capacity, const sy_tensor_room *room)
{
    const sy_tensor_desc desc = {.name = "y", .dtype = SY_F32, .rank = 1, .dims = {10}};
    sy_error err = SY_ERROR_INIT;
    *f = (fixture){0};
    if (sy_fake_open(script, sizeof script - 1, NULL, &f->device, &err))
        fail_msg("%s", err.what);
    assert_int_equal(sy_graph_create(f->device, capacity, &f->graph, NULL), SY_OK);
    sy_graph_extend(f->graph, &extension, &f->b);
    assert_int_equal(sy_graph_output_in(f->graph, &desc, room, &f->b.output, NULL), SY_OK);
    sy_graph_on_run(f->graph, run_nothing, release_state, &f->b);
}

static const sy_tensor_room plain = {1, 0};

static void its_memory_is_scratch_and_goes_before_the_buffers(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 4096, &plain);
    f.b.scratch_bytes = 5000;
    assert_int_equal(sy_graph_scratch_bytes(f.graph), 5000);
    assert_int_equal(sy_graph_memory_bytes(f.graph), 5000 + 40 + 2 * SY_GRAPH_CANARY_BYTES);
    assert_ptr_equal(sy_graph_extension_state(f.graph, &extension), &f.b);
    static const sy_graph_extension another;
    assert_null(sy_graph_extension_state(f.graph, &another));
    assert_int_equal(sy_graph_allocate(f.graph, NULL), SY_OK);
    assert_string_equal(f.b.calls, "A");
    sy_graph_destroy(f.graph);
    assert_string_equal(f.b.calls, "ASRD");
    sy_device_close(f.device);
}

static void a_failed_allocation_gives_all_back_and_may_be_tried_again(void **state)
{
    (void)state;
    fixture f;
    sy_error err = SY_ERROR_INIT;
    set_up(&f, 4096, &plain);
    f.b.allocation = SY_UNAVAILABLE;
    assert_int_equal(sy_graph_allocate(f.graph, &err), SY_UNAVAILABLE);
    assert_string_equal(err.what, "the test wants it so");
    assert_string_equal(f.b.calls, "AR");
    uint64_t offset = 0;
    assert_null(sy_tensor_buffer(f.b.output, &offset));
    f.b.allocation = SY_OK;
    assert_int_equal(sy_graph_allocate(f.graph, NULL), SY_OK);
    sy_graph_destroy(f.graph);
    assert_string_equal(f.b.calls, "ARASRD");
    sy_device_close(f.device);
}

static void its_metadata_is_held_against_the_capacity_when_build_has_ended(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fixture f;
        sy_error err = SY_ERROR_INIT;
        bool available = false;
        const char *reason = "";
        char hint[96];
        set_up(&f, 4096, &plain); /* which took more than nothing */
        const uint64_t own = sy_graph_metadata_bytes(f.graph);
        assert_true(own > 0 && own < 4096);
        f.b.metadata_bytes = 4096 - own + (uint64_t)i;
        assert_int_equal(sy_graph_metadata_bytes(f.graph), 4096 + i);
        assert_int_equal(sy_graph_capacity_bytes(f.graph), 4096);
        assert_int_equal(sy_graph_check(f.graph, &available, &reason, &err), i == 0 ? SY_OK : SY_LIMIT_EXCEEDED);
        assert_int_equal(available, i == 0);
        (void)snprintf(hint, sizeof hint, "raise the metadata capacity to %d bytes", 4097);
        assert_string_equal(err.hint, i == 0 ? "" : hint);
        sy_graph_destroy(f.graph);
        sy_device_close(f.device);
    }
}

static void before_that_nothing_stops_a_build(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 1, &plain);
    assert_non_null(sy_graph_metadata(f.graph, 100000));
    sy_graph_unavailable(f.graph, "not here");
    bool available = true;
    const char *reason = "";
    assert_int_equal(sy_graph_check(f.graph, &available, &reason, NULL), SY_OK); /* the reason matters, not the size */
    assert_false(available);
    assert_string_equal(reason, "not here");
    sy_graph_destroy(f.graph);
    sy_device_close(f.device);
}

static void an_output_lies_as_the_device_wants_it_right_between_its_canaries(void **state)
{
    (void)state;
    static const sy_tensor_room rooms[] = {{1, 0}, {32, 0}, {256, 0}, {256, 100}, {1, 41}};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        fixture f;
        uint64_t offset = 0;
        set_up(&f, 4096, &rooms[i]);
        assert_int_equal(sy_graph_allocate(f.graph, NULL), SY_OK);
        assert_int_equal(sy_graph_poison(f.graph, 0, NULL), SY_OK);
        const sy_buffer *buffer = sy_tensor_buffer(f.b.output, &offset);
        const uint64_t room = rooms[i].bytes > 40 ? rooms[i].bytes : 40;
        assert_int_equal(offset % rooms[i].alignment, 0);
        assert_true(offset >= SY_GRAPH_CANARY_BYTES);
        assert_int_equal(buffer->size, offset + room + SY_GRAPH_CANARY_BYTES);
        unsigned char *y = sy_tensor_address(f.b.output);
        assert_ptr_equal(y, (unsigned char *)buffer->address + offset);
        unsigned char *const beside_it[] = {y - 1, y + room, y - SY_GRAPH_CANARY_BYTES, y + room + 63};
        for (size_t k = 0; k < 4; k++) {
            bool intact = true;
            char reason[96];
            *beside_it[k] ^= 1;
            assert_int_equal(sy_graph_canaries(f.graph, &intact, reason, sizeof reason, NULL), SY_OK);
            assert_false(intact);
            *beside_it[k] ^= 1;
            assert_int_equal(sy_graph_canaries(f.graph, &intact, reason, sizeof reason, NULL), SY_OK);
            assert_true(intact);
        }
        sy_graph_destroy(f.graph);
        sy_device_close(f.device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_memory_is_scratch_and_goes_before_the_buffers),
        cmocka_unit_test(a_failed_allocation_gives_all_back_and_may_be_tried_again),
        cmocka_unit_test(its_metadata_is_held_against_the_capacity_when_build_has_ended),
        cmocka_unit_test(before_that_nothing_stops_a_build),
        cmocka_unit_test(an_output_lies_as_the_device_wants_it_right_between_its_canaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
