/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of decisions in the page's data: rounds as the rule was fed them, names that are no friends, what is missing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/record.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/html/html_parts.h"

#define DATA_BEGIN "id=\"steelyard-data\" data-encoding=\"none\">"
#define ROUNDS_MAX 64

/* A probe of two cases and one candidate, its rounds still to be told. */
typedef struct decision_data {
    sy_candidate_result candidate;
    sy_case_result cases[2];
    sy_sample samples[ROUNDS_MAX];
    sy_probe_result result;
} decision_data;

static void start(decision_data *d, size_t case_count)
{
    *d = (decision_data){.candidate = {.name = "fast", .reason = "", .gain = 0.1}};
    d->cases[0] = (sy_case_result){.name = "small", .weight = 1, .left_out = ""};
    d->cases[1] = (sy_case_result){.name = "large", .weight = 10, .left_out = ""};
    d->result = (sy_probe_result){.operation = "matmul",
                                  .backend = "cpu",
                                  .device = "cpu",
                                  .reference = "plain",
                                  .winner = "plain",
                                  .reason = "",
                                  .decision = SY_DECISION_NO_GAIN,
                                  .question = SY_QUESTION_FASTER,
                                  .rule = SY_RULE_CAPPED,
                                  .max_pairs = 20,
                                  .alpha = 0.05,
                                  .beta = 0.2,
                                  .min_improvement = 0.03,
                                  .margin = 0.03,
                                  .veto = 0.1,
                                  .gain = NAN,
                                  .gain_low = NAN,
                                  .gain_high = NAN,
                                  .e_value = NAN,
                                  .noise = NAN,
                                  .resolvable_gain = NAN,
                                  .candidates = &d->candidate,
                                  .candidate_count = 1,
                                  .cases = d->cases,
                                  .case_count = case_count,
                                  .samples = d->samples};
}

static sy_sample *add(decision_data *d, uint32_t round, uint32_t which, double reference, double candidate)
{
    sy_sample *sample = &d->samples[d->result.sample_count++];

    *sample = (sy_sample){.round = round,
                          .case_index = which,
                          .reference_first = true,
                          .final = true,
                          .fed = true,
                          .reference_ns = reference,
                          .candidate_ns = candidate,
                          .unusable = ""};
    return sample;
}

/* The page of one decision; the caller frees it. */
static char *page_of(const sy_probe_result *result, const char *stored)
{
    const sy_html_decision decision = {"", result, stored};
    const sy_html_content content = {
        .title = "matmul", .tool = "steelyard", .decisions = &decision, .decision_count = 1};
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;

    if (sy_report_html(&content, NULL, &html, &size, &err) != SY_OK)
        fail_msg("%s", err.what);
    assert_int_equal(strlen(html), size);
    return html;
}

/* The decision of the page's data; the caller destroys *ret_json. */
static const sy_json_value *decision_of(const sy_probe_result *result, sy_json **ret_json)
{
    char *html = page_of(result, "");
    const char *from = strstr(html, DATA_BEGIN);
    sy_error err = SY_ERROR_INIT;

    assert_non_null(from);
    from += strlen(DATA_BEGIN);
    assert_int_equal(sy_json_parse(from, (size_t)(strstr(from, "</script>") - from), NULL, ret_json, &err), SY_OK);
    sy_text_free(html);
    return sy_json_member(sy_json_root(*ret_json), "decisions")->first;
}

static const sy_json_value *rounds_of(const sy_probe_result *result, sy_json **ret_json)
{
    return sy_json_member(decision_of(result, ret_json), "rounds");
}

static double number_at(const sy_json_value *object, const char *name, size_t index)
{
    const sy_json_value *value = sy_json_element(sy_json_member(object, name), index);

    assert_non_null(value);
    assert_int_equal(value->kind, SY_JSON_NUMBER);
    return value->number;
}

static void assert_null_at(const sy_json_value *object, const char *name, size_t index)
{
    const sy_json_value *value = sy_json_element(sy_json_member(object, name), index);

    assert_non_null(value);
    assert_int_equal(value->kind, SY_JSON_NULL);
}

static void a_round_is_the_sum_of_its_cases_by_weight(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 2);
    add(&d, 0, 1, 100, 90);
    add(&d, 0, 0, 100, 200);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_int_equal(sy_json_member(rounds, "gain")->count, 1);
    assert_true(fabs(number_at(rounds, "gain", 0)) < 1e-12); /* 1100 against 900 + 200 */
    assert_true(number_at(rounds, "wins", 0) == 0);
    sy_json_destroy(json);
}

static void a_gain_that_equals_the_threshold_is_no_win(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    add(&d, 0, 0, 100, 97);
    add(&d, 1, 0, 100, 96.9);
    add(&d, 2, 0, 100, 97.1);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_true(number_at(rounds, "wins", 0) == 0);
    assert_true(number_at(rounds, "wins", 1) == 1);
    assert_true(number_at(rounds, "wins", 2) == 1);
    sy_json_destroy(json);
}

static void not_slower_is_won_by_what_lies_within_the_margin(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    d.result.question = SY_QUESTION_NOT_SLOWER;
    add(&d, 0, 0, 100, 102);
    add(&d, 1, 0, 100, 104);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_true(sy_json_member(rounds, "threshold")->number == -0.03);
    assert_true(number_at(rounds, "wins", 0) == 1);
    assert_true(number_at(rounds, "wins", 1) == 1);
    assert_int_equal(sy_json_member(rounds, "given_up")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(rounds, "needed")->count, 20);
    sy_json_destroy(json);
}

static void of_rates_the_higher_one_saves(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    d.result.metric = (sy_metric){.name = "line:rate", .unit = "1/s", .higher_is_better = true};
    add(&d, 0, 0, 80, 100);
    add(&d, 1, 0, 100, 80);
    const sy_json_value *decision = decision_of(&d.result, &json);
    const sy_json_value *rounds = sy_json_member(decision, "rounds");
    assert_true(fabs(number_at(rounds, "gain", 0) - 0.2) < 1e-12);
    assert_true(fabs(number_at(sy_json_member(decision, "pairs"), "gain", 0) - 0.2) < 1e-12);
    assert_true(number_at(rounds, "gain", 1) < 0);
    assert_true(number_at(rounds, "wins", 1) == 1);
    assert_string_equal(sy_json_member(decision, "unit")->text, "1/s");
    sy_json_destroy(json);
}

static void the_rule_of_medians_has_no_boundary(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    d.result.rule = SY_RULE_MEDIANS;
    add(&d, 0, 0, 100, 90);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_int_equal(sy_json_member(rounds, "needed")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(rounds, "given_up")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
}

static void a_pair_that_is_unusable_leaves_its_round_without_a_gain(void **state)
{
    static const double bad[] = {NAN, INFINITY, -1, 0};
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 2);
    for (uint32_t i = 0; i < 4; i++) {
        add(&d, i, 0, 100, 50);
        add(&d, i, 1, 100, bad[i]);
    }
    add(&d, 4, 0, 100, 50)->unusable = "crashed";
    add(&d, 4, 1, 100, 50);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    for (size_t i = 0; i < 5; i++) {
        assert_null_at(rounds, "gain", i);
        assert_true(number_at(rounds, "wins", i) == 0);
    }
    sy_json_destroy(json);
}

static void only_what_was_fed_to_the_rule_is_a_round(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    add(&d, 0, 0, 100, 50)->final = false; /* of the halving */
    add(&d, 0, 0, 100, 90);
    add(&d, 1, 0, 100, 50)->fed = false; /* cut by the budget */
    add(&d, 0, 7, 100, 50);              /* of a case that is not there */
    add(&d, UINT32_MAX, 0, 100, 50);     /* of a round that cannot be */
    const sy_json_value *decision = decision_of(&d.result, &json);
    const sy_json_value *rounds = sy_json_member(decision, "rounds");
    assert_int_equal(sy_json_member(rounds, "gain")->count, 1);
    assert_true(fabs(number_at(rounds, "gain", 0) - 0.1) < 1e-12);
    assert_int_equal(sy_json_member(sy_json_member(decision, "pairs"), "gain")->count, 5); /* shown, all the same */
    sy_json_destroy(json);
}

static void more_rounds_than_the_cap_are_all_there(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    d.result.max_pairs = 4;
    for (uint32_t i = 0; i < 9; i++)
        add(&d, i, 0, 100, 90);
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_int_equal(sy_json_member(rounds, "wins")->count, 9);
    assert_int_equal(sy_json_member(rounds, "needed")->count, 4);
    sy_json_destroy(json);
}

static void without_a_round_there_are_empty_columns(void **state)
{
    decision_data d;
    sy_json *json = NULL;

    (void)state;
    start(&d, 1);
    d.result.case_count = 0;
    d.result.candidate_count = 0;
    d.result.max_pairs = 0;
    const sy_json_value *rounds = rounds_of(&d.result, &json);
    assert_int_equal(sy_json_member(rounds, "gain")->count, 0);
    assert_int_equal(sy_json_member(rounds, "needed")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
}

/* As often as in the rows: nothing but the data has the name of a case. */
static void names_stay_text(void **state)
{
    static const char hostile[] = "</script><img src=x onerror=alert(1)>\xe2\x80\xae__proto__";
    decision_data d;
    char *html;

    (void)state;
    start(&d, 1);
    d.result.operation = d.result.backend = d.result.device = d.result.reference = hostile;
    d.result.winner = d.result.reason = d.result.error = d.result.advice = hostile;
    d.candidate.name = d.candidate.reason = d.candidate.detail = hostile;
    d.cases[0].name = hostile;
    (void)snprintf(d.cases[0].parity.reason, sizeof(d.cases[0].parity.reason), "%s", hostile);
    d.result.metric = (sy_metric){.name = hostile, .unit = hostile};
    add(&d, 0, 0, 100, 90)->unusable = hostile;
    html = page_of(&d.result, hostile);
    assert_null(strstr(html, "<img"));
    assert_non_null(strstr(html, "\\u003c/script\\u003e\\u003cimg"));
    sy_text_free(html);
}

/* What was recorded says how many rounds were won; here they are counted again. */
static void wins_are_those_of_the_recorded_result(void **state)
{
    sy_probe_result *result = NULL;
    char *bytes = NULL;
    size_t size = 0;
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(
        sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/report/probe_recorded.json", 0, &bytes, &size, NULL), SY_OK);
    assert_int_equal(sy_probe_result_read_json(bytes, size, &result, NULL), SY_OK);
    assert_true(result->wins > 0 && result->wins < result->pairs && result->case_count > 1);
    const sy_json_value *rounds = rounds_of(result, &json);
    assert_int_equal(sy_json_member(rounds, "wins")->count, result->pairs);
    assert_true(number_at(rounds, "wins", result->pairs - 1) == result->wins);
    assert_true(sy_json_member(rounds, "won")->number == result->wins);
    sy_json_destroy(json);
    sy_probe_result_destroy(result);
    sy_free(bytes);
}

static sy_status make_page(void *user)
{
    const sy_html_decision decision = {"", user, ""};
    const sy_html_content content = {
        .title = "matmul", .tool = "steelyard", .decisions = &decision, .decision_count = 1};
    char *html = NULL;
    size_t size = 0;
    sy_status status = sy_report_html(&content, NULL, &html, &size, NULL);

    if (status == SY_OK)
        sy_text_free(html);
    else
        assert_null(html);
    return status;
}

static void each_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    decision_data d;

    (void)state;
    start(&d, 2);
    add(&d, 0, 0, 100, 90);
    add(&d, 0, 1, 100, 90);
    assert_true(fault_loop_allocations(make_page, &d.result, true) > 10);
    assert_true(fault_loop_allocations(make_page, &d.result, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_the_sum_of_its_cases_by_weight),
        cmocka_unit_test(a_gain_that_equals_the_threshold_is_no_win),
        cmocka_unit_test(not_slower_is_won_by_what_lies_within_the_margin),
        cmocka_unit_test(of_rates_the_higher_one_saves),
        cmocka_unit_test(the_rule_of_medians_has_no_boundary),
        cmocka_unit_test(a_pair_that_is_unusable_leaves_its_round_without_a_gain),
        cmocka_unit_test(only_what_was_fed_to_the_rule_is_a_round),
        cmocka_unit_test(more_rounds_than_the_cap_are_all_there),
        cmocka_unit_test(without_a_round_there_are_empty_columns),
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(wins_are_those_of_the_recorded_result),
        cmocka_unit_test(each_failed_allocation_is_an_error_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
