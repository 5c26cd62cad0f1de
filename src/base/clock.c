/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's clock, the manual one, and UTC as text. */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"

#define NS_PER_S UINT64_C(1000000000)
#define S_PER_DAY INT64_C(86400)

#ifdef CLOCK_MONOTONIC_RAW
#define STEADY_CLOCK CLOCK_MONOTONIC_RAW
#else
#define STEADY_CLOCK CLOCK_MONOTONIC
#endif

static uint64_t system_now_ns(const sy_clock *clock)
{
    (void)clock;
    struct timespec now;
    clock_gettime(STEADY_CLOCK, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int64_t system_utc_s(const sy_clock *clock)
{
    (void)clock;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static void system_sleep_ns(const sy_clock *clock, uint64_t ns)
{
    (void)clock;
    struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

const sy_clock sy_clock_system = {system_now_ns, system_utc_s, system_sleep_ns, NULL};

uint64_t sy_clock_utc_us(const sy_clock *clock)
{
    if (clock->utc_s != system_utc_s) {
        int64_t seconds = clock->utc_s(clock);
        return seconds < 0 ? 0 : (uint64_t)seconds * 1000000;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec < 0 ? 0 : (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static uint64_t manual_now_ns(const sy_clock *clock)
{
    const sy_clock_manual *manual = clock->user;
    return manual->now;
}

static int64_t manual_utc_s(const sy_clock *clock)
{
    const sy_clock_manual *manual = clock->user;
    return manual->utc;
}

static void manual_sleep_ns(const sy_clock *clock, uint64_t ns)
{
    sy_clock_manual_advance(clock->user, ns);
}

void sy_clock_manual_start(sy_clock_manual *manual, uint64_t now_ns, int64_t utc_s)
{
    manual->clock = (sy_clock){manual_now_ns, manual_utc_s, manual_sleep_ns, manual};
    manual->now = now_ns;
    manual->utc = utc_s;
}

void sy_clock_manual_advance(sy_clock_manual *manual, uint64_t ns)
{
    uint64_t before_s = manual->now / NS_PER_S;
    manual->now += ns;
    manual->utc += (int64_t)(manual->now / NS_PER_S - before_s);
}

/* Days from 1970-01-01 to a date of the Gregorian calendar, and back. The year is counted from March, so that the leap
 * day ends it, in eras of 400 years = 146097 days (Hinnant, "chrono-compatible low-level date algorithms", 2013). */
static int64_t days_of_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_of_days(int64_t days, int64_t *ret_year, int64_t *ret_month, int64_t *ret_day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *ret_day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    *ret_month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    *ret_year = year_of_era + era * 400 + (*ret_month <= 2);
}

sy_status sy_time_format_utc(int64_t utc_s, char *to, size_t size, sy_error *err)
{
    const int64_t first = days_of_date(0, 1, 1) * S_PER_DAY;
    const int64_t end = days_of_date(10000, 1, 1) * S_PER_DAY;
    if (utc_s < first || utc_s >= end) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "time %lld s is outside of the years 0 to 9999", (long long)utc_s);
    }
    if (size < sizeof "2026-11-29T13:44:19Z") {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a time takes 21 bytes, not %zu", size);
    }
    int64_t second = (utc_s % S_PER_DAY + S_PER_DAY) % S_PER_DAY;
    int64_t year;
    int64_t month;
    int64_t day;
    date_of_days((utc_s - second) / S_PER_DAY, &year, &month, &day);
    snprintf(to, size, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)year, (int)month, (int)day, (int)(second / 3600),
             (int)(second / 60 % 60), (int)(second % 60));
    return SY_OK;
}

/* Reads exactly `digits` decimal digits and moves on; false when there are fewer. */
static bool read_digits(const char **text, int digits, int64_t *ret_value)
{
    int64_t value = 0;
    for (int i = 0; i < digits; i++) {
        char c = (*text)[i];
        if (c < '0' || c > '9') {
            return false;
        }
        value = value * 10 + (c - '0');
    }
    *text += digits;
    *ret_value = value;
    return true;
}

static bool read_byte(const char **text, const char *allowed)
{
    for (; *allowed != '\0'; allowed++) {
        if (**text == *allowed) {
            (*text)++;
            return true;
        }
    }
    return false;
}

/* "Z", "+hh:mm", "+hhmm": seconds east of Greenwich; false when there is no zone. */
static bool read_zone(const char **text, int64_t *ret_offset_s)
{
    if (read_byte(text, "Zz")) {
        *ret_offset_s = 0;
        return true;
    }
    int64_t sign = **text == '-' ? -1 : 1;
    int64_t hours;
    int64_t minutes;
    if (!read_byte(text, "+-") || !read_digits(text, 2, &hours)) {
        return false;
    }
    read_byte(text, ":");
    if (!read_digits(text, 2, &minutes) || hours > 23 || minutes > 59) {
        return false;
    }
    *ret_offset_s = sign * (hours * 3600 + minutes * 60);
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    return month == 12 ? 31 : days_of_date(year, month + 1, 1) - days_of_date(year, month, 1);
}

sy_status sy_time_parse_utc(const char *text, int64_t *ret_utc_s, sy_error *err)
{
    const char *at = text;
    int64_t year;
    int64_t month;
    int64_t day;
    int64_t hour;
    int64_t minute;
    int64_t second;
    if (!read_digits(&at, 4, &year) || !read_byte(&at, "-") || !read_digits(&at, 2, &month) || !read_byte(&at, "-") ||
        !read_digits(&at, 2, &day) || !read_byte(&at, "Tt ") || !read_digits(&at, 2, &hour) || !read_byte(&at, ":") ||
        !read_digits(&at, 2, &minute) || !read_byte(&at, ":") || !read_digits(&at, 2, &second)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' is not a time such as 2026-11-29T13:44:19Z", text);
    }
    if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) || hour > 23 || minute > 59 ||
        second > 59) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' names a date or time that does not exist", text);
    }
    if (read_byte(&at, ".,")) {
        int64_t digit;
        if (!read_digits(&at, 1, &digit)) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' has no digit after the point", text);
        }
        while (read_digits(&at, 1, &digit)) {
        }
    }
    int64_t offset_s;
    if (!read_zone(&at, &offset_s)) {
        sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' has no time zone", text);
        sy_error_hint(err, "end it with Z, or with an offset such as +01:00");
        return SY_INVALID_ARGUMENT;
    }
    if (*at != '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' goes on after the time zone", text);
    }
    *ret_utc_s = days_of_date(year, month, day) * S_PER_DAY + hour * 3600 + minute * 60 + second - offset_s;
    return SY_OK;
}
