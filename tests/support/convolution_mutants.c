/* SPDX-License-Identifier: Apache-2.0 */
/* The testing library's extra implementations of convolution on cpu: each is our own direct code with one fault that
 * real libraries were seen to have. They are never candidates unless named, and are not in the released library. */
#include <math.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_convolution.h"
#include "base/error.h"
#include "mutants.h"

typedef struct convolution_mutant {
    sy_cpu_convolution *convolution;
    sy_cpu_direct plan; /* of what it really computes, where that is another shape */
    uint64_t runs;      /* so far */
} convolution_mutant;

/* ---- parts ---- */

static const float *source_of(const convolution_mutant *m)
{
    return sy_tensor_address(m->convolution->inputs[0]);
}

static const float *weights_of(const convolution_mutant *m)
{
    return sy_tensor_address(m->convolution->inputs[1]);
}

static float *output_of(const convolution_mutant *m)
{
    return sy_tensor_address(m->convolution->output);
}

static uint64_t source_count(const sy_convolution_shape *s)
{
    return (uint64_t)(s->batch * s->channels * s->height * s->width);
}

static uint64_t weights_count(const sy_convolution_shape *s)
{
    return (uint64_t)(s->filters * sy_convolution_terms(s));
}

static uint64_t output_count(const sy_convolution_shape *s)
{
    return (uint64_t)(s->batch * s->filters * s->out_height * s->out_width);
}

/* The mutant's own scratch, behind that of the plans. */
static float *extra_scratch(const convolution_mutant *m)
{
    size_t taken = m->plan.scratch_count > m->convolution->direct.scratch_count ? m->plan.scratch_count
                                                                                : m->convolution->direct.scratch_count;
    return (float *)sy_tensor_address(m->convolution->scratch) + taken;
}

static void convolve(const convolution_mutant *m, const sy_cpu_direct *plan, const float *source, const float *weights,
                     float *output)
{
    sy_cpu_direct_run(plan, m->convolution->pool, source, weights, output, sy_tensor_address(m->convolution->scratch));
}

static void convolve_rightly(const convolution_mutant *m, float *output)
{
    convolve(m, &m->convolution->direct, source_of(m), weights_of(m), output);
}

/* ---- the faults ---- */

static sy_status run_tf32(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    float *source = extra_scratch(m);
    float *weights = source + source_count(s);
    for (uint64_t i = 0; i < source_count(s); i++) {
        source[i] = mutant_shorten(source_of(m)[i], 11);
    }
    for (uint64_t i = 0; i < weights_count(s); i++) {
        weights[i] = mutant_shorten(weights_of(m)[i], 11);
    }
    convolve(m, &m->convolution->direct, source, weights, output_of(m));
    return SY_OK;
}

/* What is left of the channels when they are cut to a multiple of 8; a multiple loses one. */
static sy_status run_channel_tail(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    int64_t channels = s->channels / s->groups;
    int64_t taps = s->kernel_h * s->kernel_w;
    int64_t dropped = channels % 8 != 0 ? channels % 8 : 1;
    float *weights = extra_scratch(m);
    memcpy(weights, weights_of(m), weights_count(s) * sizeof *weights);
    for (int64_t f = 0; f < s->filters; f++) {
        memset(weights + (f * channels + channels - dropped) * taps, 0, (size_t)(dropped * taps) * sizeof *weights);
    }
    convolve(m, &m->convolution->direct, source_of(m), weights, output_of(m));
    return SY_OK;
}

/* The frame around the source is made of ones, where it should be zeros. */
static sy_status run_ones_around(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    int64_t width = s->width + 2 * s->padding;
    int64_t height = s->height + 2 * s->padding;
    float *framed = extra_scratch(m);
    for (int64_t plane = 0; plane < s->batch * s->channels; plane++) {
        float *to = framed + plane * height * width;
        for (int64_t i = 0; i < height * width; i++) {
            to[i] = 1;
        }
        for (int64_t y = 0; y < s->height; y++) {
            memcpy(to + (y + s->padding) * width + s->padding, source_of(m) + (plane * s->height + y) * s->width,
                   (size_t)s->width * sizeof *to);
        }
    }
    convolve(m, &m->plan, framed, weights_of(m), output_of(m));
    return SY_OK;
}

/* The kernel is turned round, as in a true convolution. */
static sy_status run_flipped(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    uint64_t taps = (uint64_t)(s->kernel_h * s->kernel_w);
    float *weights = extra_scratch(m);
    for (uint64_t i = 0; i < weights_count(s); i++) {
        weights[i] = weights_of(m)[i / taps * taps + (taps - 1 - i % taps)];
    }
    convolve(m, &m->convolution->direct, source_of(m), weights, output_of(m));
    return SY_OK;
}

/* The plan was made with a stride that is one too large. */
static sy_status run_plan(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    convolve(m, &m->plan, source_of(m), weights_of(m), output_of(m));
    return SY_OK;
}

/* Every group reads the channels of the first. */
static sy_status run_groups_ignored(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    uint64_t group = (uint64_t)(s->channels / s->groups * s->height * s->width);
    float *source = extra_scratch(m);
    for (uint64_t i = 0; i < source_count(s) / group; i++) {
        uint64_t image = i / (uint64_t)s->groups * (uint64_t)s->groups;
        memcpy(source + i * group, source_of(m) + image * group, group * sizeof *source);
    }
    convolve(m, &m->convolution->direct, source, weights_of(m), output_of(m));
    return SY_OK;
}

static sy_status run_stale(void *state, sy_error *err)
{
    (void)err;
    convolution_mutant *m = state;
    if (m->runs++ == 0) {
        convolve_rightly(m, output_of(m));
    }
    return SY_OK;
}

static sy_status run_memoised(void *state, sy_error *err)
{
    (void)err;
    convolution_mutant *m = state;
    if (m->runs++ == 0) {
        convolve_rightly(m, extra_scratch(m));
    }
    memcpy(output_of(m), extra_scratch(m), output_count(&m->convolution->shape) * sizeof(float));
    return SY_OK;
}

static sy_status run_nan_last(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    convolve_rightly(m, output_of(m));
    output_of(m)[output_count(&m->convolution->shape) - 1] = NAN;
    return SY_OK;
}

/* The last filter is not computed: what a loop over blocks of filters forgets. */
static sy_status run_filter_tail(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    uint64_t plane = (uint64_t)(s->out_height * s->out_width);
    float *right = extra_scratch(m);
    convolve_rightly(m, right);
    memcpy(output_of(m), right, (output_count(s) - plane) * sizeof *right);
    return SY_OK;
}

/* Columns are written one place too far to the right, within their row. */
static sy_status run_shifted_column(void *state, sy_error *err)
{
    (void)err;
    const convolution_mutant *m = state;
    const sy_convolution_shape *s = &m->convolution->shape;
    uint64_t width = (uint64_t)s->out_width;
    float *right = extra_scratch(m);
    convolve_rightly(m, right);
    for (uint64_t i = 0; i < output_count(s); i++) {
        output_of(m)[i / width * width + (i + 1) % width] = right[i];
    }
    return SY_OK;
}

/* ---- how they are built ---- */

/* What a shape must have for the fault to be one; NULL: every shape has it. */
static const char *needs_padding(const sy_convolution_shape *s)
{
    return s->padding > 0 ? NULL : "is wrong only where there is padding";
}

static const char *needs_a_kernel(const sy_convolution_shape *s)
{
    return s->kernel_h * s->kernel_w > 1 ? NULL : "is wrong only where the kernel has more than one element";
}

static const char *needs_groups(const sy_convolution_shape *s)
{
    return s->groups > 1 ? NULL : "is wrong only where there are groups";
}

static const char *needs_columns(const sy_convolution_shape *s)
{
    return s->out_width > 1 ? NULL : "is wrong only where a row has more than one place";
}

static const char *needs_nothing(const sy_convolution_shape *s)
{
    (void)s;
    return NULL;
}

typedef struct mutant_spec {
    sy_run_fn run;
    const char *(*needs)(const sy_convolution_shape *shape);
} mutant_spec;

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err);

#define MUTANT(NAME, CLASS, SUMMARY)                  \
    {                                                 \
        .implementation = {.name = (NAME),            \
                           .role = SY_ROLE_CANDIDATE, \
                           .error_class = (CLASS),    \
                           .summary = (SUMMARY),      \
                           .how_to_get = "",          \
                           .only_if_named = true},    \
        .build = build_mutant                         \
    }

/* One line each: name, class, what is wrong, its run function, what it needs. */
#define MUTANT_LIST(X)                                                                                               \
    X("mutant-tf32", SY_CLASS_EXACT, "rounds its inputs to 11 bits", run_tf32, needs_nothing)                        \
    X("mutant-tf32-tolerant", SY_CLASS_TOLERANCE, "the same, and says it were Winograd", run_tf32, needs_nothing)    \
    X("mutant-channel-tail", SY_CLASS_EXACT, "drops the last channels", run_channel_tail, needs_nothing)             \
    X("mutant-filter-tail", SY_CLASS_EXACT, "forgets the last filter", run_filter_tail, needs_nothing)               \
    X("mutant-ones-around", SY_CLASS_EXACT, "pads with ones", run_ones_around, needs_padding)                        \
    X("mutant-flipped", SY_CLASS_EXACT, "turns the kernel round", run_flipped, needs_a_kernel)                       \
    X("mutant-stride", SY_CLASS_EXACT, "strides one too far", run_plan, needs_columns)                               \
    X("mutant-groups-ignored", SY_CLASS_EXACT, "reads the first group's channels", run_groups_ignored, needs_groups) \
    X("mutant-shifted-column", SY_CLASS_EXACT, "writes one place too far", run_shifted_column, needs_columns)        \
    X("mutant-stale", SY_CLASS_EXACT, "writes its output in the first run only", run_stale, needs_nothing)           \
    X("mutant-memoised", SY_CLASS_EXACT, "gives its first answer for ever", run_memoised, needs_nothing)             \
    X("mutant-nan-last", SY_CLASS_EXACT, "its last element is NaN", run_nan_last, needs_nothing)

#define IMPLEMENTATION_ENTRY(NAME, CLASS, SUMMARY, RUN, NEEDS) MUTANT(NAME, CLASS, SUMMARY),
#define SPEC_ENTRY(NAME, CLASS, SUMMARY, RUN, NEEDS) {RUN, NEEDS},

static const sy_cpu_extra extras[] = {MUTANT_LIST(IMPLEMENTATION_ENTRY)};
static const mutant_spec specs[] = {MUTANT_LIST(SPEC_ENTRY)};

const sy_cpu_extra *mutants_of_convolution(size_t *ret_count)
{
    *ret_count = sizeof extras / sizeof extras[0];
    return extras;
}

/* The shape that a mutant's own plan is made for. */
static sy_convolution_shape planned_shape(const mutant_spec *spec, const sy_convolution_shape *shape)
{
    sy_convolution_shape other = *shape;
    if (spec->run == run_ones_around) {
        other.height += 2 * shape->padding;
        other.width += 2 * shape->padding;
        other.padding = 0;
    }
    if (spec->run == run_plan) {
        other.stride++; /* the output keeps its size; what lies behind the source is padding */
    }
    return other;
}

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err)
{
    const mutant_spec *spec = &specs[index];
    sy_convolution_shape shape;
    sy_convolution_shape other;
    sy_cpu_convolution *convolution = NULL;
    sy_status status = sy_convolution_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    convolution_mutant *m = sy_graph_metadata(graph, sizeof *m);
    if (m == NULL) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a mutant takes %zu bytes of metadata", sizeof *m);
    }
    const char *needed = spec->needs(&shape);
    other = planned_shape(spec, &shape);
    if (needed == NULL &&
        !sy_cpu_direct_plan(&other, sy_cpu_vectors_here(), sy_graph_device(graph)->threads, &m->plan)) {
        needed = "the kernel is spread too wide";
    }
    if (needed != NULL) {
        sy_graph_unavailable(graph, needed);
        return SY_OK;
    }
    uint64_t extra = m->plan.scratch_count + source_count(&other) + weights_count(&other) + output_count(&other);
    status = sy_cpu_convolution_build_direct(c, extra, graph, &convolution, err);
    if (status == SY_OK && convolution != NULL) {
        m->convolution = convolution;
        sy_graph_on_run(graph, spec->run, NULL, m);
    }
    return status;
}
