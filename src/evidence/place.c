/* SPDX-License-Identifier: Apache-2.0 */
/* Looks the device up among those of this build; nothing is loaded or opened for it. */
#include "evidence/place.h"

#include <string.h>
#include <unistd.h>

#include <steelyard/backend.h>

#include "base/error.h"
#include "base/text.h"

enum { HOST_NAME_SIZE = 256 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the place of a run");
}

/* The device of that name; a backend's name stands for its first one. */
static bool find_device(const sy_backend_info *list, size_t count, const char *name, sy_device_info *ret_info)
{
    const sy_device_info *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (list[i].device_count > 0 && strcmp(list[i].name, name) == 0) {
            first = &list[i].devices[0];
        }
        for (size_t k = 0; k < list[i].device_count; k++) {
            if (strcmp(list[i].devices[k].name, name) == 0) {
                *ret_info = list[i].devices[k];
                return true;
            }
        }
    }
    if (first != NULL) {
        *ret_info = *first;
    }
    return first != NULL;
}

static sy_status look_up(const char *name, sy_device_info *ret_info, bool *ret_found, sy_error *err)
{
    sy_backend_info *list = NULL;
    size_t count = 0;
    sy_status status = sy_backends_list(&list, &count, err);
    if (status != SY_OK) {
        return status == SY_NO_MEMORY ? status : SY_OK; /* then nothing is known of the device */
    }
    *ret_found = find_device(list, count, name, ret_info);
    sy_backends_free(list);
    return SY_OK;
}

const char *sy_place_lease_name_of(const sy_device_info *device)
{
    return device->kind == SY_DEVICE_CPU || strcmp(device->backend, "command") == 0 ? "cpu" : device->name;
}

sy_status sy_place_lease_name(const char *device, const char **ret_name, sy_error *err)
{
    sy_device_info info = {0};
    bool found = false;
    sy_status status = look_up(device, &info, &found, err);
    if (status == SY_OK) {
        /* Programs are devices of no list. */
        bool is_host = strcmp(device, "command") == 0 || (found && strcmp(sy_place_lease_name_of(&info), "cpu") == 0);
        *ret_name = is_host ? "cpu" : device;
    }
    return status;
}

static const char *find_host(const sy_identity *identity, sy_arena *arena)
{
    char name[HOST_NAME_SIZE] = "";
    const char *known = sy_identity_get(identity, "host.name");
    if (known != NULL && strcmp(known, "unknown") != 0) {
        return known;
    }
    return gethostname(name, sizeof name - 1) == 0 ? sy_arena_copy_text(arena, name) : "";
}

/* The backend whose times are made up is for tests, and listed nowhere. */
static bool is_fake(const sy_device_info *info, bool found, const char *device)
{
    return found ? strcmp(info->backend, "fake") == 0
                 : sy_text_begins(device, "fake") && device[4 + strspn(device + 4, "0123456789")] == '\0';
}

/* Software never becomes a physical device by being called one. */
static int judge_hardware(const sy_device_info *info, bool found, const char *device, int said)
{
    if (is_fake(info, found, device)) {
        return 0;
    }
    return said >= 0 ? said : found && info->kind != SY_DEVICE_UNKNOWN ? 1 : -1;
}

sy_status sy_place_find(const char *backend, const char *device, int said, const char *machine, sy_arena *arena,
                        sy_run_place *ret_place, sy_identity **ret_identity, sy_error *err)
{
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    sy_identity *identity = NULL;
    sy_device_info info = {0};
    bool found = false;
    sy_status status = look_up(device, &info, &found, err);
    if (status != SY_OK) {
        return status;
    }
    options.root = machine;
    options.device = found ? &info : NULL;
    status = sy_identity_describe(&options, &identity, err);
    if (status != SY_OK) {
        return status;
    }
    sy_run_place place = {.host = find_host(identity, arena),
                          .backend = found ? sy_arena_copy_text(arena, info.backend) : backend,
                          .device = found ? sy_arena_copy_text(arena, info.name) : device,
                          .description = found ? sy_arena_copy_text(arena, info.description) : "",
                          .hardware = judge_hardware(&info, found, device, said),
                          .synthetic = is_fake(&info, found, device),
                          .identity = *identity};
    if (place.host == NULL || place.backend == NULL || place.device == NULL || place.description == NULL) {
        sy_identity_destroy(identity);
        return no_memory(err);
    }
    *ret_place = place;
    *ret_identity = identity;
    return SY_OK;
}
