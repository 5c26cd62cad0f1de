/* SPDX-License-Identifier: Apache-2.0 */
/* An implementation that switches denormals off for its whole process, when it is loaded or in every call, as a library
 * does that was linked with fast arithmetic (https://github.com/root-project/root/issues/16929: 1.4012984643248171e-45
 * expected, 0 found). It is noticed, named, and never spoils the other side. */
#include "probe_support.h"

#if defined(__x86_64__)

#include <math.h>
#include <string.h>
#include <xmmintrin.h>

#include "backends/graph.h"

#define N 8
#define SMALL_AT 5

static const float smallest = 1.4012984643248171e-45f;

typedef struct flushing {
    bool when_built;
    bool when_run;
    bool ran;
    unsigned control_seen_by_honest; /* all that the honest one ever saw, or-ed */
    float written_by_honest;         /* at SMALL_AT */
} flushing;

typedef struct flushing_work {
    flushing *suite;
    bool honest;
    sy_tensor *x;
    sy_tensor *y;
} flushing_work;

/* What crtfastmath.o does when a library is loaded: FTZ and DAZ, for this thread and its heirs. */
static void switch_denormals_off(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}

static sy_status run(void *state, sy_error *err)
{
    flushing_work *w = state;
    const float *x = sy_tensor_address(w->x);
    float *y = sy_tensor_address(w->y);
    const volatile float one = 1;
    (void)err;
    if (!w->honest && w->suite->when_run)
        switch_denormals_off();
    for (int i = 0; i < N; i++)
        y[i] = x[i] * one;
    w->suite->ran = true;
    if (w->honest) {
        w->suite->control_seen_by_honest |= _mm_getcsr() & 0x8040u;
        w->suite->written_by_honest = y[SMALL_AT];
    }
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    flushing *suite = user;
    sy_tensor_desc desc = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {N}};
    flushing_work *w = sy_graph_metadata(graph, sizeof(*w));
    (void)c;
    assert_non_null(w);
    *w = (flushing_work){.suite = suite, .honest = variant == 0};
    if (!w->honest && suite->when_built)
        switch_denormals_off();
    sy_status status = sy_graph_input(graph, &desc, &w->x, err);
    if (!status)
        status = sy_graph_output(graph, &desc, &w->y, err);
    sy_graph_on_run(graph, run, NULL, w);
    return status;
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    float values[N];
    (void)user;
    (void)c;
    (void)variant;
    for (int i = 0; i < N; i++)
        values[i] = i == SMALL_AT ? smallest : (float)(i + 1 + (int)(seed % 3));
    return sy_tensor_write(sy_graph_input_at(graph, 0), 0, values, sizeof(values), err);
}

static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    (void)c;
    (void)err;
    for (uint64_t i = 0; i < request->count; i++) {
        uint64_t at = request->indices ? request->indices[i] : i;
        float value;
        memcpy(&value, (const char *)request->inputs[0].bytes + at * sizeof(value), sizeof(value));
        request->values[i] = value;
        request->scales[i] = fmax(1, fabs((double)value));
    }
    return SY_OK;
}

static const sy_implementation implementations[] = {
    {.name = "honest", .role = SY_ROLE_REFERENCE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
    {.name = "flusher", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""}};

/* exact: no error at all is allowed. */
static sy_probe_result *weigh_flushing(flushing *suite_state, const char *reference, bool exact)
{
    const sy_case c = {.name = "only",
                       .weight = 1,
                       .dtype = SY_F32,
                       .source = "here",
                       .own_inputs = true,
                       .tolerance = {.c = 16,
                                     .c_rms = 2,
                                     .accumulator = SY_F32,
                                     .absolute = exact ? 0 : SY_NAN,
                                     .relative = exact ? 0 : SY_NAN}};
    const sy_suite suite = {.struct_size = sizeof(suite),
                            .operation = "flushing",
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
    const unsigned before = _mm_getcsr() & ~0x3fu;
    options.rule = SY_RULE_MEDIANS; /* what is decided does not matter here */
    options.max_pairs = 3;
    options.warmup = 1;
    options.reference = reference;
    assert_int_equal(sy_device_open("cpu", NULL, &device, &err), SY_OK);
    if (sy_probe(device, &suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_device_close(device);
    assert_int_equal(_mm_getcsr() & ~0x3fu, before); /* and the caller's thread is as it was */
    return result;
}

static void expect_finding(const sy_probe_result *result)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strstr(result->notes[i], "flusher changed the floating-point environment (FTZ, DAZ)"))
            return;
    fail_msg("no note of %zu says that denormals were switched off; error '%s'", result->note_count, result->error);
}

static void expect_honest(const flushing *suite)
{
    assert_true(suite->ran);
    assert_int_equal(suite->control_seen_by_honest, 0);
    assert_memory_equal(&suite->written_by_honest, &smallest, sizeof(smallest));
}

static void denormals_that_are_off_after_a_call_are_a_finding_and_on_again_for_the_other_side(void **state)
{
    (void)state;
    flushing suite = {.when_run = true};
    sy_probe_result *result = weigh_flushing(&suite, NULL, true);
    expect_finding(result);
    expect_honest(&suite);
    assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
    assert_non_null(strstr(result->candidates[0].detail, "at 5: 0, expected 1.40129846e-45 (subnormal)"));
    sy_probe_result_destroy(result);
}

static void denormals_that_loading_switches_off_are_a_finding_too(void **state)
{
    (void)state;
    flushing suite = {.when_built = true};
    sy_probe_result *result = weigh_flushing(&suite, NULL, false);
    expect_finding(result);
    expect_honest(&suite);
    sy_probe_result_destroy(result);
}

/* The side that switches them off comes first, as the reference: the other one still computes what is right. */
static void whichever_side_comes_first_the_honest_one_keeps_its_denormals(void **state)
{
    (void)state;
    flushing suite = {.when_built = true, .when_run = true};
    sy_probe_result *result = weigh_flushing(&suite, "flusher", false);
    expect_finding(result);
    expect_honest(&suite);
    sy_probe_result_destroy(result);
}

static void nothing_is_found_where_nothing_is_changed(void **state)
{
    (void)state;
    flushing suite = {0};
    sy_probe_result *result = weigh_flushing(&suite, NULL, true);
    for (size_t i = 0; i < result->note_count; i++)
        assert_null(strstr(result->notes[i], "floating-point environment"));
    assert_int_not_equal(result->decision, SY_DECISION_PARITY_FAILED);
    expect_honest(&suite);
    sy_probe_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormals_that_are_off_after_a_call_are_a_finding_and_on_again_for_the_other_side),
        cmocka_unit_test(denormals_that_loading_switches_off_are_a_finding_too),
        cmocka_unit_test(whichever_side_comes_first_the_honest_one_keeps_its_denormals),
        cmocka_unit_test(nothing_is_found_where_nothing_is_changed),
    };
    return cmocka_run_group_tests_name("denormals", tests, NULL, NULL);
}

#else

int main(void)
{
    print_message("skipped: how denormals are switched off is written for x86-64 only\n");
    return 77;
}

#endif
