/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a user's shared object and believes nothing of what it exports before it is checked. */
#include "backends/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "operations/suite.h"

static sy_status check_suites(const char *path, const sy_plugin *plugin, sy_error *err)
{
    for (size_t i = 0; i < plugin->suite_count; i++) {
        const sy_suite *suite = plugin->suites[i];
        sy_error own = SY_ERROR_INIT;
        if (sy_suite_check(suite, &own))
            return sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: suite %zu: %s", path, i, own.what);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(plugin->suites[j]->operation, suite->operation) == 0)
                return sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: suites %zu and %zu are both of operation '%s'",
                               path, j, i, suite->operation);
        }
    }
    return SY_OK;
}

static sy_status check(const char *path, const sy_plugin *plugin, sy_error *err)
{
    if (plugin->struct_size < sizeof(sy_plugin)) {
        sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: steelyard_plugin has struct_size %zu, this library reads %zu",
                path, plugin->struct_size, sizeof(sy_plugin));
        sy_error_hint(err, "set struct_size to sizeof(sy_plugin) and compile against this version's headers");
        return SY_INVALID_ARGUMENT;
    }
    if (!plugin->suites || plugin->suite_count == 0 || plugin->suite_count > SY_PLUGIN_SUITES_MAX)
        return sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: it brings %zu suites, it must bring 1 to %d", path,
                       plugin->suites ? plugin->suite_count : 0, SY_PLUGIN_SUITES_MAX);
    return check_suites(path, plugin, err);
}

/* dlopen of a file that is no library says so in its own words; of a folder or a pipe it would say less. */
static sy_status resolve(const char *path, char resolved[PATH_MAX], sy_error *err)
{
    struct stat state;
    if (!strchr(path, '/'))
        return sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: a path with a slash is needed, as in ./%s", path, path);
    if (!realpath(path, resolved) || sy_system_stat(resolved, &state) != 0)
        return sy_fail_errno(err, errno == ENOENT || errno == ENOTDIR ? SY_NOT_FOUND : SY_IO, errno, "plugin %s", path);
    if (!S_ISREG(state.st_mode))
        return sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: it is not a file", path);
    return SY_OK;
}

sy_status sy_plugin_load(const char *path, const sy_plugin **ret_plugin, char **ret_path,
                         sy_float_environment *ret_environment, sy_error *err)
{
    const sy_float_environment host = sy_float_environment_save();
    char resolved[PATH_MAX];
    sy_status status = resolve(path, resolved, err);
    if (status)
        return status;
    void *handle = dlopen(resolved, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const sy_float_environment loaded = sy_float_environment_save();
    sy_float_environment_set(host);
    if (!handle) {
        const char *why = dlerror();
        sy_fail(err, SY_UNAVAILABLE, "plugin %s cannot be loaded: %s", path, why ? why : "unknown reason");
        sy_error_hint(err, "a plugin is a shared object linked with -lsteelyard: docs/adding-a-probe.md");
        return SY_UNAVAILABLE;
    }
    const sy_plugin *plugin = dlsym(handle, SY_PLUGIN_SYMBOL);
    char *own_path = NULL;
    if (!plugin) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "plugin %s: it exports no %s", path, SY_PLUGIN_SYMBOL);
        sy_error_hint(err, "SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {...}: docs/adding-a-probe.md");
        goto out;
    }
    status = check(path, plugin, err);
    if (status)
        goto out;
    own_path = sy_duplicate_text(resolved);
    if (!own_path) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to load plugin %s", path);
        goto out;
    }
    *ret_plugin = plugin;
    *ret_path = own_path;
    *ret_environment = loaded;
out:
    (void)dlclose(handle);
    return status;
}
