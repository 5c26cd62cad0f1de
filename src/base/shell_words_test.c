/* SPDX-License-Identifier: Apache-2.0 */
/* Words as a POSIX shell splits them; where sh is there, sh itself says what is right. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/shell_words.h"
#include "base/text.h"

/* The words of line, each in <>, what is assigned in []; "!" and the error where it is refused. */
static void split(const char *line, char *to, size_t size)
{
    sy_arena *arena = sy_arena_create(0);
    sy_shell_line split_line = {0};
    sy_error err = SY_ERROR_INIT;
    size_t length = 0;
    to[0] = '\0';
    if (sy_shell_split(arena, line, &split_line, &err) != SY_OK) {
        assert_int_equal(err.status, SY_INVALID_ARGUMENT);
        (void)snprintf(to, size, "!%s", err.what);
    }
    for (size_t i = 0; i < split_line.assignment_count; i++)
        length += (size_t)snprintf(to + length, size - length, "[%s]", split_line.assignments[i]);
    for (size_t i = 0; i < split_line.word_count; i++)
        length += (size_t)snprintf(to + length, size - length, "<%s>", split_line.words[i]);
    if (split_line.words) {
        assert_null(split_line.assignments[split_line.assignment_count]);
        assert_null(split_line.words[split_line.word_count]);
    }
    sy_arena_destroy(arena);
}

static void expect(const char *line, const char *expected)
{
    char found[512];
    split(line, found, sizeof(found));
    assert_string_equal(found, expected);
}

static void blanks_part_words_and_quotes_keep_them(void **state)
{
    (void)state;
    expect("a b", "<a><b>");
    expect("  a\t\tb  ", "<a><b>");
    expect("cat 'Te st.jxl'", "<cat><Te st.jxl>");
    expect("cat \"Te st.jxl\" x'y'\"z\"", "<cat><Te st.jxl><xyz>");
    expect("a '' \"\"", "<a><><>");
    expect("a 'it'\\''s'", "<a><it's>");
}

static void backslashes_keep_the_next_character(void **state)
{
    (void)state;
    expect("a\\ b", "<a b>");
    expect("a \\$x \\\\ \\'", "<a><$x><\\><'>");
    expect("'Downloads\\inez-bench.exe'", "<Downloads\\inez-bench.exe>");
    expect("\"a\\b\\\"c\\\\d\\$\"", "<a\\b\"c\\d$>");
    expect("a\\\nb", "<ab>");
}

static void what_only_a_shell_understands_is_refused_where_it_stands(void **state)
{
    static const char metas[] = "$`|&;<>()*?[]\n";
    (void)state;
    for (const char *c = metas; *c; c++) {
        char line[] = "a b?c";
        char found[512];
        line[3] = *c;
        split(line, found, sizeof(found));
        assert_true(found[0] == '!');
        assert_non_null(strstr(found, "at column 4"));
    }
    expect("a #b", "!'#', which only a shell understands, at column 3 of 'a #b'");
    expect("a b#c", "<a><b#c>");
    expect("~/a", "!'~', which only a shell understands, at column 1 of '~/a'");
    expect("a \"$b\"", "!'$', which only a shell understands, at column 4 of 'a \"$b\"'");
    expect("a '$b' '*' \\*", "<a><$b><*><*>");
}

static void variables_in_front_of_the_program_are_told_apart(void **state)
{
    (void)state;
    expect("A=b c", "[A=b]<c>");
    expect("  A='b c' _B2= c D=e", "[A=b c][_B2=]<c><D=e>");
    expect("env A=b c", "<env><A=b><c>");
    expect("'A'=b c", "<A=b><c>");
    expect("2A=b c", "<2A=b><c>");
    expect("=b c", "<=b><c>");
    expect("A=b", "!an empty command");
    expect("A=b '' c", "!an empty program name at column 5 of 'A=b '' c'");
    expect("A=$b c", "!'$', which only a shell understands, at column 3 of 'A=$b c'");
}

static void what_has_no_end_or_no_beginning_is_refused(void **state)
{
    (void)state;
    expect("", "!an empty command");
    expect("  \t", "!an empty command");
    expect("''", "!an empty program name at column 1 of ''''");
    expect("a 'b", "!a ' without its end at column 3 of 'a 'b'");
    expect("a \"b", "!a \" without its end at column 3 of 'a \"b'");
    expect("a \\", "!a backslash with nothing behind at column 3 of 'a \\'");
}

/* An independent judge: what printf in a shell receives. */
static void sh_splits_alike(void **state)
{
    static const char *const lines[] = {"a b",          " a  'b c' ", "a\\ b \"c d\"", "'a'\"b\"c\\d",
                                        "\"a\\b\\\\\"", "a '' \"\"",  "'a\\b' c\\'",   "\"it's\" 'say \"x\"'",
                                        "a=b c=d",      "\"\\$\\`\""};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char line[128];
        char script[256];
        char found[256];
        sy_text text = SY_TEXT_INIT;
        (void)snprintf(line, sizeof(line), "x %s", lines[i]);
        (void)snprintf(script, sizeof(script), "printf '<%%s>' %s", line);
        const char *const argv[] = {"/bin/sh", "-c", script, NULL};
        sy_process_options options = SY_PROCESS_OPTIONS_INIT;
        options.argv = argv;
        assert_int_equal(sy_process_run(&options, &sy_clock_system, 0, 4096, &text, NULL, NULL, NULL), SY_OK);
        split(line, found, sizeof(found));
        assert_string_equal(found, sy_text_bytes(&text));
        sy_text_finish(&text);
    }
}

static void words_joined_split_into_themselves(void **state)
{
    static const char *const words[] = {"a", "b c", "", "it's", "\\", "$x", "#", "~", "*", "\"", "a=b", NULL};
    sy_arena *arena = sy_arena_create(0);
    static const char *const assigned[] = {"A=b", "c", NULL};
    sy_shell_line again;
    (void)state;
    assert_int_equal(sy_shell_split(arena, sy_shell_join(arena, words), &again, NULL), SY_OK);
    for (size_t i = 0; words[i]; i++)
        assert_string_equal(again.words[i], words[i]);
    assert_int_equal(sy_shell_split(arena, sy_shell_join(arena, assigned), &again, NULL), SY_OK);
    assert_int_equal(again.assignment_count, 0); /* a program of that name */
    assert_string_equal(again.words[0], "A=b");
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_part_words_and_quotes_keep_them),
        cmocka_unit_test(backslashes_keep_the_next_character),
        cmocka_unit_test(what_only_a_shell_understands_is_refused_where_it_stands),
        cmocka_unit_test(variables_in_front_of_the_program_are_told_apart),
        cmocka_unit_test(what_has_no_end_or_no_beginning_is_refused),
        cmocka_unit_test(sh_splits_alike),
        cmocka_unit_test(words_joined_split_into_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
