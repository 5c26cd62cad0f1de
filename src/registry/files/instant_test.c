/* SPDX-License-Identifier: Apache-2.0 */
/* Times as people write them: which are moments, in which order, and what is said of the others. */
#include "cmocka_headers.h"

#include <string.h>

#include "registry/files/instant.h"

static sy_instant moment(const char *text)
{
    sy_instant instant = {0, 0};
    const char *why = NULL;
    if (!sy_instant_read(text, &instant, &why)) {
        fail_msg("%s %s", text, why);
    }
    return instant;
}

static void seconds_are_counted_from_1970(void **state)
{
    (void)state;
    /* From `date -u -d ... +%s`. */
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-08-19T20:40:00-07:00", 1787197200},
        {"2026-08-22T08:10:16Z", 1787386216},
        {"2000-02-29T12:00:00+05:30", 951805800},
        {"1969-12-31T23:59:59Z", -1},
        {"0001-01-01T00:00:00Z", -62135596800},
        {"9999-12-31T23:59:59Z", 253402300799},
        {"2100-03-01T00:00:00Z", 4107542400},
        {"2026-08-19T20:40-0700", 1787197200},
        {"2026-08-19T20:40:00+14", 1787121600},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_instant instant = moment(cases[i].text);
        if (instant.seconds != cases[i].seconds) {
            fail_msg("%s: %lld", cases[i].text, (long long)instant.seconds);
        }
    }
    assert_int_equal(moment("2026-08-19T20:40:00.25Z").nanoseconds, 250000000);
    assert_int_equal(moment("2026-08-19T20:40:00,1234567899Z").nanoseconds, 123456789);
}

static void moments_have_one_order_whatever_their_offset(void **state)
{
    (void)state;
    /* Each is before the next, though the texts sort otherwise. */
    static const char *const ordered[] = {
        "2016-12-31T23:59:59.999Z",  "2017-01-01T08:59:60+09:00",   "2016-12-31T15:59:60.5-08:00",
        "2017-01-01T00:00:00Z",      "2017-01-01T09:00:00.1+09:00", "2016-12-31T19:30:00-05:00",
        "2025-11-02T01:31:00-04:00", "2025-11-02T01:30:00-05:00",
    };
    for (size_t i = 1; i < sizeof ordered / sizeof ordered[0]; i++) {
        sy_instant before = moment(ordered[i - 1]), after = moment(ordered[i]);
        assert_true(sy_instant_compare(&before, &after) < 0);
        assert_true(sy_instant_compare(&after, &before) > 0);
    }
    sy_instant here = moment("2026-08-22T00:55:56-07:00"), there = moment("2026-08-22T07:55:56Z");
    assert_int_equal(sy_instant_compare(&here, &there), 0);
}

static void what_is_no_moment_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"", "a date"},
        {"2026-8-19T20:40:00Z", "a date"},
        {"19.08.2026 20:40", "a date"},
        {"1787197200", "a date"},
        {" 2026-08-19T20:40:00Z", "a date"},
        {"2026-13-01T00:00:00Z", "month"},
        {"2026-00-01T00:00:00Z", "month"},
        {"2026-02-29T00:00:00Z", "day"},
        {"1900-02-29T00:00:00Z", "day"},
        {"2026-04-31T00:00:00Z", "day"},
        {"2026-04-00T00:00:00Z", "day"},
        {"0000-01-01T00:00:00Z", "year"},
        {"2026-08-19", "no time"},
        {"2026-08-19 20:40:00Z", "no time"},
        {"2026-08-19T20Z", "no time"},
        {"2026-08-19T20:40:00.Z", "no time"},
        {"2026-08-19T24:00:00Z", "hour"},
        {"2026-08-19T20:60:00Z", "minute"},
        {"2026-08-19T20:40:61Z", "second"},
        {"2026-08-19T20:40:60Z", "second 60"},
        {"2026-08-19T23:59:60Z", "second 60"},
        {"2016-12-31T23:59:60-08:00", "second 60"},
        {"2017-01-02T08:59:60+09:00", "second 60"},
        {"2026-08-19T20:40:00", "no offset"},
        {"2026-08-19T20:40:00 PDT", "no offset"},
        {"2026-08-19T20:40:00-7:00", "no offset"},
        {"2026-08-19T20:40:00+07:", "no offset"},
        {"2026-08-19T20:40:00+14:01", "no place on earth"},
        {"2026-08-19T20:40:00-13:00", "no place on earth"},
        {"2026-08-19T20:40:00+07:60", "no place on earth"},
        {"2026-08-19T20:40:00Z ", "behind its offset"},
        {"2026-08-19T20:40:00-07:00[America/Los_Angeles]", "behind its offset"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_instant instant = {7, 7};
        const char *why = NULL;
        assert_false(sy_instant_read(cases[i].text, &instant, &why));
        if (strstr(why, cases[i].why) == NULL) {
            fail_msg("'%s' %s", cases[i].text, why);
        }
        assert_int_equal(instant.seconds, 7);
    }
}

static void a_date_is_a_day_that_exists(void **state)
{
    (void)state;
    const char *why = NULL;
    assert_true(sy_date_read("2026-08-22", &why));
    assert_true(sy_date_read("2024-02-29", &why));
    assert_false(sy_date_read("2026-02-29", &why));
    assert_false(sy_date_read("2026-08-22T00:00:00Z", &why));
    assert_non_null(strstr(why, "behind its date"));
    assert_false(sy_date_read("2026-8-2", &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_are_counted_from_1970),
        cmocka_unit_test(moments_have_one_order_whatever_their_offset),
        cmocka_unit_test(what_is_no_moment_is_refused_with_its_reason),
        cmocka_unit_test(a_date_is_a_day_that_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
