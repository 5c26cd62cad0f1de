/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of proof on a real database: every column of every table is changed by hand, one at a time, and found. */
#include "cmocka_headers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_tamper.h"

/* Which event a row of a table belongs to; 0 = any will do. */
static uint64_t event_of(sqlite3 *database, const char *table, const char *rowid)
{
    static const struct {
        const char *table;
        const char *sql;
    } owners[] = {
        {"event", "SELECT number FROM event WHERE rowid=%s"},
        {"series", "SELECT event FROM series WHERE rowid=%s"},
        {"run", "SELECT number FROM run WHERE rowid=%s"},
        {"facet", "SELECT min(number) FROM run WHERE facet=%s"},
        {"revision", "SELECT min(number) FROM run WHERE revision=%s"},
        {"comparison_key", "SELECT min(number) FROM run WHERE comparison_key=%s"},
        {"figure", "SELECT event FROM figure WHERE event=%s"},
        {"metric", "SELECT min(event) FROM figure WHERE metric=%s"},
    };
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        if (strcmp(owners[i].table, table) == 0) {
            char sql[256];
            snprintf(sql, sizeof sql, owners[i].sql, rowid);
            char *answer = ask(database, sql);
            number = answer == NULL ? 0 : strtoull(answer, NULL, 10);
            free(answer);
        }
    }
    return number;
}

/* The next item of a list that sqlite made with commas; "" at the end. */
static const char *next_item(const char **at, char *item, size_t size)
{
    size_t length = strcspn(*at, ",");
    snprintf(item, size, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ',' ? 1 : 0);
    return item;
}

/* What a table's rows are named by. */
static const char *name_of_rows(const char *table)
{
    return strcmp(table, "figure") == 0 ? "event" : "rowid";
}

/* A value of the column's type that is another one: digests stay digits, numbers move out of the way of others. */
static void write_change(char *sql, size_t size, const char *table, const char *column, const char *rowid)
{
    snprintf(sql, size,
             "UPDATE %s SET %s = CASE typeof(%s) WHEN 'integer' THEN iif(%s IN (0, 1), 1 - %s, %s + 1000003) WHEN "
             "'blob' THEN "
             "CAST(substr(%s, 2) || X'07' AS BLOB) WHEN 'null' THEN 1 ELSE "
             "substr(%s, 1, length(%s) - 1) || iif(substr(%s, -1) = '7', '8', '7') END WHERE %s=%s",
             table, column, column, column, column, column, column, column, column, column, name_of_rows(table), rowid);
}

/* Tables that runs and figures point to; the others' rows have events of their own. */
static bool is_pointed_at(const char *table)
{
    return strcmp(table, "facet") == 0 || strcmp(table, "revision") == 0 || strcmp(table, "comparison_key") == 0 ||
           strcmp(table, "metric") == 0;
}

/* Whether a cell says anything: what no run points to does not, but for its count. */
static bool says_something(const char *table, const char *column, uint64_t number)
{
    return !is_pointed_at(table) || number != 0 || strcmp(column, "runs") == 0;
}

/* How many cells were changed. */
static size_t change_every_cell(const fixture *f, const char *table)
{
    char sql[1024];
    char rowid[32];
    char column[64];
    size_t count = 0;
    sqlite3 *database = open_database(f);
    snprintf(sql, sizeof sql, "SELECT group_concat(%s) FROM %s", name_of_rows(table), table);
    char *rowids = ask(database, sql);
    snprintf(sql, sizeof sql, "SELECT group_concat(name) FROM pragma_table_info('%s')", table);
    char *columns = ask(database, sql);
    sqlite3_close(database);
    for (const char *row = rowids; row != NULL && *next_item(&row, rowid, sizeof rowid) != '\0';) {
        for (const char *at = columns; *next_item(&at, column, sizeof column) != '\0';) {
            restore(f);
            database = open_database(f);
            uint64_t number = event_of(database, table, rowid);
            sqlite3_close(database);
            if (!says_something(table, column, number)) {
                continue;
            }
            if (strcmp(table, "facet") == 0 && number != 0) { /* those of no run would stand in the way */
                change(f, "DELETE FROM facet WHERE runs = 0");
            }
            write_change(sql, sizeof sql, table, column, rowid);
            change(f, sql);
            sy_ledger_verdict *verdict = verify(f, NULL);
            bool found = number == 0 ? verdict->fault_total > 0 : has_fault(verdict, number, NULL);
            found = found || (is_pointed_at(table) && has_fault(verdict, 0, "damaged"));
            if (!found) {
                print_message("%s.%s of row %s is changed, event %llu:\n", table, column, rowid,
                              (unsigned long long)number);
                print_faults(verdict);
            }
            assert_true(found);
            sy_ledger_verdict_destroy(verdict);
            count++;
        }
    }
    free(rowids);
    free(columns);
    return count;
}

static void every_column_of_every_table_is_held_against_the_events(void **state)
{
    fixture *f = *state;
    char table[64];
    size_t tables = 0;
    size_t cells = 0;
    sqlite3 *database = open_database(f);
    char *names = ask(database, "SELECT group_concat(name) FROM sqlite_master WHERE type='table' AND name NOT LIKE "
                                "'sqlite_%'");
    sqlite3_close(database);
    for (const char *at = names; *next_item(&at, table, sizeof table) != '\0';) {
        size_t changed = change_every_cell(f, table);
        assert_true(changed > 0);
        cells += changed;
        tables++;
    }
    free(names);
    assert_true(tables >= 4);
    assert_true(cells > 150);
    restore(f);
    expect_clean(f, NULL);
}

static void every_row_that_is_removed_is_missed(void **state)
{
    static const char *const tables[] = {"event", "series", "run", "figure"};
    fixture *f = *state;
    char sql[256];
    char rowid[32];
    uint64_t end = last_number(f);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        sqlite3 *database = open_database(f);
        snprintf(sql, sizeof sql, "SELECT group_concat(%s) FROM %s", name_of_rows(tables[i]), tables[i]);
        char *rowids = ask(database, sql);
        sqlite3_close(database);
        for (const char *row = rowids; *next_item(&row, rowid, sizeof rowid) != '\0';) {
            restore(f);
            database = open_database(f);
            uint64_t number = event_of(database, tables[i], rowid);
            sqlite3_close(database);
            snprintf(sql, sizeof sql, "DELETE FROM %s WHERE %s=%s", tables[i], name_of_rows(tables[i]), rowid);
            change(f, sql);
            sy_ledger_verdict *verdict = verify(f, NULL);
            bool last = strcmp(tables[i], "event") == 0 && number == end; /* its absence is for anchors to tell */
            if (!last && !has_fault(verdict, number, NULL)) {
                print_message("%s, row %s, event %llu\n", tables[i], rowid, (unsigned long long)number);
                print_faults(verdict);
            }
            assert_true(last || has_fault(verdict, number, NULL));
            sy_ledger_verdict_destroy(verdict);
        }
        free(rowids);
    }
    restore(f);
}

static sy_status pass_over(void *user, const void *bytes, size_t size, sy_error *err)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)err;
    return SY_OK;
}

static void what_could_not_be_imported_again_is_not_exported(void **state)
{
    static const char *const changes[] = {
        ("UPDATE event SET number=99 WHERE number=3; UPDATE event SET number=3 WHERE number=4; "
         "UPDATE event SET number=4 WHERE number=99"),
        "UPDATE series SET samples=zeroblob(8*count)",
        "UPDATE series SET count=1, samples=substr(samples, 1, 8)",
    };
    fixture *f = *state;
    for (size_t i = 0; i <= sizeof changes / sizeof changes[0]; i++) {
        sy_error err = SY_ERROR_INIT;
        restore(f);
        if (i > 0) {
            change(f, changes[i - 1]);
        }
        sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
        assert_int_equal(sy_ledger_export(ledger, true, pass_over, NULL, NULL, &err), i == 0 ? SY_OK : SY_CORRUPT);
        assert_true(i == 0 || strstr(err.what, "changed") != NULL);
        sy_ledger_close(ledger);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_column_of_every_table_is_held_against_the_events, start_judged, stop),
        cmocka_unit_test_setup_teardown(every_row_that_is_removed_is_missed, start_judged, stop),
        cmocka_unit_test_setup_teardown(what_could_not_be_imported_again_is_not_exported, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
