/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, and the courses of their figures: which stand in one chart, and which figures are points of it. */
#include "html_content_support.h"

#include "base/random.h"
#include "record/comparison_key.h"

static void line_of(const spec *s, char digest[65])
{
    sy_named_text fields[3];
    const sy_run_begin begin = begin_of(s, fields);
    assert_int_equal(sy_comparison_key_line(&begin.key, "source_revision", digest, NULL), SY_OK);
}

static void a_ledger_without_runs_has_an_empty_page(void **state)
{
    life *l = *state;
    sy_html_content *content = collect_page(l);
    assert_string_equal(content->title, content->dashboard->project);
    assert_non_null(strstr(content->tool, "steelyard "));
    assert_int_equal(content->written_utc_s, LIFE_BEGAN);
    assert_int_equal(content->session_count + content->series_count + content->run_count + content->decision_count, 0);
    assert_true(content->point_count == 0 && content->run_total == 0 && content->selftest_count == 0);
    sy_html_content_destroy(content);
    sy_html_content_destroy(NULL);
}

static void a_project_without_a_ledger_has_an_empty_page_too(void **state)
{
    life *l = *state;
    sy_project_close(l->project);
    l->project = NULL;
    snprintf(l->root, sizeof l->root, "%.400s/other", l->folder);
    assert_int_equal(sy_registry_init(l->root, NULL, NULL, NULL, NULL), SY_OK);
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    options.root = l->root;
    options.read_only = options.may_lack_ledger = true;
    assert_int_equal(sy_project_open_with(&options, &l->clock.clock, &l->project, NULL), SY_OK);
    assert_null(sy_project_ledger(l->project));
    sy_html_content *content = collect_page(l);
    assert_non_null(content->dashboard);
    assert_false(content->dashboard->has_ledger);
    assert_true(content->dashboard->gate_count > 0);
    assert_int_equal(content->session_count + content->series_count + content->run_count, 0);
    sy_html_content_destroy(content);
}

static void one_session_is_one_point(void **state)
{
    life *l = *state;
    add_session(l, &(spec){.id = "a", .accept = true});
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->session_count, 1);
    assert_string_equal(content->sessions[0].run, "a");
    assert_true(content->sessions[0].accepted && !content->sessions[0].judged && !content->sessions[0].imported);
    assert_int_equal(content->series_count, 1);
    assert_int_equal(content->point_count, 1);
    assert_int_equal(content->series[0].point_count, 1);
    assert_true(content->series[0].values[0] == 0.25); /* of 0.125, 0.25, 0.5 */
    assert_true(content->series[0].primary);
    assert_null(content->series[0].judged);
    assert_string_equal(content->series[0].gate, LIFE_GATE);
    sy_html_content_destroy(content);
}

static void revisions_of_one_line_stand_in_one_chart(void **state)
{
    life *l = *state;
    char line[65];
    add_session(l, &(spec){.id = "a"});
    add_session(l, &(spec){.id = "b", .revision = SECOND_REVISION});
    add_session(l, &(spec){.id = "c", .unknown_device = true});
    add_session(l, &(spec){.id = "d", .revision = SECOND_REVISION, .unknown_device = true});
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->session_count, 4);
    assert_int_equal(content->series_count, 2);
    line_of(&(spec){.id = "a"}, line);
    for (uint32_t i = 0; i < 2; i++) { /* what knows its whole key, and what does not: never in one line */
        const sy_html_series *series = &content->series[i];
        assert_int_equal(series->point_count, 2);
        assert_int_equal(series->sessions[0], 2 * i);
        assert_int_equal(series->sessions[1], 2 * i + 1);
        assert_int_equal(strcmp(series->line, line) == 0, i == 0);
    }
    assert_string_equal(content->sessions[1].revision, SECOND_REVISION);
    assert_int_equal(strlen(content->sessions[1].key_digest), 64);
    assert_string_equal(content->sessions[2].key_digest, "");
    sy_html_content_destroy(content);
}

static void what_was_ever_judged_also_has_the_other_figures_that_verdicts_look_at(void **state)
{
    life *l = *state;
    double many[100];
    batch b = {.count = 0};
    for (int i = 0; i < 100; i++) {
        many[i] = 1 + i;
    }
    open_session(&b, &(spec){.id = "a"});
    batch_series(&b, "a", "wall", many, 100);
    batch_memory(&b, "a", 4096);
    close_session(l, &b, "a");
    sy_html_content *content = collect_page(l);
    assert_true(series_of(content, "wall", SY_STATISTIC_P50)->values[0] == 50);
    assert_null(series_of(content, "wall", SY_STATISTIC_P95));
    const sy_html_series *memory = series_of(content, "peak", SY_STATISTIC_MEMORY);
    assert_true(memory->values[0] == 4096);
    assert_string_equal(memory->metric.unit, "bytes");
    assert_string_equal(memory->metric.case_name, "process-tree");
    sy_html_content_destroy(content);
    add_accepted(l, "b", 5, NULL);
    add_session(l, &(spec){.id = "c", .judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE});
    content = collect_page(l);
    assert_int_equal(series_of(content, "wall", SY_STATISTIC_P50)->point_count, 7);
    assert_int_equal(series_of(content, "wall", SY_STATISTIC_P95)->point_count, 1); /* the others have three samples */
    assert_true(series_of(content, "wall", SY_STATISTIC_P95)->values[0] == 95);
    assert_int_equal(series_of(content, "wall", SY_STATISTIC_MAXIMUM)->point_count, 7);
    assert_true(series_of(content, "wall", SY_STATISTIC_MAXIMUM)->values[0] == 100);
    assert_true(content->sessions[6].judged && content->sessions[6].verdict == SY_JUDGEMENT_PASS);
    sy_html_content_destroy(content);
}

static void a_maximum_of_a_single_sample_is_one_too(void **state)
{
    static const double one[] = {3};
    life *l = *state;
    batch b = {.count = 0};
    open_session(&b, &(spec){.id = "a"});
    batch_series(&b, "a", "load", one, 1);
    close_session(l, &b, "a");
    add_accepted(l, "b", 5, NULL);
    add_session(l, &(spec){.id = "c", .judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE});
    sy_html_content *content = collect_page(l);
    assert_true(series_of(content, "load", SY_STATISTIC_MAXIMUM)->values[0] == 3);
    sy_html_content_destroy(content);
}

static void of_what_a_session_has_twice_the_first_counts(void **state)
{
    static const double first[] = {1}, second[] = {2}, third[] = {3};
    life *l = *state;
    batch b = {.count = 0};
    open_session(&b, &(spec){.id = "a"});
    add_samples(&b, "a", "wall", "s", "", first, 1);
    add_samples(&b, "a", "wall", "s", "", second, 1);
    add_samples(&b, "a", "wall", "ms", "", third, 1);
    batch_memory(&b, "a", 1);
    batch_memory(&b, "a", 2);
    close_session(l, &b, "a");
    open_session(&b, &(spec){.id = "b"});
    add_samples(&b, "b", "wall", "ms", "", third, 1); /* another session may say it in another unit */
    close_session(l, &b, "b");
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->series_count, 3);
    assert_int_equal(content->point_count, 3);
    assert_true(content->series[0].values[0] == 1);
    assert_string_equal(content->series[0].metric.unit, "s");
    assert_true(series_of(content, "peak", SY_STATISTIC_MEMORY)->values[0] == 1);
    assert_string_equal(content->series[2].metric.unit, "ms");
    assert_int_equal(content->series[2].sessions[0], 1);
    sy_html_content_destroy(content);
}

static void what_is_no_number_is_counted_and_not_drawn(void **state)
{
    static const double nothing[] = {NAN, NAN}, some[] = {NAN, 2};
    life *l = *state;
    batch b = {.count = 0};
    open_session(&b, &(spec){.id = "a"});
    batch_series(&b, "a", "lost", nothing, 2);
    batch_series(&b, "a", "wall", some, 2);
    close_session(l, &b, "a");
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->unusable_count, 1);
    assert_int_equal(content->point_count, 1);
    assert_null(series_of(content, "lost", SY_STATISTIC_P50));
    assert_true(series_of(content, "wall", SY_STATISTIC_P50)->values[0] == 2);
    sy_html_content_destroy(content);
}

static void imports_stand_beside_sessions_even_with_memory_alone(void **state)
{
    life *l = *state;
    batch b = {.count = 0};
    const sy_run_begin begin = fixture_import("import-1");
    sy_run_begin decision = fixture_begin("probe-1");
    decision.kind = SY_RUN_KIND_DECISION;
    batch_begin(&b, &begin);
    batch_memory(&b, "import-1", 77);
    batch_begin(&b, &decision); /* whose figures are on its page alone */
    batch_lease(&b, "probe-1", ++last_fence);
    batch_series(&b, "probe-1", "wall", fixture_samples, 3);
    append(l, &b);
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->session_count, 1);
    assert_true(content->sessions[0].imported);
    assert_int_equal(content->series_count, 1);
    assert_true(content->series[0].values[0] == 77);
    assert_int_equal(content->run_total, 2);
    assert_non_null(page_of(content, "probe-1"));
    sy_html_content_destroy(content);
}

static void a_change_is_told_by_the_series_that_it_is_of(void **state)
{
    life *l = *state;
    batch b = {.count = 0};
    char line[65];
    add_accepted(l, "a", 2, NULL);
    line_of(&(spec){.id = "a"}, line);
    batch_change(&b, "a1", line, "a0");
    append(l, &b);
    add_session(l, &(spec){.id = "u", .unknown_device = true}); /* of another line */
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->dashboard->change_count, 1);
    assert_int_equal(content->series_count, 2);
    assert_int_equal(content->series[0].change_count, 1);
    assert_int_equal(content->series[0].changes[0], 0);
    assert_int_equal(content->series[1].change_count, 0);
    sy_html_content_destroy(content);
}

static void names_are_kept_letter_by_letter_and_never_taken_for_each_other(void **state)
{
    static const char *const names[] = {"</script><img src=x onerror=alert(1)>",
                                        "<!--",
                                        "a\"b'c&d",
                                        "BM_foo<T, U>",
                                        "\xe2\x80\xaelatipac",
                                        "\xe2\x80\xa8",
                                        "__proto__",
                                        "constructor",
                                        "wall",
                                        "Wall",
                                        "wall 4 ",
                                        "\xf0\x9f\x9a\x80"};
    enum { NAMES = sizeof names / sizeof names[0] };
    static const double sample[] = {1};
    life *l = *state;
    batch b = {.count = 0};
    char longest[4097];
    memset(longest, 'x', 4096);
    longest[4096] = '\0';
    open_session(&b, &(spec){.id = "a"});
    for (size_t i = 0; i < NAMES; i++) {
        add_samples(&b, "a", names[i], "s", "", sample, 1);
    }
    add_samples(&b, "a", "wall", "s", "4 ", sample, 1); /* a case, and no part of the name */
    add_samples(&b, "a", longest, "s", "", sample, 1);
    close_session(l, &b, "a");
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->series_count, NAMES + 2);
    for (size_t i = 0; i < NAMES; i++) {
        assert_string_equal(content->series[i].metric.series, names[i]);
    }
    assert_string_equal(content->series[NAMES].metric.case_name, "4 ");
    assert_string_equal(content->series[NAMES + 1].metric.series, longest);
    sy_html_content_destroy(content);
}

/* ---- any sessions: nothing is lost, nothing stands twice ---- */

enum { FIGURES = 12, SESSIONS = 40 };

static void check_series(const sy_html_content *content, const sy_html_series *series, double (*values)[FIGURES])
{
    const char *name = series->metric.series;
    const size_t figure = (size_t)(name[1] - 'a');
    for (size_t k = 0; k < series->point_count; k++) {
        const uint32_t session = series->sessions[k];
        assert_true(session < content->session_count);
        assert_true(k == 0 || series->sessions[k - 1] < session);
        if (series->values[k] != values[session][figure]) {
            fail_msg("%s of session %u is %g", name, session, series->values[k]);
        }
        values[session][figure] = NAN; /* a second time it would be wrong */
    }
}

static void every_figure_is_a_point_of_one_series_whatever_the_order(void **state)
{
    life *l = *state;
    sy_random random;
    double values[SESSIONS][FIGURES];
    uint64_t points = 0;
    sy_random_start(&random, 7, "courses");
    for (int i = 0; i < SESSIONS; i++) {
        char id[32];
        uint32_t order[FIGURES];
        batch b = {.count = 0};
        const spec s = {.id = id,
                        .revision = sy_random_coin(&random) ? FIRST_REVISION : SECOND_REVISION,
                        .unknown_device = sy_random_below(&random, 4) == 0};
        snprintf(id, sizeof id, "s%02d", i);
        open_session(&b, &s);
        for (uint32_t k = 0; k < FIGURES; k++) {
            order[k] = k;
            values[i][k] = NAN;
        }
        if (sy_random_coin(&random)) {
            sy_random_permutation(&random, order, FIGURES);
        }
        for (uint32_t k = 0; k < FIGURES; k++) {
            const char name[] = {'f', (char)('a' + order[k]), '\0'};
            if (sy_random_below(&random, 5) > 0) {
                values[i][order[k]] = sy_random_unit(&random);
                add_samples(&b, id, name, "s", "", &values[i][order[k]], 1);
                points++;
            }
        }
        close_session(l, &b, id);
    }
    sy_html_content *content = collect_page(l);
    uint64_t found = 0;
    assert_int_equal(content->session_count, SESSIONS);
    assert_int_equal(content->point_count, points);
    assert_int_equal(content->series_count, 2 * FIGURES);
    for (size_t i = 0; i < content->series_count; i++) {
        found += content->series[i].point_count;
        check_series(content, &content->series[i], values);
    }
    assert_int_equal(found, points);
    sy_html_content_destroy(content);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_without_runs_has_an_empty_page),
        TEST(a_project_without_a_ledger_has_an_empty_page_too),
        TEST(one_session_is_one_point),
        TEST(revisions_of_one_line_stand_in_one_chart),
        TEST(what_was_ever_judged_also_has_the_other_figures_that_verdicts_look_at),
        TEST(a_maximum_of_a_single_sample_is_one_too),
        TEST(of_what_a_session_has_twice_the_first_counts),
        TEST(what_is_no_number_is_counted_and_not_drawn),
        TEST(imports_stand_beside_sessions_even_with_memory_alone),
        TEST(a_change_is_told_by_the_series_that_it_is_of),
        TEST(names_are_kept_letter_by_letter_and_never_taken_for_each_other),
        TEST(every_figure_is_a_point_of_one_series_whatever_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
