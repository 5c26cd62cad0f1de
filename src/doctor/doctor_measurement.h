/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor times itself: looks at the clock, and a kernel of about a millisecond against itself. */
#ifndef STEELYARD_DOCTOR_MEASUREMENT_H
#define STEELYARD_DOCTOR_MEASUREMENT_H

#include <steelyard/base.h>

#include "base/clock.h"
#include "base/random.h"

typedef struct sy_doctor_measurement {
    bool made;
    double step_ns;   /* smallest step between two looks at the clock */
    double look_ns;   /* that one takes */
    double kernel_ns; /* median of the kernel's runs */
    double noise;     /* s = median |d| / .6745 of its pairs */
    double span_ns;   /* that the pairs took */
    double switches;  /* involuntary context switches of this thread meanwhile; NaN = unknown */
} sy_doctor_measurement;

/* Takes about 150 ms; a clock that stands still ends it too. coins: the order within each pair. SY_NO_MEMORY. */
sy_status sy_doctor_measure(const sy_clock *clock, sy_random *coins, sy_doctor_measurement *ret_measurement,
                            sy_error *err) SY_NODISCARD;

#endif
