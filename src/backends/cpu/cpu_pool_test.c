/* SPDX-License-Identifier: Apache-2.0 */
/* The pool: every task once, one task a thread at a time, many short jobs, and threads that end. Its threads come from
 * pthread_create inside the pool. */
#include "cmocka_headers.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpu/cpu_pool.h"
#include "base/clock.h"
#include "base/fault.h"
#include "fault_loop.h"

enum { TASKS = 1000, THREADS = 4 };

typedef struct counts {
    atomic_uint done[TASKS];
    atomic_uint on_thread[THREADS];
    atomic_uint collisions;
} counts;

static void count_task(void *job, uint64_t task, uint32_t thread)
{
    counts *c = job;
    if (atomic_fetch_add(&c->on_thread[thread], 1) != 0) {
        atomic_fetch_add(&c->collisions, 1);
    }
    atomic_fetch_add(&c->done[task], 1);
    atomic_fetch_sub(&c->on_thread[thread], 1);
}

static sy_cpu_pool *pool_of(uint32_t threads)
{
    sy_cpu_pool *pool = NULL;
    assert_int_equal(sy_cpu_pool_create(threads, &pool, NULL), SY_OK);
    assert_int_equal(sy_cpu_pool_thread_count(pool), threads);
    return pool;
}

static void every_task_is_done_once_and_no_thread_has_two(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= THREADS; threads++) {
        static counts c;
        sy_cpu_pool *pool = pool_of(threads);
        for (unsigned round = 1; round <= 50; round++) {
            sy_cpu_pool_run(pool, TASKS, count_task, &c);
        }
        for (size_t i = 0; i < TASKS; i++) {
            assert_int_equal(atomic_exchange(&c.done[i], 0), 50);
        }
        assert_int_equal(c.collisions, 0);
        sy_cpu_pool_destroy(pool);
    }
}

typedef struct meeting {
    atomic_uint begun;
    atomic_uint done;
} meeting;

/* Two tasks that meet, of which the one on the pool's own thread then lingers. */
static void meet_and_linger(void *job, uint64_t task, uint32_t thread)
{
    meeting *m = job;
    (void)task;
    atomic_fetch_add(&m->begun, 1);
    while (atomic_load(&m->begun) < 2) {
        sy_clock_system.sleep_ns(&sy_clock_system, 1000);
    }
    if (thread != 0) {
        sy_clock_system.sleep_ns(&sy_clock_system, 5000000);
    }
    atomic_fetch_add(&m->done, 1);
}

static void a_job_ends_when_its_slowest_thread_has(void **state)
{
    (void)state;
    sy_cpu_pool *pool = pool_of(2);
    for (int i = 0; i < 3; i++) {
        meeting m = {0};
        sy_cpu_pool_run(pool, 2, meet_and_linger, &m);
        assert_int_equal(m.done, 2);
    }
    sy_cpu_pool_destroy(pool);
}

static void jobs_of_no_task_and_of_one_end(void **state)
{
    (void)state;
    static counts c;
    sy_cpu_pool *pool = pool_of(3);
    sy_cpu_pool_run(pool, 0, count_task, &c);
    sy_cpu_pool_run(pool, 1, count_task, &c);
    assert_int_equal(c.done[0], 1);
    sy_cpu_pool_destroy(pool);
}

/* Sleeping threads are woken: a pause longer than any spin lies between two jobs. */
static void threads_that_sleep_are_woken(void **state)
{
    (void)state;
    static counts c;
    sy_cpu_pool *pool = pool_of(THREADS);
    for (int i = 0; i < 5; i++) {
        sy_cpu_pool_run(pool, 100, count_task, &c);
        sy_clock_system.sleep_ns(&sy_clock_system, 2000000);
    }
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(c.done[i], 5);
    }
    sy_cpu_pool_destroy(pool);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* In a process that may have room for a few stacks only: 0 = as it should be. */
static int make_too_many(void)
{
    const struct rlimit little = {256 << 20, 256 << 20};
    sy_cpu_pool *pool = NULL;
    sy_error err = SY_ERROR_INIT;
    if (setrlimit(RLIMIT_AS, &little) != 0) {
        return 2;
    }
    return sy_cpu_pool_create(4096, &pool, &err) == SY_LIMIT_EXCEEDED && pool == NULL &&
                   strstr(err.what, "of 4096 cannot be started") != NULL
               ? 0
               : 1;
}
#endif

static void more_threads_than_the_system_starts_are_a_limit(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: a sanitizer's memory passes any limit\n");
#else
    int end = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(make_too_many());
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_int_equal(end, 0);
#endif
}

static void a_pool_of_no_threads_is_refused(void **state)
{
    (void)state;
    sy_cpu_pool *pool = NULL;
    assert_int_equal(sy_cpu_pool_create(0, &pool, NULL), SY_INVALID_ARGUMENT);
    assert_null(pool);
    sy_cpu_pool_destroy(NULL);
}

static sy_status create_and_destroy(void *user)
{
    (void)user;
    sy_cpu_pool *pool = NULL;
    sy_status status = sy_cpu_pool_create(2, &pool, NULL);
    sy_cpu_pool_destroy(pool);
    return status;
}

static void a_lack_of_memory_leaves_no_thread_and_no_block(void **state)
{
    (void)state;
    assert_int_equal(fault_loop_allocations(create_and_destroy, NULL, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once_and_no_thread_has_two),
        cmocka_unit_test(a_job_ends_when_its_slowest_thread_has),
        cmocka_unit_test(jobs_of_no_task_and_of_one_end),
        cmocka_unit_test(threads_that_sleep_are_woken),
        cmocka_unit_test(more_threads_than_the_system_starts_are_a_limit),
        cmocka_unit_test(a_pool_of_no_threads_is_refused),
        cmocka_unit_test(a_lack_of_memory_leaves_no_thread_and_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
