/* SPDX-License-Identifier: Apache-2.0 */
/* Live spin loops of known length through the public API: how often is a candidate that is 5 % shorter decided `win`,
 * and an equal one? Usage: spin_bench [probes] (default 100). Exit 1 when the promise of docs/benchmarks.md is not
 * kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <steelyard/steelyard.h>

#define ELEMENTS 256
#define REFERENCE_STEPS 1000000u /* about a millisecond */

typedef struct spin {
    uint32_t steps[2];
} spin;

typedef struct spin_state {
    uint32_t steps;
    sy_tensor *input;
    sy_tensor *output;
} spin_state;

/* A chain of dependent steps that no compiler can shorten, then y = 2 x. */
static sy_status run_spin(void *user, sy_error *err)
{
    spin_state *state = user;
    volatile uint32_t chain = 1;
    const float *x = sy_tensor_address(state->input);
    float *y = sy_tensor_address(state->output);
    (void)err;
    for (uint32_t i = 0; i < state->steps; i++)
        chain = chain * 1664525u + 1013904223u;
    for (int i = 0; i < ELEMENTS; i++)
        y[i] = 2 * x[i];
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    const spin *s = user;
    sy_tensor_desc desc = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {ELEMENTS}};
    spin_state *state = sy_graph_metadata(graph, sizeof(*state));
    (void)c;
    if (!state)
        return SY_NO_MEMORY;
    state->steps = s->steps[variant];
    sy_status status = sy_graph_input(graph, &desc, &state->input, err);
    if (!status)
        status = sy_graph_output(graph, &desc, &state->output, err);
    if (!status)
        sy_graph_on_run(graph, run_spin, NULL, state);
    return status;
}

static const sy_implementation implementations[] = {
    {.name = "long", .role = SY_ROLE_REFERENCE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
    {.name = "short", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
};

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct tally {
    int wins;
    int no_gains;
    int other;
    int pairs;
    double longest_s;
} tally;

static tally weigh(sy_device *device, uint32_t candidate_steps, int probes)
{
    static const sy_case cases[] = {
        {.name = "spin",
         .weight = 1,
         .dtype = SY_F32,
         .source = "this file",
         .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = 0, .relative = 1e-6}}};
    spin s = {{REFERENCE_STEPS, candidate_steps}};
    sy_suite suite = {.struct_size = sizeof(suite),
                      .operation = "spin",
                      .version = "1",
                      .implementations = implementations,
                      .implementation_count = 2,
                      .cases = cases,
                      .case_count = 1,
                      .build = build,
                      .user = &s};
    tally t = {0};
    for (int i = 0; i < probes; i++) {
        sy_probe_options options = SY_PROBE_OPTIONS_INIT;
        sy_probe_result *result = NULL;
        sy_error err = SY_ERROR_INIT;
        options.max_pairs = 400; /* what fits the 20 seconds by far; the cap is fixed before the first pair */
        options.budget_ns = UINT64_C(20000000000);
        options.wall_limit_ns = UINT64_C(20000000000);
        double start = seconds_now();
        if (sy_probe(device, &suite, &options, &result, &err) != SY_OK) {
            fprintf(stderr, "spin_bench: %s\n", err.what);
            exit(4);
        }
        double took = seconds_now() - start;
        t.longest_s = took > t.longest_s ? took : t.longest_s;
        t.wins += result->decision == SY_DECISION_WIN;
        t.no_gains += result->decision == SY_DECISION_NO_GAIN;
        t.other += result->decision != SY_DECISION_WIN && result->decision != SY_DECISION_NO_GAIN;
        t.pairs += (int)result->pairs;
        if (result->decision != SY_DECISION_WIN && result->decision != SY_DECISION_NO_GAIN)
            printf("  %s (%s): gain %.4f, %u pairs\n", sy_decision_word(result->decision), result->reason, result->gain,
                   result->pairs);
        sy_probe_result_destroy(result);
    }
    return t;
}

static void print_row(const char *what, const tally *t, int probes)
{
    printf("%-22s win %3d of %d   no-gain %3d   else %3d   pairs %.1f   longest %.2f s\n", what, t->wins, probes,
           t->no_gains, t->other, (double)t->pairs / probes, t->longest_s);
}

int main(int argc, char **argv)
{
    int probes = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    if (probes < 1 || sy_device_open("cpu", NULL, &device, &err) != SY_OK) {
        fprintf(stderr, "spin_bench: %s\n", probes < 1 ? "how many probes?" : err.what);
        return 2;
    }
    tally shorter = weigh(device, REFERENCE_STEPS / 100 * 95, probes);
    print_row("5 % shorter, X = 3 %", &shorter, probes);
    tally equal = weigh(device, REFERENCE_STEPS, probes);
    print_row("equal, X = 3 %", &equal, probes);
    sy_device_close(device);
    return 100 * shorter.wins >= 90 * probes && 100 * equal.wins <= probes ? 0 : 1;
}
