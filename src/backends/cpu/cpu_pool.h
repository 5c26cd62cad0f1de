/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed set of threads that run numbered tasks of one job at a time. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_POOL_H
#define STEELYARD_BACKENDS_CPU_CPU_POOL_H

#include <steelyard/base.h>

typedef struct sy_cpu_pool sy_cpu_pool;

/* One task of a job; thread is 0 (the caller's) to thread_count - 1, and only one task at a time has it. */
typedef void (*sy_cpu_task_fn)(void *job, uint64_t task, uint32_t thread);

/* thread_count >= 1 counts the calling thread: one less is started. SY_NO_MEMORY, SY_LIMIT_EXCEEDED (the system starts
 * no more threads). */
sy_status sy_cpu_pool_create(uint32_t thread_count, sy_cpu_pool **ret_pool, sy_error *err) SY_NODISCARD;
/* Ends and joins the threads; NULL is allowed. */
void sy_cpu_pool_destroy(sy_cpu_pool *pool);
uint32_t sy_cpu_pool_thread_count(const sy_cpu_pool *pool);
/* Runs tasks 0..task_count-1, each once, in any order, and returns when all are done. For one calling thread. */
void sy_cpu_pool_run(sy_cpu_pool *pool, uint64_t task_count, sy_cpu_task_fn run, void *job);

#endif
