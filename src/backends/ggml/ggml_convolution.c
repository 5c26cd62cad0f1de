/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on ggml, dense, depthwise and of three dimensions: the columns and product that engines have by default
 * (the reference), and ggml's direct ones. Which of them a device supports is asked in sy_ggml_output. */
#include "backends/ggml/ggml_convolution.h"

#include <ggml.h>
#include <steelyard/ggml.h>

#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "operations/convolution_policy.h"
#include "operations/engine/convolution_engine.h"

enum { IM2COL, DIRECT, OWN_COUNT };

/* Why ggml has no operation for a case. */
static const char *fault_of_groups(sy_ggml_convolution_kind kind, const sy_convolution_shape *s)
{
    if (kind == SY_GGML_DENSE && s->groups != 1) {
        return "ggml convolves in one group, or depthwise";
    }
    if (kind == SY_GGML_DEPTHWISE && (s->groups != s->channels || s->filters != s->channels)) {
        return "depthwise has as many groups and filters as channels";
    }
    return NULL;
}

sy_status sy_ggml_convolution_begin(const sy_case *c, sy_ggml_convolution_kind kind, sy_graph *graph,
                                    sy_ggml_convolution *ret_convolution, bool *ret_begun, sy_error *err)
{
    sy_ggml_convolution convolution = {.kind = kind};
    sy_tensor_desc tensors[3];
    sy_status status = SY_OK;
    if (kind == SY_GGML_DENSE_3D) {
        status = sy_convolution_3d_tensors(c, &tensors[0], &tensors[1], &tensors[2], err);
        if (status == SY_OK) {
            status = sy_convolution_3d_shape_of(c, &convolution.shape_3d, err);
        }
    } else {
        status = sy_engine_convolution_tensors(c, &tensors[0], &tensors[1], &tensors[2], err);
        if (status == SY_OK) {
            status = sy_convolution_shape_of(c, &convolution.shape, err);
        }
    }
    const char *fault = status == SY_OK ? fault_of_groups(kind, &convolution.shape) : NULL;
    if (fault != NULL) {
        sy_graph_unavailable(graph, fault);
        *ret_begun = false;
        return SY_OK;
    }
    if (status == SY_OK) {
        status = sy_ggml_context(graph, &convolution.context, err);
    }
    if (status == SY_OK) {
        status = sy_ggml_input_of(graph, &tensors[0], &convolution.source, err);
    }
    if (status == SY_OK) {
        status = sy_ggml_input_of(graph, &tensors[1], &convolution.weights, err);
    }
    if (status == SY_OK) {
        *ret_convolution = convolution;
        *ret_begun = true;
    }
    return status;
}

struct ggml_tensor *sy_ggml_convolution_im2col(const sy_ggml_convolution *convolution)
{
    const sy_convolution_3d_shape *t = &convolution->shape_3d;
    int stride = (int)convolution->shape.stride;
    int padding = (int)convolution->shape.padding;
    int dilation = (int)convolution->shape.dilation;
    switch (convolution->kind) {
    case SY_GGML_DENSE:
        return ggml_conv_2d(convolution->context, convolution->weights, convolution->source, stride, stride, padding,
                            padding, dilation, dilation);
    case SY_GGML_DEPTHWISE:
        return ggml_conv_2d_dw(convolution->context, convolution->weights, convolution->source, stride, stride, padding,
                               padding, dilation, dilation);
    case SY_GGML_DENSE_3D:
        return ggml_conv_3d(convolution->context, convolution->weights, convolution->source, t->channels,
                            (int)t->stride, (int)t->stride, (int)t->stride_d, (int)t->padding, (int)t->padding,
                            (int)t->padding_d, (int)t->dilation, (int)t->dilation, (int)t->dilation_d);
    }
    return NULL;
}

struct ggml_tensor *sy_ggml_convolution_direct(const sy_ggml_convolution *convolution)
{
    const sy_convolution_3d_shape *t = &convolution->shape_3d;
    int stride = (int)convolution->shape.stride;
    int padding = (int)convolution->shape.padding;
    int dilation = (int)convolution->shape.dilation;
    switch (convolution->kind) {
    case SY_GGML_DENSE:
        return ggml_conv_2d_direct(convolution->context, convolution->weights, convolution->source, stride, stride,
                                   padding, padding, dilation, dilation);
    case SY_GGML_DEPTHWISE:
        return ggml_conv_2d_dw_direct(convolution->context, convolution->weights, convolution->source, stride, stride,
                                      padding, padding, dilation, dilation);
    case SY_GGML_DENSE_3D:
        return ggml_conv_3d_direct(convolution->context, convolution->weights, convolution->source, (int)t->stride,
                                   (int)t->stride, (int)t->stride_d, (int)t->padding, (int)t->padding,
                                   (int)t->padding_d, (int)t->dilation, (int)t->dilation, (int)t->dilation_d,
                                   (int)t->channels, (int)t->batch, (int)t->filters);
    }
    return NULL;
}

static sy_status build(sy_ggml_convolution_kind kind, const sy_implementation *implementations, const sy_case *c,
                       uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_ggml_convolution convolution;
    sy_tensor *registered = NULL;
    bool has_begun = false;
    if (variant >= OWN_COUNT) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "convolutions on ggml have no implementation number %u", variant);
    }
    if (sy_ggml_is_left_out(graph, implementations[variant].name)) {
        return SY_OK;
    }
    sy_status status = sy_ggml_convolution_begin(c, kind, graph, &convolution, &has_begun, err);
    if (status == SY_OK && has_begun) {
        struct ggml_tensor *output = variant == IM2COL ? sy_ggml_convolution_im2col(&convolution)
                                                       : sy_ggml_convolution_direct(&convolution);
        ggml_set_name(output, "output");
        status = sy_ggml_output(graph, output, &registered, err);
    }
    return status;
}

static const sy_implementation dense[OWN_COUNT] = {SY_GGML_CONVOLUTION_IMPLEMENTATIONS};
static const sy_implementation depthwise[OWN_COUNT] = {SY_GGML_DEPTHWISE_IMPLEMENTATIONS};
static const sy_implementation dense_3d[OWN_COUNT] = {SY_GGML_CONVOLUTION_3D_IMPLEMENTATIONS};

static sy_status build_dense(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build(SY_GGML_DENSE, dense, c, variant, graph, err);
}

static sy_status build_depthwise(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build(SY_GGML_DEPTHWISE, depthwise, c, variant, graph, err);
}

static sy_status build_dense_3d(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build(SY_GGML_DENSE_3D, dense_3d, c, variant, graph, err);
}

const sy_suite sy_ggml_convolution_suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "convolution",
    .version = SY_ENGINE_CONVOLUTION_VERSION,
    .implementations = dense,
    .implementation_count = OWN_COUNT,
    .cases = sy_engine_convolution_case_table,
    .case_count = SY_ENGINE_CONVOLUTION_CASE_COUNT,
    .build = build_dense,
    .oracle = sy_engine_convolution_oracle,
    .shortcut = sy_convolution_shortcut,
    .describe = sy_ggml_describe,
    .complete = sy_engine_convolution_complete,
};

const sy_suite sy_ggml_depthwise_suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "convolution-depthwise",
    .version = SY_ENGINE_CONVOLUTION_VERSION,
    .implementations = depthwise,
    .implementation_count = OWN_COUNT,
    .cases = sy_engine_depthwise_case_table,
    .case_count = SY_ENGINE_DEPTHWISE_CASE_COUNT,
    .build = build_depthwise,
    .oracle = sy_engine_convolution_oracle,
    .shortcut = sy_convolution_shortcut,
    .describe = sy_ggml_describe,
    .complete = sy_engine_convolution_complete,
};

const sy_suite sy_ggml_convolution_3d_suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "convolution-3d",
    .version = SY_CONVOLUTION_3D_VERSION,
    .implementations = dense_3d,
    .implementation_count = OWN_COUNT,
    .cases = sy_convolution_3d_case_table,
    .case_count = SY_CONVOLUTION_3D_CASE_COUNT,
    .build = build_dense_3d,
    .oracle = sy_convolution_3d_oracle,
    .describe = sy_ggml_describe,
    .complete = sy_convolution_3d_complete,
};
