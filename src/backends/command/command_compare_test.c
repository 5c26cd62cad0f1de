/* SPDX-License-Identifier: Apache-2.0 */
/* Two outputs held against each other: where they differ is said, and numbers are counted rightly. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/command/command_compare.h"
#include "base/file.h"
#include "base/text.h"

static int file_of(const void *bytes, size_t size)
{
    int descriptor = memfd_create("output", MFD_CLOEXEC);
    assert_int_equal(sy_file_write_descriptor(descriptor, bytes, size, NULL), SY_OK);
    return descriptor;
}

static sy_output_verdict hold_bytes(const sy_output_rules *rules, const void *r, size_t r_size, const void *c,
                                    size_t c_size)
{
    sy_output_verdict verdict = {0};
    int reference = file_of(r, r_size);
    int candidate = file_of(c, c_size);
    assert_int_equal(sy_output_compare(rules, "stdout", reference, candidate, &verdict, NULL), SY_OK);
    close(reference);
    close(candidate);
    return verdict;
}

static sy_output_verdict hold(const sy_output_rules *rules, const char *reference, const char *candidate)
{
    return hold_bytes(rules, reference, strlen(reference), candidate, strlen(candidate));
}

static const sy_output_rules bytes = {.compare = SY_COMMAND_COMPARE_BYTES};
static const sy_output_rules numbers = {.compare = SY_COMMAND_COMPARE_NUMBERS, .absolute = 1e-6, .relative = 1e-3};

static void expect_alike(const sy_output_rules *rules, const char *reference, const char *candidate)
{
    sy_output_verdict verdict = hold(rules, reference, candidate);
    assert_string_equal(verdict.parity.reason, "");
    assert_int_equal(verdict.parity.outcome, SY_PARITY_PASSED);
}

static void expect(const sy_output_rules *rules, const char *reference, const char *candidate, const char *reason)
{
    sy_output_verdict verdict = hold(rules, reference, candidate);
    assert_int_equal(verdict.parity.outcome, SY_PARITY_FAILED);
    assert_string_equal(verdict.parity.reason, reason);
    assert_true(verdict.parity.error_in_tolerances > 1);
}

static void the_first_byte_that_differs_is_named_by_line_and_column(void **state)
{
    (void)state;
    expect_alike(&bytes, "", "");
    expect_alike(&bytes, "a\nb", "a\nb");
    expect(&bytes, "one\ntwo three\n", "one\ntwo tree\n",
           "stdout differs at line 2, column 6: \"two tree\", expected \"two three\"");
    expect(&bytes, "a\n", "a\nb\n", "stdout differs at line 2, column 1: \"b\", expected its end");
    expect(&bytes, "a\nb\n", "a\n", "stdout differs at line 2, column 1: its end, expected \"b\"");
    expect(&bytes, "a", "a\n", "stdout differs at line 1, column 2: \"a\\n\", expected \"a\"");
    expect(&bytes, "", "x", "stdout differs at line 1, column 1: \"x\", expected its end");
}

static void long_lines_and_binary_are_shown_cut_and_escaped(void **state)
{
    char long_a[300];
    char long_b[300];
    (void)state;
    memset(long_a, 'a', sizeof(long_a));
    memset(long_b, 'a', sizeof(long_b));
    long_a[sizeof(long_a) - 1] = long_b[sizeof(long_b) - 1] = '\0';
    long_b[200] = 'b';
    expect(&bytes, long_a, long_b,
           "stdout differs at line 1, column 201: \"...aaaaaaaaaabaaaaaaaaaaaaaaa...\", expected "
           "\"...aaaaaaaaaaaaaaaaaaaaaaaaaa...\"");
    sy_output_verdict verdict = hold_bytes(&bytes, "\0\1\xff\n", 4, "\0\1\xfe\n", 4);
    assert_string_equal(verdict.parity.reason,
                        "stdout differs at line 1, column 3: \"\\0\\x01\\xfe\", expected \"\\0\\x01\\xff\"");
}

static void both_sides_are_shown_where_they_differ_however_much_is_escaped(void **state)
{
    unsigned char a[4000];
    unsigned char b[4000];
    (void)state;
    for (size_t i = 0; i < sizeof(a); i++)
        a[i] = (unsigned char)(0x80 + i % 64);
    memcpy(b, a, sizeof(a));
    b[3500] = 'X';
    sy_output_verdict verdict = hold_bytes(&bytes, a, sizeof(a), b, sizeof(b));
    assert_string_equal(
        verdict.parity.reason,
        "stdout differs at line 1, column 3501: \"...\\xaa\\xabX\\xad\\xae\\xaf\\xb0\\xb1...\", expected "
        "\"...\\xaa\\xab\\xac\\xad\\xae\\xaf\\xb0...\"");
}

static void an_output_of_many_pieces_is_compared_to_its_last_byte(void **state)
{
    enum { SIZE = 5 << 20 };
    static char a[SIZE];
    static char b[SIZE];
    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        a[i] = (char)(i % 251);
    memcpy(b, a, SIZE);
    sy_output_verdict verdict = hold_bytes(&bytes, a, SIZE, b, SIZE);
    assert_int_equal(verdict.parity.outcome, SY_PARITY_PASSED);
    b[SIZE - 1]++;
    verdict = hold_bytes(&bytes, a, SIZE, b, SIZE);
    assert_int_equal(verdict.parity.outcome, SY_PARITY_FAILED);
    assert_int_equal(verdict.parity.worst_index, SIZE - 1);
    memset(a, 'x', SIZE); /* one line without an end */
    memcpy(b, a, SIZE);
    b[SIZE - 2] = 'y';
    verdict = hold_bytes(&bytes, a, SIZE, b, SIZE);
    assert_non_null(strstr(verdict.parity.reason, "line 1, column 5242879:"));
}

static void lines_that_are_left_out_do_not_count_and_the_others_keep_their_numbers(void **state)
{
    regex_t pattern;
    sy_output_rules rules = bytes;
    (void)state;
    assert_int_equal(regcomp(&pattern, "^took |^at [0-9]+:", REG_EXTENDED), 0);
    rules.filter = (sy_output_filter){&pattern, 1, NULL};
    expect_alike(&rules, "a\ntook 1 s\nb\n", "took 2 s\na\nat 12:30\nb\n");
    expect(&rules, "took 1 s\na\n", "took 2 s\nb\n", "stdout differs at line 2, column 1: \"b\", expected \"a\"");
    rules.compare = SY_COMMAND_COMPARE_NUMBERS;
    expect_alike(&rules, "1\ntook 1 s\n", "1\ntook 2 s\n");
    regfree(&pattern);
}

/* how many differ, of how many, and the first. */
static void numbers_that_differ_are_counted_and_nan_equals_only_nan(void **state)
{
    sy_output_verdict verdict;
    (void)state;
    verdict = hold(&numbers, "[1, NaN]\n", "[2, NaN]\n");
    assert_int_equal(verdict.parity.wrong_count, 1);
    assert_int_equal(verdict.parity.element_count, 2);
    assert_string_equal(verdict.parity.reason,
                        "stdout: 1 of 2 numbers differ, first at line 1, column 2: 2, expected 1");
    verdict = hold(&numbers, "[1, 2, 3]", "[1, 2.01, 3]");
    assert_int_equal(verdict.parity.wrong_count, 1);
    assert_int_equal(verdict.parity.element_count, 3);
    assert_int_equal(verdict.parity.worst_index, 1);
    assert_true(verdict.parity.worst_found == 2.01 && verdict.parity.worst_expected == 2);
    expect(&numbers, "1 nan 3", "1 2 nan",
           "stdout: 2 of 3 numbers differ, first at line 1, column 3: 2, expected nan; NaN on one side 2 times");
    expect_alike(&numbers, "inf -inf NAN", "Infinity -Infinity nan");
    expect(&numbers, "inf", "-inf", "stdout: 1 of 1 numbers differ, first at line 1, column 1: -inf, expected inf");
}

static void whole_numbers_that_no_double_holds_are_compared_by_their_digits(void **state)
{
    static const sy_output_rules exact = {.compare = SY_COMMAND_COMPARE_NUMBERS};
    static const sy_output_rules by_one = {.compare = SY_COMMAND_COMPARE_NUMBERS, .absolute = 1};
    (void)state;
    expect(&exact, "id 9007199254740993", "id 9007199254740992",
           "stdout: 1 of 1 numbers differ, first at line 1, column 4: 9007199254740992, expected 9007199254740993");
    expect(&exact, "-18446744073709551615", "-18446744073709551614",
           "stdout: 1 of 1 numbers differ, first at line 1, column 1: -18446744073709551614, expected "
           "-18446744073709551615");
    expect_alike(&exact, "9007199254740993 0009007199254740992 1e300", "+9007199254740993 9007199254740992 1e300");
    expect_alike(&by_one, "9007199254740993", "9007199254740992");
    expect(&exact, "0.10000000000000001", "0.1000000000000001",
           "stdout: 1 of 1 numbers differ, first at line 1, column 1: 0.1000000000000001, expected "
           "0.10000000000000001");
}

static void numbers_agree_within_their_tolerance_and_no_further(void **state)
{
    sy_output_verdict verdict;
    (void)state;
    verdict = hold(&numbers, "x = 1000\ny = -2e3\n", "x = 1000.9\ny = -2.0009e3\n");
    assert_int_equal(verdict.parity.outcome, SY_PARITY_PASSED);
    assert_true(fabs(verdict.parity.error_in_tolerances - 0.9) < 1e-6);
    expect(&numbers, "x = 1000", "x = 1001.1",
           "stdout: 1 of 1 numbers differ, first at line 1, column 5: 1001.1, "
           "expected 1000");
    expect_alike(&numbers, "0", "0.000001");
    expect(&numbers, "0", "0.0000011",
           "stdout: 1 of 1 numbers differ, first at line 1, column 1: 0.0000011, expected 0");
    expect_alike(&numbers, "  1.0   2.0\n", "1 2");
    expect_alike(&numbers, "t=1.0ms,[2,3.00]", "t=1.0001ms,[2.0,3]");
}

static void what_is_no_number_must_be_equal(void **state)
{
    (void)state;
    expect(&numbers, "v2 1.0", "v3 1.0",
           "stdout differs at line 1, column 1, beside its numbers: \"v3\", expected \"v2\"");
    expect(&numbers, "1 2", "1", "stdout differs at line 1, column 2, beside its numbers: its end, expected \" \"");
    expect(&numbers, "ok 1", "no 1", "stdout differs at line 1, column 1, beside its numbers: \"no\", expected \"ok\"");
    expect_alike(&numbers, "0x1f v1.5", "0x1f v1.5");
}

/* Numbers of other lengths shift everything behind them; a line may be longer than any piece. */
static void numbers_on_one_endless_line_stay_in_step(void **state)
{
    sy_text a = SY_TEXT_INIT;
    sy_text b = SY_TEXT_INIT;
    (void)state;
    sy_text_append(&a, "[");
    sy_text_append(&b, "[");
    for (int i = 0; i < 100000; i++) {
        sy_text_append_format(&a, "%d,", i);
        sy_text_append_format(&b, "%d.0000,", i);
    }
    sy_output_verdict verdict = hold(&numbers, a.bytes, b.bytes);
    assert_string_equal(verdict.parity.reason, "");
    assert_int_equal(verdict.parity.element_count, 100000);
    sy_text_append(&a, "7]");
    sy_text_append(&b, "8]");
    verdict = hold(&numbers, a.bytes, b.bytes);
    assert_int_equal(verdict.parity.wrong_count, 1);
    sy_text_finish(&a);
    sy_text_finish(&b);
}

static void what_would_help_is_guessed_from_the_difference(void **state)
{
    static const struct {
        const char *reference;
        const char *candidate;
        const char *word;
    } pairs[] = {{"at 12:03:44", "at 12:03:45", "a time or date"},
                 {"2026-11-29 x", "2026-11-30 x", "a time or date"},
                 {"took 1.25 s", "took 1.31 s", "how long"},
                 {"took 13ms", "took 14ms", "how long"},
                 {"pid 1234", "pid 1235", "process id"},
                 {"at 0x7ffe1", "at 0x7ffe2", "an address"},
                 {"/tmp/a.1", "/tmp/a.2", "a path"},
                 {"x 1.00001", "x 1.00002", "--compare numbers"}};
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        sy_output_verdict verdict = hold(&bytes, pairs[i].reference, pairs[i].candidate);
        if (!strstr(verdict.hint, pairs[i].word))
            fail_msg("'%s' against '%s': %s", pairs[i].candidate, pairs[i].reference, verdict.hint);
    }
    assert_string_equal(hold(&bytes, "yes", "no").hint, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_byte_that_differs_is_named_by_line_and_column),
        cmocka_unit_test(long_lines_and_binary_are_shown_cut_and_escaped),
        cmocka_unit_test(both_sides_are_shown_where_they_differ_however_much_is_escaped),
        cmocka_unit_test(an_output_of_many_pieces_is_compared_to_its_last_byte),
        cmocka_unit_test(lines_that_are_left_out_do_not_count_and_the_others_keep_their_numbers),
        cmocka_unit_test(numbers_that_differ_are_counted_and_nan_equals_only_nan),
        cmocka_unit_test(whole_numbers_that_no_double_holds_are_compared_by_their_digits),
        cmocka_unit_test(numbers_agree_within_their_tolerance_and_no_further),
        cmocka_unit_test(what_is_no_number_must_be_equal),
        cmocka_unit_test(numbers_on_one_endless_line_stay_in_step),
        cmocka_unit_test(what_would_help_is_guessed_from_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
