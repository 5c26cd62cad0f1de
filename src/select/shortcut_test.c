/* SPDX-License-Identifier: Apache-2.0 */
/* Where a shortcut stands in the walk: behind what is stored for this machine and what a person said, before a profile
 * from elsewhere; never stored, never in the way of who asks for what was measured here. */
#include "select_support.h"

#include <sys/stat.h>

/* The reference r, f and, not there, g; the shortcut was shown for up to 100 elements. */
#define KNOWN(to, cases)                                                                                 \
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [" cases                     \
    "], \"implementations\": [" REFERENCE "," CANDIDATE("f", "900000", "") "," CANDIDATE(                \
        "g", "800000",                                                                                   \
        ", \"unavailable\": \"no such unit\"") "], \"shortcut\": {\"implementation\": \"" to             \
                                               "\", \"evidence\": \"run 7\", \"date\": \"2026-01-02\", " \
                                               "\"largest_n\": 100}}"
#define SMALL "{\"name\": \"small\", \"n\": 64}"
#define LARGE "{\"name\": \"large\", \"n\": 128, \"weight\": 2}"

static sy_status give_text(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static bool exists(const char *path)
{
    struct stat any;
    return stat(path, &any) == 0;
}

static sy_profile_key exact_key_of(sy_selector *selector, const sy_request *request)
{
    sy_selection key;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    return (sy_profile_key){.backend = key.backend,
                            .operator_name = key.operator_name,
                            .implementation_version = key.implementation_version,
                            .model_digest = key.model_digest,
                            .processor = key.processor,
                            .thread_count = key.thread_count};
}

static void put(sy_selector *selector, sy_profile_key key, const char *policy)
{
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = key;
    char text[8];
    (void)snprintf(text, sizeof(text), "%s", policy);
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_text, NULL, text, NULL, NULL), SY_OK);
}

static const char *explained(sy_selector *selector, const sy_request *request)
{
    sy_selection why = {0};
    sy_error err = SY_ERROR_INIT;
    if (sy_selector_explain(selector, request, &why, &err))
        fail_msg("%s", err.what);
    assert_null(why.implementation);
    assert_string_equal(why.operator_name, "ring");
    return why.why;
}

static void a_shortcut_says_what_it_rests_on(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_selection known = expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    assert_string_equal(known.evidence, "run 7");
    assert_string_equal(known.evidence_date, "2026-01-02");
    assert_string_equal(known.why, "store: no profile of ring on fake\nshortcut: run 7 (2026-01-02)\n");
    assert_int_equal(known.timed_runs, 0);
    sy_selection recalled = expect_answer(selector, &request, "f", SY_SOURCE_MEMORY);
    assert_string_equal(recalled.evidence, "run 7");
    put(selector, exact_key_of(selector, &request), "r");
    sy_selection stored = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_null(stored.evidence); /* of a shortcut that is the answer no more */
    sy_selector_close(selector);
    leave(&p);
}

static void a_shortcut_is_stored_in_no_mode(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    for (int mode = SY_SELECT_RECORD_MISS; mode <= SY_SELECT_PROBE; mode++)
        for (int per_case = 0; per_case < 2; per_case++) {
            sy_selector *selector = open_selector(&p);
            sy_request request = request_of(&p, (sy_select_mode)mode);
            request.per_case = per_case == 1;
            assert_false(expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT).stored);
            sy_selector_close(selector);
            assert_false(exists(p.store));
            assert_false(exists(p.misses));
        }
    leave(&p);
}

static void a_store_that_is_there_stays_as_it_is(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    request.model_digest = "another model";
    put(selector, exact_key_of(selector, &request), "r");
    sy_selector_close(selector);
    char before[65536];
    slurp_into(before, sizeof(before), p.store);
    selector = open_selector(&p);
    request.model_digest = NULL;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    sy_selector_close(selector);
    assert_string_equal(slurp(p.store), before);
    leave(&p);
}

static void what_is_stored_for_this_machine_beats_a_shortcut(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    put(selector, exact_key_of(selector, &request), "r");
    sy_selector_close(selector);
    selector = open_selector(&p);
    sy_selection exact = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_int_equal(exact.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    assert_null(strstr(exact.why, "shortcut"));
    sy_selector_close(selector);
    leave(&p);
}

/* A key by structure alone: whoever has the same shapes. */
static sy_profile_key portable_key_of(sy_selector *selector, const sy_request *request)
{
    sy_profile_key key = exact_key_of(selector, request);
    key.model_digest = key.processor = NULL;
    key.thread_count = 0;
    key.structure = request->structure;
    key.structure_count = request->structure_count;
    return key;
}

static void a_shortcut_beats_a_profile_from_elsewhere_unless_those_are_asked_for(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    const sy_property structure[] = {{"n", "64"}};
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    request.structure = structure;
    request.structure_count = 1;
    put(selector, portable_key_of(selector, &request), "r");
    sy_selection known = expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    assert_non_null(strstr(known.why, "calibrated-portable profile proposes r, not confirmed on this machine\n"));
    request.no_shortcuts = true;
    sy_selection prior = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_true(prior.prior);
    request.no_shortcuts = false;
    request.force_portable = true;
    prior = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_int_equal(prior.rank, SY_PROFILE_RANK_CALIBRATED_PORTABLE);
    sy_selector_close(selector);
    leave(&p);
}

static void a_profile_from_elsewhere_answers_where_the_shortcut_passes(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", LARGE));
    const sy_property structure[] = {{"n", "128"}};
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    request.structure = structure;
    request.structure_count = 1;
    put(selector, portable_key_of(selector, &request), "r");
    sy_selection prior = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
    assert_true(prior.prior);
    assert_non_null(strstr(prior.why, "shortcut: passed over: case 'large': n 128 is above"));
    sy_selector_close(selector);
    leave(&p);
}

static void what_a_person_said_beats_a_shortcut(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    const sy_property structure[] = {{"n", "64"}};
    for (int portable = 0; portable < 2; portable++) {
        sy_selector *selector = open_selector(&p);
        sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
        sy_override_draft draft = SY_OVERRIDE_DRAFT_INIT;
        char reference[] = "r";
        request.structure = structure;
        request.structure_count = 1;
        (void)expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
        draft.key = portable ? portable_key_of(selector, &request) : exact_key_of(selector, &request);
        sy_store *store = sy_selector_store(selector);
        assert_int_equal(sy_store_install_override(store, &draft, give_text, NULL, reference, NULL, NULL), SY_OK);
        sy_selection said = expect_answer(selector, &request, "r", SY_SOURCE_STORE);
        assert_int_equal(said.rank, portable ? SY_PROFILE_RANK_OVERRIDE_PORTABLE : SY_PROFILE_RANK_OVERRIDE_EXACT);
        assert_int_equal(sy_store_clear_override(store, &draft.key, NULL), SY_OK);
        (void)expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
        sy_selector_close(selector);
    }
    leave(&p);
}

static void no_shortcuts_is_another_question_and_its_miss_is_probed(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    request.no_shortcuts = true;
    expect_none(selector, &request); /* nor does memory answer with it */
    assert_non_null(strstr(explained(selector, &request), "shortcut: none is asked for\n"));
    assert_int_equal(count_lines(p.misses), 1);
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result;
    assert_int_equal(sy_selector_work_off(selector, p.misses, &options, &result, NULL), SY_OK);
    assert_int_equal(result.probed, 1); /* and not answered by the shortcut */
    assert_int_equal(count_lines(p.misses), 0);
    sy_selector_close(selector);
    selector = open_selector(&p);
    (void)expect_answer(selector, &request, "f", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave(&p);
}

static void a_shape_above_the_largest_proven_one_is_probed(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL "," LARGE));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    expect_none(selector, &request);
    assert_string_equal(explained(selector, &request),
                        "store: no profile of ring on fake\nshortcut: passed over: case 'large': n 128 is above the "
                        "largest proven one, 100 (run 7)\n");
    request.per_case = true; /* the small one alone is known */
    expect_none(selector, &request);
    const char *each = explained(selector, &request);
    assert_non_null(strstr(each, "small: f (shortcut)\n"));
    assert_non_null(strstr(each, "large: shortcut: passed over: case 'large': n 128"));
    request.per_case = false;
    request.mode = SY_SELECT_PROBE;
    sy_selection probed = expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    assert_true(probed.timed_runs > 0 && probed.stored);
    assert_null(probed.evidence);
    sy_selector_close(selector);
    leave(&p);
}

/* As https://github.com/leejet/stable-diffusion.cpp/issues/2003 has it, with numbers of elements for pixels a side: a
 * kernel that is right and faster up to 2560, and writes zeros above. It is known to be best, and yet never used there.
 */
static void a_kernel_that_writes_zeros_above_its_limit_is_found_out(void **state)
{
    (void)state;
    place p = place_with("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"cases\": [{\"name\": "
                         "\"2560\", \"n\": 2560}, {\"name\": \"3072\", \"n\": 3072}], \"implementations\": [" REFERENCE
                         ", {\"name\": \"flash\", \"law\": {\"base_ns\": 700000, \"model\": \"quiet\"}, \"cases\": "
                         "{\"3072\": {\"fault\": \"half\"}}}], \"shortcut\": {\"implementation\": \"flash\", "
                         "\"evidence\": \"issue 2003\", \"largest_n\": 2560}}");
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    request.cases = &p.suite->cases[0];
    request.case_count = 1;
    (void)expect_answer(selector, &request, "flash", SY_SOURCE_SHORTCUT);
    request.cases = &p.suite->cases[1];
    sy_selection probed = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_non_null(strstr(probed.why, "case '3072': n 3072 is above the largest proven one, 2560 (issue 2003)"));
    assert_non_null(strstr(probed.why, "probe: parity-failed"));
    sy_selector_close(selector);
    selector = open_selector(&p);
    (void)expect_answer(selector, &request, "r", SY_SOURCE_STORE); /* and not asked again */
    sy_selector_close(selector);
    leave(&p);
}

static void a_shortcut_to_what_is_not_there_falls_through(void **state)
{
    (void)state;
    place p = place_with(KNOWN("g", SMALL));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    expect_none(selector, &request);
    assert_non_null(strstr(explained(selector, &request),
                           "shortcut: passed over: g is not there for case 'small': no such unit\n"));
    request.mode = SY_SELECT_PROBE;
    (void)expect_answer(selector, &request, "f", SY_SOURCE_PROBE);
    sy_selector_close(selector);
    leave(&p);
}

static sy_shortcut own_answer;
static sy_status own_status;

static sy_status own_shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                              sy_error *err)
{
    (void)user;
    assert_string_equal(question->device->backend, "fake");
    assert_int_equal(question->case_count, 1);
    assert_int_equal(question->cache, SY_CACHE_COLD);
    assert_int_equal(question->prefer, SY_PREFER_MEMORY);
    assert_true(question->allow_approximate);
    if (own_status) {
        if (err)
            *err = (sy_error){.status = own_status, .what = "the table is torn"};
        return own_status;
    }
    *ret_shortcut = own_answer;
    return SY_OK;
}

static void a_suites_own_shortcut_sees_what_is_asked_and_is_not_trusted_blindly(void **state)
{
    (void)state;
    place p = place_with(KNOWN("f", SMALL));
    sy_suite suite = *p.suite;
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    suite.shortcut = own_shortcut;
    request.suite = &suite;
    request.cache_state = "cold";
    request.prefer = SY_PREFER_MEMORY;
    request.allow_approximate = true;
    own_answer = (sy_shortcut){.implementation = "zzz", .evidence = "hearsay"};
    assert_non_null(strstr(explained(selector, &request), "passed over: no implementation of ring is called 'zzz'"));
    own_answer = (sy_shortcut){0};
    assert_non_null(strstr(explained(selector, &request), "shortcut: this device is not a known one\n"));
    own_answer = (sy_shortcut){.reason = "another driver"};
    assert_non_null(strstr(explained(selector, &request), "shortcut: passed over: another driver\n"));
    own_status = SY_CORRUPT;
    sy_selection none;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_select(selector, &request, &none, &err), SY_CORRUPT);
    assert_string_equal(err.what, "the table is torn");
    own_status = SY_OK;
    own_answer = (sy_shortcut){.implementation = "f"};
    sy_selection known = expect_answer(selector, &request, "f", SY_SOURCE_SHORTCUT);
    assert_string_equal(known.evidence, "known architecture");
    assert_null(known.evidence_date);
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shortcut_says_what_it_rests_on),
        cmocka_unit_test(a_shortcut_is_stored_in_no_mode),
        cmocka_unit_test(a_store_that_is_there_stays_as_it_is),
        cmocka_unit_test(what_is_stored_for_this_machine_beats_a_shortcut),
        cmocka_unit_test(a_shortcut_beats_a_profile_from_elsewhere_unless_those_are_asked_for),
        cmocka_unit_test(a_profile_from_elsewhere_answers_where_the_shortcut_passes),
        cmocka_unit_test(what_a_person_said_beats_a_shortcut),
        cmocka_unit_test(no_shortcuts_is_another_question_and_its_miss_is_probed),
        cmocka_unit_test(a_shape_above_the_largest_proven_one_is_probed),
        cmocka_unit_test(a_kernel_that_writes_zeros_above_its_limit_is_found_out),
        cmocka_unit_test(a_shortcut_to_what_is_not_there_falls_through),
        cmocka_unit_test(a_suites_own_shortcut_sees_what_is_asked_and_is_not_trusted_blindly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
