/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of lists that other hands have changed: no figure and no member of a row is taken for what the events say. */
#include "ledger_tamper.h"

#include "ledger/lists/listed.h"

/* What is found of the run THIRD after the change (NULL: none). */
static sy_status check_after(const fixture *f, const char *sql, bool figures_too, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_list *runs = NULL;
    sy_figure_list *figures = NULL;
    const sy_run_row *row = NULL;
    size_t first = 0, count = 0;
    restore(f);
    if (sql != NULL) {
        change(f, sql);
    }
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    assert_int_equal(sy_ledger_runs(ledger, &filter, &runs, NULL), SY_OK);
    assert_int_equal(sy_ledger_figures(ledger, &filter, &figures, NULL), SY_OK);
    for (size_t i = 0; i < runs->row_count; i++) {
        row = strcmp(runs->rows[i].id, THIRD) == 0 ? &runs->rows[i] : row;
    }
    assert_non_null(row);
    for (size_t i = 0; i < figures->row_count; i++) {
        bool is_of_run = figures->rows[i].run_number == row->number;
        first = is_of_run && count == 0 ? i : first;
        count += is_of_run;
    }
    sy_status status = sy_ledger_check_listed(ledger, row, figures_too ? figures->rows + first : NULL, count, err);
    sy_run_list_destroy(runs);
    sy_figure_list_destroy(figures);
    sy_ledger_close(ledger);
    return status;
}

static void an_untouched_list_says_what_the_events_say(void **state)
{
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(check_after(*state, NULL, true, &err), SY_OK);
}

static void a_list_that_somebody_edited_is_not_believed(void **state)
{
    static const struct {
        const char *sql, *named;
        bool figures;
    } edits[] = {
        {"UPDATE run SET lease_whole = 0", "lease_whole", false},
        {"UPDATE run SET host = 'another'", "host", false},
        {"UPDATE run SET promoted = 0", "promoted", false},
        {"UPDATE run SET fence = fence + 1", "fence", false},
        {"UPDATE facet SET cell = 'matmul::gpu'", "cell", false},
        {"UPDATE figure SET p50 = p50 / 2", "figures", true},
        {"UPDATE figure SET maximum = NULL", "figures", true},
        {"UPDATE figure SET usable_count = usable_count + 1", "figures", true},
        {"UPDATE metric SET unit = 'ms' WHERE is_memory = 0", "figures", true},
        {"UPDATE metric SET basis = 'physical', scope = 'unified' WHERE is_memory = 1", "figures", true},
        {"DELETE FROM figure WHERE metric IN (SELECT id FROM metric WHERE is_memory = 1)", "figures", true},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        sy_status status = check_after(*state, edits[i].sql, true, &err);
        if (status != SY_CORRUPT || strstr(err.what, edits[i].named) == NULL) {
            print_message("%s: %s\n", edits[i].sql, err.what);
        }
        assert_int_equal(status, SY_CORRUPT);
        assert_non_null(strstr(err.what, edits[i].named));
        assert_non_null(strstr(err.hint, "ledger verify"));
        if (edits[i].figures) {
            assert_int_equal(check_after(*state, edits[i].sql, false, NULL), SY_OK);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_untouched_list_says_what_the_events_say, start_judged, stop),
        cmocka_unit_test_setup_teardown(a_list_that_somebody_edited_is_not_believed, start_judged, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
