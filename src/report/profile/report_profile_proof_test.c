/* SPDX-License-Identifier: Apache-2.0 */
/* From a stored decision back to its run: in words and in JSON, whatever the ledger says. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"

static const sy_profile recorded = {
    .key = {.backend = "cpu",
            .operator_name = "attention",
            .structure_count = 0,
            .implementation_version = "3",
            .model_digest = "d1",
            .processor = "p",
            .thread_count = 4},
    .policy = "flash",
    .policy_size = 5,
    .evidence_run = "run-7",
    .evidence_digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    .reason = "",
    .tool = ""};

/* Words as if the lines were not broken. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        char c = *from == '\n' ? ' ' : *from;
        if (c != ' ' || (to > text && to[-1] != ' '))
            *to++ = c;
    }
    *to = '\0';
}

static bool prove_as(void *user, const sy_profile *profile, sy_proof_state *ret_state)
{
    const sy_proof_state *state = user;

    assert_string_equal(profile->evidence_run, "run-7");
    if (state != NULL)
        *ret_state = *state;
    return state != NULL;
}

/* The details of the first profile, whose run a ledger has, has otherwise or has not; state NULL: there is no ledger.
 */
static void expect_proof(sy_proof_state *state, const char *words, const char *member)
{
    sy_report_store store = {.now_utc_s = 1};
    const sy_report_profile item = {&recorded, 0};
    sy_json *json = NULL;
    char *text = NULL;

    store.prove = prove_as;
    store.user = state;
    assert_int_equal(sy_report_profile_details(&store, &item, 1, NULL, &text, NULL), SY_OK);
    join_lines(text);
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in: %s", words, text);
    sy_text_free(text);
    assert_int_equal(sy_report_profile_list_json(&store, &item, 1, &text, NULL), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), &(sy_json_limits)SY_JSON_LIMITS_INIT, &json, NULL), SY_OK);
    const sy_json_value *profiles = sy_json_member(sy_json_root(json), "profiles");
    const sy_json_value *evidence = sy_json_member(sy_json_element(profiles, 0), "evidence");
    const sy_json_value *ledger = sy_json_member(evidence, "ledger");
    if (member == NULL)
        assert_int_equal(ledger->kind, SY_JSON_NULL);
    else
        assert_string_equal(ledger->text, member);
    sy_json_destroy(json);
    sy_text_free(text);
}

static void evidence_leads_back_to_its_run(void **state)
{
    sy_proof_state holds = SY_PROOF_HOLDS;
    sy_proof_state differs = SY_PROOF_DIFFERS;
    sy_proof_state absent = SY_PROOF_ABSENT;

    (void)state;
    expect_proof(&holds, "; this project's ledger has it: steelyard run show run-7", "holds");
    expect_proof(&differs, "; this project's ledger has a run of that id, which does not have that digest", "differs");
    expect_proof(&absent, "; this project's ledger has no such run", "absent");
    expect_proof(NULL, "; in its project: steelyard run show run-7", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_leads_back_to_its_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
