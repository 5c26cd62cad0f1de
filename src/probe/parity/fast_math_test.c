/* SPDX-License-Identifier: Apache-2.0 */
/* A real library that was linked with fast arithmetic and is loaded by an implementation: subnormals are off in its own
 * runs from then on, as in any program that loads it, and on for everybody else. Where it is loaded first makes no
 * difference. Named after https://github.com/root-project/root/issues/16929. */
#include "probe_support.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "backends/graph.h"
#include "base/float_environment.h"
#include "probe/subject/subject.h"
#include "probe/weighing.h"

#define N 16
#define SMALL_AT 3

static const float smallest = 1.4012984643248171e-45f;

typedef enum habit { LOADS_FAST_MATH, ROUNDS_UP_WHEN_CALLED, HONEST } habit;

typedef struct subject_suite {
    habit candidate;
    int small_inputs; /* how many are subnormal */
    bool oracle_rounds_up;
    uint32_t host_bits_seen; /* by the reference's runs, against the test's own environment */
    sy_float_environment host;
    float reference_output;
} subject_suite;

typedef struct subject_work {
    subject_suite *suite;
    habit habit;
    bool is_candidate;
    void *library;
    float (*times_one)(float x);
    sy_tensor *x;
    sy_tensor *y;
} subject_work;

static sy_status run(void *state, sy_error *err)
{
    subject_work *w = state;
    const float *x = sy_tensor_address(w->x);
    float *y = sy_tensor_address(w->y);
    const volatile float one = 1;
    (void)err;
    if (!w->is_candidate)
        w->suite->host_bits_seen |= sy_float_environment_diff(sy_float_environment_save(), w->suite->host);
    if (w->habit == ROUNDS_UP_WHEN_CALLED)
        assert_int_equal(fesetround(FE_UPWARD), 0);
    for (int i = 0; i < N; i++)
        y[i] = w->times_one ? w->times_one(x[i]) : x[i] * one;
    if (!w->is_candidate)
        w->suite->reference_output = y[SMALL_AT];
    return SY_OK;
}

static void release(void *state)
{
    subject_work *w = state;
    if (w->library)
        (void)dlclose(w->library);
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    subject_suite *suite = user;
    const sy_tensor_desc desc = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {N}};
    subject_work *w = sy_graph_metadata(graph, sizeof(*w));
    (void)c;
    assert_non_null(w);
    *w = (subject_work){
        .suite = suite, .is_candidate = variant == 1, .habit = variant == 1 ? suite->candidate : HONEST};
    if (w->habit == LOADS_FAST_MATH) {
        w->library = dlopen(FAST_MATH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        if (!w->library)
            fail_msg("%s", dlerror());
        *(void **)&w->times_one = dlsym(w->library, "fast_math_times_one");
        assert_non_null(w->times_one);
    }
    sy_status status = sy_graph_input(graph, &desc, &w->x, err);
    if (!status)
        status = sy_graph_output(graph, &desc, &w->y, err);
    sy_graph_on_run(graph, run, release, w);
    return status;
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    const subject_suite *suite = user;
    float values[N];
    (void)c;
    (void)variant;
    for (int i = 0; i < N; i++)
        values[i] = (float)(i + 1 + (int)(seed % 3));
    for (int i = 0; i < suite->small_inputs; i++)
        values[(SMALL_AT + i) % N] = smallest;
    return sy_tensor_write(sy_graph_input_at(graph, 0), 0, values, sizeof(values), err);
}

static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    const subject_suite *suite = user;
    const float *x = request->inputs[0].bytes;
    (void)c;
    (void)err;
    if (suite->oracle_rounds_up)
        assert_int_equal(fesetround(FE_UPWARD), 0);
    for (uint64_t k = 0; k < request->count; k++) {
        request->values[k] = (double)x[request->indices ? request->indices[k] : k];
        request->scales[k] = fmax(1, fabs(request->values[k]));
    }
    return SY_OK;
}

static const sy_implementation implementations[] = {
    {.name = "honest", .role = SY_ROLE_REFERENCE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
    {.name = "strange", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""}};

static sy_probe_result *weigh_strange(subject_suite *suite_state, const char *reference, double tolerance)
{
    const sy_case c = {
        .name = "only",
        .weight = 1,
        .dtype = SY_F32,
        .source = "here",
        .own_inputs = true,
        .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = tolerance, .relative = tolerance}};
    const sy_suite suite = {.struct_size = sizeof(suite),
                            .operation = "times-one",
                            .version = "1",
                            .implementations = implementations,
                            .implementation_count = 2,
                            .cases = &c,
                            .case_count = 1,
                            .build = build,
                            .initialize = initialize,
                            .oracle = oracle,
                            .user = suite_state};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    const char *other = reference ? "honest" : "strange";
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = 3;
    options.warmup = 1;
    options.reference = reference;
    options.implementations = &other;
    options.implementation_count = 1;
    suite_state->host = sy_float_environment_save();
    assert_int_equal(sy_device_open("cpu", NULL, &device, &err), SY_OK);
    if (sy_probe(device, &suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_device_close(device);
    assert_int_equal(sy_float_environment_diff(sy_float_environment_save(), suite_state->host), 0);
    return result;
}

static bool has_note(const sy_probe_result *result, const char *words)
{
    for (size_t i = 0; i < result->note_count; i++) {
        if (strstr(result->notes[i], words))
            return true;
    }
    return false;
}

/* What the toolchain does is looked at first: not every compiler adds that code. */
static bool loading_changes_the_environment(void)
{
    const sy_float_environment host = sy_float_environment_save();
    void *library = dlopen(FAST_MATH_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    uint32_t bits = sy_float_environment_restore(host);
    (void)dlclose(library);
    return bits == (SY_FLOAT_FLUSH_TO_ZERO | SY_FLOAT_DENORMALS_ARE_ZERO);
}

#define NEED_FAST_MATH()                                                                                     \
    do {                                                                                                     \
        if (!loading_changes_the_environment()) {                                                            \
            print_message("skipped: this compiler does not switch subnormals off in a library of -Ofast\n"); \
            skip();                                                                                          \
        }                                                                                                    \
    } while (0)

static void a_library_of_fast_arithmetic_fails_where_a_subnormal_must_be_exact(void **state)
{
    (void)state;
    NEED_FAST_MATH();
    subject_suite suite = {.candidate = LOADS_FAST_MATH, .small_inputs = 1};
    sy_probe_result *result = weigh_strange(&suite, NULL, 0);
    assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
    assert_non_null(strstr(result->error, "at 3: 0, expected 1.40129846e-45 (subnormal)"));
    assert_true(has_note(result, "strange changed the floating-point environment (FTZ, DAZ) when it was loaded"));
    assert_string_equal(result->candidates[0].float_environment, "FTZ, DAZ");
    assert_null(result->reference_float_environment);
    assert_memory_equal(&suite.reference_output, &smallest, sizeof(smallest));
    assert_int_equal(suite.host_bits_seen, 0);
    sy_probe_result_destroy(result);
}

static void loaded_first_as_the_reference_it_leaves_the_other_side_its_subnormals(void **state)
{
    (void)state;
    NEED_FAST_MATH();
    subject_suite suite = {.candidate = LOADS_FAST_MATH, .small_inputs = 1};
    sy_probe_result *result = weigh_strange(&suite, "strange", SY_NAN);
    assert_true(has_note(result, "strange changed the floating-point environment (FTZ, DAZ) when it was loaded"));
    assert_string_equal(result->reference_float_environment, "FTZ, DAZ");
    assert_memory_equal(&suite.reference_output, &smallest, sizeof(smallest));
    assert_int_equal(suite.host_bits_seen, 0);
    sy_probe_result_destroy(result);
}

static void a_rounding_mode_set_by_a_call_stays_with_its_caller(void **state)
{
    (void)state;
    subject_suite suite = {.candidate = ROUNDS_UP_WHEN_CALLED};
    sy_probe_result *result = weigh_strange(&suite, NULL, SY_NAN);
    assert_true(has_note(result, "strange changed the floating-point environment (rounding"));
    assert_true(has_note(result, "when it was called"));
    assert_non_null(strstr(result->candidates[0].float_environment, "rounding"));
    assert_int_equal(suite.host_bits_seen, 0);
    sy_probe_result_destroy(result);
}

/* In this process the oracle and availability are asked, too. */
static void what_the_suite_does_in_the_caller_s_process_is_set_back(void **state)
{
    (void)state;
    subject_suite suite = {.candidate = HONEST, .oracle_rounds_up = true};
    sy_probe_result *result = weigh_strange(&suite, NULL, SY_NAN);
    assert_int_equal(suite.host_bits_seen, 0);
    assert_false(has_note(result, "floating-point environment"));
    sy_probe_result_destroy(result);
    if (!loading_changes_the_environment())
        return;
    const sy_case c = {.name = "only", .weight = 1, .dtype = SY_F32, .source = "here"};
    const sy_suite loading = {
        .implementations = implementations, .implementation_count = 2, .build = build, .user = &suite};
    sy_device *device = NULL;
    sy_availability availability;
    suite = (subject_suite){.candidate = LOADS_FAST_MATH, .host = sy_float_environment_save()};
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_int_equal(sy_probe_supported(device, &loading, &c, 1, &availability, NULL), SY_OK);
    assert_true(availability.available);
    assert_int_equal(sy_float_environment_diff(sy_float_environment_save(), suite.host), 0);
    sy_device_close(device);
}

static void an_honest_one_has_no_finding(void **state)
{
    (void)state;
    subject_suite suite = {.candidate = HONEST};
    sy_probe_result *result = weigh_strange(&suite, NULL, 0);
    assert_false(has_note(result, "floating-point environment"));
    assert_false(has_note(result, "subnormal"));
    assert_null(result->candidates[0].float_environment);
    sy_probe_result_destroy(result);
}

static void subnormal_inputs_and_outputs_are_noted_with_their_share(void **state)
{
    (void)state;
    subject_suite suite = {.candidate = HONEST, .small_inputs = 4};
    sy_probe_result *result = weigh_strange(&suite, NULL, SY_NAN);
    assert_true(has_note(result, "subnormal: 25 % of input 0 of case only: times may tell of denormal handling"));
    assert_true(has_note(result, "subnormal: 25 % of output 0 of case only: "));
    sy_probe_result_destroy(result);
}

static void subnormals_are_counted_in_every_type(void **state)
{
    (void)state;
    const float single[] = {0, -0.0f, smallest, -smallest, 0x1p-126f, 0x1.fffffcp-127f, INFINITY, NAN};
    const double wide[] = {0, 0x1p-1022, 0x1p-1023, -0x1p-1074, 1};
    const uint16_t half[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x7c00};
    const uint16_t brain[] = {0x0000, 0x0001, 0x007f, 0x0080};
    const int32_t whole[] = {0, 1};
    const struct {
        sy_dtype dtype;
        const void *bytes;
        uint64_t elements;
        uint64_t subnormal;
    } all[] = {{SY_F32, single, 8, 3},
               {SY_F64, wide, 5, 2},
               {SY_F16, half, 6, 2},
               {SY_BF16, brain, 4, 2},
               {SY_I32, whole, 2, 0}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const sy_tensor_desc desc = {.dtype = all[i].dtype, .rank = 1, .dims = {(int64_t)all[i].elements}};
        assert_int_equal(sy_subnormal_count(&desc, all[i].bytes, all[i].elements), all[i].subnormal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_of_fast_arithmetic_fails_where_a_subnormal_must_be_exact),
        cmocka_unit_test(loaded_first_as_the_reference_it_leaves_the_other_side_its_subnormals),
        cmocka_unit_test(a_rounding_mode_set_by_a_call_stays_with_its_caller),
        cmocka_unit_test(what_the_suite_does_in_the_caller_s_process_is_set_back),
        cmocka_unit_test(an_honest_one_has_no_finding),
        cmocka_unit_test(subnormal_inputs_and_outputs_are_noted_with_their_share),
        cmocka_unit_test(subnormals_are_counted_in_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
