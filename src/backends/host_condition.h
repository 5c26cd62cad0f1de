/* SPDX-License-Identifier: Apache-2.0 */
/* What the system says of its processor and its memory, for backends that run on them. root: "", or where tests keep
 * the system's files. */
#ifndef STEELYARD_BACKENDS_HOST_CONDITION_H
#define STEELYARD_BACKENDS_HOST_CONDITION_H

#include "backends/backend.h"

/* CPUs that this process may run on; at least 1. */
uint32_t sy_host_affinity_count(void);
/* "Intel Xeon Processor, 2 CPUs", cut to size. */
void sy_host_processor_name(const char *root, char *to, size_t size);
/* Physical memory; 0 = unknown. */
uint64_t sy_host_total_memory(const char *root);
/* Bytes that could be allocated now: MemAvailable, or less where a cgroup on the process's path leaves less. False:
 * the system does not tell. */
bool sy_host_available_memory(const char *root, uint64_t *ret_bytes);
void sy_host_condition(const char *root, sy_device_condition *ret_condition);
/* Involuntary context switches of all threads of this process, so far; UINT64_MAX = unknown. */
uint64_t sy_host_switches(void);

#endif
