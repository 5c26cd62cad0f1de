/* SPDX-License-Identifier: Apache-2.0 */
/* What the harness itself costs: a pair on the fake backend in one process (budget: 2 us), a slot in a worker that is
 * woken and stopped, and each fresh process more of both sides. Usage: harness_bench SCRIPT [STEELYARD WORKER_SCRIPT]:
 * scripts of the fake backend; the second says isolation worker. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <steelyard/steelyard.h>

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Real seconds of a probe with exactly `pairs` pairs (the medians rule) from so many processes; < 0 when it failed. */
static double probe_seconds(const char *script, const char *worker, uint32_t pairs, uint32_t processes)
{
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    double seconds = -1;
    device_options.script = script;
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = pairs;
    options.budget_ns = options.wall_limit_ns = UINT64_MAX / 4;
    options.worker_path = worker;
    options.processes = processes;
    sy_status status = sy_device_open("fake", &device_options, &device, &err);
    if (!status)
        status = sy_device_suite(device, "ring", &suite, &err);
    double start = seconds_now();
    if (!status)
        status = sy_probe(device, suite, &options, &result, &err);
    if (!status && result->pairs == pairs)
        seconds = seconds_now() - start;
    else
        fprintf(stderr, "harness_bench: %s\n", status ? err.what : result->error);
    sy_probe_result_destroy(result);
    sy_device_close(device);
    return seconds;
}

/* The median over five tries of what each further pair costs. */
static double pair_seconds(const char *script, const char *worker, uint32_t few, uint32_t many)
{
    double costs[5];
    for (int i = 0; i < 5; i++) {
        double base = probe_seconds(script, worker, few, 1);
        double all = probe_seconds(script, worker, many, 1);
        if (base < 0 || all < 0)
            return -1;
        double cost = (all - base) / (many - few);
        int at = i;
        for (; at > 0 && costs[at - 1] > cost; at--)
            costs[at] = costs[at - 1];
        costs[at] = cost;
    }
    return costs[2];
}

/* The least over five tries, as much as anything else that runs can be left out: what each process after the first
 * costs in a probe of as many pairs. The control of the capped rule is not among it: its slots are slots. */
static double process_seconds(const char *script, const char *worker)
{
    double least = INFINITY;
    for (int i = 0; i < 5; i++) {
        double one = probe_seconds(script, worker, 90, 1);
        double nine = probe_seconds(script, worker, 90, 9);
        if (one < 0 || nine < 0)
            return -1;
        least = fmin(least, (nine - one) / 8);
    }
    return least;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "usage: harness_bench SCRIPT [STEELYARD WORKER_SCRIPT]\n");
        return 2;
    }
    double pair = pair_seconds(argv[1], NULL, 200, 1800);
    if (pair < 0)
        return 4;
    printf("a pair on the fake backend, one process: %.2f us (budget 2 us)\n", 1e6 * pair);
    if (argc == 4) {
        double slot = pair_seconds(argv[3], argv[2], 100, 600) / 2;
        if (slot < 0)
            return 4;
        printf("a slot in a worker, woken and stopped:   %.1f us\n", 1e6 * slot);
        double process = process_seconds(argv[3], argv[2]);
        if (process < 0)
            return 4;
        printf("a fresh process more of each side:       %.1f ms\n", 1e3 * process);
    }
    return pair <= 2e-6 ? 0 : 1;
}
