/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of figures: bounds never promise more than they hold. */
#include <math.h>

#include "cmocka_headers.h"
#include "report/page/figures.h"

static void a_share_has_one_decimal(void **state)
{
    char to[SY_FIGURE_SIZE];

    (void)state;
    assert_string_equal(sy_figure_share(to, .051), "5.1 %");
    assert_string_equal(sy_figure_share(to, -.41), "-41.0 %");
    assert_string_equal(sy_figure_share(to, -.0001), "0.0 %");
    assert_string_equal(sy_figure_share(to, NAN), "-");
    assert_string_equal(sy_figure_share(to, -1e12), "-1.0e+14 %");
}

static void a_lower_bound_is_rounded_down_and_an_upper_one_up(void **state)
{
    char to[SY_FIGURE_SIZE];

    (void)state;
    assert_string_equal(sy_figure_share_down(to, .03499), "3.4 %");
    assert_string_equal(sy_figure_share_up(to, .07001), "7.1 %");
    assert_string_equal(sy_figure_share_down(to, -.0201), "-2.1 %");
    assert_string_equal(sy_figure_share_up(to, -.0201), "-2.0 %");
    assert_string_equal(sy_figure_share_down(to, .034), "3.4 %");
    assert_string_equal(sy_figure_share_up(to, .034), "3.4 %");
    assert_string_equal(sy_figure_share_down(to, NAN), "-");
    assert_string_equal(sy_figure_share_up(to, NAN), "-");
}

static void a_setting_is_shown_as_it_was_given(void **state)
{
    char to[SY_FIGURE_SIZE];

    (void)state;
    assert_string_equal(sy_figure_setting(to, .03), "3 %");
    assert_string_equal(sy_figure_setting(to, .005), "0.5 %");
    assert_string_equal(sy_figure_setting(to, 0), "0 %");
    assert_string_equal(sy_figure_setting(to, 1 - .05), "95 %");
}

static void a_time_has_three_digits_and_the_fitting_unit(void **state)
{
    char to[SY_FIGURE_SIZE];

    (void)state;
    assert_string_equal(sy_figure_time(to, 831), "831 ns");
    assert_string_equal(sy_figure_time(to, 999.6), "1.00 us");
    assert_string_equal(sy_figure_time(to, 12400), "12.4 us");
    assert_string_equal(sy_figure_time(to, 9.996e6), "10.0 ms");
    assert_string_equal(sy_figure_time(to, 1.03e9), "1.03 s");
    assert_string_equal(sy_figure_time(to, 0), "0.00 ns");
    assert_string_equal(sy_figure_time(to, NAN), "-");
    assert_string_equal(sy_figure_time(to, INFINITY), "-");
}

static void a_ratio_keeps_its_order_of_magnitude(void **state)
{
    char to[SY_FIGURE_SIZE];

    (void)state;
    assert_string_equal(sy_figure_ratio(to, .37), "0.37");
    assert_string_equal(sy_figure_ratio(to, 46.23), "46.2");
    assert_string_equal(sy_figure_ratio(to, 1.2e6), "1.2e+06");
    assert_string_equal(sy_figure_ratio(to, 3.14e-5), "3.1e-05");
    assert_string_equal(sy_figure_ratio(to, 0), "0.00");
    assert_string_equal(sy_figure_ratio(to, NAN), "-");
    assert_string_equal(sy_figure_ratio(to, INFINITY), "inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_has_one_decimal),
        cmocka_unit_test(a_lower_bound_is_rounded_down_and_an_upper_one_up),
        cmocka_unit_test(a_setting_is_shown_as_it_was_given),
        cmocka_unit_test(a_time_has_three_digits_and_the_fitting_unit),
        cmocka_unit_test(a_ratio_keeps_its_order_of_magnitude),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
