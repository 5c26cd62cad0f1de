/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: values and their offsets, findings, limits, located errors, hostile input. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "fault_loop.h"

static sy_json *parse(const char *text)
{
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_json_parse(text, strlen(text), NULL, &json, &err) != SY_OK) {
        fail_msg("'%s': %s", text, err.what);
    }
    return json;
}

static void every_kind_of_value_is_read_with_its_offset(void **state)
{
    (void)state;
    sy_json *json = parse(" {\"a\": [1, -2.5e1, true, false, null], \"b\": {}, \"c\" : \"x\"}\n");
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(root->kind, SY_JSON_OBJECT);
    assert_int_equal(root->count, 3);
    assert_int_equal(root->offset, 1);
    assert_int_equal(root->depth, 0);
    const sy_json_value *a = sy_json_member(root, "a");
    assert_int_equal(a->kind, SY_JSON_ARRAY);
    assert_int_equal(a->offset, 7);
    assert_int_equal(a->name_offset, 2);
    assert_string_equal(a->name, "a");
    assert_ptr_equal(a->parent, root);
    assert_int_equal(a->count, 5);
    assert_true(sy_json_element(a, 0)->number == 1.0);
    const sy_json_value *second = sy_json_element(a, 1);
    assert_true(second->number == -25.0);
    assert_int_equal(second->offset, 11);
    assert_int_equal(second->depth, 2);
    assert_null(second->name);
    assert_int_equal(second->text_length, 6);
    assert_memory_equal(second->text, "-2.5e1", 6);
    assert_int_equal(sy_json_element(a, 2)->kind, SY_JSON_TRUE);
    assert_int_equal(sy_json_element(a, 3)->kind, SY_JSON_FALSE);
    assert_int_equal(sy_json_element(a, 4)->kind, SY_JSON_NULL);
    assert_null(sy_json_element(a, 5));
    assert_null(sy_json_element(a, 4)->next);
    const sy_json_value *c = sy_json_member(root, "c");
    assert_int_equal(c->kind, SY_JSON_TEXT);
    assert_string_equal(c->text, "x");
    assert_ptr_equal(a->next, sy_json_member(root, "b"));
    assert_null(c->next);
    assert_null(root->next);
    assert_null(sy_json_member(root, "d"));
    assert_null(sy_json_member(a, "a"));
    sy_json_destroy(json);
}

static void a_single_scalar_is_a_document(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sy_json_kind kind;
    } cases[] = {{"1", SY_JSON_NUMBER}, {"\"\"", SY_JSON_TEXT},  {"true", SY_JSON_TRUE}, {"\tnull\r\n", SY_JSON_NULL},
                 {"[]", SY_JSON_ARRAY}, {"{ }", SY_JSON_OBJECT}, {"-0", SY_JSON_NUMBER}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_json *json = parse(cases[i].text);
        assert_int_equal(sy_json_root(json)->kind, cases[i].kind);
        sy_json_destroy(json);
    }
}

static void numbers_of_every_form_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1E2", 100.0},
                 {"1e2", 100.0},
                 {"-7", -7.0},
                 {"-0.5E-1", -0.05},
                 {"999999999999999", 999999999999999.0},
                 {"1000000000000000", 1e15},
                 {"9007199254740993", 9007199254740992.0},
                 {"1234567890123456789012", 1234567890123456789012.0},
                 {"0e9", 0.0},
                 {"5e+0", 5.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_json *json = parse(cases[i].text);
        assert_true(sy_json_root(json)->number == cases[i].value);
        assert_int_equal(sy_json_root(json)->text_length, strlen(cases[i].text));
        sy_json_destroy(json);
    }
    sy_json *json = parse("-0");
    assert_true(signbit(sy_json_root(json)->number) != 0);
    sy_json_destroy(json);
}

static void the_last_characters_of_each_range_are_read(void **state)
{
    (void)state;
    sy_json *json = parse("\"\\udbff\\udfff\\ud800\\udc00\\ud7ff\\ue000\\uffff\\u007f\\u0080\\u07ff\\u0800\"");
    assert_string_equal(sy_json_root(json)->text, "\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
                                                  "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80");
    sy_json_destroy(json);
}

static void escapes_become_what_they_stand_for(void **state)
{
    (void)state;
    sy_json *json = parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e4\\u20AC\\uD83D\\uDE00\", \"a\\u0000b\", "
                          "\"plain and a long one, with \xc3\xa4 in the middle and \\n\"]");
    const sy_json_value *root = sy_json_root(json);
    assert_string_equal(sy_json_element(root, 0)->text, "\"\\/\b\f\n\r\t");
    assert_string_equal(sy_json_element(root, 1)->text, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_int_equal(sy_json_element(root, 2)->text_length, 3);
    assert_memory_equal(sy_json_element(root, 2)->text, "a\0b", 4);
    assert_string_equal(sy_json_element(root, 3)->text, "plain and a long one, with \xc3\xa4 in the middle and \n");
    size_t count;
    sy_json_findings(json, &count);
    assert_int_equal(count, 0);
    sy_json_destroy(json);
}

static void expect_finding(const sy_json *json, size_t index, sy_json_finding_kind kind, uint64_t offset)
{
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);
    assert_true(index < count);
    assert_int_equal(findings[index].kind, kind);
    assert_int_equal(findings[index].offset, offset);
}

static size_t finding_count(const sy_json *json)
{
    size_t count;
    sy_json_findings(json, &count);
    return count;
}

static void a_duplicate_key_is_a_finding(void **state)
{
    (void)state;
    sy_json *json = parse("{\"a\":1,\"b\":2,\"\\u0061\":3,\"c\":{\"x\":1,\"x\":2}}");
    assert_int_equal(finding_count(json), 2);
    expect_finding(json, 0, SY_JSON_DUPLICATE_KEY, 13);
    expect_finding(json, 1, SY_JSON_DUPLICATE_KEY, 35);
    assert_int_equal(sy_json_root(json)->count, 4);
    assert_true(sy_json_member(sy_json_root(json), "a")->number == 1.0);
    sy_json_destroy(json);
    json = parse("{\"a\":1,\"ab\":2,\"\":3,\"abc\":4,\"a\\u0000\":5}");
    assert_int_equal(finding_count(json), 0);
    sy_json_destroy(json);
}

static void duplicates_in_a_large_object_are_all_found(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, "{");
    for (int i = 0; i < 100000; i++) {
        sy_text_append_format(&text, "\"member number %d\":%d,", i % 99990, i);
    }
    sy_text_append(&text, "\"\":0}");
    sy_json *json = parse(sy_text_bytes(&text));
    assert_int_equal(sy_json_root(json)->count, 100001);
    assert_int_equal(finding_count(json), 10);
    size_t count;
    const sy_json_finding *findings = sy_json_findings(json, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true(findings[i].value->number == (double)(99990 + i));
        assert_int_equal(findings[i].offset, findings[i].value->name_offset);
    }
    sy_json_destroy(json);
    sy_text_finish(&text);
}

static void what_no_double_holds_is_a_finding_and_parsing_goes_on(void **state)
{
    (void)state;
    sy_json *json = parse("[NaN,Infinity,-Infinity,-NaN,1e999,-1e999,nan,-inf,7]");
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(root->count, 9);
    assert_int_equal(finding_count(json), 8);
    assert_true(isnan(sy_json_element(root, 0)->number));
    assert_true(sy_json_element(root, 1)->number == INFINITY);
    assert_true(sy_json_element(root, 2)->number == -INFINITY);
    assert_true(isnan(sy_json_element(root, 3)->number));
    assert_true(sy_json_element(root, 4)->number == INFINITY);
    assert_true(sy_json_element(root, 5)->number == -INFINITY);
    assert_true(sy_json_element(root, 7)->number == -INFINITY);
    assert_true(sy_json_element(root, 8)->number == 7.0);
    expect_finding(json, 0, SY_JSON_NON_FINITE, 1);
    expect_finding(json, 2, SY_JSON_NON_FINITE, 14);
    assert_memory_equal(sy_json_element(root, 2)->text, "-Infinity", 9);
    sy_json_destroy(json);
}

static void bad_utf8_is_a_finding_and_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *read;
        uint64_t offset; /* 0: good */
    } cases[] = {
        {"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf\"",
         "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf", 0},
        {"\"a\xe4z\"", "a\xef\xbf\xbdz", 2},
        {"\"\xe0\x80\xaf\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 1},
        {"\"\xf0\x8f\xbf\xbf\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 1},
        {"\"\xc0\xaf\"", "\xef\xbf\xbd\xef\xbf\xbd", 1},
        {"\"\xed\xa0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 1},
        {"\"\xf4\x90\x80\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 1},
        {"\"12345678\xe2\x82\"", "12345678\xef\xbf\xbd\xef\xbf\xbd", 9},
        {"\"\\ud800\"", "\xef\xbf\xbd", 1},
        {"\"x\\udc00\\ud800\\u0041\"",
         "x\xef\xbf\xbd\xef\xbf\xbd"
         "A",
         2},
        {"\"\\ud800\\ue000\"", "\xef\xbf\xbd\xee\x80\x80", 1},
        {"\"\\ud800\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_json *json = parse(cases[i].text);
        assert_string_equal(sy_json_root(json)->text, cases[i].read);
        assert_int_equal(finding_count(json), cases[i].offset != 0);
        if (cases[i].offset != 0) {
            expect_finding(json, 0, SY_JSON_BAD_UTF8, cases[i].offset);
        }
        sy_json_destroy(json);
    }
    sy_json *json = parse("{\"\xff\":1}");
    assert_string_equal(sy_json_root(json)->first->name, "\xef\xbf\xbd");
    expect_finding(json, 0, SY_JSON_BAD_UTF8, 2);
    sy_json_destroy(json);
}

static void a_long_text_of_bad_bytes_has_room_for_what_replaces_them(void **state)
{
    (void)state;
    enum { count = 20000 };
    char *text = sy_allocate(count + 2, 1);
    assert_non_null(text);
    memset(text, 0xff, count + 2);
    text[0] = '"';
    text[count + 1] = '"';
    sy_json *json = NULL;
    assert_int_equal(sy_json_parse(text, count + 2, NULL, &json, NULL), SY_OK);
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(root->text_length, 3 * count);
    for (size_t i = 0; i < 3 * count; i += 3) {
        assert_memory_equal(root->text + i, "\xef\xbf\xbd", 3);
    }
    assert_int_equal(finding_count(json), 1);
    sy_json_destroy(json);
    sy_free(text);
}

static void a_byte_order_mark_is_skipped_and_counted(void **state)
{
    (void)state;
    sy_json *json = parse("\xef\xbb\xbf{\"a\":1}");
    const sy_json_value *a = sy_json_root(json)->first;
    assert_int_equal(a->offset, 8);
    sy_position position = sy_json_position(json, a->offset);
    assert_int_equal(position.line, 1);
    assert_int_equal(position.column, 6);
    assert_int_equal(sy_json_position(json, 0).column, 1);
    sy_json_destroy(json);
}

static void other_encodings_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *what;
    } cases[] = {{"\xff\xfe{\0\"\0", 6, "UTF-16 file; convert it to UTF-8"},
                 {"\xfe\xff\0{", 4, "UTF-16 file; convert it to UTF-8"},
                 {"{\0\"\0a\0", 6, "UTF-16 file; convert it to UTF-8"},
                 {"\0{\0\"", 4, "UTF-16 file; convert it to UTF-8"},
                 {"\xff\xfe\0\0{\0\0\0", 8, "UTF-32 file; convert it to UTF-8"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_json *json = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_json_parse(cases[i].bytes, cases[i].size, NULL, &json, &err), SY_CORRUPT);
        assert_string_equal(err.what, cases[i].what);
        assert_null(json);
    }
}

static void a_syntax_error_says_where_what_was_expected_and_what_was_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
        uint32_t line;
        uint32_t column;
        const char *what;
    } cases[] = {
        {"", 0, 1, 1, "expected a value, found the end"},
        {"  \n ", 4, 2, 2, "expected a value, found the end"},
        {"{\"a\": 12%}", 8, 1, 9, "expected ',' or '}', found '%'"},
        {"[1 2]", 3, 1, 4, "expected ',' or ']', found '2'"},
        {"[1,]", 3, 1, 4, "expected a value, found ']'"},
        {"[1,\n2,\n x]", 8, 3, 2, "expected a value, found 'x'"},
        {"{\"a\":1,}", 7, 1, 8, "expected a member's name in quotes, found '}'"},
        {"{a:1}", 1, 1, 2, "expected a member's name in quotes, found 'a'"},
        {"{\"a\" 1}", 5, 1, 6, "expected ':' after a member's name, found '1'"},
        {"{\"a\":1]", 6, 1, 7, "expected ',' or '}', found ']'"},
        {"[", 1, 1, 2, "expected a value, found the end"},
        {"[[1]", 4, 1, 5, "expected ',' or ']', found the end"},
        {"1 1", 2, 1, 3, "expected the end behind the value, found '1'"},
        {"01", 0, 1, 1, "expected a number without leading zeros and with digits after '.' and 'e', found '01'"},
        {"1.", 0, 1, 1, "expected a number without leading zeros and with digits after '.' and 'e', found '1.'"},
        {"[1e+]", 1, 1, 2, "expected a number without leading zeros and with digits after '.' and 'e', found '1e+'"},
        {"-", 1, 1, 2, "expected a digit after '-', found the end"},
        {"+1", 0, 1, 1, "expected a value, found '+'"},
        {".5", 0, 1, 1, "expected a value, found '.'"},
        {"truth", 0, 1, 1, "expected a value, found 'truth'"},
        {"nullx", 0, 1, 1, "expected a value, found 'nullx'"},
        {"Infinity1", 0, 1, 1, "expected a value, found 'Infinity'"},
        {"\"abc", 0, 1, 1, "expected a closing quote for this string, found the end"},
        {"\"abc\\", 0, 1, 1, "expected a closing quote for this string, found the end"},
        {"\"abc\\\"", 0, 1, 1, "expected a closing quote for this string, found the end"},
        {"[\"a\nb\"]", 3, 1, 4, "expected a closing quote, found a line break in a string"},
        {"\"a\tb\"", 2, 1, 3, "expected an escape, found the control byte 0x09 in a string"},
        {"\"\x1f\"", 1, 1, 2, "expected an escape, found the control byte 0x1f in a string"},
        {"\"\\x\"", 2, 1, 3, "expected one of \"\\/bfnrtu after a backslash, found 'x'"},
        {"\"\\u12g4\"", 1, 1, 2, "expected four hexadecimal digits after \\u"},
        {"'a'", 0, 1, 1, "expected a value, found '''"},
        {"[1]\x01", 3, 1, 4, "expected the end behind the value, found the byte 0x01"},
        {"// c\n1", 0, 1, 1, "expected a value, found '/'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sy_json *json = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_json_parse(cases[i].text, strlen(cases[i].text), NULL, &json, &err), SY_CORRUPT);
        assert_null(json);
        assert_string_equal(err.what, cases[i].what);
        assert_int_equal(err.status, SY_CORRUPT);
        assert_int_equal(err.position.offset, cases[i].offset);
        assert_int_equal(err.position.line, cases[i].line);
        assert_int_equal(err.position.column, cases[i].column);
    }
}

static void a_nul_byte_is_not_the_end(void **state)
{
    (void)state;
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_json_parse("[1]\0", 4, NULL, &json, &err), SY_CORRUPT);
    assert_string_equal(err.what, "expected the end behind the value, found the byte 0x00");
    assert_int_equal(sy_json_parse("\"a\0b\"", 5, NULL, &json, &err), SY_CORRUPT);
    assert_string_equal(err.what, "expected an escape, found the control byte 0x00 in a string");
}

static void hostile_depth_ends_at_the_limit(void **state)
{
    (void)state;
    size_t deep = 1000000;
    char *text = sy_allocate(2 * deep, 1);
    assert_non_null(text);
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_json_parse(text, 2 * deep, NULL, &json, &err), SY_LIMIT_EXCEEDED);
    assert_string_equal(err.what, "more than 128 nested arrays and objects");
    assert_int_equal(err.position.offset, 128);
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    limits.depth = UINT32_MAX;
    assert_int_equal(sy_json_parse(text, 2 * deep, &limits, &json, &err), SY_OK);
    sy_json_destroy(json);
    sy_free(text);
    limits.depth = 0;
    assert_int_equal(sy_json_parse("1", 1, &limits, &json, &err), SY_OK);
    sy_json_destroy(json);
    assert_int_equal(sy_json_parse("[]", 2, &limits, &json, &err), SY_LIMIT_EXCEEDED);
    limits.depth = 1;
    assert_int_equal(sy_json_parse("[]", 2, &limits, &json, &err), SY_OK);
    sy_json_destroy(json);
    assert_int_equal(sy_json_parse("[{}]", 4, &limits, &json, &err), SY_LIMIT_EXCEEDED);
}

static void size_and_findings_have_limits(void **state)
{
    (void)state;
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    limits.size_bytes = 3;
    assert_int_equal(sy_json_parse("[1]", 3, &limits, &json, &err), SY_OK);
    sy_json_destroy(json);
    assert_int_equal(sy_json_parse("[1] ", 4, &limits, &json, &err), SY_LIMIT_EXCEEDED);
    limits.size_bytes = 0;
    limits.findings = 2;
    assert_int_equal(sy_json_parse("[NaN,NaN]", 9, &limits, &json, &err), SY_OK);
    sy_json_destroy(json);
    assert_int_equal(sy_json_parse("[NaN,NaN,NaN]", 13, &limits, &json, &err), SY_LIMIT_EXCEEDED);
    assert_string_equal(err.what, "more than 2 findings");
    assert_int_equal(err.position.offset, 9);
}

static void every_prefix_of_a_document_is_refused_or_read(void **state)
{
    (void)state;
    const char *whole = "{\"a\\u00e4\":[1.5e3,\"x\xe2\x82\xac\",{\"b\":null}],\"c\":-Infinity}";
    for (size_t size = 0; size < strlen(whole); size++) {
        char *exact = malloc(size == 0 ? 1 : size); /* its own block, so that a sanitizer sees a read behind it */
        memcpy(exact, whole, size);
        sy_json *json = NULL;
        sy_error err = SY_ERROR_INIT;
        assert_int_equal(sy_json_parse(exact, size, NULL, &json, &err), SY_CORRUPT);
        assert_true(err.position.offset <= size);
        free(exact);
    }
}

static sy_status parse_with_everything(void *user)
{
    (void)user;
    static const char text[] =
        "{\"a\":[1,2,NaN,{\"x\":1,\"x\":2}],\"b\\n\":\"\xff\",\"c\":1,\"d\":2,\"e\":3,\"f\":4,\"g\":5,"
        "\"h\":6,\"i\":7,\"i\":8,\"j\":9,\"k\":[NaN,NaN,NaN,NaN,NaN,NaN,NaN]}";
    sy_json *json = NULL;
    sy_status status = sy_json_parse(text, strlen(text), NULL, &json, NULL);
    sy_json_destroy(json);
    return status;
}

static void every_failed_allocation_of_the_reader_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(parse_with_everything, NULL, true) >= 6);
    assert_true(fault_loop_allocations(parse_with_everything, NULL, false) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read_with_its_offset),
        cmocka_unit_test(a_single_scalar_is_a_document),
        cmocka_unit_test(numbers_of_every_form_are_read),
        cmocka_unit_test(the_last_characters_of_each_range_are_read),
        cmocka_unit_test(escapes_become_what_they_stand_for),
        cmocka_unit_test(a_duplicate_key_is_a_finding),
        cmocka_unit_test(duplicates_in_a_large_object_are_all_found),
        cmocka_unit_test(what_no_double_holds_is_a_finding_and_parsing_goes_on),
        cmocka_unit_test(bad_utf8_is_a_finding_and_is_replaced),
        cmocka_unit_test(a_long_text_of_bad_bytes_has_room_for_what_replaces_them),
        cmocka_unit_test(a_byte_order_mark_is_skipped_and_counted),
        cmocka_unit_test(other_encodings_are_named),
        cmocka_unit_test(a_syntax_error_says_where_what_was_expected_and_what_was_found),
        cmocka_unit_test(a_nul_byte_is_not_the_end),
        cmocka_unit_test(hostile_depth_ends_at_the_limit),
        cmocka_unit_test(size_and_findings_have_limits),
        cmocka_unit_test(every_prefix_of_a_document_is_refused_or_read),
        cmocka_unit_test(every_failed_allocation_of_the_reader_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
