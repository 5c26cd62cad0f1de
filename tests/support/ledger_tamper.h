/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger on the disk that is changed by hand, below all that guards it, and what proof says of it. Needs cmocka. */
#ifndef STEELYARD_TESTS_LEDGER_TAMPER_H
#define STEELYARD_TESTS_LEDGER_TAMPER_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "ledger_fixture.h"
#include "temporary_folder.h"

#define NOON INT64_C(1795953600)
/* Its runs. */
#define FIRST "20261129-120000-000001"
#define SECOND "20261129-120000-000002"

typedef struct fixture {
    sy_clock_manual clock;
    char *folder;
    char path[512];    /* of the database */
    char anchors[512]; /* beside it */
    char file[65];     /* digest of a kept file */
    char *bytes;       /* of the database as it was written */
    size_t size;
} fixture;

static inline void fill(fixture *f)
{
    batch b = {.count = 0};
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    sy_run_begin begin = fixture_import("import-1");
    sy_run_end end = {SY_RUN_SUPERSEDED, "", "", SECOND};
    append_session(ledger, FIRST);
    f->clock.utc += 60;
    append_session(ledger, SECOND);
    assert_int_equal(sy_ledger_keep(ledger, "hello\n", 6, f->file, NULL), SY_OK);
    batch_artifact(&b, FIRST, SY_ARTIFACT_LOG, f->file, 6);
    batch_accept(&b, SECOND);
    BATCH_ADD(&b, SY_EVENT_END, FIRST, sy_run_end_write, &end);
    batch_begin(&b, &begin);
    batch_series(&b, "import-1", "wall", fixture_samples + 1, 2);
    batch_note(&b, "", "almost the end");
    batch_note(&b, "", "the end");
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    sy_ledger_close(ledger);
}

static inline sqlite3 *open_database(const fixture *f)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(f->path, &database), SQLITE_OK);
    return database;
}

static inline void run_sql(sqlite3 *database, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
        print_message("%s: %s\n", sql, message);
        assert_null(message);
    }
}

static inline void remember(fixture *f)
{
    sqlite3 *database = open_database(f);
    run_sql(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(database);
    sy_free(f->bytes);
    assert_int_equal(sy_file_read(f->path, 0, &f->bytes, &f->size, NULL), SY_OK);
}

static inline int start(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL || make_temporary_folder((void **)&f->folder) != 0) {
        return -1;
    }
    snprintf(f->path, sizeof f->path, "%s/ledger.sqlite", f->folder);
    snprintf(f->anchors, sizeof f->anchors, "%s/steelyard.anchors", f->folder);
    sy_clock_manual_start(&f->clock, 0, NOON);
    fill(f);
    remember(f);
    *state = f;
    return 0;
}

/* The number of the last event. */
static inline uint64_t last_number(const fixture *f)
{
    sy_ledger_head head;
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    assert_int_equal(sy_ledger_read_head(ledger, &head, NULL), SY_OK);
    sy_ledger_close(ledger);
    return head.number;
}

#define THIRD "20261129-120000-000003"
#define FOURTH "20261129-120000-000004"
#define LINE "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* A session of a release that used memory, was judged, signed off and promoted; then one that got slower, which begins
 * a new baseline; a change that a history found there, and a self-test. */
static inline void fill_judged(fixture *f)
{
    batch b = {.count = 0};
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    uint64_t last = 20;
    sy_run_begin begin = fixture_begin(THIRD);
    begin.tier = "release-signoff";
    batch_begin(&b, &begin);
    batch_lease(&b, THIRD, 4);
    batch_command(&b, THIRD, "measure", 4, true);
    batch_series(&b, THIRD, "wall", fixture_samples, 2);
    batch_memory(&b, THIRD, 4096);
    batch_parity(&b, THIRD, SY_RUN_PARITY_PASSED);
    batch_end(&b, THIRD, SY_RUN_OK);
    last += b.count;
    batch_verdict(&b, THIRD, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED, 0);
    batch_verdict(&b, THIRD, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED, last + 1);
    batch_signoff(&b, THIRD, last + 2);
    batch_promote(&b, THIRD, SY_JUDGEMENT_PASS, last + 2, last + 3);
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    append_session(ledger, FOURTH);
    last += 4 + 6;
    sy_run_accept accept = {"somebody", "the compiler changed", true};
    batch_verdict(&b, FOURTH, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED, 0);
    BATCH_ADD(&b, SY_EVENT_ACCEPT, FOURTH, sy_run_accept_write, &accept);
    batch_change(&b, FOURTH, LINE, THIRD);
    batch_selftest(&b, "matmul-small", true);
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    sy_ledger_close(ledger);
    assert_int_equal(last_number(f), last + 4);
}

static inline int start_judged(void **state)
{
    if (start(state) != 0) {
        return -1;
    }
    fill_judged(*state);
    remember(*state);
    return 0;
}

static inline int stop(void **state)
{
    fixture *f = *state;
    sy_free(f->bytes);
    void *folder = f->folder;
    free(f);
    return remove_temporary_folder(&folder);
}

/* The database as it was written. */
static inline void restore(const fixture *f)
{
    char beside[600];
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(f->bytes, 1, f->size, file), f->size);
    assert_int_equal(fclose(file), 0);
    snprintf(beside, sizeof beside, "%s-wal", f->path);
    (void)remove(beside);
    snprintf(beside, sizeof beside, "%s-shm", f->path);
    (void)remove(beside);
}

static inline sy_ledger_verdict *verify(const fixture *f, const char *anchors)
{
    sy_ledger_verdict *verdict = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_ledger_verify_options options = SY_LEDGER_VERIFY_OPTIONS_INIT;
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    options.anchors = anchors;
    sy_status status = sy_ledger_verify(ledger, &options, &verdict, &err);
    if (status != SY_OK) {
        print_message("%s\n", err.what);
    }
    assert_int_equal(status, SY_OK);
    sy_ledger_close(ledger);
    return verdict;
}

static inline bool has_fault(const sy_ledger_verdict *verdict, uint64_t number, const char *what)
{
    for (size_t i = 0; i < verdict->fault_count; i++) {
        if (verdict->faults[i].number == number && (what == NULL || strcmp(verdict->faults[i].what, what) == 0)) {
            return true;
        }
    }
    return false;
}

static inline void print_faults(const sy_ledger_verdict *verdict)
{
    for (size_t i = 0; i < verdict->fault_count; i++) {
        print_message("  %llu %s: %s\n", (unsigned long long)verdict->faults[i].number, verdict->faults[i].what,
                      verdict->faults[i].message);
    }
}

static inline void expect_clean(const fixture *f, const char *anchors)
{
    sy_ledger_verdict *verdict = verify(f, anchors);
    print_faults(verdict);
    assert_int_equal(verdict->fault_total, 0);
    sy_ledger_verdict_destroy(verdict);
}

static inline void expect_fault(const fixture *f, const char *anchors, uint64_t number, const char *what)
{
    sy_ledger_verdict *verdict = verify(f, anchors);
    if (!has_fault(verdict, number, what)) {
        print_message("no '%s' at event %llu, but\n", what == NULL ? "fault" : what, (unsigned long long)number);
        print_faults(verdict);
    }
    assert_true(has_fault(verdict, number, what));
    sy_ledger_verdict_destroy(verdict);
}

/* ---- changing by hand ---- */

/* The first column of the first row of sql; NULL = none. The caller frees. */
static inline char *ask(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *answer = NULL;
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL) {
        answer = strdup((const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return answer;
}

/* Runs a change that triggers, constraints and foreign keys would refuse, and puts the triggers back. */
static inline void change(const fixture *f, const char *sql)
{
    sqlite3 *database = open_database(f);
    run_sql(database, "PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON");
    char *drop = ask(database,
                     "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_master WHERE type='trigger'");
    char *make = ask(database, "SELECT group_concat(sql, ';') FROM sqlite_master WHERE type='trigger'");
    if (drop != NULL) {
        run_sql(database, drop);
    }
    run_sql(database, sql);
    assert_true(sqlite3_total_changes(database) > 0);
    if (make != NULL) {
        run_sql(database, make);
    }
    free(drop);
    free(make);
    sqlite3_close(database);
}

#endif
