/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a run's life: every kind of event in every status, by a table; what each makes of the run. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_life.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void add_event(batch *b, sy_event_kind kind)
{
    sy_run_check check = {"free-memory", 1, true, "4 GiB", "1 GiB"};
    sy_run_memory memory = {"peak", 4096, SY_MEMORY_PHYSICAL, SY_MEMORY_PROCESS, "", 0, 0, false};
    sy_run_digest digest = {"output", DIGEST};
    sy_run_decision decision = {.reason = "", .operation = "matmul", .reference = "a", .winner = "", .alpha = 0.05};
    sy_run_profile profile = {"profiles.json", "exact matmul", "blocked"};
    sy_run_begin begin = fixture_begin(ID);
    switch (kind) {
    case SY_EVENT_BEGIN:
        batch_begin(b, &begin);
        break;
    case SY_EVENT_LEASE:
        batch_lease(b, ID, 4);
        break;
    case SY_EVENT_CHECK:
        BATCH_ADD(b, kind, ID, sy_run_check_write, &check);
        break;
    case SY_EVENT_COMMAND:
        batch_command(b, ID, "measure", 3, true);
        break;
    case SY_EVENT_SERIES:
        batch_series(b, ID, "wall", fixture_samples, 3);
        break;
    case SY_EVENT_PARITY:
        batch_parity(b, ID, SY_RUN_PARITY_PASSED);
        break;
    case SY_EVENT_MEMORY:
        BATCH_ADD(b, kind, ID, sy_run_memory_write, &memory);
        break;
    case SY_EVENT_ARTIFACT:
        batch_artifact(b, ID, SY_ARTIFACT_LOG, DIGEST, 0);
        break;
    case SY_EVENT_DIGEST:
        BATCH_ADD(b, kind, ID, sy_run_digest_write, &digest);
        break;
    case SY_EVENT_NOTE:
        batch_note(b, ID, "seen");
        break;
    case SY_EVENT_DECISION:
        BATCH_ADD(b, kind, ID, sy_run_decision_write, &decision);
        break;
    case SY_EVENT_PROFILE:
        BATCH_ADD(b, kind, ID, sy_run_profile_write, &profile);
        break;
    default:
        batch_raw(b, kind, ID, "{}");
        break;
    }
}

/* Which statuses take which events: P planned, R running, O ok, F failed, X refuted, S superseded, I imported and long
 * ago, i imported and right behind its begin. */
static const struct {
    sy_event_kind kind;
    const char *taken_by;
} takers[] = {
    {SY_EVENT_OPEN, ""},      {SY_EVENT_BEGIN, ""},        {SY_EVENT_LEASE, "PR"},
    {SY_EVENT_CHECK, "PRi"},  {SY_EVENT_COMMAND, "Ri"},    {SY_EVENT_SERIES, "Ri"},
    {SY_EVENT_PARITY, "Ri"},  {SY_EVENT_MEMORY, "Ri"},     {SY_EVENT_ARTIFACT, "PROFXSIi"},
    {SY_EVENT_DIGEST, "Ri"},  {SY_EVENT_NOTE, "PROFXSIi"}, {SY_EVENT_DECISION, "Ri"},
    {SY_EVENT_PROFILE, "RO"}, {SY_EVENT_IMPORT, ""},       {SY_EVENT_UNKNOWN, "PROFXSIi"},
};

static void each_status_takes_the_events_of_the_table_and_no_others(void **state)
{
    static const char letters[] = "PROFXSIi";
    (void)state;
    for (size_t k = 0; k < COUNT(takers); k++) {
        for (size_t l = 0; letters[l] != '\0'; l++) {
            batch b = {.count = 0};
            sy_error err = SY_ERROR_INIT;
            sy_arena *arena = sy_arena_create(0);
            sy_run_row before = row_of(letters[l] == 'i' ? SY_RUN_IMPORTED : (sy_run_status)l);
            sy_run_row after = before;
            bool probe_alone = takers[k].kind == SY_EVENT_DECISION || takers[k].kind == SY_EVENT_PROFILE;
            if (probe_alone && before.kind == SY_RUN_KIND_SESSION) {
                before.kind = SY_RUN_KIND_DECISION;
            }
            bool taken = strchr(takers[k].taken_by, letters[l]) != NULL;
            add_event(&b, takers[k].kind);
            sy_status status = fold(&before, &b, letters[l] == 'i', arena, &after, &err);
            if (status != (taken ? SY_OK : SY_REFUSED)) {
                print_message("%s, status %c: %s\n", sy_event_kind_word(takers[k].kind), letters[l], err.what);
            }
            assert_int_equal(status, taken ? SY_OK : SY_REFUSED);
            if (!taken) {
                assert_memory_equal(&after.status, &before.status, sizeof after.status);
            }
            sy_arena_destroy(arena);
        }
    }
}

static void nothing_but_its_begin_is_taken_before_a_run_exists(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(takers); k++) {
        batch b = {.count = 0};
        sy_run_row row;
        sy_arena *arena = sy_arena_create(0);
        add_event(&b, takers[k].kind);
        sy_status expected = takers[k].kind == SY_EVENT_BEGIN ? SY_OK : SY_NOT_FOUND;
        assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), expected);
        sy_arena_destroy(arena);
    }
}

/* Which end each status may come to, by the letters above. */
static const struct {
    sy_run_status from;
    const char *to;
} ends[] = {
    {SY_RUN_PLANNED, "F"}, {SY_RUN_RUNNING, "OFXS"}, {SY_RUN_OK, "S"},      {SY_RUN_FAILED, ""},
    {SY_RUN_REFUTED, ""},  {SY_RUN_SUPERSEDED, ""},  {SY_RUN_IMPORTED, ""},
};

static void each_status_comes_to_the_ends_of_the_table_and_no_others(void **state)
{
    static const sy_run_status outcomes[] = {SY_RUN_OK, SY_RUN_FAILED, SY_RUN_REFUTED, SY_RUN_SUPERSEDED};
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        for (size_t k = 0; k < COUNT(outcomes); k++) {
            batch b = {.count = 0};
            sy_run_row before = row_of(ends[i].from);
            sy_run_row after = before;
            sy_arena *arena = sy_arena_create(0);
            bool allowed = strchr(ends[i].to, "PROFXSI"[outcomes[k]]) != NULL;
            batch_end(&b, ID, outcomes[k]);
            assert_int_equal(fold(&before, &b, true, arena, &after, NULL), allowed ? SY_OK : SY_REFUSED);
            assert_int_equal(after.status, allowed ? outcomes[k] : ends[i].from);
            assert_int_equal(after.ended_utc_s, allowed ? 1795959859 : 0);
            sy_arena_destroy(arena);
        }
    }
}

static void a_refuted_run_has_a_conclusion_and_only_another_run_stands_in_the_place_of_one(void **state)
{
    batch b = {.count = 0};
    sy_run_row before = row_of(SY_RUN_RUNNING);
    sy_run_row after;
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    batch_raw(&b, SY_EVENT_END, ID, "{\"status\":\"refuted\"}");
    assert_int_not_equal(fold(&before, &b, false, arena, &after, NULL), SY_OK);
    batch_raw(&b, SY_EVENT_END, ID, "{\"status\":\"superseded\",\"superseded_by\":\"" ID "\"}");
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_REFUSED);
    batch_raw(&b, SY_EVENT_END, ID, "{\"status\":\"ok\",\"superseded_by\":\"another\"}");
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_REFUSED);
    batch_raw(&b, SY_EVENT_END, ID, "{\"status\":\"superseded\",\"superseded_by\":\"another\"}");
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_OK);
    sy_arena_destroy(arena);
}

static void a_begin_fills_the_row_and_a_dirty_tree_shows_in_the_revision(void **state)
{
    batch b = {.count = 0};
    sy_run_row row;
    sy_arena *arena = sy_arena_create(0);
    sy_run_begin begin = fixture_begin(ID);
    (void)state;
    batch_begin(&b, &begin);
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_OK);
    assert_int_equal(row.number, 5);
    assert_int_equal(row.status, SY_RUN_PLANNED);
    assert_string_equal(row.gate, "matmul-small");
    assert_string_equal(row.revision, "0123456789abcdef");
    assert_int_equal(strlen(row.key_digest), 64);
    assert_int_equal(row.began_utc_s, 1795959859);
    assert_false(row.lease_whole);

    begin.source.dirty = 1;
    begin.source.diff_digest = DIGEST;
    batch_begin(&b, &begin);
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_OK);
    assert_string_equal(row.revision, "0123456789abcdef+e3b0c44298fc");
    begin.source.diff_digest = "";
    batch_begin(&b, &begin);
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_OK);
    assert_string_equal(row.revision, "0123456789abcdef+unknown");
    sy_arena_destroy(arena);
}

static void a_begin_of_another_run_or_in_another_status_is_refused(void **state)
{
    batch b = {.count = 0};
    sy_run_row row;
    sy_arena *arena = sy_arena_create(0);
    sy_run_begin begin = fixture_begin(ID);
    (void)state;
    batch_begin(&b, &begin);
    b.entries[0].run = "another-run";
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_REFUSED);
    begin.status = SY_RUN_IMPORTED;
    batch_begin(&b, &begin);
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_REFUSED);
    begin = fixture_import(ID);
    begin.status = SY_RUN_PLANNED;
    batch_begin(&b, &begin);
    assert_int_equal(fold(NULL, &b, false, arena, &row, NULL), SY_REFUSED);
    sy_arena_destroy(arena);
}

static void the_difference_counts_as_kept_when_it_is_the_one_of_the_begin(void **state)
{
    batch b = {.count = 0};
    sy_run_row before = row_of(SY_RUN_PLANNED);
    sy_run_row after;
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    before.dirty = 1;
    before.revision = "0123456789abcdef+e3b0c44298fc";
    batch_artifact(&b, ID, SY_ARTIFACT_DIFF, "f3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0);
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_OK);
    assert_false(after.diff_is_kept);
    batch_artifact(&b, ID, SY_ARTIFACT_LOG, DIGEST, 0);
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_OK);
    assert_false(after.diff_is_kept);
    batch_artifact(&b, ID, SY_ARTIFACT_DIFF, DIGEST, 0);
    assert_int_equal(fold(&before, &b, false, arena, &after, NULL), SY_OK);
    assert_true(after.diff_is_kept);
    sy_arena_destroy(arena);
}

/* The commands of a run as "phase fence held" and whether its lease was whole in the end; a lease of fence 3 comes
 * first, one of fence 4 at '+'. */
static const struct {
    const char *what;
    const char *steps; /* m: measures under the newest lease, s: smoke without one, 0: measures under none, l: lost it
                          meanwhile, o: under an older one */
    bool whole;
} leases[] = {
    {"a measuring command under its lease", "m", true}, {"two, the second under a new lease", "m+m", true},
    {"smoke without one does not count", "sm", true},   {"a command without a lease", "0", false},
    {"a lease that was lost meanwhile", "ml", false},   {"an older lease than the run's", "+o", false},
    {"what comes later mends nothing", "0+m", false},
};

static void a_lease_is_never_older_than_the_one_before(void **state)
{
    batch b = {.count = 0};
    sy_error err = SY_ERROR_INIT;
    sy_run_row row = row_of(SY_RUN_RUNNING); /* of fence 3 */
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    batch_lease(&b, ID, 2);
    assert_int_equal(fold(&row, &b, false, arena, &row, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "older"));
    assert_int_equal(row.fence, 3);
    batch_lease(&b, ID, 3); /* held on */
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
    batch_lease(&b, ID, 4);
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
    assert_int_equal(row.fence, 4);
    sy_arena_destroy(arena);
}

static void the_lease_is_whole_when_every_measuring_command_ran_under_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(leases); i++) {
        batch b = {.count = 0};
        sy_run_row row = row_of(SY_RUN_PLANNED);
        sy_arena *arena = sy_arena_create(0);
        uint64_t fence = 3;
        row.lease_whole = false;
        row.fence = 0;
        batch_lease(&b, ID, fence);
        assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
        for (const char *step = leases[i].steps; *step != '\0'; step++) {
            if (*step == '+') {
                batch_lease(&b, ID, ++fence);
            } else {
                uint64_t of = *step == 'o' ? fence - 1 : *step == '0' || *step == 's' ? 0 : fence;
                batch_command(&b, ID, *step == 's' ? "smoke" : "measure", of, *step == 'm' || *step == 'o');
            }
            assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
        }
        if (row.lease_whole != leases[i].whole) {
            print_message("%s\n", leases[i].what);
        }
        assert_int_equal(row.lease_whole, leases[i].whole);
        assert_int_equal(row.fence, fence);
        sy_arena_destroy(arena);
    }
}

static void a_lease_without_a_fencing_number_is_refused(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_PLANNED);
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    batch_raw(&b, SY_EVENT_LEASE, ID,
              "{\"boot\":\"b\",\"device\":\"cpu\",\"fence\":0,\"host\":\"h\",\"process\":1,\"until_utc_s\":2}");
    assert_int_not_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
    sy_arena_destroy(arena);
}

static void the_worst_parity_stays_and_an_unknown_one_leaves_it_incomplete(void **state)
{
    static const struct {
        const char *said; /* P passed, F failed, I incomplete, N not performed, U unknown */
        sy_run_parity outcome;
    } cases[] = {
        {"", SY_RUN_PARITY_UNKNOWN},         {"P", SY_RUN_PARITY_PASSED},      {"PP", SY_RUN_PARITY_PASSED},
        {"PFP", SY_RUN_PARITY_FAILED},       {"PI", SY_RUN_PARITY_INCOMPLETE}, {"IP", SY_RUN_PARITY_INCOMPLETE},
        {"NP", SY_RUN_PARITY_NOT_PERFORMED}, {"NF", SY_RUN_PARITY_FAILED},     {"PU", SY_RUN_PARITY_INCOMPLETE},
        {"UP", SY_RUN_PARITY_INCOMPLETE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sy_run_row row = row_of(SY_RUN_RUNNING);
        sy_arena *arena = sy_arena_create(0);
        row.parity = SY_RUN_PARITY_UNKNOWN;
        for (const char *said = cases[i].said; *said != '\0'; said++) {
            batch b = {.count = 0};
            batch_parity(&b, ID, (sy_run_parity)(strchr("UPFIN", *said) - "UPFIN"));
            assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
        }
        assert_int_equal(row.parity, cases[i].outcome);
        sy_arena_destroy(arena);
    }
}

static void series_are_counted_with_their_samples(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_RUNNING);
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    batch_series(&b, ID, "wall", fixture_samples, 2);
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
    assert_int_equal(row.series_count, 2);
    assert_int_equal(row.sample_count, 5);
    sy_arena_destroy(arena);
}

static void a_session_decides_nothing_and_leaves_no_profile(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_RUNNING);
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    add_event(&b, SY_EVENT_DECISION);
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_REFUSED);
    add_event(&b, SY_EVENT_PROFILE);
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_REFUSED);
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_status_takes_the_events_of_the_table_and_no_others),
        cmocka_unit_test(nothing_but_its_begin_is_taken_before_a_run_exists),
        cmocka_unit_test(each_status_comes_to_the_ends_of_the_table_and_no_others),
        cmocka_unit_test(a_refuted_run_has_a_conclusion_and_only_another_run_stands_in_the_place_of_one),
        cmocka_unit_test(a_begin_fills_the_row_and_a_dirty_tree_shows_in_the_revision),
        cmocka_unit_test(a_begin_of_another_run_or_in_another_status_is_refused),
        cmocka_unit_test(the_difference_counts_as_kept_when_it_is_the_one_of_the_begin),
        cmocka_unit_test(a_lease_is_never_older_than_the_one_before),
        cmocka_unit_test(the_lease_is_whole_when_every_measuring_command_ran_under_one),
        cmocka_unit_test(a_lease_without_a_fencing_number_is_refused),
        cmocka_unit_test(the_worst_parity_stays_and_an_unknown_one_leaves_it_incomplete),
        cmocka_unit_test(series_are_counted_with_their_samples),
        cmocka_unit_test(a_session_decides_nothing_and_leaves_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
