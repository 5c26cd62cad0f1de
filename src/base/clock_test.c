/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks, and UTC as text in both directions. */
#include "cmocka_headers.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

static void the_system_clock_goes_on_and_sleeps_long_enough(void **state)
{
    (void)state;
    uint64_t start = sy_clock_now(&sy_clock_system);
    sy_clock_system.sleep_ns(&sy_clock_system, 2000000);
    /* The raw clock and the one that sleep uses differ by some parts in a million. */
    assert_true(sy_clock_now(&sy_clock_system) - start >= 1990000);
    assert_true(sy_clock_system.utc_s(&sy_clock_system) > 1700000000);
}

static void a_manual_clock_moves_only_when_told(void **state)
{
    (void)state;
    sy_clock_manual manual;
    sy_clock_manual_start(&manual, 1900000000, 1000);
    assert_int_equal(sy_clock_now(&manual.clock), 1900000000);
    assert_int_equal(sy_clock_now(&manual.clock), 1900000000);
    sy_clock_manual_advance(&manual, 99999999);
    assert_int_equal(manual.clock.utc_s(&manual.clock), 1000);
    manual.clock.sleep_ns(&manual.clock, 1);
    assert_int_equal(sy_clock_now(&manual.clock), 2000000000);
    assert_int_equal(manual.clock.utc_s(&manual.clock), 1001);
    sy_clock_manual_advance(&manual, UINT64_C(5500000000));
    assert_int_equal(manual.clock.utc_s(&manual.clock), 1006);
}

static const struct {
    const char *text;
    int64_t utc_s;
} known[] = {
    /* The epoch; the POSIX standard's own example (XBD A.4.16) is its day count; the others by `date -u -d TEXT +%s`.
     */
    {"1970-01-01T00:00:00Z", 0},
    {"2026-11-29T13:44:19Z", 1795959859},
    {"2000-02-29T23:59:59Z", 951868799},
    {"1969-12-31T23:59:59Z", -1},
    {"0000-01-01T00:00:00Z", -62167219200},
    {"9999-12-31T23:59:59Z", 253402300799},
    {"1900-03-01T00:00:00Z", -2203891200},
    {"2100-02-28T12:00:00Z", 4107499200},
};

static void utc_is_written_and_read_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[21];
        int64_t utc_s = 7;
        assert_int_equal(sy_time_format_utc(known[i].utc_s, text, sizeof text, NULL), SY_OK);
        assert_string_equal(text, known[i].text);
        assert_int_equal(sy_time_parse_utc(known[i].text, &utc_s, NULL), SY_OK);
        assert_true(utc_s == known[i].utc_s);
    }
}

/* timegm of the C library is the independent witness, over 800 years in steps that meet every part of a day. */
static void every_day_agrees_with_the_c_library(void **state)
{
    (void)state;
    for (int64_t utc_s = -12000000000; utc_s < 13000000000; utc_s += 86399 * 7) {
        char text[21];
        int64_t again = 0;
        struct tm parts;
        char expected[32];
        time_t time = (time_t)utc_s;
        assert_non_null(gmtime_r(&time, &parts));
        strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%SZ", &parts);
        assert_int_equal(sy_time_format_utc(utc_s, text, sizeof text, NULL), SY_OK);
        assert_string_equal(text, expected);
        assert_int_equal(sy_time_parse_utc(text, &again, NULL), SY_OK);
        assert_true(again == utc_s);
    }
}

static void zones_and_fractions_are_understood(void **state)
{
    (void)state;
    static const char *const same[] = {
        "2026-11-29T13:44:19.999Z",  "2026-11-29t13:44:19z",   "2026-11-29 14:44:19+01:00", "2026-11-29T08:14:19-0530",
        "2026-11-30T03:44:19+14:00", "2026-11-29T13:44:19,5Z", "2026-11-29T13:44:19-00:00"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        int64_t utc_s = 0;
        assert_int_equal(sy_time_parse_utc(same[i], &utc_s, NULL), SY_OK);
        assert_int_equal(utc_s, 1795959859);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "2026-11-29",
                                      "2026-11-29T13:44:19",
                                      "2026-11-29T13:44Z",
                                      "2026-11-31T13:44:19Z",
                                      "2026-02-29T13:44:19Z",
                                      "2100-02-29T13:44:19Z",
                                      "2026-13-01T13:44:19Z",
                                      "2026-00-01T13:44:19Z",
                                      "2026-01-00T13:44:19Z",
                                      "2026-01-01T24:00:00Z",
                                      "2026-01-01T23:60:00Z",
                                      "2026-01-01T23:59:60Z",
                                      "2026-01-01T23:59:59.Z",
                                      "2026-01-01T23:59:59+1Z",
                                      "2026-01-01T23:59:59+24:00",
                                      "2026-01-01T23:59:59Zulu",
                                      "26-01-01T23:59:59Z"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t utc_s = 7;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_time_parse_utc(bad[i], &utc_s, &err), SY_INVALID_ARGUMENT);
        assert_int_equal(utc_s, 7);
        assert_true(err.what[0] != '\0');
    }
    sy_error err = SY_ERROR_INIT;
    int64_t utc_s;
    assert_int_equal(sy_time_parse_utc("2026-11-29T13:44:19", &utc_s, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "'2026-11-29T13:44:19' has no time zone");
}

static void years_that_have_no_four_digits_are_refused(void **state)
{
    (void)state;
    char text[21] = "kept";
    assert_int_equal(sy_time_format_utc(INT64_C(253402300800), text, sizeof text, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_time_format_utc(INT64_C(-62167219201), text, sizeof text, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_time_format_utc(INT64_MAX, text, sizeof text, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_time_format_utc(INT64_MIN, text, sizeof text, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_time_format_utc(0, text, 20, NULL), SY_INVALID_ARGUMENT);
    assert_string_equal(text, "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_clock_goes_on_and_sleeps_long_enough),
        cmocka_unit_test(a_manual_clock_moves_only_when_told),
        cmocka_unit_test(utc_is_written_and_read_back),
        cmocka_unit_test(every_day_agrees_with_the_c_library),
        cmocka_unit_test(zones_and_fractions_are_understood),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(years_that_have_no_four_digits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
