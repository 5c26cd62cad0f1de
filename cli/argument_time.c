/* SPDX-License-Identifier: Apache-2.0 */
/* Reading points in time from arguments. Dates are the library's to read. */
#include "argument_time.h"

#include <stdio.h>
#include <steelyard/base.h>
#include <string.h>

#include "argument_number.h"

#define LAST_SECOND INT64_C(253402300799) /* of the year 9999 */

/* A whole number and the letter of its unit. */
static bool read_span(const char *text, int64_t *ret_seconds)
{
    static const char letters[] = "mhd";
    static const int64_t seconds[] = {60, 3600, 86400};
    size_t length = strlen(text);
    const char *letter = length > 1 ? strchr(letters, text[length - 1]) : NULL;
    char digits[16];
    uint64_t number;
    int64_t unit;

    if (letter == NULL || length > sizeof(digits))
        return false;
    unit = seconds[letter - letters];
    snprintf(digits, sizeof(digits), "%.*s", (int)length - 1, text);
    if (!cli_number_whole(digits, &number) || number == 0 || number > (uint64_t)(LAST_SECOND / unit))
        return false;
    *ret_seconds = (int64_t)number * unit;
    return true;
}

bool cli_time_expiry(const char *text, int64_t now_utc_s, int64_t *ret_utc_s)
{
    char midnight[32];
    int64_t value;

    if (read_span(text, &value)) {
        if (value > LAST_SECOND - now_utc_s)
            return false;
        *ret_utc_s = now_utc_s + value;
        return true;
    }
    if (strlen(text) == strlen("2026-12-31")) {
        snprintf(midnight, sizeof(midnight), "%sT00:00:00Z", text);
        text = midnight;
    }
    if (sy_time_parse_utc(text, &value, NULL) != SY_OK || value > LAST_SECOND)
        return false;
    *ret_utc_s = value;
    return true;
}
