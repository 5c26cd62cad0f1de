/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the ledger's database in other hands: what it does not let them do, what its views show them, and what is
 * found when they did something all the same. */
#include "sqlite_fixture.h"

#include <math.h>

#include "base/random.h"
#include "ledger/sqlite/sqlite_inside.h"

static void events_and_samples_are_append_only_for_everybody(void **state)
{
    subject *s = *state;
    const double samples[] = {1};
    const sy_stored_series series = series_of(1, samples, 1);
    begin(s);
    ALLOWS(s->storage->put_id(s->state, "00112233445566778899aabbccddeeff", &s->err));
    ALLOWS(append_text(s, 1, "a", "x"));
    ALLOWS(append_text(s, 2, "a", "y"));
    ALLOWS(s->storage->put_series(s->state, &series, &s->err));
    commit(s);
    sqlite3 *hands = other_hands(s);
    refuse_sql(hands, "UPDATE meta SET id = hex(zeroblob(16))", "keeps its id");
    refuse_sql(hands, "INSERT OR REPLACE INTO meta VALUES (1, hex(zeroblob(16)))", "keeps its id");
    refuse_sql(hands, "DELETE FROM meta", "keeps its id");
    refuse_sql(hands, "UPDATE event SET bytes = 'z'", "events are never changed");
    refuse_sql(hands, "DELETE FROM event WHERE number = 2", "events are never deleted");
    refuse_sql(hands, "INSERT OR REPLACE INTO event VALUES (2, hex(zeroblob(32)), 0, 'note', '', 'z')", "follows");
    refuse_sql(hands, "INSERT INTO event VALUES (4, hex(zeroblob(32)), 0, 'note', '', 'z')", "follows");
    refuse_sql(hands, "INSERT INTO event (digest, at_utc_s, kind, run, bytes) VALUES ('', 0, '', '', '')", "follows");
    refuse_sql(hands, "INSERT INTO event VALUES (3, 'short', 0, 'note', '', 'z')", "CHECK");
    refuse_sql(hands, "INSERT INTO event VALUES (3, hex(zeroblob(32)), 'soon', 'note', '', 'z')", "INTEGER");
    refuse_sql(hands, "UPDATE series SET count = 0", "samples are never changed");
    refuse_sql(hands, "DELETE FROM series", "samples are never deleted");
    allow_sql(hands,
              "INSERT OR REPLACE INTO series SELECT digest, event, 2, zeroblob(16) FROM series"); /* is ignored */
    refuse_sql(hands, "INSERT INTO series VALUES (hex(zeroblob(32)), 1, 2, zeroblob(8))", "CHECK");
    assert_string_equal(ask_sql(hands, "SELECT count FROM series"), "1");
    allow_sql(hands, "INSERT INTO event VALUES (3, hex(zeroblob(32)), 0, 'note', '', 'z')");
    sqlite3_close(hands);
    assert_int_equal(head_of(s), 3);
    is_sound(s);
}

static void every_table_is_strict_and_every_setting_is_made(void **state)
{
    subject *s = *state;
    sqlite3 *ours = ((sy_sqlite *)s->state)->database;
    assert_string_equal(ask_sql(ours, "SELECT group_concat(name) FROM pragma_table_list WHERE type = 'table' "
                                      "AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
                        "");
    assert_string_equal(ask_sql(ours, "PRAGMA journal_mode"), "wal");
    assert_string_equal(ask_sql(ours, "PRAGMA synchronous"), "2");
    assert_string_equal(ask_sql(ours, "PRAGMA foreign_keys"), "1");
    assert_string_equal(ask_sql(ours, "PRAGMA trusted_schema"), "0");
    assert_string_equal(ask_sql(ours, "PRAGMA busy_timeout"), "10000");
    assert_string_equal(ask_sql(ours, "PRAGMA application_id"), "1398361156");
    assert_string_equal(ask_sql(ours, "PRAGMA user_version"), "2");
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t draw_bits(double *samples)
{
    static const uint64_t chosen[] = {0,
                                      UINT64_C(1) << 63,
                                      1,
                                      UINT64_C(1) << 63 | 1,
                                      UINT64_C(0x000fffffffffffff),
                                      UINT64_C(0x0010000000000000),
                                      UINT64_C(0x0010000000000001),
                                      UINT64_C(0x7fefffffffffffff),
                                      UINT64_C(0xffefffffffffffff),
                                      UINT64_C(0x7ff0000000000000),
                                      UINT64_C(0xfff0000000000000),
                                      UINT64_C(0x7ff8000000000000),
                                      UINT64_C(0x3ff0000000000000),
                                      UINT64_C(0x3ff0000000000001)};
    size_t count = 0;
    sy_random random;
    sy_random_start(&random, 7, "bit patterns");
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        samples[count++] = double_of(chosen[i]);
    }
    for (int exponent = 0; exponent < 2047; exponent++) { /* one of each power, subnormals and both signs among them */
        samples[count++] = double_of((uint64_t)exponent << 52 | sy_random_next(&random) >> 12 |
                                     (sy_random_coin(&random) ? UINT64_C(1) << 63 : 0));
    }
    for (; count < 6000; count++) {
        samples[count] = double_of(sy_random_next(&random) >> (count % 3 == 0 ? 12 : 0));
    }
    return count;
}

static void nothing_is_written_into_a_file_that_was_moved(void **state)
{
    subject *s = *state;
    char from[700];
    char to[710];
    snprintf(from, sizeof from, "%s", path_of(s, "ledger.sqlite"));
    snprintf(to, sizeof to, "%s.aside", from);
    assert_int_equal(rename(from, to), 0);
    ANSWERS(s->storage->begin(s->state, true, &s->err), SY_IO);
    assert_non_null(strstr(s->err.what, "moved or removed"));
    assert_int_equal(rename(to, from), 0);
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    commit(s);
}

static void the_view_unpacks_every_double_exactly(void **state)
{
    subject *s = *state;
    static double samples[6000];
    size_t count = draw_bits(samples);
    const sy_stored_series series = series_of(1, samples, count);
    const sy_stored_series none = series_of(1, samples, 0);
    char sql[200];
    char digest[SY_DIGEST_TEXT];
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    ALLOWS(s->storage->put_series(s->state, &series, &s->err));
    ALLOWS(s->storage->put_series(s->state, &none, &s->err));
    commit(s);
    sqlite3 *hands = other_hands(s);
    sqlite3_stmt *statement;
    sy_digest_format(&series.digest, digest);
    snprintf(sql, sizeof sql, "SELECT position, value FROM sample WHERE series = '%s' ORDER BY position", digest);
    assert_int_equal(sqlite3_prepare_v2(hands, sql, -1, &statement, NULL), SQLITE_OK);
    size_t seen = 0;
    size_t nans = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        assert_int_equal(sqlite3_column_int64(statement, 0), seen + 1);
        double value = sqlite3_column_double(statement, 1);
        if (isnan(samples[seen])) {
            assert_int_equal(sqlite3_column_type(statement, 1), SQLITE_NULL);
            nans++;
        } else if (sqlite3_column_type(statement, 1) != SQLITE_FLOAT || memcmp(&value, &samples[seen], 8) != 0) {
            fail_msg("%a is shown as %a", samples[seen], value);
        }
        seen++;
    }
    assert_int_equal(seen, count);
    assert_true(nans > 0);
    assert_string_equal(ask_sql(hands, "SELECT count(*) FROM sample"), "6000");
    sqlite3_finalize(statement);
    sqlite3_close(hands);
}

static void the_view_of_runs_speaks_words(void **state)
{
    subject *s = *state;
    sy_run_row row = row_of("a", 5);
    row.status = SY_RUN_REFUTED;
    row.parity = SY_RUN_PARITY_NOT_PERFORMED;
    row.kind = SY_RUN_KIND_DECISION;
    row.revision = "abc";
    row.key_digest = "d";
    row.began_utc_s = 1795953600;
    begin(s);
    put_row(s, &row, "[]");
    commit(s);
    sqlite3 *hands = other_hands(s);
    assert_string_equal(ask_sql(hands, "SELECT concat FROM (SELECT id || ' ' || kind || ' ' || status || ' ' || parity "
                                       "|| ' ' || revision || ' ' || key_digest || ' ' || began_utc || ' ' || "
                                       "(ended_utc IS NULL) AS concat FROM runs)"),
                        "a decision refuted not-performed abc d 2026-11-29 12:00:00 1");
    sqlite3_close(hands);
}

static sy_status collect(void *user, const char *complaint, sy_error *err)
{
    char *text = user;
    (void)err;
    size_t length = strlen(text);
    snprintf(text + length, 1000 - length, "%s|", complaint);
    return SY_OK;
}

static sy_status stop_here(void *user, const char *complaint, sy_error *err)
{
    (void)user;
    (void)complaint;
    (void)err;
    return SY_INTERRUPTED;
}

static void what_other_hands_broke_is_complained_of(void **state)
{
    subject *s = *state;
    char found[1000] = "";
    sy_run_row row = row_of("a", 1);
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    put_row(s, &row, "");
    commit(s);
    by_other_hands(s, "UPDATE facet SET runs = 7; UPDATE run SET revision = 99");
    ALLOWS(s->storage->check(s->state, collect, found, &s->err));
    assert_non_null(strstr(found, "facet 1 counts 7 runs|"));
    assert_non_null(strstr(found, "row 1 of run names a row of revision that is not there|"));
    assert_int_equal(s->storage->check(s->state, stop_here, NULL, &s->err), SY_INTERRUPTED);
}

/* What guards the tables is part of them; what others only look through is theirs. */
static void guards_that_other_hands_took_or_set_are_complained_of(void **state)
{
    subject *s = *state;
    char found[1000] = "";
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    commit(s);
    by_other_hands(s, "CREATE VIEW looks AS SELECT id FROM run; CREATE INDEX own ON run (host)");
    ALLOWS(s->storage->check(s->state, collect, found, &s->err));
    assert_string_equal(found, "");
    by_other_hands(s, "DROP TRIGGER event_is_not_deleted; DROP INDEX event_run; DROP VIEW runs; "
                      "CREATE VIEW runs AS SELECT 1; "
                      "CREATE TRIGGER eats AFTER INSERT ON event BEGIN DELETE FROM run; END");
    ALLOWS(s->storage->check(s->state, collect, found, &s->err));
    assert_non_null(strstr(found, "the trigger event_is_not_deleted is missing|"));
    assert_non_null(strstr(found, "the index event_run is missing|"));
    assert_non_null(strstr(found, "the view runs was changed|"));
    assert_non_null(strstr(found, "the trigger eats is of other hands|"));
    assert_int_equal(s->storage->check(s->state, stop_here, NULL, &s->err), SY_INTERRUPTED);
}

static sy_status see_zeros(void *user, const sy_stored_event *event, sy_error *err)
{
    const sy_digest zeros = {{0}};
    (void)err;
    assert_true(sy_digest_equal(&event->digest, &zeros));
    (*(size_t *)user)++;
    return SY_OK;
}

static void a_row_of_odd_words_or_a_digest_that_is_none_is_damage(void **state)
{
    subject *s = *state;
    sy_run_row row = row_of("a", 1);
    size_t count = 0;
    uint64_t number;
    sy_digest digest;
    begin(s);
    put_row(s, &row, "");
    commit(s);
    by_other_hands(s, "UPDATE facet SET status = 'odd'; INSERT INTO event VALUES (1, "
                      "'zz' || substr(hex(zeroblob(32)), 3), 0, 'note', '', 'z')");
    ANSWERS(s->storage->rows(s->state, NULL, count_row, &count, NULL, &s->err), SY_CORRUPT);
    ALLOWS(s->storage->events(s->state, 1, NULL, see_zeros, &count, &s->err));
    assert_int_equal(count, 1);
    ANSWERS(s->storage->head(s->state, &number, &digest, &s->err), SY_CORRUPT);
    by_other_hands(s, "PRAGMA writable_schema = ON; DROP VIEW runs; ALTER TABLE facet RENAME COLUMN device TO machine");
    ANSWERS(s->storage->rows(s->state, NULL, count_row, &count, NULL, &s->err), SY_CORRUPT);
    assert_non_null(strstr(s->err.what, "device"));
}

static sy_status visit_again(void *user, const sy_stored_event *event, sy_error *err)
{
    subject *s = user;
    size_t count = 0;
    (void)event;
    return s->storage->events(s->state, 1, NULL, count_event, &count, err);
}

static void a_visit_that_visits_itself_is_refused(void **state)
{
    subject *s = *state;
    begin(s);
    ALLOWS(append_text(s, 1, "a", "x"));
    commit(s);
    ANSWERS(s->storage->events(s->state, 1, NULL, visit_again, s, &s->err), SY_INVALID_ARGUMENT);
    assert_int_equal(count_events(s, 1, NULL), 1);
}

static void a_text_that_no_row_can_hold_is_refused(void **state)
{
    subject *s = *state;
    sy_run_row row = row_of("a", 1);
    sqlite3_limit(((sy_sqlite *)s->state)->database, SQLITE_LIMIT_LENGTH, 1000);
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    begin(s);
    ANSWERS(append_text(s, 1, "a", text), SY_LIMIT_EXCEEDED);
    s->storage->rollback(s->state);
    row.question = text;
    begin(s);
    ANSWERS(s->storage->put_row(s->state, &row, "", &s->err), SY_LIMIT_EXCEEDED);
    s->storage->rollback(s->state);
    assert_int_equal(head_of(s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SQLITE(events_and_samples_are_append_only_for_everybody),
        IN_SQLITE(every_table_is_strict_and_every_setting_is_made),
        IN_SQLITE(nothing_is_written_into_a_file_that_was_moved),
        IN_SQLITE(the_view_unpacks_every_double_exactly),
        IN_SQLITE(the_view_of_runs_speaks_words),
        IN_SQLITE(what_other_hands_broke_is_complained_of),
        IN_SQLITE(guards_that_other_hands_took_or_set_are_complained_of),
        IN_SQLITE(a_row_of_odd_words_or_a_digest_that_is_none_is_damage),
        IN_SQLITE(a_visit_that_visits_itself_is_refused),
        IN_SQLITE(a_text_that_no_row_can_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
