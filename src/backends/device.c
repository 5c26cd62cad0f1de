/* SPDX-License-Identifier: Apache-2.0 */
/* Open devices: from a name like "cpu" or "fake0" to the backend's device, and the questions that every device
 * answers. Which backends there are is backends.c's business. */
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/graph.h"
#include "backends/plugin.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static void explain_unknown_backend(const char *name, sy_error *err)
{
    char names[200] = "";
    size_t length = 0;
    size_t count;
    const sy_backend *const *table = sy_backend_table(&count);
    for (size_t i = 0; i < count && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", table[i]->name);
    (void)sy_fail(err, SY_NOT_FOUND, "no backend is named '%s'", name);
    sy_error_hint(err, "the backends are %s", names);
}

/* "ggml:CPU": the backend before the first colon, asked for the device that it names so itself. */
static sy_status find_named(const char *name, const char *colon, const sy_backend **ret_backend, uint32_t *ret_index,
                            sy_error *err)
{
    char word[64];
    uint32_t count = 0;
    const sy_backend *backend = NULL;
    if ((size_t)(colon - name) < sizeof word) {
        memcpy(word, name, (size_t)(colon - name));
        word[colon - name] = '\0';
        backend = sy_backend_find(word);
    }
    if (!backend) {
        explain_unknown_backend(name, err);
        return SY_NOT_FOUND;
    }
    sy_status status = backend->count(&count, err);
    if (status) {
        sy_error_prefix(err, "backend %s", backend->name);
        return status;
    }
    if (!backend->find) {
        (void)sy_fail(err, SY_NOT_FOUND, "backend %s has no device '%s': its devices have numbers only", word,
                      colon + 1);
        sy_error_hint(err, "'%s' is its first device", word);
        return SY_NOT_FOUND;
    }
    *ret_backend = backend;
    return backend->find(colon + 1, ret_index, err);
}

/* Splits "cpu1" into backend and index; a name without a number means index 0. */
static sy_status find_backend(const char *name, const sy_backend **ret_backend, uint32_t *ret_index, sy_error *err)
{
    const char *colon = strchr(name, ':');
    if (colon)
        return find_named(name, colon, ret_backend, ret_index, err);
    const sy_backend *backend = sy_backend_find(name);
    if (backend) {
        *ret_backend = backend;
        *ret_index = 0;
        return SY_OK;
    }
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    char word[64];
    uint64_t index = 0;
    if (length > 0 && length < sizeof word && name[length] != '\0') {
        memcpy(word, name, length);
        word[length] = '\0';
        backend = sy_backend_find(word);
    }
    if (!backend) {
        explain_unknown_backend(name, err);
        return SY_NOT_FOUND;
    }
    if (sy_parse_u64(name + length, &index, NULL) || index > UINT32_MAX)
        return sy_fail(err, SY_NOT_FOUND, "device number '%s' of backend %s is too large", name + length, word);
    *ret_backend = backend;
    *ret_index = (uint32_t)index;
    return SY_OK;
}

static sy_status copy_option(const char *text, char **to, sy_error *err)
{
    if (*to || !text)
        return SY_OK;
    *to = sy_duplicate_text(text);
    return *to ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory to open a device");
}

static const sy_suite *find_suite(const sy_device *device, const char *operation)
{
    const sy_suite *suite;
    for (uint32_t i = 0; (suite = device->backend->suite_at((sy_device *)device, i)) != NULL; i++) {
        if (sy_text_equal(suite->operation, operation))
            return suite;
    }
    return NULL;
}

/* A stored decision is found by its operation's name, so that a plugin must not take one that is there. */
static sy_status take_plugin(sy_device *device, const char *path, sy_error *err)
{
    sy_status status = sy_plugin_load(path, &device->plugin, &device->plugin_path, &device->plugin_environment, err);
    for (size_t i = 0; !status && i < device->plugin->suite_count; i++) {
        const char *operation = device->plugin->suites[i]->operation;
        if (find_suite(device, operation)) {
            status = sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: its operation '%s' is one of backend %s itself",
                             path, operation, device->backend->name);
            sy_error_hint(err, "give it another name, for instance my_%s", operation);
        }
    }
    return status;
}

const sy_suite *sy_device_plugin_suite(sy_device *device, size_t index)
{
    return device->plugin && index < device->plugin->suite_count ? device->plugin->suites[index] : NULL;
}

const sy_suite *sy_device_suite_at(sy_device *device, size_t index)
{
    const sy_suite *suite = NULL;
    uint32_t own = 0;
    while ((suite = device->backend->suite_at(device, own)) != NULL && own < index)
        own++;
    return suite ? suite : sy_device_plugin_suite(device, index - own);
}

sy_status sy_device_open_on(const sy_backend *backend, uint32_t index, const char *name,
                            const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    sy_device *device = NULL;
    sy_status status = backend->open(index, options, &device, err);
    if (status)
        return status;
    device->backend = backend;
    status = copy_option(name, &device->name, err);
    if (!status)
        status = copy_option(options->script, &device->script, err);
    if (!status)
        status = copy_option(options->only, &device->only, err);
    if (!status && options->plugin)
        status = take_plugin(device, options->plugin, err);
    if (status) {
        sy_device_close(device);
        return status;
    }
    *ret_device = device;
    return SY_OK;
}

sy_status sy_device_open(const char *name, const sy_device_options *options, sy_device **ret_device, sy_error *err)
{
    static const sy_device_options defaults = SY_DEVICE_OPTIONS_INIT;
    const sy_backend *backend = NULL;
    uint32_t index = 0, count = 0;
    if (!options)
        options = &defaults;
    if (!name || !name[0])
        return sy_fail(err, SY_INVALID_ARGUMENT, "the device has no name");
    sy_status status = find_backend(name, &backend, &index, err);
    if (status)
        return status;
    status = backend->count(&count, err);
    if (status) {
        sy_error_prefix(err, "backend %s", backend->name);
        return status;
    }
    if (index >= count) {
        (void)sy_fail(err, SY_NOT_FOUND, "there is no device '%s': backend %s has %u, counted from 0", name,
                      backend->name, count);
        sy_error_hint(err, "'%s' is its first device", backend->name);
        return SY_NOT_FOUND;
    }
    return sy_device_open_on(backend, index, name, options, ret_device, err);
}

void sy_device_close(sy_device *device)
{
    if (!device)
        return;
    sy_free(device->name);
    sy_free(device->script);
    sy_free(device->only);
    sy_free(device->plugin_path);
    device->name = device->script = device->only = device->plugin_path = NULL;
    device->backend->close(device);
}

sy_status sy_device_describe(sy_device *device, sy_device_info *ret_info, sy_error *err)
{
    if (!device || !ret_info)
        return sy_fail(err, SY_INVALID_ARGUMENT, "no device to describe");
    sy_device_info info = {0};
    sy_text_copy(info.name, sizeof info.name, device->name);
    sy_text_copy(info.backend, sizeof info.backend, device->backend->name);
    info.threads = device->threads;
    device->backend->describe(device, &info);
    *ret_info = info;
    return SY_OK;
}

sy_status sy_device_free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err)
{
    return device->backend->free_memory(device, ret_bytes, err);
}

sy_status sy_device_synchronize(sy_device *device, sy_error *err)
{
    return device->backend->synchronize(device, err);
}

sy_status sy_device_suite(sy_device *device, const char *operation, const sy_suite **ret_suite, sy_error *err)
{
    char names[200] = "";
    size_t length = 0;
    const sy_suite *suite = find_suite(device, operation);
    for (size_t i = 0; !suite && sy_device_plugin_suite(device, i); i++) {
        if (sy_text_equal(sy_device_plugin_suite(device, i)->operation, operation))
            suite = sy_device_plugin_suite(device, i);
    }
    if (suite) {
        *ret_suite = suite;
        return SY_OK;
    }
    for (uint32_t i = 0; (suite = device->backend->suite_at(device, i)) != NULL && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", suite->operation);
    for (size_t i = 0; (suite = sy_device_plugin_suite(device, i)) != NULL && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", suite->operation);
    (void)sy_fail(err, SY_NOT_FOUND, "device %s has no operation '%s'", device->name, operation ? operation : "");
    sy_error_hint(err, "it has %s", names[0] ? names : "none");
    return SY_NOT_FOUND;
}
