/* SPDX-License-Identifier: Apache-2.0 */
/* Do pairs tell what each implementation does alone? OpenBLAS and BLIS at n = 512 with all threads: each paired median
 * must lie within 10 % of that implementation's median alone in a fresh process, and the one that is better alone must
 * be better in pairs. Usage: alone_bench STEELYARD [--no-stop]. With --no-stop the idle worker is left running, and the
 * check is expected to fail. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <steelyard/steelyard.h>

#include "base/clock.h"
#include "operations/suite.h"
#include "probe/subject/subject.h"
#include "stats/order.h"

#define SLOTS 60
#define ROUNDS 3

static double median_of(double *values, size_t count)
{
    return sy_order_sort(values, count, NULL) == SY_OK ? sy_order_median(values, count) : NAN;
}

/* The median run in a process of its own, slots as in a probe: one untimed run, then one timed. */
static sy_status measure_alone(sy_device *device, const sy_suite *suite, const char *path, const char *name,
                               uint32_t case_index, double *ret_ns, sy_error *err)
{
    double times[SLOTS];
    uint32_t variant = 0;
    sy_subject *subject = NULL;
    sy_subject_shape shape;
    uint64_t checksum;
    sy_worker_options options = {path, (uint64_t)1 << 20, 0};
    sy_status status = sy_suite_find_implementation(suite, name, &variant, err);
    if (!status)
        status = sy_subject_create_worker(device, suite, variant, &options, &subject, err);
    if (!status)
        status = subject->table->build(subject, case_index, &shape, err);
    if (!status)
        status = subject->table->allocate(subject, case_index, err);
    if (!status)
        status = subject->table->fill(subject, case_index, SY_FILL_REAL, false, 1, &checksum, err);
    for (int i = -10; !status && i < SLOTS; i++) {
        sy_slot slot = {.case_index = case_index, .untimed = 1, .count = 1, .change = SY_SUBJECT_NO_CHANGE};
        sy_subject_run run;
        status = subject->table->slot(subject, &slot, &run, err);
        if (!status && i >= 0)
            times[i] = (double)run.elapsed_ns;
    }
    sy_subject_destroy(subject);
    if (!status)
        *ret_ns = median_of(times, SLOTS);
    return status;
}

static sy_status measure_pairs(sy_device *device, const sy_suite *suite, const char *path, bool stop, double ret_ns[2],
                               sy_error *err)
{
    static const char *const cases[] = {"square-512"};
    static const char *const names[] = {"openblas", "blis"};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    options.cases = cases;
    options.case_count = 1;
    options.implementations = names;
    options.implementation_count = 2;
    options.rule = SY_RULE_MEDIANS; /* a fixed number of pairs */
    options.worker_path = path;
    options.stop_idle_workers = stop;
    sy_status status = sy_probe(device, suite, &options, &result, err);
    if (status)
        return status;
    ret_ns[0] = result->cases[0].reference_median_ns;
    ret_ns[1] = result->cases[0].candidate_median_ns;
    if (isnan(ret_ns[0]))
        fprintf(stderr, "alone_bench: %s\n", result->error);
    sy_probe_result_destroy(result);
    return SY_OK;
}

int main(int argc, char **argv)
{
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    size_t chosen[64];
    size_t count = 0;
    const char *pattern = "square-512";
    sy_error err = SY_ERROR_INIT;
    bool stop = argc < 3 || strcmp(argv[2], "--no-stop") != 0;
    double alone[2][ROUNDS];
    double paired[2][ROUNDS];
    if (argc < 2) {
        fprintf(stderr, "usage: alone_bench STEELYARD [--no-stop]\n");
        return 2;
    }
    sy_status status = sy_device_open("cpu", NULL, &device, &err);
    if (!status)
        status = sy_device_suite(device, "matmul", &suite, &err);
    if (!status)
        status = sy_suite_select_cases(suite, &pattern, 1, chosen, &count, &err);
    for (int round = 0; !status && round < ROUNDS; round++) {
        double pair[2];
        status = measure_alone(device, suite, argv[1], "openblas", (uint32_t)chosen[0], &alone[0][round], &err);
        if (!status)
            status = measure_alone(device, suite, argv[1], "blis", (uint32_t)chosen[0], &alone[1][round], &err);
        if (!status)
            status = measure_pairs(device, suite, argv[1], stop, pair, &err);
        if (!status) {
            paired[0][round] = pair[0];
            paired[1][round] = pair[1];
        }
    }
    sy_device_close(device);
    if (status) {
        fprintf(stderr, "alone_bench: %s\n", err.what);
        return 3;
    }
    double a[2] = {median_of(alone[0], ROUNDS), median_of(alone[1], ROUNDS)};
    double p[2] = {median_of(paired[0], ROUNDS), median_of(paired[1], ROUNDS)};
    printf("sgemm n = 512, medians of %d rounds%s\n", ROUNDS, stop ? "" : ", idle workers left running");
    printf("openblas  alone %8.0f ns   in pairs %8.0f ns   ratio %.3f\n", a[0], p[0], p[0] / a[0]);
    printf("blis      alone %8.0f ns   in pairs %8.0f ns   ratio %.3f\n", a[1], p[1], p[1] / a[1]);
    bool near = fabs(p[0] / a[0] - 1) <= 0.10 && fabs(p[1] / a[1] - 1) <= 0.10;
    bool same_order = (a[0] < a[1]) == (p[0] < p[1]);
    printf("%s\n", near && same_order ? "pairs tell what each does alone"
                   : near             ? "the order turned over"
                                      : "pairs are off by more than 10 %");
    return near && same_order ? 0 : 1;
}
