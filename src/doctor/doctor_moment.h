/* SPDX-License-Identifier: Apache-2.0 */
/* One look at the system's counters: who had the processors, who waited, what was throttled and swapped since boot. Two
 * of them say what happened in between. */
#ifndef STEELYARD_DOCTOR_MOMENT_H
#define STEELYARD_DOCTOR_MOMENT_H

#include "base/arena.h"

/* Times are in the kernel's ticks, of which only ratios are used. */
typedef struct sy_doctor_cpu {
    uint64_t number;
    double all;
    double busy;
} sy_doctor_cpu;

typedef struct sy_doctor_process {
    uint64_t pid;
    double ticks;
    char name[32]; /* printable */
} sy_doctor_process;

enum { SY_PRESSURE_CPU, SY_PRESSURE_MEMORY, SY_PRESSURE_IO, SY_PRESSURE_KINDS };

/* NaN = unknown. */
typedef struct sy_doctor_moment {
    double all;   /* ticks of all processors since boot */
    double busy;  /* of them, with work of this system */
    double steal; /* of them, taken by a hypervisor */
    double own;   /* ticks of this process */
    uint64_t own_pid;
    const sy_doctor_cpu *cpus; /* by number */
    size_t cpu_count;
    const sy_doctor_process *processes; /* by pid; this one left out */
    size_t process_count;
    double waited_us[SY_PRESSURE_KINDS];    /* some task waited */
    double waited_share[SY_PRESSURE_KINDS]; /* of the last ten seconds */
    double load_average;
    double throttle_events;
    double quota_periods; /* in which the control group's quota ran out */
    double swapped_pages;
    double uptime_s;
} sy_doctor_moment;

/* quota_folder: the folder of the control group whose quota binds, below root; "" = none. What ret_moment points to
 * lives in arena. SY_NO_MEMORY. */
sy_status sy_doctor_look(const char *root, const char *quota_folder, sy_arena *arena, sy_doctor_moment *ret_moment,
                         sy_error *err) SY_NODISCARD;

/* The number behind a name and blanks at a line's beginning ("pswpin 12", "MemTotal:  65 kB"); NaN when there is none.
 * text may be NULL. */
double sy_doctor_number(const char *text, const char *name);

#endif
