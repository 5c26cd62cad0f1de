/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the tables that an engine hands in can be told apart by what people may type. */
#include <string.h>

#include "backends/assignment/assignment_device.h"
#include "base/error.h"

/* The n-th name of a module: its own, then its aliases; NULL behind the last. */
static const char *name_of(const sy_assignment_module *module, size_t n)
{
    if (n == 0)
        return module->name;
    for (size_t i = 0; i + 1 < n; i++)
        if (!module->aliases || !module->aliases[i])
            return NULL;
    return module->aliases ? module->aliases[n - 1] : NULL;
}

static const sy_assignment_module *owner_of(const sy_assignment_table *table, size_t before, sy_span name)
{
    for (size_t m = 0; m < before; m++) {
        const char *other;
        for (size_t n = 0; (other = name_of(&table->modules[m], n)) != NULL; n++)
            if (sy_module_name_alike(name, sy_span_of(other)))
                return &table->modules[m];
    }
    return NULL;
}

static sy_status check_module(const sy_assignment_table *table, size_t index, sy_error *err)
{
    const sy_assignment_module *module = &table->modules[index];
    if (!module->name)
        return sy_fail(err, SY_INVALID_ARGUMENT, "module %zu has no name", index);
    const char *text;
    for (size_t n = 0; (text = name_of(module, n)) != NULL; n++) {
        const sy_span name = sy_span_of(text);
        if (!sy_span_is_nameable(name) || !sy_module_name_alike(name, name))
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' of module %zu cannot be typed as a name",
                           sy_span_shown(name).text, index);
        if (sy_span_means_all(name))
            return sy_fail(err, SY_INVALID_ARGUMENT, "module %zu must not be called '%s', which means all of them",
                           index, sy_span_shown(name).text);
        const sy_assignment_module *other = owner_of(table, index, name);
        if (other)
            return sy_fail(err, SY_INVALID_ARGUMENT, "modules '%s' and '%s' share the name '%s'",
                           sy_span_shown(sy_span_of(other->name)).text, sy_span_shown(sy_span_of(module->name)).text,
                           sy_span_shown(name).text);
    }
    return SY_OK;
}

static sy_status check_device(const sy_assignment_table *table, size_t index, sy_error *err)
{
    const sy_assignment_device *device = &table->devices[index];
    size_t found = index;
    if (device->absent)
        return SY_OK;
    if (!sy_span_is_nameable(sy_span_of(device->name)))
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%s' of device %zu cannot be typed as a name",
                       sy_span_shown(sy_span_of(device->name)).text, index);
    if (sy_device_named(table, sy_span_of(device->name), &found, NULL) || found != index)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no text could mean device %zu: '%s' means something else", index,
                       sy_span_shown(sy_span_of(device->name)).text);
    return SY_OK;
}

sy_status sy_assignment_table_check(const sy_assignment_table *table, sy_error *err)
{
    sy_status status = SY_OK;
    if (!table || (table->module_count > 0 && !table->modules) || (table->device_count > 0 && !table->devices))
        return sy_fail(err, SY_INVALID_ARGUMENT, "no table of modules and devices");
    for (size_t i = 0; !status && i < table->module_count; i++)
        status = check_module(table, i, err);
    /* All names first: each is held against the others. */
    for (size_t i = 0; !status && i < table->device_count; i++)
        if (!table->devices[i].name)
            status = sy_fail(err, SY_INVALID_ARGUMENT, "device %zu has no name", i);
    for (size_t i = 0; !status && i < table->device_count; i++)
        status = check_device(table, i, err);
    const size_t standard = table->default_device;
    if (!status && standard != SIZE_MAX && (standard >= table->device_count || table->devices[standard].absent))
        status = sy_fail(err, SY_INVALID_ARGUMENT, "the default device, number %zu, is not there", standard);
    return status;
}
