/* SPDX-License-Identifier: Apache-2.0 */
/* Where an operation runs: the list of backends with their state, and an open device. */
#ifndef STEELYARD_BACKEND_H
#define STEELYARD_BACKEND_H

#include <steelyard/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_device sy_device;
struct sy_suite;
struct sy_command_spec;

typedef struct sy_device_options {
    uint32_t threads;   /* implementations are told to use so many; 0 = as many as this process may use */
    const char *script; /* path; backend fake only */
    const char *only;   /* NULL, or the one implementation that this process will run: no other library is loaded */
    const char *plugin; /* NULL, or the path of a shared object whose suites join the device's own: plugin.h */
    const struct sy_command_spec *commands; /* backend command only; copied */
} sy_device_options;

#define SY_DEVICE_OPTIONS_INIT    \
    {                             \
        0, NULL, NULL, NULL, NULL \
    }

/* Opens "cpu" or "fake" ("<backend>[number]" for those with several devices). options NULL = SY_DEVICE_OPTIONS_INIT.
 * SY_NOT_FOUND: no such backend, the hint lists them. SY_UNAVAILABLE: its driver is missing, or the plugin
 * cannot be loaded. SY_CORRUPT: the script, with position. SY_INVALID_ARGUMENT: a malformed plugin, or one of an
 * operation that the backend has itself. */
SY_API sy_status sy_device_open(const char *name, const sy_device_options *options, sy_device **ret_device,
                                sy_error *err) SY_NODISCARD;
SY_API void sy_device_close(sy_device *device); /* NULL is allowed */
SY_API sy_status sy_device_describe(sy_device *device, sy_device_info *ret_info, sy_error *err) SY_NODISCARD;
/* Bytes that could be allocated now; SY_UNAVAILABLE where the device does not tell. */
SY_API sy_status sy_device_free_memory(sy_device *device, uint64_t *ret_bytes, sy_error *err) SY_NODISCARD;

/* The suite that comes with the device's backend, or its plugin, for an operation. It lives as long as the device.
 * SY_NOT_FOUND: the hint lists the operations it has. */
SY_API sy_status sy_device_suite(sy_device *device, const char *operation, const struct sy_suite **ret_suite,
                                 sy_error *err) SY_NODISCARD;
/* SHA-256 over what each implementation of a suite would run on the device, told without loading any of it: it changes
 * when a library is installed, upgraded or removed. SY_NO_MEMORY. */
SY_API sy_status sy_suite_software(sy_device *device, const struct sy_suite *suite, char ret_digest[65],
                                   sy_error *err) SY_NODISCARD;
/* All suites of the device, its backend's first, then its plugin's: number index, NULL behind the last. */
SY_API const struct sy_suite *sy_device_suite_at(sy_device *device, size_t index);
/* Suites that the device's plugin brings: number index, NULL behind the last and where there is no plugin. */
SY_API const struct sy_suite *sy_device_plugin_suite(sy_device *device, size_t index);

typedef struct sy_backend_implementation {
    const char *operation;
    const char *name;
    sy_role role;
    sy_error_class error_class;
    bool available;
    const char *reason;  /* why not, and how to get it; "" when available */
    const char *version; /* "" when unknown */
    const char *path;
} sy_backend_implementation;

typedef struct sy_backend_info {
    const char *name;
    const char *summary;
    bool available;
    const char *reason;
    const sy_device_info *devices;
    size_t device_count;
    const sy_backend_implementation *implementations;
    size_t implementation_count;
} sy_backend_info;

/* All backends of this build, with state and reason. Library files are looked for, nothing is loaded: a library found
 * by that name may still fail to load, which the probe says. versions are "" where only the library itself could tell.
 * Freed by sy_backends_free. */
SY_API sy_status sy_backends_list(sy_backend_info **ret_list, size_t *ret_count, sy_error *err) SY_NODISCARD;
SY_API void sy_backends_free(sy_backend_info *list);

#ifdef __cplusplus
}
#endif
#endif
