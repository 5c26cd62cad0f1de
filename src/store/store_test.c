/* SPDX-License-Identifier: Apache-2.0 */
/* Putting into a store in memory: keys, what a put checks, replacing, adopting, invalidating, failed allocations.
 * Asking is lookup_test.c, files are commit_test.c. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fault_loop.h"
#include "store_fixture.h"

static void keys_are_exact_or_portable_and_nothing_else(void **state)
{
    (void)state;
    bool portable;
    sy_error err;
    sy_profile_key key = exact_key("p", 4);
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_OK);
    assert_false(portable);
    key = portable_key("f16");
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_OK);
    assert_true(portable);
    const struct {
        size_t field;
        const char *named;
    } texts[] = {{offsetof(sy_profile_key, backend), "backend"},
                 {offsetof(sy_profile_key, operator_name), "operator"},
                 {offsetof(sy_profile_key, implementation_version), "implementation version"},
                 {offsetof(sy_profile_key, model_digest), "model digest"},
                 {offsetof(sy_profile_key, processor), "processor"}};
    for (size_t i = 0; i < 5; i++) {
        for (int empty = 0; empty < 2; empty++) {
            key = exact_key("p", 4);
            const char *value = empty ? "" : NULL;
            memcpy((char *)&key + texts[i].field, &value, sizeof value);
            assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_INVALID_ARGUMENT);
            assert_non_null(strstr(err.what, texts[i].named));
        }
    }
    key = exact_key("p", 0);
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "thread count"));
    key = portable_key("f16");
    key.processor = "p";
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "processor"));
    static const sy_property doubled[] = {{"a", "1"}, {"b", "1"}, {"a", "2"}};
    key.processor = NULL;
    key.structure = doubled;
    key.structure_count = 3;
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "'a' is given twice"));
    static const sy_property unnamed[] = {{"", "1"}};
    key.structure = unnamed;
    key.structure_count = 1;
    assert_int_equal(sy_profile_key_check(&key, &portable, &err), SY_INVALID_ARGUMENT);
}

static void what_is_put_is_found_with_all_it_had(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    static const sy_measurement measurements[] = {{"median_latency", 2.5, "us"}, {"runs", 40, NULL}};
    static const sy_alternative alternatives[] = {{"plain", "slower", 1.25}};
    const sy_profile_trial trial = {SY_DECISION_WIN, "capped", 60, 20, 18, 44.5, 1};
    const sy_profile_gain gain = {.2, .1, NAN, 20};
    const sy_profile_parity parity = {SY_PARITY_PASSED, .5};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = exact_key("p", 4);
    draft.measurements = measurements;
    draft.measurement_count = 2;
    draft.alternatives = alternatives;
    draft.alternative_count = 1;
    draft.trial = &trial;
    draft.gain = &gain;
    draft.parity = &parity;
    draft.evidence_run = "run-1";
    draft.evidence_digest = SOME_DIGEST;
    policy_text policy = {"flash", 5, 0};
    sy_put_result result;
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, &result, NULL), SY_OK);
    assert_int_equal(policy.calls, 1);
    assert_int_equal(result.stored, 1);
    assert_string_equal(result.not_kept, "");
    sy_profile_view view = find(store, "p", 4);
    const sy_profile *profile = view.profile;
    assert_string_equal(profile->policy, "flash");
    assert_int_equal(view.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    assert_false(view.prior || view.undecided || view.evidence_missing);
    assert_int_equal(profile->measurement_count, 2);
    assert_true(profile->measurements[0].value == 2.5);
    assert_string_equal(profile->measurements[1].unit, "");
    assert_string_equal(profile->alternatives[0].name, "plain");
    assert_int_equal(profile->trial.wins, 18);
    assert_true(isnan(profile->gain.high));
    assert_int_equal(profile->parity.outcome, SY_PARITY_PASSED);
    assert_string_equal(profile->evidence_run, "run-1");
    assert_string_equal(profile->tool, "steelyard " SY_VERSION);
    assert_int_equal(profile->created_utc_s, test_now);
    assert_ptr_not_equal(profile->measurements, measurements);
    sy_store_close(store);
}

static void every_change_that_can_be_looked_up_is_counted(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    policy_text policy = {"flash", 5, 0};
    uint64_t before = sy_store_changes(store);
    draft.key = exact_key("p", 4);
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, NULL), SY_OK);
    assert_true(sy_store_changes(store) > before);
    before = sy_store_changes(store);
    (void)find(store, "p", 4); /* reading changes nothing */
    assert_true(sy_store_changes(store) == before);
    assert_int_equal(sy_store_remove(store, &draft.key, SY_PROFILE_CALIBRATED, NULL), SY_OK);
    assert_true(sy_store_changes(store) > before);
    sy_store_close(store);
}

static void a_policy_may_hold_any_bytes(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    char bytes[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
    }
    policy_text policy = {bytes, sizeof bytes, 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = exact_key("p", 4);
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, NULL), SY_OK);
    char *text;
    size_t size;
    assert_int_equal(sy_store_write_text(store, 2, &text, &size, NULL, NULL), SY_OK);
    sy_store *copy = open_memory(NULL);
    assert_int_equal(sy_store_read_text(copy, text, size, NULL, NULL), SY_OK);
    sy_profile_view view = find(copy, "p", 4);
    assert_int_equal(view.profile->policy_size, sizeof bytes);
    assert_memory_equal(view.profile->policy, bytes, sizeof bytes);
    sy_text_free(text);
    sy_store_close(copy);
    sy_store_close(store);
}

static void a_wrong_put_stores_nothing_and_names_the_field(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_error err;
    policy_text policy = {"x", 1, 0};
    const sy_measurement bad[][1] = {{{"t", NAN, "s"}}, {{"t", INFINITY, "s"}}, {{"", 1, "s"}}, {{NULL, 1, "s"}}};
    for (size_t i = 0; i < 4; i++) {
        sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
        draft.key = exact_key("p", 4);
        draft.measurements = bad[i];
        draft.measurement_count = 1;
        assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, &err), SY_INVALID_ARGUMENT);
        assert_non_null(strstr(err.what, "measurement"));
    }
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = exact_key("p", 4);
    draft.evidence_run = "run without digest";
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "digest is missing"));
    draft.evidence_run = NULL;
    policy_text empty = {"", 0, 0};
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &empty, NULL, &err), SY_POLICY_REJECTED);
    assert_int_equal(empty.calls, 1);
    assert_int_equal(sy_store_put(store, &draft, serialize_text, reject_x, &policy, NULL, &err), SY_POLICY_REJECTED);
    assert_non_null(strstr(err.what, "no x please"));
    assert_int_equal(sy_store_put(store, &draft, refuse_to_serialize, NULL, NULL, NULL, &err), SY_INTERRUPTED);
    assert_int_equal(sy_store_put(store, &draft, NULL, NULL, NULL, NULL, &err), SY_INVALID_ARGUMENT);
    policy.calls = 0;
    draft.key.backend = "";
    assert_int_equal(sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(policy.calls, 0);
    sy_layer_info info;
    assert_int_equal(sy_store_layer(store, 0, &info, NULL), SY_OK);
    assert_int_equal(info.profile_count, 0);
    sy_store_close(store);
}

static void put_many_stores_all_or_none(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    policy_text good = {"g", 1, 0};
    policy_text bad = {"", 0, 0};
    sy_profile_put puts[3];
    for (uint32_t i = 0; i < 3; i++) {
        puts[i] = (sy_profile_put){SY_PROFILE_DRAFT_INIT, serialize_text, NULL, &good};
        puts[i].draft.key = exact_key("p", i + 1);
    }
    puts[2].user = &bad;
    sy_error err;
    assert_int_equal(sy_store_put_many(store, puts, 3, NULL, &err), SY_POLICY_REJECTED);
    assert_memory_equal(err.what, "profile 2: ", 11);
    assert_int_equal(count_profiles(store), 0);
    puts[2].user = &good;
    sy_put_result result;
    assert_int_equal(sy_store_put_many(store, puts, 3, &result, &err), SY_OK);
    assert_int_equal(result.stored, 3);
    assert_int_equal(count_profiles(store), 3);
    assert_int_equal(sy_store_put_many(store, puts, 0, &result, &err), SY_OK);
    assert_int_equal(result.stored, 0);
    sy_store_close(store);
}

static void the_same_key_is_replaced_in_place(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 1, "first");
    put_exact(store, "p", 2, "second");
    const char *borrowed = find(store, "p", 1).profile->policy;
    put_exact(store, "p", 1, "third");
    assert_int_equal(count_profiles(store), 2);
    assert_string_equal(find(store, "p", 1).profile->policy, "third");
    assert_string_equal(nth_profile(store, 0)->policy, "third");
    assert_string_equal(borrowed, "first"); /* what was borrowed stays until close */
    sy_store_close(store);
}

static void adopting_may_leave_what_is_there(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 4, "mine");
    sy_profile theirs = {.kind = SY_PROFILE_CALIBRATED, .key = exact_key("p", 4), .policy = "theirs", .policy_size = 6};
    const sy_profile *list[] = {&theirs};
    sy_adoption options = SY_ADOPTION_INIT;
    sy_put_result result;
    options.keep_existing = true;
    assert_int_equal(sy_store_adopt(store, list, 1, &options, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 0);
    assert_string_equal(find(store, "p", 4).profile->policy, "mine");
    assert_int_equal(sy_store_adopt(store, list, 1, NULL, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 1);
    assert_string_equal(find(store, "p", 4).profile->policy, "theirs");
    sy_store_close(store);
}

static void adopting_may_leave_what_is_newer(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile theirs = {.kind = SY_PROFILE_CALIBRATED, .key = exact_key("p", 4), .policy = "theirs", .policy_size = 6};
    const sy_profile *list[] = {&theirs};
    sy_adoption options = SY_ADOPTION_INIT;
    sy_put_result result;
    put_exact(store, "p", 4, "mine");
    options.newest_wins = true;
    theirs.created_utc_s = test_now - 1;
    assert_int_equal(sy_store_adopt(store, list, 1, &options, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 0);
    assert_string_equal(find(store, "p", 4).profile->policy, "mine");
    theirs.created_utc_s = test_now + 1;
    assert_int_equal(sy_store_adopt(store, list, 1, &options, &result, NULL), SY_OK);
    assert_int_equal(result.stored, 1);
    assert_string_equal(find(store, "p", 4).profile->policy, "theirs");
    sy_store_close(store);
}

static void evidence_supersedes_then_time_and_an_unknown_time_nothing(void **state)
{
    (void)state;
    sy_profile old = {.evidence_run = "", .created_utc_s = 10};
    sy_profile young = {.evidence_run = "", .created_utc_s = 11};
    sy_profile timeless = {.evidence_run = ""};
    sy_profile proven = {.evidence_run = "run", .created_utc_s = 9};
    const sy_profile *rising[] = {&timeless, &old, &young, &proven};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            assert_int_equal(sy_profile_supersedes(rising[i], rising[j]), i > j);
        }
    }
    old.created_utc_s = -5; /* before 1970, and still known */
    assert_true(sy_profile_supersedes(&old, &timeless));
}

static void invalidation_takes_a_backend_or_one_of_its_versions(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_key key = exact_key("p", 4);
    put(store, key, "one", 0);
    install(store, key, "kept", 0);
    key.implementation_version = "2";
    put(store, key, "two", 0);
    key.backend = "other";
    put(store, key, "three", 0);
    sy_invalidation what = {"be", "1", false};
    size_t removed;
    assert_int_equal(sy_store_invalidate(store, &what, &removed, NULL), SY_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(count_profiles(store), 3);
    what.implementation_version = NULL;
    what.overrides = true;
    assert_int_equal(sy_store_invalidate(store, &what, &removed, NULL), SY_OK);
    assert_int_equal(removed, 2);
    assert_string_equal(nth_profile(store, 0)->policy, "three");
    assert_int_equal(sy_store_invalidate(store, &what, &removed, NULL), SY_OK);
    assert_int_equal(removed, 0);
    what.backend = "";
    assert_int_equal(sy_store_invalidate(store, &what, &removed, NULL), SY_INVALID_ARGUMENT);
    sy_store_close(store);
}

static void format_1_text_names_what_it_cannot_hold(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    char *text;
    size_t size;
    sy_put_result result;
    sy_error err;
    install(store, portable_key("f16"), "x", 0);
    assert_int_equal(sy_store_write_text(store, 1, &text, &size, &result, NULL), SY_OK);
    assert_string_equal(result.not_kept, "reason, created, tool");
    sy_text_free(text);
    put(store, exact_key("line\nbreak", 1), "y", 0);
    assert_int_equal(sy_store_write_text(store, 1, &text, &size, NULL, &err), SY_REFUSED);
    assert_non_null(strstr(err.what, "profile 1"));
    assert_non_null(strstr(err.what, "control bytes: the processor"));
    sy_store_close(store);
}

static sy_status use_everything(void *user)
{
    (void)user;
    sy_store *store = NULL;
    sy_store_options options = memory_options();
    sy_verdict_list *others = NULL;
    char *text = NULL;
    size_t size = 0;
    uint8_t digest[32];
    sy_error err;
    policy_text policy = {"flash", 5, 0};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_lookup lookup = both_keys("p", 4, "f16");
    sy_status status = sy_store_open(&options, &store, &err);
    draft.key = exact_key("p", 4);
    if (status == SY_OK) {
        status = sy_store_put(store, &draft, serialize_text, NULL, &policy, NULL, &err);
        assert_int_equal(count_profiles(store), status == SY_OK ? 1 : 0);
    }
    if (status == SY_OK) {
        sy_override_draft override = {portable_key("f16"), "because", 0};
        status = sy_store_install_override(store, &override, serialize_text, NULL, &policy, NULL, &err);
    }
    if (status == SY_OK) {
        status = sy_store_others(store, &lookup, NULL, NULL, &others, &err);
    }
    if (status == SY_OK) {
        status = sy_store_write_text(store, 2, &text, &size, NULL, &err);
    }
    if (status == SY_OK) {
        status = sy_store_digest(store, NULL, 0, digest, &err);
    }
    if (status == SY_OK) {
        status = sy_store_clear_override(store, &(sy_profile_key){"be", "op", "1", NULL, NULL, 0, &f16_property, 1},
                                         &err);
    }
    if (status == SY_OK) {
        status = sy_store_read_text(store, text, size, NULL, &err);
    }
    sy_text_free(text);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
    return status;
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(use_everything, NULL, true) > 50);
    assert_true(fault_loop_allocations(use_everything, NULL, false) > 50);
}

static void options_are_checked(void **state)
{
    (void)state;
    sy_store *store = NULL;
    sy_store_options options = memory_options();
    options.new_file_format = 3;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_INVALID_ARGUMENT);
    options = memory_options();
    options.struct_size = 8;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_INVALID_ARGUMENT);
    options = memory_options();
    options.path = "";
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_INVALID_ARGUMENT);
    assert_null(store);
    sy_store_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_exact_or_portable_and_nothing_else),
        cmocka_unit_test(what_is_put_is_found_with_all_it_had),
        cmocka_unit_test(every_change_that_can_be_looked_up_is_counted),
        cmocka_unit_test(a_policy_may_hold_any_bytes),
        cmocka_unit_test(a_wrong_put_stores_nothing_and_names_the_field),
        cmocka_unit_test(put_many_stores_all_or_none),
        cmocka_unit_test(the_same_key_is_replaced_in_place),
        cmocka_unit_test(adopting_may_leave_what_is_there),
        cmocka_unit_test(adopting_may_leave_what_is_newer),
        cmocka_unit_test(evidence_supersedes_then_time_and_an_unknown_time_nothing),
        cmocka_unit_test(invalidation_takes_a_backend_or_one_of_its_versions),
        cmocka_unit_test(format_1_text_names_what_it_cannot_hold),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
