/* SPDX-License-Identifier: Apache-2.0 */
/* The contract that an engine's author has with a probe (docs/origin-probes.md), where ggml makes the graphs: 2 x on
 * ggml's CPU device, as x + x and as a scale. */
#include "cmocka_headers.h"

#include <ggml.h>
#include <math.h>
#include <string.h>

#include <steelyard/ggml.h>
#include <steelyard/steelyard.h>

#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "base/fault.h"

enum { N = 64, ADDS = 0, SCALES = 1, VARIANTS = 2 };

typedef struct ggml_engine {
    bool candidate_is_unsupported, candidate_changes_x, initialize_fails;
    int builds, initializations;
    int stop_at, asked; /* the so-manieth question ends the probe; 0 = none does */
    bool context_has_memory, tensor_has_memory;
    int64_t alive; /* allocations before it was opened */
    sy_device *device;
    sy_implementation implementations[VARIANTS];
    sy_case only;
    sy_suite suite;
} ggml_engine;

static struct ggml_tensor *make(const ggml_engine *e, struct ggml_context *context, uint32_t variant,
                                struct ggml_tensor *x)
{
    if (variant == ADDS)
        return ggml_add(context, x, x);
    if (e->candidate_is_unsupported) /* the processor multiplies no f32 by f16 */
        return ggml_mul_mat(context, x, ggml_cast(context, x, GGML_TYPE_F16));
    if (e->candidate_changes_x)
        return ggml_cont(context, ggml_scale_inplace(context, x, 2));
    return ggml_scale(context, x, 2);
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    ggml_engine *e = user;
    struct ggml_context *context = NULL;
    sy_tensor *registered = NULL;
    (void)c;
    e->builds++;
    sy_status status = sy_ggml_context(graph, &context, err);
    if (status)
        return status;
    struct ggml_tensor *x = ggml_new_tensor_1d(context, GGML_TYPE_F32, N);
    e->context_has_memory |= !ggml_get_no_alloc(context);
    status = sy_ggml_input(graph, ggml_set_name(x, "x"), &registered, err);
    if (!status)
        status = sy_ggml_output(graph, make(e, context, variant, x), &registered, err);
    e->tensor_has_memory |= x->data != NULL;
    return status;
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    ggml_engine *e = user;
    float x[N];
    (void)c;
    (void)variant;
    if (++e->initializations == 3 && e->initialize_fails)
        return sy_fail(err, SY_IO, "the test lets this fail");
    for (int i = 0; i < N; i++)
        x[i] = (float)(i + (int)(seed % 8));
    return sy_tensor_write(sy_graph_input_at(graph, 0), 0, x, sizeof x, err);
}

static void open_engine(ggml_engine *e)
{
    const sy_device_options options = {.threads = 1};
    e->alive = sy_fault_live_allocations();
    assert_int_equal(sy_device_open("ggml:CPU", &options, &e->device, NULL), SY_OK);
    e->implementations[ADDS] = (sy_implementation){
        .name = "adds", .role = SY_ROLE_REFERENCE, .summary = "", .how_to_get = ""};
    e->implementations[SCALES] = (sy_implementation){
        .name = "scales", .role = SY_ROLE_CANDIDATE, .summary = "", .how_to_get = ""};
    e->only = (sy_case){.name = "only",
                        .weight = 1,
                        .dtype = SY_F32,
                        .source = "here",
                        .own_inputs = true,
                        .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN}};
    e->suite = (sy_suite){.struct_size = sizeof e->suite,
                          .operation = "own",
                          .version = "1",
                          .implementations = e->implementations,
                          .implementation_count = VARIANTS,
                          .cases = &e->only,
                          .case_count = 1,
                          .build = build,
                          .initialize = initialize,
                          .user = e};
}

static bool is_stopped(void *user)
{
    ggml_engine *e = user;
    return ++e->asked == e->stop_at;
}

static sy_status weigh(ggml_engine *e, sy_probe_result **ret_result, sy_error *err)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    options.seed = 1;
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = 3;
    options.warmup = 1;
    options.cancelled = is_stopped;
    options.user = e;
    return sy_probe(e->device, &e->suite, &options, ret_result, err);
}

/* All that the probe took is gone: graphs with their contexts, and what they had of the device. */
static void close_engine(ggml_engine *e, sy_probe_result *result)
{
    assert_int_equal(sy_graph_live_count(), 0);
    assert_int_equal(sy_ggml_device_of(e->device)->allocated_bytes, 0);
    sy_probe_result_destroy(result);
    sy_device_close(e->device);
    assert_int_equal(sy_fault_live_allocations(), e->alive);
}

static void two_graphs_of_ggml_are_weighed(void **state)
{
    (void)state;
    ggml_engine e = {0};
    sy_probe_result *r = NULL;
    sy_error error = SY_ERROR_INIT;
    open_engine(&e);
    if (weigh(&e, &r, &error))
        fail_msg("%s", error.what);
    if (!r->completed)
        fail_msg("%s", r->error);
    assert_true(r->pairs == 3 && e.initializations >= VARIANTS);
    assert_int_equal(r->candidates[0].parity, SY_PARITY_PASSED);
    close_engine(&e, r);
}

static void building_makes_metadata_alone(void **state)
{
    (void)state;
    for (int is_unsupported = 0; is_unsupported < 2; is_unsupported++) {
        ggml_engine e = {.candidate_is_unsupported = is_unsupported};
        sy_availability availability = {0};
        open_engine(&e);
        assert_int_equal(sy_probe_supported(e.device, &e.suite, &e.only, SCALES, &availability, NULL), SY_OK);
        assert_int_equal(availability.available, !is_unsupported);
        if (is_unsupported)
            assert_non_null(strstr(availability.reason, "MUL_MAT"));
        assert_true(e.builds == 1 && e.initializations == 0);
        assert_false(e.context_has_memory || e.tensor_has_memory);
        assert_int_equal(sy_ggml_device_of(e.device)->peak_bytes, 0);
        assert_null(sy_ggml_device_of(e.device)->backend); /* not even initialised */
        close_engine(&e, NULL);
    }
}

static void an_operation_that_the_device_lacks_is_unavailable_and_nothing_stands_in(void **state)
{
    (void)state;
    ggml_engine e = {.candidate_is_unsupported = true};
    sy_probe_result *r = NULL;
    open_engine(&e);
    assert_int_equal(weigh(&e, &r, NULL), SY_OK);
    assert_int_equal(r->decision, SY_DECISION_UNAVAILABLE);
    assert_false(r->completed || r->candidate_faster);
    assert_non_null(strstr(r->error, "MUL_MAT is not supported by CPU"));
    assert_int_equal(r->sample_count, 0);
    assert_string_equal(r->winner, "adds");
    close_engine(&e, r);
}

static void a_graph_that_changes_its_input_is_found(void **state)
{
    (void)state;
    ggml_engine e = {.candidate_changes_x = true};
    sy_probe_result *r = NULL;
    open_engine(&e);
    assert_int_equal(weigh(&e, &r, NULL), SY_OK);
    assert_int_equal(r->decision, SY_DECISION_PARITY_FAILED);
    assert_non_null(strstr(r->error, "input"));
    assert_int_equal(r->sample_count, 0);
    close_engine(&e, r);
}

/* Host memory that fails at the n-th request, questions that end it at the n-th, initialize that fails. */
static void every_way_out_gives_all_back(void **state)
{
    (void)state;
    sy_probe_result *r = NULL;
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        ggml_engine e = {0};
        open_engine(&e);
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = weigh(&e, &r, NULL);
        const bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        failures += status != SY_OK;
        close_engine(&e, status ? NULL : r);
        if (!reached)
            break;
    }
    assert_true(failures > 10);
    for (int n = 1;; n++) {
        ggml_engine e = {.stop_at = n};
        open_engine(&e);
        assert_int_equal(weigh(&e, &r, NULL), SY_OK);
        const bool reached = e.asked >= n;
        assert_int_equal(r->interrupted, reached);
        close_engine(&e, r);
        if (!reached)
            break;
    }
    ggml_engine e = {.initialize_fails = true};
    open_engine(&e);
    sy_status status = weigh(&e, &r, NULL);
    assert_true(status || !r->completed);
    close_engine(&e, status ? NULL : r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_graphs_of_ggml_are_weighed),
        cmocka_unit_test(building_makes_metadata_alone),
        cmocka_unit_test(an_operation_that_the_device_lacks_is_unavailable_and_nothing_stands_in),
        cmocka_unit_test(a_graph_that_changes_its_input_is_found),
        cmocka_unit_test(every_way_out_gives_all_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
