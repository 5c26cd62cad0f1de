/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison keys as text and JSON: unknown fields are marked, a key without one of them equals nothing. */
#include <steelyard/report.h>
#include <string.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "text_width.h"

static const sy_named_text whole_fields[] = {{"cell_id", "matmul::cpu"}, {"cache_state", "hot"}};
static const sy_named_text holed_fields[] = {{"cell_id", "matmul::cpu"}, {"cache_state", NULL}, {"objective", "none"}};
static const sy_run whole = {.row = {.id = "run-a", .cell = "matmul::cpu", .gate = "g.hot"},
                             .begin = {.key = {whole_fields, 2}}};
static const sy_run holed = {.row = {.id = "run-b", .cell = "matmul::cpu", .gate = ""},
                             .begin = {.key = {holed_fields, 3}}};
static const sy_report_style style = {.columns = 80, .utf8 = true};

static void expect(char *text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, parts[i]) == NULL)
            fail_msg("'%s' is not in:\n%s", parts[i], text);
    }
    sy_text_free(text);
}

#define EXPECT(text, ...) \
    expect(text, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void a_whole_key_has_its_digest(void **state)
{
    char digest[65];
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_comparison_key_digest(&whole.begin.key, digest, NULL), SY_OK);
    assert_int_equal(strlen(digest), 64);
    assert_int_equal(sy_report_key(&whole, &style, &text, NULL), SY_OK);
    EXPECT(text, "run-a", "g.hot", "cache_state  hot\n", digest);
}

static void an_unknown_field_is_marked_and_the_key_equals_nothing(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_key(&holed, &style, &text, NULL), SY_OK);
    EXPECT(text, "cache_state  unknown\n", "objective    none\n", "incomplete: equals nothing");
}

static void a_difference_names_what_differs_alone(void **state)
{
    sy_key_difference_list *list = NULL;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_comparison_key_diff(&whole.begin.key, &holed.begin.key, &list, NULL), SY_OK);
    assert_int_equal(sy_report_key_difference(&whole, &holed, list, &style, &text, NULL), SY_OK);
    assert_null(strstr(text, "cell_id"));
    EXPECT(text, "run-a", "run-b", "cache_state  hot              unknown\n", "objective    not in this key  none\n",
           "2 of 3 fields differ: the two cannot be compared");
    sy_key_difference_list_destroy(list);
    assert_int_equal(sy_comparison_key_diff(&whole.begin.key, &whole.begin.key, &list, NULL), SY_OK);
    assert_int_equal(sy_report_key_difference(&whole, &whole, list, &style, &text, NULL), SY_OK);
    EXPECT(text, "all 2 fields agree: the two can be compared");
    sy_key_difference_list_destroy(list);
}

static const sy_key_row key_rows[] = {
    {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
     {whole_fields, 2},
     "matmul::cpu",
     7,
     5,
     "run-a",
     0},
    {"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210",
     {whole_fields, 2},
     "matmul::cpu",
     2,
     1,
     "run-c",
     1},
    {"", {holed_fields, 3}, "matmul::cpu", 1, 0, "run-b", 1},
};
static const sy_key_list keys = {.rows = key_rows, .row_count = 3};

static void a_list_says_how_many_are_missing_to_five(void **state)
{
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_keys(&keys, &style, &text, NULL), SY_OK);
    EXPECT(text, "0123456789ab  matmul::cpu         7       0         5  yes                run-a\n",
           "fedcba987654  matmul::cpu         2       1         1  4 more             run-c\n",
           "-             matmul::cpu         1       1         0  never: incomplete  run-b\n", "3 keys");
    for (uint32_t columns = 40; columns <= 120; columns++) {
        const sy_report_style narrow = {.columns = columns};

        assert_int_equal(sy_report_keys(&keys, &narrow, &text, NULL), SY_OK);
        expect_narrow(text, columns);
        sy_text_free(text);
    }
}

static const sy_json_value *parse(sy_json **json, char *text)
{
    assert_int_equal(sy_json_parse(text, strlen(text), &(sy_json_limits)SY_JSON_LIMITS_INIT, json, NULL), SY_OK);
    sy_text_free(text);
    return sy_json_root(*json);
}

static void json_has_null_for_what_is_unknown(void **state)
{
    sy_json *json = NULL;
    sy_key_difference_list *list = NULL;
    char *text = NULL;

    (void)state;
    assert_int_equal(sy_report_key_json(&holed, &text, NULL), SY_OK);
    const sy_json_value *root = parse(&json, text);
    assert_int_equal(sy_json_member(root, "complete")->kind, SY_JSON_FALSE);
    assert_int_equal(sy_json_member(root, "sha256")->kind, SY_JSON_NULL);
    const sy_json_value *second = sy_json_element(sy_json_member(root, "fields"), 1);
    assert_string_equal(sy_json_member(second, "name")->text, "cache_state");
    assert_int_equal(sy_json_member(second, "value")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
    assert_int_equal(sy_comparison_key_diff(&whole.begin.key, &holed.begin.key, &list, NULL), SY_OK);
    assert_int_equal(sy_report_key_difference_json(&whole, &holed, list, &text, NULL), SY_OK);
    root = parse(&json, text);
    assert_int_equal(sy_json_member(root, "comparable")->kind, SY_JSON_FALSE);
    assert_int_equal((int)sy_json_member(root, "differing")->number, 2);
    sy_json_destroy(json);
    sy_key_difference_list_destroy(list);
    assert_int_equal(sy_report_keys_json(&keys, &text, NULL), SY_OK);
    root = parse(&json, text);
    const sy_json_value *rows = sy_json_member(root, "keys");
    assert_int_equal(rows->count, 3);
    assert_int_equal(sy_json_member(sy_json_element(rows, 0), "baseline")->kind, SY_JSON_TRUE);
    assert_int_equal(sy_json_member(sy_json_element(rows, 1), "baseline")->kind, SY_JSON_FALSE);
    assert_int_equal(sy_json_member(sy_json_element(rows, 2), "sha256")->kind, SY_JSON_NULL);
    sy_json_destroy(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_key_has_its_digest),
        cmocka_unit_test(an_unknown_field_is_marked_and_the_key_equals_nothing),
        cmocka_unit_test(a_difference_names_what_differs_alone),
        cmocka_unit_test(a_list_says_how_many_are_missing_to_five),
        cmocka_unit_test(json_has_null_for_what_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
