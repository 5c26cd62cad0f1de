/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the machine this process may use: processors, the caches they share, and processor time. */
#include "base/error.h"
#include "identity/cgroup.h"
#include "identity/facts.h"
#include "identity/topology.h"

static sy_status add_number(sy_identity_builder *builder, const char *name, double value, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_text_append_double(&text, value);
    sy_status status = text.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the limits of processor time") : SY_OK;
    if (status == SY_OK)
        sy_identity_builder_add(builder, name, sy_text_bytes(&text), true);
    sy_text_finish(&text);
    return status;
}

/* cpu.quota: what the control groups say. cpu.limit: how many processors' worth of time there is, whatever limits it.
 */
static sy_status add_limits(const sy_cpu_quota *quota, int usable_count, sy_identity_builder *builder, sy_error *err)
{
    if (!quota->known) {
        sy_identity_builder_add(builder, "cpu.quota", NULL, true);
        sy_identity_builder_add(builder, "cpu.limit", NULL, true);
        sy_identity_builder_add(builder, "cpu.limit.source", quota->source, false);
        return SY_OK;
    }
    sy_status status = SY_OK;
    if (quota->limited)
        status = add_number(builder, "cpu.quota", quota->cpus, err);
    else
        sy_identity_builder_add(builder, "cpu.quota", "none", true);
    if (status != SY_OK)
        return status;
    const bool quota_binds = quota->limited && (usable_count == 0 || quota->cpus < usable_count);
    sy_identity_builder_add(builder, "cpu.limit.source", quota_binds ? quota->source : "usable processors", false);
    if (quota_binds || usable_count > 0)
        return add_number(builder, "cpu.limit", quota_binds ? quota->cpus : usable_count, err);
    sy_identity_builder_add(builder, "cpu.limit", NULL, true);
    return SY_OK;
}

static sy_status add_usable(const char *root, hwloc_const_bitmap_t usable, sy_identity_builder *builder, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_identity_builder_add_format(builder, "cpu.usable", true, "%d", hwloc_bitmap_weight(usable));
    sy_topology_append_list(&text, usable);
    sy_status status = text.failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a list of processors") : SY_OK;
    if (status == SY_OK)
        sy_identity_builder_add(builder, "cpu.usable.list", sy_text_bytes(&text), false);
    sy_text_finish(&text);
    if (status == SY_OK)
        status = sy_topology_add_kinds(root, usable, builder, err);
    if (status == SY_OK)
        status = sy_topology_add_caches(root, usable, builder, err);
    return status;
}

sy_status sy_facts_add_allowance(const char *root, sy_identity_builder *builder, sy_error *err)
{
    bool known = false;
    sy_cpu_quota quota;
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    if (usable == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a set of processors");
    sy_status status = sy_topology_usable(root, usable, &known, err);
    if (status == SY_OK && known) {
        status = add_usable(root, usable, builder, err);
    } else if (status == SY_OK) {
        static const char *const names[] = {"cpu.usable", "cpu.kinds", "cpu.cache"};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            sy_identity_builder_add(builder, names[i], NULL, true);
        sy_identity_builder_add(builder, "cpu.usable.list", NULL, false);
    }
    if (status == SY_OK)
        status = sy_cgroup_cpu_quota(root, &quota, err);
    if (status == SY_OK)
        status = add_limits(&quota, known ? hwloc_bitmap_weight(usable) : 0, builder, err);
    hwloc_bitmap_free(usable);
    return status;
}
