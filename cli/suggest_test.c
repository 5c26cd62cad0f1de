/* SPDX-License-Identifier: Apache-2.0 */
/* Near names: a slip is understood, a different word is not guessed at. */
#include "cmocka_headers.h"
#include "suggest.h"

static const char *const words[] = {"probe", "backends", "help", "version", "max-pairs", "min-improvement"};
enum { COUNT = sizeof(words) / sizeof(words[0]) };

static void a_slip_finds_its_word(void **state)
{
    (void)state;
    assert_string_equal(cli_suggest("porbe", words, COUNT), "probe");
    assert_string_equal(cli_suggest("prob", words, COUNT), "probe");
    assert_string_equal(cli_suggest("hepl", words, COUNT), "help");
    assert_string_equal(cli_suggest("backend", words, COUNT), "backends");
    assert_string_equal(cli_suggest("max-pair", words, COUNT), "max-pairs");
    assert_string_equal(cli_suggest("min-improvment", words, COUNT), "min-improvement");
    assert_string_equal(cli_suggest("ver", words, COUNT), "version");
}

static void another_word_is_not_guessed_at(void **state)
{
    char longest[100];

    (void)state;
    assert_null(cli_suggest("weigh", words, COUNT));
    assert_null(cli_suggest("", words, COUNT));
    assert_null(cli_suggest("x", words, COUNT));
    assert_null(cli_suggest("completion", words, COUNT));
    for (size_t i = 0; i < sizeof(longest) - 1; i++)
        longest[i] = 'p';
    longest[sizeof(longest) - 1] = '\0';
    assert_null(cli_suggest(longest, words, COUNT));
}

static void the_nearest_of_several_is_taken(void **state)
{
    static const char *const near[] = {"seen", "seed", "speed"};

    (void)state;
    assert_string_equal(cli_suggest("sed", near, 3), "seed");
    assert_string_equal(cli_suggest("sped", near, 3), "seed");
    assert_string_equal(cli_suggest("spede", near, 3), "speed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_finds_its_word),
        cmocka_unit_test(another_word_is_not_guessed_at),
        cmocka_unit_test(the_nearest_of_several_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
