/* SPDX-License-Identifier: Apache-2.0 */
/* The runs that have a page of their own: which, in what they differ from their baseline, what their verdicts say of
 * series, and what is left out of runs that are too large; one snapshot, and any allocation may fail. */
#include "html_content_support.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "fault_loop.h"

static const spec raised_alarm = {.id = "alarm",
                                  .judged = true,
                                  .word = SY_JUDGEMENT_INVESTIGATE,
                                  .reason = SY_JUDGEMENT_REASON_UNCONFIRMED,
                                  .raised = true};

/* ---- which ---- */

static void what_stands_open_comes_first_then_what_is_promoted_then_each_line(void **state)
{
    life *l = *state;
    spec open = raised_alarm, told = {.id = "told",
                                      .gate = LIFE_OTHER_GATE,
                                      .unknown_device = true,
                                      .judged = true,
                                      .word = SY_JUDGEMENT_NO_BASELINE,
                                      .reason = SY_JUDGEMENT_REASON_FEW_SESSIONS};
    add_accepted(l, "a", 5, NULL);
    add_promotion(l, &(spec){.id = "a0"});
    open.revision = SECOND_REVISION;
    add_session(l, &open);
    add_session(l, &told); /* the newest verdict: it is what the page begins with */
    add_session(l, &(spec){.id = "line", .unknown_device = true});
    add_session(l, &(spec){.id = "late"});
    sy_html_content *content = collect_limited(l, 3);
    assert_int_equal(content->run_count, 3);
    assert_int_equal(content->run_total, 9);
    assert_int_equal(content->session_count, 9);               /* all have their dots */
    assert_string_equal(content->runs[0].run->row.id, "told"); /* the newest first */
    assert_string_equal(content->runs[1].run->row.id, "alarm");
    assert_string_equal(content->runs[2].run->row.id, "a0");
    sy_html_content_destroy(content);
    content = collect_limited(l, 5); /* and of each of the lines its newest */
    assert_non_null(page_of(content, "line"));
    assert_non_null(page_of(content, "late"));
    sy_html_content_destroy(content);
    content = collect_limited(l, 6);
    assert_non_null(page_of(content, "a4")); /* then the newest of all */
    sy_html_content_destroy(content);
    content = collect_limited(l, 0);
    assert_int_equal(content->run_count, 0);
    sy_html_content_destroy(content);
    content = collect_limited(l, SIZE_MAX);
    assert_int_equal(content->run_count, 9);
    for (size_t i = 1; i < 9; i++) {
        assert_true(content->runs[i - 1].run->row.number > content->runs[i].run->row.number);
    }
    sy_html_content_destroy(content);
}

static void a_run_of_its_own_choice_comes_first(void **state)
{
    life *l = *state;
    sy_html_options options = SY_HTML_OPTIONS_INIT;
    sy_html_content *content = NULL;
    spec pass = {.id = "p", .judged = true, .word = SY_JUDGEMENT_PASS, .reason = SY_JUDGEMENT_REASON_INSIDE};
    add_accepted(l, "a", 5, NULL);
    add_session(l, &pass);
    pass.id = "q";
    add_session(l, &pass);
    options.run = "p";
    options.run_limit = 1;
    assert_int_equal(sy_project_html(l->project, &options, &content, NULL), SY_OK);
    assert_string_equal(content->runs[0].run->row.id, "p");
    sy_html_content_destroy(content);
    content = NULL;
    options.run = "nowhere";
    assert_int_equal(sy_project_html(l->project, &options, &content, NULL), SY_NOT_FOUND);
    options.struct_size = 1;
    assert_int_equal(sy_project_html(l->project, &options, &content, NULL), SY_INVALID_ARGUMENT);
    assert_null(content);
}

/* ---- against what ---- */

static void add_at(const life *l, const char *id, const char *description, bool accepted)
{
    batch b = {.count = 0};
    sy_named_text fields[3];
    sy_run_begin begin = begin_of(&(spec){.id = id}, fields);
    begin.place.description = description;
    batch_begin(&b, &begin);
    batch_lease(&b, id, ++last_fence);
    batch_command(&b, id, "measure", last_fence, true);
    batch_series(&b, id, "wall", fixture_samples, 3);
    batch_parity(&b, id, SY_RUN_PARITY_PASSED);
    batch_end(&b, id, SY_RUN_OK);
    if (accepted) {
        batch_accept(&b, id);
    }
    append(l, &b);
}

static void a_run_is_held_against_the_newest_accepted_one_of_its_key_before_it(void **state)
{
    life *l = *state;
    add_at(l, "first", "an old processor", true);
    add_at(l, "second", "a processor", true);
    add_at(l, "refused", "another one", false);
    add_session(l, &(spec){.id = "other", .revision = SECOND_REVISION});
    add_at(l, "now", "an old processor", false);
    sy_html_content *content = collect_page(l);
    assert_string_equal(page_of(content, "first")->baseline_run, "");
    assert_int_equal(page_of(content, "first")->difference_count, 0);
    assert_string_equal(page_of(content, "second")->baseline_run, "first");
    assert_string_equal(page_of(content, "refused")->baseline_run, "second");
    assert_string_equal(page_of(content, "other")->baseline_run, ""); /* of another key */
    const sy_html_run *now = page_of(content, "now");
    assert_string_equal(now->baseline_run, "second");
    assert_int_equal(now->difference_count, 1);
    assert_string_equal(now->differences[0].name, "place.description");
    assert_string_equal(now->differences[0].a, "an old processor");
    assert_string_equal(now->differences[0].b, "a processor");
    sy_html_content_destroy(content);
    content = collect_limited(l, 1); /* the baseline has no page, and is read for what it began with */
    assert_string_equal(content->runs[0].run->row.id, "now");
    assert_int_equal(content->runs[0].difference_count, 1);
    sy_html_content_destroy(content);
}

static void a_baseline_that_is_not_in_the_ledger_is_not_told(void **state)
{
    life *l = *state;
    add_accepted(l, "a", 5, NULL);
    add_session(l, &raised_alarm); /* its verdict names b1 to b5, which came from elsewhere */
    sy_html_content *content = collect_page(l);
    assert_string_equal(page_of(content, "alarm")->baseline_run, "");
    sy_html_content_destroy(content);
}

/* ---- what verdicts say of series ---- */

static void add_judged(const life *l, const char *id, double p)
{
    batch b = {.count = 0};
    const char *const sessions[] = {id};
    const sy_metric_verdict metric = {.metric = {.series = "wall", .case_name = "", .implementation = "", .unit = "s"},
                                      .judgement = {.p = p},
                                      .reason = "it is as it was"};
    const sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                                    .word = SY_JUDGEMENT_PASS,
                                    .reason = SY_JUDGEMENT_REASON_INSIDE,
                                    .sessions = sessions,
                                    .session_count = 1,
                                    .metrics = &metric,
                                    .metric_count = 1,
                                    .alpha = 0.02};
    open_session(&b, &(spec){.id = id});
    batch_series(&b, id, "wall", fixture_samples, 3);
    batch_series(&b, id, "load", fixture_samples, 3);
    batch_end(&b, id, SY_RUN_OK);
    BATCH_ADD(&b, SY_EVENT_VERDICT, id, sy_run_verdict_write, &verdict);
    append(l, &b);
}

static void a_series_is_told_what_the_last_verdict_of_its_line_says(void **state)
{
    life *l = *state;
    add_judged(l, "a", 0.25);
    add_judged(l, "b", 0.5);
    sy_html_content *content = collect_page(l);
    const sy_html_series *wall = series_of(content, "wall", SY_STATISTIC_P50);
    assert_non_null(wall->judged);
    assert_true(wall->judged->judgement.p == 0.5);
    assert_null(series_of(content, "load", SY_STATISTIC_P50)->judged);
    sy_html_content_destroy(content);
    add_session(l, &(spec){.id = "c", .judged = true, .reason = SY_JUDGEMENT_REASON_INSIDE}); /* of no metrics */
    content = collect_page(l);
    assert_null(series_of(content, "wall", SY_STATISTIC_P50)->judged); /* what an older one said is not the last word */
    sy_html_content_destroy(content);
}

/* ---- self-tests ---- */

static void of_each_gate_and_metric_the_newest_self_test_is_told(void **state)
{
    life *l = *state;
    batch b = {.count = 0};
    batch_selftest(&b, LIFE_GATE, false);
    batch_selftest(&b, LIFE_OTHER_GATE, false);
    batch_selftest(&b, LIFE_GATE, true);
    append(l, &b);
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->selftest_count, 2);
    assert_string_equal(content->selftests[0].gate, LIFE_GATE);
    assert_true(content->selftests[0].can_fail);
    assert_string_equal(content->selftests[1].gate, LIFE_OTHER_GATE);
    sy_html_content_destroy(content);
}

/* ---- samples, and runs with very many series ---- */

static void samples_that_are_gone_are_said_to_be_so(void **state)
{
    static const double samples[] = {4, 3, 2, 1, 0.5};
    life *l = *state;
    sqlite3 *database = NULL;
    char path[600];
    batch b = {.count = 0};
    open_session(&b, &(spec){.id = "a"});
    batch_series(&b, "a", "kept", fixture_samples, 3);
    batch_series(&b, "a", "gone", samples, 5);
    batch_series(&b, "a", "none", samples, 0);
    close_session(l, &b, "a");
    snprintf(path, sizeof path, "%s/.steelyard/ledger.sqlite", l->root);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "DROP TRIGGER series_is_not_deleted; DELETE FROM series WHERE count = 5",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_total_changes(database), 1);
    sqlite3_close(database);
    sy_html_content *content = collect_page(l);
    const sy_html_run *run = page_of(content, "a");
    assert_int_equal(run->run->series_count, 3);
    assert_false(run->strips[0].samples_missing);
    assert_true(run->strips[0].first == 0.25 && run->strips[0].drawn_count == 3);
    assert_true(run->strips[1].samples_missing && isnan(run->strips[1].low) && run->strips[1].drawn_count == 0);
    assert_false(run->strips[2].samples_missing); /* there never were any */
    assert_int_equal(content->point_count, 2);    /* figures stand in the ledger by themselves */
    sy_html_content_destroy(content);
}

enum { MANY = 4001 };

static void add_large(const life *l, const char *id)
{
    sy_ledger_entry *entries = calloc(MANY, sizeof *entries);
    sy_text *bodies = calloc(MANY, sizeof *bodies);
    batch b = {.count = 0};
    assert_true(entries != NULL && bodies != NULL);
    open_session(&b, &(spec){.id = id});
    append(l, &b);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        sy_run_series series = {.name = name,
                                .unit = "s",
                                .role = SY_SERIES_SAMPLE,
                                .case_name = "",
                                .implementation = "",
                                .samples = fixture_samples,
                                .count = 3,
                                .note = ""};
        snprintf(name, sizeof name, "wall %04d", i);
        bodies[i] = (sy_text)SY_TEXT_INIT;
        assert_int_equal(sy_run_series_write(&series, &bodies[i], NULL), SY_OK);
        entries[i] = (sy_ledger_entry){.kind = SY_EVENT_SERIES,
                                       .run = id,
                                       .body = sy_text_bytes(&bodies[i]),
                                       .body_size = bodies[i].length,
                                       .samples = fixture_samples,
                                       .sample_count = 3};
    }
    assert_int_equal(sy_ledger_append(sy_project_ledger(l->project), entries, MANY, NULL, NULL), SY_OK);
    for (int i = 0; i < MANY; i++) {
        sy_text_finish(&bodies[i]);
    }
    free(entries);
    free(bodies);
    batch_note(&b, id, "after them");
    close_session(l, &b, id);
}

static void a_run_of_very_many_series_has_a_page_without_their_samples(void **state)
{
    static const char *const ids[] = {"large0", "large1", "large2", "large3", "large4"};
    life *l = *state;
    for (int i = 0; i < 5; i++) {
        add_large(l, ids[i]);
    }
    add_session(l, &(spec){.id = "small"});
    sy_html_content *content = collect_page(l);
    assert_int_equal(content->series_count, MANY + 1);
    assert_int_equal(content->point_count, 5 * MANY + 1);
    assert_non_null(page_of(content, "small")->strips);
    const sy_html_run *large = page_of(content, "large4");
    assert_null(large->strips);
    assert_int_equal(large->run->series_count, 0);
    assert_int_equal(large->run->row.series_count, MANY);
    assert_string_equal(large->run->begin.question, "Is it as fast as it was?");
    assert_int_equal(large->run->note_count, 1); /* all but the series is there */
    assert_int_equal(large->run->row.status, SY_RUN_OK);
    assert_non_null(page_of(content, "large1"));
    assert_null(page_of(content, "large0")); /* 20,000 series and no more have pages */
    assert_int_equal(content->run_total, 6);
    sy_html_content_destroy(content);
}

/* ---- while others write ---- */

static void append_for_ever(const char *root)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_project *project = NULL;
    options.root = root;
    options.create = true;
    if (sy_project_open(&options, &project, NULL) != SY_OK) {
        _exit(1);
    }
    for (unsigned long i = 0;; i++) {
        char id[32];
        snprintf(id, sizeof id, "w%08lu", i);
        append_session(sy_project_ledger(project), id); /* six events */
    }
}

static void a_ledger_that_is_written_meanwhile_is_seen_at_one_moment(void **state)
{
    life *l = *state;
    uint64_t before = 0;
    const pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        append_for_ever(l->root);
    }
    for (int changes = 0; changes < 10;) {
        sy_html_content *content = collect_limited(l, 5);
        const uint64_t head = content->dashboard->head.number; /* the first one opened the ledger */
        assert_int_equal(content->session_count, head > 0 ? (head - 1) / 6 : 0);
        assert_int_equal(content->point_count, content->session_count);
        assert_int_equal(content->run_total, content->session_count);
        assert_int_equal(content->dashboard->session_count, content->session_count);
        assert_int_equal(content->run_count, content->session_count < 5 ? content->session_count : 5);
        changes += head != before;
        before = head;
        sy_html_content_destroy(content);
        assert_int_equal(waitpid(writer, NULL, WNOHANG), 0); /* it writes still */
    }
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
}

/* ---- without memory ---- */

static sy_status collect_once(void *user)
{
    const life *l = user;
    sy_html_content *content = NULL;
    const sy_status status = sy_project_html(l->project, NULL, &content, NULL);
    sy_html_content_destroy(content);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    life *l = *state;
    batch b = {.count = 0};
    char digest[65];
    add_at(l, "first", "an old processor", true);
    add_at(l, "second", "a processor", false);
    add_judged(l, "a", 0.25);
    open_session(&b, &(spec){.id = "m"});
    batch_memory(&b, "m", 1);
    batch_selftest(&b, LIFE_GATE, false);
    close_session(l, &b, "m");
    digest_of(&(spec){.id = "m"}, digest);
    sy_html_content *content = collect_page(l);
    assert_true(content->series_count > 2 && page_of(content, "second")->difference_count == 1);
    sy_html_content_destroy(content);
    assert_true(fault_loop_allocations(collect_once, l, true) > 50);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_stands_open_comes_first_then_what_is_promoted_then_each_line),
        TEST(a_run_of_its_own_choice_comes_first),
        TEST(a_run_is_held_against_the_newest_accepted_one_of_its_key_before_it),
        TEST(a_baseline_that_is_not_in_the_ledger_is_not_told),
        TEST(a_series_is_told_what_the_last_verdict_of_its_line_says),
        TEST(of_each_gate_and_metric_the_newest_self_test_is_told),
        TEST(samples_that_are_gone_are_said_to_be_so),
        TEST(a_run_of_very_many_series_has_a_page_without_their_samples),
        TEST(a_ledger_that_is_written_meanwhile_is_seen_at_one_moment),
        TEST(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
