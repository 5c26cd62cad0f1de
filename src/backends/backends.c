/* SPDX-License-Identifier: Apache-2.0 */
/* The table of backends, and the list that people see: every backend and implementation of this build, each with its
 * state and the reason. Nothing is loaded to make it. */
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

static const sy_backend *const table[] = {&sy_backend_cpu, &sy_backend_command, &sy_backend_ggml, &sy_backend_fake};

const sy_backend *const *sy_backend_table(size_t *ret_count)
{
    *ret_count = sizeof table / sizeof table[0];
    return table;
}

const sy_backend *sy_backend_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

/* What sy_backends_list returns points at items; the arena before them owns all that they point to. */
typedef struct listing {
    sy_arena *arena;
    sy_backend_info items[];
} listing;

static sy_status fill_devices(const sy_backend *backend, uint32_t count, sy_arena *arena, sy_backend_info *info,
                              sy_error *err)
{
    static const sy_device_options defaults = SY_DEVICE_OPTIONS_INIT;
    sy_device_info *devices = sy_arena_allocate(arena, count, sizeof *devices);
    if (!devices)
        return SY_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%u", backend->name, i);
        sy_device *device = NULL;
        sy_status status = sy_device_open_on(backend, i, name, &defaults, &device, err);
        if (!status)
            status = sy_device_describe(device, &devices[i], err);
        sy_device_close(device);
        if (status)
            return status;
    }
    info->devices = devices;
    info->device_count = count;
    return SY_OK;
}

static size_t count_implementations(const sy_backend *backend)
{
    size_t count = 0;
    const sy_suite *suite;
    for (uint32_t i = 0; (suite = backend->suite_at(NULL, i)) != NULL; i++)
        count += suite->implementation_count;
    return count;
}

/* Asks the backend's look, and puts how to get it behind the reason. False: no memory. */
static bool fill_implementation(const sy_backend *backend, const sy_suite *suite, uint32_t variant, sy_arena *arena,
                                sy_backend_implementation *to)
{
    const sy_implementation *implementation = &suite->implementations[variant];
    char reason[256] = "", path[512] = "";
    bool is_available = true;
    if (backend->look)
        backend->look(suite, variant, &is_available, reason, sizeof reason, path, sizeof path);
    const char *how = implementation->how_to_get ? implementation->how_to_get : "";
    to->operation = sy_arena_copy_text(arena, suite->operation);
    to->name = sy_arena_copy_text(arena, implementation->name);
    to->role = implementation->role;
    to->error_class = implementation->error_class;
    to->available = is_available;
    if (is_available)
        to->reason = "";
    else
        to->reason = how[0] ? sy_arena_format(arena, "%s; to get it: %s", reason, how)
                            : sy_arena_copy_text(arena, reason);
    to->version = "";
    to->path = sy_arena_copy_text(arena, path);
    return to->operation && to->name && to->reason && to->path;
}

static sy_status fill_implementations(const sy_backend *backend, sy_arena *arena, sy_backend_info *info)
{
    const size_t count = count_implementations(backend);
    sy_backend_implementation *list = sy_arena_allocate(arena, count, sizeof *list);
    if (!list)
        return SY_NO_MEMORY;
    size_t at = 0;
    const sy_suite *suite;
    for (uint32_t i = 0; (suite = backend->suite_at(NULL, i)) != NULL; i++)
        for (uint32_t variant = 0; variant < suite->implementation_count; variant++)
            if (!fill_implementation(backend, suite, variant, arena, &list[at++]))
                return SY_NO_MEMORY;
    info->implementations = list;
    info->implementation_count = count;
    return SY_OK;
}

/* A missing driver is a state with its reason, so only a lack of memory fails. */
static sy_status fill_backend(const sy_backend *backend, sy_arena *arena, sy_backend_info *info)
{
    sy_error error = SY_ERROR_INIT;
    uint32_t count = 0;
    info->name = backend->name;
    info->summary = backend->summary;
    info->reason = "";
    sy_status status = backend->count(&count, &error);
    if (!status && backend->needs)
        info->reason = sy_arena_format(arena, "a device of it needs %s", backend->needs);
    else if (!status)
        status = fill_devices(backend, count, arena, info, &error);
    if (status == SY_NO_MEMORY)
        return status;
    if (!status && !backend->needs && backend->note)
        info->reason = sy_arena_copy_text(arena, backend->note);
    info->available = status == SY_OK;
    if (status)
        info->reason = sy_arena_format(arena, "%s%s%s", error.what, error.hint[0] ? "; " : "", error.hint);
    if (!info->reason)
        return SY_NO_MEMORY;
    return fill_implementations(backend, arena, info);
}

sy_status sy_backends_list_of(const sy_backend *const *backends, size_t count, sy_backend_info **ret_list,
                              sy_error *err)
{
    listing *list = sy_allocate(1, sizeof *list + count * sizeof list->items[0]);
    sy_status status = SY_NO_MEMORY;
    if (!list)
        goto out;
    list->arena = sy_arena_create(0);
    if (!list->arena)
        goto out;
    status = SY_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = fill_backend(backends[i], list->arena, &list->items[i]);
out:
    if (status) {
        if (list)
            sy_backends_free(list->items);
        return sy_fail(err, status, "no memory for the list of backends");
    }
    *ret_list = list->items;
    return SY_OK;
}

sy_status sy_backends_list(sy_backend_info **ret_list, size_t *ret_count, sy_error *err)
{
    const size_t count = sizeof table / sizeof table[0];
    sy_status status = sy_backends_list_of(table, count, ret_list, err);
    if (!status)
        *ret_count = count;
    return status;
}

void sy_backends_free(sy_backend_info *list)
{
    if (!list)
        return;
    listing *owner = (listing *)(void *)((char *)list - offsetof(listing, items));
    sy_arena_destroy(owner->arena);
    sy_free(owner);
}
