/* SPDX-License-Identifier: Apache-2.0 */
/* The testing library's suites of the ggml backend: those of the released one, with wrong implementations behind the
 * real ones, each built of ggml's own operations with one fault. */
#include <ggml.h>
#include <math.h>
#include <steelyard/ggml.h>

#include "backends/ggml/ggml_attention.h"
#include "backends/ggml/ggml_convolution.h"
#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "operations/engine/attention_engine.h"
#include "operations/engine/convolution_engine.h"

/* Outputs beyond so many elements lose their last ones, as from a kernel whose grid is too small. */
#define ZEROED_FROM 2048
#define ZEROED_PART 16

typedef struct ggml_tensor *tensor;
typedef struct ggml_context *context;

/* ---- faults of any output ---- */

/* The first elements, then as many zeros as are missing. */
static tensor without_tail(context at, tensor output)
{
    int64_t count = ggml_nelements(output);
    int64_t lost = count >= ZEROED_FROM ? count / ZEROED_PART : 0;
    if (lost == 0)
        return output;
    tensor flat = ggml_reshape_1d(at, output, count);
    tensor kept = ggml_view_1d(at, flat, count - lost, 0);
    tensor tail = ggml_view_1d(at, flat, lost, (size_t)(count - lost) * sizeof(float));
    tensor zeros = ggml_scale(at, tail, 0);
    return ggml_reshape_4d(at, ggml_concat(at, kept, zeros, 0), output->ne[0], output->ne[1], output->ne[2],
                           output->ne[3]);
}

static tensor all_nan(context at, tensor output)
{
    return ggml_scale(at, output, NAN);
}

/* As a kernel whose index is off by one leaves it. */
static tensor moved(context at, tensor output)
{
    return ggml_roll(at, output, 1, 0, 0, 0);
}

/* ---- attention: flash, which is held to f32 sums, with one fault ---- */

static tensor first_keys(const sy_ggml_attention *a, tensor from, int64_t keys)
{
    tensor view = ggml_view_4d(a->context, from, from->ne[0], keys, from->ne[2], from->ne[3], from->nb[1], from->nb[2],
                               from->nb[3], 0);
    return ggml_cont(a->context, view);
}

static tensor without_last_key(const sy_ggml_attention *a)
{
    sy_ggml_attention less = *a;
    int64_t keys = a->k->ne[1] - 1;
    less.k = first_keys(a, a->k, keys);
    less.v = first_keys(a, a->v, keys);
    if (a->mask)
        less.mask = ggml_cont(a->context, ggml_view_4d(a->context, a->mask, keys, a->mask->ne[1], 1, 1, a->mask->nb[1],
                                                       a->mask->nb[2], a->mask->nb[3], 0));
    return sy_ggml_attention_flash(&less, true);
}

static tensor with_wrong_scale(const sy_ggml_attention *a)
{
    sy_ggml_attention off = *a;
    off.scale = a->scale * a->scale;
    return sy_ggml_attention_flash(&off, true);
}

/* The keys of the head before. */
static tensor with_wrong_heads(const sy_ggml_attention *a)
{
    sy_ggml_attention off = *a;
    tensor wide = ggml_roll(a->context, ggml_cast(a->context, a->k, GGML_TYPE_F32), 0, 0, 1, 0);
    off.k = ggml_cast(a->context, wide, a->k->type);
    return sy_ggml_attention_flash(&off, true);
}

static tensor with_mask_ignored(const sy_ggml_attention *a)
{
    sy_ggml_attention off = *a;
    off.mask = NULL;
    return sy_ggml_attention_flash(&off, true);
}

/* Values of eight bits. */
static tensor with_bf16_values(const sy_ggml_attention *a)
{
    sy_ggml_attention off = *a;
    tensor wide = ggml_cast(a->context, ggml_cast(a->context, a->v, GGML_TYPE_BF16), GGML_TYPE_F32);
    off.v = ggml_cast(a->context, wide, a->v->type);
    return sy_ggml_attention_flash(&off, true);
}

static tensor attention_without_tail(const sy_ggml_attention *a)
{
    return without_tail(a->context, sy_ggml_attention_flash(a, true));
}

static tensor attention_moved(const sy_ggml_attention *a)
{
    return moved(a->context, sy_ggml_attention_flash(a, true));
}

static tensor attention_nan(const sy_ggml_attention *a)
{
    tensor values = NULL;
    return all_nan(a->context, sy_ggml_attention_plain(a, &values));
}

/* ---- convolutions ---- */

/* The kernel's taps one place further. */
static tensor with_shifted_taps(const sy_ggml_convolution *c)
{
    sy_ggml_convolution off = *c;
    off.source = ggml_roll(c->context, c->source, 1, 0, 0, 0);
    return sy_ggml_convolution_im2col(&off);
}

/* The last channel of the image is 0; of three dimensions its last frame too is one of them. */
static tensor without_last_channel(const sy_ggml_convolution *c)
{
    sy_ggml_convolution off = *c;
    context at = c->context;
    tensor s = c->source;
    int axis = c->kind == SY_GGML_DENSE_3D ? 3 : 2;
    int64_t kept[4] = {s->ne[0], s->ne[1], s->ne[2], s->ne[3]};
    int64_t last[4] = {s->ne[0], s->ne[1], s->ne[2], s->ne[3]};
    kept[axis]--;
    last[axis] = 1;
    tensor zeros = ggml_scale(
        at, ggml_cont(at, ggml_view_4d(at, s, last[0], last[1], last[2], last[3], s->nb[1], s->nb[2], s->nb[3], 0)), 0);
    if (kept[axis] == 0) {
        off.source = zeros;
    } else {
        tensor rest = ggml_cont(
            at, ggml_view_4d(at, s, kept[0], kept[1], kept[2], kept[3], s->nb[1], s->nb[2], s->nb[3], 0));
        off.source = ggml_concat(at, rest, zeros, axis);
    }
    return sy_ggml_convolution_im2col(&off);
}

static tensor convolution_without_tail(const sy_ggml_convolution *c)
{
    return without_tail(c->context, sy_ggml_convolution_direct(c));
}

static tensor convolution_moved(const sy_ggml_convolution *c)
{
    return moved(c->context, sy_ggml_convolution_direct(c));
}

static tensor convolution_nan(const sy_ggml_convolution *c)
{
    return all_nan(c->context, sy_ggml_convolution_direct(c));
}

/* The image of eight bits. */
static tensor with_bf16_image(const sy_ggml_convolution *c)
{
    sy_ggml_convolution off = *c;
    off.source = ggml_cast(c->context, ggml_cast(c->context, c->source, GGML_TYPE_BF16), GGML_TYPE_F32);
    return sy_ggml_convolution_im2col(&off);
}

/* ---- the tables ---- */

#define MUTANT(name_, summary_)                                                                           \
    {                                                                                                     \
        .name = (name_), .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = (summary_), \
        .how_to_get = "", .only_if_named = true                                                           \
    }

#define ATTENTION_MUTANT_LIST(X)                                                             \
    X("mutant-key-tail", "drops the last key", without_last_key)                             \
    X("mutant-wrong-scale", "divides by the head's width", with_wrong_scale)                 \
    X("mutant-wrong-heads", "takes another head's keys", with_wrong_heads)                   \
    X("mutant-mask-ignored", "reads no mask", with_mask_ignored)                             \
    X("mutant-bf16-values", "rounds v to 8 bits", with_bf16_values)                          \
    X("mutant-zeroed-tail", "leaves the end of a large output zero", attention_without_tail) \
    X("mutant-moved", "writes each row one element further", attention_moved)                \
    X("mutant-nan", "gives NaN", attention_nan)
#define CONVOLUTION_MUTANT_LIST(X)                                                             \
    X("mutant-shifted-taps", "reads one column further", with_shifted_taps)                    \
    X("mutant-channel-tail", "drops the last channel", without_last_channel)                   \
    X("mutant-zeroed-tail", "leaves the end of a large output zero", convolution_without_tail) \
    X("mutant-moved", "writes each row one element further", convolution_moved)                \
    X("mutant-bf16-image", "rounds the image to 8 bits", with_bf16_image)                      \
    X("mutant-nan", "gives NaN", convolution_nan)

#define AS_IMPLEMENTATION(name_, summary_, build_) MUTANT(name_, summary_),
#define AS_BUILD(name_, summary_, build_) build_,

static tensor (*const attention_builds[])(const sy_ggml_attention *) = {ATTENTION_MUTANT_LIST(AS_BUILD)};
static tensor (*const convolution_builds[])(const sy_ggml_convolution *) = {CONVOLUTION_MUTANT_LIST(AS_BUILD)};

static const sy_implementation attention_implementations[] = {SY_GGML_ATTENTION_IMPLEMENTATIONS,
                                                              ATTENTION_MUTANT_LIST(AS_IMPLEMENTATION)};
static const sy_implementation convolution_implementations[] = {SY_GGML_CONVOLUTION_IMPLEMENTATIONS,
                                                                CONVOLUTION_MUTANT_LIST(AS_IMPLEMENTATION)};
static const sy_implementation depthwise_implementations[] = {SY_GGML_DEPTHWISE_IMPLEMENTATIONS,
                                                              CONVOLUTION_MUTANT_LIST(AS_IMPLEMENTATION)};
static const sy_implementation convolution_3d_implementations[] = {SY_GGML_CONVOLUTION_3D_IMPLEMENTATIONS,
                                                                   CONVOLUTION_MUTANT_LIST(AS_IMPLEMENTATION)};

#define COUNT(list_) (sizeof(list_) / sizeof(list_)[0])
enum {
    ATTENTION_OWN = COUNT(attention_implementations) - COUNT(attention_builds),
    CONVOLUTION_OWN = COUNT(convolution_implementations) - COUNT(convolution_builds)
};

static sy_status build_attention(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_ggml_attention attention;
    sy_tensor *output = NULL;
    if (variant >= COUNT(attention_implementations))
        return sy_fail(err, SY_INVALID_ARGUMENT, "attention on ggml has no implementation number %u", variant);
    if (variant < ATTENTION_OWN)
        return sy_ggml_attention_suite.build(user, c, variant, graph, err);
    if (sy_ggml_is_left_out(graph, attention_implementations[variant].name))
        return SY_OK;
    sy_status status = sy_ggml_attention_begin(c, graph, &attention, err);
    if (!status)
        status = sy_ggml_output(graph, attention_builds[variant - ATTENTION_OWN](&attention), &output, err);
    return status;
}

static sy_status build_convolution(sy_ggml_convolution_kind kind, const sy_suite *real, const sy_case *c,
                                   uint32_t variant, sy_graph *graph, sy_error *err)
{
    sy_ggml_convolution convolution;
    sy_tensor *output = NULL;
    bool has_begun = false;
    if (variant >= COUNT(convolution_implementations))
        return sy_fail(err, SY_INVALID_ARGUMENT, "convolutions on ggml have no implementation number %u", variant);
    if (variant < CONVOLUTION_OWN)
        return real->build(NULL, c, variant, graph, err);
    if (sy_ggml_is_left_out(graph, convolution_implementations[variant].name))
        return SY_OK;
    sy_status status = sy_ggml_convolution_begin(c, kind, graph, &convolution, &has_begun, err);
    if (!status && has_begun)
        status = sy_ggml_output(graph, convolution_builds[variant - CONVOLUTION_OWN](&convolution), &output, err);
    return status;
}

static sy_status build_dense(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build_convolution(SY_GGML_DENSE, &sy_ggml_convolution_suite, c, variant, graph, err);
}

static sy_status build_depthwise(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build_convolution(SY_GGML_DEPTHWISE, &sy_ggml_depthwise_suite, c, variant, graph, err);
}

static sy_status build_dense_3d(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    return build_convolution(SY_GGML_DENSE_3D, &sy_ggml_convolution_3d_suite, c, variant, graph, err);
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    return sy_ggml_attention_suite.initialize(user, c, variant, seed, graph, err);
}

static const sy_suite attention = {
    .struct_size = sizeof(sy_suite),
    .operation = "attention",
    .version = SY_ENGINE_ATTENTION_VERSION,
    .implementations = attention_implementations,
    .implementation_count = COUNT(attention_implementations),
    .cases = sy_engine_attention_case_table,
    .case_count = SY_ENGINE_ATTENTION_CASE_COUNT,
    .build = build_attention,
    .initialize = initialize,
    .oracle = sy_engine_attention_oracle,
    .describe = sy_ggml_describe,
};

#define CONVOLUTION_SUITE(operation_, version_, implementations_, cases_, count_, build_, oracle_)                 \
    {                                                                                                              \
        .struct_size = sizeof(sy_suite), .operation = (operation_), .version = (version_),                         \
        .implementations = (implementations_), .implementation_count = COUNT(implementations_), .cases = (cases_), \
        .case_count = (count_), .build = (build_), .oracle = (oracle_), .describe = sy_ggml_describe               \
    }

static const sy_suite dense = CONVOLUTION_SUITE(
    "convolution", SY_ENGINE_CONVOLUTION_VERSION, convolution_implementations, sy_engine_convolution_case_table,
    SY_ENGINE_CONVOLUTION_CASE_COUNT, build_dense, sy_engine_convolution_oracle);
static const sy_suite depthwise = CONVOLUTION_SUITE(
    "convolution-depthwise", SY_ENGINE_CONVOLUTION_VERSION, depthwise_implementations, sy_engine_depthwise_case_table,
    SY_ENGINE_DEPTHWISE_CASE_COUNT, build_depthwise, sy_engine_convolution_oracle);
static const sy_suite dense_3d = CONVOLUTION_SUITE(
    "convolution-3d", SY_CONVOLUTION_3D_VERSION, convolution_3d_implementations, sy_convolution_3d_case_table,
    SY_CONVOLUTION_3D_CASE_COUNT, build_dense_3d, sy_convolution_3d_oracle);

static const sy_suite *const suites[] = {&attention, &dense, &depthwise, &dense_3d};

const sy_suite *const *sy_ggml_suite_table(size_t *ret_count)
{
    *ret_count = COUNT(suites);
    return suites;
}
