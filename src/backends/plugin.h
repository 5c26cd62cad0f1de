/* SPDX-License-Identifier: Apache-2.0 */
/* Suites that a shared object of the user brings to a device. */
#ifndef STEELYARD_BACKENDS_PLUGIN_H
#define STEELYARD_BACKENDS_PLUGIN_H

#include <steelyard/plugin.h>

#include "base/float_environment.h"

/* Loads the shared object at path (with a slash in it: nothing is searched for) and checks all that it exports.
 * *ret_path is its resolved path, to be freed with sy_free; the plugin itself stays loaded for the process's life.
 * *ret_environment is what loading it made of the floating-point environment, which is set back.
 * SY_NOT_FOUND: no such file. SY_UNAVAILABLE: the loader refuses it, with its words. SY_INVALID_ARGUMENT: it exports no
 * steelyard_plugin, or a malformed one; what names the file and the fault. SY_NO_MEMORY. */
sy_status sy_plugin_load(const char *path, const sy_plugin **ret_plugin, char **ret_path,
                         sy_float_environment *ret_environment, sy_error *err) SY_NODISCARD;

#endif
