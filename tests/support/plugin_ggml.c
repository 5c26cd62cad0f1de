/* SPDX-License-Identifier: Apache-2.0 */
/* An engine's own suite of ggml's graphs as a shared object: the softmax of scaled scores, the scale applied by itself
 * or by the softmax. The other implementations are what can go wrong: ggml ends the process in build and in a run, one
 * case has an operation that the device lacks, a result is put where an input was. */
#include <ggml.h>
#include <math.h>
#include <steelyard/ggml.h>
#include <steelyard/plugin.h>

enum { SCALED, FUSED, ABORTS_IN_BUILD, ABORTS_IN_RUN, PARTLY, IN_PLACE, WRONG };

static const sy_implementation implementations[] = {
    [SCALED] = {.name = "scaled", .role = SY_ROLE_REFERENCE, .summary = "scale, then softmax"},
    [FUSED] = {.name = "fused", .role = SY_ROLE_CANDIDATE, .summary = "softmax that scales"},
    [ABORTS_IN_BUILD] = {.name = "aborts-in-build", .role = SY_ROLE_CANDIDATE, .only_if_named = true},
    [ABORTS_IN_RUN] = {.name = "aborts-in-run", .role = SY_ROLE_CANDIDATE, .only_if_named = true},
    [PARTLY] = {.name = "partly", .role = SY_ROLE_CANDIDATE, .only_if_named = true},
    [IN_PLACE] = {.name = "in-place", .role = SY_ROLE_CANDIDATE, .only_if_named = true},
    [WRONG] = {.name = "wrong", .role = SY_ROLE_CANDIDATE, .only_if_named = true},
};

static void abort_in_run(struct ggml_tensor *to, const struct ggml_tensor *from, int thread, int thread_count,
                         void *user)
{
    (void)to, (void)thread, (void)thread_count, (void)user;
    GGML_ASSERT(from == NULL && "the driver lost its mind");
}

static struct ggml_tensor *make(struct ggml_context *context, uint32_t variant, bool is_large, struct ggml_tensor *x,
                                struct ggml_tensor *w, float scale)
{
    struct ggml_tensor *scores = ggml_mul_mat(context, w, x);
    switch (variant) {
    case FUSED:
        return ggml_soft_max_ext(context, scores, NULL, scale, 0.0f);
    case ABORTS_IN_BUILD:
        return ggml_mul_mat(context, ggml_transpose(context, x), ggml_transpose(context, w));
    case ABORTS_IN_RUN:
        return ggml_map_custom1(context, scores, abort_in_run, 1, NULL);
    case PARTLY:
        if (is_large) /* the processor multiplies no f32 by f16 */
            return ggml_mul_mat(context, w, ggml_cast(context, x, GGML_TYPE_F16));
        return ggml_soft_max_ext(context, scores, NULL, scale, 0.0f);
    case IN_PLACE:
        return ggml_soft_max(context, ggml_mul_mat(context, w, ggml_scale_inplace(context, x, scale)));
    case WRONG:
        return ggml_soft_max(context, scores);
    default:
        return ggml_soft_max(context, ggml_scale(context, scores, scale));
    }
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    struct ggml_context *context = NULL;
    sy_tensor *registered = NULL;
    int64_t rows = 0, columns = 0, depth = 0;
    (void)user;
    sy_status status = sy_ggml_context(graph, &context, err);
    if (!status)
        status = sy_case_get(c, "rows", &rows, err);
    if (!status)
        status = sy_case_get(c, "columns", &columns, err);
    if (!status)
        status = sy_case_get(c, "depth", &depth, err);
    if (status)
        return status;
    struct ggml_tensor *x = ggml_new_tensor_2d(context, GGML_TYPE_F32, depth, rows);
    struct ggml_tensor *w = ggml_new_tensor_2d(context, GGML_TYPE_F32, depth, columns);
    status = sy_ggml_input(graph, ggml_set_name(x, "x"), &registered, err);
    if (!status)
        status = sy_ggml_input(graph, ggml_set_name(w, "w"), &registered, err);
    if (status)
        return status;
    struct ggml_tensor *y = make(context, variant, columns > 256, x, w, 1.0f / sqrtf((float)depth));
    return sy_ggml_output(graph, ggml_set_name(y, "y"), &registered, err);
}

#define COLUMNS_MAX 512

/* exp of each scaled score of one row, and their sum. */
static double weigh_row(const float *row, const float *w, int64_t columns, int64_t depth, double weights[COLUMNS_MAX])
{
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) {
        double score = 0;
        for (int64_t d = 0; d < depth; d++)
            score += (double)row[d] * w[k * depth + d];
        weights[k] = exp(score / sqrt((double)depth));
        sum += weights[k];
    }
    return sum;
}

/* The softmax in double. The error of a score reaches the result as a factor of exp of it. */
static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    const float *x = request->inputs[0].bytes, *w = request->inputs[1].bytes;
    int64_t columns = 0, depth = 0, known = -1;
    double weights[COLUMNS_MAX], sum = 0;
    (void)user;
    sy_status status = sy_case_get(c, "columns", &columns, err);
    if (!status)
        status = sy_case_get(c, "depth", &depth, err);
    for (uint64_t i = 0; i < request->count && !status; i++) {
        const int64_t index = (int64_t)(request->indices ? request->indices[i] : i);
        if (index / columns != known) {
            known = index / columns;
            sum = weigh_row(x + known * depth, w, columns, depth, weights);
        }
        request->values[i] = request->scales[i] = weights[index % columns] / sum;
    }
    return status;
}

#define SOFTMAX_CASE(name_, quick_, rows_, columns_, depth_)                                                       \
    {                                                                                                              \
        .name = (name_), .weight = 1, .quick = (quick_), .dtype = SY_F32,                                          \
        .properties = (const sy_case_property[]){{"rows", (rows_)}, {"columns", (columns_)}, {"depth", (depth_)}}, \
        .property_count = 3, .source = "this test", .tolerance = {                                                 \
            .c = 64,                                                                                               \
            .c_rms = 16,                                                                                           \
            .accumulator = SY_F32,                                                                                 \
            .absolute = NAN,                                                                                       \
            .relative = NAN                                                                                        \
        }                                                                                                          \
    }

static const sy_case cases[] = {SOFTMAX_CASE("small", true, 33, 65, 64), SOFTMAX_CASE("large", false, 128, 512, 64)};

static const sy_suite softmax = {.struct_size = sizeof(sy_suite),
                                 .operation = "scaled_softmax",
                                 .version = "1",
                                 .implementations = implementations,
                                 .implementation_count = sizeof implementations / sizeof implementations[0],
                                 .cases = cases,
                                 .case_count = 2,
                                 .build = build,
                                 .oracle = oracle};

static const sy_suite *const suites[] = {&softmax};

SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {
    .struct_size = sizeof(sy_plugin), .suites = suites, .suite_count = 1};
