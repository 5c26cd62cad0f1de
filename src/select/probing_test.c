/* SPDX-License-Identifier: Apache-2.0 */
/* The probes that a selector makes: whom they weigh, how they count, what they may replace. */
#include "select_support.h"

#define THREE SCRIPT_WITH("", REFERENCE "," CANDIDATE("good", "700000", "") "," CANDIDATE("bad", "1100000", ""))

static sy_status give_text(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static uint32_t attempts_of(sy_selector *selector, const sy_request *request)
{
    uint32_t attempts = 0;
    assert_int_equal(sy_selector_attempts(selector, request, &attempts, NULL), SY_OK);
    return attempts;
}

static sy_probe_result *weigh_some(const place *p, const char *const *names, size_t count)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    options.implementations = names;
    options.implementation_count = count;
    options.seed = 3;
    assert_int_equal(sy_probe(p->device, p->suite, &options, &result, NULL), SY_OK);
    return result;
}

static void a_probe_of_some_does_not_replace_a_winner_it_did_not_weigh(void **state)
{
    (void)state;
    static const char *const bad[] = {"bad"};
    static const char *const both[] = {"bad", "good"};
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_error err = SY_ERROR_INIT;
    (void)expect_answer(selector, &request, "good", SY_SOURCE_PROBE);
    sy_probe_result *result = weigh_some(&p, bad, 1);
    assert_int_equal(result->decision, SY_DECISION_NO_GAIN);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "good"));
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, NULL), SY_REFUSED);
    (void)expect_answer(selector, &request, "good", SY_SOURCE_MEMORY);
    assert_int_equal(attempts_of(selector, &request), 3); /* it was looked at all the same */
    assert_non_null(strstr(slurp(p.store), "decision win"));
    sy_probe_result_destroy(result);
    result = weigh_some(&p, both, 2);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_OK);
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave(&p);
}

/* Both win over the reference; which of them is better was found when both were there. */
static void not_even_a_winner_takes_the_place_of_one_it_did_not_meet(void **state)
{
    (void)state;
    static const char *const second[] = {"second"};
    place p = place_with(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("best", "600000", "") "," CANDIDATE("second", "800000", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    (void)expect_answer(selector, &request, "best", SY_SOURCE_PROBE);
    sy_probe_result *result = weigh_some(&p, second, 1);
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, NULL), SY_REFUSED);
    (void)expect_answer(selector, &request, "best", SY_SOURCE_MEMORY);
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave(&p);
}

static void some_may_be_kept_where_nothing_better_is_known(void **state)
{
    (void)state;
    static const char *const bad[] = {"bad"};
    static const char *const good[] = {"good"};
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_probe_result *result = weigh_some(&p, bad, 1);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, NULL), SY_OK);
    sy_probe_result_destroy(result);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    result = weigh_some(&p, good, 1);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, NULL), SY_OK);
    sy_probe_result_destroy(result);
    (void)expect_answer(selector, &request, "good", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave(&p);
}

/* A portable profile of this structure that names the policy. */
static void put_portable(sy_selector *selector, sy_request *request, char *policy)
{
    static const sy_property structure[] = {{"heads", "8"}};
    sy_selection key;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    request->structure = structure;
    request->structure_count = 1;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    draft.key.backend = key.backend;
    draft.key.operator_name = key.operator_name;
    draft.key.implementation_version = key.implementation_version;
    draft.key.structure = structure;
    draft.key.structure_count = 1;
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_text, NULL, policy, NULL, NULL), SY_OK);
}

static void a_portable_answer_that_does_not_win_here_is_weighed_with_all(void **state)
{
    (void)state;
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    char policy[] = "bad";
    put_portable(selector, &request, policy);
    sy_selection answer = expect_answer(selector, &request, "good", SY_SOURCE_PROBE);
    assert_true(answer.stored);
    assert_non_null(strstr(answer.why, "bad is not confirmed here"));
    assert_non_null(strstr(answer.why, "probe 2 of this key, at alpha 0.025; together below 0.1"));
    assert_int_equal(attempts_of(selector, &request), 2);
    sy_selector_close(selector);
    leave(&p);
}

static void a_portable_reference_is_confirmed_against_all_in_few_pairs(void **state)
{
    (void)state;
    place p = place_with(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("slow", "1200000", "") "," CANDIDATE("bad", "1100000", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    char policy[] = "r";
    put_portable(selector, &request, policy);
    sy_selection answer = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_non_null(strstr(answer.why, "probe 1 of this key"));
    assert_non_null(strstr(slurp(p.store), "decision no-gain capped 16"));
    assert_non_null(strstr(slurp(p.store), "alternative \"slow\""));
    sy_selector_close(selector);
    leave(&p);
}

/* As if this key had been probed so often. */
static void set_attempts(sy_selector *selector, const sy_request *request, uint32_t attempts, int64_t expires_utc_s)
{
    sy_selection key;
    sy_profile_view view;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    const sy_profile_key exact = {.backend = key.backend,
                                  .operator_name = key.operator_name,
                                  .implementation_version = key.implementation_version,
                                  .model_digest = key.model_digest,
                                  .processor = key.processor,
                                  .thread_count = key.thread_count};
    sy_store *store = sy_selector_store(selector);
    assert_int_equal(sy_store_find(store, &exact, SY_PROFILE_CALIBRATED, &view, NULL), SY_OK);
    sy_profile changed = *view.profile;
    const sy_profile *one = &changed;
    changed.trial.attempt = attempts;
    changed.expires_utc_s = expires_utc_s;
    assert_int_equal(sy_store_adopt(store, &one, 1, NULL, NULL, NULL), SY_OK);
}

static void a_key_that_was_probed_too_often_is_answered_as_it_stands(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_error err = SY_ERROR_INIT;
    double alpha = 0;
    uint32_t attempts = 0;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(sy_selector_next_alpha(selector, &request, NULL, &alpha, &attempts, NULL), SY_OK);
    assert_true(alpha == 0.025 && attempts == 1);
    set_attempts(selector, &request, 200, 0);
    assert_int_equal(sy_selector_next_alpha(selector, &request, NULL, &alpha, &attempts, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "probed 200 times"));
    request.retry = true;
    sy_selection stored = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(stored.timed_runs, 0);
    assert_non_null(strstr(stored.why, "probed 200 times"));
    request.retry = false;
    set_attempts(selector, &request, 200, 1); /* long expired: nothing answers but what stands there */
    sy_selection expired = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_non_null(strstr(expired.why, "probed 200 times"));
    sy_probe_options hopeless = SY_PROBE_OPTIONS_INIT; /* whatever the attempts: the call itself is wrong */
    hopeless.max_pairs = 2;
    request.probe = &hopeless;
    assert_int_equal(sy_select(selector, &request, &stored, NULL), SY_INVALID_ARGUMENT);
    sy_selector_close(selector);
    leave(&p);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void an_interruption_before_the_first_pair_counts_nothing(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_selection selection;
    probe.cancelled = always;
    request.probe = &probe;
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INTERRUPTED);
    assert_int_equal(attempts_of(selector, &request), 0);
    request.probe = NULL;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    sy_selector_close(selector);
    leave(&p);
}

static void watch_rounds(void *user, const sy_probe_progress *progress)
{
    *(bool *)user = progress->phase == SY_PHASE_ROUNDS && progress->done >= 2;
}

static bool is_set(void *user)
{
    return *(bool *)user;
}

static void an_interrupted_retry_leaves_what_was_proven(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_selection selection;
    bool stop = false;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    probe.progress = watch_rounds;
    probe.cancelled = is_set;
    probe.user = &stop;
    request.probe = &probe;
    request.retry = true;
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INTERRUPTED);
    assert_int_equal(attempts_of(selector, &request), 2);
    request.retry = false;
    selection = expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    assert_false(selection.undecided);
    sy_selector_close(selector);
    leave(&p);
}

typedef struct seen {
    uint32_t timed_slots;
    bool has_host;
} seen;

static sy_status look(void *user, const sy_request *request, const sy_probe_result *result, sy_recorded *ret_recorded,
                      sy_error *err)
{
    seen *s = user;
    (void)request;
    (void)ret_recorded;
    (void)err;
    s->timed_slots = result->timed_slots;
    s->has_host = sy_identity_get(&result->identity, "cpu.cores") != NULL ||
                  sy_identity_get(&result->identity, "cpu.model") != NULL;
    return SY_OK;
}

static void a_probe_of_select_says_who_measured_and_how_often(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    seen s = {0};
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p.store;
    options.store_options = &store;
    options.record = look;
    options.user = &s;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection answer = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_true(s.timed_slots > 0);
    assert_int_equal(answer.timed_runs, s.timed_slots);
    assert_true(s.has_host);
    sy_selector_close(selector);
    leave(&p);
}

static void a_probe_that_left_a_case_out_answers_with_the_reference_and_is_not_stored(void **state)
{
    (void)state;
    place p = place_with(
        "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, \"cases\": [{\"name\": "
        "\"a\"}, {\"name\": \"huge\", \"factor\": 3000}], \"implementations\": [" REFERENCE
        "," CANDIDATE("f", "700000", "") "]}");
    static const char *const covered[] = {"a"};
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection selection = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_true(selection.undecided);
    assert_false(selection.stored);
    assert_non_null(strstr(selection.why, "covers 1 of 2 cases, not huge (wall-limit)"));
    assert_int_equal(attempts_of(selector, &request), 1);

    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_probe(p.device, p.suite, &options, &result, NULL), SY_OK);
    assert_string_equal(result->winner, "f");
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.hint, "ask for the covered cases by name"));
    sy_probe_result_destroy(result);

    request.cases = p.suite->cases;
    request.case_count = 1;
    options.cases = covered;
    options.case_count = 1;
    assert_int_equal(sy_probe(p.device, p.suite, &options, &result, NULL), SY_OK);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_OK);
    sy_probe_result_destroy(result);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave(&p);
}

static void without_a_reference_nothing_is_answered_or_stored(void **state)
{
    (void)state;
    place p = place_with(
        SCRIPT_WITH("", "{\"name\": \"r\", \"role\": \"reference\", \"unavailable\": \"gone\", "
                        "\"law\": {\"base_ns\": 1000000, \"model\": \"quiet\"}}," CANDIDATE("f", "900000", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_select(selector, &request, &selection, &err), SY_UNAVAILABLE);
    assert_true(err.what[0] != '\0');
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_UNAVAILABLE);
    request.mode = SY_SELECT_STORE_ONLY;
    expect_none(selector, &request);
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_probe_of_some_does_not_replace_a_winner_it_did_not_weigh),
        cmocka_unit_test(not_even_a_winner_takes_the_place_of_one_it_did_not_meet),
        cmocka_unit_test(some_may_be_kept_where_nothing_better_is_known),
        cmocka_unit_test(a_portable_answer_that_does_not_win_here_is_weighed_with_all),
        cmocka_unit_test(a_portable_reference_is_confirmed_against_all_in_few_pairs),
        cmocka_unit_test(a_key_that_was_probed_too_often_is_answered_as_it_stands),
        cmocka_unit_test(an_interruption_before_the_first_pair_counts_nothing),
        cmocka_unit_test(an_interrupted_retry_leaves_what_was_proven),
        cmocka_unit_test(a_probe_of_select_says_who_measured_and_how_often),
        cmocka_unit_test(a_probe_that_left_a_case_out_answers_with_the_reference_and_is_not_stored),
        cmocka_unit_test(without_a_reference_nothing_is_answered_or_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
