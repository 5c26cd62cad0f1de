/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of lists that stand beside the runs: figures, changes of histories, self-tests of gates; and of a run whole
 * with all that was said of it afterwards. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ledger_fixture.h"

#define NOON INT64_C(1795953600)
#define LINE_A "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define LINE_B "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

typedef struct fixture {
    sy_clock_manual clock;
    sy_ledger *ledger;
} fixture;

static int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return -1;
    }
    sy_clock_manual_start(&f->clock, 0, NOON);
    f->ledger = open_ledger(NULL, &f->clock.clock);
    *state = f;
    return 0;
}

static int stop(void **state)
{
    fixture *f = *state;
    sy_ledger_close(f->ledger);
    free(f);
    return 0;
}

static void append(fixture *f, batch *b)
{
    sy_error err = SY_ERROR_INIT;
    sy_status status = batch_append(b, f->ledger, &err);
    if (status != SY_OK) {
        print_message("%s\n", err.what);
    }
    assert_int_equal(status, SY_OK);
}

/* ---- figures ---- */

/* A session with two series, one of them without a usable sample, and a memory figure. */
static void append_rich_session(fixture *f, const char *id)
{
    static const double unusable[] = {NAN};
    batch b = {.count = 0};
    sy_run_begin begin = fixture_begin(id);
    batch_begin(&b, &begin);
    batch_lease(&b, id, 3);
    batch_series(&b, id, "wall", fixture_samples, 3);
    batch_memory(&b, id, 8192);
    batch_series(&b, id, "broken", unusable, 1);
    append(f, &b);
}

static void figures_are_those_of_the_series_and_of_memory_in_their_order(void **state)
{
    fixture *f = *state;
    sy_figure_list *list = NULL;
    append_rich_session(f, "second-in-name");
    append_rich_session(f, "a-first-in-name");
    assert_int_equal(sy_ledger_figures(f->ledger, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 6);
    const sy_figure_row *wall = &list->rows[0];
    const sy_figure_row *peak = &list->rows[1];
    const sy_figure_row *broken = &list->rows[2];
    assert_string_equal(wall->run, "second-in-name");
    assert_string_equal(wall->name, "wall");
    assert_string_equal(wall->unit, "s");
    assert_false(wall->is_memory);
    assert_int_equal(wall->usable_count, 3);
    assert_true(wall->minimum == 0.125 && wall->p50 == 0.25 && wall->p95 == 0.5 && wall->maximum == 0.5);
    assert_true(peak->is_memory && peak->basis == SY_MEMORY_CONSTRAINED && peak->scope == SY_MEMORY_PROCESS_TREE);
    assert_string_equal(peak->unit, "bytes");
    assert_true(peak->p50 == 8192 && peak->maximum == 8192 && peak->usable_count == 1);
    assert_int_equal(broken->usable_count, 0);
    assert_true(isnan(broken->p50) && isnan(broken->maximum));
    assert_string_equal(list->rows[3].run, "a-first-in-name");
    assert_string_equal(list->rows[3].name, "wall");
    assert_true(list->rows[3].run_number > wall->run_number);
    sy_figure_list_destroy(list);
}

static void a_limit_of_figures_counts_runs(void **state)
{
    fixture *f = *state;
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_figure_list *list = NULL;
    for (int i = 0; i < 4; i++) {
        char id[16];
        snprintf(id, sizeof id, "run-%d", i);
        append_rich_session(f, id);
    }
    filter.limit = 2;
    assert_int_equal(sy_ledger_figures(f->ledger, &filter, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 6);
    assert_string_equal(list->rows[0].run, "run-2");
    filter.before_number = list->rows[0].run_number;
    sy_figure_list_destroy(list);
    assert_int_equal(sy_ledger_figures(f->ledger, &filter, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 6);
    assert_string_equal(list->rows[0].run, "run-0");
    sy_figure_list_destroy(list);
    filter.revision = "abc";
    assert_int_equal(sy_ledger_figures(f->ledger, &filter, &list, NULL), SY_INVALID_ARGUMENT);
    sy_figure_list_destroy(NULL);
}

/* What is refused leaves no figures behind. */
static void an_append_that_is_refused_leaves_no_figures(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_figure_list *list = NULL;
    sy_run_begin begin = fixture_begin("a");
    batch_begin(&b, &begin);
    batch_lease(&b, "a", 3);
    batch_series(&b, "a", "wall", fixture_samples, 3);
    batch_accept(&b, "a"); /* it has not ended */
    assert_int_equal(batch_append(&b, f->ledger, NULL), SY_REFUSED);
    assert_int_equal(sy_ledger_figures(f->ledger, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->row_count, 0);
    sy_figure_list_destroy(list);
}

/* ---- changes and self-tests ---- */

static void changes_are_listed_by_their_line(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_change_rows *rows = NULL;
    append_session(f->ledger, "a");
    append_session(f->ledger, "b");
    batch_change(&b, "b", LINE_A, "a");
    batch_change(&b, "b", LINE_B, "a");
    append(f, &b);
    sy_run_change again = {.state = SY_CHANGE_CONFIRMED,
                           .line = LINE_A,
                           .metric = {.series = "wall"},
                           .before = "a",
                           .effect = 0.25,
                           .refers = 14};
    BATCH_ADD(&b, SY_EVENT_CHANGE, "b", sy_run_change_write, &again);
    append(f, &b);
    assert_int_equal(sy_ledger_changes(f->ledger, NULL, &rows, NULL), SY_OK);
    assert_int_equal(rows->row_count, 3);
    sy_change_rows_destroy(rows);
    assert_int_equal(sy_ledger_changes(f->ledger, LINE_A, &rows, NULL), SY_OK);
    assert_int_equal(rows->row_count, 2);
    assert_int_equal(rows->rows[0].number, 14); /* the opening, twice six events, and it */
    assert_string_equal(rows->rows[0].run, "b");
    assert_string_equal(rows->rows[0].change.before, "a");
    assert_int_equal(rows->rows[1].change.state, SY_CHANGE_CONFIRMED);
    assert_int_equal(rows->rows[1].change.refers, 14);
    sy_change_rows_destroy(rows);
    assert_int_equal(sy_ledger_changes(f->ledger, "", &rows, NULL), SY_OK);
    assert_int_equal(rows->row_count, 0);
    sy_change_rows_destroy(rows);
}

static void self_tests_are_listed_by_their_gate_the_newest_first(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_selftest_list *list = NULL;
    batch_selftest(&b, "g1", false);
    batch_selftest(&b, "g2", true);
    append(f, &b);
    f->clock.utc += 60;
    batch_selftest(&b, "g1", true);
    append(f, &b);
    assert_int_equal(sy_ledger_selftests(f->ledger, "g1", &list, NULL), SY_OK);
    assert_int_equal(list->test_count, 2);
    assert_true(list->tests[0].can_fail && !list->tests[1].can_fail);
    assert_int_equal(list->numbers[0], 4);
    assert_int_equal(list->numbers[1], 2);
    assert_int_equal(list->at_utc_s[0], NOON + 60);
    sy_selftest_list_destroy(list);
    assert_int_equal(sy_ledger_selftests(f->ledger, NULL, &list, NULL), SY_OK);
    assert_int_equal(list->test_count, 3);
    assert_string_equal(list->tests[1].gate, "g2");
    sy_selftest_list_destroy(list);
}

static void a_self_test_that_cannot_be_read_is_not_written(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_error err = SY_ERROR_INIT;
    batch_raw(&b, SY_EVENT_SELFTEST, "", "{\"gate\":\"g\"}");
    assert_int_equal(batch_append(&b, f->ledger, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "'metric' is missing"));
    batch_raw(&b, SY_EVENT_VERDICT, "", "{}");
    assert_int_equal(batch_append(&b, f->ledger, &err), SY_INVALID_ARGUMENT);
}

/* ---- a run whole ---- */

static void a_run_carries_what_was_said_of_it(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    sy_run *run = NULL;
    append_session(f->ledger, "a");
    uint64_t replaces = 0;
    for (uint64_t i = 0; i < 9; i++) { /* more than an array begins with */
        bool last = i == 8;
        batch_verdict(&b, "a", last ? SY_JUDGEMENT_PASS : SY_JUDGEMENT_INVESTIGATE,
                      last ? SY_JUDGEMENT_REASON_REFUTED : SY_JUDGEMENT_REASON_UNCONFIRMED, replaces);
        replaces = 8 + i; /* behind the opening and the session's six */
    }
    batch_signoff(&b, "a", replaces);
    batch_change(&b, "a", LINE_A, "z");
    append(f, &b);
    assert_int_equal(sy_ledger_run(f->ledger, "a", &run, NULL), SY_OK);
    assert_int_equal(run->verdict_count, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(run->verdict_numbers[i], 8 + i);
        assert_int_equal(run->verdicts[i].replaces, i == 0 ? 0 : 7 + i);
    }
    assert_int_equal(run->verdicts[8].word, SY_JUDGEMENT_PASS);
    assert_int_equal(run->row.verdict_number, 16);
    assert_true(run->row.raised && run->row.signed_off);
    assert_int_equal(run->signoff_count, 1);
    assert_int_equal(run->signoffs[0].verdict, 16);
    assert_int_equal(run->change_count, 1);
    assert_int_equal(run->promotion_count, 0);
    sy_run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(figures_are_those_of_the_series_and_of_memory_in_their_order, start, stop),
        cmocka_unit_test_setup_teardown(a_limit_of_figures_counts_runs, start, stop),
        cmocka_unit_test_setup_teardown(an_append_that_is_refused_leaves_no_figures, start, stop),
        cmocka_unit_test_setup_teardown(changes_are_listed_by_their_line, start, stop),
        cmocka_unit_test_setup_teardown(self_tests_are_listed_by_their_gate_the_newest_first, start, stop),
        cmocka_unit_test_setup_teardown(a_self_test_that_cannot_be_read_is_not_written, start, stop),
        cmocka_unit_test_setup_teardown(a_run_carries_what_was_said_of_it, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
