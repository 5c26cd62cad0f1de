/* SPDX-License-Identifier: Apache-2.0 */
/* What memory a command and its children took, and what memory was short of meanwhile. */
#ifndef STEELYARD_EVIDENCE_EXEC_MEMORY_H
#define STEELYARD_EVIDENCE_EXEC_MEMORY_H

#include <steelyard/run.h>

#include "base/clock.h"

/* The host's counters at one moment; known: as far as the kernel tells. */
typedef struct sy_exec_pressure {
    bool swap_known;
    uint64_t swapped_bytes; /* read from and written to swap since boot */
    bool stall_known;
    uint64_t stall_us; /* some task waited for memory, since boot */
    uint64_t at_ns;
} sy_exec_pressure;

/* root: "" or a recorded tree with proc and sys. */
sy_exec_pressure sy_exec_pressure_now(const char *root, const sy_clock *clock);
/* NaN: unknown. */
double sy_exec_swap_between(const sy_exec_pressure *before, const sy_exec_pressure *after);
double sy_exec_pressure_between(const sy_exec_pressure *before, const sy_exec_pressure *after);

/* Resident bytes of a process and of all that it started, now; shared pages count for each. 0: nothing is known. */
uint64_t sy_exec_tree_resident(int64_t process, uint32_t *ret_processes);
/* The most that a process had resident since it was started (VmHWM); 0: nothing is known. */
uint64_t sy_exec_peak_resident(int64_t process);

/* The smallest memory.max of this process's control groups (v2) below the host's memory; 0: none. */
uint64_t sy_exec_memory_limit(const char *root);

#endif
