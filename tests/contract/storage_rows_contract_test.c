/* SPDX-License-Identifier: Apache-2.0 */
/* What every storage of the ledger owes: runs and their keys; and that a failing allocation loses nothing. Lists are in
 * storage_lists_contract_test.c. */
#include "storage_entries.h"

#include "base/fault.h"
#include "fault_loop.h"

/* A row with something in every field. */
static sy_run_row full_row(const char *id, uint64_t number)
{
    return (sy_run_row){.id = id,
                        .number = number,
                        .kind = SY_RUN_KIND_DECISION,
                        .status = SY_RUN_REFUTED,
                        .reason = "reason 'quoted'",
                        .question = "question; DROP TABLE run; --",
                        .conclusion = "conclusion\nof two lines \xc3\xa9",
                        .gate = "gate \"x\"",
                        .cell = "matmul::cpu",
                        .tier = "release-signoff",
                        .protocol = "steelyard-profile/v1",
                        .revision = "0123456789abcdef0123456789abcdef01234567+0123456789ab",
                        .host = "host",
                        .device = "device",
                        .origin = "google-benchmark",
                        .key_digest = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
                        .began_utc_s = -1,
                        .ended_utc_s = INT64_MAX,
                        .parity = SY_RUN_PARITY_INCOMPLETE,
                        .dirty = -1,
                        .diff_is_kept = true,
                        .hardware = 1,
                        .synthetic = true,
                        .accepted = true,
                        .lease_whole = true,
                        .fence = INT64_MAX,
                        .lease_until_utc_s = INT64_MIN,
                        .series_count = 3,
                        .sample_count = 1000,
                        .begins_baseline = true,
                        .judged = true,
                        .verdict = SY_JUDGEMENT_BLOCK,
                        .verdict_reason = SY_JUDGEMENT_REASON_IMPROVED,
                        .verdict_number = INT64_MAX,
                        .raised = true,
                        .signed_off = true,
                        .signoff_number = INT64_MAX - 1,
                        .promoted = INT64_MAX - 2};
}

static void check_row(subject *s, const sy_run_row *wanted)
{
    sy_run_row row;
    sy_arena *arena = sy_arena_create(0);
    ALLOWS(s->storage->get_row(s->state, wanted->id, arena, &row, &s->err));
    assert_rows_equal(&row, wanted);
    sy_arena_destroy(arena);
}

static void a_row_comes_back_as_it_was_put(void **state)
{
    subject *s = *state;
    sy_run_row full = full_row("it's \"a\"", 7);
    sy_run_row empty = row_of("b", 3);
    const sy_run_row bare = {.id = "c", .number = 9};
    sy_run_row bare_kept = row_of("c", 9);
    sy_run_row none;
    sy_arena *arena = sy_arena_create(0);
    begin(s);
    put_row(s, &full, "[[\"a\",\"1\"]]");
    put_row(s, &empty, "");
    put_row(s, &bare, "");
    commit(s);
    if (s->entry->persists) {
        reopen(s);
    }
    check_row(s, &full);
    check_row(s, &empty);
    check_row(s, &bare_kept);
    ANSWERS(s->storage->get_row(s->state, "it's", arena, &none, &s->err), SY_NOT_FOUND);
    ANSWERS(s->storage->get_row(s->state, "", arena, &none, &s->err), SY_NOT_FOUND);
    sy_arena_destroy(arena);
    is_sound(s);
}

/* The keys of a walk over all rows. */
static sy_status write_key(void *user, const sy_run_row *row, const char *key, sy_error *err)
{
    char *text = user;
    (void)err;
    size_t length = strlen(text);
    snprintf(text + length, 256 - length, "%d %s %s|", (int)row->number, row->id, key);
    return row->number == 99 ? SY_INTERRUPTED : SY_OK;
}

static void a_row_takes_the_place_of_its_ids(void **state)
{
    subject *s = *state;
    char walked[256] = "";
    sy_run_row row = row_of("b", 2);
    begin(s);
    put_row(s, &row, "[[\"a\",null]]");
    row = row_of("a", 1);
    row.key_digest = "k1";
    put_row(s, &row, "[[\"a\",\"1\"]]");
    commit(s);
    begin(s);
    row = full_row("a", 1);
    row.key_digest = "of another key, which NULL leaves";
    put_row(s, &row, NULL);
    commit(s);
    row.key_digest = "k1";
    check_row(s, &row);
    assert_int_equal(count_rows(s), 2);
    ALLOWS(s->storage->each_row(s->state, write_key, walked, &s->err));
    assert_string_equal(walked, "1 a [[\"a\",\"1\"]]|2 b [[\"a\",null]]|");
    begin(s);
    put_row(s, &row, ""); /* and a key can be taken away, but not its digest alone */
    row.key_digest = "";
    row.number = 1;
    put_row(s, &row, "");
    row.id = "z";
    row.number = 99;
    put_row(s, &row, "");
    commit(s);
    walked[0] = '\0';
    assert_int_equal(s->storage->each_row(s->state, write_key, walked, &s->err), SY_INTERRUPTED);
    assert_string_equal(walked, "1 a |2 b [[\"a\",null]]|99 z |");
    is_sound(s);
}

static void a_row_that_cannot_be_is_refused(void **state)
{
    subject *s = *state;
    const sy_run_row good = row_of("a", 1);
    begin(s);
    put_row(s, &good, "");
    commit(s);
    sy_run_row bad[12];
    for (size_t i = 0; i < 12; i++) {
        bad[i] = row_of("b", 2);
    }
    bad[0].number = 1; /* another run has it */
    bad[1].id = "a";   /* which has another number */
    bad[2].id = "";
    bad[3].id = NULL;
    bad[4].number = 0;
    bad[5].number = UINT64_MAX;
    bad[6].status = (sy_run_status)(SY_RUN_IMPORTED + 1);
    bad[7].kind = (sy_run_kind)(SY_RUN_KIND_IMPORT + 1);
    bad[8].parity = (sy_run_parity)(SY_RUN_PARITY_NOT_PERFORMED + 1);
    bad[9].dirty = 2;
    bad[10].hardware = -2;
    bad[11].fence = UINT64_MAX;
    for (size_t i = 0; i < 12; i++) {
        begin(s);
        ANSWERS(s->storage->put_row(s->state, &bad[i], "", &s->err), SY_INVALID_ARGUMENT);
        s->storage->rollback(s->state);
    }
    const sy_run_row new = row_of("c", 3);
    begin(s);
    ANSWERS(s->storage->put_row(s->state, &new, NULL, &s->err), SY_INVALID_ARGUMENT);
    s->storage->rollback(s->state);
    assert_int_equal(count_rows(s), 1);
}

static sy_status write_id(void *user, const sy_run_row *row, sy_error *err)
{
    char *text = user;
    (void)err;
    size_t length = strlen(text);
    snprintf(text + length, 256 - length, "%s ", row->id);
    return row->id[0] == '!' ? SY_INTERRUPTED : SY_OK;
}

static void runs_are_found_by_how_their_ids_begin(void **state)
{
    subject *s = *state;
    static const char *const ids[] = {"20261129-a", "20261129-b", "20261130-a",       "2026%",
                                      "2026_x",     "abc",        "\xc3\xa9t\xc3\xa9"};
    static const struct {
        const char *beginning;
        size_t limit;
        const char *wanted;
    } cases[] = {
        {"20261129", 10, "20261129-a 20261129-b "},
        {"2026112", 1, "20261129-a "},
        {"2026%", 10, "2026% "},
        {"2026_", 10, "2026_x "},
        {"abcd", 10, ""},
        {"ab", 0, "abc "},
        {"\xc3\xa9", 10, "\xc3\xa9t\xc3\xa9 "},
        {"", 3, "2026% 20261129-a 20261129-b "},
    };
    begin(s);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        sy_run_row row = row_of(ids[i], 10 - i);
        put_row(s, &row, "");
    }
    commit(s);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char found[256] = "";
        ALLOWS(s->storage->rows_like(s->state, cases[i].beginning, cases[i].limit, write_id, found, &s->err));
        assert_string_equal(found, cases[i].wanted);
    }
}

static void a_visit_of_a_list_ends_it(void **state)
{
    subject *s = *state;
    char found[256] = "";
    sy_run_row row = row_of("!stop", 2);
    begin(s);
    put_row(s, &row, "");
    row = row_of("a", 1);
    put_row(s, &row, "");
    row = row_of("b", 3);
    put_row(s, &row, "");
    commit(s);
    uint64_t total = 77;
    assert_int_equal(s->storage->rows(s->state, NULL, write_id, found, &total, &s->err), SY_INTERRUPTED);
    assert_string_equal(found, "b !stop ");
    assert_int_equal(total, 77);
    found[0] = '\0';
    assert_int_equal(s->storage->rows_like(s->state, "", 0, write_id, found, &s->err), SY_INTERRUPTED);
    assert_string_equal(found, "!stop ");
    assert_int_equal(count_rows(s), 3);
    begin(s); /* nothing was left open */
    s->storage->rollback(s->state);
}

/* ---- keys ---- */

static sy_status write_group(void *user, const sy_key_row *row, const char *key, sy_error *err)
{
    char *text = user;
    (void)err;
    size_t length = strlen(text);
    assert_int_equal(row->key.field_count, 0);
    char failed[16] = "";
    if (row->failed_count > 0)
        snprintf(failed, sizeof failed, "-%d", (int)row->failed_count);
    snprintf(text + length, 512 - length, "%s %s %d/%d%s %s %s|", row->key_digest, row->cell, (int)row->accepted_count,
             (int)row->session_count, failed, row->newest, key);
    return row->newest[0] == '!' ? SY_INTERRUPTED : SY_OK;
}

static void check_keys(subject *s, const sy_run_filter *filter, bool incomplete_too, const char *wanted)
{
    char found[512] = "";
    ALLOWS(s->storage->keys(s->state, filter, incomplete_too, write_group, found, &s->err));
    assert_string_equal(found, wanted);
}

static void runs_are_counted_by_their_keys(void **state)
{
    subject *s = *state;
    static const struct {
        const char *id;
        const char *digest;
        const char *key;
        const char *cell;
        sy_run_status status;
        bool accepted;
    } runs[] = {
        {"r1", "k1", "[1]", "old", SY_RUN_OK, true},      {"r2", "k2", "[2]", "c2", SY_RUN_OK, false},
        {"r3", "", "[null]", "c3", SY_RUN_OK, false},     {"r4", "k1", "[1]", "new", SY_RUN_FAILED, false},
        {"r5", "", "[null]", "c5", SY_RUN_FAILED, false}, {"r6", "", "", "none", SY_RUN_OK, false},
        {"r7", "k2", "[2]", "c2", SY_RUN_OK, true},       {"r8", "k1", "[1,1]", "c1", SY_RUN_PLANNED, true},
    };
    begin(s);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        sy_run_row row = row_of(runs[i].id, i + 1);
        row.key_digest = runs[i].digest;
        row.cell = runs[i].cell;
        row.status = runs[i].status;
        row.accepted = runs[i].accepted;
        put_row(s, &row, runs[i].key);
    }
    commit(s);
    check_keys(s, NULL, false, "k1 c1 2/3-1 r8 [1,1]|k2 c2 1/2 r7 [2]|");
    check_keys(s, NULL, true, "k1 c1 2/3-1 r8 [1,1]|k2 c2 1/2 r7 [2]| c5 0/1-1 r5 [null]| c3 0/1 r3 [null]|");
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    filter.limit = 1;
    check_keys(s, &filter, true, "k1 c1 2/3-1 r8 [1,1]|");
    filter.limit = 0;
    filter.before_number = 7;
    check_keys(s, &filter, false, "k1 new 1/2-1 r4 [1]|k2 c2 0/1 r2 [2]|");
    filter.before_number = 0;
    filter.statuses = 1u << SY_RUN_OK;
    check_keys(s, &filter, false, "k2 c2 1/2 r7 [2]|k1 old 1/1 r1 [1]|");
    filter.cell = "c3";
    check_keys(s, &filter, true, " c3 0/1 r3 [null]|");
    check_keys(s, &filter, false, "");
    filter = (sy_run_filter)SY_RUN_FILTER_INIT;
    filter.key_digest = "k2";
    check_keys(s, &filter, true, "k2 c2 1/2 r7 [2]|");
    filter.accepted_only = true;
    check_keys(s, &filter, true, "k2 c2 1/1 r7 [2]|");
    begin(s);
    sy_run_row row = row_of("!stop", 50);
    row.key_digest = "k9";
    put_row(s, &row, "[9]");
    commit(s);
    char found[512] = "";
    assert_int_equal(s->storage->keys(s->state, NULL, false, write_group, found, &s->err), SY_INTERRUPTED);
    assert_string_equal(found, "k9  0/1 !stop [9]|");
}

/* ---- allocations ---- */

static sy_status ask_all(const sy_storage *storage, void *opened, sy_arena *arena)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_run_row row;
    size_t count = 0;
    filter.key_digest = "abcdef01";
    filter.revision = "1234567";
    sy_status status = storage->rows(opened, &filter, count_row, &count, NULL, NULL);
    if (status == SY_OK) {
        status = storage->rows_like(opened, "a", 1, count_row, &count, NULL);
    }
    if (status == SY_OK) {
        status = storage->each_series(opened, count_series, &count, NULL);
    }
    char found[512] = "";
    if (status == SY_OK) {
        status = storage->keys(opened, &filter, true, write_group, found, NULL);
    }
    return status == SY_OK ? storage->get_row(opened, "a", arena, &row, NULL) : status;
}

static sy_status put_all(const sy_storage *storage, void *opened)
{
    const double samples[] = {1, 2};
    const sy_stored_series series = series_of(1, samples, 2);
    const sy_stored_event event = event_of(1, "note", "a", "x");
    const sy_run_row row = row_of("a", 1);
    sy_status status = storage->begin(opened, true, NULL);
    if (status == SY_OK) {
        status = storage->append(opened, &event, NULL);
    }
    if (status == SY_OK) {
        status = storage->put_series(opened, &series, NULL);
    }
    return status == SY_OK ? storage->put_row(opened, &row, "[]", NULL) : status;
}

static sy_status use_all(void *user)
{
    const subject *s = user;
    const sy_storage_options options = {.folder = s->folder, .create = true, .wait_ns = UINT64_C(10000000000)};
    void *opened = NULL;
    sy_arena *arena = sy_arena_create(0);
    sy_status status = arena == NULL ? SY_NO_MEMORY : s->storage->open(&options, &opened, NULL);
    if (status == SY_OK) {
        status = put_all(s->storage, opened);
        if (status == SY_OK) {
            status = ask_all(s->storage, opened, arena);
        }
        s->storage->rollback(opened);
        s->storage->close(opened);
    }
    sy_arena_destroy(arena);
    return status;
}

static void an_allocation_that_fails_loses_nothing(void **state)
{
    subject *s = *state;
    assert_true(fault_loop_allocations(use_all, s, true) > 5);
    assert_true(fault_loop_allocations(use_all, s, false) > 5);
    assert_int_equal(head_of(s), 0);
}

int main(void)
{
    const clause clauses[] = {
        CLAUSE(a_row_comes_back_as_it_was_put),
        CLAUSE(a_row_takes_the_place_of_its_ids),
        CLAUSE(a_row_that_cannot_be_is_refused),
        CLAUSE(runs_are_found_by_how_their_ids_begin),
        CLAUSE(a_visit_of_a_list_ends_it),
        CLAUSE(runs_are_counted_by_their_keys),
        CLAUSE(an_allocation_that_fails_loses_nothing),
    };
    return run_clauses("runs in the storage of the ledger", clauses, sizeof clauses / sizeof clauses[0]);
}
