/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing by a table: every kind of value, every way to be wrong, and what is said about it. */
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_headers.h"

typedef struct arguments {
    cli_common common;
    const char *text;
    cli_names names;
    cli_names properties;
    unsigned int choice;
    double share;
    uint32_t count;
    uint64_t seed;
    int32_t warmup;
    uint64_t time_ns;
    uint64_t size;
    bool on;
} arguments;

static const char *const choices[] = {"faster", "not-slower", NULL};

static const cli_option table[] = {
    {.name = "text", .letter = 't', .argument = "T", .kind = CLI_TEXT, CLI_INTO(arguments, text)},
    {.name = "names", .argument = "A,B", .kind = CLI_NAMES, CLI_INTO(arguments, names)},
    {.name = "property", .argument = "P", .kind = CLI_TEXTS, CLI_INTO(arguments, properties)},
    {.name = "choice", .argument = "C", .kind = CLI_CHOICE, .choices = choices, CLI_INTO(arguments, choice)},
    {.name = "alpha",
     .argument = "A",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 0.5,
     CLI_INTO(arguments, share)},
    {.name = "max-pairs", .argument = "N", .kind = CLI_WHOLE, .low = 1, .high = 100, CLI_INTO(arguments, count)},
    {.name = "seed", .argument = "N", .kind = CLI_WHOLE, .low = 1, .high = INFINITY, CLI_INTO(arguments, seed)},
    {.name = "warmup", .argument = "N", .kind = CLI_WHOLE, .low = 0, .high = 1000, CLI_INTO(arguments, warmup)},
    {.name = "budget", .argument = "S", .kind = CLI_SECONDS, CLI_INTO(arguments, time_ns)},
    {.name = "size", .argument = "B", .kind = CLI_BYTES, CLI_INTO(arguments, size)},
    {.name = "on", .kind = CLI_FLAG, CLI_INTO(arguments, on)},
};
enum { COUNT = sizeof(table) / sizeof(table[0]), WORDS_MAX = 20 };

/* Parses space-separated words; a new set of arguments each time, which the caller ends with end(). */
static sy_status parse(const char *line, arguments *to, cli_operands *operands, sy_error *err)
{
    static char copy[512];
    static char name[] = "command";
    char *argv[WORDS_MAX + 1] = {name};
    int argc = 1;

    *to = (arguments){.warmup = -1};
    assert_true(strlen(line) < sizeof(copy));
    memcpy(copy, line, strlen(line) + 1);
    for (char *word = copy; *word != '\0' && argc < WORDS_MAX;) {
        size_t length = strcspn(word, " ");

        argv[argc++] = word;
        word += length;
        if (*word == ' ')
            *word++ = '\0';
    }
    argv[argc] = NULL;
    return cli_options_parse(table, COUNT, argc, argv, to, operands, err);
}

static void expect_error(const char *line, const char *what, const char *hint)
{
    arguments to;
    cli_operands operands;
    sy_error err = SY_ERROR_INIT;

    assert_int_equal(parse(line, &to, &operands, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, what);
    assert_string_equal(err.hint, hint);
    cli_names_finish(&to.names);
}

static void every_kind_of_value_arrives(void **state)
{
    arguments to;
    cli_operands operands;

    (void)state;
    assert_int_equal(
        parse("one --text=x --names a,b --names c,a --choice not-slower --alpha .05 two", &to, &operands, NULL), SY_OK);
    assert_int_equal(operands.count, 2);
    assert_string_equal(operands.words[0], "one");
    assert_string_equal(operands.words[1], "two");
    assert_string_equal(to.text, "x");
    assert_int_equal(to.names.count, 3);
    assert_string_equal(to.names.names[2], "c");
    assert_int_equal(to.choice, 1);
    assert_true(to.share == 0.05);
    assert_int_equal(to.warmup, -1);
    cli_names_finish(&to.names);
    assert_int_equal(parse("--max-pairs 100 --seed 18446744073709551615 --warmup 0 --budget 0.5 --size 2KiB --on -q",
                           &to, &operands, NULL),
                     SY_OK);
    assert_int_equal(to.count, 100);
    assert_true(to.seed == UINT64_MAX);
    assert_int_equal(to.warmup, 0);
    assert_true(to.time_ns == 500000000);
    assert_int_equal(to.size, 2048);
    assert_true(to.on);
    assert_true(to.common.quiet);
}

static void words_after_two_hyphens_are_operands(void **state)
{
    arguments to;
    cli_operands operands;

    (void)state;
    assert_int_equal(parse("-- --on", &to, &operands, NULL), SY_OK);
    assert_false(to.on);
    assert_string_equal(operands.words[0], "--on");
    assert_int_equal(operands.before, 0);
    assert_int_equal(parse("a --on b -- --on c", &to, &operands, NULL), SY_OK);
    assert_int_equal(operands.count, 4);
    assert_int_equal(operands.before, 2);
    assert_string_equal(operands.words[2], "--on");
    assert_int_equal(parse("a b", &to, &operands, NULL), SY_OK);
    assert_int_equal(operands.before, 2);
}

static void operands_and_options_mix_whatever_posix_says(void **state)
{
    arguments to;
    cli_operands operands;

    (void)state;
    setenv("POSIXLY_CORRECT", "1", 1);
    assert_int_equal(parse("matmul --on", &to, &operands, NULL), SY_OK);
    assert_true(to.on);
    assert_int_equal(operands.count, 1);
    unsetenv("POSIXLY_CORRECT");
}

static void a_value_outside_of_its_range_is_told_the_range(void **state)
{
    (void)state;
    expect_error("--alpha 7", "--alpha 7: must be above 0 and at most 0.5", "for 7 % write --alpha 0.07");
    expect_error("--alpha 0", "--alpha 0: must be above 0 and at most 0.5", "");
    expect_error("--alpha -1", "--alpha -1: must be above 0 and at most 0.5", "");
    expect_error("--max-pairs 0", "--max-pairs 0: must be 1 to 100", "");
    expect_error("--max-pairs 101", "--max-pairs 101: must be 1 to 100", "");
    expect_error("--max-pairs -3", "--max-pairs -3: must be 1 to 100", "");
    expect_error("--seed 0", "--seed 0: must be at least 1", "");
}

static void a_value_of_a_wrong_form_is_told_the_form(void **state)
{
    (void)state;
    expect_error("--alpha 5%", "--alpha 5%: must be a number, such as 0.05", "");
    expect_error("--alpha nan", "--alpha nan: must be a number, such as 0.05", "");
    expect_error("--max-pairs 1.5", "--max-pairs 1.5: must be a whole number", "");
    expect_error("--max-pairs 6O", "--max-pairs 6O: must be a whole number", "");
    expect_error("--seed 18446744073709551616", "--seed 18446744073709551616: must be a whole number", "");
    expect_error("--budget -1", "--budget -1: must be seconds from 0 to 1e9, such as 20 or 0.5", "");
    expect_error("--size 1gb", "--size 1gb: must be bytes, such as 4096, 512MiB or 2GB", "");
    expect_error("--choice fastr", "--choice fastr: must be faster or not-slower", "did you mean --choice faster?");
    expect_error("--names a,,b", "--names a,,b: must be names with commas between them, none of them empty", "");
    expect_error("--text=", "--text: its argument is empty", "");
}

static void an_unknown_option_is_named_with_its_neighbour(void **state)
{
    (void)state;
    expect_error("--max-pair-s 3", "--max-pair-s: no such option", "did you mean --max-pairs?");
    expect_error("--weigh", "--weigh: no such option", "");
    expect_error("--weigh=3", "--weigh: no such option", "");
    expect_error("-x", "-x: no such option", "");
    expect_error("--on=1", "--on: takes no argument", "");
    expect_error("one --text", "--text: its argument T is missing", "");
    expect_error("-t", "--text: its argument T is missing", "");
}

static void a_beginning_is_enough_unless_two_options_share_it(void **state)
{
    arguments to;
    cli_operands operands;

    (void)state;
    assert_int_equal(parse("--max 7", &to, &operands, NULL), SY_OK);
    assert_int_equal(to.count, 7);
    expect_error("--s 7", "--s: could be --seed or --size", "");
}

static void texts_are_kept_as_they_are_given(void **state)
{
    arguments to;
    cli_operands operands;

    (void)state;
    assert_int_equal(parse("--property a=1,2 --property b --property a=1,2", &to, &operands, NULL), SY_OK);
    assert_int_equal(to.properties.count, 3);
    assert_string_equal(to.properties.names[0], "a=1,2");
    assert_string_equal(to.properties.names[1], "b");
    assert_string_equal(to.properties.names[2], "a=1,2");
    cli_names_finish(&to.properties);
    expect_error("--property=", "--property: its argument is empty", "");
}

static void too_many_words_are_refused(void **state)
{
    static char word[] = "word";
    static char last[] = "last";
    char *argv[CLI_OPERANDS_MAX + 3] = {word};
    arguments to = {.warmup = -1};
    cli_operands operands;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    for (size_t i = 1; i <= CLI_OPERANDS_MAX; i++)
        argv[i] = word;
    assert_int_equal(cli_options_parse(table, COUNT, CLI_OPERANDS_MAX + 1, argv, &to, &operands, &err), SY_OK);
    assert_int_equal(operands.count, CLI_OPERANDS_MAX);
    argv[CLI_OPERANDS_MAX + 1] = last;
    assert_int_equal(cli_options_parse(table, COUNT, CLI_OPERANDS_MAX + 2, argv, &to, &operands, &err),
                     SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "'last': too many words");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_arrives),
        cmocka_unit_test(words_after_two_hyphens_are_operands),
        cmocka_unit_test(operands_and_options_mix_whatever_posix_says),
        cmocka_unit_test(a_value_outside_of_its_range_is_told_the_range),
        cmocka_unit_test(a_value_of_a_wrong_form_is_told_the_form),
        cmocka_unit_test(an_unknown_option_is_named_with_its_neighbour),
        cmocka_unit_test(a_beginning_is_enough_unless_two_options_share_it),
        cmocka_unit_test(texts_are_kept_as_they_are_given),
        cmocka_unit_test(too_many_words_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
