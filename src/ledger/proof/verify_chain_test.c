/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of proof on a real database: what was changed, moved, cut off or written anew, with and without an anchor. */
#include "cmocka_headers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ledger/envelope.h"
#include "ledger_tamper.h"

static void events_that_change_places_are_out_of_order(void **state)
{
    fixture *f = *state;
    change(f, "UPDATE event SET number=999 WHERE number=19; UPDATE event SET number=19 WHERE number=20;"
              "UPDATE event SET number=20 WHERE number=999");
    expect_fault(f, NULL, 19, "out-of-order");
    expect_fault(f, NULL, 20, "out-of-order");
}

static void every_byte_of_an_event_counts(void **state)
{
    fixture *f = *state;
    char sql[512];
    sqlite3 *database = open_database(f);
    char *length = ask(database, "SELECT length(bytes) FROM event WHERE number=6");
    sqlite3_close(database);
    for (long at = 1; at <= strtol(length, NULL, 10); at += 5) {
        restore(f);
        snprintf(sql, sizeof sql,
                 "UPDATE event SET bytes = substr(bytes, 1, %ld - 1) || iif(substr(bytes, %ld, 1) = '7', '8', '7') || "
                 "substr(bytes, %ld + 1) WHERE number = 6",
                 at, at, at);
        change(f, sql);
        expect_fault(f, NULL, 6, "changed");
    }
    free(length);
}

/* Writes events from number `from` on anew, each behind the one before it as it is now, the first with `body`: what
 * somebody does who knows how a chain is made. */
static void rewrite_chain(const fixture *f, uint64_t from, const char *body)
{
    char previous[65] = "";
    char sql[128];
    sqlite3 *database = open_database(f);
    char *guard = ask(database, "SELECT sql FROM sqlite_master WHERE name='event_is_not_changed'");
    run_sql(database, "DROP TRIGGER event_is_not_changed");
    for (uint64_t number = from; number <= 20; number++) {
        sqlite3_stmt *statement;
        sy_envelope envelope;
        sy_digest digest;
        char text[65];
        sy_text again = SY_TEXT_INIT;
        sy_text kept = SY_TEXT_INIT;
        snprintf(sql, sizeof sql, "SELECT bytes FROM event WHERE number=%llu", (unsigned long long)number);
        char *bytes = ask(database, sql);
        assert_int_equal(sy_envelope_read(bytes, strlen(bytes), &envelope, NULL), SY_OK);
        assert_int_equal(sy_event_body_write(envelope.body, &kept, NULL), SY_OK);
        const char *written = number == from ? body : kept.bytes;
        if (number > from) {
            assert_int_equal(sy_digest_parse(previous, &envelope.previous, NULL), SY_OK);
        }
        assert_int_equal(sy_envelope_write(&envelope, written, strlen(written), &again, NULL), SY_OK);
        sy_digest_of(again.bytes, again.length, &digest);
        sy_digest_format(&digest, text);
        assert_int_equal(
            sqlite3_prepare_v2(database, "UPDATE event SET bytes=?, digest=? WHERE number=?", -1, &statement, NULL),
            SQLITE_OK);
        sqlite3_bind_text(statement, 1, again.bytes, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(statement, 3, (sqlite3_int64)number);
        assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_finalize(statement);
        memcpy(previous, text, sizeof previous);
        sy_envelope_finish(&envelope);
        sy_text_finish(&again);
        sy_text_finish(&kept);
        free(bytes);
    }
    run_sql(database, guard);
    free(guard);
    sqlite3_close(database);
}

static void anchor(const fixture *f)
{
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    assert_int_equal(sy_ledger_anchor(ledger, f->anchors, NULL, NULL), SY_OK);
    sy_ledger_close(ledger);
}

static void a_chain_that_was_written_anew_is_found_against_an_anchor_alone(void **state)
{
    fixture *f = *state;
    anchor(f);
    expect_clean(f, f->anchors);
    rewrite_chain(f, 19, "{\"note\":\"quite another end\"}");
    expect_clean(f, NULL);
    expect_fault(f, f->anchors, 20, "rewritten");
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_ledger_anchor(ledger, f->anchors, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "another one there"));
    sy_ledger_close(ledger);
}

static void a_changed_event_whose_digest_was_made_to_fit_breaks_the_chain_behind_it(void **state)
{
    fixture *f = *state;
    rewrite_chain(f, 19, "{\"note\":\"quite another end\"}");
    restore(f);
    rewrite_chain(f, 20, "{\"note\":\"another end\"}"); /* the last one: nothing stands behind it */
    expect_clean(f, NULL);
    restore(f);
    sqlite3 *database = open_database(f);
    char *kept = ask(database, "SELECT digest || bytes FROM event WHERE number=20");
    sqlite3_close(database);
    char sql[2048];
    rewrite_chain(f, 19, "{\"note\":\"quite another end\"}");
    snprintf(sql, sizeof sql, "UPDATE event SET digest='%.64s', bytes='%s' WHERE number=20", kept, kept + 64);
    change(f, sql);
    expect_fault(f, NULL, 20, "not-chained");
    free(kept);
}

static void events_that_were_cut_off_are_found_against_an_anchor_alone(void **state)
{
    fixture *f = *state;
    anchor(f);
    change(f, "DELETE FROM event WHERE number > 18");
    expect_clean(f, NULL);
    expect_fault(f, f->anchors, 20, "truncated");
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_ledger_anchor(ledger, f->anchors, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "ends before it"));
    sy_ledger_close(ledger);
}

static void a_file_that_was_altered_is_a_fault_and_one_that_is_elsewhere_is_not(void **state)
{
    fixture *f = *state;
    char path[700];
    snprintf(path, sizeof path, "%s/artifacts/%.2s/%s", f->folder, f->file, f->file);
    assert_int_equal(sy_file_write(path, "hullo\n", 6, NULL, NULL), SY_OK);
    expect_fault(f, NULL, 14, "artifact");
    assert_int_equal(remove(path), 0);
    sy_ledger_verdict *verdict = verify(f, NULL);
    assert_int_equal(verdict->fault_total, 0);
    assert_int_equal(verdict->unverified_count, 1);
    assert_int_equal(verdict->missing_count, 1);
    assert_int_equal(verdict->missing[0].number, 14);
    assert_string_equal(verdict->missing[0].digest, f->file);
    assert_int_equal(verdict->artifact_count, 1);
    assert_int_equal(verdict->event_count, 20);
    assert_int_equal(verdict->run_count, 3);
    assert_int_equal(verdict->series_count, 3);
    assert_int_equal(verdict->sample_count, 8);
    assert_int_equal(verdict->last_anchor_number, 0);
    sy_ledger_verdict_destroy(verdict);
}

static void of_many_files_that_are_elsewhere_the_first_five_are_named(void **state)
{
    fixture *f = *state;
    batch b = {.count = 0};
    char digests[7][65];
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    for (size_t i = 0; i < 7; i++) {
        const char byte = (char)('a' + i);
        assert_int_equal(sy_ledger_keep(ledger, &byte, 1, digests[i], NULL), SY_OK);
        batch_artifact(&b, FIRST, SY_ARTIFACT_LOG, digests[i], 1);
    }
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    sy_ledger_close(ledger);
    for (size_t i = 0; i < 7; i++) {
        char path[700];
        snprintf(path, sizeof path, "%s/artifacts/%.2s/%s", f->folder, digests[i], digests[i]);
        assert_int_equal(remove(path), 0);
    }
    sy_ledger_verdict *verdict = verify(f, NULL);
    assert_int_equal(verdict->unverified_count, 7);
    assert_int_equal(verdict->missing_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(verdict->missing[i].number, 21 + i);
        assert_string_equal(verdict->missing[i].digest, digests[i]);
    }
    sy_ledger_verdict_destroy(verdict);
}

static void a_clock_that_went_back_is_noted_and_no_fault(void **state)
{
    fixture *f = *state;
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    batch b = {.count = 0};
    f->clock.utc -= 3600;
    batch_note(&b, "", "earlier, later");
    assert_int_equal(batch_append(&b, ledger, NULL), SY_OK);
    sy_ledger_close(ledger);
    sy_ledger_verdict *verdict = verify(f, NULL);
    assert_int_equal(verdict->fault_total, 0);
    assert_int_equal(verdict->note_count, 1);
    assert_string_equal(verdict->notes[0], "the clock went back by 3600 s at event 21");
    sy_ledger_verdict_destroy(verdict);
}

static void an_event_that_cannot_be_read_hides_no_other(void **state)
{
    fixture *f = *state;
    change(f, "UPDATE event SET digest = substr(digest, 1, 63) || 'x' WHERE number = 5;"
              "UPDATE event SET bytes = replace(bytes, 'almost', 'nearly') WHERE number = 19");
    expect_fault(f, NULL, 5, NULL);
    expect_fault(f, NULL, 19, "changed");
}

/* Whether the ledger, a piece of which was overwritten, is taken for sound. */
static bool is_taken_for_sound(const fixture *f)
{
    sy_ledger_options options = SY_LEDGER_OPTIONS_INIT;
    sy_ledger *ledger = NULL;
    sy_ledger_verdict *verdict = NULL;
    options.folder = f->folder;
    options.read_only = true;
    sy_status status = sy_ledger_open(&options, &ledger, NULL);
    if (status == SY_OK) {
        status = sy_ledger_verify(ledger, NULL, &verdict, NULL);
    }
    bool sound = status == SY_OK && verdict->fault_total == 0;
    assert_true(status == SY_OK || status == SY_CORRUPT || status == SY_IO || status == SY_NOT_FOUND);
    sy_ledger_verdict_destroy(verdict);
    sy_ledger_close(ledger);
    return sound;
}

static void a_page_that_was_overwritten_is_never_taken_for_sound(void **state)
{
    enum { PAGE = 4096, PIECE = 16 };
    fixture *f = *state;
    size_t pages = f->size / PAGE;
    assert_true(pages > 8);
    for (size_t page = 0; page < pages; page++) {
        char kept[PIECE];
        char *at = f->bytes + page * PAGE + (page == 0 ? 100 : 0); /* where a page says what it is */
        memcpy(kept, at, PIECE);
        memset(at, 0xa5, PIECE);
        restore(f);
        memcpy(at, kept, PIECE);
        bool sound = is_taken_for_sound(f);
        if (sound) {
            print_message("page %zu\n", page + 1);
        }
        assert_false(sound);
    }
    restore(f);
    expect_clean(f, NULL);
}

typedef struct watch {
    uint64_t calls;
    uint64_t total;
    bool stop;
} watch;

static void see_progress(void *user, uint64_t done, uint64_t total)
{
    watch *w = user;
    assert_true(done <= total);
    w->calls++;
    w->total = total;
}

static bool wants_to_stop(void *user)
{
    return ((watch *)user)->stop;
}

static void progress_is_told_and_a_stop_is_heard(void **state)
{
    fixture *f = *state;
    watch w = {0, 0, false};
    sy_ledger_verdict *verdict = NULL;
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    sy_ledger_verify_options options = SY_LEDGER_VERIFY_OPTIONS_INIT;
    options.progress = see_progress;
    options.cancelled = wants_to_stop;
    options.user = &w;
    assert_int_equal(sy_ledger_verify(ledger, &options, &verdict, NULL), SY_OK);
    assert_true(w.calls > 0);
    assert_int_equal(w.total, 20);
    sy_ledger_verdict_destroy(verdict);
    verdict = NULL;
    w.stop = true;
    assert_int_equal(sy_ledger_verify(ledger, &options, &verdict, NULL), SY_INTERRUPTED);
    assert_null(verdict);
    sy_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_that_change_places_are_out_of_order, start, stop),
        cmocka_unit_test_setup_teardown(every_byte_of_an_event_counts, start, stop),
        cmocka_unit_test_setup_teardown(a_chain_that_was_written_anew_is_found_against_an_anchor_alone, start, stop),
        cmocka_unit_test_setup_teardown(a_changed_event_whose_digest_was_made_to_fit_breaks_the_chain_behind_it, start,
                                        stop),
        cmocka_unit_test_setup_teardown(events_that_were_cut_off_are_found_against_an_anchor_alone, start, stop),
        cmocka_unit_test_setup_teardown(a_file_that_was_altered_is_a_fault_and_one_that_is_elsewhere_is_not, start,
                                        stop),
        cmocka_unit_test_setup_teardown(of_many_files_that_are_elsewhere_the_first_five_are_named, start, stop),
        cmocka_unit_test_setup_teardown(a_clock_that_went_back_is_noted_and_no_fault, start, stop),
        cmocka_unit_test_setup_teardown(an_event_that_cannot_be_read_hides_no_other, start, stop),
        cmocka_unit_test_setup_teardown(a_page_that_was_overwritten_is_never_taken_for_sound, start, stop),
        cmocka_unit_test_setup_teardown(progress_is_told_and_a_stop_is_heard, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
