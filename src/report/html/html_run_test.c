/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a run in a page's data: everything that its record says is there, in words or figures; no memory. */
#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/html/html_parts.h"
#include "report/html/html_test_data.h"

/* A run with its strips, as a page has it. */
typedef struct page_of_run {
    sy_run_series series[COUNT(series)];
    sy_html_strip strips[COUNT(series)];
    double sorted[COUNT(wall_samples)];
    sy_key_difference differences[2];
    sy_run run;
    sy_html_run page;
    sy_html_content content;
    size_t length; /* of the whole text; 0 = not written yet */
} page_of_run;

static void fill(page_of_run *p)
{
    *p = (page_of_run){.run = whole_run,
                       .differences = {{"device_id", "cpu", "cpu", true, true, true},
                                       {"governor", NULL, "performance", false, true, false}}};
    memcpy(p->series, series, sizeof(series));
    p->strips[0] = html_test_strip(&p->series[0], NULL, p->sorted, 0, 0);
    p->strips[1] = html_test_strip(&p->series[1], wall_samples, p->sorted, COUNT(wall_samples), 100);
    p->strips[2] = html_test_strip(&p->series[2], NULL, p->sorted, 0, 0);
    p->run.series = p->series;
    p->page = (sy_html_run){.run = &p->run,
                            .strips = p->strips,
                            .baseline_run = "20251101-000000-ffffff",
                            .differences = p->differences,
                            .difference_count = 2,
                            .probe_missing = "its artifact is missing"};
    p->content = (sy_html_content){.title = "", .tool = "", .runs = &p->page, .run_count = 1, .run_total = 12};
}

static sy_status put(void *user, sy_json **ret_json)
{
    page_of_run *p = user;
    sy_text text = SY_TEXT_INIT;
    sy_html_data data = {&p->content, NULL, sy_json_writer_create(&text, SY_JSON_COMPACT)};
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    sy_status status;
    sy_status ended;

    sy_json_begin_object(data.json);
    status = sy_html_put_runs(&data, NULL);
    sy_json_end_object(data.json);
    ended = sy_json_writer_finish(data.json, NULL);
    status = status != SY_OK ? status : ended;
    p->length = p->length == 0 ? text.length : p->length;
    if (status == SY_OK && text.length != p->length)
        status = SY_CORRUPT; /* a part is missing, and nobody says so */
    if (status == SY_OK && ret_json != NULL)
        status = sy_json_parse(text.bytes, text.length, &limits, ret_json, NULL);
    sy_text_finish(&text);
    return status;
}

static sy_status put_only(void *user)
{
    return put(user, NULL);
}

static const sy_json_value *first_run(const sy_json *json)
{
    return sy_json_element(sy_json_member(sy_json_root(json), "runs"), 0);
}

/* Whether a row of [label, text] stands in the facts. */
static bool has_fact(const sy_json_value *run, const char *label, const char *text)
{
    const sy_json_value *facts = sy_json_member(run, "facts");

    for (size_t i = 0; i < facts->count; i++) {
        const sy_json_value *fact = sy_json_element(facts, i);

        if (strcmp(sy_json_element(fact, 0)->text, label) == 0 && strstr(sy_json_element(fact, 1)->text, text) != NULL)
            return true;
    }
    return false;
}

static const sy_json_value *cell(const sy_json_value *run, const char *table, size_t row, size_t column)
{
    const sy_json_value *value = sy_json_element(sy_json_element(sy_json_member(run, table), row), column);

    assert_non_null(value);
    return value;
}

static void all_that_a_record_says_is_there(void **state)
{
    static page_of_run p;
    sy_json *json = NULL;

    (void)state;
    fill(&p);
    assert_int_equal(put(&p, &json), SY_OK);
    const sy_json_value *run = first_run(json);
    assert_string_equal(sy_json_member(run, "run")->text, whole_run.row.id);
    assert_string_equal(sy_json_member(run, "status")->text, "ok, accepted");
    assert_true(has_fact(run, "source", "0123456789abcdef0123456789abcdef01234567 of main"));
    assert_true(has_fact(run, "input", DIGEST_1));
    assert_true(has_fact(run, "parameter", "chunk = 12"));
    assert_true(has_fact(run, "accepted", "by Ada: quiet"));
    assert_true(has_fact(run, "lease", "not held throughout"));
    assert_string_equal(cell(run, "parities", 1, 4)->text, "no reference for tall");
    assert_true(cell(run, "memories", 0, 1)->number == 1048576);
    assert_string_equal(cell(run, "memories", 0, 4)->text, "cgroup");
    assert_string_equal(cell(run, "checks", 2, 0)->text, "unknown");
    assert_string_equal(cell(run, "commands", 0, 1)->text, "tool --smoke 'a b'");
    assert_string_equal(cell(run, "files", 0, 3)->text, DIGEST_2);
    assert_string_equal(cell(run, "files", 1, 1)->text, "(not kept)");
    assert_string_equal(cell(run, "differences", 1, 3)->text, "not here");
    assert_string_equal(sy_json_member(run, "probe_missing")->text, "its artifact is missing");
    assert_true(sy_json_member(sy_json_root(json), "run_total")->number == 12);
    sy_json_destroy(json);
}

static void a_strip_has_its_bins_quantiles_and_samples_in_order(void **state)
{
    static page_of_run p;
    sy_json *json = NULL;
    double sum = 0;

    (void)state;
    fill(&p);
    assert_int_equal(put(&p, &json), SY_OK);
    const sy_json_value *strip = sy_json_element(sy_json_member(first_run(json), "strips"), 1);
    assert_string_equal(sy_json_member(strip, "label")->text, "wall of square by blis");
    const sy_json_value *bins = sy_json_member(strip, "bins");
    assert_int_equal(bins->count, SY_HTML_STRIP_BINS);
    for (size_t i = 0; i < bins->count; i++)
        sum += sy_json_element(bins, i)->number;
    assert_true(sum + sy_json_member(strip, "above")->number == 8);
    const sy_json_value *drawn = sy_json_member(strip, "drawn");
    assert_int_equal(drawn->count, COUNT(wall_samples));
    assert_true(sy_json_element(drawn, 0)->number == 0.024);
    assert_int_equal(sy_json_element(drawn, 8)->kind, SY_JSON_NULL);
    assert_string_equal(sy_json_member(strip, "remark")->text,
                        "its first sample is 24.0 ms, 12.0 times the p50, and counted");
    /* A series without a usable sample has neither. */
    strip = sy_json_element(sy_json_member(first_run(json), "strips"), 2);
    assert_int_equal(sy_json_member(strip, "low")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(strip, "bins")->count, 0);
    sy_json_destroy(json);
}

static void samples_that_are_not_shown_are_said_to_be_there(void **state)
{
    static page_of_run p;
    sy_json *json = NULL;

    (void)state;
    fill(&p);
    p.strips[2].samples_missing = true;
    assert_int_equal(put(&p, &json), SY_OK);
    const sy_json_value *strips = sy_json_member(first_run(json), "strips");
    assert_int_equal(sy_json_member(sy_json_element(strips, 1), "samples_missing")->kind, SY_JSON_FALSE);
    assert_int_equal(sy_json_member(sy_json_element(strips, 2), "samples_missing")->kind, SY_JSON_TRUE);
    sy_json_destroy(json);
    p.length = 0;         /* another run from here on */
    p.page.strips = NULL; /* too many for a page */
    p.run.series_count = 0;
    p.run.row.series_count = 10000;
    assert_int_equal(put(&p, &json), SY_OK);
    assert_int_equal(sy_json_member(first_run(json), "strips")->count, 0);
    assert_true(sy_json_member(first_run(json), "series_count")->number == 10000);
    sy_json_destroy(json);
}

static void a_verdict_has_its_metrics_with_interval_and_error_rate(void **state)
{
    static page_of_run p;
    static dashboard_data d;
    static uint64_t number = 17;
    sy_json *json = NULL;

    (void)state;
    fill(&p);
    fill_dashboard(&d);
    p.run.verdicts = &d.verdict;
    p.run.verdict_count = 1;
    p.run.verdict_numbers = &number;
    assert_int_equal(put(&p, &json), SY_OK);
    const sy_json_value *verdict = sy_json_element(sy_json_member(first_run(json), "verdicts"), 0);
    assert_string_equal(sy_json_member(verdict, "word")->text, sy_judgement_word_text(d.verdict.word));
    assert_non_null(strstr(sy_json_member(verdict, "line")->text, "event 17"));
    assert_int_equal(sy_json_member(verdict, "metrics")->count, d.verdict.metric_count);
    for (size_t i = 0; i < d.verdict.metric_count; i++) {
        assert_int_equal(sy_json_element(sy_json_member(verdict, "metrics"), i)->count, 18);
        assert_string_equal(cell(verdict, "metrics", i, 17)->text, d.verdict.metrics[i].reason);
    }
    sy_json_destroy(json);
}

static void no_memory_is_told_and_nothing_leaks(void **state)
{
    static page_of_run p;

    (void)state;
    fill(&p);
    assert_int_equal(put_only(&p), SY_OK);
    assert_true(fault_loop_allocations(put_only, &p, true) > 3);
    assert_true(fault_loop_allocations(put_only, &p, false) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_a_record_says_is_there),
        cmocka_unit_test(a_strip_has_its_bins_quantiles_and_samples_in_order),
        cmocka_unit_test(samples_that_are_not_shown_are_said_to_be_there),
        cmocka_unit_test(a_verdict_has_its_metrics_with_interval_and_error_rate),
        cmocka_unit_test(no_memory_is_told_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
