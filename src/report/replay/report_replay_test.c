/* SPDX-License-Identifier: Apache-2.0 */
/* Replays as text and JSON: every figure in its place, at any width, whatever the names hold. */
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"
#include "text_width.h"

static const double times[] = {1, 2, 3, 4, 5};
static const sy_timing list[] = {{"16,\033[2J\"1\"", times, 5, ""}, {"32", times, 5, ""}, {"64", NULL, 0, "error"}};
static const char *const notes[] = {"session not closed"};
static const sy_recorded_final final = {.decision = SY_DECISION_WIN, .reason = "", .pairs = 7, .wins = 6};

static const sy_timings timings = {.format = SY_TIMINGS_KERNEL_TUNER,
                                   .device = "A4000",
                                   .unit_ns = 1e6,
                                   .list = list,
                                   .count = 3,
                                   .final = &final,
                                   .notes = notes,
                                   .note_count = 1};

static const sy_replay_result result = {.min_improvement = .01,
                                        .alpha = .05,
                                        .beta = .2,
                                        .pairs = 16,
                                        .seed = 77,
                                        .configurations = 400,
                                        .without_times = 1,
                                        .too_short = 2,
                                        .unusable = 3,
                                        .most_times = 32,
                                        .rules = {{{1, 20, 392, 400}, 2920}, {{4, 200, 399, 400}, 6400}},
                                        .right_wins = 393,
                                        .overturned_drift = 1};

static const sy_recording_traits traits = {.looked_at = 300,
                                           .first_stands_out = 15,
                                           .first_ratio = 2.334,
                                           .falling = 290,
                                           .fall = .081,
                                           .warming_up = true,
                                           .step_ns = 32,
                                           .times = 105,
                                           .distinct = 81,
                                           .leader = 0,
                                           .mean_leader = 1,
                                           .tied = 15};

static const sy_replay_judgement same = {.decision = SY_DECISION_WIN, .reason = "", .pairs = 7, .wins = 6};
static const sy_replay_judgement other = {
    .decision = SY_DECISION_INCONCLUSIVE, .reason = "drift", .pairs = 7, .wins = 6, .differs = "decision, reason"};

static const sy_report_replayed files[] = {{"dir/a.json", &timings, &result, &traits, &same},
                                           {"dir/b.json", &timings, &result, &traits, &other}};

static char *text_of(size_t count, uint32_t width)
{
    const sy_report_style style = {.columns = width};
    char *text = NULL;

    assert_int_equal(sy_report_replay(files, count, &style, &text, NULL), SY_OK);
    return text;
}

/* With every run of spaces and newlines as one space. */
static void expect_in(const char *text, const char *piece)
{
    sy_text squeezed = SY_TEXT_INIT;

    for (const char *at = text; *at != '\0'; at++) {
        bool space = *at == ' ' || *at == '\n';

        if (!space || squeezed.length == 0 || squeezed.bytes[squeezed.length - 1] != ' ')
            sy_text_append_bytes(&squeezed, space ? " " : at, 1);
    }
    if (strstr(sy_text_bytes(&squeezed), piece) == NULL)
        fail_msg("'%s' is not in:\n%s", piece, text);
    sy_text_finish(&squeezed);
}

static void a_file_says_what_it_is_and_each_rule_what_it_called(void **state)
{
    char *text = text_of(1, 120);

    (void)state;
    expect_in(text, "dir/a.json (kernel-tuner): 400 of 3 configurations played");
    expect_in(text, "device A4000");
    expect_in(text, "not played 1 without times, 2 with too few, 3 with a time that is not above 0");
    expect_in(text, "note session not closed");
    expect_in(text, "first run in 15 of 300 configurations it takes 2.33 times the median or more");
    expect_in(text, "290 of 300 get faster from their first half to their second, by 8.1 % in the middle");
    expect_in(text, "timer step 32.0 ns: all 105 times are multiples, 81 different ones");
    expect_in(text, "none: 15 of 300 tie; '16,\\x1b[2J\"1\"' leads by median, '32' by mean");
    expect_in(text, "decided win, 6 of 7 pairs won: judged again, the same");
    expect_in(text, "Called faster by at least 1 % where the true gain is ... (at most 16 pairs, alpha 0.05, beta 0.2, "
                    "seed 77)");
    expect_in(text, "steelyard 400 0.25 % 5.0 % 98.0 % 100.0 % 7.3");
    expect_in(text, "medians, alternated 400 1.0 % 50.0 % 99.8 % 100.0 % 16.0");
    assert_null(strstr(text, "by file"));
    sy_text_free(text);
}

static void several_files_have_a_line_each_and_a_total(void **state)
{
    char *text = text_of(2, 120);

    (void)state;
    expect_in(text, "judged again inconclusive (drift), 6 of 7; not as recorded: decision, reason");
    expect_in(text, "a.json 400 0.25 %");
    expect_in(text, "b.json 400 0.25 %");
    expect_in(text, "all 800 0.25 %");
    sy_text_free(text);
}

static void any_width_is_kept(void **state)
{
    (void)state;
    for (uint32_t width = 40; width < 130; width += 3) {
        char *text = text_of(2, width);

        expect_narrow(text, width);
        sy_text_free(text);
    }
}

static double number_at(const sy_json_value *value, const char *const *path)
{
    for (; *path != NULL; path++)
        value = sy_json_member(value, *path);
    assert_non_null(value);
    return value->number;
}

static void json_has_the_total_and_each_file(void **state)
{
    char *text = NULL;
    sy_json *json = NULL;
    const sy_json_value *root;
    const sy_json_value *file;

    (void)state;
    assert_int_equal(sy_report_replay_json(files, 2, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    root = sy_json_root(json);
    assert_string_equal(root->first->name, "configurations");
    assert_true(root->first->number == 800);
    assert_true(number_at(root, (const char *const[]){"rules", "steelyard", "false_faster", NULL}) == .0025);
    assert_true(number_at(root, (const char *const[]){"rules", "steelyard", "mean_pairs_plus_2", NULL}) == 7.3);
    assert_true(number_at(root, (const char *const[]){"guards_plus_2", "right_wins", NULL}) == 786);
    file = sy_json_element(sy_json_member(root, "files"), 1);
    assert_string_equal(sy_json_member(file, "path")->text, "dir/b.json");
    assert_true(number_at(file, (const char *const[]){"recording", "timer_step_ns", NULL}) == 32);
    assert_string_equal(sy_json_member(sy_json_member(file, "recording"), "fastest_by_mean")->text, "32");
    assert_string_equal(sy_json_member(sy_json_member(file, "recorded"), "differs")->text, "decision, reason");
    assert_int_equal(sy_json_member(sy_json_member(file, "recorded"), "agrees")->kind, SY_JSON_FALSE);
    sy_json_destroy(json);
    sy_text_free(text);
}

static sy_status report_both(void *user)
{
    char *text = NULL;
    sy_status status = sy_report_replay(files, 2, NULL, &text, NULL);

    (void)user;
    sy_text_free(text);
    text = NULL;
    if (status == SY_OK)
        status = sy_report_replay_json(files, 2, &text, NULL);
    sy_text_free(text);
    return status;
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(report_both, NULL, false) > 20);
    assert_true(fault_loop_allocations(report_both, NULL, true) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_it_is_and_each_rule_what_it_called),
        cmocka_unit_test(several_files_have_a_line_each_and_a_total),
        cmocka_unit_test(any_width_is_kept),
        cmocka_unit_test(json_has_the_total_and_each_file),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
