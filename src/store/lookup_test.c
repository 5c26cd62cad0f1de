/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a store: the order of ranks, validators, expiry, evidence, the verdict on every other profile, digests. */
#include "cmocka_headers.h"

#include <string.h>

#include "base/memory.h"
#include "store_fixture.h"

static void precedence_walks_through_four_ranks(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_lookup lookup = both_keys("p", 4, "f16");
    sy_profile_view view;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_NOT_FOUND);
    put_portable(store, "f16", "portable");
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_int_equal(view.rank, SY_PROFILE_RANK_CALIBRATED_PORTABLE);
    assert_true(view.prior);
    put_exact(store, "p", 4, "exact");
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_int_equal(view.rank, SY_PROFILE_RANK_CALIBRATED_EXACT);
    assert_false(view.prior);
    install(store, portable_key("f16"), "portable override", 0);
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_int_equal(view.rank, SY_PROFILE_RANK_OVERRIDE_PORTABLE);
    assert_false(view.prior);
    install(store, exact_key("p", 4), "exact override", 0);
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_int_equal(view.rank, SY_PROFILE_RANK_OVERRIDE_EXACT);
    assert_string_equal(view.profile->policy, "exact override");
    assert_string_equal(view.profile->reason, "because");
    lookup.force_portable = true;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_string_equal(view.profile->policy, "portable override");
    const sy_profile_key key = portable_key("f16");
    assert_int_equal(sy_store_clear_override(store, &key, NULL), SY_OK);
    assert_int_equal(sy_store_clear_override(store, &key, NULL), SY_NOT_FOUND);
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_string_equal(view.profile->policy, "portable");
    sy_store_close(store);
}

static void structure_matches_in_any_order_and_only_whole(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    static const sy_property forward[] = {{"a", "1"}, {"b", "2"}, {"c", ""}};
    static const sy_property backward[] = {{"c", NULL}, {"b", "2"}, {"a", "1"}};
    static const sy_property other[] = {{"a", "1"}, {"b", "3"}, {"c", ""}};
    sy_profile_key key = portable_key("");
    key.structure = forward;
    key.structure_count = 3;
    put(store, key, "x", 0);
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_profile_view view;
    lookup.key = key;
    lookup.key.structure = backward;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    lookup.key.structure = other;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_NOT_FOUND);
    lookup.key.structure = forward;
    lookup.key.structure_count = 2;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_NOT_FOUND);
    sy_store_close(store);
}

static void a_lookup_wants_at_least_one_whole_key(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_view view;
    sy_error err;
    sy_lookup lookup = both_keys("p", 4, "f16");
    lookup.key.processor = NULL;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "processor"));
    lookup = (sy_lookup)SY_LOOKUP_INIT;
    lookup.key.backend = "be";
    lookup.key.operator_name = "op";
    lookup.key.implementation_version = "1";
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "neither"));
    sy_store_close(store);
}

static void a_rejected_policy_is_passed_over_and_told(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_view view;
    sy_error err;
    sy_lookup lookup = both_keys("p", 4, "f16");
    put_exact(store, "p", 4, "x");
    assert_int_equal(sy_store_lookup(store, &lookup, reject_x, NULL, &view, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.what, "calibrated-exact"));
    assert_non_null(strstr(err.what, "no x please"));
    put_portable(store, "f16", "y");
    assert_int_equal(sy_store_lookup(store, &lookup, reject_x, NULL, &view, &err), SY_OK);
    assert_string_equal(view.profile->policy, "y");
    assert_int_equal(view.passed_over, 1);
    sy_store_close(store);
}

static void expiry_is_held_against_the_callers_clock(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_view view;
    sy_lookup lookup = both_keys("p", 4, "f16");
    put(store, exact_key("p", 4), "old", test_now + 100);
    put_portable(store, "f16", "fallback");
    test_now += 99;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_string_equal(view.profile->policy, "old");
    test_now += 1;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_string_equal(view.profile->policy, "fallback");
    assert_int_equal(view.passed_over, 1);
    const sy_profile_key key = exact_key("p", 4);
    assert_int_equal(sy_store_find(store, &key, SY_PROFILE_CALIBRATED, &view, NULL), SY_OK);
    assert_string_equal(view.profile->policy, "old");
    sy_store_close(store);
}

static void evidence_can_be_required_but_not_of_a_person(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile_view view;
    sy_lookup lookup = both_keys("p", 4, "f16");
    put_exact(store, "p", 4, "no evidence");
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_true(view.evidence_missing);
    lookup.require_evidence = true;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_NOT_FOUND);
    install(store, portable_key("f16"), "mine", 0);
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_OK);
    assert_false(view.evidence_missing);
    sy_store_close(store);
}

static void imported_profiles_are_kept_but_never_selected(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    sy_profile foreign = {.kind = SY_PROFILE_IMPORTED, .key = exact_key("p", 4), .policy = "z", .policy_size = 1};
    const sy_profile *list[] = {&foreign};
    assert_int_equal(sy_store_adopt(store, list, 1, NULL, NULL, NULL), SY_OK);
    sy_lookup lookup = both_keys("p", 4, "f16");
    sy_profile_view view;
    assert_int_equal(sy_store_lookup(store, &lookup, NULL, NULL, &view, NULL), SY_NOT_FOUND);
    sy_verdict_list *others;
    assert_int_equal(sy_store_others(store, &lookup, NULL, NULL, &others, NULL), SY_OK);
    assert_int_equal(others->count, 1);
    assert_int_equal(others->items[0].verdict, SY_VERDICT_REJECTED);
    assert_int_equal(others->items[0].reason, SY_REASON_NOT_PROBED);
    sy_verdict_list_destroy(others);
    assert_int_equal(sy_store_find(store, &foreign.key, SY_PROFILE_IMPORTED, &view, NULL), SY_OK);
    sy_store_close(store);
}

static void a_digest_covers_decisions_and_nothing_else(void **state)
{
    (void)state;
    sy_store *a = open_memory(NULL);
    sy_store *b = open_memory(NULL);
    uint8_t x[32];
    uint8_t y[32];
    sy_lookup of_a = both_keys("processor a", 4, "f16");
    sy_lookup of_b = both_keys("processor b", 4, "f16");
    put_exact(a, "processor a", 4, "flash");
    put_portable(b, "f16", "flash");
    assert_int_equal(sy_store_digest(a, &of_a, 1, x, NULL), SY_OK);
    assert_int_equal(sy_store_digest(b, &of_b, 1, y, NULL), SY_OK);
    assert_memory_equal(x, y, 32);
    install(b, portable_key("f16"), "plain", 0);
    assert_int_equal(sy_store_digest(b, &of_b, 1, y, NULL), SY_OK);
    assert_memory_not_equal(x, y, 32);
    /* Of a whole store: the order in the file does not count. */
    sy_store *c = open_memory(NULL);
    sy_store *d = open_memory(NULL);
    put_exact(c, "p", 1, "one");
    put_exact(c, "p", 2, "two");
    put_exact(d, "p", 2, "two");
    put_exact(d, "p", 1, "one");
    assert_int_equal(sy_store_digest(c, NULL, 0, x, NULL), SY_OK);
    assert_int_equal(sy_store_digest(d, NULL, 0, y, NULL), SY_OK);
    assert_memory_equal(x, y, 32);
    put_exact(d, "p", 1, "two");
    assert_int_equal(sy_store_digest(d, NULL, 0, y, NULL), SY_OK);
    assert_memory_not_equal(x, y, 32);
    sy_store_close(a);
    sy_store_close(b);
    sy_store_close(c);
    sy_store_close(d);
}

static sy_store *store_to_explain(void)
{
    test_now = 1795959859;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 4, "exact");
    put_exact(store, "p", 8, "threads");
    put_exact(store, "q", 4, "processor");
    put_portable(store, "f16", "portable");
    put_portable(store, "f32", "structure");
    sy_profile_key key = exact_key("p", 4);
    key.implementation_version = "0";
    put(store, key, "version", 0);
    key = exact_key("p", 4);
    key.model_digest = "other model";
    put(store, key, "model", 0);
    key.operator_name = "another operator";
    put(store, key, "operator", 0);
    key.backend = "another backend";
    put(store, key, "backend", 0);
    install(store, exact_key("p", 4), "x", 0);
    install(store, portable_key("f16"), "expired", test_now + 1);
    test_now += 2;
    return store;
}

typedef struct expected_verdict {
    const char *policy;
    sy_verdict_kind verdict;
    sy_verdict_reason reason;
    const char *field;
    const char *wanted;
    const char *found;
    uint32_t matching_fields;
} expected_verdict;

static void expect_verdicts(const sy_verdict_list *others, const expected_verdict *expected, size_t count)
{
    assert_int_equal(others->count, count);
    for (size_t i = 0; i < count; i++) {
        const sy_verdict *found = &others->items[i];
        assert_string_equal(found->profile->policy, expected[i].policy);
        assert_string_equal(sy_verdict_kind_word(found->verdict), sy_verdict_kind_word(expected[i].verdict));
        assert_string_equal(sy_verdict_reason_word(found->reason), sy_verdict_reason_word(expected[i].reason));
        assert_string_equal(found->field, expected[i].field);
        assert_string_equal(found->wanted, expected[i].wanted);
        assert_string_equal(found->found, expected[i].found);
        assert_int_equal(found->matching_fields, expected[i].matching_fields);
    }
}

static void every_stored_profile_of_the_operator_gets_one_verdict(void **state)
{
    (void)state;
    sy_store *store = store_to_explain();
    sy_lookup lookup = both_keys("p", 4, "f16");
    sy_verdict_list *others;
    assert_int_equal(sy_store_others(store, &lookup, reject_x, NULL, &others, NULL), SY_OK);
    static const expected_verdict expected[] = {
        {"exact", SY_VERDICT_SELECTED, SY_REASON_NONE, "", "", "", 6},
        {"threads", SY_VERDICT_REJECTED, SY_REASON_DIFFERENT_THREAD_COUNT, "thread_count", "4", "8", 5},
        {"processor", SY_VERDICT_REJECTED, SY_REASON_DIFFERENT_PROCESSOR, "processor", "p", "q", 5},
        {"portable", SY_VERDICT_SHADOWED, SY_REASON_BETTER_RANK, "", "", "", 4},
        {"structure", SY_VERDICT_REJECTED, SY_REASON_DIFFERENT_STRUCTURE, "structure.dtype", "f16", "f32", 3},
        {"version", SY_VERDICT_REJECTED, SY_REASON_OUTDATED_IMPLEMENTATION, "implementation_version", "1", "0", 5},
        {"model", SY_VERDICT_REJECTED, SY_REASON_DIFFERENT_MODEL, "model_digest", "model", "other model", 5},
        {"x", SY_VERDICT_REJECTED, SY_REASON_POLICY_REJECTED, "", "", "", 6},
        {"expired", SY_VERDICT_REJECTED, SY_REASON_EXPIRED, "", "", "", 4},
    };
    expect_verdicts(others, expected, 9);
    assert_string_equal(others->items[7].detail, "no x please");
    assert_string_equal(others->items[8].detail, "2026-11-29T13:44:20Z");
    assert_true(others->items[0].evidence_missing);
    sy_verdict_list_destroy(others);
    lookup.everything = true;
    assert_int_equal(sy_store_others(store, &lookup, reject_x, NULL, &others, NULL), SY_OK);
    assert_int_equal(others->count, 11);
    assert_int_equal(others->items[7].reason, SY_REASON_DIFFERENT_OPERATOR);
    assert_int_equal(others->items[8].reason, SY_REASON_DIFFERENT_BACKEND);
    assert_string_equal(others->items[8].wanted, "be");
    assert_string_equal(others->items[8].found, "another backend");
    sy_verdict_list_destroy(others);
    sy_store_close(store);
}

static void forcing_the_portable_one_skips_the_exact_ones(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 4, "exact");
    put_portable(store, "f16", "portable");
    sy_lookup lookup = both_keys("p", 4, "f16");
    sy_verdict_list *others;
    lookup.force_portable = true;
    assert_int_equal(sy_store_others(store, &lookup, NULL, NULL, &others, NULL), SY_OK);
    static const expected_verdict expected[] = {
        {"exact", SY_VERDICT_SKIPPED, SY_REASON_FORCE_PORTABLE, "", "", "", 6},
        {"portable", SY_VERDICT_SELECTED, SY_REASON_NONE, "", "", "", 4},
    };
    expect_verdicts(others, expected, 2);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
}

static void the_first_property_that_differs_is_named(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    static const sy_property stored[] = {{"b", "2"}, {"a", "1"}, {"d", "4"}};
    static const sy_property asked[] = {{"d", "4"}, {"c", "3"}, {"a", "1"}};
    sy_profile_key key = portable_key("f16");
    key.structure = stored;
    key.structure_count = 3;
    put(store, key, "x", 0);
    sy_lookup lookup = SY_LOOKUP_INIT;
    lookup.key = key;
    lookup.key.structure = asked;
    sy_verdict_list *others;
    assert_int_equal(sy_store_others(store, &lookup, NULL, NULL, &others, NULL), SY_OK);
    static const expected_verdict expected[] = {
        {"x", SY_VERDICT_REJECTED, SY_REASON_DIFFERENT_STRUCTURE, "structure.b", "", "2", 5}};
    expect_verdicts(others, expected, 1);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
}

static void required_evidence_is_a_reason(void **state)
{
    (void)state;
    sy_store *store = open_memory(NULL);
    put_exact(store, "p", 4, "exact");
    sy_lookup lookup = both_keys("p", 4, "f16");
    lookup.require_evidence = true;
    sy_verdict_list *others;
    assert_int_equal(sy_store_others(store, &lookup, NULL, NULL, &others, NULL), SY_OK);
    assert_int_equal(others->items[0].reason, SY_REASON_EVIDENCE_MISSING);
    sy_verdict_list_destroy(others);
    sy_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_walks_through_four_ranks),
        cmocka_unit_test(structure_matches_in_any_order_and_only_whole),
        cmocka_unit_test(a_lookup_wants_at_least_one_whole_key),
        cmocka_unit_test(a_rejected_policy_is_passed_over_and_told),
        cmocka_unit_test(expiry_is_held_against_the_callers_clock),
        cmocka_unit_test(evidence_can_be_required_but_not_of_a_person),
        cmocka_unit_test(imported_profiles_are_kept_but_never_selected),
        cmocka_unit_test(a_digest_covers_decisions_and_nothing_else),
        cmocka_unit_test(every_stored_profile_of_the_operator_gets_one_verdict),
        cmocka_unit_test(forcing_the_portable_one_skips_the_exact_ones),
        cmocka_unit_test(the_first_property_that_differs_is_named),
        cmocka_unit_test(required_evidence_is_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
