/* SPDX-License-Identifier: Apache-2.0 */
/* Small convolutions of every kind for tests: tails, borders, strides, dilation, groups; and cases made of them. */
#ifndef STEELYARD_TESTS_CONVOLUTION_SHAPES_H
#define STEELYARD_TESTS_CONVOLUTION_SHAPES_H

#include <math.h>

#include "operations/convolution.h"

enum { CONVOLUTION_PROPERTIES = 11, ODD_CONVOLUTION_COUNT = 19 };

/* batch, channels, height, width, filters, kernel_h, kernel_w, stride, padding, dilation, groups */
static const int64_t odd_convolutions[ODD_CONVOLUTION_COUNT][CONVOLUTION_PROPERTIES] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},      /* the least */
    {1, 3, 5, 6, 2, 3, 3, 1, 0, 1, 1},      /* no padding */
    {2, 5, 7, 9, 13, 3, 3, 1, 1, 1, 1},     /* tails in channels and filters, two images */
    {1, 17, 14, 14, 25, 3, 3, 1, 1, 1, 1},  /* more filters than two blocks of 12 */
    {1, 16, 8, 8, 24, 1, 1, 1, 0, 1, 1},    /* 1x1 */
    {1, 33, 9, 7, 19, 1, 1, 2, 0, 1, 1},    /* strided 1x1 */
    {1, 3, 23, 21, 16, 7, 7, 2, 3, 1, 1},   /* the first layer of ResNet, smaller */
    {1, 6, 13, 11, 8, 3, 3, 3, 2, 1, 1},    /* stride 3, more padding than the kernel needs */
    {1, 4, 15, 17, 5, 3, 3, 1, 4, 4, 1},    /* dilation */
    {1, 4, 16, 15, 6, 3, 3, 2, 2, 3, 1},    /* dilation and stride */
    {1, 7, 9, 8, 7, 3, 3, 1, 1, 1, 7},      /* depthwise */
    {2, 10, 11, 10, 10, 3, 3, 2, 1, 1, 10}, /* depthwise, strided, two images */
    {1, 6, 6, 5, 12, 3, 3, 1, 1, 1, 6},     /* two filters a channel */
    {1, 8, 10, 9, 12, 3, 3, 1, 1, 1, 4},    /* groups */
    {1, 2, 9, 30, 3, 5, 2, 1, 2, 1, 1},     /* a kernel that is not square */
    {1, 130, 6, 6, 3, 3, 3, 1, 1, 1, 1},    /* more channels than a block, few filters */
    {1, 3, 3, 70, 4, 3, 3, 1, 1, 1, 1},     /* flat */
    {1, 5, 4, 4, 3, 4, 4, 1, 0, 1, 1},      /* one output a plane */
    {1, 1200, 5, 5, 13, 2, 2, 1, 1, 1, 1},  /* K above 4096 */
};

static inline sy_case convolution_case_of(const int64_t shape[CONVOLUTION_PROPERTIES],
                                          sy_case_property properties[CONVOLUTION_PROPERTIES])
{
    static const char *const names[] = {"batch",    "channels", "height",  "width",    "filters", "kernel_h",
                                        "kernel_w", "stride",   "padding", "dilation", "groups"};
    sy_case c = {.name = "odd", .weight = 1, .dtype = SY_F32, .exact_stage = true, .exact_overlap = true};
    for (size_t i = 0; i < CONVOLUTION_PROPERTIES; i++) {
        properties[i] = (sy_case_property){names[i], shape[i]};
    }
    c.properties = properties;
    c.property_count = CONVOLUTION_PROPERTIES;
    c.exact_length = (uint64_t)(shape[1] / shape[10] * shape[5] * shape[6]);
    c.tolerance = (sy_tolerance){16, 2, SY_F32, NAN, NAN};
    return c;
}

#endif
