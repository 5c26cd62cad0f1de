/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of ggml's tensors on its processor device: what is registered and what is refused, results, memory, and that
 * nothing is left behind however far a build came. */
#include "cmocka_headers.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <stdio.h>
#include <string.h>

#include "backends/ggml/ggml_graph.h"
#include "backends/graph_inside.h"
#include "base/text.h"
#include "fault_loop.h"

#define CAPACITY ((uint64_t)1 << 20)
#define ROWS 5
#define DEPTH 40
#define COLUMNS 7

typedef struct fixture {
    sy_device *device;
    sy_graph *graph;
    struct ggml_context *context;
    sy_error err;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    const sy_device_options one_thread = {.threads = 1};
    f = (fixture){.err = SY_ERROR_INIT};
    assert_int_equal(sy_device_open("ggml:CPU", &one_thread, &f.device, &f.err), SY_OK);
    assert_int_equal(sy_graph_create(f.device, CAPACITY, &f.graph, &f.err), SY_OK);
    assert_int_equal(sy_ggml_context(f.graph, &f.context, &f.err), SY_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    const int64_t alive = sy_graph_live_count();
    sy_graph_destroy(f->graph);
    assert_int_equal(sy_graph_live_count(), alive - 1);
    sy_device_close(f->device);
    return 0;
}

static struct ggml_tensor *matrix(const fixture *f, enum ggml_type type, int64_t columns, int64_t rows)
{
    return ggml_new_tensor_2d(f->context, type, columns, rows);
}

static sy_tensor *input(fixture *f, struct ggml_tensor *tensor)
{
    sy_tensor *registered = NULL;
    if (sy_ggml_input(f->graph, tensor, &registered, &f->err))
        fail_msg("%s", f->err.what);
    return registered;
}

static sy_tensor *output(fixture *f, struct ggml_tensor *tensor)
{
    sy_tensor *registered = NULL;
    if (sy_ggml_output(f->graph, tensor, &registered, &f->err))
        fail_msg("%s", f->err.what);
    return registered;
}

static void expect_output_refused(fixture *f, struct ggml_tensor *tensor, const char *words)
{
    sy_tensor *registered = NULL;
    f->err.what[0] = '\0';
    assert_int_equal(sy_ggml_output(f->graph, tensor, &registered, &f->err), SY_INVALID_ARGUMENT);
    assert_null(registered);
    if (!strstr(f->err.what, words))
        fail_msg("'%s' lacks '%s'", f->err.what, words);
}

static void expect_input_refused(fixture *f, struct ggml_tensor *tensor, const char *words)
{
    sy_tensor *registered = NULL;
    f->err.what[0] = '\0';
    assert_int_equal(sy_ggml_input(f->graph, tensor, &registered, &f->err), SY_INVALID_ARGUMENT);
    assert_null(registered);
    if (!strstr(f->err.what, words))
        fail_msg("'%s' lacks '%s'", f->err.what, words);
}

static void write_floats(sy_tensor *tensor, float *values, size_t count, float step)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((i * 7919) % 101) * step - 1.0f;
    assert_int_equal(sy_tensor_bytes(tensor), count * sizeof(float));
    assert_int_equal(sy_tensor_write(tensor, 0, values, count * sizeof(float), NULL), SY_OK);
}

static void run(fixture *f)
{
    if (sy_graph_run(f->graph, &f->err) || sy_device_synchronize(f->device, &f->err))
        fail_msg("%s", f->err.what);
}

static void ready(fixture *f)
{
    bool available = false;
    const char *reason = "";
    if (sy_graph_check(f->graph, &available, &reason, &f->err) || !available)
        fail_msg("%s%s", f->err.what, reason);
    if (sy_graph_allocate(f->graph, &f->err) || sy_graph_poison(f->graph, 0xff, &f->err))
        fail_msg("%s", f->err.what);
}

/* ---- results ---- */

static void a_product_is_computed_again_and_again_and_its_inputs_stay(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, DEPTH, COLUMNS), *b = matrix(f, GGML_TYPE_F32, DEPTH, ROWS);
    sy_tensor *in_a = input(f, a), *in_b = input(f, b);
    struct ggml_tensor *product = ggml_mul_mat(f->context, a, b);
    sy_tensor *out = output(f, ggml_scale(f->context, ggml_scale(f->context, product, 2.0f), 0.5f));
    float values_a[DEPTH * COLUMNS], values_b[DEPTH * ROWS], found[ROWS * COLUMNS], again[DEPTH * COLUMNS];
    ready(f);
    write_floats(in_a, values_a, DEPTH * COLUMNS, 0.02f);
    write_floats(in_b, values_b, DEPTH * ROWS, 0.01f);
    for (int repeat = 0; repeat < 3; repeat++) {
        bool intact = false;
        char reason[96];
        run(f);
        assert_int_equal(sy_tensor_read(out, 0, found, sizeof found, NULL), SY_OK);
        for (int row = 0; row < ROWS; row++)
            for (int column = 0; column < COLUMNS; column++) {
                double sum = 0;
                for (int d = 0; d < DEPTH; d++)
                    sum += (double)values_a[column * DEPTH + d] * values_b[row * DEPTH + d];
                assert_true(found[row * COLUMNS + column] > sum - 1e-4 && found[row * COLUMNS + column] < sum + 1e-4);
            }
        assert_int_equal(sy_tensor_read(in_a, 0, again, sizeof again, NULL), SY_OK);
        assert_memory_equal(again, values_a, sizeof again);
        assert_int_equal(sy_graph_canaries(f->graph, &intact, reason, sizeof reason, NULL), SY_OK);
        assert_true(intact);
        assert_int_equal(sy_graph_poison(f->graph, (uint8_t)repeat, NULL), SY_OK);
    }
}

static void a_write_beside_an_output_is_noticed(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 3, 1);
    (void)input(f, a);
    struct ggml_tensor *twice = ggml_scale(f->context, a, 2.0f);
    (void)output(f, ggml_set_name(twice, "twice"));
    ready(f);
    for (int side = 0; side < 2; side++) {
        bool intact = true;
        char reason[96] = "";
        assert_int_equal(sy_graph_poison(f->graph, 0, NULL), SY_OK);
        ((unsigned char *)twice->data)[side == 0 ? -1 : 12] ^= 1;
        assert_int_equal(sy_graph_canaries(f->graph, &intact, reason, sizeof reason, NULL), SY_OK);
        assert_false(intact);
        assert_string_equal(reason, side == 0 ? "wrote before output 'twice'" : "wrote past the end of output 'twice'");
    }
}

static void several_outputs_and_views_of_a_whole_are_read_back(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 4, 6);
    sy_tensor *in = input(f, a);
    struct ggml_tensor *twice = ggml_scale(f->context, a, 2.0f);
    sy_tensor *flat = output(f, ggml_reshape_1d(f->context, twice, 24));
    sy_tensor *eightfold = output(f, ggml_scale(f->context, ggml_scale(f->context, twice, 2.0f), 2.0f));
    float values[24], found[24];
    assert_int_equal(sy_tensor_description(flat)->dims[3], 24);
    assert_int_equal(sy_tensor_description(eightfold)->dims[2], 6);
    ready(f);
    write_floats(in, values, 24, 0.125f);
    run(f);
    assert_int_equal(sy_tensor_read(flat, 0, found, sizeof found, NULL), SY_OK);
    for (size_t i = 0; i < 24; i++)
        assert_true(found[i] == 2.0f * values[i]);
    assert_int_equal(sy_tensor_read(eightfold, 0, found, sizeof found, NULL), SY_OK);
    for (size_t i = 0; i < 24; i++)
        assert_true(found[i] == 8.0f * values[i]);
}

/* ---- descriptions ---- */

static void types_and_dimensions_are_ggmls_the_other_way_round(void **state)
{
    fixture *f = *state;
    static const struct {
        enum ggml_type type;
        sy_dtype dtype;
    } types[] = {{GGML_TYPE_F32, SY_F32}, {GGML_TYPE_F64, SY_F64}, {GGML_TYPE_F16, SY_F16}, {GGML_TYPE_BF16, SY_BF16},
                 {GGML_TYPE_I8, SY_I8},   {GGML_TYPE_I16, SY_I16}, {GGML_TYPE_I32, SY_I32}, {GGML_TYPE_I64, SY_I64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct ggml_tensor *tensor = ggml_new_tensor_3d(f->context, types[i].type, 5, 3, 2);
        sy_tensor *registered = input(f, tensor);
        const sy_tensor_desc *desc = sy_tensor_description(registered);
        char name[32];
        (void)snprintf(name, sizeof name, "input %zu", i);
        assert_int_equal(desc->dtype, types[i].dtype);
        assert_int_equal(desc->rank, 4);
        assert_int_equal(desc->dims[0], 1);
        assert_int_equal(desc->dims[1], 2);
        assert_int_equal(desc->dims[2], 3);
        assert_int_equal(desc->dims[3], 5);
        assert_string_equal(desc->name, name);
        assert_int_equal(sy_tensor_bytes(registered), ggml_nbytes(tensor));
    }
    expect_input_refused(f, ggml_new_tensor_1d(f->context, GGML_TYPE_Q4_0, 64), "type q4_0");
}

static void what_cannot_be_an_input_is_refused_by_name(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = ggml_set_name(matrix(f, GGML_TYPE_F32, 4, 6), "a");
    (void)input(f, a);
    struct ggml_tensor outside = *a;
    expect_input_refused(f, a, "'a' is registered twice");
    expect_input_refused(f, NULL, "no tensor of the graph's ggml context");
    expect_input_refused(f, &outside, "no tensor of the graph's ggml context");
    expect_input_refused(f, ggml_scale(f->context, a, 2.0f), "is the result of SCALE");
    expect_input_refused(f, ggml_view_1d(f->context, a, 3, 0), "is the result of a view");
}

static void what_cannot_be_an_output_is_refused_by_name(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = ggml_set_name(matrix(f, GGML_TYPE_F32, 4, 6), "a");
    struct ggml_tensor *b = ggml_set_name(matrix(f, GGML_TYPE_F32, 4, 6), "b");
    (void)input(f, a);
    struct ggml_tensor *twice = ggml_scale(f->context, a, 2.0f);
    expect_output_refused(f, NULL, "no tensor of the graph's ggml context");
    expect_output_refused(f, a, "'a' is not the result of an operation");
    expect_output_refused(f, ggml_transpose(f->context, twice), "not contiguous: ggml_cont");
    expect_output_refused(f, ggml_view_1d(f->context, twice, 3, 0), "is a view of a part");
    expect_output_refused(f, ggml_scale_inplace(f->context, a, 2.0f), "is not the result of an operation");
    expect_output_refused(f, ggml_add(f->context, twice, b), "ADD reads 'b', which is neither an input nor a result");
}

static void an_output_cannot_be_registered_twice(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 4, 6);
    (void)input(f, a);
    struct ggml_tensor *twice = ggml_set_name(ggml_scale(f->context, a, 2.0f), "twice");
    (void)output(f, twice);
    expect_output_refused(f, twice, "'twice' is registered twice");
    expect_output_refused(f, ggml_reshape_1d(f->context, twice, 24), "is registered twice");
}

static void tensors_on_a_graph_without_a_context_are_refused(void **state)
{
    fixture *f = *state;
    sy_graph *other = NULL;
    sy_tensor *registered = NULL;
    sy_device *cpu = NULL;
    struct ggml_context *context = NULL;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 4, 6);
    assert_int_equal(sy_graph_create(f->device, CAPACITY, &other, NULL), SY_OK);
    assert_int_equal(sy_ggml_input(other, a, &registered, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_ggml_output(other, a, &registered, NULL), SY_INVALID_ARGUMENT);
    sy_graph_destroy(other);
    assert_int_equal(sy_device_open("cpu", NULL, &cpu, NULL), SY_OK);
    assert_int_equal(sy_graph_create(cpu, CAPACITY, &other, NULL), SY_OK);
    assert_int_equal(sy_ggml_context(other, &context, &f->err), SY_UNAVAILABLE);
    assert_string_equal(f->err.what, "device cpu is not one of ggml");
    assert_null(context);
    sy_graph_destroy(other);
    sy_device_close(cpu);
}

static void the_context_is_the_same_at_each_call(void **state)
{
    fixture *f = *state;
    struct ggml_context *again = NULL;
    assert_int_equal(sy_ggml_context(f->graph, &again, NULL), SY_OK);
    assert_ptr_equal(again, f->context);
}

/* ---- what the device lacks ---- */

static void an_operation_that_is_not_supported_makes_it_unavailable_with_its_shape(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 32, 3), *b = matrix(f, GGML_TYPE_F16, 32, 2);
    (void)input(f, a);
    (void)input(f, b);
    sy_tensor *registered = (sy_tensor *)f;
    struct ggml_tensor *product = ggml_mul_mat(f->context, a, b); /* the processor multiplies no f32 by f16 */
    assert_int_equal(sy_ggml_output(f->graph, ggml_scale(f->context, product, 2.0f), &registered, &f->err), SY_OK);
    assert_null(registered);
    bool available = true;
    const char *reason = "";
    assert_int_equal(sy_graph_check(f->graph, &available, &reason, NULL), SY_OK);
    assert_false(available);
    assert_string_equal(reason, "MUL_MAT is not supported by CPU (f32 32x3x1x1, f16 32x2x1x1)");
    assert_int_equal(sy_graph_output_count(f->graph), 0);
}

/* ---- memory ---- */

static uint64_t scores_memory(fixture *f, struct ggml_tensor **ret_scores)
{
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 64, 512), *b = matrix(f, GGML_TYPE_F32, 64, 128);
    (void)input(f, a);
    (void)input(f, b);
    *ret_scores = ggml_mul_mat(f->context, a, b);
    (void)output(f, ggml_mul_mat(f->context, ggml_cont(f->context, ggml_transpose(f->context, a)),
                                 ggml_soft_max(f->context, *ret_scores)));
    return (128 * 512 + 64 * 512) * sizeof(float); /* scores, and a turned round */
}

static void the_scratch_is_ggmls_compute_buffer_and_no_device_memory_is_taken_for_it(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *scores = NULL;
    const uint64_t least = scores_memory(f, &scores);
    sy_ggml_device *device = sy_ggml_device_of(f->device);
    assert_null(device->backend);
    assert_int_equal(device->peak_bytes, 0);
    const uint64_t scratch = sy_graph_scratch_bytes(f->graph);
    assert_true(scratch >= least && scratch < least + least / 4);
    assert_int_equal(sy_graph_memory_bytes(f->graph) - scratch,
                     (64 * 512 + 64 * 128 + 64 * 128) * sizeof(float) + 2 * SY_GRAPH_CANARY_BYTES);
    assert_null(scores->buffer);
    ready(f);
    assert_non_null(scores->data);
    assert_true(device->peak_bytes >= least && device->peak_bytes <= sy_graph_memory_bytes(f->graph));
    const uint64_t taken = ggml_backend_buffer_get_size(scores->buffer);
    assert_true(taken <= scratch && taken >= least);
}

static void memory_given_back_can_be_taken_again(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *scores = NULL;
    (void)scores_memory(f, &scores);
    sy_ggml_device *device = sy_ggml_device_of(f->device);
    const uint64_t total = device->total_bytes;
    device->total_bytes = 1000; /* the first input does not fit */
    assert_int_equal(sy_graph_allocate(f->graph, &f->err), SY_NO_MEMORY);
    assert_int_equal(device->allocated_bytes, 0);
    assert_null(scores->data);
    device->total_bytes = total;
    ready(f);
    run(f);
    assert_non_null(scores->data);
    sy_graph_release_buffers(f->graph);
    assert_int_equal(device->allocated_bytes, 0);
    assert_null(scores->data);
    ready(f);
    run(f);
}

static void a_capacity_that_is_too_small_is_refused_with_the_number_that_does(void **state)
{
    fixture *f = *state;
    unsigned long long enough = 0;
    for (int i = 0; i < 3; i++) {
        static const char words[] = "raise the metadata capacity to ";
        const uint64_t capacity = i == 0 ? 1000 : i == 1 ? enough - 1 : enough;
        bool available = false;
        const char *reason = "";
        struct ggml_tensor *scores = NULL;
        fixture g = {.device = f->device, .err = SY_ERROR_INIT};
        assert_int_equal(sy_graph_create(f->device, capacity, &g.graph, NULL), SY_OK);
        assert_int_equal(sy_ggml_context(g.graph, &g.context, NULL), SY_OK);
        (void)scores_memory(&g, &scores);
        const sy_status status = sy_graph_check(g.graph, &available, &reason, &g.err);
        assert_int_equal(status, i == 2 ? SY_OK : SY_LIMIT_EXCEEDED);
        assert_int_equal(available, i == 2);
        assert_true(i < 2 || enough > ggml_used_mem(g.context) + ggml_graph_overhead_custom(5, false));
        if (i < 2) {
            assert_true(sy_text_begins(g.err.hint, words));
            assert_int_equal(sscanf(g.err.hint + strlen(words), "%llu bytes", &enough), 1);
        }
        sy_graph_destroy(g.graph);
    }
    assert_true(enough > 1000 && enough < 20000);
}

/* More tensors than the capacity holds: ggml, which ends the process when a context is full, never sees its end. */
static void a_build_far_beyond_its_capacity_ends_in_an_error_too(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 4, 4);
    (void)input(f, a);
    struct ggml_tensor *last = a;
    for (int i = 0; i < 20000; i++)
        last = ggml_scale(f->context, last, 1.0f);
    (void)output(f, last);
    bool available = false;
    const char *reason = "";
    assert_int_equal(sy_graph_check(f->graph, &available, &reason, &f->err), SY_LIMIT_EXCEEDED);
    assert_non_null(strstr(f->err.what, "metadata capacity of 1 MiB"));
}

/* ---- failures ---- */

static bool want_it_ended(void *data)
{
    (void)data;
    return true;
}

/* As when a device is lost: ggml says so by the status of a run. */
static void a_run_that_ggml_does_not_finish_is_an_error_with_its_words(void **state)
{
    fixture *f = *state;
    struct ggml_tensor *a = matrix(f, GGML_TYPE_F32, 4, 6);
    (void)input(f, a);
    (void)output(f, ggml_scale(f->context, a, 2.0f));
    ready(f);
    const sy_ggml_device *device = sy_ggml_device_of(f->device);
    ggml_backend_set_abort_callback_t set = (ggml_backend_set_abort_callback_t)(uintptr_t)
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device->dev), "ggml_backend_set_abort_callback");
    assert_non_null(set);
    set(device->backend, want_it_ended, NULL);
    assert_int_equal(sy_graph_run(f->graph, &f->err), SY_UNAVAILABLE);
    assert_non_null(strstr(f->err.what, "ggml could not run the graph on its device CPU: "));
    assert_non_null(strstr(f->err.what, "aborted"));
    set(device->backend, NULL, NULL);
    run(f);
}

static sy_status build_allocate_run(void *user)
{
    const fixture *from = user;
    fixture f = {.device = from->device};
    struct ggml_tensor *a = NULL;
    sy_tensor *registered = NULL;
    const int64_t alive = sy_graph_live_count();
    bool available = false;
    const char *reason = "";
    sy_status status = sy_graph_create(f.device, CAPACITY, &f.graph, NULL);
    if (!status)
        status = sy_ggml_context(f.graph, &f.context, NULL);
    if (!status) {
        a = matrix(&f, GGML_TYPE_F32, 64, 64);
        status = sy_ggml_input(f.graph, a, &registered, NULL);
    }
    if (!status)
        status = sy_ggml_output(f.graph, ggml_mul_mat(f.context, ggml_scale(f.context, a, 2.0f), a), &registered, NULL);
    if (!status)
        status = sy_graph_check(f.graph, &available, &reason, NULL);
    if (!status)
        status = sy_graph_allocate(f.graph, NULL);
    if (!status)
        status = sy_graph_poison(f.graph, 0, NULL);
    if (!status)
        status = sy_graph_run(f.graph, NULL);
    if (!status)
        status = sy_device_synchronize(f.device, NULL);
    sy_graph_destroy(f.graph);
    assert_int_equal(sy_graph_live_count(), alive);
    assert_int_equal(sy_ggml_device_of(f.device)->allocated_bytes, 0);
    return status;
}

static void every_failed_allocation_leaves_nothing_behind(void **state)
{
    assert_true(fault_loop_allocations(build_allocate_run, *state, true) >= 6);
    assert_true(fault_loop_allocations(build_allocate_run, *state, false) >= 6);
}

#define GRAPH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(a_product_is_computed_again_and_again_and_its_inputs_stay),
        GRAPH_TEST(a_write_beside_an_output_is_noticed),
        GRAPH_TEST(several_outputs_and_views_of_a_whole_are_read_back),
        GRAPH_TEST(types_and_dimensions_are_ggmls_the_other_way_round),
        GRAPH_TEST(what_cannot_be_an_input_is_refused_by_name),
        GRAPH_TEST(what_cannot_be_an_output_is_refused_by_name),
        GRAPH_TEST(an_output_cannot_be_registered_twice),
        GRAPH_TEST(tensors_on_a_graph_without_a_context_are_refused),
        GRAPH_TEST(the_context_is_the_same_at_each_call),
        GRAPH_TEST(an_operation_that_is_not_supported_makes_it_unavailable_with_its_shape),
        GRAPH_TEST(the_scratch_is_ggmls_compute_buffer_and_no_device_memory_is_taken_for_it),
        GRAPH_TEST(memory_given_back_can_be_taken_again),
        GRAPH_TEST(a_capacity_that_is_too_small_is_refused_with_the_number_that_does),
        GRAPH_TEST(a_build_far_beyond_its_capacity_ends_in_an_error_too),
        GRAPH_TEST(a_run_that_ggml_does_not_finish_is_an_error_with_its_words),
        GRAPH_TEST(every_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
