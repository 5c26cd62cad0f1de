/* SPDX-License-Identifier: Apache-2.0 */
/* Reading numbers from arguments. The command never calls setlocale, so that strtod reads the C locale's form. */
#include "argument_number.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* strtod also takes spaces, hexadecimal, "inf" and "nan": only decimal digits, a point and an exponent pass here. */
static bool is_decimal(const char *text)
{
    const char *at = text;
    size_t digits = 0;

    if (*at == '-' || *at == '+')
        at++;
    for (; is_digit(*at); at++)
        digits++;
    if (*at == '.')
        at++;
    for (; is_digit(*at); at++)
        digits++;
    if (digits == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '-' || *at == '+')
            at++;
        if (!is_digit(*at))
            return false;
        while (is_digit(*at))
            at++;
    }
    return *at == '\0';
}

bool cli_number_double(const char *text, double *ret_value)
{
    double value;

    if (!is_decimal(text))
        return false;
    value = strtod(text, NULL);
    if (!isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

/* Reads digits up to the first other byte; false without a digit or past 2^64 - 1. */
static bool take_digits(const char **text, uint64_t *ret_value)
{
    const char *at = *text;
    uint64_t value = 0;

    if (!is_digit(*at))
        return false;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *text = at;
    *ret_value = value;
    return true;
}

bool cli_number_whole(const char *text, uint64_t *ret_value)
{
    uint64_t value;

    if (!take_digits(&text, &value) || *text != '\0')
        return false;
    *ret_value = value;
    return true;
}

bool cli_number_bytes(const char *text, uint64_t *ret_bytes)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        {"", 1},
        {"B", 1},
        {"kB", UINT64_C(1000)},
        {"MB", UINT64_C(1000000)},
        {"GB", UINT64_C(1000000000)},
        {"TB", UINT64_C(1000000000000)},
        {"KiB", UINT64_C(1) << 10},
        {"MiB", UINT64_C(1) << 20},
        {"GiB", UINT64_C(1) << 30},
        {"TiB", UINT64_C(1) << 40},
    };
    uint64_t value;

    if (!take_digits(&text, &value))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text, units[i].name) != 0)
            continue;
        if (value > UINT64_MAX / units[i].factor)
            return false;
        *ret_bytes = value * units[i].factor;
        return true;
    }
    return false;
}

bool cli_number_seconds(const char *text, uint64_t *ret_ns)
{
    double seconds;

    if (!cli_number_double(text, &seconds) || seconds < 0 || seconds > 1e9)
        return false;
    *ret_ns = (uint64_t)llround(seconds * 1e9);
    return true;
}
