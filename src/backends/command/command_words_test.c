/* SPDX-License-Identifier: Apache-2.0 */
/* A compared command's line: no variable for one side alone; parameters where they belong. */
#include "backends/command/command_words.h"

#include "cmocka_headers.h"

#include <steelyard/command.h>

static void a_variable_in_front_of_the_program_is_refused(void **state)
{
    (void)state;
    sy_arena *arena = sy_arena_create(0);
    const char *const *words = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_command_split(arena, " A=b c", &words, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "a variable in front of the program at column 2 of ' A=b c'");
    assert_string_equal(err.hint, "--env NAME=VALUE sets it for both sides; or --shell sh");
    assert_null(words);
    assert_int_equal(sy_command_split(arena, "env A=b c", &words, &err), SY_OK);
    assert_string_equal(words[1], "A=b");
    assert_null(words[3]);
    sy_arena_destroy(arena);
}

static void parameters_are_put_in_place_and_other_braces_stay(void **state)
{
    static const sy_command_parameter parameters[] = {{"n", "1{m}"}, {"m", "x y"}};
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    assert_string_equal(sy_command_substitute(arena, "a {n} {m}{m} {nn} {n {} }", parameters, 2),
                        "a 1{m} x yx y {nn} {n {} }");
    assert_string_equal(sy_command_substitute(arena, "", parameters, 2), "");
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_in_front_of_the_program_is_refused),
        cmocka_unit_test(parameters_are_put_in_place_and_other_braces_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
