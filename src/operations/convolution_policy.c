/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of convolution on devices: where a report held direct against im2col, and no more than that. */
#include "operations/convolution_policy.h"

#include "operations/convolution.h"

enum { HEIGHT, WIDTH, CHANNELS, FILTERS, KERNEL, GROUPS, WORK, MEASURE_COUNT };

static const char *const measures[MEASURE_COUNT] = {"height",       "width",  "channels", "filters",
                                                    "kernel width", "groups", "GFLOP"};

#define F32_OR_F16 (SY_POLICY_DTYPE(SY_F32) | SY_POLICY_DTYPE(SY_F16))

/* ggml's direct convolution on Vulkan: the decoder of a 1024 x 1024 image came out as noise on an integrated GPU. */
#define VULKAN_DIRECT                                                                      \
    "direct returned noise at 1024 x 1024: https://github.com/leejet/stable-diffusion.cpp" \
    "/issues/1673"

static const sy_policy_row rows[] = {
    /* The decoder of a 512 x 512 image by SD 1.5: 6.0 to 6.2 s with direct, 20 s with im2col; 640 instead of 1664 MB.
     * The row holds the layers that most of its work lies in. */
    {.backend = "ggml",
     .device = "ggml:Vulkan*",
     .description = "*: AMD Radeon Graphics (RADV RENOIR)",
     .dtypes = F32_OR_F16,
     .needs_less_memory = true,
     .implementation = "direct",
     .evidence = "a decoder in 6.2 instead of 20 s: https://github.com/leejet/stable-diffusion.cpp/issues/739",
     .date = "2025-07-29",
     .limit = VULKAN_DIRECT,
     .ranges = {[HEIGHT] = {128, 512},
                [WIDTH] = {128, 512},
                [CHANNELS] = {128, 512},
                [FILTERS] = {128, 512},
                [KERNEL] = {3, 3},
                [GROUPS] = {1, 1},
                [WORK] = {0, 310}}},
    /* The UNet of the same run: 3.83 s a step with im2col, 4.08 s with direct. */
    {.backend = "ggml",
     .device = "ggml:Vulkan*",
     .description = "*: AMD Radeon Graphics (RADV RENOIR)",
     .dtypes = F32_OR_F16,
     .implementation = "im2col",
     .evidence = "a UNet step in 3.83 instead of 4.08 s: https://github.com/leejet/stable-diffusion.cpp/issues/739",
     .date = "2025-07-29",
     .ranges = {[HEIGHT] = {8, 64},
                [WIDTH] = {8, 64},
                [CHANNELS] = {320, 2560},
                [FILTERS] = {320, 1280},
                [KERNEL] = {3, 3},
                [GROUPS] = {1, 1},
                [WORK] = {0, 31}}},
    /* Convolution alone, the cases of ggml's own test: direct is faster in all but the largest, a product of
     * 4096 x 4096 x 4096, so that work bounds the row beside the sizes. */
    {.backend = "ggml",
     .device = "ggml:Vulkan*",
     .description = "*: NVIDIA GeForce RTX 5090",
     .dtypes = F32_OR_F16,
     .implementation = "direct",
     .evidence = "faster in all cases but the largest: https://github.com/ggml-org/llama.cpp/pull/14933",
     .date = "2025-07-29",
     .ranges = {[HEIGHT] = {16, 224},
                [WIDTH] = {16, 224},
                [CHANNELS] = {1, 128},
                [FILTERS] = {4, 512},
                [KERNEL] = {2, 4},
                [GROUPS] = {1, 1},
                [WORK] = {0, 1.85}}},
};

static sy_status measure(const sy_case *c, double ret_values[SY_POLICY_MEASURES], sy_error *err)
{
    sy_convolution_shape shape;
    const sy_status status = sy_convolution_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    ret_values[HEIGHT] = (double)shape.height;
    ret_values[WIDTH] = (double)shape.width;
    ret_values[CHANNELS] = (double)shape.channels;
    ret_values[FILTERS] = (double)shape.filters;
    ret_values[KERNEL] = (double)shape.kernel_w;
    ret_values[GROUPS] = (double)shape.groups;
    ret_values[WORK] = 2e-9 * (double)shape.batch * (double)shape.filters * (double)shape.out_height *
                       (double)shape.out_width * (double)sy_convolution_terms(&shape);
    return SY_OK;
}

const sy_policy sy_convolution_policy = {.rows = rows,
                                         .row_count = sizeof rows / sizeof rows[0],
                                         .measures = measures,
                                         .measure_count = MEASURE_COUNT,
                                         .measure = measure};

sy_status sy_convolution_shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                                  sy_error *err)
{
    (void)user;
    (void)err;
    sy_policy_answer(&sy_convolution_policy, question, ret_shortcut);
    return SY_OK;
}
