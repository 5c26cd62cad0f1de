/* SPDX-License-Identifier: Apache-2.0 */
/* The joined call on scripted machines: each source of an answer, what a probe leaves behind, what a miss leaves
 * behind. */
#include "select_support.h"

#include <pthread.h>
#include <sys/stat.h>

static void what_was_proven_once_is_answered_without_a_timed_run(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection first = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_true(first.timed_runs > 0);
    sy_selection second = expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    assert_int_equal(second.timed_runs, 0);
    sy_selector_close(selector);

    selector = open_selector(&p); /* another process would find the same */
    request.mode = SY_SELECT_RECORD_MISS;
    sy_selection third = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(third.timed_runs, 0);
    assert_int_equal(third.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    assert_false(third.prior || third.undecided);
    assert_non_null(strstr(third.why, "calibrated-exact"));
    sy_selector_close(selector);
    leave(&p);
}

static void the_stored_profile_holds_the_decision_and_its_evidence(void **state)
{
    (void)state;
    place p = place_with(SCRIPT_WITH(
        "", REFERENCE "," CANDIDATE("f", "900000", "") "," CANDIDATE("w", "500000", ", \"fault\": \"zeros\"")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    const char *text = slurp(p.store);
    assert_non_null(strstr(text, "steelyard_profiles 2\n"));
    assert_non_null(strstr(text, "policy \"f\""));
    assert_non_null(strstr(text, "decision win capped 60"));
    assert_non_null(strstr(text, "alternative \"w\" \"parity\""));
    assert_non_null(strstr(text, "alternative \"r\" \"reference\""));
    assert_non_null(strstr(text, "evidence \"probe-"));
    sy_selector_close(selector);
    leave(&p);
}

static void undecided_is_answered_by_the_reference_and_retried_at_half_alpha(void **state)
{
    (void)state;
    place p = place_with(SCRIPT_WITH("", REFERENCE "," CANDIDATE("m", "969500", "")));
    sy_probe_options probe = SY_PROBE_OPTIONS_INIT;
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    probe.seed = 5;
    probe.max_pairs = 10;
    request.probe = &probe;
    sy_selection first = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_true(first.undecided);
    assert_non_null(strstr(slurp(p.store), "decision undecided capped 10"));
    assert_non_null(strstr(slurp(p.store), "expires"));
    sy_selector_close(selector);

    selector = open_selector(&p);
    sy_selection again = expect_answer(selector, &request, "r", SY_SOURCE_STORE); /* no more probes until it expires */
    assert_true(again.undecided);
    uint32_t attempts = 0;
    assert_int_equal(sy_selector_attempts(selector, &request, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 1);
    request.retry = true;
    sy_selection retried = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_non_null(strstr(retried.why, "probe 2 of this key"));
    assert_int_equal(sy_selector_attempts(selector, &request, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 2);
    sy_selector_close(selector);
    leave(&p);
}

static sy_status give_reference(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static void an_override_wins_over_what_was_measured(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection measured = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    sy_override_draft draft = SY_OVERRIDE_DRAFT_INIT;
    char reference[] = "r";
    draft.key.backend = measured.backend;
    draft.key.operator_name = measured.operator_name;
    draft.key.implementation_version = measured.implementation_version;
    draft.key.model_digest = measured.model_digest;
    draft.key.processor = measured.processor;
    draft.key.thread_count = measured.thread_count;
    draft.reason = "I know better";
    assert_int_equal(
        sy_store_install_override(sy_selector_store(selector), &draft, give_reference, NULL, reference, NULL, NULL),
        SY_OK);
    sy_selector_close(selector);
    selector = open_selector(&p);
    request.retry = true; /* nor is an override probed over */
    sy_selection overridden = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_int_equal(overridden.rank, SY_PROFILE_RANK_OVERRIDE_EXACT);
    sy_selector_close(selector);
    leave(&p);
}

static void a_policy_that_is_no_implementation_is_passed_over(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_selection key;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    char unknown[] = "gone";
    assert_int_equal(sy_selector_key(selector, &request, &key, NULL), SY_OK);
    draft.key = (sy_profile_key){key.backend,
                                 key.operator_name,
                                 key.implementation_version,
                                 key.model_digest,
                                 key.processor,
                                 key.thread_count,
                                 NULL,
                                 0};
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_reference, NULL, unknown, NULL, NULL),
                     SY_OK);
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_select(selector, &request, &selection, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.what, "policy rejected"));
    sy_selector_close(selector);
    leave(&p);
}

static void a_portable_answer_is_marked_and_confirmed_here(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_property structure[] = {{"heads", "8"}, {"dtype", "f32"}};
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_selection key;
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    char policy[] = "f";
    request.structure = structure;
    request.structure_count = 2;
    assert_int_equal(sy_selector_key(selector, &request, &key, NULL), SY_OK);
    draft.key.backend = key.backend;
    draft.key.operator_name = key.operator_name;
    draft.key.implementation_version = key.implementation_version;
    draft.key.structure = structure;
    draft.key.structure_count = 2;
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_reference, NULL, policy, NULL, NULL),
                     SY_OK);
    sy_selection prior = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_true(prior.prior);
    assert_int_equal(prior.rank, SY_PROFILE_RANK_CALIBRATED_PORTABLE);
    request.mode = SY_SELECT_PROBE;
    sy_selection confirmed = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_false(confirmed.prior);
    assert_non_null(strstr(slurp(p.store), "decision win capped 16")); /* at most 16 pairs */
    sy_selector_close(selector);
    selector = open_selector(&p);
    request.mode = SY_SELECT_STORE_ONLY;
    sy_selection exact = expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    assert_int_equal(exact.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    sy_selector_close(selector);
    leave(&p);
}

static void a_shortcut_is_used_and_never_stored(void **state)
{
    (void)state;
    place p = place_with(
        "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"c\", \"n\": 64}], "
        "\"implementations\": "
        "[" REFERENCE
        "," CANDIDATE("f", "900000", "") "], \"shortcut\": {\"implementation\": \"f\", \"evidence\": \"run 7\"}}");
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_selection known = expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    assert_non_null(strstr(known.why, "run 7"));
    struct stat nothing;
    assert_int_equal(stat(p.store, &nothing), -1);
    sy_selector_close(selector);
    leave(&p);
}

static void each_case_by_itself_is_stored_under_its_properties(void **state)
{
    (void)state;
    place p = place_with("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": \"a\", "
                         "\"n\": 64}, {\"name\": \"b\", \"n\": 32, "
                         "\"weight\": 5}], \"implementations\": [" REFERENCE
                         ", {\"name\": \"f\", \"law\": {\"base_ns\": 800000, \"model\": \"quiet\"}, \"cases\": {\"a\": "
                         "{\"factor\": 2}}}]}");
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    request.per_case = true;
    sy_selection joined = expect_answer(selector, &request, "f", SY_SOURCE_PROBE); /* of b, the heavier */
    assert_non_null(strstr(joined.why, "a: r (probe)"));
    assert_non_null(strstr(joined.why, "b: f (probe)"));
    const char *text = slurp(p.store);
    assert_non_null(strstr(text, "structure \"n\" \"64\""));
    assert_non_null(strstr(text, "structure \"n\" \"32\""));
    assert_non_null(strstr(text, "profile portable calibrated"));
    assert_null(strstr(text, "profile exact"));
    sy_selector_close(selector);
    leave(&p);
}

typedef struct recorded {
    int count;
    sy_status answer;
    const char *run; /* "" = nothing was recorded */
} recorded;

static sy_status record(void *user, const sy_request *request, const sy_probe_result *result, sy_recorded *ret_recorded,
                        sy_error *err)
{
    recorded *r = user;
    (void)request;
    (void)err;
    assert_int_equal(result->decision, SY_DECISION_WIN);
    assert_string_equal(ret_recorded->run, "");
    assert_string_equal(ret_recorded->digest, "");
    if (r->run[0] != '\0') {
        (void)snprintf(ret_recorded->run, sizeof ret_recorded->run, "%s", r->run);
        memset(ret_recorded->digest, 'c', 64);
    }
    r->count++;
    return r->answer;
}

static void the_record_comes_before_the_store_and_may_stop_it(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    recorded r = {0, SY_IO, ""};
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    sy_selection selection;
    store.path = p.store;
    options.store_options = &store;
    options.record = record;
    options.user = &r;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_IO);
    struct stat nothing;
    assert_int_equal(stat(p.store, &nothing), -1);
    r.answer = SY_OK;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_int_equal(r.count, 2);
    assert_int_equal(stat(p.store, &nothing), 0);
    sy_selector_close(selector);
    leave(&p);
}

static void assert_evidence(const place *p, const char *expected)
{
    assert_non_null(strstr(slurp(p->store), expected));
}

/* A selector whose decisions are recorded by r. */
static sy_selector *open_recording(const place *p, recorded *r)
{
    sy_store_options store = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_selector *selector = NULL;
    store.path = p->store;
    options.store_options = &store;
    options.record = record;
    options.user = r;
    assert_int_equal(sy_selector_open(&options, &selector, NULL), SY_OK);
    return selector;
}

static void the_run_that_was_recorded_proves_the_decision(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    recorded r = {0, SY_OK, "20261129-233000-a1b2c3"};
    sy_selector *selector = open_recording(&p, &r);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_evidence(&p, "evidence \"20261129-233000-a1b2c3\" "
                        "\"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\"");
    sy_selector_close(selector);
    leave(&p);
}

static void a_probe_that_is_kept_names_the_run_that_it_was_recorded_in(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    recorded r = {0, SY_OK, ""};
    sy_recorded proof = {"run-9", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_put_result put;
    sy_error err = SY_ERROR_INIT;
    sy_selector *selector = open_recording(&p, &r);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    assert_int_equal(sy_probe(request.device, request.suite, &options, &result, NULL), SY_OK);
    request.recorded = &proof;
    assert_int_equal(sy_selector_keep(selector, &request, result, &put, NULL), SY_OK);
    assert_evidence(&p, "evidence \"run-9\" \"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"");
    proof.digest[63] = 'x';
    assert_int_equal(sy_selector_keep(selector, &request, result, &put, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "what was recorded has no digest of 64 hexadecimal digits");
    proof = (sy_recorded){"", ""};
    assert_int_equal(sy_selector_keep(selector, &request, result, &put, NULL), SY_OK);
    assert_evidence(&p, "evidence \"probe-");
    assert_int_equal(r.count, 0);
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave(&p);
}

static void what_cannot_be_stored_is_refused_with_why(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    options.rule = SY_RULE_MEDIANS;
    assert_int_equal(sy_probe(p.device, p.suite, &options, &result, NULL), SY_OK);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "medians"));
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave(&p);
}

/* One key for hot buffers, one for cold ones, exact and portable: neither answers the other. */
static void an_answer_for_hot_buffers_is_none_for_cold_ones(void **state)
{
    (void)state;
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_selection hot;
    sy_selection cold;
    sy_error err = SY_ERROR_INIT;
    options.cache_bytes = 16384;
    for (int per_case = 0; per_case < 2; per_case++) {
        place p = place_with(WINNING); /* an exact answer would do for a request by cases, too */
        sy_selector *selector = open_selector(&p);
        sy_request request = request_of(&p, SY_SELECT_PROBE);
        request.per_case = per_case != 0;
        request.probe = &options;
        assert_int_equal(sy_select(selector, &request, &hot, &err), SY_OK);
        request.mode = SY_SELECT_STORE_ONLY;
        request.cache_state = "cold";
        assert_int_equal(sy_select(selector, &request, &cold, &err), SY_NOT_FOUND);
        request.mode = SY_SELECT_PROBE;
        assert_int_equal(sy_select(selector, &request, &cold, &err), SY_OK);
        assert_true(cold.timed_runs > 0);
        request.mode = SY_SELECT_STORE_ONLY;
        assert_int_equal(sy_select(selector, &request, &cold, &err), SY_OK);
        assert_int_equal(cold.timed_runs, 0);
        sy_selector_close(selector);
        leave(&p);
    }
}

static void a_probe_of_the_other_cache_state_is_not_kept(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    options.cache = SY_CACHE_COLD;
    options.cache_bytes = 16384;
    assert_int_equal(sy_probe(p.device, p.suite, &options, &result, NULL), SY_OK);
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "another state of the caches"));
    request.cache_state = "cold";
    assert_int_equal(sy_selector_keep(selector, &request, result, NULL, &err), SY_OK);
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave(&p);
}

static void a_structure_says_cold_exactly_where_the_request_does(void **state)
{
    (void)state;
    static const sy_property plain[] = {{"n", "64"}};
    static const sy_property said[] = {{"cache", "cold"}, {"n", "64"}};
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_selection selection;
    sy_error err = SY_ERROR_INIT;
    for (int cold = 0; cold < 2; cold++) {
        sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
        request.cache_state = cold ? "cold" : "hot";
        request.structure = cold ? said : plain;
        request.structure_count = cold ? 2 : 1;
        assert_int_equal(sy_select(selector, &request, &selection, &err), SY_NOT_FOUND);
        request.structure = cold ? plain : said;
        request.structure_count = cold ? 1 : 2;
        assert_int_equal(sy_select(selector, &request, &selection, &err), SY_INVALID_ARGUMENT);
    }
    sy_selector_close(selector);
    leave(&p);
}

static void requests_that_are_none_are_refused(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = SY_REQUEST_INIT;
    sy_selection selection;
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INVALID_ARGUMENT);
    request = request_of(&p, SY_SELECT_STORE_ONLY);
    request.cache_state = "warm";
    assert_int_equal(sy_select(selector, &request, &selection, NULL), SY_INVALID_ARGUMENT);
    sy_selector_close(selector);
    leave(&p);
}

typedef struct reader {
    sy_selector *selector;
    const sy_request *request;
    int right;
} reader;

static void *ask_often(void *user)
{
    reader *r = user;
    for (int i = 0; i < 2000; i++) {
        sy_selection selection;
        r->right += sy_select(r->selector, r->request, &selection, NULL) == SY_OK &&
                    strcmp(selection.implementation, "f") == 0;
    }
    return NULL;
}

static void many_threads_are_answered_side_by_side(void **state)
{
    (void)state;
    place p = place_with(WINNING);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    reader readers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) { /* the first probes, the others wait for it or find it */
        readers[i] = (reader){selector, &request, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &readers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readers[i].right, 2000);
    }
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_proven_once_is_answered_without_a_timed_run),
        cmocka_unit_test(the_stored_profile_holds_the_decision_and_its_evidence),
        cmocka_unit_test(undecided_is_answered_by_the_reference_and_retried_at_half_alpha),
        cmocka_unit_test(an_override_wins_over_what_was_measured),
        cmocka_unit_test(a_policy_that_is_no_implementation_is_passed_over),
        cmocka_unit_test(a_portable_answer_is_marked_and_confirmed_here),
        cmocka_unit_test(a_shortcut_is_used_and_never_stored),
        cmocka_unit_test(each_case_by_itself_is_stored_under_its_properties),
        cmocka_unit_test(the_record_comes_before_the_store_and_may_stop_it),
        cmocka_unit_test(the_run_that_was_recorded_proves_the_decision),
        cmocka_unit_test(a_probe_that_is_kept_names_the_run_that_it_was_recorded_in),
        cmocka_unit_test(what_cannot_be_stored_is_refused_with_why),
        cmocka_unit_test(an_answer_for_hot_buffers_is_none_for_cold_ones),
        cmocka_unit_test(a_probe_of_the_other_cache_state_is_not_kept),
        cmocka_unit_test(a_structure_says_cold_exactly_where_the_request_does),
        cmocka_unit_test(requests_that_are_none_are_refused),
        cmocka_unit_test(many_threads_are_answered_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
