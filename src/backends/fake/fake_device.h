/* SPDX-License-Identifier: Apache-2.0 */
/* The fake device's inside, shared by its vtable and its operation. */
#ifndef STEELYARD_BACKENDS_FAKE_DEVICE_H
#define STEELYARD_BACKENDS_FAKE_DEVICE_H

#include "backends/backend.h"
#include "backends/fake/fake_script.h"
#include "backends/fake/fake_time.h"

typedef struct sy_fake_device {
    sy_device base;
    sy_clock clock; /* manual, read in steps of the timer's resolution */
    sy_clock_manual manual;
    sy_fake_script *script;
    sy_fake_time *time;
    float **memory; /* implementation x case: the first output, kept by `memoised`; NULL elsewhere */
    uint64_t allocated_bytes;
    uint64_t peak_bytes;
    uint64_t allocation_count;
    uint64_t switches; /* runs that were switched away */
    double stolen_ns;  /* of the runs' time */
    double waited_ns;
} sy_fake_device;

/* Sets the suite's callbacks and user; the device owns what they need. SY_NO_MEMORY. */
sy_status sy_fake_operation_start(sy_fake_device *device, sy_error *err) SY_NODISCARD;
void sy_fake_operation_finish(sy_fake_device *device);

#endif
