/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine brings: its own two ways to compute softmax(q k^T / sqrt(width)) v, single head, f32, and the suite
 * that lets them be weighed. Part of embed_select.c, apart from the call that it shows. */
#ifndef ENGINE_ATTENTION_H
#define ENGINE_ATTENTION_H

#include <math.h>
#include <stdlib.h>
#include <steelyard/steelyard.h>

#define WIDTH_MAX 256

static float dot(const float *a, const float *b, int64_t n)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Keeps a row of scores: three passes over the keys. */
static void attend_plain(const float *q, const float *k, const float *v, float *out, int64_t tokens, int64_t width)
{
    float *scores = malloc((size_t)tokens * sizeof(*scores));
    for (int64_t i = 0; scores && i < tokens; i++) {
        float largest = -INFINITY;
        float sum = 0;
        for (int64_t j = 0; j < tokens; j++) {
            scores[j] = dot(q + i * width, k + j * width, width) / sqrtf((float)width);
            largest = fmaxf(largest, scores[j]);
        }
        for (int64_t j = 0; j < tokens; j++)
            sum += scores[j] = expf(scores[j] - largest);
        for (int64_t d = 0; d < width; d++)
            out[i * width + d] = 0;
        for (int64_t j = 0; j < tokens; j++) {
            for (int64_t d = 0; d < width; d++)
                out[i * width + d] += scores[j] / sum * v[j * width + d];
        }
    }
    free(scores);
}

/* Keeps a running maximum and sum: one pass, no row of scores (Milakov and Gimelshein, arXiv:1805.02867). */
static void attend_flash(const float *q, const float *k, const float *v, float *out, int64_t tokens, int64_t width)
{
    float sums[WIDTH_MAX];
    for (int64_t i = 0; i < tokens; i++) {
        float largest = -INFINITY;
        float sum = 0;
        for (int64_t d = 0; d < width; d++)
            sums[d] = 0;
        for (int64_t j = 0; j < tokens; j++) {
            float score = dot(q + i * width, k + j * width, width) / sqrtf((float)width);
            if (score > largest) {
                float scale = expf(largest - score);
                largest = score;
                sum *= scale;
                for (int64_t d = 0; d < width; d++)
                    sums[d] *= scale;
            }
            float weight = expf(score - largest);
            sum += weight;
            for (int64_t d = 0; d < width; d++)
                sums[d] += weight * v[j * width + d];
        }
        for (int64_t d = 0; d < width; d++)
            out[i * width + d] = sums[d] / sum;
    }
}

typedef struct work {
    sy_tensor *inputs[3];
    sy_tensor *output;
    int64_t tokens;
    int64_t width;
    bool flash;
} work;

static sy_status run(void *state, sy_error *err)
{
    const work *w = state;
    (void)err;
    (w->flash ? attend_flash : attend_plain)(sy_tensor_address(w->inputs[0]), sy_tensor_address(w->inputs[1]),
                                             sy_tensor_address(w->inputs[2]), sy_tensor_address(w->output), w->tokens,
                                             w->width);
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    static const char *const names[] = {"q", "k", "v"};
    work *w = sy_graph_metadata(graph, sizeof(*w));
    (void)user;
    if (!w)
        return SY_NO_MEMORY;
    sy_status status = sy_case_get(c, "tokens", &w->tokens, err);
    if (!status)
        status = sy_case_get(c, "width", &w->width, err);
    if (status)
        return status;
    if (w->width > WIDTH_MAX) {
        sy_graph_unavailable(graph, "heads wider than 256");
        return SY_OK;
    }
    w->flash = variant == 1;
    sy_tensor_desc desc = {.dtype = SY_F32, .rank = 2, .dims = {w->tokens, w->width}};
    for (int i = 0; !status && i < 3; i++) {
        desc.name = names[i];
        status = sy_graph_input(graph, &desc, &w->inputs[i], err);
    }
    desc.name = "out";
    if (!status)
        status = sy_graph_output(graph, &desc, &w->output, err);
    if (!status)
        sy_graph_on_run(graph, run, NULL, w);
    return status;
}

static const sy_implementation implementations[] = {
    {.name = "plain",
     .role = SY_ROLE_REFERENCE,
     .error_class = SY_CLASS_EXACT,
     .summary = "a row of scores",
     .how_to_get = ""},
    {.name = "flash",
     .role = SY_ROLE_CANDIDATE,
     .error_class = SY_CLASS_EXACT,
     .summary = "a running maximum",
     .how_to_get = ""},
};

/* An engine asks with the shapes of its model; this one stands for them where nobody asks. */
static const sy_case_property small[] = {{"tokens", 256}, {"width", 64}};
static const sy_case cases[] = {
    {.name = "small",
     .weight = 1,
     .quick = true,
     .dtype = SY_F32,
     .properties = small,
     .property_count = 2,
     .source = "this example",
     .tolerance = {.c = 64, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN}}};

static const sy_suite attention_suite = {.struct_size = sizeof(sy_suite),
                                         .operation = "attention",
                                         .version = "engine-1",
                                         .implementations = implementations,
                                         .implementation_count = 2,
                                         .cases = cases,
                                         .case_count = 1,
                                         .build = build};

#endif
