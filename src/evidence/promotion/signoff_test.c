/* SPDX-License-Identifier: Apache-2.0 */
/* Who vouches for a run, and for which verdict; what later verdicts and later promotions say of a promoted row. */
#include "promotion_support.h"

#include "evidence/promotion/blocked.h"

/* ---- sign-offs ---- */

/* A verdict on the run, as an event. */
static uint64_t give_verdict(life *l, const char *id, sy_judgement_word word, sy_judgement_reason reason)
{
    sy_run *run = life_run(l, id);
    const char *sessions[] = {id};
    const char *reasons[] = {"p50 of 'wall' is 12 % above its baseline"};
    sy_event_list events = life_events(id);
    sy_run_verdict verdict = {.rule = SY_VERDICT_RULE,
                              .word = word,
                              .reason = reason,
                              .key_digest = run->row.key_digest,
                              .sessions = sessions,
                              .session_count = 1,
                              .alpha = 0.02,
                              .replaces = run->row.verdict_number,
                              .reasons = reasons,
                              .reason_count = 1};
    sy_ledger_head head;
    sy_error error = SY_ERROR_INIT;
    if (sy_event_list_verdict(&events, &verdict, &error) != SY_OK ||
        sy_event_list_append(&events, sy_project_ledger(l->project), &head, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    sy_arena_destroy(events.arena);
    sy_run_destroy(run);
    return head.number;
}

static void a_sign_off_holds_for_the_verdict_that_was_seen(void **state)
{
    life *l = *state;
    char id[64];
    pay(l, PAY_ALL, id);
    give_verdict(l, id, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    sy_signed_off *signed_off = life_sign(l, id);
    assert_false(signed_off->done);
    assert_int_equal(signed_off->reason_count, 1);
    assert_non_null(strstr(signed_off->reasons[0], "investigate: unconfirmed"));
    sy_signed_off_destroy(signed_off);
    uint64_t pass = give_verdict(l, id, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED);
    sy_promoted *promoted = life_promote(l, id, false);
    assert_false(promoted->promoted);
    assert_int_equal(promoted->unpaid_count, 1);
    assert_non_null(strstr(find_debt(promoted, "sign-off")->detail, "before its last verdict"));
    sy_promoted_destroy(promoted);
    signed_off = life_sign(l, id);
    assert_true(signed_off->done);
    assert_int_equal(signed_off->verdict, pass);
    sy_signed_off_destroy(signed_off);
    promoted = life_promote(l, id, false);
    assert_true(promoted->promoted);
    assert_int_equal(promoted->row.verdict, pass);
    assert_int_equal(promoted->row.word, SY_JUDGEMENT_PASS);
    sy_promoted_destroy(promoted);
}

static void nobody_vouches_for_what_has_not_ended_well(void **state)
{
    life *l = *state;
    char id[64];
    sy_signoff_options options = SY_SIGNOFF_OPTIONS_INIT;
    sy_signed_off *signed_off = NULL;
    sy_error error = SY_ERROR_INIT;
    life_start(l, LIFE_GATE, id);
    signed_off = life_sign(l, id);
    assert_false(signed_off->done);
    assert_non_null(strstr(signed_off->reasons[0], "planned"));
    sy_signed_off_destroy(signed_off);
    options.run = id;
    options.by = "me";
    options.statement = "\n";
    assert_int_equal(sy_project_signoff(l->project, &options, &signed_off, &error), SY_INVALID_ARGUMENT);
    options.statement = "read it";
    options.by = NULL;
    assert_int_equal(sy_project_signoff(l->project, &options, &signed_off, &error), SY_INVALID_ARGUMENT);
    options.by = "me";
    options.run = "nobody";
    assert_int_equal(sy_project_signoff(l->project, &options, &signed_off, &error), SY_NOT_FOUND);
}

/* ---- afterwards ---- */

static sy_promotion_standing *standing_of(life *l, const char *id)
{
    sy_promotion_standing *standing = NULL;
    sy_run *run = life_run(l, id);
    assert_int_equal(sy_project_promotion_standing(l->project, run, &standing, NULL), SY_OK);
    sy_run_destroy(run);
    return standing;
}

static void a_later_session_of_the_key_that_is_blocked_shows_at_the_row(void **state)
{
    life *l = *state;
    char id[64], later[64];
    pay(l, PAY_ALL, id);
    sy_promoted *promoted = life_promote(l, id, false);
    assert_true(promoted->promoted);
    sy_promoted_destroy(promoted);
    life_start(l, LIFE_GATE, later);
    life_work(l, later);
    life_pass_parity(l, later);
    life_finish_with_memory(l, later, SY_MEMORY_ESTIMATE, 0);
    sy_promotion_standing *standing = standing_of(l, id);
    assert_string_equal(standing->run, "");
    assert_string_equal(standing->follower, "");
    sy_promotion_standing_destroy(standing);
    uint64_t number = give_verdict(l, later, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    standing = standing_of(l, id);
    assert_string_equal(standing->run, later);
    assert_int_equal(standing->verdict, number);
    assert_non_null(strstr(standing->why, "12 % above"));
    sy_promotion_standing_destroy(standing);
    give_verdict(l, later, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_REFUTED); /* it did not repeat */
    standing = standing_of(l, id);
    assert_string_equal(standing->run, "");
    sy_promotion_standing_destroy(standing);
    give_verdict(l, id, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_EVIDENCE); /* the run itself */
    standing = standing_of(l, id);
    assert_string_equal(standing->run, id);
    sy_promotion_standing_destroy(standing);
}

static void a_block_before_the_promotion_or_of_another_key_says_nothing_of_it(void **state)
{
    static const sy_blocking_verdict blocks[] = {
        {.run = "c", .key_digest = "k2", .baseline_key = "k3", .number = 30, .why = "c"},
        {.run = "b", .key_digest = "k2", .baseline_key = "k1", .number = 20, .why = "b"},
        {.run = "a", .key_digest = "k1", .baseline_key = "k1", .number = 10, .why = "a"},
    };
    const sy_blocking_verdicts all = {blocks, 3};
    (void)state;
    assert_string_equal(sy_blocking_verdict_of(&all, "x", "k1", 5)->run, "b"); /* another revision, against this key */
    assert_null(sy_blocking_verdict_of(&all, "x", "k1", 20));
    assert_null(sy_blocking_verdict_of(&all, "x", "k4", 0));
    assert_null(sy_blocking_verdict_of(&all, "x", "", 0));
    assert_string_equal(sy_blocking_verdict_of(&all, "a", "k4", 9)->run, "a"); /* the run itself */
}

static void the_newer_promotion_of_a_gate_stands_in_the_older_ones_place(void **state)
{
    life *l = *state;
    char first[64], second[64];
    pay(l, PAY_ALL, first);
    sy_promoted_destroy(life_promote(l, first, false));
    life_start(l, LIFE_GATE, second);
    life_work(l, second);
    life_pass_parity(l, second);
    life_attach(l, second);
    life_finish_with_memory(l, second, SY_MEMORY_ESTIMATE, 0);
    life_accept(l, second);
    sy_signed_off_destroy(life_sign(l, second));
    sy_promoted *promoted = life_promote(l, second, false);
    assert_true(promoted->promoted);
    sy_promoted_destroy(promoted);
    sy_promotion_standing *standing = standing_of(l, first);
    assert_string_equal(standing->follower, second);
    sy_promotion_standing_destroy(standing);
    standing = standing_of(l, second);
    assert_string_equal(standing->follower, "");
    sy_promotion_standing_destroy(standing);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, life_set_up, life_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_sign_off_holds_for_the_verdict_that_was_seen),
        TEST(nobody_vouches_for_what_has_not_ended_well),
        TEST(a_later_session_of_the_key_that_is_blocked_shows_at_the_row),
        cmocka_unit_test(a_block_before_the_promotion_or_of_another_key_says_nothing_of_it),
        TEST(the_newer_promotion_of_a_gate_stands_in_the_older_ones_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
