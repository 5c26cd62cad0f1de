/* SPDX-License-Identifier: Apache-2.0 */
/* Positions, pointers and typed access to a parsed JSON document. */
#include "cmocka_headers.h"

#include <string.h>

#include "base/json.h"

static sy_json *parse(const char *text)
{
    sy_json *json = NULL;
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    return json;
}

static void positions_are_right_in_any_order_of_asking(void **state)
{
    (void)state;
    const char *text = "[1,\n  2,\r\n\n\"x\\ny\", 3]\n";
    sy_json *json = parse(text);
    size_t length = strlen(text);
    /* 7 and 24 are coprime: every offset comes, up and down. */
    for (size_t i = 0; i < 24 * 7; i++) {
        size_t offset = i * 7 % 24;
        uint32_t line = 1;
        uint32_t column = 1;
        size_t reached = offset < length ? offset : length;
        for (size_t k = 0; k < reached; k++) {
            column = text[k] == '\n' ? 1 : column + 1;
            line += text[k] == '\n';
        }
        sy_position position = sy_json_position(json, offset);
        assert_int_equal(position.offset, reached);
        assert_int_equal(position.line, line);
        assert_int_equal(position.column, column);
    }
    sy_json_destroy(json);
}

static void positions_of_a_long_document_are_right_in_any_order_of_asking(void **state)
{
    (void)state;
    enum { LENGTH = 30011 }; /* a prime, so that every step visits every offset */
    static char text[LENGTH + 1];
    static sy_position expected[LENGTH];
    memset(text, ' ', LENGTH);
    memcpy(text, "\xef\xbb\xbf[1", 5);
    text[LENGTH - 1] = ']';
    for (size_t i = 100; i < 9000; i += 61) { /* then one long line */
        text[i] = '\n';
    }
    uint32_t line = 1, column = 1;
    for (size_t i = 3; i < LENGTH; i++) {
        expected[i] = (sy_position){i, line, column};
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    sy_json *json = parse(text);
    for (size_t i = 0; i < LENGTH; i++) {
        size_t offset = i * 17389 % LENGTH;
        sy_position position = sy_json_position(json, offset);
        assert_int_equal(position.offset, offset);
        assert_int_equal(position.line, offset < 3 ? 1 : expected[offset].line);
        assert_int_equal(position.column, offset < 3 ? 1 : expected[offset].column);
    }
    sy_json_destroy(json);
}

static void a_pointer_leads_to_its_value(void **state)
{
    (void)state;
    sy_json *json = parse("{\"cases\":[0,1,2,3,4,5,6,7,8,9,10,{\"a/b~c\":{\"\":7}}]}");
    const sy_json_value *deep = sy_json_element(sy_json_root(json)->first, 11)->first->first;
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, "at ");
    sy_json_pointer(deep, &text);
    assert_string_equal(sy_text_bytes(&text), "at /cases/11/a~1b~0c/");
    sy_text_clear(&text);
    sy_json_pointer(sy_json_root(json), &text);
    assert_string_equal(sy_text_bytes(&text), "");
    sy_text_finish(&text);
    sy_json_destroy(json);
}

static void typed_access_gives_the_value(void **state)
{
    (void)state;
    sy_json *json = parse("{\"t\":\"x\",\"d\":0.5,\"i\":-9223372036854775808,\"y\":true,\"n\":false}");
    const sy_json_value *root = sy_json_root(json);
    const char *text = NULL;
    double number = 0;
    int64_t whole = 0;
    bool yes = false;
    bool no = true;
    assert_int_equal(sy_json_get_text(json, sy_json_member(root, "t"), &text, NULL), SY_OK);
    assert_string_equal(text, "x");
    assert_int_equal(sy_json_get_double(json, sy_json_member(root, "d"), &number, NULL), SY_OK);
    assert_true(number == 0.5);
    assert_int_equal(sy_json_get_i64(json, sy_json_member(root, "i"), &whole, NULL), SY_OK);
    assert_true(whole == INT64_MIN);
    assert_int_equal(sy_json_get_bool(json, sy_json_member(root, "y"), &yes, NULL), SY_OK);
    assert_int_equal(sy_json_get_bool(json, sy_json_member(root, "n"), &no, NULL), SY_OK);
    assert_true(yes);
    assert_false(no);
    sy_json_destroy(json);
}

static void a_wrong_type_is_located(void **state)
{
    (void)state;
    sy_json *json = parse("{\"a\":\n [true, NaN, 1.0, 1e3, 9223372036854775808, \"x\\u0000y\"]}");
    const sy_json_value *a = sy_json_root(json)->first;
    sy_error err = SY_ERROR_INIT;
    const char *text = "kept";
    double number = 3;
    int64_t whole = 3;
    bool flag = true;
    assert_int_equal(sy_json_get_text(json, a->first, &text, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/a/0: expected text, found true or false");
    assert_int_equal(err.position.line, 2);
    assert_int_equal(err.position.column, 3);
    assert_int_equal(sy_json_get_double(json, sy_json_element(a, 1), &number, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/a/1: expected a finite number, found NaN");
    for (size_t i = 2; i < 5; i++) {
        assert_int_equal(sy_json_get_i64(json, sy_json_element(a, i), &whole, &err), SY_CORRUPT);
    }
    assert_string_equal(err.what, "/a/4: expected a whole number from -9223372036854775808 to 9223372036854775807, "
                                  "found 9223372036854775808");
    assert_int_equal(sy_json_get_text(json, sy_json_element(a, 5), &text, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/a/5: expected text, found a NUL byte in it");
    assert_int_equal(sy_json_get_bool(json, a, &flag, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/a: expected true or false, found array");
    assert_int_equal(sy_json_get_bool(json, NULL, &flag, &err), SY_CORRUPT);
    assert_string_equal(err.what, "expected true or false, found nothing");
    assert_string_equal(text, "kept");
    assert_true(number == 3 && whole == 3 && flag);
    sy_json_destroy(json);
}

static void a_long_pointer_leaves_room_for_what_is_wrong(void **state)
{
    (void)state;
    sy_text text = SY_TEXT_INIT;
    sy_text_append(&text, "{\"");
    for (int i = 0; i < 500; i++) {
        sy_text_append(&text, "n");
    }
    sy_text_append(&text, "\": 1}");
    sy_json *json = parse(sy_text_bytes(&text));
    sy_error err = SY_ERROR_INIT;
    const char *got;
    assert_int_equal(sy_json_get_text(json, sy_json_root(json)->first, &got, &err), SY_CORRUPT);
    assert_true(sy_text_ends(err.what, ": expected text, found number"));
    assert_true(sy_text_begins(err.what, "/nnn"));
    sy_json_destroy(json);
    sy_text_finish(&text);
}

static void an_unknown_member_is_named_with_what_was_meant(void **state)
{
    (void)state;
    static const char *const known[] = {"weight", "name", "shape", NULL};
    sy_json *json = parse("{\"name\":1,\n\"wieght\":2}");
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_json_refuse_unknown_members(json, sy_json_root(json), known, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/wieght: no member of that name is known here");
    assert_string_equal(err.hint, "did you mean 'weight'?");
    assert_int_equal(err.position.line, 2);
    assert_int_equal(err.position.column, 1);
    sy_json_destroy(json);
    json = parse("{\"name\":1,\"entirely different\":2}");
    assert_int_equal(sy_json_refuse_unknown_members(json, sy_json_root(json), known, &err), SY_CORRUPT);
    assert_string_equal(err.hint, "");
    assert_int_equal(sy_json_refuse_unknown_members(json, sy_json_root(json)->first, known, &err), SY_CORRUPT);
    assert_string_equal(err.what, "/name: expected object, found number");
    sy_json_destroy(json);
    json = parse("{\"shape\":1,\"name\":2}");
    assert_int_equal(sy_json_refuse_unknown_members(json, sy_json_root(json), known, &err), SY_OK);
    sy_json_destroy(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_right_in_any_order_of_asking),
        cmocka_unit_test(positions_of_a_long_document_are_right_in_any_order_of_asking),
        cmocka_unit_test(a_pointer_leads_to_its_value),
        cmocka_unit_test(typed_access_gives_the_value),
        cmocka_unit_test(a_wrong_type_is_located),
        cmocka_unit_test(a_long_pointer_leaves_room_for_what_is_wrong),
        cmocka_unit_test(an_unknown_member_is_named_with_what_was_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
