/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile and foreign text: what is printed, and how wide it is. */
#include <string.h>

#include "cmocka_headers.h"
#include "report/page/characters.h"

static void expect_clean(const char *raw, bool utf8, const char *expected)
{
    sy_text text = SY_TEXT_INIT;

    sy_characters_clean(&text, raw, utf8);
    assert_string_equal(sy_text_bytes(&text), expected);
    sy_text_finish(&text);
}

static void an_escape_sequence_is_shown_not_obeyed(void **state)
{
    (void)state;
    expect_clean("blis\033[2J\007", true, "blis\\x1b[2J\\x07");
    expect_clean("a\rb\177", false, "a\\x0db\\x7f");
    expect_clean("one\ntwo\tthree", true, "one two three");
}

static void a_c1_control_and_a_direction_override_are_shown(void **state)
{
    (void)state;
    expect_clean("x\xc2\x9b"
                 "2J",
                 true, "x\\u009b2J");
    expect_clean("gnp.\xe2\x80\xae", true, "gnp.\\u202e");
}

static void bytes_that_are_not_utf8_are_shown_one_by_one(void **state)
{
    (void)state;
    expect_clean("\xff\xc3", true, "\\xff\\xc3");
    expect_clean("\xc0\xaf", true, "\\xc0\\xaf");                   /* overlong slash */
    expect_clean("\xed\xa0\x80", true, "\\xed\\xa0\\x80");          /* surrogate */
    expect_clean("\xf4\x90\x80\x80", true, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    expect_clean("\xe2\x82", true, "\\xe2\\x82");                   /* cut short */
}

static void ascii_style_names_every_other_character(void **state)
{
    (void)state;
    expect_clean("caf\xc3\xa9", true, "caf\xc3\xa9");
    expect_clean("caf\xc3\xa9", false, "caf\\u00e9");
    expect_clean("\xf0\x9f\x98\x80", false, "\\U0001f600");
    expect_clean(NULL, true, "");
}

static void widths_count_columns_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(sy_characters_width(""), 0);
    assert_int_equal(sy_characters_width("caf\xc3\xa9"), 4);
    assert_int_equal(sy_characters_width("e\xcc\x81"), 1);                /* e and a combining acute */
    assert_int_equal(sy_characters_width("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* two wide characters */
}

static void a_cut_falls_between_characters(void **state)
{
    (void)state;
    assert_int_equal(sy_characters_fit("caf\xc3\xa9s", 4), 5);
    assert_int_equal(sy_characters_fit("\xe6\xbc\xa2\xe5\xad\x97", 3), 3);
    assert_int_equal(sy_characters_fit("\xe6\xbc\xa2", 1), 0);
    assert_int_equal(sy_characters_fit("abc", 10), 3);
    assert_int_equal(sy_characters_fit("e\xcc\x81x", 1), 3); /* the accent stays with its letter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_escape_sequence_is_shown_not_obeyed),
        cmocka_unit_test(a_c1_control_and_a_direction_override_are_shown),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown_one_by_one),
        cmocka_unit_test(ascii_style_names_every_other_character),
        cmocka_unit_test(widths_count_columns_not_bytes),
        cmocka_unit_test(a_cut_falls_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
