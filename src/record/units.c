/* SPDX-License-Identifier: Apache-2.0 */
/* The table of units. */
#include "record/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define TIME(multiply, divide) "s", false, true, multiply, divide
#define SIZE(multiply) "bytes", false, true, multiply, 1
#define RATE(multiply) "1/s", true, true, multiply, 1
#define FLOW(multiply) "bytes/s", true, true, multiply, 1
#define WORK(multiply) "flop/s", true, true, multiply, 1
#define ENERGY(multiply, divide) "J", false, false, multiply, divide
#define POWER(multiply, divide) "W", false, false, multiply, divide
#define KIBI 1024.0

static const sy_unit units[] = {
    {"ns", TIME(1, 1e9)},
    {"nanoseconds", TIME(1, 1e9)},
    {"us", TIME(1, 1e6)},
    {"\xc2\xb5s", TIME(1, 1e6)}, /* micro sign */
    {"\xce\xbcs", TIME(1, 1e6)}, /* Greek mu */
    {"microseconds", TIME(1, 1e6)},
    {"ms", TIME(1, 1e3)},
    {"milliseconds", TIME(1, 1e3)},
    {"s", TIME(1, 1)},
    {"sec", TIME(1, 1)},
    {"second", TIME(1, 1)},
    {"seconds", TIME(1, 1)},
    {"min", TIME(60, 1)},
    {"minutes", TIME(60, 1)},
    {"h", TIME(3600, 1)},
    {"hours", TIME(3600, 1)},
    {"B", SIZE(1)},
    {"bytes", SIZE(1)},
    {"kB", SIZE(1e3)},
    {"MB", SIZE(1e6)},
    {"GB", SIZE(1e9)},
    {"TB", SIZE(1e12)},
    {"KiB", SIZE(KIBI)},
    {"MiB", SIZE(KIBI *KIBI)},
    {"GiB", SIZE(KIBI *KIBI *KIBI)},
    {"TiB", SIZE(KIBI *KIBI *KIBI *KIBI)},
    {"1/s", RATE(1)},
    {"/s", RATE(1)},
    {"Hz", RATE(1)},
    {"kHz", RATE(1e3)},
    {"MHz", RATE(1e6)},
    {"GHz", RATE(1e9)},
    {"B/s", FLOW(1)},
    {"bytes/s", FLOW(1)},
    {"kB/s", FLOW(1e3)},
    {"MB/s", FLOW(1e6)},
    {"GB/s", FLOW(1e9)},
    {"TB/s", FLOW(1e12)},
    {"KiB/s", FLOW(KIBI)},
    {"MiB/s", FLOW(KIBI *KIBI)},
    {"GiB/s", FLOW(KIBI *KIBI *KIBI)},
    {"TiB/s", FLOW(KIBI *KIBI *KIBI *KIBI)},
    {"flop/s", WORK(1)},
    {"FLOP/s", WORK(1)},
    {"MFLOP/s", WORK(1e6)},
    {"GFLOP/s", WORK(1e9)},
    {"TFLOP/s", WORK(1e12)},
    {"uJ", ENERGY(1, 1e6)},
    {"mJ", ENERGY(1, 1e3)},
    {"J", ENERGY(1, 1)},
    {"kJ", ENERGY(1e3, 1)},
    {"mW", POWER(1, 1e3)},
    {"W", POWER(1, 1)},
    {"kW", POWER(1e3, 1)},
    {"", "", false, false, 1, 1}, /* a number */
    {"1", "", false, false, 1, 1},
    {"%", "", false, false, 1, 100},
};

const sy_unit *sy_unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

double sy_unit_convert(const sy_unit *unit, double value)
{
    double converted = value * unit->multiply / unit->divide;

    return isfinite(converted) ? converted : NAN;
}
