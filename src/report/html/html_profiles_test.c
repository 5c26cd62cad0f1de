/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the stored profiles in the page's data: each with its state in words, nothing private, and no store at all.
 */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/html/html_parts.h"
#include "report/profile/report_profile_test_data.h"

#define DATA_BEGIN "id=\"steelyard-data\" data-encoding=\"none\">"

/* The object `profiles` of a page with these; the caller destroys *ret_json. */
static const sy_json_value *profiles_of(const sy_report_profiles *profiles, sy_json **ret_json)
{
    const sy_html_content content = {.title = "matmul", .tool = "steelyard"};
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    const char *from;
    size_t size = 0;

    assert_int_equal(sy_report_html(&content, profiles, &html, &size, &err), SY_OK);
    from = strstr(html, DATA_BEGIN);
    assert_non_null(from);
    from += strlen(DATA_BEGIN);
    assert_int_equal(sy_json_parse(from, (size_t)(strstr(from, "</script>") - from), NULL, ret_json, &err), SY_OK);
    sy_text_free(html);
    return sy_json_member(sy_json_root(*ret_json), "profiles");
}

/* What stands in a column of a row. */
static const sy_json_value *value_at(const sy_json_value *table, size_t row, const char *name)
{
    size_t at = 0;

    for (const sy_json_value *c = sy_json_member(table, "columns")->first; c != NULL; c = c->next, at++) {
        if (strcmp(sy_json_member(c, "name")->text, name) == 0)
            return sy_json_element(sy_json_element(sy_json_member(table, "rows"), row), at);
    }
    fail_msg("no column %s", name);
    return NULL;
}

static const char *text_at(const sy_json_value *table, size_t row, const char *name)
{
    return value_at(table, row, name)->text;
}

/* The words of a field of one in full; "" = it has none. */
static const char *field_of(const sy_json_value *profiles, size_t row, const char *label)
{
    const sy_json_value *whole = sy_json_element(sy_json_member(profiles, "details"), row);

    for (const sy_json_value *f = sy_json_member(whole, "fields")->first; f != NULL; f = f->next) {
        if (strcmp(f->first->text, label) == 0)
            return f->first->next->text;
    }
    return "";
}

/* The ledger has the run of the exact one. */
static bool prove(void *user, const sy_profile *profile, sy_proof_state *ret_state)
{
    *ret_state = *(const sy_proof_state *)user;
    return profile == &exact_profile;
}

static void each_profile_says_what_it_is_and_whether_it_counts(void **state)
{
    const sy_report_profiles all = {&the_store, listed, 4};
    sy_json *json = NULL;
    const sy_json_value *profiles = profiles_of(&all, &json);
    const sy_json_value *table = sy_json_member(profiles, "table");

    (void)state;
    assert_string_equal(text_at(table, 0, "policy"), "flash");
    assert_string_equal(text_at(table, 0, "standing"), "valid");
    assert_string_equal(text_at(table, 0, "decision"), "win");
    assert_true(value_at(table, 0, "gain")->number == .234);
    assert_string_equal(text_at(table, 0, "interval"), "20.1 % to 26.0 %");
    assert_true(sy_json_member(sy_json_member(sy_json_member(profiles, "details")->first, "gain"), "high")->number ==
                .260);
    assert_string_equal(text_at(table, 0, "evidence"), "not looked up"); /* nobody could */
    assert_string_equal(text_at(table, 1, "standing"), "expired");
    assert_string_equal(text_at(table, 1, "decision"), "undecided");
    assert_int_equal(value_at(table, 1, "gain")->kind, SY_JSON_NULL);
    assert_string_equal(text_at(table, 1, "interval"), "");
    assert_int_equal(sy_json_member(sy_json_element(sy_json_member(profiles, "details"), 1), "gain")->kind,
                     SY_JSON_NULL);
    assert_string_equal(text_at(table, 1, "evidence"), "none");
    assert_string_equal(text_at(table, 2, "evidence"), "set by a person");
    assert_string_equal(text_at(table, 3, "standing"), "not selected"); /* imported */
    assert_string_equal(sy_json_member(table, "summary")->text,
                        "4 profiles, 1 set by a person, 1 imported and never selected until probed here, 1 expired.");
    sy_json_destroy(json);
}

static void what_the_ledger_holds_of_its_run_is_said(void **state)
{
    static const char *const words[] = {
        [SY_PROOF_HOLDS] = "proven here", [SY_PROOF_DIFFERS] = "differs", [SY_PROOF_ABSENT] = "not in this ledger"};

    (void)state;
    for (sy_proof_state proof = SY_PROOF_HOLDS; proof <= SY_PROOF_ABSENT; proof++) {
        sy_report_store store = the_store;
        const sy_report_profiles all = {&store, listed, 4};
        sy_json *json = NULL;

        store.prove = prove;
        store.user = &proof;
        assert_string_equal(text_at(sy_json_member(profiles_of(&all, &json), "table"), 0, "evidence"), words[proof]);
        sy_json_destroy(json);
    }
}

static void the_address_of_a_profile_does_not_change_when_others_come(void **state)
{
    const sy_report_profile turned[] = {listed[3], listed[0]};
    const sy_report_profile elsewhere[] = {{&exact_profile, 1}};
    const sy_report_profiles lists[] = {{&the_store, listed, 4}, {&the_store, turned, 2}, {&the_store, elsewhere, 1}};
    const sy_json_value *tables[3];
    sy_json *json[3] = {NULL, NULL, NULL};

    (void)state;
    for (int i = 0; i < 3; i++)
        tables[i] = sy_json_member(profiles_of(&lists[i], &json[i]), "table");
    assert_int_equal(strlen(text_at(tables[0], 0, "id")), 16);
    assert_string_equal(text_at(tables[0], 0, "id"), text_at(tables[1], 1, "id"));
    assert_string_equal(text_at(tables[0], 3, "id"), text_at(tables[1], 0, "id"));
    assert_string_not_equal(text_at(tables[0], 1, "id"), text_at(tables[0], 3, "id")); /* one key, two kinds */
    assert_string_not_equal(text_at(tables[0], 0, "id"), text_at(tables[2], 0, "id")); /* one key, two files */
    for (int i = 0; i < 3; i++)
        sy_json_destroy(json[i]);
}

static void alternatives_and_what_was_replaced_stand_behind_a_profile(void **state)
{
    static const sy_profile_earlier earlier[] = {{.policy = "tiled",
                                                  .policy_size = 5,
                                                  .origin = "imported",
                                                  .has_decision = true,
                                                  .decision = SY_DECISION_INCONCLUSIVE,
                                                  .replaced_utc_s = NOW - 60,
                                                  .evidence_run = "",
                                                  .evidence_digest = ""}};
    sy_profile profile = exact_profile;
    const sy_report_profile item = {&profile, 0};
    const sy_report_profiles all = {&the_store, &item, 1};
    sy_json *json = NULL;
    const sy_json_value *profiles;
    const sy_json_value *whole;

    (void)state;
    profile.earlier = earlier;
    profile.earlier_count = 1;
    profile.earlier_dropped = 3;
    profile.cost = (sy_profile_cost){41.5, 2};
    profile.use = (sy_profile_use){.calls = 70, .timed_calls = 20, .seconds = 1.5};
    profiles = profiles_of(&all, &json);
    whole = sy_json_element(sy_json_member(profiles, "details"), 0);
    assert_string_equal(text_at(sy_json_member(whole, "alternatives"), 0, "name"), "plain");
    assert_true(value_at(sy_json_member(whole, "alternatives"), 0, "ratio")->number == 1.31);
    assert_int_equal(value_at(sy_json_member(whole, "alternatives"), 1, "ratio")->kind, SY_JSON_NULL);
    assert_string_equal(text_at(sy_json_member(whole, "earlier"), 0, "policy"), "tiled");
    assert_string_equal(text_at(sy_json_member(whole, "earlier"), 0, "decision"), "undecided");
    assert_int_equal(value_at(sy_json_member(whole, "earlier"), 0, "created")->kind, SY_JSON_NULL);
    assert_non_null(strstr(sy_json_member(sy_json_member(whole, "earlier"), "note")->text, "at least 3 more"));
    assert_string_equal(field_of(profiles, 0, "What it cost"), "2 probes, 41.5 s");
    assert_string_equal(field_of(profiles, 0, "How it was used"),
                        "70 calls were reported, 20 of them with their time: 1.5 s");
    sy_json_destroy(json);
}

static void no_home_and_no_secret_is_on_the_page(void **state)
{
    const sy_layer_info layer = {.path = "/home/ann/.cache/steelyard/profiles",
                                 .writable = true,
                                 .status = SY_IO,
                                 .message = "/home/ann/.cache/steelyard/profiles: permission denied"};
    const sy_report_store store = {.layers = &layer, .layer_count = 1, .now_utc_s = NOW};
    sy_profile profile = hostile_profile;
    const sy_report_profile item = {&profile, 0};
    const sy_report_profiles all = {&store, &item, 1};
    sy_json *json = NULL;
    const sy_json_value *profiles;
    const sy_json_value *layers_table;

    (void)state;
    profile.reason = "as /home/ann/notes says, --token s3cr3ts3cr3t";
    profiles = profiles_of(&all, &json);
    layers_table = sy_json_member(profiles, "layers");
    assert_string_equal(text_at(layers_table, 0, "file"), "~/.cache/steelyard/profiles");
    assert_string_equal(text_at(layers_table, 0, "state"), "cannot be read");
    assert_string_equal(text_at(layers_table, 0, "message"), "~/.cache/steelyard/profiles: permission denied");
    assert_string_equal(field_of(profiles, 0, "Reason"), "as ~/notes says, --token [secret]");
    sy_json_destroy(json);
}

static void without_a_store_nothing_is_said_of_one(void **state)
{
    const sy_report_store nowhere = {.now_utc_s = NOW};
    const sy_report_profiles none = {&nowhere, NULL, 0};
    sy_json *json = NULL;

    (void)state;
    assert_int_equal(profiles_of(NULL, &json)->kind, SY_JSON_NULL);
    sy_json_destroy(json);
    json = NULL;
    assert_string_equal(sy_json_member(sy_json_member(profiles_of(&none, &json), "table"), "summary")->text,
                        "0 profiles.");
    sy_json_destroy(json);
}

static sy_status scenario(void *user)
{
    const sy_html_content content = {.title = "matmul", .tool = "steelyard"};
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;
    sy_status status = sy_report_html(&content, user, &html, &size, &err);

    sy_text_free(html);
    return status;
}

static void no_memory_is_told(void **state)
{
    sy_report_profiles all = {&the_store, listed, 4};

    (void)state;
    assert_true(fault_loop_allocations(scenario, &all, true) > 10);
    assert_true(fault_loop_allocations(scenario, &all, false) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_profile_says_what_it_is_and_whether_it_counts),
        cmocka_unit_test(what_the_ledger_holds_of_its_run_is_said),
        cmocka_unit_test(the_address_of_a_profile_does_not_change_when_others_come),
        cmocka_unit_test(alternatives_and_what_was_replaced_stand_behind_a_profile),
        cmocka_unit_test(no_home_and_no_secret_is_on_the_page),
        cmocka_unit_test(without_a_store_nothing_is_said_of_one),
        cmocka_unit_test(no_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
