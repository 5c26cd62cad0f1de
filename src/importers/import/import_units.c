/* SPDX-License-Identifier: Apache-2.0 */
/* The units that benchmark tools write, and what each is here. */
#include "importers/import/import_units.h"

#include <math.h>
#include <string.h>

static const sy_import_unit units[] = {
    {"ns", "s", false, 1, 1e9},
    {"nanoseconds", "s", false, 1, 1e9},
    {"us", "s", false, 1, 1e6},
    {"\xc2\xb5s", "s", false, 1, 1e6}, /* micro sign */
    {"\xce\xbcs", "s", false, 1, 1e6}, /* Greek mu */
    {"microseconds", "s", false, 1, 1e6},
    {"ms", "s", false, 1, 1e3},
    {"milliseconds", "s", false, 1, 1e3},
    {"s", "s", false, 1, 1},
    {"sec", "s", false, 1, 1},
    {"second", "s", false, 1, 1},
    {"seconds", "s", false, 1, 1},
    {"minutes", "s", false, 60, 1},
    {"hours", "s", false, 3600, 1},
    {"B", "bytes", false, 1, 1},
    {"bytes", "bytes", false, 1, 1},
    {"KiB", "bytes", false, 1024, 1},
    {"MiB", "bytes", false, 1048576, 1},
    {"GiB", "bytes", false, 1073741824, 1},
    {"1/s", "1/s", true, 1, 1},
    {"t/s", "1/s", true, 1, 1},
    {"items/s", "1/s", true, 1, 1},
    {"", "", false, 1, 1}, /* a number */
    {"B/s", "bytes/s", true, 1, 1},
    {"bytes/s", "bytes/s", true, 1, 1},
    {"MB/s", "bytes/s", true, 1e6, 1}, /* as Go's testing package counts it */
};

const sy_import_unit *sy_import_unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

double sy_import_convert(const sy_import_unit *unit, double value)
{
    double converted = value * unit->multiply / unit->divide;

    return isfinite(converted) ? converted : NAN;
}
