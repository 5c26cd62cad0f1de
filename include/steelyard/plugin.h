/* SPDX-License-Identifier: Apache-2.0 */
/* A suite of one's own as a shared object: `steelyard probe ./my_suite.so` weighs it as if it were built in.
 *
 *     cc -shared -fPIC my_suite.c $(pkg-config --cflags --libs steelyard) -o my_suite.so
 */
#ifndef STEELYARD_PLUGIN_H
#define STEELYARD_PLUGIN_H

#include <steelyard/suite.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the shared object exports, under the name `steelyard_plugin`. The suites are plain data; each names an operation
 * that the backend has not itself. It is loaded in the caller's process, where oracle and compare run, and again in
 * each worker, where implementations run; it is never unloaded. */
typedef struct sy_plugin {
    size_t struct_size; /* sizeof(sy_plugin) */
    const sy_suite *const *suites;
    size_t suite_count; /* 1..16 */
} sy_plugin;

#define SY_PLUGIN_SYMBOL "steelyard_plugin"
#define SY_PLUGIN_SUITES_MAX 16

/* Stands before the definition: SY_PLUGIN_EXPORT const sy_plugin steelyard_plugin = {...}; */
#ifdef __cplusplus
#define SY_PLUGIN_EXPORT /* the declaration exports it; g++ warns of an attribute here */
#else
#define SY_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif
/* Defined by the plugin, never by the library. Without it a const object of C++ would stay inside its file. */
extern __attribute__((visibility("default"))) const sy_plugin steelyard_plugin;

#ifdef __cplusplus
}
#endif
#endif
