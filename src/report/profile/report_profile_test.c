/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, details, answers and explanations of profiles: what they say, at every width, and as JSON. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "fault_loop.h"
#include "report/profile/report_profile.h"
#include "report/profile/report_profile_test_data.h"
#include "text_width.h"

typedef sy_status (*maker)(const sy_report_style *style, char **ret_text);

static sy_status make_list(const sy_report_style *style, char **ret_text)
{
    return sy_report_profile_list(&the_store, listed, 4, style, ret_text, NULL);
}

static sy_status make_details(const sy_report_style *style, char **ret_text)
{
    return sy_report_profile_details(&the_store, listed, 4, style, ret_text, NULL);
}

static sy_status make_explanation(const sy_report_style *style, char **ret_text)
{
    return sy_report_profile_explanation(&unanswered, style, ret_text, NULL);
}

static sy_verdict answered_items[3];
static const sy_verdict_list answered_list = {answered_items, 3, NULL};
static const sy_report_enquiry answered = {
    {.layers = layers, .layer_count = 2, .now_utc_s = NOW}, &question, &answered_list, SY_OK};

static int select_the_exact_one(void **state)
{
    (void)state;
    memcpy(answered_items, verdict_items, sizeof(answered_items));
    answered_items[0].verdict = SY_VERDICT_SELECTED;
    answered_items[0].reason = SY_REASON_NONE;
    answered_items[0].field = answered_items[0].wanted = answered_items[0].found = "";
    return 0;
}

static sy_status make_answer(const sy_report_style *style, char **ret_text)
{
    return sy_report_profile_answer(&answered, style, ret_text, NULL);
}

static const maker makers[] = {make_list, make_details, make_explanation, make_answer};
enum { MAKERS = sizeof(makers) / sizeof(makers[0]) };

static char *made(maker make, uint32_t columns)
{
    const sy_report_style style = {.columns = columns};
    char *text = NULL;

    assert_int_equal(make(&style, &text), SY_OK);
    return text;
}

/* The text with each run of blanks and newlines as one space, in place. */
static char *flat(char *text)
{
    char *to = text;

    for (const char *at = text; *at != '\0'; at++) {
        char c = *at == '\n' ? ' ' : *at;

        if (c != ' ' || (to > text && to[-1] != ' '))
            *to++ = c;
    }
    *to = '\0';
    return text;
}

static void expect_says(char *text, const char *wanted)
{
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' is not in: %s", wanted, text);
}

static void every_report_fits_from_40_to_200_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAKERS; i++) {
        for (uint32_t columns = 40; columns <= 200; columns++) {
            char *text = made(makers[i], columns);

            expect_narrow(text, columns);
            assert_null(strchr(text, '\033'));
            sy_text_free(text);
        }
    }
}

static void fewer_than_40_columns_are_refused(void **state)
{
    const sy_report_style narrow = {.columns = 39};
    char *text = NULL;

    (void)state;
    for (size_t i = 0; i < MAKERS; i++) {
        assert_int_equal(makers[i](&narrow, &text), SY_INVALID_ARGUMENT);
        assert_null(text);
    }
}

static void the_list_has_a_line_for_each_and_marks_what_has_expired(void **state)
{
    char *text = flat(made(make_list, 200));

    (void)state;
    expect_says(text, "4 profiles in /var/cache/profiles, /usr/share/steelyard/profiles");
    expect_says(text, "1 calibrated exact cpu attention 3 model d1, 4 threads, processor ");
    expect_says(text, "2 calibrated portable cpu attention 3 dtype=f32, head_dim=64 plain expired");
    expect_says(text, "3 override portable cpu attention 3 causal=yes, dtype=f32 a\\x1b[2J\\x00\\xff 2026-12-01");
    expect_says(text, "4 imported portable");
    sy_text_free(text);
}

static void details_hold_all_that_is_stored(void **state)
{
    char *text = flat(made(make_details, 100));

    (void)state;
    expect_says(text, "flash kind calibrated exact backend cpu operator attention version 3 model d1 threads 4");
    expect_says(text, "processor cpu.cache.l2=2 MiB x 4 (0-1, 2 apart); cpu.family=6; cpu.isa=avx2,sse2; cpu.limit=2");
    expect_says(text, "measured time = 1.8 ms; speedup = 1.25");
    expect_says(text, "not chosen plain: slower, 1.31 times its time; tiled: parity");
    expect_says(text,
                "decision win by rule capped: 22 wins in 24 of at most 60 pairs, probe 1 of this key, e-value 41.5");
    expect_says(text, "gain 23.4 % (20.1 % to 26.0 %), 24 pairs");
    expect_says(text, "parity passed, largest error 0.40 of what it may be");
    expect_says(text, "evidence run run-7, SHA-256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_says(text, "created 2026-11-29T13:24:19Z");
    expect_says(text, "undecided by rule capped: 31 wins in 60 of at most 60 pairs, probe 2 of this key evidence none");
    expect_says(text, "expires 2026-11-30T13:24:18Z: expired");
    expect_says(text, "reason flash is wrong on odd lengths expires 2026-12-01T13:24:19Z file");
    sy_text_free(text);
}

static void the_answer_begins_with_the_policy(void **state)
{
    char *text = made(make_answer, 80);

    (void)state;
    assert_int_equal(strncmp(text, "flash\n", 6), 0);
    flat(text);
    expect_says(text, "rank calibrated-exact measured time = 1.8 ms; speedup = 1.25 evidence run-7 file /var/cache");
    assert_null(strstr(text, "passed over"));
    sy_text_free(text);
}

static void an_answer_says_when_a_better_one_is_passed_over(void **state)
{
    const sy_report_style style = {.columns = 80};
    sy_verdict items[2] = {verdict_items[1], verdict_items[0]};
    const sy_verdict_list list = {items, 2, NULL};
    const sy_report_enquiry enquiry = {the_store, &question, &list, SY_OK};
    char *text = NULL;

    (void)state;
    items[0].verdict = SY_VERDICT_SELECTED; /* the portable one, undecided */
    items[0].reason = SY_REASON_NONE;
    items[1].reason = SY_REASON_POLICY_REJECTED;
    assert_int_equal(sy_report_profile_answer(&enquiry, &style, &text, NULL), SY_OK);
    flat(text);
    expect_says(text, "calibrated-portable: a prior, to be confirmed here, undecided");
    expect_says(text, "without evidence");
    expect_says(text, "a better ranked profile is passed over: steelyard profile explain");
    sy_text_free(text);
}

static void only_the_parts_in_which_processors_differ_are_told(void **state)
{
    char *text = flat(made(make_explanation, 100));

    (void)state;
    expect_says(text, "cpu.cache.l2 asked 1 MiB x 2 (0, 1 apart), stored 2 MiB x 4 (0-1, 2 apart); and 3 more");
    assert_null(strstr(text, "cpu.family"));
    sy_text_free(text);
}

static void of_long_lists_only_what_they_do_not_share_is_told(void **state)
{
    static const char wanted[] = "cpu.isa=amx_tile,avx,avx2,avx512bw,avx512cd,avx512f,fma,sse;cpu.limit=4";
    static const char found[] = "cpu.isa=avx,avx2,avx512bw,avx512cd,avx512f,avx_vnni,fma,sse,sse2;cpu.limit=4";
    sy_profile profile = exact_profile;
    sy_lookup lookup = question;
    sy_verdict verdict = verdict_items[0];
    const sy_verdict_list list = {&verdict, 1, NULL};
    const sy_report_enquiry enquiry = {the_store, &lookup, &list, SY_NOT_FOUND};
    const sy_report_style style = {.columns = 100};
    char *text = NULL;

    (void)state;
    profile.key.processor = verdict.found = found;
    lookup.key.processor = verdict.wanted = wanted;
    verdict.profile = &profile;
    assert_int_equal(sy_report_profile_explanation(&enquiry, &style, &text, NULL), SY_OK);
    flat(text);
    expect_says(text, "cpu.isa: asked also amx_tile, stored also avx_vnni,sse2");
    assert_null(strstr(text, "avx512bw"));
    sy_text_free(text);
    text = NULL;
    profile.key.processor = verdict.found = "cpu.cache.l2=2 MiB x 4 (0, 1, 2, 3 apart);cpu.limit=4";
    lookup.key.processor = verdict.wanted = "cpu.cache.l2=2 MiB x 8 (0, 1, 2, 3, 4, 5, 6, 7 apart);cpu.limit=4";
    assert_int_equal(sy_report_profile_explanation(&enquiry, &style, &text, NULL), SY_OK);
    flat(text);
    expect_says(text, "asked 2 MiB x 8 (0, 1, 2, 3, 4, 5, 6, 7 apart), stored 2 MiB x 4 (0, 1, 2, 3 apart)");
    sy_text_free(text);
}

static void the_walk_tells_each_rank(void **state)
{
    char *text = flat(made(make_explanation, 100));

    (void)state;
    expect_says(text, "attention on cpu, implementation 3 exact model d1, 4 threads, processor ");
    expect_says(text, "portable dtype=f32, head_dim=64 answer none");
    expect_says(text, "override-exact: none of this key override-portable: none of this key (1 of other keys) "
                      "calibrated-exact: none of this key (1 of other keys) "
                      "calibrated-portable: passed over: expired (2026-11-30T13:24:18Z)");
    sy_text_free(text);
}

static void the_nearest_miss_is_the_one_with_the_fewest_differences(void **state)
{
    const sy_verdict_list without_expired = {verdict_items, 1, NULL};
    const sy_report_enquiry enquiry = {the_store, &question, &without_expired, SY_NOT_FOUND};
    const sy_report_style style = {.columns = 100};
    char *text = flat(made(make_explanation, 100));

    (void)state;
    expect_says(text,
                "The nearest miss: #2, calibrated portable, policy plain 5 of 5 fields agree. It would answer if it "
                "were not expired: probe again, or set an override.");
    sy_text_free(text);
    text = NULL;
    assert_int_equal(sy_report_profile_explanation(&enquiry, &style, &text, NULL), SY_OK);
    flat(text);
    expect_says(text,
                "The nearest miss: #1, calibrated exact, policy flash 5 of 6 fields agree. It would match if this "
                "were equal: processor: 4 of its 5 parts cpu.cache.l2: asked 1 MiB x 2 (0, 1 apart), stored 2 MiB x 4 "
                "(0-1, 2 apart) cpu.isa: asked avx2,avx512f,sse2, stored avx2,sse2 cpu.limit: asked 4, stored 2 "
                "env.OMP_NUM_THREADS: asked 4, not stored");
    sy_text_free(text);
}

static void a_structure_that_lacks_a_property_differs_from_one_where_it_is_empty(void **state)
{
    static const sy_property empty[] = {{"dtype", ""}};
    static const sy_property none[] = {{"layout", "row"}};
    const sy_lookup lookup = {{"cpu", "attention", "3", NULL, NULL, 0, empty, 1}, false, false, false};
    sy_profile profile = expired_profile;
    sy_arena *arena = sy_arena_create(0);
    sy_difference_list list;

    (void)state;
    profile.key.structure = none;
    profile.key.structure_count = 1;
    assert_true(sy_profile_differences(arena, &lookup, &profile, &list));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].field, "structure.dtype");
    assert_string_equal(list.items[1].field, "structure.layout");
    assert_string_equal(list.items[1].found, "row");
    sy_arena_destroy(arena);
}

static void a_processor_of_another_form_is_compared_whole(void **state)
{
    static const char *const opaque[] = {"", "xeon", "=6", "cpu=1;", "cpu=1;;isa=2", "cpu=1;isa"};
    sy_arena *arena = sy_arena_create(0);
    sy_difference_list list;

    (void)state;
    for (size_t i = 0; i < sizeof(opaque) / sizeof(opaque[0]); i++) {
        assert_true(sy_processor_differences(arena, opaque[i], HERE, &list));
        assert_null(list.items);
        assert_int_equal(list.count, 0);
    }
    sy_arena_destroy(arena);
}

static const sy_json_value *at(const sy_json *json, const char *first, size_t index, const char *second)
{
    const sy_json_value *value = sy_json_member(sy_json_root(json), first);

    if (value != NULL && value->kind == SY_JSON_ARRAY)
        value = sy_json_element(value, index);
    value = second != NULL ? sy_json_member(value, second) : value;
    assert_non_null(value);
    return value;
}

static sy_json *parsed(char *text)
{
    sy_json *json = NULL;
    size_t findings;

    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    (void)sy_json_findings(json, &findings);
    assert_int_equal(findings, 0);
    sy_text_free(text);
    return json;
}

static void the_list_as_json_loses_nothing(void **state)
{
    char *text = NULL;
    sy_json *json;

    (void)state;
    assert_int_equal(sy_report_profile_list_json(&the_store, listed, 4, &text, NULL), SY_OK);
    json = parsed(text);
    assert_string_equal(at(json, "schema", 0, NULL)->text, "steelyard.profile-list/1");
    assert_int_equal(at(json, "profiles", 0, NULL)->parent->count, 4);
    assert_string_equal(sy_json_member(at(json, "profiles", 0, "key"), "processor")->text, THERE);
    assert_int_equal(sy_json_member(at(json, "profiles", 0, "key"), "structure")->kind, SY_JSON_NULL);
    assert_true(sy_json_member(at(json, "profiles", 0, "decision"), "e_value")->number == 41.5);
    assert_true(sy_json_member(at(json, "profiles", 0, "gain"), "gain_low")->number == .201);
    assert_string_equal(sy_json_member(at(json, "profiles", 0, "evidence"), "run")->text, "run-7");
    assert_int_equal(at(json, "profiles", 0, "expires")->kind, SY_JSON_NULL);
    assert_string_equal(sy_json_member(at(json, "profiles", 1, "decision"), "word")->text, "undecided");
    assert_int_equal(sy_json_member(at(json, "profiles", 1, "decision"), "e_value")->kind, SY_JSON_NULL);
    assert_int_equal(at(json, "profiles", 1, "expired")->kind, SY_JSON_TRUE);
    assert_int_equal(at(json, "profiles", 1, "evidence")->kind, SY_JSON_NULL);
    assert_string_equal(at(json, "profiles", 2, "policy_hex")->text, "611b5b324a00ff");
    assert_int_equal(at(json, "profiles", 2, "policy")->text_length, 6 + 3); /* U+FFFD takes three bytes */
    assert_int_equal(at(json, "profiles", 2, "expired")->kind, SY_JSON_FALSE);
    assert_string_equal(at(json, "profiles", 3, "kind")->text, "imported");
    assert_string_equal(at(json, "layers", 1, "path")->text, "/usr/share/steelyard/profiles");
    sy_json_destroy(json);
}

static void the_answer_as_json_has_every_verdict(void **state)
{
    char *text = NULL;
    sy_json *json;

    (void)state;
    assert_int_equal(sy_report_profile_answer_json(&unanswered, &text, NULL), SY_OK);
    json = parsed(text);
    assert_string_equal(at(json, "schema", 0, NULL)->text, "steelyard.profile-lookup/1");
    assert_string_equal(at(json, "status", 0, NULL)->text, "not-found");
    assert_int_equal(at(json, "selected", 0, NULL)->kind, SY_JSON_NULL);
    assert_int_equal(at(json, "others", 0, NULL)->parent->count, 3);
    assert_string_equal(at(json, "others", 0, "found")->text, THERE);
    assert_int_equal(at(json, "others", 0, "differences")->count, 4);
    assert_int_equal(at(json, "others", 2, "differences")->count, 0);
    assert_string_equal(at(json, "others", 2, "field")->text, "structure.causal");
    assert_string_equal(at(json, "others", 1, "detail")->text, "2026-11-30T13:24:18Z");
    sy_json_destroy(json);
    text = NULL;
    assert_int_equal(sy_report_profile_answer_json(&answered, &text, NULL), SY_OK);
    json = parsed(text);
    assert_string_equal(at(json, "selected", 0, "rank")->text, "calibrated-exact");
    assert_string_equal(at(json, "selected", 0, "policy")->text, "flash");
    assert_int_equal(at(json, "selected", 0, "measurements")->count, 2);
    sy_json_destroy(json);
}

static void the_explanation_as_json_has_walk_and_nearest_miss(void **state)
{
    char *text = NULL;
    sy_json *json;

    (void)state;
    assert_int_equal(sy_report_profile_explanation_json(&unanswered, &text, NULL), SY_OK);
    json = parsed(text);
    assert_string_equal(at(json, "schema", 0, NULL)->text, "steelyard.profile-explanation/1");
    assert_string_equal(at(json, "walk", 3, "state")->text, "passed-over");
    assert_string_equal(at(json, "walk", 3, "reason")->text, "expired");
    assert_string_equal(at(json, "walk", 1, "state")->text, "empty");
    assert_true(at(json, "nearest_miss", 0, "index")->number == 1);
    assert_int_equal(at(json, "nearest_miss", 0, "differences")->count, 0);
    sy_json_destroy(json);
}

static void ranks_behind_the_answer_are_not_reached_and_forced_ones_skipped(void **state)
{
    sy_lookup forced = question;
    const sy_report_enquiry enquiry = {the_store, &forced, &rejected_list, SY_NOT_FOUND};
    sy_step steps[SY_STEP_COUNT];

    (void)state;
    sy_profile_walk(&answered, steps);
    assert_int_equal(steps[SY_PROFILE_RANK_CALIBRATED_EXACT].state, SY_STEP_SELECTED);
    assert_int_equal(steps[SY_PROFILE_RANK_CALIBRATED_PORTABLE].state, SY_STEP_NOT_REACHED);
    forced.force_portable = true;
    sy_profile_walk(&enquiry, steps);
    assert_int_equal(steps[SY_PROFILE_RANK_OVERRIDE_EXACT].state, SY_STEP_SKIPPED);
    assert_int_equal(steps[SY_PROFILE_RANK_CALIBRATED_EXACT].state, SY_STEP_SKIPPED);
    assert_int_equal(steps[SY_PROFILE_RANK_CALIBRATED_PORTABLE].state, SY_STEP_PASSED_OVER);
    forced.key.structure_count = 0;
    sy_profile_walk(&enquiry, steps);
    assert_int_equal(steps[SY_PROFILE_RANK_OVERRIDE_PORTABLE].state, SY_STEP_NOT_ASKED);
}

static sy_status make_all(void *user)
{
    char *text = NULL;
    sy_status status = SY_OK;

    (void)user;
    for (size_t i = 0; status == SY_OK && i < MAKERS + 3; i++) {
        status = i < MAKERS        ? makers[i](NULL, &text)
                 : i == MAKERS     ? sy_report_profile_list_json(&the_store, listed, 4, &text, NULL)
                 : i == MAKERS + 1 ? sy_report_profile_answer_json(&answered, &text, NULL)
                                   : sy_report_profile_explanation_json(&unanswered, &text, NULL);
        sy_text_free(text);
        text = NULL;
    }
    return status;
}

static void no_memory_is_an_error_that_leaks_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(make_all, NULL, true) > 50);
    assert_true(fault_loop_allocations(make_all, NULL, false) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_report_fits_from_40_to_200_columns),
        cmocka_unit_test(fewer_than_40_columns_are_refused),
        cmocka_unit_test(the_list_has_a_line_for_each_and_marks_what_has_expired),
        cmocka_unit_test(details_hold_all_that_is_stored),
        cmocka_unit_test(the_answer_begins_with_the_policy),
        cmocka_unit_test(an_answer_says_when_a_better_one_is_passed_over),
        cmocka_unit_test(only_the_parts_in_which_processors_differ_are_told),
        cmocka_unit_test(of_long_lists_only_what_they_do_not_share_is_told),
        cmocka_unit_test(the_walk_tells_each_rank),
        cmocka_unit_test(the_nearest_miss_is_the_one_with_the_fewest_differences),
        cmocka_unit_test(a_structure_that_lacks_a_property_differs_from_one_where_it_is_empty),
        cmocka_unit_test(a_processor_of_another_form_is_compared_whole),
        cmocka_unit_test(the_list_as_json_loses_nothing),
        cmocka_unit_test(the_answer_as_json_has_every_verdict),
        cmocka_unit_test(the_explanation_as_json_has_walk_and_nearest_miss),
        cmocka_unit_test(ranks_behind_the_answer_are_not_reached_and_forced_ones_skipped),
        cmocka_unit_test(no_memory_is_an_error_that_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, select_the_exact_one, NULL);
}
