/* SPDX-License-Identifier: Apache-2.0 */
/* Spans, days and points in time as they are typed, and what is none of them. */
#include "argument_time.h"

#include <stdlib.h>

#include "cmocka_headers.h"

static const int64_t now = INT64_C(1796045059); /* 2026-11-30T13:24:19Z, by date -u -d @1796045059 */

static void expect(const char *text, int64_t value)
{
    int64_t found = -1;

    assert_true(cli_time_expiry(text, now, &found));
    assert_int_equal(found, value);
}

static void a_span_counts_from_now(void **state)
{
    (void)state;
    expect("1m", now + 60);
    expect("90m", now + 5400);
    expect("12h", now + 43200);
    expect("30d", now + INT64_C(2592000));
}

static void a_day_is_its_begin_and_a_time_has_a_zone(void **state)
{
    (void)state;
    expect("1970-01-02", 86400);
    expect("2026-12-31", INT64_C(1798675200)); /* by date -u -d 2026-12-31 +%s */
    expect("2026-12-31T00:00:00Z", INT64_C(1798675200));
    expect("2026-12-31T02:00:00+02:00", INT64_C(1798675200));
}

static void what_is_no_time_is_refused_and_leaves_the_value(void **state)
{
    static const char *const wrong[] = {"",
                                        "d",
                                        "0d",
                                        "-1d",
                                        "1",
                                        "1w",
                                        "1.5d",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2026-12-31T00:00:00",
                                        "tomorrow",
                                        "99999999999d",
                                        "+3d",
                                        " 3d",
                                        "3d ",
                                        "2026/12/31",
                                        "99999999999999999999d"};
    int64_t value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(cli_time_expiry(wrong[i], now, &value));
        assert_int_equal(value, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_counts_from_now),
        cmocka_unit_test(a_day_is_its_begin_and_a_time_has_a_zone),
        cmocka_unit_test(what_is_no_time_is_refused_and_leaves_the_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
