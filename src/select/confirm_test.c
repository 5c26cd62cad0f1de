/* SPDX-License-Identifier: Apache-2.0 */
/* Confirming what the store proposes: what becomes of it and of its history, and that nothing is looked at twice. */
#include "select_support.h"

#include "base/fault.h"

#include <fcntl.h>
#include <math.h>
#include <sys/file.h>

#define LOSING SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "1100000", ""))
#define TWO SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "1100000", "") "," CANDIDATE("g", "700000", ""))

static const sy_property shape = {"shape", "ring"};

static void leave_all(place *p)
{
    char path[160];
    (void)snprintf(path, sizeof(path), "%s.probing.lock", p->store);
    (void)unlink(path);
    leave(p);
}

/* A profile as it comes from elsewhere, for this request's key but for what `kind`, `version` and `portable` say. */
static sy_profile foreign(sy_selector *selector, const sy_request *request, const char *policy, bool portable)
{
    sy_selection key;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    sy_profile profile = {.kind = SY_PROFILE_CALIBRATED,
                          .key = {.backend = key.backend,
                                  .operator_name = key.operator_name,
                                  .implementation_version = key.implementation_version},
                          .policy = policy,
                          .policy_size = strlen(policy),
                          .has_trial = true,
                          .trial = {SY_DECISION_WIN, "capped", 60, 20, 18, NAN, 1},
                          .has_gain = true,
                          .gain = {.2, .1, .3, 20},
                          .created_utc_s = 1700000000,
                          .tool = "elsewhere"};
    if (portable) {
        profile.key.structure = &shape;
        profile.key.structure_count = 1;
    } else {
        profile.key.model_digest = key.model_digest;
        profile.key.processor = key.processor;
        profile.key.thread_count = key.thread_count;
    }
    return profile;
}

static void adopt(sy_selector *selector, const sy_profile *profile)
{
    sy_error err = SY_ERROR_INIT;
    if (sy_store_adopt(sy_selector_store(selector), &profile, 1, NULL, NULL, &err) != SY_OK)
        fail_msg("%s", err.what);
}

static sy_request confirming(const place *p, uint32_t pairs)
{
    sy_request request = request_of(p, SY_SELECT_RECORD_MISS);
    request.structure = &shape;
    request.structure_count = 1;
    request.confirm_pairs = pairs;
    return request;
}

/* The entry under the request's exact key; NULL = none. */
static const sy_profile *exact_entry(sy_selector *selector, const sy_request *request, sy_profile_kind kind)
{
    sy_profile_view view;
    sy_profile profile = foreign(selector, request, "x", false);
    return sy_store_find(sy_selector_store(selector), &profile.key, kind, &view, NULL) == SY_OK ? view.profile : NULL;
}

static sy_selection expect_outcome(sy_selector *selector, const sy_request *request, const char *implementation,
                                   sy_selection_source source, sy_confirmation confirmation)
{
    sy_selection selection = expect_answer(selector, request, implementation, source);
    if (selection.confirmation != confirmation)
        fail_msg("%s, not %s: %s", sy_confirmation_word(selection.confirmation), sy_confirmation_word(confirmation),
                 selection.why);
    assert_int_equal(selection.timed_runs > 0, source == SY_SOURCE_PROBE);
    return selection;
}

static void a_portable_profile_that_wins_here_is_promoted(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile portable = foreign(selector, &request, "f", true);
    adopt(selector, &portable);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_PROMOTED);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_MEMORY, SY_CONFIRMATION_NONE);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_non_null(entry);
    assert_string_equal(entry->policy, "f");
    assert_int_equal(entry->trial.decision, SY_DECISION_WIN);
    assert_true(entry->trial.max_pairs == 16 && entry->expires_utc_s == 0);
    assert_string_not_equal(entry->evidence_run, "");
    assert_true(entry->cost.probes == 1 && entry->cost.seconds > 0);
    assert_int_equal(entry->earlier_count, 1);
    assert_string_equal(entry->earlier[0].origin, "portable");
    assert_true(entry->earlier[0].gain.low == .1 && entry->earlier[0].created_utc_s == 1700000000);
    sy_selector_close(selector);
    selector = open_selector(&p);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_STORE, SY_CONFIRMATION_NONE);
    sy_selector_close(selector);
    leave_all(&p);
}

static void a_portable_profile_that_loses_here_is_refuted(void **state)
{
    (void)state;
    place p = place_with(TWO);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile portable = foreign(selector, &request, "f", true);
    adopt(selector, &portable);
    sy_selection refuted = expect_outcome(selector, &request, "r", SY_SOURCE_PROBE, SY_CONFIRMATION_REFUTED);
    assert_true(refuted.stored && !refuted.undecided);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_string_equal(entry->policy, "r");
    assert_int_equal(entry->trial.decision, SY_DECISION_NO_GAIN);
    int64_t lasts_s = entry->expires_utc_s - entry->created_utc_s; /* two looks at the clock */
    assert_true(lasts_s >= 7 * 86400 - 60 && lasts_s <= 7 * 86400);
    assert_int_equal(entry->earlier_count, 1);
    assert_string_equal(entry->earlier[0].policy, "f");
    /* In mode probe all are weighed then. */
    request.mode = SY_SELECT_PROBE;
    request.confirm_pairs = 0;
    request.retry = true;
    (void)expect_answer(selector, &request, "g", SY_SOURCE_PROBE);
    entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_int_equal(entry->earlier_count, 2);
    sy_selector_close(selector);
    leave_all(&p);
}

static void an_imported_profile_becomes_calibrated(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile imported = foreign(selector, &request, "f", false);
    imported.kind = SY_PROFILE_IMPORTED;
    imported.has_trial = imported.has_gain = false;
    adopt(selector, &imported);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_PROMOTED);
    assert_null(exact_entry(selector, &request, SY_PROFILE_IMPORTED));
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_int_equal(entry->earlier_count, 1);
    assert_string_equal(entry->earlier[0].origin, "imported");
    assert_false(entry->earlier[0].has_decision);
    sy_selector_close(selector);
    leave_all(&p);
}

static void a_profile_of_an_outdated_version_is_promoted_and_left_where_it_is(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile outdated = foreign(selector, &request, "f", false);
    outdated.key.implementation_version = "0+old";
    adopt(selector, &outdated);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_PROMOTED);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_string_equal(entry->earlier[0].origin, "0+old");
    sy_profile_view view;
    assert_int_equal(sy_store_find(sy_selector_store(selector), &outdated.key, SY_PROFILE_CALIBRATED, &view, NULL),
                     SY_OK);
    sy_selector_close(selector);
    leave_all(&p);
}

static void an_expired_profile_is_confirmed_in_its_place(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile expired = foreign(selector, &request, "f", false);
    expired.expires_utc_s = 1700000001;
    expired.cost = (sy_profile_cost){3, 1};
    adopt(selector, &expired);
    sy_request unconfirmed = request;
    unconfirmed.confirm_pairs = 0;
    expect_none(selector, &unconfirmed);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_CONFIRMED);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_int_equal(entry->expires_utc_s, 0);
    assert_int_equal(entry->earlier_count, 1);
    assert_string_equal(entry->earlier[0].origin, "");
    assert_true(entry->earlier[0].cost.seconds == 3);
    assert_int_equal(entry->trial.attempt, 2);
    sy_selector_close(selector);
    leave_all(&p);
}

static void too_few_pairs_leave_the_answer_of_the_walk(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 3);
    sy_profile portable = foreign(selector, &request, "f", true);
    adopt(selector, &portable);
    sy_selection selection = expect_outcome(selector, &request, "f", SY_SOURCE_STORE, SY_CONFIRMATION_UNDECIDED);
    assert_true(selection.prior);
    assert_non_null(strstr(selection.why, "no 3 pairs can tell"));
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_MEMORY, SY_CONFIRMATION_NONE);
    sy_selector_close(selector);
    leave_all(&p);
}

static void what_could_not_be_told_is_not_asked_again_for_a_week(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_profile portable = foreign(selector, &request, "f", true);
    sy_selection selection;
    uint32_t attempts = 0;
    probe.budget_ns = 22000000; /* some pairs of a millisecond each: too few */
    request.probe = &probe;
    adopt(selector, &portable);
    selection = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(selection.confirmation, SY_CONFIRMATION_UNDECIDED);
    assert_true(selection.timed_runs > 0 && selection.prior);
    assert_int_equal(sy_selector_attempts(selector, &request, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 1);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_MEMORY, SY_CONFIRMATION_NONE);
    sy_selector_close(selector);
    selector = open_selector(&p); /* another process */
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_STORE, SY_CONFIRMATION_NONE);
    request.retry = true;
    probe.budget_ns = UINT64_C(20000000000);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_PROMOTED);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_int_equal(entry->trial.attempt, 2);
    assert_int_equal(entry->earlier_count, 2); /* the look that could not tell, and the portable one */
    sy_selector_close(selector);
    leave_all(&p);
}

static void what_this_machine_proved_is_looked_at_again_only_if_asked(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile mine = foreign(selector, &request, "f", false);
    adopt(selector, &mine);
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_STORE, SY_CONFIRMATION_NONE);
    request.retry = true;
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_PROBE, SY_CONFIRMATION_CONFIRMED);
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_int_equal(entry->earlier_count, 1);
    assert_int_equal(entry->trial.attempt, 2);
    sy_selector_close(selector);
    leave_all(&p);
}

static void an_override_stands_and_what_contradicts_it_is_said(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_profile mine = foreign(selector, &request, "f", false);
    sy_profile override = foreign(selector, &request, "r", false);
    override.kind = SY_PROFILE_OVERRIDE;
    override.has_trial = override.has_gain = false;
    override.reason = "by hand";
    adopt(selector, &mine);
    adopt(selector, &override);
    request.retry = true;
    sy_selection selection = expect_outcome(selector, &request, "r", SY_SOURCE_STORE, SY_CONFIRMATION_NONE);
    assert_non_null(strstr(selection.why, "calibration says f, 20.0 % faster; the override stands"));
    sy_selector_close(selector);
    leave_all(&p);
}

static void a_store_only_request_cannot_confirm(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_selection selection;
    request.mode = SY_SELECT_STORE_ONLY;
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INVALID_ARGUMENT);
    sy_selector_close(selector);
    leave_all(&p);
}

/* Somebody else is at it for longer than a probe may take: the answer is the one without. */
static void another_process_that_confirms_is_not_joined(void **state)
{
    (void)state;
    char path[160];
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 16);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_profile portable = foreign(selector, &request, "f", true);
    adopt(selector, &portable);
    (void)snprintf(path, sizeof(path), "%s.probing.lock", p.store);
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    probe.wall_limit_ns = 1;
    request.probe = &probe;
    (void)expect_outcome(selector, &request, "f", SY_SOURCE_STORE, SY_CONFIRMATION_NONE);
    close(fd);
    sy_selector_close(selector);
    leave_all(&p);
}

static void mode_probe_takes_what_was_imported_first_and_all_if_it_loses(void **state)
{
    (void)state;
    place p = place_with(TWO);
    sy_selector *selector = open_selector(&p);
    sy_request request = confirming(&p, 0);
    request.mode = SY_SELECT_PROBE;
    sy_profile imported = foreign(selector, &request, "f", false);
    imported.kind = SY_PROFILE_IMPORTED;
    adopt(selector, &imported);
    sy_selection selection = expect_outcome(selector, &request, "g", SY_SOURCE_PROBE, SY_CONFIRMATION_REFUTED);
    assert_non_null(strstr(selection.why, "f is not confirmed here"));
    const sy_profile *entry = exact_entry(selector, &request, SY_PROFILE_CALIBRATED);
    assert_string_equal(entry->policy, "g");
    assert_int_equal(entry->expires_utc_s, 0);
    assert_null(exact_entry(selector, &request, SY_PROFILE_IMPORTED));
    sy_selector_close(selector);
    leave_all(&p);
}

/* One allocation fails: the answer is made all the same, or there is none for want of memory, and nothing is left. */
static void every_failed_allocation_of_a_confirmation_is_survived(void **state)
{
    (void)state;
    uint64_t failures = 0;
    bool reached = true;
    for (uint64_t n = 1; reached; n++) {
        place p = place_with(WINNING);
        sy_selector *selector = open_selector(&p);
        sy_request request = confirming(&p, 16);
        sy_profile portable = foreign(selector, &request, "f", true);
        sy_selection selection;
        adopt(selector, &portable);
        sy_fault_reset();
        sy_fault_fail_allocation(n, true);
        sy_status status = sy_select(selector, &request, &selection, NULL);
        if (!status)
            status = sy_selector_report_use(selector, &request, 3, NAN, NULL);
        if (!status)
            status = sy_selector_flush_use(selector, NULL);
        reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        /* The reference's own memory is that of an implementation; what was not stored is not counted. */
        if (status && status != SY_NO_MEMORY && status != SY_NOT_FOUND && status != SY_UNAVAILABLE)
            fail_msg("allocation %llu: %s", (unsigned long long)n, sy_status_word(status));
        failures += status != SY_OK;
        sy_selector_close(selector);
        leave_all(&p);
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_portable_profile_that_wins_here_is_promoted),
        cmocka_unit_test(a_portable_profile_that_loses_here_is_refuted),
        cmocka_unit_test(an_imported_profile_becomes_calibrated),
        cmocka_unit_test(a_profile_of_an_outdated_version_is_promoted_and_left_where_it_is),
        cmocka_unit_test(an_expired_profile_is_confirmed_in_its_place),
        cmocka_unit_test(too_few_pairs_leave_the_answer_of_the_walk),
        cmocka_unit_test(what_could_not_be_told_is_not_asked_again_for_a_week),
        cmocka_unit_test(what_this_machine_proved_is_looked_at_again_only_if_asked),
        cmocka_unit_test(an_override_stands_and_what_contradicts_it_is_said),
        cmocka_unit_test(a_store_only_request_cannot_confirm),
        cmocka_unit_test(another_process_that_confirms_is_not_joined),
        cmocka_unit_test(every_failed_allocation_of_a_confirmation_is_survived),
        cmocka_unit_test(mode_probe_takes_what_was_imported_first_and_all_if_it_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
