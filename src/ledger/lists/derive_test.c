/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of an older ledger: its list of runs and its figures are made again from its events, for ever when it is opened
 * to be written, in a copy when it is only read; what is damaged in it is told by the proof, not by the opening. */
#include "ledger_tamper.h"

#include "ledger/sqlite/sqlite_inside.h"

/* Makes the ledger of the fixture one of version 1: the tables of then with the same events and samples, and a list
 * that is wrong, which nobody may believe. */
static void make_old(const fixture *f)
{
    char sql[1200];
    char new_path[600];
    sqlite3 *old = NULL;
    snprintf(new_path, sizeof new_path, "%s.new", f->path);
    restore(f);
    assert_int_equal(rename(f->path, new_path), 0);
    assert_int_equal(sqlite3_open(f->path, &old), SQLITE_OK);
    run_sql(old, (const char *)sy_migrations[0].sql);
    snprintf(sql, sizeof sql,
             "PRAGMA user_version = 1; PRAGMA application_id = %d; ATTACH '%s' AS new; "
             "INSERT INTO main.meta SELECT * FROM new.meta; INSERT INTO main.event SELECT * FROM new.event; "
             "INSERT INTO main.series SELECT * FROM new.series; "
             "INSERT INTO main.facet (gate, cell, tier, device, origin, kind, status, parity, accepted) VALUES "
             "('', '', '', '', '', 'session', 'ok', 'passed', 1); INSERT INTO main.revision VALUES (1, 'r'); "
             "INSERT INTO main.run VALUES "
             "(2, 'invented', 1, NULL, 1, '', '', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); DETACH new",
             SY_SQLITE_APPLICATION_ID, new_path);
    run_sql(old, sql);
    run_sql(old, "PRAGMA journal_mode = WAL");
    sqlite3_close(old);
    assert_int_equal(remove(new_path), 0);
}

static char *version_of(const fixture *f)
{
    sqlite3 *database = open_database(f);
    char *version = ask(database, "PRAGMA user_version");
    sqlite3_close(database);
    return version;
}

static void expect_version(const fixture *f, const char *expected)
{
    char *version = version_of(f);
    assert_string_equal(version, expected);
    free(version);
}

/* All that the lists say of runs and of their figures, as one text. */
static void write_lists(sy_ledger *ledger, sy_text *to)
{
    sy_run_list *runs = NULL;
    sy_figure_list *figures = NULL;
    assert_int_equal(sy_ledger_runs(ledger, NULL, &runs, NULL), SY_OK);
    assert_int_equal(sy_ledger_figures(ledger, NULL, &figures, NULL), SY_OK);
    for (size_t i = 0; i < runs->row_count; i++) {
        const sy_run_row *row = &runs->rows[i];
        sy_text_append_format(to, "%s %d %s %s %d %d %d %d %d %s %s %s\n", row->id, (int)row->number,
                              sy_run_status_word(row->status), sy_run_parity_word(row->parity), row->accepted,
                              row->begins_baseline, row->judged, (int)row->verdict_number, (int)row->promoted,
                              row->key_digest, row->revision, row->question);
    }
    for (size_t i = 0; i < figures->row_count; i++) {
        const sy_figure_row *figure = &figures->rows[i];
        sy_text_append_format(to, "%s %d %s %s %d %g %g %g %g\n", figure->run, figure->is_memory, figure->name,
                              figure->unit, (int)figure->usable_count, figure->p50, figure->p95, figure->minimum,
                              figure->maximum);
    }
    sy_run_list_destroy(runs);
    sy_figure_list_destroy(figures);
}

static sy_ledger *open_to_read(const fixture *f)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_error err = SY_ERROR_INIT;
    options.folder = f->folder;
    options.read_only = true;
    sy_status status = sy_ledger_open_with(&options, &f->clock.clock, &ledger, &err);
    if (status != SY_OK) {
        print_message("%s\n", err.what);
    }
    assert_int_equal(status, SY_OK);
    return ledger;
}

static uint64_t fault_count(sy_ledger *ledger)
{
    sy_ledger_verdict *verdict = NULL;
    assert_int_equal(sy_ledger_verify(ledger, NULL, &verdict, NULL), SY_OK);
    uint64_t count = verdict->fault_total;
    print_faults(verdict);
    sy_ledger_verdict_destroy(verdict);
    return count;
}

static void what_an_older_ledger_says_is_made_again_from_its_events(void **state)
{
    fixture *f = *state;
    sy_text expected = SY_TEXT_INIT;
    sy_text found = SY_TEXT_INIT;
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    write_lists(ledger, &expected);
    sy_ledger_close(ledger);
    assert_non_null(strstr(expected.bytes, THIRD " 1 peak bytes 1 4096 4096 4096 4096"));
    make_old(f);
    ledger = open_to_read(f); /* in a copy */
    write_lists(ledger, &found);
    assert_string_equal(found.bytes, expected.bytes);
    assert_int_equal(fault_count(ledger), 0);
    sy_ledger_close(ledger);
    expect_version(f, "1");
    sy_text_clear(&found);
    ledger = open_ledger(f->folder, &f->clock.clock); /* for ever */
    write_lists(ledger, &found);
    assert_string_equal(found.bytes, expected.bytes);
    assert_int_equal(fault_count(ledger), 0);
    append_session(ledger, "20261129-120000-000009");
    assert_int_equal(fault_count(ledger), 0);
    sy_ledger_close(ledger);
    expect_version(f, "2");
    sy_text_finish(&expected);
    sy_text_finish(&found);
}

/* Faults that were there before are no reason to refuse the ledger: who would look at it then? */
static void a_damaged_older_ledger_opens_and_its_faults_are_told(void **state)
{
    fixture *f = *state;
    make_old(f);
    change(f, "UPDATE event SET bytes = 'nothing' WHERE number = 3; UPDATE event SET run = 'nobody' WHERE number = 9");
    sy_ledger *ledger = open_to_read(f);
    uint64_t faults = fault_count(ledger);
    assert_true(faults >= 2);
    sy_ledger_close(ledger);
    ledger = open_ledger(f->folder, &f->clock.clock);
    assert_int_equal(fault_count(ledger), faults);
    sy_ledger_close(ledger);
}

/* Killed on the way, it is what it was: all of it is one transaction. */
static void a_writer_who_holds_an_older_ledger_keeps_it_from_being_brought_up_to_date(void **state)
{
    fixture *f = *state;
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    make_old(f);
    sqlite3 *writer = open_database(f);
    run_sql(writer, "BEGIN IMMEDIATE");
    options.folder = f->folder;
    options.wait_ns = 1;
    assert_int_equal(sy_ledger_open_with(&options, &f->clock.clock, &ledger, NULL), SY_BUSY);
    run_sql(writer, "ROLLBACK");
    sqlite3_close(writer);
    expect_version(f, "1");
    options.wait_ns = UINT64_C(60000000000);
    assert_int_equal(sy_ledger_open_with(&options, &f->clock.clock, &ledger, NULL), SY_OK);
    assert_int_equal(fault_count(ledger), 0);
    sy_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_an_older_ledger_says_is_made_again_from_its_events, start_judged, stop),
        cmocka_unit_test_setup_teardown(a_damaged_older_ledger_opens_and_its_faults_are_told, start_judged, stop),
        cmocka_unit_test_setup_teardown(a_writer_who_holds_an_older_ledger_keeps_it_from_being_brought_up_to_date,
                                        start_judged, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
