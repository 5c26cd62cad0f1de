/* SPDX-License-Identifier: Apache-2.0 */
/* What every storage of the ledger owes: events, samples and transactions. Runs and lists are asked for in
 * storage_rows_contract_test.c. */
#include "storage_entries.h"

#define ID_A "0123456789abcdef0123456789abcdef"
#define ID_B "fedcba9876543210fedcba9876543210"

static void a_new_one_is_empty(void **state)
{
    subject *s = *state;
    char id[33] = "x";
    uint64_t number = 99;
    sy_digest digest;
    const sy_digest zeros = {{0}};
    ALLOWS(s->storage->get_id(s->state, id, &s->err));
    assert_string_equal(id, "");
    ALLOWS(s->storage->head(s->state, &number, &digest, &s->err));
    assert_int_equal(number, 0);
    assert_true(sy_digest_equal(&digest, &zeros));
    assert_int_equal(count_events(s, 0, NULL), 0);
    assert_int_equal(count_rows(s), 0);
    assert_int_equal(series_there(s), 0);
    is_sound(s);
}

/* What a walk met, one line an event. */
typedef struct walk {
    char text[4096];
    size_t length;
    uint64_t stop_at;
} walk;

static sy_status write_event(void *user, const sy_stored_event *event, sy_error *err)
{
    walk *w = user;
    (void)err;
    w->length += (size_t)snprintf(w->text + w->length, sizeof w->text - w->length, "%d %s %s %lld %.*s|",
                                  (int)event->number, event->kind, event->run, (long long)event->at_utc_s,
                                  (int)event->size, event->bytes);
    return event->number == w->stop_at ? SY_INTERRUPTED : SY_OK;
}

static void what_was_appended_comes_back_in_order(void **state)
{
    subject *s = *state;
    walk w = {.length = 0};
    begin(s);
    ALLOWS(append_text(s, 1, "", "{\"one\":1}"));
    ALLOWS(append_text(s, 2, "a", "it's \"quoted\"; DROP TABLE event; --\n\xc3\xa9\xf0\x9f\x98\x80"));
    ALLOWS(append_text(s, 3, "b' OR ''='", "%s"));
    ALLOWS(append_text(s, 4, "a", "four"));
    commit(s);
    if (s->entry->persists) {
        reopen(s);
    }
    ALLOWS(s->storage->events(s->state, 0, NULL, write_event, &w, &s->err));
    assert_string_equal(w.text, "1 note  1764460801 {\"one\":1}|"
                                "2 note a 1764460802 it's \"quoted\"; DROP TABLE event; --\n\xc3\xa9\xf0\x9f\x98\x80|"
                                "3 note b' OR ''=' 1764460803 %s|4 note a 1764460804 four|");
    w = (walk){.length = 0};
    ALLOWS(s->storage->events(s->state, 3, "a", write_event, &w, &s->err));
    assert_string_equal(w.text, "4 note a 1764460804 four|");
    assert_int_equal(count_events(s, 2, NULL), 3);
    assert_int_equal(count_events(s, 5, NULL), 0);
    assert_int_equal(count_events(s, UINT64_MAX, NULL), 0);
    assert_int_equal(count_events(s, 1, ""), 1);
    assert_int_equal(count_events(s, 1, "b' OR ''='"), 1);
    assert_int_equal(count_events(s, 1, "nobody"), 0);
    sy_digest digest;
    sy_digest wanted;
    uint64_t number;
    ALLOWS(s->storage->head(s->state, &number, &digest, &s->err));
    sy_digest_of("four", 4, &wanted);
    assert_int_equal(number, 4);
    assert_true(sy_digest_equal(&digest, &wanted));
    is_sound(s);
}

static void a_visit_that_ends_the_walk_is_passed_through(void **state)
{
    subject *s = *state;
    walk w = {.stop_at = 2};
    begin(s);
    for (uint64_t i = 1; i <= 3; i++) {
        ALLOWS(append_text(s, i, "a", "x"));
    }
    commit(s);
    snprintf(s->err.what, sizeof s->err.what, "by the visit");
    assert_int_equal(s->storage->events(s->state, 1, "a", write_event, &w, &s->err), SY_INTERRUPTED);
    assert_string_equal(s->err.what, "by the visit");
    assert_string_equal(w.text, "1 note a 1764460801 x|2 note a 1764460802 x|");
    assert_int_equal(count_events(s, 1, "a"), 3); /* and the next walk is a whole one */
}

static void ten_megabytes_are_kept_whole(void **state)
{
    subject *s = *state;
    size_t size = 10 << 20;
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memset(bytes, 'x', size);
    bytes[size] = '\0';
    bytes[size - 1] = '\'';
    begin(s);
    ALLOWS(append_text(s, 1, "a", bytes));
    ALLOWS(append_text(s, 2, bytes, "{}"));
    commit(s);
    assert_int_equal(count_events(s, 1, NULL), 2);
    assert_int_equal(count_events(s, 1, bytes), 1);
    free(bytes);
}

static void what_is_no_next_event_is_refused(void **state)
{
    subject *s = *state;
    const uint64_t numbers[] = {0, 2, 3, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        begin(s);
        ANSWERS(append_text(s, numbers[i], "", "x"), SY_INVALID_ARGUMENT);
        s->storage->rollback(s->state);
    }
    sy_stored_event event = event_of(1, "note", "", "x");
    sy_stored_event bad[] = {event, event, event, event};
    bad[0].size = 0;
    bad[1].bytes = "a\0b";
    bad[1].size = 3;
    bad[2].kind = "";
    bad[3].run = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        begin(s);
        ANSWERS(s->storage->append(s->state, &bad[i], &s->err), SY_INVALID_ARGUMENT);
        s->storage->rollback(s->state);
    }
    assert_int_equal(head_of(s), 0);
}

static void nothing_changes_outside_of_a_transaction_for_writing(void **state)
{
    subject *s = *state;
    const double samples[] = {1};
    const sy_run_row row = row_of("a", 1);
    const sy_stored_series series = series_of(1, samples, 1);
    for (int i = 0; i < 2; i++) {
        ANSWERS(append_text(s, 1, "", "x"), SY_INVALID_ARGUMENT);
        ANSWERS(s->storage->put_series(s->state, &series, &s->err), SY_INVALID_ARGUMENT);
        ANSWERS(s->storage->put_row(s->state, &row, "", &s->err), SY_INVALID_ARGUMENT);
        ANSWERS(s->storage->put_id(s->state, ID_A, &s->err), SY_INVALID_ARGUMENT);
        if (i == 0) {
            ANSWERS(s->storage->commit(s->state, &s->err), SY_INVALID_ARGUMENT);
            ALLOWS(s->storage->begin(s->state, false, &s->err));
            ANSWERS(s->storage->begin(s->state, true, &s->err), SY_INVALID_ARGUMENT);
        }
    }
    commit(s);
    s->storage->rollback(s->state); /* of nothing */
    assert_int_equal(head_of(s), 0);
}

/* Puts one of everything, the events from that number on. */
static void put_one_of_all(subject *s, uint64_t number, const char *run, double sample)
{
    const double samples[] = {sample, 2};
    const sy_stored_series series = series_of(number, samples, 2);
    sy_run_row row = row_of(run, number);
    row.question = "why";
    ALLOWS(append_text(s, number, run, "x"));
    ALLOWS(s->storage->put_series(s->state, &series, &s->err));
    put_row(s, &row, "[[\"a\",\"b\"]]");
}

static void a_rollback_undoes_all_of_it(void **state)
{
    subject *s = *state;
    char id[33];
    begin(s);
    ALLOWS(s->storage->put_id(s->state, ID_A, &s->err));
    s->storage->rollback(s->state);
    ALLOWS(s->storage->get_id(s->state, id, &s->err));
    assert_string_equal(id, "");
    begin(s);
    ALLOWS(s->storage->put_id(s->state, ID_B, &s->err));
    put_one_of_all(s, 1, "a", 1);
    commit(s);
    begin(s);
    put_one_of_all(s, 2, "b", 3);
    sy_run_row row = row_of("a", 1);
    row.question = "changed";
    row.status = SY_RUN_OK;
    put_row(s, &row, NULL);
    row.question = "changed again";
    put_row(s, &row, "");
    assert_int_equal(head_of(s), 2); /* one's own changes are seen */
    assert_int_equal(count_rows(s), 2);
    s->storage->rollback(s->state);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(head_of(s), 1);
        assert_int_equal(count_rows(s), 1);
        assert_int_equal(series_there(s), 1);
        sy_arena *arena = sy_arena_create(0);
        ALLOWS(s->storage->get_row(s->state, "a", arena, &row, &s->err));
        assert_string_equal(row.question, "why");
        sy_arena_destroy(arena);
        is_sound(s);
        if (s->entry->persists) {
            reopen(s);
        }
    }
    ALLOWS(s->storage->get_id(s->state, id, &s->err));
    assert_string_equal(id, ID_B);
}

static void closing_rolls_back_what_is_open(void **state)
{
    subject *s = *state;
    begin(s);
    put_one_of_all(s, 1, "a", 1);
    if (!s->entry->persists) {
        return; /* its end is the end of all */
    }
    reopen(s);
    assert_int_equal(head_of(s), 0);
    begin(s); /* and the queue of writers is free */
    put_one_of_all(s, 1, "a", 1);
    commit(s);
}

static void a_transaction_of_which_a_part_failed_cannot_be_committed(void **state)
{
    subject *s = *state;
    const sy_run_row row = row_of("a", 0);
    for (int i = 0; i < 3; i++) {
        begin(s);
        ALLOWS(append_text(s, 1, "", "x"));
        if (i == 0) {
            ANSWERS(append_text(s, 3, "", "x"), SY_INVALID_ARGUMENT);
        } else if (i == 1) {
            ANSWERS(s->storage->put_row(s->state, &row, "", &s->err), SY_INVALID_ARGUMENT);
        } else {
            ANSWERS(s->storage->put_id(s->state, "short", &s->err), SY_INVALID_ARGUMENT);
        }
        ANSWERS(append_text(s, 2, "", "x"), SY_INVALID_ARGUMENT);
        ANSWERS(s->storage->commit(s->state, &s->err), SY_INVALID_ARGUMENT);
        assert_int_equal(head_of(s), 0);
        begin(s); /* the commit has rolled back */
        ALLOWS(append_text(s, 1, "", "x"));
        s->storage->rollback(s->state);
    }
}

static void samples_are_kept_once_bit_by_bit(void **state)
{
    subject *s = *state;
    const double samples[] = {1.5, -0.0, 5e-324, 1.7976931348623157e308, -3};
    const sy_stored_series all = series_of(1, samples, 5);
    const sy_stored_series none = series_of(2, samples, 0);
    sy_stored_series again = all;
    again.event = 2;
    begin(s);
    ALLOWS(s->storage->put_series(s->state, &all, &s->err)); /* before its event */
    ALLOWS(append_text(s, 1, "", "x"));
    ALLOWS(append_text(s, 2, "", "y"));
    ALLOWS(s->storage->put_series(s->state, &again, &s->err));
    ALLOWS(s->storage->put_series(s->state, &none, &s->err));
    commit(s);
    assert_int_equal(series_there(s), 2);
    sy_arena *arena = sy_arena_create(0);
    const void *bytes = NULL;
    size_t count = 0;
    ALLOWS(s->storage->get_series(s->state, &all.digest, arena, &bytes, &count, &s->err));
    assert_int_equal(count, 5);
    assert_memory_equal(bytes, samples, sizeof samples);
    ALLOWS(s->storage->get_series(s->state, &none.digest, arena, &bytes, &count, &s->err));
    assert_int_equal(count, 0);
    const sy_digest other = {{7}};
    ANSWERS(s->storage->get_series(s->state, &other, arena, &bytes, &count, &s->err), SY_NOT_FOUND);
    sy_arena_destroy(arena);
}

static sy_status write_series(void *user, const sy_stored_series *series, sy_error *err)
{
    walk *w = user;
    (void)err;
    w->length += (size_t)snprintf(w->text + w->length, sizeof w->text - w->length, "%d:%zu ", (int)series->event,
                                  series->count);
    return series->event == w->stop_at ? SY_INTERRUPTED : SY_OK;
}

static void all_samples_are_walked_by_event(void **state)
{
    subject *s = *state;
    const double samples[] = {1, 2, 3, 4, 5, 6, 7, 8};
    walk w = {.length = 0};
    begin(s);
    for (uint64_t i = 1; i <= 4; i++) {
        ALLOWS(append_text(s, i, "", "x"));
    }
    const sy_stored_series all[] = {series_of(3, samples, 3), series_of(1, samples, 1), series_of(4, samples, 4),
                                    series_of(2, samples, 2)};
    for (size_t i = 0; i < 4; i++) {
        ALLOWS(s->storage->put_series(s->state, &all[i], &s->err));
    }
    commit(s);
    ALLOWS(s->storage->each_series(s->state, write_series, &w, &s->err));
    assert_string_equal(w.text, "1:1 2:2 3:3 4:4 ");
    w = (walk){.stop_at = 2};
    assert_int_equal(s->storage->each_series(s->state, write_series, &w, &s->err), SY_INTERRUPTED);
    assert_string_equal(w.text, "1:1 2:2 ");
}

static void samples_of_no_event_are_refused(void **state)
{
    subject *s = *state;
    const double samples[] = {1};
    const sy_stored_series orphan = series_of(2, samples, 1);
    sy_stored_series none = orphan;
    none.event = 0;
    begin(s);
    ALLOWS(append_text(s, 1, "", "x"));
    ALLOWS(s->storage->put_series(s->state, &orphan, &s->err));
    ANSWERS(s->storage->commit(s->state, &s->err), SY_INVALID_ARGUMENT);
    begin(s);
    ANSWERS(s->storage->put_series(s->state, &none, &s->err), SY_INVALID_ARGUMENT);
    s->storage->rollback(s->state);
    none.event = 1;
    none.count = SIZE_MAX / 2;
    begin(s);
    ANSWERS(s->storage->put_series(s->state, &none, &s->err), SY_LIMIT_EXCEEDED);
    s->storage->rollback(s->state);
    assert_int_equal(head_of(s), 0);
    assert_int_equal(series_there(s), 0);
}

static void an_id_is_kept_and_events_hold_it(void **state)
{
    subject *s = *state;
    char id[33];
    const char *const bad[] = {"", "short", "0123456789ABCDEF0123456789abcdef", ID_A "0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        begin(s);
        ANSWERS(s->storage->put_id(s->state, bad[i], &s->err), SY_INVALID_ARGUMENT);
        s->storage->rollback(s->state);
    }
    begin(s);
    ALLOWS(s->storage->put_id(s->state, ID_A, &s->err));
    ALLOWS(s->storage->put_id(s->state, ID_B, &s->err)); /* no event yet */
    ALLOWS(append_text(s, 1, "", "x"));
    ALLOWS(s->storage->put_id(s->state, ID_B, &s->err));
    commit(s);
    begin(s);
    ANSWERS(s->storage->put_id(s->state, ID_A, &s->err), SY_REFUSED);
    s->storage->rollback(s->state);
    ALLOWS(s->storage->get_id(s->state, id, &s->err));
    assert_string_equal(id, ID_B);
}

static void reading_alone_writes_nothing(void **state)
{
    subject *s = *state;
    void *reader = NULL;
    begin(s);
    put_one_of_all(s, 1, "a", 1);
    commit(s);
    ALLOWS(try_open(s, false, true, &reader));
    ANSWERS(s->storage->begin(reader, true, &s->err), SY_REFUSED);
    ALLOWS(s->storage->begin(reader, false, &s->err));
    ALLOWS(s->storage->commit(reader, &s->err));
    s->storage->close(reader);
}

static void a_snapshot_does_not_move_and_what_follows_does(void **state)
{
    subject *s = *state;
    void *reader = NULL;
    uint64_t number = 0;
    sy_digest digest;
    if (!s->entry->persists) {
        print_message("skipped: only this object sees it\n");
        skip();
    }
    ALLOWS(try_open(s, false, false, &reader));
    begin(s);
    ALLOWS(append_text(s, 1, "", "x"));
    ALLOWS(s->storage->begin(reader, false, &s->err));
    commit(s); /* after the reader began, which does not hinder it */
    ALLOWS(s->storage->head(reader, &number, &digest, &s->err));
    assert_int_equal(number, 0);
    ALLOWS(s->storage->commit(reader, &s->err));
    ALLOWS(s->storage->head(reader, &number, &digest, &s->err));
    assert_int_equal(number, 1);
    s->storage->close(reader);
}

typedef struct nested {
    subject *s;
    size_t seen;
} nested;

static sy_status read_in_a_visit(void *user, const sy_stored_event *event, sy_error *err)
{
    nested *n = user;
    subject *s = n->s;
    sy_run_row row;
    uint64_t number;
    sy_digest digest;
    sy_arena *arena = sy_arena_create(0);
    ALLOWS(s->storage->get_row(s->state, event->run, arena, &row, err));
    ALLOWS(s->storage->head(s->state, &number, &digest, err));
    assert_int_equal(row.number, event->number);
    assert_int_equal(count_rows(s), 3);
    sy_arena_destroy(arena);
    n->seen++;
    return SY_OK;
}

static void a_visit_may_read(void **state)
{
    subject *s = *state;
    nested n = {s, 0};
    begin(s);
    put_one_of_all(s, 1, "a", 1);
    put_one_of_all(s, 2, "b", 2);
    put_one_of_all(s, 3, "c", 3);
    commit(s);
    ALLOWS(s->storage->events(s->state, 1, NULL, read_in_a_visit, &n, &s->err));
    assert_int_equal(n.seen, 3);
}

int main(void)
{
    const clause clauses[] = {
        CLAUSE(a_new_one_is_empty),
        CLAUSE(what_was_appended_comes_back_in_order),
        CLAUSE(a_visit_that_ends_the_walk_is_passed_through),
        CLAUSE(ten_megabytes_are_kept_whole),
        CLAUSE(what_is_no_next_event_is_refused),
        CLAUSE(nothing_changes_outside_of_a_transaction_for_writing),
        CLAUSE(a_rollback_undoes_all_of_it),
        CLAUSE(closing_rolls_back_what_is_open),
        CLAUSE(a_transaction_of_which_a_part_failed_cannot_be_committed),
        CLAUSE(samples_are_kept_once_bit_by_bit),
        CLAUSE(all_samples_are_walked_by_event),
        CLAUSE(samples_of_no_event_are_refused),
        CLAUSE(an_id_is_kept_and_events_hold_it),
        CLAUSE(reading_alone_writes_nothing),
        CLAUSE(a_snapshot_does_not_move_and_what_follows_does),
        CLAUSE(a_visit_may_read),
    };
    return run_clauses("storage of the ledger", clauses, sizeof clauses / sizeof clauses[0]);
}
