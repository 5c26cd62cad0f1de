/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation gives the cpu backend, and the suite that a device makes of it. A new operation is a file of its
 * own and a line in cpu_suites.c. */
#ifndef STEELYARD_BACKENDS_CPU_CPU_OPERATION_H
#define STEELYARD_BACKENDS_CPU_CPU_OPERATION_H

#include "backends/backend.h"
#include "base/arena.h"

typedef struct sy_cpu_operation {
    /* Static: what is the same on every machine. Its functions get the device's sy_cpu_suite as user, or NULL where
     * there is no device. */
    const sy_suite *suite;
    /* Whether a variant is there, below root ("" = the system), without loading anything: fills path when found, reason
     * when not. Variants beyond the static suite's are those that `list` listed. */
    bool (*look)(uint32_t variant, const char *root, char *path, size_t path_size, char *reason, size_t reason_size);
    /* NULL, or more implementations, which a library on this machine lists: asked once a device, when its suite is
     * first asked for; what it returns lives in arena. Nothing listed and SY_OK where there is no such library. The
     * same on every call on one machine, since workers find implementations by their number. SY_NO_MEMORY. */
    sy_status (*list)(sy_device *device, sy_arena *arena, const sy_implementation **ret_list, size_t *ret_count,
                      sy_error *err);
} sy_cpu_operation;

extern const sy_cpu_operation sy_cpu_matmul_operation;
extern const sy_cpu_operation sy_cpu_attention_operation;
extern const sy_cpu_operation sy_cpu_convolution_operation;

/* An implementation beyond the real ones. The released library has none (cpu_extra.c); the testing library has wrong,
 * crashing and equal ones, so that the command can be shown to catch them. */
typedef struct sy_cpu_extra {
    sy_implementation implementation;
    /* As sy_suite.build; index is this one's place among the operation's extras. */
    sy_status (*build)(const sy_case *c, size_t index, sy_graph *graph, sy_error *err);
} sy_cpu_extra;

const sy_cpu_extra *sy_cpu_extras(const char *operation, size_t *ret_count);

/* The suite of one operation on one device: the static implementations, then the listed ones, then the extras. It is
 * the user of its own functions. */
typedef struct sy_cpu_suite {
    sy_suite suite;
    const sy_cpu_operation *operation;
    bool is_listed; /* the library was asked */
    size_t listed_count;
    const sy_cpu_extra *extras;
    size_t extra_count;
} sy_cpu_suite;

/* Makes the suites of all operations; they live in arena. SY_NO_MEMORY. */
sy_status sy_cpu_suites_create(sy_arena *arena, sy_cpu_suite **ret_suites, sy_error *err) SY_NODISCARD;
/* Suite number index of a device, NULL behind the last; device NULL: the static one. */
const sy_suite *sy_cpu_suite_at(sy_device *device, uint32_t index);
/* sy_backend.look of the cpu backend. */
void sy_cpu_suite_look(const sy_suite *suite, uint32_t variant, bool *ret_available, char *reason, size_t reason_size,
                       char *path, size_t path_size);

#endif
