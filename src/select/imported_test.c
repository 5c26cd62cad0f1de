/* SPDX-License-Identifier: Apache-2.0 */
/* What other tuners found is never an answer, and is tried first where something is probed. */
#include "select_support.h"

#define THREE SCRIPT_WITH("", REFERENCE "," CANDIDATE("good", "700000", "") "," CANDIDATE("fair", "800000", ""))

/* An imported profile of the request's only case that names the policy. */
static void import_policy(sy_selector *selector, const sy_request *request, const char *backend, const char *policy)
{
    const sy_case *c = &request->suite->cases[0];
    sy_property structure[16];
    char values[16][24];
    sy_profile profile = {.kind = SY_PROFILE_IMPORTED, .portable = true};
    const sy_profile *one = &profile;
    sy_error err = SY_ERROR_INIT;
    assert_true(c->property_count < 15);
    for (size_t i = 0; i < c->property_count; i++) {
        (void)snprintf(values[i], sizeof(values[i]), "%lld", (long long)c->properties[i].value);
        structure[i] = (sy_property){c->properties[i].name, values[i]};
    }
    structure[c->property_count] = (sy_property){"dtype", sy_dtype_word(c->dtype)};
    profile.key = (sy_profile_key){.backend = backend,
                                   .operator_name = "ring",
                                   .implementation_version = "another machine's",
                                   .model_digest = "",
                                   .processor = "",
                                   .structure = structure,
                                   .structure_count = c->property_count + 1};
    profile.policy = policy;
    profile.policy_size = strlen(policy);
    profile.evidence_run = profile.evidence_digest = profile.reason = profile.tool = profile.trial.rule = "";
    if (sy_store_adopt(sy_selector_store(selector), &one, 1, NULL, NULL, &err) != SY_OK)
        fail_msg("%s", err.what);
}

static void an_imported_profile_is_never_selected(void **state)
{
    (void)state;
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_STORE_ONLY);
    import_policy(selector, &request, "fake", "fair");
    expect_none(selector, &request);
    request.per_case = true;
    expect_none(selector, &request);
    sy_selector_close(selector);
    leave(&p);
}

/* "fair" wins against the reference, so that "good" is not even weighed: as with any other prior. */
static void an_imported_winner_is_tried_first(void **state)
{
    (void)state;
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    import_policy(selector, &request, "fake", "fair");
    sy_selection answer = expect_answer(selector, &request, "fair", SY_SOURCE_PROBE);
    assert_non_null(strstr(answer.why, "store: imported profile proposes fair, to be confirmed here\n"));
    assert_true(answer.stored && answer.imported_first);
    assert_null(strstr(slurp(p.store), "alternative \"good\""));
    request.mode = SY_SELECT_STORE_ONLY;
    (void)expect_answer(selector, &request, "fair", SY_SOURCE_MEMORY);
    sy_selector_close(selector);
    leave(&p);
}

static void an_imported_loser_costs_a_short_probe_and_then_all_are_weighed(void **state)
{
    (void)state;
    place p = place_with(
        SCRIPT_WITH("", REFERENCE "," CANDIDATE("good", "700000", "") "," CANDIDATE("bad", "1100000", "")));
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    import_policy(selector, &request, "fake", "bad");
    sy_selection answer = expect_answer(selector, &request, "good", SY_SOURCE_PROBE);
    assert_non_null(strstr(answer.why, "bad is not confirmed here"));
    assert_false(answer.imported_first);
    sy_selector_close(selector);
    leave(&p);
}

static void what_is_of_another_backend_or_names_nothing_of_ours_is_no_proposal(void **state)
{
    (void)state;
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    import_policy(selector, &request, "hip", "fair");
    import_policy(selector, &request, "fake", "Gemm_Hipblaslt_TN_12683");
    sy_selection answer = expect_answer(selector, &request, "good", SY_SOURCE_PROBE);
    assert_null(strstr(answer.why, "imported"));
    sy_selector_close(selector);
    leave(&p);
}

static void a_miss_is_worked_off_with_the_imported_winner_first(void **state)
{
    (void)state;
    place p = place_with(THREE);
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_RECORD_MISS);
    sy_work_off_options work = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result = {0};
    sy_error err = SY_ERROR_INIT;
    import_policy(selector, &request, "fake", "fair");
    expect_none(selector, &request);
    if (sy_selector_work_off(selector, p.misses, &work, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    assert_int_equal(result.probed, 1);
    request.mode = SY_SELECT_STORE_ONLY;
    (void)expect_answer(selector, &request, "fair", SY_SOURCE_MEMORY);
    assert_int_equal(count_lines(p.misses), 0);
    sy_selector_close(selector);
    leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_imported_profile_is_never_selected),
        cmocka_unit_test(an_imported_winner_is_tried_first),
        cmocka_unit_test(an_imported_loser_costs_a_short_probe_and_then_all_are_weighed),
        cmocka_unit_test(what_is_of_another_backend_or_names_nothing_of_ours_is_no_proposal),
        cmocka_unit_test(a_miss_is_worked_off_with_the_imported_winner_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
