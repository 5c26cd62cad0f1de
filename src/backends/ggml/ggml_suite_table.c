/* SPDX-License-Identifier: Apache-2.0 */
/* The released library's table of suites; tests/support puts one with wrong implementations in its place. */
#include "backends/ggml/ggml_suites.h"

static const sy_suite *const suites[] = {&sy_ggml_attention_suite, &sy_ggml_convolution_suite, &sy_ggml_depthwise_suite,
                                         &sy_ggml_convolution_3d_suite};

const sy_suite *const *sy_ggml_suite_table(size_t *ret_count)
{
    *ret_count = sizeof suites / sizeof suites[0];
    return suites;
}
