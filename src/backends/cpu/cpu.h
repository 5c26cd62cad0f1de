/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the cpu backend that its files share: the device and its threads. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_H
#define STEELYARD_BACKENDS_CPU_CPU_H

#include "backends/backend.h"
#include "backends/cpu/cpu_library.h"
#include "backends/cpu/cpu_operation.h"
#include "backends/cpu/cpu_pool.h"

/* The device. Libraries that build loaded stay loaded for the process's life: their threads may run at any time, so
 * that unloading their code is never safe. */
typedef struct sy_cpu_device {
    sy_device base;
    const char *root; /* "": where the system's files are looked for; tests put a folder here */
    sy_cpu_library libraries[SY_CPU_LIBRARY_COUNT];
    sy_arena *arena;      /* of the suites */
    sy_cpu_suite *suites; /* one an operation, in the order of cpu_suites.c */
    uint64_t total_bytes; /* physical memory; 0 = unknown */
    sy_cpu_pool *pool;    /* NULL before somebody needed it */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;
} sy_cpu_device;

/* The device behind a sy_device of this backend. */
static inline sy_cpu_device *sy_cpu_device_of(sy_device *device)
{
    return (sy_cpu_device *)device;
}

/* The threads of our own implementations: one pool a device, started at the first call, since graphs run one after
 * another, and the copies of cold buffers alone are thousands. Ended with the device. SY_NO_MEMORY,
 * SY_LIMIT_EXCEEDED (the system starts no more threads). */
sy_status sy_cpu_device_pool(sy_cpu_device *device, sy_cpu_pool **ret_pool, sy_error *err) SY_NODISCARD;

#endif
