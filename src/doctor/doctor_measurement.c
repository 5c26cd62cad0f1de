/* SPDX-License-Identifier: Apache-2.0 */
/* The clock's step and cost, and the noise of a small matrix product against itself, in pairs as a probe makes them. */
#include "doctor/doctor_measurement.h"

#include <math.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/memory.h"
#include "stats/gain.h"
#include "stats/order.h"

enum {
    LOOKS = 10000, /* at the clock, in a batch */
    BATCHES = 20,
    PAIRS = 40, /* of the kernel */
    ORDER = 48, /* of its matrices, which fit the first-level cache */
    REPEATS_MAX = 4096,
    RUN_NS = 1000000 /* that a run should take */
};

typedef struct kernel {
    float a[ORDER][ORDER];
    float b[ORDER][ORDER];
    float c[ORDER][ORDER];
    int repeats;
} kernel;

static void multiply(kernel *k)
{
    for (int i = 0; i < ORDER; i++)
        for (int p = 0; p < ORDER; p++) {
            const float factor = k->a[i][p];
            for (int j = 0; j < ORDER; j++)
                k->c[i][j] = 0.5f * k->c[i][j] + factor * k->b[p][j];
        }
}

static double run(kernel *k, const sy_clock *clock)
{
    const uint64_t start = sy_clock_now(clock);
    for (int i = 0; i < k->repeats; i++)
        multiply(k);
    return (double)(sy_clock_now(clock) - start);
}

/* The quickest of some: one that was switched away says nothing of the kernel's length. */
static double undisturbed_run(kernel *k, const sy_clock *clock)
{
    double quickest = run(k, clock);
    for (int i = 0; i < 4; i++)
        quickest = fmin(quickest, run(k, clock));
    return quickest;
}

static void start_kernel(kernel *k, const sy_clock *clock)
{
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) {
            k->a[i][j] = (float)(i - j) / ORDER;
            k->b[i][j] = (float)(i + j) / (2 * ORDER);
        }
    k->repeats = 1;
    double took_ns = undisturbed_run(k, clock);
    while (k->repeats < REPEATS_MAX && took_ns < RUN_NS) {
        k->repeats *= 2;
        took_ns = undisturbed_run(k, clock);
    }
    /* Twice too long at most: to size. */
    if (took_ns > RUN_NS)
        k->repeats = (int)fmax(1, k->repeats * (RUN_NS / took_ns));
}

static void look_at_clock(const sy_clock *clock, sy_doctor_measurement *measurement)
{
    uint64_t step = UINT64_MAX;
    uint64_t shortest_batch = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t start = sy_clock_now(clock);
        uint64_t before = start;
        for (int i = 0; i < LOOKS; i++) {
            const uint64_t now = sy_clock_now(clock);
            if (now > before && now - before < step)
                step = now - before;
            before = now;
        }
        if (before - start < shortest_batch)
            shortest_batch = before - start;
    }
    measurement->look_ns = (double)shortest_batch / LOOKS;
    measurement->step_ns = step != UINT64_MAX ? (double)step : NAN;
}

/* This thread alone: others of the process, if there are any, are not what is measured. */
static double count_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (double)usage.ru_nivcsw : NAN;
}

static sy_status time_pairs(kernel *k, const sy_clock *clock, sy_random *coins, sy_doctor_measurement *measurement,
                            sy_error *err)
{
    double differences[PAIRS];
    double times[2 * PAIRS];
    size_t usable = 0;
    const uint64_t start = sy_clock_now(clock);
    const double switches = count_switches();
    for (size_t i = 0; i < PAIRS; i++) {
        (void)run(k, clock); /* untimed, as before each slot of a probe */
        const double first = run(k, clock);
        const double second = run(k, clock);
        times[2 * i] = first;
        times[2 * i + 1] = second;
        const double difference = sy_random_coin(coins) ? log(first) - log(second) : log(second) - log(first);
        if (isfinite(difference))
            differences[usable++] = difference;
    }
    measurement->switches = count_switches() - switches;
    measurement->span_ns = (double)(sy_clock_now(clock) - start);
    sy_status status = sy_order_sort(times, 2 * PAIRS, err);
    if (status == SY_OK)
        measurement->kernel_ns = sy_order_median(times, 2 * PAIRS);
    if (status == SY_OK && usable > 0)
        status = sy_gain_noise(differences, usable, &measurement->noise, err);
    return status;
}

sy_status sy_doctor_measure(const sy_clock *clock, sy_random *coins, sy_doctor_measurement *ret_measurement,
                            sy_error *err)
{
    sy_doctor_measurement measurement = {.made = true, .noise = NAN};
    kernel *k = sy_allocate(1, sizeof *k);
    if (k == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a kernel to time");
    look_at_clock(clock, &measurement);
    start_kernel(k, clock);
    sy_status status = time_pairs(k, clock, coins, &measurement, err);
    if (status == SY_OK)
        *ret_measurement = measurement;
    sy_free(k);
    return status;
}
