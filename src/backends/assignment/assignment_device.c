/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a name means, and the devices of this build as a table. */
#include "backends/assignment/assignment_device.h"

#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/near.h"

/* ---- matches ---- */

/* What stands behind the last ':' of a device's name: "Vulkan0" of "ggml:Vulkan0"; all of it without one. */
static const char *tail_of(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && colon[1] != '\0' ? colon + 1 : name;
}

static bool equals(const char *whole, sy_span name)
{
    return strlen(whole) == name.length && memcmp(whole, name.at, name.length) == 0;
}

static bool begins(const char *whole, sy_span name)
{
    const size_t length = strnlen(whole, name.length);
    char beginning[256];
    if (length < name.length || length >= sizeof beginning)
        return false;
    memcpy(beginning, whole, length);
    beginning[length] = '\0';
    return sy_span_is_word(name, beginning);
}

static bool is_backend(const sy_assignment_device *device, sy_span name)
{
    return device->backend && equals(device->backend, name);
}

static bool is_backend_in_any_case(const sy_assignment_device *device, sy_span name)
{
    return device->backend && sy_span_is_word(name, device->backend);
}

static bool is_name(const sy_assignment_device *device, sy_span name)
{
    return equals(device->name, name);
}

static bool is_name_in_any_case(const sy_assignment_device *device, sy_span name)
{
    return sy_span_is_word(name, device->name);
}

static bool is_tail(const sy_assignment_device *device, sy_span name)
{
    return equals(tail_of(device->name), name);
}

static bool is_tail_in_any_case(const sy_assignment_device *device, sy_span name)
{
    return sy_span_is_word(name, tail_of(device->name));
}

static bool is_beginning(const sy_assignment_device *device, sy_span name)
{
    return begins(device->name, name) || begins(tail_of(device->name), name);
}

/* The ways of meaning a device, from the strictest: the first that fits any device decides. */
static const struct {
    bool (*fits)(const sy_assignment_device *device, sy_span name);
    bool takes_first; /* of several; else several are an error */
} ways[] = {
    {is_backend, true}, {is_backend_in_any_case, true}, {is_name, false},      {is_name_in_any_case, false},
    {is_tail, false},   {is_tail_in_any_case, false},   {is_beginning, false},
};

/* ---- words ---- */

static size_t first_of_kind(const sy_assignment_table *table, sy_device_kind kind)
{
    size_t i = 0;
    while (i < table->device_count && (table->devices[i].absent || table->devices[i].kind != kind))
        i++;
    return i;
}

/* docs/assignments.md has the source of this order. */
static size_t best(const sy_assignment_table *table, bool gpu_only)
{
    static const sy_device_kind order[] = {SY_DEVICE_GPU, SY_DEVICE_INTEGRATED_GPU, SY_DEVICE_CPU};
    const size_t count = gpu_only ? 2 : 3;
    size_t found = table->device_count;
    for (size_t k = 0; k < count && found == table->device_count; k++)
        found = first_of_kind(table, order[k]);
    for (size_t i = 0; !gpu_only && i < table->device_count && found == table->device_count; i++)
        found = table->devices[i].absent ? found : i;
    return found;
}

/* ---- errors ---- */

typedef struct name_list {
    char text[192];
    size_t used;
    bool cut;
} name_list;

static void list_name(name_list *list, const char *name)
{
    const sy_shown shown = sy_span_shown(sy_span_of(name));
    list->cut = list->cut || list->used + strlen(shown.text) + 8 > sizeof list->text;
    if (!list->cut)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s",
                                       list->used > 0 ? ", " : "", shown.text);
}

static const char *list_end(const name_list *list)
{
    return list->cut ? ", ..." : "";
}

static void hint_devices(const sy_assignment_table *table, sy_span name, sy_error *err)
{
    name_list list = {.used = 0};
    sy_nearest nearest = {name.at, name.length, NULL, 0};
    for (size_t i = 0; i < table->device_count; i++) {
        sy_nearest_offer(&nearest, table->devices[i].name);
        sy_nearest_offer(&nearest, tail_of(table->devices[i].name));
        if (table->devices[i].backend && table->devices[i].backend[0])
            sy_nearest_offer(&nearest, table->devices[i].backend);
        if (!table->devices[i].absent)
            list_name(&list, table->devices[i].name);
    }
    sy_nearest_offer(&nearest, "default");
    sy_nearest_offer(&nearest, "auto");
    if (nearest.found)
        sy_error_hint(err, "did you mean '%s'?", sy_span_shown(sy_span_of(nearest.found)).text);
    else if (list.used > 0)
        sy_error_hint(err, "there are %s%s, and the words auto, default and gpu", list.text, list_end(&list));
    else
        sy_error_hint(err, "there is none at all");
}

static sy_status refuse_word(const sy_assignment_table *table, sy_span name, sy_error *err)
{
    name_list list = {.used = 0};
    for (size_t i = 0; i < table->device_count; i++)
        if (!table->devices[i].absent)
            list_name(&list, table->devices[i].name);
    (void)sy_fail(err, SY_NOT_FOUND, "'%s': there is no such device here", sy_span_shown(name).text);
    if (list.used > 0)
        sy_error_hint(err, "there are %s%s", list.text, list_end(&list));
    return SY_NOT_FOUND;
}

static sy_status refuse_several(const sy_assignment_table *table, size_t way, sy_span name, sy_error *err)
{
    name_list list = {.used = 0};
    for (size_t i = 0; i < table->device_count; i++)
        if (!table->devices[i].absent && ways[way].fits(&table->devices[i], name))
            list_name(&list, table->devices[i].name);
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "'%s' could be %s%s", sy_span_shown(name).text, list.text, list_end(&list));
    sy_error_hint(err, "write enough of the name to tell them apart");
    return SY_INVALID_ARGUMENT;
}

/* "ggml:CUDA0" where all of ggml is absent: the reason is what counts. */
static bool refuse_of_absent_backend(const sy_assignment_table *table, sy_span name, sy_error *err)
{
    const char *colon = name.length > 0 ? memchr(name.at, ':', name.length) : NULL;
    for (size_t i = 0; colon && i < table->device_count; i++) {
        const sy_assignment_device *device = &table->devices[i];
        if (!device->absent || !is_backend_in_any_case(device, (sy_span){name.at, (size_t)(colon - name.at)}))
            continue;
        (void)sy_fail(err, SY_UNAVAILABLE, "%s is not there: %s", sy_span_shown(sy_span_of(device->backend)).text,
                      device->absent);
        return true;
    }
    return false;
}

/* ---- the answer ---- */

/* By one way: *ret_device or an error; *ret_fits false where it fits no device. */
static sy_status try_way(const sy_assignment_table *table, size_t way, sy_span name, bool *ret_fits, size_t *ret_device,
                         sy_error *err)
{
    const sy_assignment_device *absent = NULL;
    size_t first = table->device_count, count = 0;
    for (size_t i = 0; i < table->device_count; i++) {
        const sy_assignment_device *device = &table->devices[i];
        if (!ways[way].fits(device, name))
            continue;
        if (device->absent)
            absent = absent ? absent : device;
        else if (count++ == 0)
            first = i;
    }
    *ret_fits = count > 0 || absent;
    if (count > 1 && !ways[way].takes_first)
        return refuse_several(table, way, name, err);
    if (count > 0)
        *ret_device = first;
    else if (absent)
        return sy_fail(err, SY_UNAVAILABLE, "%s is not there: %s", sy_span_shown(sy_span_of(absent->name)).text,
                       absent->absent);
    return SY_OK;
}

sy_status sy_device_named(const sy_assignment_table *table, sy_span name, size_t *ret_device, sy_error *err)
{
    const bool is_default = sy_span_is_word(name, "default"), is_gpu = sy_span_is_word(name, "gpu");
    if (is_default && table->default_device < table->device_count) {
        *ret_device = table->default_device;
        return SY_OK;
    }
    if (is_default || is_gpu || sy_span_is_word(name, "auto")) {
        const size_t found = best(table, is_gpu);
        if (found == table->device_count)
            return refuse_word(table, name, err);
        *ret_device = found;
        return SY_OK;
    }
    for (size_t way = 0; name.length > 0 && way < sizeof ways / sizeof ways[0]; way++) {
        bool fits = false;
        sy_status status = try_way(table, way, name, &fits, ret_device, err);
        if (status || fits)
            return status;
    }
    if (refuse_of_absent_backend(table, name, err))
        return SY_UNAVAILABLE;
    (void)sy_fail(err, SY_NOT_FOUND, "no device '%s'", sy_span_shown(name).text);
    if (err)
        hint_devices(table, name, err);
    return SY_NOT_FOUND;
}

bool sy_device_is_named(const sy_assignment_table *table, sy_span name)
{
    size_t device = 0;
    return sy_device_named(table, name, &device, NULL) == SY_OK;
}

sy_status sy_assignment_device_find(const sy_assignment_table *table, const char *name, size_t *ret_device,
                                    sy_error *err)
{
    sy_status status = sy_assignment_table_check(table, err);
    if (!status && !name)
        status = sy_fail(err, SY_INVALID_ARGUMENT, "no name of a device is given");
    return status ? status : sy_device_named(table, sy_span_trim(sy_span_of(name)), ret_device, err);
}

/* ---- the devices of this build ---- */

/* The public part first; the arena owns the rest and this too. */
typedef struct owned_devices {
    sy_assignment_devices devices;
    sy_arena *arena;
} owned_devices;

/* NULL, or why no text can mean the device that comes behind `count` others. */
static const char *unnamed(const sy_assignment_device *others, size_t count, const char *name)
{
    if (!sy_span_is_nameable(sy_span_of(name)))
        return "its name cannot be written in an assignment";
    for (size_t i = 0; i < count; i++)
        if (strcmp(others[i].name, name) == 0)
            return "another device has the same name";
    return NULL;
}

/* A backend's devices, or itself with the reason why there is none. False: no memory. */
static bool add_backend(const sy_backend_info *info, sy_arena *arena, sy_assignment_device *to, size_t *at)
{
    const size_t count = info->available ? info->device_count : 0;
    char *backend = sy_arena_copy_text(arena, info->name);
    bool done = backend != NULL;
    for (size_t i = 0; done && i < count; i++) {
        char *name = sy_arena_copy_text(arena, info->devices[i].name);
        done = name != NULL;
        if (!done)
            break;
        to[*at] = (sy_assignment_device){name, backend, info->devices[i].kind, unnamed(to, *at, name)};
        (*at)++;
    }
    if (!done || count > 0)
        return done;
    const char *reason = sy_arena_copy_text(arena, info->reason[0] ? info->reason : "it has no devices");
    to[(*at)++] = (sy_assignment_device){backend, backend, SY_DEVICE_UNKNOWN, reason};
    return reason != NULL;
}

static owned_devices *copy_devices(const sy_backend_info *list, size_t count, sy_arena *arena)
{
    owned_devices *owned = sy_arena_allocate(arena, 1, sizeof *owned);
    size_t room = 0;
    bool done = owned != NULL;
    for (size_t i = 0; i < count; i++)
        room += list[i].device_count + 1;
    sy_assignment_device *devices = sy_arena_allocate(arena, room, sizeof *devices);
    for (size_t i = 0; done && devices && i < count; i++)
        done = add_backend(&list[i], arena, devices, &owned->devices.count);
    if (!done || !devices)
        return NULL;
    owned->devices.devices = devices;
    owned->arena = arena;
    return owned;
}

sy_status sy_assignment_devices_of(const sy_backend_info *list, size_t count, sy_assignment_devices **ret_devices,
                                   sy_error *err)
{
    sy_backend_info *own = NULL;
    sy_arena *arena = NULL;
    owned_devices *owned = NULL;
    sy_status status = list ? SY_OK : sy_backends_list(&own, &count, err);
    if (status)
        return status;
    arena = sy_arena_create(0);
    if (arena)
        owned = copy_devices(list ? list : own, count, arena);
    sy_backends_free(own);
    if (!owned) {
        sy_arena_destroy(arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the list of devices");
    }
    *ret_devices = &owned->devices;
    return SY_OK;
}

void sy_assignment_devices_destroy(sy_assignment_devices *devices)
{
    if (devices)
        sy_arena_destroy(((owned_devices *)(void *)devices)->arena);
}
