/* SPDX-License-Identifier: Apache-2.0 */
/* One unit for each kind of quantity: times in seconds, memory in bytes, rates per second. Private to the importers. */
#ifndef STEELYARD_IMPORTERS_IMPORT_UNITS_H
#define STEELYARD_IMPORTERS_IMPORT_UNITS_H

#include <steelyard/base.h>

typedef struct sy_import_unit {
    const char *name; /* as tools write it: "us", "MB/s" */
    const char *unit; /* "s", "bytes", "1/s", "bytes/s" */
    bool higher_is_better;
    double multiply; /* one of both is 1, and both are exact: a conversion rounds once */
    double divide;
} sy_import_unit;

/* NULL: no unit that is known. */
const sy_import_unit *sy_import_unit_of(const char *name);
/* NaN where it is more than a double holds. */
double sy_import_convert(const sy_import_unit *unit, double value);

#endif
