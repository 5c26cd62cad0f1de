/* SPDX-License-Identifier: Apache-2.0 */
/* Devices by name, inside of the module. */
#ifndef STEELYARD_BACKENDS_ASSIGNMENT_DEVICE_H
#define STEELYARD_BACKENDS_ASSIGNMENT_DEVICE_H

#include "backends/assignment/assignment_part.h"

/* The device that a name without blanks around means. Errors as of sy_assignment_device_find; err has no position. */
sy_status sy_device_named(const sy_assignment_table *table, sy_span name, size_t *ret_device,
                          sy_error *err) SY_NODISCARD;

/* Whether the name means a device, without saying why not. */
bool sy_device_is_named(const sy_assignment_table *table, sy_span name);

#endif
