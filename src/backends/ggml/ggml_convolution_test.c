/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on ggml's processor, dense, depthwise and of three dimensions: right at awkward sizes, exact where sums
 * are, what each needs of memory, and what ggml has no operation for. */
#include "ggml_cases.h"

/* Sizes around vectors; 1x1; strides, padding and dilation; kernels wider than high; more than one image; one channel.
 */
static const ggml_convolution_size dense[] = {
    {{1, 3, 9, 7, 5, 3, 3, 1, 1, 1, 1}},     {{2, 4, 8, 9, 6, 3, 3, 2, 1, 1, 1}},
    {{1, 130, 5, 6, 3, 1, 1, 1, 0, 1, 1}},   {{1, 16, 11, 13, 17, 5, 3, 1, 2, 1, 1}},
    {{1, 7, 12, 12, 4, 3, 3, 1, 4, 4, 1}},   {{3, 1, 6, 6, 1, 3, 3, 1, 0, 1, 1}},
    {{1, 33, 17, 19, 33, 3, 3, 1, 1, 1, 1}}, {{1, 3, 28, 28, 8, 14, 14, 14, 0, 1, 1}},
};
static const ggml_convolution_size depthwise[] = {
    {{1, 5, 9, 7, 5, 3, 3, 1, 1, 1, 5}},
    {{2, 16, 8, 9, 16, 3, 3, 2, 1, 1, 16}},
    {{1, 33, 13, 6, 33, 7, 7, 1, 3, 1, 33}},
    {{1, 8, 12, 12, 8, 3, 3, 1, 2, 2, 8}},
};
static const ggml_volume_size volumes[] = {
    {{1, 3, 4, 6, 5, 4, 3, 3, 3, 1, 1, 1, 1, 1, 1}},   {{2, 2, 5, 7, 6, 3, 2, 3, 3, 2, 2, 0, 1, 1, 1}},
    {{1, 16, 1, 8, 6, 33, 1, 2, 2, 1, 2, 0, 0, 1, 1}}, {{1, 2, 7, 6, 7, 2, 3, 3, 2, 1, 1, 2, 2, 2, 2}},
    {{1, 17, 3, 9, 9, 5, 3, 3, 3, 1, 1, 0, 1, 1, 1}},
};
enum {
    DENSE_COUNT = sizeof dense / sizeof dense[0],
    DEPTHWISE_COUNT = sizeof depthwise / sizeof depthwise[0],
    VOLUME_COUNT = sizeof volumes / sizeof volumes[0]
};

static const char *const implementations[] = {"im2col", "direct"};

/* Uniform data within what is allowed, small integers exact, inputs untouched, the same bits again. */
static double check(const char *operation, const sy_case *c, const char *name)
{
    ggml_job job;
    if (!start_ggml_job(&job, operation, c, name, c->dtype == SY_F16 ? GGML_THREADS : 1))
        fail_msg("%s, %s: %s", operation, name, job.reason);
    fill_ggml_job(&job, SY_FILL_REAL, false, GGML_SEED);
    run_ggml_job(&job);
    double error = ggml_job_error(&job, SY_CLASS_EXACT);
    float *first = sy_allocate(job.count, sizeof *first);
    memcpy(first, job.found, job.count * sizeof *first);
    run_ggml_job(&job);
    assert_memory_equal(first, job.found, job.count * sizeof *first);
    assert_true(ggml_inputs_are_untouched(&job));
    sy_free(first);
    const sy_fill exact[] = {SY_FILL_EXACT_LEFT, SY_FILL_EXACT_RIGHT};
    for (size_t i = 0; i < 2; i++) {
        fill_ggml_job(&job, exact[i], false, GGML_SEED);
        run_ggml_job(&job);
        uint64_t wrong = ggml_job_wrong(&job);
        if (wrong != 0)
            fail_msg("%s, %s, %s: %llu wrong", operation, name, sy_fill_word(exact[i]), (unsigned long long)wrong);
    }
    finish_ggml_job(&job);
    if (!(error <= 1))
        fail_msg("%s, %s: %.3g times what is allowed", operation, name, error);
    return error;
}

static void dense_ones_are_right_with_weights_of_both_types(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t at = 0; at < 4 * DENSE_COUNT; at++) {
        ggml_case small;
        set_convolution_case(&small, &dense[at / 4], at % 2 == 0 ? SY_F16 : SY_F32);
        worst = fmax(worst, check("convolution", &small.c, implementations[at / 2 % 2]));
    }
    print_message("worst: %.4f times what is allowed\n", worst);
}

static void depthwise_ones_are_right(void **state)
{
    (void)state;
    for (size_t at = 0; at < 2 * DEPTHWISE_COUNT; at++) {
        ggml_case small;
        set_convolution_case(&small, &depthwise[at / 2], SY_F16);
        (void)check("convolution-depthwise", &small.c, implementations[at % 2]);
    }
}

static void ones_of_three_dimensions_are_right_with_weights_of_both_types(void **state)
{
    (void)state;
    for (size_t at = 0; at < 4 * VOLUME_COUNT; at++) {
        ggml_case small;
        set_volume_case(&small, &volumes[at / 4], at % 2 == 0 ? SY_F16 : SY_F32);
        (void)check("convolution-3d", &small.c, implementations[at / 2 % 2]);
    }
}

/* conv_2d and its kin make columns of f16 whatever the weights are; the direct ones keep f32. What the fills of a case
 * hold is therefore what f16 holds; here it is not. */
static void columns_round_an_image_and_f32_weights_to_f16_and_direct_does_not(void **state)
{
    (void)state;
    double errors[2];
    for (size_t at = 0; at < 2; at++) {
        ggml_case small;
        ggml_job job;
        set_convolution_case(&small, &dense[6], SY_F32);
        small.c.rounds_inputs_to = SY_F32;
        small.c.tolerance = (sy_tolerance){16, 2, SY_F32, NAN, NAN};
        assert_true(start_ggml_job(&job, "convolution", &small.c, implementations[at], 1));
        fill_ggml_job(&job, SY_FILL_REAL, false, GGML_SEED);
        run_ggml_job(&job);
        errors[at] = ggml_job_error(&job, SY_CLASS_EXACT);
        finish_ggml_job(&job);
    }
    print_message("of f32 data: im2col %.1f, direct %.3f times what f32 products are allowed\n", errors[0], errors[1]);
    assert_true(errors[0] > 10);
    assert_true(errors[1] <= 1);
}

static uint64_t scratch_of(const char *name)
{
    const ggml_convolution_size size = {{1, 64, 64, 64, 8, 7, 7, 1, 3, 1, 1}};
    ggml_case small;
    ggml_job job;
    set_convolution_case(&small, &size, SY_F16);
    assert_true(start_ggml_job(&job, "convolution", &small.c, name, 1));
    uint64_t bytes = sy_graph_scratch_bytes(job.graph);
    finish_ggml_job(&job);
    return bytes;
}

static void im2col_holds_all_columns_and_direct_a_part(void **state)
{
    (void)state;
    const uint64_t columns = (uint64_t)64 * 64 * 64 * 49 * 2;
    assert_true(scratch_of("im2col") >= columns);
    assert_true(scratch_of("direct") < columns);
}

static void expect_unavailable(const char *operation, const sy_case *c, const char *name, const char *why)
{
    ggml_job job;
    assert_false(start_ggml_job(&job, operation, c, name, 1));
    if (strstr(job.reason, why) == NULL)
        fail_msg("%s, %s: '%s' does not say '%s'", operation, name, job.reason, why);
    finish_ggml_job(&job);
}

static void what_ggml_has_no_operation_for_is_unavailable_with_its_reason(void **state)
{
    (void)state;
    ggml_case small;
    set_convolution_case(&small, &depthwise[0], SY_F16);
    expect_unavailable("convolution", &small.c, "im2col", "one group");
    expect_unavailable("convolution", &small.c, "direct", "one group");
    set_convolution_case(&small, &dense[0], SY_F16);
    expect_unavailable("convolution-depthwise", &small.c, "direct", "as many groups");
    /* Columns of f16 times weights of f32: no product that the device has. */
    set_convolution_case(&small, &depthwise[0], SY_F32);
    expect_unavailable("convolution-depthwise", &small.c, "im2col", "MUL_MAT is not supported by CPU");
}

static void weights_of_other_types_are_refused(void **state)
{
    (void)state;
    ggml_case small;
    sy_graph *graph = NULL;
    const sy_suite *suite = NULL;
    sy_device *device = open_ggml(1);
    set_convolution_case(&small, &dense[0], SY_BF16);
    assert_int_equal(sy_device_suite(device, "convolution", &suite, NULL), SY_OK);
    assert_int_equal(sy_graph_create(device, 1 << 20, &graph, NULL), SY_OK);
    assert_int_equal(suite->build(suite->user, &small.c, 0, graph, NULL), SY_INVALID_ARGUMENT);
    sy_graph_destroy(graph);
    sy_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_ones_are_right_with_weights_of_both_types),
        cmocka_unit_test(depthwise_ones_are_right),
        cmocka_unit_test(ones_of_three_dimensions_are_right_with_weights_of_both_types),
        cmocka_unit_test(columns_round_an_image_and_f32_weights_to_f16_and_direct_does_not),
        cmocka_unit_test(im2col_holds_all_columns_and_direct_a_part),
        cmocka_unit_test(what_ggml_has_no_operation_for_is_unavailable_with_its_reason),
        cmocka_unit_test(weights_of_other_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
