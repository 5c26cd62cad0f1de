/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times of ISO 8601: the form that leaves nothing open, and no day, hour or offset that does not exist. */
#include "registry/files/instant.h"

#include <stddef.h>
#include <string.h>

#define OFFSET_EAST_MAX_MINUTES (14 * 60) /* Line Islands */
#define OFFSET_WEST_MAX_MINUTES (12 * 60) /* Baker Island */

/* Reads exactly `digits` digits and moves behind them. */
static bool read_digits(const char **at, int digits, int *ret_value)
{
    int value = 0;
    for (int i = 0; i < digits; i++) {
        char digit = (*at)[i];
        if (digit < '0' || digit > '9') {
            return false;
        }
        value = value * 10 + (digit - '0');
    }
    *at += digits;
    *ret_value = value;
    return true;
}

static bool pass(const char **at, char expected)
{
    if (**at != expected) {
        return false;
    }
    (*at)++;
    return true;
}

static bool is_leap_year(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap_year(year) ? 1 : 0);
}

/* Days from 1970-01-01 to a day of the Gregorian calendar. */
static int64_t days_since_epoch(int year, int month, int day)
{
    int64_t before = year - 1; /* whole years since 0001-01-01 */
    int64_t days = before * 365 + before / 4 - before / 100 + before / 400;
    for (int i = 1; i < month; i++) {
        days += days_of_month(year, i);
    }
    return days + day - 1 - 719162; /* of 0001-01-01 to 1970-01-01 */
}

typedef struct calendar_day {
    int64_t days; /* since 1970-01-01 */
    bool begins_month;
    bool ends_month;
} calendar_day;

static bool read_date(const char **at, calendar_day *ret_day, const char **ret_why)
{
    int year = 0, month = 0, day = 0;
    *ret_why = "does not begin with a date YYYY-MM-DD";
    if (!read_digits(at, 4, &year) || !pass(at, '-') || !read_digits(at, 2, &month) || !pass(at, '-') ||
        !read_digits(at, 2, &day)) {
        return false;
    }
    *ret_why = year < 1                                      ? "names the year 0"
               : month < 1 || month > 12                     ? "names a month that does not exist"
               : day < 1 || day > days_of_month(year, month) ? "names a day that does not exist"
                                                             : NULL;
    if (*ret_why != NULL) {
        return false;
    }
    *ret_day = (calendar_day){days_since_epoch(year, month, day), day == 1, day == days_of_month(year, month)};
    return true;
}

bool sy_date_read(const char *text, const char **ret_why)
{
    calendar_day day;
    if (!read_date(&text, &day, ret_why)) {
        return false;
    }
    if (*text != '\0') {
        *ret_why = "has something behind its date";
        return false;
    }
    return true;
}

/* A fraction of a second behind '.' or ',': nanoseconds. */
static bool read_fraction(const char **at, uint32_t *ret_nanoseconds)
{
    if (**at != '.' && **at != ',') {
        return true;
    }
    (*at)++;
    uint32_t nanoseconds = 0;
    size_t digits = strspn(*at, "0123456789");
    for (size_t i = 0; i < 9; i++) {
        nanoseconds = nanoseconds * 10 + (i < digits ? (uint32_t)((*at)[i] - '0') : 0);
    }
    *at += digits;
    *ret_nanoseconds = nanoseconds;
    return digits > 0;
}

/* hh:mm[:ss[.fraction]]; a second of 60 is told to the caller, who knows the offset. */
static bool read_time(const char **at, int *ret_second_of_day, uint32_t *ret_nanoseconds, bool *ret_leap,
                      const char **ret_why)
{
    int hour = 0, minute = 0, second = 0;
    *ret_why = "has no time hh:mm:ss behind its date and a 'T'";
    if (!pass(at, 'T') || !read_digits(at, 2, &hour) || !pass(at, ':') || !read_digits(at, 2, &minute)) {
        return false;
    }
    if (pass(at, ':') && (!read_digits(at, 2, &second) || !read_fraction(at, ret_nanoseconds))) {
        return false;
    }
    if (hour > 23 || minute > 59 || second > 60) {
        *ret_why = "names an hour, minute or second that does not exist";
        return false;
    }
    *ret_leap = second == 60;
    *ret_second_of_day = (hour * 60 + minute) * 60 + (*ret_leap ? 59 : second);
    return true;
}

/* Z, +hh, +hhmm or +hh:mm: minutes east of UTC. */
static bool read_offset(const char **at, int *ret_minutes, const char **ret_why)
{
    *ret_why = "has no offset behind its time: Z or +hh:mm";
    if (pass(at, 'Z')) {
        *ret_minutes = 0;
        return true;
    }
    bool west = **at == '-';
    int hours = 0, minutes = 0;
    if ((!west && **at != '+') || ((*at)++, !read_digits(at, 2, &hours))) {
        return false;
    }
    bool colon = pass(at, ':');
    if ((colon || **at != '\0') && !read_digits(at, 2, &minutes)) {
        return false;
    }
    int in_all = hours * 60 + minutes;
    if (minutes > 59 || in_all > (west ? OFFSET_WEST_MAX_MINUTES : OFFSET_EAST_MAX_MINUTES)) {
        *ret_why = "names an offset that no place on earth has";
        return false;
    }
    *ret_minutes = west ? -in_all : in_all;
    return true;
}

/* Whether UTC may put a leap second in behind that second: at the end of a month. The same moment falls on the first
 * day of the next month where clocks are ahead of UTC. */
static bool may_leap_after(int64_t seconds, const calendar_day *local)
{
    int64_t next = seconds + 1;
    return next % 86400 == 0 &&
           (next / 86400 == local->days + 1 ? local->ends_month : next / 86400 == local->days && local->begins_month);
}

bool sy_instant_read(const char *text, sy_instant *ret_instant, const char **ret_why)
{
    calendar_day day;
    int second_of_day = 0, offset_minutes = 0;
    uint32_t nanoseconds = 0;
    bool leap = false;
    if (!read_date(&text, &day, ret_why) || !read_time(&text, &second_of_day, &nanoseconds, &leap, ret_why) ||
        !read_offset(&text, &offset_minutes, ret_why)) {
        return false;
    }
    if (*text != '\0') {
        *ret_why = "has something behind its offset";
        return false;
    }
    int64_t seconds = day.days * 86400 + second_of_day - (int64_t)offset_minutes * 60;
    if (leap && !may_leap_after(seconds, &day)) {
        *ret_why = "names a second 60 where UTC puts in none";
        return false;
    }
    *ret_instant = (sy_instant){seconds, nanoseconds + (leap ? 1000000000u : 0)};
    return true;
}

int sy_instant_compare(const sy_instant *a, const sy_instant *b)
{
    if (a->seconds != b->seconds) {
        return a->seconds < b->seconds ? -1 : 1;
    }
    return a->nanoseconds < b->nanoseconds ? -1 : a->nanoseconds > b->nanoseconds;
}
