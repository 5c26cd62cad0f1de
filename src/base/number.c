/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal digits to doubles and back, the same in every locale: quick where arithmetic is exact, else by the C
 * library under the C locale. Also the library's one vsnprintf. */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The C library's C locale: glibc and musl hand out a constant object, so neither call allocates. */
static locale_t enter_c_locale(locale_t *ret_former)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *ret_former = uselocale(c);
    return c;
}

static void leave_c_locale(locale_t c, locale_t former)
{
    uselocale(former);
    freelocale(c);
}

int sy_format_list(char *to, size_t size, const char *format, va_list arguments)
{
    locale_t former;
    locale_t c = enter_c_locale(&former);
    int length = vsnprintf(to, size, format, arguments);
    leave_c_locale(c, former);
    return length;
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

const char *sy_number_scan(const char *text, const char *end, bool strict)
{
    const char *at = text;
    if (at < end && *at == '-') {
        at++;
    }
    const char *whole = at;
    at = skip_digits(at, end);
    bool has_whole = at > whole;
    if (strict && (!has_whole || (*whole == '0' && at > whole + 1))) {
        return NULL;
    }
    bool has_fraction = false;
    if (at < end && *at == '.') {
        const char *fraction = at + 1;
        const char *fraction_end = skip_digits(fraction, end);
        has_fraction = fraction_end > fraction;
        if (strict && !has_fraction) {
            return NULL;
        }
        at = fraction_end;
    }
    if (!has_whole && !has_fraction) {
        return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;
        if (exponent < end && (*exponent == '+' || *exponent == '-')) {
            exponent++;
        }
        const char *exponent_end = skip_digits(exponent, end);
        if (exponent_end == exponent) {
            return strict ? NULL : at;
        }
        at = exponent_end;
    }
    return at;
}

static double read_slowly(const char *text)
{
    locale_t former;
    locale_t c = enter_c_locale(&former);
    double value = strtod(text, NULL);
    leave_c_locale(c, former);
    return value;
}

double sy_number_read(const char *text, size_t length)
{
    /* Clinger, "How to read floating point numbers accurately", 1990: a whole number up to 2^53 and a power of ten up
     * to 10^22 are both exact, so one multiplication or division rounds once. */
    static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text;
    const char *end = text + length;
    bool negative = at < end && *at == '-';
    at += negative;
    uint64_t whole = 0;
    int digits = 0;
    int64_t exponent = 0;
    bool after_point = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        if (digits == 18) {
            return read_slowly(text);
        }
        whole = whole * 10 + (uint64_t)(*at - '0');
        digits += whole != 0;
        exponent -= after_point;
    }
    if (at < end) {
        at++;
        bool negative_exponent = *at == '-';
        at += *at == '-' || *at == '+';
        int written = 0;
        for (; at < end; at++) {
            written = written < 100000 ? written * 10 + (*at - '0') : written;
        }
        exponent += negative_exponent ? -written : written;
    }
    double value;
    if (whole == 0) {
        value = 0.0;
    } else if (whole > (UINT64_C(1) << 53) || exponent < -22 || exponent > 22) {
        return read_slowly(text);
    } else {
        value = exponent < 0 ? (double)whole / exact_power[-exponent] : (double)whole * exact_power[exponent];
    }
    return negative ? -value : value;
}

/* format: "%.*g", or "%#.*g" to keep zeros at the end. */
static size_t write_digits(double value, const char *format, int precision, char to[SY_NUMBER_TEXT])
{
    locale_t former;
    locale_t c = enter_c_locale(&former);
    int length = snprintf(to, SY_NUMBER_TEXT, format, precision, value);
    leave_c_locale(c, former);
    return (size_t)length;
}

size_t sy_number_write_whole(uint64_t magnitude, bool negative, char to[SY_NUMBER_TEXT])
{
    char reversed[SY_NUMBER_TEXT];
    size_t digits = 0;
    do {
        reversed[digits++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    size_t length = 0;
    if (negative) {
        to[length++] = '-';
    }
    while (digits > 0) {
        to[length++] = reversed[--digits];
    }
    to[length] = '\0';
    return length;
}

static bool is_power_of_two(double value)
{
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5;
}

/* Doubles stand twice as dense below a power of two as above it, so the nearest decimal of some length may miss it from
 * below while the next one away from zero hits: that one, or 0 when it does not read as value either. */
static size_t write_next_decimal(double value, int precision, char to[SY_NUMBER_TEXT])
{
    size_t length = write_digits(value, "%#.*g", precision, to);
    const char *exponent = memchr(to, 'e', length);
    char *last = to + (exponent == NULL ? length : (size_t)(exponent - to)) - 1;
    if (*last < '0' || *last >= '9') {
        return 0; /* behind a 9 comes a zero: a shorter one, tried before */
    }
    ++*last;
    return sy_number_read(to, length) == value ? length : 0;
}

size_t sy_number_write_shortest(double value, char to[SY_NUMBER_TEXT])
{
    /* Whole numbers that a double holds exactly are their own shortest form. */
    if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value && !(value == 0.0 && signbit(value))) {
        return sy_number_write_whole((uint64_t)fabs(value), value < 0, to);
    }
    /* 15 digits always survive the way through a normal double, so fewer need not be tried: %g drops zeros. */
    for (int precision = fabs(value) < DBL_MIN ? 1 : DBL_DIG; precision < DBL_DECIMAL_DIG; precision++) {
        size_t length = write_digits(value, "%.*g", precision, to);
        if (sy_number_read(to, length) != value) {
            length = is_power_of_two(value) ? write_next_decimal(value, precision, to) : 0;
        }
        if (length > 0) {
            return length;
        }
    }
    return write_digits(value, "%.*g", DBL_DECIMAL_DIG, to);
}

size_t sy_number_write_17(double value, char to[SY_NUMBER_TEXT])
{
    return write_digits(value, "%.*g", DBL_DECIMAL_DIG, to);
}
