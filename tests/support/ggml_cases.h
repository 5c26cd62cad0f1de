/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of any size for the suites of backend ggml. */
#ifndef STEELYARD_TESTS_GGML_CASES_H
#define STEELYARD_TESTS_GGML_CASES_H

#include "ggml_job.h"

#include "operations/engine/attention_engine.h"
#include "operations/engine/convolution_3d.h"
#include "operations/engine/convolution_engine.h"

typedef struct ggml_case {
    sy_case_property properties[GGML_PROPERTIES_MAX];
    sy_case c;
} ggml_case;

static inline void set_ggml_case(ggml_case *to, const char *const *names, const int64_t *values, size_t count)
{
    assert_true(count <= GGML_PROPERTIES_MAX);
    for (size_t i = 0; i < count; i++) {
        to->properties[i] = (sy_case_property){names[i], values[i]};
    }
    to->c = (sy_case){
        .name = "small", .weight = 1, .properties = to->properties, .property_count = count, .source = ""};
}

/* What a test says of an attention: the properties in order. */
typedef struct ggml_attention_size {
    int64_t batch, heads, kv_heads, queries, keys, head_dim, causal, mask;
} ggml_attention_size;

static inline void set_attention_case(ggml_case *to, const ggml_attention_size *s, sy_dtype dtype)
{
    static const char *const names[] = {"batch",    "heads",  "kv_heads", "queries",    "keys",
                                        "head_dim", "causal", "mask",     "masked_rows"};
    const int64_t values[] = {s->batch, s->heads, s->kv_heads, s->queries, s->keys, s->head_dim, s->causal, s->mask, 0};
    double root = dtype == SY_F16 ? ceil(sqrt((double)s->keys)) : 1;
    set_ggml_case(to, names, values, 9);
    to->c.dtype = dtype;
    to->c.rounds_inputs_to = dtype;
    to->c.tolerance = (sy_tolerance){1, 1, SY_F32, NAN, NAN};
    to->c.relaxed = (sy_tolerance){root, fmax(1, root / 4), SY_F32, NAN, NAN};
    to->c.own_inputs = s->causal || s->mask;
    to->c.flop_count = 4.0 * (double)(s->batch * s->heads * s->queries * s->keys * s->head_dim);
}

/* What a test says of a convolution of two dimensions: the properties in order. */
typedef struct ggml_convolution_size {
    int64_t values[11];
} ggml_convolution_size;

static inline void set_convolution_case(ggml_case *to, const ggml_convolution_size *s, sy_dtype dtype)
{
    static const char *const names[] = {"batch",    "channels", "height",  "width",    "filters", "kernel_h",
                                        "kernel_w", "stride",   "padding", "dilation", "groups"};
    set_ggml_case(to, names, s->values, 11);
    to->c.dtype = dtype;
    to->c.rounds_inputs_to = SY_F16;
    to->c.tolerance = (sy_tolerance){4, 1, SY_F16, NAN, NAN};
    to->c.exact_stage = to->c.exact_overlap = true;
    to->c.exact_length = (uint64_t)(s->values[1] / s->values[10] * s->values[5] * s->values[6]);
}

/* The same of three dimensions. */
typedef struct ggml_volume_size {
    int64_t values[15];
} ggml_volume_size;

static inline void set_volume_case(ggml_case *to, const ggml_volume_size *s, sy_dtype dtype)
{
    static const char *const names[] = {"batch",   "channels",  "depth",    "height",     "width",
                                        "filters", "kernel_d",  "kernel_h", "kernel_w",   "stride_d",
                                        "stride",  "padding_d", "padding",  "dilation_d", "dilation"};
    set_ggml_case(to, names, s->values, 15);
    to->c.dtype = dtype;
    to->c.rounds_inputs_to = SY_F16;
    to->c.tolerance = (sy_tolerance){4, 1, SY_F16, NAN, NAN};
    to->c.exact_stage = to->c.exact_overlap = true;
    to->c.exact_length = (uint64_t)(s->values[1] * s->values[6] * s->values[7] * s->values[8]);
}

#endif
