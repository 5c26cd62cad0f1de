/* SPDX-License-Identifier: Apache-2.0 */
/* Usable processors and their kinds, from the kernel's own files, so that a recorded tree and a running machine are
 * read by the same code. Kinds are what the kernel names (core and atom, capacity), not what frequencies suggest: those
 * come and go with drivers and governors, and a key must not. */
#include "identity/topology.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "identity/cgroup.h"
#include "identity/tree.h"

/* More than any kernel is built for; the call fails when the set is smaller than the kernel's. */
#define AFFINITY_CPUS 65536

/* The main thread's affinity, by the system call: it works where /proc is not mounted. */
static sy_status read_live_affinity(hwloc_bitmap_t set, bool *ret_known, sy_error *err)
{
    const size_t size = CPU_ALLOC_SIZE(AFFINITY_CPUS);
    cpu_set_t *cpus = sy_allocate(1, size);
    if (cpus == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_status status = SY_OK;
    hwloc_bitmap_zero(set);
    *ret_known = sched_getaffinity(getpid(), size, cpus) == 0;
    for (unsigned cpu = 0; *ret_known && cpu < AFFINITY_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, size, cpus) && hwloc_bitmap_set(set, cpu) != 0) {
            status = sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
            break;
        }
    sy_free(cpus);
    return status;
}

static sy_status read_recorded_affinity(const char *root, hwloc_bitmap_t set, bool *ret_known, sy_error *err)
{
    char *text = NULL;
    sy_status status = sy_tree_read(root, &text, err, "/proc/self/status");
    if (status != SY_OK)
        return status;
    const char *at = text != NULL ? text : "";
    size_t length = 0;
    const char *value = sy_tree_next_value(&at, "Cpus_allowed_list", &length);
    sy_text list = SY_TEXT_INIT;
    if (value != NULL)
        sy_text_append_bytes(&list, value, length);
    *ret_known = value != NULL && !list.failed && sy_tree_parse_cpus(sy_text_bytes(&list), set);
    if (list.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_text_finish(&list);
    sy_free(text);
    return status;
}

/* usable &= other, unless nothing would be left: then the other file speaks of another view of the machine. */
static sy_status narrow(hwloc_bitmap_t usable, hwloc_const_bitmap_t other, sy_error *err)
{
    if (hwloc_bitmap_intersects(usable, other) && hwloc_bitmap_and(usable, usable, other) != 0)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    return SY_OK;
}

sy_status sy_topology_usable(const char *root, hwloc_bitmap_t usable, bool *ret_known, sy_error *err)
{
    bool known = false;
    bool other_known = false;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_t other = hwloc_bitmap_alloc();
    sy_status status = SY_OK;
    if (set == NULL || other == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
        goto out;
    }
    status = root[0] == '\0' ? read_live_affinity(set, &known, err) : read_recorded_affinity(root, set, &known, err);
    if (status == SY_OK)
        status = sy_tree_read_cpus(root, other, &other_known, err, "/sys/devices/system/cpu/online");
    if (status == SY_OK && other_known)
        status = narrow(set, other, err);
    if (status == SY_OK)
        status = sy_cgroup_cpus(root, other, &other_known, err);
    if (status == SY_OK && other_known)
        status = narrow(set, other, err);
    if (status != SY_OK)
        goto out;
    if (!known)
        hwloc_bitmap_zero(set);
    if (hwloc_bitmap_copy(usable, set) != 0)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    else
        *ret_known = known;
out:
    hwloc_bitmap_free(set);
    hwloc_bitmap_free(other);
    return status;
}

sy_status sy_topology_rank(hwloc_const_bitmap_t cpus, hwloc_const_bitmap_t usable, hwloc_bitmap_t ret_ranks,
                           sy_error *err)
{
    unsigned rank = 0;
    hwloc_bitmap_zero(ret_ranks);
    for (int cpu = hwloc_bitmap_first(usable); cpu >= 0; cpu = hwloc_bitmap_next(usable, cpu), rank++)
        if (hwloc_bitmap_isset(cpus, (unsigned)cpu) && hwloc_bitmap_set(ret_ranks, rank) != 0)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    return SY_OK;
}

void sy_topology_append_list(sy_text *text, hwloc_const_bitmap_t set)
{
    const int length = hwloc_bitmap_list_snprintf(NULL, 0, set);
    char *list = length >= 0 ? sy_allocate((size_t)length + 1, 1) : NULL;
    if (list == NULL) {
        text->failed = true;
        return;
    }
    (void)hwloc_bitmap_list_snprintf(list, (size_t)length + 1, set);
    sy_text_append(text, list);
    sy_free(list);
}

/* ---- kinds ---- */

/* Appends "name (ranks)" of the usable ones among cpus, if there are any. */
static sy_status append_kind(const char *name, hwloc_const_bitmap_t cpus, hwloc_const_bitmap_t usable, sy_text *text,
                             sy_error *err)
{
    hwloc_bitmap_t ranks = hwloc_bitmap_alloc();
    if (ranks == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_status status = sy_topology_rank(cpus, usable, ranks, err);
    if (status == SY_OK && !hwloc_bitmap_iszero(ranks)) {
        sy_text_append_format(text, "%s%s (", text->length > 0 ? " + " : "", name);
        sy_topology_append_list(text, ranks);
        sy_text_append(text, ")");
    }
    hwloc_bitmap_free(ranks);
    return status;
}

/* Hybrid x86: the kernel has a performance counter device for each kind of core, which lists its processors. */
static sy_status append_named_kinds(const char *root, hwloc_const_bitmap_t usable, hwloc_bitmap_t cpus, sy_text *text,
                                    sy_error *err)
{
    static const char *const names[] = {"atom", "core", "lowpower"};
    sy_status status = SY_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == SY_OK; i++) {
        bool known = false;
        status = sy_tree_read_cpus(root, cpus, &known, err, "/sys/devices/cpu_%s/cpus", names[i]);
        if (status == SY_OK && known)
            status = append_kind(names[i], cpus, usable, text, err);
    }
    return status;
}

/* The capacity of a processor (1024 = the machine's fastest), 0 when the kernel gives none. */
static sy_status read_capacity(const char *root, int cpu, uint64_t *ret_capacity, sy_error *err)
{
    char *line = NULL;
    sy_status status = sy_tree_read_line(root, &line, err, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
    if (status != SY_OK)
        return status;
    if (line == NULL || sy_parse_u64(line, ret_capacity, NULL) != SY_OK)
        *ret_capacity = 0;
    sy_free(line);
    return SY_OK;
}

/* The lowest capacity above `above` of the processors in `all`, and who has it; 0 when there is none. */
static sy_status next_capacity(const char *root, hwloc_const_bitmap_t all, uint64_t above, hwloc_bitmap_t cpus,
                               uint64_t *ret_capacity, sy_error *err)
{
    uint64_t lowest = 0;
    for (int cpu = hwloc_bitmap_first(all); cpu >= 0; cpu = hwloc_bitmap_next(all, cpu)) {
        uint64_t capacity = 0;
        sy_status status = read_capacity(root, cpu, &capacity, err);
        if (status != SY_OK)
            return status;
        if (capacity <= above || (lowest != 0 && capacity > lowest))
            continue;
        if (capacity != lowest)
            hwloc_bitmap_zero(cpus);
        lowest = capacity;
        if (hwloc_bitmap_set(cpus, (unsigned)cpu) != 0)
            return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    }
    *ret_capacity = lowest;
    return SY_OK;
}

/* Kinds by capacity, of the whole machine: when all have the same, nothing is said, since kernels differ in whether
 * they give the file at all. */
static sy_status append_capacity_kinds(const char *root, hwloc_const_bitmap_t usable, hwloc_bitmap_t cpus,
                                       sy_text *text, sy_error *err)
{
    bool known = false;
    uint64_t capacity = 0;
    size_t kinds = 0;
    hwloc_bitmap_t all = hwloc_bitmap_dup(usable);
    if (all == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_status status = sy_tree_read_cpus(root, all, &known, err, "/sys/devices/system/cpu/online");
    while (status == SY_OK) {
        status = next_capacity(root, all, capacity, cpus, &capacity, err);
        if (status != SY_OK || capacity == 0)
            break;
        char name[40];
        (void)snprintf(name, sizeof name, "capacity %llu", (unsigned long long)capacity);
        status = append_kind(name, cpus, usable, text, err);
        kinds++;
    }
    if (status == SY_OK && text->failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the kinds of processors");
    else if (status == SY_OK && kinds < 2)
        sy_text_clear(text);
    hwloc_bitmap_free(all);
    return status;
}

sy_status sy_topology_add_kinds(const char *root, hwloc_const_bitmap_t usable, sy_identity_builder *builder,
                                sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    if (cpus == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_status status = append_named_kinds(root, usable, cpus, &text, err);
    if (status == SY_OK && text.length == 0)
        status = append_capacity_kinds(root, usable, cpus, &text, err);
    if (status == SY_OK && text.failed)
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the kinds of processors");
    if (status == SY_OK)
        sy_identity_builder_add(builder, "cpu.kinds", text.length > 0 ? sy_text_bytes(&text) : "alike", true);
    hwloc_bitmap_free(cpus);
    sy_text_finish(&text);
    return status;
}
