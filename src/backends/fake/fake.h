/* SPDX-License-Identifier: Apache-2.0 */
/* What tests and benchmarks may ask of the fake backend beyond the backend's table. */
#ifndef STEELYARD_BACKENDS_FAKE_H
#define STEELYARD_BACKENDS_FAKE_H

#include "backends/backend.h"

/* Opens a device on a script's text instead of a file: options->script is ignored. Closed by sy_device_close. Errors as
 * sy_device_open; the position is the script's. options may be NULL. */
sy_status sy_fake_open(const char *script, size_t size, const sy_device_options *options, sy_device **ret_device,
                       sy_error *err) SY_NODISCARD;
/* Runs so far of one implementation, or of all (NULL); an unknown name has 0. */
uint64_t sy_fake_runs(const sy_device *device, const char *implementation);
/* Device memory taken now, and how often any was taken. */
uint64_t sy_fake_allocated_bytes(const sy_device *device);
uint64_t sy_fake_allocations(const sy_device *device);

#endif
