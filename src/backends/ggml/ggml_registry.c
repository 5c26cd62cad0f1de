/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices ggml has here, in what order, under which names, and which version of it that is. */
#include <dlfcn.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backends/ggml/ggml_device.h"
#include "base/error.h"
#include "base/text.h"

/* The first device is what "ggml" alone means. */
static const enum ggml_backend_dev_type order[] = {
    GGML_BACKEND_DEVICE_TYPE_GPU,   GGML_BACKEND_DEVICE_TYPE_IGPU, GGML_BACKEND_DEVICE_TYPE_CPU,
    GGML_BACKEND_DEVICE_TYPE_ACCEL, GGML_BACKEND_DEVICE_TYPE_META,
};

void sy_ggml_library_of(const void *address, char *path, size_t size)
{
    Dl_info info;
    path[0] = '\0';
    if (address && dladdr(address, &info) != 0 && info.dli_fname)
        (void)sy_text_copy(path, size, info.dli_fname);
}

/* A ggml whose backends are loaded when it runs has none before: they lie beside its own library, or where it was
 * installed to keep them. ggml's own rules would also take them from the folder that the program happens to be in. */
static void load_backends(void)
{
    char path[PATH_MAX];
    sy_ggml_library_of((const void *)(uintptr_t)ggml_backend_dev_count, path, sizeof path);
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
        ggml_backend_load_all_from_path(path);
    }
#ifdef STEELYARD_GGML_FOLDER
    if (ggml_backend_dev_count() == 0)
        ggml_backend_load_all_from_path(STEELYARD_GGML_FOLDER);
#endif
}

uint32_t sy_ggml_device_total(void)
{
    sy_ggml_listener listener;
    sy_ggml_listen(&listener);
    if (ggml_backend_dev_count() == 0)
        load_backends();
    const size_t count = ggml_backend_dev_count();
    sy_ggml_listen_end(&listener);
    return (uint32_t)count;
}

struct ggml_backend_device *sy_ggml_device_at(uint32_t index)
{
    const size_t count = ggml_backend_dev_count();
    for (size_t type = 0; type < sizeof order / sizeof order[0]; type++)
        for (size_t i = 0; i < count; i++) {
            struct ggml_backend_device *dev = ggml_backend_dev_get(i);
            if (ggml_backend_dev_type(dev) == order[type] && index-- == 0)
                return dev;
        }
    return NULL;
}

/* Appends ", name" to a list of names. */
static void append_name(char *names, size_t size, const char *name)
{
    const size_t length = strlen(names);
    (void)snprintf(names + length, size - length, "%s%s", length ? ", " : "", name);
}

sy_status sy_ggml_find(const char *name, uint32_t *ret_index, sy_error *err)
{
    char names[200] = "";
    struct ggml_backend_device *dev;
    for (uint32_t i = 0; (dev = sy_ggml_device_at(i)) != NULL; i++) {
        if (strcasecmp(ggml_backend_dev_name(dev), name) == 0) {
            *ret_index = i;
            return SY_OK;
        }
        append_name(names, sizeof names, ggml_backend_dev_name(dev));
    }
    (void)sy_fail(err, SY_NOT_FOUND, "ggml has no device '%s' here", name);
    sy_error_hint(err, "it has %s", names);
    return SY_NOT_FOUND;
}

void sy_ggml_version_text(char *to, size_t size)
{
    (void)snprintf(to, size, "ggml %s (%s)", ggml_version(), ggml_commit());
}

static void append_library(const void *address, sy_text *text)
{
    char path[PATH_MAX];
    sy_ggml_library_of(address, path, sizeof path);
    sy_text_append(text, "library=");
    sy_file_state_append(path, text);
    sy_text_append(text, "\n");
}

void sy_ggml_versions(sy_device *device, sy_text *text)
{
    const sy_ggml_device *self = sy_ggml_device_of(device);
    char version[96];
    sy_ggml_version_text(version, sizeof version);
    sy_text_append_format(text, "%s\ndevice=%s: %s\n", version, self->ggml_name,
                          ggml_backend_dev_description(self->dev));
    append_library((const void *)(uintptr_t)ggml_init, text);
    append_library(ggml_backend_dev_backend_reg(self->dev), text);
}
