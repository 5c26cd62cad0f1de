/* SPDX-License-Identifier: Apache-2.0 */
/* A suite that brings its own comparison, its own inputs, or strided tensors: what the probe still looks at itself. */
#include "probe_support.h"

#include <math.h>

#include "backends/graph.h"
#include "probe/subject/wire.h"

#define N 32

typedef enum judge { JUDGE_STRICT, JUDGE_ALWAYS_PASSES, JUDGE_SILENT, JUDGE_LETS_NAN_THROUGH } judge;

typedef struct own_suite {
    judge judge;
    bool candidate_writes_nan;
    float candidate_error; /* relative to the largest value, on every element */
    sy_error_class candidate_class;
    double relaxed_c;             /* 0 = none */
    bool reference_spoils_inputs; /* after parity */
    bool strided;
    int runs[4];
    size_t candidate_count; /* 0 = one */
    bool has_oracle;
    int oracle_calls;
} own_suite;

typedef struct own_work {
    own_suite *suite;
    uint32_t variant;
    sy_tensor *x;
    sy_tensor *y;
} own_work;

static sy_status run(void *state, sy_error *err)
{
    own_work *w = state;
    float *x = sy_tensor_address(w->x);
    float *y = sy_tensor_address(w->y);
    (void)err;
    w->suite->runs[w->variant]++;
    for (int i = 0; i < N; i++)
        y[i] = 3 * x[i] + 1;
    for (int i = 0; i < N && w->variant == 1; i++)
        y[i] += w->suite->candidate_error * 4;
    if (w->variant == 1 && w->suite->candidate_writes_nan)
        y[N - 1] = NAN;
    if (w->variant == 0 && w->suite->reference_spoils_inputs && w->suite->runs[0] > 12)
        x[0] = 7;
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    own_suite *suite = user;
    sy_tensor_desc desc = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {N}};
    own_work *w = sy_graph_metadata(graph, sizeof(*w));
    (void)c;
    assert_non_null(w);
    w->suite = suite;
    w->variant = variant;
    if (suite->strided)
        desc.strides[0] = 2;
    sy_status status = sy_graph_input(graph, &desc, &w->x, err);
    desc.strides[0] = 0;
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
        values[i] = (float)(i * 0.25 + (double)(seed % 1000));
    sy_tensor *x = sy_graph_input_at(graph, 0);
    return sy_tensor_write(x, 0, values, sizeof(values), err);
}

static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    own_suite *suite = user;
    const float *x = request->inputs[0].bytes;
    (void)c;
    (void)err;
    suite->oracle_calls++;
    for (uint64_t i = 0; i < request->count; i++) {
        request->values[i] = 3.0 * (double)x[request->indices ? request->indices[i] : i] + 1;
        request->scales[i] = 4;
    }
    return SY_OK;
}

static sy_status compare(void *user, const sy_output *reference, const sy_output *candidate, sy_parity *ret_parity,
                         sy_error *err)
{
    const own_suite *suite = user;
    const float *r = reference->bytes;
    const float *c = candidate->bytes;
    (void)err;
    if (suite->judge == JUDGE_SILENT)
        return SY_OK;
    ret_parity->outcome = SY_PARITY_PASSED;
    for (int i = 0; i < N && suite->judge != JUDGE_ALWAYS_PASSES; i++) {
        if (fabsf(r[i] - c[i]) > 1e-6f) /* passes NaN: the mistake that the probe's own scan makes harmless */
            ret_parity->outcome = SY_PARITY_FAILED;
    }
    return SY_OK;
}

static const sy_implementation implementations[] = {
    {.name = "r", .role = SY_ROLE_REFERENCE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
};

static sy_probe_result *weigh_own(own_suite *own, bool by_suite, bool own_inputs)
{
    const sy_implementation candidates[] = {
        implementations[0],
        {.name = "c", .role = SY_ROLE_CANDIDATE, .error_class = own->candidate_class, .summary = "", .how_to_get = ""},
        {.name = "d", .role = SY_ROLE_CANDIDATE, .summary = "", .how_to_get = ""},
        {.name = "e", .role = SY_ROLE_CANDIDATE, .summary = "", .how_to_get = ""}};
    const sy_tolerance relaxed = {own->relaxed_c, own->relaxed_c / 12, SY_F32, NAN, NAN};
    const sy_case c = {.name = "only",
                       .weight = 1,
                       .dtype = SY_F32,
                       .source = "here",
                       .own_inputs = own_inputs,
                       .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN},
                       .relaxed = own->relaxed_c > 0 ? relaxed : (sy_tolerance){0}};
    const sy_suite suite = {.struct_size = sizeof(suite),
                            .operation = "own",
                            .version = "1",
                            .implementations = candidates,
                            .implementation_count = own->candidate_count ? own->candidate_count + 1 : 2,
                            .oracle = own->has_oracle ? oracle : NULL,
                            .cases = &c,
                            .case_count = 1,
                            .build = build,
                            .initialize = own_inputs ? initialize : NULL,
                            .compare = by_suite ? compare : NULL,
                            .user = own};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    options.rule = SY_RULE_MEDIANS; /* what is decided does not matter here */
    options.max_pairs = 3;
    options.warmup = 1;
    assert_int_equal(sy_device_open("cpu", NULL, &device, &err), SY_OK);
    if (sy_probe(device, &suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_device_close(device);
    return result;
}

static void expect(sy_probe_result *result, sy_decision decision, const char *words)
{
    if (result->decision != decision || !strstr(result->error, words))
        fail_msg("%s: %s; expected %s with '%s'", sy_decision_word(result->decision), result->error,
                 sy_decision_word(decision), words);
    sy_probe_result_destroy(result);
}

static void expect_compared(sy_probe_result *result)
{
    if (!result->completed || result->cases[0].parity.outcome != SY_PARITY_PASSED)
        fail_msg("%s: %s", sy_decision_word(result->decision), result->error);
    sy_probe_result_destroy(result);
}

static void a_suite_that_compares_by_itself_is_asked(void **state)
{
    (void)state;
    own_suite own = {.judge = JUDGE_STRICT};
    expect_compared(weigh_own(&own, true, false));
}

static void a_comparison_that_passes_everything_is_vacuous(void **state)
{
    (void)state;
    own_suite own = {.judge = JUDGE_ALWAYS_PASSES};
    expect(weigh_own(&own, true, false), SY_DECISION_VACUOUS, "passes");
}

static void a_comparison_that_says_nothing_is_a_failure(void **state)
{
    (void)state;
    own_suite own = {.judge = JUDGE_SILENT};
    expect(weigh_own(&own, true, false), SY_DECISION_PARITY_FAILED, "the suite's comparison");
}

static void nan_does_not_pass_a_comparison_that_would_let_it(void **state)
{
    (void)state;
    own_suite own = {.judge = JUDGE_LETS_NAN_THROUGH, .candidate_writes_nan = true};
    expect(weigh_own(&own, true, false), SY_DECISION_PARITY_FAILED, "nonfinite");
}

static void a_case_with_its_own_inputs_is_weighed_on_them(void **state)
{
    (void)state;
    own_suite own = {.judge = JUDGE_STRICT};
    expect_compared(weigh_own(&own, false, true));
}

static void a_reference_that_spoils_its_own_inputs_is_blamed_itself(void **state)
{
    (void)state;
    own_suite own = {.reference_spoils_inputs = true};
    expect(weigh_own(&own, false, true), SY_DECISION_PARITY_FAILED, "the reference r");
}

/* Inputs are uniform in [-1, 1): the largest value is just below 4, and 40 roundoffs of it are wrong by the usual model
 * of 16 and right by a wider one of 96. */
static void only_an_implementation_that_promises_no_more_is_held_to_the_relaxed_tolerance(void **state)
{
    (void)state;
    own_suite own = {.candidate_error = 40 * 0x1p-24F, .candidate_class = SY_CLASS_TOLERANCE, .relaxed_c = 96};
    expect_compared(weigh_own(&own, false, false));
    own = (own_suite){.candidate_error = 40 * 0x1p-24F, .candidate_class = SY_CLASS_EXACT, .relaxed_c = 96};
    expect(weigh_own(&own, false, false), SY_DECISION_PARITY_FAILED, "outside of the tolerance");
    own = (own_suite){.candidate_error = 40 * 0x1p-24F, .candidate_class = SY_CLASS_TOLERANCE};
    expect(weigh_own(&own, false, false), SY_DECISION_PARITY_FAILED, "outside of the tolerance");
    own = (own_suite){.candidate_error = 120 * 0x1p-24F, .candidate_class = SY_CLASS_TOLERANCE, .relaxed_c = 96};
    expect(weigh_own(&own, false, false), SY_DECISION_PARITY_FAILED, "outside of the tolerance");
}

static void a_relaxed_tolerance_that_allows_anything_proves_nothing(void **state)
{
    (void)state;
    own_suite own = {.candidate_class = SY_CLASS_TOLERANCE, .relaxed_c = 0x1p25};
    expect(weigh_own(&own, false, false), SY_DECISION_VACUOUS, "at its wider tolerance");
}

static void the_right_values_are_computed_once_however_many_are_held_to_them(void **state)
{
    (void)state;
    own_suite one = {.has_oracle = true};
    expect_compared(weigh_own(&one, false, false));
    own_suite three = {.has_oracle = true, .candidate_count = 3};
    expect_compared(weigh_own(&three, false, false));
    assert_int_equal(one.oracle_calls, 2); /* parity, and again on the last outputs */
    assert_int_equal(three.oracle_calls, 2);
}

static void strided_inputs_are_refused_by_name(void **state)
{
    (void)state;
    own_suite own = {.strided = true};
    expect(weigh_own(&own, false, false), SY_DECISION_PARITY_FAILED, "an input is not contiguous");
}

static void replies_that_no_worker_of_ours_would_send_are_not_believed(void **state)
{
    (void)state;
    sy_wire_request request = {.magic = SY_WIRE_MAGIC, .sequence = 5, .operation = SY_WIRE_RUN};
    sy_wire_reply reply;
    memset(&reply, 0, sizeof(reply));
    reply.magic = SY_WIRE_MAGIC;
    reply.sequence = 5;
    reply.operation = SY_WIRE_RUN;
    assert_true(sy_wire_reply_is_sound(&reply, &request));
    reply.status = 99;
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    reply.status = -1;
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    reply.status = SY_OK;
    reply.sequence = 4;
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    reply.sequence = 5;
    memset(&reply.body.run.canaries_intact, 2, 1);
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    request.operation = reply.operation = SY_WIRE_BUILD;
    memset(&reply.body, 0, sizeof(reply.body));
    assert_true(sy_wire_reply_is_sound(&reply, &request));
    reply.body.shape.input_count = SY_SUBJECT_TENSORS_MAX + 1;
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    reply.body.shape.input_count = 1; /* of rank 0 */
    assert_false(sy_wire_reply_is_sound(&reply, &request));
    request.operation = reply.operation = SY_WIRE_READ;
    request.size = 64;
    reply.size = 1 << 20;
    assert_false(sy_wire_reply_is_sound(&reply, &request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suite_that_compares_by_itself_is_asked),
        cmocka_unit_test(a_comparison_that_passes_everything_is_vacuous),
        cmocka_unit_test(a_comparison_that_says_nothing_is_a_failure),
        cmocka_unit_test(nan_does_not_pass_a_comparison_that_would_let_it),
        cmocka_unit_test(a_case_with_its_own_inputs_is_weighed_on_them),
        cmocka_unit_test(a_reference_that_spoils_its_own_inputs_is_blamed_itself),
        cmocka_unit_test(only_an_implementation_that_promises_no_more_is_held_to_the_relaxed_tolerance),
        cmocka_unit_test(a_relaxed_tolerance_that_allows_anything_proves_nothing),
        cmocka_unit_test(the_right_values_are_computed_once_however_many_are_held_to_them),
        cmocka_unit_test(strided_inputs_are_refused_by_name),
        cmocka_unit_test(replies_that_no_worker_of_ours_would_send_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
