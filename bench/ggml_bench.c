/* SPDX-License-Identifier: Apache-2.0 */
/* What engines on ggml choose between, on its processor, over the suites' shapes: ggml_bench THREADS [GFLOP
 * [PEER_FILE]]. Reference and candidate run in one process, in pairs whose order a coin decides; a line a case: times,
 * gain, scratch, and errors in units of what f32 sums are allowed. Cases of more than GFLOP (default 6) are left out.
 * PEER_FILE gets the candidates as cases of ggml's own test-backend-ops, for bench/ggml_peer.sh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/graph.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "operations/engine/convolution_3d.h"
#include "operations/fill.h"
#include "operations/half.h"
#include "operations/oracle.h"
#include "operations/suite.h"
#include "stats/order.h"

#define PAIRS_MAX 15
#define PAIRS_LEAST 3
#define CASE_NS 1500000000.0 /* inside timed runs */
#define SLOT_NS 2000000.0
#define SAMPLE 512
#define SEED 11

typedef struct side {
    sy_graph *graph;
    uint32_t runs; /* in a slot */
    double times_ns[PAIRS_MAX];
    double median_ns;
    double error; /* NaN: not held against anything */
} side;

/* ---- one side ---- */

static sy_status build(sy_device *device, const sy_suite *suite, const sy_case *c, uint32_t variant, side *s,
                       bool *ret_available, sy_error *err)
{
    const char *reason = "";
    sy_status status = sy_graph_create(device, (uint64_t)1 << 20, &s->graph, err);
    if (status == SY_OK)
        status = suite->build(suite->user, c, variant, s->graph, err);
    if (status == SY_OK)
        status = sy_graph_check(s->graph, ret_available, &reason, err);
    if (status == SY_OK && *ret_available)
        status = sy_graph_allocate(s->graph, err);
    if (status == SY_OK && !*ret_available)
        printf("| %s | %s | %s is not available: %s |\n", suite->operation, c->name,
               suite->implementations[variant].name, reason);
    return status;
}

static sy_status fill(const sy_suite *suite, const sy_case *c, uint32_t variant, side *s, sy_error *err)
{
    sy_status status = SY_OK;
    if (c->own_inputs)
        return suite->initialize(suite->user, c, variant, SEED, s->graph, err);
    for (uint32_t i = 0; i < sy_graph_input_count(s->graph) && status == SY_OK; i++) {
        sy_tensor *input = sy_graph_input_at(s->graph, i);
        void *bytes = sy_allocate(1, sy_tensor_bytes(input));
        if (!bytes)
            return SY_NO_MEMORY;
        status = sy_fill_input(SY_FILL_REAL, SEED, i, c, sy_tensor_description(input), bytes, err);
        if (status == SY_OK)
            status = sy_tensor_write(input, 0, bytes, sy_tensor_bytes(input), err);
        sy_free(bytes);
    }
    return status;
}

static sy_status run(side *s, sy_device *device, uint32_t runs, double *ret_ns, sy_error *err)
{
    sy_status status = SY_OK;
    const uint64_t start = sy_clock_now(&sy_clock_system);
    for (uint32_t i = 0; i < runs && status == SY_OK; i++)
        status = sy_graph_run(s->graph, err);
    if (status == SY_OK)
        status = sy_device_synchronize(device, err);
    *ret_ns = (double)(sy_clock_now(&sy_clock_system) - start) / runs;
    return status;
}

/* ---- errors ---- */

static double error_at(const sy_case *c, const float *found, uint64_t index, double right, double scale)
{
    const double u = sy_dtype_roundoff(c->tolerance.accumulator);
    return fabs((double)found[index] - right) / (c->tolerance.c * u * scale + 0x1p-126);
}

/* The largest error among sampled elements, in units of what the case allows class `exact`. */
static sy_status hold(const sy_suite *suite, const sy_case *c, side *s, sy_error *err)
{
    sy_output inputs[4];
    double values[SAMPLE], scales[SAMPLE];
    uint64_t indices[SAMPLE];
    sy_tensor *output = sy_graph_output_at(s->graph, 0);
    const size_t input_count = sy_graph_input_count(s->graph);
    const uint64_t bytes = sy_tensor_bytes(output);
    const uint64_t count = bytes / 4 < SAMPLE ? bytes / 4 : SAMPLE;
    float *found = sy_allocate(1, bytes);
    void *owned[4] = {NULL};
    sy_status status = found ? sy_tensor_read(output, 0, found, bytes, err) : SY_NO_MEMORY;
    for (size_t i = 0; i < input_count && status == SY_OK; i++) {
        sy_tensor *input = sy_graph_input_at(s->graph, i);
        owned[i] = sy_allocate(1, sy_tensor_bytes(input));
        inputs[i] = (sy_output){sy_tensor_description(input), owned[i], sy_tensor_bytes(input)};
        status = owned[i] ? sy_tensor_read(input, 0, owned[i], inputs[i].size, err) : SY_NO_MEMORY;
    }
    if (status == SY_OK)
        status = sy_oracle_sample(SEED, sy_tensor_description(output), count, indices, err);
    sy_oracle_request request = {inputs, input_count, 0, indices, count, values, scales};
    if (status == SY_OK)
        status = suite->oracle(suite->user, c, &request, err);
    s->error = 0;
    for (uint64_t i = 0; i < count && status == SY_OK; i++) {
        const double error = error_at(c, found, indices[i], values[i], scales[i]);
        s->error = error <= s->error ? s->error : error;
    }
    for (size_t i = 0; i < 4; i++)
        sy_free(owned[i]);
    sy_free(found);
    return status;
}

/* ---- one case ---- */

static double median_of(double *values, size_t count)
{
    return sy_order_sort(values, count, NULL) == SY_OK ? sy_order_median(values, count) : NAN;
}

static sy_status warm(side *s, sy_device *device, sy_error *err)
{
    double first_ns = 0, second_ns = 0;
    sy_status status = run(s, device, 1, &first_ns, err);
    if (status == SY_OK)
        status = run(s, device, 1, &second_ns, err);
    s->runs = (uint32_t)fmin(1000, fmax(1, ceil(SLOT_NS / second_ns)));
    s->median_ns = second_ns;
    return status;
}

static sy_status weigh(side sides[2], sy_device *device, size_t *ret_pairs, sy_error *err)
{
    sy_random coins;
    sy_status status = SY_OK;
    sy_random_start(&coins, SEED, "coins");
    const double pair_ns = sides[0].median_ns * sides[0].runs + sides[1].median_ns * sides[1].runs;
    const size_t pairs = (size_t)fmin(PAIRS_MAX, fmax(PAIRS_LEAST, floor(CASE_NS / pair_ns)));
    for (size_t k = 0; k < pairs && status == SY_OK; k++) {
        const size_t first = sy_random_coin(&coins) ? 1 : 0;
        for (size_t i = 0; i < 2 && status == SY_OK; i++) {
            side *s = &sides[first ^ i];
            status = run(s, device, s->runs, &s->times_ns[k], err);
        }
    }
    *ret_pairs = pairs;
    return status;
}

static void print_line(const sy_suite *suite, const sy_case *c, side sides[2], size_t pairs)
{
    double ratios[PAIRS_MAX];
    char scratch[2][32];
    for (size_t k = 0; k < pairs; k++)
        ratios[k] = sides[1].times_ns[k] / sides[0].times_ns[k];
    const double ratio = median_of(ratios, pairs);
    for (size_t i = 0; i < 2; i++) {
        sides[i].median_ns = median_of(sides[i].times_ns, pairs);
        sy_format_bytes(scratch[i], sizeof scratch[i], sy_graph_scratch_bytes(sides[i].graph));
    }
    printf("| %s | %s | %s | %.3f | %.3f | %.1f %% | %zu | %s | %s | %.2g | %.2g |\n", suite->operation, c->name,
           sy_dtype_word(c->dtype), sides[0].median_ns * 1e-6, sides[1].median_ns * 1e-6, 100 * (1 - ratio), pairs,
           scratch[0], scratch[1], sides[0].error, sides[1].error);
    (void)fflush(stdout);
}

static sy_status bench_case(sy_device *device, const sy_suite *suite, const sy_case *c, bool *ret_weighed,
                            sy_error *err)
{
    side sides[2] = {{.graph = NULL}, {.graph = NULL}};
    bool is_available[2] = {false, false};
    size_t pairs = 0;
    sy_status status = SY_OK;
    for (uint32_t v = 0; v < 2 && status == SY_OK; v++)
        status = build(device, suite, c, v, &sides[v], &is_available[v], err);
    const bool both = is_available[0] && is_available[1];
    for (uint32_t v = 0; v < 2 && status == SY_OK && both; v++) {
        status = fill(suite, c, v, &sides[v], err);
        if (status == SY_OK)
            status = warm(&sides[v], device, err);
    }
    if (status == SY_OK && both)
        status = weigh(sides, device, &pairs, err);
    for (uint32_t v = 0; v < 2 && status == SY_OK && both; v++)
        status = hold(suite, c, &sides[v], err);
    if (status == SY_OK && both)
        print_line(suite, c, sides, pairs);
    *ret_weighed = status == SY_OK && both;
    for (uint32_t v = 0; v < 2; v++)
        sy_graph_destroy(sides[v].graph);
    return status;
}

/* ---- the same for ggml's own program ---- */

static long long value_of(const sy_case *c, const char *name)
{
    int64_t value = 0;
    (void)!sy_case_get(c, name, &value, NULL);
    return (long long)value;
}

static const char *ggml_word(sy_dtype dtype)
{
    return dtype == SY_F32 ? "GGML_TYPE_F32" : dtype == SY_F16 ? "GGML_TYPE_F16" : "GGML_TYPE_BF16";
}

#define V(name_) value_of(c, name_)

/* Without masks: that program draws one that hides keys, which saves time. */
static void write_peer(FILE *file, const sy_suite *suite, const sy_case *c)
{
    const char *type = ggml_word(c->dtype);
    if (sy_text_equal(suite->operation, "convolution-depthwise")) /* by bytes it would run each some thousand times */
        return;
    (void)fprintf(file, "/* %s %s */ ", suite->operation, c->name);
    if (sy_text_equal(suite->operation, "attention"))
        (void)fprintf(
            file,
            "test_cases.emplace_back(new test_flash_attn_ext(%lld, %lld, %lld, {%lld, %lld}, %lld, %lld, false, "
            "false, 0, 0, GGML_PREC_F32, %s, %s, {0, 1, 2, 3}, false));\n",
            V("head_dim"), V("head_dim"), V("kv_heads"), V("heads") / V("kv_heads"), V("batch"), V("keys"),
            V("queries"), type, type);
    else if (sy_text_equal(suite->operation, "convolution-3d"))
        (void)fprintf(file,
                      "test_cases.emplace_back(new test_conv_3d(%lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld, "
                      "%lld, %lld, %lld, %lld, %lld, %lld, 1, 1, 1, %s));\n",
                      V("batch"), V("channels"), V("depth"), V("height"), V("width"), V("filters"), V("kernel_d"),
                      V("kernel_h"), V("kernel_w"), V("stride"), V("stride"), V("stride_d"), V("padding"), V("padding"),
                      V("padding_d"), type);
    else if (sy_text_equal(suite->operation, "convolution"))
        (void)fprintf(
            file,
            "test_cases.emplace_back(new test_conv_2d({%lld, %lld, %lld, %lld}, {%lld, %lld, %lld, %lld}, %s, "
            "%lld, %lld, %lld, %lld, %lld, %lld, false));\n",
            V("width"), V("height"), V("channels"), V("batch"), V("kernel_w"), V("kernel_h"), V("channels"),
            V("filters"), type, V("stride"), V("stride"), V("padding"), V("padding"), V("dilation"), V("dilation"));
}

int main(int argc, char **argv)
{
    static const char *const operations[] = {"attention", "convolution", "convolution-depthwise", "convolution-3d"};
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    sy_error error = SY_ERROR_INIT;
    if (argc < 2 || argc > 4 || strtol(argv[1], NULL, 10) < 1) {
        (void)fprintf(stderr, "usage: ggml_bench THREADS [GFLOP [PEER_FILE]]\n");
        return 2;
    }
    options.threads = (uint32_t)strtol(argv[1], NULL, 10);
    const double most = 1e9 * (argc > 2 ? strtod(argv[2], NULL) : 6);
    FILE *peers = argc > 3 ? fopen(argv[3], "w") : NULL;
    sy_status status = sy_device_open("ggml:CPU", &options, &device, &error);
    if (status == SY_OK)
        printf("| operation | case | stored | reference, ms | candidate, ms | gain | pairs | scratch: reference | "
               "candidate | error: reference | candidate |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t o = 0; o < sizeof operations / sizeof operations[0] && status == SY_OK; o++) {
        const sy_suite *suite = NULL;
        status = sy_device_suite(device, operations[o], &suite, &error);
        for (size_t i = 0; status == SY_OK && i < suite->case_count; i++) {
            bool is_weighed = false;
            if (suite->cases[i].flop_count > most)
                continue;
            status = bench_case(device, suite, &suite->cases[i], &is_weighed, &error);
            if (is_weighed && peers)
                write_peer(peers, suite, &suite->cases[i]);
        }
    }
    sy_device_close(device);
    if (peers && fclose(peers) != 0)
        status = SY_IO;
    if (status != SY_OK)
        (void)fprintf(stderr, "ggml_bench: %s\n", error.what);
    return status == SY_OK ? 0 : 1;
}
