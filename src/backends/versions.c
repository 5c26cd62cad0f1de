/* SPDX-License-Identifier: Apache-2.0 */
/* Which library each implementation of a suite would run, told without loading any: path, size and time of its file. It
 * changes when a library is installed, upgraded or removed, and that is all that a stored decision needs to know. */
#include <limits.h>
#include <stdlib.h>

#include "backends/backend.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/system.h"
#include "base/text.h"

void sy_file_state_append(const char *path, sy_text *text)
{
    char resolved[PATH_MAX];
    struct stat state;
    const char *real = realpath(path, resolved) ? resolved : path;
    if (sy_system_stat(real, &state) == 0)
        sy_text_append_format(text, "%s %lld %lld", real, (long long)state.st_size, (long long)state.st_mtim.tv_sec);
    else
        sy_text_append(text, real);
}

sy_status sy_suite_versions(sy_device *device, const sy_suite *suite, sy_text *text, sy_error *err)
{
    const sy_suite *own = NULL;
    sy_error none = SY_ERROR_INIT;
    bool known = sy_device_suite(device, suite->operation, &own, &none) == SY_OK && own->build == suite->build;
    bool is_plugins = false;
    for (size_t i = 0; known && sy_device_plugin_suite(device, i); i++)
        is_plugins = is_plugins || sy_device_plugin_suite(device, i) == own;
    for (uint32_t i = 0; i < suite->implementation_count; i++) {
        if (suite->implementations[i].listed)
            continue; /* another list comes from another library or processor, which the key has already */
        bool available = true;
        char reason[256] = "";
        char path[PATH_MAX] = "";
        if (known && !is_plugins && device->backend->look)
            device->backend->look(own, i, &available, reason, sizeof(reason), path, sizeof(path));
        sy_text_append_format(text, "%s=", suite->implementations[i].name);
        if (is_plugins)
            sy_file_state_append(device->plugin_path, text);
        else if (!available)
            sy_text_append(text, "absent");
        else if (path[0])
            sy_file_state_append(path, text);
        else
            sy_text_append_format(text, "steelyard %s", sy_version());
        sy_text_append(text, "\n");
    }
    if (device->backend->versions)
        device->backend->versions(device, text);
    return text->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the versions of %s", suite->operation) : SY_OK;
}

sy_status sy_suite_software(sy_device *device, const sy_suite *suite, char ret_digest[65], sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_digest digest;
    sy_status status = sy_suite_versions(device, suite, &text, err);
    if (!status) {
        sy_digest_of(sy_text_bytes(&text), text.length, &digest);
        sy_digest_format(&digest, ret_digest);
    }
    sy_text_finish(&text);
    return status;
}
