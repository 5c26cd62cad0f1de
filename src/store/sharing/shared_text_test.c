/* SPDX-License-Identifier: Apache-2.0 */
/* Exports and imports: what goes out, what is taken in as what, and that nothing is stored of what cannot be trusted.
 */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/sharing.h>

#include "base/text.h"
#include "fault_loop.h"
#include "store_fixture.h"

#define LATER (test_now + 3600)

static void put_proven(sy_store *store, const char *processor, const char *policy, const char *run)
{
    policy_text given = {policy, strlen(policy), 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = exact_key(processor, 4);
    draft.evidence_run = run;
    draft.evidence_digest = SOME_DIGEST;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &given, NULL, NULL), SY_OK);
}

static void put_undecided(sy_store *store, const char *processor)
{
    policy_text given = {"reference", 9, 0};
    sy_profile_trial trial = {SY_DECISION_INCONCLUSIVE, "capped", 60, 60, 30, 1.0, 1};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = exact_key(processor, 4);
    draft.trial = &trial;
    draft.expires_utc_s = LATER;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &given, NULL, NULL), SY_OK);
}

/* Of a site: a proven decision, a plain one, an undecided one, an override. */
static sy_store *open_site(void)
{
    sy_store *site = open_memory(NULL);
    put_proven(site, "p", "fast", "20261130-000000-abcdef");
    put_portable(site, "f16", "portable");
    put_undecided(site, "q");
    install(site, exact_key("p", 4), "wanted", 0);
    return site;
}

static char *export_signed(sy_store *site, const sy_secret_key *key, size_t *ret_size)
{
    char *plain = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(sy_store_export_text(site, NULL, &plain, &size, NULL, NULL), SY_OK);
    assert_int_equal(sy_signature_make(key, plain, size, &text, ret_size, NULL), SY_OK);
    sy_text_free(plain);
    return text;
}

static void what_is_proven_goes_out_and_nothing_else(void **state)
{
    (void)state;
    sy_store *site = open_site();
    char *text = NULL;
    size_t size = 0;
    sy_profile_export_result result;
    sy_profile_export_options options = SY_PROFILE_EXPORT_OPTIONS_INIT;
    assert_int_equal(sy_store_export_text(site, NULL, &text, &size, &result, NULL), SY_OK);
    assert_int_equal(result.exported, 2);
    assert_int_equal(result.left_out, 2);
    assert_non_null(strstr(text, "policy \"fast\""));
    assert_non_null(strstr(text, "policy \"portable\""));
    assert_null(strstr(text, "wanted"));
    assert_null(strstr(text, "undecided"));
    sy_text_free(text);
    options.require_evidence = true;
    assert_int_equal(sy_store_export_text(site, &options, &text, &size, &result, NULL), SY_OK);
    assert_int_equal(result.exported, 1);
    assert_null(strstr(text, "policy \"portable\""));
    sy_text_free(text);
    options.overrides = true;
    assert_int_equal(sy_store_export_text(site, &options, &text, &size, &result, NULL), SY_OK);
    assert_int_equal(result.exported, 2);
    assert_non_null(strstr(text, "wanted"));
    sy_text_free(text);
    text = NULL;
    sy_error err = SY_ERROR_INIT;
    options.backend = "other";
    assert_int_equal(sy_store_export_text(site, &options, &text, &size, &result, &err), SY_NOT_FOUND);
    options.backend = "be";
    options.format = 3;
    assert_int_equal(sy_store_export_text(site, &options, &text, &size, &result, &err), SY_INVALID_ARGUMENT);
    options.struct_size = 1;
    assert_int_equal(sy_store_export_text(site, &options, &text, &size, &result, &err), SY_INVALID_ARGUMENT);
    assert_null(text);
    sy_store_close(site);
}

static void an_expired_profile_does_not_go_out(void **state)
{
    (void)state;
    sy_store *site = open_memory(NULL);
    char *text = NULL;
    size_t size = 0;
    int64_t now = test_now;
    put(site, exact_key("p", 4), "old", LATER);
    assert_int_equal(sy_store_export_text(site, NULL, &text, &size, NULL, NULL), SY_OK);
    sy_text_free(text);
    test_now = LATER;
    assert_int_equal(sy_store_export_text(site, NULL, &text, &size, NULL, NULL), SY_NOT_FOUND);
    test_now = now;
    sy_store_close(site);
}

static void a_verified_text_is_taken_in_as_what_it_is(void **state)
{
    (void)state;
    sy_secret_key *key = NULL;
    assert_int_equal(sy_secret_key_create(&key, NULL), SY_OK);
    sy_public_key trusted = sy_secret_key_public(key);
    sy_store *site = open_site();
    sy_store *mine = open_memory(NULL);
    size_t size = 0;
    char *text = export_signed(site, key, &size);
    sy_profile_import_options options = SY_PROFILE_IMPORT_OPTIONS_INIT;
    options.keys = &trusted;
    options.key_count = 1;
    sy_profile_import_result result;
    assert_int_equal(sy_store_import_text(mine, text, size, &options, &result, NULL), SY_OK);
    assert_true(result.verified);
    assert_string_equal(result.key_id, trusted.id);
    assert_int_equal(result.found, 2);
    assert_int_equal(result.put.stored, 2);
    const sy_profile *taken = find(mine, "p", 4).profile;
    assert_int_equal(taken->kind, SY_PROFILE_CALIBRATED);
    assert_string_equal(taken->policy, "fast");
    assert_string_equal(taken->evidence_run, "20261130-000000-abcdef");
    assert_int_equal(taken->created_utc_s, test_now);
    assert_string_equal(taken->signed_by, trusted.id);
    /* A second time changes nothing. */
    assert_int_equal(sy_store_import_text(mine, text, size, &options, &result, NULL), SY_OK);
    assert_int_equal(result.put.stored, 0);
    sy_text_free(text);
    sy_store_close(site);
    sy_store_close(mine);
    sy_secret_key_destroy(key);
}

static void what_was_measured_here_later_stays(void **state)
{
    (void)state;
    sy_store *site = open_site();
    sy_store *mine = open_memory(NULL);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(sy_store_export_text(site, NULL, &text, &size, NULL, NULL), SY_OK);
    test_now += 10;
    put_proven(mine, "p", "mine", "20261130-000010-abcdef");
    put_portable(mine, "f16", "unproven");
    test_now -= 10;
    sy_profile_import_result result;
    assert_int_equal(sy_store_import_text(mine, text, size, NULL, &result, NULL), SY_OK);
    assert_false(result.verified);
    assert_string_equal(result.key_id, "");
    assert_int_equal(result.put.stored, 0);
    assert_string_equal(find(mine, "p", 4).profile->policy, "mine");
    sy_text_free(text);
    sy_store_close(site);
    sy_store_close(mine);
}

static void overrides_are_taken_when_asked_for_alone(void **state)
{
    (void)state;
    sy_store *site = open_site();
    sy_store *mine = open_memory(NULL);
    char *text = NULL;
    size_t size = 0;
    sy_profile_export_options out = SY_PROFILE_EXPORT_OPTIONS_INIT;
    sy_profile_import_options in = SY_PROFILE_IMPORT_OPTIONS_INIT;
    sy_profile_import_result result;
    out.overrides = true;
    assert_int_equal(sy_store_export_text(site, &out, &text, &size, NULL, NULL), SY_OK);
    assert_int_equal(sy_store_import_text(mine, text, size, &in, &result, NULL), SY_OK);
    assert_int_equal(result.found, 3);
    assert_int_equal(result.overrides_left_out, 1);
    assert_string_equal(find(mine, "p", 4).profile->policy, "fast");
    in.overrides = true;
    assert_int_equal(sy_store_import_text(mine, text, size, &in, &result, NULL), SY_OK);
    assert_int_equal(result.overrides_left_out, 0);
    assert_string_equal(find(mine, "p", 4).profile->policy, "wanted");
    sy_text_free(text);
    sy_store_close(site);
    sy_store_close(mine);
}

static void nothing_is_stored_of_what_is_not_trusted(void **state)
{
    (void)state;
    sy_secret_key *key = NULL;
    sy_secret_key *other = NULL;
    assert_int_equal(sy_secret_key_create(&key, NULL), SY_OK);
    assert_int_equal(sy_secret_key_create(&other, NULL), SY_OK);
    sy_public_key trusted = sy_secret_key_public(key);
    sy_store *site = open_site();
    sy_store *mine = open_memory(NULL);
    size_t size = 0;
    char *text = export_signed(site, other, &size);
    sy_profile_import_options options = SY_PROFILE_IMPORT_OPTIONS_INIT;
    options.keys = &trusted;
    options.key_count = 1;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_store_import_text(mine, text, size, &options, NULL, &err), SY_REFUSED);
    sy_text_free(text);
    text = export_signed(site, key, &size);
    char *fast = strstr(text, "policy \"fast\"");
    assert_non_null(fast);
    fast[8] = 'l';
    assert_int_equal(sy_store_import_text(mine, text, size, &options, NULL, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "changed afterwards"));
    fast[8] = 'f';
    /* Even without a key a signature that is cut is no comment. */
    assert_int_equal(sy_store_import_text(mine, text, size - 5, NULL, NULL, &err), SY_CORRUPT);
    /* An unsigned text is refused where a signature is asked for, and a damaged one whole where none is. */
    char *behind = strstr(text, "# steelyard-signature");
    assert_int_equal(sy_store_import_text(mine, text, (size_t)(behind - text), &options, NULL, &err), SY_REFUSED);
    behind[-2] = 'X';
    assert_int_equal(sy_store_import_text(mine, text, (size_t)(behind - text), NULL, NULL, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "line "));
    options.struct_size = 0;
    assert_int_equal(sy_store_import_text(mine, text, size, &options, NULL, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(count_profiles(mine), 0);
    sy_text_free(text);
    sy_store_close(site);
    sy_store_close(mine);
    sy_secret_key_destroy(key);
    sy_secret_key_destroy(other);
}

static void a_signature_of_a_later_version_is_a_comment_to_who_verifies_nothing(void **state)
{
    (void)state;
    static const char later[] = "steelyard_profiles 2\n# steelyard-signature 2 something else\n";
    sy_store *mine = open_memory(NULL);
    sy_profile_import_result result;
    assert_int_equal(sy_store_import_text(mine, later, strlen(later), NULL, &result, NULL), SY_OK);
    assert_string_equal(result.key_id, "unknown");
    assert_false(result.verified);
    sy_store_close(mine);
}

static sy_status go_round(void *user)
{
    sy_store *site = user;
    sy_store *mine = NULL;
    sy_store_options options = memory_options();
    char *text = NULL;
    size_t size = 0;
    sy_status status = sy_store_open(&options, &mine, NULL);
    if (status == SY_OK) {
        status = sy_store_export_text(site, NULL, &text, &size, NULL, NULL);
    }
    if (status == SY_OK) {
        status = sy_store_import_text(mine, text, size, NULL, NULL, NULL);
    }
    sy_text_free(text);
    sy_store_close(mine);
    return status;
}

static void failing_allocations_are_clean(void **state)
{
    (void)state;
    sy_store *site = open_site();
    assert_true(fault_loop_allocations(go_round, site, true) > 20);
    assert_true(fault_loop_allocations(go_round, site, false) > 20);
    sy_store_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_proven_goes_out_and_nothing_else),
        cmocka_unit_test(an_expired_profile_does_not_go_out),
        cmocka_unit_test(a_verified_text_is_taken_in_as_what_it_is),
        cmocka_unit_test(what_was_measured_here_later_stays),
        cmocka_unit_test(overrides_are_taken_when_asked_for_alone),
        cmocka_unit_test(nothing_is_stored_of_what_is_not_trusted),
        cmocka_unit_test(a_signature_of_a_later_version_is_a_comment_to_who_verifies_nothing),
        cmocka_unit_test(failing_allocations_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
