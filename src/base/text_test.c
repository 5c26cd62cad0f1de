/* SPDX-License-Identifier: Apache-2.0 */
/* The string builder, patterns, whole-string numbers and figures for people. */
#include "cmocka_headers.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/text.h"
#include "comma_locale.h"
#include "fault_loop.h"

static void appended_pieces_stand_one_behind_the_other(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    assert_string_equal(sy_text_bytes(&text), "");
    sy_text_append(&text, "a=");
    sy_text_append_format(&text, "%d;%s", 7, "x");
    sy_text_append_bytes(&text, "\0z", 2);
    sy_text_append_double(&text, 0.1);
    assert_int_equal(text.length, 10);
    assert_memory_equal(text.bytes, "a=7;x\0z0.1", 11);
    assert_false(text.failed);
    sy_text_finish(&text);
    assert_null(text.bytes);
}

static void a_long_text_grows(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    for (int i = 0; i < 10000; i++) {
        sy_text_append_format(&text, "%04d", i);
    }
    assert_int_equal(text.length, 40000);
    assert_memory_equal(text.bytes + 4 * 1234, "1234", 4);
    char *taken = sy_text_take(&text);
    assert_int_equal(strlen(taken), 40000);
    assert_int_equal(text.length, 0);
    sy_text_free(taken);
}

static void taking_an_empty_text_gives_an_empty_string(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    char *taken = sy_text_take(&text);
    assert_string_equal(taken, "");
    sy_free(taken);
}

static void the_limit_fails_the_append_that_passes_it_and_all_after_it(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    text.limit = 5;
    sy_text_append(&text, "12345");
    assert_false(text.failed);
    sy_text_append(&text, "6");
    assert_true(text.failed);
    assert_string_equal(sy_text_bytes(&text), "12345");
    assert_null(sy_text_take(&text));
}

static sy_status build_a_text(void *user)
{
    (void)user;
    sy_text text = SY_TEXT_INIT;
    for (int i = 0; i < 100; i++) {
        sy_text_append_format(&text, "line %d\n", i);
        sy_text_append(&text, "more");
        sy_text_append_double(&text, 1.0 / 3.0);
    }
    char *taken = sy_text_take(&text);
    sy_status status = taken == NULL ? SY_NO_MEMORY : SY_OK;
    sy_free(taken);
    return status;
}

static void every_failed_allocation_of_the_builder_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(build_a_text, NULL, true) >= 5);
    assert_true(fault_loop_allocations(build_a_text, NULL, false) >= 5);
}

static void beginnings_ends_and_equality_are_told(void **state)
{
    (void)state;
    assert_true(sy_text_begins("steelyard", "steel"));
    assert_false(sy_text_begins("steel", "steelyard"));
    assert_true(sy_text_ends("a.json", ".json"));
    assert_false(sy_text_ends("json", ".json"));
    assert_true(sy_text_equal(NULL, NULL));
    assert_false(sy_text_equal(NULL, ""));
    assert_true(sy_text_equal("a", "a"));
}

static void patterns_match_the_whole_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *pattern;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "*", true},
        {"", "?", false},
        {"abc", "abc", true},
        {"abc", "ab", false},
        {"ab", "abc", false},
        {"abc", "a*", true},
        {"abc", "*c", true},
        {"abc", "*b*", true},
        {"abc", "a?c", true},
        {"abc", "a?", false},
        {"aXbXc", "a*b*c", true},
        {"aXbXd", "a*b*c", false},
        {"aab", "*ab", true},
        {"mississippi", "m*iss*pi", true},
        {"\xc3\xa4", "?", true},
        {"\xc3\xa4", "??", false},
        {"x*", "x*", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(sy_text_matches(cases[i].text, cases[i].pattern), cases[i].matches);
    }
}

static void a_hostile_pattern_takes_no_exponential_time(void **state)
{
    (void)state;
    char text[4001];
    memset(text, 'a', 4000);
    text[4000] = '\0';
    assert_false(sy_text_matches(text, "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

static void a_copy_never_splits_a_character(void **state)
{
    (void)state;
    char to[6];
    assert_true(sy_text_copy(to, sizeof to, "12345"));
    assert_string_equal(to, "12345");
    assert_false(sy_text_copy(to, sizeof to, "123\xe2\x82\xac"));
    assert_string_equal(to, "123");
    assert_false(sy_text_copy(to, sizeof to, "1234\xc3\xa4"));
    assert_string_equal(to, "1234");
}

static void a_shortened_text_shows_that_it_was_cut(void **state)
{
    (void)state;
    char to[8];
    assert_true(sy_text_shorten(to, sizeof to, "1234567"));
    assert_string_equal(to, "1234567");
    assert_false(sy_text_shorten(to, sizeof to, "12345678"));
    assert_string_equal(to, "1234...");
    assert_false(sy_text_shorten(to, sizeof to, "123\xe2\x82\xac\xe2\x82\xac"));
    assert_string_equal(to, "123...");
    assert_false(sy_text_shorten(to, 4, "1234"));
    assert_string_equal(to, "...");
}

static void whole_numbers_are_read_whole_or_refused(void **state)
{
    (void)state;
    uint64_t u = 1;
    int64_t i = 1;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_parse_u64("18446744073709551615", &u, NULL), SY_OK);
    assert_true(u == UINT64_MAX);
    static const char *const bad_u[] = {"", " 1", "1 ", "+1", "-1", "12x", "0x10", "18446744073709551616", "1.0"};
    for (size_t k = 0; k < sizeof bad_u / sizeof bad_u[0]; k++) {
        assert_int_equal(sy_parse_u64(bad_u[k], &u, &err), SY_INVALID_ARGUMENT);
        assert_true(u == UINT64_MAX);
    }
    assert_int_equal(sy_parse_u64("12x", &u, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "'12x' is not a whole number");
    assert_int_equal(sy_parse_i64("-9223372036854775808", &i, NULL), SY_OK);
    assert_true(i == INT64_MIN);
    assert_int_equal(sy_parse_i64("9223372036854775807", &i, NULL), SY_OK);
    assert_true(i == INT64_MAX);
    static const char *const bad_i[] = {"", "-", "--1", "9223372036854775808", "-9223372036854775809", "1e3"};
    for (size_t k = 0; k < sizeof bad_i / sizeof bad_i[0]; k++) {
        assert_int_equal(sy_parse_i64(bad_i[k], &i, &err), SY_INVALID_ARGUMENT);
    }
    assert_true(i == INT64_MAX);
}

static void doubles_are_read_whole_or_refused(void **state)
{
    (void)state;
    double value = 7.0;
    assert_int_equal(sy_parse_double(".03", &value, NULL), SY_OK);
    assert_true(value == 0.03);
    assert_int_equal(sy_parse_double("5.", &value, NULL), SY_OK);
    assert_true(value == 5.0);
    assert_int_equal(sy_parse_double("-1e-3", &value, NULL), SY_OK);
    assert_true(value == -0.001);
    static const char *const bad[] = {"",    ".",     "-",   "e5", "1e", "1e+",  "nan",
                                      "inf", "0x1p3", "1,5", " 1", "1 ", "1e999"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(sy_parse_double(bad[k], &value, NULL), SY_INVALID_ARGUMENT);
        assert_true(value == -0.001);
    }
}

/* strtod of the C locale, in which this program starts, is the independent witness. */
static void reading_gives_the_nearest_double(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.000",
                                        "1",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "4.9e-324",
                                        "2.2250738585072011e-308",
                                        "1.7976931348623157e308",
                                        "0.1",
                                        "123.456e5",
                                        "1.4538999999924586e-7",
                                        "179769313486231580793e289",
                                        "3.4028235e38",
                                        "0.000000000000000000000000000000000001",
                                        "100000000000000000000000000000000000000000000000",
                                        "7.0000000000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double expected = strtod(texts[i], NULL);
        double found = sy_number_read(texts[i], strlen(texts[i]));
        assert_memory_equal(&found, &expected, sizeof found);
    }
    assert_true(isinf(sy_number_read("1e400", 5)));
    assert_true(sy_number_read("1e-400", 6) == 0.0);
    sy_random random;
    sy_random_start(&random, 1, "decimals");
    for (int i = 0; i < 20000; i++) {
        char digits[64];
        snprintf(digits, sizeof digits, "%llu.%05llue%d", (unsigned long long)(sy_random_next(&random) >> (i % 60)),
                 (unsigned long long)sy_random_below(&random, 100000), (int)sy_random_below(&random, 60) - 30);
        double expected = strtod(digits, NULL);
        assert_true(sy_number_read(digits, strlen(digits)) == expected);
    }
}

static void shortest_forms_are_those_of_the_literature(void **state)
{
    (void)state;
    /* Smallest and largest doubles, and classic hard cases of Steele and White 1990 and of Adams 2018 (Ryu). */
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {0.3, "0.3"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {1e300, "1e+300"},
                 {1e23, "1e+23"},
                 {9007199254740992.0, "9007199254740992"},
                 {1e15, "1e+15"},
                 {-0.0, "-0"},
                 {0.0, "0"},
                 {-1.5, "-1.5"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {2.98023223876953125e-8, "2.9802322387695312e-08"},
                 {123456.0, "123456"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SY_NUMBER_TEXT];
        size_t length = sy_number_write_shortest(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
    }
}

/* Powers of two whose shortest decimal is not the nearest one of its length; from Python's repr, which takes David
 * Gay's shortest digits. */
static void powers_of_two_take_the_shortest_decimal_on_their_wide_side(void **state)
{
    (void)state;
    static const struct {
        int exponent;
        const char *text;
    } cases[] = {{-791, "7.678447687145631e-239"}, {-1017, "7.120236347223045e-307"}, {-1007, "7.291122019556398e-304"},
                 {-44, "5.684341886080802e-14"},   {896, "5.282945311356653e+269"},   {976, "6.386688990511104e+293"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SY_NUMBER_TEXT];
        sy_number_write_shortest(ldexp(1.0, cases[i].exponent), text);
        assert_string_equal(text, cases[i].text);
        text[0] = '-';
        sy_number_write_shortest(ldexp(-1.0, cases[i].exponent), text);
        assert_string_equal(text + 1, cases[i].text);
    }
}

static void every_double_survives_being_written(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 2, "bits");
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = sy_random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[SY_NUMBER_TEXT];
        double again = sy_number_read(text, sy_number_write_shortest(value, text));
        assert_memory_equal(&again, &value, sizeof value);
        again = sy_number_read(text, sy_number_write_17(value, text));
        assert_memory_equal(&again, &value, sizeof value);
    }
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!enter_a_comma_locale(STEELYARD_BINARY_DIR, "comma_locale_text")) {
        print_message("skipped: no locale with a decimal comma can be made here (localedef, de_DE)\n");
        skip();
    }
    char proof[16];
    snprintf(proof, sizeof proof, "%.1f", 0.5);
    assert_string_equal(proof, "0,5");
    sy_text text = SY_TEXT_INIT;
    sy_text_append_format(&text, "%.2f ", 1.25);
    sy_text_append_double(&text, 0.1);
    assert_string_equal(text.bytes, "1.25 0.1");
    sy_text_finish(&text);
    double value;
    assert_int_equal(sy_parse_double("0.1234567890123456789", &value, NULL), SY_OK);
    assert_true(value == 0.1234567890123456789);
    snprintf(proof, sizeof proof, "%.1f", 0.5);
    assert_string_equal(proof, "0,5");
    setlocale(LC_ALL, "C");
}

static void sizes_in_bytes_take_units(void **state)
{
    (void)state;
    uint64_t bytes = 0;
    assert_int_equal(sy_parse_bytes("512MiB", &bytes, NULL), SY_OK);
    assert_true(bytes == UINT64_C(536870912));
    assert_int_equal(sy_parse_bytes("3kB", &bytes, NULL), SY_OK);
    assert_true(bytes == 3000);
    assert_int_equal(sy_parse_bytes("17", &bytes, NULL), SY_OK);
    assert_true(bytes == 17);
    static const char *const bad[] = {"", "MiB", "1.5GiB", "1 GiB", "1KB", "-1", "18446744073709551615GiB", "1GiBx"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(sy_parse_bytes(bad[i], &bytes, NULL), SY_INVALID_ARGUMENT);
    }
    assert_true(bytes == 17);
}

static void figures_for_people_are_short(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *as_bytes;
        const char *as_time;
    } cases[] = {
        {0, "0 B", "0 ns"},
        {831, "831 B", "831 ns"},
        {1023, "1023 B", "1.02 us"},
        {1024, "1 KiB", "1.02 us"},
        {12400, "12.1 KiB", "12.4 us"},
        {999499, "976 KiB", "999 us"},
        {999500, "976 KiB", "1.00 ms"},
        {1572864, "1.5 MiB", "1.57 ms"},
        {UINT64_C(1030000000), "982 MiB", "1.03 s"},
        {UINT64_C(1073741823), "1 GiB", "1.07 s"},
        {UINT64_C(998000000000), "929 GiB", "998 s"},
        {UINT64_C(1500000000000), "1.36 TiB", "25.0 min"},
        {UINT64_C(36000000000000), "32.7 TiB", "10.0 h"},
        {UINT64_MAX, "16 EiB", "213504 d"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[16];
        sy_format_bytes(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].as_bytes);
        sy_format_duration(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].as_time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_pieces_stand_one_behind_the_other),
        cmocka_unit_test(a_long_text_grows),
        cmocka_unit_test(taking_an_empty_text_gives_an_empty_string),
        cmocka_unit_test(the_limit_fails_the_append_that_passes_it_and_all_after_it),
        cmocka_unit_test(every_failed_allocation_of_the_builder_is_clean),
        cmocka_unit_test(beginnings_ends_and_equality_are_told),
        cmocka_unit_test(patterns_match_the_whole_text),
        cmocka_unit_test(a_hostile_pattern_takes_no_exponential_time),
        cmocka_unit_test(a_copy_never_splits_a_character),
        cmocka_unit_test(a_shortened_text_shows_that_it_was_cut),
        cmocka_unit_test(whole_numbers_are_read_whole_or_refused),
        cmocka_unit_test(doubles_are_read_whole_or_refused),
        cmocka_unit_test(reading_gives_the_nearest_double),
        cmocka_unit_test(shortest_forms_are_those_of_the_literature),
        cmocka_unit_test(powers_of_two_take_the_shortest_decimal_on_their_wide_side),
        cmocka_unit_test(every_double_survives_being_written),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(sizes_in_bytes_take_units),
        cmocka_unit_test(figures_for_people_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
