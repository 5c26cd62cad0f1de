/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on ggml: the product, softmax and product that an engine builds (the reference), and ggml's own flash
 * attention. Which of them a device supports is asked operation by operation in sy_ggml_output. */
#include "backends/ggml/ggml_attention.h"

#include <ggml.h>
#include <math.h>
#include <steelyard/ggml.h>

#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "operations/attention_policy.h"
#include "operations/engine/attention_engine.h"

enum { PLAIN, FLASH, FLASH_DEFAULT, OWN_COUNT };

static const sy_implementation implementations[OWN_COUNT] = {SY_GGML_ATTENTION_IMPLEMENTATIONS};

sy_status sy_ggml_attention_begin(const sy_case *c, sy_graph *graph, sy_ggml_attention *ret_attention, sy_error *err)
{
    sy_engine_attention_tensors tensors;
    sy_ggml_attention attention = {0};
    struct ggml_tensor *inputs[4] = {NULL};
    sy_status status = sy_engine_attention_tensors_of(c, &tensors, err);
    if (status == SY_OK) {
        status = sy_ggml_context(graph, &attention.context, err);
    }
    for (size_t i = 0; status == SY_OK && i < tensors.input_count; i++) {
        status = sy_ggml_input_of(graph, &tensors.inputs[i], &inputs[i], err);
    }
    if (status == SY_OK) {
        attention.q = inputs[0];
        attention.k = inputs[1];
        attention.v = inputs[2];
        attention.mask = inputs[3];
        attention.scale = (float)(1 / sqrt((double)tensors.inputs[0].dims[3]));
        *ret_attention = attention;
    }
    return status;
}

struct ggml_tensor *sy_ggml_attention_plain(const sy_ggml_attention *attention, struct ggml_tensor **ret_values)
{
    struct ggml_context *context = attention->context;
    struct ggml_tensor *scores = ggml_mul_mat(context, attention->k, attention->q);
    ggml_mul_mat_set_prec(scores, GGML_PREC_F32);
    struct ggml_tensor *weights = ggml_soft_max_ext(context, scores, attention->mask, attention->scale, 0);
    struct ggml_tensor *values = ggml_cont(context, ggml_transpose(context, attention->v));
    struct ggml_tensor *sums = ggml_mul_mat(context, values, weights);
    *ret_values = values;
    return ggml_cont(context, ggml_permute(context, sums, 0, 2, 1, 3));
}

struct ggml_tensor *sy_ggml_attention_flash(const sy_ggml_attention *attention, bool is_f32_precision)
{
    struct ggml_tensor *sums = ggml_flash_attn_ext(attention->context, attention->q, attention->k, attention->v,
                                                   attention->mask, attention->scale, 0, 0);
    ggml_flash_attn_ext_set_prec(sums, is_f32_precision ? GGML_PREC_F32 : GGML_PREC_DEFAULT);
    return sums;
}

/* v comes as flash takes it and as a projection leaves it; the product needs it transposed. A language model's engine
 * keeps it so in its cache, and pays for each new key once; elsewhere that is a part of each run (docs/ggml.md). */
static sy_status build_plain(const sy_case *c, const sy_ggml_attention *attention, sy_graph *graph,
                             sy_tensor **ret_output, sy_error *err)
{
    sy_attention_shape shape = {0};
    struct ggml_tensor *values = NULL;
    struct ggml_tensor *o = sy_ggml_attention_plain(attention, &values);
    ggml_set_name(o, "o");
    sy_status status = sy_attention_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    return shape.causal ? sy_ggml_output_keeping(graph, values, o, ret_output, err)
                        : sy_ggml_output(graph, o, ret_output, err);
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    sy_ggml_attention attention;
    sy_tensor *output = NULL;
    if (variant >= OWN_COUNT) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "attention on ggml has no implementation number %u", variant);
    }
    if (sy_ggml_is_left_out(graph, implementations[variant].name)) {
        return SY_OK;
    }
    sy_status status = sy_ggml_attention_begin(c, graph, &attention, err);
    if (status == SY_OK && variant == PLAIN) {
        status = build_plain(c, &attention, graph, &output, err);
    } else if (status == SY_OK) {
        struct ggml_tensor *o = sy_ggml_attention_flash(&attention, variant == FLASH);
        ggml_set_name(o, "o");
        status = sy_ggml_output(graph, o, &output, err);
    }
    return status;
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    (void)user;
    (void)variant;
    return sy_graph_fill_inputs(graph, c, seed, sy_engine_attention_fill, err);
}

const sy_suite sy_ggml_attention_suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "attention",
    .version = SY_ENGINE_ATTENTION_VERSION,
    .implementations = implementations,
    .implementation_count = OWN_COUNT,
    .cases = sy_engine_attention_case_table,
    .case_count = SY_ENGINE_ATTENTION_CASE_COUNT,
    .build = build,
    .initialize = initialize,
    .oracle = sy_engine_attention_oracle,
    .shortcut = sy_attention_shortcut,
    .describe = sy_ggml_describe,
    .complete = sy_engine_attention_complete,
};
