/* SPDX-License-Identifier: Apache-2.0 */
/* The units that programs write, and the one that is kept for each kind of quantity: times in seconds, sizes in bytes,
 * rates per second. The line protocol and every importer read them here. */
#ifndef STEELYARD_RECORD_UNITS_H
#define STEELYARD_RECORD_UNITS_H

#include <stdbool.h>

typedef struct sy_unit {
    const char *name; /* as it is written: "us", "MB/s" */
    const char *unit; /* as it is kept: "s", "bytes", "1/s", "bytes/s", "flop/s", "J", "W"; "" = a number */
    bool higher_is_better;
    bool never_negative; /* times, sizes and rates; below 0 is no measurement */
    double multiply;     /* one of both is 1, and both are exact: a conversion rounds once */
    double divide;
} sy_unit;

/* Letters of either case differ. NULL: no unit that is known. */
const sy_unit *sy_unit_of(const char *name);
/* The value in the unit that is kept; NaN where a double does not hold it. */
double sy_unit_convert(const sy_unit *unit, double value);

#endif
