/* SPDX-License-Identifier: Apache-2.0 */
/* Which processors this process may use, of what kinds they are, and which caches they share. */
#ifndef STEELYARD_IDENTITY_TOPOLOGY_H
#define STEELYARD_IDENTITY_TOPOLOGY_H

#include <hwloc/bitmap.h>

#include "record/identity.h"

/* The processors that are online, in the process's affinity and in its cpuset. *ret_known false, and usable empty, when
 * it cannot be found out. root: "" or a recorded tree. SY_NO_MEMORY. */
sy_status sy_topology_usable(const char *root, hwloc_bitmap_t usable, bool *ret_known, sy_error *err) SY_NODISCARD;

/* Adds cpu.cache.* for the usable processors, which are numbered from 0 in these texts. SY_NO_MEMORY. */
sy_status sy_topology_add_caches(const char *root, hwloc_const_bitmap_t usable, sy_identity_builder *builder,
                                 sy_error *err) SY_NODISCARD;
/* The same for this machine as hwloc sees it, for kernels whose files say nothing. */
sy_status sy_topology_add_caches_by_hwloc(hwloc_const_bitmap_t usable, sy_identity_builder *builder,
                                          sy_error *err) SY_NODISCARD;
/* Adds cpu.kinds. SY_NO_MEMORY. */
sy_status sy_topology_add_kinds(const char *root, hwloc_const_bitmap_t usable, sy_identity_builder *builder,
                                sy_error *err) SY_NODISCARD;

/* ret_ranks: the members of cpus by their rank among the usable ones: the third usable processor is 2 whatever the
 * kernel calls it. So processes that are given different but equal parts of a machine have the same key. SY_NO_MEMORY.
 */
sy_status sy_topology_rank(hwloc_const_bitmap_t cpus, hwloc_const_bitmap_t usable, hwloc_bitmap_t ret_ranks,
                           sy_error *err) SY_NODISCARD;
/* Appends "0-3,8". */
void sy_topology_append_list(sy_text *text, hwloc_const_bitmap_t set);

#endif
