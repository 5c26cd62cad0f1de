/* SPDX-License-Identifier: Apache-2.0 */
/* What the guards' eyes cost: the two looks at context switches around every timed slot, with few and many threads in
 * the process (the kernel adds them up), and the look at the machine's condition before and after all pairs. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "backends/backend.h"

enum { LOOKS = 20000, CONDITIONS = 200, TRIES = 7, THREADS_MAX = 64 };

static double nanoseconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* The least of several tries, of one look. */
static double look_ns(sy_device *device)
{
    double least = 1e18;
    uint64_t sum = 0;
    for (int i = 0; i < TRIES; i++) {
        const double start = nanoseconds_now();
        for (int k = 0; k < LOOKS; k++)
            sum += device->backend->switches(device);
        const double cost = (nanoseconds_now() - start) / LOOKS;
        least = cost < least ? cost : least;
    }
    return sum == UINT64_MAX ? -1 : least;
}

static double condition_ns(sy_device *device)
{
    double least = 1e18;
    for (int i = 0; i < TRIES; i++) {
        sy_device_condition condition;
        const double start = nanoseconds_now();
        for (int k = 0; k < CONDITIONS; k++)
            device->backend->condition(device, &condition);
        const double cost = (nanoseconds_now() - start) / CONDITIONS;
        least = cost < least ? cost : least;
    }
    return least;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    return NULL;
}

int main(void)
{
    static const int counts[] = {1, 2, 8, THREADS_MAX};
    pthread_t threads[THREADS_MAX];
    int running = 1;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_device_open("cpu", NULL, &device, &err) != SY_OK) {
        fprintf(stderr, "guards_bench: %s\n", err.what);
        return 4;
    }
    (void)pthread_mutex_lock(&gate);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        while (running < counts[i] && pthread_create(&threads[running], NULL, wait_at_gate, NULL) == 0)
            running++;
        const double look = look_ns(device);
        printf("%2d threads: a look at the switches %5.0f ns, a pair (four looks) %5.2f us\n", running, look,
               4e-3 * look);
    }
    (void)pthread_mutex_unlock(&gate);
    for (int i = 1; i < running; i++)
        (void)pthread_join(threads[i], NULL);
    printf("a look at the condition, twice a probe: %.0f us\n", 1e-3 * condition_ns(device));
    sy_device_close(device);
    return 0;
}
