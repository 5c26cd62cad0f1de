/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool of our own product. Between jobs its threads sleep after a short spin, so that a pool that waits
 * takes nothing from the implementation that is weighed against it. */
#include "backends/cpu/cpu_pool.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

#define SPINS 400 /* looks at a variable before a thread sleeps: some 10 us, less than a wake-up */

typedef struct member {
    sy_cpu_pool *pool;
    pthread_t thread;
    uint32_t index;
} member;

struct sy_cpu_pool {
    pthread_mutex_t mutex;
    pthread_cond_t job_begins;
    pthread_cond_t job_ends;
    atomic_uint generation; /* of the job; changed under the mutex */
    atomic_uint busy;       /* members that have not finished the job */
    atomic_bool stopping;
    _Alignas(64) atomic_uint_fast64_t next_task;
    uint64_t task_count;
    sy_cpu_task_fn run;
    void *job;
    uint32_t member_count; /* started */
    member members[];
};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void work(sy_cpu_pool *pool, uint32_t thread)
{
    uint64_t task;
    while ((task = atomic_fetch_add(&pool->next_task, 1)) < pool->task_count) {
        pool->run(pool->job, task, thread);
    }
}

/* Returns when the generation is not `seen` any more. */
static unsigned await_job(sy_cpu_pool *pool, unsigned seen)
{
    unsigned now = seen;
    for (int i = 0; i < SPINS && now == seen; i++) {
        relax();
        now = atomic_load(&pool->generation);
    }
    if (now == seen) {
        pthread_mutex_lock(&pool->mutex);
        while ((now = atomic_load(&pool->generation)) == seen) {
            pthread_cond_wait(&pool->job_begins, &pool->mutex);
        }
        pthread_mutex_unlock(&pool->mutex);
    }
    return now;
}

static void *member_main(void *argument)
{
    const member *self = argument;
    sy_cpu_pool *pool = self->pool;
    unsigned seen = 0;
    while (true) {
        seen = await_job(pool, seen);
        if (atomic_load(&pool->stopping)) {
            return NULL;
        }
        work(pool, self->index);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->job_ends);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void begin_job(sy_cpu_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->generation, 1);
    pthread_cond_broadcast(&pool->job_begins);
    pthread_mutex_unlock(&pool->mutex);
}

void sy_cpu_pool_destroy(sy_cpu_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->stopping, true);
    begin_job(pool);
    for (uint32_t i = 0; i < pool->member_count; i++) {
        pthread_join(pool->members[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->job_ends);
    pthread_cond_destroy(&pool->job_begins);
    pthread_mutex_destroy(&pool->mutex);
    sy_free_aligned(pool);
}

sy_status sy_cpu_pool_create(uint32_t thread_count, sy_cpu_pool **ret_pool, sy_error *err)
{
    if (thread_count == 0) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a pool of 0 threads");
    }
    size_t size = sizeof(sy_cpu_pool) + (thread_count - 1) * sizeof(member);
    sy_cpu_pool *pool = sy_allocate_aligned(64, 1, size);
    if (pool == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for a pool of %u threads", thread_count);
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->job_begins, NULL);
    pthread_cond_init(&pool->job_ends, NULL);
    atomic_init(&pool->generation, 0);
    atomic_init(&pool->busy, 0);
    atomic_init(&pool->stopping, false);
    atomic_init(&pool->next_task, 0);
    pool->task_count = 0;
    pool->member_count = 0;
    for (uint32_t i = 0; i + 1 < thread_count; i++) {
        pool->members[i] = (member){.pool = pool, .index = i + 1};
        int failed = pthread_create(&pool->members[i].thread, NULL, member_main, &pool->members[i]);
        if (failed != 0) {
            sy_cpu_pool_destroy(pool);
            (void)sy_fail_errno(err, SY_LIMIT_EXCEEDED, failed, "thread %u of %u cannot be started", i + 2,
                                thread_count);
            sy_error_hint(err, "fewer threads, or a larger limit of processes or memory");
            return SY_LIMIT_EXCEEDED;
        }
        pool->member_count++;
    }
    *ret_pool = pool;
    return SY_OK;
}

uint32_t sy_cpu_pool_thread_count(const sy_cpu_pool *pool)
{
    return pool->member_count + 1;
}

void sy_cpu_pool_run(sy_cpu_pool *pool, uint64_t task_count, sy_cpu_task_fn run, void *job)
{
    if (task_count <= 1 || pool->member_count == 0) {
        for (uint64_t task = 0; task < task_count; task++) {
            run(job, task, 0);
        }
        return;
    }
    pool->task_count = task_count;
    pool->run = run;
    pool->job = job;
    atomic_store(&pool->next_task, 0);
    atomic_store(&pool->busy, pool->member_count);
    begin_job(pool);
    work(pool, 0);
    for (int i = 0; i < SPINS && atomic_load(&pool->busy) != 0; i++) {
        relax();
    }
    if (atomic_load(&pool->busy) != 0) {
        pthread_mutex_lock(&pool->mutex);
        while (atomic_load(&pool->busy) != 0) {
            pthread_cond_wait(&pool->job_ends, &pool->mutex);
        }
        pthread_mutex_unlock(&pool->mutex);
    }
}
