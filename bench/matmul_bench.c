/* SPDX-License-Identifier: Apache-2.0 */
/* What each implementation of matmul takes alone: the median run of every chosen case, each implementation in a fresh
 * process. It is how the quick subset was chosen, which needs one case where two implementations are close and one
 * where their order turns over. Usage: matmul_bench STEELYARD [CASES], by default quick. */
#include <math.h>
#include <stdio.h>

#include <steelyard/steelyard.h>

#include "base/clock.h"
#include "operations/suite.h"
#include "probe/subject/subject.h"
#include "stats/order.h"

enum { SLOTS = 61, CASES_MAX = 64, IMPLEMENTATIONS_MAX = 64 };
#define SLOT_NS 1000000 /* the cpu backend's shortest slot */

typedef struct table {
    size_t indices[CASES_MAX]; /* of cases */
    size_t case_count;
    double median_ns[CASES_MAX][IMPLEMENTATIONS_MAX]; /* NaN = unavailable */
} table;

static sy_status timed_slot(sy_subject *subject, uint32_t case_index, uint32_t count, double *ret_ns, sy_error *err)
{
    sy_slot slot = {.case_index = case_index, .untimed = 1, .count = count, .change = SY_SUBJECT_NO_CHANGE};
    sy_subject_run run;
    sy_status status = subject->table->slot(subject, &slot, &run, err);
    if (!status)
        *ret_ns = (double)run.elapsed_ns / count;
    return status;
}

/* Warms up, finds how many runs make a slot, and takes the median of SLOTS. */
static sy_status median_run(sy_subject *subject, uint32_t case_index, double *ret_ns, sy_error *err)
{
    double times[SLOTS];
    sy_subject_shape shape;
    uint64_t checksum;
    double once = 0;
    sy_status status = subject->table->build(subject, case_index, &shape, err);
    if (!status)
        status = subject->table->allocate(subject, case_index, err);
    if (!status)
        status = subject->table->fill(subject, case_index, SY_FILL_REAL, false, 1, &checksum, err);
    for (int i = 0; !status && i < 5; i++)
        status = timed_slot(subject, case_index, 1, &once, err);
    const uint32_t count = once < SLOT_NS ? (uint32_t)(SLOT_NS / fmax(once, 100)) + 1 : 1;
    for (size_t i = 0; !status && i < SLOTS; i++)
        status = timed_slot(subject, case_index, count, &times[i], err);
    if (!status)
        status = sy_order_sort(times, SLOTS, err);
    if (!status)
        *ret_ns = sy_order_median(times, SLOTS);
    return status;
}

static sy_status measure(sy_device *device, const sy_suite *suite, const char *path, uint32_t variant, table *t)
{
    sy_error err = SY_ERROR_INIT;
    sy_subject *subject = NULL;
    const sy_worker_options options = {path, (uint64_t)1 << 20, 0};
    sy_status status = sy_subject_create_worker(device, suite, variant, &options, &subject, &err);
    for (size_t i = 0; !status && i < t->case_count; i++)
        status = median_run(subject, (uint32_t)t->indices[i], &t->median_ns[i][variant], &err);
    sy_subject_destroy(subject);
    if (status)
        fprintf(stderr, "matmul_bench: %s: %s\n", suite->implementations[variant].name, err.what);
    return status;
}

static void print_table(const sy_suite *suite, const table *t)
{
    printf("%-26s", "median run, us");
    for (size_t v = 0; v < suite->implementation_count; v++)
        if (!isnan(t->median_ns[0][v]))
            printf(" %10s", suite->implementations[v].name);
    printf("\n");
    for (size_t i = 0; i < t->case_count; i++) {
        printf("%-26s", suite->cases[t->indices[i]].name);
        for (size_t v = 0; v < suite->implementation_count; v++)
            if (!isnan(t->median_ns[0][v]))
                printf(" %10.1f", t->median_ns[i][v] / 1e3);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static table t;
    sy_error err = SY_ERROR_INIT;
    sy_device *device = NULL;
    const sy_suite *suite = NULL;
    const char *pattern = argc > 2 ? argv[2] : "quick";
    if (argc < 2) {
        fprintf(stderr, "usage: matmul_bench STEELYARD [CASES]\n");
        return 2;
    }
    sy_status status = sy_device_open("cpu", NULL, &device, &err);
    if (!status)
        status = sy_device_suite(device, "matmul", &suite, &err);
    if (!status)
        status = sy_suite_select_cases(suite, &pattern, 1, t.indices, &t.case_count, &err);
    if (status)
        fprintf(stderr, "matmul_bench: %s\n", err.what);
    if (!status && suite->implementation_count > IMPLEMENTATIONS_MAX)
        status = SY_LIMIT_EXCEEDED;
    for (uint32_t v = 0; !status && v < suite->implementation_count; v++) {
        for (size_t i = 0; i < t.case_count; i++)
            t.median_ns[i][v] = NAN;
        const sy_implementation *one = &suite->implementations[v];
        if (!one->only_if_named && one->role != SY_ROLE_ORACLE)
            (void)measure(device, suite, argv[1], v, &t);
    }
    if (!status)
        print_table(suite, &t);
    sy_device_close(device);
    return status ? 1 : 0;
}
