/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of convolution: each holds where it was shown and not beyond, and noise that was reported at high
 * resolution is never assumed away. */
#include "operations/convolution_policy.h"

#include "operations/convolution.h"
#include "policy_rows.h"

typedef struct shape {
    int64_t batch, channels, size, filters, kernel, groups;
} shape;

static sy_shortcut ask(const sy_device_info *device, shape s)
{
    const sy_case_property properties[] = {
        {"batch", s.batch},        {"channels", s.channels}, {"height", s.size},     {"width", s.size},
        {"filters", s.filters},    {"kernel_h", s.kernel},   {"kernel_w", s.kernel}, {"stride", 1},
        {"padding", s.kernel / 2}, {"dilation", 1},          {"groups", s.groups}};
    const sy_case asked = {
        .name = "asked", .weight = 1, .dtype = SY_F32, .properties = properties, .property_count = 11};
    const sy_shortcut_question question = {.device = device, .cases = &asked, .case_count = 1};
    sy_shortcut answer;
    assert_int_equal(sy_convolution_shortcut(NULL, &question, &answer, NULL), SY_OK);
    return answer;
}

static sy_device_info vulkan(const char *description)
{
    sy_device_info device = {.name = "ggml:Vulkan0", .backend = "ggml"};
    (void)snprintf(device.description, sizeof device.description, "ggml 0.23.0 (80fb11a), Vulkan0: %s", description);
    return device;
}

static void every_row_has_a_source_a_date_and_bounds(void **state)
{
    (void)state;
    static const char *const names[] = {"im2col", "direct", NULL};
    expect_rows_well_formed(&sy_convolution_policy, names);
}

/* Layers of SD 1.5 at 512 x 512, and cases of ggml's own test, where each report saw them. */
static void what_was_reported_is_answered(void **state)
{
    (void)state;
    const sy_device_info renoir = vulkan("AMD Radeon Graphics (RADV RENOIR)");
    const sy_device_info rtx5090 = vulkan("NVIDIA GeForce RTX 5090");
    const struct {
        const sy_device_info *device;
        shape s;
        const char *expected;
    } cases[] = {
        {&renoir, {1, 512, 128, 512, 3, 1}, "direct"}, {&renoir, {1, 256, 512, 256, 3, 1}, "direct"},
        {&renoir, {1, 128, 512, 128, 3, 1}, "direct"}, {&renoir, {1, 320, 64, 320, 3, 1}, "im2col"},
        {&renoir, {1, 1280, 8, 1280, 3, 1}, "im2col"}, {&renoir, {1, 2560, 16, 1280, 3, 1}, "im2col"},
        {&rtx5090, {8, 32, 58, 64, 3, 1}, "direct"},   {&rtx5090, {1, 3, 224, 8, 3, 1}, "direct"},
        {&rtx5090, {16, 8, 19, 128, 4, 1}, "direct"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sy_shortcut answer = ask(cases[i].device, cases[i].s);
        if (!answer.implementation) {
            fail_msg("case %zu: %s", i, answer.reason);
        }
        assert_string_equal(answer.implementation, cases[i].expected);
    }
}

static void what_was_reported_to_be_the_other_way_round_is_probed(void **state)
{
    (void)state;
    const sy_device_info rtx5090 = vulkan("NVIDIA GeForce RTX 5090");
    /* The one case of that test where im2col was faster; then one of the same work with sizes inside the row. */
    assert_null(ask(&rtx5090, (shape){16, 256, 19, 4096, 4, 1}).implementation);
    const sy_shortcut work = ask(&rtx5090, (shape){16, 128, 19, 512, 4, 1});
    assert_null(work.implementation);
    assert_non_null(strstr(work.reason, "GFLOP"));
    assert_null(ask(&rtx5090, (shape){1, 128, 112, 128, 3, 128}).implementation); /* depthwise: nobody looked */
}

/* https://github.com/leejet/stable-diffusion.cpp/issues/1673: Vulkan, --vae-conv-direct, noise at 1024 x 1024. */
static void the_kernel_that_returns_noise_at_high_resolution_is_not_assumed(void **state)
{
    (void)state;
    const sy_device_info device = vulkan("AMD Radeon Graphics (RADV RENOIR)");
    const sy_shortcut answer = ask(&device, (shape){1, 128, 1024, 128, 3, 1});
    assert_null(answer.implementation);
    assert_non_null(strstr(answer.reason, "height 1024 is above the largest proven one, 512"));
    assert_non_null(strstr(answer.reason, "direct returned noise at 1024 x 1024"));
    assert_non_null(strstr(answer.reason, "/issues/1673)")); /* whole: the reason was not cut */
}

static void a_shape_that_cannot_be_read_is_a_reason_and_no_error(void **state)
{
    (void)state;
    const sy_device_info device = vulkan("AMD Radeon Graphics (RADV RENOIR)");
    const sy_shortcut answer = ask(&device, (shape){1, 128, 512, 128, 3, 7});
    assert_null(answer.implementation);
    assert_non_null(strstr(answer.reason, "7 groups do not divide"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_source_a_date_and_bounds),
        cmocka_unit_test(what_was_reported_is_answered),
        cmocka_unit_test(what_was_reported_to_be_the_other_way_round_is_probed),
        cmocka_unit_test(the_kernel_that_returns_noise_at_high_resolution_is_not_assumed),
        cmocka_unit_test(a_shape_that_cannot_be_read_is_a_reason_and_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
