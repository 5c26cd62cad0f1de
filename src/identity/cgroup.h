/* SPDX-License-Identifier: Apache-2.0 */
/* What the control groups of this process allow: processor time (along the whole path, v1 and v2) and processors. */
#ifndef STEELYARD_IDENTITY_CGROUP_H
#define STEELYARD_IDENTITY_CGROUP_H

#include <hwloc/bitmap.h>
#include <steelyard/base.h>

typedef struct sy_cpu_quota {
    bool known;
    bool limited;
    double cpus;      /* when limited: processors' worth of time, 1.5 for 150000 of 100000 us */
    char source[256]; /* when limited: "cgroup v2, /a"; when not known: why */
    char folder[512]; /* when limited: where the files of the group stand that limits: "/sys/fs/cgroup/a" */
} sy_cpu_quota;

/* The smallest quota from the process's group up to the root of its hierarchy. root: "" or a recorded tree.
 * SY_NO_MEMORY. */
sy_status sy_cgroup_cpu_quota(const char *root, sy_cpu_quota *ret_quota, sy_error *err) SY_NODISCARD;

/* The processors that the process's cpuset allows; *ret_known false, and set as it was, when no cpuset says anything.
 * SY_NO_MEMORY. */
sy_status sy_cgroup_cpus(const char *root, hwloc_bitmap_t set, bool *ret_known, sy_error *err) SY_NODISCARD;

#endif
