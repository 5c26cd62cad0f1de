/* SPDX-License-Identifier: Apache-2.0 */
/* Which number of a run counts, and what is said where there is none. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/command/command_metric.h"
#include "base/file.h"
#include "base/text.h"

static const sy_command_outcome outcome = {
    .wall_ns = 4000, .user_ns = 300, .system_ns = 20, .peak_memory_bytes = 1 << 20};

static int file_of(const char *text)
{
    int descriptor = memfd_create("output", MFD_CLOEXEC);
    assert_int_equal(sy_file_write_descriptor(descriptor, text, strlen(text), NULL), SY_OK);
    return descriptor;
}

/* The cost by a metric of a run that wrote these texts; reason receives what was wrong. */
static double cost(const char *metric_text, bool higher, const char *out_text, const char *error_text, char reason[128])
{
    sy_command_metric metric;
    double value = -1;
    int out = file_of(out_text);
    int error = file_of(error_text);
    assert_int_equal(sy_command_metric_start(&metric, metric_text, higher, NULL), SY_OK);
    assert_int_equal(sy_command_metric_cost(&metric, &outcome, out, error, &value, reason, 128, NULL), SY_OK);
    sy_command_metric_finish(&metric);
    close(out);
    close(error);
    return value;
}

static void expect(const char *metric, const char *out_text, double expected)
{
    char reason[128];
    double found = cost(metric, false, out_text, "", reason);
    if (reason[0] || found != expected)
        fail_msg("%s of '%s' is %g (%s), not %g", metric, out_text, found, reason, expected);
}

static void expect_none(const char *metric, const char *out_text, const char *expected_reason)
{
    char reason[128];
    assert_true(isnan(cost(metric, false, out_text, "", reason)));
    assert_string_equal(reason, expected_reason);
}

static void times_and_memory_are_what_the_system_told(void **state)
{
    (void)state;
    expect("wall", "", 4000);
    expect("user", "", 300);
    expect("cpu", "", 320);
    expect("memory", "", 1 << 20);
}

static void a_figure_below_what_the_system_resolves_is_none_and_has_no_reason(void **state)
{
    static const sy_command_outcome quick = {.wall_ns = 4000};
    sy_command_metric metric;
    double value = 0;
    char reason[128] = "?";
    (void)state;
    assert_int_equal(sy_command_metric_start(&metric, "user", false, NULL), SY_OK);
    assert_int_equal(sy_command_metric_cost(&metric, &quick, -1, -1, &value, reason, sizeof(reason), NULL), SY_OK);
    assert_true(isnan(value));
    assert_string_equal(reason, "");
}

static void a_line_is_found_by_a_name_of_its_own(void **state)
{
    (void)state;
    expect("line:score", "a\nscore: 12.5 points\nb 7\n", 12.5);
    expect("line:score", "score=1e3 12\nscores 4\n", 1000);
}

static void a_number_behind_a_name_may_have_a_sign_or_a_mark(void **state)
{
    (void)state;
    expect("line:score", "the score (best of 3): 2", 3);
    expect("line:p95", "p95 7\n", 7);
    expect("line:a.b", "aXb 3\na.b 4\n", 4);
    expect("line:tokens per second", "tokens per second | 81.25 |", 81.25);
    expect("line:score", "highscore 1\nscore_b 2\nscore 3", 3);
    expect("line:x", "x +4", 4);
}

static void what_is_missing_twice_there_or_no_number_is_said(void **state)
{
    (void)state;
    expect_none("line:score", "", "printed no number for line:score");
    expect_none("line:score", "score\n12\n", "printed no number for line:score");
    expect_none("line:score", "score 1\nscore 2\n", "line:score matches 2 lines: which of them is meant?");
    expect_none("line:score", "score nan\n", "printed nan for line:score: a ratio needs numbers above 0");
    expect_none("line:score", "score 0\n", "printed 0 for line:score: a ratio needs numbers above 0");
    expect_none("line:score", "score -5\n", "printed -5 for line:score: a ratio needs numbers above 0");
    expect_none("json:/a", "not json", "printed no number for json:/a");
    expect_none("json:/a", "{\"a\": \"7\"}", "printed no number for json:/a");
    expect_none("json:/a/7", "{\"a\": [1]}", "printed no number for json:/a/7");
}

static void a_number_with_a_comma_is_not_cut_before_it(void **state)
{
    (void)state;
    expect_none("line:score", "score 1,234.5\n", "printed a comma in the number for line:score: a point or thousands?");
    expect_none("regex:took ([0-9,]+)", "took 12,5 s\n",
                "printed a comma in the number for regex:took ([0-9,]+): a point or thousands?");
    expect("line:score", "score 12, 5 times\n", 12);
    expect("regex:took ([0-9]+)", "took 12,5 s\n", 12);
}

static void a_json_pointer_names_its_value(void **state)
{
    (void)state;
    expect("json:/a/1/b", "{\"a\": [0, {\"b\": 2.5}]}", 2.5);
    expect("json:", " 7 ", 7);
    expect("json:/x~1y/z~0", "{\"x/y\": {\"z~\": 3}}", 3);
    expect("json:/", "{\"\": 4}", 4);
}

static void a_regex_takes_its_group_or_the_number_that_it_matches(void **state)
{
    (void)state;
    expect("regex:took ([0-9.]+) s", "it took 4.25 s\n", 4.25);
    expect("regex:[0-9]+ MB/s", "read 120 MB/s", 120);
    expect_none("regex:took", "it took 4", "printed no number for regex:took");
}

static void standard_error_is_looked_at_where_standard_output_has_nothing(void **state)
{
    char reason[128];
    (void)state;
    assert_true(cost("line:score", false, "other", "score 4", reason) == 4);
    assert_true(cost("line:score", false, "score 3", "score 4", reason) == 3);
}

static void more_is_better_makes_the_reciprocal_the_cost(void **state)
{
    char reason[128];
    (void)state;
    assert_true(cost("line:score", true, "score 4", "", reason) == 0.25);
}

static void a_metric_that_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {"", "time", "line:", "regex:", "regex:(", "json:a"};
    sy_command_metric metric;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(sy_command_metric_start(&metric, wrong[i], false, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(sy_command_metric_start(&metric, "wall", true, NULL), SY_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_memory_are_what_the_system_told),
        cmocka_unit_test(a_figure_below_what_the_system_resolves_is_none_and_has_no_reason),
        cmocka_unit_test(a_line_is_found_by_a_name_of_its_own),
        cmocka_unit_test(a_number_behind_a_name_may_have_a_sign_or_a_mark),
        cmocka_unit_test(what_is_missing_twice_there_or_no_number_is_said),
        cmocka_unit_test(a_number_with_a_comma_is_not_cut_before_it),
        cmocka_unit_test(a_json_pointer_names_its_value),
        cmocka_unit_test(a_regex_takes_its_group_or_the_number_that_it_matches),
        cmocka_unit_test(standard_error_is_looked_at_where_standard_output_has_nothing),
        cmocka_unit_test(more_is_better_makes_the_reciprocal_the_cost),
        cmocka_unit_test(a_metric_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
