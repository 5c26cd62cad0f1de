/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the command line: the whole string or nothing. */
#include "argument_number.h"
#include "cmocka_headers.h"

static void decimals_are_read_whole(void **state)
{
    double value = -1;

    (void)state;
    assert_true(cli_number_double("0.05", &value) && value == 0.05);
    assert_true(cli_number_double(".03", &value) && value == 0.03);
    assert_true(cli_number_double("3.", &value) && value == 3);
    assert_true(cli_number_double("-1e-3", &value) && value == -0.001);
    assert_true(cli_number_double("+2E2", &value) && value == 200);
}

static void what_is_not_a_decimal_is_refused_and_changes_nothing(void **state)
{
    static const char *const wrong[] = {"",    ".",  "-",   "1x",  " 1",    "1 ",  "0x10",  "inf",
                                        "nan", "1e", "1e+", "1,5", "1e999", "--1", "1.2.3", "3%"};
    double value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(cli_number_double(wrong[i], &value));
    assert_true(value == 7);
}

static void whole_numbers_reach_2_to_the_64_less_1_and_no_further(void **state)
{
    uint64_t value = 7;

    (void)state;
    assert_true(cli_number_whole("18446744073709551615", &value));
    assert_true(value == UINT64_MAX);
    assert_false(cli_number_whole("18446744073709551616", &value));
    assert_false(cli_number_whole("99999999999999999999", &value));
    assert_false(cli_number_whole("-1", &value));
    assert_false(cli_number_whole("1.0", &value));
    assert_false(cli_number_whole("", &value));
    assert_true(value == UINT64_MAX);
}

static void bytes_know_both_kinds_of_units(void **state)
{
    uint64_t value = 0;

    (void)state;
    assert_true(cli_number_bytes("4096", &value) && value == 4096);
    assert_true(cli_number_bytes("2GB", &value) && value == UINT64_C(2000000000));
    assert_true(cli_number_bytes("512MiB", &value) && value == UINT64_C(536870912));
    assert_true(cli_number_bytes("16777215TiB", &value));
    assert_false(cli_number_bytes("16777216TiB", &value)); /* 2^64 */
    assert_false(cli_number_bytes("1.5GiB", &value));
    assert_false(cli_number_bytes("1gb", &value));
    assert_false(cli_number_bytes("MiB", &value));
}

static void seconds_keep_their_fraction(void **state)
{
    uint64_t value = 7;

    (void)state;
    assert_true(cli_number_seconds("0", &value) && value == 0);
    assert_true(cli_number_seconds("0.5", &value) && value == UINT64_C(500000000));
    assert_true(cli_number_seconds("20", &value) && value == UINT64_C(20000000000));
    assert_true(cli_number_seconds("0.0000000016", &value) && value == 2);
    assert_false(cli_number_seconds("-1", &value));
    assert_false(cli_number_seconds("1e10", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_read_whole),
        cmocka_unit_test(what_is_not_a_decimal_is_refused_and_changes_nothing),
        cmocka_unit_test(whole_numbers_reach_2_to_the_64_less_1_and_no_further),
        cmocka_unit_test(bytes_know_both_kinds_of_units),
        cmocka_unit_test(seconds_keep_their_fraction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
