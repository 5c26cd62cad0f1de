/* SPDX-License-Identifier: Apache-2.0 */
/* A suite of one's own as a shared object: the sum of the squares of a vector, added one by one or in eight chains.
 *
 *     steelyard probe ./squares_suite.so
 *
 * Nothing of steelyard is changed for it: parity, pairs, decision and store know the suite by this table alone. */
#include <math.h>
#include <steelyard/plugin.h>

typedef struct work {
    sy_tensor *x;
    sy_tensor *sum;
    int64_t length;
} work;

static sy_status run_one_by_one(void *state, sy_error *err)
{
    const work *w = state;
    const float *x = sy_tensor_address(w->x);
    float *sum = sy_tensor_address(w->sum);
    float total = 0;
    (void)err;
    for (int64_t i = 0; i < w->length; i++)
        total += x[i] * x[i];
    *sum = total;
    return SY_OK;
}

/* Eight sums that do not wait for each other; the compiler may keep them in one vector register. */
static sy_status run_chains(void *state, sy_error *err)
{
    const work *w = state;
    const float *x = sy_tensor_address(w->x);
    float *sum = sy_tensor_address(w->sum);
    float chains[8] = {0};
    int64_t i = 0;
    (void)err;
    for (; i + 8 <= w->length; i += 8)
        for (int lane = 0; lane < 8; lane++)
            chains[lane] += x[i + lane] * x[i + lane];
    for (; i < w->length; i++)
        chains[0] += x[i] * x[i];
    *sum = ((chains[0] + chains[1]) + (chains[2] + chains[3])) + ((chains[4] + chains[5]) + (chains[6] + chains[7]));
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    static const sy_run_fn runs[] = {run_one_by_one, run_chains};
    work *w = sy_graph_metadata(graph, sizeof(*w));
    sy_status status = w ? sy_case_get(c, "length", &w->length, err) : SY_NO_MEMORY;
    (void)user;
    sy_tensor_desc x = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {w ? w->length : 0}};
    sy_tensor_desc sum = {.name = "sum", .dtype = SY_F32, .rank = 1, .dims = {1}};
    if (!status)
        status = sy_graph_input(graph, &x, &w->x, err);
    if (!status)
        status = sy_graph_output(graph, &sum, &w->sum, err);
    if (!status)
        sy_graph_on_run(graph, runs[variant], NULL, w);
    return status;
}

/* What is right, in double, and what its error is measured against: the sum itself, as all terms are positive. */
static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    const float *x = request->inputs[0].bytes;
    int64_t length = 0;
    double total = 0;
    sy_status status = sy_case_get(c, "length", &length, err);
    (void)user;
    for (int64_t i = 0; !status && i < length; i++)
        total += (double)x[i] * x[i];
    for (uint64_t i = 0; !status && i < request->count; i++)
        request->values[i] = request->scales[i] = total;
    return status;
}

static const sy_implementation implementations[] = {
    {.name = "one-by-one",
     .role = SY_ROLE_REFERENCE,
     .error_class = SY_CLASS_EXACT,
     .summary = "one chain of additions"},
    {.name = "chains",
     .role = SY_ROLE_CANDIDATE,
     .error_class = SY_CLASS_EXACT,
     .summary = "eight chains of additions"},
};

/* Rounding of a sum of n positive terms grows like sqrt(n) where errors are random (Higham 2002, section 4.2). */
#define SQUARES_CASE(name_, length_)                                                                           \
    {                                                                                                          \
        .name = (name_), .weight = 1, .quick = true, .dtype = SY_F32,                                          \
        .properties = (const sy_case_property[]){{"length", (length_)}}, .property_count = 1,                  \
        .flop_count = 2.0 * (length_), .byte_count = 4.0 * (length_), .source = "this example", .tolerance = { \
            .c = 1024,                                                                                         \
            .c_rms = 1024,                                                                                     \
            .accumulator = SY_F32,                                                                             \
            .absolute = NAN,                                                                                   \
            .relative = NAN                                                                                    \
        }                                                                                                      \
    }

static const sy_case cases[] = {SQUARES_CASE("short", 4099), SQUARES_CASE("long", 65536)};

static const sy_suite squares = {.struct_size = sizeof(sy_suite),
                                 .operation = "squares",
                                 .version = "1",
                                 .implementations = implementations,
                                 .implementation_count = 2,
                                 .cases = cases,
                                 .case_count = 2,
                                 .build = build,
                                 .oracle = oracle};

static const sy_suite *const suites[] = {&squares};

SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {
    .struct_size = sizeof(sy_plugin), .suites = suites, .suite_count = 1};
