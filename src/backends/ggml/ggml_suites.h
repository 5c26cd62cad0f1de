/* SPDX-License-Identifier: Apache-2.0 */
/* What is weighed on a device of ggml: one suite an operation, each in a file of its own, and their table. */
#ifndef STEELYARD_BACKENDS_GGML_GGML_SUITES_H
#define STEELYARD_BACKENDS_GGML_GGML_SUITES_H

#include <steelyard/suite.h>

struct ggml_tensor;

/* Each suite's implementations as the text of an initialiser, so that the testing library can put wrong ones behind
 * them. */
#define SY_GGML_ATTENTION_IMPLEMENTATIONS                                                                 \
    {.name = "plain",                                                                                     \
     .role = SY_ROLE_REFERENCE,                                                                           \
     .error_class = SY_CLASS_TOLERANCE,                                                                   \
     .summary = "mul_mat, soft_max_ext, mul_mat: all scores held; v is transposed in each run",           \
     .how_to_get = ""},                                                                                   \
        {.name = "flash",                                                                                 \
         .role = SY_ROLE_CANDIDATE,                                                                       \
         .error_class = SY_CLASS_EXACT,                                                                   \
         .summary = "flash_attn_ext, f32 precision asked for: no score matrix",                           \
         .how_to_get = ""},                                                                               \
    {                                                                                                     \
        .name = "flash-default", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_TOLERANCE,            \
        .summary = "flash_attn_ext, precision left to the device, which may add in f16", .how_to_get = "" \
    }
#define SY_GGML_CONVOLUTION_IMPLEMENTATIONS                                                                      \
    {.name = "im2col",                                                                                           \
     .role = SY_ROLE_REFERENCE,                                                                                  \
     .error_class = SY_CLASS_EXACT,                                                                              \
     .summary = "conv_2d: columns in f16, then mul_mat",                                                         \
     .how_to_get = ""},                                                                                          \
    {                                                                                                            \
        .name = "direct", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "conv_2d_direct", \
        .how_to_get = ""                                                                                         \
    }
#define SY_GGML_DEPTHWISE_IMPLEMENTATIONS                                                                           \
    {.name = "im2col",                                                                                              \
     .role = SY_ROLE_REFERENCE,                                                                                     \
     .error_class = SY_CLASS_EXACT,                                                                                 \
     .summary = "conv_2d_dw: columns in f16, then one mul_mat a channel",                                           \
     .how_to_get = ""},                                                                                             \
    {                                                                                                               \
        .name = "direct", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "conv_2d_dw_direct", \
        .how_to_get = ""                                                                                            \
    }
#define SY_GGML_CONVOLUTION_3D_IMPLEMENTATIONS                                                                   \
    {.name = "im2col",                                                                                           \
     .role = SY_ROLE_REFERENCE,                                                                                  \
     .error_class = SY_CLASS_EXACT,                                                                              \
     .summary = "conv_3d: columns in f16, then mul_mat",                                                         \
     .how_to_get = ""},                                                                                          \
    {                                                                                                            \
        .name = "direct", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "conv_3d_direct", \
        .how_to_get = ""                                                                                         \
    }

extern const sy_suite sy_ggml_attention_suite;
extern const sy_suite sy_ggml_convolution_suite;
extern const sy_suite sy_ggml_depthwise_suite;
extern const sy_suite sy_ggml_convolution_3d_suite;

/* The suites of a device; the released library's are those above (ggml_suite_table.c). */
const sy_suite *const *sy_ggml_suite_table(size_t *ret_count);

/* Whether this process runs another implementation alone: the graph is then unavailable, with that reason. */
bool sy_ggml_is_left_out(sy_graph *graph, const char *implementation);

/* Registers a tensor of ggml as the input that desc describes: its type and its dimensions, reversed, are made from
 * desc, and its name. *ret_tensor is ggml's. Errors: those of sy_ggml_input, SY_INVALID_ARGUMENT for a type that ggml
 * has not. */
sy_status sy_ggml_input_of(sy_graph *graph, const sy_tensor_desc *desc, struct ggml_tensor **ret_tensor,
                           sy_error *err) SY_NODISCARD;

/* sy_ggml_output of an output that reads `kept`, the first of its operations' results: a run makes it again only if the
 * host wrote into the device's buffers since the last one, as an engine makes a cache. Errors: as sy_ggml_output. */
sy_status sy_ggml_output_keeping(sy_graph *graph, struct ggml_tensor *kept, struct ggml_tensor *output,
                                 sy_tensor **ret_tensor, sy_error *err) SY_NODISCARD;

#endif
