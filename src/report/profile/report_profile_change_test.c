/* SPDX-License-Identifier: Apache-2.0 */
/* Changes, conflicts, findings, repairs and digests in words and as JSON. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"
#include "report/profile/report_profile_test_data.h"
#include "text_width.h"

static const sy_report_conflict conflict = {&exact_profile, &expired_profile, "a.profiles", "b.profiles", "newer"};

static const sy_report_change merged = {
    .action = "merge",
    .path = "all.profiles",
    .added = 2,
    .replaced = 1,
    .unchanged = 7,
    .format = 1,
    .not_kept = "evidence, reason",
    .conflicts = &conflict,
    .conflict_count = 1,
};

static const sy_store_finding findings[] = {{7, "line 7: invalid or unknown field: 'polcy'"},
                                            {9, "line 9: expected 'profile', found '\033[2J'"}};
static const sy_store_report damaged = {SY_CORRUPT, 2, 11, findings, 2, 12, NULL};
static const sy_repair_result repaired = {true, 11, 12, "all.profiles.corrupt-20261129T134419Z"};

static void a_change_is_counted_and_what_is_lost_is_said(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_profile_change(&merged, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "conflict: attention on cpu, implementation 3, calibrated exact, model d1, 4\n"
                              "    threads, processor 7227af3e\n"
                              "  kept: flash from a.profiles, newer\n"
                              "  dropped: plain from b.profiles\n"
                              "all.profiles: 2 added, 1 replaced, 7 as they were, 1 conflict (format 1)\n"
                              "not kept, since format 1 cannot hold it: evidence, reason\n");
    sy_text_free(text);
}

static void a_refused_change_says_that_nothing_was_changed(void **state)
{
    sy_report_change change = merged;
    char *text = NULL;

    (void)state;
    change.refused = true;
    change.added = change.replaced = change.unchanged = 0;
    change.format = 0;
    change.not_kept = "";
    assert_int_equal(sy_report_profile_change(&change, NULL, &text, NULL), SY_OK);
    assert_non_null(strstr(text, "  one: flash from a.profiles"));
    assert_non_null(strstr(text, "  other: plain from b.profiles\nall.profiles: not changed: 1 conflict\n"));
    sy_text_free(text);
}

static void a_change_of_nothing_says_so(void **state)
{
    const sy_report_change change = {.action = "remove", .path = "p", .not_kept = ""};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_profile_change(&change, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "p: nothing to do\n");
    sy_text_free(text);
}

static void every_finding_is_a_line_and_the_last_says_how_much_is_whole(void **state)
{
    const sy_store_report whole = {SY_OK, 1, 1, NULL, 0, 0, NULL};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_profile_check("all.profiles", &damaged, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "line 7: invalid or unknown field: 'polcy'\n"
                              "line 9: expected 'profile', found '\\x1b[2J'\n"
                              "and 10 more\n"
                              "all.profiles: damaged: format 2, 11 profiles whole, 12 findings\n");
    sy_text_free(text);
    text = NULL;
    assert_int_equal(sy_report_profile_check("all.profiles", &whole, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "all.profiles: whole: format 1, 1 profile\n");
    sy_text_free(text);
}

static void a_repair_names_the_file_that_is_kept(void **state)
{
    const sy_repair_result whole = {.repaired = false};
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_profile_repair("all.profiles", &repaired, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "all.profiles: repaired: 11 profiles kept, 12 findings\n"
                              "the damaged file is kept as all.profiles.corrupt-20261129T134419Z\n");
    sy_text_free(text);
    text = NULL;
    assert_int_equal(sy_report_profile_repair("all.profiles", &whole, NULL, &text, NULL), SY_OK);
    assert_string_equal(text, "all.profiles: whole, and left as it is\n");
    sy_text_free(text);
}

typedef sy_status (*json_maker)(char **ret_json);

static sy_status make_change(char **ret_json)
{
    return sy_report_profile_change_json(&merged, ret_json, NULL);
}

static sy_status make_check(char **ret_json)
{
    return sy_report_profile_check_json("all.profiles", &damaged, ret_json, NULL);
}

static sy_status make_repair(char **ret_json)
{
    return sy_report_profile_repair_json("all.profiles", &repaired, ret_json, NULL);
}

static sy_status make_digest(char **ret_json)
{
    static const uint8_t digest[32] = {0xe3, 0xb0, 0xc4};

    return sy_report_profile_digest_json(&the_store, &question, digest, ret_json, NULL);
}

/* The JSON of a maker, which is strict; the caller destroys it. */
static sy_json *made(json_maker make)
{
    char *text = NULL;
    sy_json *json = NULL;

    assert_int_equal(make(&text), SY_OK);
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    sy_text_free(text);
    return json;
}

static const sy_json_value *member(const sy_json *json, const char *name)
{
    const sy_json_value *value = sy_json_member(sy_json_root(json), name);

    assert_non_null(value);
    return value;
}

static void json_holds_the_same(void **state)
{
    sy_json *json = made(make_change);
    const sy_json_value *first;

    (void)state;
    assert_string_equal(member(json, "schema")->text, "steelyard.profile-change/1");
    assert_string_equal(member(json, "status")->text, "ok");
    assert_true(member(json, "unchanged")->number == 7);
    assert_int_equal(member(json, "not_kept")->count, 2);
    assert_string_equal(sy_json_element(member(json, "not_kept"), 1)->text, "reason");
    first = sy_json_element(member(json, "conflicts"), 0);
    assert_string_equal(sy_json_member(sy_json_member(first, "kept"), "file")->text, "a.profiles");
    assert_string_equal(sy_json_member(sy_json_member(first, "dropped"), "policy")->text, "plain");
    sy_json_destroy(json);
    json = made(make_check);
    assert_string_equal(member(json, "status")->text, "corrupt");
    assert_true(member(json, "finding_total")->number == 12);
    assert_true(sy_json_member(sy_json_element(member(json, "findings"), 1), "line")->number == 9);
    sy_json_destroy(json);
    json = made(make_repair);
    assert_string_equal(member(json, "moved_to")->text, "all.profiles.corrupt-20261129T134419Z");
    sy_json_destroy(json);
    json = made(make_digest);
    assert_string_equal(member(json, "sha256")->text,
                        "e3b0c40000000000000000000000000000000000000000000000000000000000");
    assert_string_equal(sy_json_member(member(json, "question"), "model_digest")->text, "d1");
    sy_json_destroy(json);
}

static sy_status make_all(void *user)
{
    static const json_maker makers[] = {make_change, make_check, make_repair, make_digest};
    char *text = NULL;
    sy_status status = SY_OK;

    (void)user;
    for (size_t i = 0; status == SY_OK && i < 7; i++) {
        status = i < 4    ? makers[i](&text)
                 : i == 4 ? sy_report_profile_change(&merged, NULL, &text, NULL)
                 : i == 5 ? sy_report_profile_check("all.profiles", &damaged, NULL, &text, NULL)
                          : sy_report_profile_repair("all.profiles", &repaired, NULL, &text, NULL);
        sy_text_free(text);
        text = NULL;
    }
    return status;
}

static void no_memory_is_an_error_that_leaks_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(make_all, NULL, true) > 15);
    assert_true(fault_loop_allocations(make_all, NULL, false) > 15);
}

static void words_keep_to_the_width(void **state)
{
    char *text = NULL;

    (void)state;
    for (uint32_t columns = 40; columns < 100; columns++) {
        const sy_report_style style = {.columns = columns};

        assert_int_equal(sy_report_profile_change(&merged, &style, &text, NULL), SY_OK);
        expect_narrow(text, columns);
        sy_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_counted_and_what_is_lost_is_said),
        cmocka_unit_test(a_refused_change_says_that_nothing_was_changed),
        cmocka_unit_test(a_change_of_nothing_says_so),
        cmocka_unit_test(every_finding_is_a_line_and_the_last_says_how_much_is_whole),
        cmocka_unit_test(a_repair_names_the_file_that_is_kept),
        cmocka_unit_test(json_holds_the_same),
        cmocka_unit_test(no_memory_is_an_error_that_leaks_nothing),
        cmocka_unit_test(words_keep_to_the_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
