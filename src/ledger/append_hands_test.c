/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of appending to a ledger whose list of runs other hands have changed: what its events forbid stays forbidden,
 * since an event that was illegal when it was written stays so for ever. */
#include "cmocka_headers.h"

#include "ledger_tamper.h"

/* Facets that no run has any more would stand in the way of one that becomes the same. */
#define EMPTY "DELETE FROM facet WHERE runs=0; "

/* Appends the batch once the list was changed; nothing illegal may be found afterwards. */
static void expect_append(const fixture *f, const char *sql, batch *b, sy_status expected)
{
    sy_error err = SY_ERROR_INIT;
    restore(f);
    change(f, sql);
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    sy_status status = batch_append(b, ledger, &err);
    sy_ledger_close(ledger);
    if (status != expected) {
        print_message("%s\n%s\n", sql, err.what);
    }
    assert_int_equal(status, expected);
    sy_ledger_verdict *verdict = verify(f, NULL);
    for (size_t i = 0; i < verdict->fault_count; i++) {
        assert_string_not_equal(verdict->faults[i].what, "illegal");
    }
    sy_ledger_verdict_destroy(verdict);
}

static void a_list_that_says_running_ends_accepts_and_leases_nothing_again(void **state)
{
    static const char running[] = EMPTY "UPDATE facet SET status='running', accepted=0 WHERE accepted=1";
    static const char accepted_no_more[] = EMPTY "UPDATE facet SET accepted=0";
    const fixture *f = *state;
    batch b = {.count = 0};
    batch_end(&b, SECOND, SY_RUN_OK);
    expect_append(f, running, &b, SY_REFUSED);
    batch_lease(&b, SECOND, 9);
    expect_append(f, running, &b, SY_REFUSED);
    batch_accept(&b, SECOND);
    expect_append(f, accepted_no_more, &b, SY_REFUSED);
    batch_accept(&b, FIRST);
    expect_append(f, EMPTY "UPDATE facet SET status='ok' WHERE status='superseded'", &b, SY_REFUSED);
}

/* Each must ask the events: none may be taken because the list says so. */
static void a_list_that_was_made_fit_is_not_believed_by_those_who_judge_sign_off_and_promote(void **state)
{
    static const char fit[] = EMPTY "UPDATE facet SET tier='release-signoff', verdict='pass', verdict_reason='inside', "
                                    "accepted=0 WHERE accepted=1; "
                                    "UPDATE run SET verdict_number=8, signoff=9";
    const fixture *f = *state;
    batch b = {.count = 0};
    batch_verdict(&b, SECOND, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE, 8);
    expect_append(f, fit, &b, SY_REFUSED);
    batch_signoff(&b, SECOND, 8);
    expect_append(f, fit, &b, SY_REFUSED);
    batch_promote(&b, SECOND, SY_JUDGEMENT_PASS, 8, 9);
    expect_append(f, fit, &b, SY_REFUSED);
    batch_change(&b, FIRST, LINE, SECOND);
    expect_append(f, EMPTY "UPDATE facet SET status='ok' WHERE status='superseded'", &b, SY_REFUSED);
}

static void a_run_that_the_list_lost_does_not_begin_twice(void **state)
{
    const fixture *f = *state;
    batch b = {.count = 0};
    sy_run_begin begin = fixture_begin(FIRST);
    batch_begin(&b, &begin);
    expect_append(f, "DELETE FROM run WHERE id='" FIRST "'", &b, SY_REFUSED);
}

static void a_run_that_the_list_invented_ends_never_and_stands_in_the_place_of_none(void **state)
{
    static const char invented[] = "UPDATE run SET id='invented' WHERE id='" FIRST "'";
    const fixture *f = *state;
    batch b = {.count = 0};
    sy_run_end end = {SY_RUN_SUPERSEDED, "", "", "invented"};
    batch_end(&b, "invented", SY_RUN_SUPERSEDED);
    expect_append(f, invented, &b, SY_NOT_FOUND);
    BATCH_ADD(&b, SY_EVENT_END, SECOND, sy_run_end_write, &end);
    expect_append(f, invented, &b, SY_NOT_FOUND);
}

static void what_the_events_allow_is_written_and_sets_the_list_right(void **state)
{
    const fixture *f = *state;
    batch b = {.count = 0};
    batch_end(&b, SECOND, SY_RUN_SUPERSEDED);
    expect_append(f, "UPDATE run SET question='another', fence=99 WHERE id='" SECOND "'", &b, SY_OK);
    expect_clean(f, NULL);
}

/* The number of an event that is still to come: the tables refuse what may well be written. */
static void what_the_changed_tables_refuse_is_damage_and_not_the_callers_fault(void **state)
{
    const fixture *f = *state;
    batch b = {.count = 0};
    sy_error err = SY_ERROR_INIT;
    sy_run_begin begin = fixture_begin("third-run");
    batch_begin(&b, &begin);
    change(f, "UPDATE run SET number=21 WHERE id='" FIRST "'");
    sy_ledger *ledger = open_ledger(f->folder, &f->clock.clock);
    assert_int_equal(batch_append(&b, ledger, &err), SY_CORRUPT);
    sy_ledger_close(ledger);
    assert_non_null(strstr(err.hint, "steelyard ledger verify"));
}

static void an_event_that_was_changed_lets_its_run_go_no_further(void **state)
{
    const fixture *f = *state;
    batch b = {.count = 0};
    batch_end(&b, SECOND, SY_RUN_SUPERSEDED);
    expect_append(f, "UPDATE event SET bytes=replace(bytes, '0.25', '0.26') || ' ' WHERE run='" SECOND "'", &b,
                  SY_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_list_that_says_running_ends_accepts_and_leases_nothing_again, start, stop),
        cmocka_unit_test_setup_teardown(
            a_list_that_was_made_fit_is_not_believed_by_those_who_judge_sign_off_and_promote, start, stop),
        cmocka_unit_test_setup_teardown(a_run_that_the_list_lost_does_not_begin_twice, start, stop),
        cmocka_unit_test_setup_teardown(a_run_that_the_list_invented_ends_never_and_stands_in_the_place_of_none, start,
                                        stop),
        cmocka_unit_test_setup_teardown(what_the_events_allow_is_written_and_sets_the_list_right, start, stop),
        cmocka_unit_test_setup_teardown(what_the_changed_tables_refuse_is_damage_and_not_the_callers_fault, start,
                                        stop),
        cmocka_unit_test_setup_teardown(an_event_that_was_changed_lets_its_run_go_no_further, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
